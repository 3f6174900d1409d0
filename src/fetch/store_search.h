/* A search for one file (store.h): candidates are tried one by one until one fits. Between store.c
 * and store_debug.c. */
#ifndef WK_FETCH_STORE_SEARCH_H
#define WK_FETCH_STORE_SEARCH_H

#include "fetch/store.h"

struct wk_store_search {
	/* Is it the wanted file? Reports why not. NULL: any file is. */
	bool (*fits)(struct wk_store_search *search, const char *path,
		     const struct wk_store_file *file);
	const void *context;
	struct wk_store_file *file; /* the result */
	struct wk_buf *why;         /* why the first file that exists does not fit */
	bool needs_inode;           /* without a build id, no copy of the file will do */
	bool is_at_path;            /* the candidate is at the recorded path */
	bool is_unproven;           /* see wk_store_file */
	enum wk_image_state state;  /* MISSING until something is found or reported */
};

/* Empties `file` and `why`. */
struct wk_store_search wk_store_search_of(struct wk_store_file *file, struct wk_buf *why);

/* Tries the file at the path that `format` gives. */
bool wk_store_try(struct wk_store_search *search, const char *format, ...)
	__attribute__((format(WK_PRINTF, 2, 3)));

/* Keeps the first report: it is about the likeliest candidate. Returns false. */
bool wk_store_report(struct wk_store_search *search, enum wk_image_state state, const char *format,
		     ...) __attribute__((format(WK_PRINTF, 3, 4)));

#endif
