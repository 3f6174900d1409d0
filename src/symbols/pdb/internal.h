/* Shared by the readers of PDBs; other code uses symbols/pdb/pdb.h.
 *
 * Symbols are placed by section and offset. If a tool has moved code after linking (OMAP), these
 * are positions before the move, the "source" addresses; a module is assembled in source addresses
 * and then moved.
 *
 * Records refer to names anywhere, and many may refer to one long name: all names created for an
 * index are charged to a budget that real files do not come near. */
#ifndef WK_SYMBOLS_PDB_INTERNAL_H
#define WK_SYMBOLS_PDB_INTERNAL_H

#include "base/map.h"
#include "base/sort.h"
#include "symbols/pdb/msf.h"
#include "symbols/pdb/pdb.h"

#define WK_PDB_NO_STREAM 0xffff

/* A section's characteristics. */
#define WK_PDB_CODE       0x00000020u
#define WK_PDB_EXECUTABLE 0x20000000u

/* Kinds of symbols. */
enum {
	S_END = 0x0006,
	S_THUNK32 = 0x1102,
	S_BLOCK32 = 0x1103,
	S_WITH32 = 0x1104,
	S_LPROC32 = 0x110f,
	S_GPROC32 = 0x1110,
	S_PUB32 = 0x110e,
	S_GMANPROC = 0x112a,
	S_LMANPROC = 0x112b,
	S_SEPCODE = 0x1132,
	S_LPROC32_ID = 0x1146,
	S_GPROC32_ID = 0x1147,
	S_INLINESITE = 0x114d,
	S_INLINESITE_END = 0x114e,
	S_PROC_ID_END = 0x114f,
	S_LPROC32_DPC = 0x1155,
	S_LPROC32_DPC_ID = 0x1156,
	S_INLINESITE2 = 0x115d,
};

struct wk_pdb_contribution {
	uint32_t offset, size_bytes, flags, module;
	uint16_t section; /* from 1 */
};

struct wk_pdb_module {
	uint16_t stream;
	uint32_t symbol_bytes, old_line_bytes, line_bytes;
	struct wk_pdb_contribution first; /* of it alone, if the table of all is missing */
	struct wk_pdb_outline *outline;   /* NULL: not read yet, or not cached */
};

/* Code of a module that is read at once: between these addresses, or all of it. A function that
 * crosses a boundary belongs to both parts. */
struct wk_pdb_unit {
	uint32_t module;
	uint32_t low;
	uint64_t high;
};

#define WK_PDB_HIGHEST (UINT64_C(1) << 32) /* address of a whole module */
#define WK_PDB_PIECE   65536               /* bytes of code of a large module */

struct wk_pdb_sections {
	struct wk_pdb_section *rows;
	size_t count;
};

/* Code from source address `from` up to the next one's was moved to `to`; 0: it was removed. */
struct wk_pdb_moved {
	uint32_t from, to;
};

/* Types or ids, found by number. */
struct wk_pdb_types {
	struct wk_msf_stream stream, hash;
	struct wk_bytes records, pairs; /* pairs: number and offset, for every few of them */
	uint32_t first;                 /* number of the first record */
	uint64_t steps;                 /* number of records read from it */
	uint32_t *marks;                /* offset of every few records, if there are no such
					 * pairs */
	size_t mark_count, mark_cap;
	bool is_open, has_marks;
};

struct wk_pdb_publics {
	struct wk_msf_stream records, hash;
	struct wk_bytes by_address; /* offsets of records */
	struct wk_sort_key *sorted; /* the same with keys, if those cannot be used */
	size_t count, cap;
	bool is_open, is_sorted;
};

/* The result of one unit; reused for the next. */
struct wk_pdb_block;

