#include "formats/heap/heap_streams.h"
#include "formats/perf/internal.h"

#include <inttypes.h>

#include "base/mem.h"
#include "formats/perf/wick_sections.h"
#include "formats/reader.h"

struct span {
	uint64_t offset, size;
};

#define RELEASE_BYTES (8u << 20) /* of the input, between two calls of wk_os_release_to */

/* Records that wait are read again; their pages come back then. */
static void release_to(struct wk_perf *perf, const uint8_t *at)
{
	uint64_t offset = (uint64_t)(at - perf->file_start);

	if (perf->file && offset >= perf->released + RELEASE_BYTES) {
		wk_os_release_to(perf->file, offset);
		perf->released = offset;
	}
}

enum step {
	GOT_RECORD,
	AT_END,
	BROKEN,
};

/* Bytes that follow a record without being counted in its size. */
static uint64_t bytes_behind(const struct wk_perf_record *record)
{
	struct wk_bytes body = record->body;

	if (record->type == WK_PERF_AUXTRACE)
		return wk_u64(&body);
	if (record->type == WK_PERF_HEADER_TRACING_DATA)
		return ((uint64_t)wk_u32(&body) + 7) & ~(uint64_t)7;
	return 0;
}

/* No record begins with text, as its type has zeros. Text that a program printed into the recording
 * does. Half of it may be letters beyond ASCII. */
static bool is_text(const uint8_t *at, size_t len)
{
	size_t beyond_ascii = 0;

	for (size_t i = 0; i < len; i++) {
		beyond_ascii += at[i] >= 0x80;
		if (at[i] == 0x7f || (at[i] < 0x20 && !memchr("\t\n\r\x1b", at[i], 4)))
			return false;
	}
	return beyond_ascii <= len / 2;
}

static bool fail_text(const struct wk_bytes *left, struct wk_err *err)
{
	size_t len = 0;

	while (len < 32 && len < wk_bytes_left(left) && left->at[len] >= 0x20 &&
	       left->at[len] < 0x7f)
		len++;
	return wk_fail(err, WK_ECORRUPT, wk_bytes_offset(left),
		       "perf.data: a record was expected, found the text \"%.*s\": the output of "
		       "the recorded command may be in the recording",
		       (int)len, (const char *)left->at);
}

/* The record after text. Its type is below 256, so that three of its first four bytes are zero, and
 * no byte of text is. NULL: text is all that is left. */
static const uint8_t *record_after_text(const struct wk_bytes *left)
{
	const uint8_t *zero = memchr(left->at, 0, wk_bytes_left(left));

	if (!zero || left->big_endian)
		return zero;
	return zero > left->at ? zero - 1 : zero;
}

/* What a shell appended to a pipe ("ok"), which may be shorter than the head of a record. */
static bool is_text_at_end(const struct wk_bytes *left)
{
	size_t len = wk_bytes_left(left);

	return len < 8 && left->end[-1] == '\n' && is_text(left->at, len);
}

/* A pipe may contain what a program or the shell printed to the same place. */
static bool skip_text(struct wk_perf *perf, struct wk_bytes *left, struct wk_err *err)
{
	const uint8_t *record = record_after_text(left);

	if (!perf->is_pipe || (!record && left->at == perf->data.at))
		return fail_text(left, err);
	wk_perf_odd(perf, WK_PERF_ODD_TEXT, left->at);
	left->at = record ? record : left->end;
	return true;
}

/* Removes the next record from `left`. One that claims more than there is ends the data. */
static enum step next_record(struct wk_perf *perf, struct wk_bytes *left,
			     struct wk_perf_record *record, struct wk_err *err)
{
	struct wk_bytes head;
	const uint8_t *at;
	uint32_t type, misc, size;

	if (wk_bytes_left(left) == 0)
		return AT_END;
	if ((wk_bytes_left(left) >= 8 && is_text(left->at, 8)) || is_text_at_end(left)) {
		if (!skip_text(perf, left, err))
			return BROKEN;
		if (wk_bytes_left(left) == 0)
			return AT_END;
	}
	head = *left;
	at = left->at;
	type = wk_u32(&head);
	misc = wk_u16(&head);
	size = wk_u16(&head);
	if (type >= WK_PERF_ANDROID_TYPES && type < WK_PERF_ANDROID_TYPES_END)
		size |= misc << 16;
	if (!head.bad && size < 8) {
		wk_fail(err, WK_ECORRUPT, wk_bytes_offset(left),
			"perf.data: record size %" PRIu32 " is below the 8-byte header", size);
		return BROKEN;
	}
	wk_bytes_skip(left, size);
	if (head.bad || left->bad) {
		wk_perf_odd(perf, WK_PERF_ODD_END, at);
		return AT_END;
	}
	*record = wk_perf_record_at(perf, at);
	wk_bytes_skip(left, bytes_behind(record));
	return GOT_RECORD;
}

