/* Progress of a download, by a clock that the test sets. The only network is the loopback
 * address. */
#define _GNU_SOURCE /* accept4 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "fetch/transfer.h"
#include "os/os.h"

#define SECOND_NS UINT64_C(1000000000)

static uint64_t clock_ns = 1000 * SECOND_NS;

/* The linker puts it in the place of wk_os_clock_ns. */
uint64_t __wrap_wk_os_clock_ns(void);

uint64_t __wrap_wk_os_clock_ns(void)
{
	return clock_ns;
}

/* One transfer, and the server's end of its connection. */
struct fixture {
	int listener, connection;
	char url[64];
	FILE *file;
	struct wk_transfers *transfers;
	struct wk_transfer transfer;
	unsigned reports;
};

static void count_reports(void *context, const struct wk_fetch_status *status)
{
	struct fixture *f = context;

	f->reports += !status->is_done;
}

static void step(struct fixture *f, uint64_t step_ns)
{
	clock_ns += step_ns;
	wk_transfers_run(f->transfers, 0, 0);
}

static bool is_running(const struct fixture *f)
{
	return f->transfer.outcome.kind == WK_OUTCOME_NONE;
}

static void listen_here(struct fixture *f)
{
	struct sockaddr_in address = { .sin_family = AF_INET,
				       .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof(address);

	f->listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
	assert_int_equal(bind(f->listener, (struct sockaddr *)&address, len), 0);
	assert_int_equal(listen(f->listener, 1), 0);
	assert_int_equal(getsockname(f->listener, (struct sockaddr *)&address, &len), 0);
	snprintf(f->url, sizeof(f->url), "http://127.0.0.1:%d/a", ntohs(address.sin_port));
}

/* Returns when the server has read the question. */
static void begin(struct fixture *f, struct wk_fetch_options options)
{
	char question[4096];

	*f = (struct fixture){ .connection = -1, .file = tmpfile() };
	setenv("no_proxy", "127.0.0.1", 1);
	listen_here(f);
	options.most_bytes = 1000000;
	options.progress = count_reports;
	options.context = f;
	f->transfers = wk_transfers_new(&options);
	f->transfer.url = f->transfer.shown_url = f->url;
	f->transfer.fd = fileno(f->file);
	if (!wk_transfers_start(f->transfers, &f->transfer)) {
		print_message("# skipped: %s\n", f->transfer.outcome.text);
		skip();
	}
	while (is_running(f) && f->connection < 0) {
		step(f, 1);
		f->connection = accept4(f->listener, NULL, NULL, SOCK_NONBLOCK);
	}
	while (is_running(f) && recv(f->connection, question, sizeof(question), 0) <= 0)
		step(f, 1);
	assert_true(is_running(f));
}

static void end(struct fixture *f)
{
	wk_transfers_free(f->transfers);
	close(f->listener);
	close(f->connection);
	fclose(f->file);
}

static void progress_is_reported_as_time_passes(void **state)
{
	struct fixture f;
	unsigned before;

	(void)state;
	begin(&f, (struct wk_fetch_options){ .wait_seconds = 60 });
	before = f.reports;
	step(&f, 0);
	assert_int_equal(f.reports, before);
	step(&f, SECOND_NS);
	assert_int_equal(f.reports, before + 1);
	end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(progress_is_reported_as_time_passes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
