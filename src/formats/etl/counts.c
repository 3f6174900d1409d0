#include "formats/etl/counts.h"

#include "base/buf.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/mem.h"
#include "formats/etl/trace.h"

#define KERNEL_PROVIDER "Windows Kernel"
#define GROUPS          256
#define OPCODES         256

void wk_etl_counts_fini(struct wk_etl_counts *counts)
{
	for (size_t i = 0; i < GROUPS; i++)
		wk_free(counts->groups[i]);
}

struct wk_etl_tally *wk_etl_counts_of_hook(struct wk_etl_counts *counts, uint16_t hook)
{
	struct wk_etl_tally **group = &counts->groups[hook / OPCODES];

	if (!*group)
		*group = wk_alloc_zeroed(OPCODES, sizeof(**group));
	return &(*group)[hook % OPCODES];
}

static bool emit(const struct wk_etl_trace *trace, struct wk_str provider, struct wk_str name,
		 const struct wk_etl_tally *tally)
{
	struct wk_event event = { .kind = WK_EVENT_COUNT, .cpu = WK_NO_CPU,
				  .count = { provider, name, tally->count, tally->is_used } };

	return tally->count == 0 || wk_etl_emit_event(trace, &event);
}

static bool emit_kernel(const struct wk_etl_trace *trace, const struct wk_etl_tally *tally,
			size_t hook)
{
	struct wk_buf name = { 0 };
	bool ok;

	if (tally->count == 0)
		return true;
	wk_etl_hook_kernel_name((uint16_t)hook, &name);
	ok = emit(trace, wk_str_c(KERNEL_PROVIDER), wk_buf_str(&name), tally);
	wk_buf_fini(&name);
	return ok;
}

/* Names all kinds, and adds the tallies of those with one name to the first of them. */
static void join_names(struct wk_etl_trace *trace)
{
	struct wk_map first_of = { 0 }; /* by provider and name, hashed */

	for (uint32_t kind = 1; kind <= wk_etl_kinds_count(trace->kinds); kind++) {
		struct wk_etl_event_kind *row = wk_etl_kinds_get(trace->kinds, kind), *first;
		struct wk_str provider, name;
		uint32_t *at;

		wk_etl_kinds_name(trace->kinds, trace->schemas, kind, &provider, &name);
		at = wk_map_at(&first_of, wk_hash_pair(wk_hash_bytes(provider.at, provider.len),
						       wk_hash_bytes(name.at, name.len)));
		if (!*at) {
			*at = kind;
			continue;
		}
		first = wk_etl_kinds_get(trace->kinds, *at);
		first->tally.count += row->tally.count;
		first->tally.is_used |= row->tally.is_used;
		row->tally.count = 0;
	}
	wk_map_fini(&first_of);
}

static bool emit_others(struct wk_etl_trace *trace)
{
	bool ok = true;

	join_names(trace);
	for (uint32_t kind = 1; ok && kind <= wk_etl_kinds_count(trace->kinds); kind++) {
		const struct wk_etl_event_kind *row = wk_etl_kinds_get(trace->kinds, kind);

		ok = emit(trace, row->provider, row->event, &row->tally);
	}
	return ok;
}

bool wk_etl_counts_emit(struct wk_etl_trace *trace)
{
	bool ok = true;

	for (size_t group = 0; group < GROUPS; group++)
		for (size_t i = 0; ok && trace->counts.groups[group] && i < OPCODES; i++)
			ok = emit_kernel(trace, &trace->counts.groups[group][i],
					 group * OPCODES + i);
	return ok && emit_others(trace);
}
