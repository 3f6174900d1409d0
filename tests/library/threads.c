/* Eight threads use libwick at once: each opens, folds, symbolizes and reads events by itself, and
 * all of them query one profile. Every answer must be the same. TAP; `./do tsan` builds it with the
 * thread sanitizer. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <wick/wick.h>

#define THREADS 8
#define ROUNDS  3

struct text {
	char *at;
	size_t len;
};

/* One for each thread. */
struct job {
	struct wick_context *context;
	struct wick_profile *shared;
	char paths[3][512];
	const char *program; /* this one */
	struct text answer;  /* all that came */
	bool failed;
};

static bool add(void *user, const char *bytes, size_t len)
{
	struct text *text = user;
	char *longer = realloc(text->at, text->len + len + 1);

	if (!longer)
		return false;
	text->at = longer;
	memcpy(longer + text->len, bytes, len);
	text->len += len;
	longer[text->len] = '\0';
	return true;
}

static bool add_frame(void *user, const struct wick_frame *frame)
{
	return add(user, frame->function, strlen(frame->function)) && add(user, "\n", 1);
}

static bool add_event(void *user, const struct wick_event *event)
{
	const char *text = wick_event_text(event);

	return add(user, text, strlen(text));
}

static void check(struct job *job, bool ok, const struct wick_error *error)
{
	if (!ok)
		fprintf(stderr, "# %s\n", error->text);
	job->failed |= !ok;
}

static void use_shared(struct job *job)
{
	static const char *const formats[] = { "folded", "svg", "json", "speedscope", "firefox" };
	struct wick_view_options options = { .size = sizeof(options), .inverted = true };
	struct wick_error error;

	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		check(job,
		      wick_render(job->shared, formats[i], NULL, add, &job->answer, &error) &&
			      wick_render(job->shared, formats[i], &options, add, &job->answer,
					  &error),
		      &error);
}

static void use_files(struct job *job)
{
	struct wick_error error;

	for (size_t i = 0; i < 3; i++) {
		struct wick_profile *profile = wick_open(job->context, job->paths[i], NULL, &error);

		check(job, profile != NULL, &error);
		check(job, profile && wick_fold(profile, NULL, add, &job->answer, &error), &error);
		wick_close(profile);
		check(job,
		      wick_read_events(job->context, job->paths[i], NULL, add_event, &job->answer,
				       &error),
		      &error);
	}
}

static void use_symbols(struct job *job)
{
	struct wick_error error;
	struct wick_symbols *symbols = wick_symbols_new(job->context, &error);

	check(job, symbols != NULL, &error);
	for (uint64_t address = 0x1000; symbols && address < 0x4000; address += 0x40)
		check(job,
		      wick_symbols_of_file(symbols, job->program, address, add_frame, &job->answer,
					   &error),
		      &error);
	wick_symbols_free(symbols);
}

static void *work(void *context)
{
	for (int round = 0; round < ROUNDS; round++) {
		use_shared(context);
		use_files(context);
		use_symbols(context);
	}
	return NULL;
}

static void report(int number, bool ok, const char *title)
{
	printf("%sok %d - %s\n", ok ? "" : "not ", number, title);
}

int main(int argc, char **argv)
{
	static const char *const files[] = { "data/shop.data", "data/copied_stacks.data",
					     "golden/perf_script/usual/input.perf" };
	const char *root = getenv("WICK_SOURCE_ROOT");
	struct wick_context *context = wick_context_new(NULL, NULL);
	struct job jobs[THREADS] = { { 0 } };
	pthread_t threads[THREADS];
	struct wick_error error;
	struct wick_profile *shared;
	bool all_ok = argc == 1, all_same = true;

	for (int i = 0; i < THREADS; i++) {
		jobs[i].context = context;
		jobs[i].program = argv[0];
		for (int file = 0; file < 3; file++)
			snprintf(jobs[i].paths[file], sizeof(jobs[i].paths[file]), "%s/tests/%s",
				 root ? root : ".", files[file]);
	}
	printf("1..2\n");
	shared = wick_open(context, jobs[0].paths[0], NULL, &error);
	for (int i = 0; i < THREADS && shared; i++) {
		jobs[i].shared = shared;
		if (pthread_create(&threads[i], NULL, work, &jobs[i]) != 0)
			return 1;
	}
	for (int i = 0; i < THREADS && shared; i++) {
		pthread_join(threads[i], NULL);
		all_ok = all_ok && !jobs[i].failed && jobs[i].answer.len > 100000;
		all_same = all_same && jobs[i].answer.len == jobs[0].answer.len &&
			   memcmp(jobs[i].answer.at, jobs[0].answer.at, jobs[0].answer.len) == 0;
	}
	printf("# %zu bytes of answers in each thread\n", jobs[0].answer.len);
	report(1, all_ok && shared, "8 threads open, fold, render, symbolize and read events");
	report(2, all_same && shared, "all have the same answers");
	for (int i = 0; i < THREADS; i++)
		free(jobs[i].answer.at);
	wick_close(shared);
	wick_context_free(context);
	return all_ok && all_same && shared ? 0 : 1;
}
