/* Any bytes as a stream of hotspot's parser. */
#include "fuzz_reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return fuzz_reader(&wk_reader_perfparser, data, size);
}
