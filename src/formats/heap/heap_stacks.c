#include "formats/heap/heap_stacks.h"

#include "base/mem.h"
#include "formats/heap/heap_number.h"
#include "channel/stream.h"

/* Numbers of a damaged file must not need more memory than the file is long: stacks come one after
 * the other, at least three bytes each. */
static bool begin_block(struct wk_heap_stacks *stacks, struct wk_bytes *bytes)
{
	uint32_t next = wk_u32le(bytes);

	stacks->last_pc = wk_u64le(bytes);
	stacks->position += 12;
	if (bytes->bad || next == 0 || next < stacks->count ||
	    next - stacks->count > WK_HEAP_BLOCK_BYTES)
		return false;
	WK_RESERVE(stacks->nodes, stacks->cap, (size_t)next);
	for (; stacks->count < next; stacks->count++)
		stacks->nodes[stacks->count] = (struct wk_heap_node){ 0 };
	return true;
}

static bool add_node(struct wk_heap_stacks *stacks, struct wk_bytes *bytes)
{
	const uint8_t *from = bytes->at;
	uint8_t kind = wk_u8(bytes);
	uint64_t back = wk_uleb(bytes), change = wk_uleb(bytes);

	stacks->position += (uint64_t)(bytes->at - from);
	if (bytes->bad || kind != WK_HEAP_DEFINED_STACK || back == 0 || back > stacks->count)
		return false;
	stacks->last_pc += (uint64_t)wk_heap_unfold(change);
	WK_RESERVE(stacks->nodes, stacks->cap, (size_t)stacks->count + 1);
	stacks->nodes[stacks->count] =
		(struct wk_heap_node){ stacks->last_pc, stacks->count - (uint32_t)back };
	stacks->count++;
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

size_t wk_heap_stacks_get(const struct wk_heap_stacks *stacks, uint32_t stack, uint64_t *chain,
			  size_t most)
{
	size_t count = 0;

	/* A caller's number is smaller. */
	for (; stack && stack < stacks->count && count < most; stack = stacks->nodes[stack].parent)
		chain[count++] = stacks->nodes[stack].pc - 1;
	return count;
}

void wk_heap_stacks_fini(struct wk_heap_stacks *stacks)
{
	wk_free(stacks->nodes);
}