static void read_attr_record(struct wk_perf *perf, const struct wk_perf_record *record)
{
	struct wk_bytes body = record->body, raw = record->body;
	uint32_t size;

	wk_u32(&body);
	size = wk_u32(&body);
	body.at = record->body.at;
	raw = wk_bytes_slice(&body, size);
	if (raw.bad || !wk_perf_add_attr(perf, raw))
		wk_perf_odd(perf, WK_PERF_ODD_SHORT, record->at);
	else
		wk_perf_add_ids(perf, body);
}

static void read_event_update(struct wk_perf *perf, const struct wk_perf_record *record)
{
	struct wk_bytes body = record->body;
	uint64_t what = wk_u64(&body), id = wk_u64(&body);

	if (what == WK_PERF_EVENT_UPDATE_NAME) {
		struct wk_str name = wk_bytes_text(&body);

		if (!body.bad)
			wk_perf_name_attr(perf, id, name);
	}
}

/* It follows its record. */
static void read_tracing_data(struct wk_perf *perf, const struct wk_perf_record *record)
{
	struct wk_bytes body = record->body;
	uint32_t size = wk_u32(&body);

	body.at = record->body.end;
	body.end = perf->data.end;
	body.bad = false;
	perf->tracing_data = wk_bytes_slice(&body, size);
}

static bool read_feature_record(struct wk_perf *perf, const struct wk_perf_record *record)
{
	struct wk_bytes body = record->body;
	uint64_t feature = wk_u64(&body);

	/* The number after the last known feature marks the end of the features. */
	if (body.bad || feature >= WK_PERF_FEATURES ||
	    (feature >= WK_PERF_FEATURE_END && wk_bytes_left(&body) == 0))
		return true;
	return wk_perf_feature(perf, (unsigned)feature, body);
}

static bool is_among_records(uint64_t subject)
{
	return subject == WK_SECTION_HEAP || subject == WK_SECTION_USES;
}

/* Where wick's sections are in a pipe, and some always; older recorders put names of events there.
 */
static bool read_section_record(struct wk_perf *perf, const struct wk_perf_record *record,
				bool among_records)
{
	struct wk_bytes body = record->body;
	uint64_t subject = wk_u64le(&body);

	if (body.bad || subject < WK_SECTION_FIRST || subject >= WK_SECTION_END ||
	    is_among_records(subject) != among_records)
		return true;
	return wk_perf_section(perf, (unsigned)subject, body);
}

/* The first pass reads what must be known before any event is emitted. */
static bool read_first_pass(struct wk_perf *perf, const struct wk_perf_record *record)
{
	switch (record->type) {
	case WK_PERF_HEADER_ATTR:
		read_attr_record(perf, record);
		break;
	case WK_PERF_EVENT_UPDATE:
		read_event_update(perf, record);
		break;
	case WK_PERF_HEADER_BUILD_ID:
		return wk_perf_add_build_id(perf, record);
	case WK_PERF_HEADER_TRACING_DATA:
		read_tracing_data(perf, record);
		break;
	case WK_PERF_HEADER_FEATURE:
		return read_feature_record(perf, record);
	case WK_PERF_HEADER_EVENT_TYPE:
		return read_section_record(perf, record, false);
	default:
		break;
	}
	return true;
}

static bool may_hold_samples(const struct wk_perf_record *record)
{
	return record->type == WK_PERF_SAMPLE || record->type == WK_PERF_COMPRESSED ||
	       record->type == WK_PERF_COMPRESSED2;
}

