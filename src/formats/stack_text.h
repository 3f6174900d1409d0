/* Common parts of readers of printed stacks: lines, the frames of the current stack, and notes at
 * the end.
 *
 *	struct wk_stack_text text;
 *	struct wk_str line;
 *
 *	wk_stack_text_begin(&text, input, sink, "samples");
 *	while (wk_stack_text_next(&text, &line))
 *		... wk_stack_text_frame, wk_stack_text_count, wk_stack_text_bad
 *	return wk_stack_text_end(&text, "a stack as NAME prints it", err);
 *
 * Frames are gathered innermost first, as most tools print them. In collapse mode a ';' in a frame
 * splits it in two, as it does in the output of the older tools. */
#ifndef WK_FORMATS_STACK_TEXT_H
#define WK_FORMATS_STACK_TEXT_H

#include "base/map.h"
#include "base/strtab.h"
#include "formats/collapse.h"
#include "formats/lines.h"
#include "formats/reader.h"
#include "formats/scan.h"

struct wk_stack_text {
	struct wk_bytes input;
	const struct wk_collapse *collapse; /* collapse mode; NULL: emit what the input contains */
	struct wk_lines lines;
	struct wk_str line; /* the last one */
	struct wk_bad_lines bad;
	struct wk_stack_writer *writer;
	uint32_t *frames;        /* of the current stack, innermost first */
	size_t count, cap;       /* count = 0 drops the gathered frames */
	struct wk_strtab *names; /* of processes */
	struct wk_map named;     /* process to its last emitted name, both + 1 */
	bool may_be_empty;       /* an input without samples is not an error */
};

/* `measure` names source 0, which counts samples; NULL: the reader emits its sources itself. */
void wk_stack_text_begin(struct wk_stack_text *text, const struct wk_input *input,
			 const struct wk_sink *sink, const char *measure);
bool wk_stack_text_next(struct wk_stack_text *text, struct wk_str *line);

/* Adds the next outer frame. In collapse mode only its name is used. */
void wk_stack_text_frame(struct wk_stack_text *text, const struct wk_event_frame *frame);
void wk_stack_text_name(struct wk_stack_text *text, struct wk_str name);

/* Adds a frame of the writer. */
void wk_stack_text_add(struct wk_stack_text *text, uint32_t frame);

/* Emits a sample of the gathered frames, if there are any. `pid` and `tid` may be WK_NO_PID;
 * collapse mode ignores them. */
void wk_stack_text_sample(struct wk_stack_text *text, uint32_t pid, uint32_t tid, uint32_t source,
			  uint64_t weight);
void wk_stack_text_count(struct wk_stack_text *text, uint64_t weight);

/* Emits the name of a process, once per name; nothing in collapse mode. */
void wk_stack_text_process(struct wk_stack_text *text, uint32_t pid, struct wk_str name);

/* Counts the last line as bad; see wk_bad_line. */
void wk_stack_text_bad(struct wk_stack_text *text, const char *expected);

/* Emits the note about bad lines, fails if there was no sample (`expected` describes the format),
 * and frees. */
bool wk_stack_text_end(struct wk_stack_text *text, const char *expected, struct wk_err *err);

/* The number of a process or thread, or WK_NO_PID if it is out of range. */
static inline uint32_t wk_pid_of(uint64_t number)
{
	return number < WK_NO_PID ? (uint32_t)number : WK_NO_PID;
}

#endif
