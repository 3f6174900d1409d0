#include "formats/profiles/pprof_writer.h"

#include <inttypes.h>

#include "base/buf.h"
#include "base/mem.h"
#include "formats/lines.h"

static const struct {
	const char *from, *to;
	uint64_t scale;
} units[] = {
	{ "nanoseconds", "ns", 1 },
	{ "microseconds", "ns", 1000 },
	{ "milliseconds", "ns", 1000000 },
	{ "seconds", "ns", 1000000000 },
};

void wk_pprof_writer_init(struct wk_pprof_writer *pprof, struct wk_stack_writer *writer,
			  struct wk_pprof_tables *tables, size_t input_bytes)
{
	*pprof = (struct wk_pprof_writer){ .writer = writer, .tables = tables,
					   .budget = 2 * (uint64_t)input_bytes + 100000 };
	*WK_APPEND(pprof->frames, pprof->count, pprof->cap) = 0;
}

void wk_pprof_writer_end(struct wk_pprof_writer *pprof)
{
	wk_note_count(pprof->writer, pprof->negative,
		      "negative values, as in a difference of two profiles, were left out (`wick "
		      "diff` compares profiles)");
	wk_note_count(pprof->writer, pprof->left_out,
		      "inlined frames beyond two per byte of input, left out");
	wk_free(pprof->frames);
}

/* --- Sources ------------------------------------------------------------------------------- */

/* One text of the table may be the name of any number of threads or measures, each of which is
 * emitted. */
struct wk_str wk_pprof_short_name(struct wk_str text)
{
	size_t len = 1024;

	if (text.len <= len)
		return text;
	while (len && ((unsigned char)text.at[len] & 0xc0) == 0x80)
		len--;
	return wk_str_of(text.at, len);
}

uint64_t wk_pprof_emit_source(struct wk_stack_writer *writer, uint32_t number, struct wk_str type,
			      struct wk_str unit)
{
	struct wk_event_source source = { .source = number, .name = wk_pprof_short_name(type),
					  .unit = wk_pprof_short_name(unit),
					  .is_cpu_time = wk_str_is(type, "cpu"),
					  .is_weighed = true };
	uint64_t scale = 1;

	if (wk_str_is(type, "samples") && wk_str_is(unit, "count"))
		source.unit = wk_str_c("samples");
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (!wk_str_is(unit, units[i].from))
			continue;
		source.unit = wk_str_c(units[i].to);
		scale = units[i].scale;
	}
	wk_stack_writer_emit_source(writer, &source);
	return scale;
}

static void emit_source(struct wk_pprof_writer *pprof, uint32_t number)
{
	struct wk_pprof_type *type = &pprof->tables->types[number];

	type->scale = wk_pprof_emit_source(pprof->writer, number,
					   wk_pprof_text(pprof->tables, type->type),
					   wk_pprof_text(pprof->tables, type->unit));
}

/* A heap profile has at least the bytes that are in use. */
static void find_heap_types(struct wk_pprof_writer *pprof)
{
	static const char *const names[] = { "inuse_space", "inuse_objects", "alloc_space",
					     "alloc_objects" };
	const struct wk_pprof_tables *tables = pprof->tables;

	for (size_t i = 0; i < tables->type_count; i++)
		for (size_t name = 0; name < WK_PPROF_HEAP_TYPES; name++)
			if (wk_str_is(wk_pprof_text(tables, tables->types[i].type), names[name]))
				pprof->heap_types[name] = i + 1;
	pprof->is_heap = pprof->heap_types[WK_PPROF_INUSE_SPACE];
}

void wk_pprof_emit_sources(struct wk_pprof_writer *pprof)
{
	const struct wk_pprof_tables *tables = pprof->tables;
	uint32_t count = (uint32_t)tables->type_count, first = count ? count - 1 : 0;
	struct wk_str wanted = wk_pprof_short_name(wk_pprof_text(tables, tables->default_type));

	for (uint32_t i = 0; wanted.len && i < count; i++)
		if (wk_str_eq(wk_pprof_short_name(wk_pprof_text(tables, tables->types[i].type)),
			      wanted))
			first = i;
	if (count)
		emit_source(pprof, first);
	for (uint32_t i = 0; i < count; i++)
		if (i != first)
			emit_source(pprof, i);
	find_heap_types(pprof);
}

/* --- Stacks -------------------------------------------------------------------------------- */

static bool is_kernel(struct wk_str mapping)
{
	return wk_str_starts(mapping, "[kernel") || wk_str_starts(mapping, "[guest.kernel");
}

