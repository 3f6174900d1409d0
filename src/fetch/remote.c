#include "fetch/remote.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "fetch/remote_internal.h"
#include "fetch/remote_search.h"
#include "os/folder.h"

#define USUAL_MOST_BYTES   ((uint64_t)2 << 30)
#define USUAL_WAIT_SECONDS 60
#define MOST_BYTES         ((uint64_t)1 << 62)

char *wk_remote_usual_folder(void)
{
	const char *own = wk_os_env("WICK_CACHE_DIR");
	char *cache = !own ? wk_os_cache_folder() : own[0] ? wk_os_absolute(own) : NULL;
	struct wk_buf folder = { 0 };
	char *kept = NULL;

	if (cache) {
		wk_buf_add_fmt(&folder, "%s/remote", cache);
		kept = wk_strndup(folder.at, folder.len);
	}
	wk_buf_fini(&folder);
	wk_free(cache);
	return kept;
}

void wk_remote_fail_no_folder(struct wk_err *err)
{
	wk_fail(err, WK_EUNSUPPORTED, WK_NOWHERE, "%s",
		wk_os_env("WICK_CACHE_DIR") ? "WICK_CACHE_DIR is empty"
					    : "no variable HOME says where");
}

static bool add_server(struct wk_remote *remote, const char *word, struct wk_err *err)
{
	struct wk_remote_host *host = &remote->hosts[remote->host_count];

	if (!wk_remote_server_read(&host->at, word, err))
		return false;
	remote->host_count++;
	return host->at.is_folder || wk_fetch_is_possible(err);
}

void wk_remote_usual_limits(struct wk_remote_options *options)
{
	if (!options->most_bytes)
		options->most_bytes = USUAL_MOST_BYTES;
	if (options->most_bytes > MOST_BYTES)
		options->most_bytes = MOST_BYTES;
	if (!options->wait_seconds)
		options->wait_seconds = USUAL_WAIT_SECONDS;
}

struct wk_remote *wk_remote_open(const struct wk_remote_options *options, struct wk_err *err)
{
	struct wk_remote *remote = wk_alloc_zeroed(1, sizeof(*remote));
	size_t count = 0;
	bool ok = true;

	remote->options = *options;
	wk_remote_usual_limits(&remote->options);
	remote->lock = remote->room.lock = wk_os_lock_new();
	remote->folder = options->folder ? wk_strndup(options->folder, strlen(options->folder))
					 : wk_remote_usual_folder();
	while (options->servers[count])
		count++;
	remote->hosts = wk_alloc_zeroed(count + 1, sizeof(*remote->hosts));
	for (size_t i = 0; i < count && ok; i++)
		ok = add_server(remote, options->servers[i], err);
	if (ok)
		return remote;
	wk_remote_close(remote);
	return NULL;
}

void wk_remote_close(struct wk_remote *remote)
{
	if (!remote)
		return;
	if (remote->has_remembered || remote->lacks_room)
		wk_remote_trim_default(remote->folder, remote->newest);
	for (size_t i = 0; i < remote->host_count; i++) {
		wk_free(remote->hosts[i].why_down);
		wk_free(remote->hosts[i].complaint);
		wk_remote_server_fini(&remote->hosts[i].at);
	}
	for (size_t i = 0; i < remote->answer_count; i++) {
		if (remote->answers[i].is_unkept)
			wk_os_keep_end(&remote->answers[i].unkept, false);
		wk_free(remote->answers[i].path);
		wk_free(remote->answers[i].shown);
		wk_free(remote->answers[i].said);
	}
	wk_fetcher_free(remote->fetcher);
	wk_free(remote->hosts);
	wk_free(remote->answers);
	wk_index_fini(&remote->answer_of);
	wk_os_lock_free(remote->lock);
	wk_free(remote->folder);
	wk_free(remote->newest);
	wk_free(remote);
}

bool wk_remote_asks_machines(const struct wk_remote *remote)
{
	for (size_t i = 0; remote && i < remote->host_count; i++)
		if (!remote->hosts[i].at.is_folder)
			return true;
	return false;
}

static uint64_t answer_hash(enum wk_remote_file which, const struct wk_build_id *id)
{
	return wk_hash_pair(wk_hash_bytes(id->bytes, id->size), which);
}

