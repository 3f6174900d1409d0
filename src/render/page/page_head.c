/* The block that is needed before anything is drawn. */
#include <inttypes.h>

#include "base/mem.h"
#include "render/page/page_internal.h"
#include "views/filter/preset_json.h"
#include "views/kind.h"
#include "views/wall_clock.h"

#define FORMAT_VERSION 1

/* ---- members of JSON objects */

static void text(struct wk_out *out, const char *key, struct wk_str value)
{
	wk_out_fmt(out, "\"%s\":", key);
	wk_out_json_quoted(out, value);
}

static void flag(struct wk_out *out, const char *key, bool value)
{
	wk_out_fmt(out, ",\"%s\":%s", key, value ? "true" : "false");
}

static void number(struct wk_out *out, const char *key, uint64_t value)
{
	wk_out_fmt(out, ",\"%s\":%" PRIu64, key, value);
}

/* ns since the beginning; null for 0, which is before the recording or after it. */
static void moment(struct wk_out *out, const struct wk_model *model, const char *key,
		   uint64_t time_ns)
{
	if (time_ns)
		wk_out_fmt(out, ",\"%s\":%" PRId64, key,
			   (int64_t)(time_ns - wk_model_begin_ns(model)));
	else
		wk_out_fmt(out, ",\"%s\":null", key);
}

typedef void write_row(const struct wk_page_parts *parts, struct wk_out *out, uint32_t row);

/* From row 1 on; rows that are not used, and row 0, are null. `used` NULL: all are. */
static void rows(const struct wk_page_parts *parts, struct wk_out *out, const char *key,
		 uint32_t count, const uint8_t *used, write_row *write)
{
	wk_out_fmt(out, ",\n\"%s\":[null", key);
	for (uint32_t i = 1; i < count; i++) {
		wk_out_text(out, ",\n");
		if (!used || used[i])
			write(parts, out, i);
		else
			wk_out_text(out, "null");
	}
	wk_out_char(out, ']');
}

/* From row 0 on, without those that are not shown. */
static void list(const struct wk_page_parts *parts, struct wk_out *out, const char *key,
		 uint32_t count, bool (*is_shown)(const struct wk_page_parts *parts, uint32_t row),
		 write_row *write)
{
	bool is_first = true;

	wk_out_fmt(out, ",\n\"%s\":[", key);
	for (uint32_t i = 0; i < count; i++) {
		if (!is_shown(parts, i))
			continue;
		wk_out_text(out, is_first ? "\n" : ",\n");
		write(parts, out, i);
		is_first = false;
	}
	wk_out_char(out, ']');
}

static void sentences(struct wk_out *out, const char *key, const struct wk_str *all, size_t count)
{
	wk_out_fmt(out, ",\n\"%s\":[", key);
	for (size_t i = 0; i < count; i++) {
		wk_out_text(out, i ? ",\n" : "\n");
		wk_out_json_quoted(out, all[i]);
	}
	wk_out_char(out, ']');
}

/* ---- rows */

/* Intervals of threads have a weight, and their number means something as well. */
static bool is_of_intervals(const struct wk_model *model, const struct wk_source *source)
{
	return model->interval_count && source->is_weighed && !source->is_of_blocks &&
	       !source->is_of_pages;
}

static void write_event(const struct wk_page_parts *parts, struct wk_out *out, uint32_t id)
{
	const struct wk_model *model = parts->model;
	const struct wk_source *source = &model->sources[id];
	const uint32_t *first = parts->rows.first;
	bool is_interval = is_of_intervals(model, source);
	uint64_t samples = 0, weight = 0;

	for (uint32_t i = first[id]; i < first[id + 1]; i++) {
		samples += wk_model_sample_times(model, parts->rows.rows[i]);
		weight += model->samples.weight[parts->rows.rows[i]];
	}
	wk_out_char(out, '{');
	text(out, "name", wk_model_str(model, source->name));
	wk_out_char(out, ',');
	text(out, "unit", wk_model_str(model, source->unit));
	wk_out_char(out, ',');
	text(out, "row",
	     is_interval ? wk_model_str(model, source->name)
			 : wk_str_c(wk_source_row_word(source)));
	number(out, "samples", samples);
	number(out, "weight", weight);
	number(out, "lost", source->lost_samples);
	flag(out, "cpuTime", source->is_cpu_time);
	flag(out, "lifetimes", source->has_lifetimes);
	flag(out, "blocks", source->is_of_blocks);
	flag(out, "pages", source->is_of_pages);
	flag(out, "part", source->is_part);
	flag(out, "counts",
	     !source->is_weighed || source->counts_samples || source->is_of_blocks ||
		     source->is_of_pages || is_interval);
	wk_out_char(out, '}');
}

