/* The tables of stacks in a Firefox Profiler profile: each thread has its own, all share texts,
 * source files and libraries.
 *
 *	wk_fox_shared_init(&shared, model);
 *	for each thread:
 *		row = wk_fox_stack(&shared, &tables, stack);     of each sample
 *		wk_fox_tables_write(&shared, &tables, out);      the thread's keys
 *		wk_fox_tables_reset(&tables);
 *	wk_fox_shared_write(&shared, out);                       keys of the profile
 *
 * The cost of a thread is proportional to the frames of its distinct stacks. */
#ifndef WK_RENDER_PROFILES_FIREFOX_TABLES_H
#define WK_RENDER_PROFILES_FIREFOX_TABLES_H

#include "base/map.h"
#include "base/out.h"
#include "model/model.h"

/* Ids in the order in which they were met; a row's number is its index. */
struct wk_fox_rows {
	uint32_t *at;
	uint32_t count;
	size_t cap;
};

/* The same with a way back from an id to its row. */
struct wk_fox_ids {
	struct wk_fox_rows rows;
	struct wk_map row_of; /* + 1 */
};

struct wk_fox_shared {
	const struct wk_model *model;
	struct wk_fox_ids texts, sources, libs; /* texts, texts, images */
	wk_function_id *merged;                 /* functions of one name are one */
	uint8_t *category_of;                   /* [function_count]: enum wk_code_kind + 1 */
	/* Of the thread at hand, row + 1: by recorded stack, call, function and image. */
	uint32_t *stack_row, *frame_row, *func_row, *resource_row;
};

struct wk_fox_tables {
	struct wk_fox_rows stacks;   /* frame rows */
	struct wk_fox_rows prefixes; /* of the stacks: row + 1 */
	struct wk_fox_rows known;    /* recorded stacks that have a row */
	struct wk_fox_rows frames;   /* recorded frames */
	struct wk_fox_rows calls;    /* of the frames: which call of the frame */
	struct wk_fox_rows depths;   /* of the frames: in how many inlined calls */
	struct wk_fox_rows places;   /* of the frames: the recorded frame of the outermost call */
	struct wk_fox_rows funcs, resources;
	struct wk_fox_rows path; /* scratch */
};

void wk_fox_shared_init(struct wk_fox_shared *shared, const struct wk_model *model);
void wk_fox_shared_fini(struct wk_fox_shared *shared);

/* The row of a recorded stack other than 0. */
uint32_t wk_fox_stack(struct wk_fox_shared *shared, struct wk_fox_tables *tables,
		      wk_stack_id stack);

void wk_fox_tables_write(struct wk_fox_shared *shared, const struct wk_fox_tables *tables,
			 struct wk_out *out);

/* Ready for the next thread. */
void wk_fox_tables_reset(struct wk_fox_shared *shared, struct wk_fox_tables *tables);
void wk_fox_tables_fini(struct wk_fox_tables *tables);

/* "libs" and "shared". */
void wk_fox_shared_write(struct wk_fox_shared *shared, struct wk_out *out);

/* What is written before the first cell, and behind the last one. */
bool wk_fox_edge(struct wk_out *out, const char *name, uint32_t row, uint32_t count);

/* A JSON array of `count` cells:
 *
 *	for (row = 0; wk_fox_cell(out, "line", row, count); row++)
 *		... writes the cell
 *
 * It is the member `name` behind another one; if NULL, the caller has opened the array. */
static inline bool wk_fox_cell(struct wk_out *out, const char *name, uint32_t row, uint32_t count)
{
	if (row == 0 || row == count)
		return wk_fox_edge(out, name, row, count);
	wk_out_char(out, ',');
	return true;
}
void wk_fox_number_or(struct wk_out *out, bool is_known, uint64_t number, const char *other);

/* "categories": one a kind of code. */
void wk_fox_categories_write(struct wk_out *out);

#endif
