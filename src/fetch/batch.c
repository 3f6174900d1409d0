#include "fetch/fetcher_internal.h"
#include "os/os.h"

/* Descriptors that one search may have open: the file, its connection, and those for resolving
 * names and checking certificates; and those of everything else. */
#define FILES_EACH  8
#define FILES_SPARE 4

struct batch {
	struct wk_search **searches;
	struct wk_search *active[WK_MOST_TRANSFERS]; /* in their order */
	size_t count, next, active_count, most_active;
};

/* At least one is tried. */
static size_t most_active(struct wk_fetcher *f, size_t count)
{
	size_t most = count < WK_MOST_TRANSFERS ? count : WK_MOST_TRANSFERS;
	unsigned wanted = FILES_SPARE + FILES_EACH * (unsigned)most;
	unsigned left = wk_os_files_left(wanted, NULL);
	size_t fed = left < FILES_SPARE ? 0 : (left - FILES_SPARE) / FILES_EACH;

	if (fed && fed < most)
		f->few_at_once = (unsigned)fed;
	return fed > most ? most : fed ? fed : 1;
}

/* Returns whether any search ended. */
static bool advance(struct batch *b)
{
	size_t count, left = 0;

	while (b->active_count < b->most_active && b->next < b->count)
		b->active[b->active_count++] = b->searches[b->next++];
	count = b->active_count;
	for (size_t i = 0; i < count; i++)
		wk_search_advance(b->active[i], false);
	for (size_t i = 0; i < count; i++) {
		struct wk_search *s = b->active[i];

		/* Its other answers have no end either. */
		if (s->step == WK_SEARCH_GETS_FILE &&
		    wk_search_source(s)->down.kind == WK_OUTCOME_ENDLESS)
			wk_transfers_cancel(&s->transfer);
		if (s->step != WK_SEARCH_ENDS)
			b->active[left++] = s;
	}
	b->active_count = left;
	return left < count;
}

void wk_batch_run(struct wk_fetcher *f, struct wk_search **searches, size_t count, bool is_prefetch)
{
	struct batch b = { .searches = searches, .count = count };

	b.most_active = most_active(f, count);
	while (b.next < count || b.active_count)
		if (!advance(&b))
			wk_transfers_run(f->transfers, b.next - b.active_count,
					 is_prefetch ? count : 0);
	if (is_prefetch && f->options.progress)
		f->options.progress(f->options.context, &(struct wk_fetch_status){
			.is_done = true, .is_end = true, .done_jobs = count, .job_count = count });
}
