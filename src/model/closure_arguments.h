/* Names generic functions by the lines of the closures that they are instances for:
 * "std::for_each<run()::{lambda(int)#1}>" and "f::<g::{closure#0}>".
 *
 * The line of a closure is that of the closure itself, if it is a function in the recording. One
 * that was inlined has no number in debug information: it is the outermost one of the same function
 * that was inlined into the instance, if the instance is one for a single closure. */
#ifndef WK_MODEL_CLOSURE_ARGUMENTS_H
#define WK_MODEL_CLOSURE_ARGUMENTS_H

#include "model/model.h"

/* Changes names of functions, and sets `plain` of those. After closures have their lines. */
void wk_model_name_closure_arguments(struct wk_model *model);

#endif
