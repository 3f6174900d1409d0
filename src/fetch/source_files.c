/* Files in wick's own cache and in the folders and stores of this machine. */
#include "fetch/fetcher_internal.h"

#include "os/folder.h"

#define MOST_POINTER 4096 /* bytes of file.ptr that are read */

bool wk_search_own_cache(struct wk_search *s)
{
	struct wk_buf path = { 0 };
	int forms = s->want.kind == WK_FETCH_PDB ? 2 : 1; /* or Breakpad's text in place of it */

	for (int i = 0; i < forms && !s->is_found && s->own.len; i++) {
		wk_buf_reset(&path);
		wk_buf_add_fmt(&path, "%s%s", wk_buf_text(&s->own),
			       wk_fetch_want_suffix(&s->want, i));
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

bool wk_search_spot(struct wk_search *s, size_t n)
{
	const struct wk_source *source = wk_search_source(s);
	struct wk_buf place = { 0 };
	bool ok;

	if (!source->server.base)
		return wk_symbol_spot(&source->place, &s->wish, n, &s->spot);
	ok = wk_elf_server_place(&source->server, &s->want, (unsigned)n, &place);
	s->spot.kind = WK_SYMBOL_SPOT_FILE;
	wk_buf_reset(&s->spot.path);
	if (place.len)
		wk_buf_add_fmt(&s->spot.path, "%s%s", source->server.base, wk_buf_text(&place));
	wk_buf_fini(&place);
	return ok;
}

/* Names under which an ELF file may be in a folder are shown, since a person may put it there. */
static void say_missing(struct wk_search *s, const struct wk_source *source)
{
	struct wk_buf text = { 0 }, place = { 0 };

	wk_buf_add_text(&text, "it does not have it");
	for (unsigned i = 0;
	     source->server.base && wk_elf_server_place(&source->server, &s->want, i, &place); i++)
		if (place.len)
			wk_buf_add_fmt(&text, "%s %s", i ? " or" : " as", wk_buf_text(&place) + 1);
	wk_search_say(s, source->shown, wk_buf_text(&text));
	WK_BUF_FINI_ALL(&place, &text);
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

/* file.ptr of a store contains the path of the file, which may be on another machine. */
static bool follow(struct wk_search *s, struct wk_str pointer, struct wk_err *err)
{
	struct wk_buf path = { 0 };
	struct wk_str at;
	const char *why = NULL;
	bool found = false;

	if (!wk_symbol_pointer_read(pointer, &at, err))
		return false;
	wk_buf_add_str(&path, at);
	if (s->fetcher->options.is_offline &&
	    (wk_str_starts(at, "\\\\") || wk_str_starts(at, "//")))
		why = "not followed";
	else if (memchr(at.at, '\0', at.len) || !wk_os_is_there(wk_buf_text(&path)))
		why = "not here";
	else
		found = open_path(s, wk_buf_text(&path), err);
	if (why)
		wk_fail(err, WK_ENOTFOUND, WK_NOWHERE, "file.ptr refers to %.*s, which is %s",
			(int)(at.len < 300 ? at.len : 300), at.at, why);
	wk_buf_fini(&path);
	return found;
}

static bool open_pointer(struct wk_search *s, const char *path, struct wk_err *err)
{
	struct wk_os_file file;
	bool found;

	if (!wk_os_open_named(path, &file, NULL, err))
		return false;
	found = follow(s,
		       wk_str_of((const char *)file.at,
				 file.size_bytes < MOST_POINTER ? file.size_bytes : MOST_POINTER),
		       err);
	wk_os_close(&file);
	return found;
}

/* A file of the right name that is not the right file is worth mentioning. */
static bool try_spot(struct wk_search *s, bool *is_mentioned)
{
	const char *path = wk_buf_text(&s->spot.path);
	bool is_pointer = s->spot.kind == WK_SYMBOL_SPOT_POINTER;
	struct wk_err err = { 0 };

	if (!s->spot.path.len || !wk_os_is_there(path) || wk_os_is_folder(path))
		return false;
	if (is_pointer ? open_pointer(s, path, &err) : open_path(s, path, &err))
		return true;
	if (err.code != WK_ENOTFOUND || is_pointer) {
		wk_search_say(s, path, err.text);
		*is_mentioned = true;
	}
	return false;
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
 * drive may be meant for another machine. */
static void say_no_folder(struct wk_search *s, const struct wk_source *source)
{
	const char *text = source->place.is_windows ? "there is no such folder here"
						    : "there is no such folder";

	wk_search_say(s, source->shown, text);
	if (source->place.kind == WK_SYMBOL_FOLDER && !source->place.is_windows)
		wk_search_complain(s, text, false);
}

static bool is_here(struct wk_search *s, const struct wk_source *source)
{
	if (s->fetcher->options.is_offline && wk_str_starts(source->place.where, "\\\\"))
		wk_search_say(s, source->shown, "not asked, since it is on another machine");
	else if ((!source->place.is_windows || wk_os_has_drives()) &&
		 wk_os_is_folder(source->shown))
		return true;
	else if (!source->is_silent)
		say_no_folder(s, source);
	return false;
}

bool wk_search_folder(struct wk_search *s)
{
	struct wk_source *source = wk_search_source(s);
	bool is_mentioned = false;

	if (wk_fetcher_is_own(s->fetcher, source->place.where) || !is_here(s, source))
		return false;
	if (!source->tiers_are_known && wk_source_has_three_tiers(&source->place))
		source->place.tiers = WK_SYMBOL_THREE_TIERS;
	source->tiers_are_known = true;
	for (size_t n = 0; !s->is_found && wk_search_spot(s, n); n++)
		s->is_found = try_spot(s, &is_mentioned);
	if (s->is_found) {
		wk_search_copy(s);
		wk_buf_reset(&s->said);
		wk_buf_add_fmt(&s->said, "found in %s", source->shown);
	} else if (!is_mentioned && !source->is_silent) {
		say_missing(s, source);
	}
	return s->is_found;
}
