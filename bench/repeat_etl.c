/* Makes a large trace of a small one: its buffers again and again, each time later.
 *
 *	repeat_etl [-p] IN.etl OUT.etl MEGABYTES
 *
 * So many megabytes of records are written, unpacked as a session writes them or with -p packed as
 * a merged trace is (plain LZ77). Times in records, and those that stacks name their owners by,
 * move on by the length of IN with each round. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "formats/etl/internal.h"
#include "os/os.h"
#include "tests/unit/lz_maker.h"

#define MODE_PACKED    0x4000000u
#define MODE_AT        (WK_ETL_BUFFER_HEAD + 32 + 32) /* of the first record's payload */
#define HASHES         (1u << 13)
#define FARTHEST       8192
#define PERF_INFO_MASK 0xfe /* types 16 and 17 */

struct repeat {
	struct wk_etl_input input;
	struct wk_buf out;
	FILE *file;
	bool packs;
	uint64_t shift, sequence, written;
};

static uint64_t get(const char *at, size_t bytes)
{
	uint64_t value = 0;

	for (size_t i = bytes; i-- > 0;)
		value = value << 8 | (uint8_t)at[i];
	return value;
}

static void add_at(char *at, uint64_t more)
{
	uint64_t value = get(at, 8) + more;

	for (int i = 0; i < 8; i++)
		at[i] = (char)(value >> 8 * i);
}

/* Stack records say in their payload which event they belong to. */
static void shift_record(char *at, uint32_t size, uint64_t shift)
{
	bool is_perf_info = ((uint8_t)at[2] & PERF_INFO_MASK) == 16;
	size_t head = is_perf_info ? 16 : 32;
	uint16_t hook = (uint16_t)get(at + 6, 2);

	add_at(at + (is_perf_info ? 8 : 16), shift);
	if ((uint8_t)at[2] <= 17 && (hook == 0x1820 || hook == 0x1825 || hook == 0x1826) &&
	    size >= head + 8)
		add_at(at + head, shift);
}

static void shift_records(char *at, size_t size, uint64_t shift)
{
	struct wk_bytes left = wk_bytes_of(at, size);

	for (;;) {
		bool is_broken = false;
		uint64_t time = 0;
		uint32_t bytes = wk_etl_record_peek(&left, &time, &is_broken);

		if (bytes < 16)
			return;
		shift_record(at + (left.at - (const uint8_t *)at), bytes, shift);
		wk_bytes_skip(&left, (bytes + 7) & ~7u);
	}
}

static size_t same_bytes(const uint8_t *a, const uint8_t *b, size_t most)
{
	size_t length = 0;

	while (length < most && a[length] == b[length])
		length++;
	return length;
}

/* The copy that begins at the place seen last with the same four bytes. */
static struct lz_token find_token(void *context, const uint8_t *plain, size_t at, size_t end)
{
	struct lz_token token = { 0, 1 };
	uint32_t *seen = context;
	uint32_t word, slot;
	size_t length;

	if (end - at < 4)
		return token;
	memcpy(&word, plain + at, 4);
	slot = word * 2654435761u >> 19;
	if (seen[slot] && at - (seen[slot] - 1) <= FARTHEST) {
		length = same_bytes(plain + at, plain + seen[slot] - 1, end - at);
		if (length >= 4)
			token = (struct lz_token){ at - (seen[slot] - 1), length };
	}
	seen[slot] = (uint32_t)at + 1;
	return token;
}

/* As lz_pack_plain does, but in a time that a gigabyte can wait for. */
static void pack(struct wk_buf *out, const uint8_t *plain, size_t size)
{
	static uint32_t seen[HASHES];

	memset(seen, 0, sizeof(seen));
	lz_pack_chosen(out, plain, size, find_token, seen);
}

static void write_out(struct repeat *repeat)
{
	if (fwrite(repeat->out.at, 1, repeat->out.len, repeat->file) != repeat->out.len) {
		perror("writing");
		exit(1);
	}
	wk_buf_reset(&repeat->out);
}

static void write_buffer(struct repeat *repeat, const struct wk_etl_buffer *buffer,
			 struct wk_bytes records)
{
	size_t size = wk_bytes_left(&records), step = repeat->input.header.buffer_bytes;
	uint8_t *plain = wk_alloc(size + 1);
	struct wk_buf *out = &repeat->out;

