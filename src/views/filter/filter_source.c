/* Which event a view is about. */
#include "views/filter/filter_source.h"

#include "base/mem.h"
#include "base/num.h"
#include "base/text/suggest.h"
#include "event/advice.h"

/* Without CPU samples the time of waits says more than the number of other events, and what calls
 * committed more than the number of calls. */
static unsigned worth(const struct wk_model *model, const struct wk_source *source)
{
	if (source->is_cpu_time)
		return 3;
	if (!model->traits->logs_events && wk_str_is(wk_model_str(model, source->name), "commit"))
		return 2;
	return model->traits->logs_events && wk_str_is(wk_model_str(model, source->unit), "ns") ? 2
												: 1;
}

wk_source_id wk_filter_default_source(const struct wk_model *model)
{
	uint64_t *counts = wk_model_count_samples(model);
	wk_source_id best = 0;
	unsigned most = 0;

	for (wk_source_id i = 1; i < model->source_count; i++) {
		unsigned it = counts[i] ? worth(model, &model->sources[i]) : 0;

		if (it <= most)
			continue;
		most = it;
		best = i;
	}
	wk_free(counts);
	return best;
}

static wk_source_id source_named(const struct wk_model *model, const char *name)
{
	for (wk_source_id i = 1; i < model->source_count; i++)
		if (wk_str_is(wk_model_str(model, model->sources[i].name), name))
			return i;
	return 0;
}

/* Its name in other words, or nearly; NULL: nothing is meant. */
static const char *source_meant(const struct wk_model *model, const char *name,
				const struct wk_event_alias *event)
{
	struct wk_suggestion near = wk_suggestion_for(wk_str_c(name));

	if (event && source_named(model, event->source))
		return event->source;
	for (wk_source_id i = 1; i < model->source_count && !event; i++)
		wk_suggestion_try(&near, wk_strtab_get(model->text, model->sources[i].name));
	return near.best;
}

/* The input counted records of it that are no samples; 0: it has none. */
static uint64_t counted_records(const struct wk_model *model, const char *name)
{
	uint64_t count = 0;

	for (uint32_t i = 0; i < model->count_count; i++)
		if (wk_str_is(wk_model_str(model, model->counts[i].name), name))
			count += model->counts[i].count;
	return count;
}

static bool fail_no_samples(const struct wk_model *model, const char *name, uint64_t records,
			    struct wk_err *err)
{
	struct wk_buf count = { 0 };

	wk_num_add_counted(&count, records, " record", " records");
	wk_fail(err, WK_EUSAGE, WK_NOWHERE,
		"the input has %s of \"%s\", but wick cannot weigh by that; `wick show %s system` "
		"lists the events for --by",
		wk_buf_text(&count), name, wk_model_input(model));
	wk_buf_fini(&count);
	return false;
}

#define ENOUGH_NAMES 200 /* bytes: a sentence is for reading */

static bool no_such_source(const struct wk_model *model, const char *name, struct wk_err *err)
{
	enum wk_advice_set set = model->traits->advice;
	const struct wk_event_alias *event = wk_event_alias_find(set, wk_str_c(name));
	const char *meant = source_meant(model, name, event);
	uint64_t records = counted_records(model, name);
	struct wk_buf names = { 0 };
	wk_source_id i = 1;

	if (records)
		return fail_no_samples(model, name, records, err);
	if (model->sample_bytes && strcmp(name, "heap-temporary") == 0)
		return wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			       "which blocks are temporary is known only if each was recorded, by "
			       "`wick record --heap` without --heap-sample");
	if (meant)
		return wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			       "no event \"%s\" was recorded; did you mean \"%s\"?", name, meant);
	if (event)
		return wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			       "no event \"%s\" was recorded: %s records it; `wick show %s system` "
			       "lists the recorded events",
			       name, wk_advice(set, event->recorded), wk_model_input(model));
	for (; i < model->source_count && names.len < ENOUGH_NAMES; i++)
		wk_buf_add_fmt(&names, "%s%s", i > 1 ? ", " : "",
			       wk_strtab_get(model->text, model->sources[i].name));
	if (i < model->source_count)
		wk_buf_add_fmt(&names, ", and %u more", (unsigned)(model->source_count - i));
	wk_fail(err, WK_EUSAGE, WK_NOWHERE, "no event \"%s\" was recorded; the recording has: %s",
		name, names.len ? wk_buf_text(&names) : "none");
	wk_buf_fini(&names);
	return false;
}

static bool ends_with_part(struct wk_str name, struct wk_str part)
{
	return part.len && name.len > part.len && name.at[name.len - part.len - 1] == '/' &&
	       memcmp(name.at + name.len - part.len, part.at, part.len) == 0;
}

/* The one event whose name ends so, after a slash ("GC/Start" for one of a long name), or 0. */
static wk_source_id source_by_end(const struct wk_model *model, const char *name)
{
	wk_source_id found = 0;

	for (wk_source_id i = 1; i < model->source_count; i++) {
		if (!ends_with_part(wk_model_str(model, model->sources[i].name), wk_str_c(name)))
			continue;
		if (found)
			return 0;
		found = i;
	}
	return found;
}

bool wk_filter_find_source(const struct wk_model *model, const char *name, wk_source_id *source,
			   struct wk_err *err)
{
	if (!name) {
		*source = wk_filter_default_source(model);
		return true;
	}
	*source = source_named(model, name);
	if (!*source)
		*source = source_by_end(model, name);
	return *source || no_such_source(model, name, err);
}

bool wk_filter_expect_lifetimes(const struct wk_model *model, wk_source_id source,
				struct wk_err *err)
{
	struct wk_buf others = { 0 };

	if (source == 0 || model->sources[source].has_lifetimes)
		return true;
	for (wk_source_id i = 1; i < model->source_count; i++)
		if (model->sources[i].has_lifetimes)
			wk_buf_add_fmt(&others, "%s%s", others.len ? ", " : "choose --by ",
				       wk_strtab_get(model->text, model->sources[i].name));
	wk_fail(err, WK_EUSAGE, WK_NOWHERE, "\"%s\" has no end, so it is never outstanding; %s",
		wk_strtab_get(model->text, model->sources[source].name),
		others.len ? wk_buf_text(&others) : "this recording has no events of memory");
	wk_buf_fini(&others);
	return false;
}
