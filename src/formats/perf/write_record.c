#include "formats/perf/write_internal.h"

#include <inttypes.h>

#include "base/hash.h"
#include "base/mem.h"

/* A record's size is 16 bits wide. */
#define MOST_RECORD_BYTES 65528
#define SAMPLE_FIXED      88 /* bytes of a sample without its call chain's entries */
#define MOST_CHAIN        ((MOST_RECORD_BYTES - SAMPLE_FIXED) / 8)
#define MOST_NAME         (MOST_RECORD_BYTES / 2)
#define MOST_FIELDS       (MOST_RECORD_BYTES / 2) /* the kernel's limit is a quarter of it */

static size_t record_begin(struct wk_perf_data_writer *writer, uint32_t type, uint32_t misc)
{
	return wk_perf_write_record_begin(&writer->pending, type, misc);
}

static void record_end(struct wk_perf_data_writer *writer, size_t start)
{
	wk_perf_write_record_end(&writer->pending, start);
}

static void add_ids(struct wk_perf_data_writer *writer, uint32_t first, uint32_t second)
{
	wk_buf_add_u32(&writer->pending, first);
	wk_buf_add_u32(&writer->pending, second);
}

/* With its NUL and padded, as records hold names. */
static void add_name(struct wk_perf_data_writer *writer, struct wk_str name)
{
	struct wk_buf *out = &writer->pending;

	if (name.len > MOST_NAME) {
		name.len = MOST_NAME;
		writer->cut_names++;
	}
	wk_buf_add_str(out, name);
	wk_perf_write_zeros(out, 8 - name.len % 8);
}

/* What sample_id_all promises at the end of every record that is not a sample. */
static void add_trailer_of(struct wk_perf_data_writer *writer, const struct wk_event *event,
			   uint64_t id)
{
	add_ids(writer, event->pid, event->tid);
	wk_buf_add_u64(&writer->pending, event->time_ns);
	add_ids(writer, event->cpu, 0);
	wk_buf_add_u64(&writer->pending, id);
}

static void add_trailer(struct wk_perf_data_writer *writer, const struct wk_event *event)
{
	add_trailer_of(writer, event, WK_PERF_WRITE_ID(0));
}

static void add_task_record(struct wk_perf_data_writer *writer, const struct wk_event *event,
			    uint32_t type, uint32_t misc, uint32_t parent_pid, uint32_t parent_tid)
{
	size_t start = record_begin(writer, type, misc);

	add_ids(writer, event->pid, parent_pid);
	add_ids(writer, event->tid, parent_tid);
	wk_buf_add_u64(&writer->pending, event->time_ns);
	add_trailer(writer, event);
	record_end(writer, start);
}

static void add_comm(struct wk_perf_data_writer *writer, const struct wk_event *event,
		     struct wk_str name, uint32_t misc)
{
	size_t start = record_begin(writer, WK_PERF_COMM, misc);

	add_ids(writer, event->pid, event->tid);
	add_name(writer, name);
	add_trailer(writer, event);
	record_end(writer, start);
}

/* perf's way to say that something already ran: a fork that copies no mappings, then its
 * name. At time 0 a name alone says as much. */
static void add_seen(struct wk_perf_data_writer *writer, const struct wk_event *event,
		     uint32_t parent_pid, uint32_t parent_tid, struct wk_str name)
{
	if (event->time_ns != 0 || parent_tid != 0 || name.len == 0)
		add_task_record(writer, event, WK_PERF_FORK, WK_PERF_MISC_FORK_EXEC, parent_pid,
				parent_tid);
	if (name.len)
		add_comm(writer, event, name, 0);
}

