#include "formats/perf/internal.h"

#include "base/hash.h"
#include "base/mem.h"
#include "channel/stream.h"
#include "formats/heap/heap_streams.h"
#include "formats/perf/wick_sections.h"

/* Rows are found by the hash of what they are about. */
static uint64_t process_key(uint64_t time_ns, uint32_t pid, uint8_t change)
{
	return wk_hash_pair(time_ns, (uint64_t)pid << 8 | change);
}

static void read_process(struct wk_perf *perf, struct wk_bytes *rows)
{
	uint64_t time_ns = wk_u64le(rows);
	uint32_t pid = wk_u32le(rows), *id;
	uint8_t change = wk_u8(rows);
	struct wk_perf_process_row row = { .has_exit_code = wk_u8(rows) != 0 };

	row.exit_code = (int)wk_u32le(rows);
	row.command_line = wk_section_text(rows);
	id = rows->bad ? NULL : wk_map_at(&perf->process_of, process_key(time_ns, pid, change));
	if (!id || *id)
		return;
	*WK_APPEND(perf->processes, perf->process_count, perf->process_cap) = row;
	*id = (uint32_t)perf->process_count;
}

void wk_perf_apply_process_row(const struct wk_perf *perf, struct wk_event *event)
{
	uint32_t id = wk_map_find(&perf->process_of, process_key(event->time_ns, event->pid,
								 (uint8_t)event->process.change));
	const struct wk_perf_process_row *row;

	if (!id)
		return;
	row = &perf->processes[id - 1];
	event->process.command_line = row->command_line;
	event->process.has_exit_code = row->has_exit_code;
	event->process.exit_code = row->exit_code;
}

static uint64_t image_key(struct wk_str path, const struct wk_build_id *id)
{
	return wk_hash_pair(wk_hash_bytes(path.at, path.len), wk_hash_bytes(id->bytes, id->size));
}

static void read_image(struct wk_perf *perf, struct wk_bytes *rows)
{
	struct wk_build_id build_id = wk_section_build_id(rows);
	struct wk_perf_image_row row = { .device_major = wk_u32le(rows) };
	struct wk_str path;
	uint32_t *id;

	row.device_minor = wk_u32le(rows);
	row.inode = wk_u64le(rows);
	row.inode_generation = wk_u64le(rows);
	path = wk_section_text(rows);
	id = rows->bad ? NULL : wk_map_at(&perf->image_of, image_key(path, &build_id));
	if (!id || *id)
		return;
	*WK_APPEND(perf->images, perf->image_count, perf->image_cap) = row;
	*id = (uint32_t)perf->image_count;
}

void wk_perf_apply_image_row(const struct wk_perf *perf, struct wk_event_image *image)
{
	const struct wk_perf_image_row *row;
	uint32_t id;

	if (perf->image_count == 0 || image->build_id.size == 0 || image->inode)
		return;
	id = wk_map_find(&perf->image_of, image_key(image->path, &image->build_id));
	if (!id)
		return;
	row = &perf->images[id - 1];
	image->device_major = row->device_major;
	image->device_minor = row->device_minor;
	image->inode = row->inode;
	image->inode_generation = row->inode_generation;
}

static bool read_symbol(struct wk_bytes *rows, struct wk_event *event)
{
	event->kind = WK_EVENT_SYMBOL;
	event->time_ns = wk_u64le(rows);
	event->pid = wk_u32le(rows);
	event->tid = wk_u32le(rows);
	event->symbol.start = wk_u64le(rows);
	event->symbol.size_bytes = wk_u64le(rows);
	event->symbol.build_id = wk_section_build_id(rows);
	event->symbol.image_path = wk_section_text(rows);
	event->symbol.name = wk_section_text(rows);
	return !rows->bad;
}

static bool read_note(struct wk_bytes *rows, struct wk_event *event)
{
	event->kind = WK_EVENT_NOTE;
	event->time_ns = wk_u64le(rows);
	event->pid = wk_u32le(rows);
	event->tid = wk_u32le(rows);
	event->note.offset = wk_u64le(rows);
	event->note.text = wk_section_text(rows);
	return !rows->bad;
}

/* Stores the position of the row; it is read again in its turn. Names of images are needed before
 * the first sample. */
