/* Sampling by bytes: a block of s bytes is recorded with the probability 1 - exp(-s / R), as if
 * each byte were chosen with 1 / R, independently of all others.
 *
 * Which recorded blocks are still there is known to the process, so that only their releases are
 * recorded: a set of addresses in buckets of a cache line each. If a bucket is full, all releases
 * are recorded from then on. */
#include <string.h>

#include "preload/internal.h"

#define BUCKETS 8192u
#define WAYS    8u

struct bucket {
	_Alignas(64) _Atomic uintptr_t blocks[WAYS];
};

uint64_t wk_heap_sample_bytes;

static struct bucket *buckets;
static uint64_t seed;
static _Atomic uint64_t draws;
static _Atomic bool is_full;

bool wk_heap_sample_begin(uint64_t bytes, uint64_t given_seed)
{
	seed = given_seed;
	atomic_store(&draws, 0);
	atomic_store(&is_full, false);
	if (bytes && !buckets)
		buckets = wk_heap_pages(BUCKETS * sizeof(*buckets));
	else if (bytes)
		memset(buckets, 0, BUCKETS * sizeof(*buckets));
	/* Other threads may look a block up as soon as this is set. */
	atomic_thread_fence(memory_order_release);
	wk_heap_sample_bytes = buckets ? bytes : 0;
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

int64_t wk_heap_sample_distance(void)
{
	double chance = (double)((next_random() >> 11) + 1) * 0x1p-53;

	return (int64_t)(minus_log(chance) * (double)wk_heap_sample_bytes) + 1;
}

static struct bucket *bucket_of(uintptr_t block)
{
	return buckets + ((block >> 4) * UINT64_C(0x9e3779b97f4a7c15) >> 51) % BUCKETS;
}

void wk_heap_sample_add(const void *block)
{
	struct bucket *bucket = bucket_of((uintptr_t)block);

	for (unsigned i = 0; i < WAYS; i++) {
		uintptr_t none = 0;

		if (atomic_compare_exchange_strong(&bucket->blocks[i], &none, (uintptr_t)block))
			return;
	}
	atomic_store(&is_full, true);
}

bool wk_heap_sample_remove(const void *block)
{
	struct bucket *bucket = bucket_of((uintptr_t)block);

	for (unsigned i = 0; i < WAYS; i++)
		if (WK_UNLIKELY(atomic_load_explicit(&bucket->blocks[i], memory_order_relaxed) ==
				(uintptr_t)block)) {
			atomic_store(&bucket->blocks[i], 0);
			return true;
		}
	return atomic_load_explicit(&is_full, memory_order_relaxed);
}
