#include "symbols/unwind/code_x86.h"

/* What follows an opcode: a ModRM byte with its operands, an immediate of that many bytes. */
enum {
	M = 0x10,   /* ModRM */
	Z = 0x04,   /* immediate of 4 bytes, 2 with an operand-size prefix */
	B = 0x01,   /* immediate of 1 byte */
	W = 0x02,   /* immediate of 2 bytes */
	BAD = 0x80, /* no instruction in 64-bit mode, or handled apart (prefixes, escapes) */
};

#define ALU M, M, M, M, B, Z, BAD, BAD

static const uint8_t one_byte[256] = {
	ALU, ALU, ALU, ALU, ALU, ALU, ALU, ALU,
	BAD, BAD, BAD, BAD, BAD, BAD, BAD, BAD, BAD, BAD, BAD, BAD, BAD, BAD, BAD, BAD, /* 40 REX */
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,                                 /* 50 */
	BAD, BAD, BAD, M, BAD, BAD, BAD, BAD, Z, M | Z, B, M | B, 0, 0, 0, 0,           /* 60 */
	B, B, B, B, B, B, B, B, B, B, B, B, B, B, B, B,                                 /* 70 */
	M | B, M | Z, BAD, M | B, M, M, M, M, M, M, M, M, M, M, M, M,                   /* 80 */
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, BAD, 0, 0, 0, 0, 0,                               /* 90 */
	BAD, BAD, BAD, BAD, 0, 0, 0, 0, B, Z, 0, 0, 0, 0, 0, 0,                         /* a0 */
	B, B, B, B, B, B, B, B, BAD, BAD, BAD, BAD, BAD, BAD, BAD, BAD,                 /* b0 */
	M | B, M | B, W, 0, BAD, BAD, M | B, M | Z, W | B, 0, W, 0, 0, B, BAD, 0,       /* c0 */
	M, M, M, M, BAD, BAD, BAD, 0, M, M, M, M, M, M, M, M,                           /* d0 */
	B, B, B, B, B, B, B, B, BAD, BAD, BAD, B, 0, 0, 0, 0,                           /* e0 */
	BAD, 0, BAD, BAD, 0, 0, M, M, 0, 0, 0, 0, 0, 0, M, M,                           /* f0 */
};

/* DWARF numbers of the registers in the order in which instructions number them. */
static const uint8_t dwarf_register[16] = {
	0, 2, 1, 3, 7, 6, 4, 5, 8, 9, 10, 11, 12, 13, 14, 15,
};

struct decoder {
	struct wk_bytes *code;
	bool operand16, address32;
	uint8_t rex;
	uint8_t mod, reg, rm; /* with the REX bits */
	bool has_index, is_pc_relative;
	uint8_t base; /* of a memory operand, by instruction number; 0xff for none */
	int32_t displacement;
	const uint8_t *displacement_at; /* of a memory operand that is relative to the program
					 * counter; or NULL */
};

static int32_t signed_bytes(struct wk_bytes *code, unsigned count)
{
	if (count == 1)
		return (int8_t)wk_u8(code);
	return (int32_t)wk_u32le(code);
}

static void read_modrm(struct decoder *d)
{
	uint8_t modrm = wk_u8(d->code);
	uint8_t low = modrm & 7;

	d->mod = modrm >> 6;
	d->reg = (uint8_t)((modrm >> 3 & 7) | (d->rex & 4) << 1);
	d->rm = (uint8_t)(low | (d->rex & 1) << 3);
	d->base = d->rm;
	d->has_index = false;
	d->displacement = 0;
	d->is_pc_relative = d->mod == 0 && low == 5;
	if (d->mod == 3)
		return;
	if (low == 4) {
		uint8_t sib = wk_u8(d->code);

		low = sib & 7;
		d->base = (uint8_t)(low | (d->rex & 1) << 3);
		d->has_index = (sib >> 3 & 7) != 4 || d->rex & 2;
	}
	if (d->mod == 0 && low == 5)
		d->base = 0xff;
	if (d->is_pc_relative)
		d->displacement_at = d->code->at;
	if (d->mod == 1)
		d->displacement = signed_bytes(d->code, 1);
	else if (d->mod == 2 || (d->mod == 0 && low == 5))
		d->displacement = signed_bytes(d->code, 4);
}

