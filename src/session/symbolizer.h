/* Names for addresses, from the debug folders, symbol cache and servers that options and
 * environment select. If you only open a recording, wk_open_paths does this for you. */
#ifndef WK_SESSION_SYMBOLIZER_H
#define WK_SESSION_SYMBOLIZER_H

#include "session/symbol_sources.h"
#include "symbols/image/symbols.h"

struct wk_naming_options {
	struct wk_text_list debug_dirs; /* searched before /usr/lib/debug */
	struct wk_symbol_source_options remote;
	bool no_cache;  /* the symbol cache is neither read nor written */
	bool any_build; /* see symbols/image/symbols.h, as the next */
	bool as_perf;   /* names as perf chooses them: see symbols/image/symbols.h */
};

struct wk_symbolizer {
	const char **debug_dirs; /* NULL-terminated */
	struct wk_symbol_sources remote;
	struct wk_cache *cache;
	struct wk_symbols *symbols;
};

/* Its symbols, or NULL if the options ask for something impossible. Close it in either case. */
struct wk_symbols *wk_symbolizer_open(struct wk_symbolizer *symbolizer,
				      const struct wk_naming_options *options,
				      const struct wk_messages *messages, struct wk_err *err);

/* The same without servers, for recorders. */
void wk_symbolizer_open_here(struct wk_symbolizer *symbolizer);
void wk_symbolizer_close(struct wk_symbolizer *symbolizer);

/* The image at `path`, a program or a PDB. NULL, with a sentence, if it is neither. `whole` is the
 * absolute path. */
struct wk_image_symbols *wk_symbolizer_file(struct wk_symbols *symbols, const char *path,
					    const char *whole, struct wk_err *err);

/* The folders and /usr/lib/debug, NULL-terminated. The caller frees the array. */
const char **wk_debug_dirs(const struct wk_text_list *dirs);

#endif
