/* Memory of another process, and what is known of it when it has ended. */
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
#include "stages/process_memory.h"

#define PAGE  4096u
#define PAGES 4u /* of one stack: two stacks have no more than are kept of one hash */
#define TRIES 64u

static void page_of(unsigned number, uint8_t bytes[PAGE])
{
	memset(bytes, (int)(number % 251), PAGE);
	memcpy(bytes, &number, sizeof(number));
}

static uint8_t *pages_new(void)
{
	uint8_t *pages = mmap(NULL, 2 * (size_t)TRIES * PAGES * PAGE, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_true(pages != MAP_FAILED);
	for (unsigned i = 0; i < 2 * TRIES * PAGES; i++)
		page_of(i, pages + (size_t)i * PAGE);
	return pages;
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

/* A process that has these pages as well, and waits. */
static pid_t twin(const uint8_t *pages)
{
	pid_t pid = fork();
	uint8_t byte;

	if (pid == 0) {
		pause();
		_exit(0);
	}
	assert_true(pid > 0);
	if (wk_os_read_process((uint32_t)pid, (uint64_t)(uintptr_t)pages, &byte, 1) != 1) {
		end(pid);
		print_message("this system lets no process read another's memory\n");
		skip();
	}
	return pid;
}

static size_t read_page(struct wk_process_memory *memory, pid_t pid, const uint8_t *page,
			uint8_t bytes[PAGE])
{
	return wk_process_memory_read(memory, (uint32_t)pid, (uint64_t)(uintptr_t)page, bytes,
				      PAGE);
}

static void check_stack(struct wk_process_memory *memory, pid_t pid, const uint8_t *pages,
			unsigned stack)
{
	uint8_t expected[PAGE], got[PAGE];

	for (unsigned i = stack * PAGES; i < (stack + 1) * PAGES; i++) {
		page_of(i, expected);
		assert_int_equal(read_page(memory, pid, pages + (size_t)i * PAGE, got), PAGE);
		assert_memory_equal(got, expected, PAGE);
	}
}

/* Two stacks, whose distance differs from try to try. */
static void check_stacks(struct wk_process_memory *memory, pid_t pid, const uint8_t *pages,
			 unsigned try)
{
	check_stack(memory, pid, pages, try);
	check_stack(memory, pid, pages, TRIES + try * 7 % TRIES);
}

static void test_the_pages_of_a_stack_outlive_its_process(void **state)
{
	struct wk_process_memory *memories[TRIES];
	uint8_t *pages = pages_new();
	pid_t pid = twin(pages);

	(void)state;
	for (unsigned i = 0; i < TRIES; i++) {
		memories[i] = wk_process_memory_new();
		check_stacks(memories[i], pid, pages, i);
	}
	end(pid);
	for (unsigned i = 0; i < TRIES; i++) {
		check_stacks(memories[i], pid, pages, i);
		wk_process_memory_free(memories[i]);
	}
	munmap(pages, 2 * (size_t)TRIES * PAGES * PAGE);
}

static void test_a_page_never_read_is_not_there_afterwards(void **state)
{
	struct wk_process_memory *memory = wk_process_memory_new();
	uint8_t *pages = pages_new();
	uint8_t got[PAGE];
	pid_t pid = twin(pages);

	(void)state;
	assert_int_equal(read_page(memory, pid, pages, got), PAGE);
	end(pid);
	assert_int_equal(read_page(memory, pid, pages + PAGE, got), 0);
	assert_int_equal(read_page(memory, pid + 1, pages, got), 0);
	wk_process_memory_free(memory);
	munmap(pages, 2 * (size_t)TRIES * PAGES * PAGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_pages_of_a_stack_outlive_its_process),
		cmocka_unit_test(test_a_page_never_read_is_not_there_afterwards),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
