#include "fetch/quota.h"

#include <errno.h>

#include "base/mem.h"
#include "symbols/cache/cache.h"

uint64_t wk_fetch_quota_most_bytes(void)
{
	struct wk_buf complaint = { 0 }; /* reported by the symbol cache */
	uint64_t most = wk_cache_usual_bytes(&complaint);

	wk_buf_fini(&complaint);
	return most;
}

static bool has_room(uint64_t used_bytes)
{
	return used_bytes == 0 || used_bytes < wk_fetch_quota_most_bytes();
}

bool wk_fetch_quota_is_left(const struct wk_fetch_quota *quota, size_t job)
{
	uint64_t used_bytes = quota->used_bytes;

	for (size_t i = 0; quota->came_bytes && i < job; i++)
		used_bytes += quota->came_bytes[i];
	return has_room(used_bytes);
}

void wk_fetch_quota_add(struct wk_fetch_quota *quota, size_t job, uint64_t bytes)
{
	if (quota->came_bytes)
		quota->came_bytes[job] += bytes;
}

bool wk_fetch_quota_merge(struct wk_fetch_quota *quota, uint64_t bytes)
{
	if (bytes && !has_room(quota->used_bytes))
		return false;
	quota->used_bytes += bytes;
	return true;
}

bool wk_fetch_quota_open(struct wk_os_keep *keep, struct wk_outcome *outcome)
{
	char *path;

	*keep = (struct wk_os_keep){ .fd = wk_os_temporary(&path), .is_nameless = true };
	if (keep->fd < 0)
		*outcome = (struct wk_outcome){ .kind = WK_OUTCOME_NO_FOLDER,
						.number = (uint64_t)errno };
	else
		wk_free(path);
	return keep->fd >= 0;
}
