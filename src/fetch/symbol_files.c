#include "fetch/symbol_files_internal.h"

#include <stdlib.h>

#include "base/mem.h"
#include "fetch/remote_internal.h"
#include "fetch/remote_places.h"
#include "os/folder.h"

/* Of what the places say: more is for nobody to read. */
#define MOST_SAID 2000

struct wk_symbol_files *wk_symbol_files_new(const struct wk_remote_options *options,
					    bool asks_nobody)
{
	struct wk_symbol_files *files = wk_alloc_zeroed(1, sizeof(*files));

	files->options = *options;
	wk_remote_usual_limits(&files->options);
	files->asks_nobody = asks_nobody;
	files->lock = files->room.lock = wk_os_lock_new();
	files->folder = options->folder ? wk_strndup(options->folder, strlen(options->folder))
					: wk_remote_usual_folder();
	return files;
}

void wk_symbol_files_free(struct wk_symbol_files *files)
{
	if (!files)
		return;
	if (files->folder && (files->newest || files->has_remembered))
		wk_remote_trim_default(files->folder, files->newest);
	wk_symbol_files_forget(files);
	for (size_t i = 0; i < files->path.count; i++) {
		wk_free(files->states[i].shown);
		wk_free(files->states[i].remembered_as);
		wk_free(files->states[i].why_down);
		wk_free(files->states[i].complaint);
	}
	wk_free(files->states);
	wk_symbol_path_fini(&files->path);
	wk_fetcher_free(files->fetcher);
	wk_os_lock_free(files->lock);
	wk_free(files->folder);
	wk_free(files->lost_folder);
	wk_free(files->newest);
	wk_free(files);
}

static struct wk_symbol_place_state state_of(struct wk_str where)
{
	struct wk_symbol_place_state state = { 0 };
	struct wk_buf shown = { 0 };

	wk_remote_add_shown(&shown, where);
	state.shown = wk_strndup(wk_buf_text(&shown), shown.len);
	wk_remote_add_difference(&shown, where);
	state.remembered_as = wk_strndup(wk_buf_text(&shown), shown.len);
	wk_buf_fini(&shown);
	return state;
}

bool wk_symbol_files_add(struct wk_symbol_files *files, struct wk_str path, struct wk_err *err)
{
	size_t known = files->path.count;
	bool ok = wk_symbol_path_add(&files->path, path, wk_str_c(files->folder), err);

	files->states = wk_grow(files->states, &files->state_cap, files->path.count + 1,
				sizeof(*files->states));
	for (; known < files->path.count; known++)
		files->states[known] = state_of(files->path.places[known].where);
	return ok;
}

void wk_symbol_files_begin_with(struct wk_symbol_files *files, struct wk_str folder)
{
	size_t known = files->path.count;

	if (!wk_symbol_path_begin_with(&files->path, folder))
		return;
	files->states =
		wk_grow(files->states, &files->state_cap, known + 1, sizeof(*files->states));
	memmove(files->states + 1, files->states, known * sizeof(*files->states));
	files->states[0] = state_of(folder);
	files->silent_count++;
}

bool wk_symbol_files_asks(const struct wk_symbol_files *files)
{
	return files && files->path.count > files->silent_count;
}

static bool names_servers(const struct wk_symbol_files *files)
{
	for (size_t i = 0; i < files->path.count; i++)
		if (files->path.places[i].kind == WK_SYMBOL_SERVER)
			return true;
	return false;
}

bool wk_symbol_files_has_servers(const struct wk_symbol_files *files)
{
	return files && !files->asks_nobody && names_servers(files);
}

bool wk_symbol_files_was_stopped(const struct wk_symbol_files *files)
{
	return files && files->was_stopped;
}

bool wk_symbol_files_passes_servers(const struct wk_symbol_files *files)
{
	return files && files->asks_nobody && names_servers(files);
}