static void skip_immediate(struct decoder *d, uint8_t follows)
{
	if (follows & Z)
		wk_bytes_skip(d->code, d->operand16 ? 2 : 4);
	if (follows & W)
		wk_bytes_skip(d->code, 2);
	if (follows & B)
		wk_bytes_skip(d->code, 1);
}

/* The map behind 0f: which opcodes have no ModRM, and which an immediate byte. */
static uint8_t two_byte(uint8_t op)
{
	if (op >= 0x80 && op <= 0x8f)
		return Z;
	if ((op >= 0x05 && op <= 0x09) || op == 0x0b || (op >= 0x30 && op <= 0x37) || op == 0x77 ||
	    (op >= 0xa0 && op <= 0xa2) || (op >= 0xa8 && op <= 0xaa) || (op >= 0xc8 && op <= 0xcf))
		return 0;
	if ((op >= 0x70 && op <= 0x73) || op == 0xa4 || op == 0xac || op == 0xba || op == 0xc2 ||
	    (op >= 0xc4 && op <= 0xc6))
		return M | B;
	return M;
}

static void branch(struct decoder *d, struct wk_x86 *ins, enum wk_x86_kind kind, unsigned bytes)
{
	ins->kind = kind;
	ins->value = signed_bytes(d->code, bytes);
}

static void escape(struct decoder *d, struct wk_x86 *ins)
{
	uint8_t op = wk_u8(d->code);
	uint8_t follows;

	if (op == 0x38 || op == 0x3a) {
		wk_u8(d->code);
		read_modrm(d);
		skip_immediate(d, op == 0x3a ? B : 0);
		return;
	}
	if (op >= 0x80 && op <= 0x8f) {
		branch(d, ins, WK_X86_BRANCH, 4);
		return;
	}
	if (op == 0x0b)
		ins->kind = WK_X86_STOP;
	if (op == 0xa0 || op == 0xa8)
		ins->kind = WK_X86_PUSH;
	if (op == 0xa1 || op == 0xa9)
		ins->kind = WK_X86_POP;
	follows = two_byte(op);
	if (follows & M)
		read_modrm(d);
	skip_immediate(d, follows);
}

/* AVX: `map` 1 is that behind 0f, 2 behind 0f 38, 3 behind 0f 3a. */
static void vector(struct decoder *d, uint8_t map)
{
	uint8_t op = wk_u8(d->code);

	if (map == 1 && op == 0x77)
		return;
	read_modrm(d);
	skip_immediate(d, map == 3 || (map == 1 && two_byte(op) & B) ? B : 0);
}

static bool read_vector(struct decoder *d, uint8_t op)
{
	uint8_t first = wk_u8(d->code);

	d->rex = 0;
	if (op == 0xc5) {
		vector(d, 1);
	} else {
		wk_bytes_skip(d->code, op == 0xc4 ? 1 : 2);
		vector(d, op == 0xc4 ? first & 0x1f : first & 7);
	}
	return !d->code->bad;
}

/* 81 and 83 with a register: only those on the stack pointer matter. */
static void arithmetic(struct decoder *d, struct wk_x86 *ins, uint8_t op)
{
	int32_t value;

	if (op == 0x83)
		value = signed_bytes(d->code, 1);
	else if (d->operand16)
		value = (int16_t)wk_u16le(d->code);
	else
		value = signed_bytes(d->code, 4);
	if (d->mod != 3 || d->rm != 4 || (d->reg & 7) == 7)
		return;
	ins->kind = WK_X86_LOSE_SP;
	if ((d->reg & 7) != 0 && (d->reg & 7) != 5)
		return;
	if (value != INT32_MIN && d->rex & 8) {
		ins->kind = WK_X86_ADD_SP;
		ins->value = (d->reg & 7) == 0 ? value : -value;
	}
}

