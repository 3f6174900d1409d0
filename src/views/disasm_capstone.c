#include "views/disasm.h"

#include <capstone/capstone.h>

#include "base/mem.h"
#include "symbols/object/object.h"

struct wk_disasm {
	csh engine;
	cs_insn *instruction;
};

struct machine {
	uint16_t code;
	bool is_64;
	cs_arch arch;
	cs_mode mode;
};

struct wk_disasm *wk_disasm_new(uint16_t machine_code, bool is_64, struct wk_err *err)
{
	static const struct machine machines[] = {
		{ WK_EM_X86_64, true, CS_ARCH_X86, CS_MODE_64 },
		{ WK_EM_X86_64, false, CS_ARCH_X86, CS_MODE_64 }, /* x32 */
		{ WK_EM_386, false, CS_ARCH_X86, CS_MODE_32 },
		{ WK_EM_AARCH64, true, CS_ARCH_ARM64, CS_MODE_ARM },
		{ WK_EM_ARM, false, CS_ARCH_ARM, CS_MODE_ARM },
	};

	for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++) {
		struct wk_disasm *disasm;
		csh engine;

		if (machines[i].code != machine_code || machines[i].is_64 != is_64 ||
		    cs_open(machines[i].arch, machines[i].mode, &engine) != CS_ERR_OK)
			continue;
		disasm = wk_alloc(sizeof(*disasm));
		disasm->engine = engine;
		disasm->instruction = cs_malloc(engine);
		return disasm;
	}
	wk_fail(err, WK_EEMPTY, WK_NOWHERE,
		"instructions of this kind of processor (%u) cannot be "
		"printed",
		machine_code);
	return NULL;
}

void wk_disasm_free(struct wk_disasm *disasm)
{
	if (!disasm)
		return;
	cs_free(disasm->instruction, 1);
	cs_close(&disasm->engine);
	wk_free(disasm);
}

size_t wk_disasm_next(struct wk_disasm *disasm, const uint8_t *at, size_t len, uint64_t vaddr,
		      struct wk_buf *text)
{
	const uint8_t *next = at;
	size_t left = len;

	if (disasm->instruction &&
	    cs_disasm_iter(disasm->engine, &next, &left, &vaddr, disasm->instruction)) {
		wk_buf_add_fmt(text, "%-7s %s", disasm->instruction->mnemonic,
			       disasm->instruction->op_str);
		while (text->len && text->at[text->len - 1] == ' ')
			text->len--;
		return len - left;
	}
	wk_buf_add_fmt(text, ".byte   0x%02x", at[0]);
	return 1;
}