bool wk_symbol_files_complaint(const struct wk_symbol_files *files, size_t number,
			       const char **place, const char **complaint)
{
	if (!files || number >= files->path.count)
		return false;
	*place = files->states[number].shown;
	*complaint = files->states[number].complaint;
	return true;
}

bool wk_symbol_files_folder(struct wk_symbol_files *files, bool may_make)
{
	struct wk_os_folder *folder;

	if (!files->folder && !files->no_folder.code)
		wk_remote_fail_no_folder(&files->no_folder);
	if (!files->folder || files->is_folder_known)
		return files->folder != NULL;
	folder = wk_os_folder_open(files->folder, may_make, may_make ? &files->no_folder : NULL);
	files->is_folder_known = folder || may_make;
	wk_os_folder_close(folder);
	if (!folder && may_make) {
		files->lost_folder = files->folder;
		files->folder = NULL;
	}
	return folder != NULL;
}

static void say(struct wk_symbol_search *s, const char *who, const char *what)
{
	if (s->said->len < MOST_SAID)
		wk_buf_add_fmt(s->said, "%s%s: %s", s->said->len ? "; " : "", who, what);
}

void wk_symbol_say(struct wk_symbol_search *s, size_t place, const char *what)
{
	say(s, s->files->states[place].shown, what);
}

void wk_symbol_note_complaint(struct wk_symbol_search *s, size_t place, const char *what)
{
	if (!s->complaints)
		s->complaints = wk_alloc_zeroed(s->files->path.count, sizeof(*s->complaints));
	if (!s->complaints[place])
		s->complaints[place] = wk_strndup(what, strlen(what));
}

void wk_symbol_complain(struct wk_symbol_search *s, size_t place, const char *what)
{
	wk_symbol_say(s, place, what);
	wk_symbol_note_complaint(s, place, what);
}

bool wk_symbol_use_file(struct wk_symbol_search *s, const char *path, struct wk_err *err)
{
	struct wk_symbol_found *found = s->found;

	*found = (struct wk_symbol_found){ 0 };
	if (!wk_os_open_named(path, &found->file.bytes, &found->file.identity, err) ||
	    !wk_symbol_found_open(found, s->want, err))
		return false;
	found->file.path = wk_strndup(path, strlen(path));
	return true;
}

/* What a place has under the right name and is not right says more than that nothing is there. */
static bool try_path(struct wk_symbol_search *s, const char *path)
{
	struct wk_err err = { 0 };

	if (!wk_os_is_there(path) || wk_os_is_folder(path))
		return false;
	if (wk_symbol_use_file(s, path, &err))
		return true;
	if (err.code != WK_ENOTFOUND)
		say(s, path, err.text);
	return false;
}

/* Fetched before, or unpacked or copied to our own folder. */
static bool find_own(struct wk_symbol_search *s)
{
	static const char *const of_pdb[] = { ".pdb", ".sym", NULL };
	static const char *const of_image[] = { ".image", NULL };
	const char *const *kinds = wk_symbol_wants_pdb(s->want) ? of_pdb : of_image;
	struct wk_buf path = { 0 };
	bool found = false;

	for (; !found && *kinds && s->own.len; kinds++) {
		wk_buf_reset(&path);
		wk_buf_add_fmt(&path, "%s%s", wk_buf_text(&s->own), *kinds);
		found = wk_os_is_there(wk_buf_text(&path)) &&
			wk_symbol_use_file(s, wk_buf_text(&path), NULL);
	}
	if (found) {
		wk_os_note_use(wk_buf_text(&path));
		wk_buf_add_text(s->said, "fetched before");
	}
	wk_buf_fini(&path);
	return found;
}

/* A store may say that a file is elsewhere. To what a server says nobody is asked: it may name a
 * share, and so another machine. */
/* What file.ptr says, of a place that is on this machine or not: true if it led to the file. */
static bool follow(struct wk_symbol_search *s, struct wk_str pointer, bool is_here,
		   struct wk_err *err)
{
	struct wk_buf path = { 0 };
	struct wk_str at;
	bool found = false, is_share;

