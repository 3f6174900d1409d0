#include "views/own_code.h"

#include <string.h>

#include "base/mem.h"
#include "views/kind.h"

static bool has_part(struct wk_str path, const char *part)
{
	for (size_t i = 0; i < path.len; i++)
		if (wk_str_starts(wk_str_skip(path, i), part))
			return true;
	return false;
}

/* Sources that package managers and compilers have installed. */
static bool is_of_others(struct wk_str file)
{
	static const char *const roots[] = { "/usr/include/", "/usr/lib/", "/usr/src/", "/rustc/",
					     "/usr/local/go/", "/nix/store/", NULL };
	static const char *const parts[] = { "/.cargo/registry/", "/.cargo/git/", "/rustlib/src/",
					     "/go/pkg/mod/", "/site-packages/", "/node_modules/",
					     "/cargo/registry/src/", NULL };

	if (wk_str_starts_one_of(file, roots))
		return true;
	for (int i = 0; parts[i]; i++)
		if (has_part(file, parts[i]))
			return true;
	return false;
}

uint8_t *wk_own_code(const struct wk_model *model)
{
	uint8_t *own = wk_alloc_zeroed(model->function_count, 1);

	for (wk_function_id id = 1; id < model->function_count; id++) {
		enum wk_code_kind kind = wk_code_kind_of(model, id);

		own[id] = (kind == WK_CODE_PROGRAM || kind == WK_CODE_COMPILER) &&
			  !is_of_others(wk_model_str(model, model->functions[id].file));
	}
	return own;
}
