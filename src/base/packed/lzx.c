#include "base/packed/lzx.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define LEAST_WINDOW_BITS 15
#define MOST_WINDOW_BITS  21

#define MOST_SLOTS    50 /* classes of distances */
#define BYTES         256
#define MOST_MAIN     (BYTES + 8 * MOST_SLOTS)
#define LENGTHS       249
#define ALIGNED       8
#define PRETREE       20
#define MOST_CODE     16 /* bits */
#define TABLE_BITS    10 /* bits of a code that are looked up at once */
#define SHORT_LENGTHS 7  /* lengths that the main code has itself */
#define LEAST_MATCH   2

#define MOST_CALL_BLOCKS 32768 /* behind which no calls are translated */
#define CALL_BYTES       5
#define CALL_TAIL        10 /* bytes at a block's end in which no call begins */

enum block_kind {
	BLOCK_VERBATIM = 1,
	BLOCK_ALIGNED = 2,
	BLOCK_UNCOMPRESSED = 3,
};

/* A canonical code: shorter words first, those of one length by their symbols' order. */
struct code {
	uint16_t table[1 << TABLE_BITS]; /* symbol and length of a short code; 0: it is longer */
	uint16_t symbols[MOST_MAIN];     /* in the order of their words */
	uint32_t first[MOST_CODE + 2];   /* the first word of each length, in 16 bits */
	uint16_t index[MOST_CODE + 2];   /* its symbol's place in `symbols` */
};

/* Bits are in words of 16, the highest first. */
struct bits {
	struct wk_bytes in;
	uint64_t held;   /* the next ones, from the highest on */
	unsigned count;  /* how many of them */
	unsigned beyond; /* how many of these are past the end of the input */
};

struct wk_lzx {
	uint8_t *window;
	uint32_t mask;
	uint64_t total; /* plain bytes so far */
	uint32_t distances[3];
	unsigned main_count; /* symbols of the main code */
	bool has_begun, is_over;
	uint32_t call_size; /* 0: calls are as they are */
	uint32_t blocks;    /* of the cabinet, so far */

	enum block_kind kind;
	uint32_t size, left; /* of LZX's own block, which may go on in the cabinet's next one */
	uint8_t main_lengths[MOST_MAIN], length_lengths[LENGTHS];
	struct code main, length, aligned, pretree;
};

struct wk_lzx *wk_lzx_new(unsigned window_bits)
{
	static const uint8_t slots[] = { 30, 32, 34, 36, 38, 42, 50 };
	struct wk_lzx *lzx;

	if (window_bits < LEAST_WINDOW_BITS || window_bits > MOST_WINDOW_BITS)
		return NULL;
	lzx = wk_alloc_zeroed(1, sizeof(*lzx));
	lzx->window = wk_alloc_zeroed(1, (size_t)1 << window_bits);
	lzx->mask = ((uint32_t)1 << window_bits) - 1;
	lzx->main_count = BYTES + 8u * slots[window_bits - LEAST_WINDOW_BITS];
	for (int i = 0; i < 3; i++)
		lzx->distances[i] = 1;
	return lzx;
}

void wk_lzx_free(struct wk_lzx *lzx)
{
	if (!lzx)
		return;
	WK_FREE_ALL(lzx->window, lzx);
}

/* At least 32 bits are held then; behind the end there are zeros. */
static void fill(struct bits *bits)
{
	while (bits->count <= 48) {
		uint64_t word = 0;

		if (wk_bytes_left(&bits->in) >= 2)
			word = wk_u16le(&bits->in);
		else
			bits->beyond += 16;
		bits->held |= word << (48 - bits->count);
		bits->count += 16;
	}
}

static uint32_t peek(struct bits *bits, unsigned count)
{
	if (bits->count < 32)
		fill(bits);
	return count ? (uint32_t)(bits->held >> (64 - count)) : 0;
}

static void drop(struct bits *bits, unsigned count)
{
	bits->held <<= count;
	bits->count -= count;
}

static uint32_t take(struct bits *bits, unsigned count)
{
	uint32_t value = peek(bits, count);

	drop(bits, count);
	return value;
}

static bool is_spent(const struct bits *bits)
{
	return bits->beyond > bits->count;
}

