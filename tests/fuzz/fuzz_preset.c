/* Any bytes as a preset: if they are one, what is written of it is read again as the same. */
#include <stdlib.h>

#include "views/filter/preset_json.h"

static void write_out(const struct wk_preset *preset, struct wk_buf *text)
{
	struct wk_out out = wk_out_to_buf(text);

	wk_preset_json_write(preset, &out);
	wk_out_end(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct wk_str bytes = wk_str_of((const char *)data, size);
	struct wk_buf text = { 0 }, again = { 0 };
	struct wk_preset_json json;
	struct wk_err err = { 0 };

	if (!wk_preset_json_read(&json, bytes, &err)) {
		if (!wk_str_starts(wk_str_c(err.text), "line "))
			abort();
		return 0;
	}
	write_out(&json.preset, &text);
	wk_preset_json_fini(&json);
	if (!wk_preset_json_read(&json, wk_buf_str(&text), &err))
		abort();
	write_out(&json.preset, &again);
	if (!wk_str_eq(wk_buf_str(&text), wk_buf_str(&again)))
		abort();
	wk_preset_json_fini(&json);
	WK_BUF_FINI_ALL(&text, &again);
	return 0;
}
