/* A recording on disk as a model with names: what every command that shows one begins with. */
#ifndef WK_CLI_LOAD_H
#define WK_CLI_LOAD_H

#include "cli/options/options.h"
#include "session/remote_config.h"
#include "model/model.h"
#include "symbols/image/symbols.h"
#include "views/filter/filter.h"
#include "views/tables/tables.h"

/* What `wick record` writes, and what is read where no FILE is given. */
#define WK_USUAL_RECORDING "wick.data"

struct wk_load_args {
	const char *format; /* NULL: seen from the bytes */
	struct wk_text_list debug_dirs;
	struct wk_remote_args remote;
	bool no_inlined;
	uint64_t threads;                      /* 0: one for each processor */
	bool sums_samples, sums_other_sources; /* formats/reader.h */
	/* What will be asked of the samples: other machines are not asked for names of others.
	 * NULL: of all. */
	const struct wk_filter_spec *in_view;
	bool is_of_any_event;              /* else it is of the filter's, */
	const struct wk_table_view *table; /* or of that which this table shows, if any */
	bool as_perf; /* names as perf chooses them: see symbols/image/symbols.h */
};

extern const struct wk_opt_group wk_load_group;

/* Whether a recording lies where `wick record` leaves it. */
bool wk_load_has_usual(void);

/* The one FILE among the words, or the usual recording if there are no words. NULL and wrong
 * usage where that is not there either, and where there are several. */
const char *wk_load_path(const struct wk_words *words, struct wk_err *err);

/* All FILEs among the words, or the usual recording; NULL-terminated, for the caller to free.
 * NULL and wrong usage where there is none. */
const char **wk_load_paths(const struct wk_words *words, struct wk_err *err);

/* Reads `path` ("-" is standard input), unwinds where the file holds copies of stacks, and
 * names what it can. The model is the caller's to free; NULL on failure. */
struct wk_model *wk_load(const char *path, const struct wk_load_args *args, struct wk_err *err);

/* The same with a wk_symbols that already knows images: those of a recording just made, of
 * which some may be gone from disk by now. It must have been made with the same options. */
struct wk_model *wk_load_with(const char *path, const struct wk_load_args *args,
			      struct wk_symbols *symbols, struct wk_err *err);

/* The arguments of a view that adds samples up; `needs_times` if a filter asks for theirs, and
 * `source` as in it (views/filter/filter.h). */
static inline struct wk_load_args wk_load_summed(const struct wk_load_args *args, bool needs_times,
						 const char *source)
{
	struct wk_load_args summed = *args;

	summed.sums_samples = !needs_times;
	summed.sums_other_sources = !needs_times && !source;
	return summed;
}

/* One of several files that fill one model. */
struct wk_load_input {
	const char *path;
	bool is_before; /* of a comparison: all its samples are of the "before" side */
};

/* Several at once, in their order; `count` is at least 1. `symbols` NULL: what names them is
 * opened and closed here. */
struct wk_model *wk_load_inputs(const struct wk_load_input *inputs, size_t count,
				const struct wk_load_args *args, struct wk_symbols *symbols,
				struct wk_err *err);

/* The files of wk_load_paths as one. */
struct wk_model *wk_load_all(const char *const *paths, const struct wk_load_args *args,
			     struct wk_symbols *symbols, struct wk_err *err);

/* Where debug files are looked for, NULL-terminated. The caller frees the array, but not
 * before the wk_symbols that looks there. */
const char **wk_load_debug_dirs(const struct wk_load_args *args);

#endif
