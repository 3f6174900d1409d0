/* One x86-64 instruction, as far as the stack is concerned.
 *
 * The length of every instruction is known, so that code can be followed; of its meaning only
 * changes of the stack pointer, of the frame pointer, and of control flow. */
#ifndef WK_SYMBOLS_UNWIND_CODE_X86_H
#define WK_SYMBOLS_UNWIND_CODE_X86_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"

enum wk_x86_kind {
	WK_X86_OTHER, /* nothing that matters here */
	WK_X86_PUSH,  /* of `reg`, or of anything if reg is WK_X86_NO_REG */
	WK_X86_POP,
	WK_X86_ADD_SP,     /* sp += value */
	WK_X86_LOSE_SP,    /* sp changes by an amount that the code does not say */
	WK_X86_FP_FROM_SP, /* fp = sp + value */
	WK_X86_SP_FROM_FP, /* sp = fp + value */
	WK_X86_LEAVE,
	WK_X86_CALL,          /* calls `value`, counted from the instruction's end */
	WK_X86_CALL_ANYWHERE, /* through a register or memory */
	WK_X86_ADDRESS,       /* loads the address `value`, relative to the end of the
			       * instruction */
	WK_X86_CONSTANT,      /* loads the number `value`, possibly an address */
	WK_X86_BRANCH,        /* may go to `value`, from the instruction's end */
	WK_X86_JUMP,          /* jumps to `value` */
	WK_X86_JUMP_ANYWHERE, /* through a register or memory */
	WK_X86_STOP,          /* return, or does not go on */
};

#define WK_X86_NO_REG 0xff
#define WK_X86_SP     7
#define WK_X86_FP     6

struct wk_x86 {
	enum wk_x86_kind kind;
	uint8_t reg; /* by DWARF number */
	int32_t value;
	uint8_t displacement_at; /* of an operand in memory that is relative to the end of the
				  * instruction: where in it the four bytes are; 0: none */
};

/* Reads one instruction and moves `code` behind it. False if it is none. */
bool wk_x86_read(struct wk_bytes *code, struct wk_x86 *ins);

#endif
