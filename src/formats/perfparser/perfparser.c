#include "formats/perfparser/internal.h"

#include <inttypes.h>

#include "base/mem.h"
#include "base/sort.h"

/* Streams that hotspot's parser writes, and that hotspot saves as .perfparser.
 * docs/formats/perfparser.md describes what is read. */

#define LAST_VERSION 64 /* of Qt's encoding; Qt 6.7 has 22 */
#define NEARLY_ALL   0.9

#define READABLE_BYTES (1 << 20) /* of names that are not mangled any more, and 16 for each byte   \
				  */

static const char magic[12] = "QPERFSTREAM";

static bool read_head(struct wk_bytes *input, struct wk_err *err)
{
	struct wk_bytes head = wk_bytes_slice(input, sizeof(magic));
	uint32_t version = wk_u32le(input);

	if (input->bad)
		return wk_fail(err, WK_EFORMAT, WK_NOWHERE,
			       "the file is truncated before its first sample");
	if (memcmp(head.at, magic, sizeof(magic)) != 0)
		return wk_fail(err, WK_EFORMAT, WK_NOWHERE,
			       "not a stream of hotspot's parser, which begins with QPERFSTREAM");
	if (version == 0 || version > LAST_VERSION)
		return wk_fail(err, WK_ECORRUPT, sizeof(magic),
			       "version %u of Qt's encoding; expected 1 to %d", version,
			       LAST_VERSION);
	return true;
}

static void emit_features(struct wk_hotspot *hotspot)
{
	struct wk_bytes rest = hotspot->input;
	struct wk_hotspot_record record;

	while (hotspot->sizes[WK_HOTSPOT_FEATURES] && wk_hotspot_next(hotspot, &rest, &record))
		if (record.type == WK_HOTSPOT_FEATURES) {
			wk_hotspot_emit_features(hotspot, record.body);
			return;
		}
}

/* A record whose fixed size differs from that of the first of its type was counted as bad. */
static bool is_emitted(const struct wk_hotspot *hotspot, const struct wk_hotspot_record *record)
{
	bool has_any_size =
		record->type == WK_HOTSPOT_SAMPLE || record->type == WK_HOTSPOT_TRACE_SAMPLE;

	return wk_hotspot_happens(record->type) &&
	       (has_any_size || wk_bytes_left(&record->body) + 1 == hotspot->sizes[record->type]);
}

static void emit_in_file_order(struct wk_hotspot *hotspot)
{
	struct wk_bytes rest = hotspot->input;
	struct wk_hotspot_record record;

	while (wk_hotspot_next(hotspot, &rest, &record) &&
	       !wk_stack_writer_is_done(hotspot->writer)) {
		if (!is_emitted(hotspot, &record))
			continue;
		wk_hotspot_emit(hotspot, &record);
		wk_stack_writer_progress(hotspot->writer, record.offset, hotspot->whole_bytes);
	}
}

struct happening {
	uint64_t time_ns, offset;
};

/* The parser sorts what it has read so far; records that come later than that are misordered. */
static struct happening *sorted_happenings(struct wk_hotspot *hotspot, size_t *count)
{
	struct happening *happenings = wk_alloc(hotspot->happenings * sizeof(*happenings));
	struct wk_bytes rest = hotspot->input;
	struct wk_hotspot_record record;

	*count = 0;
	while (wk_hotspot_next(hotspot, &rest, &record)) {
		struct wk_bytes body = record.body;

		wk_bytes_skip(&body, 8);
		if (is_emitted(hotspot, &record) && wk_bytes_left(&body) >= 12)
			happenings[(*count)++] = (struct happening){ wk_u64(&body), record.offset };
	}
	return wk_sort_rows(happenings, *count, sizeof(*happenings),
			    offsetof(struct happening, time_ns));
}

static void emit_in_order_of_time(struct wk_hotspot *hotspot)
{
	size_t count;
	struct happening *happenings = sorted_happenings(hotspot, &count);

	for (size_t i = 0; i < count && !wk_stack_writer_is_done(hotspot->writer); i++) {
		struct wk_bytes rest = hotspot->input;
		struct wk_hotspot_record record;

		rest.at = rest.start + happenings[i].offset;
		if (wk_hotspot_next(hotspot, &rest, &record))
			wk_hotspot_emit(hotspot, &record);
	}
	wk_free(happenings);
}

