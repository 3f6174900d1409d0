/* Programs with a JIT compiler, and how each is made to write the names of its code. */
#ifndef WK_SESSION_IMAGES_JIT_MAKERS_H
#define WK_SESSION_IMAGES_JIT_MAKERS_H

#include "model/model.h"

struct wk_jit_maker {
	const char *program; /* the start of its name */
	const char *words;   /* the command */
	const char *remark;  /* a comment behind it, or NULL */
	const char *stacks;  /* how to make stacks continue through such code, or NULL */
};

/* By the name of a program or its path; NULL if none is known. */
const struct wk_jit_maker *wk_jit_maker(struct wk_str program);

/* By the names of a process. */
const struct wk_jit_maker *wk_jit_maker_in(const struct wk_model *model,
					   const struct wk_process *process);

/* By the processes that had the image, which is memory without a file. */
const struct wk_jit_maker *wk_jit_maker_of(const struct wk_model *model, wk_image_id image);

#endif
