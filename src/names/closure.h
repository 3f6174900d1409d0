/* Names of closures and lambdas, with the line they are written on.
 *
 * "app::run::{{closure}}" is any closure of a function, "{closure#1}" the second, and
 * "{lambda(int)#1}" the first lambda with those parameters, which clang calls "$_0". With a line,
 * they are "app::run::{closure:31}", "{closure:31#1}" and "{lambda:31#1}". */
#ifndef WK_NAMES_CLOSURE_H
#define WK_NAMES_CLOSURE_H

#include "base/buf.h"

/* Is the function itself a closure? Those of its arguments and callers do not count. */
bool wk_name_is_closure(struct wk_str name);

/* The function that a closure, or one in it, is written in: "app::run" of
 * "app::run::{closure:31}::{closure:32}"; empty if the name is not that of a closure. */
struct wk_str wk_closure_home(struct wk_str name);

/* The name of a closure up to itself: "run()::{lambda(int)#2}" of
 * "run()::{lambda(int)#2}::operator()(int) const". All of another name. */
struct wk_str wk_closure_path(struct wk_str name);

/* Is the line of any closure in the name? */
bool wk_closure_has_lines(struct wk_str name);

/* The first line in a closure's name, as debug information and views have it, and the name without
 * lines: 31 and "run::{closure#0}" of "run::{closure:31#0}". 0 if it has none. */
uint32_t wk_closure_name_line(struct wk_str name, struct wk_buf *plain);

/* Adds a name without the lines of closures that are still in it: "f::{lambda:31}::{lambda}". */
void wk_closure_name_without_lines(struct wk_str name, struct wk_buf *text);

/* A closure with a line, anywhere in a name: "{lambda:31#2}" or "{lambda:45-51}". */
struct wk_lined_closure {
	size_t begin, end;     /* of its braces */
	size_t colon;          /* before the line */
	uint32_t line, number; /* the first line; 0: it has no number */
};

/* Finds the next one from `closure->end` on, so that zeros find the first. */
bool wk_closure_next_lined(struct wk_str name, struct wk_lined_closure *closure);

/* What a closure whose braces are at `begin` is written in, without parameters: "run" of
 * "sort<run(int)::{lambda:31}::{lambda:32}>" for both. Overwrites `family`. */
void wk_closure_family(struct wk_str name, size_t begin, struct wk_buf *family);

/* Adds the name of a closure with its line. "{lambda}" alone may be several lambdas (gcc, inlined):
 * it has all lines up to `last`, "{lambda:45-51}". */
void wk_closure_name_add(struct wk_str name, uint32_t line, uint32_t last, struct wk_buf *text);

/* What a closure in a closure is taken for: "g::{closure#0}::{closure#1}". */
enum wk_closure_part {
	WK_CLOSURE_INNERMOST, /* all of it */
	WK_CLOSURE_OUTERMOST, /* "g::{closure#0}" */
};

/* Adds the name with other names for the numbered closures among its arguments and parameters, as
 * in "f::<g::{closure#0}>" and "f<g()::{lambda(int)#1}>(g()::{lambda(int)#1})": `named` returns
 * that of "g::{closure#0}", or the empty text to keep it. False if all are kept. */
bool wk_closure_arguments_add(struct wk_str name, enum wk_closure_part part,
			      struct wk_str (*named)(void *context, struct wk_str closure),
			      void *context, struct wk_buf *text);

#endif
