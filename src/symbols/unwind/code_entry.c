#include "symbols/unwind/code_entry.h"

#include <string.h>

#include "symbols/unwind/code_x86.h"

#define CALL         0xe8
#define JUMP         0xe9
#define SHORT_JUMP   0xeb
#define SHORT_BRANCH 0x70
#define LONG_BRANCH  0x80 /* behind ESCAPE */
#define ESCAPE       0x0f
#define INDIRECT     0xff
#define CALL_PC_MEMORY                                                                             \
	0x15 /* behind INDIRECT: an operand in memory, relative to the program counter */
#define JUMP_PC_MEMORY 0x25
#define PUSH_PC_MEMORY 0x35

#define SHORT_REACH 256 /* how far a short branch and the instruction before it may be */

struct entry {
	struct wk_patch_code *code;
	bool has_ended; /* what follows is not run */
	const char *why;
};

static bool refuse(struct entry *entry, const char *why)
{
	entry->why = why;
	return false;
}

static bool add(struct entry *entry, const void *bytes, size_t count)
{
	struct wk_patch_code *code = entry->code;

	if (code->byte_count + count > sizeof(code->bytes))
		return refuse(entry, "begins with too much code");
	memcpy(code->bytes + code->byte_count, bytes, count);
	code->byte_count = (uint8_t)(code->byte_count + count);
	return true;
}

static bool add_fix(struct entry *entry, unsigned at, int64_t target, bool is_absolute)
{
	struct wk_patch_code *code = entry->code;

	if (code->fix_count == WK_PATCH_FIXES)
		return refuse(entry, "begins with too many branches");
	code->fixes[code->fix_count++] = (struct wk_patch_fix){ target, (uint8_t)at, is_absolute };
	return true;
}

/* An opcode of one or two bytes, and the distance to `target`. */
static bool add_branch(struct entry *entry, uint8_t escape, uint8_t op, int64_t target)
{
	uint8_t bytes[6] = { escape, op };
	unsigned from = escape ? 0 : 1;

	return add_fix(entry, entry->code->byte_count + 2 - from, target, false) &&
	       add(entry, bytes + from, sizeof(bytes) - from);
}

/* The return address is behind the jump that follows. */
static bool push_return(struct entry *entry, uint8_t jump_bytes)
{
	uint8_t bytes[6] = { INDIRECT, PUSH_PC_MEMORY, jump_bytes };

	entry->has_ended = true;
	return add(entry, bytes, sizeof(bytes));
}

static bool add_return(struct entry *entry, int64_t behind)
{
	uint8_t none[8] = { 0 };

	return add_fix(entry, entry->code->byte_count, behind, true) &&
	       add(entry, none, sizeof(none));
}

static bool move_call(struct entry *entry, int64_t target, int64_t behind)
{
	return push_return(entry, 5) && add_branch(entry, 0, JUMP, target) &&
	       add_return(entry, behind);
}

/* Through memory at a fixed place. A register or the stack may be changed by the push. */
static bool move_indirect_call(struct entry *entry, const uint8_t *at, const struct wk_x86 *ins,
			       int64_t behind)
{
	uint8_t jump[6] = { INDIRECT, JUMP_PC_MEMORY };
	int32_t distance;

	if (at[0] != INDIRECT || at[1] != CALL_PC_MEMORY || ins->displacement_at != 2)
		return refuse(entry, "begins with a call through a register");
	memcpy(&distance, at + 2, sizeof(distance));
	return push_return(entry, sizeof(jump)) &&
	       add_fix(entry, entry->code->byte_count + 2u, behind + distance, false) &&
	       add(entry, jump, sizeof(jump)) && add_return(entry, behind);
}

