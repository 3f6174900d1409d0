/* Compiled unwind rows, saved and used in place.
 *
 * Entries (functions) sorted by address, their rows, and the distinct rules of the rows. The bytes
 * are borrowed and may be damaged: the answers are then wrong, but rules are checked before they
 * are returned, and nothing outside the bytes is read. */
#ifndef WK_SYMBOLS_UNWIND_SAVED_H
#define WK_SYMBOLS_UNWIND_SAVED_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "base/err.h"
#include "event/event.h"
#include "symbols/unwind/rules.h"

struct wk_unwind_saved_entry {
	uint32_t start, size_bytes; /* start: from the table's base */
	uint32_t first_row, row_count;
};

struct wk_unwind_saved_row {
	uint32_t distance; /* from the entry's start */
	uint32_t rules;    /* number of the rules, from 0 on */
};

struct wk_unwind_saved {
	uint64_t base;
	const struct wk_unwind_saved_entry *entries;
	const struct wk_unwind_saved_row *rows;
	const uint32_t *places; /* the start of each of the rules in `rules` */
	const uint8_t *rules;
	uint32_t entry_count, row_count, rules_count, rules_len;
};

/* Space for the rules of every register. */
union wk_unwind_wide {
	struct wk_rules rules;
	char room[sizeof(struct wk_rules) + WK_REGISTERS * sizeof(struct wk_rule)];
};

bool wk_unwind_saved_open(struct wk_unwind_saved *saved, struct wk_bytes bytes, struct wk_err *err);

/* The entry that covers `vaddr`, or NULL. */
const struct wk_unwind_saved_entry *wk_unwind_saved_find(const struct wk_unwind_saved *saved,
							 uint64_t vaddr);

/* The rows of an entry; how many are there is in `count`. */
const struct wk_unwind_saved_row *wk_unwind_saved_rows(const struct wk_unwind_saved *saved,
						       const struct wk_unwind_saved_entry *entry,
						       uint32_t *count);

/* Stores rules `number` in `wide`, completely; their section is `section` if they need one. False
 * if they are invalid. */
bool wk_unwind_saved_rules(const struct wk_unwind_saved *saved, uint32_t number,
			   const struct wk_bytes *section, union wk_unwind_wide *wide);

/* Writes a table. Entries are in order of address, and count rows and rules from 0. */
struct wk_unwind_saving {
	uint64_t base;
	const struct wk_unwind_saved_entry *entries;
	const struct wk_unwind_saved_row *rows;
	struct wk_rules *const *rules;
	uint32_t entry_count, row_count, rules_count;
};
void wk_unwind_saved_write(const struct wk_unwind_saving *saving, struct wk_buf *out);

#endif
