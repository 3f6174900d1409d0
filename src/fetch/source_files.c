/* Files in wick's own cache and in the folders and stores of this machine. */
#include "fetch/fetcher_internal.h"

#include "base/mem.h"
#include "os/folder.h"

#define MOST_POINTER 4096 /* bytes of file.ptr that are read */

bool wk_search_own_cache(struct wk_search *s)
{
	struct wk_buf path = { 0 };

	for (int is_text = 0;
	     !s->is_found && is_text <= (s->want.kind == WK_FETCH_PDB) && s->own.len; is_text++) {
		wk_buf_reset(&path);
		wk_buf_add_fmt(&path, "%s%s", wk_buf_text(&s->own),
			       wk_fetch_want_suffix(&s->want, is_text));
		s->is_found =
			wk_os_is_there(wk_buf_text(&path)) &&
			wk_fetch_found_open_path(&s->found, &s->want, wk_buf_text(&path), NULL);
	}
	if (s->is_found) {
		wk_os_note_use(wk_buf_text(&path));
		wk_buf_add_text(&s->said, "fetched before");
	}
	wk_buf_fini(&path);
	return s->is_found;
}

/* False, with a sentence, if it is not the wanted file. */
static bool open_path(struct wk_search *s, const char *path, struct wk_err *err)
{
	if (!wk_fetch_found_open_path(&s->found, &s->want, path, err))
		return false;
	if (s->want.kind != WK_FETCH_DEBUG || wk_fetch_found_has_names(&s->found))
		return true;
	wk_fetch_found_close(&s->found);
	return wk_fail(err, WK_ENOTFOUND, WK_NOWHERE, "it is stripped");
}

/* A file of the right name that is not the right file is worth mentioning. */
static bool try_path(struct wk_search *s, const char *path, bool *is_mentioned)
{
	struct wk_err err = { 0 };

	if (!wk_os_is_there(path) || wk_os_is_folder(path))
		return false;
	if (open_path(s, path, &err))
		return true;
	if (err.code != WK_ENOTFOUND)
		wk_search_say(s, path, err.text);
	*is_mentioned |= err.code != WK_ENOTFOUND;
	return false;
}

/* file.ptr of a store says that the file is elsewhere, which may be another machine. */
static bool follow(struct wk_search *s, struct wk_str pointer, struct wk_err *err)
{
	struct wk_buf path = { 0 };
	struct wk_str at;
	bool found = false, is_share;

	if (!wk_symbol_pointer_read(pointer, &at, err))
		return false;
	is_share = wk_str_starts(at, "\\\\") || wk_str_starts(at, "//");
	wk_buf_add_str(&path, at);
	if (is_share && s->fetcher->options.is_offline)
		wk_fail(err, WK_ENOTFOUND, WK_NOWHERE,
			"file.ptr says that it is %.*s, which is not followed",
			(int)(at.len < 300 ? at.len : 300), at.at);
	else if (memchr(at.at, '\0', at.len) || !wk_os_is_there(wk_buf_text(&path)))
		wk_fail(err, WK_ENOTFOUND, WK_NOWHERE,
			"file.ptr says that it is %.*s, which is not here",
			(int)(at.len < 300 ? at.len : 300), at.at);
	else
		found = open_path(s, wk_buf_text(&path), err);
	wk_buf_fini(&path);
	return found;
}

static bool try_pointer(struct wk_search *s, const char *path, bool *is_mentioned)
{
	struct wk_os_file file;
	struct wk_err err = { 0 };
	bool found;

	if (!wk_os_is_there(path) || !wk_os_open_named(path, &file, NULL, NULL))
		return false;
	found = follow(s,
		       wk_str_of((const char *)file.at,
				 file.size_bytes < MOST_POINTER ? file.size_bytes : MOST_POINTER),
		       &err);
	wk_os_close(&file);
	if (!found)
		wk_search_say(s, path, err.text);
	*is_mentioned |= !found;
	return found;
}

bool wk_source_has_three_tiers(const struct wk_symbol_place *place)
{
	struct wk_buf mark = { 0 };
	bool is_three;

	wk_symbol_tiers_mark(place, &mark);
	is_three = wk_os_is_there(wk_buf_text(&mark)) && !wk_os_is_folder(wk_buf_text(&mark));
	wk_buf_fini(&mark);
	return is_three;
}

/* A plain folder should exist. A store may be made when the first file comes, and a path with a
 * drive is known to be of another machine. */
static void say_no_folder(struct wk_search *s, const struct wk_source *source)
{
	const char *text = source->place.is_windows ? "there is no such folder here"
						    : "there is no such folder";

	wk_search_say(s, source->shown, text);
	if (source->place.kind == WK_SYMBOL_FOLDER && !source->place.is_windows)
		wk_search_complain(s, s->number, text, false);
}

static bool is_here(struct wk_search *s, const struct wk_source *source)
{
	bool is_share = wk_str_starts(source->place.where, "\\\\");

	if (is_share && s->fetcher->options.is_offline)
		wk_search_say(s, source->shown, "not asked, since it is on another machine");
	else if ((!source->place.is_windows || wk_os_has_drives()) &&
		 wk_os_is_folder(source->shown))
		return true;
	else if (!source->is_silent)
		say_no_folder(s, source);
	return false;
}

static bool try_spots(struct wk_search *s, const struct wk_source *source, bool *is_mentioned)
{
	bool found = false;

	for (size_t n = 0; !found && source->kind->spot(source, s, n, &s->spot); n++) {
		const char *path = wk_buf_text(&s->spot.path);

		if (s->spot.path.len)
			found = s->spot.kind == WK_SYMBOL_SPOT_POINTER
					? try_pointer(s, path, is_mentioned)
					: try_path(s, path, is_mentioned);
	}
	return found;
}

bool wk_search_folder(struct wk_search *s)
{
	struct wk_source *source = wk_search_source(s);
	struct wk_buf text = { 0 };
	bool is_mentioned = false;

	if (wk_fetcher_is_own(s->fetcher, source->place.where) || !is_here(s, source))
		return false;
	if (!source->tiers_are_known && wk_source_has_three_tiers(&source->place))
		source->place.tiers = WK_SYMBOL_THREE_TIERS;
	source->tiers_are_known = true;
	s->is_found = try_spots(s, source, &is_mentioned);
	if (s->is_found) {
		wk_search_copy(s);
		wk_buf_reset(&s->said);
		wk_buf_add_fmt(&s->said, "found in %s", source->shown);
	} else if (!is_mentioned && !source->is_silent) {
		source->kind->add_missing(source, s, &text);
		wk_search_say(s, source->shown, wk_buf_text(&text));
	}
	wk_buf_fini(&text);
	return s->is_found;
}
