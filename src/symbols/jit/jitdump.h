/* A jitdump, jit-PID.dump: a program's complete description of the code it generated.
 *
 * It consists of a header and records, each with a time: code was loaded, code was moved, the
 * source lines or unwind tables of the next load. This reader joins them: wk_jitdump_next returns
 * one block of code after the other; a moved block is returned again with its name and lines at the
 * new address. Records come in the order of the file, which is nearly that of time.
 *
 * Order of calls: open, next until false, free. Everything returned is borrowed from the bytes,
 * whose byte order may be either. A record that claims more than there is (the file may still be
 * written) ends the reading; a contradictory one is skipped and counted.
 *
 * A growing file can be continued: when next returns false, the bytes that wk_jitdump_used reports
 * may be dropped; wk_jitdump_go_on continues with the others and what follows them. */
#ifndef WK_SYMBOLS_JIT_JITDUMP_H
#define WK_SYMBOLS_JIT_JITDUMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/err.h"
#include "base/str.h"

struct wk_jitdump;

struct wk_jit_line {
	uint64_t offset; /* in the code */
	uint32_t line;
	struct wk_str file;
};

struct wk_jit_code {
	uint64_t time_ns;
	uint64_t start, size_bytes; /* not 0, and the range does not wrap */
	struct wk_str name;
	struct wk_bytes code; /* empty if the program did not write it */
	bool is_moved;
	uint32_t number; /* from 1 on; a moved piece has that of its load */

	/* For wk_jit_code_next_line. */
	struct wk_bytes lines;
	uint64_t line_count, lines_start;
	struct wk_str last_file;

	/* .eh_frame, at `unwind_offset` from the start of the code, followed by as many bytes of
	 * .eh_frame_hdr; empty if there is none. */
	struct wk_bytes unwind;
	uint64_t unwind_head_bytes, unwind_offset;
};

/* NULL if the header is invalid. */
struct wk_jitdump *wk_jitdump_open(const void *bytes, size_t size_bytes, struct wk_err *err);
void wk_jitdump_free(struct wk_jitdump *dump);

/* When the program began to write, by the clock of its records. */
uint64_t wk_jitdump_begin_ns(const struct wk_jitdump *dump);

/* Its times are a processor's counter and no nanoseconds. */
bool wk_jitdump_has_own_times(const struct wk_jitdump *dump);

bool wk_jitdump_next(struct wk_jitdump *dump, struct wk_jit_code *code);

/* How many of the bytes are done with. */
size_t wk_jitdump_used(const struct wk_jitdump *dump);

/* Reads on in other bytes: the former ones from wk_jitdump_used on, and more. All that was
 * borrowed from the former bytes is forgotten; pieces that move from now on have but a number, a
 * time and a place. */
void wk_jitdump_go_on(struct wk_jitdump *dump, const void *bytes, size_t size_bytes);

/* Records skipped so far, and the first of them: its kind and its offset in the file. */
struct wk_jitdump_bad {
	uint64_t count, offset;
	const char *what;
};
struct wk_jitdump_bad wk_jitdump_bad(const struct wk_jitdump *dump);

/* The lines in the order they were written; false at the end. */
bool wk_jit_code_next_line(struct wk_jit_code *code, struct wk_jit_line *line);

#endif
