/* Functions that nothing calls: where a program, a thread or a goroutine begins. */
#ifndef WK_NAMES_ROOT_NAME_H
#define WK_NAMES_ROOT_NAME_H

#include <stdbool.h>

#include "base/str.h"

/* `name` as linked. */
bool wk_name_is_root(struct wk_str name);

#endif
