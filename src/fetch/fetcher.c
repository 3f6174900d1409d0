#include "fetch/fetcher.h"

#include "base/mem.h"
#include "fetch/address.h"
#include "fetch/cache_folder.h"
#include "fetch/fetcher_internal.h"
#include "os/folder.h"
#include "symbols/cache/cache.h"

#define DEFAULT_MOST_BYTES   ((uint64_t)2 << 30)
#define DEFAULT_WAIT_SECONDS 60
#define MOST_BYTES           ((uint64_t)1 << 62)

#define LEAST_ID 4 /* bytes; shorter build ids are made by hand and not unique */

struct wk_fetcher *wk_fetcher_new(const struct wk_fetch_options *options)
{
	struct wk_fetcher *f = wk_alloc_zeroed(1, sizeof(*f));

	f->options = *options;
	f->keys = wk_strtab_new();
	if (!f->options.most_bytes)
		f->options.most_bytes = DEFAULT_MOST_BYTES;
	if (f->options.most_bytes > MOST_BYTES)
		f->options.most_bytes = MOST_BYTES;
	if (!f->options.wait_seconds)
		f->options.wait_seconds = DEFAULT_WAIT_SECONDS;
	f->folder = options->folder ? wk_strndup(options->folder, strlen(options->folder))
				    : wk_fetch_cache_default(&f->no_folder);
	return f;
}

static void free_source(struct wk_source *source)
{
	wk_elf_server_fini(&source->server);
	WK_FREE_ALL(source->shown, source->remembered_as, source->complaint.text);
}

static void trim(const struct wk_fetcher *f)
{
	struct wk_buf complaint = { 0 }; /* reported by the symbol cache */

	if (f->folder && (f->newest || f->has_remembered))
		wk_fetch_cache_trim(f->folder, f->newest, wk_cache_usual_bytes(&complaint));
	wk_buf_fini(&complaint);
}

void wk_fetcher_free(struct wk_fetcher *f)
{
	if (!f)
		return;
	trim(f);
	for (size_t i = 0; i < f->search_count; i++) {
		wk_search_reset(f->searches[i]);
		wk_free(f->searches[i]);
	}
	for (int family = 0; family < WK_FETCH_FAMILIES; family++) {
		for (size_t i = 0; i < f->sources[family].count; i++)
			free_source(&f->sources[family].at[i]);
		wk_free(f->sources[family].at);
	}
	wk_transfers_free(f->transfers);
	wk_free(f->searches);
	wk_strtab_free(f->keys);
	wk_arena_fini(&f->texts);
	wk_symbol_path_fini(&f->path);
	WK_FREE_ALL(f->folder, f->newest, f);
}

bool wk_fetcher_folder(struct wk_fetcher *f, bool may_make)
{
	struct wk_os_folder *folder;

	if (!f->folder || f->is_folder_known)
		return f->folder && !f->is_folder_lost;
	folder = wk_os_folder_open(f->folder, may_make, may_make ? &f->no_folder : NULL);
	f->is_folder_known = folder || may_make;
	f->is_folder_lost = !folder;
	wk_os_folder_close(folder);
	return folder != NULL;
}

/* ---- sources */

static struct wk_source *add_source(struct wk_sources *sources, const struct wk_symbol_place *place)
{
	struct wk_buf shown = { 0 };
	struct wk_source *source;

	WK_RESERVE(sources->at, sources->cap, sources->count + 1);
	source = &sources->at[sources->count++];
	*source = (struct wk_source){ .place = *place };
	wk_address_add_shown(&shown, place->where);
	source->shown = wk_strndup(wk_buf_text(&shown), shown.len);
	wk_address_add_difference(&shown, place->where);
	source->remembered_as = wk_strndup(wk_buf_text(&shown), shown.len);
	wk_buf_fini(&shown);
	return source;
}

static bool add_server(struct wk_fetcher *f, const char *word, struct wk_err *err)
{
	struct wk_symbol_place place = { 0 };
	struct wk_elf_server server;
	struct wk_source *source;

	if (!wk_elf_server_read(&server, word, err))
		return false;
	place.kind = server.is_folder ? WK_SYMBOL_FOLDER : WK_SYMBOL_SERVER;
	place.where = wk_str_c(server.base);
	source = add_source(&f->sources[WK_FETCH_FOR_ELF], &place);
	source->server = server;
	source->tiers_are_known = true; /* it has no such layout */
	return server.is_folder || wk_transfers_are_possible(err);
}

