/* A perf map, /tmp/perf-PID.map: names of the code that a program generated.
 *
 * Each line is "START SIZE name", both numbers in hex with or without 0x; the name ends with the
 * line, and the file at a NUL byte at the latest: it may be a hole of gigabytes. The file contains
 * no times: if ranges overlap, the later line is the newer code. A last line without a newline was
 * still being written and is ignored. Names are borrowed from the bytes. */
#ifndef WK_SYMBOLS_JIT_PERF_MAP_H
#define WK_SYMBOLS_JIT_PERF_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

struct wk_perf_map {
	const char *at, *end;
	uint64_t bad_lines;      /* passed over so far, not those of no code (size 0) */
	struct wk_str first_bad; /* the first of them */
};

struct wk_perf_map_row {
	uint64_t start, size_bytes; /* not 0, and the range does not wrap */
	struct wk_str name;         /* not empty */
};

struct wk_perf_map wk_perf_map_of(const void *bytes, size_t size_bytes);

/* The next sound line; false at the end. */
bool wk_perf_map_next(struct wk_perf_map *map, struct wk_perf_map_row *row);

#endif
