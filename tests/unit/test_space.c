#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "stages/space.h"

static void map(struct wk_spaces *spaces, uint32_t pid, uint64_t start, uint64_t end,
		uint64_t file_offset, uint32_t image)
{
	struct wk_event event = {
		.kind = WK_EVENT_IMAGE,
		.pid = pid,
		.image = { .start = start, .size_bytes = end - start, .file_offset = file_offset },
	};

	wk_spaces_update(spaces, &event, image);
}

static void process(struct wk_spaces *spaces, enum wk_process_change change, uint32_t pid,
		    uint32_t parent_pid)
{
	struct wk_event event = {
		.kind = WK_EVENT_PROCESS,
		.pid = pid,
		.tid = pid,
		.process = { .change = change, .parent_pid = parent_pid },
	};

	wk_spaces_update(spaces, &event, 0);
}

static void thread(struct wk_spaces *spaces, enum wk_thread_change change, uint32_t pid,
		   uint32_t tid)
{
	struct wk_event event = {
		.kind = WK_EVENT_THREAD,
		.pid = pid,
		.tid = tid,
		.thread = { .change = change },
	};

	wk_spaces_update(spaces, &event, 0);
}

static uint32_t image_at(struct wk_spaces *spaces, uint32_t pid, uint64_t address)
{
	const struct wk_mapping *mapping = wk_spaces_find(spaces, pid, address);

	return mapping ? mapping->image : 0;
}

static void a_mapping_covers_its_range_and_no_more(void **state)
{
	struct wk_spaces *spaces = wk_spaces_new();

	(void)state;
	map(spaces, 7, 0x1000, 0x3000, 0x500, 1);
	assert_int_equal(image_at(spaces, 7, 0xfff), 0);
	assert_int_equal(image_at(spaces, 7, 0x1000), 1);
	assert_int_equal(image_at(spaces, 7, 0x2fff), 1);
	assert_int_equal(image_at(spaces, 7, 0x3000), 0);
	assert_int_equal(image_at(spaces, 8, 0x1000), 0);
	wk_spaces_free(spaces);
}

static void a_later_mapping_cuts_the_earlier_in_two(void **state)
{
	struct wk_spaces *spaces = wk_spaces_new();

	(void)state;
	map(spaces, 7, 0x1000, 0x9000, 0, 1);
	map(spaces, 7, 0x3000, 0x4000, 0, 2);
	assert_int_equal(image_at(spaces, 7, 0x2fff), 1);
	assert_int_equal(image_at(spaces, 7, 0x3000), 2);
	assert_int_equal(image_at(spaces, 7, 0x4000), 1);
	assert_int_equal(wk_spaces_find(spaces, 7, 0x4000)->file_offset, 0x3000);
	wk_spaces_free(spaces);
}

static void a_mapping_over_several_replaces_them(void **state)
{
	struct wk_spaces *spaces = wk_spaces_new();

	(void)state;
	for (uint32_t i = 0; i < 8; i++)
		map(spaces, 7, 0x1000u * (i + 1), 0x1000u * (i + 2), 0, i + 1);
	map(spaces, 7, 0x2800, 0x6800, 0, 99);
	assert_int_equal(image_at(spaces, 7, 0x27ff), 2);
	for (uint64_t address = 0x2800; address < 0x6800; address += 0x400)
		assert_int_equal(image_at(spaces, 7, address), 99);
	assert_int_equal(image_at(spaces, 7, 0x6800), 6);
	assert_int_equal(wk_spaces_find(spaces, 7, 0x6800)->file_offset, 0x800);
	wk_spaces_free(spaces);
}

static void a_fork_copies_and_an_exec_clears(void **state)
{
	struct wk_spaces *spaces = wk_spaces_new();

	(void)state;
	map(spaces, 7, 0x1000, 0x2000, 0, 1);
	process(spaces, WK_PROCESS_FORK, 8, 7);
	assert_int_equal(image_at(spaces, 8, 0x1000), 1);
	assert_true(wk_spaces_version(spaces, 7) == wk_spaces_version(spaces, 8));
	map(spaces, 8, 0x1000, 0x2000, 0, 2);
	assert_int_equal(image_at(spaces, 7, 0x1000), 1);
	assert_true(wk_spaces_version(spaces, 7) != wk_spaces_version(spaces, 8));
	process(spaces, WK_PROCESS_EXEC, 8, 0);
	assert_int_equal(image_at(spaces, 8, 0x1000), 0);
	wk_spaces_free(spaces);
}

