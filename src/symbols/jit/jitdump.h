/* What a program wrote down of its own code while it ran, in full: jit-PID.dump.
 *
 * A jitdump is a head and records, each with the time at which it became true: code was
 * loaded, code was moved, the source lines or the unwind tables of what is loaded next. This
 * reader joins them: wk_jitdump_next gives one piece of code after the other, a moved one again
 * with its name and lines at its new place. Records come in the order of the file, which is
 * nearly that of time.
 *
 * Order of calls: open, next until false, free. All that is handed out is borrowed from the
 * bytes, in whichever byte order they are. A record that claims more than there is (the file may
 * still be written) ends the reading; one that contradicts itself is passed over and counted.
 *
 * A file that grows can be read on: when next gives false, those bytes of which wk_jitdump_used
 * says that they are done with may go; wk_jitdump_go_on takes the others with what follows them. */
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
	struct wk_bytes code; /* empty where the program did not write it */
	bool is_moved;
	uint32_t number; /* from 1 on; a moved piece has that of its load */

	/* For wk_jit_code_next_line. */
	struct wk_bytes lines;
	uint64_t line_count, lines_start;
	struct wk_str last_file;

	/* .eh_frame, which lies at `unwind_offset` from the code's start, and behind it as many
	 * bytes of .eh_frame_hdr; empty without them. */
	struct wk_bytes unwind;
	uint64_t unwind_head_bytes, unwind_offset;
};

/* NULL where the head is not one. */
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

/* Records passed over so far, and the first of them: what it was to be, and where in the file. */
struct wk_jitdump_bad {
	uint64_t count, offset;
	const char *what;
};
struct wk_jitdump_bad wk_jitdump_bad(const struct wk_jitdump *dump);

/* The lines in the order they were written; false at the end. */
bool wk_jit_code_next_line(struct wk_jit_code *code, struct wk_jit_line *line);

#endif
