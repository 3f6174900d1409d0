#include "symbols/unwind/code.h"

static bool begins_with(struct wk_bytes code, const void *bytes, size_t len)
{
	return wk_bytes_left(&code) >= len && memcmp(code.at, bytes, len) == 0;
}

bool wk_code_is_sigreturn(struct wk_bytes code, enum wk_machine machine)
{
	/* mov $15, %rax; syscall */
	static const uint8_t x86_64[] = { 0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05 };
	/* mov x8, #139; svc #0 */
	static const uint8_t aarch64[] = { 0x68, 0x11, 0x80, 0xd2, 0x01, 0x00, 0x00, 0xd4 };

	if (machine == WK_MACHINE_X86_64)
		return begins_with(code, x86_64, sizeof(x86_64));
	return machine == WK_MACHINE_AARCH64 && begins_with(code, aarch64, sizeof(aarch64));
}

bool wk_code_ends_context(struct wk_bytes code)
{
	/* mov %rbx, %rsp; mov (%rsp), %rdi, or pop %rdi; test %rdi, %rdi */
	static const uint8_t with_mov[] = { 0x48, 0x89, 0xdc, 0x48, 0x8b,
					    0x3c, 0x24, 0x48, 0x85, 0xff };
	static const uint8_t with_pop[] = { 0x48, 0x89, 0xdc, 0x5f, 0x48, 0x85, 0xff };

	return begins_with(code, with_mov, sizeof(with_mov)) ||
	       begins_with(code, with_pop, sizeof(with_pop));
}

bool wk_code_ends_thread(struct wk_bytes code)
{
	/* mov %eax, %edi; xor %eax, %eax; mov $60, %al; syscall */
	static const uint8_t exit_with_result[] = { 0x89, 0xc7, 0x31, 0xc0,
						    0xb0, 0x3c, 0x0f, 0x05 };

	return begins_with(code, exit_with_result, sizeof(exit_with_result));
}

bool wk_code_begins_thread(struct wk_bytes code)
{
	/* pop %rax; pop %rdi; call *%rax */
	static const uint8_t call_popped[WK_CODE_THREAD_BYTES] = { 0x58, 0x5f, 0xff, 0xd0 };

	return begins_with(code, call_popped, sizeof(call_popped));
}

/* Linux's struct rt_sigframe as the trampoline finds it. On x86-64 the return address is
 * popped and the stack pointer is at the ucontext, whose registers begin 40 bytes in. On
 * aarch64 a siginfo of 128 bytes comes first; the registers are 184 bytes into the ucontext. */
uint64_t wk_code_signal_frame(const struct wk_unwind_machine *machine, uint8_t *places)
{
	/* rax rdx rcx rbx rsi rdi rbp rsp r8-r15 rip, in struct sigcontext's order. */
	static const uint8_t x86_64[] = { 13, 12, 14, 11, 9, 8, 10, 15, 0,
					  1, 2, 3, 4, 5, 6, 7, 16 };

	if (machine->return_on_stack) {
		memcpy(places, x86_64, sizeof(x86_64));
		return 40;
	}
	for (uint8_t reg = 0; reg < machine->registers; reg++)
		places[reg] = reg;
	return 128 + 184;
}
