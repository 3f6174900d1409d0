/* Follows a function's code from its start to one of its instructions; see wk_code_rules in code.h.
 * x86-64. */
#include "symbols/unwind/code.h"

#include "base/mem.h"
#include "symbols/unwind/code_x86.h"
#include "symbols/unwind/rules.h"

#define FUNCTION_LIMIT (64 * 1024)
#define PENDING_LIMIT  256

#define RETURN_ADDRESS 16

/* The stack at one place of the function. `height` is the distance from the stack pointer to the
 * CFA. The first push of each callee-saved register is the location of the caller's value, until it
 * is popped again. */
struct height {
	int32_t height, fp_height;
	bool sp_known, fp_known;
	uint16_t saved; /* one bit a register; saved_at is its distance below the CFA */
	int32_t saved_at[16];
};

struct pending {
	uint32_t offset;
	struct height at;
};

struct follow {
	struct wk_bytes function;
	uint64_t wanted;
	uint8_t *visited; /* a byte for each byte of the function */
	struct pending pending[PENDING_LIMIT];
	unsigned pending_count;
	struct height at, result;
	bool is_found;
	struct height dispatch; /* if the code jumped through a table */
	bool has_dispatch;
};

static bool is_preserved(uint8_t reg)
{
	return reg == 3 || reg == WK_X86_FP || (reg >= 12 && reg <= 15);
}

static void push(struct height *at, uint8_t reg)
{
	at->height += 8;
	if (is_preserved(reg) && at->sp_known && !(at->saved >> reg & 1)) {
		at->saved |= (uint16_t)(1u << reg);
		at->saved_at[reg] = at->height;
	}
}

static void pop(struct height *at, uint8_t reg)
{
	if (is_preserved(reg) && at->saved >> reg & 1 && at->saved_at[reg] == at->height)
		at->saved &= (uint16_t) ~(1u << reg);
	at->height -= 8;
	if (reg == WK_X86_FP)
		at->fp_known = false;
}

static void sp_from_fp(struct height *at, int32_t value)
{
	at->height = at->fp_height - value;
	at->sp_known = at->fp_known;
}

/* What the instruction does to the stack. */
static void perform(struct height *at, const struct wk_x86 *ins)
{
	switch (ins->kind) {
	case WK_X86_PUSH:
		push(at, ins->reg);
		break;
	case WK_X86_POP:
		pop(at, ins->reg);
		break;
	case WK_X86_ADD_SP:
		at->height -= ins->value;
		break;
	case WK_X86_LOSE_SP:
		at->sp_known = false;
		break;
	case WK_X86_FP_FROM_SP:
		at->fp_height = at->height - ins->value;
		at->fp_known = at->sp_known;
		break;
	case WK_X86_SP_FROM_FP:
		sp_from_fp(at, ins->value);
		break;
	case WK_X86_LEAVE:
		sp_from_fp(at, 0);
		pop(at, WK_X86_FP);
		break;
	default:
		break;
	}
	if (at->height < -FUNCTION_LIMIT || at->height > 1 << 28)
		at->sp_known = false, at->height = 0;
}

static void add_pending(struct follow *f, int64_t offset, const struct height *at)
{
	if (offset < 0 || offset >= f->function.end - f->function.start ||
	    f->pending_count == PENDING_LIMIT || f->visited[offset])
		return;
	f->pending[f->pending_count++] = (struct pending){ (uint32_t)offset, *at };
}

/* Records the other targets of this instruction; false if the next one is not among them. */
static bool goes_on(struct follow *f, const struct wk_x86 *ins)
{
	int64_t behind = (int64_t)wk_bytes_offset(&f->function);

	switch (ins->kind) {
	case WK_X86_BRANCH:
		add_pending(f, behind + ins->value, &f->at);
		return true;
	case WK_X86_JUMP:
		add_pending(f, behind + ins->value, &f->at);
		return false;
	case WK_X86_JUMP_ANYWHERE:
		/* With nothing on the stack it may as well be a call in the last place. */
		if (!f->has_dispatch || f->dispatch.height == 8)
			f->dispatch = f->at;
		f->has_dispatch = true;
		return false;
	case WK_X86_STOP:
		return false;
	default:
		return true;
	}
}

