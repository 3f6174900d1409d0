#include "formats/perfparser/internal.h"

#include <inttypes.h>

#include "base/mem.h"
#include "names/demangle/demangle.h"
#include "names/rust_escapes.h"

/* A sample lists one location for each function that is really called. The parent of a location is
 * the function around it, whose own location is that of its declaration and has the name; the
 * parent of that is the place in the next function that it was inlined into. So two locations make
 * a frame: the first has the line, the second the name. A location with a name of its own is a
 * frame by itself. */

static struct wk_hotspot_location *location_at(struct wk_hotspot *hotspot, int32_t number)
{
	if (number < 0 || (size_t)number >= hotspot->location_count)
		return NULL;
	return &hotspot->locations[number];
}

static bool in_kernel(const struct wk_hotspot_location *location,
		      const struct wk_hotspot_symbol *symbol)
{
	return symbol->in_kernel || location->pid == WK_KERNEL_PID;
}

/* The file as it was mapped or, if that is unknown, its name. */
static int32_t path_of(const struct wk_hotspot *hotspot, const struct wk_hotspot_symbol *symbol)
{
	return wk_hotspot_string(hotspot, symbol->path).len ? symbol->path : symbol->binary;
}

/* As the perf.data reader names the kernel, whose mapping is called after its first function. */
static struct wk_str image_of(const struct wk_hotspot *hotspot, int32_t path)
{
	static const char kernel[] = "[kernel.kallsyms]";
	struct wk_str image = wk_hotspot_string(hotspot, path);

	return wk_str_starts(image, kernel) ? wk_str_c(kernel) : image;
}

/* The parser leaves some names mangled: those of Rust, and those of code without DWARF. */
static bool make_readable(struct wk_str name, struct wk_buf *made, struct wk_str *readable)
{
	if (wk_str_starts(name, "_Z") || wk_str_starts(name, "_R")) {
		if (!wk_demangle(name, made))
			return false;
		*readable = wk_buf_str(made);
		return true;
	}
	*readable = wk_rust_name(name, made);
	return readable->at != name.at;
}

/* Each name is looked at once. What is made of all of them is limited by the size of the input. */
static struct wk_str readable_name(struct wk_hotspot *hotspot, int32_t number)
{
	struct wk_str name = wk_hotspot_string(hotspot, number), readable, *made;
	struct wk_buf text = { 0 };

	if (name.len == 0)
		return name;
	WK_RESERVE_ZEROED(hotspot->readable, hotspot->readable_cap, (size_t)number + 1);
	made = &hotspot->readable[number];
	if (made->len)
		return *made;
	*made = name;
	if (make_readable(name, &text, &readable) && readable.len &&
	    readable.len <= hotspot->readable_budget) {
		*made = wk_arena_copy(&hotspot->texts, readable);
		hotspot->readable_budget -= readable.len;
	}
	wk_buf_fini(&text);
	return *made;
}

static struct wk_str in_brackets(struct wk_hotspot *hotspot, struct wk_str base)
{
	struct wk_buf name = { 0 };
	struct wk_str made;

	if (base.len && base.at[0] == '[')
		return base;
	wk_buf_add_fmt(&name, "[%.*s]", WK_STR_ARG(base));
	made = wk_arena_copy(&hotspot->texts, wk_buf_str(&name));
	wk_buf_fini(&name);
	return made;
}

/* "[libfoo.so]". Each image is looked at once, because its path may be long. */
static struct wk_str missing_name(struct wk_hotspot *hotspot, int32_t path, struct wk_str image)
{
	struct wk_str *made;

	if (image.len == 0)
		return wk_str_c("[unknown]");
	WK_RESERVE_ZEROED(hotspot->in_brackets, hotspot->in_brackets_cap, (size_t)path + 1);
	made = &hotspot->in_brackets[path];
	if (made->len == 0)
		*made = in_brackets(hotspot, wk_str_basename(image));
	return *made;
}

static uint32_t add_frame(struct wk_hotspot *hotspot, const struct wk_hotspot_location *location,
			  const struct wk_hotspot_symbol *symbol)
{
	struct wk_event_frame frame = { .address = location->address, .is_lasting = true };
	int32_t path = path_of(hotspot, symbol);

	frame.name = readable_name(hotspot, symbol->name);
	frame.image = image_of(hotspot, path);
	frame.file = wk_hotspot_string(hotspot, location->file);
	frame.line = location->line > 0 ? (uint32_t)location->line : 0;
	frame.is_inlined = location->caller != WK_HOTSPOT_NONE;
	if (in_kernel(location, symbol))
		frame.kind = WK_FRAME_KERNEL;
	else if (frame.image.len)
		frame.kind = WK_FRAME_USER;
	frame.is_unnamed = frame.name.len == 0;
	if (frame.is_unnamed)
		frame.name = missing_name(hotspot, path, frame.image);
	return wk_stack_writer_frame(hotspot->writer, &frame);
}

/* Emits the frame of a location, and finds the location that it is inlined into. */
static void use_location(struct wk_hotspot *hotspot, struct wk_hotspot_location *location)
{
	const struct wk_hotspot_location *function = location;

	if (location->frame)
		return;
	if (!location->symbol.is_defined && location->parent != WK_HOTSPOT_NONE)
		function = &hotspot->locations[location->parent];
	location->caller = function->parent;
	location->frame = add_frame(hotspot, location, &function->symbol);
}

/* If the sample was taken in the kernel, the parser adds its address again between the chain of
 * the kernel and that of the process, as a function of the process. It has no name there. */
static bool is_repeated(struct wk_hotspot *hotspot, const struct wk_hotspot_location *first,
			const struct wk_hotspot_location *location)
{
	const struct wk_hotspot_location *function = location_at(hotspot, location->parent);

	return location != first && location->address == first->address &&
	       first->pid == WK_KERNEL_PID && location->pid != WK_KERNEL_PID &&
	       !location->symbol.is_defined && (!function || !function->symbol.is_defined);
}

/* Inlined frames are not listed in the samples, so they are limited by the size of the input. */
static void add_frames(struct wk_hotspot *hotspot, struct wk_hotspot_location *location)
{
	bool is_first = true;

	for (; location; location = location_at(hotspot, location->caller)) {
		use_location(hotspot, location);
		if (!is_first && hotspot->budget == 0) {
			hotspot->left_out++;
			return;
		}
		hotspot->budget -= !is_first;
		is_first = false;
		*WK_APPEND(hotspot->frames, hotspot->frame_count, hotspot->frame_cap) =
			location->frame;
	}
}

uint32_t wk_hotspot_stack(struct wk_hotspot *hotspot, struct wk_bytes locations)
{
	const struct wk_hotspot_location *first = NULL;

	hotspot->frame_count = 0;
	while (wk_bytes_left(&locations)) {
		struct wk_hotspot_location *location =
			location_at(hotspot, (int32_t)wk_u32(&locations));

		if (!location) {
			hotspot->missing++;
			continue;
		}
		if (!first)
			first = location;
		if (!is_repeated(hotspot, first, location))
			add_frames(hotspot, location);
	}
	return wk_stack_writer_reversed(hotspot->writer, hotspot->frames, hotspot->frame_count);
}
