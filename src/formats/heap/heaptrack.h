/* The stacks in heaptrack's interpreted files: strings, instruction pointers with their frames, and
 * traces, which are numbered from 1 in the order of their lines; 0 is none. */
#ifndef WK_FORMATS_HEAP_HEAPTRACK_H
#define WK_FORMATS_HEAP_HEAPTRACK_H

#include "formats/stack_writer.h"

/* An instruction pointer: its frames, innermost first. All but the last were inlined. */
struct wk_heaptrack_pointer {
	uint32_t first_frame, frame_count;
};

struct wk_heaptrack_stacks {
	struct wk_stack_writer *writer;
	bool has_sizes; /* strings have their length in front */
	struct wk_str *strings;
	struct wk_heaptrack_pointer *pointers;
	uint32_t *frames; /* numbers of the writer */
	uint32_t *traces; /* stacks of the writer */
	size_t string_count, string_cap, pointer_count, pointer_cap;
	size_t frame_count, frame_cap, trace_count, trace_cap;
	/* Of inlined frames: a few bytes can refer to a pointer with thousands of them. */
	uint64_t budget, left_out;
};

void wk_heaptrack_stacks_init(struct wk_heaptrack_stacks *stacks, struct wk_stack_writer *writer,
			      size_t input_bytes);
void wk_heaptrack_stacks_fini(struct wk_heaptrack_stacks *stacks);

/* A line without its letter and blank: "s", "i" and "t". False if it is invalid; then its number is
 * that of an empty text, of a pointer without frames, or of no stack. */
bool wk_heaptrack_add_string(struct wk_heaptrack_stacks *stacks, struct wk_str rest);
bool wk_heaptrack_add_pointer(struct wk_heaptrack_stacks *stacks, struct wk_str rest);
bool wk_heaptrack_add_trace(struct wk_heaptrack_stacks *stacks, struct wk_str rest);

/* The next hexadecimal number behind blanks. */
bool wk_heaptrack_number(struct wk_str *rest, uint64_t *number);

/* The next number if it is that of one of `count` things, or 0. */
bool wk_heaptrack_index(struct wk_str *rest, size_t count, size_t *index);

#endif