/* Follows one way until it ends or meets one already followed. */
static void follow(struct follow *f, uint64_t offset, const struct height *at)
{
	struct wk_x86 ins;

	f->function.at = f->function.start + offset;
	f->at = *at;
	while (f->function.at < f->function.end && !f->is_found) {
		uint64_t begin = wk_bytes_offset(&f->function);

		if (f->visited[begin] || !wk_x86_read(&f->function, &ins))
			break;
		f->visited[begin] = 1;
		if (f->wanted >= begin && f->wanted < wk_bytes_offset(&f->function)) {
			f->result = f->at;
			f->is_found = true;
			return;
		}
		perform(&f->at, &ins);
		if (!goes_on(f, &ins))
			break;
	}
	f->function.bad = false;
}

static void follow_pending(struct follow *f)
{
	while (f->pending_count && !f->is_found) {
		struct pending next = f->pending[--f->pending_count];

		follow(f, next.offset, &next.at);
	}
}

/* Code that is reached only through a jump table begins somewhere after the end of other code, with
 * the stack as it was at the jump. */
static void follow_dispatched(struct follow *f)
{
	uint64_t size = (uint64_t)(f->function.end - f->function.start);
	struct wk_x86 ins;

	f->function.at = f->function.start;
	for (uint64_t offset = 0; offset < size && f->has_dispatch && !f->is_found;) {
		f->function.at = f->function.start + offset;
		if (!f->visited[offset]) {
			follow(f, offset, &f->dispatch);
			follow_pending(f);
			if (!f->visited[offset])
				return;
			f->function.at = f->function.start + offset;
		}
		if (!wk_x86_read(&f->function, &ins))
			return;
		offset = wk_bytes_offset(&f->function);
	}
}

/* A frame with a frame pointer as compilers and V8 build it: the pointer is surer than the
 * stack pointer, which a loop may have moved any number of times. */
static bool has_usual_frame(const struct height *at)
{
	return at->fp_known && at->fp_height == 16 && at->saved >> WK_X86_FP & 1 &&
	       at->saved_at[WK_X86_FP] == 16;
}

static void state_of(const struct height *at, struct wk_cfi_state *state)
{
	bool is_by_sp = at->sp_known && !has_usual_frame(at);

	memset(state, 0, sizeof(*state));
	state->cfa_kind = WK_CFA_REGISTER;
	state->cfa_register = is_by_sp ? WK_X86_SP : WK_X86_FP;
	state->cfa_value = is_by_sp ? at->height : at->fp_height;
	for (int reg = 0; reg < 16; reg++) {
		if (!(at->saved >> reg & 1))
			continue;
		state->kind[reg] = WK_RULE_AT;
		state->value[reg] = -at->saved_at[reg];
	}
	state->kind[RETURN_ADDRESS] = WK_RULE_AT;
	state->value[RETURN_ADDRESS] = -8;
}

bool wk_code_rules(struct wk_bytes function, uint64_t offset, struct wk_cfi_state *state)
{
	struct height entry = { .height = 8, .sp_known = true };
	struct follow *f;
	bool ok;

	function.start = function.at;
	if (wk_bytes_left(&function) > FUNCTION_LIMIT)
		function.end = function.at + FUNCTION_LIMIT;
	if (offset >= wk_bytes_left(&function))
		return false;
	f = wk_alloc_zeroed(1, sizeof(*f));
	f->function = function;
	f->wanted = offset;
	f->visited = wk_alloc_zeroed(wk_bytes_left(&function), 1);
	add_pending(f, 0, &entry);
	follow_pending(f);
	follow_dispatched(f);
	ok = f->is_found && (f->result.sp_known ? f->result.height >= 8 : f->result.fp_known);
	if (ok)
		state_of(&f->result, state);
	WK_FREE_ALL(f->visited, f);
	return ok;
}
