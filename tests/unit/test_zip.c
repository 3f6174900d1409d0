/* Zip archives made here, a byte at a time, so that each can lie: what opens, what is read, and
 * what is refused with which words. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/hash.h"
#include "base/packed/zip.h"

#define TEXT     "main;work 12\n"
#define REPEATED TEXT TEXT TEXT

/* REPEATED by the rules of deflate. */
static const char deflated[] =
	"\xcb\x4d\xcc\xcc\xb3\x2e\xcf\x2f\xca\x56\x30\x34\xe2\xca\xc5\xc9\x01\x00";

#define DEFLATED_SIZE (sizeof(deflated) - 1)

struct member {
	const char *name;
	const char *packed;
	size_t packed_bytes;
	uint32_t size, crc;
	uint16_t method, flags;
	uint32_t header_at;  /* set by the writer */
	bool has_descriptor; /* sizes and CRC only behind the bytes */
	bool is_64;
};

struct writer {
	struct wk_buf out;
	uint32_t directory_at, directory_bytes;
};

static struct member stored(const char *name, const char *text)
{
	uint32_t size = (uint32_t)strlen(text);

	return (struct member){ .name = name, .packed = text, .packed_bytes = size, .size = size,
				.crc = wk_crc32(0, text, size) };
}

static struct member packed(const char *name)
{
	return (struct member){ .name = name, .packed = deflated, .packed_bytes = DEFLATED_SIZE,
				.size = strlen(REPEATED),
				.crc = wk_crc32(0, REPEATED, strlen(REPEATED)), .method = 8 };
}

/* Version, flags, method, time and date: what both headers have. */
static void add_common(struct wk_buf *out, const struct member *m)
{
	wk_buf_add_u16(out, 20);
	wk_buf_add_u16(out, (uint16_t)(m->flags | (m->has_descriptor ? 8 : 0)));
	wk_buf_add_u16(out, m->method);
	wk_buf_add_u32(out, 0);
}

static void add_sizes(struct wk_buf *out, const struct member *m, bool is_empty, bool is_64)
{
	wk_buf_add_u32(out, is_empty ? 0 : m->crc);
	wk_buf_add_u32(out, is_64 ? UINT32_MAX : is_empty ? 0 : (uint32_t)m->packed_bytes);
	wk_buf_add_u32(out, is_64 ? UINT32_MAX : is_empty ? 0 : m->size);
}

static void add_local(struct writer *w, struct member *m)
{
	m->header_at = (uint32_t)w->out.len;
	wk_buf_add(&w->out, "PK\3\4", 4);
	add_common(&w->out, m);
	add_sizes(&w->out, m, m->has_descriptor, false);
	wk_buf_add_u16(&w->out, (uint16_t)strlen(m->name));
	wk_buf_add_u16(&w->out, 5); /* other extra fields than in the directory */
	wk_buf_add_text(&w->out, m->name);
	wk_buf_add(&w->out, "\x55\x54\1\0\0", 5);
	wk_buf_add(&w->out, m->packed, m->packed_bytes);
	if (!m->has_descriptor)
		return;
	wk_buf_add(&w->out, "PK\7\10", 4);
	add_sizes(&w->out, m, false, false);
}

static void add_64(struct wk_buf *out, const struct member *m)
{
	wk_buf_add(out, "\x55\x54\1\0\0", 5);
	wk_buf_add_u16(out, 1);
	wk_buf_add_u16(out, 24);
	wk_buf_add_u64(out, m->size);
	wk_buf_add_u64(out, m->packed_bytes);
	wk_buf_add_u64(out, m->header_at);
}

static void add_record(struct writer *w, const struct member *m, uint32_t prefix)
{
	wk_buf_add(&w->out, "PK\1\2", 4);
	wk_buf_add_u16(&w->out, 20);
	add_common(&w->out, m);
	add_sizes(&w->out, m, false, m->is_64);
	wk_buf_add_u16(&w->out, (uint16_t)strlen(m->name));
	wk_buf_add_u16(&w->out, m->is_64 ? 33 : 0);
	wk_buf_add_u16(&w->out, 2);
	wk_buf_add_u16(&w->out, 0);
	wk_buf_add_u16(&w->out, 0);
	wk_buf_add_u32(&w->out, 0);
	wk_buf_add_u32(&w->out, m->is_64 ? UINT32_MAX : m->header_at - prefix);
	wk_buf_add_text(&w->out, m->name);
	if (m->is_64)
		add_64(&w->out, m);
	wk_buf_add_text(&w->out, "hi");
}

static void add_members(struct writer *w, struct member *members, size_t count, uint32_t prefix)
{
	for (size_t i = 0; i < count; i++)
		add_local(w, &members[i]);
	w->directory_at = (uint32_t)w->out.len - prefix;
	for (size_t i = 0; i < count; i++)
		add_record(w, &members[i], prefix);
	w->directory_bytes = (uint32_t)w->out.len - prefix - w->directory_at;
}

