#include "session/fold/restack.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

void wk_restack_begin(struct wk_restack *restack, const struct wk_sink *next)
{
	restack->next = *next;
	if (restack->base || restack->reverses)
		restack->writer = wk_stack_writer_new(next);
}

bool wk_restack_end(struct wk_restack *restack, struct wk_err *err)
{
	WK_FREE_ALL(restack->frame_of, restack->is_base, restack->parent, restack->frame,
		    restack->stack_of, restack->is_turned);
	if (!restack->writer)
		return !err || err->code == WK_OK;
	return wk_stack_writer_end(restack->writer, err);
}

static bool is_base(const struct wk_restack *restack, struct wk_str name)
{
	for (size_t i = 0; restack->base && restack->base[i]; i++)
		if (wk_str_is(name, restack->base[i]))
			return true;
	return false;
}

static void read_frame(struct wk_restack *r, const struct wk_event_frame *frame)
{
	size_t need = (size_t)frame->number + 1;
	struct wk_event_frame short_lived = *frame; /* the writer serves several inputs */

	short_lived.is_lasting = false;
	WK_RESERVE(r->frame_of, r->frame_cap, need);
	WK_RESERVE(r->is_base, r->base_cap, need);
	r->frame_of[frame->number] = wk_stack_writer_frame(r->writer, &short_lived);
	r->is_base[frame->number] = is_base(r, frame->name);
}

/* A stack of an event. */
struct row {
	uint32_t number, parent, frame;
};

/* The stack begins at a base, or continues the new stack of its parent. */
static uint32_t cut(struct wk_restack *r, const struct row *row)
{
	uint32_t frame = r->frame_of[row->frame];

	if (r->is_base[row->frame])
		return wk_stack_writer_stack(r->writer, 0, frame);
	if (row->parent && r->stack_of[row->parent])
		return wk_stack_writer_stack(r->writer, r->stack_of[row->parent], frame);
	return 0;
}

static void read_stack(struct wk_restack *r, const struct row *row)
{
	size_t need = (size_t)row->number + 1;

	WK_RESERVE(r->parent, r->parent_cap, need);
	WK_RESERVE(r->frame, r->stack_frame_cap, need);
	WK_RESERVE(r->stack_of, r->stack_cap, need);
	WK_RESERVE(r->is_turned, r->turned_cap, need);
	r->parent[row->number] = row->parent;
	r->frame[row->number] = row->frame;
	r->is_turned[row->number] = 0;
	r->stack_of[row->number] = r->reverses ? 0 : cut(r, row);
}

/* Each stack is reversed once. */
static uint32_t turned(struct wk_restack *r, uint32_t stack)
{
	uint32_t result = 0;

	if (!r->is_turned[stack]) {
		for (uint32_t at = stack; at; at = r->parent[at])
			result =
				wk_stack_writer_stack(r->writer, result, r->frame_of[r->frame[at]]);
		r->stack_of[stack] = result;
		r->is_turned[stack] = 1;
	}
	return r->stack_of[stack];
}

/* The innermost frame is never a base: inferno compares it together with its count. Samples without
 * another base are left out, as there, but counted. */
static uint32_t based(struct wk_restack *r, uint32_t stack)
{
	uint32_t callers = r->parent[stack] ? r->stack_of[r->parent[stack]] : 0;

	if (callers)
		return wk_stack_writer_stack(r->writer, callers, r->frame_of[r->frame[stack]]);
	r->lost += r->is_base[r->frame[stack]];
	return 0;
}

static void read_sample(struct wk_restack *r, const struct wk_event *event)
{
	struct wk_event sample = *event;
	uint32_t stack = event->sample.named_stack;

	if (stack)
		sample.sample.named_stack = r->reverses ? turned(r, stack) : based(r, stack);
	if (sample.sample.named_stack == 0)
		return;
	wk_stack_writer_event(r->writer, &sample);
}

static bool take(void *context, const struct wk_event *event, struct wk_err *err)
{
	struct wk_restack *restack = context;

	if (!restack->writer && event->kind != WK_EVENT_NOTE)
		return wk_sink_emit(&restack->next, event, err);
	switch (event->kind) {
	case WK_EVENT_FRAME:
		read_frame(restack, &event->frame);
		break;
	case WK_EVENT_STACKS:
		for (uint32_t i = 0; i < event->stacks.count; i++)
			read_stack(restack, &(struct row){ event->stacks.first + i,
							   event->stacks.parents[i],
							   event->stacks.frames[i] });
		break;
	case WK_EVENT_SAMPLE:
		read_sample(restack, event);
		break;
	case WK_EVENT_NOTE:
		restack->note(restack->context, event->note.text);
		break;
	default:
		wk_stack_writer_event(restack->writer, event);
		break;
	}
	if (restack->writer && wk_stack_writer_is_done(restack->writer))
		return wk_fail(err, WK_EIO, WK_NOWHERE, "the sink accepts no more");
	return true;
}

struct wk_sink wk_restack_sink(struct wk_restack *restack)
{
	return (struct wk_sink){ .take = take, .context = restack };
}
