#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "record/proc_scan.h"

/* The events of one process. */
struct seen {
	uint32_t pid, parent_pid;
	unsigned processes, threads, images, data;
	char process[32], thread[32];
	size_t command_bytes;
	uint64_t code; /* an address */
	bool has_code; /* an image covers it */
	int left;      /* events until the sink fails; below 0: it never does */
};

static void copy_text(char to[32], struct wk_str text)
{
	assert_true(text.len < 32);
	memcpy(to, text.at, text.len);
	to[text.len] = '\0';
}

static bool take(void *context, const struct wk_event *event, struct wk_err *err)
{
	struct seen *seen = context;

	assert_int_equal(event->pid, seen->pid);
	if (seen->left-- == 0)
		return wk_fail(err, WK_EIO, WK_NOWHERE, "full");
	switch (event->kind) {
	case WK_EVENT_PROCESS:
		seen->processes++;
		seen->parent_pid = event->process.parent_pid;
		copy_text(seen->process, event->process.name);
		seen->command_bytes = event->process.command_line.len;
		break;
	case WK_EVENT_THREAD:
		seen->threads++;
		if (event->tid == seen->pid)
			copy_text(seen->thread, event->thread.name);
		break;
	case WK_EVENT_IMAGE:
		seen->images++;
		seen->data += event->image.is_data;
		seen->has_code |= seen->code - event->image.start < event->image.size_bytes;
		break;
	default:
		fail_msg("an event of kind %d", (int)event->kind);
	}
	return true;
}

static bool scan(struct seen *seen, struct wk_err *err)
{
	struct wk_sink sink = { .take = take, .context = seen };

	return wk_proc_scan((pid_t)seen->pid, &sink, err);
}

static void a_running_process_has_a_name_threads_and_code(void **state)
{
	struct seen own = { .pid = (uint32_t)getpid(), .left = -1 };
	struct wk_err err = { 0 };

	(void)state;
	own.code = (uint64_t)(uintptr_t)scan;
	assert_int_equal(prctl(PR_SET_NAME, "a (b) c"), 0);
	assert_true(scan(&own, &err));
	assert_int_equal(own.processes, 1);
	assert_int_equal(own.parent_pid, getppid());
	assert_string_equal(own.process, "a (b) c");
	assert_string_equal(own.thread, "a (b) c");
	assert_true(own.has_code);
}

static void data_is_no_image(void **state)
{
	struct seen own = { .pid = (uint32_t)getpid(), .left = -1 };
	struct wk_err err = { 0 };

	(void)state;
	own.code = (uint64_t)(uintptr_t)&own; /* on the stack */
	assert_true(scan(&own, &err));
	assert_true(own.images > 0);
	assert_int_equal(own.data, 0);
	assert_false(own.has_code);
}

static void a_sink_that_fails_ends_the_scan(void **state)
{
	struct seen own = { .pid = (uint32_t)getpid(), .left = -1 };
	struct wk_err err = { 0 };
	unsigned events;

	(void)state;
	assert_true(scan(&own, &err));
	events = own.processes + own.threads + own.images;
	for (unsigned i = 0; i < events; i++) {
		own = (struct seen){ .pid = own.pid, .left = (int)i };
		err = (struct wk_err){ 0 };
		assert_false(scan(&own, &err));
		assert_string_equal(err.text, "full");
		assert_int_equal(own.left, -1);
	}
}

/* The kernel gives none a number that large. */
static void a_process_that_is_gone_has_no_events(void **state)
{
	struct seen gone = { .pid = INT32_MAX, .left = -1 };
	struct wk_err err = { 0 };
	pid_t *tids;

	(void)state;
	assert_true(scan(&gone, &err));
	assert_int_equal(gone.processes + gone.threads + gone.images, 0);
	assert_int_equal(wk_proc_threads(INT32_MAX, &tids), 0);
	assert_null(tids);
}

static void *wait_forever(void *unused)
{
	(void)unused;
	for (;;)
		pause();
	return NULL;
}

static pid_t start_process_without_first_thread(void)
{
	pid_t child = fork();

	if (child == 0) {
		pthread_t thread;

		if (pthread_create(&thread, NULL, wait_forever, NULL) != 0)
			_exit(1);
		pthread_exit(NULL);
	}
	assert_true(child > 0);
	return child;
}

static bool has_ended(pid_t pid)
{
	char path[32], text[256] = "";
	const char *at;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	file = fopen(path, "r");
	assert_non_null(file);
	assert_non_null(fgets(text, sizeof(text), file));
	fclose(file);
	at = strrchr(text, ')');
	return at && at[2] == 'Z';
}

/* Its first thread has no memory any more. */
static void code_is_known_when_the_first_thread_has_ended(void **state)
{
	struct seen child = { .left = -1, .code = (uint64_t)(uintptr_t)scan };
	pid_t pid = start_process_without_first_thread();
	struct wk_err err = { 0 };

	(void)state;
	while (!has_ended(pid))
		usleep(1000);
	child.pid = (uint32_t)pid;
	assert_true(scan(&child, &err));
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	assert_int_equal(child.threads, 2);
	assert_true(child.has_code);
	assert_true(child.command_bytes > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_running_process_has_a_name_threads_and_code),
		cmocka_unit_test(data_is_no_image),
		cmocka_unit_test(code_is_known_when_the_first_thread_has_ended),
		cmocka_unit_test(a_sink_that_fails_ends_the_scan),
		cmocka_unit_test(a_process_that_is_gone_has_no_events),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
