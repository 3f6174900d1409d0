/* Sampled registers, by perf's names for them. */
#include <inttypes.h>

#include "render/perf_script/internal.h"

#define COUNT_OF(table) (sizeof(table) / sizeof((table)[0]))

static const char *x86_name(unsigned number)
{
	static const char *const names[] = { "AX", "BX", "CX", "DX", "SI",  "DI",  "BP",  "SP",
					     "IP", "FLAGS", "CS", "SS", "DS", "ES", "FS", "GS",
					     "R8", "R9", "R10", "R11", "R12", "R13", "R14", "R15" };

	return number < COUNT_OF(names) ? names[number] : NULL;
}

static const char *arm_name(unsigned number)
{
	static const char *const names[] = { "r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7", "r8",
					     "r9", "r10", "fp", "ip", "sp", "lr", "pc" };

	return number < COUNT_OF(names) ? names[number] : NULL;
}

static const char *aarch64_name(unsigned number)
{
	static const char *const names[] = {
		"x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12",
		"x13", "x14", "x15", "x16", "x17", "x18", "x19", "x20", "x21", "x22", "x23", "x24",
		"x25", "x26", "x27", "x28", "x29", "lr", "sp", "pc" };

	if (number == 46)
		return "vg";
	return number < COUNT_OF(names) ? names[number] : NULL;
}

static const char *name_of(enum wk_machine machine, unsigned number)
{
	const char *name = NULL;

	if (machine == WK_MACHINE_X86_64 || machine == WK_MACHINE_X86)
		name = x86_name(number);
	else if (machine == WK_MACHINE_AARCH64)
		name = aarch64_name(number);
	else if (machine == WK_MACHINE_ARM)
		name = arm_name(number);
	return name ? name : "unknown";
}

void wk_script_add_registers(const struct wk_event_registers *registers, struct wk_buf *out)
{
	if (!registers)
		return;
	wk_buf_add_fmt(out, " ABI:%" PRIu64 " ", registers->abi);
	for (unsigned i = 0; i < 64; i++)
		if (registers->sampled >> i & 1)
			wk_buf_add_fmt(out, "%5s:0x%" PRIx64 " ", name_of(registers->machine, i),
				       registers->value[i]);
}