static void write_image(const struct wk_page_parts *parts, struct wk_out *out, uint32_t id)
{
	const struct wk_image *image = &parts->model->images[id];

	wk_out_char(out, '{');
	text(out, "name", wk_model_str(parts->model, image->name));
	wk_out_char(out, ',');
	text(out, "path", wk_model_str(parts->model, image->path));
	flag(out, "named", image->has_names);
	wk_out_char(out, ',');
	text(out, "reason", wk_model_str(parts->model, image->reason));
	wk_out_char(out, '}');
}

/* Numbers that only stand for a missing one are 0. */
static uint32_t system_number(uint32_t id)
{
	return id < WK_UNKNOWN_PID ? id : 0;
}

static void write_process(const struct wk_page_parts *parts, struct wk_out *out, uint32_t id)
{
	const struct wk_model *model = parts->model;
	const struct wk_process *process = &model->processes[id];

	wk_out_char(out, '{');
	text(out, "name", wk_model_str(model, process->name));
	number(out, "pid", system_number(process->pid));
	number(out, "parent",
	       system_number(process->parent ? model->processes[process->parent].pid
					     : process->parent_pid));
	wk_out_char(out, ',');
	text(out, "command", wk_model_str(model, process->command_line));
	moment(out, model, "start", process->start_ns);
	moment(out, model, "end", process->end_ns);
	if (process->has_exit_code)
		wk_out_fmt(out, ",\"exit\":%d}", process->exit_code);
	else
		wk_out_text(out, ",\"exit\":null}");
}

static void write_thread(const struct wk_page_parts *parts, struct wk_out *out, uint32_t id)
{
	const struct wk_model *model = parts->model;
	const struct wk_thread *thread = &model->threads[id];

	wk_out_char(out, '{');
	text(out, "name", wk_model_str(model, thread->name));
	number(out, "tid", system_number(thread->tid));
	number(out, "process", thread->process);
	moment(out, model, "start", thread->start_ns);
	moment(out, model, "end", thread->end_ns);
	wk_out_char(out, '}');
}

static void write_subject(const struct wk_page_parts *parts, struct wk_out *out, uint32_t id)
{
	const struct wk_subject *subject = &parts->model->subjects[id];

	wk_out_char(out, '{');
	text(out, "what", wk_model_str(parts->model, subject->what));
	number(out, "by", subject->by);
	flag(out, "interrupt", subject->by_interrupt);
	number(out, "heap", subject->heap);
	wk_out_char(out, '}');
}

static void write_heap(const struct wk_page_parts *parts, struct wk_out *out, uint32_t id)
{
	const struct wk_heap_row *heap = &parts->model->heaps[id];

	wk_out_char(out, '{');
	text(out, "name", wk_model_str(parts->model, heap->name));
	number(out, "process", heap->process);
	wk_out_char(out, '}');
}

static void write_snapshot(const struct wk_page_parts *parts, struct wk_out *out, uint32_t row)
{
	const struct wk_snapshot *snapshot = &parts->model->snapshots[row];

	wk_out_fmt(out, "{\"number\":%" PRIu32 ",\"time\":%" PRId64, row + 1,
		   wk_page_time(parts->page, snapshot->time_ns));
	number(out, "process", snapshot->process);
	wk_out_char(out, ',');
	text(out, "label", wk_model_str(parts->model, snapshot->label));
	wk_out_char(out, ',');
	text(out, "cause", wk_str_c(wk_snapshot_cause_name(snapshot->cause)));
	number(out, "row", wk_page_rows_before(&parts->rows, parts->blocks, snapshot->at_row));
	number(out, "end", parts->ends_before[snapshot->at_end]);
	wk_out_char(out, '}');
}

bool wk_page_shows_snapshot(const struct wk_page_parts *parts, uint32_t row)
{
	wk_process_id process = parts->model->snapshots[row].process;

	return parts->blocks && (!process || parts->use.processes[process]);
}

static void write_mark(const struct wk_page_parts *parts, struct wk_out *out, uint32_t row)
{
	const struct wk_mark *mark = &parts->model->marks[row];

	wk_out_fmt(out, "{\"time\":%" PRId64, wk_page_time(parts->page, mark->time_ns));
	number(out, "process", mark->process);
	number(out, "thread", mark->thread);
	wk_out_char(out, ',');
	text(out, "label", wk_model_str(parts->model, mark->label));
	wk_out_char(out, ',');
	text(out, "provider", wk_model_str(parts->model, mark->provider));
	wk_out_char(out, '}');
}

static bool is_mark_shown(const struct wk_page_parts *parts, uint32_t row)
{
	wk_process_id process = parts->model->marks[row].process;

	return !process || parts->use.processes[process];
}

/* ---- the whole */

static void note_last(uint64_t *last_ns, uint64_t time_ns)
{
	*last_ns = time_ns > *last_ns ? time_ns : *last_ns;
}

