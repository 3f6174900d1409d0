/* Heap files of other tools, made here so that the sums are known. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/mem.h"
#include "formats/heap/counts.h"
#include "formats/heap/valgrind.h"
#include "formats/reader.h"

#define MOST_BLOCKS 4096

/* What the events add up to. */
struct sums {
	uint64_t allocations, allocated_bytes, live_bytes, peak_bytes, frames, stacks;
	uint64_t size_of[MOST_BLOCKS]; /* by the reader's number of a block; 0: free */
	size_t deepest_chain;
	uint64_t snapshots, at_snapshot[8];
	struct wk_buf notes;
};

static void add_live(struct sums *sums, uint64_t allocated, uint64_t freed)
{
	sums->allocated_bytes += allocated;
	sums->live_bytes += allocated - freed;
	if (sums->live_bytes > sums->peak_bytes)
		sums->peak_bytes = sums->live_bytes;
}

static void add_block(struct sums *sums, const struct wk_event_heap *heap)
{
	uint64_t block = heap->address >> 4;

	assert_true(block < MOST_BLOCKS);
	if (heap->sample.user_count > sums->deepest_chain)
		sums->deepest_chain = heap->sample.user_count;
	if (heap->change == WK_HEAP_FREE) {
		assert_int_not_equal(sums->size_of[block], 0);
		add_live(sums, 0, sums->size_of[block]);
		sums->size_of[block] = 0;
		return;
	}
	assert_int_equal(sums->size_of[block], 0);
	sums->size_of[block] = heap->size_bytes;
	sums->allocations++;
	add_live(sums, heap->size_bytes, 0);
}

static bool add_up(void *context, const struct wk_event *event, struct wk_err *err)
{
	struct sums *sums = context;

	(void)err;
	if (event->kind == WK_EVENT_HEAP)
		add_block(sums, &event->heap);
	else if (event->kind == WK_EVENT_HEAP_SUM)
		add_live(sums, event->heap_sum.allocated_bytes, event->heap_sum.freed_bytes);
	else if (event->kind == WK_EVENT_SNAPSHOT)
		sums->at_snapshot[sums->snapshots++ % 8] = sums->live_bytes;
	else if (event->kind == WK_EVENT_FRAME)
		sums->frames++;
	else if (event->kind == WK_EVENT_STACKS)
		sums->stacks += event->stacks.count;
	else if (event->kind == WK_EVENT_NOTE)
		wk_buf_add_fmt(&sums->notes, "%.*s\n", WK_STR_ARG(event->note.text));
	return true;
}

static void read_text(const struct wk_reader *reader, struct wk_buf *text, struct sums *sums)
{
	struct wk_sink sink = { .take = add_up, .context = sums };
	struct wk_input input = { .bytes = wk_bytes_of(text->at, text->len), .name = "made" };
	struct wk_err err = { 0 };

	assert_true(wk_reader_probe(reader, input.bytes) > 90);
	if (!reader->read(&input, &sink, &err))
		fail_msg("%s", err.text);
	wk_buf_fini(text);
}

static uint32_t next_random(uint32_t *state)
{
	*state = *state * 1664525 + 1013904223;
	return *state >> 16;
}

#define KINDS 40

/* Allocations and releases of 40 sizes; a release takes any kind that has a block. */
static void add_changes(struct wk_buf *text, struct sums *expected)
{
	uint64_t live[KINDS] = { 0 };
	uint32_t random = 1, blocks = 0;

	for (int i = 0; i < 5000; i++) {
		uint32_t kind = next_random(&random) % KINDS;
		bool is_release = live[kind] && next_random(&random) % 2;

		if (!is_release && blocks + 2 >= MOST_BLOCKS)
			continue;
		wk_buf_add_fmt(text, "%c %x\n", is_release ? '-' : '+', kind);
		live[kind] += is_release ? -1 : 1;
		blocks += is_release ? -1 : 1;
		expected->allocations += !is_release;
		add_live(expected, is_release ? 0 : 100 + kind, is_release ? 100 + kind : 0);
	}
}