static void add_end(struct writer *w, uint16_t count, uint32_t bytes, uint32_t at,
		    const char *comment)
{
	wk_buf_add(&w->out, "PK\5\6", 4);
	wk_buf_add_u32(&w->out, 0);
	wk_buf_add_u16(&w->out, count);
	wk_buf_add_u16(&w->out, count);
	wk_buf_add_u32(&w->out, bytes);
	wk_buf_add_u32(&w->out, at);
	wk_buf_add_u16(&w->out, (uint16_t)strlen(comment));
	wk_buf_add_text(&w->out, comment);
}

/* The two records of Zip64, and an old one that says nothing. */
static void add_end_64(struct writer *w, uint64_t count)
{
	uint64_t end_at = w->out.len;

	wk_buf_add(&w->out, "PK\6\6", 4);
	wk_buf_add_u64(&w->out, 44);
	wk_buf_add_u32(&w->out, 45 | 45 << 16);
	wk_buf_add_u64(&w->out, 0);
	wk_buf_add_u64(&w->out, count);
	wk_buf_add_u64(&w->out, count);
	wk_buf_add_u64(&w->out, w->directory_bytes);
	wk_buf_add_u64(&w->out, w->directory_at);
	wk_buf_add(&w->out, "PK\6\7", 4);
	wk_buf_add_u32(&w->out, 0);
	wk_buf_add_u64(&w->out, end_at);
	wk_buf_add_u32(&w->out, 1);
	add_end(w, UINT16_MAX, UINT32_MAX, UINT32_MAX, "");
}

/* A whole sound archive of the members, behind `prefix`. */
static struct writer archive(const char *prefix, struct member *members, size_t count,
			     const char *comment)
{
	struct writer w = { 0 };

	wk_buf_add_text(&w.out, prefix);
	add_members(&w, members, count, (uint32_t)strlen(prefix));
	add_end(&w, (uint16_t)count, w.directory_bytes, w.directory_at, comment);
	return w;
}

static struct wk_bytes bytes_of(const struct writer *w)
{
	return wk_bytes_of(w->out.at, w->out.len);
}

/* A build without zlib and libdeflate says so; there is nothing more to test then. */
static void check_member(const struct wk_zip_member *member, const char *name, const char *text)
{
	struct wk_buf plain = { 0 };
	struct wk_err err = { 0 };

	assert_true(wk_str_is(member->name, name));
	assert_int_equal(member->size_bytes, strlen(text));
	if (!wk_zip_read(member, &plain, &err) && strstr(err.text, "was built without"))
		skip();
	assert_string_equal(err.text, "");
	assert_string_equal(wk_buf_text(&plain), text);
	wk_buf_fini(&plain);
}

static void check_both(struct writer *w)
{
	struct wk_zip zip;
	struct wk_err err = { 0 };

	assert_true(wk_zip_open(bytes_of(w), &zip, &err));
	assert_int_equal(zip.count, 2);
	check_member(&zip.members[0], "a/plain.txt", TEXT);
	check_member(&zip.members[1], "b.etl", REPEATED);
	wk_zip_close(&zip);
	wk_buf_fini(&w->out);
}

static void stored_and_deflated_members_are_read(void **state)
{
	struct member members[] = { stored("a/plain.txt", TEXT), packed("b.etl") };
	struct writer w = archive("", members, 2, "");

	(void)state;
	assert_true(wk_zip_is(bytes_of(&w)));
	check_both(&w);
}

static void a_comment_that_looks_like_an_end_is_passed_over(void **state)
{
	struct member members[] = { stored("a/plain.txt", TEXT), packed("b.etl") };
	struct writer w = archive("", members, 2, "PK\5\6 and more than 22 bytes behind it");

	(void)state;
	check_both(&w);
}

static void something_behind_the_archive_is_passed_over(void **state)
{
	struct member members[] = { stored("a/plain.txt", TEXT), packed("b.etl") };
	struct writer w = archive("", members, 2, "a comment");

	(void)state;
	wk_buf_add_text(&w.out, "\nand a line that somebody added");
	check_both(&w);
}

static void a_program_in_front_of_the_archive_is_passed_over(void **state)
{
	struct member members[] = { stored("a/plain.txt", TEXT), packed("b.etl") };
	struct writer w = archive("MZ this program unpacks itself", members, 2, "");

	(void)state;
	assert_false(wk_zip_is(bytes_of(&w)));
	check_both(&w);
}

static void sizes_behind_the_bytes_are_those_of_the_directory(void **state)
{
	struct member members[] = { stored("a/plain.txt", TEXT), packed("b.etl") };
	struct writer w;

	(void)state;
	members[0].has_descriptor = members[1].has_descriptor = true;
	w = archive("", members, 2, "");
	check_both(&w);
}

