#include "formats/perf/write_internal.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>

#include "base/mem.h"
#include "os/os.h"

#define DEFAULT_INTERVAL_NS 1000000000u
#define DEFAULT_BUFFER      (256u << 10)

struct wk_perf_data_writer *wk_perf_data_writer_new(
	int fd, const struct wk_perf_data_write_options *options)
{
	struct wk_perf_data_writer *writer = wk_alloc_zeroed(1, sizeof(*writer));

	writer->fd = fd;
	writer->is_pipe = !wk_os_is_seekable(fd);
	writer->flush_interval_ns = options && options->flush_interval_ns
					    ? options->flush_interval_ns
					    : DEFAULT_INTERVAL_NS;
	writer->buffer_bytes =
		options && options->buffer_bytes ? options->buffer_bytes : DEFAULT_BUFFER;
	writer->keeps_stacks = options && options->keeps_stacks;
	for (unsigned i = 0; i < WK_PERF_WRITE_SECTIONS; i++)
		writer->sections[i].subject = WK_SECTION_FIRST + i;
	return writer;
}

void wk_perf_data_writer_free(struct wk_perf_data_writer *writer)
{
	if (!writer)
		return;
	for (unsigned i = 0; i < WK_PERF_WRITE_SECTIONS; i++)
		wk_section_fini(&writer->sections[i]);
	wk_buf_fini(&writer->pending);
	wk_map_fini(&writer->source_of);
	wk_index_fini(&writer->build_id_of);
	wk_arena_fini(&writer->arena);
	WK_FREE_ALL(writer->sources, writer->facts, writer->build_ids, writer);
}

uint64_t wk_perf_data_writer_bytes(const struct wk_perf_data_writer *writer)
{
	return writer->data_offset + writer->data_bytes + writer->pending.len +
	       writer->feature_bytes;
}

uint64_t wk_perf_data_writer_samples(const struct wk_perf_data_writer *writer)
{
	return writer->data_samples;
}

bool wk_perf_data_writer_has_head(const struct wk_perf_data_writer *writer)
{
	return writer->has_head;
}

bool wk_perf_data_writer_has_failed(const struct wk_perf_data_writer *writer)
{
	return writer->failure.code != WK_OK;
}

/* Keeps the first failure, so that the caller gets the cause and not its consequences. */
static bool fail(struct wk_perf_data_writer *writer, struct wk_err *err)
{
	if (errno == ENOSPC && !writer->is_pipe)
		wk_fail(&writer->failure, WK_EIO, WK_NOWHERE, "the disk is full");
	else
		wk_fail_os(&writer->failure, errno, "writing the recording");
	if (err && err->code == WK_OK)
		*err = writer->failure;
	return false;
}

static void add_head(const struct wk_perf_data_writer *writer, struct wk_buf *out)
{
	uint64_t ids = WK_PERF_FILE_HEAD, attrs = ids + 8 * writer->source_count;
	uint64_t stride = WK_PERF_WRITE_ATTR_BYTES + 16;

	wk_buf_add(out, WK_PERF_MAGIC, 8);
	wk_buf_add_u64(out, WK_PERF_FILE_HEAD);
	wk_buf_add_u64(out, stride);
	wk_buf_add_u64(out, attrs);
	wk_buf_add_u64(out, stride * writer->source_count);
	wk_buf_add_u64(out, attrs + stride * writer->source_count);
	wk_buf_add_u64(out, 0); /* the data's size, until there is some */
	wk_perf_write_zeros(out, 16 + WK_PERF_FEATURES / 8);
	assert(out->len == ids);
	for (size_t i = 0; i < writer->source_count; i++)
		wk_buf_add_u64(out, WK_PERF_WRITE_ID(i));
	for (size_t i = 0; i < writer->source_count; i++) {
		wk_perf_write_attr(writer, i, out);
		wk_buf_add_u64(out, ids + 8 * i);
		wk_buf_add_u64(out, 8);
	}
	assert(out->len == attrs + stride * writer->source_count);
}

