/* How the threads of a running process are opened, with made threads and records: the link replaces
 * the list of threads and the kernel. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <linux/perf_event.h>

#include "base/mem.h"
#include "os/os.h"
#include "record/attach.h"
#include "record/proc_scan.h"

#define PID        10
#define CPUS       2
#define RING_BYTES 512
#define LATER      (UINT64_MAX - 100) /* after any moment of this test */

struct cpu {
	struct perf_event_mmap_page page;
	_Alignas(8) uint8_t data[RING_BYTES];
};

/* What a process does while it is attached to. */
static struct process {
	const pid_t (*looks)[4]; /* its threads, each time they are listed; ended by 0 */
	size_t look_count;
	size_t looked, opened_count;
	pid_t opened[8];
	pid_t gone, refused;                   /* threads that cannot be opened */
	unsigned newest;                       /* number of a process on this machine */
	bool is_busy;                          /* the machine: others are born all the time */
	const char *children, *later_children; /* of its threads, after the first opening */
	struct wk_perf_cpu rings[CPUS];
	struct cpu cpus[CPUS];
} process;

bool __wrap_wk_os_read_small(const char *path, struct wk_buf *text);
size_t __wrap_wk_proc_threads(pid_t pid, pid_t **tids);
enum wk_perf_opened __wrap_wk_perf_open_target(struct wk_perf *perf, pid_t tid, bool on_exec,
					       struct wk_err *err);

bool __wrap_wk_os_read_small(const char *path, struct wk_buf *text)
{
	if (strcmp(path, "/proc/loadavg") == 0) {
		process.newest += process.is_busy;
		wk_buf_add_fmt(text, "0.00 0.00 0.00 1/99 %u\n", process.newest);
		return true;
	}
	assert_non_null(strstr(path, "/children"));
	wk_buf_add_text(text, process.opened_count && process.later_children
				      ? process.later_children
				      : process.children);
	return true;
}

size_t __wrap_wk_proc_threads(pid_t pid, pid_t **tids)
{
	const pid_t *look;
	size_t count = 0;

	assert_int_equal(pid, PID);
	assert_true(process.looked < 8);
	*tids = NULL;
	if (process.look_count == 0)
		return 0;
	look = process.looks[process.looked < process.look_count ? process.looked
								 : process.look_count - 1];
	process.looked++;
	*tids = wk_alloc(4 * sizeof(**tids));
	for (; count < 4 && look[count]; count++)
		(*tids)[count] = look[count];
	return count;
}

enum wk_perf_opened __wrap_wk_perf_open_target(struct wk_perf *perf, pid_t tid, bool on_exec,
					       struct wk_err *err)
{
	(void)perf;
	assert_false(on_exec);
	if (tid == process.refused) {
		wk_fail(err, WK_EPERM, WK_NOWHERE, "refused");
		return WK_OPEN_FAILED;
	}
	assert_true(process.opened_count < 8);
	process.opened[process.opened_count++] = tid;
	return tid == process.gone ? WK_OPEN_GONE : WK_OPENED;
}

static void begin(const pid_t (*looks)[4], size_t count)
{
	process = (struct process){
		.looks = looks, .look_count = count, .newest = 1, .children = "" };
	for (size_t i = 0; i < CPUS; i++)
		process.rings[i].ring = (struct wk_ring){ .page = &process.cpus[i].page,
							  .data = process.cpus[i].data,
							  .size_bytes = RING_BYTES };
}

static void put_record(size_t cpu, uint32_t type, pid_t tid, pid_t parent, uint64_t time_ns)
{
	struct record {
		struct perf_event_header header;
		uint32_t pid, parent_pid, tid, parent_tid;
		uint64_t time_ns;
		uint64_t id, trailer_time_ns, cpu, event; /* as record/layout.h requests them */
	} record = {
		.header = { .type = type, .size = sizeof(record) },
		.pid = PID,
		.parent_pid = PID,
		.tid = (uint32_t)tid,
		.parent_tid = (uint32_t)parent,
		.time_ns = time_ns,
		.trailer_time_ns = time_ns,
	};
	struct cpu *at = &process.cpus[cpu];

	assert_true(at->page.data_head + sizeof(record) <= RING_BYTES);
	memcpy(at->data + at->page.data_head, &record, sizeof(record));
	at->page.data_head += sizeof(record);
}

static void put_birth(size_t cpu, pid_t tid, pid_t parent, uint64_t time_ns)
{
	put_record(cpu, PERF_RECORD_FORK, tid, parent, time_ns);
}

static bool attach(struct wk_err *err)
{
	struct wk_perf perf = { .cpus = process.rings, .cpu_count = CPUS };

	return wk_attach(&perf, PID, err);
}