	if (!wk_symbol_pointer_read(pointer, &at, err))
		return false;
	is_share = wk_str_starts(at, "\\\\") || wk_str_starts(at, "//");
	wk_buf_add_str(&path, at);
	if (!is_here || (is_share && s->files->asks_nobody))
		wk_fail(err, WK_ENOTFOUND, WK_NOWHERE,
			"file.ptr says that it is %.*s, which is not followed",
			(int)(at.len < 300 ? at.len : 300), at.at);
	else if (memchr(at.at, '\0', at.len) || !wk_os_is_there(wk_buf_text(&path)))
		wk_fail(err, WK_ENOTFOUND, WK_NOWHERE,
			"file.ptr says that it is %.*s, which is not here",
			(int)(at.len < 300 ? at.len : 300), at.at);
	else
		found = wk_symbol_use_file(s, wk_buf_text(&path), err);
	wk_buf_fini(&path);
	return found;
}

static bool try_pointer(struct wk_symbol_search *s, const char *path)
{
	struct wk_os_file file;
	struct wk_err err = { 0 };
	bool found;

	if (!wk_os_is_there(path) || !wk_os_open_named(path, &file, NULL, NULL))
		return false;
	found = follow(
		s,
		wk_str_of((const char *)file.at, file.size_bytes < 4096 ? file.size_bytes : 4096),
		true, &err);
	wk_os_close(&file);
	if (!found)
		say(s, path, err.text);
	return found;
}

/* ---- folders and stores */

bool wk_symbol_is_three_tiered(const struct wk_symbol_place *place)
{
	struct wk_buf mark = { 0 };
	bool is_three;

	wk_symbol_tiers_mark(place, &mark);
	is_three = wk_os_is_there(wk_buf_text(&mark)) && !wk_os_is_folder(wk_buf_text(&mark));
	wk_buf_fini(&mark);
	return is_three;
}

static void look_at_tiers(struct wk_symbol_files *files, size_t number)
{
	struct wk_symbol_place *place = &files->path.places[number];

	wk_os_lock_acquire(files->lock);
	if (!files->states[number].was_looked_at) {
		if (wk_symbol_is_three_tiered(place))
			place->tiers = WK_SYMBOL_THREE_TIERS;
	}
	files->states[number].was_looked_at = true;
	wk_os_lock_leave(files->lock);
}

/* A plain folder was meant to be there; a store may be made when the first file comes, and what
 * lies on a drive is known to be of another machine. */
static void say_not_there(struct wk_symbol_search *s, size_t number)
{
	const struct wk_symbol_place *place = &s->files->path.places[number];

	if (place->is_windows)
		wk_symbol_say(s, number, "there is no such folder here");
	else if (place->kind == WK_SYMBOL_FOLDER)
		wk_symbol_complain(s, number, "there is no such folder");
	else
		wk_symbol_say(s, number, "there is no such folder");
}

/* Is the folder there, and may it be looked at? */
static bool is_open(struct wk_symbol_search *s, size_t number)
{
	const struct wk_symbol_place *place = &s->files->path.places[number];
	bool is_share = wk_str_starts(place->where, "\\\\");

	if (is_share && s->files->asks_nobody)
		wk_symbol_say(s, number, "not asked, since it is on another machine");
	else if ((!place->is_windows || wk_os_has_drives()) &&
		 wk_os_is_folder(s->files->states[number].shown))
		return true;
	else if (number >= s->files->silent_count)
		say_not_there(s, number);
	return false;
}