/* mov between sp and fp, in both directions of its two opcodes. */
static void move(struct decoder *d, struct wk_x86 *ins, uint8_t op)
{
	uint8_t to = op == 0x89 ? d->rm : d->reg, from = op == 0x89 ? d->reg : d->rm;

	if (op == 0x89 && d->mod != 3)
		return;
	if (d->mod == 3 && to == 5 && from == 4)
		ins->kind = WK_X86_FP_FROM_SP;
	else if (to == 4)
		ins->kind = d->mod == 3 && from == 5 ? WK_X86_SP_FROM_FP : WK_X86_LOSE_SP;
}

static void load_address(struct decoder *d, struct wk_x86 *ins)
{
	bool is_simple = d->mod != 3 && !d->has_index && d->rex & 8;

	ins->value = d->displacement;
	if (d->reg == 4)
		ins->kind = WK_X86_LOSE_SP;
	else if (d->is_pc_relative && d->rex & 8)
		ins->kind = WK_X86_ADDRESS;
	if (!is_simple)
		return;
	if (d->reg == 4 && d->base == 4)
		ins->kind = WK_X86_ADD_SP;
	else if (d->reg == 4 && d->base == 5)
		ins->kind = WK_X86_SP_FROM_FP;
	else if (d->reg == 5 && d->base == 4)
		ins->kind = WK_X86_FP_FROM_SP;
}

static void with_modrm(struct decoder *d, struct wk_x86 *ins, uint8_t op)
{
	uint8_t follows = one_byte[op];

	read_modrm(d);
	switch (op) {
	case 0x81:
	case 0x83:
		arithmetic(d, ins, op);
		return;
	case 0x89:
	case 0x8b:
		move(d, ins, op);
		return;
	case 0x8d:
		load_address(d, ins);
		return;
	case 0x8f:
		ins->kind = d->mod == 3 && d->rm == 4 ? WK_X86_LOSE_SP : WK_X86_POP;
		return;
	case 0xc7:
		if (d->mod == 3 && !d->operand16) {
			branch(d, ins, WK_X86_CONSTANT, 4);
			return;
		}
		break;
	case 0xf6:
	case 0xf7:
		if ((d->reg & 7) < 2)
			follows |= op == 0xf6 ? B : Z;
		break;
	case 0xff: /* inc, dec, calls, jumps, push */
		if ((d->reg & 7) == 2 || (d->reg & 7) == 3)
			ins->kind = WK_X86_CALL_ANYWHERE;
		else if ((d->reg & 7) == 4 || (d->reg & 7) == 5)
			ins->kind = WK_X86_JUMP_ANYWHERE;
		else if ((d->reg & 7) == 6)
			ins->kind = WK_X86_PUSH;
		return;
	case 0x01: /* add, sub and the like with the stack pointer as destination */
	case 0x09:
	case 0x11:
	case 0x19:
	case 0x21:
	case 0x29:
	case 0x31:
		if (d->mod == 3 && d->rm == 4)
			ins->kind = WK_X86_LOSE_SP;
		break;
	case 0x03:
	case 0x0b:
	case 0x23:
	case 0x2b:
	case 0x33:
		if (d->reg == 4)
			ins->kind = WK_X86_LOSE_SP;
		break;
	case 0x87:
		if (d->reg == 4 || (d->mod == 3 && d->rm == 4))
			ins->kind = WK_X86_LOSE_SP;
		break;
	}
	skip_immediate(d, follows);
}

