/* JIT code: where it is in each process, at the time of the last event.
 *
 * It follows SYMBOL events without an image path and their processes: a later symbol replaces what
 * it overlaps, a fork copies, an exec drops. An address that a symbol covers gets a frame with a
 * name, so that code of two processes, or of two moments, at the same address does not mix. That of
 * the kernel (BPF programs ...) belongs to WK_KERNEL_PID. */
#ifndef WK_MODEL_JIT_CODE_H
#define WK_MODEL_JIT_CODE_H

#include "model/model.h"

/* The image of all of it, except for the kernel's. */
#define WK_JIT_IMAGE "[jit]"

struct wk_jit_code_map;

struct wk_jit_code_map *wk_jit_code_new(struct wk_model *model);
void wk_jit_code_free(struct wk_jit_code_map *code);

/* Handles PROCESS, THREAD and such SYMBOL events and ignores others. True if an earlier answer may
 * have changed. */
bool wk_jit_code_add(struct wk_jit_code_map *code, const struct wk_event *event);

/* The frame of `address`, or 0 if no symbol covers it. `kernel` is the image of kernel code. */
wk_frame_id wk_jit_code_frame(struct wk_jit_code_map *code, uint32_t pid, uint64_t address,
			      wk_image_id kernel);

/* The symbol that covers `address`, as it was recorded: its number among all, or 0. */
uint32_t wk_jit_code_find(const struct wk_jit_code_map *code, uint32_t pid, uint64_t address,
			  struct wk_symbol *symbol);

#endif