bool wk_fetcher_add_servers(struct wk_fetcher *f, const char *const *words, struct wk_err *err)
{
	struct wk_sources *sources = &f->sources[WK_FETCH_FOR_ELF];
	size_t count = sources->count;
	bool ok = true;

	for (; *words && ok; words++)
		ok = add_server(f, *words, err);
	while (!ok && sources->count > count)
		free_source(&sources->at[--sources->count]);
	return ok;
}

bool wk_fetcher_add_path(struct wk_fetcher *f, struct wk_str path, struct wk_err *err)
{
	size_t known = f->path.count;
	bool ok = wk_symbol_path_add(&f->path, path, wk_str_c(f->folder), err);

	for (; known < f->path.count; known++)
		add_source(&f->sources[WK_FETCH_FOR_WINDOWS], &f->path.places[known]);
	return ok;
}

/* Files that were not found before may be there. */
void wk_fetcher_add_first(struct wk_fetcher *f, struct wk_str folder)
{
	struct wk_sources *sources = &f->sources[WK_FETCH_FOR_WINDOWS];
	struct wk_source added;

	if (!wk_symbol_path_begin_with(&f->path, folder))
		return;
	added = *add_source(sources, &f->path.places[0]);
	added.is_silent = true;
	memmove(sources->at + 1, sources->at, (sources->count - 1) * sizeof(*sources->at));
	sources->at[0] = added;
	for (size_t i = 0; i < f->search_count; i++)
		if (!f->searches[i]->is_found)
			wk_search_reset(f->searches[i]);
}

bool wk_fetcher_has_sources(const struct wk_fetcher *f, enum wk_fetch_family family)
{
	for (size_t i = 0; f && i < f->sources[family].count; i++)
		if (!f->sources[family].at[i].is_silent)
			return true;
	return false;
}

static bool has_servers(const struct wk_fetcher *f, enum wk_fetch_family family)
{
	for (size_t i = 0; f && i < f->sources[family].count; i++)
		if (wk_source_is_server(&f->sources[family].at[i]))
			return true;
	return false;
}

bool wk_fetcher_asks_servers(const struct wk_fetcher *f, enum wk_fetch_family family)
{
	return has_servers(f, family) && !f->options.is_offline;
}

bool wk_fetcher_skips_servers(const struct wk_fetcher *f, enum wk_fetch_family family)
{
	return has_servers(f, family) && f->options.is_offline;
}

bool wk_fetcher_was_stopped(const struct wk_fetcher *f)
{
	return f && f->was_stopped;
}

unsigned wk_fetcher_few_at_once(const struct wk_fetcher *f)
{
	return f ? f->few_at_once : 0;
}

bool wk_fetcher_source(const struct wk_fetcher *f, enum wk_fetch_family family, size_t number,
		       struct wk_fetch_source *source)
{
	const struct wk_source *found;

	if (!f || number >= f->sources[family].count)
		return false;
	found = &f->sources[family].at[number];
	*source = (struct wk_fetch_source){ found->shown, found->complaint.text,
					    !wk_source_is_server(found) };
	return true;
}

/* ---- searches */

/* It may be new. A build id is enough; other keys go with a name. */
static struct wk_search *search_for(struct wk_fetcher *f, const struct wk_fetch_want *want)
{
	struct wk_buf key = { 0 };
	struct wk_search *s;
	size_t number;

	wk_fetch_want_cache_name(want, &key);
	wk_buf_add_fmt(&key, "%s%s", wk_fetch_want_suffix(want, false),
		       want->asks_no_server ? " " : "");
	if (wk_fetch_family_of(want) == WK_FETCH_FOR_WINDOWS)
		wk_buf_add_str(&key, want->name);
	number = wk_strtab_add_str(f->keys, wk_buf_str(&key)) - 1u;
	wk_buf_fini(&key);
	if (number < f->search_count)
		return f->searches[number];
	s = wk_alloc_zeroed(1, sizeof(*s));
	*s = (struct wk_search){ .fetcher = f, .want = *want };
	s->want.name = wk_arena_copy(&f->texts, want->name);
	s->want.path = wk_arena_copy(&f->texts, want->path);
	s->want.suffix = wk_arena_copy(&f->texts, want->suffix);
	*WK_APPEND(f->searches, f->search_count, f->search_cap) = s;
	return s;
}

