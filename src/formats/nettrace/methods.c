#include "formats/nettrace/methods.h"

#include "base/bisect.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/sort.h"
#include "formats/nettrace/waiting.h"

void wk_nettrace_methods_fini(struct wk_nettrace_methods *methods)
{
	wk_arena_fini(&methods->texts);
	wk_map_fini(&methods->met);
	WK_FREE_ALL(methods->seen, methods->ranges);
}

/* ---- the first pass */

static void add_range(struct wk_nettrace_methods *methods, const struct wk_clr_method *method,
		      struct wk_str name)
{
	enum wk_nettrace_leaf leaf = wk_nettrace_waits(name)     ? WK_NETTRACE_LEAF_WAITS
				     : wk_nettrace_is_stub(name) ? WK_NETTRACE_LEAF_IS_STUB
								 : WK_NETTRACE_LEAF_RUNS;
	uint64_t stop = method->start + method->size_bytes;

	if (leaf != WK_NETTRACE_LEAF_RUNS && stop > method->start)
		*WK_APPEND(methods->ranges, methods->range_count, methods->range_cap) =
			(struct wk_nettrace_range){ method->start, stop, leaf };
}

static void add_seen(struct wk_nettrace_methods *methods, uint32_t pid,
		     const struct wk_clr_method *method, struct wk_str name)
{
	*WK_APPEND(methods->seen, methods->seen_count, methods->seen_cap) =
		(struct wk_nettrace_seen_method){ .start = method->start,
						  .module = method->module,
						  .pid = pid,
						  .size_bytes = method->size_bytes,
						  .name = wk_arena_copy(&methods->texts, name) };
}

bool wk_nettrace_methods_scan(struct wk_nettrace_methods *methods, uint32_t pid,
			      struct wk_bytes payload, bool is_load)
{
	struct wk_clr_method method;
	struct wk_buf name = { 0 };
	uint32_t *is_met;

	if (!wk_clr_read_method(payload, &method))
		return false;
	is_met = wk_map_at(&methods->met, wk_hash_pair(method.start, pid));
	if (!*is_met || is_load) {
		wk_clr_method_name(&method, &name);
		add_range(methods, &method, wk_buf_str(&name));
		if (!is_load)
			add_seen(methods, pid, &method, wk_buf_str(&name));
	}
	*is_met = 1;
	wk_buf_fini(&name);
	return true;
}

void wk_nettrace_methods_settle(struct wk_nettrace_methods *methods)
{
	methods->ranges =
		wk_sort_rows(methods->ranges, methods->range_count, sizeof(*methods->ranges),
			     offsetof(struct wk_nettrace_range, start));
	methods->range_cap = methods->range_count;
}

/* ---- the second */

static bool emit(const struct wk_nettrace_seen_method *method, const struct wk_clr_owners *owners,
		 uint64_t time_ns, const struct wk_sink *sink, struct wk_err *err)
{
	struct wk_event event = { .kind = WK_EVENT_SYMBOL, .time_ns = time_ns, .pid = method->pid,
				  .tid = method->pid, .cpu = WK_NO_CPU };

	event.symbol = (struct wk_event_symbol){ .start = method->start,
						 .size_bytes = method->size_bytes,
						 .name = method->name };
	if (wk_clr_owners_is_program(owners, method->pid, method->module, method->name))
		event.symbol.kind = WK_FRAME_JIT_PROGRAM;
	return wk_sink_emit(sink, &event, err);
}

bool wk_nettrace_methods_emit_seen(const struct wk_nettrace_methods *methods,
				   const struct wk_clr_owners *owners, const struct wk_sink *sink,
				   struct wk_err *err)
{
	bool ok = true;

	for (size_t i = 0; ok && i < methods->seen_count; i++)
		ok = emit(&methods->seen[i], owners, 0, sink, err);
	return ok;
}

bool wk_nettrace_methods_emit(const struct wk_clr_owners *owners, uint32_t pid,
			      struct wk_bytes payload, uint64_t time_ns, const struct wk_sink *sink,
			      struct wk_err *err)
{
	struct wk_nettrace_seen_method row = { .pid = pid };
	struct wk_clr_method method;
	struct wk_buf name = { 0 };
	bool ok;

	if (!wk_clr_read_method(payload, &method))
		return true;
	wk_clr_method_name(&method, &name);
	row.start = method.start;
	row.module = method.module;
	row.size_bytes = method.size_bytes;
	row.name = wk_buf_str(&name);
	ok = emit(&row, owners, time_ns, sink, err);
	wk_buf_fini(&name);
	return ok;
}

/* ---- who waits */

static enum wk_nettrace_leaf leaf_at(const struct wk_nettrace_methods *methods, uint64_t address)
{
	size_t row =
		wk_sorted_up_to(methods->ranges, methods->range_count, sizeof(*methods->ranges),
				offsetof(struct wk_nettrace_range, start), address);

	return row && address < methods->ranges[row - 1].stop ? methods->ranges[row - 1].leaf
							      : WK_NETTRACE_LEAF_RUNS;
}

bool wk_nettrace_methods_wait(const struct wk_nettrace_methods *methods, const uint64_t *chain,
			      size_t count)
{
	size_t i = 0;

	while (i < count && leaf_at(methods, chain[i]) == WK_NETTRACE_LEAF_IS_STUB)
		i++;
	return i < count && leaf_at(methods, chain[i]) == WK_NETTRACE_LEAF_WAITS;
}
