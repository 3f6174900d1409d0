/* What names addresses, set up as the command line asks: debug folders, the symbol cache, other
 * machines. Commands that only load a recording need not ask for it: wk_load does. */
#ifndef WK_CLI_NAMING_H
#define WK_CLI_NAMING_H

#include "session/open.h"

struct wk_naming {
	const char **debug_dirs; /* NULL-terminated */
	struct wk_remote_config asked;
	struct wk_cache *cache;
	struct wk_symbols *symbols;
};

/* The symbols of `naming`, or NULL where the options ask for what is not there. Close it in either
 * case. */
struct wk_symbols *wk_naming_open(struct wk_naming *naming, const struct wk_load_args *args,
				  struct wk_err *err);
void wk_naming_close(struct wk_naming *naming);

#endif
