/* Any bytes as what a symbol store has for a Windows program: a PDB, Breakpad's text, an image, or
 * one of them in a cabinet. */
#include <assert.h>

#include "fetch/want.h"

static void open_as(const struct wk_fetch_want *want, const uint8_t *data, size_t size)
{
	struct wk_fetch_found found = { 0 };
	struct wk_err err = { 0 };

	wk_buf_add(&found.file.plain, data, size);
	if (!wk_fetch_found_open(&found, want, &err)) {
		assert(err.code != WK_OK && err.text[0]);
		assert(!found.pdb && !found.breakpad && !found.file.obj);
		return;
	}
	assert(!found.pdb + !found.breakpad + !found.file.obj == 2);
	wk_fetch_found_close(&found);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct wk_fetch_want pdb = { .kind = WK_FETCH_PDB, .name = WK_STR("a.pdb") }, image = {
		.kind = WK_FETCH_PE, .name = WK_STR("a.dll"), .time_stamp = 0x5f000001, .image_bytes = 0x5000 };

	for (uint8_t i = 0; i < 16; i++)
		pdb.pdb.guid[i] = (uint8_t)(i + 1);
	open_as(&pdb, data, size);
	open_as(&image, data, size);
	return 0;
}
