/* Folded stacks of two files with a count from each: what difffolded prints.
 *
 * Whole stacks are keys, so nothing is split or copied: texts point into the mapped files,
 * which must stay until the end. Lines are looked up in batches, so that waiting for memory
 * overlaps. Zero-initialised is ready; wk_stack_counts_fini frees. */
#ifndef WK_SESSION_FOLD_STACK_COUNTS_H
#define WK_SESSION_FOLD_STACK_COUNTS_H

#include "base/arena.h"
#include "base/bytes.h"
#include "base/err.h"
#include "base/out.h"
#include "base/text/textmap.h"

struct wk_stack_count {
	struct wk_str stack;
	uint64_t count[2]; /* before, after */
};

struct wk_stack_counts {
	bool strips_hex;      /* "0x7f3a" becomes "0x..." */
	bool drops_fractions; /* of counts; otherwise they are added up */
	void (*bad_line)(void *context, struct wk_str line);
	void (*fraction)(void *context, struct wk_str line); /* the first dropped one */
	void *context;

	struct wk_textmap map;
	struct wk_stack_count *rows;
	size_t count, cap;
	double (*fractions)[2]; /* by row, the digits behind the point; NULL: none */
	size_t fractions_cap;
	uint64_t total[2];
	double total_fraction[2];
	struct wk_arena arena; /* for changed stacks */
};

void wk_stack_counts_read(struct wk_stack_counts *counts, struct wk_bytes bytes, int side);

/* Reads two files of folded lines, scales "before" if `normalises`, and writes the lines. */
bool wk_stack_counts_compare(struct wk_stack_counts *counts, const char *const *paths,
			     bool normalises, struct wk_out *out, struct wk_err *err);

/* Makes the counts of "before" add up to those of "after". */
void wk_stack_counts_normalise(struct wk_stack_counts *counts);

/* One line per stack, "stack before after", in the order of the input. */
void wk_stack_counts_write(const struct wk_stack_counts *counts, struct wk_out *out);
void wk_stack_counts_fini(struct wk_stack_counts *counts);

#endif
