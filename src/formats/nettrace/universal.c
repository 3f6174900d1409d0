#include "formats/nettrace/universal.h"

#include "base/mem.h"
#include "formats/nettrace/stacks.h"

void wk_nettrace_universal_fini(struct wk_nettrace_universal *universal)
{
	wk_map_fini(&universal->mapping_of);
	wk_free(universal->mappings);
	wk_arena_fini(&universal->texts);
}

/* Fields that are added later follow the known ones. */
bool wk_nettrace_fields_read(const struct wk_nettrace_type *type, struct wk_bytes in,
			     struct wk_nettrace_fields *fields)
{
	*fields = (struct wk_nettrace_fields){ 0 };
	for (unsigned i = 0; i < type->field_count; i++) {
		uint8_t field = type->fields[i];

		if (field < WK_NETTRACE_NUMBERS) {
			fields->numbers[field] = wk_uleb(&in);
			fields->has_pid |= field == WK_NETTRACE_PID;
		} else {
			struct wk_bytes text = wk_bytes_slice(&in, wk_u16le(&in));

			if (field == WK_NETTRACE_NAME)
				fields->name = wk_bytes_str(text);
		}
	}
	return !in.bad;
}

static bool emit_process(enum wk_nettrace_use use, const struct wk_nettrace_fields *fields,
			 struct wk_event *event, const struct wk_sink *sink, struct wk_err *err)
{
	event->kind = WK_EVENT_PROCESS;
	event->tid = event->pid;
	event->process = (struct wk_event_process){
		.change = use == WK_NETTRACE_PROCESS_SEEN    ? WK_PROCESS_SEEN
			  : use == WK_NETTRACE_PROCESS_START ? WK_PROCESS_START
							     : WK_PROCESS_EXIT,
		.name = fields->name };
	if (use == WK_NETTRACE_PROCESS_SEEN)
		event->time_ns = 0;
	return wk_sink_emit(sink, event, err);
}

static void add_mapping(struct wk_nettrace_universal *universal,
			const struct wk_nettrace_fields *fields)
{
	const uint64_t *numbers = fields->numbers;

	*WK_APPEND(universal->mappings, universal->count, universal->cap) =
		(struct wk_nettrace_mapping){ numbers[WK_NETTRACE_START], numbers[WK_NETTRACE_STOP],
					      numbers[WK_NETTRACE_OFFSET],
					      wk_arena_copy(&universal->texts, fields->name) };
	wk_map_set(&universal->mapping_of, numbers[WK_NETTRACE_ID], (uint32_t)universal->count);
}

/* The kernel is mapped in each process, under a name without a folder. */
static bool emit_mapping(const struct wk_nettrace_fields *fields, struct wk_event *event,
			 const struct wk_sink *sink, struct wk_err *err)
{
	uint64_t start = fields->numbers[WK_NETTRACE_START];
	uint64_t stop = fields->numbers[WK_NETTRACE_STOP];

	if (stop <= start || fields->name.len == 0 || wk_nettrace_in_kernel(start))
		return true;
	event->kind = WK_EVENT_IMAGE;
	event->image = (struct wk_event_image){
		.start = start, .size_bytes = stop - start,
		.file_offset = fields->numbers[WK_NETTRACE_OFFSET], .path = fields->name };
	return wk_sink_emit(sink, event, err);
}

static bool is_file(struct wk_str path)
{
	return wk_str_starts(path, "/") && !wk_str_starts(path, "//") &&
	       !wk_str_starts(path, "/memfd:");
}

/* "libc.so.6!malloc", for a symbol of that file. */
static struct wk_str bare_name(struct wk_str name, const struct wk_nettrace_mapping *mapping)
{
	struct wk_str file = mapping ? wk_str_basename(mapping->path) : wk_str_c("");

	return name.len > file.len + 1 && name.at[file.len] == '!' &&
			       wk_str_eq(wk_str_of(name.at, file.len), file)
		       ? wk_str_skip(name, file.len + 1)
		       : name;
}

/* A range of a mapped file, or of memory that belongs to none. */
static bool emit_symbol(const struct wk_nettrace_universal *universal,
			const struct wk_nettrace_fields *fields, struct wk_event *event,
			const struct wk_sink *sink, struct wk_err *err)
{
	uint64_t start = fields->numbers[WK_NETTRACE_START];
	uint64_t stop = fields->numbers[WK_NETTRACE_STOP];
	uint32_t row = wk_map_find(&universal->mapping_of, fields->numbers[WK_NETTRACE_MAPPED]);
	const struct wk_nettrace_mapping *mapping = row ? &universal->mappings[row - 1] : NULL;

	if (stop <= start || fields->name.len == 0)
		return true;
	event->kind = WK_EVENT_SYMBOL;
	event->symbol = (struct wk_event_symbol){ .start = start, .size_bytes = stop - start,
						  .name = bare_name(fields->name, mapping) };
	if (wk_nettrace_in_kernel(start)) {
		event->pid = event->tid = WK_KERNEL_PID;
	} else if (mapping && is_file(mapping->path) && start >= mapping->start &&
		   start < mapping->stop) {
		event->symbol.image_path = mapping->path;
		event->symbol.start = start - mapping->start + mapping->offset;
	}
	return wk_sink_emit(sink, event, err);
}

bool wk_nettrace_universal_emit(struct wk_nettrace_universal *universal, enum wk_nettrace_use use,
				const struct wk_nettrace_fields *fields, struct wk_event *event,
				const struct wk_sink *sink, struct wk_err *err)
{
	if (fields->has_pid)
		event->pid = event->tid = (uint32_t)fields->numbers[WK_NETTRACE_PID];
	switch (use) {
	case WK_NETTRACE_MAPPING:
		add_mapping(universal, fields);
		return emit_mapping(fields, event, sink, err);
	case WK_NETTRACE_SYMBOL:
		return emit_symbol(universal, fields, event, sink, err);
	default:
		return emit_process(use, fields, event, sink, err);
	}
}
