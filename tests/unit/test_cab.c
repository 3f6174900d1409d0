/* Cabinets made here, a byte at a time, so that each can lie: which files are read, and what is
 * refused with which words. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/packed/cab.h"

/* By the rules of deflate, without compression: that is all a test needs of a first block. */
#define STORED "CK\1\15\0\362\377main;work 12\n"

/* "main;work 12\n" as "m" and 12 bytes from 13 before them: of the block before. */
#define REPEATS "CK\xcb\x45\xe6\0\0"

struct block {
	const char *bytes;
	size_t len;
	uint16_t size;
};

/* MSZIP's blocks before the last have 32 KiB: this one ends with a line. */
#define WHOLE 32768
static const char line[] = "main;work 12\n";

static struct block whole(void)
{
	static char bytes[7 + WHOLE] = "CK\1\0\x80\xff\x7f";

	memcpy(bytes + sizeof(bytes) - 13, line, 13);
	return (struct block){ bytes, sizeof(bytes), WHOLE };
}

static const struct block stored = { STORED, sizeof(STORED) - 1, 13 };
static const struct block repeats = { REPEATS, sizeof(REPEATS) - 1, 13 };

struct file {
	const char *name;
	uint32_t size, offset;
	uint16_t folder;
};

struct recipe {
	uint16_t method;
	uint8_t reserve; /* bytes in each header */
	bool has_no_sums;
	const struct block *blocks;
	size_t block_count;
	const struct file *files;
	size_t file_count;
	uint16_t flags;
};

static void add_zeros(struct wk_buf *out, size_t count)
{
	while (count-- > 0)
		wk_buf_add_char(out, 0);
}

static uint32_t sum_of(const char *at, size_t len, uint32_t sum)
{
	const unsigned char *bytes = (const unsigned char *)at;
	uint32_t rest = 0;

	for (size_t i = 0; i < len / 4 * 4; i++)
		sum ^= (uint32_t)bytes[i] << 8 * (i % 4);
	for (size_t i = len / 4 * 4; i < len; i++)
		rest = rest << 8 | bytes[i];
	return sum ^ rest;
}

static void add_block(struct wk_buf *out, const struct recipe *r, const struct block *block)
{
	struct wk_buf head = { 0 };

	wk_buf_add_u16(&head, (uint16_t)block->len);
	wk_buf_add_u16(&head, block->size);
	add_zeros(&head, r->reserve);
	wk_buf_add_u32(out, r->has_no_sums ? 0
					   : sum_of(head.at, head.len,
						    sum_of(block->bytes, block->len, 0)));
	wk_buf_add_str(out, wk_buf_str(&head));
	wk_buf_add(out, block->bytes, block->len);
	wk_buf_fini(&head);
}

static void add_names(struct wk_buf *out, const struct recipe *r)
{
	if (r->reserve) {
		wk_buf_add_u16(out, r->reserve);
		wk_buf_add_char(out, (char)r->reserve);
		wk_buf_add_char(out, (char)r->reserve);
		add_zeros(out, r->reserve);
	}
	if (r->flags & 1)
		wk_buf_add(out, "before.cab\0disk 1", 18);
}

/* The number of what is at `at`, filled in when it is known. */
static void set_u32(struct wk_buf *out, size_t at, size_t value)
{
	for (int i = 0; i < 4; i++)
		out->at[at + (size_t)i] = (char)(value >> 8 * i);
}

static void add_head(struct wk_buf *out, const struct recipe *r)
{
	wk_buf_add(out, "MSCF", 4);
	add_zeros(out, 20);
	wk_buf_add_u16(out, 0x103);
	wk_buf_add_u16(out, 1);
	wk_buf_add_u16(out, (uint16_t)r->file_count);
	wk_buf_add_u16(out, (uint16_t)(r->flags | (r->reserve ? 4 : 0)));
	wk_buf_add_u32(out, 0);
	add_names(out, r);
}

static void add_file(struct wk_buf *out, const struct file *file)
{
	wk_buf_add_u32(out, file->size);
	wk_buf_add_u32(out, file->offset);
	wk_buf_add_u16(out, file->folder);
	wk_buf_add_u32(out, 0);
	wk_buf_add_u16(out, 0x20);
	wk_buf_add(out, file->name, strlen(file->name) + 1);
}

static struct wk_buf cabinet(const struct recipe *r)
{
	struct wk_buf out = { 0 };
	size_t folder_at;