static void every_change_of_heaptrack_is_added_up(void **state)
{
	struct sums expected = { 0 }, came = { 0 };
	struct wk_buf text = { 0 };

	(void)state;
	wk_buf_add_text(&text, "v 10400 3\nX till\ns 4 till\ni 401000 1\nt 1 0\n");
	for (unsigned kind = 0; kind < KINDS; kind++)
		wk_buf_add_fmt(&text, "a %x 1\n", 100 + kind);
	add_changes(&text, &expected);
	read_text(&wk_reader_heaptrack, &text, &came);
	assert_int_equal(came.allocations, expected.allocations);
	assert_int_equal(came.allocated_bytes, expected.allocated_bytes);
	assert_int_equal(came.live_bytes, expected.live_bytes);
	assert_int_equal(came.peak_bytes, expected.peak_bytes);
	assert_string_equal(wk_buf_text(&came.notes), "");
	wk_buf_fini(&came.notes);
}

/* A raw recording with one block, allocated by the stack with this many frames. */
static void read_raw_stack(unsigned depth, struct sums *sums)
{
	struct wk_buf text = { 0 };

	wk_buf_add_text(&text, "v 10400 3\nx 4 till\nX till\n");
	for (unsigned i = 0; i < depth; i++)
		wk_buf_add_fmt(&text, "t %x %x\n", 0x401000 + i, i);
	wk_buf_add_fmt(&text, "+ 10 %x 10\n", depth);
	read_text(&wk_reader_heaptrack, &text, sums);
	assert_int_equal(sums->deepest_chain, 1024);
}

static void raw_stacks_end_at_the_limit(void **state)
{
	struct sums whole = { 0 }, cut = { 0 };

	(void)state;
	read_raw_stack(1024, &whole);
	assert_string_equal(wk_buf_text(&whole.notes), "");
	read_raw_stack(1025, &cut);
	assert_string_equal(wk_buf_text(&cut.notes), "allocations whose stacks were cut: 1\n");
	wk_buf_fini(&cut.notes);
}

/* A thousand traces, each of which refers to a pointer with a thousand frames. */
static void inlined_frames_stay_in_proportion_to_the_file(void **state)
{
	struct sums came = { 0 };
	struct wk_buf text = { 0 };

	(void)state;
	wk_buf_add_text(&text, "v 10400 3\nX till\ns 4 till\ni 401000 1");
	for (unsigned i = 0; i < 1000; i++)
		wk_buf_add_text(&text, " 1 0 1");
	wk_buf_add_text(&text, "\n");
	for (unsigned i = 0; i < 1000; i++)
		wk_buf_add_fmt(&text, "t 1 %x\n", i);
	wk_buf_add_text(&text, "a 10 3e8\n+ 0\n");
	read_text(&wk_reader_heaptrack, &text, &came);
	assert_int_equal(came.allocations, 1);
	assert_in_range(came.stacks, 100000, 120000);
	assert_non_null(strstr(wk_buf_text(&came.notes), "inlined frames beyond one per byte"));
	wk_buf_fini(&came.notes);
}

static void add_snapshot(struct wk_buf *text, unsigned number, const char *tree, uint64_t bytes)
{
	wk_buf_add_fmt(text,
		       "#-----------\nsnapshot=%u\n#-----------\ntime=%u\nmem_heap_B=%u\n"
		       "mem_heap_extra_B=0\nmem_stacks_B=0\nheap_tree=%s\n",
		       number, number * 10, (unsigned)bytes, tree);
}

/* Bytes of 50 functions, each called by two. */
static void snapshots_of_massif_have_the_bytes_of_their_trees(void **state)
{
	uint64_t bytes[3] = { 0 };
	uint32_t random = 7, parts[3][100];
	struct sums came = { 0 };
	struct wk_buf text = { 0 };

	(void)state;
	for (int i = 0; i < 3; i++)
		for (int part = 0; part < 100; part++) {
			parts[i][part] = next_random(&random) % 3 ? next_random(&random) : 0;
			bytes[i] += parts[i][part];
		}
	wk_buf_add_text(&text, "desc: (none)\ncmd: till\ntime_unit: B\n");
	for (unsigned i = 0; i < 3; i++) {
		add_snapshot(&text, 2 * i, "empty", 5);
		add_snapshot(&text, 2 * i + 1, i == 1 ? "peak" : "detailed", bytes[i]);
		wk_buf_add_fmt(&text, "n50: %u (heap allocation functions)\n", (unsigned)bytes[i]);
		for (unsigned f = 0; f < 100; f += 2)
			wk_buf_add_fmt(&text,
				       " n2: %u 0x%x: f%u (a.c:1)\n"
				       "  n0: %u 0x1: g (a.c:2)\n  n0: %u 0x2: h (a.c:3)\n",
				       parts[i][f] + parts[i][f + 1], 0x1000 + f, f, parts[i][f],
				       parts[i][f + 1]);
	}
	read_text(&wk_reader_massif, &text, &came);
	assert_int_equal(came.snapshots, 3);
	for (int i = 0; i < 3; i++)
		assert_int_equal(came.at_snapshot[i], bytes[i]);
	assert_string_equal(wk_buf_text(&came.notes),
			    "times are bytes allocated and freed, shown as nanoseconds\n"
			    "3 of 6 snapshots have no stacks and are left out; the last with "
			    "stacks is number 5 (`--detailed-freq=1` records the stacks of "
			    "each)\n");
	wk_buf_fini(&came.notes);
}

