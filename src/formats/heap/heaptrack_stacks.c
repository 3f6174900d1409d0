#include <inttypes.h>

#include "base/buf.h"
#include "base/mem.h"
#include "formats/heap/heaptrack.h"
#include "formats/scan.h"

void wk_heaptrack_stacks_init(struct wk_heaptrack_stacks *stacks, struct wk_stack_writer *writer,
			      size_t input_bytes)
{
	*stacks = (struct wk_heaptrack_stacks){ .writer = writer,
						.budget = (uint64_t)input_bytes + 100000 };
}

void wk_heaptrack_stacks_fini(struct wk_heaptrack_stacks *stacks)
{
	WK_FREE_ALL(stacks->strings, stacks->pointers, stacks->frames, stacks->traces);
}

bool wk_heaptrack_number(struct wk_str *rest, uint64_t *number)
{
	wk_scan_blanks(rest);
	return wk_scan_hex(rest, number);
}

bool wk_heaptrack_index(struct wk_str *rest, size_t count, size_t *index)
{
	uint64_t number;

	if (!wk_heaptrack_number(rest, &number) || number > count)
		return false;
	*index = (size_t)number;
	return true;
}

bool wk_heaptrack_text(struct wk_str *rest, bool has_size, bool is_word, struct wk_str *text)
{
	uint64_t size;

	*text = (struct wk_str){ 0 };
	if (!has_size) {
		*text = is_word ? wk_scan_word(rest) : *rest;
		*rest = wk_str_skip(*rest, is_word ? 0 : rest->len);
		return true;
	}
	if (!wk_heaptrack_number(rest, &size) || !wk_str_accept(rest, " ") || size > rest->len)
		return false;
	*text = wk_str_of(rest->at, (size_t)size);
	*rest = wk_str_skip(*rest, (size_t)size);
	return true;
}

bool wk_heaptrack_add_string(struct wk_heaptrack_stacks *stacks, struct wk_str rest)
{
	struct wk_str text;
	bool ok = wk_heaptrack_text(&rest, stacks->has_sizes, false, &text);

	*WK_APPEND(stacks->strings, stacks->string_count, stacks->string_cap) = text;
	return ok;
}

static struct wk_str string_at(const struct wk_heaptrack_stacks *stacks, size_t index)
{
	return index ? stacks->strings[index - 1] : wk_str_c("");
}

static void add_frame(struct wk_heaptrack_stacks *stacks, const struct wk_event_frame *supplied)
{
	struct wk_event_frame frame = *supplied;
	struct wk_buf name = { 0 };

	if (frame.name.len == 0) {
		wk_buf_add_fmt(&name, "0x%" PRIx64, frame.address);
		frame.name = wk_buf_str(&name);
		frame.is_unnamed = true;
	}
	*WK_APPEND(stacks->frames, stacks->frame_count, stacks->frame_cap) =
		wk_stack_writer_frame(stacks->writer, &frame);
	wk_buf_fini(&name);
}

/* A function, file and line, the first two of which are strings; or only a function. */
static bool read_frame(const struct wk_heaptrack_stacks *stacks, struct wk_str *rest,
		       struct wk_event_frame *frame)
{
	size_t function, file = 0;
	uint64_t line = 0;

	if (!wk_heaptrack_index(rest, stacks->string_count, &function))
		return false;
	if (wk_trim(*rest).len && (!wk_heaptrack_index(rest, stacks->string_count, &file) ||
				   !wk_heaptrack_number(rest, &line)))
		return false;
	frame->name = string_at(stacks, function);
	frame->file = string_at(stacks, file);
	frame->line = line <= UINT32_MAX ? (uint32_t)line : 0;
	return true;
}

/* "564d550214b3 1 37 15 c 38 39 3d": an address and its module, and three numbers for each frame.
 * A pointer without debug information may have no frame. */
static bool read_pointer(struct wk_heaptrack_stacks *stacks, struct wk_str rest)
{
	struct wk_event_frame frame = { .is_lasting = true };
	size_t module;

	if (!wk_heaptrack_number(&rest, &frame.address) ||
	    !wk_heaptrack_index(&rest, stacks->string_count, &module))
		return false;
	frame.image = string_at(stacks, module);
	if (wk_trim(rest).len == 0)
		add_frame(stacks, &frame);
	while (wk_trim(rest).len) {
		if (!read_frame(stacks, &rest, &frame))
			return false;
		frame.is_inlined = wk_trim(rest).len > 0;
		add_frame(stacks, &frame);
	}
	return true;
}

bool wk_heaptrack_add_pointer(struct wk_heaptrack_stacks *stacks, struct wk_str rest)
{
	size_t first = stacks->frame_count;
	bool ok = read_pointer(stacks, rest);

	*WK_APPEND(stacks->pointers, stacks->pointer_count, stacks->pointer_cap) =
		(struct wk_heaptrack_pointer){ (uint32_t)first,
					       (uint32_t)(stacks->frame_count - first) };
	return ok;
}

/* Adds the frames of a pointer to a stack, of which the last one is the outermost. */
static uint32_t push_pointer(struct wk_heaptrack_stacks *stacks, uint32_t stack, size_t index)
{
	const struct wk_heaptrack_pointer *pointer = &stacks->pointers[index - 1];
	const uint32_t *frames;
	uint32_t inlined;

	if (!pointer->frame_count)
		return stack;
	frames = stacks->frames + pointer->first_frame;
	inlined = pointer->frame_count - 1;
	stack = wk_stack_writer_stack(stacks->writer, stack, frames[inlined]);
	if (inlined > stacks->budget) {
		stacks->left_out += inlined;
		return stack;
	}
	stacks->budget -= inlined;
	while (inlined--)
		stack = wk_stack_writer_stack(stacks->writer, stack, frames[inlined]);
	return stack;
}

/* "2 1": a pointer, and the trace of its callers. */
bool wk_heaptrack_add_trace(struct wk_heaptrack_stacks *stacks, struct wk_str rest)
{
	size_t pointer, parent;
	uint32_t stack = 0;
	bool ok = wk_heaptrack_index(&rest, stacks->pointer_count, &pointer) && pointer &&
		  wk_heaptrack_index(&rest, stacks->trace_count, &parent);

	if (ok)
		stack = push_pointer(stacks, parent ? stacks->traces[parent - 1] : 0, pointer);
	*WK_APPEND(stacks->traces, stacks->trace_count, stacks->trace_cap) = stack;
	return ok;
}