/* Fields that a process record cannot contain are stored in addition to it. */
static void add_process_row(struct wk_perf_data_writer *writer, const struct wk_event *event)
{
	const struct wk_event_process *process = &event->process;
	struct wk_buf *rows = &writer->processes.rows;

	if (process->command_line.len == 0 && !process->has_exit_code)
		return;
	wk_buf_add_u64(rows, event->time_ns);
	wk_buf_add_u32(rows, event->pid);
	wk_buf_add_char(rows, (char)process->change);
	wk_buf_add_char(rows, process->has_exit_code);
	wk_buf_add_u32(rows, (uint32_t)process->exit_code);
	wk_section_add_text(&writer->processes, process->command_line);
	wk_section_end_row(&writer->processes);
}

/* At once, so that a recorder that is killed leaves what it has read. */
static void write_use(struct wk_perf_data_writer *writer, const struct wk_event *event)
{
	const struct wk_process_use *use = &event->process.use;
	struct wk_buf *rows = &writer->uses.rows;

	wk_buf_add_u64(rows, event->time_ns);
	wk_buf_add_u32(rows, event->pid);
	wk_buf_add_u64(rows, use->working_set_bytes);
	wk_buf_add_u64(rows, use->peak_working_set_bytes);
	wk_buf_add_u64(rows, use->peak_virtual_bytes);
	wk_buf_add_u64(rows, use->swap_bytes);
	wk_buf_add_u64(rows, use->share_bytes);
	wk_buf_add_u64(rows, use->huge_bytes);
	wk_buf_add_u64(rows, use->huge_tlb_bytes);
	wk_buf_add_u64(rows, use->anonymous_bytes);
	wk_buf_add_u64(rows, use->file_bytes);
	wk_buf_add_u64(rows, use->shared_bytes);
	wk_buf_add_u64(rows, use->heap_bytes);
	wk_buf_add_u64(rows, use->stack_bytes);
	wk_section_end_row(&writer->uses);
	wk_section_close(&writer->uses);
	wk_perf_write_section_records(writer, &writer->uses);
	wk_buf_reset(&writer->uses.done);
}

static void write_process(struct wk_perf_data_writer *writer, const struct wk_event *supplied)
{
	const struct wk_event_process *process = &supplied->process;
	struct wk_event leader = *supplied;
	const struct wk_event *event = &leader;

	if (process->use.is_known && process->change == WK_PROCESS_SEEN) {
		write_use(writer, supplied);
		return;
	}

	/* In a process record both numbers are equal; threads have different ones. */
	leader.tid = leader.pid;
	switch (process->change) {
	case WK_PROCESS_SEEN:
		add_seen(writer, event, process->parent_pid, process->parent_pid, process->name);
		break;
	case WK_PROCESS_FORK:
		add_task_record(writer, event, WK_PERF_FORK, 0, process->parent_pid,
				process->parent_pid);
		if (process->name.len)
			add_comm(writer, event, process->name, 0);
		break;
	case WK_PROCESS_EXEC:
	case WK_PROCESS_START: /* nothing of what ran before is left */
		add_comm(writer, event, process->name, WK_PERF_MISC_COMM_EXEC);
		break;
	case WK_PROCESS_EXIT:
		add_task_record(writer, event, WK_PERF_EXIT, 0, process->parent_pid,
				process->parent_pid);
		break;
	}
	add_process_row(writer, event);
}

static void write_thread(struct wk_perf_data_writer *writer, const struct wk_event *event)
{
	const struct wk_event_thread *thread = &event->thread;

	switch (thread->change) {
	case WK_THREAD_SEEN:
		add_seen(writer, event, event->pid, thread->parent_tid, thread->name);
		break;
	case WK_THREAD_START:
		add_task_record(writer, event, WK_PERF_FORK, 0, event->pid, thread->parent_tid);
		if (thread->name.len)
			add_comm(writer, event, thread->name, 0);
		break;
	case WK_THREAD_NAME:
		add_comm(writer, event, thread->name, 0);
		break;
	case WK_THREAD_EXIT:
		/* The first thread's end would read as the end of its process, which may have other
		 * running threads; the process emits its own. */
		if (event->tid != event->pid)
			add_task_record(writer, event, WK_PERF_EXIT, 0, event->pid,
					thread->parent_tid);
		break;
	}
}

