/* demangle_msvc full|short: one linked name a line in, its readable name out, or an empty line. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>

#include "names/demangle/demangle.h"

int main(int argc, char **argv)
{
	bool is_short = argc == 2 && strcmp(argv[1], "short") == 0;
	struct wk_buf out = { 0 };
	char *line = NULL;
	size_t cap = 0;

	while (getline(&line, &cap, stdin) > 0) {
		wk_buf_reset(&out);
		wk_demangle_msvc(wk_str_of(line, strcspn(line, "\n")), is_short, &out);
		puts(wk_buf_text(&out));
	}
	free(line);
	wk_buf_fini(&out);
	return 0;
}
