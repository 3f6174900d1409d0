#include "session/open.h"

#include <string.h>

#include "base/mem.h"
#include "formats/stack_writer.h"
#include "model/builder.h"
#include "model/closures.h"
#include "model/resolve.h"
#include "session/open_sources.h"
#include "stages/jit/jit_stage.h"
#include "stages/unwind_stage.h"
#include "views/filter/images_in_view.h"

/* A sink between a reader and the next step. It stops at the first copy of a stack if stacks are
 * not unwound yet: most recordings have finished chains, are read once, and no image is opened in
 * vain. It adds the name of the input to notes of missing parts, and marks samples of the "before"
 * side.
 */
struct watch {
	struct wk_sink next;
	const char *path; /* of one of several inputs; NULL: there is only one */
	bool is_before;
	bool is_compared; /* with another input: its own "before" counts, if it has any, are of
			     neither */
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
	if (watch->is_compared && event->kind == WK_EVENT_SAMPLE && event->sample.is_before)
		return true;
	if (!watch->is_before)
		return wk_sink_emit(&watch->next, event, err);
	marked = *event;
	sample = wk_event_sample_in(&marked);
	if (sample)
		sample->is_before = true;
	else if (event->kind == WK_EVENT_FRAME)
		marked.frame.is_before = true;
	else if (event->kind == WK_EVENT_SUMS)
		marked.sums.is_before = true;
	else if (event->kind == WK_EVENT_LISTS)
		marked.lists.is_before = true;
	else if (event->kind == WK_EVENT_BLOCKS)
		marked.blocks.is_before = true;
	else if (event->kind == WK_EVENT_LOST)
		marked.lost.is_before = true;
	return wk_sink_emit(&watch->next, &marked, err);
}

/* Stacks are unwound first; the next steps see finished chains. */
static bool read_unwinding(struct wk_open_source *source, const struct wk_open_options *options,
			   struct wk_symbols *symbols, struct wk_jit_stage *names,
			   struct wk_err *err)
{
	struct wk_unwind_stage *stage = wk_unwind_stage_new(
		symbols, wk_jit_stage_sink(names), (struct wk_unwind_options){ .jit = names });
	struct wk_sink sink = wk_unwind_stage_sink(stage);
	bool ok;

	ok = wk_open_source_read(source, options, &sink, err) && wk_unwind_stage_finish(stage, err);
	wk_unwind_stage_free(stage);
	return ok;
}

/* With the names that programs wrote for code they generated at run time. */
static bool read_named(struct wk_open_source *source, const struct wk_open_options *options,
		       struct wk_symbols *unwinds_with, struct watch *watch, struct wk_err *err)
{
	struct wk_jit_stage *stage = wk_jit_stage_new((struct wk_sink){
		.take = watch_take, .context = watch, .stacks = watch->next.stacks,
		.accepts_blocks = watch->next.accepts_blocks,
		.accepts_lists = watch->next.accepts_lists });
	struct wk_sink sink = wk_jit_stage_sink(stage);
	bool ok = unwinds_with ? read_unwinding(source, options, unwinds_with, stage, err)
			       : wk_open_source_read(source, options, &sink, err);

	ok = ok && wk_jit_stage_finish(stage, err);
	wk_jit_stage_free(stage);
	return ok;
}

/* So that what is left at both ends of the time in view is known. */
static void bound_sums(struct wk_model *model, struct wk_filter_time time)
{
	if (!time.is_known)
		return;
	model->sums_from_ns = time.from_ns;
	model->sums_to_ns = time.to_ns;
}

/* Reads the sources into a new model. NULL on failure; `*found_copy` is set if that is only because
 * stacks must be unwound. Peaks that are to be snapshots are taken if they are known, otherwise
 * found. */
static struct wk_model *build_once(struct wk_open_sources *sources,
				   const struct wk_open_options *options,
				   struct wk_symbols *unwinds_with, struct wk_heap_peaks *peaks,
				   bool *found_copy, struct wk_err *err)
{
	struct wk_model *model = wk_model_new();
	struct wk_builder *builder = wk_builder_new(model);
	struct watch watch = { .next = wk_builder_sink(builder), .stops_at_copies = !unwinds_with };
	bool ok = true;

	if (peaks->count)
		wk_builder_use_peaks(builder, peaks);
	if (sources->count > 1)
		watch.next.stacks = wk_stack_store_new();
	watch.next.accepts_lists = options->lists_stacks;
	model->sums_samples = options->sums_samples;
	model->sums_blocks = options->sums_blocks;
	model->slices_blocks = options->slices_blocks;
	model->separates_heaps = options->separates_heaps;
	if (options->sums_blocks && options->in_view)
		bound_sums(model, wk_filter_time_of(options->in_view));
	for (size_t i = 0; i < sources->count && ok; i++) {
		watch.is_before = sources->at[i].is_before;
		watch.is_compared = sources->at[0].is_before;
		watch.path = sources->count > 1 ? sources->at[i].paths[0] : NULL;
		if (watch.next.stacks)
			wk_stack_store_next_input(watch.next.stacks, watch.is_before);
		if (i)
			wk_builder_next_input(builder);
		ok = read_named(&sources->at[i], options, unwinds_with, &watch, err);
	}
	*found_copy = watch.found_copy;
	wk_stack_store_free(watch.next.stacks);
	wk_builder_finish(builder);
	if (ok && !peaks->count) {
		wk_free(peaks->events);
		*peaks = wk_builder_peaks(builder);
	}
	wk_builder_free(builder);
	if (ok)
		return model;
	wk_model_free(model);
	return NULL;
}

