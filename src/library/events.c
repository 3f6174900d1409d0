#include "base/out.h"
#include "event/dump.h"
#include "formats/reader.h"
#include "library/library.h"
#include "os/os.h"

/* What a wick_event is the beginning of. */
struct taken_event {
	struct wick_event shown;
	const struct wk_event *event;
	struct wk_buf *text;
	struct wk_heap *heap;
};

struct read_events {
	const char *path;
	struct wick_open_options options;
	wick_take_event take;
	void *user;
	struct wk_buf text;
	struct wk_err err;
};

static bool take(void *context, const struct wk_event *event, struct wk_err *err)
{
	struct read_events *read = context;
	struct taken_event taken = {
		.shown = { .size = sizeof(taken.shown),
			   .kind = wk_event_kind_name(event->kind),
			   .time_ns = event->time_ns,
			   .pid = event->pid,
			   .tid = event->tid,
			   .cpu = event->cpu },
		.event = event,
		.text = &read->text,
		.heap = wk_heap_current(),
	};

	if (event->kind == WK_EVENT_SAMPLE) {
		const struct wk_event_sample *sample = &event->sample;

		taken.shown.source = sample->source;
		taken.shown.weight = sample->weight;
		taken.shown.address = sample->address;
		taken.shown.kernel_chain = sample->kernel_chain;
		taken.shown.kernel_count = sample->kernel_count;
		taken.shown.user_chain = sample->user_chain;
		taken.shown.user_count = sample->user_count;
	}
	return read->take(read->user, &taken.shown) || wk_library_stop(err);
}

static void read_events(void *call)
{
	struct read_events *read = call;
	struct wk_sink sink = { .take = take, .context = read };
	unsigned threads = read->options.threads ? read->options.threads : wk_os_cpu_count();
	struct wk_opened opened;

	if (!wk_reader_open(read->path, read->options.format, &opened, &read->err))
		return;
	opened.input.options.threads = threads;
	if (!opened.reader->read(&opened.input, &sink, &read->err))
		wk_opened_fail(&opened, &read->err);
	wk_reader_close(&opened);
	wk_buf_fini(&read->text);
}

bool wick_read_events(const struct wick_context *context, const char *path,
		      const struct wick_open_options *options, wick_take_event take_event,
		      void *user, struct wick_error *error)
{
	struct read_events read = { .path = path, .take = take_event, .user = user };

	return wk_library_options(&read.options, sizeof(read.options), options, error) &&
	       wk_library_run_once(context, read_events, &read, &read.err, error);
}

static void add_event_text(void *call)
{
	const struct taken_event *taken = call;
	struct wk_buf *text = taken->text;
	struct wk_out out = wk_out_to_buf(text);

	wk_buf_reset(text);
	wk_event_dump(taken->event, &out);
	wk_out_end(&out);
	if (text->len)
		text->at[--text->len] = '\0';
}

/* Without memory it is empty, and the reading ends soon. */
const char *wick_event_text(const struct wick_event *event)
{
	struct taken_event *taken = (struct taken_event *)event;

	if (!wk_heap_run(taken->heap, add_event_text, taken))
		return "";
	return wk_buf_text(taken->text);
}

const char *wick_input_format(size_t index)
{
	const struct wk_reader *const *readers = wk_readers();

	for (size_t i = 0; readers[i]; i++)
		if (i == index)
			return readers[i]->name;
	return NULL;
}