static bool same_build_id(const void *table, uint32_t id, const void *key)
{
	const struct wk_perf_data_writer *writer = table;
	const struct wk_perf_write_build_id *row = &writer->build_ids[id - 1], *wanted = key;

	return wk_str_eq(row->path, wanted->path) && wk_build_id_eq(&row->id, &wanted->id) &&
	       row->is_kernel == wanted->is_kernel;
}

/* The path of the kernel as perf expects it: followed by the symbol whose address is the offset. */
static struct wk_str kernel_path(const struct wk_event_image *image)
{
	if (image->is_kernel && wk_str_is(image->path, "[kernel.kallsyms]"))
		return wk_str_c("[kernel.kallsyms]_text");
	return image->path;
}

/* A mapping record has space for the build id or for the inode, not for both. */
static void add_image_row(struct wk_perf_data_writer *writer, const struct wk_event_image *image)
{
	struct wk_buf *rows = &writer->images.rows;

	wk_section_add_build_id(&writer->images, &image->build_id);
	wk_buf_add_u32(rows, image->device_major);
	wk_buf_add_u32(rows, image->device_minor);
	wk_buf_add_u64(rows, image->inode);
	wk_buf_add_u64(rows, image->inode_generation);
	wk_section_add_text(&writer->images, image->path);
	wk_section_end_row(&writer->images);
}

static void store_build_id(struct wk_perf_data_writer *writer, const struct wk_event_image *image)
{
	struct wk_perf_write_build_id key = { .path = image->path, .id = image->build_id,
					      .is_kernel = image->is_kernel };
	uint64_t hash =
		wk_hash_bytes(key.path.at, key.path.len) ^ wk_hash_bytes(key.id.bytes, key.id.size);
	uint32_t row = wk_index_find(&writer->build_id_of, hash, same_build_id, writer, &key);

	if (!row) {
		WK_RESERVE(writer->build_ids, writer->build_id_cap, writer->build_id_count + 1);
		key.path = wk_arena_copy(&writer->arena, key.path);
		writer->build_ids[writer->build_id_count] = key;
		row = (uint32_t)++writer->build_id_count;
		wk_index_add(&writer->build_id_of, hash, row);
	}
	if (image->inode && !writer->build_ids[row - 1].has_inode) {
		writer->build_ids[row - 1].has_inode = true;
		add_image_row(writer, image);
	}
}

static void add_build_id_field(struct wk_perf_data_writer *writer, const struct wk_build_id *id)
{
	struct wk_buf *out = &writer->pending;

	wk_buf_add_char(out, (char)id->size);
	wk_perf_write_zeros(out, 3);
	wk_buf_add(out, id->bytes, id->size);
	wk_perf_write_zeros(out, 20 - (size_t)id->size);
}

static void write_image(struct wk_perf_data_writer *writer, const struct wk_event *event)
{
	const struct wk_event_image *image = &event->image;
	bool has_build_id = image->build_id.size != 0;
	uint32_t protection = image->protection;
	size_t start = record_begin(writer, WK_PERF_MMAP2,
				    (image->is_kernel ? WK_PERF_MISC_KERNEL : WK_PERF_MISC_USER) |
					    (image->is_data ? WK_PERF_MISC_MMAP_DATA : 0) |
					    (has_build_id ? WK_PERF_MISC_MMAP_BUILD_ID : 0));

	add_ids(writer, event->pid, event->tid);
	wk_buf_add_u64(&writer->pending, image->start);
	wk_buf_add_u64(&writer->pending, image->size_bytes);
	wk_buf_add_u64(&writer->pending, image->file_offset);
	if (has_build_id) {
		add_build_id_field(writer, &image->build_id);
		store_build_id(writer, image);
	} else {
		add_ids(writer, image->device_major, image->device_minor);
		wk_buf_add_u64(&writer->pending, image->inode);
		wk_buf_add_u64(&writer->pending, image->inode_generation);
	}
	/* perf treats mappings that are not executable as data. */
	add_ids(writer, image->is_data ? protection : protection | 4, image->flags);
	add_name(writer, kernel_path(image));
	add_trailer(writer, event);
	record_end(writer, start);
}

