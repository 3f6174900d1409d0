/* The form with Huffman codes: blocks of 64 KiB of plain bytes, each with its own code. A block
 * begins with the lengths of 512 codes, half a byte each: 256 for literal bytes, 256 for copies
 * (four bits of length, four for the number of bits of the distance). The bits of codes are in
 * 16-bit words, of which two are read ahead; longer lengths are bytes between the words. */
#include "formats/etl/packed/xpress.h"

#include "formats/etl/packed/lz_copy.h"

#define SYMBOLS       512
#define LENGTHS_BYTES (SYMBOLS / 2)
#define LONGEST       15
#define QUICK_BITS    10
#define PIECE         65536
#define LEAST_MATCH   3

struct code {
	uint16_t quick[1 << QUICK_BITS]; /* symbol << 4 | length; 0 if the code is longer */
	uint16_t symbols[SYMBOLS];       /* in order of their codes */
	uint32_t first[LONGEST + 2];     /* by length: its first code, in 15 bits */
	uint16_t place[LONGEST + 2];     /* ... and its index in `symbols` */
};

struct bits {
	struct wk_bytes in;
	uint32_t word; /* the next bits, from the upper one down */
	int extra;     /* of `word`, beyond 16 */
	int unreal;    /* the last of `word`, which are beyond the end */
};

/* Two words are read ahead, so words beyond the end may be read, but none of their bits used. */
static uint32_t next_word(struct bits *b)
{
	if (wk_bytes_left(&b->in) >= 2)
		return wk_u16le(&b->in);
	b->in.at = b->in.end;
	b->unreal += 16;
	return 0;
}

static void bits_begin(struct bits *b)
{
	b->word = next_word(b) << 16;
	b->word |= next_word(b);
	b->extra = 16;
}

static void bits_drop(struct bits *b, unsigned count)
{
	b->word <<= count;
	b->extra -= (int)count;
	if (b->extra < 0) {
		b->word |= next_word(b) << -b->extra;
		b->extra += 16;
	}
	if (b->extra + 16 < b->unreal)
		b->in.bad = true;
}

static unsigned length_of(const uint8_t *lengths, unsigned symbol)
{
	return lengths[symbol / 2] >> 4 * (symbol & 1) & 15;
}

/* The first code of each length; false if there are more codes than bits for them. */
static bool code_lay_out(struct code *code, const uint8_t *lengths)
{
	uint32_t count[LONGEST + 1] = { 0 }, first = 0;
	uint16_t place = 0;

	for (unsigned symbol = 0; symbol < SYMBOLS; symbol++)
		count[length_of(lengths, symbol)]++;
	for (unsigned length = 1; length <= LONGEST; length++) {
		code->first[length] = first;
		code->place[length] = place;
		first += count[length] << (LONGEST - length);
		place = (uint16_t)(place + count[length]);
	}
	code->first[LONGEST + 1] = first;
	return first > 0 && first <= 1u << LONGEST;
}

static void code_fill_quick(struct code *code, unsigned symbol, unsigned length, uint32_t at)
{
	uint32_t begin = at >> (LONGEST - QUICK_BITS), count = 1u << (QUICK_BITS - length);

	for (uint32_t i = 0; i < count; i++)
		code->quick[begin + i] = (uint16_t)(symbol << 4 | length);
}

static bool code_read(struct code *code, struct wk_bytes *in)
{
	struct wk_bytes lengths = wk_bytes_slice(in, LENGTHS_BYTES);
	uint16_t used[LONGEST + 1] = { 0 };

	if (lengths.bad || !code_lay_out(code, lengths.at))
		return false;
	memset(code->quick, 0, sizeof(code->quick));
	for (unsigned symbol = 0; symbol < SYMBOLS; symbol++) {
		unsigned length = length_of(lengths.at, symbol);
		uint32_t nth;

		if (length == 0)
			continue;
		nth = used[length]++;
		code->symbols[code->place[length] + nth] = (uint16_t)symbol;
		if (length <= QUICK_BITS)
			code_fill_quick(code, symbol, length,
					code->first[length] + (nth << (LONGEST - length)));
	}
	return true;
}

/* The next symbol; SYMBOLS if no code begins with these bits. */
static unsigned code_next(const struct code *code, struct bits *b)
{
	uint32_t bits = b->word >> (32 - LONGEST);
	unsigned quick = code->quick[bits >> (LONGEST - QUICK_BITS)];
	unsigned length = QUICK_BITS + 1, nth;

	if (quick) {
		bits_drop(b, quick & 15);
		return quick >> 4;
	}
	if (bits >= code->first[LONGEST + 1] || bits < code->first[length])
		return SYMBOLS;
	while (length < LONGEST && bits >= code->first[length + 1])
		length++;
	nth = (bits - code->first[length]) >> (LONGEST - length);
	bits_drop(b, length);
	return code->symbols[code->place[length] + nth];
}

/* The rest of a length after 15 in the symbol: a byte, two, or four, between the words. */
static uint64_t long_length(struct bits *b)
{
	uint64_t length = wk_u8(&b->in);

	if (length < 255)
		return length + 15;
	length = wk_u16le(&b->in);
	if (length == 0)
		length = wk_u32le(&b->in);
	if (length < 15)
		b->in.bad = true;
	return length;
}

static bool match(struct bits *b, struct wk_lz_out *out, unsigned symbol)
{
	uint64_t length = symbol & 15;
	unsigned distance_bits = symbol >> 4 & 15;
	size_t distance = (size_t)1 << distance_bits;

	if (length == 15)
		length = long_length(b);
	if (distance_bits) {
		distance += b->word >> (32 - distance_bits);
		bits_drop(b, distance_bits);
	}
	return !b->in.bad && wk_lz_copy(out, distance, length + LEAST_MATCH);
}

/* One block: up to 64 KiB, or a little more by its last copy. */
static bool piece(struct code *code, struct wk_bytes *in, struct wk_lz_out *out)
{
	struct bits b;
	uint8_t *stop = wk_lz_left(out) > PIECE ? out->at + PIECE : out->end;

	if (!code_read(code, in))
		return false;
	b = (struct bits){ .in = *in };
	bits_begin(&b);
	while (out->at < stop) {
		unsigned symbol = code_next(code, &b);

		if (b.in.bad || symbol == SYMBOLS)
			return false;
		if (symbol < 256)
			*out->at++ = (uint8_t)symbol;
		else if (!match(&b, out, symbol))
			return false;
	}
	*in = b.in;
	return true;
}

bool wk_xpress_huffman(struct wk_bytes packed, uint8_t *plain, size_t size_bytes, size_t *made)
{
	struct wk_lz_out out = { plain, plain, plain + size_bytes };
	struct code code;
	bool is_whole = true;

	while (is_whole && out.at < out.end)
		is_whole = piece(&code, &packed, &out);
	*made = (size_t)(out.at - plain);
	return is_whole;
}
