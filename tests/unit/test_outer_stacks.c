/* The memory around the stacks of threads, read while their process lives. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "os/os.h"
#include "stages/outer_stacks.h"

#define MS    UINT64_C(1000000)
#define SIZE  (4u << 20)
#define GAP   (128u << 10) /* below it, where nothing can be read */
#define GUARD (16u << 10)

/* Memory that is shared with a process: what it holds can change while that waits. */
struct twin {
	uint8_t *memory;
	uint64_t address;
	uint32_t pid;
	struct wk_outer_stacks *stacks;
};

static void end(const struct twin *twin)
{
	kill((pid_t)twin->pid, SIGKILL);
	assert_int_equal(waitpid((pid_t)twin->pid, NULL, 0), twin->pid);
}

static int start_with(void **state, bool has_neighbour)
{
	static struct twin twin;
	uint8_t byte;
	pid_t pid;

	twin.memory = mmap(NULL, GAP + SIZE, PROT_NONE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_true(twin.memory != MAP_FAILED);
	twin.memory += GAP;
	assert_int_equal(mprotect(twin.memory, SIZE, PROT_READ | PROT_WRITE), 0);
	memset(twin.memory, 1, SIZE);
	if (has_neighbour)
		assert_int_equal(mprotect(twin.memory - GAP, GAP - GUARD, PROT_READ), 0);
	pid = fork();
	if (pid == 0) {
		pause();
		_exit(0);
	}
	assert_true(pid > 0);
	twin.pid = (uint32_t)pid;
	twin.address = (uint64_t)(uintptr_t)twin.memory + SIZE / 4;
	twin.stacks = wk_outer_stacks_new();
	*state = wk_os_read_process(twin.pid, twin.address, &byte, 1) == 1 ? &twin : NULL;
	if (!*state) {
		end(&twin);
		print_message("this system lets no process read another's memory\n");
	}
	return 0;
}

static int start(void **state)
{
	return start_with(state, false);
}

/* The stack of another thread lies below, behind a guard. */
static int start_beside_another(void **state)
{
	return start_with(state, true);
}

static int stop(void **state)
{
	struct twin *twin = *state;

	if (!twin)
		return 0;
	wk_outer_stacks_free(twin->stacks);
	munmap(twin->memory - GAP, GAP + SIZE);
	return 0;
}

static void look(const struct twin *twin, uint32_t tid, uint64_t sp, uint64_t ms)
{
	wk_outer_stacks_look(twin->stacks, twin->pid, tid, sp, 1000 * MS + ms * MS);
}

/* The byte that is kept for an address; -1: none. */
static int kept(const struct twin *twin, uint32_t tid, uint64_t address)
{
	uint8_t byte;

	return wk_outer_stacks_read(twin->stacks, tid, address, &byte, 1) == 1 ? byte : -1;
}

static void what_was_read_is_there_when_the_process_has_ended(void **state)
{
	const struct twin *twin = *state;
	uint8_t bytes[100];

	if (!twin)
		skip();
	assert_false(wk_outer_stacks_has(twin->stacks, 7));
	look(twin, 7, twin->address, 0);
	end(twin);
	look(twin, 7, twin->address, 900);
	assert_true(wk_outer_stacks_has(twin->stacks, 7));
	assert_int_equal(kept(twin, 7, twin->address), 1);
	assert_int_equal(kept(twin, 7, twin->address - (60 << 10)), 1);
	assert_int_equal(kept(twin, 7, twin->address + (900 << 10)), 1);
	assert_int_equal(kept(twin, 7, twin->address - (65 << 10)), -1);
	assert_int_equal(kept(twin, 7, twin->address + (961 << 10)), -1);
	assert_int_equal(kept(twin, 8, twin->address), -1);
	/* As much as there is. */
	assert_int_equal(wk_outer_stacks_read(twin->stacks, 7, twin->address + (960 << 10) - 10,
					      bytes, sizeof(bytes)),
			 10);
}

static void a_stack_with_nothing_mapped_below_it_is_read(void **state)
{
	const struct twin *twin = *state;
	uint64_t lowest;

	if (!twin)
		skip();
	lowest = twin->address - SIZE / 4;
	look(twin, 7, lowest + 200, 0);
	end(twin);
	assert_int_equal(kept(twin, 7, lowest), -1);
	assert_int_equal(kept(twin, 7, lowest + 200), 1);
	assert_int_equal(kept(twin, 7, lowest + (900 << 10)), 1);
}

static void it_is_read_again_after_a_part_of_the_time_so_far(void **state)
{
	static const struct {
		unsigned ms, expected;
	} looks[] = {
		{ 0, 0 },   { 1, 0 },     { 4, 0 },     { 6, 6 },     { 8, 6 },     { 12, 12 },
		{ 17, 17 }, { 100, 100 }, { 120, 100 }, { 140, 140 }, { 200, 200 },
	};
	const struct twin *twin = *state;

	if (!twin)
		skip();
	/* Without a reason a look is not repeated at once; it has none after the first four. */
	for (unsigned i = 0; i < 3; i++)
		look(twin, 100 + i, twin->address, 0);
	for (size_t i = 0; i < sizeof(looks) / sizeof(*looks); i++) {
		memset(twin->memory, (int)looks[i].ms, SIZE);
		look(twin, 7, twin->address, looks[i].ms);
		assert_int_equal(kept(twin, 7, twin->address), looks[i].expected);
	}
	end(twin);
}

static void a_stack_that_grew_out_of_it_is_read_at_once(void **state)
{
	const struct twin *twin = *state;
	uint64_t deeper = twin ? twin->address - (400 << 10) : 0;

	if (!twin)
		skip();
	look(twin, 7, twin->address, 0);
	assert_int_equal(kept(twin, 7, deeper), -1);
	look(twin, 7, deeper, 1);
	assert_int_equal(kept(twin, 7, deeper), 1);
	assert_int_equal(kept(twin, 7, twin->address), 1);
	end(twin);
}

static void threads_whose_copies_hold_all_are_left_alone(void **state)
{
	const struct twin *twin = *state;

	if (!twin)
		skip();
	look(twin, 7, twin->address, 0);
	wk_outer_stacks_need(twin->stacks, 7, false);
	assert_int_equal(kept(twin, 7, twin->address), -1);
	look(twin, 7, twin->address, 100);
	assert_int_equal(kept(twin, 7, twin->address), -1);
	wk_outer_stacks_need(twin->stacks, 7, true);
	look(twin, 7, twin->address, 1000);
	assert_int_equal(kept(twin, 7, twin->address), 1);
	end(twin);
}

static void of_many_threads_the_last_are_kept(void **state)
{
	const struct twin *twin = *state;

	if (!twin)
		skip();
	for (unsigned i = 0; i < 40; i++)
		look(twin, 100 + i, twin->address, 1000 * (uint64_t)i);
	assert_int_equal(kept(twin, 139, twin->address), 1);
	assert_int_equal(kept(twin, 132, twin->address), 1);
	assert_int_equal(kept(twin, 131, twin->address), -1);
	end(twin);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(what_was_read_is_there_when_the_process_has_ended,
						start, stop),
		cmocka_unit_test_setup_teardown(a_stack_with_nothing_mapped_below_it_is_read, start,
						stop),
		cmocka_unit_test_setup_teardown(a_stack_with_nothing_mapped_below_it_is_read,
						start_beside_another, stop),
		cmocka_unit_test_setup_teardown(it_is_read_again_after_a_part_of_the_time_so_far,
						start, stop),
		cmocka_unit_test_setup_teardown(a_stack_that_grew_out_of_it_is_read_at_once, start,
						stop),
		cmocka_unit_test_setup_teardown(threads_whose_copies_hold_all_are_left_alone, start,
						stop),
		cmocka_unit_test_setup_teardown(of_many_threads_the_last_are_kept, start, stop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
