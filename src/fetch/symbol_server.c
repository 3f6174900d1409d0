/* Symbol servers over http and https: the layout of a store behind an address. */
#include "fetch/symbol_files_internal.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/num.h"
#include "fetch/fetch_workers.h"
#include "fetch/remote_misses.h"
#include "fetch/remote_places.h"
#include "os/folder.h"

/* Of index2.txt. */
#define MOST_SMALL_BYTES ((uint64_t)64 << 10)

/* A question to one server. */
struct asking {
	struct wk_symbol_search *s;
	size_t place;
	struct wk_symbol_place_state *state;
	struct wk_buf memory_path; /* of what it said before; empty: nothing is remembered */
	struct wk_err err;
};

/* The user's nearest cache that there can be; empty where there is none. */
static bool find_cache(const struct asking *a, struct wk_buf *cache)
{
	const struct wk_symbol_files *files = a->s->files;

	for (size_t n = 0; n < files->path.places[a->place].cache_count && !cache->len; n++) {
		struct wk_str one = wk_symbol_cache_at(files, a->place, n);

		if (!wk_symbol_is_own(files, one))
			wk_buf_add_str(cache, one);
	}
	return cache->len && wk_os_folder_make(wk_buf_text(cache), NULL);
}

/* In wick's own folder or, where that is not to be, in the user's nearest cache. */
static bool open_in_cache(const struct asking *a, struct wk_os_keep *keep)
{
	struct wk_buf at = { 0 };
	bool ok = true;

	if (wk_symbol_files_folder(a->s->files, true))
		wk_buf_add_fmt(&at, "%s.pdb", wk_buf_text(&a->s->own));
	else if ((ok = find_cache(a, &at)))
		wk_buf_add_text(&at, "/fetched");
	ok = ok && wk_os_keep_open(keep, wk_buf_text(&at), NULL);
	wk_buf_fini(&at);
	return ok;
}

/* A file for what comes, without a name where that can be: where the copies lie or, if there are to
 * be none, anywhere. */
static enum wk_fetched open_draft(struct asking *a, bool is_small, struct wk_os_keep *keep)
{
	struct wk_symbol_search *s = a->s;

	if (open_in_cache(a, keep))
		return WK_FETCH_DONE;
	if (wk_fetch_lacks_files(&a->err))
		return WK_FETCH_IMPOSSIBLE;
	if (!is_small && (s->has_no_room || !wk_fetch_quota_is_left(&s->files->room, s->job))) {
		wk_fetch_quota_fail(&a->err);
		return WK_FETCH_QUOTA_REACHED;
	}
	return wk_fetch_quota_open(keep, &a->err) ? WK_FETCH_DONE : WK_FETCH_IMPOSSIBLE;
}

static bool is_in_vain(void *context)
{
	const struct asking *a = context;
	struct wk_os_lock *lock = a->s->files->lock;
	bool is_alone;

	wk_os_lock_acquire(lock);
	is_alone = a->state->why_down != NULL;
	wk_os_lock_leave(lock);
	return is_alone;
}

/* One address, into a file that is open. */
static enum wk_fetched fetch(struct asking *a, const struct wk_buf *url, uint64_t most_bytes,
			     int fd)
{
	struct wk_symbol_files *files = a->s->files;
	struct wk_fetcher *fetcher = a->s->fetcher;
	struct wk_buf shown = { 0 }, name = { 0 };
	enum wk_fetched fetched;

	if (!fetcher && !files->fetcher)
		files->fetcher = wk_fetcher_new(&files->options);
	wk_remote_add_shown(&shown, wk_buf_str(url));
	wk_buf_add_str(&name, a->s->want->name);
	a->err = (struct wk_err){ 0 };
	fetched = wk_fetch(fetcher ? fetcher : files->fetcher, &(struct wk_fetch){
		.url = wk_buf_text((struct wk_buf *)url), .shown_url = wk_buf_text(&shown),
		.name = wk_buf_text(&name), .fd = fd, .most_bytes = most_bytes,
		.is_in_vain = is_in_vain, .context = a }, &a->err);
	wk_buf_fini(&name);
	wk_buf_fini(&shown);
	return fetched;
}

/* What came, if it is what is wanted. The bytes stay mapped when the file goes. */
static enum wk_fetched take(struct asking *a, const char *url, int fd)
{
	struct wk_symbol_found *found = a->s->found;

