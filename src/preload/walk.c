/* Stacks: from the frame of a hook to the thread's first function.
 *
 * Most of a stack is that of the call before. Where a return address lies at the same place, with
 * the same frame pointer, as in the last stack, and all those outside it still lie where they lay,
 * the outer part is known: checking it is a load for each frame. Frames whose size varies are not
 * remembered, nor those inside them: what lies at the old place may be left from an earlier call.
 * Of other stacks than the thread's own nothing is remembered: they may not be there any more. */
#include <pthread.h>
#include <string.h>

#include "preload/internal.h"
#include "preload/quick.h"

/* Of the kernel's struct ucontext on x86-64, which lies at the stack pointer when a signal's
 * handler has returned. */
#define UCONTEXT_REGISTERS 40
#define REGISTER_BP        10
#define REGISTER_SP        15
#define REGISTER_PC        16

/* Made by the loader: in the stack of the first thread. */
extern void *__libc_stack_end __attribute__((weak));

/* Is the mapping that `sp` is in, as it was found last, the thread's own stack? The C library is
 * not asked, which holds a lock while it allocates for the answer: it has a thread's own data at
 * the end of its stack. */
static void look_for_own(struct wk_heap_thread *thread, uintptr_t sp)
{
	uintptr_t low = thread->other_low, high = thread->other_high;
	uintptr_t data = (uintptr_t)pthread_self(), end = 0;

	if (&__libc_stack_end)
		end = (uintptr_t)__libc_stack_end;
	if (data > sp && data < high)
		high = data;
	else if (end < low || end >= high)
		return;
	thread->stack_low = low;
	thread->stack_high = high;
}

static __attribute__((noinline)) uintptr_t find_stack(struct wk_heap_thread *thread, uintptr_t sp)
{
	if (sp >= thread->other_low && sp < thread->other_high)
		return thread->other_high;
	if (!wk_heap_find_stack(sp, &thread->other_low, &thread->other_high)) {
		thread->other_low = thread->other_high = 0;
		return 0;
	}
	look_for_own(thread, sp);
	return sp >= thread->stack_low && sp < thread->stack_high ? thread->stack_high
								  : thread->other_high;
}

/* The end of the stack that `sp` is in; 0 if it is in none. */
static uintptr_t end_of_stack(struct wk_heap_thread *thread, uintptr_t sp)
{
	if (WK_LIKELY(sp >= thread->stack_low && sp < thread->stack_high))
		return thread->stack_high;
	return find_stack(thread, sp);
}

/* The frame of the caller; false if there is none, or none is known. `*varies` is set if the
 * frame's size is not always the same. */
static inline bool step(struct wk_heap_thread *thread, struct wk_heap_frame *frame, uintptr_t *end,
			bool *varies)
{
	struct wk_heap_unwind row = wk_heap_unwind_at(frame->pc);
	uintptr_t sp = frame->slot + sizeof(uintptr_t), cfa;

	if (WK_LIKELY(row.kind == WK_HEAP_UNWIND_SP)) {
		cfa = sp + (uintptr_t)(intptr_t)row.offset;
	} else if (WK_LIKELY(row.kind == WK_HEAP_UNWIND_BP)) {
		cfa = frame->bp + (uintptr_t)(intptr_t)row.offset;
		*varies = wk_heap_unwind_varies(frame->pc, cfa - frame->slot);
	} else if (row.kind == WK_HEAP_UNWIND_AT_BP) {
		cfa = frame->bp + (uintptr_t)(intptr_t)row.offset;
		if (cfa < sp || cfa > *end - sizeof(cfa) || cfa % sizeof(cfa))
			return false;
		cfa = wk_heap_load(cfa);
		if (frame->bp < sp || frame->bp > *end - sizeof(cfa) || cfa <= sp || cfa > *end)
			return false;
		*varies = wk_heap_unwind_varies(frame->pc, cfa - frame->slot);
		*frame = (struct wk_heap_frame){ cfa - sizeof(cfa), wk_heap_load(cfa - sizeof(cfa)),
						 wk_heap_load(frame->bp) };
		return frame->pc;
	} else if (row.kind == WK_HEAP_UNWIND_SIGNAL) {
		uintptr_t registers = sp + UCONTEXT_REGISTERS;

		if (registers + (REGISTER_PC + 1) * sizeof(cfa) > *end)
			return false;
		cfa = wk_heap_load(registers + REGISTER_SP * sizeof(cfa));
		*end = end_of_stack(thread, cfa);
		/* 1 more, since what was interrupted is no return address. */
		*frame = (struct wk_heap_frame){
			cfa - sizeof(cfa), wk_heap_load(registers + REGISTER_PC * sizeof(cfa)) + 1,
			wk_heap_load(registers + REGISTER_BP * sizeof(cfa)) };
		return *end;
	} else {
		return false;
	}
	if (WK_UNLIKELY(cfa <= sp || cfa > *end || cfa % sizeof(cfa)))
		return false;
	if (row.bp != WK_HEAP_BP_SAME) {
		uintptr_t saved = cfa + (uintptr_t)(intptr_t)row.bp;

		if (WK_UNLIKELY(saved < sp || saved >= cfa))
			return false;
		frame->bp = wk_heap_load(saved);
	}
	frame->slot = cfa - sizeof(cfa);
	frame->pc = wk_heap_load(frame->slot);
	return frame->pc;
}

