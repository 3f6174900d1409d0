/* The table of the recording itself: the machine, what was recorded, notes. */
#include "views/tables/internal.h"

#include <inttypes.h>
#include <time.h>

#include "base/mem.h"
#include "base/num.h"
#include "os/os.h"
#include "views/wall_clock.h"

/* Whether facts belong to sections, which then have a column. */
static bool has_sections(const struct wk_model *model)
{
	for (uint32_t i = 0; i < model->fact_count; i++)
		if (model->facts[i].section)
			return true;
	return false;
}

/* The table that is being filled. */
struct rows {
	struct wk_table *table;
	const struct wk_model *model;
	bool has_sections;
	struct wk_str section;  /* of the last row */
	uint32_t limit;         /* rows of a part; 0: all */
	struct wk_str part;     /* the current one, whether or not it has a column */
	uint32_t shown, hidden; /* of it */
};

/* People read a section's name once. */
static void cells(struct rows *rows, struct wk_str section, struct wk_str key, struct wk_str value)
{
	if (rows->has_sections)
		wk_column_text(rows->table, "section", "part", 0, section);
	if (rows->has_sections && wk_str_eq(section, rows->section))
		wk_table_brief(rows->table, wk_str_c(" "));
	rows->section = section;
	wk_column_text(rows->table, "key", "what", 0, key);
	wk_column_text(rows->table, "value", "value", 0, wk_table_keep(rows->table, value));
}

static void write_row(struct rows *rows, struct wk_str section, struct wk_str key,
		      struct wk_str value)
{
	wk_table_row(rows->table);
	cells(rows, section, key, value);
}

/* After the rows of a part: how many more there are. */
static void end_part(struct rows *rows)
{
	struct wk_buf more = { 0 };

	if (rows->hidden) {
		wk_num_add_grouped(&more, rows->hidden);
		wk_buf_add_text(&more, " more");
		write_row(rows, rows->part, wk_table_keep(rows->table, wk_buf_str(&more)),
			  wk_str_c("--all shows them"));
	}
	rows->shown = rows->hidden = 0;
	wk_buf_fini(&more);
}

/* Notes are printed in full: they are why people look here. */
static void add_row(struct rows *rows, struct wk_str section, struct wk_str key,
		    struct wk_str value)
{
	if (!wk_str_eq(section, rows->part))
		end_part(rows);
	rows->part = section;
	if (rows->limit && rows->shown >= rows->limit && !wk_str_is(section, "notes")) {
		rows->hidden++;
		return;
	}
	rows->shown++;
	write_row(rows, section, key, value);
}

static void system_row(struct rows *rows, const char *section, const char *key, struct wk_str value)
{
	add_row(rows, wk_str_c(section), wk_str_c(key), value);
}

/* What the recorder was to do with an event, behind its name: "997 samples a second". */
static struct wk_str setting_of(struct wk_str fact, struct wk_str event)
{
	struct wk_str rest = wk_str_skip(fact, event.len);

	if (event.len == 0 || fact.len < event.len || memcmp(fact.at, event.at, event.len) != 0 ||
	    !wk_str_starts(rest, ", "))
		return (struct wk_str){ 0 };
	return wk_str_skip(rest, 2);
}

static bool is_of_source(const struct wk_model *model, struct wk_str fact)
{
	for (wk_source_id i = 1; i < model->source_count; i++)
		if (setting_of(fact, wk_model_str(model, model->sources[i].name)).len)
			return true;
	return false;
}

static bool add_wall_time(struct wk_buf *text, const struct wk_model *model)
{
	uint64_t wall_ns;
	struct tm tm;

	if (!wk_wall_clock_of(model, &wall_ns))
		return false;
	if (!wk_os_utc_time(wall_ns / 1000000000, &tm))
		return false;
	wk_buf_add_fmt(text, "%d-%02d-%02d %02d:%02d:%02d UTC", tm.tm_year + 1900, tm.tm_mon + 1,
		       tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec);
	return true;
}

/* Facts are plain text; numbers get their units here. False for facts that another row contains. */
static bool fact_text(const struct wk_model *model, struct wk_str *key, struct wk_str value,
		      struct wk_buf *text)
{
	uint64_t bytes;

