#include "session/open.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "session/symbolizer.h"
#include "formats/archive/content.h"
#include "formats/archive/session.h"
#include "formats/stack_writer.h"
#include "model/builder.h"
#include "model/resolve.h"
#include "os/os.h"
#include "stages/jit/jit_stage.h"
#include "stages/unwind_stage.h"
#include "views/filter/images_in_view.h"

static const struct wk_opt options[] = {
	{ 0, "format", "FORMAT", "read FILE as this format; `wick formats` lists them "
		"[default: by content]", WK_OPT_TEXT, offsetof(struct wk_load_args, format), NULL },
	{ 0, "debug-dir", "DIR", "search for debug files in DIR, before /usr/lib/debug", WK_OPT_LIST,
	  offsetof(struct wk_load_args, debug_dirs), NULL },
	{ 0, "debuginfod", NULL, "fetch missing files from the servers in DEBUGINFOD_URLS; "
		"WICK_DEBUGINFOD=1 makes this the default", WK_OPT_FLAG,
	  offsetof(struct wk_load_args, remote.debuginfod), NULL },
	{ 0, "symbol-server", "SERVER", "fetch missing files from this debuginfod server, "
		"store:URL or store:FOLDER; WICK_SYMBOL_SERVERS sets defaults", WK_OPT_LIST,
	  offsetof(struct wk_load_args, remote.servers), NULL },
	{ 0, "symbol-path", "PATH", "search for PDBs and images of Windows programs here, "
		"then in _NT_SYMBOL_PATH: folders, stores and srv*CACHE*URL, separated by ;", WK_OPT_LIST,
	  offsetof(struct wk_load_args, remote.symbol_paths), NULL },
	{ 0, "offline", NULL, "never use the network", WK_OPT_FLAG,
	  offsetof(struct wk_load_args, remote.offline), NULL },
	{ 0, "no-inline", NULL, "hide inlined calls", WK_OPT_FLAG,
	  offsetof(struct wk_load_args, no_inlined), NULL },
	{ 0, "threads", "N", "threads for reading large text and Windows traces [default: "
		"number of CPUs]", WK_OPT_COUNT, offsetof(struct wk_load_args, threads), NULL },
	{ 0 },
};

const struct wk_opt_group wk_load_group = { "Reading", options };

bool wk_load_has_usual(void)
{
	return wk_os_is_there(WK_USUAL_RECORDING);
}

const char *wk_load_path(const struct wk_words *words, struct wk_err *err)
{
	size_t count = words->count + words->rest_count;

	if (count == 1)
		return words->count ? words->at[0] : words->rest[0];
	if (count == 0 && wk_load_has_usual())
		return WK_USUAL_RECORDING;
	if (count == 0)
		wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			"no file " WK_USUAL_RECORDING " in this folder; create it with "
			"`wick record -- COMMAND`, or give a FILE (\"-\" is "
			"standard input)");
	else
		wk_fail(err, WK_EUSAGE, WK_NOWHERE, "expected one FILE, found %zu", count);
	return NULL;
}

const char **wk_load_paths(const struct wk_words *words, struct wk_err *err)
{
	size_t count = words->count + words->rest_count;
	const char **paths = wk_alloc_zeroed(count + 2, sizeof(*paths));

	for (size_t i = 0; i < count; i++)
		paths[i] = i < words->count ? words->at[i] : words->rest[i - words->count];
	if (count == 0)
		paths[0] = wk_load_path(words, err);
	if (paths[0])
		return paths;
	wk_free(paths);
	return NULL;
}

/* Stands between a reader and what comes after it. Passes events on until one shows that
 * stacks must be unwound first: wick's own recordings hold finished chains, so most files are
 * read once and no image is opened in vain. And of several inputs it tells which one lacks a part,
 * of a comparison the sides apart. */
struct watch {
	struct wk_sink next;
	const char *path; /* of one of several inputs; NULL: there is only one */
	bool is_before;
	bool stops_at_copies, found_copy;
};

/* "t.data: the file was cut off: ..." */
static bool pass_incomplete(struct watch *watch, const struct wk_event *event, struct wk_err *err)
{
	const char *path = strcmp(watch->path, "-") == 0 ? "standard input" : watch->path;
	struct wk_event named = *event;
	struct wk_buf words = { 0 };
	bool ok;

	wk_buf_add_fmt(&words, "%s: ", path);
	wk_buf_add_str(&words, event->note.text);
	named.note.text = wk_buf_str(&words);
	ok = wk_sink_emit(&watch->next, &named, err);
	wk_buf_fini(&words);
	return ok;
}

