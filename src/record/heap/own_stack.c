#include "record/heap/own_stack.h"

#include <stdio.h>

#include "event/event.h"
#include "os/os.h"
#include "record/proc_scan.h"

#define NEEDED_BYTES (64u << 10) /* of stack, for what it is made to call */
#define PAGE         4096u
#define THREAD_BYTES 4096u /* more than glibc's struct pthread has */
#define END_BYTES    8192u /* from its address to the end of the stack */

/* The first thread's stack grows by itself. */
static bool is_first_stack(const struct wk_remote *remote, uint64_t sp)
{
	struct wk_buf maps = { 0 };
	struct wk_event_image image;
	bool is_first = false;
	struct wk_str rest;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)remote->pid);
	if (wk_os_read_small(path, &maps))
		for (rest = wk_buf_str(&maps); rest.len && !is_first;)
			is_first = wk_proc_map_line(wk_str_cut(&rest, '\n'), &image) &&
				   wk_str_is(image.path, "[stack]") &&
				   sp - image.start < image.size_bytes;
	wk_buf_fini(&maps);
	return is_first;
}

static bool can_read_all(const struct wk_remote *remote, uint64_t from, uint64_t to)
{
	char byte;

	for (uint64_t at = from; at < to; at += PAGE)
		if (!wk_remote_read(remote, at, &byte, 1))
			return false;
	return true;
}

/* glibc puts struct pthread at the end of the thread's stack. Three of its words, whose place
 * depends on the version, are the stack's address, its size, and that of the guard in it. */
static bool is_thread_stack(const struct wk_remote *remote, uint64_t sp, uint64_t thread)
{
	uint64_t words[THREAD_BYTES / sizeof(uint64_t)];
	size_t count = 0;

	while (count < sizeof(words) / sizeof(*words) &&
	       wk_remote_read(remote, thread + count * sizeof(*words), &words[count],
			      sizeof(*words)))
		count++;
	for (size_t i = 0; i + 2 < count; i++) {
		uint64_t start = words[i], size = words[i + 1], guard = words[i + 2];

		if (!start || start > sp || sp >= thread || size < thread - start ||
		    size - (thread - start) > END_BYTES || guard >= size)
			continue;
		return sp - start >= guard + NEEDED_BYTES &&
		       can_read_all(remote, sp - NEEDED_BYTES, sp);
	}
	return false;
}

/* The first thread of a process that another thread has forked runs on that one's stack. */
bool wk_own_stack(const struct wk_remote *remote, pid_t tid,
		  const struct user_regs_struct *registers)
{
	uint64_t sp = registers->rsp;

	return (tid == remote->pid && is_first_stack(remote, sp)) ||
	       is_thread_stack(remote, sp, registers->fs_base);
}
