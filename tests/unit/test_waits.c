#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "built_model.h"
#include "base/mem.h"
#include "views/filter/filter.h"
#include "views/intervals.h"

/* All threads are of process 7, but for number 0, which does nothing. */
static uint32_t pid_of(uint32_t tid)
{
	return tid ? 7 : 0;
}

static void switches(struct built *f, uint64_t time_ns, uint32_t old, bool old_waits, uint32_t now)
{
	uint64_t chain[] = { 0x5000 + now };

	built_give(f, (struct wk_event){
		.kind = WK_EVENT_SWITCH, .time_ns = time_ns, .pid = pid_of(now), .tid = now,
		.switched = { .old_pid = pid_of(old), .old_tid = old, .old_waits = old_waits,
			      .wait_mode = old_waits ? WK_WAIT_USER : WK_WAIT_UNTOLD,
			      .wait_reason = wk_str_c(!old ? "" : old_waits ? "Queue" : "Gone"),
			      .sample = { .user_chain = chain, .user_count = now ? 1 : 0 } } });
}

static void readies(struct built *f, uint64_t time_ns, uint32_t who, uint32_t ready)
{
	built_give(f, (struct wk_event){
		.kind = WK_EVENT_READY, .time_ns = time_ns, .pid = pid_of(who), .tid = who,
		.ready = { .ready_pid = pid_of(ready), .ready_tid = ready } });
}

/* "wait 10 of 70; ready ..." */
static const char *rows(const struct built *f)
{
	static char text[512];
	const struct wk_samples *samples = &f->model->samples;
	size_t len = 0;

	text[0] = '\0';
	for (uint32_t i = 0; i < samples->count && len < sizeof(text); i++)
		len += (size_t)snprintf(
			text + len, sizeof(text) - len, "%s%s %llu of %u", len ? "; " : "",
			wk_strtab_get(f->model->text,
				      f->model->sources[wk_sample_source(samples, i)].name),
			(unsigned long long)samples->weight[i],
			f->model->threads[wk_sample_thread(samples, i)].tid);
	return text;
}

/* "running, waiting, ready, switches" of a thread, or of a time "FROM-TO" of it. */
static const char *times_in(const struct built *f, uint32_t tid, const char *time)
{
	static char text[100];
	struct wk_filter_spec spec = { .time = time };
	struct wk_filter filter;
	struct wk_interval_sums *sums;

	text[0] = '\0';
	assert_true(wk_filter_init(&filter, f->model, &spec, NULL));
	sums = wk_intervals_of_threads(f->model, &filter);
	for (wk_thread_id i = 1; i < f->model->thread_count; i++) {
		if (f->model->threads[i].tid == tid)
			snprintf(text, sizeof(text), "%llu, %llu, %llu, %llu",
				 (unsigned long long)sums[i].running_ns,
				 (unsigned long long)sums[i].waiting_ns,
				 (unsigned long long)sums[i].ready_ns,
				 (unsigned long long)sums[i].switches);
	}
	wk_free(sums);
	wk_filter_fini(&filter);
	return text;
}

static const char *times(const struct built *f, uint32_t tid)
{
	return times_in(f, tid, NULL);
}

static void a_wait_ends_when_somebody_makes_the_thread_ready(void **state)
{
	struct built f;

	(void)state;
	built_start(&f);
	switches(&f, 100, 0, false, 70);
	switches(&f, 130, 70, true, 71);
	readies(&f, 180, 71, 70);
	readies(&f, 185, 71, 70); /* is already */
	switches(&f, 200, 71, true, 70);
	switches(&f, 210, 70, true, 0);
	built_end(&f);
	assert_string_equal(rows(&f), "readying 1 of 71; readying 1 of 71; wait 50 of 70; "
				      "ready 20 of 70");
	assert_string_equal(times(&f, 70), "40, 50, 20, 2");
	assert_string_equal(times(&f, 71), "70, 10, 0, 1");
	wk_model_free(f.model);
}

static void where_nobody_says_ready_a_thread_waits_until_it_runs(void **state)
{
	struct built f;

	(void)state;
	built_start(&f);
	switches(&f, 100, 70, true, 71);
	switches(&f, 160, 71, true, 70);
	built_end(&f);
	assert_string_equal(rows(&f), "wait 60 of 70");
	wk_model_free(f.model);
}

