/* Any bytes as `perf script` text of scheduler events. */
#include "fuzz_reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return fuzz_reader(&wk_reader_perf_sched, data, size);
}