static bool write_head(struct wk_perf_data_writer *writer, struct wk_err *err)
{
	struct wk_buf head = { 0 };
	bool ok;

	writer->began = true;
	if (writer->is_pipe) {
		writer->describes_tracepoints = true;
		wk_buf_add(&head, WK_PERF_MAGIC, 8);
		wk_buf_add_u64(&head, WK_PERF_PIPE_HEAD);
		ok = wk_os_write(writer->fd, head.at, head.len);
	} else {
		add_head(writer, &head);
		ok = wk_os_write_at(writer->fd, 0, head.at, head.len);
	}
	if (!ok)
		fail(writer, err);
	writer->has_head = ok;
	writer->data_offset = head.len;
	wk_buf_fini(&head);
	wk_perf_write_leading_records(writer);
	return ok;
}

static bool write_pending(struct wk_perf_data_writer *writer)
{
	const struct wk_buf *pending = &writer->pending;

	if (writer->is_pipe)
		return wk_os_write(writer->fd, pending->at, pending->len);
	return wk_os_write_at(writer->fd, writer->data_offset + writer->data_bytes, pending->at,
			      pending->len);
}

static void add_fact(struct wk_perf_data_writer *writer, struct wk_str key, struct wk_str value)
{
	struct wk_perf_write_fact fact = {
		.key = wk_arena_copy(&writer->arena, key),
		.value = wk_arena_copy(&writer->arena, value),
	};

	*WK_APPEND(writer->facts, writer->fact_count, writer->fact_cap) = fact;
}

/* What there is of the file is whole, and says that there was to be more. */
static void break_off(struct wk_perf_data_writer *writer)
{
	struct wk_buf text = { 0 };

	wk_perf_write_discard_excess(writer);
	wk_buf_add_fmt(&text, "the recording broke off: %s", writer->failure.text);
	add_fact(writer, wk_str_c(WK_SECTION_FACT_INCOMPLETE), wk_buf_str(&text));
	wk_buf_fini(&text);
}

bool wk_perf_data_writer_flush(struct wk_perf_data_writer *writer, struct wk_err *err)
{
	if (writer->failure.code != WK_OK)
		return fail(writer, err);
	if (!writer->began && !write_head(writer, err))
		return false;
	writer->flushed_ns = writer->last_ns;
	if (writer->pending.len == 0)
		return true;
	wk_perf_write_finished_round(writer);
	if (!write_pending(writer)) {
		fail(writer, err);
		if (!writer->is_pipe)
			break_off(writer);
		return false;
	}
	if (!writer->is_pipe)
		return wk_perf_write_pending_is_there(writer) || fail(writer, err);
	writer->data_bytes += writer->pending.len;
	wk_buf_reset(&writer->pending);
	return true;
}

static bool add_source(struct wk_perf_data_writer *writer, const struct wk_event_source *event,
		       struct wk_err *err)
{
	struct wk_perf_write_source source = { .number = event->source };

	if (wk_map_find(&writer->source_of, event->source))
		return true;
	if (writer->began)
		return wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			       "source %" PRIu32 " (%.*s) came after the first record",
			       event->source, WK_STR_ARG(event->name));
	source.name = wk_arena_copy(&writer->arena, event->name);
	source.unit = wk_arena_copy(&writer->arena, event->unit);
	if (writer->keeps_stacks && event->user_stack_bytes) {
		source.user_registers = event->user_registers;
		source.user_stack_bytes = event->user_stack_bytes;
	}
	source.has_address = event->details & WK_DETAIL_ADDRESS;
	if (event->tracing_data.len) {
		source.has_fields = true;
		source.type = WK_PERF_TYPE_TRACEPOINT;
		source.config = event->trace_id;
		if (!writer->tracing_data.len)
			writer->tracing_data = wk_arena_copy(&writer->arena, event->tracing_data);
	}
	wk_perf_write_describe(&source);
	*WK_APPEND(writer->sources, writer->source_count, writer->source_cap) = source;
	wk_map_set(&writer->source_of, event->source, (uint32_t)writer->source_count);
	return true;
}

