#include <string.h>

#include "base/num.h"
#include "cli/command.h"
#include "cli/help.h"
#include "cli/messages.h"
#include "cli/options/filter_options.h"
#include "cli/options/open_options.h"
#include "cli/options/table_form.h"
#include "cli/output.h"
#include "event/advice.h"
#include "session/doctor/findings.h"
#include "session/images/fetched_files.h"
#include "session/images/image_facts.h"
#include "session/images/symbol_cache.h"
#include "session/images/windows_file.h"
#include "session/selection.h"
#include "views/compare/alike_images.h"
#include "views/image_words.h"

#define USUAL_DETAILS 10 /* images that are told of below the table */

struct args {
	const char *output, *cache;
	uint64_t columns;
	bool csv, json, all, details;
	struct wk_filter_spec filter;
	struct wk_open_options load;
};

#define AT(field) offsetof(struct args, field)

static const char *const cache_words[] = { "list", "clear", NULL };

static const struct wk_opt cache_options[] = {
	{ 0, "cache", "WORD", "\"list\" cached symbols and downloaded files, or \"clear\" them; "
	  "reads no FILE", WK_OPT_CHOICE, AT(cache), cache_words },
	{ 0 },
};

static const struct wk_opt output_options[] = {
	{ 0, "csv", NULL, "print comma-separated values with all columns", WK_OPT_FLAG, AT(csv),
	  NULL },
	{ 0, "json", NULL, "print a JSON object with all columns", WK_OPT_FLAG, AT(json), NULL },
	{ 'o', "output", "FILE", "write to FILE instead of standard output", WK_OPT_TEXT,
	  AT(output), NULL },
	{ 0, "all", NULL, "show how to fix every image, not only the first ten", WK_OPT_FLAG,
	  AT(all), NULL },
	{ 0, "details", NULL, "print the columns that text output hides", WK_OPT_FLAG, AT(details),
	  NULL },
	{ 0, "width", "COLUMNS", "cut lines at this width [default: that of the terminal; not cut "
	  "in a file]",
	  WK_OPT_COUNT, AT(columns), NULL },
	{ 0 },
};

static const char *const forms[] = { "txt", "csv", "json", NULL };

/* Text tells what mends an image below its table, where lines of it can be copied. */
static void columns(struct wk_table *table, bool has_keys, bool has_fix)
{
	wk_table_column(table, WK_CELL_SHARE, "percent", "%");
	wk_table_column(table, WK_CELL_COUNT, "samples", "samples");
	wk_table_detail_column(table, WK_CELL_TEXT, "kind", "kind");
	wk_table_detail_column(table, WK_CELL_TEXT, "build_id", "build id");
	if (has_keys)
		wk_table_detail_column(table, WK_CELL_TEXT, "store_key", "store key");
	wk_table_detail_column(table, WK_CELL_TEXT, "path", "path");
	wk_table_column(table, WK_CELL_TEXT, "image", "image");
	wk_table_column(table, WK_CELL_TEXT, "names", "names");
	wk_table_column(table, WK_CELL_TEXT, "lines", "lines");
	wk_table_column(table, WK_CELL_TEXT, "unwind", "unwind");
	wk_table_detail_column(table, WK_CELL_TEXT, "names_from", "names from");
	wk_table_detail_column(table, WK_CELL_TEXT, "lines_from", "lines from");
	if (has_fix)
		wk_table_detail_column(table, WK_CELL_TEXT, "fix", "fix");
	wk_table_column(table, WK_CELL_TEXT, "lacks", "lacks");
}

/* Only images of Windows have them. */
static bool has_store_keys(const struct wk_model *model)
{
	for (uint32_t i = 1; i < model->image_count; i++)
		if (model->images[i].pdb_path || model->images[i].time_stamp)
			return true;
	return false;
}

/* As a symbol store has it: "app.pdb/KEY/app.pdb". */
static void store_key_cell(struct wk_table *table, const struct wk_model *model, wk_image_id image)
{
	struct wk_buf path = { 0 }, key = { 0 };
	struct wk_str name;

	if (wk_image_store_key(model, image, &name, &key))
		wk_buf_add_fmt(&path, "%.*s/%s/%.*s", WK_STR_ARG(name), wk_buf_text(&key),
			       WK_STR_ARG(name));
	wk_table_text(table, wk_table_keep(table, wk_buf_str(&path)));
	wk_buf_fini(&key);
	wk_buf_fini(&path);
}

static void lacks_cell(struct wk_table *table, unsigned lacks)
{
	struct wk_buf words = { 0 };

	wk_image_lacks_words(lacks, &words);
	wk_table_text(table, wk_table_keep(table, wk_buf_str(&words)));
	wk_buf_fini(&words);
}

