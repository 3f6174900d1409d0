/* Executes the programs of call frame information (DWARF 5, section 6.4.2). */
#include "symbols/unwind/cfi.h"
#include "symbols/unwind/expr.h"
#include "symbols/unwind/rules.h"

/* How deep remember_state may nest. Compilers need one or two. */
#define REMEMBER_DEPTH 32

enum {
	CFA_ADVANCE_LOC = 1,
	CFA_OFFSET,
	CFA_RESTORE, /* in the top two bits */

	CFA_NOP = 0x00,
	CFA_SET_LOC,
	CFA_ADVANCE_LOC1,
	CFA_ADVANCE_LOC2,
	CFA_ADVANCE_LOC4,
	CFA_OFFSET_EXTENDED,
	CFA_RESTORE_EXTENDED,
	CFA_UNDEFINED,
	CFA_SAME_VALUE,
	CFA_REGISTER,
	CFA_REMEMBER_STATE,
	CFA_RESTORE_STATE,
	CFA_DEF_CFA,
	CFA_DEF_CFA_REGISTER,
	CFA_DEF_CFA_OFFSET,
	CFA_DEF_CFA_EXPRESSION,
	CFA_EXPRESSION,
	CFA_OFFSET_EXTENDED_SF,
	CFA_DEF_CFA_SF,
	CFA_DEF_CFA_OFFSET_SF,
	CFA_VAL_OFFSET,
	CFA_VAL_OFFSET_SF,
	CFA_VAL_EXPRESSION,
	CFA_MIPS_ADVANCE_LOC8 = 0x1d,
	CFA_AARCH64_NEGATE_RA_STATE_WITH_PC = 0x2c,
	CFA_NEGATE_RA_STATE = 0x2d,
	CFA_GNU_ARGS_SIZE = 0x2e,
	CFA_GNU_NEGATIVE_OFFSET_EXTENDED = 0x2f,
};

struct run {
	const struct wk_cfi *cfi;
	const struct wk_cfi_cie *cie;
	struct wk_bytes code;
	struct wk_cfi_state state;
	struct wk_cfi_state remembered[REMEMBER_DEPTH];
	unsigned depth;
	uint64_t location;
	bool bad;
	void (*take)(void *context, uint64_t vaddr, const struct wk_cfi_state *state);
	void *context;
};

/* Offsets have 32 bits; a frame beyond that means a damaged table. */
static int32_t narrow(struct run *run, int64_t value)
{
	if (value < INT32_MIN || value > INT32_MAX)
		run->bad = true;
	return (int32_t)value;
}

static int32_t factored(struct run *run, int64_t count)
{
	int64_t value;

	if (__builtin_mul_overflow(count, run->cie->data_align, &value))
		run->bad = true;
	return run->bad ? 0 : narrow(run, value);
}

static int32_t factored_unsigned(struct run *run)
{
	uint64_t count = wk_uleb(&run->code);

	if (count > INT32_MAX)
		run->bad = true;
	return run->bad ? 0 : factored(run, (int64_t)count);
}

/* Registers beyond those that walks need (vector registers, say) may have rules: passed over. */
static void set_rule(struct run *run, uint64_t reg, enum wk_rule_kind kind, int32_t value)
{
	if (reg >= WK_REGISTERS)
		return;
	run->state.kind[reg] = (uint8_t)kind;
	run->state.value[reg] = value;
}

static void restore(struct run *run, uint64_t reg)
{
	if (reg < WK_REGISTERS)
		set_rule(run, reg, run->cie->initial.kind[reg], run->cie->initial.value[reg]);
}

/* Passes over an expression; its value as a rule is the place of its length. */
static int32_t expression(struct run *run, struct wk_bytes *code)
{
	uint64_t place = wk_bytes_offset(&run->code);
	uint64_t length = wk_uleb(&run->code);

	*code = wk_bytes_slice(&run->code, length);
	if (place > INT32_MAX)
		run->bad = true;
	return (int32_t)place;
}

