#include "base/text/text_list.h"

#include "base/mem.h"

void wk_text_list_add(struct wk_text_list *list, const char *text)
{
	WK_RESERVE(list->at, list->cap, list->count + 2);
	list->at[list->count++] = text;
	list->at[list->count] = NULL;
}

void wk_text_list_add_pair(struct wk_text_list *list, const char *option, const char *value)
{
	if (!value)
		return;
	wk_text_list_add(list, option);
	wk_text_list_add(list, value);
}

void wk_text_list_fini(struct wk_text_list *list)
{
	wk_free(list->at);
	*list = (struct wk_text_list){ 0 };
}