/* In a file all of it precedes the first sample; in a pipe it may be anywhere. */
static bool first_pass(struct wk_perf *perf)
{
	struct wk_bytes left = perf->data;
	struct wk_perf_record record;

	/* A damaged record is reported by the second pass, after everything before it. */
	while (next_record(perf, &left, &record, NULL) == GOT_RECORD) {
		if (may_hold_samples(&record) && !perf->is_pipe)
			break;
		if (!read_first_pass(perf, &record))
			return false;
		release_to(perf, record.at);
	}
	perf->odd[WK_PERF_ODD_END].count = 0;
	perf->odd[WK_PERF_ODD_TEXT].count = 0;
	return true;
}

#define AHEAD        6  /* records */
#define MOST_AT_ONCE 64 /* records of one moment */

static bool is_in_input(const struct wk_perf *perf, const uint8_t *at)
{
	return at >= perf->input.start && at < perf->input.end;
}

bool wk_perf_stays(const struct wk_perf *perf, struct wk_bytes bytes, size_t behind)
{
	return is_in_input(perf, bytes.at) && bytes.end <= perf->input.end &&
	       (size_t)(perf->input.end - bytes.end) >= behind;
}

static bool same_bytes(const struct wk_perf *perf, const uint8_t *a, const uint8_t *b)
{
	struct wk_perf_record left = wk_perf_record_at(perf, a);
	struct wk_perf_record right = wk_perf_record_at(perf, b);
	size_t size = (size_t)(left.body.end - a);

	return size == (size_t)(right.body.end - b) && memcmp(a, b, size) == 0;
}

/* perf looks twice where the end of a ring is: what comes in between is written at once, and again
 * in the next round. Times have nanoseconds, so nothing else is the same in both. */
static bool was_written_twice(const struct wk_perf *perf, size_t index)
{
	const struct wk_perf_waiting *rows = perf->order.rows, *row = &rows[index];

	if (!perf->round_at || row->time_ns == 0 || row->at < perf->round_at ||
	    !is_in_input(perf, row->at))
		return false;
	for (size_t i = index; i-- > 0 && index - i < MOST_AT_ONCE;) {
		if (rows[i].time_ns != row->time_ns)
			break;
		if (rows[i].at < perf->round_at && is_in_input(perf, rows[i].at) &&
		    same_bytes(perf, rows[i].at, row->at))
			return true;
	}
	return false;
}

/* Rows of the heap are in front of the records of their time. */
static bool emit_heap(struct wk_perf *perf, uint64_t until_ns)
{
	return !perf->heap || wk_heap_streams_emit(perf->heap, until_ns, perf->sink, perf->err);
}

static bool emit_waiting(struct wk_perf *perf, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct wk_perf_waiting *row = &perf->order.rows[i];

		/* It was read a round ago, and many others since. */
		if (i + AHEAD < count)
			__builtin_prefetch(row[AHEAD].at);
		if (was_written_twice(perf, i))
			wk_perf_odd(perf, WK_PERF_ODD_TWICE, row->at);
		else if (!emit_heap(perf, row->time_ns) ||
			 !wk_perf_emit(perf, row->time_ns, row->at))
			return false;
	}
	wk_perf_order_drop(&perf->order, count);
	return true;
}

bool wk_perf_settle(struct wk_perf *perf, uint64_t until_ns)
{
	return emit_waiting(perf, wk_perf_order_until(&perf->order, until_ns)) &&
	       emit_heap(perf, until_ns);
}

static void read_kernel_record(struct wk_perf *perf, const struct wk_perf_record *record)
{
	if (record->type == WK_PERF_CALLCHAIN_DEFERRED)
		wk_perf_add_deferred(perf, record);
	wk_perf_order_add(&perf->order, wk_perf_time_of(perf, record), record->at);
}

static void read_record(struct wk_perf *perf, const struct wk_perf_record *record)
{
	if (record->type >= WK_PERF_ANDROID_TYPES && record->type < WK_PERF_ANDROID_TYPES_END)
		return; /* simpleperf's notes to itself */
	if (record->type == WK_PERF_AUXTRACE)
		wk_perf_odd(perf, WK_PERF_ODD_AUXTRACE, record->at);
	else if (record->type == 0 || record->type >= WK_PERF_TYPES_END ||
		 (record->type >= WK_PERF_KERNEL_TYPES_END && record->type < WK_PERF_HEADER_ATTR))
		wk_perf_odd(perf, WK_PERF_ODD_UNKNOWN, record->at);
	else if (record->type < WK_PERF_HEADER_ATTR)
		read_kernel_record(perf, record);
}

