/* Any bytes as a table of Visual Studio's profiler. */
#include "fuzz_reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return fuzz_reader(&wk_reader_vsprof, data, size);
}