/* Where names or lines came from, and whether they are there no more. */
static void source_cell(struct wk_table *table, struct wk_str source, bool is_kept)
{
	struct wk_buf words = { 0 };

	wk_buf_add_str(&words, source);
	wk_buf_add_text(&words, is_kept ? ", from the symbol cache" : "");
	wk_table_text(table, wk_table_keep(table, wk_buf_str(&words)));
	wk_buf_fini(&words);
}

static void row(struct wk_table *table, const struct wk_model *model,
		const struct wk_images_facts *all, const struct wk_image_facts *facts,
		struct wk_str brief, bool has_keys, bool has_fix)
{
	const struct wk_image *image = &model->images[facts->id];

	wk_table_row(table);
	wk_table_share(table, facts->samples, all->whole_samples);
	wk_table_number(table, facts->samples);
	wk_table_text(table, wk_str_c(wk_image_kind_name(image->kind)));
	wk_table_text(table, wk_image_build_id_text(table, image));
	if (has_keys)
		store_key_cell(table, model, facts->id);
	wk_table_text(table, wk_image_path_of(model, facts->id));
	wk_table_text(table, wk_image_name_of(model, facts->id));
	wk_table_brief(table, brief);
	wk_table_text(table, wk_extent_word(facts->names));
	wk_table_text(table, wk_extent_word(facts->lines));
	wk_table_text(table, wk_str_c(facts->unwind));
	source_cell(table, wk_image_names_from(model, image), facts->names_are_kept);
	source_cell(table, wk_image_lines_source(facts), facts->lines_are_kept);
	if (has_fix)
		wk_table_text(table, wk_buf_str(&facts->fix));
	lacks_cell(table, facts->lacks);
}

static void fill(struct wk_table *table, const struct wk_model *model,
		 const struct wk_images_facts *facts, bool has_fix)
{
	bool has_keys = has_store_keys(model);
	struct wk_alike_images alike;

	wk_alike_images_init(&alike, model);
	columns(table, has_keys, has_fix);
	table->names_functions = true; /* it is about what names them */
	for (size_t i = 0; i < facts->count; i++)
		row(table, model, facts, &facts->at[i], alike.shown[facts->at[i].id], has_keys,
		    has_fix);
	wk_alike_images_fini(&alike);
	if (model->samples.count == 0)
		wk_table_note(table, "no samples, so no names were needed and no file was searched "
				     "for");
	else if (model->came_named)
		wk_table_note(table, "all names came with the recording, so no file was searched "
				     "for");
}

/* What it is known by: of a program of Windows as symbol stores write it. */
static void add_id(const struct wk_model *model, wk_image_id image, struct wk_buf *id)
{
	struct wk_buf key = { 0 };
	struct wk_str name;

	if (wk_image_store_key(model, image, &name, &key)) {
		wk_buf_add_fmt(id, "; %.*s %s", WK_STR_ARG(name), wk_buf_text(&key));
	} else if (model->images[image].build_id.size) {
		wk_buf_add_text(id, "; build id ");
		wk_build_id_add(id, &model->images[image].build_id, false);
	}
	wk_buf_fini(&key);
}

static void heading(struct wk_findings *findings, const struct wk_model *model,
		    const struct wk_images_facts *all, const struct wk_image_facts *facts)
{
	struct wk_buf share = { 0 }, id = { 0 };

	wk_num_add_share(&share, facts->samples, all->whole_samples);
	add_id(model, facts->id, &id);
	wk_findings_on(findings, "%.*s (%s of samples%s)",
		       WK_STR_ARG(wk_image_path_of(model, facts->id)), wk_buf_text(&share),
		       wk_buf_text(&id));
	wk_buf_fini(&share);
	wk_buf_fini(&id);
}

/* Why its lines, or some of them, are unknown. */
static void add_lines_reason(const struct wk_image_facts *facts, struct wk_buf *reason)
{
	struct wk_image_used used;

	wk_image_used(facts->symbols, &used);
	if (used.missing.len) {
		wk_buf_add_fmt(reason, "inlined calls are unknown: %.*s", WK_STR_ARG(used.missing));
	} else if (facts->frames.known == 0) {
		wk_buf_add_text(reason, wk_image_places_state(facts->symbols) == WK_PLACES_NONE
						? wk_image_places_reason(facts->symbols)
						: "debug information does not cover the sampled "
						  "code");
	} else {
		wk_buf_add_text(reason, "debug information covers only ");
		wk_num_add_share(reason, facts->frames.known, facts->frames.asked);
		wk_buf_add_text(reason, " of the sampled code");
	}
}

