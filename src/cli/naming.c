#include "cli/naming.h"

#include <stdlib.h>

struct wk_symbols *wk_naming_open(struct wk_naming *naming, const struct wk_load_args *args,
				  struct wk_err *err)
{
	(void)err;
	*naming = (struct wk_naming){ .debug_dirs = wk_load_debug_dirs(args) };
	naming->symbols = wk_symbols_new(&(struct wk_symbols_options){
		.debug_dirs = naming->debug_dirs });
	return naming->symbols;
}

void wk_naming_close(struct wk_naming *naming)
{
	wk_symbols_free(naming->symbols);
	free(naming->debug_dirs);
	*naming = (struct wk_naming){ 0 };
}