static void a_thread_that_was_interrupted_is_ready_and_waits_for_nothing(void **state)
{
	struct built f;

	(void)state;
	built_start(&f);
	switches(&f, 100, 70, false, 71);
	readies(&f, 110, 71, 70); /* says nothing new */
	switches(&f, 160, 71, true, 70);
	built_end(&f);
	assert_string_equal(rows(&f), "readying 1 of 71; ready 60 of 70");
	assert_string_equal(times(&f, 70), "0, 0, 60, 1");
	wk_model_free(f.model);
}

static void what_ran_where_nothing_was_to_be_done_is_no_thread(void **state)
{
	struct built f;

	(void)state;
	built_start(&f);
	switches(&f, 100, 0, false, 70);
	switches(&f, 110, 70, true, 0);
	switches(&f, 120, 0, false, 0);
	built_end(&f);
	assert_string_equal(rows(&f), "");
	assert_string_equal(times(&f, 70), "10, 10, 0, 1");
	assert_string_equal(times(&f, 0), "");
	wk_model_free(f.model);
}

static void a_thread_that_ended_waits_no_more(void **state)
{
	struct built f;

	(void)state;
	built_start(&f);
	switches(&f, 100, 0, false, 70);
	built_give(&f, (struct wk_event){ .kind = WK_EVENT_THREAD, .time_ns = 105, .pid = 7, .tid = 70,
				    .thread = { .change = WK_THREAD_EXIT } });
	switches(&f, 110, 70, false, 71);
	switches(&f, 500, 71, true, 0);
	built_end(&f);
	assert_string_equal(times(&f, 70), "10, 0, 0, 1");
	wk_model_free(f.model);
}

static void times_that_run_backwards_count_as_nothing(void **state)
{
	struct built f;

	(void)state;
	built_start(&f);
	switches(&f, UINT64_MAX, 0, false, 70);
	switches(&f, 5, 70, true, 0);
	readies(&f, 1, 0, 70);
	switches(&f, 0, 0, false, 70);
	built_end(&f);
	assert_string_equal(times(&f, 70), "0, 0, 0, 2");
	wk_model_free(f.model);
}

static void begins(struct built *f, uint64_t time_ns, uint32_t tid)
{
	built_give(f, (struct wk_event){ .kind = WK_EVENT_THREAD, .time_ns = time_ns, .pid = 7,
				   .tid = tid, .thread = { .change = WK_THREAD_START } });
}

static void a_thread_that_begins_waits_until_somebody_makes_it_ready(void **state)
{
	struct built f;

	(void)state;
	built_start(&f);
	switches(&f, 100, 0, false, 70);
	begins(&f, 110, 71);
	readies(&f, 115, 70, 71);
	begins(&f, 116, 72); /* nobody ever runs it */
	switches(&f, 140, 70, true, 71);
	switches(&f, 200, 71, true, 0);
	built_end(&f);
	assert_string_equal(times(&f, 70), "40, 60, 0, 1");
	assert_string_equal(times(&f, 71), "60, 5, 25, 1");
	assert_string_equal(times(&f, 72), "0, 84, 0, 0");
	wk_model_free(f.model);
}

static void without_switches_nobody_knows_what_threads_did(void **state)
{
	struct built f;

	(void)state;
	built_start(&f);
	begins(&f, 110, 71);
	readies(&f, 150, 70, 71);
	built_end(&f);
	assert_int_equal(f.model->interval_count, 0);
	wk_model_free(f.model);
}

