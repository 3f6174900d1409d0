/* Functions where stacks end: nothing calls those where a program, a thread or a goroutine begins,
 * and inside those that start another program the stack of the old one goes away. */
#ifndef WK_NAMES_ROOT_NAME_H
#define WK_NAMES_ROOT_NAME_H

#include <stdbool.h>

#include "base/str.h"

/* `name` as linked. */
bool wk_name_is_root(struct wk_str name);
bool wk_name_is_exec(struct wk_str name);

#endif
