/* What the page calls the nodes of a tree: their levels, and hashes of the way to them.
 *
 * A hash is of the names from the root to the node, as the page shows them (web/page/src/views:
 * path.ts, words.ts), so it means the same in all trees and in pages with all samples. */
#ifndef WK_RENDER_PAGE_PAGE_PATH_H
#define WK_RENDER_PAGE_PAGE_PATH_H

#include "views/aggregate/tree_shape.h"

/* The page's Kind. */
enum wk_page_level {
	WK_LEVEL_WHOLE,
	WK_LEVEL_PROCESS, /* all of a name */
	WK_LEVEL_PID,
	WK_LEVEL_THREAD,
	WK_LEVEL_CPU,
	WK_LEVEL_REASON,
	WK_LEVEL_READIER,
	WK_LEVEL_HEAP,
	WK_LEVEL_PART,
	WK_LEVEL_SIZE,
	WK_LEVEL_ANNOTATION,
	WK_LEVEL_MODULE,
	WK_LEVEL_FUNCTION,
};

enum wk_page_level wk_page_level(const struct wk_tree_shape *shape, uint32_t node);

/* By node; of the whole 0. The caller frees it. */
uint64_t *wk_page_paths_new(const struct wk_tree_shape *shape);

/* "0123456789abcdef". */
bool wk_page_path_read(struct wk_str text, uint64_t *path);

#endif
