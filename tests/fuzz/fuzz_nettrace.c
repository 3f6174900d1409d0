/* Any bytes as a recording of .NET's EventPipe. */
#include "fuzz_reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return fuzz_reader(&wk_reader_nettrace, data, size);
}
