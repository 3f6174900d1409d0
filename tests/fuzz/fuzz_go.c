/* Any bytes as text of `go tool pprof`. */
#include "named_events.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return named_events_read(&wk_reader_go, data, size);
}
