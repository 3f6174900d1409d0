/* Any bytes as a profile of Firefox. */
#include "named_events.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return named_events_read(&wk_reader_firefox, data, size);
}
