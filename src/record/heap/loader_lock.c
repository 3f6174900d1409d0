#include "record/heap/loader_lock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "os/os.h"

#define VARIABLE     "_rtld_global"
#define MOST_BYTES   8192u /* of the variable; it has half of that */
#define PIECE        64u
#define IS_RECURSIVE 1 /* PTHREAD_MUTEX_RECURSIVE_NP */

/* struct __pthread_mutex_s */
struct lock {
	uint32_t value, count, owner, users, kind, spins;
};

struct variable {
	uint64_t at;
	size_t bytes;
	uint8_t copy[MOST_BYTES];
};

static bool read_variable(const struct wk_remote *remote, struct variable *variable)
{
	uint64_t base = wk_remote_find_file(remote, WK_LOADER);

	variable->bytes = 0;
	variable->at = base ? wk_remote_find_symbol(remote, base, VARIABLE) : 0;
	if (!variable->at)
		return false;
	while (variable->bytes < MOST_BYTES &&
	       wk_remote_read(remote, variable->at + variable->bytes,
			      variable->copy + variable->bytes, PIECE))
		variable->bytes += PIECE;
	return true;
}

/* The number that the thread has in its own process; that of wick may be another. */
static uint32_t own_number(const struct wk_remote *remote, pid_t tid)
{
	static const char name[] = "\nNSpid:\t";
	uint32_t number = (uint32_t)tid;
	struct wk_buf text = { 0 };
	const char *at = NULL;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task/%d/status", (int)remote->pid, (int)tid);
	if (wk_os_read_small(path, &text))
		at = strstr(wk_buf_text(&text), name);
	for (at = at ? at + sizeof(name) - 1 : NULL; at && *at && *at != '\n';) {
		char *end;

		number = (uint32_t)strtoul(at, &end, 10);
		at = *end == '\t' ? end + 1 : NULL;
	}
	wk_buf_fini(&text);
	return number;
}

static bool is_held(const struct wk_remote *remote, pid_t tid, bool is_by_others)
{
	uint32_t number = own_number(remote, tid);
	struct variable variable;
	struct lock lock;

	if (!read_variable(remote, &variable))
		return false;
	for (size_t i = 0; i + sizeof(lock) <= variable.bytes; i += sizeof(uint64_t)) {
		memcpy(&lock, variable.copy + i, sizeof(lock));
		if ((lock.value == 1 || lock.value == 2) && lock.count && lock.owner &&
		    lock.users == 1 && lock.kind == IS_RECURSIVE &&
		    (lock.owner == number) != is_by_others)
			return true;
	}
	return false;
}

bool wk_loader_lock_is_held_by(const struct wk_remote *remote, pid_t tid)
{
	return is_held(remote, tid, false);
}

bool wk_loader_lock_is_held_by_others(const struct wk_remote *remote, pid_t tid)
{
	return is_held(remote, tid, true);
}

bool wk_loader_lock_is_at(const struct wk_remote *remote, uint64_t at)
{
	struct variable variable;
	struct lock lock;

	if (!read_variable(remote, &variable) || at < variable.at ||
	    at - variable.at + sizeof(lock) > variable.bytes)
		return false;
	memcpy(&lock, variable.copy + (at - variable.at), sizeof(lock));
	return lock.kind == IS_RECURSIVE;
}
