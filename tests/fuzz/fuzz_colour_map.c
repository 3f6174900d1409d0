/* Any bytes as a map of colours. One that is taken is written out again, and what is written
 * is taken and comes out the same. */
#include <stdlib.h>

#include "render/colours/colouring.h"

static bool taken(struct wk_str text, struct wk_buf *written)
{
	struct wk_colouring *colouring = wk_colouring_new(&(struct wk_colouring_options){ 0 });
	struct wk_out out = wk_out_to_buf(written);
	struct wk_bad_lines bad = { 0 };
	struct wk_err err = { 0 };
	bool ok = wk_colouring_read_map(colouring, text, &bad, &err);

	if (ok)
		wk_colouring_write_map(colouring, &out);
	wk_out_end(&out);
	wk_colouring_free(colouring);
	return ok;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct wk_buf once = { 0 }, twice = { 0 };

	if (taken(wk_str_of((const char *)data, size), &once) &&
	    (!taken(wk_buf_str(&once), &twice) ||
	     !wk_str_eq(wk_buf_str(&once), wk_buf_str(&twice))))
		abort();
	wk_buf_fini(&once);
	wk_buf_fini(&twice);
	return 0;
}
