#include "fetch/fetch_quota.h"

#include <errno.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/num.h"
#include "symbols/cache/cache.h"

#define REMARK "what it sent is kept for this run alone"

static uint64_t most_bytes(void)
{
	struct wk_buf complaint = { 0 }; /* that of the symbol cache is enough */
	uint64_t most = wk_cache_usual_bytes(&complaint);

	wk_buf_fini(&complaint);
	return most;
}

static bool has_room(uint64_t used_bytes)
{
	return used_bytes == 0 || used_bytes < most_bytes();
}

bool wk_fetch_quota_is_left(const struct wk_fetch_quota *room, size_t job)
{
	uint64_t used_bytes = room->used_bytes;

	wk_os_lock_acquire(room->lock);
	for (size_t i = 0; room->came_bytes && i < job; i++)
		used_bytes += room->came_bytes[i];
	wk_os_lock_leave(room->lock);
	return has_room(used_bytes);
}

void wk_fetch_quota_add(struct wk_fetch_quota *room, size_t job, uint64_t bytes)
{
	wk_os_lock_acquire(room->lock);
	if (room->came_bytes)
		room->came_bytes[job] += bytes;
	wk_os_lock_leave(room->lock);
}

bool wk_fetch_quota_merge(struct wk_fetch_quota *room, uint64_t bytes)
{
	if (bytes && !has_room(room->used_bytes))
		return false;
	room->used_bytes += bytes;
	return true;
}

void wk_fetch_quota_fail(struct wk_err *err)
{
	struct wk_buf most = { 0 };

	wk_num_add_bytes(&most, most_bytes());
	wk_fail(err, WK_EIO, WK_NOWHERE,
		"not asked for more, since without a cache what was fetched is kept for this run "
		"alone, and that is %s already (WICK_CACHE_SIZE)",
		wk_buf_text(&most));
	wk_buf_fini(&most);
}

void wk_fetch_quota_add_remark(struct wk_buf *text, const struct wk_err *why)
{
	wk_buf_add_fmt(text, REMARK ", since there is no cache (%s)", why->text);
}

static bool is_remark(const char *complaint)
{
	return wk_str_starts(wk_str_c(complaint), REMARK);
}

void wk_fetch_quota_warn(char **complaint, char **next)
{
	if (!*next || (*complaint && (!is_remark(*complaint) || is_remark(*next))))
		return;
	wk_free(*complaint);
	*complaint = *next;
	*next = NULL;
}

bool wk_fetch_quota_open(struct wk_os_keep *keep, struct wk_err *err)
{
	char *path;

	*keep = (struct wk_os_keep){ .fd = wk_os_temporary(&path), .is_nameless = true };
	if (keep->fd < 0)
		return wk_fail_os(err, errno,
				  "not asked, since there is no folder for what comes: "
				  "neither a cache nor TMPDIR");
	wk_free(path);
	return true;
}