static void read_extra(struct wk_perf *perf, struct wk_bytes *rows, bool is_note)
{
	struct wk_perf_extra extra = { .row = *rows, .is_note = is_note };
	struct wk_event event = { 0 };

	if (is_note ? !read_note(rows, &event) : !read_symbol(rows, &event))
		return;
	extra.time_ns = is_note || event.symbol.image_path.len == 0 ? event.time_ns : 0;
	*WK_APPEND(perf->extras, perf->extra_count, perf->extra_cap) = extra;
}

static void read_use(struct wk_perf *perf, struct wk_bytes *rows)
{
	struct wk_event event = { .kind = WK_EVENT_PROCESS, .cpu = WK_NO_CPU };
	struct wk_process_use *use = &event.process.use;

	event.process.change = WK_PROCESS_SEEN;
	event.process.threads_apart = true;
	event.time_ns = wk_u64le(rows);
	event.pid = event.tid = wk_u32le(rows);
	use->is_known = true;
	use->working_set_bytes = wk_u64le(rows);
	use->peak_working_set_bytes = wk_u64le(rows);
	use->peak_virtual_bytes = wk_u64le(rows);
	use->swap_bytes = wk_u64le(rows);
	use->share_bytes = wk_u64le(rows);
	use->huge_bytes = wk_u64le(rows);
	use->huge_tlb_bytes = wk_u64le(rows);
	/* Each row has a chunk of its own; those of older recordings end here. */
	if (wk_bytes_left(rows)) {
		use->anonymous_bytes = wk_u64le(rows);
		use->file_bytes = wk_u64le(rows);
		use->shared_bytes = wk_u64le(rows);
		use->heap_bytes = wk_u64le(rows);
		use->stack_bytes = wk_u64le(rows);
	}
	if (rows->bad)
		return;
	if (perf->uses_emitted == perf->use_count)
		perf->uses_emitted = perf->use_count = 0;
	*WK_APPEND(perf->uses, perf->use_count, perf->use_cap) = event;
}

bool wk_perf_emit_uses(struct wk_perf *perf, uint64_t until_ns)
{
	while (perf->uses_emitted < perf->use_count &&
	       perf->uses[perf->uses_emitted].time_ns <= until_ns)
		if (!wk_perf_give(perf, &perf->uses[perf->uses_emitted++]))
			return false;
	return true;
}

static bool read_calls(struct wk_perf *perf, struct wk_bytes *rows)
{
	struct wk_event event = { .kind = WK_EVENT_CALLS, .cpu = WK_NO_CPU };
	size_t count;

	event.calls.address = wk_u64le(rows);
	event.calls.build_id = wk_section_build_id(rows);
	event.calls.image_path = wk_section_known_text(rows, &perf->known);
	count = wk_u32le(rows);
	rows->bad |= count > WK_SECTION_MOST_CALLS;
	for (; event.calls.count < count && !rows->bad; event.calls.count++) {
		struct wk_event_call *call = &perf->calls[event.calls.count];

		call->function = wk_section_known_text(rows, &perf->known);
		call->file = wk_section_known_text(rows, &perf->known);
		call->line = wk_u32le(rows);
	}
	event.calls.calls = perf->calls;
	return rows->bad || wk_perf_give(perf, &event);
}

static bool read_bounds(struct wk_perf *perf, struct wk_bytes *rows)
{
	struct wk_event event = { .kind = WK_EVENT_BOUNDS, .cpu = WK_NO_CPU };
	struct wk_event_bounds *bounds = &event.bounds;
	struct wk_str id;

	bounds->start = wk_u64le(rows);
	bounds->size_bytes = wk_u32le(rows);
	bounds->is_root = wk_u8(rows) != 0;
	id = wk_section_known_text(rows, &perf->known);
	bounds->image_path = wk_section_known_text(rows, &perf->known);
	if (rows->bad || id.len > sizeof(bounds->build_id.bytes))
		return true;
	bounds->build_id.size = (uint8_t)id.len;
	memcpy(bounds->build_id.bytes, id.len ? id.at : "", id.len);
	return wk_perf_give(perf, &event);
}

static uint64_t lines_key(uint64_t time_ns, uint32_t pid, uint64_t start)
{
	return wk_hash_pair(wk_hash_pair(time_ns, start), pid);
}

