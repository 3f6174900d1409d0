/* Any bytes as a log with stack traces of Java. */
#include "fuzz_reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return fuzz_reader(&wk_reader_java_exceptions, data, size);
}
