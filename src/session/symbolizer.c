#include "session/symbolizer.h"

#include "base/mem.h"
#include "symbols/cache/cache.h"

const char **wk_debug_dirs(const struct wk_text_list *dirs)
{
	struct wk_text_list all = { 0 };

	for (size_t i = 0; i < dirs->count; i++)
		wk_text_list_add(&all, dirs->at[i]);
	wk_text_list_add(&all, "/usr/lib/debug");
	return all.at;
}

struct wk_symbols *wk_symbolizer_open(struct wk_symbolizer *symbolizer,
				      const struct wk_naming_options *options,
				      const struct wk_messages *messages, struct wk_err *err)
{
	*symbolizer = (struct wk_symbolizer){ 0 };
	if (!wk_symbol_sources_open(&symbolizer->remote, &options->remote, messages, err))
		return NULL;
	symbolizer->debug_dirs = wk_debug_dirs(&options->debug_dirs);
	symbolizer->cache = options->no_cache ? NULL : wk_cache_open(NULL);
	if (symbolizer->cache && wk_cache_complaint(symbolizer->cache)[0])
		wk_warn(messages, wk_cache_complaint(symbolizer->cache));
	symbolizer->symbols = wk_symbols_new(&(struct wk_symbols_options){
		.debug_dirs = symbolizer->debug_dirs,
		.cache = symbolizer->cache,
		.fetcher = symbolizer->remote.fetcher,
		.any_build = options->any_build,
		.as_perf = options->as_perf,
	});
	return symbolizer->symbols;
}

void wk_symbolizer_open_here(struct wk_symbolizer *symbolizer)
{
	*symbolizer = (struct wk_symbolizer){ .cache = wk_cache_open(NULL) };
	symbolizer->symbols =
		wk_symbols_new(&(struct wk_symbols_options){ .cache = symbolizer->cache });
}

struct wk_image_symbols *wk_symbolizer_file(struct wk_symbols *symbols, const char *path,
					    const char *whole, struct wk_err *err)
{
	struct wk_image_key key = { .path = wk_str_c(whole) };
	struct wk_err pdb_err = { 0 };
	bool is_pdb = wk_image_key_of_pdb(whole, &key, &pdb_err);
	struct wk_image_symbols *image;

	if (pdb_err.code == WK_EFORMAT || pdb_err.code == WK_ECORRUPT ||
	    pdb_err.code == WK_EUNSUPPORTED) {
		*err = pdb_err;
		wk_err_in(err, path);
		return NULL;
	}
	image = wk_symbols_image(symbols, &key);
	if (wk_image_obj(image) || (is_pdb && wk_image_state(image) != WK_IMAGE_MISSING))
		return image;
	wk_fail(err, WK_EFORMAT, WK_NOWHERE, "%s", wk_image_reason(image));
	return NULL;
}

void wk_symbolizer_close(struct wk_symbolizer *symbolizer)
{
	wk_symbols_free(symbolizer->symbols);
	wk_cache_close(symbolizer->cache);
	wk_symbol_sources_close(&symbolizer->remote);
	wk_free(symbolizer->debug_dirs);
	*symbolizer = (struct wk_symbolizer){ 0 };
}