/* As many lines as fit into a row, so that a chunk fits into a record of a pipe; returns their
 * number. */
static size_t write_some_lines(struct wk_section *section, const struct wk_event *event,
			       const struct wk_jit_map_line *lines, size_t count)
{
	size_t bytes = 0, fitting = 0;

	for (; fitting < count && (fitting == 0 || bytes < WK_SECTION_TEXT); fitting++)
		bytes += 16 + lines[fitting].file.len;
	wk_buf_add_u64(&section->rows, event->time_ns);
	wk_buf_add_u32(&section->rows, event->pid);
	wk_buf_add_u64(&section->rows, event->symbol.start);
	wk_buf_add_u32(&section->rows, (uint32_t)fitting);
	for (size_t i = 0; i < fitting; i++) {
		wk_buf_add_u32(&section->rows, (uint32_t)(lines[i].address - event->symbol.start));
		wk_buf_add_u32(&section->rows, lines[i].line);
		wk_section_add_known(section, lines[i].file);
	}
	wk_section_end_row(section);
	return fitting;
}

/* Offsets have four bytes: JIT code is smaller. */
static void write_lines(struct wk_perf_data_writer *writer, const struct wk_event *event)
{
	const struct wk_event_symbol *symbol = &event->symbol;
	size_t done = 0;

	if (symbol->size_bytes > UINT32_MAX)
		return;
	while (done < symbol->line_count)
		done += write_some_lines(&writer->lines, event, symbol->lines + done,
					 symbol->line_count - done);
}

static void write_symbol(struct wk_perf_data_writer *writer, const struct wk_event *event)
{
	struct wk_buf *rows = &writer->symbols.rows;

	wk_buf_add_u64(rows, event->time_ns);
	wk_buf_add_u32(rows, event->pid);
	wk_buf_add_u32(rows, event->tid);
	wk_buf_add_u64(rows, event->symbol.start);
	wk_buf_add_u64(rows, event->symbol.size_bytes);
	wk_section_add_build_id(&writer->symbols, &event->symbol.build_id);
	wk_section_add_text(&writer->symbols, event->symbol.image_path);
	wk_section_add_text(&writer->symbols, event->symbol.name);
	wk_section_end_row(&writer->symbols);
	write_lines(writer, event);
}

/* How many of the calls fit into a row, so that a chunk fits into a record of a pipe. */
static uint32_t calls_that_fit(const struct wk_event_calls *calls)
{
	size_t bytes = 0, count = 0;

	for (; count < calls->count; count++) {
		bytes += 20 + calls->calls[count].function.len + calls->calls[count].file.len;
		if (bytes > 2 * WK_SECTION_TEXT)
			break;
	}
	return count || !calls->count ? (uint32_t)count : 1;
}

static void write_calls(struct wk_perf_data_writer *writer, const struct wk_event_calls *calls)
{
	struct wk_section *section = &writer->calls;
	uint32_t count = calls_that_fit(calls);

	wk_buf_add_u64(&section->rows, calls->address);
	wk_section_add_build_id(section, &calls->build_id);
	wk_section_add_known(section, calls->image_path);
	wk_buf_add_u32(&section->rows, count);
	for (uint32_t i = 0; i < count; i++) {
		wk_section_add_known(section, calls->calls[i].function);
		wk_section_add_known(section, calls->calls[i].file);
		wk_buf_add_u32(&section->rows, calls->calls[i].line);
	}
	wk_section_end_row(section);
}

