/* Sampling by bytes: a block of s bytes is recorded with the probability 1 - exp(-s / R), as if
 * each byte were chosen with 1 / R, independently of all others.
 *
 * Which recorded blocks are still there is known to the process, so that only their releases are
 * recorded: a set of addresses in buckets of a cache line each, and a byte for each bucket that
 * says how many it has, which is all that most releases look at. If a bucket is full, all releases
 * of its addresses are recorded from then on. */
#include <string.h>

#include "preload/internal.h"

#define WAYS 8u

struct bucket {
	_Alignas(64) _Atomic uintptr_t blocks[WAYS];
};

uint64_t wk_heap_sample_bytes;
uint32_t wk_heap_passing = WK_HEAP_ALL_NOTED;
__thread uint64_t wk_heap_distance WK_INITIAL_EXEC;
__thread uint32_t wk_heap_distance_epoch WK_INITIAL_EXEC;
_Atomic uint8_t wk_heap_sampled[WK_HEAP_SAMPLE_BUCKETS];

static struct bucket *buckets;
static uint64_t seed;
static _Atomic uint64_t draws;

bool wk_heap_sample_begin(uint64_t bytes, uint64_t given_seed)
{
	wk_heap_passing = WK_HEAP_ALL_NOTED;
	seed = given_seed;
	atomic_store(&draws, 0);
	if (bytes && !buckets)
		buckets = wk_heap_pages(WK_HEAP_SAMPLE_BUCKETS * sizeof(*buckets));
	else if (bytes)
		memset(buckets, 0, WK_HEAP_SAMPLE_BUCKETS * sizeof(*buckets));
	for (unsigned i = 0; i < WK_HEAP_SAMPLE_BUCKETS; i++)
		atomic_store_explicit(&wk_heap_sampled[i], 0, memory_order_relaxed);
	/* Other threads may look a block up as soon as this is set. */
	atomic_thread_fence(memory_order_release);
	wk_heap_sample_bytes = buckets ? bytes : 0;
	if (wk_heap_sample_bytes && !(wk_heap_records & WK_CHANNEL_MEMORY))
		wk_heap_passing = wk_heap_epoch;
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

void wk_heap_sample_add(const void *block)
{
	unsigned number = wk_heap_sample_bucket(block);

	for (unsigned i = 0; i < WAYS; i++) {
		uintptr_t none = 0;

		if (atomic_compare_exchange_strong(&buckets[number].blocks[i], &none,
						   (uintptr_t)block)) {
			atomic_fetch_add(&wk_heap_sampled[number], 1);
			return;
		}
	}
	atomic_fetch_or(&wk_heap_sampled[number], WK_HEAP_SAMPLE_LOST);
}

bool wk_heap_sample_remove(const void *block)
{
	unsigned number = wk_heap_sample_bucket(block);
	uint8_t count = atomic_load_explicit(&wk_heap_sampled[number], memory_order_relaxed);

	for (unsigned i = 0; count && i < WAYS; i++) {
		uintptr_t found = (uintptr_t)block;

		if (atomic_compare_exchange_strong(&buckets[number].blocks[i], &found, 0)) {
			atomic_fetch_sub(&wk_heap_sampled[number], 1);
			return true;
		}
	}
	return count & WK_HEAP_SAMPLE_LOST;
}
