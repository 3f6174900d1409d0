/* The kinds of object files: each fills a wk_obj. Each reads `at` and `size_bytes`, which are set,
 * and returns false with a sentence if the file is not of its kind or cannot be read. */
#ifndef WK_SYMBOLS_OBJECT_OBJECT_KINDS_H
#define WK_SYMBOLS_OBJECT_OBJECT_KINDS_H

#include "symbols/object/object.h"

enum wk_machine wk_elf_machine(uint16_t code); /* EM_* */
bool wk_elf_read(struct wk_obj *elf, struct wk_err *err);
bool wk_pe_read(struct wk_obj *pe, struct wk_err *err);
void wk_pe_free(struct wk_pe *pe); /* may be NULL */

/* All bytes, in the file's byte order. */
struct wk_bytes wk_obj_whole(const struct wk_obj *obj);

#endif
