/* A growing list of borrowed texts, such as the values of an option or the words of a command line.
 * `at` is NULL while the list is empty, and ends with NULL after an addition. */
#ifndef WK_BASE_TEXT_TEXT_LIST_H
#define WK_BASE_TEXT_TEXT_LIST_H

#include <stddef.h>

struct wk_text_list {
	const char **at;
	size_t count, cap;
};

void wk_text_list_add(struct wk_text_list *list, const char *text);

/* `option` and then `value`; nothing if the value is NULL. */
void wk_text_list_add_pair(struct wk_text_list *list, const char *option, const char *value);
void wk_text_list_fini(struct wk_text_list *list);

#endif
