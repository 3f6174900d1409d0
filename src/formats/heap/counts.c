#include "formats/heap/counts.h"

#include <inttypes.h>
#include <math.h>

#include "base/buf.h"
#include "base/mem.h"
#include "formats/scan.h"

static bool read_pair(struct wk_str *line, uint64_t *blocks, uint64_t *bytes)
{
	wk_scan_blanks(line);
	if (!wk_scan_number(line, blocks) || !wk_str_accept(line, ":"))
		return false;
	wk_scan_blanks(line);
	return wk_scan_number(line, bytes);
}

bool wk_heap_counts_read(struct wk_str *line, struct wk_heap_counts *counts)
{
	if (!read_pair(line, &counts->used_blocks, &counts->used_bytes) || !wk_scan_blanks(line) ||
	    !wk_str_accept(line, "[") ||
	    !read_pair(line, &counts->made_blocks, &counts->made_bytes))
		return false;
	return wk_str_accept(line, "]");
}

static uint64_t scaled(uint64_t value, double factor)
{
	double product = (double)value * factor + 0.5;

	return product < 9e18 ? (uint64_t)product : (uint64_t)INT64_MAX;
}

static void scale(uint64_t *bytes, uint64_t *blocks, uint64_t period_bytes)
{
	double mean, factor;

	if (*bytes == 0 || *blocks == 0 || period_bytes == 0)
		return;
	mean = (double)*bytes / (double)*blocks;
	factor = 1 / (1 - exp(-mean / (double)period_bytes));
	*bytes = scaled(*bytes, factor);
	*blocks = scaled(*blocks, factor);
}

void wk_heap_counts_scale(struct wk_heap_counts *counts, uint64_t period_bytes)
{
	scale(&counts->used_bytes, &counts->used_blocks, period_bytes);
	scale(&counts->made_bytes, &counts->made_blocks, period_bytes);
}

void wk_heap_counts_note(struct wk_stack_writer *writer, uint64_t period_bytes)
{
	struct wk_buf text = { 0 };

	if (period_bytes == 0)
		return;
	wk_buf_add_fmt(&text,
		       "estimated from samples: about one for each %" PRIu64 " bytes allocated",
		       period_bytes);
	wk_stack_writer_remark(writer, wk_buf_str(&text));
	wk_buf_fini(&text);
}

static uint64_t larger(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

void wk_heap_counts_emit(struct wk_stack_writer *writer, uint32_t pid, uint32_t tid,
			 const struct wk_event_sample *sample, const struct wk_heap_counts *counts)
{
	struct wk_event event = { .kind = WK_EVENT_HEAP_SUM, .cpu = WK_NO_CPU, .pid = pid,
				  .tid = tid };
	struct wk_event_heap_sum *sum = &event.heap_sum;

	sum->allocated_bytes = larger(counts->made_bytes, counts->used_bytes);
	sum->allocated_blocks = larger(counts->made_blocks, counts->used_blocks);
	sum->freed_bytes = sum->allocated_bytes - counts->used_bytes;
	sum->freed_blocks = sum->allocated_blocks - counts->used_blocks;
	sum->sample = *sample;
	if (sum->allocated_bytes || sum->allocated_blocks)
		wk_stack_writer_event(writer, &event);
}

bool wk_heap_chain_read(struct wk_heap_chain *chain, struct wk_str line)
{
	uint64_t address;

	chain->count = 0;
	while (wk_scan_blanks(&line), wk_str_starts(line, "0x") && wk_scan_hex(&line, &address))
		*WK_APPEND(chain->at, chain->count, chain->cap) = address ? address - 1 : 0;
	return line.len == 0 && chain->count > 0;
}

/* "5567b2398000-5567b2399000 r-xp 00001000 00:00 11092512    /tmp/h" */
static bool read_mapping(struct wk_str line, struct wk_event_image *image)
{
	uint64_t end, major, minor;
	struct wk_str rights;

	if (!wk_scan_hex(&line, &image->start) || !wk_str_accept(&line, "-") ||
	    !wk_scan_hex(&line, &end) || end <= image->start || !wk_scan_blanks(&line))
		return false;
	image->size_bytes = end - image->start;
	rights = wk_scan_word(&line);
	image->is_data = !wk_str_has(rights, "x");
	wk_scan_blanks(&line);
	if (!wk_scan_hex(&line, &image->file_offset) || !wk_scan_blanks(&line) ||
	    !wk_scan_hex(&line, &major) || !wk_str_accept(&line, ":") ||
	    !wk_scan_hex(&line, &minor) || !wk_scan_blanks(&line) ||
	    !wk_scan_number(&line, &image->inode))
		return false;
	image->device_major = (uint32_t)major;
	image->device_minor = (uint32_t)minor;
	image->path = wk_trim(line);
	return true;
}

void wk_maps_emit(struct wk_stack_text *text, uint32_t pid, struct wk_str maps)
{
	bool has_process = false;

	while (maps.len) {
		struct wk_event event = { .kind = WK_EVENT_IMAGE, .cpu = WK_NO_CPU, .pid = pid,
					  .tid = pid };

		if (!read_mapping(wk_scan_line(&maps), &event.image) || event.image.is_data ||
		    event.image.path.len == 0)
			continue;
		if (!has_process)
			wk_stack_text_process(text, pid, wk_str_basename(event.image.path));
		has_process = true;
		wk_stack_writer_event(text->writer, &event);
	}
}
