/* Adds a unit to a code index, with nodes as tests write them. */
#ifndef WK_TESTS_CODE_NODES_H
#define WK_TESTS_CODE_NODES_H

#include "symbols/code_index/block.h"

struct code_node {
	uint32_t parent, function, call_file; /* function, file: text ids */
	uint32_t call_line, call_column;
};

/* Node 0 is not used. */
static inline void code_add(struct wk_code_index *index, uint32_t unit,
			    const struct code_node *nodes, uint32_t node_count,
			    const struct wk_code_block *block)
{
	struct wk_code_maker maker = { 0 };

	wk_code_maker_begin(&maker, 0);
	for (uint32_t i = 1; i < node_count; i++)
		*wk_code_maker_node(&maker) = (struct wk_code_packed_node){
			.parent = nodes[i].parent,
			.function = nodes[i].function,
			.call_line = nodes[i].call_line,
			.call_file = wk_code_maker_file(&maker, nodes[i].call_file),
			.call_column = wk_code_maker_column(nodes[i].call_column),
		};
	wk_code_index_add(index, unit, &maker, block);
	wk_code_maker_fini(&maker);
}

#endif
