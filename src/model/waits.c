#include "model/waits.h"

#include <string.h>

#include "base/mem.h"

enum doing {
	UNKNOWN,
	RUNNING,
	WAITING,
	READY,
};

struct state {
	uint64_t since_ns;
	uint64_t waited_ns; /* until it became ready */
	enum doing doing;
};

struct wk_waits {
	struct wk_model *model;
	struct state *states; /* by thread */
	size_t cap;
	uint64_t last_ns;
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
		free(waits->states);
	free(waits);
}

static struct state *state_of(struct wk_waits *waits, wk_thread_id thread)
{
	size_t old = waits->cap;

	waits->states = wk_grow(waits->states, &waits->cap, (size_t)thread + 1,
				sizeof(*waits->states));
	memset(waits->states + old, 0, (waits->cap - old) * sizeof(*waits->states));
	return &waits->states[thread];
}

/* Goes over to something else, and tells for how long it did what it did. */
static uint64_t go_over(struct wk_waits *waits, wk_thread_id id, struct state *state,
			enum doing doing, uint64_t time_ns)
{
	struct wk_thread *thread = &waits->model->threads[id];
	uint64_t took_ns = time_ns > state->since_ns ? time_ns - state->since_ns : 0;

	if (state->doing == RUNNING)
		thread->running_ns += took_ns;
	else if (state->doing == WAITING)
		thread->waiting_ns += took_ns;
	else if (state->doing == READY)
		thread->ready_ns += took_ns;
	state->since_ns = time_ns;
	state->doing = doing;
	return took_ns;
}

/* A thread that has ended leaves the processor for good. */
static void leave(struct wk_waits *waits, wk_thread_id id, bool is_waiting, uint64_t time_ns)
{
	bool is_gone = waits->model->threads[id].end_ns != 0;

	if (id)
		go_over(waits, id, state_of(waits, id),
			is_gone ? UNKNOWN : is_waiting ? WAITING : READY, time_ns);
}

struct wk_waited wk_waits_switch(struct wk_waits *waits, wk_thread_id old, bool old_waits,
				 wk_thread_id now, uint64_t time_ns)
{
	struct wk_waited waited = { 0 };
	struct state *state;
	enum doing did;
	uint64_t took_ns;

	waits->last_ns = time_ns;
	leave(waits, old, old_waits, time_ns);
	if (!now)
		return waited;
	state = state_of(waits, now);
	did = state->doing;
	took_ns = go_over(waits, now, state, RUNNING, time_ns);
	waits->model->threads[now].switches++;
	waited.ready_ns = did == READY ? took_ns : 0;
	waited.wait_ns = did == WAITING ? took_ns : state->waited_ns;
	state->waited_ns = 0;
	return waited;
}

void wk_waits_ready(struct wk_waits *waits, wk_thread_id thread, uint64_t time_ns)
{
	struct state *state = state_of(waits, thread);

	waits->last_ns = time_ns;
	if (thread && state->doing == WAITING)
		state->waited_ns = go_over(waits, thread, state, READY, time_ns);
}

/* Of what a thread does at the end of the recording. */
static uint64_t end_of(const struct wk_waits *waits, wk_thread_id id)
{
	uint64_t end_ns = waits->model->threads[id].end_ns;

	return end_ns && end_ns < waits->last_ns ? end_ns : waits->last_ns;
}

void wk_waits_finish(struct wk_waits *waits)
{
	for (wk_thread_id id = 1; id < waits->cap && id < waits->model->thread_count; id++)
		go_over(waits, id, &waits->states[id], UNKNOWN, end_of(waits, id));
}