static void assert_opened(const pid_t *tids, size_t count)
{
	struct wk_err err = { 0 };

	assert_true(attach(&err));
	assert_int_equal(process.opened_count, count);
	for (size_t i = 0; i < count; i++)
		assert_int_equal(process.opened[i], tids[i]);
}

static void each_thread_is_opened_once_until_no_more_appear(void **state)
{
	static const pid_t looks[][4] = { { 10, 11 }, { 10, 11, 12 }, { 10, 12, 11, 13 } };
	static const pid_t opened[] = { 10, 11, 12, 13 };

	(void)state;
	begin(looks, 3);
	assert_opened(opened, 4);
	assert_int_equal(process.looked, 4);
}

static void a_thread_that_ended_meanwhile_is_passed_over(void **state)
{
	static const pid_t looks[][4] = { { 10, 11, 12 } };
	static const pid_t opened[] = { 10, 11, 12 };

	(void)state;
	begin(looks, 1);
	process.gone = 11;
	assert_opened(opened, 3);
}

/* Counters are inherited: opened as well it would be counted twice. */
static void a_thread_that_a_recorded_one_started_is_not_opened(void **state)
{
	static const pid_t looks[][4] = { { 10 }, { 10, 11, 12 } };
	static const pid_t opened[] = { 10 };

	(void)state;
	begin(looks, 2);
	put_record(0, PERF_RECORD_EXIT, 12, 10, LATER);
	put_birth(0, 12, 11, LATER + 2);
	put_birth(1, 11, 10, LATER + 1);
	assert_opened(opened, 1);
}

static void a_thread_started_before_its_parent_was_recorded_is_opened(void **state)
{
	static const pid_t looks[][4] = { { 10 }, { 10, 11, 12, 13 } };
	static const pid_t opened[] = { 10, 11, 12, 13 };

	(void)state;
	begin(looks, 2);
	put_birth(0, 11, 10, 1);
	put_birth(1, 12, 99, LATER); /* by a thread that is not recorded */
	put_record(1, PERF_RECORD_EXIT, 13, 10, LATER);
	assert_opened(opened, 4);
}

/* Then nothing was inherited in part. */
static void births_of_others_are_no_reason_to_open_again(void **state)
{
	static const pid_t looks[][4] = { { 10, 11 } };
	static const pid_t opened[] = { 10, 11 };

	(void)state;
	begin(looks, 1);
	process.is_busy = true;
	process.children = "77 ";
	assert_opened(opened, 2);
}

static void births_of_the_process_are(void **state)
{
	static const pid_t looks[][4] = { { 10 }, { 10, 11 } };
	static const pid_t opened[] = { 10, 10, 11 };

	(void)state;
	begin(looks, 2);
	process.is_busy = true;
	assert_opened(opened, 3);
}

static void births_of_the_thread_are(void **state)
{
	static const pid_t looks[][4] = { { 10 } };
	static const pid_t opened[] = { 10, 10 };

	(void)state;
	begin(looks, 1);
	process.is_busy = true;
	process.children = "77 ";
	process.later_children = "77 78 ";
	assert_opened(opened, 2);
}

static void a_thread_that_cannot_be_opened_ends_the_attempt(void **state)
{
	static const pid_t looks[][4] = { { 10, 11, 12 } };
	struct wk_err err = { 0 };

	(void)state;
	begin(looks, 1);
	process.refused = 11;
	assert_false(attach(&err));
	assert_string_equal(err.text, "refused");
	assert_int_equal(process.opened_count, 1);
	assert_int_equal(process.looked, 1);
}

static void a_process_without_threads_is_not_there(void **state)
{
	struct wk_err err = { 0 };

	(void)state;
	begin(NULL, 0);
	assert_false(attach(&err));
	assert_int_equal(err.code, WK_ENOTFOUND);
	assert_non_null(strstr(err.text, "10"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_thread_is_opened_once_until_no_more_appear),
		cmocka_unit_test(a_thread_that_ended_meanwhile_is_passed_over),
		cmocka_unit_test(a_thread_that_a_recorded_one_started_is_not_opened),
		cmocka_unit_test(a_thread_started_before_its_parent_was_recorded_is_opened),
		cmocka_unit_test(births_of_others_are_no_reason_to_open_again),
		cmocka_unit_test(births_of_the_process_are),
		cmocka_unit_test(births_of_the_thread_are),
		cmocka_unit_test(a_thread_that_cannot_be_opened_ends_the_attempt),
		cmocka_unit_test(a_process_without_threads_is_not_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