	add_head(&out, r);
	folder_at = out.len;
	wk_buf_add_u32(&out, 0);
	wk_buf_add_u16(&out, (uint16_t)r->block_count);
	wk_buf_add_u16(&out, r->method);
	add_zeros(&out, r->reserve);
	set_u32(&out, 16, out.len);
	for (size_t i = 0; i < r->file_count; i++)
		add_file(&out, &r->files[i]);
	set_u32(&out, folder_at, out.len);
	for (size_t i = 0; i < r->block_count; i++)
		add_block(&out, r, &r->blocks[i]);
	set_u32(&out, 8, out.len);
	return out;
}

static struct wk_bytes bytes_of(const struct wk_buf *buf)
{
	return wk_bytes_of(buf->at, buf->len);
}

/* A build without libmspack says so; there is nothing more to test then. */
static void open_cabinet(const struct wk_buf *bytes, struct wk_cab *cab)
{
	struct wk_err err = { 0 };

	if (!wk_cab_open(bytes_of(bytes), cab, &err) && strstr(err.text, "was built without"))
		skip();
	assert_string_equal(err.text, "");
}

static void check_file(const struct wk_cab *cab, size_t number, const char *name, const char *text)
{
	struct wk_buf plain = { 0 };
	struct wk_err err = { 0 };

	assert_true(wk_str_is(cab->files[number].name, name));
	wk_buf_add_text(&plain, "before ");
	assert_true(wk_cab_read(cab, &cab->files[number], &plain, &err));
	assert_string_equal(err.text, "");
	assert_string_equal(wk_buf_text(&plain) + 7, text);
	wk_buf_fini(&plain);
}

static void check_two_files(const struct recipe *recipe)
{
	struct wk_buf bytes = cabinet(recipe);
	struct wk_cab cab;

	assert_true(wk_cab_is(bytes_of(&bytes)));
	open_cabinet(&bytes, &cab);
	assert_int_equal(cab.file_count, 2);
	check_file(&cab, 0, "a.pdb", "main;work 12\n");
	check_file(&cab, 1, "dir\\b.dll", "work 12\nmain;");
	wk_cab_close(&cab);
	wk_buf_fini(&bytes);
}

static const struct file two_files[] = { { "a.pdb", 13, 0, 0 }, { "dir\\b.dll", 13, 18, 0 } };

static void blocks_that_repeat_those_before_are_read(void **state)
{
	const struct block blocks[] = { whole(), repeats };
	const struct file files[] = { { "a.pdb", 13, WHOLE - 13, 0 },
				      { "dir\\b.dll", 13, WHOLE - 8, 0 } };
	struct recipe r = { .method = 1, .blocks = blocks, .block_count = 2, .files = files,
			    .file_count = 2 };

	(void)state;
	check_two_files(&r);
	r.has_no_sums = true;
	check_two_files(&r);
	r.reserve = 7;
	r.has_no_sums = false;
	check_two_files(&r);
	r.flags = 1; /* there are cabinets before it, but these files lie in this one */
	check_two_files(&r);
}

static void folders_that_are_not_packed_are_read(void **state)
{
	const struct block blocks[] = { { "main;work 1", 11, 11 },
					{ "2\nmain;", 7, 7 },
					{ "work 12\nmain;", 13, 13 } };
	struct recipe r = { .blocks = blocks, .block_count = 3, .files = two_files,
			    .file_count = 2 };

	(void)state;
	check_two_files(&r);
}

static void a_cut_cabinet_is_refused_wherever_it_ends(void **state)
{
	const struct block blocks[] = { stored };
	const struct file files[] = { { "a.pdb", 13, 0, 0 } };
	struct recipe r = { .method = 1, .blocks = blocks, .block_count = 1, .files = files,
			    .file_count = 1 };
	struct wk_buf bytes = cabinet(&r), plain = { 0 };

	(void)state;
	for (size_t len = 0; len < bytes.len; len++) {
		struct wk_err err = { 0 };
		struct wk_cab cab;

		if (wk_cab_open(wk_bytes_of(bytes.at, len), &cab, &err)) {
			assert_false(wk_cab_read(&cab, &cab.files[0], &plain, &err));
			wk_cab_close(&cab);
		}
		assert_int_equal(err.code, len < 4 ? WK_EFORMAT : WK_ECORRUPT);
		assert_true(err.text[0] != '\0');
		assert_int_equal(plain.len, 0);
	}
	wk_buf_fini(&plain);
	wk_buf_fini(&bytes);
}

