#include "symbols/pdb/block.h"
#include "base/mem.h"

void wk_pdb_block_begin(struct wk_pdb_block *block, const struct wk_pdb_outline *outline,
			uint32_t low, uint64_t high)
{
	block->outline = outline;
	block->low = low;
	block->high = high;
	block->has_last_file = false;
	block->line_count = block->proc_count = block->site_count = 0;
	block->row_count = block->run_count = 0;
}

void wk_pdb_block_free(struct wk_pdb_block *block)
{
	if (!block)
		return;
	wk_code_maker_fini(&block->maker);
	WK_FREE_ALL(block->lines, block->procs, block->sites, block->rows, block->runs, block);
}
