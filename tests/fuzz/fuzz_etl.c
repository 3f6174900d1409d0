/* Any bytes as an event trace of Windows, with all that is made of its records. */
#include "fuzz_reader.h"

/* Once: no older tool reads such traces. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_read_once(&wk_reader_etl, wk_bytes_of(data, size), NULL);
	return 0;
}