static bool same_answer(const void *table, uint32_t number, const void *key)
{
	const struct wk_remote_answer *answer = (const struct wk_remote_answer *)table + number - 1;
	const struct wk_remote_answer *wanted = key;

	return answer->which == wanted->which && wk_build_id_eq(&answer->id, &wanted->id);
}

const struct wk_remote_answer *wk_remote_answer_find(const struct wk_remote *remote,
						     enum wk_remote_file which,
						     const struct wk_build_id *id)
{
	struct wk_remote_answer wanted = { .which = which, .id = *id };
	uint32_t number = wk_index_find(&remote->answer_of, answer_hash(which, id), same_answer,
					remote->answers, &wanted);

	return number ? &remote->answers[number - 1] : NULL;
}

size_t wk_remote_answer_add(struct wk_remote *remote, enum wk_remote_file which,
			    const struct wk_build_id *id)
{
	remote->answers = wk_grow(remote->answers, &remote->answer_cap, remote->answer_count + 1,
				  sizeof(*remote->answers));
	remote->answers[remote->answer_count++] =
		(struct wk_remote_answer){ .which = which, .id = *id };
	wk_index_add(&remote->answer_of, answer_hash(which, id), (uint32_t)remote->answer_count);
	return remote->answer_count - 1;
}

void wk_remote_answer_fill(struct wk_remote *remote, size_t number, struct wk_remote_search *s,
			   bool is_found)
{
	struct wk_remote_answer *answer = &remote->answers[number];

	if (is_found) {
		const struct wk_buf *shown = s->is_unkept ? &s->unkept_url : &s->path;

		answer->path = wk_strndup(s->path.at, s->path.len);
		answer->shown = wk_strndup(shown->at, shown->len);
		answer->is_unkept = s->is_unkept;
		answer->unkept = s->unkept;
		s->is_unkept = false;
	}
	answer->said = wk_strndup(wk_buf_text(&s->said), s->said.len);
	wk_remote_search_finish(s);
}

static const struct wk_remote_answer *look_for(struct wk_remote *remote, enum wk_remote_file which,
					       const struct wk_build_id *id,
					       struct wk_str image_path)
{
	struct wk_remote_search s = {
		.remote = remote,
		.wish = { which, *id, wk_str_basename(image_path), image_path },
	};
	size_t number = wk_remote_answer_add(remote, which, id);
	bool found;

	found = wk_remote_search_run(&s);
	wk_fetch_quota_merge(&remote->room, s.unkept_bytes);
	wk_remote_answer_fill(remote, number, &s, found);
	wk_remote_trim_for_newest(remote);
	return &remote->answers[number];
}

bool wk_remote_get(struct wk_remote *remote, enum wk_remote_file which,
		   const struct wk_build_id *id, struct wk_str image_path,
		   struct wk_remote_copy *copy, struct wk_err *err)
{
	struct wk_build_id wanted = wk_remote_id(id);
	const struct wk_remote_answer *answer;

	if (!remote)
		return wk_fail(err, WK_ENOTFOUND, WK_NOWHERE, "no symbol server is asked");
	if (wanted.size < WK_REMOTE_LEAST_ID)
		return wk_fail(err, WK_ENOTFOUND, WK_NOWHERE,
			       "symbol servers go by build ids, and it has none");
	answer = wk_remote_answer_find(remote, which, &wanted);
	if (!answer)
		answer = look_for(remote, which, &wanted, image_path);
	if (!answer->path)
		return wk_fail(err, WK_ENOTFOUND, WK_NOWHERE, "%s", answer->said);
	*copy = (struct wk_remote_copy){ answer->path, answer->shown };
	return true;
}

bool wk_remote_was_stopped(const struct wk_remote *remote)
{
	return remote && remote->was_stopped;
}

bool wk_remote_asks(const struct wk_remote *remote)
{
	return remote && remote->host_count > 0;
}

const char *wk_remote_server(const struct wk_remote *remote, size_t number, bool *is_folder)
{
	if (!remote || number >= remote->host_count)
		return NULL;
	*is_folder = remote->hosts[number].at.is_folder;
	return remote->hosts[number].at.shown;
}

const char *wk_remote_complaint(const struct wk_remote *remote, size_t number)
{
	return remote && number < remote->host_count ? remote->hosts[number].complaint : NULL;
}
