/* The feature sections that wick adds to perf.data: what perf has no place for.
 *
 * docs/formats/wick-sections.md is the specification. A section is a run of chunks; a chunk
 * names its subject and version, carries checksums, and can be read without its neighbours.
 * All numbers are little-endian, also in big-endian files.
 *
 * Writing: rows go into `wk_section.rows` between two calls of wk_section_end_row, which
 * closes a chunk when it is large enough; wk_section_close closes the last. `done` then
 * holds the section. Reading: wk_section_next until it returns false. */
#ifndef WK_FORMATS_PERF_WICK_SECTIONS_H
#define WK_FORMATS_PERF_WICK_SECTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "base/strtab.h"
#include "event/event.h"

/* The feature bits. */
enum wk_section_subject {
	WK_SECTION_SYMBOLS = 200,
	WK_SECTION_PROCESSES = 201,
	WK_SECTION_IMAGES = 202,
	WK_SECTION_NOTES = 203,
	WK_SECTION_FACTS = 204,
	WK_SECTION_CALLS = 205,
	WK_SECTION_LINES = 206,
	WK_SECTION_BOUNDS = 207,
	WK_SECTION_HEAP = 208, /* in records, where its events happened */
	WK_SECTION_USES = 209, /* in records as well, when they were counted */
	WK_SECTION_FIRST = WK_SECTION_SYMBOLS,
	WK_SECTION_END = 210,
};

#define WK_SECTION_VERSION 1

/* The key of a fact about parts that the source of this recording already lacked: it is read as a
 * note about that. */
#define WK_SECTION_FACT_INCOMPLETE "not complete"

/* The same for parts that existed and could not be used (WK_NOTE_FAULT). */
#define WK_SECTION_FACT_FAULT "not used"

/* Texts are cut to this, and chunks are closed above it, so that a chunk with one more row still
 * fits the 64 KiB of a record in a pipe. */
#define WK_SECTION_TEXT       12000
#define WK_SECTION_MOST_CALLS 256 /* of one address: no compiler inlines deeper */
#define WK_SECTION_CHUNK      16384

struct wk_section {
	enum wk_section_subject subject;
	struct wk_buf done, rows;
	uint32_t row_count;
	uint64_t cut_texts;      /* how many were longer than WK_SECTION_TEXT */
	struct wk_strtab *known; /* of wk_section_add_known in this chunk; NULL: none yet */
};

void wk_section_add_text(struct wk_section *section, struct wk_str text);

/* The same for texts that come again and again: written once a chunk, then by number. */
void wk_section_add_known(struct wk_section *section, struct wk_str text);
void wk_section_add_build_id(struct wk_section *section, const struct wk_build_id *id);
void wk_section_end_row(struct wk_section *section);
void wk_section_close(struct wk_section *section);
void wk_section_fini(struct wk_section *section);

/* One chunk of rows that are not in a wk_section: at least one, and not more than fit a record. */
void wk_section_add_chunk(struct wk_buf *out, enum wk_section_subject subject, struct wk_str rows,
			  uint32_t row_count);

struct wk_section_chunk {
	enum wk_section_subject subject;
	uint16_t version;
	uint32_t row_count;
	struct wk_bytes rows;
};

/* The next complete chunk. Damaged ones before it are skipped and counted in `damaged`, which the
 * caller sets to 0 before the first call. False at the end. */
bool wk_section_next(struct wk_bytes *section, struct wk_section_chunk *chunk, uint64_t *damaged);

/* The same as a whole, of a section that was made here, as in section->done: nothing is checked.
 * Empty at its end. */
struct wk_str wk_section_next_own(struct wk_bytes *section);

/* What wk_section_add_text and _add_build_id wrote; a bad length leaves the window bad. */
struct wk_str wk_section_text(struct wk_bytes *rows);

/* The numbered texts of a chunk; emptied by wk_section_known_begin. */
struct wk_section_known {
	struct wk_str *texts;
	size_t count, cap;
};

void wk_section_known_begin(struct wk_section_known *known);
struct wk_str wk_section_known_text(struct wk_bytes *rows, struct wk_section_known *known);
void wk_section_known_fini(struct wk_section_known *known);
struct wk_build_id wk_section_build_id(struct wk_bytes *rows);

#endif