	*found = (struct wk_symbol_found){ 0 };
	if (!wk_os_open_fd(fd, url, 0, &found->file.bytes, &a->err) ||
	    !wk_symbol_found_open(found, a->s->want, &a->err))
		return WK_FETCH_FAILED;
	return WK_FETCH_DONE;
}

static enum wk_fetched fetch_spot(struct asking *a, const struct wk_symbol_spot *spot)
{
	struct wk_buf url = spot->path;
	struct wk_os_keep keep;
	enum wk_fetched fetched;

	a->err = (struct wk_err){ 0 };
	fetched = open_draft(a, false, &keep);
	if (fetched != WK_FETCH_DONE)
		return fetched;
	fetched = fetch(a, &url, 0, keep.fd);
	if (fetched == WK_FETCH_DONE)
		fetched = take(a, wk_buf_text(&url), keep.fd);
	wk_os_keep_end(&keep, false);
	return fetched;
}

/* Nobody asks it any more, for the reason that `a` was told first. */
static void leave_alone(struct asking *a, enum wk_fetched fetched)
{
	struct wk_os_lock *lock = a->s->files->lock;

	wk_os_lock_acquire(lock);
	if (!a->state->why_down) {
		a->state->why_down = wk_strndup(a->err.text, strlen(a->err.text));
		a->state->went_down = fetched;
	}
	wk_os_lock_leave(lock);
}

/* Has it two tiers or three? */
static enum wk_fetched ask_for_tiers(struct asking *a)
{
	struct wk_symbol_place *place = &a->s->files->path.places[a->place];
	struct wk_buf mark = { 0 };
	struct wk_os_keep keep;
	enum wk_fetched fetched = open_draft(a, true, &keep);

	if (fetched != WK_FETCH_DONE)
		return fetched;
	wk_symbol_tiers_mark(place, &mark);
	fetched = fetch(a, &mark, MOST_SMALL_BYTES, keep.fd);
	wk_os_keep_end(&keep, false);
	if (fetched == WK_FETCH_DONE)
		place->tiers = WK_SYMBOL_THREE_TIERS;
	else if (fetched == WK_FETCH_NOT_THERE)
		place->tiers = WK_SYMBOL_TWO_TIERS;
	wk_buf_fini(&mark);
	return fetched;
}

/* Whose turn it is to ask for that: the first to come asks, and all others wait for the answer. */
static bool read_turn(struct asking *a)
{
	struct wk_os_lock *lock = a->s->files->lock;
	bool is_ours;

	wk_os_lock_acquire(lock);
	while (a->state->is_looked_at)
		wk_os_lock_wait(lock, 1000);
	is_ours = !a->state->was_looked_at &&
		  a->s->files->path.places[a->place].tiers == WK_SYMBOL_TIERS_UNKNOWN;
	a->state->is_looked_at = is_ours;
	wk_os_lock_leave(lock);
	return is_ours;
}

static enum wk_fetched look_at_tiers(struct asking *a)
{
	struct wk_os_lock *lock = a->s->files->lock;
	enum wk_fetched fetched;

	if (!read_turn(a))
		return WK_FETCH_DONE;
	fetched = ask_for_tiers(a);
	if (wk_fetch_is_end(fetched))
		leave_alone(a, fetched);
	wk_os_lock_acquire(lock);
	a->state->is_looked_at = false;
	a->state->was_looked_at = true;
	wk_os_lock_wake(lock);
	wk_os_lock_leave(lock);
	return fetched;
}

/* All spots, until it is found or the server fails. One that forbids a file may have it under
 * another name: some say so of all that they do not have. */
static enum wk_fetched fetch_all(struct asking *a)
{
	const struct wk_symbol_place *place = &a->s->files->path.places[a->place];
	enum wk_fetched fetched = WK_FETCH_NOT_THERE, worst = WK_FETCH_NOT_THERE;
	struct wk_symbol_spot spot = { 0 };
	struct wk_err first = { 0 };

	for (size_t n = 0; (fetched == WK_FETCH_NOT_THERE || fetched == WK_FETCH_FORBIDDEN) &&
			   wk_symbol_spot(place, &a->s->wish, n, &spot);
	     n++) {
		fetched = fetch_spot(a, &spot);
		if (fetched == WK_FETCH_FORBIDDEN && worst == WK_FETCH_NOT_THERE) {
			worst = fetched;
			first = a->err;
		}
	}
	if (fetched == WK_FETCH_NOT_THERE && worst == WK_FETCH_FORBIDDEN) {
		fetched = worst;
		a->err = first;
	}
	if (fetched == WK_FETCH_DONE)
		a->s->found->file.path = wk_strndup(wk_buf_text(&spot.path), spot.path.len);
	wk_buf_fini(&spot.path);
	return fetched;
}

