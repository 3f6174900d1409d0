/* Several files of a symbol path at once, before they are asked for: searches that run beside each
 * other, and what came of them. */
#include "fetch/symbol_files_internal.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/mem.h"
#include "fetch/fetch_workers.h"

/* A search of those, with what it says. */
struct early {
	struct wk_symbol_search search;
	struct wk_buf said;
	size_t answer; /* its number */
	bool is_found;
};

struct crowd {
	struct wk_symbol_files *files;
	struct early *early; /* heaviest first */
	size_t count;
};

static uint64_t hash_of(const struct wk_symbol_want *want)
{
	uint64_t hash = wk_hash_bytes(want->name.at, want->name.len);

	hash = wk_hash_pair(hash, wk_hash_bytes(want->pdb.guid, sizeof(want->pdb.guid)));
	hash = wk_hash_pair(hash, want->pdb.age);
	return wk_hash_pair(hash, (uint64_t)want->time_stamp << 32 | want->image_bytes);
}

static bool same_want(const void *table, uint32_t number, const void *key)
{
	const struct wk_symbol_answer *answers = table;
	const struct wk_symbol_want *a = &answers[number - 1].want, *b = key;

	return wk_str_eq(a->name, b->name) && wk_pdb_id_eq(&a->pdb, &b->pdb) &&
	       a->time_stamp == b->time_stamp && a->image_bytes == b->image_bytes &&
	       a->asks_no_server == b->asks_no_server;
}

static struct wk_symbol_answer *find_answer(struct wk_symbol_files *files,
					    const struct wk_symbol_want *want)
{
	uint32_t number =
		wk_index_find(&files->answer_of, hash_of(want), same_want, files->answers, want);

	return number ? &files->answers[number - 1] : NULL;
}

/* The number of a new answer, which is not there yet. */
static size_t add_answer(struct wk_symbol_files *files, const struct wk_symbol_want *want)
{
	struct wk_symbol_answer *answer;

	files->answers = wk_grow(files->answers, &files->answer_cap, files->answer_count + 1,
				 sizeof(*files->answers));
	answer = &files->answers[files->answer_count++];
	*answer = (struct wk_symbol_answer){ .want = *want };
	answer->want.name = wk_arena_copy(&files->texts, want->name);
	answer->want.suffix = wk_arena_copy(&files->texts, want->suffix);
	wk_index_add(&files->answer_of, hash_of(want), (uint32_t)files->answer_count);
	return files->answer_count - 1;
}

bool wk_symbol_files_know(struct wk_symbol_files *files, const struct wk_symbol_want *want,
			  struct wk_symbol_found *found, struct wk_buf *said, bool *is_found)
{
	struct wk_symbol_answer *answer = find_answer(files, want);

	/* What was handed over is not here any more, but there is a copy of it. */
	if (!answer || answer->is_taken)
		return false;
	wk_buf_add_text(said, answer->said);
	*is_found = answer->is_taken = answer->is_found;
	if (answer->is_found)
		*found = answer->found;
	return true;
}

void wk_symbol_files_forget(struct wk_symbol_files *files)
{
	for (size_t i = 0; i < files->answer_count; i++) {
		if (files->answers[i].is_found && !files->answers[i].is_taken)
			wk_symbol_found_close(&files->answers[i].found);
		wk_free(files->answers[i].said);
	}
	wk_free(files->answers);
	wk_index_fini(&files->answer_of);
	wk_arena_fini(&files->texts);
}

static void begin(struct early *early, struct wk_symbol_files *files, bool is_look)
{
	struct wk_symbol_answer *answer = &files->answers[early->answer];

	early->search = (struct wk_symbol_search){
		.files = files, .want = &answer->want, .found = &answer->found,
		.said = &early->said, .is_look = is_look };
}

static void forget_search(struct early *early)
{
	struct wk_symbol_search *s = &early->search;

	for (size_t i = 0; s->complaints && i < s->files->path.count; i++)
		wk_free(s->complaints[i]);
	wk_free(s->complaints);
	wk_free(s->newest);
	wk_buf_fini(&s->key);
	wk_buf_fini(&s->own);
	wk_buf_reset(&early->said);
}

/* What was there sooner than all before it, and has no room behind them, is looked for as it would
 * have been without. */
static void read_up(struct early *early)
{
	struct wk_symbol_search *s = &early->search;
	struct wk_symbol_files *files = s->files;

	if (wk_fetch_quota_merge(&files->room, s->unkept_bytes))
		return;
	wk_symbol_found_close(s->found);
	forget_search(early);
	begin(early, files, false);
	s->has_no_room = true;
	early->is_found = wk_symbol_search_run(s);
}

static void finish(struct early *early)
{
	read_up(early);

	struct wk_symbol_answer *answer = &early->search.files->answers[early->answer];

	answer->is_found = early->is_found;
	answer->said = wk_strndup(wk_buf_text(&early->said), early->said.len);
	wk_symbol_search_finish(&early->search);
	wk_buf_fini(&early->said);
}

/* Most runs find all that they need here, or know that nobody has it. Then there is nothing to be
 * done but that; else it is begun anew by whoever may ask. */
static bool is_settled(struct early *early, struct wk_symbol_files *files)
{
	begin(early, files, true);
	early->is_found = wk_symbol_search_run(&early->search);
	if (!early->search.is_open)
		return true;
	forget_search(early);
	return false;
}

static void run(void *context, size_t job, struct wk_fetcher *fetcher)
{
	struct crowd *crowd = context;
	struct early *early = &crowd->early[job];

	early->search.fetcher = fetcher;
	early->search.job = job;
	early->is_found = wk_symbol_search_run(&early->search);
}

/* Who is not to be asked at all says so when somebody wants a file. */
static void fetch(struct crowd *crowd)
{
	const struct wk_fetch_work work = { .count = crowd->count, .run = run, .context = crowd };
	struct wk_symbol_files *files = crowd->files;

	wk_symbol_files_folder(files, true);
	for (size_t i = 0; i < crowd->count; i++)
		begin(&crowd->early[i], files, false);
	wk_fetch_together(&files->options, &files->room, &work);
	for (size_t i = 0; i < crowd->count; i++)
		finish(&crowd->early[i]);
	wk_symbol_files_trim(files);
}

void wk_symbol_files_prefetch(struct wk_symbol_files *files, const struct wk_symbol_want *wants,
			      size_t count)
{
	struct crowd crowd = { .files = files };
	size_t first = files ? files->answer_count : 0;

	if (!wk_symbol_files_has_servers(files))
		return;
	for (size_t i = 0; i < count; i++)
		if (!find_answer(files, &wants[i]))
			add_answer(files, &wants[i]);
	crowd.early = wk_alloc_zeroed(files->answer_count - first + 1, sizeof(*crowd.early));
	for (size_t i = first; i < files->answer_count; i++) {
		struct early *early = &crowd.early[crowd.count];

		*early = (struct early){ .answer = i };
		if (is_settled(early, files))
			finish(early);
		else
			crowd.count++;
	}
	if (crowd.count)
		fetch(&crowd);
	wk_free(crowd.early);
}