/* Of what it lacks most. */
static void add_reason(const struct wk_model *model, const struct wk_image_facts *facts,
		       struct wk_buf *reason)
{
	if (facts->lacks & WK_LACKS_FILE)
		wk_buf_add_text(reason, wk_image_reason(facts->symbols));
	else if (facts->lacks & WK_LACKS_NAMES)
		wk_buf_add_str(reason, wk_model_str(model, model->images[facts->id].reason));
	else if (facts->lacks & WK_LACKS_LINES)
		add_lines_reason(facts, reason);
	else
		wk_buf_add_text(reason, "it has neither .eh_frame nor .debug_frame");
	if (reason->len == 0)
		wk_buf_add_text(reason, "JIT code without a perf map or jitdump that names it");
}

/* The one told of before that is mended by the same words, as another program of its package is;
 * NULL where there is none. */
static const struct wk_image_facts *fixed_alike(const struct wk_images_facts *all,
						const struct wk_image_facts *facts)
{
	for (const struct wk_image_facts *one = all->at; one < facts && facts->fix.len; one++)
		if (wk_str_eq(wk_buf_str(&one->fix), wk_buf_str(&facts->fix)))
			return one;
	return NULL;
}

/* One row, with what mends all that it lacks. */
static void find(struct wk_findings *findings, const struct wk_model *model,
		 const struct wk_images_facts *all, const struct wk_image_facts *facts)
{
	const struct wk_image_facts *alike = fixed_alike(all, facts);
	const char *fix = facts->fix.len && !alike ? wk_buf_text(&facts->fix) : NULL;
	bool is_nameless = facts->names == WK_EXTENT_NONE;
	struct wk_buf lacks = { 0 }, reason = { 0 };

	heading(findings, model, all, facts);
	wk_image_lacks_words(facts->lacks, &lacks);
	add_reason(model, facts, &reason);
	if (alike)
		wk_buf_add_fmt(&reason, "; the fix for %.*s fixes this as well",
			       WK_STR_ARG(wk_image_name_of(model, alike->id)));
	(is_nameless ? wk_findings_bad : wk_findings_warn)(
		findings, fix, "missing %s: %s", wk_buf_text(&lacks), wk_buf_text(&reason));
	wk_buf_fini(&lacks);
	wk_buf_fini(&reason);
}

/* Names are of no use where stacks break off. */
static void find_stacks(struct wk_findings *findings, const struct wk_quality *quality)
{
	struct wk_buf line = { 0 };

	wk_quality_stacks_line(quality, &line);
	wk_findings_on(findings, "Stacks");
	if (line.len)
		wk_findings_warn(findings, wk_advice(WK_ADVICE_LINUX, WK_ADVICE_RECORD_STACKS),
				 "%s", wk_buf_text(&line));
	wk_buf_fini(&line);
}

/* "python3.11" and "libpython3.11.so.1.0" are of 11; 0: it is no such thing. */
static uint64_t python_minor(struct wk_str name)
{
	uint64_t minor = 0;
	size_t len = 0;

	if (wk_str_starts(name, "lib"))
		name = wk_str_skip(name, strlen("lib"));
	if (!wk_str_starts(name, "python3."))
		return 0;
	name = wk_str_skip(name, strlen("python3."));
	while (len < name.len && name.at[len] >= '0' && name.at[len] <= '9')
		len++;
	return wk_num_u64(wk_str_of(name.at, len), &minor) ? minor : 0;
}

/* By code made at run time with names, which -X perf makes for each function. */
static bool reports_its_functions(const struct wk_model *model, const struct wk_images_facts *facts)
{
	for (size_t i = 0; i < facts->count; i++) {
		const struct wk_image *image = &model->images[facts->at[i].id];

		if (image->kind == WK_IMAGE_ANONYMOUS && image->has_names)
			return true;
	}
	return model->came_named;
}

/* Of an interpreter that tells nobody what it runs, all names are there, and of no use. */
static void find_python(struct wk_findings *findings, const struct wk_model *model,
			const struct wk_images_facts *facts)
{
	for (size_t i = 0; i < facts->count; i++) {
		struct wk_str name = wk_image_name_of(model, facts->at[i].id);
		uint64_t minor = python_minor(name);

		if (minor == 0 || (minor >= 12 && reports_its_functions(model, facts)))
			continue;
		wk_findings_on(findings, "%.*s", WK_STR_ARG(name));
		if (minor < 12)
			wk_findings_warn(findings,
					 "python3.12 -X perf ...   # or a later one; "
					 "see docs/jit.md",
					 "Python functions have no names: before 3.12, only the "
					 "interpreter itself is visible");
		else
			wk_findings_warn(findings, "python3 -X perf ...   # see docs/jit.md",
					 "Python functions have no names: without -X perf, only "
					 "the interpreter itself is visible");
		return;
	}
}

