/* The plain form: 32 flags in a word, from the upper bit down, each for a literal byte (0) or a
 * copy (1). Longer lengths take bits from half a byte that two copies share. */
#include "formats/etl/packed/xpress.h"

#include "formats/etl/packed/lz_copy.h"

#define LEAST_MATCH 3
#define SENTINEL    ((uint64_t)1 << 31)
#define TOP_FLAG    ((uint64_t)1 << 63)

struct plain {
	struct wk_bytes in;
	const uint8_t *shared; /* whose upper half belongs to the next length, or NULL */
	struct wk_lz_out out;
};

/* `run` literal bytes; false if either side ends first. */
static bool literals(struct plain *p, size_t run)
{
	size_t in = wk_bytes_left(&p->in), out = wk_lz_left(&p->out), most = in < out ? in : out;

	if (most >= 32) {
		memcpy(p->out.at, p->in.at, 32);
		most = run;
	} else {
		most = run < most ? run : most;
		memcpy(p->out.at, p->in.at, most);
	}
	p->out.at += most;
	p->in.at += most;
	return most == run;
}

static unsigned half_byte(struct plain *p)
{
	unsigned half;

	if (p->shared) {
		half = *p->shared >> 4;
		p->shared = NULL;
		return half;
	}
	p->shared = p->in.at;
	half = wk_u8(&p->in) & 15;
	if (p->in.bad)
		p->shared = NULL;
	return half;
}

/* The rest of a length after 7 in the bits of the copy. */
static uint64_t long_length(struct plain *p)
{
	uint64_t length = half_byte(p);

	if (length < 15)
		return length + 7;
	length = wk_u8(&p->in);
	if (length < 255)
		return length + 15 + 7;
	length = wk_u16le(&p->in);
	if (length == 0)
		length = wk_u32le(&p->in);
	if (length < 15 + 7)
		p->in.bad = true;
	return length;
}

static bool match(struct plain *p)
{
	unsigned bits = wk_u16le(&p->in);
	uint64_t length = bits & 7;

	if (length == 7)
		length = long_length(p);
	if (!p->in.bad && !wk_lz_copy(&p->out, (bits >> 3) + 1, length + LEAST_MATCH))
		p->in.bad = true;
	return !p->in.bad;
}

/* A bit after the 32 flags marks their end. */
static bool flag_word(struct plain *p)
{
	uint64_t flags = wk_u32le(&p->in);

	if (p->in.bad)
		return false;
	flags = flags << 32 | SENTINEL;
	while (p->out.at < p->out.end) {
		unsigned run = (unsigned)__builtin_clzll(flags);

		if (run && !literals(p, run))
			return false;
		flags <<= run;
		if (flags == TOP_FLAG)
			return true;
		if (p->out.at == p->out.end)
			break;
		if (!match(p))
			return false;
		flags <<= 1;
	}
	return true;
}

bool wk_xpress_plain(struct wk_bytes packed, uint8_t *plain, size_t size_bytes, size_t *made)
{
	struct plain p = { .in = packed, .out = { plain, plain, plain + size_bytes } };
	bool is_whole = true;

	while (is_whole && p.out.at < p.out.end)
		is_whole = flag_word(&p);
	*made = (size_t)(p.out.at - plain);
	/* Literals beyond the output are ignored; a copy beyond it is an error. */
	return *made == size_bytes && !p.in.bad;
}