/* wick marks its attrs: see fill_chains. */
static bool is_wicks(const struct wk_perf *perf)
{
	return perf->attr_count && perf->attrs[0].flags & WK_PERF_FLAG_EXCLUDE_CALLCHAIN_USER;
}

/* The parts of a folder are read one after the other, so a round ends with the last. */
static bool end_round(struct wk_perf *perf, const struct wk_perf_record *record)
{
	if (perf->parts->count)
		return true;
	if (!emit_waiting(perf, wk_perf_order_round(&perf->order)))
		return false;
	perf->round_at = is_wicks(perf) ? NULL : record->at;
	wk_perf_forget_packed(perf);
	return true;
}

/* The records of one packed piece. */
static void read_piece(struct wk_perf *perf, const struct wk_perf_record *piece)
{
	struct wk_perf_record record;
	struct wk_bytes plain;

	if (!wk_perf_unpack(perf, piece, &plain))
		return;
	while (wk_bytes_left(&plain)) {
		record = wk_perf_record_at(perf, plain.at);
		plain.at = record.body.end;
		read_record(perf, &record);
	}
}

static bool read_outer_record(struct wk_perf *perf, const struct wk_perf_record *record)
{
	if (record->type == WK_PERF_FINISHED_ROUND)
		return end_round(perf, record);
	if (record->type == WK_PERF_HEADER_EVENT_TYPE)
		return read_section_record(perf, record, true);
	if (record->type == WK_PERF_COMPRESSED || record->type == WK_PERF_COMPRESSED2)
		read_piece(perf, record);
	else
		read_record(perf, record);
	return true;
}

static bool parse_records(struct wk_perf *perf, struct wk_bytes left)
{
	struct wk_perf_record record;

	while (!perf->broken.code &&
	       next_record(perf, &left, &record, &perf->broken) == GOT_RECORD) {
		release_to(perf, record.at);
		if (!read_outer_record(perf, &record))
			return false;
	}
	wk_perf_end_packed(perf);
	return true;
}

static bool read_part(struct wk_perf *perf, const struct wk_part *part)
{
	struct wk_bytes records = part->bytes;

	records.big_endian = perf->input.big_endian;
	perf->file = &part->file;
	perf->file_start = records.start;
	perf->released = 0;
	return parse_records(perf, records);
}

/* The second pass sorts the records and emits them. Everything before a damaged record still
 * reaches the sink. */
static bool second_pass(struct wk_perf *perf)
{
	bool ok;

	perf->released = 0;
	ok = parse_records(perf, perf->data);
	for (size_t i = 0; i < perf->parts->count && ok; i++)
		ok = read_part(perf, &perf->parts->at[i]);
	if (!ok || !emit_waiting(perf, wk_perf_order_all(&perf->order)) ||
	    (perf->heap && !wk_heap_streams_end(perf->heap, perf->sink, perf->err)) ||
	    !wk_perf_emit_rest(perf) || !wk_perf_emit_oddities(perf))
		return false;
	if (perf->broken.code)
		return wk_fail(perf->err, perf->broken.code, perf->broken.offset, "%s",
			       perf->broken.text);
	return true;
}

/* The counter that is only there for side-band records never samples. */
static bool is_dummy(const struct wk_perf_attr *attr)
{
	return attr->type == WK_PERF_TYPE_SOFTWARE && attr->config == WK_PERF_SW_DUMMY;
}

static bool read_records(struct wk_perf *perf)
{
	if (!first_pass(perf))
		return false;
	wk_perf_sort_extras(perf);
	for (size_t i = 0; i < perf->attr_count; i++)
		if ((perf->is_header_only || !is_dummy(&perf->attrs[i])) &&
		    !wk_perf_announce(perf, &perf->attrs[i]))
			return false;
	if (perf->is_header_only)
		return wk_perf_header_tracepoints(perf) && wk_perf_emit_oddities(perf);
	return wk_perf_emit_names(perf) && second_pass(perf);
}

static struct span read_span(struct wk_bytes *in)
{
	struct span span = { .offset = wk_u64(in) };

	span.size = wk_u64(in);
	return span;
}

