#include "session/perf_script.h"

#include <string.h>

#include "formats/reader.h"
#include "session/incomplete.h"
#include "session/perf_script_times.h"
#include "stages/jit/jit_stage.h"
#include "stages/unwind_stage.h"

bool wk_perf_script_is_narrowed(const struct wk_filter_spec *filter)
{
	return filter->process || filter->thread || filter->image || filter->function ||
	       filter->source || filter->expression || filter->query;
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
	struct wk_unwind_stage *stage = wk_unwind_stage_new(symbols, wk_jit_stage_sink(names));
	struct wk_incomplete incomplete = { .next = wk_unwind_stage_sink(stage),
						.messages = job->messages };
	struct wk_sink sink = wk_incomplete_sink(&incomplete);
	bool ok;

	wk_unwind_stage_use_jit(stage, names);
	opened->input.options.emits_kernel_symbols = how->shows_programs;
	opened->input.options.in_file_order = how->shows_rounds;
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

/* The filter of the views is one of a model, so the recording is read twice. perf's forms of --time
 * are applied while samples are printed. */
static bool init_filter(const struct wk_perf_script_export *job, const char *path,
			struct wk_symbols *symbols, struct wk_filter *filter, uint32_t *count,
			struct wk_err *err)
{
	const char *const paths[] = { path, NULL };
	struct wk_filter_spec spec = *job->filter;
	struct wk_open_options load = *job->load;
	struct wk_model *model;
	bool ok;

	if (strcmp(path, "-") == 0)
		return wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			       "a filter reads the recording twice; save standard input as a file");
	spec.time = NULL;
	load.in_view = &spec;
	load.is_of_any_event = !spec.source;
	model = wk_open_paths(paths, &load, symbols, job->messages, err);
	ok = model && wk_filter_init(filter, model, &spec, err);
	*count = ok ? model->samples.count : 0;
	wk_model_free(model);
	return ok;
}

static bool write_one(const struct wk_perf_script_export *job, const char *path,
		      struct wk_symbols *symbols, struct wk_out *out, struct wk_err *err)
{
	struct wk_perf_script_options options_here = *job->script;
	struct wk_perf_times times = { 0 };
	struct wk_filter filter = { 0 };
	struct wk_opened opened;
	bool ok;

	if (wk_perf_script_is_narrowed(job->filter)) {
		if (!init_filter(job, path, symbols, &filter, &options_here.filter_count, err))
			return false;
		options_here.filter = &filter;
	}
	if (!wk_reader_open(path, job->load->format, &opened, err)) {
		wk_filter_fini(&filter);
		return false;
	}
	options_here.times = &times;
	ok = check_reader(&opened, path, err) &&
	     wk_perf_script_times(job->filter->time, job->script->since_first, &opened, &times,
				  err) &&
	     write_opened(job, &opened, &options_here, symbols, out, err);
	wk_perf_times_fini(&times);
	wk_filter_fini(&filter);
	wk_reader_close(&opened);
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
