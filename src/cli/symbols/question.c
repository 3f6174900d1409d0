#include "cli/symbols/question.h"

#include "base/num.h"
#include "cli/symbols/jit_makers.h"
#include "cli/terminal.h"
#include "views/filter/filter_near.h"
#include "views/filter/wpa_query.h"
#include "views/memory_roots.h"
#include "views/nameless.h"
#include "views/windows_events.h"

#define MANY_UNNAMED 20 /* one in so many */
#define MANY_CUT     10

#define MOST_FAULTS 3 /* that are told */

bool wk_selection_open(struct wk_selection *question, const struct wk_model *model,
		       const struct wk_filter_spec *spec, struct wk_err *err)
{
	*question = (struct wk_selection){ .asked = *spec };
	if (!wk_filter_init(&question->filter, model, spec, err))
		return false;
	question->quality = wk_quality_of(model, &question->filter);
	return true;
}

void wk_selection_fini(struct wk_selection *question)
{
	wk_filter_fini(&question->filter);
}

void wk_selection_print_faults(const struct wk_selection *question, bool and_missing)
{
	const struct wk_model *model = question->quality.model;
	uint32_t told = 0, faults = 0;

	for (uint32_t i = 0; i < model->note_count; i++) {
		enum wk_note_severity severity = model->notes[i].severity;

		if (severity != WK_NOTE_FAULT && !(and_missing && severity == WK_NOTE_INCOMPLETE))
			continue;
		faults++;
		if (told == MOST_FAULTS)
			continue;
		wk_say(wk_strtab_get(model->text, model->notes[i].text));
		told++;
	}
	if (faults > told)
		wk_say("and more like that: `wick show FILE system` has them all");
}

void wk_selection_warn(const struct wk_selection *question)
{
	struct wk_buf sentence = { 0 };

	wk_selection_print_faults(question, true);
	wk_quality_closed_line(&question->quality, &sentence);
	if (sentence.len)
		wk_say(wk_buf_text(&sentence));
	wk_buf_reset(&sentence);
	wk_quality_stacks_line(&question->quality, &sentence);
	if (sentence.len) {
		wk_buf_add_text(&sentence,
				question->quality.model->is_windows
					? "; " WK_WINDOWS_CPU_SAMPLES " records them"
					: "; `perf record --call-graph dwarf` or `wick record` "
					  "records them whole");
		wk_say(wk_buf_text(&sentence));
	}
	wk_buf_fini(&sentence);
}

/* Samples that belong to no thread come from text that tells none. */
static bool has_threads(const struct wk_model *model)
{
	for (uint32_t i = 0; i < model->samples.count; i++)
		if (model->samples.thread[i])
			return true;
	return false;
}

#define MOST_QUERY_BYTES 300

/* Nobody typed it: it stands in a preset's file. */
static void add_query(const struct wk_selection *question, struct wk_buf *sentence)
{
	const struct wk_wpa_query *query = question->asked.query;
	struct wk_str text = query ? query->text : wk_str_c("");
	bool is_cut = text.len > MOST_QUERY_BYTES;

	if (!query || question->filter.kept[WK_FILTER_QUERY])
		return;
	while (text.len > MOST_QUERY_BYTES || (is_cut && (text.at[text.len] & 0xc0) == 0x80))
		text.len--;
	wk_buf_add_fmt(sentence, "; that filter is %.*s%s, and %s what matches", WK_STR_ARG(text),
		       is_cut ? "…" : "", query->keeps ? "keeps" : "leaves out");
}

static void explain(const struct wk_selection *question, struct wk_buf *sentence)
{
	const bool *is_given = question->filter.is_given;

	wk_filter_explain(&question->filter, sentence);
	if (question->filter.total == 0 && question->quality.model->is_windows &&
	    !question->filter.has_named_source)
		wk_buf_add_text(sentence, "; " WK_WINDOWS_CPU_SAMPLES " records some");
	if (question->filter.total && !has_threads(question->quality.model) &&
	    (is_given[WK_FILTER_PROCESS] || is_given[WK_FILTER_THREAD]))
		wk_buf_add_text(sentence, "; this input tells no processes or threads");
	else
		wk_filter_near(&question->filter, question->quality.model, &question->asked,
			       sentence);
	add_query(question, sentence);
}