static void write_bounds(struct wk_perf_data_writer *writer, const struct wk_event_bounds *bounds)
{
	struct wk_section *section = &writer->bounds;

	wk_buf_add_u64(&section->rows, bounds->start);
	wk_buf_add_u32(&section->rows, bounds->size_bytes);
	wk_buf_add_char(&section->rows, (char)bounds->is_root);
	wk_section_add_known(
		section, wk_str_of((const char *)bounds->build_id.bytes, bounds->build_id.size));
	wk_section_add_known(section, bounds->image_path);
	wk_section_end_row(section);
}

static void write_note(struct wk_perf_data_writer *writer, const struct wk_event *event)
{
	struct wk_buf *rows = &writer->notes.rows;

	wk_buf_add_u64(rows, event->time_ns);
	wk_buf_add_u32(rows, event->pid);
	wk_buf_add_u32(rows, event->tid);
	wk_buf_add_u64(rows, event->note.offset);
	wk_section_add_text(&writer->notes, event->note.text);
	wk_section_end_row(&writer->notes);
}

/* The id of the event whose samples were lost; 0 if that is unknown. */
static uint64_t lost_id(const struct wk_perf_data_writer *writer, const struct wk_event_lost *lost)
{
	uint32_t number = lost->has_source ? wk_map_find(&writer->source_of, lost->source) : 0;

	return number ? WK_PERF_WRITE_ID(number - 1) : 0;
}

static void write_lost(struct wk_perf_data_writer *writer, const struct wk_event *event)
{
	uint64_t id = lost_id(writer, &event->lost);
	size_t start;

	if (event->lost.count == 0)
		return;
	start = record_begin(writer, event->lost.samples_only ? WK_PERF_LOST_SAMPLES : WK_PERF_LOST,
			     0);
	if (!event->lost.samples_only)
		wk_buf_add_u64(&writer->pending, WK_PERF_WRITE_ID(0));
	wk_buf_add_u64(&writer->pending, event->lost.count);
	add_trailer_of(writer, event, id);
	record_end(writer, start);
}

/* The bytes of a tracepoint's fields; of what does not fit, none. */
static struct wk_str fields_of(const struct wk_event_sample *sample)
{
	struct wk_str raw = sample->details ? sample->details->trace_raw : (struct wk_str){ 0 };

	return raw.len <= MOST_FIELDS ? raw : (struct wk_str){ 0 };
}

/* What they take in a record: a size of four bytes, and zeros up to a multiple of eight. */
static size_t fields_bytes(struct wk_str fields)
{
	return (4 + (fields.len ? fields.len : 1) + 7) & ~(size_t)7;
}

/* The kernel counts the zeros as a part of them. */
static void add_fields(struct wk_perf_data_writer *writer, struct wk_str fields)
{
	size_t bytes = fields_bytes(fields) - 4;

	wk_buf_add_u32(&writer->pending, (uint32_t)bytes);
	wk_buf_add_str(&writer->pending, fields);
	wk_perf_write_zeros(&writer->pending, bytes - fields.len);
}

/* What follows it in the record has `after` bytes. */
static void add_chain(struct wk_perf_data_writer *writer, const struct wk_event_sample *sample,
		      size_t after)
{
	struct wk_buf *out = &writer->pending;
	size_t kernel = sample->kernel_count, user = sample->user_count;
	size_t most = MOST_CHAIN - 2 - after / 8;
	bool is_raw = !sample->user_is_exact;

	if (kernel + user > most) {
		writer->cut_chains++;
		kernel = kernel < most / 2 ? kernel : most / 2;
		user = user < most - kernel ? user : most - kernel;
	}
	wk_buf_add_u64(out, kernel + user + (kernel > 0) + (user > 0));
	if (kernel)
		wk_buf_add_u64(out, WK_PERF_CONTEXT_KERNEL);
	for (size_t i = 0; i < kernel; i++)
		wk_buf_add_u64(out, sample->kernel_chain[i]);
	if (user)
		wk_buf_add_u64(out, WK_PERF_CONTEXT_USER);
	for (size_t i = 0; i < user; i++)
		wk_buf_add_u64(out, sample->user_chain[i] -
					    (is_raw && i > 0 && sample->user_chain[i] > 0));
}