/* With hints and other prefixes that may be left out. */
static bool move_branch(struct entry *entry, const uint8_t *at, int64_t target, int64_t behind)
{
	while (*at == 0x2e || *at == 0x3e || *at == 0xf2)
		at++;
	if (*at == CALL)
		return move_call(entry, target, behind);
	if (*at == JUMP || *at == SHORT_JUMP)
		return add_branch(entry, 0, JUMP, target);
	if ((*at & 0xf0) == SHORT_BRANCH)
		return add_branch(entry, ESCAPE, (uint8_t)(LONG_BRANCH | (*at & 0xf)), target);
	if (*at == ESCAPE && (at[1] & 0xf0) == LONG_BRANCH)
		return add_branch(entry, ESCAPE, at[1], target);
	return refuse(entry, "begins with a loop");
}

/* The bytes from `at` to `behind`, which count from the function's start. */
static bool move(struct entry *entry, const uint8_t *function, uint64_t at, uint64_t behind,
		 const struct wk_x86 *ins)
{
	const uint8_t *bytes = function + at;
	unsigned length = (unsigned)(behind - at), from = entry->code->byte_count;
	int32_t distance;

	switch (ins->kind) {
	case WK_X86_CALL:
	case WK_X86_JUMP:
	case WK_X86_BRANCH:
		entry->has_ended = ins->kind == WK_X86_JUMP;
		return move_branch(entry, bytes, (int64_t)behind + ins->value, (int64_t)behind);
	case WK_X86_CALL_ANYWHERE:
		return move_indirect_call(entry, bytes, ins, (int64_t)behind);
	case WK_X86_JUMP_ANYWHERE:
	case WK_X86_STOP:
		entry->has_ended = true;
		break;
	default:
		break;
	}
	if (!add(entry, bytes, length))
		return false;
	if (!ins->displacement_at)
		return true;
	memcpy(&distance, bytes + ins->displacement_at, sizeof(distance));
	/* Relative to the end of the instruction; a fix is to the end of its bytes. */
	return add_fix(entry, from + ins->displacement_at,
		       (int64_t)at + ins->displacement_at + 4 + distance, false);
}

/* What fills the space to the next function. */
static bool is_filling(const uint8_t *at, uint64_t length)
{
	while (length > 1 && (*at == 0x66 || *at == 0x2e)) {
		at++;
		length--;
	}
	return *at == 0x90 || *at == 0xcc || (length > 1 && at[0] == ESCAPE && at[1] == 0x1f);
}

static bool take_instructions(struct entry *entry, struct wk_bytes code, uint64_t size)
{
	const uint8_t *function = code.at;
	uint64_t at, behind = 0;

	for (at = 0; at < WK_PATCH_JUMP_BYTES; at = behind) {
		struct wk_x86 ins;

		if (!wk_x86_read(&code, &ins))
			return refuse(entry, "begins with an instruction that wick does not know");
		behind = (uint64_t)(code.at - function);
		if (at == 0)
			entry->code->first = (uint8_t)behind;
		if (entry->has_ended || (size && at >= size)) {
			if (!entry->has_ended || !is_filling(function + at, behind - at))
				return refuse(entry, "is too short");
		} else if (!move(entry, function, at, behind, &ins)) {
			return false;
		}
	}
	if (at > WK_PATCH_TAKEN_BYTES)
		return refuse(entry, "begins with too much code");
	entry->code->taken = (uint8_t)at;
	memcpy(entry->code->expected, function, at);
	return true;
}

static bool leads_into(int64_t target, uint64_t taken)
{
	return target > 0 && target < (int64_t)taken;
}

static bool is_reached(const struct wk_patch_code *code)
{
	for (unsigned i = 0; i < code->fix_count; i++)
		if (leads_into(code->fixes[i].target, code->taken))
			return true;
	return false;
}

/* From the instructions from which a short branch could lead there. */
static bool look_for_branches(struct entry *entry, struct wk_bytes code, uint64_t size)
{
	const uint8_t *function = code.at;
	uint64_t taken = entry->code->taken, most = taken + SHORT_REACH;

	if (size && size < most)
		most = size;
	if (is_reached(entry->code))
		return refuse(entry, "has a branch into its first instructions");
	while ((uint64_t)(code.at - function) < most && wk_bytes_left(&code)) {
		struct wk_x86 ins;

		if (!wk_x86_read(&code, &ins))
			return !size || refuse(entry, "has an instruction that wick does not know");
		if ((ins.kind == WK_X86_BRANCH || ins.kind == WK_X86_JUMP ||
		     ins.kind == WK_X86_CALL) &&
		    leads_into(code.at - function + ins.value, taken))
			return refuse(entry, "has a branch into its first instructions");
	}
	return true;
}

