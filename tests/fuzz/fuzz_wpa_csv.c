/* Any bytes as a table of Windows Performance Analyzer. */
#include "fuzz_reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return fuzz_reader(&wk_reader_wpa_csv, data, size);
}
