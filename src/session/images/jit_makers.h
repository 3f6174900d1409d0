/* Programs that make code while they run, and how each is made to tell the names of it. */
#ifndef WK_SESSION_IMAGES_JIT_MAKERS_H
#define WK_SESSION_IMAGES_JIT_MAKERS_H

#include "model/model.h"

struct wk_jit_maker {
	const char *program; /* as its name begins */
	const char *words;   /* to be typed */
	const char *remark;  /* behind them, or NULL */
	const char *stacks;  /* what makes stacks go on through such code, or NULL */
};

/* By the name of a program or its path; NULL where none is known. */
const struct wk_jit_maker *wk_jit_maker(struct wk_str program);

/* By a process' names. */
const struct wk_jit_maker *wk_jit_maker_in(const struct wk_model *model,
					   const struct wk_process *process);

/* By the processes that had the image, which is one of memory. */
const struct wk_jit_maker *wk_jit_maker_of(const struct wk_model *model, wk_image_id image);

#endif
