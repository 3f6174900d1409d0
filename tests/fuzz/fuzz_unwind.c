/* Tables and stacks that may say anything: walks end, twice the same, within their bounds.
 *
 * The first byte picks machine and kind of section, the second how much of the rest is the
 * stack. What remains is the image: its tables, its search table and its code all at once. */
#include <stdlib.h>
#include <string.h>

#include "symbols/unwind/code.h"
#include "symbols/unwind/table.h"

#define BASE  0x400000
#define STACK 0x7ff000000000u
#define CAP   64

struct input {
	struct wk_unwind_table *table;
	size_t image_bytes;
};

static bool find(void *context, uint64_t address, struct wk_unwind_image *image)
{
	struct input *input = context;

	if (address < BASE || address - BASE >= input->image_bytes + 64)
		return false;
	*image = (struct wk_unwind_image){ input->table, BASE, BASE + input->image_bytes + 64,
					   BASE };
	return true;
}

/* Registers that point about the stack and about the code, differently for each start. */
static void fill_registers(struct wk_event_stack *stack, uint64_t pc)
{
	bool is_x86 = stack->machine == WK_MACHINE_X86_64;

	stack->valid = pc % 3 ? (uint64_t)-1 >> 31 : 0x101d0 | (uint64_t)5 << 30;
	for (unsigned reg = 0; reg < WK_REGISTERS; reg++)
		stack->value[reg] = reg % 2 ? STACK + 8 * reg : BASE + pc + reg;
	stack->value[is_x86 ? 7 : 31] = STACK;
	stack->value[is_x86 ? 6 : 29] = STACK + 16;
	stack->value[is_x86 ? 16 : 32] = BASE + pc;
}

static void walk_twice(struct input *input, struct wk_event_stack *stack)
{
	struct wk_unwinder *unwinder = wk_unwinder_new(find, input);
	uint64_t first[CAP], second[CAP];

	for (uint64_t pc = 0; pc < input->image_bytes; pc += 1 + input->image_bytes / 16) {
		enum wk_unwind_end end, again;
		size_t count;

		fill_registers(stack, pc);
		count = wk_unwind(unwinder, stack, first, CAP, &end);
		if (count > CAP || count != wk_unwind(unwinder, stack, second, CAP, &again) ||
		    end != again || memcmp(first, second, count * sizeof(*first)) != 0)
			abort();
	}
	wk_unwinder_free(unwinder);
}

static bool compile(void *context, const struct wk_cfi_fde *fde)
{
	wk_unwind_table_rules(context, fde->start);
	return true;
}

/* Compiles each function that the section describes. */
static void compile_all(struct wk_unwind_table *table, const struct wk_obj *obj, bool is_debug)
{
	struct wk_cfi cfi = { .bytes = wk_bytes_of(obj->at, obj->size_bytes),
			      .address_size = obj->is_64 ? 8 : 4,
			      .is_debug = is_debug };

	wk_cfi_each(&cfi, compile, table);
	wk_cfi_fini(&cfi);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct wk_obj_section section = { .type = 1 };
	struct wk_obj_segment segments[2] = { { .type = 1 }, { .type = 0x6474e550 } };
	struct wk_obj obj = { .is_64 = true, .sections = &section, .section_count = 1 };
	struct wk_event_stack stack = { 0 };
	struct wk_cfi_state state;
	struct input input;

	if (size < 2)
		return 0;
	obj.machine = data[0] & 1 ? WK_MACHINE_AARCH64 : WK_MACHINE_X86_64;
	obj.is_64 = !(data[0] & 0x10);
	stack.machine = obj.machine;
	stack.is_full = data[0] & 8;
	stack.size_bytes = (size - 2) * data[1] / 512;
	stack.bytes = data + 2;
	obj.at = data + 2 + stack.size_bytes;
	obj.size_bytes = size - 2 - stack.size_bytes;
	input.image_bytes = obj.size_bytes;
	section.name = wk_str_c(data[0] & 2 ? ".debug_frame" : ".eh_frame");
	section.size_bytes = obj.size_bytes;
	segments[0].file_size = segments[0].memory_size = obj.size_bytes;
	segments[1].file_size = obj.size_bytes;
	obj.entry = 1 << 20;
	obj.segments = segments;
	obj.segment_count = data[0] & 4 ? 2 : 1;
	input.table = wk_unwind_table_new(&obj, NULL);
	walk_twice(&input, &stack);
	compile_all(input.table, &obj, !(data[0] & 2));
	wk_unwind_is_root(input.table, 0);
	wk_code_rules(wk_bytes_of(obj.at, obj.size_bytes), obj.size_bytes / 2, &state);
	wk_unwind_table_free(input.table);
	return 0;
}