static struct writer archive_64(const char *prefix)
{
	struct member members[] = { stored("a/plain.txt", TEXT), packed("b.etl") };
	struct writer w = { 0 };

	members[0].is_64 = members[1].is_64 = prefix[0] == '\0';
	wk_buf_add_text(&w.out, prefix);
	add_members(&w, members, 2, (uint32_t)strlen(prefix));
	add_end_64(&w, 2);
	return w;
}

static void zip64_is_read(void **state)
{
	struct writer w = archive_64(""), behind = archive_64("#!/bin/sh");

	(void)state;
	check_both(&w);
	check_both(&behind);
}

static void an_archive_without_members_is_one(void **state)
{
	struct writer w = archive("", NULL, 0, "");
	struct wk_zip zip;
	struct wk_err err = { 0 };

	(void)state;
	assert_true(wk_zip_is(bytes_of(&w)));
	assert_true(wk_zip_open(bytes_of(&w), &zip, &err));
	assert_int_equal(zip.count, 0);
	wk_zip_close(&zip);
	wk_buf_fini(&w.out);
}

static void check_refused(struct wk_bytes bytes, const char *says)
{
	struct wk_zip zip;
	struct wk_err err = { 0 };

	assert_false(wk_zip_open(bytes, &zip, &err));
	assert_null(zip.members);
	if (!strstr(err.text, says))
		fail_msg("it says \"%s\" and not \"%s\"", err.text, says);
}

static void a_cut_archive_is_refused_wherever_it_ends(void **state)
{
	struct member members[] = { stored("a/plain.txt", TEXT), packed("b.etl") };
	struct writer w = archive("", members, 2, "");

	(void)state;
	for (size_t len = 4; len < w.out.len; len++)
		check_refused(wk_bytes_of(w.out.at, len), "the file was cut");
	check_refused(wk_bytes_of("MZ, which is none", 17), "it is none");
	check_refused(wk_bytes_of(NULL, 0), "it is none");
	wk_buf_fini(&w.out);
}

static void lying_counts_are_said(void **state)
{
	static const uint16_t counts[] = { 0, 1, 3, UINT16_MAX };

	(void)state;
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		struct member members[] = { stored("a", TEXT), packed("b") };
		struct writer w = { 0 };

		add_members(&w, members, 2, 0);
		add_end(&w, counts[i], w.directory_bytes, w.directory_at, "");
		check_refused(bytes_of(&w), "the zip directory has 2 members and claims");
		wk_buf_fini(&w.out);
	}
}

static void lying_places_of_the_directory_are_said(void **state)
{
	struct member members[] = { stored("a", TEXT), packed("b") };
	struct writer w = { 0 }, far = { 0 };

	(void)state;
	add_members(&w, members, 2, 0);
	wk_buf_add(&far.out, w.out.at, w.out.len);
	add_end(&w, 2, 0xfffffff0, 0, "");
	check_refused(bytes_of(&w), "the zip directory claims 4294967280 bytes at 0");
	add_end(&far, 2, w.directory_bytes, 0xfffffff0, "");
	check_refused(bytes_of(&far), "bytes at 4294967280, and there is none");
	wk_buf_fini(&w.out);
	wk_buf_fini(&far.out);
}

/* The archive of one stored member, with one field of its directory's record changed. */
static struct writer with_field(size_t field, uint32_t value, struct member member)
{
	struct writer w = archive("", &member, 1, "");

	for (int i = 0; i < 4; i++)
		w.out.at[w.directory_at + field + (size_t)i] = (char)(value >> 8 * i);
	return w;
}

enum { FIELD_CRC = 16, FIELD_PACKED = 20, FIELD_SIZE = 24, FIELD_HEADER_AT = 42 };

static void a_member_that_is_not_where_it_should_be_is_named(void **state)
{
	static const uint32_t places[] = { 1, 40, 100000, 0xfffffffe };

	(void)state;
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		struct writer w = with_field(FIELD_HEADER_AT, places[i], stored("a.etl", TEXT));

		check_refused(bytes_of(&w), "claims that \"a.etl\" is here, and it is not");
		wk_buf_fini(&w.out);
	}
}

static void a_member_longer_than_the_archive_is_refused(void **state)
{
	struct writer w = with_field(FIELD_PACKED, 14, stored("a.etl", TEXT));

	(void)state;
	check_refused(bytes_of(&w), "claims 14 bytes, and the directory begins before their end");
	wk_buf_fini(&w.out);
}

