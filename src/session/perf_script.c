#include "session/perf_script.h"

#include "formats/reader.h"
#include "session/incomplete.h"
#include "session/selection.h"
#include "stages/jit/jit_stage.h"
#include "stages/unwind_stage.h"

static bool selects_samples(const struct wk_filter_spec *filter)
{
	return filter->process || filter->thread || filter->image || filter->function ||
	       filter->source || filter->time || filter->expression || filter->query ||
	       filter->outstanding;
}

/* Other formats have no addresses, which perf prints. */
static bool check_reader(const struct wk_opened *opened, const char *path, struct wk_err *err)
{
	if (opened->reader == &wk_reader_perf_data)
		return true;
	return wk_fail(
		err, WK_EFORMAT, WK_NOWHERE,
		"%s is not a perf.data file (its format is %s), so `perf script` cannot print "
		"it; `--to folded` keeps its stacks",
		path, opened->reader->name);
}

static bool write_opened(const struct wk_perf_script_export *job, struct wk_opened *opened,
			 const struct wk_perf_script_options *how, struct wk_symbols *symbols,
			 struct wk_out *out, struct wk_err *err)
{
	struct wk_perf_script *script = wk_perf_script_new(symbols, how, out);
	struct wk_jit_stage *names = wk_jit_stage_new(wk_perf_script_sink(script));
	struct wk_unwind_stage *stage = wk_unwind_stage_new(
		symbols, wk_jit_stage_sink(names), (struct wk_unwind_options){ .jit = names });
	struct wk_incomplete incomplete = { .next = wk_unwind_stage_sink(stage),
						.messages = job->messages };
	struct wk_sink sink = wk_incomplete_sink(&incomplete);
	bool ok;

	ok = opened->reader->read(&opened->input, &sink, err) || wk_opened_fail(opened, err);
	if (ok && wk_perf_script_had_none(script))
		wk_warn(job->messages, "no sample matches");
	if (ok && wk_perf_script_lists_fields(script))
		wk_warn(job->messages,
			"wick was built without libtraceevent: tracepoints are printed as "
			"name=value");
	wk_unwind_stage_free(stage);
	wk_jit_stage_free(names);
	wk_perf_script_free(script);
	return ok;
}

/* A single recording of which nothing is printed is an error, as in other formats. */
static bool expect_samples(const struct wk_perf_script_export *job,
			   const struct wk_selection *selection, uint32_t count, struct wk_err *err)
{
	for (uint32_t i = 0; i < count; i++)
		if (wk_perf_script_selects(&selection->filter, i))
			return true;
	return job->paths[1] || wk_selection_expect(selection, err);
}

/* A filter needs a model, so the recording is read twice. */
static bool init_filter(const struct wk_perf_script_export *job, const char *path,
			const struct wk_opened *opened, struct wk_symbols *symbols,
			struct wk_selection *selection, uint32_t *count, struct wk_err *err)
{
	const char *const paths[] = { path, NULL };
	struct wk_open_options load = *job->load;
	struct wk_model *model;
	bool ok;

	load.opened = opened;
	load.in_view = job->filter;
	load.is_of_any_event = !job->filter->source;
	model = wk_open_paths(paths, &load, symbols, job->messages, err);
	ok = model && wk_selection_open(selection, model, job->filter, err);
	*count = ok ? model->samples.count : 0;
	ok = ok && expect_samples(job, selection, *count, err);
	wk_model_free(model);
	return ok;
}

static bool write_one(const struct wk_perf_script_export *job, const char *path,
		      struct wk_symbols *symbols, struct wk_out *out, struct wk_err *err)
{
	struct wk_perf_script_options how = *job->script;
	struct wk_selection selection = { 0 };
	struct wk_opened opened;
	bool ok;

	if (!wk_reader_open(path, job->load->format, &opened, err))
		return false;
	ok = check_reader(&opened, path, err);
	if (ok && selects_samples(job->filter)) {
		ok = init_filter(job, path, &opened, symbols, &selection, &how.filter_count, err);
		how.filter = &selection.filter;
	}
	ok = ok && write_opened(job, &opened, &how, symbols, out, err);
	wk_reader_close(&opened);
	wk_selection_fini(&selection);
	return ok;
}

bool wk_perf_script_export(const struct wk_perf_script_export *job, struct wk_out *out,
			   struct wk_err *err)
{
	struct wk_naming_options naming = job->load->naming;
	struct wk_symbolizer symbolizer;
	bool ok;

	naming.as_perf = true;
	ok = wk_symbolizer_open(&symbolizer, &naming, job->messages, err) != NULL;
	for (size_t i = 0; job->paths[i] && ok; i++)
		ok = write_one(job, job->paths[i], symbolizer.symbols, out, err);
	wk_symbolizer_close(&symbolizer);
	return ok;
}
