/* The length of the x86-64 instruction whose bytes each line of the standard input begins
 * with, 0 where it is none. What tests/oracle/test_unwind_rows.py compares with objdump. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/unwind/code_x86.h"

int main(void)
{
	char line[256];

	while (fgets(line, sizeof(line), stdin)) {
		uint8_t bytes[32] = { 0 };
		char *at = line, *end;
		struct wk_bytes code = wk_bytes_of(bytes, sizeof(bytes));
		struct wk_x86 ins;

		for (size_t i = 0; i < sizeof(bytes); i++, at = end) {
			bytes[i] = (uint8_t)strtoul(at, &end, 16);
			if (end == at)
				break;
		}
		printf("%d\n", wk_x86_read(&code, &ins) ? (int)wk_bytes_offset(&code) : 0);
	}
	return 0;
}