/* The copy of a stack that could not be unwound, at the end of the record that begins at `start`. A
 * sample without one says so. */
static void add_stack(struct wk_perf_data_writer *writer, const struct wk_event_sample *sample,
		      uint64_t mask, size_t start)
{
	const struct wk_event_registers *registers =
		sample->stack && sample->details ? sample->details->user_registers : NULL;
	struct wk_buf *out = &writer->pending;
	size_t used = out->len - start + 3 * 8 + 8 * (size_t)__builtin_popcountll(mask);
	size_t most = used < MOST_RECORD_BYTES ? (MOST_RECORD_BYTES - used) & ~(size_t)7 : 0;
	size_t size, copied;
	bool is_full;

	if (!registers || registers->sampled != mask || most < 8) {
		wk_buf_add_u64(out, 0); /* no registers */
		wk_buf_add_u64(out, 0); /* no stack */
		return;
	}
	wk_buf_add_u64(out, registers->abi);
	for (unsigned bit = 0; bit < 64; bit++)
		if (mask >> bit & 1)
			wk_buf_add_u64(out, registers->value[bit]);
	copied = sample->stack->size_bytes & ~(size_t)7;
	is_full = sample->stack->is_full || copied + 8 > most;
	copied = copied < most ? copied : most;
	size = is_full ? copied : copied + 8;
	wk_buf_add_u64(out, size);
	wk_buf_add(out, sample->stack->bytes, copied);
	wk_perf_write_zeros(out, size - copied);
	if (size)
		wk_buf_add_u64(out, copied);
}

static bool write_sample(struct wk_perf_data_writer *writer, const struct wk_event *event,
			 struct wk_err *err)
{
	const struct wk_event_sample *sample = &event->sample;
	uint32_t number = wk_map_find(&writer->source_of, sample->source);
	struct wk_str fields = fields_of(sample);
	const struct wk_perf_write_source *source;
	size_t start;

	if (!number)
		return wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			       "a sample of source %" PRIu32 ", which was not announced",
			       sample->source);
	source = &writer->sources[number - 1];
	start = record_begin(writer, WK_PERF_SAMPLE,
			     sample->in_kernel ? WK_PERF_MISC_KERNEL : WK_PERF_MISC_USER);
	wk_buf_add_u64(&writer->pending, WK_PERF_WRITE_ID(number - 1));
	wk_buf_add_u64(&writer->pending, sample->address);
	add_ids(writer, event->pid, event->tid);
	wk_buf_add_u64(&writer->pending, event->time_ns);
	if (source->has_address)
		wk_buf_add_u64(&writer->pending,
			       sample->details ? sample->details->data_address : 0);
	add_ids(writer, event->cpu, 0);
	wk_buf_add_u64(&writer->pending, sample->weight);
	add_chain(writer, sample, source->has_fields ? fields_bytes(fields) : 0);
	if (source->has_fields)
		add_fields(writer, fields);
	if (source->user_registers)
		add_stack(writer, sample, source->user_registers, start);
	record_end(writer, start);
	if (!writer->has_samples)
		writer->first_sample_ns = event->time_ns;
	writer->has_samples = true;
	writer->last_sample_ns = event->time_ns;
	return true;
}

/* Rows that are large enough for a chunk, and how many they are. */
static struct wk_str take_rows(struct wk_bytes *left, uint32_t *count)
{
	const uint8_t *from = left->at, *to = from;

	for (*count = 0; wk_bytes_left(left) && to - from < WK_SECTION_CHUNK; to = left->at) {
		wk_bytes_skip(left, wk_u32le(left));
		if (left->bad)
			break;
		++*count;
	}
	return wk_str_of((const char *)from, (size_t)(to - from));
}