static bool watch_take(void *context, const struct wk_event *event, struct wk_err *err)
{
	struct watch *watch = context;
	struct wk_event_sample *sample;
	struct wk_event marked;

	if (event->kind == WK_EVENT_SAMPLE && event->sample.stack && watch->stops_at_copies) {
		watch->found_copy = true;
		return wk_fail(err, WK_EUNSUPPORTED, WK_NOWHERE, "stacks are not unwound yet");
	}
	if (watch->path && event->kind == WK_EVENT_NOTE &&
	    event->note.severity == WK_NOTE_INCOMPLETE)
		return pass_incomplete(watch, event, err);
	if (!watch->is_before)
		return wk_sink_emit(&watch->next, event, err);
	marked = *event;
	sample = wk_event_sample_in(&marked);
	if (sample)
		sample->is_before = true;
	else if (event->kind == WK_EVENT_SUMS)
		marked.sums.is_before = true;
	return wk_sink_emit(&watch->next, &marked, err);
}

static unsigned thread_count(const struct wk_load_args *args)
{
	unsigned most = 64;

	if (args->threads)
		return args->threads < most ? (unsigned)args->threads : most;
	return wk_os_cpu_count() < most ? wk_os_cpu_count() : most;
}

/* An input that may be read twice. What comes only once, a pipe, stays open for that; files are
 * opened again, so that no more than one of many is unpacked at a time. */
struct source {
	const char **paths; /* several where they are one session */
	size_t path_count, paths_cap;
	struct wk_session_part part; /* of the first, where there are several inputs */
	bool is_before;
	struct wk_opened opened;
	bool is_open;
};

static bool comes_once(const char *path)
{
	struct wk_os_identity identity;

	if (strcmp(path, "-") == 0)
		return true;
	return !wk_os_is_folder(path) && wk_os_identify(path, &identity, NULL) &&
	       !identity.is_regular;
}

static bool open_source(struct source *source, const struct wk_load_args *args, struct wk_err *err)
{
	struct wk_read_options *how = &source->opened.input.options;

	if (source->is_open)
		return true;
	if (!wk_session_open(source->paths, source->path_count, args->format, &source->opened, err))
		return false;
	how->threads = thread_count(args);
	how->sums_samples = args->sums_samples;
	how->sums_other_sources = args->sums_other_sources;
	how->skips_details = true; /* the model has no place for them */
	source->is_open = true;
	return true;
}

static void close_source(struct source *source)
{
	if (source->is_open)
		wk_reader_close(&source->opened);
	source->is_open = false;
}

static bool read_input(struct source *source, const struct wk_load_args *args,
		       const struct wk_sink *sink, struct wk_err *err)
{
	bool ok = open_source(source, args, err) &&
		  (source->opened.reader->read(&source->opened.input, sink, err) ||
		   wk_opened_fail(&source->opened, err));

	if (!comes_once(source->paths[0]))
		close_source(source);
	return ok;
}

/* The unwinding lies in front of all else, which then sees finished chains. */
static bool read_unwinding(struct source *source, const struct wk_load_args *args,
			   struct wk_symbols *symbols, struct wk_jit_stage *names,
			   struct wk_err *err)
{
	struct wk_unwind_stage *stage = wk_unwind_stage_new(symbols, wk_jit_stage_sink(names));
	struct wk_sink sink = wk_unwind_stage_sink(stage);
	bool ok;

	wk_unwind_stage_use_jit(stage, names);
	ok = read_input(source, args, &sink, err) && wk_unwind_stage_finish(stage, err);
	wk_unwind_stage_free(stage);
	return ok;
}

/* With the names that programs wrote down of code they made at run time. */
static bool read_named(struct source *source, const struct wk_load_args *args,
		       struct wk_symbols *unwinds_with, struct watch *watch, struct wk_err *err)
{
	struct wk_jit_stage *stage = wk_jit_stage_new((struct wk_sink){
		.take = watch_take, .context = watch, .stacks = watch->next.stacks });
	struct wk_sink sink = wk_jit_stage_sink(stage);
	bool ok = unwinds_with ? read_unwinding(source, args, unwinds_with, stage, err)
			       : read_input(source, args, &sink, err);

	ok = ok && wk_jit_stage_finish(stage, err);
	wk_jit_stage_free(stage);
	return ok;
}

/* Reads as much as it can of `sources` into a new model. NULL on failure; `*found_copy` tells
 * whether the failure is only that stacks must be unwound. */
