/* Any bytes as snapshots of Valgrind's massif. */
#include "fuzz_reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return fuzz_reader(&wk_reader_massif, data, size);
}
