/* Any bytes as a profile of Valgrind's DHAT. */
#include "fuzz_reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return fuzz_reader(&wk_reader_dhat, data, size);
}
