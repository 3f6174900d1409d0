/* Interned text: the same text gets the same id, once.
 *
 * Id 0 is the empty text and means "none". Texts may contain any bytes, and a NUL that is
 * not counted follows each. Pointers are valid as long as the table. */
#ifndef WK_BASE_STRTAB_H
#define WK_BASE_STRTAB_H

#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

struct wk_strtab;

struct wk_strtab *wk_strtab_new(void);
void wk_strtab_free(struct wk_strtab *tab);

uint32_t wk_strtab_add_str(struct wk_strtab *tab, struct wk_str text);

/* The same for a text that stays at its address, unchanged, until wk_strtab_forget_places: a long
 * text that is added again from the same address is not read again. */
uint32_t wk_strtab_add_lasting(struct wk_strtab *tab, struct wk_str text);
void wk_strtab_forget_places(struct wk_strtab *tab);

/* The id of `text`, or 0. */
uint32_t wk_strtab_find(const struct wk_strtab *tab, struct wk_str text);

/* An id that is not in the table gives the empty text. */
const char *wk_strtab_get(const struct wk_strtab *tab, uint32_t id);
struct wk_str wk_strtab_str(const struct wk_strtab *tab, uint32_t id);

#endif
