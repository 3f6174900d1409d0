/* Reads a file of `perf script` text and does nothing with the events: what the reader alone
 * costs. usage: perf_script FILE [THREADS [ROUNDS [collapse]]] */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "formats/collapse.h"
#include "formats/reader.h"

struct count {
	uint64_t samples, frames, stacks, others;
};

static bool take(void *context, const struct wk_event *event, struct wk_err *err)
{
	struct count *count = context;

	(void)err;
	if (event->kind == WK_EVENT_SAMPLE)
		count->samples++;
	else if (event->kind == WK_EVENT_FRAME)
		count->frames++;
	else if (event->kind == WK_EVENT_STACKS)
		count->stacks += event->stacks.count;
	else
		count->others++;
	return true;
}

static double cpu_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

int main(int argc, char **argv)
{
	struct wk_collapse collapse = { .dialect = WK_COLLAPSE_PERL };
	int rounds = argc > 3 ? atoi(argv[3]) : 1;
	struct wk_err err = { 0 };
	struct wk_opened opened;

	if (argc < 2 || !wk_reader_open(argv[1], "perf-script", &opened, &err)) {
		fprintf(stderr, "%s\n",
			argc < 2 ? "usage: perf_script FILE [THREADS [ROUNDS "
				   "[collapse]]]"
				 : err.text);
		return 2;
	}
	opened.input.options.threads = argc > 2 ? (unsigned)atoi(argv[2]) : 1;
	if (argc > 4 && strcmp(argv[4], "collapse") == 0)
		opened.input.options.collapse = &collapse;
	for (int i = 0; i < rounds; i++) {
		struct count count = { 0 };
		struct wk_sink sink = { .take = take, .context = &count };
		double cpu = cpu_seconds();
		uint64_t begin = wk_os_clock_ns();

		if (!opened.reader->read(&opened.input, &sink, &err)) {
			fprintf(stderr, "%s\n", err.text);
			return 1;
		}
		cpu = cpu_seconds() - cpu;
		printf("%.3f cpu s, %.3f s, %.0f MB a cpu second: %" PRIu64 " samples, %" PRIu64
		       " frames, %" PRIu64 " stacks\n",
		       cpu, (double)(wk_os_clock_ns() - begin) * 1e-9,
		       (double)opened.file.size_bytes * 1e-6 / cpu, count.samples, count.frames,
		       count.stacks);
	}
	wk_reader_close(&opened);
	return 0;
}
