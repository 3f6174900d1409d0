/* Copies of what was found: in the caches of the path, laid out as stores are, and in wick's own.
 *
 * Without a cache, what comes from servers is in temporary files without a name, which are gone
 * when they are closed, also after a kill. */
#include "fetch/fetcher_internal.h"

#include <errno.h>

#include "base/mem.h"
#include "base/num.h"
#include "fetch/address.h"
#include "os/folder.h"

/* The n-th cache of the current source; empty if this system has no such path. */
static struct wk_str cache_at(const struct wk_search *s, size_t n)
{
	struct wk_str cache = wk_search_source(s)->place.caches[n];

	return wk_os_has_drives() || !wk_str_is_windows_path(cache) ? cache : wk_str_c("");
}

bool wk_search_open_draft(struct wk_search *s, struct wk_outcome *outcome)
{
	struct wk_buf path = { 0 };
	char *temporary;

	if (wk_fetcher_folder(s->fetcher, true)) {
		wk_buf_add_fmt(&path, "%s%s", wk_buf_text(&s->own),
			       wk_fetch_want_suffix(&s->want, false));
		s->has_draft = wk_os_draft_open_private(&s->draft, wk_buf_text(&path), NULL);
		wk_buf_fini(&path);
	}
	if (s->has_draft || wk_outcome_lacks_descriptors(outcome))
		return s->has_draft;
	s->draft = (struct wk_os_draft){ .fd = wk_os_temporary(&temporary), .is_nameless = true };
	s->has_draft = s->draft.fd >= 0;
	if (s->has_draft)
		wk_free(temporary);
	else
		*outcome = (struct wk_outcome){ .kind = WK_OUTCOME_NO_FOLDER,
						.number = (uint64_t)errno };
	return s->has_draft;
}

/* Where a copy is in a store. */
static bool place_in(struct wk_search *s, struct wk_str cache, struct wk_buf *path)
{
	struct wk_symbol_place store = { .kind = WK_SYMBOL_STORE, .where = cache,
					 .is_windows = wk_str_is_windows_path(cache) };
	enum wk_symbol_spot_kind wanted =
		s->found.breakpad ? WK_SYMBOL_SPOT_BREAKPAD : WK_SYMBOL_SPOT_FILE;
	struct wk_symbol_spot spot = { 0 };
	bool found = false;

	store.tiers =
		wk_source_has_three_tiers(&store) ? WK_SYMBOL_THREE_TIERS : WK_SYMBOL_TWO_TIERS;
	for (size_t n = 0; !found && wk_symbol_spot(&store, &s->wish, n, &spot); n++)
		found = spot.kind == wanted;
	wk_buf_add_str(path, wk_buf_str(&spot.path));
	wk_buf_fini(&spot.path);
	return found;
}

static bool make_folder_of(const char *path, struct wk_err *err)
{
	size_t len = strlen(path) - wk_str_basename(wk_str_c(path)).len;
	char *folder = wk_strndup(path, len > 1 ? len - 1 : len);
	bool ok = wk_os_folder_make(folder, err);

	wk_free(folder);
	return ok;
}

static bool write_copy(struct wk_search *s, const char *path, struct wk_err *err)
{
	struct wk_str bytes = wk_fetch_found_bytes(&s->found);
	struct wk_os_draft keep;
	bool ok;

	if (!wk_os_draft_open_private(&keep, path, err))
		return false;
	ok = wk_os_write(keep.fd, bytes.at, bytes.len) ||
	     wk_fail_os(err, errno, "cannot write %s", path);
	return wk_os_draft_end(&keep, ok) ? ok : wk_fail_os(err, errno, "cannot keep %s", path);
}

/* A file that came into wick's own folder stays there, and is not copied. */
static bool keep_draft(struct wk_search *s, const char *path, struct wk_err *err)
{
	wk_free(s->draft.target);
	s->draft.target = wk_strndup(path, strlen(path));
	s->has_draft = false;
	return wk_os_draft_end(&s->draft, true) || wk_fail_os(err, errno, "cannot keep %s", path);
}

static bool copy_to_own(struct wk_search *s, struct wk_buf *path, struct wk_err *err)
{
	struct wk_str name;
	bool is_as_it_came = s->has_draft && !s->draft.is_nameless && s->found.file.plain.len == 0;

	if (!wk_fetcher_folder(s->fetcher, true)) {
		*err = s->fetcher->no_folder;
		return false;
	}
	wk_buf_add_fmt(path, "%s%s", wk_buf_text(&s->own),
		       wk_fetch_want_suffix(&s->want, s->found.breakpad != NULL));
	if (!(is_as_it_came ? keep_draft : write_copy)(s, wk_buf_text(path), err))
		return false;
	name = wk_str_basename(wk_buf_str(path));
	if (!s->fetcher->newest)
		s->fetcher->newest = wk_strndup(name.at, name.len);
	return true;
}