static void check_unread(const struct recipe *recipe, const char *says)
{
	struct wk_buf bytes = cabinet(recipe), plain = { 0 };
	struct wk_err err = { 0 };
	struct wk_cab cab;

	open_cabinet(&bytes, &cab);
	wk_buf_add_text(&plain, "before");
	assert_false(wk_cab_read(&cab, &cab.files[0], &plain, &err));
	if (!strstr(err.text, says))
		fail_msg("it says \"%s\" and not \"%s\"", err.text, says);
	assert_string_equal(wk_buf_text(&plain), "before");
	wk_buf_fini(&plain);
	wk_cab_close(&cab);
	wk_buf_fini(&bytes);
}

static void check_block(uint16_t method, struct block block, struct file file, const char *says)
{
	struct recipe r = { .method = method, .blocks = &block, .block_count = 1, .files = &file,
			    .file_count = 1 };

	check_unread(&r, says);
}

static void what_a_block_claims_is_held_to(void **state)
{
	struct file a = { "a", 13, 0, 0 };

	(void)state;
	check_block(1, (struct block){ STORED, stored.len, 14 }, (struct file){ "a", 14, 0, 0 },
		    "packed data is broken");
	check_block(1, (struct block){ STORED, stored.len, 32769 }, a, "packed data is broken");
	check_block(1, (struct block){ STORED, stored.len, 0 }, a, "goes on in another");
	check_block(0, (struct block){ "main;work 12", 12, 13 }, a, "packed data is broken");
}

static void what_a_file_claims_is_held_to(void **state)
{
	(void)state;
	check_block(1, stored, (struct file){ "a", 14, 0, 0 }, "packed data is broken");
	check_block(1, stored, (struct file){ "a", 1, 13, 0 }, "packed data is broken");
	check_block(1, stored, (struct file){ "a", UINT32_MAX, 0x7fffffff, 0 },
		    "claim to be 6442450942 bytes of plain data");
}

static void other_methods_are_refused(void **state)
{
	struct file a = { "a", 13, 0, 0 };

	(void)state;
	check_block(0x1603, stored, a, "packed data is broken");
	check_block(0x0e03, stored, a, "packed data is broken");
	check_block(0x1503, stored, a, "packed data is broken");
	check_block(9, stored, a, "packed data is broken");
}

static void a_broken_block_is_known_by_its_sum(void **state)
{
	const struct block blocks[] = { stored };
	struct recipe r = { .method = 1, .blocks = blocks, .block_count = 1, .files = two_files,
			    .file_count = 1 };
	struct wk_buf bytes = cabinet(&r), plain = { 0 };
	struct wk_err err = { 0 };
	struct wk_cab cab;

	(void)state;
	bytes.at[bytes.len - 2] ^= 1;
	open_cabinet(&bytes, &cab);
	assert_false(wk_cab_read(&cab, &cab.files[0], &plain, &err));
	assert_string_equal(err.text, "a block of the cabinet is broken: its checksum differs");
	wk_buf_fini(&plain);
	wk_cab_close(&cab);
	wk_buf_fini(&bytes);
}

static void lying_counts_are_said(void **state)
{
	const struct block blocks[] = { stored };
	struct recipe r = { .method = 1, .blocks = blocks, .block_count = 1, .files = two_files,
			    .file_count = 1 };
	struct wk_buf bytes = cabinet(&r);
	struct wk_err folders = { 0 }, files = { 0 };
	struct wk_cab cab;

	(void)state;
	bytes.at[27] = '\x40';
	assert_false(wk_cab_open(bytes_of(&bytes), &cab, &folders));
	if (strstr(folders.text, "was built without"))
		skip();
	assert_string_equal(folders.text,
			    "the cabinet ends in its list of files; the file was cut");
	bytes.at[27] = 0;
	bytes.at[29] = '\x40';
	assert_false(wk_cab_open(bytes_of(&bytes), &cab, &files));
	assert_non_null(strstr(files.text, "the cabinet"));
	wk_buf_fini(&bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(blocks_that_repeat_those_before_are_read),
		cmocka_unit_test(folders_that_are_not_packed_are_read),
		cmocka_unit_test(a_cut_cabinet_is_refused_wherever_it_ends),
		cmocka_unit_test(what_a_block_claims_is_held_to),
		cmocka_unit_test(what_a_file_claims_is_held_to),
		cmocka_unit_test(other_methods_are_refused),
		cmocka_unit_test(a_broken_block_is_known_by_its_sum),
		cmocka_unit_test(lying_counts_are_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
