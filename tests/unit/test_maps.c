#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "os/os.h"
#include "base/mem.h"

/* The first page of a file that was cut to nothing. */
static const uint8_t *map_what_is_gone(void *at, size_t page_bytes)
{
	char *path;
	int fd = wk_os_temporary(&path);

	assert_true(fd >= 0);
	wk_free(path);
	at = mmap(at, page_bytes, PROT_READ, MAP_PRIVATE | (at ? MAP_FIXED : 0), fd, 0);
	assert_true(at != MAP_FAILED);
	close(fd);
	return at;
}

static void read_first(void *context)
{
	const volatile uint8_t *at = context;

	assert_int_equal(*at, 0);
}

static void touch_in_thread(const uint8_t *at)
{
	struct wk_os_thread *thread = wk_os_thread_start(read_first, (void *)at);

	assert_non_null(thread);
	wk_os_thread_join(thread);
}

/* Threads that touch a page at once have all faulted before the first of them puts another there:
 * for each it is gone, one after the other. */
static void a_page_that_is_gone_is_zero_for_each_thread_that_touches_it(void **state)
{
	size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	const uint8_t *at;

	(void)state;
	wk_os_guard_maps();
	at = map_what_is_gone(NULL, page_bytes);
	touch_in_thread(at);
	map_what_is_gone((void *)at, page_bytes);
	touch_in_thread(at);
	munmap((void *)at, page_bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_page_that_is_gone_is_zero_for_each_thread_that_touches_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
