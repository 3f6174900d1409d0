#include "formats/heap/heap_estimate.h"

#include <math.h>

/* To the next lower or higher number, by chance, so that the mean stays. The same block always has
 * the same chance. */
static uint64_t rounded(double number, uint64_t key)
{
	double whole = floor(number);
	double chance = (double)(key >> 11) * 0x1p-53;

	if (number >= 0x1p63)
		return UINT64_C(1) << 63;
	return (uint64_t)whole + (chance < number - whole);
}

static uint64_t mixed(uint64_t key)
{
	key = (key ^ key >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	key = (key ^ key >> 27) * UINT64_C(0x94d049bb133111eb);
	return key ^ key >> 31;
}

void wk_heap_estimate(const struct wk_heap_record_read *record, uint64_t sample_bytes,
		      struct wk_block_estimate *estimate)
{
	/* Blocks of no bytes are never chosen, unless the recording is damaged. */
	uint64_t size = record->size_bytes ? record->size_bytes : 1;
	double chance = -expm1(-(double)size / (double)sample_bytes);
	uint64_t key = mixed(record->ticks ^ record->address << 20);

	estimate->blocks = rounded(1 / chance, key);
	estimate->bytes = rounded((double)record->size_bytes / chance, mixed(key + 1));
}
