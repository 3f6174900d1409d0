#include "session/fold/collapse.h"

#include <string.h>

#include "base/mem.h"
#include "names/demangle/demangle.h"
#include "session/fold/source.h"
#include "session/fold/tally.h"
#include "session/symbolizer.h"

struct notes {
	const struct wk_collapse_job *job;
	const char *file;
};

static void note(void *context, struct wk_str text)
{
	const struct notes *notes = context;

	notes->job->note(notes->job->context, notes->file, text);
}

/* The calls that were inlined at an address of a file of this machine, for `stackcollapse-perf.pl
 * --inline`, which runs addr2line. */
struct inliner {
	struct wk_collapse_inliner reader;
	struct wk_symbolizer symbolizer;
	struct wk_place places[WK_MOST_PLACES];
	struct wk_collapse_call calls[WK_MOST_PLACES];
	struct wk_buf names; /* of all calls, one behind the other */
};

static void add_name(struct inliner *inliner, struct wk_str linked)
{
	struct wk_buf name = { 0 };

	if (!wk_demangle(linked, &name))
		wk_buf_add_str(&name, linked.len ? linked : wk_str_c("??"));
	wk_buf_add_str(&inliner->names, wk_buf_str(&name));
	wk_buf_fini(&name);
}

/* `perf script` prints addresses as the file's own tables count them. */
static size_t find_calls(void *context, struct wk_str path, uint64_t address,
			 const struct wk_collapse_call **calls)
{
	struct inliner *inliner = context;
	struct wk_image_key key = { .path = path };
	struct wk_image_symbols *image = wk_symbols_image(inliner->symbolizer.symbols, &key);
	size_t count = wk_image_places_of(image, address, inliner->places, WK_MOST_PLACES);
	size_t begin = 0;

	wk_buf_reset(&inliner->names);
	for (size_t i = 0; i < count; i++) {
		const struct wk_place *place = &inliner->places[count - 1 - i];

		add_name(inliner, place->function);
		inliner->calls[i] = (struct wk_collapse_call){
			.function.len = inliner->names.len - begin,
			.file = wk_str_basename(place->file),
			.line = place->line,
		};
		begin = inliner->names.len;
	}
	begin = 0;
	for (size_t i = 0; i < count; i++) {
		inliner->calls[i].function.at = wk_buf_text(&inliner->names) + begin;
		begin += inliner->calls[i].function.len;
	}
	*calls = inliner->calls;
	return count;
}

static struct inliner *inliner_new(const struct wk_messages *messages)
{
	struct inliner *inliner = wk_alloc_zeroed(1, sizeof(*inliner));
	static const struct wk_naming_options options;

	wk_symbolizer_open(&inliner->symbolizer, &options, messages, NULL);
	inliner->reader = (struct wk_collapse_inliner){ .find = find_calls, .context = inliner };
	return inliner;
}

static void inliner_free(struct inliner *inliner)
{
	if (!inliner)
		return;
	wk_symbolizer_close(&inliner->symbolizer);
	wk_buf_fini(&inliner->names);
	wk_free(inliner);
}

static bool is_guessed(const struct wk_reader *reader)
{
	static const char *const guessed[] = { "perf-script", "dtrace", "sample", "vtune",
					       "pmcstat", "ghcprof", "xctrace", "vsprof" };

	for (size_t i = 0; i < sizeof(guessed) / sizeof(guessed[0]); i++)
		if (strcmp(guessed[i], reader->name) == 0)
			return true;
	return false;
}

static bool fold(const struct wk_collapse_job *job, struct wk_fold_source *source,
		 struct wk_out *out, const struct wk_messages *messages, struct wk_err *err)
{
	struct inliner *inliner = job->with_inlined ? inliner_new(messages) : NULL;
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
		collapse.inliner = &inliner->reader;
	source->input.options.collapse = &collapse;
	source->input.options.threads = job->threads;
	wk_tally_init(&tally);
	tally.note = note;
	tally.context = &notes;
	tally.collapses_recursion = job->collapses_recursion;
	tally.per_count = job->per_count;
	sink = wk_tally_sink(&tally);
	ok = source->reader->read(&source->input, &sink, err);
	if (ok)
		wk_tally_write(&tally, out);
	wk_tally_fini(&tally);
	inliner_free(inliner);
	return ok;
}

bool wk_collapse_files(const struct wk_collapse_job *job, struct wk_out *out,
		       const struct wk_messages *messages, struct wk_err *err)
{
	struct wk_fold_source source = { 0 };
	bool ok = wk_fold_source_open(&source, job->paths, job->format, true, err);

	if (ok && wk_reader_probe(&wk_reader_perf_data, source.input.bytes))
		ok = wk_fail(err, WK_EFORMAT, WK_NOWHERE,
			     "%s is a perf.data file, not text; `wick fold` reads it",
			     strcmp(source.input.name, "-") == 0 ? "standard input"
								 : source.input.name);
	if (ok && !job->format && !is_guessed(source.reader))
		ok = wk_fail(err, WK_EFORMAT, WK_NOWHERE,
			     "No applicable collapse implementation found for input%s",
			     strcmp(source.reader->name, "folded") == 0 ? ": it is folded already"
									: "");
	if (ok)
		wk_busy(messages, "reading", source.input.name);
	ok = ok && fold(job, &source, out, messages, err);
	wk_busy_end(messages);
	wk_fold_source_close(&source);
	return ok;
}
