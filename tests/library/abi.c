/* Prints the size of each public struct and the value of each error code: they are the ABI. */
#include <stdio.h>

#include <wick/wick.h>

#define SIZE(type) printf(#type " %zu\n", sizeof(struct type))

int main(void)
{
	SIZE(wick_context_options);
	SIZE(wick_error);
	SIZE(wick_event);
	SIZE(wick_frame);
	SIZE(wick_open_options);
	SIZE(wick_record_options);
	SIZE(wick_record_result);
	SIZE(wick_record_status);
	SIZE(wick_sample);
	SIZE(wick_source);
	SIZE(wick_summary);
	SIZE(wick_view_options);
	printf("last code %d\n", WICK_STOPPED);
	printf("version %d.%d.%d %s\n", WICK_VERSION_MAJOR, WICK_VERSION_MINOR, WICK_VERSION_PATCH,
	       wick_version());
	return 0;
}