struct wk_pdb {
	struct wk_msf msf;
	struct wk_pdb_id id;
	bool is_minimal, is_stripped; /* sorted by its own address range */
	bool is_x86;                  /* of 32 bits */
	uint32_t names_stream;
	struct wk_msf_stream dbi;
	struct wk_bytes contributions; /* the table's rows */
	uint32_t contribution_bytes;   /* of one; 0: there is no table */
	uint16_t symbol_stream, publics_stream;
	uint16_t debug_streams[11];
	struct wk_pdb_module *modules;
	size_t module_count, module_cap;
	struct wk_pdb_unit *units; /* the first ones are the modules, or their first pieces */
	size_t unit_count, unit_cap;
	struct wk_code_range *ranges; /* of units */
	size_t range_count, range_cap;
	bool has_units;
	uint32_t piece_bytes; /* of code; modules whose streams have no more are not cut */
	struct wk_pdb_sections sections, source_sections;
	struct wk_pdb_moved *moved;
	size_t moved_count;
	uint64_t move_budget;
	struct wk_msf_stream names_whole;
	struct wk_bytes names; /* the texts of /names */
	bool has_names;
	struct wk_pdb_types types, ids;
	struct wk_pdb_publics publics;
	struct wk_code_index *index; /* the one that the ids of texts are of */
	struct wk_map inlinee_names; /* id to text; UINT32_MAX: it has none */
	struct wk_map file_names;    /* offset in `names` to text, the same */
	uint64_t text_budget;
	struct wk_pdb_block *block;
};

/* dbi.c: modules, contributions, stream numbers, sections, moved code. */
bool wk_pdb_read_dbi(struct wk_pdb *pdb, struct wk_err *err);
void wk_pdb_dbi_fini(struct wk_pdb *pdb);

/* pdb_units.c: which piece of code is of which unit. */
void wk_pdb_make_units(struct wk_pdb *pdb);
struct wk_pdb_contribution wk_pdb_read_contribution(struct wk_bytes *in);
bool wk_pdb_is_cut(const struct wk_pdb *pdb, uint32_t module);

/* pdb_address.c */
bool wk_pdb_read_sections(struct wk_pdb *pdb, struct wk_err *err);
void wk_pdb_sections_fini(struct wk_pdb *pdb);
/* False if there is no such place. */
bool wk_pdb_source_rva(const struct wk_pdb *pdb, uint16_t section, uint32_t offset, uint32_t *rva);

/* Iterates over the parts of source addresses and their places in the image. */
struct wk_pdb_part {
	uint32_t start, end;   /* in the image */
	uint64_t at, rest_end; /* the remainder, in source addresses */
	size_t next;
};
struct wk_pdb_part wk_pdb_parts(const struct wk_pdb *pdb, uint32_t start, uint32_t end);
bool wk_pdb_next_part(struct wk_pdb *pdb, struct wk_pdb_part *part);

/* publics.c: the linked name of the function at a place, chosen by `name` if there are several;
 * empty if there is none. */
struct wk_str wk_pdb_public_at(struct wk_pdb *pdb, uint16_t section, uint32_t offset,
			       struct wk_str name);
void wk_pdb_publics_fini(struct wk_pdb_publics *publics);

/* records.c: the contents of symbols that begin code. */
struct wk_pdb_function {
	uint16_t section, parent_section;
	uint32_t offset, parent_offset, size_bytes; /* parent: for a separate part */
	struct wk_str name;                         /* empty in such a part */
};
bool wk_pdb_begins_function(uint16_t kind);
/* False for code without a machine, and if the symbol is damaged. */
bool wk_pdb_read_function(uint16_t kind, struct wk_bytes body, struct wk_pdb_function *function);
/* False if there is no such place. */
bool wk_pdb_function_start(const struct wk_pdb *pdb, const struct wk_pdb_function *function,
			   uint32_t *start);

/* A record as the next thing in `in`; false at the end. */
static inline bool wk_pdb_next_record(struct wk_bytes *in, uint16_t *kind, struct wk_bytes *body)
{
	uint16_t len = wk_u16le(in);

	*body = wk_bytes_slice(in, len);
	*kind = wk_u16le(body);
	return !in->bad && !body->bad;
}

/* types.c: the function of an inlined call; 0 if it is not known. */
uint32_t wk_pdb_inlinee_name(struct wk_pdb *pdb, uint32_t id);
void wk_pdb_types_fini(struct wk_pdb_types *types);

/* pdb.c: false if the budget of names is used up. */
bool wk_pdb_charge(struct wk_pdb *pdb, uint64_t bytes);
/* A text of the index, charged to the budget; 0 if that is used up. */
uint32_t wk_pdb_text(struct wk_pdb *pdb, struct wk_str text);

#endif
