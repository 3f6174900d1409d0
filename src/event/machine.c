#include "event/machine.h"

enum wk_machine wk_machine_named(struct wk_str name)
{
	if (wk_str_is(name, "x86_64"))
		return WK_MACHINE_X86_64;
	if (wk_str_is(name, "aarch64"))
		return WK_MACHINE_AARCH64;
	if (name.len == 4 && name.at[0] == 'i' && wk_str_ends(name, "86"))
		return WK_MACHINE_X86;
	return wk_str_starts(name, "arm") ? WK_MACHINE_ARM : WK_MACHINE_UNKNOWN;
}

int wk_machine_register(enum wk_machine machine, unsigned bit)
{
	static const int8_t x86_64[] = { 0,  3,  2,  1,  4,  5,  6, 7, 16, -1, -1, -1,
					 -1, -1, -1, -1, 8, 9, 10, 11, 12, 13, 14, 15 };
	static const int8_t x86[] = { 0, 3, 1, 2, 6, 7, 5, 4, 8 };

	switch (machine) {
	case WK_MACHINE_X86_64:
		return bit < sizeof(x86_64) ? x86_64[bit] : -1;
	case WK_MACHINE_X86:
		return bit < sizeof(x86) ? x86[bit] : -1;
	case WK_MACHINE_AARCH64:
		return bit < 33 ? (int)bit : -1;
	case WK_MACHINE_ARM:
		return bit < 16 ? (int)bit : -1;
	case WK_MACHINE_UNKNOWN:
		break;
	}
	return -1;
}
