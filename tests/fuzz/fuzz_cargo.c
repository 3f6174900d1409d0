/* What cargo prints, as metadata and as build messages, and --cmd as somebody types it. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/mem.h"
#include "cli/cargo/build.h"
#include "cli/options/perf_arguments.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	struct wk_cargo_project project = { 0 };
	struct wk_cargo_choice choice = { .kind = WK_CARGO_BIN };
	struct wk_cargo_built built;
	struct wk_perf_words perf;
	struct wk_err err = { 0 };
	char *text = wk_strndup((const char *)bytes, len);

	wk_cargo_project_parse(&project, wk_bytes_of(bytes, len), "/home/me", NULL);
	wk_cargo_project_free(&project);
	if (wk_cargo_built_find(wk_bytes_of(bytes, len), &choice, &built, NULL))
		wk_cargo_built_fini(&built);
	wk_perf_words_read(&perf, text, &err);
	wk_perf_words_fini(&perf);
	wk_free(text);
	return 0;
}
