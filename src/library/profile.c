#include "library/profile.h"

#include <errno.h>

#include "base/mem.h"
#include "os/os.h"
#include "session/open.h"

struct open_profile {
	const struct wick_context *context;
	const char *path;
	const void *bytes; /* if there is no path */
	size_t len;
	struct wick_open_options options;
	struct wick_profile *profile;
	struct wk_err err;
};

static void open_path(struct open_profile *open, const char *path)
{
	const struct wick_open_options *options = &open->options;
	const struct wk_open_options how = {
		.format = options->format,
		.naming = open->context->naming,
		.no_inlined = options->no_inlined,
		.separates_unnamed = true,
		.threads = options->threads,
		.sums_samples = options->sum_samples,
		.sums_blocks = options->sum_samples,
		.is_of_any_event = true,
	};
	const struct wk_model *model = wk_open_paths((const char *const[]){ path, NULL }, &how,
						     NULL, NULL, &open->err);
	struct wick_profile *profile;

	if (!model)
		return;
	profile = wk_alloc(sizeof(*profile));
	*profile = (struct wick_profile){ open->context, wk_heap_current(), model };
	open->profile = profile;
}

/* Readers take files, and archives and sessions several. */
static void open_bytes(struct open_profile *open)
{
	struct wk_undo *undo = wk_undo_new();
	char *path = NULL;
	int fd = wk_os_undo_fd(undo, wk_os_temporary(&path));

	if (fd < 0 || !wk_os_write(fd, open->bytes, open->len) || !wk_os_rewind(fd))
		wk_fail_os(&open->err, errno, "cannot write a temporary file");
	else
		open_path(open, path);
	wk_os_close_fd(fd, undo);
	wk_free(path);
}

static void open_profile(void *call)
{
	struct open_profile *open = call;

	if (open->path)
		open_path(open, open->path);
	else
		open_bytes(open);
}

static struct wick_profile *run(struct open_profile *open, const struct wick_open_options *options,
				struct wick_error *error)
{
	struct wk_heap *heap;

	if (!wk_library_options(&open->options, sizeof(open->options), options, error))
		return NULL;
	heap = wk_library_heap(open->context);
	if (wk_library_run(heap, open_profile, open, &open->err, error))
		return open->profile;
	wk_heap_free(heap);
	return NULL;
}

struct wick_profile *wick_open(const struct wick_context *context, const char *path,
			       const struct wick_open_options *options, struct wick_error *error)
{
	struct open_profile open = { .context = context, .path = path };

	return run(&open, options, error);
}

struct wick_profile *wick_open_memory(const struct wick_context *context, const void *bytes,
				      size_t len, const struct wick_open_options *options,
				      struct wick_error *error)
{
	struct open_profile open = { .context = context, .bytes = bytes, .len = len };

	return run(&open, options, error);
}

void wick_close(struct wick_profile *profile)
{
	if (profile)
		wk_heap_free(profile->heap);
}

/* ---- What is in it. Row 0 of most tables is the empty one. */

static const char *text_of(const struct wk_model *model, wk_text_id id)
{
	return wk_strtab_get(model->text, id);
}

void wick_summarize(const struct wick_profile *profile, struct wick_summary *summary)
{
	const struct wk_model *model = profile->model;
	const struct wick_summary all = {
		.lost_samples = model->lost_samples,
		.lost_records = model->lost_records,
		.first_ns = model->first_ns,
		.last_ns = model->last_ns,
		.sample_count = model->samples.count,
		.source_count = model->source_count - 1,
		.note_count = model->note_count,
	};

	wk_library_fill(summary, &all, sizeof(all));
}

const char *wick_note(const struct wick_profile *profile, size_t index)
{
	const struct wk_model *model = profile->model;

	return index < model->note_count ? text_of(model, model->notes[index].text) : NULL;
}

bool wick_source_at(const struct wick_profile *profile, size_t index, struct wick_source *source)
{
	const struct wk_model *model = profile->model;
	struct wick_source all = { .name = "", .unit = "" };
	bool is_there = index + 1 < model->source_count;

	if (is_there) {
		const struct wk_source *row = &model->sources[index + 1];

		all.name = text_of(model, row->name);
		all.unit = text_of(model, row->unit);
		all.is_cpu_time = row->is_cpu_time;
	}
	wk_library_fill(source, &all, sizeof(all));
	return is_there;
}

/* A place in a stack, for callers: the recorded stack in the upper 32 bits, and below how many of
 * the calls at its innermost frame have been walked. */
static uint64_t handle_of(wk_stack_id stack, uint32_t walked)
{
	return stack ? (uint64_t)stack << 32 | walked : 0;
}

bool wick_sample_at(const struct wick_profile *profile, size_t index, struct wick_sample *sample)
{
	const struct wk_model *model = profile->model;
	const struct wk_samples *samples = &model->samples;
	struct wick_sample all = { .process = "", .thread = "" };
	bool is_there = index < samples->count;

	if (is_there) {
		const struct wk_thread *thread = &model->threads[wk_sample_thread(samples, index)];
		const struct wk_process *process = &model->processes[thread->process];

		all.time_ns = wk_sample_time(samples, index);
		all.weight = samples->weight[index];
		all.count = wk_model_sample_times(model, (uint32_t)index);
		all.stack = handle_of(samples->stack[index], 0);
		all.source = wk_sample_source(samples, index) - 1;
		all.cpu = wk_sample_cpu(samples, index);
		all.pid = thread->process ? process->pid : WK_NO_PID;
		all.tid = wk_sample_thread(samples, index) ? thread->tid : WK_NO_PID;
		all.process = text_of(model, process->name);
		all.thread = text_of(model, thread->name);
	}
	wk_library_fill(sample, &all, sizeof(all));
	return is_there;
}

static void fill_frame(const struct wk_model *model, wk_frame_id id,
		       const struct wk_frame_calls *calls, uint32_t call, struct wick_frame *frame)
{
	const struct wk_function *function = &model->functions[calls->function[call]];
	wk_image_id image = model->frames.image[id] ? model->frames.image[id] : function->image;

	frame->function = text_of(model, function->name);
	frame->linked = text_of(model, function->linked);
	frame->file = text_of(model, function->file);
	frame->module = text_of(model, model->images[image].path);
	frame->address = model->frames.address[id];
	frame->line = calls->line[call];
	frame->is_inlined = call > 0 || model->frames.is_inlined[id];
	frame->is_kernel =
		model->images[image].kind == WK_IMAGE_KERNEL || model->images[image].in_kernel;
}

uint64_t wick_frame_at(const struct wick_profile *profile, uint64_t stack, struct wick_frame *frame)
{
	const struct wk_model *model = profile->model;
	struct wick_frame all = { .function = "", .linked = "", .file = "", .module = "" };
	wk_stack_id id = (wk_stack_id)(stack >> 32);
	uint32_t walked = (uint32_t)stack;
	struct wk_frame_calls calls;
	uint64_t caller = 0;

	if (id && id < model->stacks.count) {
		calls = wk_model_calls_of(model, model->stacks.entries[id].label);
		if (walked < calls.count)
			fill_frame(model, model->stacks.entries[id].label, &calls,
				   calls.count - 1 - walked, &all);
		caller = walked + 1 < calls.count ? stack + 1
						  : handle_of(model->stacks.entries[id].parent, 0);
	}
	wk_library_fill(frame, &all, sizeof(all));
	return caller;
}
