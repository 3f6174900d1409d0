/* Which lines of a perf map may contain sampled code, found without reading all of it.
 *
 * The children of a program with JIT code continue with it, and each of them reads its parent's
 * map, which may have millions of lines. A map that is used twice and has not changed is sorted by
 * address, in blocks of a few lines, of which only those that may contain a sample are read. */
#ifndef WK_STAGES_JIT_MAP_INDEX_H
#define WK_STAGES_JIT_MAP_INDEX_H

#include "stages/jit/files.h"

struct wk_jit_map_index;

/* Starts empty: all of a map is read until it is found unchanged. */
struct wk_jit_map_index *wk_jit_map_index_new(void);
void wk_jit_map_index_free(struct wk_jit_map_index *index);

/* Has `names`, a map that was just opened, give only lines that may be of the hits (and of others,
 * but few). `rows_left` is what all indexes together may still grow by: a map that has more is read
 * as it is. */
void wk_jit_map_index_pick(struct wk_jit_map_index *index, const struct wk_jit_hits *hits,
			   uint64_t *rows_left, struct wk_jit_names *names);

#endif
