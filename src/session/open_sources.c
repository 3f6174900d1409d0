#include "session/open_sources.h"

#include <string.h>

#include "base/mem.h"
#include "formats/archive/content.h"
#include "os/os.h"

static unsigned thread_count(const struct wk_open_options *options)
{
	unsigned most = 64;

	if (options->threads)
		return options->threads < most ? (unsigned)options->threads : most;
	return wk_os_cpu_count() < most ? wk_os_cpu_count() : most;
}

static bool comes_once(const char *path)
{
	struct wk_os_identity identity;

	if (strcmp(path, "-") == 0)
		return true;
	return !wk_os_is_folder(path) && wk_os_identify(path, &identity, NULL) &&
	       !identity.is_regular;
}

static bool open_source(struct wk_open_source *source, const struct wk_open_options *options,
			struct wk_err *err)
{
	struct wk_read_options *how = &source->opened.input.options;

	if (source->is_open)
		return true;
	if (!wk_session_open(source->paths, source->path_count, options->format, &source->opened,
			     err))
		return false;
	how->threads = thread_count(options);
	how->sums_samples = options->sums_samples;
	how->sums_other_sources = options->sums_other_sources;
	how->skips_details = true; /* the model has no place for them */
	source->is_open = true;
	return true;
}

static void close_source(struct wk_open_source *source)
{
	if (source->is_open)
		wk_reader_close(&source->opened);
	source->is_open = false;
}

bool wk_open_source_read(struct wk_open_source *source, const struct wk_open_options *options,
			 const struct wk_sink *sink, struct wk_err *err)
{
	bool ok = open_source(source, options, err) &&
		  (source->opened.reader->read(&source->opened.input, sink, err) ||
		   wk_opened_fail(&source->opened, err));

	if (!comes_once(source->paths[0]))
		close_source(source);
	return ok;
}

static bool reads_stdin_once(const struct wk_open_input *inputs, size_t count, struct wk_err *err)
{
	size_t times = 0;

	for (size_t i = 0; i < count; i++)
		times += strcmp(inputs[i].path, "-") == 0;
	if (times > 1)
		wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			"\"-\" is given %s, but standard input can be read only once",
			times == 2 ? "twice" : "several times");
	return times <= 1;
}

static bool is_same_file(const struct wk_open_input *a, const struct wk_os_identity *of_a,
			 const struct wk_open_input *b, const struct wk_os_identity *of_b)
{
	if (a->is_before != b->is_before || !of_a->is_regular || !of_b->is_regular)
		return false;
	return of_a->inode && of_a->inode == of_b->inode &&
	       of_a->device_major == of_b->device_major && of_a->device_minor == of_b->device_minor;
}

/* A file and its copy have the same content. The two sides of a comparison may be equal. */
static bool have_other_content(const struct wk_open_input *inputs, size_t count, bool is_before,
			       struct wk_err *err)
{
	const char **paths = wk_alloc((count + 1) * sizeof(*paths));
	size_t of_side = 0;
	bool ok;

	for (size_t i = 0; i < count; i++)
		if (inputs[i].is_before == is_before)
			paths[of_side++] = inputs[i].path;
	ok = wk_content_differs(paths, of_side, err);
	wk_free(paths);
	return ok;
}

/* Samples of a file that is given twice would count twice. */
static bool are_other_files(const struct wk_open_input *inputs, size_t count, struct wk_err *err)
{
	struct wk_os_identity *identities = wk_alloc_zeroed(count, sizeof(*identities));
	bool ok = true;

	for (size_t i = 0; i < count && ok; i++) {
		if (!wk_os_identify(inputs[i].path, &identities[i], NULL))
			identities[i].is_regular = false;
		for (size_t j = 0; j < i && ok; j++)
			if (is_same_file(&inputs[i], &identities[i], &inputs[j], &identities[j]))
				ok = wk_fail(err, WK_EUSAGE, WK_NOWHERE,
					     "\"%s\" is given twice; its samples would count twice",
					     inputs[i].path);
	}
	wk_free(identities);
	return ok && have_other_content(inputs, count, false, err) &&
	       have_other_content(inputs, count, true, err);
}

/* The one whose session it belongs to, or NULL. */
static struct wk_open_source *source_with(struct wk_open_source *sources, size_t count,
					  bool is_before, const struct wk_session_part *part)
{
	for (size_t i = 0; i < count; i++)
		if (sources[i].is_before == is_before && wk_session_is_one(&sources[i].part, part))
			return &sources[i];
	return NULL;
}

/* Files of one session become one source. */
static void add_input(struct wk_open_sources *sources, const struct wk_open_input *input,
		      bool is_alone)
{
	struct wk_session_part part = { 0 };
	struct wk_open_source *source;

	if (!is_alone)
		part = wk_session_part(input->path);
	source = source_with(sources->at, sources->count, input->is_before, &part);
	if (!source) {
		source = &sources->at[sources->count++];
		source->part = part;
		source->is_before = input->is_before;
	}
	*WK_APPEND(source->paths, source->path_count, source->paths_cap) = input->path;
}

bool wk_open_sources_init(struct wk_open_sources *sources, const struct wk_open_input *inputs,
			  size_t count, struct wk_err *err)
{
	*sources = (struct wk_open_sources){ 0 };
	if (!reads_stdin_once(inputs, count, err) || !are_other_files(inputs, count, err))
		return false;
	sources->at = wk_alloc_zeroed(count, sizeof(*sources->at));
	for (size_t i = 0; i < count; i++)
		add_input(sources, &inputs[i], count == 1);
	return true;
}

void wk_open_sources_fini(struct wk_open_sources *sources)
{
	for (size_t i = 0; i < sources->count; i++) {
		close_source(&sources->at[i]);
		wk_free(sources->at[i].paths);
	}
	wk_free(sources->at);
}