static bool look_into(struct wk_symbol_search *s, size_t number)
{
	const struct wk_symbol_place *place = &s->files->path.places[number];
	struct wk_symbol_spot spot = { 0 };
	struct wk_buf copy = { 0 };
	size_t said = s->said->len;
	bool found = false;

	if (wk_symbol_is_own(s->files, place->where))
		return false; /* it was looked into already */
	if (!is_open(s, number))
		return false;
	look_at_tiers(s->files, number);
	for (size_t n = 0; !found && wk_symbol_spot(place, &s->wish, n, &spot); n++)
		found = spot.kind == WK_SYMBOL_SPOT_POINTER
				? try_pointer(s, wk_buf_text(&spot.path))
				: try_path(s, wk_buf_text(&spot.path));
	if (found) {
		wk_symbol_keep(s, number, &copy);
		wk_symbol_use_copy(s, &copy);
		wk_buf_reset(s->said);
		wk_buf_add_fmt(s->said, "found in %s", s->files->states[number].shown);
	} else if (s->said->len == said && number >= s->files->silent_count) {
		wk_symbol_say(s, number, "it does not have it");
	}
	wk_buf_fini(&copy);
	wk_buf_fini(&spot.path);
	return found;
}

/* ---- all of them */

static void name_own(struct wk_symbol_search *s)
{
	struct wk_build_id id = wk_pdb_id_as_build_id(&s->want->pdb);

	if (!wk_symbol_files_folder(s->files, false) && !s->files->folder)
		return;
	wk_buf_add_fmt(&s->own, "%s/", s->files->folder);
	if (wk_symbol_wants_pdb(s->want))
		wk_store_add_id(&s->own, &id);
	else
		wk_buf_add_fmt(&s->own, "%08x%08x", s->want->time_stamp, s->want->image_bytes);
}

bool wk_symbol_search_run(struct wk_symbol_search *s)
{
	struct wk_symbol_files *files = s->files;
	bool found, asks_nobody = files->asks_nobody || s->want->asks_no_server;

	wk_symbol_want_key(s->want, &s->key);
	s->wish = (struct wk_symbol_wish){ s->want->name, wk_buf_str(&s->key), s->want->suffix };
	if (s->key.len == 0)
		return false;
	name_own(s);
	found = wk_symbol_files_folder(files, false) && find_own(s);
	for (size_t i = 0; i < files->path.count && !found && !s->is_open; i++) {
		bool is_server = files->path.places[i].kind == WK_SYMBOL_SERVER;

		if (is_server && asks_nobody)
			continue;
		found = is_server ? wk_symbol_request(s, i) : look_into(s, i);
	}
	return found;
}

void wk_symbol_search_finish(struct wk_symbol_search *s)
{
	struct wk_symbol_files *files = s->files;

	for (size_t i = 0; s->complaints && i < files->path.count; i++) {
		wk_fetch_quota_warn(&files->states[i].complaint, &s->complaints[i]);
		wk_free(s->complaints[i]);
	}
	wk_free(s->complaints);
	files->has_remembered |= s->has_remembered;
	files->was_stopped |= s->was_stopped;
	if (s->newest && !files->lacks_room) {
		wk_free(files->newest);
		files->newest = s->newest;
		files->lacks_room = true;
	} else {
		wk_free(s->newest); /* of several the first is dearest */
	}
	wk_buf_fini(&s->key);
	wk_buf_fini(&s->own);
}

void wk_symbol_files_trim(struct wk_symbol_files *files)
{
	if (files->lacks_room)
		wk_remote_trim_default(files->folder, files->newest);
	files->lacks_room = false;
}

bool wk_symbol_files_get(struct wk_symbol_files *files, const struct wk_symbol_want *want,
			 struct wk_symbol_found *found, struct wk_buf *said)
{
	struct wk_symbol_search s = {
		.files = files, .want = want, .found = found, .said = said };
	bool ok;

	*found = (struct wk_symbol_found){ 0 };
	if (!files)
		return false;
	if (wk_symbol_files_know(files, want, found, said, &ok))
		return ok;
	ok = wk_symbol_search_run(&s);
	wk_fetch_quota_merge(&files->room, s.unkept_bytes);
	wk_symbol_search_finish(&s);
	wk_symbol_files_trim(files);
	return ok;
}
