/* Frames as Valgrind prints them: "0x1094CB: main (till.c:12)", "0x48FC7B9: ??? (in /usr/lib/x.so)"
 * or only "0x401130: ???". */
#ifndef WK_FORMATS_HEAP_VALGRIND_H
#define WK_FORMATS_HEAP_VALGRIND_H

#include "formats/stack_writer.h"

/* The texts are parts of `text`. A frame without a name has its address as name. False if the text
 * begins with something else. */
bool wk_valgrind_frame(struct wk_str text, struct wk_event_frame *frame);

/* Such a text, and the writer's frames of it. */
struct wk_valgrind_line {
	struct wk_str text;
	struct wk_event_frame frame;
	uint32_t numbers[2]; /* not inlined, and inlined; 0: none yet */
};

/* A text of another form is the name. The text has to last until the input ends. */
void wk_valgrind_line_init(struct wk_valgrind_line *line, struct wk_str text);

/* `stack` with a line's frame on top. `caller`, the frame below, shows whether it was inlined; NULL
 * if there is none. */
uint32_t wk_valgrind_push(struct wk_stack_writer *writer, uint32_t stack,
			  struct wk_valgrind_line *line, const struct wk_valgrind_line *caller);

#endif
