/* Blocks passed on by another thread: the next sink sees all events, in order and one at a time,
 * with and without that thread. Made to be run under ThreadSanitizer as well. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "event/relay.h"
#include "os/os.h"

#define EVENTS 400

static unsigned started, most_threads;

struct wk_os_thread *__real_wk_os_thread_start(void (*run)(void *context), void *context);
struct wk_os_thread *__wrap_wk_os_thread_start(void (*run)(void *context), void *context);

struct wk_os_thread *__wrap_wk_os_thread_start(void (*run)(void *context), void *context)
{
	return started++ < most_threads ? __real_wk_os_thread_start(run, context) : NULL;
}

struct seen {
	uint64_t next; /* the number that the next block or mark has to have */
	uint64_t last; /* of what is accepted */
};

static bool take(void *context, const struct wk_event *event, struct wk_err *err)
{
	struct seen *seen = context;

	if (seen->next > seen->last)
		return wk_fail(err, WK_EUNSUPPORTED, 7, "enough");
	if (event->kind == WK_EVENT_MARK) {
		assert_int_equal(event->time_ns, seen->next++);
		return true;
	}
	for (size_t i = 0; i < event->blocks.count; i++) {
		assert_int_equal(event->blocks.at[i].address, seen->next++);
		assert_int_equal(event->blocks.threads[0].tid, event->blocks.at[0].address);
	}
	return true;
}

static bool emit_blocks(const struct wk_sink *sink, uint64_t *number, size_t count,
			struct wk_err *err)
{
	static struct wk_event_block blocks[WK_MOST_BLOCKS];
	struct wk_block_thread thread = { .tid = (uint32_t)*number };
	struct wk_event event = { .kind = WK_EVENT_BLOCKS,
				  .blocks = { .at = blocks, .count = count, .threads = &thread,
					      .thread_count = 1 } };

	for (size_t i = 0; i < count; i++)
		blocks[i] = (struct wk_event_block){ .address = (*number)++ };
	return wk_sink_emit(sink, &event, err);
}

/* Events of various sizes, and a mark now and then. False once one is refused. */
static bool emit_all(const struct wk_sink *sink, uint64_t *number, struct wk_err *err)
{
	for (size_t i = 0; i < EVENTS; i++) {
		size_t count = i % 7 == 0 ? 3 : WK_MOST_BLOCKS;

		if (!emit_blocks(sink, number, count, err))
			return false;
		if (i % 50 == 49 && !wk_sink_emit(sink,
						  &(struct wk_event){ .kind = WK_EVENT_MARK,
								      .time_ns = (*number)++ },
						  err))
			return false;
	}
	return true;
}

static void check_order(void)
{
	struct seen seen = { .last = UINT64_MAX };
	struct wk_relay *relay = wk_relay_new(&(struct wk_sink){
		.take = take, .context = &seen, .accepts_blocks = true });
	struct wk_sink sink = wk_relay_sink(relay);
	struct wk_err err = { 0 };
	uint64_t number = 0;

	started = 0;
	assert_true(emit_all(&sink, &number, &err));
	assert_true(wk_relay_finish(relay, &err));
	assert_true(started > 0);
	assert_int_equal(seen.next, number);
	wk_relay_free(relay);
}

static void events_keep_their_order(void **state)
{
	(void)state;
	most_threads = 1;
	check_order();
}

static void without_a_thread_the_caller_passes_all_on(void **state)
{
	(void)state;
	most_threads = 0;
	check_order();
}

static void a_failure_is_reported_and_ends_it(void **state)
{
	struct seen seen = { .last = 100000 };
	struct wk_relay *relay = wk_relay_new(&(struct wk_sink){
		.take = take, .context = &seen, .accepts_blocks = true });
	struct wk_sink sink = wk_relay_sink(relay);
	struct wk_err err = { 0 };
	uint64_t number = 0;

	(void)state;
	most_threads = 1;
	started = 0;
	assert_false(emit_all(&sink, &number, &err));
	assert_string_equal(err.text, "enough");
	assert_int_equal(err.offset, 7);
	assert_false(wk_relay_finish(relay, &err));
	assert_true(seen.next > 100000 && seen.next < 100000 + WK_MOST_BLOCKS + 1);
	wk_relay_free(relay);
}

static void what_is_on_its_way_may_be_dropped(void **state)
{
	struct seen seen = { .last = UINT64_MAX };
	struct wk_relay *relay = wk_relay_new(&(struct wk_sink){
		.take = take, .context = &seen, .accepts_blocks = true });
	struct wk_sink sink = wk_relay_sink(relay);
	struct wk_err err = { 0 };
	uint64_t number = 0;

	(void)state;
	most_threads = 1;
	started = 0;
	for (int i = 0; i < 5; i++)
		assert_true(emit_blocks(&sink, &number, WK_MOST_BLOCKS, &err));
	wk_relay_free(relay);
	assert_true(seen.next <= number);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(events_keep_their_order),
		cmocka_unit_test(without_a_thread_the_caller_passes_all_on),
		cmocka_unit_test(a_failure_is_reported_and_ends_it),
		cmocka_unit_test(what_is_on_its_way_may_be_dropped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