bool wk_selection_expect(const struct wk_selection *question, struct wk_err *err)
{
	struct wk_buf sentence = { 0 };

	if (question->filter.in_view)
		return true;
	explain(question, &sentence);
	wk_fail(err, WK_EEMPTY, WK_NOWHERE, "%s", wk_buf_text(&sentence));
	wk_buf_fini(&sentence);
	return false;
}

void wk_selection_print_cpu(const struct wk_selection *question)
{
	struct wk_buf sentence = { 0 };

	wk_quality_cpu_line(&question->quality, &sentence);
	if (sentence.len)
		wk_say(wk_buf_text(&sentence));
	wk_buf_fini(&sentence);
}

void wk_selection_print(const struct wk_selection *question)
{
	struct wk_buf sentence = { 0 };

	wk_selection_print_cpu(question);
	if (question->filter.in_view == 0)
		explain(question, &sentence);
	else
		wk_quality_line(&question->quality, &sentence);
	wk_say(wk_buf_text(&sentence));
	wk_buf_fini(&sentence);
	if (question->filter.in_view) {
		wk_selection_warn(question);
		wk_selection_hint(question);
	}
}

static void add_symbols(struct wk_buf *sentence, struct wk_str path)
{
	wk_buf_add_fmt(sentence,
		       " of all frames are functions of %.*s without names: `wick "
		       "symbols FILE` says of a recording what brings them",
		       WK_STR_ARG(wk_str_basename(path)));
}

/* Of Windows it is the recorder that asks for them. */
static void add_maker_of_windows(struct wk_buf *sentence)
{
	wk_buf_add_text(sentence, " of all frames are code made at run time of which the trace "
				  "tells no names; PerfView and `wpr -start CPU -start DotNET` "
				  "record those of .NET");
}

static void add_maker(struct wk_buf *sentence, const struct wk_jit_maker *maker)
{
	wk_buf_add_text(sentence, " of all frames are code made at run time of which the program "
				  "tells no names; ");
	if (maker)
		wk_buf_add_fmt(sentence, "`%s`%s%s%s names it", maker->words,
			       maker->remark ? " (" : "", maker->remark ? maker->remark : "",
			       maker->remark ? ")" : "");
	else
		wk_buf_add_text(sentence, "node --perf-basic-prof, python3 -X perf, "
					  "java -XX:+DumpPerfMapAtExit and "
					  "DOTNET_PerfMapEnabled=1 make it");
}

static void hint_names(const struct wk_selection *question)
{
	const struct wk_model *model = question->quality.model;
	struct wk_nameless nameless = wk_nameless_of(model, &question->filter);
	struct wk_buf sentence = { 0 };

	if (nameless.unnamed * MANY_UNNAMED < nameless.frames || nameless.unnamed == 0)
		return;
	wk_num_add_share(&sentence, nameless.unnamed, nameless.frames);
	if (model->images[nameless.image].kind == WK_IMAGE_ANONYMOUS && model->is_windows)
		add_maker_of_windows(&sentence);
	else if (model->images[nameless.image].kind == WK_IMAGE_ANONYMOUS)
		add_maker(&sentence, wk_jit_maker_of(model, nameless.image));
	else
		add_symbols(&sentence, wk_model_str(model, model->images[nameless.image].path));
	wk_say(wk_buf_text(&sentence));
	wk_buf_fini(&sentence);
}

/* Nothing can be done for this recording, but for the next one. */
static void hint_stacks(const struct wk_selection *question)
{
	const struct wk_model *model = question->quality.model;
	struct wk_memory_roots roots = wk_memory_roots_of(model, &question->filter);
	const struct wk_jit_maker *maker;
	struct wk_buf sentence = { 0 };

	if (roots.cut * MANY_CUT < roots.samples || roots.cut == 0)
		return;
	maker = wk_jit_maker_in(model, &model->processes[roots.process]);
	wk_num_add_share(&sentence, roots.cut, roots.samples);
	wk_buf_add_text(&sentence, " of stacks end in code made at run time");
	if (model->is_windows)
		wk_buf_add_text(&sentence, ": the trace does not have who called it");
	else
		wk_buf_add_fmt(&sentence,
			       " that keeps no frame pointers and has no unwinding "
			       "tables in a jitdump%s%s",
			       maker && maker->stacks ? "; " : "",
			       maker && maker->stacks ? maker->stacks : "");
	wk_say(wk_buf_text(&sentence));
	wk_buf_fini(&sentence);
}

void wk_selection_hint(const struct wk_selection *question)
{
	hint_names(question);
	hint_stacks(question);
}
