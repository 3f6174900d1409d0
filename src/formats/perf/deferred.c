#include "formats/perf/internal.h"

#include "base/mem.h"

/* Since 6.19 the kernel may defer the user part of a chain until the thread returns to user code:
 * the sample contains a cookie, and a later record the chain. Samples are emitted a round after
 * they were read, so in most cases the chain is there by then. */

static bool read_record(const struct wk_perf_record *record, uint64_t *cookie,
			struct wk_bytes *chain)
{
	struct wk_bytes body = record->body;
	uint64_t count;

	*cookie = wk_u64(&body);
	count = wk_u64(&body);
	if (body.bad || count > wk_bytes_left(&body) / 8)
		return false;
	*chain = wk_bytes_slice(&body, count * 8);
	return true;
}

static struct wk_perf_deferred *new_row(struct wk_perf *perf, uint64_t cookie)
{
	uint32_t *index = wk_map_at(&perf->deferred_of, cookie);

	if (!*index) {
		*WK_APPEND(perf->deferred, perf->deferred_count, perf->deferred_cap) =
			(struct wk_perf_deferred){ .cookie = cookie };
		*index = (uint32_t)perf->deferred_count;
	}
	return &perf->deferred[*index - 1];
}

void wk_perf_add_deferred(struct wk_perf *perf, const struct wk_perf_record *record)
{
	struct wk_perf_deferred *row;
	struct wk_bytes chain;
	uint64_t cookie;

	if (!read_record(record, &cookie, &chain)) {
		wk_perf_odd(perf, WK_PERF_ODD_SHORT, record->at);
		return;
	}
	row = new_row(perf, cookie);
	row->chain = wk_realloc(row->chain, wk_bytes_left(&chain) + 8);
	row->count = 0;
	while (wk_bytes_left(&chain) >= 8) {
		uint64_t entry = wk_u64(&chain);

		if (entry < WK_PERF_CONTEXT_LEAST)
			row->chain[row->count++] = entry;
	}
}

/* The last row replaces the removed one. */
void wk_perf_drop_deferred(struct wk_perf *perf, const struct wk_perf_record *record)
{
	struct wk_bytes chain;
	uint64_t cookie;
	uint32_t index;

	if (!read_record(record, &cookie, &chain))
		return;
	index = wk_map_find(&perf->deferred_of, cookie);
	if (!index)
		return;
	wk_free(perf->deferred[index - 1].chain);
	wk_map_set(&perf->deferred_of, cookie, 0);
	if (index != perf->deferred_count) {
		perf->deferred[index - 1] = perf->deferred[perf->deferred_count - 1];
		wk_map_set(&perf->deferred_of, perf->deferred[index - 1].cookie, index);
	}
	perf->deferred_count--;
}

const struct wk_perf_deferred *wk_perf_find_deferred(const struct wk_perf *perf, uint64_t cookie)
{
	uint32_t index = wk_map_find(&perf->deferred_of, cookie);

	return index ? &perf->deferred[index - 1] : NULL;
}

void wk_perf_deferred_fini(struct wk_perf *perf)
{
	for (size_t i = 0; i < perf->deferred_count; i++)
		wk_free(perf->deferred[i].chain);
	wk_free(perf->deferred);
	wk_map_fini(&perf->deferred_of);
}
