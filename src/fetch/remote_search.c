/* One search: through what was fetched before, folders and servers, in their order. */
#include "fetch/remote_search.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "fetch/fetch_workers.h"
#include "fetch/remote_internal.h"
#include "fetch/remote_misses.h"
#include "fetch/store.h"
#include "os/folder.h"

/* What one server said, behind what others did: "http://host/x: it does not have it". */
static void say(struct wk_remote_search *s, const char *server, const char *what)
{
	wk_buf_add_fmt(&s->said, "%s%s: %s", s->said.len ? "; " : "", server, what);
}

/* What a person must be told, who may have hoped for more. */
static void note_complaint(struct wk_remote_search *s, const struct wk_remote_host *host,
			   const char *what)
{
	size_t number = (size_t)(host - s->remote->hosts);

	if (!s->complaints)
		s->complaints = wk_alloc_zeroed(s->remote->host_count, sizeof(*s->complaints));
	if (!s->complaints[number])
		s->complaints[number] = wk_strndup(what, strlen(what));
}

static void complain(struct wk_remote_search *s, const struct wk_remote_host *host,
		     const char *what)
{
	say(s, host->at.shown, what);
	note_complaint(s, host, what);
}

static uint64_t size_of(const char *path)
{
	struct wk_os_identity identity;

	return wk_os_identify(path, &identity, NULL) ? identity.size_bytes : 0;
}

static void say_found(struct wk_remote_search *s, const char *server, const char *path)
{
	struct wk_buf size = { 0 };

	wk_buf_reset(&s->said);
	wk_num_add_bytes(&size, size_of(path));
	wk_buf_add_fmt(&s->said, "fetched from %s (%s)", server, wk_buf_text(&size));
	wk_buf_fini(&size);
}

static void say_remembered(struct wk_remote_search *s, struct wk_remote_host *host,
			   const struct wk_remote_memory *memory)
{
	struct wk_buf text = { 0 };

	wk_remote_memory_add_words(memory, &text);
	if (memory->is_missing)
		say(s, host->at.shown, wk_buf_text(&text));
	else
		complain(s, host, wk_buf_text(&text));
	wk_buf_fini(&text);
}

static void note_newest(struct wk_remote_search *s)
{
	struct wk_str name = wk_str_basename(wk_buf_str(&s->path));

	wk_free(s->newest);
	s->newest = wk_strndup(name.at, name.len);
}

/* It is of use all the same, but costs as much the next time. */
static void note_unkept(struct wk_remote_search *s, const struct wk_remote_host *host,
			const struct wk_err *why)
{
	struct wk_buf text = { 0 };

	wk_fetch_quota_add_remark(&text, why);
	note_complaint(s, host, wk_buf_text(&text));
	wk_buf_fini(&text);
}

static struct wk_fetcher *fetcher_of(struct wk_remote_search *s)
{
	struct wk_remote *remote = s->remote;

	if (!s->fetcher && !remote->fetcher)
		remote->fetcher = wk_fetcher_new(&remote->options);
	return s->fetcher ? s->fetcher : remote->fetcher;
}

/* A file without a name, which takes its place when it is found to be the wanted one; where it can
 * have none, for the reason in `why`, one that has none. */
static enum wk_fetched open_draft(struct wk_remote_search *s, struct wk_os_keep *keep,
				  struct wk_err *why, struct wk_err *err)
{
	struct wk_remote *remote = s->remote;

	*why = remote->no_folder;
	if (remote->folder && wk_os_keep_open(keep, wk_buf_text(&s->path), why))
		return WK_FETCH_DONE;
	if (wk_fetch_lacks_files(err))
		return WK_FETCH_IMPOSSIBLE;
	if (s->has_no_room || !wk_fetch_quota_is_left(&remote->room, s->job)) {
		wk_fetch_quota_fail(err);
		return WK_FETCH_QUOTA_REACHED;
	}
	return wk_fetch_quota_open(keep, err) ? WK_FETCH_DONE : WK_FETCH_IMPOSSIBLE;
}

