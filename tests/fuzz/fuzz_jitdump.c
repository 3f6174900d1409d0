/* Any bytes as a jitdump: pieces of code with their lines, all within the bytes; the same places
 * where the bytes come by and by; and whatever their unwinding tables say, walks through them
 * end. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/jit/jitdump.h"
#include "symbols/unwind/table.h"

#define CODE  0x10000
#define STACK 0x7ff000000000u
#define CAP   64

struct made {
	struct wk_unwind_table *table;
	uint64_t next; /* in the table's addresses */
};

static const uint8_t *begin, *end;

static void check_inside(const void *at, size_t len)
{
	assert(len == 0 || ((const uint8_t *)at >= begin && (const uint8_t *)at + len <= end));
}

/* Gives how many there were. */
static size_t check_lines(struct wk_jit_code code)
{
	struct wk_jit_line line;
	size_t count = 0;

	while (wk_jit_code_next_line(&code, &line)) {
		check_inside(line.file.at, line.file.len);
		count++;
	}
	return count;
}

static bool find(void *context, uint64_t address, struct wk_unwind_image *image)
{
	const struct made *made = context;

	*image = (struct wk_unwind_image){ made->table, CODE, made->next, 0 };
	return address >= CODE && address < made->next;
}

/* The dump itself is the stack, and the registers point about it and about the code. */
static void walk(struct made *made, uint64_t pc)
{
	struct wk_event_stack stack = { .machine = WK_MACHINE_X86_64, .valid = UINT32_MAX };
	struct wk_unwinder *unwinder = wk_unwinder_new(find, made);
	enum wk_unwind_end walk_end;
	uint64_t chain[CAP];

	for (unsigned reg = 0; reg < WK_REGISTERS; reg++)
		stack.value[reg] = reg % 2 ? STACK + 8 * reg : pc + reg;
	stack.value[7] = STACK;
	stack.value[16] = pc;
	stack.bytes = begin;
	stack.size_bytes = (size_t)(end - begin);
	assert(wk_unwind(unwinder, &stack, chain, CAP, &walk_end) <= CAP);
	wk_unwinder_free(unwinder);
}

/* Takes the piece in as the one behind all others. */
static void add_tables(struct made *made, const struct wk_jit_code *code)
{
	struct wk_bytes frames = code->unwind;
	uint64_t size = code->size_bytes < 4096 ? code->size_bytes : 4096;

	frames.end -= code->unwind_head_bytes;
	wk_unwind_table_add_jit(made->table, frames, made->next + code->unwind_offset, made->next,
				size);
	made->next += 4096;
	walk(made, made->next - 4096);
	walk(made, made->next - 4096 + size / 2);
}

static uint64_t mix(uint64_t sum, const struct wk_jit_code *code)
{
	return (sum ^ code->time_ns ^ code->start ^ code->size_bytes << 7 ^ code->number) *
	       0x9e3779b97f4a7c15u;
}

/* The same dump, which becomes longer by `step`. */
static uint64_t read_by_and_by(size_t size, size_t step)
{
	struct wk_err err = { 0 };
	size_t from = 0, to = 40 + step < size ? 40 + step : size;
	uint64_t sum = 0;
	struct wk_jitdump *dump;
	struct wk_jit_code code;

	/* A head may be longer than what is known of it. */
	dump = wk_jitdump_open(begin, to, &err);
	if (!dump) {
		to = size;
		dump = wk_jitdump_open(begin, to, &err);
	}
	for (;;) {
		while (wk_jitdump_next(dump, &code))
			sum = mix(sum, &code);
		if (to == size)
			break;
		from += wk_jitdump_used(dump);
		assert(from <= to);
		to = size - to < step ? size : to + step;
		wk_jitdump_go_on(dump, begin + from, to - from);
	}
	wk_jitdump_free(dump);
	return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct wk_err err = { 0 };
	struct wk_jitdump *dump = wk_jitdump_open(data, size, &err);
	struct wk_jit_code code;
	struct made made = { .next = CODE };
	size_t pieces = 0, lines = 0;
	uint64_t sum = 0;

	begin = data;
	end = data + size;
	if (!dump) {
		assert(err.code != WK_OK);
		return 0;
	}
	made.table = wk_unwind_table_new_jit();
	while (wk_jitdump_next(dump, &code)) {
		sum = mix(sum, &code);
		assert(code.unwind_head_bytes <= wk_bytes_left(&code.unwind));
		if (wk_bytes_left(&code.unwind) && !code.is_moved)
			add_tables(&made, &code);
		assert(code.size_bytes > 0 && code.start + code.size_bytes > code.start);
		check_inside(code.name.at, code.name.len);
		assert(code.name.len > 0);
		check_inside(code.code.at, wk_bytes_left(&code.code));
		check_inside(code.unwind.at, wk_bytes_left(&code.unwind));
		if (!code.is_moved)
			lines += check_lines(code);
		pieces++;
	}
	assert(pieces + lines <= size);
	wk_jitdump_free(dump);
	wk_unwind_table_free(made.table);
	assert(sum == read_by_and_by(size, 1 + size / 7));
	return 0;
}
