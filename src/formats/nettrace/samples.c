#include "formats/nettrace/samples.h"

#include "base/hash.h"
#include "base/mem.h"

/* What a sample says. */
enum { EXTERNAL = 1, MANAGED = 2 };

/* The mark is used if at least one in LEAST_MANAGED samples of threads that do not wait is marked
 * as managed. About half are in recordings with correct marks, one in a thousand in others. */
#define LEAST_MANAGED 20

#define NATIVE_NAME "[native code or waiting]"

void wk_nettrace_samples_fini(struct wk_nettrace_samples *samples)
{
	wk_map_fini(&samples->leaf_of);
	wk_map_fini(&samples->round_of);
	wk_map_fini(&samples->last_round);
	WK_FREE_ALL(samples->leaves, samples->rounds);
}

/* ---- the first pass */

bool wk_nettrace_samples_scan(struct wk_nettrace_samples *samples, uint64_t leaf,
			      struct wk_bytes payload)
{
	uint32_t word = wk_u32le(&payload);
	struct wk_nettrace_leaf_row *row;
	uint32_t *at;

	if (payload.bad)
		return false;
	samples->count++;
	at = wk_map_at(&samples->leaf_of, leaf);
	if (!*at) {
		*WK_APPEND(samples->leaves, samples->leaf_count, samples->leaf_cap) =
			(struct wk_nettrace_leaf_row){ .address = leaf };
		*at = (uint32_t)samples->leaf_count;
	}
	row = &samples->leaves[*at - 1];
	row->managed += word == MANAGED;
	row->external += word == EXTERNAL;
	return true;
}

void wk_nettrace_samples_settle(struct wk_nettrace_samples *samples,
				const struct wk_nettrace_methods *methods)
{
	uint64_t managed = 0, external = 0;

	for (size_t i = 0; i < samples->leaf_count; i++) {
		const struct wk_nettrace_leaf_row *row = &samples->leaves[i];

		if (wk_nettrace_methods_wait(methods, &row->address, 1))
			continue;
		managed += row->managed;
		external += row->external;
	}
	samples->marks_managed = managed && managed >= external / LEAST_MANAGED;
}

/* ---- sources */

bool wk_nettrace_samples_emit_sources(const struct wk_nettrace_samples *samples,
				      const struct wk_sink *sink, struct wk_err *err)
{
	struct wk_event event = { .kind = WK_EVENT_SOURCE, .cpu = WK_NO_CPU };
	bool ok;

	if (samples->count == 0)
		return true;
	event.source = (struct wk_event_source){ .source = WK_NETTRACE_RUNNING,
						 .name = WK_STR("running threads"),
						 .unit = WK_STR("ns"), .is_cpu_time = true,
						 .is_weighed = true };
	ok = wk_sink_emit(sink, &event, err);
	event.source.source = WK_NETTRACE_ALL;
	event.source.name = wk_str_c("all threads");
	event.source.is_cpu_time = false;
	return ok && wk_sink_emit(sink, &event, err);
}

/* ---- the second pass */

/* Before the first sample of a process, so that its code has the frame's name. */
static bool name_native(const struct wk_event *sample, const struct wk_sink *sink,
			struct wk_err *err)
{
	struct wk_event event = { .kind = WK_EVENT_SYMBOL, .time_ns = sample->time_ns,
				  .pid = sample->pid, .tid = sample->pid, .cpu = WK_NO_CPU };

	event.symbol = (struct wk_event_symbol){ .start = WK_NETTRACE_NATIVE, .size_bytes = 1,
						 .name = WK_STR(NATIVE_NAME),
						 .kind = WK_FRAME_USER };
	return wk_sink_emit(sink, &event, err);
}

static bool round_of(struct wk_nettrace_samples *samples, const struct wk_event *event,
		     struct wk_nettrace_round **round, const struct wk_sink *sink,
		     struct wk_err *err)
{
	uint32_t *row = wk_map_at(&samples->round_of, (uint64_t)event->pid + 1);
	bool is_new = !*row;

	if (is_new) {
		*WK_APPEND(samples->rounds, samples->round_count, samples->round_cap) =
			(struct wk_nettrace_round){ .time_ns = event->time_ns, .number = 1 };
		*row = (uint32_t)samples->round_count;
	}
	*round = &samples->rounds[*row - 1];
	return !is_new || name_native(event, sink, err);
}

/* A thread that comes again begins a new round. */
static uint64_t time_since_last(struct wk_nettrace_samples *samples,
				struct wk_nettrace_round *round, const struct wk_event *event,
				uint64_t interval_ns)
{
	uint32_t *last = wk_map_at(&samples->last_round, wk_hash_pair(event->pid, event->tid));

	if (*last == round->number) {
		round->number++;
		round->before_ns = round->time_ns;
		round->time_ns = event->time_ns;
	}
	*last = round->number;
	if (round->before_ns == 0 || round->time_ns < round->before_ns)
		return interval_ns;
	return round->time_ns - round->before_ns;
}

/* Native code, or a wait in it, is what the innermost managed method calls. */
static void push_native(struct wk_event_sample *sample, const struct wk_nettrace_chain *chain)
{
	sample->kernel_chain = NULL;
	sample->kernel_count = 0;
	sample->in_kernel = false;
	sample->user_chain = chain->at - 1;
	sample->user_count = chain->count + 1;
	sample->address = WK_NETTRACE_NATIVE;
	sample->chain_number = chain->unique + 1;
}

/* A thread without managed code is not known to run. */
static bool waits(const struct wk_nettrace_methods *methods, struct wk_nettrace_chain *chain)
{
	if (!chain->is_judged)
		chain->waits = chain->count == 0 ||
			       wk_nettrace_methods_wait(methods, chain->at, chain->count);
	chain->is_judged = true;
	return chain->waits;
}

bool wk_nettrace_samples_emit(struct wk_nettrace_samples *samples,
			      const struct wk_nettrace_methods *methods,
			      struct wk_nettrace_chain *chain, struct wk_event *event,
			      struct wk_bytes payload, uint64_t interval_ns,
			      const struct wk_sink *sink, struct wk_err *err)
{
	struct wk_event_sample *sample = &event->sample;
	bool is_managed = wk_u32le(&payload) == MANAGED, is_waiting;
	struct wk_nettrace_round *round;

	if (payload.bad) /* counted by the first pass */
		return true;
	if (!round_of(samples, event, &round, sink, err))
		return false;
	sample->weight = time_since_last(samples, round, event, interval_ns);
	if (sample->weight == 0)
		return true;
	is_waiting = waits(methods, chain);
	if (chain->count == 0 || (!is_managed && !is_waiting && samples->marks_managed))
		push_native(sample, chain);
	sample->source = WK_NETTRACE_ALL;
	if (!wk_sink_emit(sink, event, err))
		return false;
	sample->source = WK_NETTRACE_RUNNING;
	return is_waiting || wk_sink_emit(sink, event, err);
}
