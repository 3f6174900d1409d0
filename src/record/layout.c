#include "record/layout.h"

#include <linux/perf_event.h>
#include <string.h>
#include <sys/utsname.h>

#include "event/machine.h"

/* In samples: header, IDENTIFIER, IP, PID and TID, TIME. In all others the last words are
 * PID and TID, TIME, CPU, IDENTIFIER. */
#define BASE_SAMPLE_TYPE                                                                           \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |            \
	 PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD)
#define SAMPLE_TIME_OFFSET    32
#define TRAILER_TIME_FROM_END 24
#define TRAILER_BYTES         32

/* perf's x86 registers are ax bx cx dx si di bp sp ip flags and six segments, then r8 to r15. */
#define X86_64_REGISTERS  0xff01ffu
#define AARCH64_REGISTERS 0x1ffffffffu

#define X86_64_SP_PLACE  (8 * 7)
#define AARCH64_SP_PLACE (8 * 31)

enum wk_machine wk_machine_here(void)
{
	struct utsname name;
	enum wk_machine machine;

	if (uname(&name) != 0)
		return WK_MACHINE_UNKNOWN;
	machine = wk_machine_named(wk_str_c(name.machine));
	return machine == WK_MACHINE_X86_64 || machine == WK_MACHINE_AARCH64 ? machine
									     : WK_MACHINE_UNKNOWN;
}

struct wk_layout wk_layout_of(enum wk_machine machine, bool has_chain, uint32_t stack_bytes)
{
	struct wk_layout layout = {
		.sample_type = BASE_SAMPLE_TYPE,
		.has_chain = has_chain,
		.machine = machine,
	};

	if (has_chain)
		layout.sample_type |= PERF_SAMPLE_CALLCHAIN;
	if (stack_bytes && machine != WK_MACHINE_UNKNOWN) {
		layout.sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
		layout.stack_bytes = stack_bytes;
		layout.registers =
			machine == WK_MACHINE_X86_64 ? X86_64_REGISTERS : AARCH64_REGISTERS;
		layout.sp_place = machine == WK_MACHINE_X86_64 ? X86_64_SP_PLACE : AARCH64_SP_PLACE;
	}
	return layout;
}

uint64_t wk_layout_time(const uint8_t *record, size_t size)
{
	struct perf_event_header header;
	uint64_t time_ns;
	size_t offset;

	memcpy(&header, record, sizeof(header));
	if (header.type == PERF_RECORD_SAMPLE)
		offset = SAMPLE_TIME_OFFSET;
	else if (size >= sizeof(header) + TRAILER_BYTES)
		offset = size - TRAILER_TIME_FROM_END;
	else
		return 0;
	if (offset + sizeof(time_ns) > size)
		return 0;
	memcpy(&time_ns, record + offset, sizeof(time_ns));
	return time_ns;
}
