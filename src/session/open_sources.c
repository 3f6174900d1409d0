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

static bool open_paths(struct wk_open_source *source, const char *format, struct wk_err *err)
{
	return source->is_only && source->path_count == 1
		       ? wk_reader_open_once(source->paths[0], format, &source->opened, err)
		       : wk_session_open(source->paths, source->path_count, format, &source->opened,
					 err);
}

static bool open_source(struct wk_open_source *source, const struct wk_open_options *options,
			struct wk_err *err)
{
	struct wk_read_options *how = &source->opened.input.options;

	if (source->is_open)
		return true;
	if (options->opened)
		source->opened = *options->opened;
	else if (!open_paths(source, options->format, err))
		return false;
	how->threads = thread_count(options);
	how->sums_samples = options->sums_samples;
	how->sums_other_sources = options->sums_other_sources;
	how->skips_details = true; /* the model has no place for them */
	source->is_open = !options->opened;
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

static bool reads_stdin_once(const char *const *paths, size_t count, struct wk_err *err)
{
	size_t times = 0;

	for (size_t i = 0; i < count; i++)
		times += strcmp(paths[i], "-") == 0;
	if (times > 1)
		wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			"\"-\" is given %s, but standard input can be read only once",
			times == 2 ? "twice" : "several times");
	return times <= 1;
}

static bool is_same_file(const struct wk_os_identity *a, const struct wk_os_identity *b)
{
	return a->is_regular && b->is_regular && a->inode && a->inode == b->inode &&
	       a->device_major == b->device_major && a->device_minor == b->device_minor;
}

/* Samples of a file that is given twice, itself or as a copy, would count twice. */
static bool are_other_files(const char *const *paths, size_t count, struct wk_err *err)
{
	struct wk_os_identity *identities = wk_alloc_zeroed(count, sizeof(*identities));
	bool ok = true;

	for (size_t i = 0; i < count && ok; i++) {
		if (!wk_os_identify(paths[i], &identities[i], NULL))
			identities[i].is_regular = false;
		for (size_t j = 0; j < i && ok; j++)
			if (is_same_file(&identities[i], &identities[j]))
				ok = wk_fail(err, WK_EUSAGE, WK_NOWHERE,
					     "\"%s\" is given twice; its samples would count twice",
					     paths[i]);
	}
	wk_free(identities);
	return ok && wk_content_differs(paths, count, err);
}

/* Files of one session become one source. */
static void add_input(struct wk_open_sources *sources, const char *path, bool may_join)
{
	struct wk_session_part part = { 0 };
	struct wk_open_source *source = sources->at, *end = sources->at + sources->count;

	if (may_join)
		part = wk_session_part(path);
	while (source < end && !wk_session_is_one(&source->part, &part))
		source++;
	if (source == end) {
		source->part = part;
		sources->count++;
	}
	*WK_APPEND(source->paths, source->path_count, source->paths_cap) = path;
}

bool wk_open_sources_init(struct wk_open_sources *sources, const char *const *paths, size_t count,
			  bool is_comparison, struct wk_err *err)
{
	*sources = (struct wk_open_sources){ 0 };
	if (!reads_stdin_once(paths, count, err) ||
	    (!is_comparison && !are_other_files(paths, count, err)))
		return false;
	sources->at = wk_alloc_zeroed(count, sizeof(*sources->at));
	for (size_t i = 0; i < count; i++)
		add_input(sources, paths[i], count > 1 && !is_comparison);
	sources->at[0].is_before = is_comparison;
	sources->at[0].is_only = sources->count == 1;
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
