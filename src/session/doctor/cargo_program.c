#include "session/doctor/cargo_program.h"

#include "fetch/store.h"

bool wk_cargo_program_has_names(const char *path)
{
	const char *const debug_dirs[] = { "/usr/lib/debug", NULL };
	struct wk_image_key key = { .path = wk_str_c(path) };
	struct wk_store_file program, debug = { 0 };
	struct wk_buf why = { 0 };
	bool found = true;

	if (wk_store_image(&key, &program, &why) == WK_IMAGE_NAMED)
		found = wk_obj_section(program.obj, ".symtab") ||
			wk_store_debug(&program, debug_dirs, &debug, &why);
	wk_store_close(&debug);
	wk_store_close(&program);
	wk_buf_fini(&why);
	return found;
}

bool wk_cargo_program_shares_std(const char *path)
{
	static const char name[] = "libstd-";
	struct wk_image_key key = { .path = wk_str_c(path) };
	struct wk_store_file program;
	struct wk_buf why = { 0 };
	bool found = false;

	if (wk_store_image(&key, &program, &why) == WK_IMAGE_NAMED) {
		struct wk_bytes names =
			wk_obj_bytes(program.obj, wk_obj_section(program.obj, ".dynstr"));

		while (wk_bytes_left(&names) && !names.bad && !found)
			found = wk_str_starts(wk_bytes_text(&names), name);
	}
	wk_store_close(&program);
	wk_buf_fini(&why);
	return found;
}