/* The start of uncompressed bytes: the next 16-bit word; if a word ends here, the one after it. */
static void align(struct bits *bits)
{
	unsigned done;

	peek(bits, 0);
	done = (bits->count % 16 ? bits->count % 16 : 16) + bits->beyond;
	if (bits->count > done)
		bits->in.at -= (bits->count - done) / 8;
	bits->held = 0;
	bits->count = bits->beyond = 0;
}

/* False if more codes are claimed than a length allows. */
static bool make_code(struct code *code, const uint8_t *lengths, unsigned count)
{
	uint16_t counts[MOST_CODE + 1] = { 0 }, next[MOST_CODE + 1];
	uint32_t word = 0;
	uint16_t index = 0;

	for (unsigned i = 0; i < count; i++)
		counts[lengths[i]]++;
	for (unsigned len = 1; len <= MOST_CODE; len++) {
		code->first[len] = word;
		code->index[len] = next[len] = index;
		word += (uint32_t)counts[len] << (MOST_CODE - len);
		index = (uint16_t)(index + counts[len]);
	}
	code->first[MOST_CODE + 1] = word;
	if (word > 1u << MOST_CODE)
		return false;
	for (unsigned i = 0; i < count; i++)
		if (lengths[i])
			code->symbols[next[lengths[i]]++] = (uint16_t)i;
	return true;
}

/* A short code fills a row for each combination of the bits after it. Symbols are below 2^10. */
static void fill_table(struct code *code)
{
	memset(code->table, 0, sizeof(code->table));
	for (unsigned len = 1; len <= TABLE_BITS; len++) {
		uint32_t row = code->first[len] >> (MOST_CODE - TABLE_BITS);
		uint32_t end = code->first[len + 1] >> (MOST_CODE - TABLE_BITS);
		uint32_t step = 1u << (TABLE_BITS - len);

		for (unsigned i = code->index[len]; row < end; i++)
			for (uint32_t next = row + step; row < next; row++)
				code->table[row] = (uint16_t)(code->symbols[i] << 4 | len);
	}
}

static bool set_code(struct code *code, const uint8_t *lengths, unsigned count)
{
	if (!make_code(code, lengths, count))
		return false;
	fill_table(code);
	return true;
}

/* The next symbol; false if there is no such code. */
static bool decode(const struct code *code, struct bits *bits, unsigned *symbol)
{
	uint32_t word = peek(bits, MOST_CODE);
	uint16_t row = code->table[word >> (MOST_CODE - TABLE_BITS)];
	unsigned len = row & 15;

	if (row) {
		*symbol = row >> 4;
	} else {
		for (len = TABLE_BITS + 1; len <= MOST_CODE; len++)
			if (word < code->first[len + 1])
				break;
		if (len > MOST_CODE)
			return false;
		*symbol = code->symbols[code->index[len] +
					((word - code->first[len]) >> (MOST_CODE - len))];
	}
	drop(bits, len);
	return true;
}

static void repeat(uint8_t *lengths, unsigned *at, unsigned end, unsigned count, uint8_t value)
{
	for (; count > 0 && *at < end; count--)
		lengths[(*at)++] = value;
}

/* Lengths are stored as differences from those of the preceding block. */
static bool read_some_lengths(struct wk_lzx *lzx, struct bits *bits, uint8_t *lengths, unsigned at,
			      unsigned end)
{
	while (at < end && !is_spent(bits)) {
		unsigned symbol, count = 1;

		if (!decode(&lzx->pretree, bits, &symbol))
			return false;
		if (symbol == 17 || symbol == 18) {
			count = symbol == 17 ? take(bits, 4) + 4 : take(bits, 5) + 20;
			repeat(lengths, &at, end, count, 0);
			continue;
		}
		if (symbol == 19) {
			count = take(bits, 1) + 4;
			if (!decode(&lzx->pretree, bits, &symbol) || symbol > 16)
				return false;
		}
		repeat(lengths, &at, end, count, (uint8_t)((lengths[at] + 17 - symbol) % 17));
	}
	return !is_spent(bits);
}