/* A second time if there are peaks to be snapshots: only all events show where they are. */
static struct wk_model *build(struct wk_open_sources *sources,
			      const struct wk_open_options *options,
			      struct wk_symbols *unwinds_with, bool *found_copy, struct wk_err *err)
{
	struct wk_heap_peaks peaks = { 0 };
	struct wk_model *model =
		build_once(sources, options, unwinds_with, &peaks, found_copy, err);

	if (model && peaks.count) {
		wk_model_free(model);
		model = build_once(sources, options, unwinds_with, &peaks, found_copy, err);
	}
	wk_free(peaks.events);
	return model;
}

/* Without unwinding first. */
static struct wk_model *build_as_needed(struct wk_open_sources *sources,
					const struct wk_open_options *options,
					struct wk_symbols *symbols, struct wk_err *err)
{
	struct wk_err first_err = { 0 };
	bool found_copy = false;
	struct wk_model *model = build(sources, options, NULL, &found_copy, &first_err);

	if (!model && found_copy)
		model = build(sources, options, symbols, &found_copy, err);
	else if (!model)
		*err = first_err;
	return model;
}

static struct wk_images_in_view in_view(const struct wk_model *model,
					const struct wk_open_options *options)
{
	static const struct wk_filter_spec all;
	struct wk_filter_spec spec = options->in_view ? *options->in_view : all;

	if (options->table && !spec.source)
		spec.source = wk_table_view_source(options->table, model);
	return wk_images_in_view(model, &spec, !options->in_view || options->is_of_any_event);
}

/* Fetches the files of all images in view at once, before names are looked up one by one. */
static void prefetch(const struct wk_model *model, const struct wk_open_options *options,
		     struct wk_symbols *symbols)
{
	struct wk_images_in_view images;
	struct wk_image_symbols **wanted;
	size_t count = 0;

	if (!wk_symbols_asks_machines(symbols))
		return;
	images = in_view(model, options);
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

/* For advice. Standard input cannot be read again. */
static void name_inputs(struct wk_model *model, const char *const *paths, size_t count,
			const struct wk_open_options *options)
{
	struct wk_buf words = { 0 };
	bool can_be_read = true;

	for (size_t i = 0; i < count; i++) {
		const char *name = options->name && count == 1 ? options->name : paths[i];

		can_be_read &= strcmp(name, "-") != 0;
		wk_buf_add_text(&words, i ? " " : "");
		wk_buf_add_shell(&words, wk_str_c(name));
	}
	if (can_be_read)
		model->input = wk_model_text(model, wk_buf_str(&words));
	model->has_several_inputs = count > 1;
	wk_buf_fini(&words);
}

static struct wk_model *open_with(const char *const *paths, const struct wk_open_options *options,
				  struct wk_symbols *symbols, const struct wk_messages *messages,
				  struct wk_err *err)
{
	struct wk_open_sources sources;
	struct wk_model *model = NULL;
	size_t count = 0;

	while (paths[count])
		count++;
	if (wk_open_sources_init(&sources, paths, count, options->is_comparison, err)) {
		wk_busy(messages, "reading", options->name ? options->name : paths[0]);
		for (size_t i = count; i-- > 0;)
			wk_symbols_look_beside(symbols, paths[i]);
		model = build_as_needed(&sources, options, symbols, err);
	}
	wk_open_sources_fini(&sources);
	if (!model)
		return NULL;
	name_inputs(model, paths, count, options);
	if (options->naming.remote.servers.count && model->traits->has_symbol_files)
		wk_warn(messages, "--symbol-server does not apply to Windows traces; --symbol-path "
				  "names stores of PDBs");
	wk_busy(messages, "looking up names", NULL);
	prefetch(model, options, symbols);
	wk_model_resolve(model, symbols,
			 (struct wk_resolve_options){
				 .no_inlined = options->no_inlined,
				 .separates_unnamed = options->separates_unnamed,
			 });
	if (options->is_comparison)
		wk_model_note_closures(model);
	return model;
}

struct wk_model *wk_open_paths(const char *const *paths, const struct wk_open_options *options,
			       struct wk_symbols *symbols, const struct wk_messages *messages,
			       struct wk_err *err)
{
	struct wk_symbolizer symbolizer;
	struct wk_model *model = NULL;

	if (symbols) {
		model = open_with(paths, options, symbols, messages, err);
	} else {
		if (wk_symbolizer_open(&symbolizer, &options->naming, messages, err))
			model = open_with(paths, options, symbolizer.symbols, messages, err);
		wk_symbolizer_close(&symbolizer);
	}
	wk_busy_end(messages);
	return model;
}
