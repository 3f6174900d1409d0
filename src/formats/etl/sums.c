#include "formats/etl/sums.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/mem.h"
#include "formats/etl/file/file.h"

static void add_row(struct wk_etl_sums *sums, const struct wk_event_whose *whose,
		    const struct wk_event_sum *sum)
{
	WK_RESERVE(sums->whose, sums->whose_cap, sums->count + 1);
	WK_RESERVE(sums->rows, sums->row_cap, sums->count + 1);
	sums->whose[sums->count] = *whose;
	sums->rows[sums->count] = *sum;
	sums->rows[sums->count].whose = (uint32_t)sums->count;
	sums->count++;
}

static void join(struct wk_event_sum *row, const struct wk_event_sum *sum)
{
	row->times += sum->times;
	row->weight =
		sum->weight > UINT64_MAX - row->weight ? UINT64_MAX : row->weight + sum->weight;
	if (sum->time_ns < row->time_ns)
		row->time_ns = sum->time_ns;
	if (sum->until_ns > row->until_ns)
		row->until_ns = sum->until_ns;
}

void wk_etl_sums_add(struct wk_etl_sums *sums, const struct wk_event_whose *whose,
		     const struct wk_event_sum *sum)
{
	uint32_t *row =
		wk_map_at(&sums->row_of,
			  wk_hash_pair((uint64_t)whose->pid << 32 | whose->tid, whose->source));

	if (*row) {
		join(&sums->rows[*row - 1], sum);
		return;
	}
	add_row(sums, whose, sum);
	*row = (uint32_t)sums->count;
}

bool wk_etl_sums_emit(struct wk_etl_sums *sums, const struct wk_etl_file *file,
		      const struct wk_sink *sink, struct wk_err *err)
{
	struct wk_event event = { .kind = WK_EVENT_SUMS, .cpu = WK_NO_CPU };

	for (size_t i = 0; i < sums->count; i++) {
		sums->rows[i].time_ns = wk_etl_ns(file, sums->rows[i].time_ns);
		sums->rows[i].until_ns = wk_etl_ns(file, sums->rows[i].until_ns);
	}
	event.sums = (struct wk_event_sums){ .at = sums->rows, .count = sums->count,
					     .whose = sums->whose, .whose_count = sums->count };
	return sums->count == 0 || wk_sink_emit(sink, &event, err);
}

void wk_etl_sums_fini(struct wk_etl_sums *sums)
{
	wk_map_fini(&sums->row_of);
	WK_FREE_ALL(sums->whose, sums->rows);
}