static void print_details(const struct wk_model *model, const struct wk_images_facts *facts,
			  size_t most, const struct wk_view *view, struct wk_out *out)
{
	struct wk_findings findings = { 0 };
	size_t told = 0, left = 0;

	for (size_t i = 0; i < facts->count; i++) {
		if (!facts->at[i].lacks)
			continue;
		if (told == most) {
			left++;
			continue;
		}
		told++;
		find(&findings, model, facts, &facts->at[i]);
	}
	find_python(&findings, model, facts);
	find_stacks(&findings, view->quality);
	if (findings.count) {
		wk_out_char(out, '\n');
		wk_findings_print(&findings, out, view->columns ? view->columns : 80,
				  view->has_colour);
	} else if (facts->count && !view->quality->missing_parts) {
		wk_out_text(out, "nothing is missing\n");
	}
	if (left)
		wk_out_fmt(out, "%zu more image%s incomplete; --all lists %s.\n", left,
			   left == 1 ? " is" : "s are", left == 1 ? "it" : "them");
	wk_findings_fini(&findings);
}

static bool print(const struct wk_image_context *about, const struct wk_images_facts *facts,
		  const struct wk_selection *question, const struct wk_call *call,
		  struct wk_err *err)
{
	const struct args *args = call->args;
	struct wk_view view = { .model = about->model, .quality = &question->quality,
				.has_details = args->details };
	struct wk_output output;
	struct wk_out *out = wk_output_open(&output, args->output, call, err);
	struct wk_table table;
	bool ok;

	if (!out)
		return false;
	wk_table_fit(&view, out, call, args->columns);
	wk_table_init(&table, "symbols");
	fill(&table, about->model, facts, args->csv || args->json);
	view.table = &table;
	ok = wk_table_form(args->csv, args->json)->render(&view, out, err);
	if (ok && !args->csv && !args->json)
		print_details(about->model, facts, args->all ? SIZE_MAX : USUAL_DETAILS, &view,
			      out);
	wk_table_fini(&table);
	return wk_output_close(&output, ok, err);
}

static bool report(const struct wk_image_context *about, const struct wk_call *call,
		   struct wk_err *err)
{
	const struct args *args = call->args;
	struct wk_selection question = { 0 };
	struct wk_images_facts facts = { 0 };
	bool ok = false;

	if (wk_selection_open(&question, about->model, &args->filter, err) &&
	    (!args->output || wk_selection_expect(&question, err))) {
		wk_images_facts_gather(&facts, about, &question.filter);
		ok = print(about, &facts, &question, call, err) &&
		     wk_selection_expect(&question, err);
		wk_images_facts_fini(&facts);
		wk_selection_report_faults(&question, args->csv || args->json, &wk_cli_messages);
	}
	wk_selection_fini(&question);
	return ok;
}

static bool load_and_report(const char *path, const struct wk_call *call, struct wk_err *err)
{
	const struct args *args = call->args;
	struct wk_image_context about = { .recording = path };
	struct wk_open_options load = args->load;
	struct wk_symbolizer symbolizer;
	struct wk_model *model = NULL;
	bool ok = false;

	load.in_view = &args->filter;
	about.symbols = wk_symbolizer_open(&symbolizer, &args->load.naming, &wk_cli_messages, err);
	if (about.symbols)
		about.model = model = wk_open_paths((const char *const[]){ path, NULL }, &load,
						    about.symbols, &wk_cli_messages, err);
	about.fetcher = symbolizer.remote.fetcher;
	if (model)
		ok = report(&about, call, err);
	wk_model_free(model);
	wk_symbolizer_close(&symbolizer);
	return ok;
}

/* The option that only a recording can be narrowed by, or NULL. */
static const char *filter_option(const struct wk_filter_spec *filter)
{
	if (filter->process)
		return "--process";
	if (filter->thread)
		return "--thread";
	if (filter->image)
		return "--image";
	if (filter->function)
		return "--function";
	if (filter->expression)
		return "--filter";
	if (filter->source)
		return "--by";
	if (filter->time)
		return "--time";
	return filter->outstanding ? "--outstanding" : NULL;
}

