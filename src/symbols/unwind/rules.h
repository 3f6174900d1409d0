/* How to get from one frame to its caller: the compact form used by walks.
 *
 * A wk_rules is one distinct row of an image's tables: the location of the canonical frame address
 * (CFA: the stack pointer before the call) and of the caller's registers. Equal rows of an image
 * share one, so an image with 60,000 rows has a few hundred. They live as long as the table that
 * created them. */
#ifndef WK_SYMBOLS_UNWIND_RULES_H
#define WK_SYMBOLS_UNWIND_RULES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"

enum wk_rule_kind {
	WK_RULE_SAME, /* not stored: the register is as it was, or not known */
	WK_RULE_UNDEFINED,
	WK_RULE_AT,               /* in memory at CFA + value */
	WK_RULE_VALUE,            /* is CFA + value */
	WK_RULE_REGISTER,         /* in register number `value` */
	WK_RULE_AT_EXPRESSION,    /* in memory at the address an expression gives */
	WK_RULE_VALUE_EXPRESSION, /* is the result of an expression */
};

enum wk_cfa_kind {
	WK_CFA_NONE,       /* no rules here: frame pointers may help */
	WK_CFA_REGISTER,   /* register + value */
	WK_CFA_PLT,        /* register + value, and more in the later part of a PLT slot */
	WK_CFA_EXPRESSION, /* value is the expression's place */
	WK_CFA_SIGNAL,     /* the kernel's signal frame is at the stack pointer */
	WK_CFA_UNMAPPED,   /* no image covers this address */
};

/* For expressions, `value` is the offset in `section` of the length that precedes them. */
struct wk_rule {
	uint8_t reg, kind;
	int32_t value;
};

struct wk_rules {
	uint8_t cfa_kind, cfa_register;
	uint8_t return_address; /* the register whose rule is the caller's pc */
	uint8_t count;
	bool is_plain;   /* every rule is WK_RULE_AT and the CFA is register + value */
	bool is_signal;  /* the caller was interrupted: its pc is not a return address */
	bool is_root;    /* the return address is undefined: the outermost frame */
	bool is_entered; /* it called nothing: its first instruction comes next */
	int32_t cfa_value;
	const struct wk_bytes *section;
	struct wk_rule saved[];
};

/* WK_CFA_PLT packs its four numbers (wk_expr_plt) into cfa_value, lowest byte first: base,
 * mask, threshold, extra. */
static inline int32_t wk_rules_plt_base(const struct wk_rules *rules)
{
	return rules->cfa_value & 0xff;
}

static inline int32_t wk_rules_plt_extra(const struct wk_rules *rules, uint64_t pc)
{
	uint32_t packed = (uint32_t)rules->cfa_value;

	return (pc & (packed >> 8 & 0xff)) >= (packed >> 16 & 0xff) ? (int32_t)(packed >> 24) : 0;
}

#endif