/* For this run alone: the file is open until the remote is closed. */
static void keep_open(struct wk_remote_search *s, const struct wk_os_keep *keep, const char *url)
{
	s->is_unkept = true;
	s->unkept = *keep;
	wk_buf_reset(&s->path);
	wk_buf_add_fmt(&s->path, "/proc/self/fd/%d", keep->fd);
	wk_buf_add_text(&s->unkept_url, url);
	s->unkept_bytes = size_of(wk_buf_text(&s->path));
	wk_fetch_quota_add(&s->remote->room, s->job, s->unkept_bytes);
}

/* Of one search to one host. */
struct question {
	struct wk_remote_search *s;
	const struct wk_remote_host *host;
};

static bool is_left_alone(void *context)
{
	const struct question *question = context;
	struct wk_os_lock *lock = question->s->remote->lock;
	bool is_alone;

	wk_os_lock_acquire(lock);
	is_alone = question->host->why_down != NULL;
	wk_os_lock_leave(lock);
	return is_alone;
}

static enum wk_fetched fetch_one(struct wk_remote_search *s, const struct wk_remote_host *host,
				 const struct wk_fetch *wish, struct wk_err *err)
{
	struct question question = { s, host };
	struct wk_fetch fetch = *wish;
	struct wk_err why = { 0 };
	struct wk_os_keep keep;
	enum wk_fetched fetched = open_draft(s, &keep, &why, err);
	bool ok;

	if (fetched != WK_FETCH_DONE)
		return fetched;
	fetch.fd = keep.fd;
	fetch.is_in_vain = is_left_alone;
	fetch.context = &question;
	fetched = wk_fetch(fetcher_of(s), &fetch, err);
	ok = fetched == WK_FETCH_DONE && wk_remote_check_fd(keep.fd, &s->wish.id, err);
	if (ok && why.code) {
		keep_open(s, &keep, wish->shown_url);
		note_unkept(s, host, &why);
		return WK_FETCH_DONE;
	}
	if (!wk_os_keep_end(&keep, ok))
		ok = wk_fail_os(err, errno, "cannot keep %s", wk_buf_text(&s->path));
	if (ok)
		note_newest(s);
	return fetched == WK_FETCH_DONE && !ok ? WK_FETCH_FAILED : fetched;
}

/* All places where this server may have it, until one does or the server fails. */
static enum wk_fetched fetch_from(struct wk_remote_search *s, const struct wk_remote_host *host,
				  struct wk_err *err)
{
	struct wk_buf place = { 0 }, url = { 0 }, shown = { 0 }, name = { 0 };
	enum wk_fetched fetched = WK_FETCH_NOT_THERE;

	wk_buf_add_str(&name, s->wish.name);
	for (unsigned i = 0;
	     fetched == WK_FETCH_NOT_THERE && wk_remote_place(&host->at, &s->wish, i, &place);
	     i++) {
		if (place.len == 0)
			continue;
		wk_buf_reset(&url);
		wk_buf_reset(&shown);
		wk_buf_add_fmt(&url, "%s%s", host->at.base, wk_buf_text(&place));
		wk_buf_add_fmt(&shown, "%s%s", host->at.shown, wk_buf_text(&place));
		*err = (struct wk_err){ 0 };
		fetched = fetch_one(s, host, &(struct wk_fetch){
			.url = wk_buf_text(&url), .shown_url = wk_buf_text(&shown),
			.name = name.len ? wk_buf_text(&name) : NULL }, err);
	}
	wk_buf_fini(&name);
	wk_buf_fini(&place);
	wk_buf_fini(&url);
	wk_buf_fini(&shown);
	return fetched;
}

/* Is it left alone? Then why is said. */
static bool is_said_alone(struct wk_remote_search *s, const struct wk_remote_host *host)
{
	struct question question = { s, host };
	bool is_alone = is_left_alone(&question);

	if (is_alone)
		complain(s, host, host->why_down); /* which stays as it is */
	return is_alone;
}

