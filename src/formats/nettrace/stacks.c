#include "formats/nettrace/stacks.h"

#include "base/mem.h"

void wk_nettrace_stacks_fini(struct wk_nettrace_stacks *stacks)
{
	wk_free(stacks->at);
	wk_map_fini(&stacks->row_of);
	wk_arena_fini(&stacks->chains);
}

bool wk_nettrace_stacks_add(struct wk_nettrace_stacks *stacks, struct wk_bytes in)
{
	uint32_t number = wk_u32le(&in), count = wk_u32le(&in);

	for (; count && !in.bad; count--, number++) {
		struct wk_bytes stack = wk_bytes_slice(&in, wk_u32le(&in));

		if (in.bad || stack.bad)
			return false;
		*WK_APPEND(stacks->at, stacks->count, stacks->cap) = (struct wk_nettrace_stack){
			.at = stack.at, .size_bytes = (uint32_t)wk_bytes_left(&stack) };
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
	wk_arena_reset(&stacks->chains);
}

static uint64_t read_address(struct wk_bytes *in, uint32_t pointer_bytes)
{
	return pointer_bytes == 4 ? wk_u32le(in) : wk_u64le(in);
}

static void decode(struct wk_nettrace_stacks *stacks, struct wk_nettrace_stack *row,
		   uint32_t pointer_bytes)
{
	struct wk_nettrace_chain *chain = wk_arena_alloc_zeroed(&stacks->chains, sizeof(*chain));
	struct wk_bytes in = wk_bytes_of(row->at, row->size_bytes);
	uint64_t *at;

	chain->count = row->size_bytes / pointer_bytes;
	chain->unique = 2 * (stacks->forgotten + (uint64_t)(row - stacks->at) + 1);
	at = wk_arena_alloc(&stacks->chains, (chain->count + 1) * sizeof(*at));
	*at++ = WK_NETTRACE_NATIVE;
	for (size_t i = 0; i < chain->count; i++)
		at[i] = read_address(&in, pointer_bytes);
	while (chain->kernel_count < chain->count && wk_nettrace_in_kernel(at[chain->kernel_count]))
		chain->kernel_count++;
	chain->at = at;
	row->chain = chain;
}

static struct wk_nettrace_chain *empty_chain(struct wk_nettrace_stacks *stacks)
{
	stacks->native = WK_NETTRACE_NATIVE;
	stacks->none = (struct wk_nettrace_chain){ .at = &stacks->native + 1 };
	return &stacks->none;
}

struct wk_nettrace_chain *wk_nettrace_stacks_find(struct wk_nettrace_stacks *stacks,
						  uint32_t number, uint32_t pointer_bytes)
{
	uint32_t row = wk_map_find(&stacks->row_of, number);

	if (!row)
		return number ? NULL : empty_chain(stacks);
	if (!stacks->at[row - 1].chain)
		decode(stacks, &stacks->at[row - 1], pointer_bytes);
	return stacks->at[row - 1].chain;
}

uint64_t wk_nettrace_stacks_leaf(const struct wk_nettrace_stacks *stacks, uint32_t number,
				 uint32_t pointer_bytes)
{
	uint32_t row = wk_map_find(&stacks->row_of, number);
	struct wk_bytes in;

	if (!row)
		return 0;
	in = wk_bytes_of(stacks->at[row - 1].at, stacks->at[row - 1].size_bytes);
	return read_address(&in, pointer_bytes);
}