/* The place for the lines of a block: after those of the preceding row, which it may continue. */
static struct wk_perf_lines *lines_place(struct wk_perf *perf, uint64_t key)
{
	uint32_t *id = wk_map_at(&perf->lines_of, key);

	if (!*id) {
		*WK_APPEND(perf->lines, perf->line_count, perf->line_cap) =
			(struct wk_perf_lines){ .first = perf->line_row_count };
		*id = (uint32_t)perf->line_count;
	}
	return *id == perf->line_count ? &perf->lines[*id - 1] : NULL;
}

static void read_lines(struct wk_perf *perf, struct wk_bytes *rows)
{
	uint64_t time_ns = wk_u64le(rows), start;
	uint32_t pid = wk_u32le(rows), count;
	struct wk_perf_lines *lines;

	start = wk_u64le(rows);
	count = wk_u32le(rows);
	lines = rows->bad ? NULL : lines_place(perf, lines_key(time_ns, pid, start));
	for (uint32_t i = 0; i < count && !rows->bad; i++) {
		struct wk_jit_map_line line = { .address = start + wk_u32le(rows) };

		line.line = wk_u32le(rows);
		line.file = wk_section_known_text(rows, &perf->known);
		if (!lines || rows->bad)
			continue;
		*WK_APPEND(perf->line_rows, perf->line_row_count, perf->line_row_cap) = line;
		lines->count++;
	}
}

/* The contents of the lines section for a JIT code block. */
static void apply_lines(const struct wk_perf *perf, struct wk_event *event)
{
	uint32_t id = wk_map_find(&perf->lines_of,
				  lines_key(event->time_ns, event->pid, event->symbol.start));

	if (!id || event->symbol.image_path.len)
		return;
	event->symbol.lines = perf->line_rows + perf->lines[id - 1].first;
	event->symbol.line_count = perf->lines[id - 1].count;
}

static bool read_fact(struct wk_perf *perf, struct wk_bytes *rows)
{
	struct wk_event event = { .kind = WK_EVENT_SYSTEM, .cpu = WK_NO_CPU };
	struct wk_str key = wk_section_text(rows), value = wk_section_text(rows);

	bool is_fault = wk_str_is(key, WK_SECTION_FACT_FAULT);

	if (is_fault || wk_str_is(key, WK_SECTION_FACT_INCOMPLETE)) {
		event.kind = WK_EVENT_NOTE;
		event.note = (struct wk_event_note){ .offset = WK_NOWHERE, .text = value,
						     .severity = is_fault ? WK_NOTE_FAULT
									  : WK_NOTE_INCOMPLETE };
	} else {
		event.system = (struct wk_event_system){ .key = key, .value = value };
	}
	return rows->bad || wk_sink_emit(perf->sink, &event, perf->err);
}

/* As it is, for those who copy the recording. */
static bool emit_heap_rows(struct wk_perf *perf, const uint8_t *from, const uint8_t *to)
{
	struct wk_event event = {
		.kind = WK_EVENT_HEAP_STREAM,
		.cpu = WK_NO_CPU,
		.heap_stream = { wk_str_of((const char *)from, (size_t)(to - from)) },
	};

	return wk_sink_emit(perf->sink, &event, perf->err);
}

/* False: it is another row. */
static bool read_settled(struct wk_bytes row, uint64_t *until_ns)
{
	bool is_settled = wk_u8(&row) == WK_HEAP_ROW_SETTLED;

	*until_ns = wk_u64le(&row);
	return is_settled && !row.bad;
}

/* With a thread for the events of heaps: there are many. */
static void begin_heap(struct wk_perf *perf)
{
	perf->heap = wk_heap_streams_new();
	if (perf->threads < 2 || !perf->sink->accepts_blocks)
		return;
	perf->relay = wk_relay_new(perf->sink);
	perf->relay_sink = wk_relay_sink(perf->relay);
	perf->sink = &perf->relay_sink;
}