bool wk_code_entry_read(struct wk_bytes code, uint64_t size_bytes, struct wk_patch_code *patch,
			const char **why)
{
	struct entry entry = { .code = patch };
	bool ok;

	memset(patch, 0, sizeof(*patch));
	ok = take_instructions(&entry, code, size_bytes) &&
	     look_for_branches(&entry, code, size_bytes) &&
	     (entry.has_ended || add_branch(&entry, 0, JUMP, patch->taken));
	*why = entry.why;
	return ok;
}

/* ---- what it calls */

#define MOST_STEPS 20000
#define MOST_PARTS 512

struct search {
	struct wk_bytes code;
	uint32_t parts[MOST_PARTS]; /* where code begins that was, or will be, looked at */
	size_t count, steps;
};

static void add_part(struct search *search, int64_t offset)
{
	for (size_t i = 0; i < search->count; i++)
		if (search->parts[i] == offset)
			return;
	if (search->count < MOST_PARTS && offset >= 0 && offset <= UINT32_MAX)
		search->parts[search->count++] = (uint32_t)offset;
}

/* From an offset to where control does not go on. */
static bool part_calls_others(struct search *search, uint64_t offset)
{
	struct wk_bytes code = search->code;
	struct wk_x86 ins;

	wk_bytes_skip(&code, offset);
	while (search->steps++ < MOST_STEPS && wk_bytes_left(&code) && wk_x86_read(&code, &ins)) {
		int64_t behind = code.at - search->code.at;

		if (ins.kind == WK_X86_CALL_ANYWHERE ||
		    (ins.kind == WK_X86_JUMP_ANYWHERE && ins.displacement_at))
			return true;
		if (ins.kind == WK_X86_CALL || ins.kind == WK_X86_BRANCH || ins.kind == WK_X86_JUMP)
			add_part(search, behind + ins.value);
		if (ins.kind == WK_X86_JUMP || ins.kind == WK_X86_JUMP_ANYWHERE ||
		    ins.kind == WK_X86_STOP)
			return false;
	}
	return false;
}

bool wk_entry_calls_others(struct wk_bytes code, uint64_t offset)
{
	struct search search = { .code = code };

	add_part(&search, (int64_t)offset);
	for (size_t i = 0; i < search.count; i++)
		if (part_calls_others(&search, search.parts[i]))
			return true;
	return false;
}

/* ---- from elsewhere */

static void mark(uint64_t target, struct wk_entry_range *ranges, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (target > ranges[i].vaddr && target < ranges[i].vaddr + ranges[i].size_bytes)
			ranges[i].is_reached = true;
}

void wk_entry_ranges_reached(struct wk_bytes code, uint64_t vaddr, struct wk_entry_range *ranges,
			     size_t count)
{
	uint64_t low = UINT64_MAX, high = 0;

	for (size_t i = 0; i < count; i++) {
		low = ranges[i].vaddr < low ? ranges[i].vaddr : low;
		high = ranges[i].vaddr > high ? ranges[i].vaddr : high;
	}
	high += WK_PATCH_TAKEN_BYTES;
	for (const uint8_t *at = code.at; code.end - at >= 6; at++) {
		unsigned from = *at == CALL || *at == JUMP ? 1 : 0;
		int32_t distance;
		uint64_t target;

		if (*at == ESCAPE && (at[1] & 0xf0) == LONG_BRANCH)
			from = 2;
		if (!from)
			continue;
		memcpy(&distance, at + from, sizeof(distance));
		target = vaddr + (uint64_t)(at - code.at) + from + 4 + (uint64_t)(int64_t)distance;
		if (target > low && target < high)
			mark(target, ranges, count);
	}
}
