/* Which samples are printed, by lists as `perf script` takes them: "1,5", "0-3,7", "sh,make", and
 * by where they were. */
#include <string.h>

#include "base/num.h"
#include "names/function_name.h"
#include "render/perf_script/internal.h"

static struct wk_str next_item(struct wk_str *list)
{
	struct wk_str item;

	wk_str_split(*list, ',', &item, list);
	return item;
}

/* "3" or "3-7". */
static bool read_range(struct wk_str item, uint64_t *first, uint64_t *last)
{
	struct wk_str from, to;
	bool is_range = wk_str_split(item, '-', &from, &to);

	return wk_num_u64(from, first) && wk_num_u64(is_range ? to : from, last);
}

bool wk_perf_script_is_list(const char *text)
{
	struct wk_str rest = wk_str_c(text);
	uint64_t first, last;

	do {
		if (!read_range(next_item(&rest), &first, &last) || first > last)
			return false;
	} while (rest.len > 0);
	return true;
}

static bool has_number(const char *list, uint32_t number)
{
	struct wk_str rest = wk_str_c(list);
	uint64_t first, last;

	while (rest.len > 0)
		if (read_range(next_item(&rest), &first, &last) && number >= first &&
		    number <= last)
			return true;
	return false;
}

static bool has_name(const char *list, struct wk_str name)
{
	struct wk_str rest = wk_str_c(list);

	while (rest.len > 0)
		if (wk_str_eq(next_item(&rest), name))
			return true;
	return false;
}

bool wk_script_wants_cpu(const struct wk_perf_script *script, uint32_t cpu)
{
	return !script->options.cpus || cpu == WK_NO_CPU || has_number(script->options.cpus, cpu);
}

static bool wants_comm(const struct wk_perf_script *script, uint32_t tid)
{
	struct wk_buf made = { 0 };
	bool is_wanted = !script->options.comms ||
			 has_name(script->options.comms, wk_script_comm(script, tid, &made));

	wk_buf_fini(&made);
	return is_wanted;
}

/* --- The place of a sample ----------------------------------------------------------------- */

static bool is_in_image(const char *images, const struct wk_script_place *place)
{
	return place->image && (has_name(images, place->image->name) ||
				has_name(images, wk_str_basename(place->image->name)));
}

/* "401000" or "0x401000": an address where a sample was. With the 0x a function's first one stands
 * for all of it. */
static bool is_at(struct wk_str item, uint64_t ip, uint64_t function, uint64_t range_bytes)
{
	bool is_marked = wk_str_starts(item, "0x");
	uint64_t address;

	if (!wk_num_hex(wk_str_skip(item, is_marked ? 2 : 0), &address))
		return false;
	return ip == address || (is_marked && function == address) ||
	       (ip >= address && ip - address < range_bytes);
}

/* By its name as printed here, or as elsewhere in wick: "hot" of "hot.constprop.0". */
static bool is_called(struct wk_str item, struct wk_str name)
{
	return item.len && (wk_str_eq(item, name) || wk_str_eq(item, wk_name_without_clones(name)));
}

static bool is_in_function(struct wk_perf_script *script, const struct wk_script_place *place)
{
	struct wk_str rest = wk_str_c(script->options.functions);
	uint64_t range_bytes = script->options.range_bytes, start = place->ip;
	struct wk_buf name = { 0 };
	struct wk_symbol symbol;
	bool found = false;

	if (wk_script_find_symbol(script, place, &symbol)) {
		start = place->ip - (place->address - symbol.start);
		wk_script_add_symbol(script, place, false, &name);
	}
	while (rest.len > 0 && !found) {
		struct wk_str item = next_item(&rest);

		found = is_called(item, wk_buf_str(&name)) ||
			is_at(item, place->ip, start, range_bytes);
	}
	wk_buf_fini(&name);
	return found;
}

static bool wants_place(struct wk_perf_script *script, const struct wk_event *event)
{
	const struct wk_perf_script_options *options = &script->options;
	struct wk_script_place place;

	if (!options->functions && !options->images)
		return true;
	place = wk_script_place_at(script, event->pid, event->sample.address,
				   event->sample.in_kernel);
	return (!options->images || is_in_image(options->images, &place)) &&
	       (!options->functions || is_in_function(script, &place));
}

bool wk_script_is_in_view(struct wk_perf_script *script)
{
	const struct wk_filter *filter = script->options.filter;
	uint32_t sample = script->sample_number++;

	if (!filter)
		return true;
	if (sample >= script->options.filter_count)
		return false;
	return filter->has_named_source ? wk_filter_has(filter, sample)
					: wk_filter_passes(filter, sample);
}

bool wk_script_wants(struct wk_perf_script *script, const struct wk_script_source *source,
		     const struct wk_event *event)
{
	const struct wk_perf_script_options *options = &script->options;
	bool has_time = source->source.details & WK_DETAIL_TIME;

	return (!options->pids || has_number(options->pids, event->pid)) &&
	       (!options->tids || has_number(options->tids, event->tid)) &&
	       wk_script_wants_cpu(script, event->cpu) &&
	       (!has_time || wk_perf_times_have(options->times, event->time_ns)) &&
	       wants_comm(script, event->tid) && wants_place(script, event);
}