static void threads_keep_mappings_after_the_main_thread_ended(void **state)
{
	struct wk_spaces *spaces = wk_spaces_new();

	(void)state;
	map(spaces, 7, 0x1000, 0x2000, 0, 1);
	thread(spaces, WK_THREAD_START, 7, 71);
	process(spaces, WK_PROCESS_EXIT, 7, 0);
	assert_int_equal(image_at(spaces, 7, 0x1000), 1);
	thread(spaces, WK_THREAD_EXIT, 7, 71);
	assert_int_equal(image_at(spaces, 7, 0x1000), 0);
	wk_spaces_free(spaces);
}

static void a_mapping_to_the_end_of_memory_does_not_wrap(void **state)
{
	struct wk_spaces *spaces = wk_spaces_new();
	struct wk_event event = {
		.kind = WK_EVENT_IMAGE,
		.pid = WK_KERNEL_PID,
		.image = { .start = 0xffffffff00000000u, .size_bytes = UINT64_MAX },
	};

	(void)state;
	wk_spaces_update(spaces, &event, 3);
	assert_int_equal(image_at(spaces, WK_KERNEL_PID, 0xffffffffffff0000u), 3);
	assert_int_equal(image_at(spaces, WK_KERNEL_PID, 0x1000), 0);
	wk_spaces_free(spaces);
}

/* Thousands of random mappings against a plain table of which image owns which page, with forks
 * in between, whose copies must not change when the parent does. */
#define PAGES 512

static void check_pages(struct wk_spaces *spaces, uint32_t pid, const uint32_t *images,
			const uint64_t *offsets)
{
	for (uint64_t page = 0; page < PAGES; page++) {
		const struct wk_mapping *found = wk_spaces_find(spaces, pid, page * 0x1000 + 7);

		assert_int_equal(found ? found->image : 0, images[page]);
		if (found)
			assert_int_equal(found->file_offset + page * 0x1000 - found->start,
					 offsets[page]);
	}
}

static void thousands_of_mappings_are_what_a_table_of_pages_says(void **state)
{
	struct wk_spaces *spaces = wk_spaces_new();
	static uint32_t images[PAGES], forked_images[PAGES];
	static uint64_t offsets[PAGES], forked_offsets[PAGES];
	uint32_t random = 1;

	(void)state;
	for (uint32_t i = 1; i <= 6000; i++) {
		uint32_t start, count;

		random = random * 1664525 + 1013904223;
		start = (random >> 16) % PAGES;
		count = 1 + (random >> 8) % (i % 50 == 0 ? 200 : 6);
		if (count > PAGES - start)
			count = PAGES - start;
		map(spaces, 7, start * 0x1000, (start + count) * 0x1000, i * 0x10000, i);
		for (uint32_t page = 0; page < count; page++) {
			images[start + page] = i;
			offsets[start + page] = i * 0x10000 + page * 0x1000;
		}
		if (i % 500 == 0) {
			check_pages(spaces, 7, images, offsets);
			if (i > 500)
				check_pages(spaces, 8, forked_images, forked_offsets);
			process(spaces, WK_PROCESS_FORK, 8, 7);
			memcpy(forked_images, images, sizeof(images));
			memcpy(forked_offsets, offsets, sizeof(offsets));
		}
	}
	wk_spaces_free(spaces);
}

static void mappings_in_order_are_all_found(void **state)
{
	struct wk_spaces *spaces = wk_spaces_new();

	(void)state;
	for (uint32_t i = 1; i < 20000; i++) {
		map(spaces, 7, i * 0x2000ull, i * 0x2000ull + 0x1000, 0, i);
		map(spaces, 8, (20000 - i) * 0x2000ull, (20000 - i) * 0x2000ull + 0x1000, 0, i);
	}
	for (uint32_t i = 1; i < 20000; i++) {
		assert_int_equal(image_at(spaces, 7, i * 0x2000ull + 0xfff), i);
		assert_int_equal(image_at(spaces, 8, i * 0x2000ull + 0xfff), 20000 - i);
		assert_int_equal(image_at(spaces, 7, i * 0x2000ull + 0x1000), 0);
	}
	wk_spaces_free(spaces);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_mapping_covers_its_range_and_no_more),
		cmocka_unit_test(a_later_mapping_cuts_the_earlier_in_two),
		cmocka_unit_test(a_mapping_over_several_replaces_them),
		cmocka_unit_test(a_fork_copies_and_an_exec_clears),
		cmocka_unit_test(threads_keep_mappings_after_the_main_thread_ended),
		cmocka_unit_test(a_mapping_to_the_end_of_memory_does_not_wrap),
		cmocka_unit_test(thousands_of_mappings_are_what_a_table_of_pages_says),
		cmocka_unit_test(mappings_in_order_are_all_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