struct wk_str wk_perf_write_fact(const struct wk_perf_data_writer *writer, const char *key)
{
	for (size_t i = 0; i < writer->fact_count; i++)
		if (wk_str_is(writer->facts[i].key, key))
			return writer->facts[i].value;
	return wk_str_of("", 0);
}

static bool flush_is_due(const struct wk_perf_data_writer *writer)
{
	return writer->pending.len >= writer->buffer_bytes ||
	       writer->last_ns - writer->flushed_ns >= writer->flush_interval_ns;
}

/* Names go to sections; a record that contains one has no space for it. */
static bool read_name(struct wk_perf_data_writer *writer, const struct wk_event *event)
{
	size_t len = writer->pending.len;

	if (event->kind == WK_EVENT_SYMBOL || event->kind == WK_EVENT_BOUNDS ||
	    event->kind == WK_EVENT_CALLS || event->kind == WK_EVENT_NOTE)
		wk_perf_write_event(writer, event, NULL);
	writer->pending.len = len;
	return true;
}

static bool take(void *context, const struct wk_event *event, struct wk_err *err)
{
	struct wk_perf_data_writer *writer = context;

	if (writer->takes_names)
		return read_name(writer, event);
	if (writer->failure.code != WK_OK)
		return fail(writer, err);
	if (event->kind == WK_EVENT_SOURCE)
		return add_source(writer, &event->source, err);
	if (event->kind == WK_EVENT_SYSTEM) {
		add_fact(writer, event->system.key, event->system.value);
		return true;
	}
	if (event->kind == WK_EVENT_NOTE && event->note.severity != WK_NOTE_REMARK) {
		add_fact(writer,
			 wk_str_c(event->note.severity == WK_NOTE_FAULT
					  ? WK_SECTION_FACT_FAULT
					  : WK_SECTION_FACT_INCOMPLETE),
			 event->note.text);
		return true;
	}
	if (!writer->began && !write_head(writer, err))
		return false;
	if (!wk_perf_write_event(writer, event, err))
		return false;
	if (event->time_ns > writer->last_ns)
		writer->last_ns = event->time_ns;
	return flush_is_due(writer) ? wk_perf_data_writer_flush(writer, err) : true;
}

bool wk_perf_data_writer_add_names(struct wk_perf_data_writer *writer)
{
	writer->takes_names = writer->is_full;
	return writer->is_full;
}

struct wk_sink wk_perf_data_writer_sink(struct wk_perf_data_writer *writer)
{
	return (struct wk_sink){ .take = take, .context = writer };
}

/* Writes the contents of the features after their table, lowest bit first, as perf expects. */
static void add_features(const struct wk_perf_data_writer *writer, struct wk_buf *out,
			 uint64_t *bits)
{
	uint64_t at = writer->data_offset + writer->data_bytes;
	struct wk_buf contents = { 0 };
	struct {
		size_t start, end;
	} place[WK_PERF_FEATURES];
	unsigned count = 0;

	for (unsigned feature = 0; feature < WK_PERF_FEATURES; feature++) {
		place[count].start = contents.len;
		if (!wk_perf_write_feature(writer, feature, &contents))
			continue;
		place[count++].end = contents.len;
		bits[feature / 64] |= (uint64_t)1 << feature % 64;
	}
	for (unsigned i = 0; i < count; i++) {
		wk_buf_add_u64(out, at + 16 * (uint64_t)count + place[i].start);
		wk_buf_add_u64(out, place[i].end - place[i].start);
	}
	wk_buf_add_str(out, wk_buf_str(&contents));
	wk_buf_fini(&contents);
}

static bool pending_fits(struct wk_perf_data_writer *writer)
{
	uint64_t bits[WK_PERF_FEATURES / 64] = { 0 };
	struct wk_buf features = { 0 };
	bool ok;

	add_features(writer, &features, bits);
	ok = wk_perf_write_reserve(writer, features.len);
	wk_buf_fini(&features);
	return ok;
}

/* The place of the features in a full file: that of the last records. False, and the file ends with
 * the records, if they would replace too many of them. */
