/* Any bytes as an event trace of Windows, with all that is made of its records. */
#include "fuzz_reader.h"

/* With all details, and as for a view of CPU time: no older tool reads such traces. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct wk_bytes bytes = wk_bytes_of(data, size);

	fuzz_read_once(&wk_reader_etl, bytes, NULL);
	fuzz_read_as(&wk_reader_etl, bytes,
		     (struct wk_read_options){ .sums_samples = true,
					       .sums_other_sources = true,
					       .skips_details = true });
	return 0;
}