/* A program or a PDB of Windows in place of a recording: what of it there is. */
static bool report_file(const char *path, const struct wk_call *call, struct wk_err *err)
{
	const struct args *args = call->args;
	struct wk_findings findings = { 0 };
	struct wk_help_style style = wk_help_style();
	struct wk_output output;
	struct wk_out *out;
	const char *filter = filter_option(&args->filter);
	bool ok;

	if (filter)
		return wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			       "%s applies to recordings, but %s is a Windows binary or PDB",
			       filter, path);
	if (args->csv)
		return wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			       "--csv applies to recordings, but %s is a Windows binary or PDB; "
			       "use --json",
			       path);
	ok = wk_windows_file_print(&findings, path, &args->load.naming, &wk_cli_messages, err);
	out = ok ? wk_output_open(&output, args->output, call, err) : NULL;
	if (out && args->json)
		wk_findings_print_json(&findings, out);
	else if (out)
		wk_findings_print(&findings, out,
				  args->columns ? (unsigned)args->columns : style.columns,
				  style.color && !args->output);
	wk_findings_fini(&findings);
	return out && wk_output_close(&output, true, err);
}

static int run_cache(const struct wk_call *call, struct wk_err *err)
{
	const char *word = ((const struct args *)call->args)->cache;
	bool ok;

	if (call->words->count + call->words->rest_count > 0)
		ok = wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			     "--cache is for all recordings and accepts no FILE");
	else
		ok = wk_symbol_cache(word, call->out, err) &&
		     wk_fetched_files(word, call->out, err);
	return ok ? WK_EXIT_DONE : wk_exit_code(err);
}

static int run(const struct wk_call *call, struct wk_err *err)
{
	const struct args *args = call->args;
	const char *path = args->cache ? NULL : wk_input_path(call->words, err);

	if (args->cache)
		return run_cache(call, err);
	if (!path || !wk_table_form_check(args->csv, args->json, err) ||
	    !wk_output_allow(args->output, (const char *const[]){ path, NULL }, forms, call, err))
		return wk_exit_code(err);
	if (wk_windows_file_is(path))
		return report_file(path, call, err) ? WK_EXIT_DONE : wk_exit_code(err);
	return load_and_report(path, call, err) ? WK_EXIT_DONE : wk_exit_code(err);
}

const struct wk_command wk_cmd_symbols = {
	.name = "symbols",
	.summary = "show where the names of each binary came from, and how to get missing ones",
	.usage = (const char *const[]){ "[OPTION...] [FILE]", "--cache list|clear", NULL },
	.description = (const char *const[]){
		"Lists every binary of FILE [default: wick.data] that has samples: whether all "
		"functions, only exported ones or none have names, whether source lines and "
		"inlined calls are known, and which unwind tables it has. Below the list, wick "
		"prints what is missing, why, and the command that fixes it.",
		"No server is contacted, except with --debuginfod, --symbol-server or a server in "
		"a symbol path. wick sends build ids to debuginfod servers, and file names and ids "
		"to symbol stores. Downloaded files are cached, and used only if their build id "
		"matches.",
		"Names of Windows binaries are in PDBs. wick searches for them next to the binary, "
		"in --debug-dir, in --symbol-path and in _NT_SYMBOL_PATH "
		"(docs/symbols-windows.md). A PDB of another build is reported and not used. FILE "
		"can be a Windows binary or a PDB: wick prints its contents and where it searched "
		"for the PDB.",
		NULL },
	.options = (const struct wk_opt_use[]){
		{ &(const struct wk_opt_group){ "Output", output_options }, 0 },
		{ &(const struct wk_opt_group){ "Cache", cache_options }, 0 },
		{ &wk_filter_group, AT(filter) },
		{ &wk_open_group, AT(load) },
		{ 0 } },
	.common = (const char *const[]){
		"all", "details", "csv", "json", "cache", "process", "thread", "function", "time",
		"filter", "by", "debuginfod", "symbol-server", "symbol-path",
		"debug-dir", "offline", "width", "format", "threads", NULL },
	.examples = (const struct wk_example[]){
		{ "wick symbols", "list the binaries of wick.data and what is missing" },
		{ "wick symbols app.data --debuginfod", "search on the servers in DEBUGINFOD_URLS "
		  "first" },
		{ "wick symbols trace.etl --symbol-path './out;srv*'", "search for the PDBs of a "
		  "Windows trace in ./out and on Microsoft's server" },
		{ "wick symbols app.exe --symbol-path ./out", "show where wick searches for the "
		  "PDB of a binary, and what the PDB contains" },
		{ "wick symbols --cache list", "list cached symbols and downloaded files" },
		{ 0 } },
	.exit_note = "0 even if names are missing.",
	.words = WK_WORD_FILE,
	.args_size = sizeof(struct args),
	.run = run,
};
