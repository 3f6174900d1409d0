#include "symbols/pdb_block.h"

#include <stdlib.h>

void wk_pdb_block_reset(struct wk_pdb_block *block)
{
	wk_msf_stream_fini(&block->stream);
	wk_map_fini(&block->file_texts);
	wk_map_fini(&block->inlinee_of);
	block->has_last_file = false;
	block->inlinee_count = block->line_count = 0;
	block->proc_count = block->site_count = block->row_count = 0;
	block->run_count = 0;
}

void wk_pdb_block_free(struct wk_pdb_block *block)
{
	if (!block)
		return;
	wk_pdb_block_reset(block);
	free(block->inlinees);
	free(block->lines);
	free(block->procs);
	free(block->sites);
	free(block->rows);
	wk_code_maker_fini(&block->maker);
	free(block->runs);
	free(block);
}
