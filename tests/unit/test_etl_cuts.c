/* Real traces, cut at every tenth byte: each gives an answer or one sentence.
 *
 * What stands far before a cut changes nothing in how the bytes at the cut are read, and to read it
 * anew for each of seven million cuts would take days. So there is a small trace for each record: a
 * buffer with the header of the trace, then the record's own buffer with only the records just
 * before it. Packed buffers stay whole. test_etl_damage.c cuts whole traces, at fewer places. */
#include "etl_traces.h"

#include "base/mem.h"
#include "formats/etl/internal.h"

#define BEFORE_CUT  4096 /* bytes of records that are kept */
#define MOST_UNUSED 4096 /* behind the records of a buffer: cut in pieces of so many bytes */
#define SHARE       40   /* without WICK_SOAK one piece of so many is cut */

struct buffer {
	const uint8_t *at;
	uint64_t offset; /* in the file */
	size_t size, filled;
	bool is_packed;
};

/* A trace that ends with the piece of a file that is to be cut. */
struct small {
	uint8_t *at;
	size_t len, cap;
};

struct cutter {
	struct wk_opened how;
	struct buffer first;
	size_t head; /* of the file: the first buffer's header and first record */
	struct small small;
	size_t share, pieces, cuts;
};

static struct buffer buffer_at(struct wk_bytes bytes, size_t offset)
{
	struct wk_bytes head = wk_bytes_at(&bytes, offset, wk_bytes_left(&bytes) - offset);
	struct buffer buffer = { .at = head.at, .offset = offset };
	size_t left = wk_bytes_left(&head);
	uint32_t size = wk_u32le(&head), filled = wk_u32le(&head), current = wk_u32le(&head);

	buffer.size = size < WK_ETL_BUFFER_HEAD || size > left ? left : size;
	buffer.filled = filled ? filled : current;
	wk_bytes_skip(&head, 40);
	buffer.is_packed = wk_u16le(&head) & WK_ETL_PACKED_BUFFER;
	if (buffer.filled > buffer.size)
		buffer.filled = buffer.size;
	return buffer;
}

/* Where the next record of a buffer begins; `end` behind the last. */
static size_t behind_record(const struct buffer *buffer, size_t at, size_t end)
{
	struct wk_bytes left = wk_bytes_of(buffer->at + at, end - at);
	bool is_broken = false;
	uint64_t time = 0;
	size_t size = wk_etl_record_peek(&left, &time, &is_broken);

	size = (size + 7) & ~(size_t)7;
	return size == 0 || size > end - at ? end : at + size;
}

static void add(struct small *small, const uint8_t *at, size_t len)
{
	if (small->len + len > small->cap) {
		small->cap = 2 * (small->len + len);
		small->at = wk_realloc(small->at, small->cap);
		assert_non_null(small->at);
	}
	if (at)
		memcpy(small->at + small->len, at, len);
	else
		memset(small->at + small->len, 0, len);
	small->len += len;
}

static void say_sizes(struct small *small, size_t buffer, size_t size, size_t filled)
{
	uint32_t sizes[] = { (uint32_t)size, (uint32_t)filled, (uint32_t)filled };

	memcpy(small->at + buffer, sizes, sizeof(sizes));
}

/* Of `buffer` its header, the records of [kept, kept_end) and the piece of [from, to); what comes
 * before is only the header of the trace. In plain files all buffers have one size. */
static void make_small(struct cutter *c, const struct buffer *buffer, size_t kept, size_t kept_end,
		       size_t from, size_t to)
{
	struct small *small = &c->small;
	size_t size = WK_ETL_BUFFER_HEAD + (kept_end - kept) + (to - from), begin = 0;

	small->len = 0;
	add(small, c->first.at, c->head);
	if (buffer->at != c->first.at) {
		size = size < c->head ? c->head : size;
		add(small, NULL, size - c->head);
		say_sizes(small, 0, size, c->head);
		begin = small->len;
		add(small, buffer->at, WK_ETL_BUFFER_HEAD);
	}
	add(small, buffer->at + kept, kept_end - kept);
	add(small, buffer->at + from, to - from);
	size = begin ? size : small->len;
	say_sizes(small, begin, size,
		  from < buffer->filled ? size : small->len - begin - (to - from));
}

