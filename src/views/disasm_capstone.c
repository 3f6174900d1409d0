#include "views/disasm.h"

#include <assert.h>
#include <string.h>

#include <capstone/capstone.h>

#include "base/library_calls.h"
#include "base/mem.h"
#include "symbols/object/object.h"

/* Loaded when it is first needed: its 78,000 relocations would double the time that wick needs to
 * start. */
#define CALLS(_) _(open) _(malloc) _(disasm_iter) _(free) _(close)

#define LIBRARY "libcapstone.so.4"

struct library {
#define POINTER(name) __typeof__(cs_##name) *name;
	CALLS(POINTER)
};

struct wk_disasm {
	struct library capstone;
	csh engine;
	cs_insn *instruction;
};

static bool load(struct library *library, struct wk_err *err)
{
#define NAME(name) "cs_" #name,
	static const char *const names[] = { CALLS(NAME) };
	void *loaded = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);

	/* The struct has a pointer for each name. */
	static_assert(sizeof(*library) == sizeof(names), "only pointers");
	if (loaded)
		return wk_library_calls(loaded, LIBRARY, names, sizeof(names) / sizeof(names[0]),
					library, err);
	return wk_fail(err, WK_EUNSUPPORTED, WK_NOWHERE,
		       LIBRARY " is missing, which decodes instructions (package "
			       "libcapstone4)");
}

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

	struct library capstone;

	if (!load(&capstone, err))
		return NULL;
	for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++) {
		struct wk_disasm *disasm;
		csh engine;

		if (machines[i].code != machine_code || machines[i].is_64 != is_64 ||
		    capstone.open(machines[i].arch, machines[i].mode, &engine) != CS_ERR_OK)
			continue;
		disasm = wk_alloc(sizeof(*disasm));
		disasm->capstone = capstone;
		disasm->engine = engine;
		disasm->instruction = capstone.malloc(engine);
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
	disasm->capstone.free(disasm->instruction, 1);
	disasm->capstone.close(&disasm->engine);
	wk_free(disasm);
}

size_t wk_disasm_next(struct wk_disasm *disasm, const uint8_t *at, size_t len, uint64_t vaddr,
		      struct wk_buf *text)
{
	const uint8_t *next = at;
	size_t left = len;

	if (disasm->instruction && disasm->capstone.disasm_iter(disasm->engine, &next, &left,
								&vaddr, disasm->instruction)) {
		wk_buf_add_fmt(text, "%-7s %s", disasm->instruction->mnemonic,
			       disasm->instruction->op_str);
		while (text->len && text->at[text->len - 1] == ' ')
			text->len--;
		return len - left;
	}
	wk_buf_add_fmt(text, ".byte   0x%02x", at[0]);
	return 1;
}
