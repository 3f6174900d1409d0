/* A model's invariants, for tests and fuzzing: every id refers to a row, every parent comes before
 * its children, every named stack matches its recorded one. */
#ifndef WK_MODEL_CHECK_H
#define WK_MODEL_CHECK_H

#include "base/err.h"
#include "model/model.h"

/* False with the first broken promise in a sentence. */
bool wk_model_check(const struct wk_model *model, struct wk_err *err);

#endif
