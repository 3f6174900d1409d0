#include "session/heap/heap_symbols.h"

struct name {
	const char *name;
	enum wk_allocator_call call;
	bool is_standard; /* without a prefix as well */
};

/* clang-format off */
static const struct name names[] = {
	{ "malloc", WK_ALLOCATOR_MALLOC, true },
	{ "calloc", WK_ALLOCATOR_CALLOC, true },
	{ "realloc", WK_ALLOCATOR_REALLOC, true },
	{ "reallocarray", WK_ALLOCATOR_REALLOCARRAY, true },
	{ "posix_memalign", WK_ALLOCATOR_POSIX_MEMALIGN, true },
	{ "aligned_alloc", WK_ALLOCATOR_MALLOC_BEHIND, true },
	{ "memalign", WK_ALLOCATOR_MALLOC_BEHIND, true },
	{ "valloc", WK_ALLOCATOR_MALLOC, true },
	{ "pvalloc", WK_ALLOCATOR_PVALLOC, true },
	{ "free", WK_ALLOCATOR_FREE, true },
	{ "cfree", WK_ALLOCATOR_FREE, true },
	{ "free_sized", WK_ALLOCATOR_FREE, true },
	{ "free_aligned_sized", WK_ALLOCATOR_FREE, true },
	/* glibc's, at the end of a thread: it frees what was freed before and kept for reuse */
	{ "__malloc_arena_thread_freeres", WK_ALLOCATOR_INTERNAL, true },
	/* C++ */
	{ "_Znwm", WK_ALLOCATOR_MALLOC, true },
	{ "_Znam", WK_ALLOCATOR_MALLOC, true },
	{ "_ZnwmRKSt9nothrow_t", WK_ALLOCATOR_MALLOC, true },
	{ "_ZnamRKSt9nothrow_t", WK_ALLOCATOR_MALLOC, true },
	{ "_ZnwmSt11align_val_t", WK_ALLOCATOR_MALLOC, true },
	{ "_ZnamSt11align_val_t", WK_ALLOCATOR_MALLOC, true },
	{ "_ZnwmSt11align_val_tRKSt9nothrow_t", WK_ALLOCATOR_MALLOC, true },
	{ "_ZnamSt11align_val_tRKSt9nothrow_t", WK_ALLOCATOR_MALLOC, true },
	{ "_ZdlPv", WK_ALLOCATOR_FREE, true },
	{ "_ZdaPv", WK_ALLOCATOR_FREE, true },
	{ "_ZdlPvm", WK_ALLOCATOR_FREE, true },
	{ "_ZdaPvm", WK_ALLOCATOR_FREE, true },
	{ "_ZdlPvSt11align_val_t", WK_ALLOCATOR_FREE, true },
	{ "_ZdaPvSt11align_val_t", WK_ALLOCATOR_FREE, true },
	{ "_ZdlPvmSt11align_val_t", WK_ALLOCATOR_FREE, true },
	{ "_ZdaPvmSt11align_val_t", WK_ALLOCATOR_FREE, true },
	{ "_ZdlPvRKSt9nothrow_t", WK_ALLOCATOR_FREE, true },
	{ "_ZdaPvRKSt9nothrow_t", WK_ALLOCATOR_FREE, true },
	/* jemalloc */
	{ "mallocx", WK_ALLOCATOR_MALLOC, false },
	{ "rallocx", WK_ALLOCATOR_REALLOC, false },
	{ "dallocx", WK_ALLOCATOR_FREE, false },
	{ "sdallocx", WK_ALLOCATOR_FREE, false },
	/* tcmalloc */
	{ "new", WK_ALLOCATOR_MALLOC, false },
	{ "newarray", WK_ALLOCATOR_MALLOC, false },
	{ "new_nothrow", WK_ALLOCATOR_MALLOC, false },
	{ "newarray_nothrow", WK_ALLOCATOR_MALLOC, false },
	{ "new_aligned", WK_ALLOCATOR_MALLOC, false },
	{ "newarray_aligned", WK_ALLOCATOR_MALLOC, false },
	{ "delete", WK_ALLOCATOR_FREE, false },
	{ "deletearray", WK_ALLOCATOR_FREE, false },
	{ "delete_sized", WK_ALLOCATOR_FREE, false },
	{ "deletearray_sized", WK_ALLOCATOR_FREE, false },
	{ "delete_aligned", WK_ALLOCATOR_FREE, false },
	{ "deletearray_aligned", WK_ALLOCATOR_FREE, false },
	/* mimalloc */
	{ "zalloc", WK_ALLOCATOR_MALLOC, false },
	{ "malloc_small", WK_ALLOCATOR_MALLOC, false },
	{ "zalloc_small", WK_ALLOCATOR_MALLOC, false },
	{ "mallocn", WK_ALLOCATOR_CALLOC, false },
	{ "reallocn", WK_ALLOCATOR_REALLOCARRAY, false },
	{ "reallocf", WK_ALLOCATOR_REALLOC, false },
	{ "rezalloc", WK_ALLOCATOR_REALLOC, false },
	{ "recalloc", WK_ALLOCATOR_REALLOCARRAY, false },
	{ "malloc_aligned", WK_ALLOCATOR_MALLOC, false },
	{ "zalloc_aligned", WK_ALLOCATOR_MALLOC, false },
	{ "calloc_aligned", WK_ALLOCATOR_CALLOC, false },
	{ "realloc_aligned", WK_ALLOCATOR_REALLOC, false },
	{ "rezalloc_aligned", WK_ALLOCATOR_REALLOC, false },
	{ "recalloc_aligned", WK_ALLOCATOR_REALLOCARRAY, false },
	{ "malloc_aligned_at", WK_ALLOCATOR_MALLOC, false },
	{ "zalloc_aligned_at", WK_ALLOCATOR_MALLOC, false },
	{ "realloc_aligned_at", WK_ALLOCATOR_REALLOC, false },
	{ "new_n", WK_ALLOCATOR_CALLOC, false },
	{ "new_realloc", WK_ALLOCATOR_REALLOC, false },
	{ "new_reallocn", WK_ALLOCATOR_REALLOCARRAY, false },
	{ "heap_malloc", WK_ALLOCATOR_MALLOC_BEHIND, false },
	{ "heap_zalloc", WK_ALLOCATOR_MALLOC_BEHIND, false },
	{ "heap_malloc_small", WK_ALLOCATOR_MALLOC_BEHIND, false },
	{ "heap_mallocn", WK_ALLOCATOR_CALLOC_BEHIND, false },
	{ "heap_calloc", WK_ALLOCATOR_CALLOC_BEHIND, false },
	{ "heap_realloc", WK_ALLOCATOR_REALLOC_BEHIND, false },
	{ "heap_rezalloc", WK_ALLOCATOR_REALLOC_BEHIND, false },
	{ "heap_malloc_aligned", WK_ALLOCATOR_MALLOC_BEHIND, false },
	{ "heap_zalloc_aligned", WK_ALLOCATOR_MALLOC_BEHIND, false },
	{ "heap_realloc_aligned", WK_ALLOCATOR_REALLOC_BEHIND, false },
	{ "free_size", WK_ALLOCATOR_FREE, false },
	{ "free_size_aligned", WK_ALLOCATOR_FREE, false },
	{ "free_aligned", WK_ALLOCATOR_FREE, false },
	/* others */
	{ "alloc", WK_ALLOCATOR_MALLOC, false },
	{ "dealloc", WK_ALLOCATOR_FREE, false },
};
/* clang-format on */

enum wk_allocator_call wk_heap_symbol_call(struct wk_str name, bool is_prefixed)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (wk_str_is(name, names[i].name) && (is_prefixed || names[i].is_standard))
			return names[i].call;
	return WK_ALLOCATOR_NONE;
}