static bool copy_to(struct wk_search *s, struct wk_str cache, struct wk_buf *path,
		    struct wk_err *err)
{
	wk_buf_reset(path);
	if (wk_fetcher_is_own(s->fetcher, cache))
		return copy_to_own(s, path, err);
	return place_in(s, cache, path) && make_folder_of(wk_buf_text(path), err) &&
	       write_copy(s, wk_buf_text(path), err);
}

/* The nearest copy, or an empty path. `why_uncached`: why there is none in wick's own cache. */
static void copy_to_all(struct wk_search *s, struct wk_buf *nearest, struct wk_err *why_uncached)
{
	const struct wk_source *source = wk_search_source(s);
	struct wk_buf copy = { 0 };

	for (size_t n = source->place.cache_count; n-- > 0;) {
		struct wk_str cache = cache_at(s, n);
		struct wk_err err = { 0 };

		if (cache.len && copy_to(s, cache, &copy, &err)) {
			wk_buf_reset(nearest);
			wk_buf_add_str(nearest, wk_buf_str(&copy));
		} else if (err.code && wk_source_is_server(source) &&
			   wk_fetcher_is_own(s->fetcher, cache)) {
			*why_uncached = err;
		} else if (err.code) {
			wk_search_complain(s, err.text, false);
		}
	}
	wk_buf_reset(&copy);
	if (!nearest->len && !why_uncached->code &&
	    (wk_source_is_server(source) || s->found.file.plain.len) &&
	    copy_to_own(s, &copy, why_uncached))
		wk_buf_add_str(nearest, wk_buf_str(&copy));
	wk_buf_fini(&copy);
}

/* The file is of use, but has to be fetched again the next time. Several images may have one build
 * id, so that of an ELF file stays open. */
static void note_temporary(struct wk_search *s, const struct wk_err *why)
{
	struct wk_buf text = { 0 };

	wk_buf_add_fmt(&text, "its files are temporary, since there is no cache (%s)", why->text);
	wk_search_complain(s, wk_buf_text(&text), true);
	s->is_temporary = true;
	wk_buf_reset(&text);
	if (s->has_draft && wk_fetch_family_of(&s->want) == WK_FETCH_FOR_ELF) {
		wk_buf_add_fmt(&text, "/proc/self/fd/%d", s->draft.fd);
		s->path = wk_strndup(wk_buf_text(&text), text.len);
	}
	wk_buf_fini(&text);
}

/* The mapped copy replaces what was unpacked into memory. */
static void use_copy(struct wk_search *s, const char *path)
{
	struct wk_fetch_found unpacked = s->found;

	if (wk_fetch_found_open_path(&s->found, &s->want, path, NULL))
		wk_fetch_found_close(&unpacked);
	else
		s->found = unpacked;
}

/* From now on the file has the name of its copy, whose bytes are the same. */
static void name_fetched(struct wk_search *s, struct wk_buf *path)
{
	struct wk_store_file *file = &s->found.file;
	struct wk_buf size = { 0 };

	if (path->len)
		wk_os_identify(wk_buf_text(path), &file->identity, NULL);
	else
		wk_address_add_shown(path, wk_buf_str(&s->spot.path));
	wk_free(file->path);
	file->path = wk_strndup(wk_buf_text(path), path->len);
	wk_num_add_bytes(&size, wk_fetch_found_bytes(&s->found).len);
	wk_buf_reset(&s->said);
	wk_buf_add_fmt(&s->said, "fetched from %s (%s)", wk_search_source(s)->shown,
		       wk_buf_text(&size));
	wk_buf_fini(&size);
}

void wk_search_copy(struct wk_search *s)
{
	bool is_fetched = wk_source_is_server(wk_search_source(s));
	struct wk_buf path = { 0 };
	struct wk_err why_uncached = { 0 };

	copy_to_all(s, &path, &why_uncached);
	if (path.len)
		s->path = wk_strndup(path.at, path.len);
	else if (is_fetched)
		note_temporary(s, &why_uncached);
	if (s->found.file.plain.len && path.len)
		use_copy(s, wk_buf_text(&path));
	if (is_fetched)
		name_fetched(s, &path);
	wk_buf_fini(&path);
}
