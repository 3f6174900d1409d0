/* Which samples are printed, by lists as `perf script` takes them: "1,5", "0-3,7", "sh,make". */
#include <string.h>

#include "base/num.h"
#include "render/perf_script_internal.h"

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

bool wk_script_wants(const struct wk_perf_script *script, const struct wk_script_source *source,
		     const struct wk_event *event)
{
	const struct wk_perf_script_options *options = &script->options;
	struct wk_buf made = { 0 };
	bool is_wanted = (!options->pids || has_number(options->pids, event->pid)) &&
			 (!options->tids || has_number(options->tids, event->tid)) &&
			 (!options->cpus || has_number(options->cpus, event->cpu)) &&
			 (!(source->source.details & WK_DETAIL_TIME) ||
			  wk_perf_times_have(options->times, event->time_ns));

	if (is_wanted && options->comms)
		is_wanted = has_name(options->comms, wk_script_comm(script, event->tid, &made));
	wk_buf_fini(&made);
	return is_wanted;
}