static bool read_heap_row(struct wk_perf *perf, struct wk_bytes *rows)
{
	const uint8_t *from = rows->at;
	struct wk_bytes row = wk_bytes_slice(rows, wk_u32le(rows));
	uint64_t until_ns;
	bool is_settled;

	if (rows->bad)
		return true;
	is_settled = read_settled(row, &until_ns);
	if (is_settled && !wk_perf_settle(perf, until_ns))
		return false;
	if (perf->keeps_heap_streams)
		return emit_heap_rows(perf, from, rows->at);
	if (is_settled)
		return true;
	if (!perf->heap)
		begin_heap(perf);
	wk_heap_streams_add(perf->heap, row, wk_perf_stays(perf, row, WK_HEAP_BEHIND));
	return true;
}

static bool read_row(struct wk_perf *perf, enum wk_section_subject subject, struct wk_bytes *rows)
{
	switch (subject) {
	case WK_SECTION_SYMBOLS:
		read_extra(perf, rows, false);
		break;
	case WK_SECTION_NOTES:
		read_extra(perf, rows, true);
		break;
	case WK_SECTION_USES:
		read_use(perf, rows);
		break;
	case WK_SECTION_PROCESSES:
		read_process(perf, rows);
		break;
	case WK_SECTION_IMAGES:
		read_image(perf, rows);
		break;
	case WK_SECTION_CALLS:
		return read_calls(perf, rows);
	case WK_SECTION_LINES:
		read_lines(perf, rows);
		break;
	case WK_SECTION_BOUNDS:
		return read_bounds(perf, rows);
	case WK_SECTION_FACTS:
		return read_fact(perf, rows);
	case WK_SECTION_HEAP:
		return read_heap_row(perf, rows);
	case WK_SECTION_END:
		break;
	}
	return true;
}

static bool read_section(struct wk_perf *perf, unsigned feature, struct wk_bytes content)
{
	struct wk_section_chunk chunk;
	const uint8_t *start = content.at;
	uint64_t damaged = 0;

	content.bad = false;
	while (wk_section_next(&content, &chunk, &damaged)) {
		if (chunk.subject != feature || chunk.version != WK_SECTION_VERSION) {
			wk_perf_odd(perf, WK_PERF_ODD_VERSION, chunk.rows.at);
			continue;
		}
		wk_section_known_begin(&perf->known);
		for (uint32_t i = 0; i < chunk.row_count && !chunk.rows.bad; i++)
			if (!read_row(perf, chunk.subject, &chunk.rows))
				return false;
		damaged += chunk.rows.bad;
	}
	if (damaged)
		wk_perf_odd(perf, WK_PERF_ODD_SECTION, start);
	return true;
}

bool wk_perf_section(struct wk_perf *perf, unsigned feature, struct wk_bytes content)
{
	if (feature != WK_SECTION_CALLS && feature != WK_SECTION_BOUNDS)
		return read_section(perf, feature, content);
	*WK_APPEND(perf->late, perf->late_count, perf->late_cap) =
		(struct wk_perf_late){ feature, content };
	return true;
}

/* Equal times keep file order: compare positions. */
static int compare_extras(const void *left, const void *right)
{
	const struct wk_perf_extra *a = left, *b = right;

	if (a->time_ns != b->time_ns)
		return a->time_ns < b->time_ns ? -1 : 1;
	return (a->row.at > b->row.at) - (a->row.at < b->row.at);
}

void wk_perf_sort_extras(struct wk_perf *perf)
{
	if (perf->extra_count)
		qsort(perf->extras, perf->extra_count, sizeof(*perf->extras), compare_extras);
}

bool wk_perf_emit_extras(struct wk_perf *perf, uint64_t until_ns)
{
	while (perf->extras_emitted < perf->extra_count &&
	       perf->extras[perf->extras_emitted].time_ns <= until_ns) {
		struct wk_perf_extra *extra = &perf->extras[perf->extras_emitted++];
		struct wk_event event = { .cpu = WK_NO_CPU };

		if (extra->is_note)
			read_note(&extra->row, &event);
		else if (read_symbol(&extra->row, &event))
			apply_lines(perf, &event);
		event.time_ns = extra->time_ns;
		if (!wk_perf_give(perf, &event))
			return false;
	}
	return true;
}

bool wk_perf_emit_names(struct wk_perf *perf)
{
	bool ok = wk_perf_emit_extras(perf, 0);

	for (size_t i = 0; ok && i < perf->late_count; i++)
		ok = read_section(perf, perf->late[i].feature, perf->late[i].content);
	return ok;
}
