#include "model/waits.h"

#include <assert.h>
#include <string.h>

#include "base/mem.h"

struct state {
	uint64_t since_ns;
	uint64_t waited_ns;    /* until it became ready */
	struct wk_subject why; /* it waits, or is ready */
	enum wk_doing doing;
};

struct wk_waits {
	struct wk_model *model;
	struct state *states; /* by thread */
	size_t cap;
	uint64_t last_ns;
	bool has_switches;
};

struct wk_waits *wk_waits_new(struct wk_model *model)
{
	struct wk_waits *waits = wk_alloc_zeroed(1, sizeof(*waits));

	waits->model = model;
	return waits;
}

void wk_waits_free(struct wk_waits *waits)
{
	if (waits)
		wk_free(waits->states);
	wk_free(waits);
}

static struct state *state_of(struct wk_waits *waits, wk_thread_id thread)
{
	size_t old = waits->cap;

	assert(thread < waits->model->thread_count);
	WK_RESERVE(waits->states, waits->cap, (size_t)thread + 1);
	memset(waits->states + old, 0, (waits->cap - old) * sizeof(*waits->states));
	return &waits->states[thread];
}

static wk_subject_id about_of(struct wk_waits *waits, const struct state *state)
{
	return state->doing == WK_WAITING || state->doing == WK_READY
		       ? wk_model_add_subject(waits->model, &state->why)
		       : 0;
}

/* Changes the state, and emits the duration of the last one. Running for no time at all is an
 * interval, because a thread was switched to. */
static uint64_t go_over(struct wk_waits *waits, wk_thread_id id, enum wk_doing doing,
			uint64_t time_ns)
{
	struct state *state = state_of(waits, id);
	struct wk_interval interval = { .thread = id, .doing = (uint8_t)state->doing,
				  .about = about_of(waits, state), .begin_ns = state->since_ns };

	if (time_ns > state->since_ns)
		interval.took_ns = time_ns - state->since_ns;
	state->since_ns = time_ns;
	state->doing = doing;
	if (interval.doing == WK_DOING_UNKNOWN ||
	    (interval.doing != WK_RUNNING && !interval.took_ns))
		return interval.took_ns;
	wk_model_add_interval(waits->model, &interval);
	return interval.took_ns;
}

/* A thread that has ended leaves the processor for good. */
static void leave(struct wk_waits *waits, wk_thread_id id, const struct wk_subject *why,
		  uint64_t time_ns)
{
	bool is_gone = waits->model->threads[id].end_ns != 0;

	if (!id)
		return;
	go_over(waits, id,
		is_gone          ? WK_DOING_UNKNOWN
		: why->could_run ? WK_READY
				 : WK_WAITING,
		time_ns);
	waits->states[id].why = *why;
}

struct wk_waited wk_waits_switch(struct wk_waits *waits, wk_thread_id old,
				 const struct wk_subject *why, wk_thread_id now, uint64_t time_ns)
{
	struct wk_waited waited = { 0 };
	struct state *state;
	enum wk_doing did;
	uint64_t took_ns;

	waits->has_switches = true;
	waits->last_ns = time_ns;
	leave(waits, old, why, time_ns);
	if (!now)
		return waited;
	state = state_of(waits, now);
	did = state->doing;
	waited.about = about_of(waits, state);
	took_ns = go_over(waits, now, WK_RUNNING, time_ns);
	waited.ready_ns = did == WK_READY ? took_ns : 0;
	waited.wait_ns = did == WK_WAITING ? took_ns : state->waited_ns;
	state->waited_ns = 0;
	return waited;
}

void wk_waits_ready(struct wk_waits *waits, wk_thread_id thread, wk_thread_id by, uint64_t time_ns)
{
	struct state *state = state_of(waits, thread);

	waits->last_ns = time_ns;
	if (!thread || !waits->has_switches || state->doing != WK_WAITING)
		return;
	state->why.by = by;
	state->why.by_interrupt = !by;
	state->waited_ns = go_over(waits, thread, WK_READY, time_ns);
}

void wk_waits_begin(struct wk_waits *waits, wk_thread_id thread, uint64_t time_ns)
{
	*state_of(waits, thread) = (struct state){ .since_ns = time_ns, .doing = WK_WAITING };
}

/* For the states of threads at the end of the recording. */
static uint64_t end_of(const struct wk_waits *waits, wk_thread_id id)
{
	uint64_t end_ns = waits->model->threads[id].end_ns;

	return end_ns && end_ns < waits->last_ns ? end_ns : waits->last_ns;
}

/* Without context switches the states of threads that started are unknown. */
void wk_waits_finish(struct wk_waits *waits)
{
	for (wk_thread_id id = 1; id < waits->cap && id < waits->model->thread_count; id++) {
		if (!waits->has_switches)
			waits->states[id].doing = WK_DOING_UNKNOWN;
		go_over(waits, id, WK_DOING_UNKNOWN, end_of(waits, id));
		waits->states[id].waited_ns = 0;
	}
	waits->has_switches = false;
	waits->last_ns = 0;
}
