/* Sampling by bytes: a block of s bytes is recorded with the probability 1 - exp(-s / R), as if
 * each byte were chosen with 1 / R, independently of all others.
 *
 * Which recorded blocks are still there is known to the process, so that only their releases are
 * recorded: a set of addresses in buckets of a cache line each, and a byte for all addresses that
 * are alike, which says how many of them are in the set: that is all that most releases look at. If
 * a bucket is full, all releases of such addresses are recorded from then on. */
#include <string.h>

#include "preload/internal.h"
#include "preload/real.h"

#define BUCKETS 8192u
#define WAYS    8u

#define MOST_ALIKE (WK_HEAP_SAMPLE_LOST - 1)

struct bucket {
	_Alignas(64) _Atomic uintptr_t blocks[WAYS];
};

uint64_t wk_heap_sample_bytes;
uint32_t wk_heap_passing = WK_HEAP_ALL_NOTED;
__thread struct wk_heap_next wk_heap_next WK_INITIAL_EXEC;

static struct bucket *buckets;
static uint64_t seed;
static _Atomic uint64_t draws;

/* Blocks that have mappings of their own all begin at the same place of a page. */
static struct bucket *bucket_of(const void *block)
{
	uint64_t at = (uintptr_t)block;

	return buckets + (at >> 6 ^ (at >> 19) * UINT64_C(0x9e3779b97f4a7c15) >> 51) % BUCKETS;
}

void wk_heap_sample_avoid(const void *block)
{
	atomic_fetch_or(wk_heap_sampled_like(block), WK_HEAP_SAMPLE_LOST);
}

bool wk_heap_sample_begin(uint64_t bytes, uint64_t given_seed)
{
	bool passes;

	wk_heap_passing = WK_HEAP_ALL_NOTED;
	seed = given_seed;
	atomic_store(&draws, 0);
	if (bytes && !buckets)
		buckets = wk_heap_pages(BUCKETS * sizeof(*buckets));
	else if (bytes)
		wk_heap_clear_pages(buckets, BUCKETS * sizeof(*buckets));
	passes = bytes && buckets && !(wk_heap_records & WK_CHANNEL_MEMORY);
	for (size_t i = 0; i < sizeof(wk_heap_wiped.sampled); i++)
		atomic_store_explicit(&wk_heap_wiped.sampled[i], passes ? WK_HEAP_SAMPLE_PASSES : 0,
				      memory_order_relaxed);
	wk_real_each_stored(wk_heap_sample_avoid);
	/* Other threads may look a block up as soon as this is set. */
	atomic_thread_fence(memory_order_release);
	wk_heap_sample_bytes = buckets ? bytes : 0;
	if (passes)
		wk_heap_passing = WK_HEAP_BEGUN(wk_heap_epoch, WK_HEAP_ON);
	return !bytes || buckets;
}

/* SplitMix64: any two draws are independent, whichever thread makes them. */
static uint64_t next_random(void)
{
	uint64_t x = seed + (atomic_fetch_add(&draws, 1) + 1) * UINT64_C(0x9e3779b97f4a7c15);

	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	return x ^ x >> 31;
}

/* -ln(x) for 0 < x <= 1, without libm: x = m * 2^e, and ln(m) by the series of atanh, whose terms
 * fall by a factor of 9 or more. */
static double minus_log(double x)
{
	const double ln2 = 0.693147180559945309417;
	uint64_t bits;
	double m, t, square, sum = 0;
	int e;

	memcpy(&bits, &x, sizeof(bits));
	e = (int)(bits >> 52) - 1023;
	bits = (bits & UINT64_C(0xfffffffffffff)) | UINT64_C(1023) << 52;
	memcpy(&m, &bits, sizeof(m));
	t = (m - 1) / (m + 1);
	square = t * t;
	for (int k = 21; k > 0; k -= 2)
		sum = sum * square + 1.0 / k;
	return -(2 * t * sum + e * ln2);
}

uint64_t wk_heap_sample_distance(void)
{
	double chance = (double)((next_random() >> 11) + 1) * 0x1p-53;

	return (uint64_t)(minus_log(chance) * (double)wk_heap_sample_bytes) + 1;
}

/* False: there may be more than can be counted. */
static bool count_one(const void *block)
{
	_Atomic uint8_t *alike = wk_heap_sampled_like(block);
	uint8_t before = atomic_load(alike);

	while ((before & MOST_ALIKE) < MOST_ALIKE)
		if (atomic_compare_exchange_weak(alike, &before, (uint8_t)(before + 1)))
			return true;
	return false;
}

void wk_heap_sample_add(const void *block)
{
	struct bucket *bucket = bucket_of(block);
	bool is_counted = count_one(block);

	for (unsigned i = 0; is_counted && i < WAYS; i++) {
		uintptr_t none = 0;

		if (atomic_compare_exchange_strong(&bucket->blocks[i], &none, (uintptr_t)block))
			return;
	}
	wk_heap_sample_avoid(block);
	if (is_counted)
		atomic_fetch_sub(wk_heap_sampled_like(block), 1);
}

bool wk_heap_sample_remove(const void *block)
{
	struct bucket *bucket = bucket_of(block);
	_Atomic uint8_t *alike = wk_heap_sampled_like(block);
	uint8_t count = atomic_load_explicit(alike, memory_order_relaxed);

	for (unsigned i = 0; count & MOST_ALIKE && i < WAYS; i++) {
		uintptr_t found = (uintptr_t)block;

		if (atomic_compare_exchange_strong(&bucket->blocks[i], &found, 0)) {
			atomic_fetch_sub(alike, 1);
			return true;
		}
	}
	return count & WK_HEAP_SAMPLE_LOST;
}
