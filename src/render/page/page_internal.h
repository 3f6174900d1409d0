/* Parts of a page, for render/page/ only. */
#ifndef WK_RENDER_PAGE_PAGE_INTERNAL_H
#define WK_RENDER_PAGE_PAGE_INTERNAL_H

#include "base/trie.h"
#include "render/page/page.h"

/* The functions, frames and stacks of the samples that are written, renumbered: those that nothing
 * uses are left out, and functions that views merge are one. Number 0 is none. */
struct wk_page_ids {
	wk_function_id *functions;    /* [function_count]: the first that each stands for */
	uint32_t *frames;             /* [frame_count]: a named frame of each */
	uint32_t *function_of;        /* [frame_count] */
	struct wk_trie_entry *stacks; /* [stack_count], labels are frames */
	uint32_t *stack_of;           /* by named stack of the model */
	uint32_t function_count, frame_count, stack_count;
};

/* The rows of each event in the order in which they are written. */
struct wk_page_rows {
	uint32_t *rows;  /* of the model's samples, by event */
	uint32_t *first; /* [source_count + 1] */
	uint32_t *place; /* by sample: its number among those of its event */
};

/* Which rows other than those of samples are written. With a filter, the others could be what was
 * to be left out. */
struct wk_page_use {
	uint8_t *images, *processes, *threads, *subjects;
};

struct wk_page_parts {
	const struct wk_page *page;
	const struct wk_model *model;
	struct wk_page_rows rows;
	struct wk_page_ids ids;
	struct wk_page_use use;
	wk_source_id blocks;   /* the first event with blocks of heaps; 0: none */
	uint32_t *ends_before; /* of that event: wk_page_ends_before */
};

void wk_page_rows_init(struct wk_page_rows *rows, const struct wk_page *page);
void wk_page_rows_fini(struct wk_page_rows *rows);
void wk_page_ids_init(struct wk_page_ids *ids, const struct wk_model *model,
		      const struct wk_page_rows *rows);
void wk_page_ids_fini(struct wk_page_ids *ids);
void wk_page_use_init(struct wk_page_use *use, const struct wk_page *page,
		      const struct wk_page_rows *rows, const struct wk_page_ids *ids);
void wk_page_use_fini(struct wk_page_use *use);

/* Whether an end is written. */
bool wk_page_has_end(const struct wk_page_parts *parts, wk_source_id source, uint32_t end);

/* How many rows of the event come before the sample `at_row`. */
uint32_t wk_page_rows_before(const struct wk_page_rows *rows, wk_source_id source, uint32_t at_row);

/* How many ends of the event that are written come before each end; [end_count + 1], for the caller
 * to free. */
uint32_t *wk_page_ends_before(const struct wk_page_parts *parts, wk_source_id source);

/* ns since the beginning, a multiple of the resolution. */
int64_t wk_page_time(const struct wk_page *page, uint64_t time_ns);

/* Whether the list of snapshots has this one. */
bool wk_page_shows_snapshot(const struct wk_page_parts *parts, uint32_t row);

/* Each writes the bytes of its block. */
void wk_page_head(const struct wk_page_parts *parts, struct wk_buf *block);
void wk_page_names(const struct wk_page_parts *parts, struct wk_buf *block);
void wk_page_frames(const struct wk_page_parts *parts, struct wk_buf *block);
void wk_page_stacks(const struct wk_page_parts *parts, struct wk_buf *block);
void wk_page_samples(const struct wk_page_parts *parts, wk_source_id source, struct wk_buf *block);
void wk_page_ends(const struct wk_page_parts *parts, wk_source_id source, struct wk_buf *block);
void wk_page_uses(const struct wk_page_parts *parts, struct wk_buf *block);

/* For readers without script. */
void wk_page_html_table(const struct wk_table *table, struct wk_out *out);

#endif
