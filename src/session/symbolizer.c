#include "session/symbolizer.h"

#include <stdlib.h>

#include "base/mem.h"
#include "cli/terminal.h"
#include "symbols/cache/cache.h"

struct wk_symbols *wk_naming_open(struct wk_naming *naming, const struct wk_load_args *args,
				  struct wk_err *err)
{
	*naming = (struct wk_naming){ 0 };
	if (!wk_remote_config_open(&naming->asked, &args->remote, err))
		return NULL;
	naming->debug_dirs = wk_load_debug_dirs(args);
	naming->cache = wk_cache_open(NULL);
	if (naming->cache && wk_cache_complaint(naming->cache)[0])
		wk_say(wk_cache_complaint(naming->cache));
	naming->symbols = wk_symbols_new(&(struct wk_symbols_options){
		.debug_dirs = naming->debug_dirs,
		.cache = naming->cache,
		.fetcher = naming->asked.fetcher,
		.as_perf = args->as_perf,
	});
	return naming->symbols;
}

void wk_naming_close(struct wk_naming *naming)
{
	wk_symbols_free(naming->symbols);
	wk_cache_close(naming->cache);
	wk_remote_config_close(&naming->asked);
	wk_free(naming->debug_dirs);
	*naming = (struct wk_naming){ 0 };
}
