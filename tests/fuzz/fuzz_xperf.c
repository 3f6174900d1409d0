/* Any bytes as the text of xperf -a dumper. */
#include "fuzz_reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return fuzz_reader(&wk_reader_xperf, data, size);
}
