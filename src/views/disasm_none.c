#include "views/disasm.h"

struct wk_disasm *wk_disasm_new(uint16_t machine_code, bool is_64, struct wk_err *err)
{
	(void)machine_code;
	(void)is_64;
	wk_fail(err, WK_EEMPTY, WK_NOWHERE,
		"this wick was built without capstone, which --asm needs; install libcapstone-dev "
		"and build it again");
	return NULL;
}

void wk_disasm_free(struct wk_disasm *disasm)
{
	(void)disasm;
}

size_t wk_disasm_next(struct wk_disasm *disasm, const uint8_t *at, size_t len, uint64_t vaddr,
		      struct wk_buf *text)
{
	(void)disasm;
	(void)at;
	(void)len;
	(void)vaddr;
	(void)text;
	return 1;
}