/* The first row, where times of views begin, is at 180. */
static void of_a_spell_what_lies_in_the_time_in_view_counts(void **state)
{
	struct built f;

	(void)state;
	built_start(&f);
	switches(&f, 100, 0, false, 70);
	switches(&f, 130, 70, true, 71);
	readies(&f, 180, 71, 70);
	switches(&f, 200, 71, true, 70);
	switches(&f, 300, 70, false, 71);
	switches(&f, 400, 71, true, 70);
	switches(&f, 450, 70, true, 0);
	built_end(&f);
	assert_int_equal(f.model->first_ns, 180);
	assert_string_equal(times(&f, 70), "180, 50, 120, 3");
	assert_string_equal(times_in(&f, 70, "0ns-20ns"), "0, 0, 20, 1");
	assert_string_equal(times_in(&f, 70, "10ns-40ns"), "20, 0, 10, 1");
	assert_string_equal(times_in(&f, 70, "21ns-119ns"), "98, 0, 0, 0");
	assert_string_equal(times_in(&f, 70, "21ns-"), "149, 0, 100, 1");
	assert_string_equal(times_in(&f, 71, "100ns-170ns"), "50, 20, 0, 1");
	assert_string_equal(times_in(&f, 70, "1s-"), "0, 0, 0, 0");
	wk_model_free(f.model);
}

/* Any switches between five threads on one processor. */
static void give_many(struct built *f, uint32_t count)
{
	uint32_t seed = 12345, running = 0;

	for (uint32_t i = 0; i < count; i++) {
		uint32_t next, time = 100 + i * 7;

		seed = seed * 1664525 + 1013904223;
		next = seed >> 16 & 7;
		next = next < 5 ? 70 + next : 0;
		if (seed >> 24 & 1)
			readies(f, time, running, 70 + (seed >> 25) % 5);
		if (next == running)
			continue;
		switches(f, time, running, seed >> 28 & 1, next);
		running = next;
	}
	switches(f, 100 + count * 7, running, true, running == 70 ? 71 : 70);
}

static void what_a_thread_did_adds_up_to_its_time_however_it_is_cut(void **state)
{
	uint64_t whole[5] = { 0 };
	struct built f;

	(void)state;
	built_start(&f);
	for (uint32_t tid = 70; tid < 75; tid++)
		begins(&f, 100, tid);
	give_many(&f, 1000);
	built_end(&f);
	for (uint64_t from = 0; from < 8000; from += 1000) {
		struct wk_filter filter = { .from_ns = from, .to_ns = from + 1000 };
		struct wk_interval_sums *sums = wk_intervals_of_threads(f.model, &filter);

		for (uint32_t tid = 70; tid < 75; tid++)
			for (wk_thread_id i = 1; i < f.model->thread_count; i++)
				whole[tid - 70] += f.model->threads[i].tid != tid
							   ? 0
							   : sums[i].running_ns +
								     sums[i].waiting_ns +
								     sums[i].ready_ns;
		wk_free(sums);
	}
	for (uint32_t i = 0; i < 5; i++)
		assert_int_equal(whole[i], 7000);
	wk_model_free(f.model);
}

static void sums_of_spells_say_the_same_as_the_spells(void **state)
{
	struct built single, summed;
	char text[100];

	(void)state;
	built_start(&single);
	built_start(&summed);
	summed.model->sums_samples = true;
	give_many(&single, 1000);
	give_many(&summed, 1000);
	built_end(&single);
	built_end(&summed);
	assert_true(single.model->interval_count > 1000);
	assert_true(summed.model->interval_count < 5 * (1 + 2 * 2 * 6));
	for (uint32_t tid = 70; tid < 75; tid++) {
		snprintf(text, sizeof(text), "%s", times(&single, tid));
		assert_string_equal(times(&summed, tid), text);
	}
	wk_model_free(single.model);
	wk_model_free(summed.model);
}

/* "wait by 71: Queue user; ready ..." of the rows. */
static const char *abouts(const struct built *f)
{
	static char text[512];
	const struct wk_samples *samples = &f->model->samples;
	size_t len = 0;

	text[0] = '\0';
	for (uint32_t i = 0; i < samples->count && len < sizeof(text); i++) {
		const struct wk_subject *about = wk_model_subject(f->model, i);

		len += (size_t)snprintf(
			text + len, sizeof(text) - len, "%s%s by %u%s: %s %s%s", len ? "; " : "",
			wk_strtab_get(f->model->text,
				      f->model->sources[wk_sample_source(samples, i)].name),
			f->model->threads[about->by].tid, about->by_interrupt ? "!" : "",
			wk_strtab_get(f->model->text, about->what),
			wk_wait_mode_name((enum wk_wait_mode)about->mode),
			about->could_run ? "could run" : "");
	}
	return text;
}