/* Not at the end, as other sections: there may be gigabytes. As they are, since each copy of them
 * would take time from the program. */
static void write_heap_stream(struct wk_perf_data_writer *writer, struct wk_str rows)
{
	struct wk_bytes left = wk_bytes_of(rows.at, rows.len);
	uint32_t count;

	while (wk_bytes_left(&left)) {
		struct wk_str part = take_rows(&left, &count);
		size_t start;

		if (!count)
			return;
		start = record_begin(writer, WK_PERF_HEADER_EVENT_TYPE, 0);
		wk_buf_add_u64(&writer->pending, WK_SECTION_HEAP);
		wk_section_add_chunk(&writer->pending, WK_SECTION_HEAP, part, count);
		record_end(writer, start);
	}
}

bool wk_perf_write_event(struct wk_perf_data_writer *writer, const struct wk_event *event,
			 struct wk_err *err)
{
	switch (event->kind) {
	case WK_EVENT_PROCESS:
		write_process(writer, event);
		break;
	case WK_EVENT_THREAD:
		write_thread(writer, event);
		break;
	case WK_EVENT_IMAGE:
		write_image(writer, event);
		break;
	case WK_EVENT_CALLS:
		write_calls(writer, &event->calls);
		break;
	case WK_EVENT_BOUNDS:
		write_bounds(writer, &event->bounds);
		break;
	case WK_EVENT_SYMBOL:
		write_symbol(writer, event);
		break;
	case WK_EVENT_SAMPLE:
		return write_sample(writer, event, err);
	case WK_EVENT_LOST:
		write_lost(writer, event);
		break;
	case WK_EVENT_NOTE:
		write_note(writer, event);
		break;
	case WK_EVENT_HEAP_STREAM:
		write_heap_stream(writer, event->heap_stream.rows);
		break;
	default: /* perf.data has no place for others */
		break;
	}
	return true;
}

void wk_perf_write_finished_round(struct wk_perf_data_writer *writer)
{
	record_end(writer, record_begin(writer, WK_PERF_FINISHED_ROUND, 0));
}

static void add_event_update(struct wk_perf_data_writer *writer, size_t index, struct wk_str name)
{
	size_t start = record_begin(writer, WK_PERF_EVENT_UPDATE, 0);

	wk_buf_add_u64(&writer->pending, WK_PERF_EVENT_UPDATE_NAME);
	wk_buf_add_u64(&writer->pending, WK_PERF_WRITE_ID(index));
	add_name(writer, name);
	record_end(writer, start);
}

static void add_header_attr(struct wk_perf_data_writer *writer, size_t index)
{
	size_t start = record_begin(writer, WK_PERF_HEADER_ATTR, 0);

	wk_perf_write_attr(writer, index, &writer->pending);
	wk_buf_add_u64(&writer->pending, WK_PERF_WRITE_ID(index));
	record_end(writer, start);
}

/* The size is that of what follows the record, including the zeros at its end. */
static void add_tracing_data(struct wk_perf_data_writer *writer)
{
	struct wk_buf *out = &writer->pending;
	size_t padding = (8 - writer->tracing_data.len % 8) % 8;
	size_t start = record_begin(writer, WK_PERF_HEADER_TRACING_DATA, 0);

	wk_buf_add_u32(out, (uint32_t)(writer->tracing_data.len + padding));
	wk_perf_write_zeros(out, 4);
	record_end(writer, start);
	wk_buf_add_str(out, writer->tracing_data);
	wk_perf_write_zeros(out, padding);
}

void wk_perf_write_leading_records(struct wk_perf_data_writer *writer)
{
	for (size_t i = 0; writer->is_pipe && i < writer->source_count; i++)
		add_header_attr(writer, i);
	if (writer->is_pipe && writer->tracing_data.len)
		add_tracing_data(writer);
	for (size_t i = 0; i < writer->source_count; i++)
		add_event_update(writer, i, writer->sources[i].name);
}
