#include "cli/load.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "formats/reader.h"
#include "model/builder.h"
#include "model/resolve.h"
#include "model/unwind_stage.h"
#include "os/os.h"

static const struct wk_opt options[] = {
	{ 0, "format", "FORMAT", "read FILE as this format, whatever it looks like; `wick formats` "
	  "lists them", WK_OPT_TEXT, offsetof(struct wk_load_args, format), NULL },
	{ 0, "debug-dir", "DIR", "look for debug files here, before /usr/lib/debug", WK_OPT_LIST,
	  offsetof(struct wk_load_args, debug_dirs), NULL },
	{ 0 },
};

const struct wk_opt_group wk_load_group = { "Reading", options };

bool wk_load_has_usual(void)
{
	return access(WK_USUAL_RECORDING, F_OK) == 0;
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
			"no FILE given; \"-\" is standard input, `wick record` makes "
			WK_USUAL_RECORDING);
	else
		wk_fail(err, WK_EUSAGE, WK_NOWHERE, "one FILE at a time, found %zu", count);
	return NULL;
}

/* Passes events on until one shows that stacks must be unwound first. Wick's own recordings
 * hold finished chains, so most files are read once and no image is opened in vain. */
struct watch {
	struct wk_sink next;
	bool found_stack_copy;
};

static bool watch_take(void *context, const struct wk_event *event, struct wk_err *err)
{
	struct watch *watch = context;

	if (event->kind == WK_EVENT_SAMPLE && event->sample.stack) {
		watch->found_stack_copy = true;
		return wk_fail(err, WK_EUNSUPPORTED, WK_NOWHERE, "stacks are not unwound yet");
	}
	return wk_sink_take(&watch->next, event, err);
}

struct source {
	const struct wk_reader *reader;
	const struct wk_input *input;
	struct wk_symbols *symbols;
};

static struct wk_model *build_with(const struct source *source, struct wk_builder *builder,
				   struct wk_model *model, const struct wk_sink *sink,
				   struct wk_unwind_stage *stage, struct wk_err *err)
{
	bool ok = source->reader->read(source->input, sink, err) &&
		  (!stage || wk_unwind_stage_finish(stage, err));

	wk_unwind_stage_free(stage);
	wk_builder_finish(builder);
	wk_builder_free(builder);
	if (ok)
		return model;
	wk_model_free(model);
	return NULL;
}

static struct wk_model *build_plain(const struct source *source, bool *must_unwind,
				    struct wk_err *err)
{
	struct wk_model *model = wk_model_new();
	struct wk_builder *builder = wk_builder_new(model);
	struct watch watch = { .next = wk_builder_sink(builder) };
	struct wk_sink sink = { watch_take, &watch };

	model = build_with(source, builder, model, &sink, NULL, err);
	*must_unwind = watch.found_stack_copy;
	return model;
}

static struct wk_model *build_unwinding(const struct source *source, struct wk_err *err)
{
	struct wk_model *model = wk_model_new();
	struct wk_builder *builder = wk_builder_new(model);
	struct wk_unwind_stage *stage =
		wk_unwind_stage_new(source->symbols, wk_builder_sink(builder));
	struct wk_sink sink = wk_unwind_stage_sink(stage);

	return build_with(source, builder, model, &sink, stage, err);
}

static struct wk_model *build(const struct source *source, struct wk_err *err)
{
	struct wk_err first_err = { 0 };
	bool must_unwind = false;
	struct wk_model *model = build_plain(source, &must_unwind, &first_err);

	if (must_unwind)
		model = build_unwinding(source, err);
	else if (!model)
		*err = first_err;
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

struct wk_model *wk_load_with(const char *path, const struct wk_load_args *args,
			      struct wk_symbols *symbols, struct wk_err *err)
{
	struct source source = { .symbols = symbols };
	struct wk_model *model;
	struct wk_opened opened;

	if (!wk_reader_open(path, args->format, &opened, err))
		return NULL;
	source.reader = opened.reader;
	source.input = &opened.input;
	model = build(&source, err);
	if (model)
		wk_model_resolve(model, symbols);
	else
		wk_opened_fail(&opened, err);
	wk_reader_close(&opened);
	return model;
}

struct wk_model *wk_load(const char *path, const struct wk_load_args *args, struct wk_err *err)
{
	const char **dirs = wk_load_debug_dirs(args);
	struct wk_symbols *symbols =
		wk_symbols_new(&(struct wk_symbols_options){ .debug_dirs = dirs });
	struct wk_model *model = wk_load_with(path, args, symbols, err);

	wk_symbols_free(symbols);
	free(dirs);
	return model;
}