static struct wk_model *build(struct source *sources, size_t count, const struct wk_load_args *args,
			      struct wk_symbols *unwinds_with, bool *found_copy, struct wk_err *err)
{
	struct wk_model *model = wk_model_new();
	struct wk_builder *builder = wk_builder_new(model);
	struct watch watch = { .next = wk_builder_sink(builder), .stops_at_copies = !unwinds_with };
	bool ok = true;

	if (count > 1)
		watch.next.stacks = wk_stack_store_new();
	if (args->sums_samples)
		wk_builder_sum_samples(builder);
	for (size_t i = 0; i < count && ok; i++) {
		watch.is_before = sources[i].is_before;
		watch.path = count > 1 ? sources[i].paths[0] : NULL;
		if (i)
			wk_builder_next_input(builder);
		ok = read_named(&sources[i], args, unwinds_with, &watch, err);
	}
	*found_copy = watch.found_copy;
	wk_stack_store_free(watch.next.stacks);
	wk_builder_finish(builder);
	wk_builder_free(builder);
	if (ok)
		return model;
	wk_model_free(model);
	return NULL;
}

/* Finds out whether stacks must be unwound by beginning without. */
static struct wk_model *build_as_needed(struct source *sources, size_t count,
					const struct wk_load_args *args, struct wk_symbols *symbols,
					struct wk_err *err)
{
	struct wk_err first_err = { 0 };
	bool found_copy = false;
	struct wk_model *model = build(sources, count, args, NULL, &found_copy, &first_err);

	if (!model && found_copy)
		model = build(sources, count, args, symbols, &found_copy, err);
	else if (!model)
		*err = first_err;
	return model;
}

static bool reads_stdin_once(const struct wk_load_input *inputs, size_t count, struct wk_err *err)
{
	size_t times = 0;

	for (size_t i = 0; i < count; i++)
		times += strcmp(inputs[i].path, "-") == 0;
	if (times > 1)
		wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			"\"-\" is given %s, but standard input can be read only once",
			times == 2 ? "twice" : "several times");
	return times <= 1;
}

static bool is_same_file(const struct wk_load_input *a, const struct wk_os_identity *of_a,
			 const struct wk_load_input *b, const struct wk_os_identity *of_b)
{
	if (a->is_before != b->is_before || !of_a->is_regular || !of_b->is_regular)
		return false;
	return of_a->inode && of_a->inode == of_b->inode &&
	       of_a->device_major == of_b->device_major && of_a->device_minor == of_b->device_minor;
}

/* Nor the copy of one. What stands on the two sides of a comparison may be the same. */
static bool have_other_content(const struct wk_load_input *inputs, size_t count, bool is_before,
			       struct wk_err *err)
{
	const char **paths = wk_alloc((count + 1) * sizeof(*paths));
	size_t of_side = 0;
	bool ok;

	for (size_t i = 0; i < count; i++)
		if (inputs[i].is_before == is_before)
			paths[of_side++] = inputs[i].path;
	ok = wk_content_differs(paths, of_side, err);
	wk_free(paths);
	return ok;
}

/* What is in a file that is given twice would count twice, which nobody means. */
static bool are_other_files(const struct wk_load_input *inputs, size_t count, struct wk_err *err)
{
	struct wk_os_identity *identities = wk_alloc_zeroed(count, sizeof(*identities));
	bool ok = true;

	for (size_t i = 0; i < count && ok; i++) {
		if (!wk_os_identify(inputs[i].path, &identities[i], NULL))
			identities[i].is_regular = false;
		for (size_t j = 0; j < i && ok; j++)
			if (is_same_file(&inputs[i], &identities[i], &inputs[j], &identities[j]))
				ok = wk_fail(err, WK_EUSAGE, WK_NOWHERE,
					     "\"%s\" is given twice; its samples would count twice",
					     inputs[i].path);
	}
	wk_free(identities);
	return ok && have_other_content(inputs, count, false, err) &&
	       have_other_content(inputs, count, true, err);
}

/* The one whose session it belongs to, or NULL. */
static struct source *source_with(struct source *sources, size_t count, bool is_before,
				  const struct wk_session_part *part)
{
	for (size_t i = 0; i < count; i++)
		if (sources[i].is_before == is_before && wk_session_is_one(&sources[i].part, part))
			return &sources[i];
	return NULL;
}

/* Files of one session become one source. Returns how many sources there are. */
static size_t group_inputs(const struct wk_load_input *inputs, size_t count, struct source *sources)
{
	size_t source_count = 0;

	for (size_t i = 0; i < count; i++) {
		struct wk_session_part part = { 0 };
		struct source *source;

		if (count > 1)
			part = wk_session_part(inputs[i].path);
		source = source_with(sources, source_count, inputs[i].is_before, &part);
		if (!source) {
			source = &sources[source_count++];
			source->part = part;
			source->is_before = inputs[i].is_before;
		}
		source->paths = wk_grow(source->paths, &source->paths_cap, source->path_count + 1,
					sizeof(*source->paths));
		source->paths[source->path_count++] = inputs[i].path;
	}
	return source_count;
}