static void define_cfa(struct run *run, uint64_t reg, int64_t offset)
{
	if (reg >= WK_REGISTERS)
		run->bad = true;
	run->state.cfa_kind = WK_CFA_REGISTER;
	run->state.cfa_register = (uint8_t)reg;
	run->state.cfa_value = narrow(run, offset);
}

static void define_cfa_expression(struct run *run)
{
	struct wk_bytes code;
	struct wk_expr_plt plt;

	run->state.cfa_value = expression(run, &code);
	run->state.cfa_kind = WK_CFA_EXPRESSION;
	run->state.cfa_register = 0;
	if (run->cie->return_address == 16 && wk_expr_is_plt(code, &plt)) {
		uint32_t packed = plt.base | (uint32_t)plt.mask << 8 |
				  (uint32_t)plt.threshold << 16 | (uint32_t)plt.extra << 24;

		run->state.cfa_kind = WK_CFA_PLT;
		run->state.cfa_register = 7;
		run->state.cfa_value = (int32_t)packed;
	}
}

/* The row so far ends here. One that covers nothing is not handed out. */
static void move_to(struct run *run, uint64_t location)
{
	if (location < run->location) {
		run->bad = true;
		return;
	}
	if (location > run->location && run->take)
		run->take(run->context, run->location, &run->state);
	run->location = location;
}

static void advance(struct run *run, uint64_t count)
{
	uint64_t distance, location;

	if (__builtin_mul_overflow(count, run->cie->code_align, &distance) ||
	    __builtin_add_overflow(run->location, distance, &location))
		run->bad = true;
	else
		move_to(run, location);
}

static void set_location(struct run *run)
{
	const struct wk_cfi *cfi = run->cfi;
	uint64_t vaddr = cfi->vaddr + wk_bytes_offset(&run->code), location;

	if (!wk_cfi_pointer(&run->code, run->cie->pointer_encoding, run->cie->address_size, vaddr,
			    cfi->text_vaddr, cfi->data_vaddr, &location))
		run->bad = true;
	else
		move_to(run, location);
}

/* An operation without a register whose rule it sets; false if it is none. */
static bool plain_op(struct run *run, uint8_t op)
{
	uint64_t reg;

	switch (op) {
	case CFA_SET_LOC:
		set_location(run);
		return true;
	case CFA_ADVANCE_LOC1:
		advance(run, wk_u8(&run->code));
		return true;
	case CFA_ADVANCE_LOC2:
		advance(run, wk_u16(&run->code));
		return true;
	case CFA_ADVANCE_LOC4:
		advance(run, wk_u32(&run->code));
		return true;
	case CFA_MIPS_ADVANCE_LOC8:
		advance(run, wk_u64(&run->code));
		return true;
	case CFA_DEF_CFA:
		reg = wk_uleb(&run->code);
		define_cfa(run, reg, (int64_t)wk_uleb(&run->code));
		return true;
	case CFA_DEF_CFA_SF:
		reg = wk_uleb(&run->code);
		define_cfa(run, reg, factored(run, wk_sleb(&run->code)));
		return true;
	case CFA_DEF_CFA_REGISTER:
		run->bad |= run->state.cfa_kind != WK_CFA_REGISTER;
		define_cfa(run, wk_uleb(&run->code), run->state.cfa_value);
		return true;
	case CFA_DEF_CFA_OFFSET:
		run->bad |= run->state.cfa_kind != WK_CFA_REGISTER;
		define_cfa(run, run->state.cfa_register, (int64_t)wk_uleb(&run->code));
		return true;
	case CFA_DEF_CFA_OFFSET_SF:
		run->bad |= run->state.cfa_kind != WK_CFA_REGISTER;
		define_cfa(run, run->state.cfa_register, factored(run, wk_sleb(&run->code)));
		return true;
	case CFA_DEF_CFA_EXPRESSION:
		define_cfa_expression(run);
		return true;
	case CFA_NOP:
	/* Whether the return address is signed: signatures are removed in any case. */
	case CFA_AARCH64_NEGATE_RA_STATE_WITH_PC:
	case CFA_NEGATE_RA_STATE:
		return true;
	case CFA_GNU_ARGS_SIZE:
		wk_uleb(&run->code);
		return true;
	case CFA_REMEMBER_STATE:
		if (run->depth == REMEMBER_DEPTH)
			return false;
		run->remembered[run->depth++] = run->state;
		return true;
	case CFA_RESTORE_STATE:
		if (run->depth == 0)
			return false;
		run->state = run->remembered[--run->depth];
		return true;
	default:
		return false;
	}
}

