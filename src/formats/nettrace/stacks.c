#include "formats/nettrace/stacks.h"

#include "base/mem.h"

void wk_nettrace_stacks_fini(struct wk_nettrace_stacks *stacks)
{
	WK_FREE_ALL(stacks->at, stacks->chain);
	wk_map_fini(&stacks->row_of);
}

bool wk_nettrace_stacks_add(struct wk_nettrace_stacks *stacks, struct wk_bytes in)
{
	uint32_t number = wk_u32le(&in), count = wk_u32le(&in);

	for (; count && !in.bad; count--, number++) {
		struct wk_bytes stack = wk_bytes_slice(&in, wk_u32le(&in));

		if (in.bad || stack.bad)
			return false;
		*WK_APPEND(stacks->at, stacks->count, stacks->cap) = (struct wk_nettrace_stack){
			stack.at, (uint32_t)wk_bytes_left(&stack) };
		wk_map_set(&stacks->row_of, number, (uint32_t)stacks->count);
	}
	return !in.bad;
}

void wk_nettrace_stacks_forget(struct wk_nettrace_stacks *stacks)
{
	stacks->forgotten += stacks->count;
	stacks->count = 0;
	wk_map_fini(&stacks->row_of);
	stacks->row_of = (struct wk_map){ 0 };
}

static uint64_t read_address(struct wk_bytes *in, uint32_t pointer_bytes)
{
	return pointer_bytes == 4 ? wk_u32le(in) : wk_u64le(in);
}

/* Its row + 1, or 0. */
static uint32_t find(const struct wk_nettrace_stacks *stacks, uint32_t number, struct wk_bytes *in)
{
	uint32_t row = wk_map_find(&stacks->row_of, number);

	if (row)
		*in = wk_bytes_of(stacks->at[row - 1].at, stacks->at[row - 1].size_bytes);
	return row;
}

bool wk_nettrace_stacks_find(struct wk_nettrace_stacks *stacks, uint32_t number,
			     uint32_t pointer_bytes, struct wk_nettrace_chain *chain)
{
	struct wk_bytes in;
	uint32_t row = find(stacks, number, &in);

	*chain = (struct wk_nettrace_chain){ 0 };
	if (!row)
		return number == 0;
	chain->count = wk_bytes_left(&in) / pointer_bytes;
	chain->unique = 2 * (stacks->forgotten + row);
	WK_RESERVE(stacks->chain, stacks->chain_cap, chain->count + 1);
	for (size_t i = 0; i < chain->count; i++)
		stacks->chain[i] = read_address(&in, pointer_bytes);
	chain->at = stacks->chain;
	return true;
}

uint64_t wk_nettrace_stacks_leaf(const struct wk_nettrace_stacks *stacks, uint32_t number,
				 uint32_t pointer_bytes)
{
	struct wk_bytes in;

	return find(stacks, number, &in) ? read_address(&in, pointer_bytes) : 0;
}
