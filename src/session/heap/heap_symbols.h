/* Functions of allocators in the files of programs, by their names.
 *
 * They are needed for programs that the heap library cannot be loaded into, or whose allocator has
 * names of its own. A list chooses what is searched, separated by commas: NAME=FUNCTION is a
 * function that does what malloc, calloc, realloc, reallocarray, aligned_alloc, posix_memalign or
 * free does; PREFIX the functions of an allocator whose names begin with it; a text with a slash
 * another file to search in. Without names or prefixes, those of known allocators are searched.
 *
 * A command that loads the heap library is recorded by patching them (heap_patches.h), if all those
 * of a file can be; others by uprobes, which are root's. */
#ifndef WK_SESSION_HEAP_HEAP_SYMBOLS_H
#define WK_SESSION_HEAP_HEAP_SYMBOLS_H

#include "base/arena.h"
#include "record/recorder.h"

struct wk_heap_symbols {
	struct wk_heap_probe *probes; /* no function twice */
	size_t count, cap;
	struct wk_channel_patch *patches; /* functions that are no probes then */
	const char **patched;             /* for each of these, its file */
	size_t patch_count;
	struct wk_arena texts;
};

/* Searches the file of the command, or those of the processes, as `options` have them, and sets
 * their probes and patches. Without a list only a program that is linked statically is searched,
 * and only if this user may record it so. With a list, it is an error if nothing is found. */
bool wk_heap_symbols_find(struct wk_heap_symbols *symbols, const char *list,
			  struct wk_recorder_options *options, struct wk_err *err);
void wk_heap_symbols_fini(struct wk_heap_symbols *symbols);

/* Is the file, a path as the kernel has it, recorded by uprobes? */
bool wk_heap_symbols_has_file(const struct wk_heap_symbols *symbols, const char *path);

/* Are functions of the file patched, or of any file if that is NULL? */
bool wk_heap_symbols_patch(const struct wk_heap_symbols *symbols, const char *path);

/* What functions of that name do; NONE if it is not known. `is_prefixed`: it followed the prefix of
 * an allocator. */
enum wk_allocator_call wk_heap_symbol_call(struct wk_str name, bool is_prefixed);

#endif