static void set_function(const struct wk_pprof_tables *tables, const struct wk_pprof_line *line,
			 struct wk_event_frame *frame)
{
	uint32_t row = wk_map_find(&tables->function_of, line->function_id + 1);
	const struct wk_pprof_function *function = row ? &tables->functions[row - 1] : NULL;

	if (!function)
		return;
	frame->name = wk_pprof_text(tables, function->name);
	if (frame->name.len == 0)
		frame->name = wk_pprof_text(tables, function->system_name);
	frame->file = wk_pprof_text(tables, function->file);
	frame->line = line->line <= UINT32_MAX ? (uint32_t)line->line : 0;
}

/* `line`: NULL for a location without lines. A frame without a name has its address as name. */
static void add_frame(struct wk_pprof_writer *pprof, const struct wk_pprof_location *location,
		      const struct wk_pprof_line *line, bool is_inlined)
{
	const struct wk_pprof_tables *tables = pprof->tables;
	uint32_t mapping = wk_map_find(&tables->mapping_of, location->mapping_id + 1);
	struct wk_event_frame frame = { .address = location->address, .is_inlined = is_inlined,
					.is_lasting = true };
	struct wk_buf name = { 0 };

	if (mapping)
		frame.image = wk_pprof_text(tables, tables->mappings[mapping - 1]);
	if (line)
		set_function(tables, line, &frame);
	if (is_kernel(frame.image))
		frame.kind = WK_FRAME_KERNEL;
	if (frame.name.len == 0) {
		frame.is_unnamed = true;
		wk_buf_add_fmt(&name, "0x%" PRIx64, frame.address);
		frame.name = wk_buf_str(&name);
	}
	*WK_APPEND(pprof->frames, pprof->count, pprof->cap) =
		wk_stack_writer_frame(pprof->writer, &frame);
	wk_buf_fini(&name);
}

static void add_frames(struct wk_pprof_writer *pprof, struct wk_pprof_location *location)
{
	location->first_frame = (uint32_t)pprof->count;
	if (location->line_count == 0)
		add_frame(pprof, location, NULL, false);
	for (uint32_t i = 0; i < location->line_count; i++)
		add_frame(pprof, location, &pprof->tables->lines[location->first_line + i],
			  i + 1 < location->line_count);
}

uint32_t wk_pprof_push(struct wk_pprof_writer *pprof, uint32_t parent,
		       struct wk_pprof_location *location)
{
	uint32_t inlined = location->line_count ? location->line_count - 1 : 0, stack;
	const uint32_t *frames;

	if (!location->first_frame)
		add_frames(pprof, location);
	frames = pprof->frames + location->first_frame;
	stack = wk_stack_writer_stack(pprof->writer, parent, frames[inlined]);
	if (inlined > pprof->budget) {
		pprof->left_out += inlined;
		return stack;
	}
	pprof->budget -= inlined;
	while (inlined--)
		stack = wk_stack_writer_stack(pprof->writer, stack, frames[inlined]);
	return stack;
}

static uint64_t value_of(const struct wk_pprof_writer *pprof, enum wk_pprof_heap_type type,
			 const uint64_t *values, size_t count)
{
	size_t number = pprof->heap_types[type];

	return number && number <= count && (int64_t)values[number - 1] > 0 ? values[number - 1]
									    : 0;
}

static void emit_heap(struct wk_pprof_writer *pprof, uint32_t pid, uint32_t tid, uint32_t stack,
		      const uint64_t *values, size_t count)
{
	struct wk_heap_counts counts = {
		.used_bytes = value_of(pprof, WK_PPROF_INUSE_SPACE, values, count),
		.used_blocks = value_of(pprof, WK_PPROF_INUSE_OBJECTS, values, count),
		.made_bytes = value_of(pprof, WK_PPROF_ALLOC_SPACE, values, count),
		.made_blocks = value_of(pprof, WK_PPROF_ALLOC_OBJECTS, values, count),
	};
	struct wk_event_sample sample = { .named_stack = stack };

	wk_heap_counts_emit(pprof->writer, pid, tid, &sample, &counts);
}

void wk_pprof_emit_values(struct wk_pprof_writer *pprof, uint32_t pid, uint32_t tid, uint32_t stack,
			  const uint64_t *values, size_t count)
{
	for (uint32_t i = 0; i < count && i < pprof->tables->type_count; i++) {
		pprof->negative += (int64_t)values[i] < 0;
		if ((int64_t)values[i] > 0)
			wk_stack_writer_sample(
				pprof->writer, 0, pid, tid, i, stack,
				wk_pprof_scaled(values[i], pprof->tables->types[i].scale));
	}
	if (pprof->is_heap)
		emit_heap(pprof, pid, tid, stack, values, count);
}
