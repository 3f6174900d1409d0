/* Code that was made at run time: what of it lies where in each process, at the moment the
 * events have come to.
 *
 * It follows SYMBOL events without an image path and the processes they are of: a later symbol
 * replaces what it overlaps, a fork copies, an exec drops. An address that a symbol covers gets a
 * frame that has its name already, so that two processes, or two moments, with other code at the
 * same address do not mix. The kernel's own (BPF programs ...) belong to WK_KERNEL_PID. */
#ifndef WK_MODEL_JIT_CODE_H
#define WK_MODEL_JIT_CODE_H

#include "model/model.h"

/* The image of all of it, but for the kernel's. */
#define WK_JIT_IMAGE "[jit]"

struct wk_jit_code_map;

struct wk_jit_code_map *wk_jit_code_new(struct wk_model *model);
void wk_jit_code_free(struct wk_jit_code_map *code);

/* Takes in PROCESS, THREAD and such SYMBOL events; true where an answer may have changed that was
 * given before. Others are passed over. */
bool wk_jit_code_add(struct wk_jit_code_map *code, const struct wk_event *event);

/* The frame of `address`, or 0 where no symbol covers it. `kernel` is the image of kernel code. */
wk_frame_id wk_jit_code_frame(struct wk_jit_code_map *code, uint32_t pid, uint64_t address,
			      wk_image_id kernel);

/* The symbol that covers `address`, as it was recorded: its number among all, or 0. */
uint32_t wk_jit_code_find(const struct wk_jit_code_map *code, uint32_t pid, uint64_t address,
			  struct wk_symbol *symbol);

#endif
