/* Shared by the tables of `wick show`: one file each for code (functions.c), source lines
 * (lines.c), the calling tree (tree.c), processes and threads (processes.c, process_tree.c,
 * threads.c), waits (waits.c), memory (memory.c, allocations.c, snapshots.c, counters.c), marks and
 * events (marks.c) and the recording itself (system.c). tables.c has their list and these helpers,
 * tally.c what tables of processes and threads share.
 *
 * Only for views/tables/. */
#ifndef WK_VIEWS_TABLES_INTERNAL_H
#define WK_VIEWS_TABLES_INTERNAL_H

#include "views/tables/tables.h"

wk_table_fill wk_tables_fill_functions, wk_tables_fill_lines, wk_tables_fill_images,
	wk_tables_fill_tree, wk_tables_fill_callers, wk_tables_fill_callees,
	wk_tables_fill_sandwich, wk_tables_fill_processes, wk_tables_fill_process_tree,
	wk_tables_fill_threads, wk_tables_fill_waits, wk_tables_fill_memory, wk_tables_fill_heap,
	wk_tables_fill_allocations, wk_tables_fill_leaks, wk_tables_fill_snapshots,
	wk_tables_fill_counters, wk_tables_fill_marks, wk_tables_fill_counts, wk_tables_fill_system;

/* --- Rows left out, and the notes about them --- */

bool wk_tables_is_small(uint64_t part, uint64_t whole, double min_percent);
bool wk_tables_is_full(const struct wk_table *table, const struct wk_table_options *options);

/* "12 functions are not shown; their self % adds up to 3.1 %": `column` is what adds up. */
void wk_tables_note_hidden(struct wk_table *table, const char *what, const char *column,
			   uint64_t count, uint64_t weight, uint64_t whole);
/* "3.1 % of ...": nothing if there is none. */
void wk_tables_note_share(struct wk_table *table, const char *what, uint64_t part, uint64_t whole);
void wk_tables_note_without_samples(struct wk_table *table, const char *one, const char *many,
				    uint32_t count);

/* What recording the heap cost, if it is notable: the CPU time in wick's own heap library. */
void wk_tables_note_heap_library(struct wk_table *table, const struct wk_model *model,
				 const struct wk_filter *filter);

/* --- Columns of weights. If weights are numbers of samples, the columns of samples are enough, and
 * there are none --- */

bool wk_tables_weighs_samples(struct wk_str unit);

void wk_tables_weight(struct wk_table *table, const char *what, struct wk_str unit, bool is_detail,
		      uint64_t weight);

/* None for samples. A detail, except for bytes, whose amount says more than their share. */
void wk_tables_weight_detail(struct wk_table *table, const char *what, struct wk_str unit,
			     uint64_t weight);

/* Titled as the filter's event counts: "self waits". Counts of samples that are weights may exceed
 * the 32 bits of `samples`. */
void wk_tables_samples(struct wk_table *table, const char *key, unsigned how,
		       const struct wk_model *model, const struct wk_filter *filter,
		       struct wk_str unit, uint64_t weight, uint64_t samples);

/* Ids of rows, most weight first; with equal weight, most of `then`, and then in the model's own
 * order. */
struct wk_ranked {
	uint64_t weight;
	uint32_t id;
	uint64_t then;
};

int wk_tables_heavier_first(const void *left, const void *right);

/* How many of the ranked rows are shown. */
uint32_t wk_tables_shown_rows(const struct wk_table_options *options,
			      const struct wk_ranked *ranked, uint32_t count, uint64_t whole);

/* The same, with a note about the rest. */
uint32_t wk_tables_limit_rows(struct wk_table *table, const struct wk_table_options *options,
			      const struct wk_ranked *ranked, uint32_t count, uint64_t whole,
			      const char *one, const char *many);

/* --- Memory --- */

/* "in all 12.3 MB in 40 commits, of which 1.2 MB are outstanding; at most 4 MB were there at once",
 * and how to see the calls. */
struct wk_lifetimes;
void wk_tables_note_memory(struct wk_table *table, const struct wk_model *model,
			   const struct wk_lifetimes *whole, const char *event, const char *one,
			   const char *many);

/* How to see what allocated most, unless that is what the table shows. */
void wk_tables_note_by_total(struct wk_table *table, const struct wk_model *model,
			     const struct wk_table_options *options);

/* Is a count of a process's memory in view? */
bool wk_tables_has_use(const struct wk_model *model, const struct wk_filter *filter,
		       const struct wk_use_row *row);

/* Whether numbers of blocks of heaps are known: some tools add up bytes alone. */
bool wk_tables_count_blocks(const struct wk_model *model);

/* Releases that could not be matched, and that there are snapshots. */
void wk_tables_note_heaps(struct wk_table *table, const struct wk_model *model);

/* That blocks from before the recording are not there, if so. */
void wk_tables_note_earlier_blocks(struct wk_table *table, const struct wk_model *model);

/* --- Source lines --- */

/* The line of a named frame; none for 0. People see that there are more: "main.c:12 and 2 more". */
void wk_tables_source(struct wk_table *table, const struct wk_model *model, unsigned how,
		      uint32_t named_frame, uint32_t more);

/* For each function as it is shown, a named frame with the line that has most weight of its own or,
 * if none has, most in all; 0 if no line is known. The caller frees the array. */
uint32_t *wk_tables_hottest_lines(const struct wk_model *model, const struct wk_filter *filter,
				  const struct wk_table_options *options);

/* --- Processes and threads --- */

/* The samples in view for each row of another table, by its id. */
struct wk_tally {
	uint64_t *weight;
	uint64_t *samples;
	const uint8_t *others; /* a byte a row: it is in view even without samples; NULL: none */
	uint64_t whole;
	struct wk_str unit;
};

struct wk_tally wk_tables_tally_by(const struct wk_model *model, const struct wk_filter *filter,
				   bool of_processes);
void wk_tables_end_tally(struct wk_tally *tally);

/* Rows by their weights. Those without samples in view are left out when the view is narrowed, but
 * for those that the tally says are there all the same. */
struct wk_ranked *wk_tables_rank_rows(const struct wk_tally *tally, uint32_t rows, bool is_narrowed,
				      uint32_t *count);

/* The first columns of both lists: the samples of a row. */
void wk_tables_tally(struct wk_table *table, const struct wk_model *model,
		     const struct wk_filter *filter, const struct wk_tally *tally, uint32_t row);

/* None for moments that are not in the recording, which are 0. */
void wk_tables_moment(struct wk_table *table, const char *key, const char *title, unsigned how,
		      const struct wk_model *model, uint64_t time_ns);

/* When a process or thread began, as the column start_ns. */
void wk_tables_start(struct wk_table *table, unsigned how, const struct wk_model *model,
		     uint64_t time_ns);

/* If nothing was sampled, the columns so far, which are about samples, are details. */
void wk_tables_hide_samples(struct wk_table *table, const struct wk_model *model);

/* The columns of a process that are the same in all tables. `process` NULL: none. */
void wk_tables_pid(struct wk_table *table, const char *key, const char *title, unsigned how,
		   const struct wk_process *process);
void wk_tables_name(struct wk_table *table, const char *key, const char *title,
		    const struct wk_model *model, wk_text_id name);
void wk_tables_exit(struct wk_table *table, unsigned how, const struct wk_model *model,
		    const struct wk_process *process);
void wk_tables_parent(struct wk_table *table, unsigned how, const struct wk_model *model,
		      const struct wk_process *process);
void wk_tables_user(struct wk_table *table, unsigned user_how, unsigned session_how,
		    const struct wk_model *model, const struct wk_process *process);

#endif
