/* Drops the numbers of closures that their lines distinguish: "run::{lambda:31#2}" is
 * "run::{lambda:31}" unless another numbered closure of "run" is on line 31. A number is the place
 * of a closure among all of its function, so it changes when others are added or removed. */
#ifndef WK_MODEL_CLOSURE_NUMBERS_H
#define WK_MODEL_CLOSURE_NUMBERS_H

#include "model/model.h"

/* Changes names of functions that have `plain`, which keeps the numbers. */
void wk_model_drop_closure_numbers(struct wk_model *model);

#endif