static void members_that_share_bytes_are_refused(void **state)
{
	struct member members[] = { packed("a"), packed("b") };
	struct writer w = { 0 };

	(void)state;
	add_local(&w, &members[0]);
	members[1].header_at = members[0].header_at;
	w.directory_at = (uint32_t)w.out.len;
	add_record(&w, &members[0], 0);
	add_record(&w, &members[1], 0);
	add_end(&w, 2, (uint32_t)w.out.len - w.directory_at, w.directory_at, "");
	check_refused(bytes_of(&w), "two zip members have the same bytes");
	wk_buf_fini(&w.out);
}

static void check_unread(struct writer w, const char *says)
{
	struct wk_zip zip;
	struct wk_buf plain = { 0 };
	struct wk_err err = { 0 };

	assert_true(wk_zip_open(bytes_of(&w), &zip, &err));
	assert_int_equal(zip.count, 1);
	wk_buf_add_text(&plain, "before");
	assert_false(wk_zip_read(&zip.members[0], &plain, &err));
	if (strstr(err.text, "was built without"))
		skip();
	if (!strstr(err.text, says))
		fail_msg("it says \"%s\" and not \"%s\"", err.text, says);
	assert_string_equal(wk_buf_text(&plain), "before");
	wk_buf_fini(&plain);
	wk_zip_close(&zip);
	wk_buf_fini(&w.out);
}

static void lying_sizes_and_sums_are_said(void **state)
{
	(void)state;
	check_unread(with_field(FIELD_SIZE, 14, stored("a", TEXT)), "claims 14 bytes and has 13");
	check_unread(with_field(FIELD_SIZE, 12, stored("a", TEXT)), "claims 12 bytes and has 13");
	check_unread(with_field(FIELD_SIZE, 40, packed("a")),
		     "ends after 39 of the 40 bytes that it should have");
	check_unread(with_field(FIELD_SIZE, 38, packed("a")), "its CRC-32 is");
	check_unread(with_field(FIELD_SIZE, 0xfffffff0, packed("a")),
		     "claim to be 4294967280 bytes of plain data");
	check_unread(with_field(FIELD_CRC, 0x12345678, stored("a", TEXT)),
		     "and was 12345678 when it was packed");
}

static void what_is_not_deflate_is_said(void **state)
{
	struct member member = packed("a");
	char broken[DEFLATED_SIZE];

	(void)state;
	memcpy(broken, deflated, sizeof(broken));
	broken[0] = 7; /* a kind of block that is none */
	member.packed = broken;
	check_unread(archive("", &member, 1, ""), "the deflate data is broken");
}

static void encrypted_members_and_other_methods_are_named(void **state)
{
	static const struct {
		uint16_t method, flags;
		const char *says;
	} rows[] = {
		{ 0, 1, "is encrypted" },       { 8, 1 << 6, "is encrypted" },
		{ 99, 1, "is encrypted" },      { 9, 0, "packed with Deflate64" },
		{ 12, 0, "packed with bzip2" }, { 14, 0, "packed with LZMA" },
		{ 93, 0, "packed with zstd" },  { 7, 0, "by method 7, which is not known" },
		{ 1, 0, "packed with shrink" }, { 6, 0, "packed with implode" },
		{ 95, 0, "packed with xz" },    { 98, 0, "packed with PPMd" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct member member = stored("a", TEXT);

		member.method = rows[i].method;
		member.flags = rows[i].flags;
		check_unread(archive("", &member, 1, ""), rows[i].says);
	}
}

static void a_part_of_a_split_archive_is_refused(void **state)
{
	struct member members[] = { stored("a", TEXT) };
	struct writer w = archive("", members, 1, "");

	(void)state;
	w.out.at[w.out.len - 18] = 1;
	check_refused(bytes_of(&w), "one part of a zip archive that was split");
	wk_buf_fini(&w.out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stored_and_deflated_members_are_read),
		cmocka_unit_test(a_comment_that_looks_like_an_end_is_passed_over),
		cmocka_unit_test(something_behind_the_archive_is_passed_over),
		cmocka_unit_test(a_program_in_front_of_the_archive_is_passed_over),
		cmocka_unit_test(sizes_behind_the_bytes_are_those_of_the_directory),
		cmocka_unit_test(zip64_is_read),
		cmocka_unit_test(an_archive_without_members_is_one),
		cmocka_unit_test(a_cut_archive_is_refused_wherever_it_ends),
		cmocka_unit_test(lying_counts_are_said),
		cmocka_unit_test(lying_places_of_the_directory_are_said),
		cmocka_unit_test(a_member_that_is_not_where_it_should_be_is_named),
		cmocka_unit_test(a_member_longer_than_the_archive_is_refused),
		cmocka_unit_test(members_that_share_bytes_are_refused),
		cmocka_unit_test(lying_sizes_and_sums_are_said),
		cmocka_unit_test(what_is_not_deflate_is_said),
		cmocka_unit_test(encrypted_members_and_other_methods_are_named),
		cmocka_unit_test(a_part_of_a_split_archive_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