/* From now on, for the reason that was told first. */
static void leave_alone(struct wk_remote_search *s, struct wk_remote_host *host, const char *why)
{
	struct wk_os_lock *lock = s->remote->lock;

	wk_os_lock_acquire(lock);
	if (!host->why_down)
		host->why_down = wk_strndup(why, strlen(why));
	wk_os_lock_leave(lock);
}

static void remember(struct wk_remote_search *s, const struct wk_remote_host *host,
		     enum wk_fetched fetched)
{
	if (fetched == WK_FETCH_IMPOSSIBLE || fetched == WK_FETCH_STOPPED ||
	    fetched == WK_FETCH_QUOTA_REACHED || !s->memory_path.len)
		return;
	wk_remote_remember(wk_buf_text(&s->memory_path), host->at.remembered_as,
			   fetched == WK_FETCH_NOT_THERE);
	s->has_remembered = true;
}

static bool ask(struct wk_remote_search *s, struct wk_remote_host *host)
{
	struct wk_err err = { 0 };
	enum wk_fetched fetched;

	if (is_said_alone(s, host))
		return false;
	fetched = fetch_from(s, host, &err);
	if (fetched == WK_FETCH_IN_VAIN && is_said_alone(s, host))
		return false;
	if (wk_fetch_is_end(fetched))
		leave_alone(s, host, err.text);
	s->was_stopped |= fetched == WK_FETCH_STOPPED;
	if (fetched == WK_FETCH_DONE)
		say_found(s, host->at.shown, wk_buf_text(&s->path));
	else if (fetched == WK_FETCH_NOT_THERE)
		say(s, host->at.shown, "it does not have it");
	else
		complain(s, host, err.text);
	if (fetched != WK_FETCH_DONE)
		remember(s, host, fetched);
	return fetched == WK_FETCH_DONE;
}

static bool ask_server(struct wk_remote_search *s, struct wk_remote_host *host)
{
	struct wk_remote_memory memory;

	if (s->memory_path.len &&
	    wk_remote_remembers(wk_buf_text(&s->memory_path), host->at.remembered_as, &memory)) {
		say_remembered(s, host, &memory);
		return false;
	}
	if (s->is_look) {
		s->is_open = true;
		return false;
	}
	return ask(s, host);
}

/* The name of a file in a folder's layouts, which a person may want to see. */
static void say_not_there(struct wk_remote_search *s, struct wk_remote_host *host)
{
	struct wk_buf place = { 0 }, text = { 0 };
	struct wk_os_identity identity;
	struct wk_err err = { 0 };

	if (!wk_os_identify(host->at.base, &identity, &err)) {
		complain(s, host, err.code == WK_ENOTFOUND ? "there is no such folder" : err.text);
		return;
	}
	wk_buf_add_text(&text, "it does not have it as");
	for (unsigned i = 0; wk_remote_place(&host->at, &s->wish, i, &place); i++)
		if (place.len)
			wk_buf_add_fmt(&text, "%s %s", i ? " or" : "", wk_buf_text(&place) + 1);
	say(s, host->at.shown, wk_buf_text(&text));
	wk_buf_fini(&place);
	wk_buf_fini(&text);
}

