#include "session/fold/restack.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

struct wk_restack_frame {
	uint32_t number; /* of the writer */
	bool is_base;
};

struct wk_restack_stack {
	uint32_t parent, frame; /* the reader's */
	uint32_t changed;       /* the writer's number of the new stack; 0: dropped */
	bool is_turned;         /* `changed` is of the reversed stack */
};

void wk_restack_begin(struct wk_restack *restack, const struct wk_sink *next)
{
	restack->next = *next;
	if (restack->base || restack->reverses)
		restack->writer = wk_stack_writer_new(next);
}

bool wk_restack_end(struct wk_restack *restack, struct wk_err *err)
{
	WK_FREE_ALL(restack->frames, restack->stacks);
	if (!restack->writer)
		return !err || err->code == WK_OK;
	return wk_stack_writer_end(restack->writer, err);
}

static void read_frame(struct wk_restack *r, const struct wk_event_frame *frame)
{
	struct wk_event_frame short_lived = *frame; /* the writer serves several inputs */

	short_lived.is_lasting = false;
	WK_RESERVE(r->frames, r->frames_cap, (size_t)frame->number + 1);
	r->frames[frame->number] = (struct wk_restack_frame){
		.number = wk_stack_writer_frame(r->writer, &short_lived),
		.is_base = r->base && wk_str_is_one_of(frame->name, r->base),
	};
}

/* The stack begins at a base, or continues the new stack of its parent. */
static uint32_t cut(struct wk_restack *r, uint32_t parent, uint32_t frame)
{
	uint32_t callers = parent ? r->stacks[parent].changed : 0;

	if (r->frames[frame].is_base)
		callers = 0;
	else if (!callers)
		return 0;
	return wk_stack_writer_stack(r->writer, callers, r->frames[frame].number);
}

static void read_stack(struct wk_restack *r, uint32_t number, uint32_t parent, uint32_t frame)
{
	WK_RESERVE(r->stacks, r->stacks_cap, (size_t)number + 1);
	r->stacks[number] = (struct wk_restack_stack){
		.parent = parent, .frame = frame,
		.changed = r->reverses ? 0 : cut(r, parent, frame) };
}

/* Each stack is reversed once. */
static uint32_t turned(struct wk_restack *r, uint32_t stack)
{
	struct wk_restack_stack *row = &r->stacks[stack];

	for (uint32_t at = row->is_turned ? 0 : stack; at; at = r->stacks[at].parent)
		row->changed = wk_stack_writer_stack(r->writer, row->changed,
						     r->frames[r->stacks[at].frame].number);
	row->is_turned = true;
	return row->changed;
}

/* The innermost frame is never a base: inferno compares it together with its count. Samples without
 * another base are left out, as there, but counted. */
static uint32_t based(struct wk_restack *r, uint32_t stack)
{
	const struct wk_restack_stack *row = &r->stacks[stack];
	uint32_t callers = row->parent ? r->stacks[row->parent].changed : 0;

	if (callers)
		return wk_stack_writer_stack(r->writer, callers, r->frames[row->frame].number);
	r->lost += r->frames[row->frame].is_base;
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
			read_stack(restack, event->stacks.first + i,
				   event->stacks.entries[i].parent, event->stacks.entries[i].label);
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