/* The last stack, of which `count` frames are new. At least one is of its outer part. */
static void keep_tip(struct wk_heap_thread *thread, uint32_t count)
{
	const struct wk_heap_known *at = wk_heap_last_of(thread) + thread->depth - 1;
	struct wk_heap_tip *tip = wk_heap_tip_of(thread, &at->frame);

	count = count ? count - 1 : 0;
	count = count < WK_HEAP_INNER ? count : WK_HEAP_INNER;
	if (thread->depth < count + 2)
		return;
	tip->frame = at->frame;
	tip->node = at->node;
	for (uint32_t i = 0; i < WK_HEAP_INNER; i++)
		if (i < count) {
			at--;
			tip->inner[i] = (struct wk_heap_return){ at->frame.slot, at->frame.pc };
		} else {
			tip->inner[i] = (struct wk_heap_return){ (uintptr_t)&thread->nothing, 0 };
		}
	tip->outer = thread->depth - 1 - count;
	tip->since = at[-1].since;
}

/* The frames of `fresh` are those outside which the last stack has `known`; the innermost `varied`
 * of them are not remembered. Returns the number of the innermost one that could be added. */
static uint32_t add_fresh(struct wk_heap_thread *thread, uint32_t known, uint32_t *fresh,
			  uint32_t varied)
{
	struct wk_heap_known *last = wk_heap_last_of(thread);
	uint32_t node = known ? last[known - 1].node : 0, joined = known;

	/* None of a stack that was so long ago has the same number. */
	if (++thread->walks == 0)
		memset(thread->tips, 0, sizeof(thread->tips));
	for (; *fresh > varied && known < WK_HEAP_DEPTH; known++) {
		struct wk_heap_frame *frame = &thread->fresh[--*fresh];

		node = wk_heap_node(node, frame->pc);
		last[known] = (struct wk_heap_known){ *frame, node, thread->walks };
	}
	thread->depth = known;
	if (known && !*fresh)
		keep_tip(thread, known - joined);
	return node;
}

static __attribute__((noinline)) uint32_t walk(struct wk_heap_thread *thread, uintptr_t base)
{
	uintptr_t end = end_of_stack(thread, base);
	struct wk_heap_frame frame = { base + sizeof(base), wk_heap_load(base + sizeof(base)),
				       wk_heap_load(base) };
	bool is_own = end && base >= thread->stack_low && base < thread->stack_high;
	uint32_t code = atomic_load_explicit(&wk_heap_code, memory_order_relaxed);
	uint32_t known = is_own && code == thread->code ? thread->depth : 0, fresh = 0, node = 0;
	const struct wk_heap_known *last = wk_heap_last_of(thread);
	uint32_t varied = 0; /* up to the outermost frame whose size is not always the same */
	bool goes_on = end, varies = false;

	while (goes_on) {
		while (known && last[known - 1].frame.slot < frame.slot)
			known--;
		if (known && last[known - 1].frame.slot == frame.slot &&
		    last[known - 1].frame.pc == frame.pc && last[known - 1].frame.bp == frame.bp &&
		    wk_heap_is_still_there(thread, known - 1))
			goto join;
		if (WK_UNLIKELY(fresh == WK_HEAP_DEPTH)) {
			atomic_fetch_add(&wk_heap_head->counts.cut, 1);
			break;
		}
		thread->fresh[fresh++] = frame;
		goes_on = step(thread, &frame, &end, &varies);
		varied = varies ? fresh : varied;
		varies = false;
	}
	known = 0;
	is_own = is_own && end == thread->stack_high;
join:
	if (is_own) {
		node = add_fresh(thread, known, &fresh, varied);
		thread->code = code;
	}
	/* Inside what is remembered. */
	while (fresh)
		node = wk_heap_node(node, thread->fresh[--fresh].pc);
	return node;
}

void wk_heap_walk_begin(struct wk_heap_thread *thread)
{
	thread->depth = 0;
	for (uint32_t i = 0; i < WK_HEAP_AT_ONCE; i++)
		thread->known[i].frame.slot = (uintptr_t)&thread->nothing;
}

uint32_t wk_heap_walk(struct wk_heap_thread *thread, const void *from)
{
	const struct wk_heap_tip *tip = wk_heap_find_tip(thread, from);

	return WK_LIKELY(tip) ? tip->node : walk(thread, (uintptr_t)from);
}