/* What lies in a folder is used where it lies. */
static bool look_into(struct wk_remote_search *s, struct wk_remote_host *host)
{
	struct wk_buf place = { 0 }, path = { 0 };
	struct wk_err err = { 0 };
	bool found = false;

	for (unsigned i = 0; !found && wk_remote_place(&host->at, &s->wish, i, &place); i++) {
		struct wk_err tried = { 0 };

		if (place.len == 0)
			continue;
		wk_buf_reset(&path);
		wk_buf_add_fmt(&path, "%s%s", host->at.base, wk_buf_text(&place));
		found = wk_remote_check(wk_buf_text(&path), &s->wish.id, &tried) &&
			(s->wish.which == WK_REMOTE_IMAGE ||
			 wk_remote_says_more(wk_buf_text(&path), &tried));
		if (!found && tried.code != WK_ENOTFOUND)
			wk_fail(&err, tried.code, WK_NOWHERE, "%s: %s", wk_buf_text(&path),
				tried.text);
	}
	if (found) {
		wk_buf_reset(&s->said);
		wk_buf_reset(&s->path);
		wk_buf_add_str(&s->path, wk_buf_str(&path));
		wk_buf_add_fmt(&s->said, "found in %s", host->at.shown);
	} else if (err.code) {
		say(s, host->at.shown, err.text);
	} else {
		say_not_there(s, host);
	}
	wk_buf_fini(&place);
	wk_buf_fini(&path);
	return found;
}

bool wk_remote_has_folder(struct wk_remote *remote)
{
	struct wk_os_folder *folder;

	if (remote->is_folder_known)
		return remote->folder != NULL;
	remote->is_folder_known = true;
	if (!remote->folder)
		wk_remote_fail_no_folder(&remote->no_folder);
	if (!remote->folder)
		return false;
	folder = wk_os_folder_open(remote->folder, wk_remote_asks_machines(remote),
				   &remote->no_folder);
	wk_os_folder_close(folder);
	if (!folder) {
		wk_free(remote->folder);
		remote->folder = NULL;
	}
	return folder != NULL;
}

/* Fetched before, from whichever server. */
static bool search_kept(struct wk_remote_search *s)
{
	wk_buf_add_fmt(&s->path, "%s/", s->remote->folder);
	wk_store_add_id(&s->path, &s->wish.id);
	wk_buf_add_text(&s->path, s->wish.which == WK_REMOTE_DEBUG ? ".debuginfo" : ".executable");
	wk_buf_add_fmt(&s->memory_path, "%s.asked", wk_buf_text(&s->path));
	if (!wk_remote_check(wk_buf_text(&s->path), &s->wish.id, NULL))
		return false;
	wk_os_note_use(wk_buf_text(&s->path));
	wk_buf_add_text(&s->said, "fetched before");
	return true;
}

bool wk_remote_search_run(struct wk_remote_search *s)
{
	struct wk_remote *remote = s->remote;
	bool found = wk_remote_has_folder(remote) && search_kept(s);

	for (size_t i = 0; i < remote->host_count && !found && !s->is_open; i++) {
		struct wk_remote_host *host = &remote->hosts[i];

		found = host->at.is_folder ? look_into(s, host) : ask_server(s, host);
	}
	return found;
}

void wk_remote_search_undo(struct wk_remote_search *s)
{
	for (size_t i = 0; s->complaints && i < s->remote->host_count; i++)
		wk_free(s->complaints[i]);
	wk_free(s->complaints);
	wk_free(s->newest);
	if (s->is_unkept)
		wk_os_keep_end(&s->unkept, false);
	wk_buf_fini(&s->unkept_url);
	wk_buf_fini(&s->path);
	wk_buf_fini(&s->memory_path);
	wk_buf_fini(&s->said);
}

void wk_remote_search_finish(struct wk_remote_search *s)
{
	struct wk_remote *remote = s->remote;

	for (size_t i = 0; s->complaints && i < remote->host_count; i++)
		wk_fetch_quota_warn(&remote->hosts[i].complaint, &s->complaints[i]);
	remote->has_remembered |= s->has_remembered;
	remote->was_stopped |= s->was_stopped;
	if (s->newest && !remote->lacks_room) { /* of several the first is dearest */
		wk_free(remote->newest);
		remote->newest = s->newest;
		remote->lacks_room = true;
		s->newest = NULL;
	}
	wk_remote_search_undo(s);
}

void wk_remote_trim_for_newest(struct wk_remote *remote)
{
	if (remote->lacks_room)
		wk_remote_trim_default(remote->folder, remote->newest);
	remote->lacks_room = false;
}
