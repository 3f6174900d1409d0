/* The inside of a wk_unwind_table, for the walker, tests and benchmarks. */
#ifndef WK_SYMBOLS_UNWIND_TABLE_H
#define WK_SYMBOLS_UNWIND_TABLE_H

#include "symbols/unwind/rules.h"
#include "symbols/unwind/unwind.h"

/* The rules at an address of the file; NULL if there are none. They live as long as the table. */
const struct wk_rules *wk_unwind_table_rules(struct wk_unwind_table *table, uint64_t vaddr);

#endif
