/* A pattern, a zero byte, and a text to look in; both ways of case. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text/pattern.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = wk_strndup((const char *)data, size);
	size_t len = strlen(text);
	struct wk_str name = wk_str_skip(wk_str_of((const char *)data, size), len + 1);
	const char *why;

	for (int ignore_case = 0; ignore_case < 2; ignore_case++) {
		struct wk_pattern *pattern = wk_pattern_new(text, ignore_case, &why);

		if (pattern) {
			wk_pattern_matches(pattern, name);
			wk_pattern_matches(pattern, wk_str_c("std::sort<int>(int*)"));
		}
		wk_pattern_free(pattern);
	}
	wk_free(text);
	return 0;
}
