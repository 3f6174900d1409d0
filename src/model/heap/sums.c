#include "model/heap/sums.h"

#include "base/hash.h"
#include "base/map.h"
#include "base/mem.h"

/* A row of samples of which something is left. */
struct piece {
	uint32_t sample;
	uint32_t next; /* of its series, which is newer; 0: none */
	uint64_t bytes, blocks;
};

/* The sums of one stack and thread. */
struct series {
	struct wk_sample who;    /* of the first */
	uint32_t oldest, newest; /* pieces; 0: none */
	uint64_t peak_bytes, peak_blocks;
	uint64_t peak_ns;
};

struct wk_heap_sums {
	struct wk_model *model;
	struct series *series; /* row 0 is none */
	size_t series_cap;
	uint32_t series_count;
	struct wk_index index;
	struct piece *pieces; /* row 0 is none */
	size_t pieces_cap;
	uint32_t piece_count;
};

struct wk_heap_sums *wk_heap_sums_new(struct wk_model *model)
{
	struct wk_heap_sums *sums = wk_alloc_zeroed(1, sizeof(*sums));

	sums->model = model;
	sums->series_count = sums->piece_count = 1;
	return sums;
}

void wk_heap_sums_free(struct wk_heap_sums *sums)
{
	if (!sums)
		return;
	WK_FREE_ALL(sums->series, sums->pieces);
	wk_index_fini(&sums->index);
	wk_free(sums);
}

static bool same_series(const void *table, uint32_t id, const void *key)
{
	const struct wk_sample *a = &((const struct series *)table)[id].who, *b = key;

	return a->stack == b->stack && a->thread == b->thread && a->about == b->about &&
	       a->is_before == b->is_before;
}

static struct series *series_of(struct wk_heap_sums *sums, const struct wk_sample *who)
{
	uint64_t hash = wk_hash_pair((uint64_t)who->stack << 32 | who->thread,
				     (uint64_t)who->about << 1 | who->is_before);
	uint32_t id = wk_index_find(&sums->index, hash, same_series, sums->series, who);

	if (id)
		return &sums->series[id];
	WK_RESERVE(sums->series, sums->series_cap, (size_t)sums->series_count + 1);
	id = sums->series_count++;
	sums->series[id] = (struct series){ .who = *who };
	wk_index_add(&sums->index, hash, id);
	return &sums->series[id];
}

static bool add_row(struct wk_model *model, enum wk_derived source, uint64_t bytes, uint64_t blocks,
		    const struct wk_sample *who)
{
	struct wk_sample sample = *who;

	if (!bytes && !blocks)
		return false;
	sample.source = wk_model_derived_source(model, source);
	sample.weight = wk_model_fit_weight(model, bytes);
	sample.times = blocks;
	wk_model_add_sample(model, &sample);
	return true;
}

static void allocate(struct wk_heap_sums *sums, struct series *series,
		     const struct wk_event_heap_sum *sum, const struct wk_sample *who)
{
	struct wk_samples *samples = &sums->model->samples;
	uint32_t id = sums->piece_count;

	if (!add_row(sums->model, WK_DERIVED_HEAP, sum->allocated_bytes, sum->allocated_blocks,
		     who))
		return;
	WK_RESERVE(sums->pieces, sums->pieces_cap, (size_t)id + 1);
	sums->piece_count++;
	sums->pieces[id] = (struct piece){ .sample = samples->count - 1,
					   .bytes = samples->weight[samples->count - 1],
					   .blocks = sum->allocated_blocks };
	if (series->newest)
		sums->pieces[series->newest].next = id;
	else
		series->oldest = id;
	series->newest = id;
}

static uint64_t take(uint64_t *from, uint64_t *wanted)
{
	uint64_t taken = *wanted < *from ? *wanted : *from;

	*from -= taken;
	*wanted -= taken;
	return taken;
}

/* More than is known to be there was allocated before the recording. */
static void release(struct wk_heap_sums *sums, struct series *series,
		    const struct wk_event_heap_sum *sum, const struct wk_sample *who)
{
	uint64_t bytes = sum->freed_bytes, blocks = sum->freed_blocks;

	while (series->oldest && (bytes || blocks)) {
		struct piece *piece = &sums->pieces[series->oldest];
		struct wk_end end = { .sample = piece->sample, .time_ns = who->time_ns,
				      .thread = who->thread, .stack = who->stack,
				      .lived = WK_LIVED_UNKNOWN };

		end.weight = take(&piece->bytes, &bytes);
		end.times = take(&piece->blocks, &blocks);
		if (end.weight || end.times)
			wk_model_add_end(sums->model, &end);
		if (piece->bytes || piece->blocks)
			break; /* the rest is of this one: it has bytes or blocks alone */
		series->oldest = piece->next;
	}
	if (!series->oldest)
		series->newest = 0;
	add_row(sums->model, WK_DERIVED_FREE, sum->freed_bytes - bytes, sum->freed_blocks - blocks,
		who);
}

void wk_heap_sums_add(struct wk_heap_sums *sums, const struct wk_event_heap_sum *sum,
		      const struct wk_sample *who)
{
	struct series *series = series_of(sums, who);
	wk_heap_id heap = sums->model->subjects[who->about].heap;

	sums->model->heaps[heap].counts_blocks |= sum->allocated_blocks != 0;
	allocate(sums, series, sum, who);
	release(sums, series, sum, who);
	add_row(sums->model, WK_DERIVED_HEAP_TEMPORARY, sum->temporary_bytes, sum->temporary_blocks,
		who);
	if (sum->peak_bytes || sum->peak_blocks) {
		series->peak_bytes = sum->peak_bytes;
		series->peak_blocks = sum->peak_blocks;
		series->peak_ns = who->time_ns;
	}
}

void wk_heap_sums_finish(struct wk_heap_sums *sums)
{
	for (uint32_t i = 1; i < sums->series_count; i++) {
		struct wk_sample who = sums->series[i].who;

		who.time_ns = sums->series[i].peak_ns;
		add_row(sums->model, WK_DERIVED_HEAP_PEAK, sums->series[i].peak_bytes,
			sums->series[i].peak_blocks, &who);
	}
}
