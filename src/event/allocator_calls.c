#include "event/allocator_calls.h"

static const char *const words[WK_ALLOCATOR_CALLS] = {
	[WK_ALLOCATOR_NONE] = "",
	[WK_ALLOCATOR_MALLOC] = "malloc",
	[WK_ALLOCATOR_CALLOC] = "calloc",
	[WK_ALLOCATOR_REALLOC] = "realloc",
	[WK_ALLOCATOR_REALLOCARRAY] = "reallocarray",
	[WK_ALLOCATOR_POSIX_MEMALIGN] = "posixmemalign",
	[WK_ALLOCATOR_FREE] = "free",
	[WK_ALLOCATOR_MALLOC_BEHIND] = "mallocbehind",
	[WK_ALLOCATOR_CALLOC_BEHIND] = "callocbehind",
	[WK_ALLOCATOR_REALLOC_BEHIND] = "reallocbehind",
	[WK_ALLOCATOR_PVALLOC] = "pvalloc",
	[WK_ALLOCATOR_INTERNAL] = "internal",
};

const char *wk_allocator_call_word(enum wk_allocator_call call)
{
	return words[call];
}

enum wk_allocator_call wk_allocator_call_of_point(struct wk_str point, bool *is_exit,
						  struct wk_str *function)
{
	struct wk_str word;

	*is_exit = wk_str_accept(&point, WK_HEAP_EXIT);
	if (!*is_exit && !wk_str_accept(&point, WK_HEAP_ENTER))
		return WK_ALLOCATOR_NONE;
	word = wk_str_cut(&point, '_');
	*function = point;
	for (int call = WK_ALLOCATOR_NONE + 1; call < WK_ALLOCATOR_CALLS; call++)
		if (wk_str_is(word, words[call]))
			return (enum wk_allocator_call)call;
	return WK_ALLOCATOR_NONE;
}
