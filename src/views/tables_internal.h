/* What the tables of `wick show` share: a file each for what samples were in
 * (tables_functions.c), the calling tree (tables_tree.c), who ran (tables_threads.c) and the
 * recording itself (tables_system.c). tables.c has the list of them and these helpers.
 *
 * For views/tables*.c alone. */
#ifndef WK_VIEWS_TABLES_INTERNAL_H
#define WK_VIEWS_TABLES_INTERNAL_H

#include "views/tables.h"

void wk_tables_fill_functions(struct wk_table *table, const struct wk_model *model,
			      const struct wk_filter *filter,
			      const struct wk_table_options *options);
void wk_tables_fill_images(struct wk_table *table, const struct wk_model *model,
			   const struct wk_filter *filter,
			   const struct wk_table_options *options);
void wk_tables_fill_tree(struct wk_table *table, const struct wk_model *model,
			 const struct wk_filter *filter, const struct wk_table_options *options);
void wk_tables_fill_processes(struct wk_table *table, const struct wk_model *model,
			      const struct wk_filter *filter,
			      const struct wk_table_options *options);
void wk_tables_fill_threads(struct wk_table *table, const struct wk_model *model,
			    const struct wk_filter *filter,
			    const struct wk_table_options *options);
void wk_tables_fill_system(struct wk_table *table, const struct wk_model *model,
			   const struct wk_filter *filter,
			   const struct wk_table_options *options);

/* --- What is left out, and the words for it --- */

bool wk_tables_is_small(uint64_t part, uint64_t whole, double min_percent);
bool wk_tables_is_full(const struct wk_table *table, const struct wk_table_options *options);

/* "12 functions are not shown; their self % adds up to 3.1 %": `column` is what adds up. */
void wk_tables_note_hidden(struct wk_table *table, const char *what, const char *column,
			   uint64_t count, uint64_t weight, uint64_t whole);
void wk_tables_note_without_samples(struct wk_table *table, const char *one, const char *many,
				    uint32_t count);

/* --- Columns and cells of weights: where weights are numbers of samples, the columns of samples
 * say it all, and there are none --- */

bool wk_tables_weighs_samples(struct wk_str unit);

/* A detail, and the cell that goes with it. */
void wk_tables_weight_detail(struct wk_table *table, const char *what, struct wk_str unit);
void wk_tables_weight_cell(struct wk_table *table, struct wk_str unit, uint64_t weight);

void wk_tables_samples_column(struct wk_table *table, const char *key,
			      const struct wk_model *model, const struct wk_filter *filter);
void wk_tables_samples_cell(struct wk_table *table, struct wk_str unit, uint64_t weight,
			    uint64_t samples);

static inline struct wk_str wk_tables_or_else(struct wk_str text, const char *otherwise)
{
	return text.len ? text : wk_str_c(otherwise);
}

/* Ids of rows, most weight first, in the model's own order where that is the same. */
struct wk_ranked {
	uint64_t weight;
	uint32_t id;
};

int wk_tables_heavier_first(const void *left, const void *right);

#endif
