#include "formats/etl/counts.h"

#include "base/buf.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/mem.h"
#include "formats/etl/trace.h"

#define KERNEL_PROVIDER "Windows Kernel"
#define GROUPS          256
#define OPCODES         256

struct wk_etl_counts {
	struct wk_etl_tally *kernel[GROUPS]; /* by opcode; NULL: no such group */
	struct wk_etl_tally *others;         /* by kind */
	size_t other_count, other_cap;
};

struct wk_etl_counts *wk_etl_counts_new(void)
{
	return wk_alloc_zeroed(1, sizeof(struct wk_etl_counts));
}

void wk_etl_counts_free(struct wk_etl_counts *counts)
{
	for (size_t i = 0; i < GROUPS; i++)
		wk_free(counts->kernel[i]);
	WK_FREE_ALL(counts->others, counts);
}

static struct wk_etl_tally *tally_of_kernel(struct wk_etl_counts *counts, uint32_t hook)
{
	struct wk_etl_tally **group = &counts->kernel[hook / OPCODES % GROUPS];

	if (!*group)
		*group = wk_alloc_zeroed(OPCODES, sizeof(**group));
	return &(*group)[hook % OPCODES];
}

static struct wk_etl_tally *tally_of(struct wk_etl_counts *counts, uint32_t hook, uint32_t kind)
{
	if (kind == 0)
		return tally_of_kernel(counts, hook);
	while (counts->other_count <= kind) {
		*WK_APPEND(counts->others, counts->other_count, counts->other_cap) =
			(struct wk_etl_tally){ 0 };
	}
	return &counts->others[kind];
}

struct wk_etl_tally *wk_etl_counts_add(struct wk_etl_counts *counts, uint32_t hook, uint32_t kind)
{
	struct wk_etl_tally *tally = tally_of(counts, hook, kind);

	tally->count++;
	return tally;
}

void wk_etl_counts_use(struct wk_etl_counts *counts, uint32_t kind)
{
	tally_of(counts, 0, kind)->is_used = true;
}

/* ---- events */

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

/* A name of one or several kinds, in the place of the first. */
struct named {
	struct wk_str provider, name;
	struct wk_etl_tally tally;
};

struct names {
	struct named *rows;
	size_t count;
	struct wk_index index; /* row + 1 */
};

static bool is_same_name(const void *table, uint32_t id, const void *wanted)
{
	const struct named *row = &((const struct names *)table)->rows[id - 1], *key = wanted;

	return wk_str_eq(row->provider, key->provider) && wk_str_eq(row->name, key->name);
}

static void add_name(struct names *names, const struct named *named)
{
	uint64_t hash = wk_hash_pair(wk_hash_bytes(named->provider.at, named->provider.len),
				     wk_hash_bytes(named->name.at, named->name.len));
	uint32_t row = wk_index_find(&names->index, hash, is_same_name, names, named);

	if (!row) {
		names->rows[names->count++] = *named;
		wk_index_add(&names->index, hash, (uint32_t)names->count);
		return;
	}
	names->rows[row - 1].tally.count += named->tally.count;
	names->rows[row - 1].tally.is_used |= named->tally.is_used;
}

static bool emit_others(const struct wk_etl_trace *trace)
{
	const struct wk_etl_counts *counts = trace->counts;
	struct names names = { .rows = wk_alloc_zeroed(counts->other_count + 1,
						       sizeof(*names.rows)) };
	bool ok = true;

	for (uint32_t kind = 1; kind < counts->other_count; kind++) {
		struct named named = { .tally = counts->others[kind] };

		wk_etl_kinds_name(trace->kinds, trace->descriptions, kind, &named.provider,
				  &named.name);
		add_name(&names, &named);
	}
	for (size_t i = 0; ok && i < names.count; i++)
		ok = emit(trace, names.rows[i].provider, names.rows[i].name, &names.rows[i].tally);
	wk_free(names.rows);
	wk_index_fini(&names.index);
	return ok;
}

bool wk_etl_counts_emit(const struct wk_etl_trace *trace)
{
	const struct wk_etl_counts *counts = trace->counts;
	bool ok = true;

	for (size_t group = 0; group < GROUPS; group++)
		for (size_t i = 0; ok && counts->kernel[group] && i < OPCODES; i++)
			ok = emit_kernel(trace, &counts->kernel[group][i], group * OPCODES + i);
	return ok && emit_others(trace);
}