static void a_wait_knows_what_for_it_was_and_who_ended_it(void **state)
{
	struct built f;

	(void)state;
	built_start(&f);
	switches(&f, 100, 70, true, 71);
	readies(&f, 150, 71, 70);
	switches(&f, 160, 71, false, 70);
	switches(&f, 170, 70, true, 71);
	built_give(&f, (struct wk_event){
		.kind = WK_EVENT_READY, .time_ns = 180, .pid = 7, .tid = 71,
		.ready = { .ready_pid = 7, .ready_tid = 70, .is_interrupt = true } });
	switches(&f, 190, 71, true, 70);
	switches(&f, 200, 70, true, 71);
	built_end(&f);
	assert_string_equal(abouts(&f),
			    "readying by 0:  ; wait by 71: Queue user; ready by 71: Queue user; "
			    "ready by 0: Gone could run; readying by 0:  ; "
			    "wait by 0!: Queue user; ready by 0!: Queue user; "
			    "wait by 0: Queue user");
	wk_model_free(f.model);
}

static void marks_and_counts_become_rows(void **state)
{
	struct built f;

	(void)state;
	built_start(&f);
	built_give(&f, (struct wk_event){ .kind = WK_EVENT_MARK, .time_ns = 50, .pid = 7, .tid = 70,
				    .mark = { .label = WK_STR("begin"), .provider = WK_STR("me") } });
	built_give(&f, (struct wk_event){ .kind = WK_EVENT_MARK, .time_ns = 60, .pid = WK_NO_PID,
				    .mark = { .label = WK_STR("end") } });
	built_give(&f, (struct wk_event){ .kind = WK_EVENT_COUNT,
				    .count = { .provider = WK_STR("p"), .name = WK_STR("n"),
					       .count = UINT64_MAX, .is_used = true } });
	built_end(&f);
	assert_int_equal(f.model->mark_count, 2);
	assert_string_equal(wk_strtab_get(f.model->text, f.model->marks[0].label), "begin");
	assert_int_equal(f.model->processes[f.model->marks[0].process].pid, 7);
	assert_int_equal(f.model->marks[1].process, 0);
	assert_int_equal(f.model->count_count, 1);
	assert_true(f.model->counts[0].count == UINT64_MAX);
	wk_model_free(f.model);
}

/* Who ended a wait is told first, and is not what somebody wants to see first. */
static void without_samples_a_trace_shows_what_was_waited_for(void **state)
{
	const struct wk_model *model;
	struct built f;

	(void)state;
	built_start(&f);
	f.model->traits = &wk_traits_windows;
	switches(&f, 100, 70, true, 71);
	readies(&f, 180, 71, 70);
	switches(&f, 200, 71, false, 70);
	built_end(&f);
	model = f.model;
	assert_string_equal(
		wk_strtab_get(model->text,
			      model->sources[wk_sample_source(&model->samples, 0)].name),
		"readying");
	assert_string_equal(
		wk_strtab_get(model->text, model->sources[wk_filter_default_source(model)].name),
		"wait");
	wk_model_free(f.model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_wait_ends_when_somebody_makes_the_thread_ready),
		cmocka_unit_test(where_nobody_says_ready_a_thread_waits_until_it_runs),
		cmocka_unit_test(a_thread_that_was_interrupted_is_ready_and_waits_for_nothing),
		cmocka_unit_test(what_ran_where_nothing_was_to_be_done_is_no_thread),
		cmocka_unit_test(a_thread_that_ended_waits_no_more),
		cmocka_unit_test(times_that_run_backwards_count_as_nothing),
		cmocka_unit_test(a_thread_that_begins_waits_until_somebody_makes_it_ready),
		cmocka_unit_test(without_switches_nobody_knows_what_threads_did),
		cmocka_unit_test(of_a_spell_what_lies_in_the_time_in_view_counts),
		cmocka_unit_test(what_a_thread_did_adds_up_to_its_time_however_it_is_cut),
		cmocka_unit_test(sums_of_spells_say_the_same_as_the_spells),
		cmocka_unit_test(a_wait_knows_what_for_it_was_and_who_ended_it),
		cmocka_unit_test(marks_and_counts_become_rows),
		cmocka_unit_test(without_samples_a_trace_shows_what_was_waited_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