/* The want as it is searched for; false, with a sentence, if no source has files by its key. */
static bool normalize(const struct wk_fetch_want *want, struct wk_fetch_want *wanted,
		      struct wk_buf *said)
{
	*wanted = *want;
	if (wk_fetch_family_of(want) != WK_FETCH_FOR_ELF)
		return true;
	wanted->id = wk_fetch_trim_id(&want->id);
	if (wanted->id.size < LEAST_ID && said)
		wk_buf_add_text(said, "symbol servers need a build id, and it has none");
	return wanted->id.size >= LEAST_ID;
}

/* The first complaint about a source stays, unless it is a mere remark. */
static void add_complaint(struct wk_source *source, struct wk_complaint *next)
{
	if (source->complaint.text && (!source->complaint.is_remark || next->is_remark))
		return;
	wk_free(source->complaint.text);
	source->complaint = *next;
	next->text = NULL;
}

static void finish(struct wk_search *s)
{
	for (size_t i = 0; i < s->complaint_count; i++)
		add_complaint(&s->sources->at[s->complaints[i].source], &s->complaints[i]);
}

/* Opens it again if it was handed over before. */
static bool hand_over(struct wk_search *s, struct wk_fetch_found *found)
{
	if (!s->is_taken) {
		*found = s->found;
		if (!s->path && !s->is_temporary)
			s->path = wk_strndup(found->file.path, strlen(found->file.path));
		s->is_taken = true;
		return true;
	}
	if (!s->path || !wk_fetch_found_open_path(found, &s->want, s->path, NULL))
		return false;
	if (s->is_temporary) {
		wk_free(found->file.path);
		found->file.path = wk_strndup(wk_buf_text(&s->shown), s->shown.len);
	}
	return true;
}

bool wk_fetcher_get(struct wk_fetcher *f, const struct wk_fetch_want *want,
		    struct wk_fetch_found *found, struct wk_buf *said)
{
	struct wk_fetch_want wanted;
	struct wk_search *s;

	*found = (struct wk_fetch_found){ 0 };
	if (!f || !normalize(want, &wanted, said))
		return false;
	s = search_for(f, &wanted);
	if (s->is_found && hand_over(s, found))
		return true;
	if (s->is_found || s->step != WK_SEARCH_ENDS) {
		wk_search_reset(s);
		wk_batch_run(f, &s, 1, false);
		finish(s);
	}
	wk_buf_add_str(said, wk_buf_str(&s->said));
	return s->is_found && hand_over(s, found);
}

/* Returns the number of those that wait for servers. */
static size_t begin_searches(struct wk_fetcher *f, const struct wk_fetch_want *wants, size_t count,
			     struct wk_search **searches)
{
	struct wk_fetch_want wanted;
	size_t begun = 0;

	for (size_t i = 0; i < count; i++) {
		struct wk_search *s;

		if (!normalize(&wants[i], &wanted, NULL))
			continue;
		s = search_for(f, &wanted);
		if (s->step != WK_SEARCH_BEGINS)
			continue; /* the same file may be wanted twice */
		wk_search_advance(s, true);
		if (s->step == WK_SEARCH_ENDS)
			finish(s); /* most runs find all that they need here */
		else
			searches[begun++] = s;
	}
	return begun;
}

void wk_fetcher_prefetch(struct wk_fetcher *f, const struct wk_fetch_want *wants, size_t count)
{
	struct wk_search **searches;

	if (count == 0 || !wk_fetcher_asks_servers(f, wk_fetch_family_of(&wants[0])))
		return;
	searches = wk_alloc_zeroed(count, sizeof(*searches));
	count = begin_searches(f, wants, count, searches);
	if (count)
		wk_batch_run(f, searches, count, true);
	for (size_t i = 0; i < count; i++)
		finish(searches[i]);
	wk_free(searches);
}