static void without_modrm(struct decoder *d, struct wk_x86 *ins, uint8_t op)
{
	static const uint8_t kinds[256] = {
		[0x68] = WK_X86_PUSH, [0x6a] = WK_X86_PUSH, [0x9c] = WK_X86_PUSH,
		[0x9d] = WK_X86_POP, [0xc8] = WK_X86_LOSE_SP, [0xc9] = WK_X86_LEAVE,
		[0xc2] = WK_X86_STOP, [0xc3] = WK_X86_STOP, [0xca] = WK_X86_STOP,
		[0xcb] = WK_X86_STOP, [0xcc] = WK_X86_STOP, [0xcf] = WK_X86_STOP,
		[0xf4] = WK_X86_STOP, [0xe8] = WK_X86_CALL, [0xe9] = WK_X86_JUMP,
		[0xeb] = WK_X86_JUMP,
	};
	uint8_t reg = dwarf_register[(op & 7) | (d->rex & 1) << 3];

	if (op >= 0x50 && op <= 0x5f) {
		ins->kind = op < 0x58 ? WK_X86_PUSH : WK_X86_POP;
		ins->reg = reg;
		if (op >= 0x58 && reg == WK_X86_SP)
			ins->kind = WK_X86_LOSE_SP;
		return;
	}
	if (op >= 0xb8 && op <= 0xbf) {
		if (!(d->rex & 8) && !d->operand16)
			branch(d, ins, WK_X86_CONSTANT, 4);
		else
			wk_bytes_skip(d->code, d->rex & 8 ? 8 : 2);
		return;
	}
	if (op >= 0xa0 && op <= 0xa3) {
		wk_bytes_skip(d->code, d->address32 ? 4 : 8);
		return;
	}
	if ((op >= 0x70 && op <= 0x7f) || (op >= 0xe0 && op <= 0xe3)) {
		branch(d, ins, WK_X86_BRANCH, 1);
		return;
	}
	ins->kind = kinds[op];
	if (ins->kind == WK_X86_CALL || ins->kind == WK_X86_JUMP)
		branch(d, ins, ins->kind, op == 0xeb ? 1 : 4);
	else
		skip_immediate(d, one_byte[op]);
}

/* Passes over prefixes; gives the first byte of the opcode. */
static uint8_t read_prefixes(struct decoder *d)
{
	for (int i = 0; i < 14; i++) {
		uint8_t op = wk_u8(d->code);

		switch (op) {
		case 0x66:
			d->operand16 = true;
			break;
		case 0x67:
			d->address32 = true;
			break;
		case 0x26:
		case 0x2e:
		case 0x36:
		case 0x3e:
		case 0x64:
		case 0x65:
		case 0xf0:
		case 0xf2:
		case 0xf3:
			break;
		default:
			if (op >> 4 != 4)
				return op;
			d->rex = op;
			return wk_u8(d->code);
		}
	}
	d->code->bad = true;
	return 0;
}

static bool read_one(struct decoder *d, struct wk_x86 *ins)
{
	uint8_t op = read_prefixes(d);

	if (d->code->bad)
		return false;
	if (op == 0x0f) {
		escape(d, ins);
		return !d->code->bad;
	}
	if (op == 0xc4 || op == 0xc5 || op == 0x62)
		return read_vector(d, op);
	if (op == 0xe8 || op == 0xe9 || (op >= 0xb8 && op <= 0xbf) || (op >= 0xa0 && op <= 0xa3)) {
		without_modrm(d, ins, op);
		return !d->code->bad;
	}
	if (one_byte[op] & BAD)
		return false;
	if (one_byte[op] & M)
		with_modrm(d, ins, op);
	else
		without_modrm(d, ins, op);
	return !d->code->bad;
}

bool wk_x86_read(struct wk_bytes *code, struct wk_x86 *ins)
{
	struct decoder d = { .code = code };
	const uint8_t *from = code->at;
	bool ok;

	*ins = (struct wk_x86){ .kind = WK_X86_OTHER, .reg = WK_X86_NO_REG };
	ok = read_one(&d, ins);
	if (ok && d.displacement_at)
		ins->displacement_at = (uint8_t)(d.displacement_at - from);
	return ok;
}