static bool read_attr_table(struct wk_perf *perf, struct span attrs, uint64_t stride)
{
	struct wk_bytes table = wk_bytes_at(&perf->input, attrs.offset, attrs.size);

	if (table.bad)
		return wk_fail(perf->err, WK_ECORRUPT, attrs.offset,
			       "perf.data: the table of events (0x%" PRIx64
			       " bytes) does not lie in the file",
			       attrs.size);
	while (wk_bytes_left(&table) >= stride) {
		struct wk_bytes raw = wk_bytes_slice(&table, stride - 16);
		struct span ids = read_span(&table);
		struct wk_bytes id_bytes = wk_bytes_at(&perf->input, ids.offset, ids.size);

		if (!wk_perf_add_attr(perf, raw))
			return wk_fail(perf->err, WK_ECORRUPT, wk_bytes_offset(&raw),
				       "perf.data: an event's description of %" PRIu64
				       " bytes is too short",
				       stride - 16);
		if (id_bytes.bad)
			wk_perf_odd(perf, WK_PERF_ODD_FEATURE, raw.at);
		wk_perf_add_ids(perf, id_bytes);
	}
	return true;
}

/* The table of sections follows the data, the lowest feature first. */
static bool read_features(struct wk_perf *perf, uint64_t table_at, const uint64_t *bits)
{
	uint64_t size = (uint64_t)(perf->input.end - perf->input.start);
	struct wk_bytes table = wk_bytes_at(&perf->input, table_at < size ? table_at : size,
					    table_at < size ? size - table_at : 0);

	for (unsigned feature = 0; feature < WK_PERF_FEATURES; feature++) {
		struct span span;
		struct wk_bytes content;

		if (!(bits[feature / 64] >> feature % 64 & 1))
			continue;
		span = read_span(&table);
		content = wk_bytes_at(&perf->input, span.offset, span.size);
		if (table.bad || content.bad)
			wk_perf_odd(perf, WK_PERF_ODD_FEATURE, table.at);
		else if (!wk_perf_feature(perf, feature, content))
			return false;
	}
	return true;
}

/* Does a table of sections begin here? If it were records, their first words as file offsets would
 * point far past its end. */
static bool has_features_at(const struct wk_perf *perf, uint64_t offset)
{
	struct wk_bytes table = wk_bytes_at(&perf->input, offset, 16);
	struct span first = read_span(&table);
	struct wk_bytes content = wk_bytes_at(&perf->input, first.offset, first.size);

	return !table.bad && !content.bad && first.offset > offset;
}

static bool read_file_mode(struct wk_perf *perf, struct wk_bytes head)
{
	uint64_t size = (uint64_t)(perf->input.end - perf->input.start);
	uint64_t bits[WK_PERF_FEATURES / 64], stride = wk_u64(&head);
	struct span attrs = read_span(&head), data = read_span(&head);

	read_span(&head); /* a table of event types, no longer filled */
	for (size_t i = 0; i < WK_PERF_FEATURES / 64; i++)
		bits[i] = wk_u64(&head);
	if (head.bad)
		return wk_fail(perf->err, WK_ECORRUPT, 0,
			       "perf.data: the file ends inside its %d-byte header",
			       WK_PERF_FILE_HEAD);
	if (stride > size && stride < 4096)
		return wk_fail(perf->err, WK_ECORRUPT, 16,
			       "perf.data: the file is truncated: it has %" PRIu64
			       " bytes, and an event's description alone %" PRIu64,
			       size, stride);
	if (stride < 64 || stride > size)
		return wk_fail(perf->err, WK_ECORRUPT, 16,
			       "perf.data: %" PRIu64 " bytes for an event's description, expected "
			       "64 or more",
			       stride);
	if (data.offset > size)
		return wk_fail(perf->err, WK_ECORRUPT, 40,
			       "perf.data: the file is truncated: its records would begin at "
			       "0x%" PRIx64 ", behind its end",
			       data.offset);
	if (!read_attr_table(perf, attrs, stride))
		return false;
	if (data.size > size - data.offset)
		perf->whole_bytes =
			data.size < UINT64_MAX - data.offset ? data.offset + data.size : UINT64_MAX;
	/* A killed recorder leaves the size at 0: the rest of the file is then used. */
	if ((data.size == 0 && !has_features_at(perf, data.offset)) ||
	    data.size > size - data.offset) {
		memset(bits, 0, sizeof(bits));
		data.size = size - data.offset;
	}
	perf->is_unfinished = (bits[0] | bits[1] | bits[2] | bits[3]) == 0;
	perf->data = wk_bytes_at(&perf->input, data.offset, data.size);
	return read_features(perf, data.offset + data.size, bits) && read_records(perf);
}

