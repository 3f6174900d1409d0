/* Any bytes as a file of speedscope. */
#include "named_events.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return named_events_read(&wk_reader_speedscope, data, size);
}
