/* Any bytes as a heap profile of jemalloc. */
#include "fuzz_reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return fuzz_reader(&wk_reader_jemalloc, data, size);
}