	if (wk_str_is(*key, "event") && is_of_source(model, value))
		return false;
	if (wk_str_is(*key, "cpus configured") && wk_model_fact(model, "cpus").len)
		return false;
	if (wk_str_is(*key, "clock pair") && model->traits->times_from_start)
		return false;
	if (wk_str_is(*key, "clock pair") && add_wall_time(text, model)) {
		*key = (struct wk_str)WK_STR("first sample at");
		return true;
	}
	if ((wk_str_is(*key, "memory") || wk_str_is(*key, "largest process")) &&
	    wk_num_u64(value, &bytes)) {
		wk_num_add_bytes(text, bytes);
		wk_buf_add_fmt(text, " (%" PRIu64 " bytes)", bytes);
		return true;
	}
	wk_buf_add_str(text, value);
	if (wk_str_is(*key, "cpus")) {
		struct wk_str configured = wk_model_fact(model, "cpus configured");

		if (configured.len && !wk_str_eq(configured, value)) {
			wk_buf_add_text(text, " online of ");
			wk_buf_add_str(text, configured);
		}
	}
	return true;
}

static void fact_rows(struct rows *rows)
{
	const struct wk_model *model = rows->model;
	struct wk_buf text = { 0 };

	for (uint32_t i = 0; i < model->fact_count; i++) {
		struct wk_str key = wk_model_str(model, model->facts[i].key);
		struct wk_str value = wk_model_str(model, model->facts[i].value);

		wk_buf_reset(&text);
		if (model->facts[i].section || !fact_text(model, &key, value, &text))
			continue;
		add_row(rows, wk_str_c("machine"), key, wk_buf_str(&text));
	}
	wk_buf_fini(&text);
}

/* Those of sections come last, since some of them are long lists. */
static void section_rows(struct rows *rows)
{
	const struct wk_model *model = rows->model;

	for (uint32_t i = 0; i < model->fact_count; i++) {
		const struct wk_fact *fact = &model->facts[i];

		if (fact->section)
			add_row(rows, wk_model_str(model, fact->section),
				wk_model_str(model, fact->key), wk_model_str(model, fact->value));
	}
}

/* ", 997 samples a second", if the recorder stored it. */
static void add_setting(struct wk_buf *text, const struct wk_model *model, struct wk_str event)
{
	for (uint32_t i = 0; i < model->fact_count; i++) {
		struct wk_str setting =
			setting_of(wk_model_str(model, model->facts[i].value), event);

		if (setting.len == 0 ||
		    !wk_str_is(wk_model_str(model, model->facts[i].key), "event"))
			continue;
		wk_buf_add_text(text, "; ");
		wk_buf_add_str(text, setting);
		return;
	}
}

/* "1,700 samples", "610 records in Ir": for time, and if samples are all that was counted, the
 * samples are enough. */
static void add_source_count(struct wk_buf *text, const struct wk_model *model, wk_source_id id,
			     uint64_t count)
{
	const struct wk_source *source = &model->sources[id];
	struct wk_str unit = wk_model_str(model, source->unit);

	wk_num_add_grouped(text, count);
	wk_buf_add_fmt(text, " %s%s", wk_source_row_word(source), count == 1 ? "" : "s");
	if (source->counts_samples || wk_str_is(unit, "ns") || wk_str_is(unit, WK_UNIT_THOUSANDTHS))
		return;
	wk_buf_add_text(text, " in ");
	wk_buf_add_str(text, unit);
}

/* If many kinds of events are logged, they have a section of their own. */
static bool is_one_of_many(const struct wk_model *model, wk_source_id id)
{
	return model->traits->logs_events &&
	       wk_str_is(wk_model_str(model, model->sources[id].unit), "events");
}

static void source_row(struct rows *rows, wk_source_id id, uint64_t count)
{
	const struct wk_model *model = rows->model;
	struct wk_str name = wk_model_str(model, model->sources[id].name);
	struct wk_buf text = { 0 };

	wk_buf_add_str(&text, name);
	wk_buf_add_text(&text, ": ");
	add_source_count(&text, model, id, count);
	add_setting(&text, model, name);
	system_row(rows, "recording", "event", wk_buf_str(&text));
	wk_buf_fini(&text);
}

static void other_events_row(struct rows *rows, uint64_t events, uint32_t kinds)
{
	struct wk_buf text = { 0 };

	if (kinds == 0)
		return;
	wk_num_add_grouped(&text, events);
	wk_buf_add_fmt(&text, " of %" PRIu32 " kind%s, listed below", kinds, kinds == 1 ? "" : "s");
	system_row(rows, "recording", "other events", wk_buf_str(&text));
	wk_buf_fini(&text);
}

/* A system that logs many events declares the same sources in each trace: those without samples
 * are left out. */
