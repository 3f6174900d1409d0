#include "formats/heap/heap_stacks.h"

#include "base/mem.h"
#include "formats/heap/heap_number.h"
#include "channel/stream.h"

/* Stacks are numbered one after the other; a number that is not the next one begins a run. */
static bool begin_block(struct wk_heap_stacks *stacks, struct wk_bytes *bytes)
{
	uint32_t next = wk_u32le(bytes);

	stacks->last_pc = wk_u64le(bytes);
	stacks->position += 12;
	if (bytes->bad || next == 0 || next < stacks->next)
		return false;
	if (next != stacks->next)
		*WK_APPEND(stacks->runs, stacks->run_count, stacks->run_cap) =
			(struct wk_heap_stack_run){ stacks->count, next };
	stacks->next = next;
	return true;
}

static bool add_node(struct wk_heap_stacks *stacks, struct wk_bytes *bytes)
{
	const uint8_t *from = bytes->at;
	uint8_t kind = wk_u8(bytes);
	uint64_t back = wk_uleb(bytes), change = wk_uleb(bytes);

	stacks->position += (uint64_t)(bytes->at - from);
	if (bytes->bad || kind != WK_HEAP_DEFINED_STACK || back == 0 || back > stacks->next ||
	    stacks->next == UINT32_MAX)
		return false;
	stacks->last_pc += (uint64_t)wk_heap_unfold(change);
	*WK_APPEND(stacks->nodes, stacks->count, stacks->cap) =
		(struct wk_heap_node){ stacks->last_pc, stacks->next - (uint32_t)back };
	stacks->next++;
	return true;
}

static void skip_block(struct wk_heap_stacks *stacks, struct wk_bytes *bytes)
{
	uint64_t left = WK_HEAP_BLOCK_BYTES - stacks->position % WK_HEAP_BLOCK_BYTES;

	if (left > wk_bytes_left(bytes))
		left = wk_bytes_left(bytes);
	wk_bytes_skip(bytes, left);
	stacks->position += left;
}

void wk_heap_stacks_add(struct wk_heap_stacks *stacks, uint64_t position, struct wk_bytes bytes)
{
	if (position != stacks->position) {
		stacks->damaged++;
		stacks->is_lost = true;
		stacks->position = position;
	}
	while (wk_bytes_left(&bytes)) {
		bool is_start = stacks->position % WK_HEAP_BLOCK_BYTES == 0;

		if (is_start)
			stacks->is_lost = false;
		if (stacks->is_lost || (!is_start && *bytes.at == WK_HEAP_RECORD_END)) {
			skip_block(stacks, &bytes);
		} else if (is_start ? !begin_block(stacks, &bytes) : !add_node(stacks, &bytes)) {
			stacks->damaged++;
			stacks->is_lost = true;
		}
	}
}

/* The last run that begins at or before a number; NULL if there is none. */
static const struct wk_heap_stack_run *run_of(const struct wk_heap_stacks *stacks, uint32_t stack)
{
	size_t low = 0, high = stacks->run_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (stacks->runs[middle].first <= stack)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? &stacks->runs[low - 1] : NULL;
}

size_t wk_heap_stacks_row_in_runs(const struct wk_heap_stacks *stacks, uint32_t stack)
{
	const struct wk_heap_stack_run *run = run_of(stacks, stack);
	size_t at, end = stacks->count;

	if (!run)
		return 0;
	at = run->at + (stack - run->first);
	if (run + 1 < stacks->runs + stacks->run_count)
		end = run[1].at;
	return at < end ? at + 1 : 0;
}

size_t wk_heap_stacks_get(const struct wk_heap_stacks *stacks, size_t row, uint64_t *chain,
			  size_t most)
{
	size_t count = 0;

	/* A caller's number is smaller. */
	while (row && row <= stacks->count && count < most) {
		const struct wk_heap_node *node = &stacks->nodes[row - 1];

		chain[count++] = node->pc - 1;
		row = node->parent ? wk_heap_stacks_row(stacks, node->parent) : 0;
	}
	return count;
}

void wk_heap_stacks_fini(struct wk_heap_stacks *stacks)
{
	WK_FREE_ALL(stacks->nodes, stacks->runs);
}