/* The copy is what is in use from now on, by its name; its bytes are the same. */
static void keep_copy(struct asking *a)
{
	struct wk_store_file *file = &a->s->found->file;
	struct wk_buf path = { 0 }, size = { 0 };

	wk_symbol_keep(a->s, a->place, &path);
	wk_num_add_bytes(&size, wk_symbol_found_bytes(a->s->found).len);
	wk_symbol_use_copy(a->s, &path);
	if (path.len == 0) {
		wk_remote_add_shown(&path, wk_str_c(file->path));
		a->s->unkept_bytes = wk_symbol_found_bytes(a->s->found).len;
		wk_fetch_quota_add(&a->s->files->room, a->s->job, a->s->unkept_bytes);
	} else {
		wk_os_identify(wk_buf_text(&path), &file->identity, NULL);
	}
	wk_free(file->path);
	file->path = wk_strndup(wk_buf_text(&path), path.len);
	wk_buf_reset(a->s->said);
	wk_buf_add_fmt(a->s->said, "fetched from %s (%s)", a->state->shown, wk_buf_text(&size));
	wk_buf_fini(&size);
	wk_buf_fini(&path);
}

static void remember(struct asking *a, enum wk_fetched fetched)
{
	if (fetched == WK_FETCH_IMPOSSIBLE || fetched == WK_FETCH_STOPPED ||
	    fetched == WK_FETCH_QUOTA_REACHED || !a->memory_path.len)
		return;
	wk_remote_remember(wk_buf_text(&a->memory_path), a->state->remembered_as,
			   fetched == WK_FETCH_NOT_THERE);
	a->s->has_remembered = true;
}

/* Is it left alone? Then what it would have said is what it did when that began. */
static bool is_left_alone(struct asking *a, enum wk_fetched *fetched)
{
	struct wk_os_lock *lock = a->s->files->lock;

	wk_os_lock_acquire(lock);
	if (a->state->why_down) {
		wk_fail(&a->err, WK_EIO, WK_NOWHERE, "%s", a->state->why_down);
		*fetched = a->state->went_down;
	}
	wk_os_lock_leave(lock);
	return a->err.code != 0;
}

static bool ask(struct asking *a)
{
	enum wk_fetched fetched = look_at_tiers(a);

	a->err = (struct wk_err){ 0 };
	if (!is_left_alone(a, &fetched))
		fetched = fetch_all(a);
	if (fetched == WK_FETCH_IN_VAIN) {
		a->err = (struct wk_err){ 0 };
		is_left_alone(a, &fetched);
	}
	if (wk_fetch_is_end(fetched))
		leave_alone(a, fetched);
	a->s->was_stopped |= fetched == WK_FETCH_STOPPED;
	if (fetched == WK_FETCH_DONE) {
		keep_copy(a);
		return true;
	}
	if (fetched == WK_FETCH_NOT_THERE)
		wk_symbol_say(a->s, a->place, "it does not have it");
	else
		wk_symbol_complain(a->s, a->place, a->err.text);
	remember(a, fetched);
	return false;
}

/* Did it say before that it has no such file, or fail a moment ago? */
static bool is_remembered(struct asking *a)
{
	struct wk_remote_memory memory;
	struct wk_buf words = { 0 };

	if (!a->memory_path.len ||
	    !wk_remote_remembers(wk_buf_text(&a->memory_path), a->state->remembered_as, &memory))
		return false;
	wk_remote_memory_add_words(&memory, &words);
	if (memory.is_missing)
		wk_symbol_say(a->s, a->place, wk_buf_text(&words));
	else
		wk_symbol_complain(a->s, a->place, wk_buf_text(&words));
	wk_buf_fini(&words);
	return true;
}

bool wk_symbol_request(struct wk_symbol_search *s, size_t place)
{
	struct asking a = { .s = s, .place = place, .state = &s->files->states[place] };
	bool found = false;

	if (s->own.len && wk_symbol_files_folder(s->files, true))
		wk_buf_add_fmt(&a.memory_path, "%s.%s.asked", wk_buf_text(&s->own),
			       wk_symbol_wants_pdb(s->want) ? "pdb" : "image");
	if (is_remembered(&a))
		found = false;
	else if (s->is_look)
		s->is_open = true;
	else
		found = ask(&a);
	wk_buf_fini(&a.memory_path);
	return found;
}
