/* One unit of a PDB, on its way to a block of the code index.
 *
 * Order of calls: wk_pdb_block_begin, wk_pdb_read_lines (files, lines), wk_pdb_read_scopes
 * (functions and inlined calls), wk_pdb_make_runs, which merges all of it, and wk_pdb_move_runs.
 * Until then all addresses are source addresses; see internal.h. */
#ifndef WK_SYMBOLS_PDB_BLOCK_H
#define WK_SYMBOLS_PDB_BLOCK_H

#include "symbols/code_index/block.h"
#include "symbols/pdb/outline.h"

/* A function, a thunk, or a separate part of a function. */
struct wk_pdb_proc {
	uint32_t start, end;
	uint32_t name; /* text */
	uint32_t node; /* created on first use; 0: not yet */
};

/* An inlined call. */
struct wk_pdb_site {
	uint32_t parent; /* the site around it, + 1; 0: the function itself */
	uint32_t proc;
	uint32_t name; /* text; 0: it is not known, and the call is left out */
	uint32_t depth;
	uint32_t row; /* that holds now, + 1; 0: none */
	bool is_queued;
	/* The last node created, and its key. */
	uint32_t node, node_parent, node_file, node_line;
};

/* Code of an inlined call. */
struct wk_pdb_site_row {
	uint32_t start, end, site;
	uint32_t file, line; /* file: text */
};

/* From `start` up to the next; line 0: none is known. Sorted; of several at one address the last
 * counts. */
struct wk_pdb_line {
	uint32_t start, file, line;
};

/* From `start` up to the next the code is of `node`, at a line. */
struct wk_pdb_run {
	uint32_t start, node, file, line;
};

struct wk_pdb_block {
	const struct wk_pdb_outline *outline; /* of its module */
	uint32_t low;                         /* addresses below it, or from `high` on, are left
					       * out */
	uint64_t high;

	uint32_t last_file, last_text; /* a file's place in the checksums, and its name */
	bool has_last_file;

	struct wk_pdb_line *lines;
	size_t line_count, line_cap;

	struct wk_pdb_proc *procs;
	size_t proc_count, proc_cap;
	struct wk_pdb_site *sites;
	size_t site_count, site_cap;
	struct wk_pdb_site_row *rows;
	size_t row_count, row_cap;

	struct wk_code_maker maker; /* has the nodes */
	size_t most_nodes;
	struct wk_pdb_run *runs;
	size_t run_count, run_cap;
};

void wk_pdb_block_begin(struct wk_pdb_block *block, const struct wk_pdb_outline *outline,
			uint32_t low, uint64_t high);
void wk_pdb_block_free(struct wk_pdb_block *block);

/* pdb_lines.c */
void wk_pdb_read_lines(struct wk_pdb *pdb, struct wk_pdb_block *block);
/* The text of a file by its offset among the checksums; 0: none. */
uint32_t wk_pdb_file_text(struct wk_pdb *pdb, struct wk_pdb_block *block, uint32_t file_id);

/* pdb_scopes.c */
void wk_pdb_read_scopes(struct wk_pdb *pdb, struct wk_pdb_block *block);

/* annotations.c: adds the rows of a site that are in its function's code. */
void wk_pdb_run_annotations(struct wk_pdb *pdb, struct wk_pdb_block *block, struct wk_bytes in,
			    uint32_t site, const struct wk_pdb_inlinee *inlinee);

/* pdb_runs.c: `runs`, sorted by address, and the nodes. */
void wk_pdb_make_runs(struct wk_pdb_block *block);
/* The same at their place in the image. */
void wk_pdb_move_runs(struct wk_pdb *pdb, struct wk_pdb_block *block);

#endif