/* The last `len` bytes of the small trace, which stand at `offset` of the file. */
static void cut_small(struct cutter *c, uint64_t offset, size_t len)
{
	for (uint64_t cut = (offset + 9) / 10 * 10; cut < offset + len; cut += 10, c->cuts++) {
		size_t left = c->small.len - len + (size_t)(cut - offset);
		uint8_t *exact = wk_alloc(left ? left : 1);
		uint64_t events;

		assert_non_null(exact);
		memcpy(exact, c->small.at, left);
		events = etl_read_bytes(&c->how, exact, left);
		assert_true(events > 0 || left < c->head); /* a sentence only without the header */
		wk_free(exact);
	}
}

static bool is_wanted(struct cutter *c)
{
	return c->pieces++ % c->share == 0;
}

/* Its first record, where the header of the trace stands, is cut with the header of the buffer. */
static void cut_head(struct cutter *c, const struct buffer *buffer)
{
	size_t len = buffer->at == c->first.at ? c->head : WK_ETL_BUFFER_HEAD;

	len = len < buffer->size ? len : buffer->size;
	c->small.len = 0;
	if (buffer->at != c->first.at) {
		add(&c->small, c->first.at, c->head);
		say_sizes(&c->small, 0, c->head, c->head);
	}
	add(&c->small, buffer->at, len);
	cut_small(c, buffer->offset, len);
}

static void cut_plain(struct cutter *c, const struct buffer *buffer)
{
	size_t begin = buffer->at == c->first.at ? c->head : WK_ETL_BUFFER_HEAD;
	size_t kept = begin, end = buffer->filled > begin ? buffer->filled : begin, at, next;

	cut_head(c, buffer);
	for (at = begin; at < end; at = next) {
		next = behind_record(buffer, at, end);
		while (at - kept > BEFORE_CUT)
			kept = behind_record(buffer, kept, end);
		if (!is_wanted(c))
			continue;
		make_small(c, buffer, kept, at, at, next);
		cut_small(c, buffer->offset + at, next - at);
	}
	for (; at < buffer->size; at = next) {
		next = buffer->size - at < MOST_UNUSED ? buffer->size : at + MOST_UNUSED;
		if (!is_wanted(c))
			continue;
		make_small(c, buffer, kept, end, at, next);
		cut_small(c, buffer->offset + at, next - at);
	}
}

static void cut_packed(struct cutter *c, const struct buffer *buffer)
{
	if (!is_wanted(c))
		return;
	c->small.len = 0;
	add(&c->small, c->first.at, c->head);
	say_sizes(&c->small, 0, c->head, c->head);
	add(&c->small, buffer->at, buffer->size);
	cut_small(c, buffer->offset, buffer->size);
}

static void cut_file(const struct wk_opened *opened, struct wk_bytes bytes)
{
	size_t size = wk_bytes_left(&bytes);
	struct cutter c = { .how = *opened, .share = getenv("WICK_SOAK") ? 1 : SHARE };
	struct buffer buffer;

	c.how.input.parts = (struct wk_parts){ 0 };
	c.first = buffer_at(bytes, 0);
	c.head = behind_record(&c.first, WK_ETL_BUFFER_HEAD, c.first.filled);
	for (size_t at = 0; at < size; at += buffer.size) {
		buffer = buffer_at(bytes, at);
		if (buffer.is_packed)
			cut_packed(&c, &buffer);
		else
			cut_plain(&c, &buffer);
	}
	wk_free(c.small.at);
	print_message("%zu bytes, cut at %zu places\n", size, c.cuts);
	if (c.share == 1)
		assert_int_equal(c.cuts, (size + 9) / 10);
	else
		assert_true(c.cuts > 0);
}

static void cut_files(const struct wk_opened *opened, struct wk_bytes bytes)
{
	cut_file(opened, bytes);
	for (size_t i = 0; i < opened->input.parts.count; i++)
		cut_file(opened, opened->input.parts.at[i].bytes);
}

static void traces_cut_at_every_tenth_byte_give_an_answer_or_a_sentence(void **state)
{
	(void)state;
	etl_each_trace(cut_files);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(traces_cut_at_every_tenth_byte_give_an_answer_or_a_sentence),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