/* A code whose lengths are stored in `width` bits each. */
static bool read_plain_code(struct bits *bits, unsigned width, struct code *code, unsigned count)
{
	uint8_t lengths[PRETREE];

	for (unsigned i = 0; i < count; i++)
		lengths[i] = (uint8_t)take(bits, width);
	return set_code(code, lengths, count);
}

static bool read_lengths(struct wk_lzx *lzx, struct bits *bits, uint8_t *lengths, unsigned at,
			 unsigned end)
{
	return read_plain_code(bits, 4, &lzx->pretree, PRETREE) &&
	       read_some_lengths(lzx, bits, lengths, at, end);
}

static bool read_codes(struct wk_lzx *lzx, struct bits *bits)
{
	if (lzx->kind == BLOCK_ALIGNED && !read_plain_code(bits, 3, &lzx->aligned, ALIGNED))
		return false;
	return read_lengths(lzx, bits, lzx->main_lengths, 0, BYTES) &&
	       read_lengths(lzx, bits, lzx->main_lengths, BYTES, lzx->main_count) &&
	       set_code(&lzx->main, lzx->main_lengths, lzx->main_count) &&
	       read_lengths(lzx, bits, lzx->length_lengths, 0, LENGTHS) &&
	       set_code(&lzx->length, lzx->length_lengths, LENGTHS);
}

static bool begin_block(struct wk_lzx *lzx, struct bits *bits)
{
	lzx->kind = take(bits, 3);
	lzx->size = lzx->left = take(bits, 24);
	if (lzx->kind == BLOCK_VERBATIM || lzx->kind == BLOCK_ALIGNED)
		return read_codes(lzx, bits);
	if (lzx->kind != BLOCK_UNCOMPRESSED)
		return false;
	align(bits);
	for (int i = 0; i < 3; i++)
		lzx->distances[i] = wk_u32le(&bits->in);
	return !bits->in.bad;
}

static void put(struct wk_lzx *lzx, uint8_t byte)
{
	lzx->window[lzx->total++ & lzx->mask] = byte;
}

static bool copy_match(struct wk_lzx *lzx, uint32_t distance, unsigned length)
{
	uint64_t most = lzx->total <= lzx->mask ? lzx->total : (uint64_t)lzx->mask + 1;

	if (distance == 0 || distance > most)
		return false;
	for (; length > 0; length--)
		put(lzx, lzx->window[(lzx->total - distance) & lzx->mask]);
	return true;
}

/* The bits that follow the class of a distance, of which the lowest three may have a code of their
 * own. */
static bool read_footer(struct wk_lzx *lzx, struct bits *bits, unsigned slot, uint32_t *footer)
{
	unsigned count = slot < 4 ? 0 : slot / 2 - 1, low;

	if (count > 17)
		count = 17;
	if (lzx->kind != BLOCK_ALIGNED || count < 3) {
		*footer = take(bits, count);
		return true;
	}
	*footer = take(bits, count - 3) << 3;
	if (!decode(&lzx->aligned, bits, &low))
		return false;
	*footer |= low;
	return true;
}

/* The first distance of each class, and two more: 0, 1, 2, 3, 4, 6, 8, 12 ... up to 2^18, then in
 * steps of 2^17. */
static uint32_t base_of(unsigned slot)
{
	if (slot < 4)
		return slot;
	if (slot < 36)
		return (2u | (slot & 1)) << (slot / 2 - 1);
	return (1u << 18) + ((slot - 36) << 17);
}

/* One of the last three, which changes places with the last; or a new one. */
static bool read_distance(struct wk_lzx *lzx, struct bits *bits, unsigned slot, uint32_t *distance)
{
	uint32_t *last = lzx->distances, footer;

	if (slot < 3) {
		*distance = last[slot];
		last[slot] = last[0];
	} else {
		if (!read_footer(lzx, bits, slot, &footer))
			return false;
		*distance = base_of(slot) + footer - 2;
		last[2] = last[1];
		last[1] = last[0];
	}
	last[0] = *distance;
	return true;
}

static bool read_match(struct wk_lzx *lzx, struct bits *bits, unsigned symbol, uint32_t most)
{
	unsigned length = symbol & 7, more;
	uint32_t distance;

	if (length == SHORT_LENGTHS) {
		if (!decode(&lzx->length, bits, &more))
			return false;
		length += more;
	}
	length += LEAST_MATCH;
	return read_distance(lzx, bits, symbol >> 3, &distance) && length <= most &&
	       copy_match(lzx, distance, length);
}

