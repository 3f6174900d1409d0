/* Any bytes as an event trace of Windows, with all that is made of its records. */
#include "fuzz_reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return fuzz_reader(&wk_reader_etl, data, size);
}
