#include "formats/heap/heap_notes.h"

#include "base/num.h"

struct words {
	const char *one, *several;
};

static struct words events_of(const struct wk_heap_missing *missing)
{
	if (missing->has_calls && missing->has_blocks)
		return (struct words){ "allocation, release or memory call",
				       "allocations, releases or memory calls" };
	if (missing->has_calls)
		return (struct words){ "memory call", "memory calls" };
	return (struct words){ "allocation or release", "allocations or releases" };
}

/* "5 allocations or releases were lost ..." */
static bool emit_count(uint64_t count, struct words events, struct words what,
		       enum wk_note_severity severity, const struct wk_sink *sink,
		       struct wk_err *err)
{
	struct wk_buf one = { 0 }, several = { 0 };
	bool ok;

	wk_buf_add_fmt(&one, " %s %s", events.one, what.one);
	wk_buf_add_fmt(&several, " %s %s", events.several, what.several);
	ok = wk_sink_note_count(sink, severity, count, wk_buf_text(&one), wk_buf_text(&several),
				err);
	WK_BUF_FINI_ALL(&one, &several);
	return ok;
}

static bool emit_sampling(uint64_t sample_bytes, const struct wk_sink *sink, struct wk_err *err)
{
	struct wk_buf text = { 0 };
	bool ok;

	if (!sample_bytes)
		return true;
	wk_buf_add_text(&text,
			"sizes and numbers of blocks are estimates: one block was recorded for "
			"each ");
	wk_num_add_bytes(&text, sample_bytes);
	wk_buf_add_text(&text, " on average");
	ok = wk_sink_note(sink, WK_NOTE_REMARK, wk_buf_str(&text), err);
	wk_buf_fini(&text);
	return ok;
}

bool wk_heap_notes_emit(const struct wk_heap_missing *missing, const struct wk_sink *sink,
			struct wk_err *err)
{
	static const struct words threadless = {
		"was lost: its thread could not be recorded (more than 4,096 at one time, or no "
		"memory)",
		"were lost: their threads could not be recorded (more than 4,096 at one time, or "
		"no memory)" };
	static const struct words lost = { "was lost: the recorder did not keep up",
					   "were lost: the recorder did not keep up" };
	static const struct words nested = {
		"was not recorded: a signal handler made it while another one was being recorded",
		"were not recorded: signal handlers made them while others were being recorded"
	};
	static const struct words early = {
		"was not recorded: it came before the heap library could begin",
		"were not recorded: they came before the heap library could begin"
	};
	static const struct words cut = {
		"has a stack of which the outermost frames are missing: it is deeper than 384",
		"have stacks of which the outermost frames are missing: they are deeper than 384"
	};
	struct words events = events_of(missing), with_stacks = events;

	/* Releases are recorded without stacks. */
	if (!missing->has_calls)
		with_stacks = (struct words){ "allocation", "allocations" };
	else if (missing->has_blocks)
		with_stacks = (struct words){ "allocation or memory call",
					      "allocations or memory calls" };
	return emit_sampling(missing->sample_bytes, sink, err) &&
	       wk_sink_note_count(sink, WK_NOTE_FAULT, missing->damaged,
				  " part of the heap's events is damaged and was left out",
				  " parts of the heap's events are damaged and were left out",
				  err) &&
	       emit_count(missing->lost, events, lost, WK_NOTE_FAULT, sink, err) &&
	       emit_count(missing->threadless, events, threadless, WK_NOTE_FAULT, sink, err) &&
	       emit_count(missing->nested, events, nested, WK_NOTE_FAULT, sink, err) &&
	       emit_count(missing->early, events, early, WK_NOTE_FAULT, sink, err) &&
	       emit_count(missing->cut, with_stacks, cut, WK_NOTE_REMARK, sink, err);
}
