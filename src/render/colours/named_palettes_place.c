#include "render/colours/named_palettes.h"

#include "formats/scan.h"

/* The start of a name's hash: a module prefix, up to a '`' that is not the first character, is
 * ignored. Only the first three characters of the rest matter. */
static double name_hash_double(struct wk_str text)
{
	double vector = 0, weight = 1, max = 1;

	for (unsigned i = 0; i < 3 && i < text.len; i++) {
		unsigned modulo = 10 + i;

		vector += (double)((unsigned char)text.at[i] % modulo) / (modulo - 1) * weight;
		max += weight;
		weight *= 0.70;
	}
	return 1 - vector / max;
}

/* The same in single precision, which rounds differently now and then. */
static double name_hash_single(struct wk_str text)
{
	float vector = 0, weight = 1, max = 1;

	for (unsigned i = 0; i < 3 && i < text.len; i++) {
		unsigned modulo = 10 + i;

		vector +=
			(float)((unsigned char)text.at[i] % modulo) / (float)(modulo - 1) * weight;
		max += weight;
		weight *= 0.70f;
	}
	return 1 - vector / max;
}

static double name_hash(enum wk_colour_dialect dialect, struct wk_str text)
{
	const char *tick = text.len > 1 ? memchr(text.at + 1, '`', text.len - 1) : NULL;

	if (tick)
		text = wk_str_skip(text, (size_t)(tick - text.at) + 1);
	return dialect == WK_COLOUR_PERL ? name_hash_double(text) : name_hash_single(text);
}

/* The hash of the name read backwards: only its last characters, and the position of a '`',
 * matter. */
static double name_hash_backwards(enum wk_colour_dialect dialect, struct wk_str name)
{
	char last[3];
	size_t len = 0;
	size_t tick = name.len ? wk_str_find_last(wk_str_of(name.at, name.len - 1), '`') : SIZE_MAX;

	if (tick != SIZE_MAX)
		name.len = tick;
	while (len < 3 && len < name.len) {
		last[len] = name.at[name.len - 1 - len];
		len++;
	}
	return dialect == WK_COLOUR_PERL ? name_hash_double(wk_str_of(last, len))
					 : name_hash_single(wk_str_of(last, len));
}

struct wk_colour_place wk_colour_hashed(enum wk_colour_dialect dialect, struct wk_str name)
{
	double back = name_hash_backwards(dialect, name);

	return (struct wk_colour_place){ name_hash(dialect, name), back, back };
}

/* drand48, which perl's rand is on every system. */
static double drand48_next(uint64_t *state)
{
	*state = (*state * 0x5deece66du + 0xb) & 0xffffffffffffu;
	return (double)*state / 281474976710656.0;
}

static uint64_t drand48_seed(uint32_t seed)
{
	return (uint64_t)seed << 16 | 0x330e;
}

/* The perl tool seeds its generator with the sum of the name's bytes. */
static struct wk_colour_place named_by_sum(struct wk_str name)
{
	uint32_t sum = 0;
	uint64_t state;
	double v;

	for (size_t i = 0; i < name.len; i++)
		sum += (unsigned char)name.at[i];
	state = drand48_seed(sum);
	v = drand48_next(&state);
	return (struct wk_colour_place){ v, v, v };
}

static double part_of_all(uint64_t hash)
{
	return (double)(float)((double)hash / (double)UINT64_MAX);
}

/* FNV-1a, then two more rounds of its multiplication. */
static struct wk_colour_place named_by_fnv(struct wk_str name)
{
	const uint64_t prime = 0x100000001b3u;
	uint64_t hash = 0xcbf29ce484222325u;

	for (size_t i = 0; i < name.len; i++)
		hash = (hash ^ (unsigned char)name.at[i]) * prime;
	return (struct wk_colour_place){ part_of_all(hash), part_of_all(hash * prime),
					 part_of_all(hash * prime * prime) };
}

struct wk_colour_place wk_colour_named(enum wk_colour_dialect dialect, struct wk_str name)
{
	return dialect == WK_COLOUR_PERL ? named_by_sum(name) : named_by_fnv(name);
}

/* inferno's generator: xorshift of 64 bits, of which the highest 53 count. */
static double xorshift_next(uint64_t *state)
{
	uint64_t x = *state ? *state : 1234;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	*state = x;
	return (double)(float)((double)(x >> 11) / 9007199254740992.0);
}

struct wk_colour_place wk_colour_next(enum wk_colour_dialect dialect, uint64_t *state)
{
	double (*next)(uint64_t *) = dialect == WK_COLOUR_PERL ? drand48_next : xorshift_next;
	struct wk_colour_place place;

	if (dialect == WK_COLOUR_PERL && *state == 0)
		*state = drand48_seed(0);
	place.v1 = next(state);
	place.v2 = next(state);
	place.v3 = next(state);
	return place;
}