/* `count` plain bytes; no match exceeds them. */
static bool read_symbols(struct wk_lzx *lzx, struct bits *bits, uint32_t count)
{
	uint64_t end = lzx->total + count;
	unsigned symbol;

	while (lzx->total < end) {
		if (!decode(&lzx->main, bits, &symbol))
			return false;
		if (symbol < BYTES)
			put(lzx, (uint8_t)symbol);
		else if (!read_match(lzx, bits, symbol - BYTES, (uint32_t)(end - lzx->total)))
			return false;
		if (is_spent(bits))
			return false;
	}
	return true;
}

/* A block of an odd number of bytes has one more. */
static bool copy_bytes(struct wk_lzx *lzx, struct bits *bits, uint32_t count)
{
	struct wk_bytes bytes = wk_bytes_slice(&bits->in, count);

	if (bytes.bad)
		return false;
	for (; bytes.at < bytes.end; bytes.at++)
		put(lzx, *bytes.at);
	if (lzx->left == count && lzx->size % 2 && wk_bytes_left(&bits->in))
		wk_bytes_skip(&bits->in, 1);
	return true;
}

static bool unpack(struct wk_lzx *lzx, struct bits *bits, size_t size_bytes)
{
	uint32_t count;

	for (size_t left = size_bytes; left > 0; left -= count) {
		if (lzx->left == 0 && !begin_block(lzx, bits))
			return false;
		if (is_spent(bits))
			return false;
		count = lzx->left < left ? lzx->left : (uint32_t)left;
		if (lzx->kind == BLOCK_UNCOMPRESSED ? !copy_bytes(lzx, bits, count)
						    : !read_symbols(lzx, bits, count))
			return false;
		lzx->left -= count;
	}
	return true;
}

/* The targets of calls were made absolute, because many calls share a target. Only the position in
 * the whole output counts, whether the bytes are code or not. */
static void restore_calls(const struct wk_lzx *lzx, uint8_t *bytes, size_t size, uint64_t start)
{
	int64_t whole = lzx->call_size;

	for (size_t i = 0; i + CALL_TAIL < size; i++) {
		int64_t at = (int64_t)(start + i), target;
		struct wk_bytes operand = wk_bytes_of(bytes + i + 1, 4);

		if (bytes[i] != 0xe8)
			continue;
		target = (int32_t)wk_u32le(&operand);
		if (target >= -at && target < whole) {
			target += target >= 0 ? -at : whole;
			for (int k = 0; k < 4; k++)
				bytes[i + 1 + (size_t)k] = (uint8_t)((uint64_t)target >> 8 * k);
		}
		i += CALL_BYTES - 1;
	}
}

/* From the window, in which they stay as they are: later matches refer to that. */
static void give(struct wk_lzx *lzx, size_t size, struct wk_buf *plain)
{
	uint64_t start = lzx->total - size;
	size_t begin = start & lzx->mask, room = (size_t)lzx->mask + 1 - begin;
	size_t first = size < room ? size : room;

	wk_buf_add(plain, lzx->window + begin, first);
	wk_buf_add(plain, lzx->window, size - first);
	if (lzx->call_size && lzx->blocks < MOST_CALL_BLOCKS)
		restore_calls(lzx, (uint8_t *)plain->at + plain->len - size, size, start);
	lzx->blocks++;
}

bool wk_lzx_block(struct wk_lzx *lzx, struct wk_bytes packed, size_t size_bytes,
		  struct wk_buf *plain, struct wk_err *err)
{
	struct bits bits = { .in = packed };

	if (!lzx->has_begun && take(&bits, 1))
		lzx->call_size = take(&bits, 32);
	lzx->has_begun = true;
	if (lzx->is_over || size_bytes > WK_LZX_MOST_BLOCK || !unpack(lzx, &bits, size_bytes)) {
		lzx->is_over = true;
		return wk_fail(err, WK_ECORRUPT, wk_bytes_offset(&packed),
			       "the LZX data is broken");
	}
	give(lzx, size_bytes, plain);
	return true;
}
