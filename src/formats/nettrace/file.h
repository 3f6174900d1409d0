/* The container of a .nettrace file: its header, and the blocks that follow.
 *
 *	if (!wk_nettrace_open(bytes, &file, err)) ...
 *	while (wk_nettrace_next(&file, &block)) ...
 *	file.fault        if it is not NULL, the file is cut or damaged at file.fault_offset
 *
 * Versions 4 and 5 (.NET Core 3.0 and later) are a list of serialized objects, version 6 has a
 * smaller frame around the same blocks. A block that the end of the file cuts is returned as far as
 * it goes, and `is_cut` is set. Windows borrow the input. */
#ifndef WK_FORMATS_NETTRACE_FILE_H
#define WK_FORMATS_NETTRACE_FILE_H

#include "base/bytes.h"
#include "base/err.h"

/* The numbers of version 6. */
enum wk_nettrace_kind {
	WK_NETTRACE_END,
	WK_NETTRACE_TRACE,
	WK_NETTRACE_EVENTS,
	WK_NETTRACE_METADATA,
	WK_NETTRACE_SEQUENCE_POINT,
	WK_NETTRACE_STACKS,
	WK_NETTRACE_THREADS,
	WK_NETTRACE_REMOVE_THREADS,
	WK_NETTRACE_LABELS,
	WK_NETTRACE_KINDS, /* from here on unknown: to be skipped */
};

struct wk_nettrace_block {
	uint32_t kind; /* enum wk_nettrace_kind */
	struct wk_bytes content;
};

struct wk_nettrace_file {
	struct wk_bytes rest;
	bool is_v6;
	bool is_ended;
	bool is_cut;       /* the file ends before its end mark */
	const char *fault; /* of damage; NULL if there is none */
	uint64_t fault_offset;
};

/* Is it one, or its predecessor .netperf? */
bool wk_nettrace_is(struct wk_bytes first);

bool wk_nettrace_open(struct wk_bytes bytes, struct wk_nettrace_file *file, struct wk_err *err);

/* Text as version 6 has it: a length, UTF-8. */
static inline struct wk_str wk_nettrace_read_text(struct wk_bytes *in)
{
	struct wk_bytes text = wk_bytes_slice(in, wk_uleb(in));

	return wk_bytes_str(text);
}

/* False at the end. */
bool wk_nettrace_next(struct wk_nettrace_file *file, struct wk_nettrace_block *block);

#endif
