/* Any bytes as trace events. */
#include "named_events.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return named_events_read(&wk_reader_chrome_trace, data, size);
}