static struct wk_images_in_view in_view(const struct wk_model *model,
					const struct wk_load_args *args)
{
	static const struct wk_filter_spec all;
	struct wk_filter_spec spec = args->in_view ? *args->in_view : all;

	if (args->table && !spec.source)
		spec.source = wk_table_view_source(args->table, model);
	return wk_images_in_view(model, &spec, !args->in_view || args->is_of_any_event);
}

/* Before names are asked for one after the other, so that it is not waited for each. */
static void fetch_ahead(const struct wk_model *model, const struct wk_load_args *args,
			struct wk_symbols *symbols)
{
	struct wk_images_in_view images;
	struct wk_image_symbols **wanted;
	size_t count = 0;

	if (!wk_symbols_asks_machines(symbols))
		return;
	images = in_view(model, args);
	wanted = wk_alloc_zeroed(images.count + 1, sizeof(*wanted));
	for (size_t i = 0; i < images.count; i++) {
		struct wk_image_key key = wk_model_image_key(model, images.at[i].id);

		if (model->images[images.at[i].id].kind == WK_IMAGE_FILE)
			wanted[count++] = wk_symbols_image(symbols, &key);
	}
	wk_symbols_prefetch(symbols, wanted, count);
	wk_free(wanted);
	wk_images_in_view_fini(&images);
}

static struct wk_model *load(const struct wk_load_input *inputs, size_t input_count,
			     const struct wk_load_args *args, struct wk_symbols *symbols,
			     struct wk_err *err)
{
	struct source *sources;
	struct wk_model *model;
	size_t count;

	if (!reads_stdin_once(inputs, input_count, err) ||
	    !are_other_files(inputs, input_count, err))
		return NULL;
	for (size_t i = input_count; i-- > 0;)
		wk_symbols_look_beside(symbols, inputs[i].path);
	sources = wk_alloc_zeroed(input_count, sizeof(*sources));
	count = group_inputs(inputs, input_count, sources);
	model = build_as_needed(sources, count, args, symbols, err);
	for (size_t i = 0; i < count; i++) {
		close_source(&sources[i]);
		wk_free(sources[i].paths);
	}
	wk_free(sources);
	if (!model)
		return NULL;
	fetch_ahead(model, args, symbols);
	wk_model_resolve(model, symbols,
			 &(struct wk_resolve_options){ .no_inlined = args->no_inlined });
	return model;
}

struct wk_model *wk_load_inputs(const struct wk_load_input *inputs, size_t count,
				const struct wk_load_args *args, struct wk_symbols *symbols,
				struct wk_err *err)
{
	struct wk_naming naming;
	struct wk_model *model = NULL;

	if (symbols)
		return load(inputs, count, args, symbols, err);
	if (wk_naming_open(&naming, args, err))
		model = load(inputs, count, args, naming.symbols, err);
	wk_naming_close(&naming);
	return model;
}

const char **wk_load_debug_dirs(const struct wk_load_args *args)
{
	const char **dirs = wk_alloc_zeroed(args->debug_dirs.count + 2, sizeof(*dirs));

	for (size_t i = 0; i < args->debug_dirs.count; i++)
		dirs[i] = args->debug_dirs.at[i];
	dirs[args->debug_dirs.count] = "/usr/lib/debug";
	return dirs;
}

struct wk_model *wk_load_all(const char *const *paths, const struct wk_load_args *args,
			     struct wk_symbols *symbols, struct wk_err *err)
{
	struct wk_load_input *inputs;
	struct wk_model *model;
	size_t count = 0;

	while (paths[count])
		count++;
	inputs = wk_alloc_zeroed(count, sizeof(*inputs));
	for (size_t i = 0; i < count; i++)
		inputs[i].path = paths[i];
	model = wk_load_inputs(inputs, count, args, symbols, err);
	wk_free(inputs);
	return model;
}

struct wk_model *wk_load_with(const char *path, const struct wk_load_args *args,
			      struct wk_symbols *symbols, struct wk_err *err)
{
	return wk_load_inputs(&(struct wk_load_input){ .path = path }, 1, args, symbols, err);
}

struct wk_model *wk_load(const char *path, const struct wk_load_args *args, struct wk_err *err)
{
	return wk_load_with(path, args, NULL, err);
}
