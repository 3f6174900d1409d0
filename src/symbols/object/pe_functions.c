/* Start and end of functions from .pdata, by which Windows unwinds stacks. */
#include "symbols/object/pe.h"

#include <stdlib.h>

#include "base/mem.h"
#include "symbols/object/object_symbols.h"

/* Parts of a function refer to the preceding part. */
#define MOST_PARTS 8

#define FLAG_CHAINED 4

/* The function that unwind information in x64 code is of begins there, if it is another's part: it
 * is a bit in the entry that leads to another entry, or an entry behind the codes. */
static bool function_of(const struct wk_obj *pe, uint32_t unwind, uint32_t *start)
{
	bool is_part = false;

	for (int i = 0; i < MOST_PARTS; i++) {
		struct wk_bytes in;
		uint8_t flags, codes;

		if (unwind & 1) {
			in = wk_pe_at(pe, unwind - 1);
		} else {
			in = wk_pe_at(pe, unwind);
			flags = wk_u8(&in) >> 3;
			wk_u8(&in); /* size of the prologue */
			codes = wk_u8(&in);
			wk_u8(&in); /* frame register */
			if (in.bad || !(flags & FLAG_CHAINED))
				return is_part;
			wk_bytes_skip(&in, (codes + 1) / 2 * 4);
		}
		*start = wk_u32le(&in);
		wk_u32le(&in);
		unwind = wk_u32le(&in);
		if (in.bad)
			return false;
		is_part = true;
	}
	return false;
}

static struct wk_obj_bound read_x64(const struct wk_obj *pe, struct wk_bytes *in)
{
	uint32_t start = wk_u32le(in), end = wk_u32le(in), unwind = wk_u32le(in), function;

	if (!function_of(pe, unwind, &function))
		function = start;
	return (struct wk_obj_bound){ start, end, function };
}

/* The length, in words, is in the entry itself or, if the two lowest bits are zero, in .xdata. */
static struct wk_obj_bound read_arm64(const struct wk_obj *pe, struct wk_bytes *in)
{
	uint32_t start = wk_u32le(in), unwind = wk_u32le(in), words;
	struct wk_bytes far;

	if (unwind & 3) {
		words = unwind >> 2 & 0x7ff;
	} else {
		far = wk_pe_at(pe, unwind);
		words = wk_u32le(&far) & 0x3ffff;
	}
	return (struct wk_obj_bound){ start, start + (uint64_t)words * 4, start };
}

static size_t read_entries(const struct wk_obj *pe, struct wk_obj_bound *bounds)
{
	bool is_x64 = pe->machine == WK_MACHINE_X86_64;
	const struct wk_pe_range *range = &pe->pe->directories[WK_PE_EXCEPTIONS];
	struct wk_bytes in = wk_pe_at(pe, range->rva);
	size_t entry_bytes = is_x64 ? 12 : 8, count = 0;

	if (range->size_bytes < wk_bytes_left(&in))
		in.end = in.at + range->size_bytes;
	if (!bounds)
		return wk_bytes_left(&in) / entry_bytes;
	while (wk_bytes_left(&in) >= entry_bytes) {
		bounds[count] = is_x64 ? read_x64(pe, &in) : read_arm64(pe, &in);
		count += bounds[count].start < bounds[count].end;
	}
	return count;
}

/* Ends each at the start of the next, unless that is a part of it: LLVM's assembler nests parts,
 * others place them after the function. */
static size_t tidy(struct wk_obj_bound *bounds, size_t count)
{
	size_t to = 0;

	for (size_t i = 0; i < count; i++) {
		struct wk_obj_bound bound = bounds[i], *last = to > 0 ? &bounds[to - 1] : NULL;

		if (last && last->function == bound.function && bound.start <= last->end) {
			last->end = bound.end > last->end ? bound.end : last->end;
			continue;
		}
		if (last && last->end > bound.start)
			last->end = bound.start;
		to -= last && last->start == last->end;
		bounds[to++] = bound;
	}
	return to;
}

size_t wk_pe_bounds(const struct wk_obj *pe, struct wk_obj_bound **bounds)
{
	size_t count;

	*bounds = NULL;
	if (pe->machine != WK_MACHINE_X86_64 && pe->machine != WK_MACHINE_AARCH64)
		return 0;
	count = read_entries(pe, NULL);
	if (count == 0 || count >= UINT32_MAX)
		return 0;
	*bounds = wk_alloc(count * sizeof(**bounds));
	count = read_entries(pe, *bounds);
	/* Linkers write them sorted, but a file may lie. */
	*bounds = wk_sort_rows(*bounds, count, sizeof(**bounds),
			       offsetof(struct wk_obj_bound, start));
	return tidy(*bounds, count);
}
