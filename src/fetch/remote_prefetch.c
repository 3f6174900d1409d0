/* Several files of other machines at once, before they are asked for: searches that run beside each
 * other, and what came of them. */
#include "fetch/remote_search.h"

#include <stdlib.h>

#include "base/mem.h"
#include "fetch/fetch_workers.h"

/* A search of those. */
struct early {
	struct wk_remote_search search;
	size_t answer; /* its number */
	bool is_found;
};

struct crowd {
	struct wk_remote *remote;
	struct early *early; /* heaviest first */
	size_t count;
};

static struct wk_remote_search search_of(struct wk_remote *remote,
					 const struct wk_remote_want *want)
{
	return (struct wk_remote_search){
		.remote = remote,
		.wish = { want->which, wk_remote_id(&want->id),
			  wk_str_basename(want->image_path), want->image_path },
	};
}

/* Most runs find all that they need here, or know that nobody has it. Then there is nothing to be
 * done but that; else it is begun anew by whoever may ask. */
static bool is_settled(struct early *early)
{
	const struct wk_remote_wish wish = early->search.wish;
	struct wk_remote *remote = early->search.remote;

	early->search.is_look = true;
	early->is_found = wk_remote_search_run(&early->search);
	if (!early->search.is_open)
		return true;
	wk_remote_search_undo(&early->search);
	early->search = (struct wk_remote_search){ .remote = remote, .wish = wish };
	return false;
}

/* What was there sooner than all before it, and has no room behind them, is looked for as it would
 * have been without. */
static void read_up(struct early *early)
{
	const struct wk_remote_wish wish = early->search.wish;
	struct wk_remote *remote = early->search.remote;

	if (wk_fetch_quota_merge(&remote->room, early->search.unkept_bytes))
		return;
	wk_remote_search_undo(&early->search);
	early->search = (struct wk_remote_search){
		.remote = remote, .wish = wish, .has_no_room = true };
	early->is_found = wk_remote_search_run(&early->search);
}

static void finish(struct early *early)
{
	read_up(early);
	wk_remote_answer_fill(early->search.remote, early->answer, &early->search, early->is_found);
}

static void run(void *context, size_t job, struct wk_fetcher *fetcher)
{
	struct crowd *crowd = context;
	struct early *early = &crowd->early[job];

	early->search.fetcher = fetcher;
	early->search.job = job;
	early->is_found = wk_remote_search_run(&early->search);
}

static void fetch(struct crowd *crowd)
{
	const struct wk_fetch_work work = { .count = crowd->count, .run = run, .context = crowd };
	struct wk_remote *remote = crowd->remote;

	wk_fetch_together(&remote->options, &remote->room, &work);
	/* Room is made by whoever looks next, or at the end: what came is not used yet. */
	for (size_t i = 0; i < crowd->count; i++)
		finish(&crowd->early[i]);
}

/* Those that nobody asked for yet, but for what is known without asking another machine. */
static void add_early(struct crowd *crowd, const struct wk_remote_want *want)
{
	struct wk_remote *remote = crowd->remote;
	struct early *early = &crowd->early[crowd->count];
	struct wk_build_id id = wk_remote_id(&want->id);

	if (id.size < WK_REMOTE_LEAST_ID || wk_remote_answer_find(remote, want->which, &id))
		return;
	*early = (struct early){
		.search = search_of(remote, want),
		.answer = wk_remote_answer_add(remote, want->which, &id),
	};
	if (is_settled(early))
		finish(early);
	else
		crowd->count++;
}

void wk_remote_prefetch(struct wk_remote *remote, const struct wk_remote_want *wants, size_t count)
{
	struct crowd crowd = { .remote = remote };

	if (!wk_remote_asks_machines(remote))
		return;
	crowd.early = wk_alloc_zeroed(count + 1, sizeof(*crowd.early));
	for (size_t i = 0; i < count; i++)
		add_early(&crowd, &wants[i]);
	if (crowd.count)
		fetch(&crowd);
	wk_free(crowd.early);
}
