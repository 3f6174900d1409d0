/* What one module of a PDB is made into, on its way to a block of the code index.
 *
 * Order of calls: wk_pdb_read_lines (files, lines, where inlined functions begin), then
 * wk_pdb_read_scopes (functions and inlined calls), then wk_pdb_make_runs, which lays all of it
 * over one another, and wk_pdb_move_runs. All addresses are source addresses up to there; see
 * pdb_internal.h. */
#ifndef WK_SYMBOLS_PDB_BLOCK_H
#define WK_SYMBOLS_PDB_BLOCK_H

#include "symbols/code_block.h"
#include "symbols/pdb_internal.h"

/* A function, a thunk, or a part of a function that lies elsewhere. */
struct wk_pdb_proc {
	uint32_t start, end;
	uint32_t name; /* text */
	uint32_t node; /* made when it is first needed; 0: not yet */
	bool is_hidden; /* another one begins at the same address */
};

/* An inlined call. */
struct wk_pdb_site {
	uint32_t parent; /* the site around it, + 1; 0: the function itself */
	uint32_t proc;
	uint32_t name; /* text; 0: it is not known, and the call is left out */
	uint32_t depth;
	uint32_t row;  /* that holds now, + 1; 0: none */
	bool is_queued;
	/* The node that was made last, and for what. */
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

/* Where an inlined function begins. */
struct wk_pdb_inlinee {
	uint32_t file_id, line;
};

/* From `start` up to the next the code is of `node`, at a line. */
struct wk_pdb_run {
	uint32_t start, node, file, line;
};

struct wk_pdb_block {
	struct wk_msf_stream stream;
	struct wk_bytes symbols, line_parts; /* of it */

	struct wk_bytes checksums;
	struct wk_map file_texts; /* by a file's place in `checksums` to text; UINT32_MAX: none */
	uint32_t last_file, last_text;
	bool has_last_file;

	struct wk_map inlinee_of; /* id to its number in `inlinees` + 1 */
	struct wk_pdb_inlinee *inlinees;
	size_t inlinee_count, inlinee_cap;

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

void wk_pdb_block_reset(struct wk_pdb_block *block);
void wk_pdb_block_free(struct wk_pdb_block *block);

/* pdb_lines.c */
void wk_pdb_read_lines(struct wk_pdb *pdb, struct wk_pdb_block *block);
/* The text of a file by its place among the checksums; 0: none. */
uint32_t wk_pdb_file_text(struct wk_pdb *pdb, struct wk_pdb_block *block, uint32_t file_id);

/* pdb_scopes.c */
void wk_pdb_read_scopes(struct wk_pdb *pdb, struct wk_pdb_block *block);

/* pdb_annotations.c: adds the rows of a site whose function begins at `start`. */
void wk_pdb_run_annotations(struct wk_pdb *pdb, struct wk_pdb_block *block, struct wk_bytes in,
			    uint32_t site, uint32_t start, const struct wk_pdb_inlinee *inlinee);

/* pdb_runs.c: `runs`, sorted by address, and the nodes. */
void wk_pdb_make_runs(struct wk_pdb_block *block);
/* The same moved to where they are in the image. */
void wk_pdb_move_runs(struct wk_pdb *pdb, struct wk_pdb_block *block);

#endif