	memcpy(plain, records.at, size);
	shift_records((char *)plain, size, repeat->shift);
	wk_buf_add(out, repeat->input.bytes.at + buffer->offset, WK_ETL_BUFFER_HEAD);
	if (repeat->packs)
		pack(out, plain, size);
	else
		wk_buf_add(out, plain, size);
	while (!repeat->packs && out->len < step)
		wk_buf_add_char(out, (char)0xff);
	lz_put_at(out, 0x00, out->len, 4);
	lz_put_at(out, 0x04, WK_ETL_BUFFER_HEAD + size, 4);
	lz_put_at(out, 0x08, WK_ETL_BUFFER_HEAD + size, 4);
	lz_put_at(out, 0x18, repeat->sequence++, 8);
	lz_put_at(out, 0x34,
		  (buffer->flags & ~WK_ETL_PACKED_BUFFER) |
			  (repeat->packs ? WK_ETL_PACKED_BUFFER : 0),
		  2);
	write_out(repeat);
	repeat->written += size;
	wk_free(plain);
}

/* The first buffer has the header of the trace, and is never packed. */
static void write_first(struct repeat *repeat)
{
	size_t size = repeat->input.step, step = repeat->input.header.buffer_bytes;
	struct wk_buf *out = &repeat->out;
	uint32_t mode;

	wk_buf_add(out, repeat->input.bytes.at, size);
	while (!repeat->packs && out->len < step)
		wk_buf_add_char(out, (char)0xff);
	lz_put_at(out, 0, out->len, 4);
	mode = (uint32_t)get(out->at + MODE_AT, 4) & ~MODE_PACKED;
	lz_put_at(out, MODE_AT, mode | (repeat->packs ? MODE_PACKED : 0), 4);
	lz_put_at(out, 0x2c, repeat->packs ? WK_ETL_XPRESS : 0, 2);
	write_out(repeat);
}

static void write_round(struct repeat *repeat)
{
	struct wk_etl_damage damage = { 0 };
	struct wk_etl_walk walk = { .input = &repeat->input, .damage = &damage };
	struct wk_etl_scratch scratch = { 0 };
	struct wk_etl_buffer buffer;
	struct wk_bytes records;

	for (size_t i = 0; wk_etl_walk_next(&walk, &buffer); i++)
		if (i > 0 && wk_etl_buffer_records(&repeat->input, &buffer, WK_ETL_MOST_BUFFER,
						   &scratch, &records))
			write_buffer(repeat, &buffer, records);
	wk_free(scratch.at);
}

/* From the header to the last record: some come after the end that the header tells. */
static uint64_t length(struct wk_bytes bytes)
{
	struct wk_etl_file *etl = wk_etl_open(&bytes, NULL, 1, 1, NULL);
	uint64_t ticks = 1;
	struct wk_etl_record record;

	while (etl && wk_etl_next(etl, &record))
		if (record.time - wk_etl_header(etl)->first_tick >= ticks)
			ticks = record.time - wk_etl_header(etl)->first_tick + 1;
	wk_etl_close(etl);
	return ticks;
}

static bool repeat_file(struct repeat *repeat, const char *path, uint64_t wanted,
			struct wk_err *err)
{
	struct wk_os_file file;
	bool ok;

	if (!wk_os_open(path, &file, err))
		return false;
	ok = wk_etl_input_open(&repeat->input, wk_bytes_of(file.at, file.size_bytes), err);
	if (ok) {
		uint64_t round = length(repeat->input.bytes), before = 1;

		for (write_first(repeat); repeat->written < wanted && before != repeat->written;
		     repeat->shift += round) {
			before = repeat->written;
			write_round(repeat);
		}
	}
	wk_os_close(&file);
	wk_buf_fini(&repeat->out);
	return ok;
}

int main(int count, char **words)
{
	struct repeat repeat = { .packs = count == 5 && strcmp(words[1], "-p") == 0 };
	char **paths = words + (repeat.packs ? 2 : 1);
	struct wk_err err = { 0 };

	if (count != (repeat.packs ? 5 : 4)) {
		fprintf(stderr, "usage: repeat_etl [-p] IN.etl OUT.etl MEGABYTES\n");
		return 2;
	}
	repeat.file = fopen(paths[1], "wb");
	if (!repeat.file) {
		perror(paths[1]);
		return 1;
	}
	if (!repeat_file(&repeat, paths[0], strtoull(paths[2], NULL, 10) * 1000000, &err)) {
		fprintf(stderr, "%s\n", err.text);
		return 1;
	}
	if (fclose(repeat.file)) {
		perror(paths[1]);
		return 1;
	}
	printf("%" PRIu64 " bytes of records\n", repeat.written);
	return 0;
}
