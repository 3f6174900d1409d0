#include "formats/nettrace/threads.h"

#include "base/hash.h"
#include "base/mem.h"
#include "formats/nettrace/file.h"

enum { INFO_NAME = 1, INFO_PROCESS, INFO_THREAD, INFO_PAIR };

void wk_nettrace_threads_fini(struct wk_nettrace_threads *threads)
{
	WK_FREE_ALL(threads->at, threads->names);
	wk_map_fini(&threads->row_of);
	wk_map_fini(&threads->named);
	wk_arena_fini(&threads->texts);
}

void wk_nettrace_threads_name(struct wk_nettrace_threads *threads, uint32_t pid, uint32_t tid,
			      struct wk_str name)
{
	uint32_t *row = wk_map_at(&threads->named, wk_hash_pair(pid, tid));

	if (*row || name.len == 0)
		return;
	*WK_APPEND(threads->names, threads->name_count, threads->name_cap) =
		(struct wk_nettrace_thread_name){ pid, tid, wk_arena_copy(&threads->texts, name),
						  false };
	*row = (uint32_t)threads->name_count;
}

const struct wk_nettrace_thread_name *wk_nettrace_threads_take_name(
	struct wk_nettrace_threads *threads, uint32_t pid, uint32_t tid)
{
	uint32_t row =
		threads->name_count ? wk_map_find(&threads->named, wk_hash_pair(pid, tid)) : 0;
	struct wk_nettrace_thread_name *name = row ? &threads->names[row - 1] : NULL;

	if (!name || name->is_taken)
		return NULL;
	name->is_taken = true;
	return name;
}

/* Up to the first kind of information that is unknown. */
static bool read_thread(struct wk_nettrace_threads *threads, struct wk_bytes in)
{
	struct wk_nettrace_thread thread = { 0 };
	uint64_t number = wk_uleb(&in);
	struct wk_str name = { 0 };
	bool is_known = true;

	while (is_known && wk_bytes_left(&in)) {
		uint8_t info = wk_u8(&in);

		if (info == INFO_NAME)
			name = wk_nettrace_read_text(&in);
		else if (info == INFO_PROCESS)
			thread.pid = wk_nettrace_id(wk_uleb(&in));
		else if (info == INFO_THREAD)
			thread.tid = wk_nettrace_id(wk_uleb(&in));
		else if (info == INFO_PAIR)
			(void)wk_nettrace_read_text(&in), (void)wk_nettrace_read_text(&in);
		else
			is_known = false;
	}
	if (in.bad)
		return false;
	*WK_APPEND(threads->at, threads->count, threads->cap) = thread;
	wk_map_set(&threads->row_of, number, (uint32_t)threads->count);
	wk_nettrace_threads_name(threads, thread.pid, thread.tid, name);
	return true;
}

bool wk_nettrace_threads_add(struct wk_nettrace_threads *threads, struct wk_bytes in)
{
	bool ok = true;

	while (ok && wk_bytes_left(&in)) {
		struct wk_bytes row = wk_bytes_slice(&in, wk_u16le(&in));

		ok = !row.bad && read_thread(threads, row);
	}
	return ok && !in.bad;
}

void wk_nettrace_threads_forget(struct wk_nettrace_threads *threads)
{
	threads->count = 0;
	wk_map_fini(&threads->row_of);
	threads->row_of = (struct wk_map){ 0 };
}

const struct wk_nettrace_thread *wk_nettrace_threads_find(const struct wk_nettrace_threads *threads,
							  uint64_t number)
{
	uint32_t row = wk_map_find(&threads->row_of, number);

	return row ? &threads->at[row - 1] : NULL;
}
