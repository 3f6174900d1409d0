#include "base/bisect.h"
#include "symbols/unwind/code.h"

#include <stdlib.h>

#include "base/mem.h"
#include "symbols/unwind/code_x86.h"

/* Does the code before `at` end there? Returns, stops, padding. */
static bool is_behind_an_end(const uint8_t *at)
{
	switch (at[-1]) {
	case 0xc3: /* ret */
	case 0x90: /* nop */
	case 0xcc: /* int3 */
	case 0xf4: /* hlt */
	case 0x00: /* a longer nop's operand */
		return true;
	default:
		return at[-2] == 0x0f && at[-1] == 0x0b; /* ud2 */
	}
}

static void add(struct wk_code_starts *starts, uint64_t offset)
{
	*WK_APPEND(starts->offsets, starts->count, starts->cap) = (uint32_t)offset;
}

static int by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

static void sort(struct wk_code_starts *starts)
{
	if (starts->count)
		qsort(starts->offsets, starts->count, sizeof(*starts->offsets), by_number);
}

/* How many of the first `count`, which are in order, are at or before `offset`. */
static size_t count_until(const struct wk_code_starts *starts, size_t count, uint64_t offset)
{
	size_t low = 0, high = count;

	WK_BISECT(low, high, starts->offsets[middle] <= offset);
	return low;
}

/* Calls, and addresses that are loaded; `behind` is the end of the instruction. */
static void add_target(struct wk_code_starts *starts, const uint8_t *code, uint64_t behind,
		       const struct wk_x86 *ins)
{
	uint64_t target = behind + (uint64_t)(int64_t)ins->value;

	if (ins->kind == WK_X86_CONSTANT)
		target = (uint32_t)ins->value - starts->vaddr;
	else if (ins->kind != WK_X86_CALL && ins->kind != WK_X86_ADDRESS)
		return;
	if (target < 2 || target >= starts->size_bytes)
		return;
	if (ins->kind == WK_X86_CALL || (starts->vaddr + target) % 16 == 0 ||
	    is_behind_an_end(code + target))
		add(starts, target);
}

struct jump {
	uint64_t from, target;
};

struct jumps {
	struct jump *rows;
	size_t count, cap;
};

/* A jump may also lead to the middle of a function, so only places that look like a start in every
 * respect are used. */
static void add_jump(struct jumps *jumps, const struct wk_code_starts *starts, const uint8_t *code,
		     struct jump jump)
{
	if (jump.target >= 2 && jump.target < starts->size_bytes &&
	    (starts->vaddr + jump.target) % 16 == 0 && is_behind_an_end(code + jump.target))
		*WK_APPEND(jumps->rows, jumps->count, jumps->cap) = jump;
}

/* A jump out of its own function is a tail call; the functions known so far decide. */
static void add_tail_calls(struct wk_code_starts *starts, const struct jumps *jumps)
{
	size_t known = starts->count;

	for (size_t i = 0; i < jumps->count; i++)
		if (count_until(starts, known, jumps->rows[i].from) !=
		    count_until(starts, known, jumps->rows[i].target))
			add(starts, jumps->rows[i].target);
}

void wk_code_starts_read(struct wk_code_starts *starts, struct wk_bytes code, uint64_t vaddr)
{
	struct jumps jumps = { 0 };
	struct wk_x86 ins;

	code.start = code.at;
	starts->vaddr = vaddr;
	starts->size_bytes = wk_bytes_left(&code);
	starts->count = 0;
	while (code.at < code.end) {
		uint64_t from = wk_bytes_offset(&code), behind;

		/* Invalid bytes are skipped one by one: data in the middle of code. */
		if (!wk_x86_read(&code, &ins)) {
			code.bad = false;
			code.at = code.start + from + 1;
			continue;
		}
		behind = wk_bytes_offset(&code);
		if (ins.kind == WK_X86_JUMP)
			add_jump(&jumps, starts, code.start,
				 (struct jump){ from, behind + (uint64_t)(int64_t)ins.value });
		else
			add_target(starts, code.start, behind, &ins);
	}
	sort(starts);
	add_tail_calls(starts, &jumps);
	sort(starts);
	wk_free(jumps.rows);
}

void wk_code_starts_fini(struct wk_code_starts *starts)
{
	wk_free(starts->offsets);
	*starts = (struct wk_code_starts){ 0 };
}

bool wk_code_starts_find(const struct wk_code_starts *starts, uint64_t vaddr, uint64_t *start,
			 uint64_t *size_bytes)
{
	uint64_t end = starts->size_bytes;
	size_t known;

	if (vaddr < starts->vaddr || vaddr - starts->vaddr >= starts->size_bytes)
		return false;
	known = count_until(starts, starts->count, vaddr - starts->vaddr);
	if (known == 0)
		return false;
	if (known < starts->count)
		end = starts->offsets[known];
	*start = starts->vaddr + starts->offsets[known - 1];
	*size_bytes = end - starts->offsets[known - 1];
	return true;
}
