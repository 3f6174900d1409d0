#include "symbols/unwind/expr.h"

#define STEP_LIMIT  512
#define STACK_DEPTH 64

/* DWARF 5, section 7.7.1. */
enum {
	OP_ADDR = 0x03,
	OP_DEREF = 0x06,
	OP_CONST1U = 0x08,
	OP_CONST1S,
	OP_CONST2U,
	OP_CONST2S,
	OP_CONST4U,
	OP_CONST4S,
	OP_CONST8U,
	OP_CONST8S,
	OP_CONSTU,
	OP_CONSTS,
	OP_DUP = 0x12,
	OP_DROP,
	OP_OVER,
	OP_PICK,
	OP_SWAP,
	OP_ROT,
	OP_ABS = 0x19,
	OP_AND,
	OP_DIV,
	OP_MINUS,
	OP_MOD,
	OP_MUL,
	OP_NEG,
	OP_NOT,
	OP_OR,
	OP_PLUS,
	OP_PLUS_UCONST,
	OP_SHL,
	OP_SHR,
	OP_SHRA,
	OP_XOR,
	OP_BRA,
	OP_EQ = 0x29,
	OP_GE,
	OP_GT,
	OP_LE,
	OP_LT,
	OP_NE,
	OP_SKIP,
	OP_LIT0 = 0x30,
	OP_REG0 = 0x50,
	OP_BREG0 = 0x70,
	OP_BREG31 = 0x8f,
	OP_REGX = 0x90,
	OP_BREGX = 0x92,
	OP_DEREF_SIZE = 0x94,
	OP_NOP = 0x96,
	OP_STACK_VALUE = 0x9f,
};

struct machine {
	struct wk_bytes code;
	struct wk_frame *frame;
	uint64_t stack[STACK_DEPTH];
	unsigned depth;
	bool bad;
};

static void push(struct machine *m, uint64_t value)
{
	if (m->depth == STACK_DEPTH)
		m->bad = true;
	else
		m->stack[m->depth++] = value;
}

static uint64_t pop(struct machine *m)
{
	if (m->depth == 0) {
		m->bad = true;
		return 0;
	}
	return m->stack[--m->depth];
}

/* The entry `down` below the top. */
static uint64_t peek(struct machine *m, unsigned down)
{
	if (down >= m->depth) {
		m->bad = true;
		return 0;
	}
	return m->stack[m->depth - 1 - down];
}

static void push_register(struct machine *m, uint64_t reg, int64_t offset)
{
	if (reg >= WK_REGISTERS || !wk_frame_knows(m->frame, (unsigned)reg)) {
		m->bad = true;
		return;
	}
	push(m, m->frame->value[reg] + (uint64_t)offset);
}

static void dereference(struct machine *m, unsigned size)
{
	uint64_t value = 0;

	if (size == 0 || size > 8 || !wk_frame_load(m->frame, pop(m), size, &value))
		m->bad = true;
	push(m, value);
}

static void jump(struct machine *m)
{
	int16_t distance = (int16_t)wk_u16(&m->code);
	int64_t target = (int64_t)wk_bytes_offset(&m->code) + distance;

	if (target < 0 || target > m->code.end - m->code.start)
		m->bad = true;
	else
		m->code.at = m->code.start + target;
}

/* The number that an operation pushes. */
static uint64_t constant(struct wk_bytes *code, uint8_t op)
{
	switch (op) {
	case OP_CONST1U:
		return wk_u8(code);
	case OP_CONST1S:
		return (uint64_t)(int8_t)wk_u8(code);
	case OP_CONST2U:
		return wk_u16(code);
	case OP_CONST2S:
		return (uint64_t)(int16_t)wk_u16(code);
	case OP_CONST4U:
		return wk_u32(code);
	case OP_CONST4S:
		return (uint64_t)(int32_t)wk_u32(code);
	case OP_CONSTU:
		return wk_uleb(code);
	case OP_CONSTS:
		return (uint64_t)wk_sleb(code);
	default: /* an address, or eight bytes */
		return wk_u64(code);
	}
}

static void rearrange(struct machine *m, uint8_t op)
{
	uint64_t a, b, c;

	switch (op) {
	case OP_DUP:
		push(m, peek(m, 0));
		break;
	case OP_DROP:
		pop(m);
		break;
	case OP_OVER:
		push(m, peek(m, 1));
		break;
	case OP_PICK:
		push(m, peek(m, wk_u8(&m->code)));
		break;
	case OP_SWAP:
		a = pop(m), b = pop(m);
		push(m, a), push(m, b);
		break;
	case OP_ROT:
		a = pop(m), b = pop(m), c = pop(m);
		push(m, a), push(m, c), push(m, b);
		break;
	}
}

static uint64_t shift_right(uint64_t value, uint64_t by, bool is_signed)
{
	uint64_t fill = is_signed && (int64_t)value < 0 ? UINT64_MAX : 0;

	if (by >= 64)
		return fill;
	return by ? value >> by | fill << (64 - by) : value;
}

