/* A recording as one HTML file: the analysis page of web/page with the data behind it.
 *
 * The page is a template that is embedded at build time. docs/report-format.md describes the data:
 * blocks of columns and of JSON. They hold the samples of all events that the filter keeps, and
 * what these refer to. */
#ifndef WK_RENDER_PAGE_PAGE_H
#define WK_RENDER_PAGE_PAGE_H

#include "base/out.h"
#include "views/filter/filter.h"
#include "views/filter/presets.h"
#include "views/tables/table.h"

/* A table or view that the recording has no data for, and why. */
struct wk_page_lack {
	const char *name, *sentence;
};

/* A preset that the page offers. */
struct wk_page_preset {
	const struct wk_preset *preset;
	uint8_t *processes; /* by process: its filter keeps threads of it; NULL: it keeps all */
};

struct wk_page {
	const struct wk_model *model;
	const struct wk_filter *filter;
	struct wk_str title, input, command;
	struct wk_str open;     /* where the page starts: "#memory"; empty: it chooses */
	uint64_t resolution_ns; /* times of samples become multiples of it */
	bool compiles_rust;
	bool is_redacted; /* without what names a person or a machine: see redact.h */
	const struct wk_str *quality, *warnings; /* sentences */
	size_t quality_count, warning_count;
	const struct wk_page_preset *presets;
	size_t preset_count;
	bool has_chosen_preset; /* the first one is where the page starts */
	const struct wk_page_lack *lacks;
	size_t lack_count;
	const struct wk_table *tables;
	size_t table_count;
	const struct wk_table *hottest; /* functions, for readers without script */
	const struct wk_page *before;   /* the recording to compare with, whose tables and lacks are
					 * not written; or NULL */
};

void wk_page_write(const struct wk_page *page, struct wk_out *out);

/* The data of a page for a server, which makes blocks when they are asked for. The page must
 * outlive it. */
struct wk_page_blocks;
struct wk_page_blocks *wk_page_blocks_new(const struct wk_page *page);
void wk_page_blocks_free(struct wk_page_blocks *blocks);

/* Adds the plain bytes of a block; false if there is none of that name. */
bool wk_page_block_make(const struct wk_page_blocks *blocks, struct wk_str name,
			struct wk_buf *bytes);

/* The model's row of a snapshot by its place in the list of the block "head", from 1 on; false if
 * there is none. */
bool wk_page_snapshot_row(const struct wk_page_blocks *blocks, uint32_t place, uint32_t *row);

/* A page whose data are asked for. */
struct wk_page_served {
	unsigned generation;
	bool sends_trees; /* it asks for trees (docs/report-format.md), not for all samples */
};

/* The page with only a list of the blocks: {"served":true,"generation":1,"trees":false,
 * "blocks":[...]} is its head. Its Content-Security-Policy is for the server to send: `policy` gets
 * it. */
void wk_page_write_served(const struct wk_page *page, const struct wk_page_blocks *blocks,
			  const struct wk_page_served *served, struct wk_buf *policy,
			  struct wk_out *out);

/* A table as the JSON of a block. */
void wk_page_json_table(const struct wk_table *table, struct wk_buf *block);

#endif
