/* The stacks in heaptrack's files.
 *
 * Interpreted ones have strings, instruction pointers with their frames, and traces of pointers.
 * Raw ones have traces of addresses, and the modules that were mapped there. All are numbered from
 * 1 in the order of their lines; 0 is none. */
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

/* Traces of a raw recording, which are addresses: the call chains of blocks. */
struct wk_heaptrack_raw {
	struct wk_heaptrack_call {
		uint64_t address; /* a return address */
		uint32_t parent;  /* the trace of its callers; 0: none */
	} * calls;
	size_t call_count, call_cap;
	struct wk_str program; /* the path of the executable */
	uint64_t *chain;       /* of the last trace */
	size_t chain_count, chain_cap;
	size_t chain_trace;
	uint64_t cut; /* events with chains above the limit */
};

void wk_heaptrack_raw_fini(struct wk_heaptrack_raw *raw);

/* A line "x 9 /srv/till", which names the program; "t"; and "m", whose segments are emitted as
 * images. `has_sizes`: texts have their length in front. */
bool wk_heaptrack_raw_set_program(struct wk_heaptrack_raw *raw, struct wk_str rest, bool has_sizes);
bool wk_heaptrack_raw_add_call(struct wk_heaptrack_raw *raw, struct wk_str rest);
bool wk_heaptrack_raw_emit_module(const struct wk_heaptrack_raw *raw, struct wk_str rest,
				  bool has_sizes, uint32_t pid, uint64_t time_ns,
				  struct wk_stack_writer *writer);

/* The call chain of a trace, valid until the next call. */
void wk_heaptrack_raw_chain(struct wk_heaptrack_raw *raw, size_t trace,
			    struct wk_event_sample *sample);

/* A text with or without its length in front, removed from `rest`. A text without one ends at a
 * blank if `is_word`, or with the line. */
bool wk_heaptrack_text(struct wk_str *rest, bool has_size, bool is_word, struct wk_str *text);

/* The next hexadecimal number behind blanks. */
bool wk_heaptrack_number(struct wk_str *rest, uint64_t *number);

/* The next number if it is that of one of `count` things, or 0. */
bool wk_heaptrack_index(struct wk_str *rest, size_t count, size_t *index);

#endif
