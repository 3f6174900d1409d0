/* What is true of every table of symbols, whatever file it was made of. */
#ifndef WK_FUZZ_SYMTAB_ROWS_H
#define WK_FUZZ_SYMTAB_ROWS_H

#include <assert.h>

#include "symbols/object/symtab.h"

static inline void check_rows(const struct wk_symtab *tab)
{
	struct wk_obj_symbol found;

	for (uint32_t i = 0; i < wk_symtab_count(tab); i++) {
		struct wk_obj_symbol row = wk_symtab_at(tab, i);

		assert(row.size_bytes > 0);
		assert(i == 0 || wk_symtab_at(tab, i - 1).vaddr <= row.vaddr);
		if (wk_symtab_find(tab, row.vaddr, &found))
			assert(found.vaddr <= row.vaddr);
	}
}

#endif