/* Of the last sample or record. */
static uint64_t last_ns(const struct wk_model *model)
{
	uint64_t last = model->last_ns;

	if (model->use_count)
		note_last(&last, model->uses[model->use_count - 1].time_ns);
	if (model->mark_count)
		note_last(&last, model->marks[model->mark_count - 1].time_ns);
	if (model->end_count)
		note_last(&last, model->ends[model->end_count - 1].time_ns);
	for (wk_process_id id = 1; id < model->process_count; id++)
		note_last(&last, model->processes[id].end_ns);
	return last;
}

/* ms since 1970 of time 0. */
static void write_began(struct wk_out *out, const struct wk_model *model)
{
	uint64_t wall_ns;

	if (wk_wall_clock_of(model, &wall_ns))
		wk_out_fmt(out, ",\"began\":%" PRId64,
			   (int64_t)(wall_ns + wk_model_begin_ns(model) - model->first_ns) /
				   1000000);
	else
		wk_out_text(out, ",\"began\":null");
}

static void write_kinds(struct wk_out *out, const struct wk_model *model)
{
	wk_out_text(out, ",\n\"kinds\":[");
	for (enum wk_code_kind kind = 0; kind < WK_CODE_KINDS; kind++) {
		wk_out_text(out, kind ? "," : "");
		wk_out_json_quoted(out, wk_str_c(wk_code_kind_name(model, kind)));
	}
	wk_out_char(out, ']');
}

static void write_lacks(struct wk_out *out, const struct wk_page *page)
{
	wk_out_text(out, ",\n\"lacks\":{");
	for (size_t i = 0; i < page->lack_count; i++) {
		wk_out_text(out, i ? ",\n" : "\n");
		text(out, page->lacks[i].name, wk_str_c(page->lacks[i].sentence));
	}
	wk_out_char(out, '}');
}

static void write_presets(const struct wk_page_parts *parts, struct wk_out *out)
{
	const struct wk_page *page = parts->page;

	wk_out_text(out, ",\n\"presets\":[");
	for (size_t i = 0; i < page->preset_count; i++) {
		const struct wk_page_preset *preset = &page->presets[i];
		const char *comma = "";

		wk_out_text(out, i ? ",\n{\"processes\":" : "\n{\"processes\":");
		wk_out_text(out, preset->processes ? "[" : "null");
		for (wk_process_id id = 1; preset->processes && id < parts->model->process_count;
		     id++) {
			if (!preset->processes[id])
				continue;
			wk_out_fmt(out, "%s%" PRIu32, comma, id);
			comma = ",";
		}
		wk_out_text(out, preset->processes ? "],\"preset\":" : ",\"preset\":");
		wk_preset_json_write(preset->preset, out);
		wk_out_char(out, '}');
	}
	wk_out_text(out, "],\"preset\":");
	wk_out_json_quoted(out,
			   wk_str_c(page->has_chosen_preset ? page->presets[0].preset->name : ""));
}

static void write_recording(const struct wk_page *page, struct wk_out *out)
{
	const struct wk_model *model = page->model;
	uint64_t last = last_ns(model), begin = wk_model_begin_ns(model);

	wk_out_fmt(out, "{\"version\":%d,\"wick\":\"" WICK_VERSION "\",", FORMAT_VERSION);
	text(out, "title", page->title);
	wk_out_char(out, ',');
	text(out, "input", page->input);
	wk_out_char(out, ',');
	text(out, "command", page->command);
	wk_out_char(out, ',');
	text(out, "open", page->open);
	write_began(out, model);
	number(out, "last", last > begin ? last - begin : 0);
	number(out, "resolution", page->resolution_ns);
	flag(out, "compilesRust", page->compiles_rust);
	if (page->is_redacted)
		flag(out, "redacted", true);
}

void wk_page_head(const struct wk_page_parts *parts, struct wk_buf *block)
{
	const struct wk_page *page = parts->page;
	const struct wk_model *model = parts->model;
	const struct wk_page_use *use = &parts->use;
	struct wk_out out = wk_out_to_buf(block);

	write_recording(page, &out);
	rows(parts, &out, "events", model->source_count, NULL, write_event);
	number(&out, "event", page->filter->source);
	rows(parts, &out, "images", model->image_count, use->images, write_image);
	rows(parts, &out, "processes", model->process_count, use->processes, write_process);
	rows(parts, &out, "threads", model->thread_count, use->threads, write_thread);
	rows(parts, &out, "subjects", model->subject_count, use->subjects, write_subject);
	rows(parts, &out, "heaps", model->heap_count, NULL, write_heap);
	list(parts, &out, "snapshots", model->snapshot_count, wk_page_shows_snapshot,
	     write_snapshot);
	list(parts, &out, "marks", model->mark_count, is_mark_shown, write_mark);
	sentences(&out, "quality", page->quality, page->quality_count);
	sentences(&out, "warnings", page->warnings, page->warning_count);
	write_kinds(&out, model);
	write_presets(parts, &out);
	write_lacks(&out, page);
	wk_out_text(&out, "}\n");
	wk_out_end(&out);
}
