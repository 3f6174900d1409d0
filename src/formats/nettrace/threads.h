/* Threads. Before version 6 events have the system's numbers of threads; in version 6 they have
 * numbers that blocks of threads explain. */
#ifndef WK_FORMATS_NETTRACE_THREADS_H
#define WK_FORMATS_NETTRACE_THREADS_H

#include "base/arena.h"
#include "base/bytes.h"
#include "base/map.h"

struct wk_nettrace_thread {
	uint32_t pid, tid;
};

struct wk_nettrace_thread_name {
	uint32_t pid, tid;
	struct wk_str name;
	bool is_taken;
};

struct wk_nettrace_threads {
	struct wk_nettrace_thread *at;
	size_t count, cap;
	struct wk_map row_of; /* number: row + 1 */
	struct wk_arena texts;
	struct wk_nettrace_thread_name *names;
	size_t name_count, name_cap;
	struct wk_map named; /* pid and tid, hashed: row of the name + 1 */
};

void wk_nettrace_threads_fini(struct wk_nettrace_threads *threads);

/* A block of threads. False if it ends inside one. */
bool wk_nettrace_threads_add(struct wk_nettrace_threads *threads, struct wk_bytes block);
void wk_nettrace_threads_forget(struct wk_nettrace_threads *threads);

/* NULL if the number was not explained. */
const struct wk_nettrace_thread *wk_nettrace_threads_find(const struct wk_nettrace_threads *threads,
							  uint64_t number);

/* The first name of a thread stays. */
void wk_nettrace_threads_name(struct wk_nettrace_threads *threads, uint32_t pid, uint32_t tid,
			      struct wk_str name);

/* The name of a thread at its first event: NULL if it has none, or if it was asked for before. */
const struct wk_nettrace_thread_name *wk_nettrace_threads_take_name(
	struct wk_nettrace_threads *threads, uint32_t pid, uint32_t tid);

/* A number of a thread or process of 64 bits; Linux, macOS and Windows use 32. */
static inline uint32_t wk_nettrace_id(uint64_t number)
{
	return (uint32_t)number;
}

#endif