static void source_rows(struct rows *rows, const uint64_t *counts)
{
	const struct wk_model *model = rows->model;
	uint64_t events = 0;
	uint32_t kinds = 0;

	for (wk_source_id i = 1; i < model->source_count; i++) {
		if (is_one_of_many(model, i)) {
			events += counts[i];
			kinds += counts[i] > 0;
		} else if (counts[i] || !model->traits->logs_events) {
			source_row(rows, i, counts[i]);
		}
	}
	other_events_row(rows, events, kinds);
}

/* If idle processors are sampled as well: shares in other tables are of the busy ones. */
static void busy_row(struct rows *rows, const uint64_t *counts)
{
	const struct wk_model *model = rows->model;
	struct wk_buf text = { 0 };
	uint64_t busy = 0, idle = 0;

	for (wk_source_id i = 1; i < model->source_count; i++) {
		if (model->sources[i].is_cpu_time)
			busy += counts[i];
		else if (wk_str_is(wk_model_str(model, model->sources[i].name), "idle"))
			idle += counts[i];
	}
	if (model->traits->samples_idle && idle) {
		wk_num_add_share(&text, busy, busy + idle);
		wk_buf_add_text(&text, " of all processors' time, which is 100 % in other tables");
		system_row(rows, "recording", "busy", wk_buf_str(&text));
	}
	wk_buf_fini(&text);
}

/* By the names that --by accepts. */
static void event_rows(struct rows *rows, const uint64_t *counts)
{
	const struct wk_model *model = rows->model;
	struct wk_buf text = { 0 };

	for (wk_source_id i = 1; i < model->source_count; i++) {
		if (!is_one_of_many(model, i) || counts[i] == 0)
			continue;
		wk_buf_reset(&text);
		wk_num_add_grouped(&text, counts[i]);
		add_row(rows, wk_str_c("events"), wk_model_str(model, model->sources[i].name),
			wk_buf_str(&text));
	}
	wk_buf_fini(&text);
}

static void note_rows(struct rows *rows)
{
	const struct wk_model *model = rows->model;
	struct wk_buf text = { 0 };

	for (uint32_t i = 0; i < model->note_count; i++) {
		const struct wk_note *note = &model->notes[i];

		wk_buf_reset(&text);
		if (note->offset != WK_NOWHERE)
			wk_buf_add_fmt(&text, "0x%" PRIx64 ": ", note->offset);
		wk_buf_add_str(&text, wk_model_str(model, note->text));
		if (note->count > 1)
			wk_buf_add_fmt(&text, " (%" PRIu64 " times)", note->count);
		system_row(rows, "notes", "note", wk_buf_str(&text));
	}
	wk_buf_fini(&text);
}

/* How many processes and threads were seen. */
static void count_rows(struct rows *rows)
{
	const struct wk_model *model = rows->model;
	struct wk_buf text = { 0 };

	if (model->last_ns > model->first_ns) { /* most text contains no times */
		wk_num_add_duration(&text, model->last_ns - model->first_ns);
		system_row(rows, "recording", "sampled for", wk_buf_str(&text));
	}
	wk_buf_reset(&text);
	wk_num_add_counted(&text, model->process_count - 1, " process, ", " processes, ");
	wk_num_add_counted(&text, model->thread_count - 1, " thread, ", " threads, ");
	wk_num_add_counted(&text, model->image_count - 1, " image", " images");
	system_row(rows, "recording", "seen", wk_buf_str(&text));
	wk_buf_fini(&text);
}

void wk_tables_fill_system(struct wk_table *table, const struct wk_model *model,
			   const struct wk_filter *filter, const struct wk_table_options *options)
{
	struct rows rows = { .table = table, .model = model, .has_sections = has_sections(model),
			     .limit = options->limit };
	uint64_t *counts = wk_model_count_samples(model);

	(void)filter;
	cells(&rows, (struct wk_str){ 0 }, (struct wk_str){ 0 }, (struct wk_str){ 0 });
	table->has_parts = rows.has_sections;
	table->lists_events = true;
	fact_rows(&rows);
	count_rows(&rows);
	source_rows(&rows, counts);
	busy_row(&rows, counts);
	note_rows(&rows);
	section_rows(&rows);
	event_rows(&rows, counts);
	end_part(&rows);
	if (model->count_count)
		wk_table_note(table,
			      "these are the samples and events for --by; `wick show %s events` "
			      "counts all records of the input",
			      wk_model_input(model));
	wk_free(counts);
}