static void valgrinds_frames_have_names_and_places(void **state)
{
	static const struct {
		const char *text, *name, *file, *image;
		uint32_t line;
		bool is_unnamed;
	} cases[] = {
		{ "0x1094CB: main (till.c:12)", "main", "till.c", "", 12, false },
		{ "0x1094CB: f (src/a.rs:98:9)", "f", "src/a.rs", "", 98, false },
		{ "0x48F: f(int (*)(void)) (in /lib/x (1)/y.so)", "f(int (*)(void))", "",
		  "/lib/x (1)/y.so", 0, false },
		{ "0x48F: f() (anonymous)", "f() (anonymous)", "", "", 0, false },
		{ "0x48F: (below main) (start.c:1)", "(below main)", "start.c", "", 1, false },
		{ "0x48F: (below main)", "(below main)", "", "", 0, false },
		{ "0x48F: ??? (in /lib/x.so)", "0x48F", "", "/lib/x.so", 0, true },
		{ "0x48F: ???", "0x48F", "", "", 0, true },
	};
	struct wk_event_frame frame;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_true(wk_valgrind_frame(wk_str_c(cases[i].text), &frame));
		assert_true(wk_str_is(frame.name, cases[i].name));
		assert_true(wk_str_is(frame.file, cases[i].file));
		assert_true(wk_str_is(frame.image, cases[i].image));
		assert_int_equal(frame.line, cases[i].line);
		assert_int_equal(frame.is_unnamed, cases[i].is_unnamed);
	}
	assert_false(wk_valgrind_frame(wk_str_c("main (till.c:12)"), &frame));
	assert_false(wk_valgrind_frame(wk_str_c("0x1094CB main"), &frame));
}

static void samples_are_scaled_by_the_share_that_is_sampled(void **state)
{
	struct wk_heap_counts one = { .used_bytes = 1000000, .used_blocks = 10,
				      .made_bytes = 1000, .made_blocks = 10 };
	struct wk_heap_counts none = { .used_bytes = 5, .made_blocks = 7 };
	struct wk_heap_counts huge = { .used_bytes = UINT64_MAX, .used_blocks = UINT64_MAX };

	(void)state;
	/* Of blocks as large as the period 1 - 1/e is sampled, of much smaller ones hardly any. */
	wk_heap_counts_scale(&one, 100000);
	assert_int_equal(one.used_bytes, 1581977);
	assert_int_equal(one.used_blocks, 16);
	assert_int_equal(one.made_bytes, 1000500);
	assert_int_equal(one.made_blocks, 10005);
	wk_heap_counts_scale(&none, 100000);
	assert_int_equal(none.used_bytes, 5);
	assert_int_equal(none.made_blocks, 7);
	wk_heap_counts_scale(&huge, 1 << 20);
	assert_int_equal(huge.used_bytes, INT64_MAX);
	wk_heap_counts_scale(&one, 0);
	assert_int_equal(one.used_bytes, 1581977);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_change_of_heaptrack_is_added_up),
		cmocka_unit_test(raw_stacks_end_at_the_limit),
		cmocka_unit_test(inlined_frames_stay_in_proportion_to_the_file),
		cmocka_unit_test(snapshots_of_massif_have_the_bytes_of_their_trees),
		cmocka_unit_test(valgrinds_frames_have_names_and_places),
		cmocka_unit_test(samples_are_scaled_by_the_share_that_is_sampled),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