static bool read_all(struct wk_perf *perf)
{
	struct wk_bytes head = perf->input;
	uint64_t head_bytes;

	wk_bytes_skip(&head, 8);
	head_bytes = wk_u64(&head);
	perf->is_pipe = head_bytes == WK_PERF_PIPE_HEAD;
	if (!perf->is_pipe && head_bytes != WK_PERF_FILE_HEAD)
		return wk_fail(perf->err, WK_ECORRUPT, 8,
			       "perf.data: header of %" PRIu64
			       " bytes, expected %d (file) or %d (pipe)",
			       head_bytes, WK_PERF_FILE_HEAD, WK_PERF_PIPE_HEAD);
	if (!perf->is_pipe)
		return read_file_mode(perf, head);
	perf->data = head;
	return read_records(perf);
}

static bool begins_with(struct wk_bytes bytes, const char *magic)
{
	return wk_bytes_left(&bytes) >= 8 && memcmp(bytes.at, magic, 8) == 0;
}

static int probe(struct wk_bytes first)
{
	bool is_ours = begins_with(first, WK_PERF_MAGIC) || begins_with(first, WK_PERF_MAGIC_BIG) ||
		       begins_with(first, WK_PERF_MAGIC_OLD);

	return is_ours ? 100 : 0;
}

static void fini(struct wk_perf *perf)
{
	wk_perf_packed_fini(&perf->packed);
	wk_perf_deferred_fini(perf);
	wk_perf_memory_free(perf->memory);
	wk_perf_heap_free(perf->heap_calls);
	wk_free(perf->uses);
	wk_map_fini(&perf->attr_of_id);
	wk_map_fini(&perf->counter_of_id);
	wk_map_fini(&perf->process_of);
	wk_map_fini(&perf->image_of);
	wk_map_fini(&perf->build_id_of);
	WK_FREE_ALL(perf->order.rows, perf->order.scratch, perf->attrs, perf->build_ids,
		    perf->extras);
	wk_section_known_fini(&perf->known);
	wk_relay_free(perf->relay);
	wk_heap_streams_free(perf->heap);
	wk_map_fini(&perf->lines_of);
	WK_FREE_ALL(perf->late, perf->lines, perf->line_rows, perf->processes, perf->images,
		    perf->kernel_chain, perf->user_chain, perf->branches);
	WK_BUF_FINI_ALL(&perf->trace_text, &perf->other_text);
	wk_trace_formats_free(perf->trace_formats);
	wk_free(perf->counters);
}

static bool read_perf_data(const struct wk_input *input, const struct wk_sink *sink,
			   struct wk_err *err)
{
	struct wk_perf perf = { .input = input->bytes, .sink = sink, .err = err, .file = input->file,
				.file_start = input->bytes.start, .parts = &input->parts,
				.threads = input->options.threads,
				.skips_details = input->options.skips_details,
				.is_header_only = input->options.is_header_only,
				.keeps_heap_streams = input->options.keeps_heap_streams };
	bool ok;

	if (begins_with(input->bytes, WK_PERF_MAGIC_OLD))
		return wk_fail(err, WK_EUNSUPPORTED, WK_NOWHERE,
			       "perf.data: written by perf before 2010 (version 1 of the format), "
			       "which is too old to be read");
	perf.input.big_endian = begins_with(input->bytes, WK_PERF_MAGIC_BIG);
	if (!perf.input.big_endian && !begins_with(input->bytes, WK_PERF_MAGIC))
		return wk_fail(err, WK_EFORMAT, WK_NOWHERE,
			       "perf.data: expected the file to begin with " WK_PERF_MAGIC);
	ok = read_all(&perf) && (!perf.relay || wk_relay_finish(perf.relay, err));
	fini(&perf);
	return ok;
}

const struct wk_reader wk_reader_perf_data = {
	.name = "perf.data",
	.summary = "Linux perf, file and pipe layout",
	.suffixes = (const char *const[]){ ".data", NULL },
	.probe = probe,
	.read = read_perf_data,
	.reads_binary = true,
};
