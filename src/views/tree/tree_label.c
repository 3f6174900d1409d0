/* What a label is: its name, and the columns of nodes that follow from it. */
#include <inttypes.h>

#include "base/num.h"
#include "views/tree/merge.h"
#include "views/tree/tree_internal.h"

/* A name that the model does not have; frees the buffer. */
static struct wk_str own_name(struct wk_arena *arena, struct wk_buf *text)
{
	struct wk_str copy = wk_arena_copy(arena, wk_buf_str(text));

	wk_buf_fini(text);
	return copy;
}

/* `id` distinguishes several that have no name of their own. */
static struct wk_str composed_name(struct wk_arena *arena, struct wk_str name, const char *what,
				   uint32_t id)
{
	struct wk_buf text = { 0 };

	if (name.len == 0)
		wk_buf_add_fmt(&text, "%s %" PRIu32, what, id);
	else
		wk_buf_add_fmt(&text, "%.*s (%" PRIu32 ")", WK_STR_ARG(name), id);
	return own_name(arena, &text);
}

static struct wk_str name_or_unknown(const struct wk_model *model, wk_text_id id)
{
	return id ? wk_model_str(model, id) : wk_str_c("(unknown)");
}

struct wk_str wk_function_shown_name(const struct wk_model *model, wk_function_id id)
{
	return name_or_unknown(model, model->functions[id].name);
}

/* In a comparison threads of one name are one, which has no number. */
static struct wk_str thread_name(const struct wk_folding *f, wk_thread_id id,
				 struct wk_arena *arena)
{
	struct wk_str name = wk_model_str(f->model, f->model->threads[id].name);

	return f->options->pairs && name.len
		       ? name
		       : composed_name(arena, name, "thread", f->model->threads[id].tid);
}

/* "64 B and more", up to twice as much. */
static struct wk_str size_name(uint32_t digits, struct wk_arena *arena)
{
	struct wk_buf text = { 0 };

	wk_num_add_bytes(&text, digits ? (uint64_t)1 << (digits - 1) : 0);
	wk_buf_add_text(&text, digits ? " and more" : "");
	return own_name(arena, &text);
}

struct wk_str wk_folding_name(const struct wk_folding *f, uint32_t label, struct wk_arena *arena)
{
	const struct wk_model *model = f->model;
	uint32_t id = WK_LABEL_ID(label);

	switch (WK_LABEL_KIND(label)) {
	case WK_LABEL_PROCESS_NAME:
		return wk_model_str(model, id);
	case WK_LABEL_PROCESS:
		if (model->processes[id].pid == WK_UNKNOWN_PID)
			return wk_model_str(model, model->processes[id].name);
		return composed_name(arena, wk_model_str(model, model->processes[id].name),
				     "process", model->processes[id].pid);
	case WK_LABEL_CPU:
		return composed_name(arena, (struct wk_str){ 0 }, "CPU", id);
	case WK_LABEL_MODULE:
		return name_or_unknown(model, wk_function_module(model, id));
	case WK_LABEL_THREAD:
	case WK_LABEL_READIER:
		return id ? thread_name(f, id, arena) : wk_str_c("(interrupt)");
	case WK_LABEL_TEXT:
	case WK_LABEL_HEAP:
	case WK_LABEL_PART:
		return wk_model_str(model, id);
	case WK_LABEL_SIZE:
		return size_name(id, arena);
	case WK_LABEL_ANNOTATION:
		return wk_str_c(wk_annotation_label(f->options->annotations, id));
	case WK_LABEL_LINE:
		return wk_function_shown_name(model, model->named_frames.function[id]);
	default:
		return wk_function_shown_name(model, id);
	}
}

enum wk_node_kind wk_label_kind(uint32_t label)
{
	static const uint8_t kinds[] = {
		[WK_LABEL_FUNCTION] = WK_NODE_FUNCTION,
		[WK_LABEL_PROCESS_NAME] = WK_NODE_PROCESS,
		[WK_LABEL_PROCESS] = WK_NODE_PROCESS,
		[WK_LABEL_THREAD] = WK_NODE_THREAD,
		[WK_LABEL_CPU] = WK_NODE_CPU,
		[WK_LABEL_MODULE] = WK_NODE_MODULE,
		[WK_LABEL_TEXT] = WK_NODE_SUBJECT,
		[WK_LABEL_SIZE] = WK_NODE_SUBJECT,
		[WK_LABEL_LINE] = WK_NODE_FUNCTION,
		[WK_LABEL_ANNOTATION] = WK_NODE_SUBJECT,
		[WK_LABEL_READIER] = WK_NODE_THREAD,
		[WK_LABEL_HEAP] = WK_NODE_SUBJECT,
		[WK_LABEL_PART] = WK_NODE_SUBJECT,
	};

	return (enum wk_node_kind)kinds[WK_LABEL_KIND(label)];
}

wk_function_id wk_folding_function(const struct wk_folding *f, uint32_t label)
{
	if (WK_LABEL_KIND(label) == WK_LABEL_LINE)
		return f->shown[f->model->named_frames.function[WK_LABEL_ID(label)]];
	return wk_node_is_code((uint8_t)wk_label_kind(label)) ? WK_LABEL_ID(label) : 0;
}