static void emit_incomplete(struct wk_hotspot *hotspot, struct wk_buf *text)
{
	struct wk_event event = { .kind = WK_EVENT_NOTE, .cpu = WK_NO_CPU };

	event.note = (struct wk_event_note){ .offset = WK_NOWHERE,
					     .text = wk_buf_str(text),
					     .severity = WK_NOTE_INCOMPLETE };
	wk_stack_writer_event(hotspot->writer, &event);
	wk_buf_fini(text);
}

static void emit_notes(struct wk_hotspot *hotspot)
{
	struct wk_buf text = { 0 };

	wk_note_count(hotspot->writer, hotspot->bad_records, "damaged records");
	wk_note_count(hotspot->writer, hotspot->bad_samples,
		      "samples of an unknown layout or of an event that is not defined");
	wk_note_count(hotspot->writer, hotspot->unknown_records, "records of unknown types");
	wk_note_count(hotspot->writer, hotspot->missing, "frames of missing locations");
	wk_note_count(hotspot->writer, hotspot->left_out,
		      "inlined frames beyond two per byte of input, left out");
	if (hotspot->losses) {
		wk_buf_add_fmt(&text,
			       "records were lost while recording, at least %" PRIu64
			       "; this version of hotspot does not store how many",
			       hotspot->losses);
		emit_incomplete(hotspot, &text);
	}
	if (hotspot->progress >= 0 && hotspot->progress < NEARLY_ALL && !hotspot->is_cut) {
		wk_buf_add_fmt(&text,
			       "hotspot's parser stopped after %.0f %% of the recording; later "
			       "samples are missing",
			       100 * hotspot->progress);
		emit_incomplete(hotspot, &text);
	}
	wk_hotspot_emit_complaints(hotspot);
}

static void emit(struct wk_hotspot *hotspot)
{
	emit_features(hotspot);
	if (hotspot->is_disordered)
		emit_in_order_of_time(hotspot);
	else
		emit_in_file_order(hotspot);
	emit_notes(hotspot);
}

static void fini(struct wk_hotspot *hotspot)
{
	WK_FREE_ALL(hotspot->strings, hotspot->locations, hotspot->attributes, hotspot->frames,
		    hotspot->in_brackets, hotspot->readable, hotspot->counters);
	wk_map_fini(&hotspot->counter_of);
	wk_map_fini(&hotspot->complained);
	wk_buf_fini(&hotspot->trace_text);
	wk_arena_fini(&hotspot->texts);
}

static bool read_stream(const struct wk_input *input, const struct wk_sink *sink,
			struct wk_err *err)
{
	struct wk_hotspot hotspot = {
		.input = input->bytes,
		.whole_bytes = wk_bytes_left(&input->bytes),
		.skips_details = input->options.skips_details,
		.budget = 2 * (uint64_t)wk_bytes_left(&input->bytes) + 100000,
		.readable_budget = READABLE_BYTES + 16 * (uint64_t)wk_bytes_left(&input->bytes),
		.writer = wk_stack_writer_new(sink),
	};

	if (read_head(&hotspot.input, err) && wk_hotspot_read_tables(&hotspot, err)) {
		emit(&hotspot);
		wk_check_samples_of_cut(hotspot.writer, hotspot.is_cut, true, input->bytes, "",
					err);
	}
	fini(&hotspot);
	return wk_stack_writer_end(hotspot.writer, err);
}

static int probe(struct wk_bytes first)
{
	return wk_str_starts(wk_bytes_str(first), magic) ? 100 : 0;
}

const struct wk_reader wk_reader_perfparser = {
	.name = "perfparser",
	.summary = "streams of hotspot's parser, as hotspot saves them",
	.suffixes = (const char *const[]){ ".perfparser", NULL },
	.probe = probe,
	.read = read_stream,
	.reads_binary = true,
};
