/* Any bytes as samples of Austin. */
#include "fuzz_reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return fuzz_reader(&wk_reader_austin, data, size);
}
