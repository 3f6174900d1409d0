/* The files in which programs write down names of code they make at run time: found, checked
 * against the process they should be of (runtime_owner.h), and read. */
#ifndef WK_STAGES_JIT_FILES_H
#define WK_STAGES_JIT_FILES_H

#include "base/sort.h"
#include "event/sink.h"
#include "stages/jit/owner.h"
#include "symbols/jit/jitdump.h"
#include "symbols/jit/perf_map.h"

/* Code blocks in order of time, borrowed from the file: those of a jitdump all at once, those of a
 * perf map, which may be many millions, on demand. */
struct wk_jit_names {
	struct wk_os_file file;
	struct wk_jit_code *pieces;
	size_t count, cap, next;
	struct wk_perf_map map;
	struct wk_jit_identity identity;
	struct wk_sort_key *picked; /* for a perf map if is_picked: offsets of the lines to return,
				     * see stages/jit/map_index.h */
	size_t picked_count, next_picked;
	bool is_picked;
	uint64_t begin_ns;         /* for a jitdump: its start, by its own clock */
	uint64_t lines_left;       /* limit for emitted events: moved code must not multiply them */
	bool has_own_times;        /* for a jitdump: not in nanoseconds */
	struct wk_jitdump_bad bad; /* for a jitdump: records that were skipped */
};

/* Its perf map; all pieces have time 0. One that is very large is refused. */
enum wk_jit_answer wk_jit_read_map(const struct wk_jit_owner *owner, struct wk_jit_names *names,
				   struct wk_buf *why);

/* The next piece of either; false at the end. */
bool wk_jit_next(struct wk_jit_names *names, struct wk_jit_code *code);

/* A jitdump: the open file or, if `fd` is -1, the file at `path`. */
enum wk_jit_answer wk_jit_read_dump(const struct wk_jit_owner *owner, int fd, const char *path,
				    struct wk_jit_names *names, struct wk_buf *why);
void wk_jit_names_fini(struct wk_jit_names *names);

/* Places that were sampled, sorted. */
struct wk_jit_hits {
	uint64_t *at;
	size_t count;
};

/* Is there one between `start` and `end`? */
bool wk_jit_is_hit(const struct wk_jit_hits *hits, uint64_t start, uint64_t end);

/* Emits a block as a SYMBOL event of process `pid`: with all its lines, or those of `hits` and the
 * first. */
bool wk_jit_emit(struct wk_jit_names *names, const struct wk_jit_code *code, uint32_t pid,
		 uint64_t time_ns, const struct wk_jit_hits *hits, const struct wk_sink *sink,
		 struct wk_err *err);

/* Is this path a jitdump's: ".../jit-1234.dump"? */
bool wk_jit_is_dump(struct wk_str path);

#endif
