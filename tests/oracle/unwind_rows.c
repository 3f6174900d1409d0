/* The unwind rules of FILE at each address (hexadecimal, a line each) of the standard input,
 * in the words of `readelf --debug-dump=frames-interp`: "address CFA register=rule ...".
 * What tests/oracle/test_unwind_rows.py compares with readelf. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "symbols/image/symbols.h"
#include "symbols/unwind/table.h"

static const char *const names[17] = {
	"rax", "rdx", "rcx", "rbx", "rsi", "rdi", "rbp", "rsp", "r8",
	"r9",  "r10", "r11", "r12", "r13", "r14", "r15", "ra",
};

static void print_rule(const struct wk_rule *rule)
{
	printf(" %s=", rule->reg < 17 ? names[rule->reg] : "?");
	switch (rule->kind) {
	case WK_RULE_UNDEFINED:
		printf("u");
		break;
	case WK_RULE_AT:
		printf("c%+d", rule->value);
		break;
	case WK_RULE_VALUE:
		printf("v%+d", rule->value);
		break;
	case WK_RULE_REGISTER:
		printf("%s", rule->value < 17 ? names[rule->value] : "?");
		break;
	case WK_RULE_AT_EXPRESSION:
		printf("exp");
		break;
	case WK_RULE_VALUE_EXPRESSION:
		printf("vexp");
		break;
	}
}

static void print_rules(uint64_t vaddr, const struct wk_rules *rules)
{
	printf("%016" PRIx64, vaddr);
	if (!rules)
		printf(" none");
	else if (rules->cfa_kind == WK_CFA_REGISTER && rules->cfa_register < 17)
		printf(" %s%+d", names[rules->cfa_register], rules->cfa_value);
	else
		printf(" exp");
	for (unsigned i = 0; rules && i < rules->count; i++)
		print_rule(&rules->saved[i]);
	printf("\n");
}

int main(int argc, char **argv)
{
	struct wk_symbols *symbols = wk_symbols_new(NULL);
	struct wk_image_key key = { .path = wk_str_c(argc > 1 ? argv[1] : "") };
	struct wk_image_symbols *image = wk_symbols_image(symbols, &key);
	struct wk_unwind_table *table;
	uint64_t vaddr;

	if (!wk_image_obj(image)) {
		fprintf(stderr, "unwind_rows: %s\n", wk_image_reason(image));
		wk_symbols_free(symbols);
		return 1;
	}
	table = wk_unwind_table_new(wk_image_obj(image), NULL);
	while (scanf("%" SCNx64, &vaddr) == 1)
		print_rules(vaddr, wk_unwind_table_rules(table, vaddr));
	wk_unwind_table_free(table);
	wk_symbols_free(symbols);
	return 0;
}
