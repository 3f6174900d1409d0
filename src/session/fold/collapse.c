#include "session/fold/collapse.h"

#include <string.h>

#include "session/fold/inliner.h"
#include "session/fold/source.h"
#include "session/fold/tally.h"

struct notes {
	const struct wk_collapse_job *job;
	const char *file;
};

static void note(void *context, struct wk_str text)
{
	const struct notes *notes = context;

	notes->job->note(notes->job->context, notes->file, text);
}

static bool is_guessed(const struct wk_reader *reader)
{
	static const char *const guessed[] = { "perf-script", "dtrace", "sample", "vtune",
					       "pmcstat" };

	for (size_t i = 0; i < sizeof(guessed) / sizeof(guessed[0]); i++)
		if (strcmp(guessed[i], reader->name) == 0)
			return true;
	return false;
}

static bool fold(const struct wk_collapse_job *job, struct wk_fold_source *source,
		 struct wk_out *out, const struct wk_messages *messages, struct wk_err *err)
{
	struct wk_as_inliner *inliner = job->with_inlined ? wk_as_inliner_new(messages) : NULL;
	struct wk_collapse collapse = job->collapse;
	struct notes notes = {
		.job = job,
		.file = source->count > 1 ? NULL
			: strcmp(source->input.name, "-") == 0 ? "standard input"
							       : source->input.name,
	};
	struct wk_tally tally;
	struct wk_sink sink;
	bool ok;

	if (inliner)
		collapse.inliner = wk_as_inliner_for(inliner);
	source->input.options.collapse = &collapse;
	source->input.options.threads = job->threads;
	wk_tally_init(&tally);
	tally.note = note;
	tally.context = &notes;
	tally.collapses_recursion = job->collapses_recursion;
	sink = wk_tally_sink(&tally);
	ok = source->reader->read(&source->input, &sink, err);
	if (ok)
		wk_tally_write(&tally, out);
	wk_tally_fini(&tally);
	wk_as_inliner_free(inliner);
	return ok;
}

bool wk_collapse_files(const struct wk_collapse_job *job, struct wk_out *out,
		       const struct wk_messages *messages, struct wk_err *err)
{
	struct wk_fold_source source = { 0 };
	bool ok = wk_fold_source_open(&source, job->paths, job->format, err);

	if (ok && !job->format && !is_guessed(source.reader))
		ok = wk_fail(err, WK_EFORMAT, WK_NOWHERE,
			     "No applicable collapse implementation found for input%s",
			     strcmp(source.reader->name, "folded") == 0 ? ": it is folded already"
									: "");
	ok = ok && fold(job, &source, out, messages, err);
	wk_fold_source_close(&source);
	return ok;
}
