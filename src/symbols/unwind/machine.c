#include "symbols/unwind/frame.h"
#include "symbols/unwind/unwind.h"

#define BIT(n) ((uint64_t)1 << (n))

/* The System V ABI for x86-64: a call preserves rbx, rbp, r12 to r15. */
static const struct wk_unwind_machine x86_64 = {
	.registers = 17,
	.word_bytes = 8,
	.sp = 7,
	.fp = 6,
	.pc = 16,
	.return_address = 16,
	.return_on_stack = true,
	.preserved = BIT(3) | BIT(6) | BIT(7) | BIT(12) | BIT(13) | BIT(14) | BIT(15) | BIT(16),
	.address_mask = UINT64_MAX,
};

/* The System V ABI for i386: a call preserves ebx, ebp, esi and edi. */
static const struct wk_unwind_machine x86 = {
	.registers = 9,
	.word_bytes = 4,
	.sp = 4,
	.fp = 5,
	.pc = 8,
	.return_address = 8,
	.return_on_stack = true,
	.preserved = BIT(3) | BIT(4) | BIT(5) | BIT(6) | BIT(7) | BIT(8),
	.address_mask = UINT32_MAX,
};

/* AAPCS64: a call preserves x19 to x29. The return address is in x30 until it is saved. Pointer
 * authentication stores its signature above the 48 address bits that Linux gives to programs that
 * do not request more, so removing those bits from an unsigned address is harmless. */
static const struct wk_unwind_machine aarch64 = {
	.registers = 33,
	.word_bytes = 8,
	.sp = 31,
	.fp = 29,
	.pc = 32,
	.return_address = 30,
	.return_on_stack = false,
	.preserved = (BIT(31) - BIT(19)) | BIT(31) | BIT(32),
	.address_mask = BIT(48) - 1,
};

const struct wk_unwind_machine *wk_unwind_machine(enum wk_machine machine)
{
	switch (machine) {
	case WK_MACHINE_X86_64:
		return &x86_64;
	case WK_MACHINE_X86:
		return &x86;
	case WK_MACHINE_AARCH64:
		return &aarch64;
	default:
		return NULL;
	}
}

bool wk_unwind_stack_pointer(const struct wk_event_stack *stack, uint64_t *sp)
{
	const struct wk_unwind_machine *machine = wk_unwind_machine(stack->machine);

	if (machine)
		*sp = stack->value[machine->sp];
	return machine != NULL;
}