static bool free_space(struct wk_perf_data_writer *writer)
{
	bool ok = pending_fits(writer) ||
		  (wk_perf_write_leave_names_out(writer) && pending_fits(writer));

	if (!ok)
		(void)wk_os_truncate(writer->fd, writer->data_offset + writer->data_bytes);
	return ok;
}

/* Gives tracepoints their type, now that they are described. */
static bool write_attrs(struct wk_perf_data_writer *writer)
{
	struct wk_buf head = { 0 };
	bool ok;

	add_head(writer, &head);
	ok = wk_os_write_at(writer->fd, WK_PERF_FILE_HEAD, head.at + WK_PERF_FILE_HEAD,
			    head.len - WK_PERF_FILE_HEAD);
	wk_buf_fini(&head);
	return ok;
}

static bool finish_file(struct wk_perf_data_writer *writer, struct wk_err *err)
{
	uint64_t bits[WK_PERF_FEATURES / 64] = { 0 };
	struct wk_buf features = { 0 }, bitmap = { 0 };
	uint64_t at;
	bool ok = false;

	writer->describes_tracepoints = true;
	if (writer->is_full && !free_space(writer))
		return false;
	at = writer->data_offset + writer->data_bytes;
	add_features(writer, &features, bits);
	for (size_t i = 0; i < WK_PERF_FEATURES / 64; i++)
		wk_buf_add_u64(&bitmap, bits[i]);
	/* The bitmap last: until it is written, no reader looks for the sections. */
	if (!wk_os_write_at(writer->fd, at, features.at, features.len)) {
		fail(writer, err);
		(void)wk_os_truncate(writer->fd, at);
		goto out;
	}
	if (!wk_os_write_at(writer->fd, WK_PERF_HEAD_FEATURES, bitmap.at, bitmap.len) ||
	    (writer->tracing_data.len && !write_attrs(writer))) {
		fail(writer, err);
		goto out;
	}
	writer->feature_bytes = features.len;
	if (writer->is_full)
		(void)wk_os_truncate(writer->fd, at + features.len);
	ok = true;
out:
	WK_BUF_FINI_ALL(&features, &bitmap);
	return ok;
}

static bool finish_pipe(struct wk_perf_data_writer *writer, struct wk_err *err)
{
	for (unsigned feature = 0; feature < WK_PERF_FEATURES; feature++)
		wk_perf_write_feature_records(writer, feature);
	if (!write_pending(writer))
		return fail(writer, err);
	writer->feature_bytes = writer->pending.len;
	wk_buf_reset(&writer->pending);
	return true;
}

static void note(struct wk_perf_data_writer *writer, uint64_t count, const char *one,
		 const char *many)
{
	struct wk_event event = { .kind = WK_EVENT_NOTE, .time_ns = writer->last_ns,
				  .cpu = WK_NO_CPU, .note.offset = WK_NOWHERE };
	struct wk_buf text = { 0 };

	if (count == 0)
		return;
	wk_buf_add_fmt(&text, "%" PRIu64 " %s", count, count == 1 ? one : many);
	event.note.text = wk_buf_str(&text);
	wk_perf_write_event(writer, &event, NULL);
	wk_buf_fini(&text);
}

static void close_sections(struct wk_perf_data_writer *writer)
{
	note(writer, writer->cut_chains,
	     "call chain was too long for a record and lost its outermost frames",
	     "call chains were too long for a record and lost their outermost frames");
	note(writer,
	     writer->cut_names + writer->symbols.cut_texts + writer->processes.cut_texts +
		     writer->calls.cut_texts + writer->lines.cut_texts,
	     "name was too long for a record and was cut",
	     "names were too long for a record and were cut");
	for (unsigned i = 0; i < WK_PERF_WRITE_SECTIONS; i++)
		wk_section_close(&writer->sections[i]);
}

bool wk_perf_data_writer_finish(struct wk_perf_data_writer *writer, struct wk_err *err)
{
	bool has_all = wk_perf_data_writer_flush(writer, err);

	if (!has_all && !writer->is_full)
		return false;
	wk_perf_write_own_facts(writer);
	close_sections(writer);
	return (writer->is_pipe ? finish_pipe(writer, err) : finish_file(writer, err)) && has_all;
}
