/* Distinguishes the closures of one function by their lines.
 *
 * Many compilers give all closures of a function one readable name. Their code is in lines of
 * their own, so functions of that name whose lines do not overlap are different closures. The
 * smallest line that was sampled becomes part of the name; instances for other types share it. */
#ifndef WK_MODEL_CLOSURES_H
#define WK_MODEL_CLOSURES_H

#include "model/model.h"

/* Changes names of functions, and sets `plain` and `closure_line` of those. For models whose names
 * were looked up. */
void wk_model_name_closures(struct wk_model *model);

/* Sets `plain` and `closure_line` of functions whose names came with the lines of closures. */
void wk_model_note_closures(struct wk_model *model);

#endif