static uint64_t divide(struct machine *m, uint64_t a, uint64_t b)
{
	if (b == 0) {
		m->bad = true;
		return 0;
	}
	return b == UINT64_MAX ? 0 - a : (uint64_t)((int64_t)a / (int64_t)b);
}

static bool takes_two(uint8_t op)
{
	return (op >= OP_AND && op <= OP_XOR && op != OP_NEG && op != OP_NOT &&
		op != OP_PLUS_UCONST) ||
	       (op >= OP_EQ && op <= OP_NE);
}

static uint64_t combine(struct machine *m, uint8_t op, uint64_t a, uint64_t b)
{
	switch (op) {
	case OP_AND:
		return a & b;
	case OP_DIV:
		return divide(m, a, b);
	case OP_MINUS:
		return a - b;
	case OP_MOD:
		m->bad |= b == 0;
		return b ? a % b : 0;
	case OP_MUL:
		return a * b;
	case OP_OR:
		return a | b;
	case OP_PLUS:
		return a + b;
	case OP_SHL:
		return b < 64 ? a << b : 0;
	case OP_SHR:
		return shift_right(a, b, false);
	case OP_SHRA:
		return shift_right(a, b, true);
	case OP_XOR:
		return a ^ b;
	case OP_EQ:
		return a == b;
	case OP_GE:
		return (int64_t)a >= (int64_t)b;
	case OP_GT:
		return (int64_t)a > (int64_t)b;
	case OP_LE:
		return (int64_t)a <= (int64_t)b;
	case OP_LT:
		return (int64_t)a < (int64_t)b;
	default:
		return a != b;
	}
}

static void other(struct machine *m, uint8_t op)
{
	uint64_t reg;

	switch (op) {
	case OP_ABS:
		reg = pop(m);
		push(m, (int64_t)reg < 0 ? 0 - reg : reg);
		break;
	case OP_NEG:
		push(m, 0 - pop(m));
		break;
	case OP_NOT:
		push(m, ~pop(m));
		break;
	case OP_PLUS_UCONST:
		push(m, pop(m) + wk_uleb(&m->code));
		break;
	case OP_DEREF:
		dereference(m, m->frame->word_bytes);
		break;
	case OP_DEREF_SIZE:
		dereference(m, wk_u8(&m->code));
		break;
	case OP_BREGX:
		reg = wk_uleb(&m->code);
		push_register(m, reg, wk_sleb(&m->code));
		break;
	case OP_REGX:
		push_register(m, wk_uleb(&m->code), 0);
		break;
	case OP_SKIP:
		jump(m);
		break;
	case OP_BRA:
		if (pop(m))
			jump(m);
		else
			wk_bytes_skip(&m->code, 2);
		break;
	case OP_NOP:
	case OP_STACK_VALUE:
		break;
	default:
		m->bad = true;
	}
}

static void step(struct machine *m)
{
	uint8_t op = wk_u8(&m->code);
	uint64_t top;

	if (op >= OP_LIT0 && op < OP_REG0)
		push(m, op - OP_LIT0);
	else if (op >= OP_REG0 && op < OP_BREG0)
		push_register(m, op - OP_REG0, 0);
	else if (op >= OP_BREG0 && op <= OP_BREG31)
		push_register(m, op - OP_BREG0, wk_sleb(&m->code));
	else if (takes_two(op))
		top = pop(m), push(m, combine(m, op, pop(m), top));
	else if (op == OP_ADDR || (op >= OP_CONST1U && op <= OP_CONSTS))
		push(m, constant(&m->code, op));
	else if (op >= OP_DUP && op <= OP_ROT)
		rearrange(m, op);
	else
		other(m, op);
}

bool wk_expr_run(struct wk_bytes code, struct wk_frame *frame, const uint64_t *initial,
		 uint64_t *result)
{
	struct machine m = { .code = code, .frame = frame };

	m.code.start = code.at;
	if (initial)
		push(&m, *initial);
	for (int steps = 0; m.code.at < m.code.end; steps++) {
		if (steps == STEP_LIMIT)
			return false;
		step(&m);
		if (m.bad || m.code.bad)
			return false;
	}
	*result = pop(&m);
	return !m.bad;
}

static bool literal(struct wk_bytes *code, uint8_t *value)
{
	*value = (uint8_t)(wk_u8(code) - OP_LIT0);
	return *value < 32;
}

bool wk_expr_is_plt(struct wk_bytes code, struct wk_expr_plt *plt)
{
	uint8_t shift;

	if (wk_u8(&code) != OP_BREG0 + 7)
		return false;
	plt->base = wk_u8(&code);
	if (plt->base >= 64 || wk_u8(&code) != OP_BREG0 + 16 || wk_u8(&code) != 0)
		return false;
	if (!literal(&code, &plt->mask) || wk_u8(&code) != OP_AND)
		return false;
	if (!literal(&code, &plt->threshold) || wk_u8(&code) != OP_GE)
		return false;
	if (!literal(&code, &shift) || shift > 7 || wk_u8(&code) != OP_SHL)
		return false;
	plt->extra = (uint8_t)(1u << shift);
	return wk_u8(&code) == OP_PLUS && !code.bad && code.at == code.end;
}