static bool register_op(struct run *run, uint8_t op)
{
	uint64_t reg = wk_uleb(&run->code), from;
	struct wk_bytes code;

	switch (op) {
	case CFA_OFFSET_EXTENDED:
		set_rule(run, reg, WK_RULE_AT, factored_unsigned(run));
		return true;
	case CFA_OFFSET_EXTENDED_SF:
		set_rule(run, reg, WK_RULE_AT, factored(run, wk_sleb(&run->code)));
		return true;
	case CFA_GNU_NEGATIVE_OFFSET_EXTENDED:
		set_rule(run, reg, WK_RULE_AT, narrow(run, -(int64_t)factored_unsigned(run)));
		return true;
	case CFA_VAL_OFFSET:
		set_rule(run, reg, WK_RULE_VALUE, factored_unsigned(run));
		return true;
	case CFA_VAL_OFFSET_SF:
		set_rule(run, reg, WK_RULE_VALUE, factored(run, wk_sleb(&run->code)));
		return true;
	case CFA_RESTORE_EXTENDED:
		restore(run, reg);
		return true;
	case CFA_UNDEFINED:
		set_rule(run, reg, WK_RULE_UNDEFINED, 0);
		return true;
	case CFA_SAME_VALUE:
		set_rule(run, reg, WK_RULE_SAME, 0);
		return true;
	case CFA_REGISTER:
		from = wk_uleb(&run->code);
		set_rule(run, reg, WK_RULE_REGISTER, (int32_t)(from < WK_REGISTERS ? from : 255));
		return true;
	case CFA_EXPRESSION:
		set_rule(run, reg, WK_RULE_AT_EXPRESSION, expression(run, &code));
		return true;
	case CFA_VAL_EXPRESSION:
		set_rule(run, reg, WK_RULE_VALUE_EXPRESSION, expression(run, &code));
		return true;
	default:
		return false;
	}
}

static void step(struct run *run)
{
	uint8_t op = wk_u8(&run->code), low = op & 0x3f;

	switch (op >> 6) {
	case CFA_ADVANCE_LOC:
		advance(run, low);
		return;
	case CFA_OFFSET:
		set_rule(run, low, WK_RULE_AT, factored_unsigned(run));
		return;
	case CFA_RESTORE:
		restore(run, low);
		return;
	}
	if (!plain_op(run, low) && !register_op(run, low))
		run->bad = true;
}

static bool run_all(struct run *run)
{
	while (run->code.at < run->code.end) {
		step(run);
		if (run->bad || run->code.bad)
			return false;
	}
	return true;
}

/* All but `remembered`, which is large. */
static void begin(struct run *run, const struct wk_cfi *cfi, const struct wk_cfi_cie *cie,
		  struct wk_bytes program, uint64_t location)
{
	run->cfi = cfi;
	run->cie = cie;
	run->code = program;
	run->state = cie->initial;
	run->depth = 0;
	run->location = location;
	run->bad = false;
	run->take = NULL;
	run->context = NULL;
}

bool wk_cfi_run_initial(const struct wk_cfi *cfi, struct wk_cfi_cie *cie, struct wk_bytes program)
{
	struct run run;

	begin(&run, cfi, cie, program, 0);
	if (!run_all(&run) || run.location != 0)
		return false;
	cie->initial = run.state;
	return true;
}

bool wk_cfi_run(const struct wk_cfi *cfi, const struct wk_cfi_fde *fde,
		void (*take)(void *context, uint64_t vaddr, const struct wk_cfi_state *state),
		void *context)
{
	struct run run;

	begin(&run, cfi, fde->cie, fde->program, fde->start);
	run.take = take;
	run.context = context;
	if (!run_all(&run))
		return false;
	move_to(&run, fde->start + fde->size_bytes);
	return !run.bad;
}
