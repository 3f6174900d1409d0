#include "base/hash.h"
#include "symbols/image/image.h"

/* All code of most programs, and windows spread over that of larger ones. */
#define WINDOW_BYTES ((uint64_t)16 << 10)
#define MOST_WINDOWS 64

/* Real files have one or two segments of code; a hostile one may have the same 65,000 times. */
#define MOST_CODES 16

/* The headers, which change when sections are removed. */
static uint64_t head_bytes(const struct wk_obj *obj)
{
	return obj->is_64 ? 64 + (uint64_t)obj->segment_count * 56
			  : 52 + (uint64_t)obj->segment_count * 32;
}

static struct wk_bytes code_of(const struct wk_obj *obj, const struct wk_obj_segment *segment)
{
	struct wk_bytes code = wk_obj_segment_bytes(obj, segment);
	uint64_t head = head_bytes(obj), left = wk_bytes_left(&code);

	if (segment->offset < head)
		wk_bytes_slice(&code,
			       head - segment->offset < left ? head - segment->offset : left);
	return code;
}

static void add_code(struct wk_buf *facts, struct wk_bytes code)
{
	uint64_t size = wk_bytes_left(&code), windows = (size + WINDOW_BYTES - 1) / WINDOW_BYTES;
	uint64_t distance = WINDOW_BYTES;

	if (windows > MOST_WINDOWS) {
		windows = MOST_WINDOWS;
		distance = (size - WINDOW_BYTES) / (MOST_WINDOWS - 1);
	}
	for (uint64_t i = 0; i < windows; i++) {
		uint64_t left = size - i * distance;

		wk_buf_add_u64(facts, wk_checksum(code.at + i * distance,
						  left < WINDOW_BYTES ? left : WINDOW_BYTES));
	}
}

uint64_t wk_image_build(const struct wk_obj *obj)
{
	struct wk_buf facts = { 0 };
	unsigned codes = 0;
	uint64_t build;

	wk_buf_add_u64(&facts, obj->entry);
	wk_buf_add_u64(&facts, obj->machine_code);
	for (uint32_t i = 0; i < obj->segment_count; i++) {
		const struct wk_obj_segment *segment = &obj->segments[i];

		if (segment->type != WK_PT_LOAD)
			continue;
		wk_buf_add_u64(&facts, segment->vaddr);
		wk_buf_add_u64(&facts, segment->memory_size);
		wk_buf_add_u64(&facts, segment->flags);
		if ((segment->flags & WK_PF_X) && codes++ < MOST_CODES)
			add_code(&facts, code_of(obj, segment));
	}
	build = wk_checksum(wk_buf_text(&facts), facts.len);
	wk_buf_fini(&facts);
	return build;
}
