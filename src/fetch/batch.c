#include "fetch/batch.h"

#include "os/os.h"

/* Descriptors that a search has open at most: what comes, its connection, what resolving names and
 * checking certificates needs; and those of all others. */
#define FILES_EACH  8
#define FILES_SPARE 4

#define REPORT_NS UINT64_C(50000000)

struct batch {
	struct wk_fetcher *fetcher;
	struct wk_search *searches;
	struct wk_search *active[WK_MOST_TRANSFERS];
	size_t count, next, active_count, most_active;
	bool is_prefetch;
	uint64_t reported_ns;
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

static void report(struct batch *b)
{
	struct wk_transfers *transfers = b->fetcher->transfers;

	wk_transfers_set_jobs(transfers, b->next - b->active_count, b->is_prefetch ? b->count : 0);
	if (wk_os_clock_ns() - b->reported_ns < REPORT_NS)
		return;
	b->reported_ns = wk_os_clock_ns();
	wk_transfers_report(transfers);
}

/* Files that pause until another large one ends are in vain once their server failed for that. */
static void cancel_paused(struct batch *b)
{
	for (size_t i = 0; i < b->active_count; i++) {
		struct wk_search *s = b->active[i];

		if (s->step == WK_SEARCH_GETS_FILE && s->transfer.is_paused &&
		    wk_search_source(s)->down.kind)
			wk_transfers_cancel(&s->transfer);
	}
}

/* Returns whether any search ended. */
static bool remove_ended(struct batch *b)
{
	size_t left = 0, count = b->active_count;

	for (size_t i = 0; i < count; i++)
		if (b->active[i]->step != WK_SEARCH_ENDS)
			b->active[left++] = b->active[i];
		else if (b->fetcher->transfers)
			wk_transfers_end_turn(b->fetcher->transfers, b->active[i]->job);
	b->active_count = left;
	return left < count;
}

static bool advance(struct batch *b)
{
	while (b->active_count < b->most_active && b->next < b->count)
		b->active[b->active_count++] = &b->searches[b->next++];
	for (size_t i = 0; i < b->active_count; i++)
		wk_search_advance(b->active[i], false);
	cancel_paused(b);
	return remove_ended(b);
}

void wk_batch_run(struct wk_fetcher *f, struct wk_search *searches, size_t count, bool is_prefetch)
{
	struct batch b = { .fetcher = f, .searches = searches, .count = count,
			   .is_prefetch = is_prefetch };

	b.most_active = most_active(f, count);
	while (b.next < count || b.active_count) {
		if (advance(&b))
			continue;
		report(&b);
		wk_transfers_run(f->transfers);
	}
	if (is_prefetch && f->options.progress)
		f->options.progress(f->options.context, &(struct wk_fetch_status){
			.is_done = true, .is_end = true, .done_jobs = count, .job_count = count });
}
