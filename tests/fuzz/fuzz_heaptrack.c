/* Any bytes as a recording of heaptrack. */
#include "fuzz_reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return fuzz_reader(&wk_reader_heaptrack, data, size);
}
