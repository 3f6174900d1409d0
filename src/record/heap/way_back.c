#include "record/heap/way_back.h"

#include <errno.h>
#include <string.h>
#include <ucontext.h>

#include "base/mem.h"

/* arch/x86/include/uapi/asm/sigcontext.h and ucontext.h */
#define UC_FLAGS        7 /* all registers are there, and ss is to be restored */
#define KERNEL_UCONTEXT 304
#define SOFTWARE_AT     464 /* in the state: struct _fpx_sw_bytes */
#define MAGIC_1         0x46505853u
#define MAGIC_2         0x46505845u
#define STATE_ALIGN     UINT64_C(64)

/* Not a kind of stack: the one that is set for signals stays. */
#define SAME_SIGNAL_STACK 4

/* include/linux/errno.h of the kernel */
#define ERESTARTSYS           512
#define ERESTARTNOINTR        513
#define ERESTARTNOHAND        514
#define ERESTART_RESTARTBLOCK 516

struct user_regs_struct wk_way_back_registers(const struct wk_stopped *stopped)
{
	struct user_regs_struct registers = stopped->registers;
	int64_t result = (int64_t)registers.rax;

	if ((int64_t)registers.orig_rax >= 0 && result == -ERESTART_RESTARTBLOCK) {
		registers.rax = (uint64_t)-EINTR;
	} else if ((int64_t)registers.orig_rax >= 0 && result <= -ERESTARTSYS &&
		   result >= -ERESTARTNOHAND) {
		registers.rax = registers.orig_rax;
		registers.rip -= 2; /* syscall */
	}
	registers.orig_rax = UINT64_MAX;
	return registers;
}

static uint64_t write_state(const struct wk_remote *remote, const struct wk_stopped *stopped,
			    uint64_t top)
{
	size_t bytes = stopped->state_bytes;
	uint64_t at = (top - bytes - sizeof(uint32_t)) & ~(STATE_ALIGN - 1), features;
	struct {
		uint32_t magic, all_bytes;
		uint64_t features;
		uint32_t state_bytes, unused[7];
	} software = { .magic = MAGIC_1,
		       .all_bytes = (uint32_t)(bytes + sizeof(uint32_t)),
		       .state_bytes = (uint32_t)bytes };
	uint32_t end = MAGIC_2;

	if (bytes < SOFTWARE_AT + sizeof(software))
		return 0;
	/* ptrace has the set of features there. */
	memcpy(&features, stopped->state + SOFTWARE_AT, sizeof(features));
	software.features = features;
	return wk_remote_write(remote, at, stopped->state, bytes) &&
			       wk_remote_write(remote, at + SOFTWARE_AT, &software,
					       sizeof(software)) &&
			       wk_remote_write(remote, at + bytes, &end, sizeof(end))
		       ? at
		       : 0;
}

uint64_t wk_way_back_write(const struct wk_remote *remote, const struct wk_stopped *stopped,
			   uint64_t top)
{
	struct user_regs_struct from = wk_way_back_registers(stopped);
	uint64_t state = write_state(remote, stopped, top);
	uint64_t at = (state - KERNEL_UCONTEXT) & ~UINT64_C(15);
	ucontext_t frame = { .uc_flags = UC_FLAGS };
	greg_t *to = frame.uc_mcontext.gregs;

	const struct {
		int to;
		uint64_t value;
	} registers[] = {
		{ REG_R8, from.r8 },
		{ REG_R9, from.r9 },
		{ REG_R10, from.r10 },
		{ REG_R11, from.r11 },
		{ REG_R12, from.r12 },
		{ REG_R13, from.r13 },
		{ REG_R14, from.r14 },
		{ REG_R15, from.r15 },
		{ REG_RDI, from.rdi },
		{ REG_RSI, from.rsi },
		{ REG_RBP, from.rbp },
		{ REG_RBX, from.rbx },
		{ REG_RDX, from.rdx },
		{ REG_RAX, from.rax },
		{ REG_RCX, from.rcx },
		{ REG_RSP, from.rsp },
		{ REG_RIP, from.rip },
		{ REG_EFL, from.eflags },
		{ REG_CSGSFS, (from.cs & 0xffff) | (from.gs & 0xffff) << 16 |
				      (from.fs & 0xffff) << 32 | (from.ss & 0xffff) << 48 },
	};

	if (!state)
		return 0;
	for (size_t i = 0; i < sizeof(registers) / sizeof(*registers); i++)
		to[registers[i].to] = (greg_t)registers[i].value;
	frame.uc_stack.ss_flags = SAME_SIGNAL_STACK;
	memcpy(&frame.uc_mcontext.fpregs, &state, sizeof(state));
	memcpy(&frame.uc_sigmask, &stopped->signal_mask, sizeof(stopped->signal_mask));
	return wk_remote_write(remote, at, &frame, KERNEL_UCONTEXT) ? at : 0;
}
