#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cfi_maker.h"
#include "symbols/unwind/table.h"
#include "symbols/unwind/unwind.h"

/* A made-up process: one image with tables at BASE, stack words from STACK up. */
#define BASE    0x550000000000
#define TEXT    0x1000
#define SECTION 0x8000
#define STACK   0x7ffc00000000

enum { RAX = 0, RBX = 3, RDI = 5, RBP = 6, RSP = 7, R12 = 12, RIP = 16 };
enum { X0 = 0, X19 = 19, X29 = 29, LR = 30, SP = 31, PC = 32 };

struct process {
	struct maker cfi;
	struct wk_obj obj;
	struct wk_obj_section section;
	struct wk_obj_segment segment;
	struct wk_unwind_table *table;
	struct wk_unwinder *unwinder;
	unsigned finds;
	uint64_t base; /* of the image */
	uint64_t words[256];
	struct wk_event_stack stack;
	uint64_t chain[300];
	enum wk_unwind_end end;
};

static bool find(void *context, uint64_t address, struct wk_unwind_image *image)
{
	struct process *p = context;

	p->finds++;
	if (address < p->base || address >= p->base + 0x100000)
		return false;
	*image = (struct wk_unwind_image){ p->table, p->base, p->base + 0x100000, p->base };
	/* The upper half is memory without a file, as code made at run time is. */
	if (address >= p->base + 0x80000)
		image->table = NULL;
	return true;
}

static void begin(struct process *p, enum wk_machine machine)
{
	memset(p, 0, sizeof(*p));
	p->base = BASE;
	p->cfi.vaddr = SECTION;
	p->obj.is_64 = true;
	p->obj.machine = machine;
	p->stack.machine = machine;
	p->stack.bytes = (const uint8_t *)p->words;
	p->stack.size_bytes = sizeof(p->words);
}

/* A function of 256 bytes, the `number`th. */
static void function(struct process *p, unsigned number, const void *program, size_t len)
{
	maker_fde(&p->cfi, TEXT + number * 0x100, 0x100, program, len);
}

#define FUNCTION(p, number, ...) \
	function(p, number, (uint8_t[]){ __VA_ARGS__ }, sizeof((uint8_t[]){ __VA_ARGS__ }))

static uint64_t in_function(unsigned number)
{
	return BASE + TEXT + number * 0x100 + 0x20;
}

static void ready(struct process *p)
{
	p->section = (struct wk_obj_section){
		.name = WK_STR(".eh_frame"),
		.type = 1,
		.vaddr = SECTION,
		.size_bytes = p->cfi.out.len,
	};
	p->obj.at = (const uint8_t *)p->cfi.out.at;
	p->obj.size_bytes = p->cfi.out.len;
	p->obj.sections = &p->section;
	p->obj.section_count = 1;
	p->table = wk_unwind_table_new(&p->obj, NULL);
	p->unwinder = wk_unwinder_new(find, p);
}

static void set(struct process *p, unsigned reg, uint64_t value)
{
	p->stack.value[reg] = value;
	p->stack.valid |= (uint64_t)1 << reg;
}

static size_t walk(struct process *p, size_t cap)
{
	return wk_unwind(p->unwinder, &p->stack, p->chain, cap, &p->end);
}

static void end(struct process *p)
{
	wk_unwinder_free(p->unwinder);
	wk_unwind_table_free(p->table);
	wk_buf_fini(&p->cfi.out);
}

/* Functions for x86-64: 0 keeps 16 bytes of stack, 1 saves rbx, 2 has rbp as its frame
 * pointer, 3 is the outermost, 4 has CFA = rbx + 32, 5 is a signal trampoline, 6 a PLT. */
static void begin_x86(struct process *p)
{
	begin(p, WK_MACHINE_X86_64);
	maker_x86_cie(&p->cfi, "zR");
	FUNCTION(p, 0, 0x0e, 24);
	FUNCTION(p, 1, 0x0e, 16, 0x83, 2);
	FUNCTION(p, 2, 0x0c, RBP, 16, 0x86, 2);
	FUNCTION(p, 3, 0x07, RIP);
	FUNCTION(p, 4, 0x0c, RBX, 32);
	FUNCTION(p, 6, 0x0f, 11, 0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22);
	/* 7 does not say where the return address is; 8 has it in rdi; 9 goes nowhere. */
	FUNCTION(p, 7, 0x08, RIP);
	FUNCTION(p, 8, 0x09, RIP, RDI);
	FUNCTION(p, 9, 0x0e, 0);
	maker_x86_cie(&p->cfi, "zRS");
	/* rip and rsp and rbx lie in the interrupted context 64 bytes above the stack pointer. */
	maker_fde(&p->cfi, TEXT + 5 * 0x100, 0x100,
		  (uint8_t[]){ 0x0f, 3,    0x77, 0xc0, 0,   0x10, RIP,  2,  0x77, 8,   0x10, RSP,
			       2,    0x77, 16,   0x10, RBX, 2,    0x77, 24, 0x16, RBP, 1,    0x30 },
		  24);
	ready(p);
	set(p, RSP, STACK);
}

static void a_whole_stack_is_walked_to_its_root(void **state)
{
	struct process p;

	(void)state;
	begin_x86(&p);
	set(&p, RIP, in_function(0));
	set(&p, RBX, 1);
	set(&p, RBP, 2);
	p.words[2] = in_function(1); /* sp + 16, and now sp is at word 3 */
	p.words[3] = 0xb0b;          /* rbx */
	p.words[4] = in_function(0);
	p.words[7] = in_function(3);
	assert_int_equal(walk(&p, 300), 4);
	assert_int_equal(p.end, WK_UNWIND_ROOT);
	assert_int_equal(p.chain[0], in_function(0));
	assert_int_equal(p.chain[1], in_function(1) - 1);
	assert_int_equal(p.chain[2], in_function(0) - 1);
	assert_int_equal(p.chain[3], in_function(3) - 1);
	end(&p);
}

static void registers_saved_on_the_way_are_what_later_rules_see(void **state)
{
	struct process p;

	(void)state;
	begin_x86(&p);
	set(&p, RIP, in_function(2));
	set(&p, RBP, STACK + 4 * 8);
	p.words[4] = STACK + 20 * 8; /* rbp of the caller */
	p.words[5] = in_function(1);
	p.words[6] = STACK + 10 * 8; /* rbx of the caller's caller */
	p.words[7] = in_function(4); /* CFA = rbx + 32 = word 14 */
	p.words[13] = in_function(2);
	p.words[20] = 0;
	p.words[21] = in_function(3);
	assert_int_equal(walk(&p, 300), 5);
	assert_int_equal(p.end, WK_UNWIND_ROOT);
	assert_int_equal(p.chain[3], in_function(2) - 1);
	end(&p);
}

static void a_copy_that_is_too_small_is_cut_not_broken(void **state)
{
	struct process p;

	(void)state;
	begin_x86(&p);
	set(&p, RIP, in_function(0));
	p.words[2] = in_function(0);
	p.words[5] = in_function(0);
	p.words[8] = in_function(3);
	for (size_t words = 0; words <= 9; words++) {
		p.stack.size_bytes = words * 8;
		p.stack.is_full = true;
		assert_int_equal(walk(&p, 300), words < 3 ? 1 : words < 6 ? 2 : words < 9 ? 3 : 4);
		assert_int_equal(p.end, words < 9 ? WK_UNWIND_CUT : WK_UNWIND_ROOT);
		p.stack.is_full = false;
		walk(&p, 300);
		assert_int_equal(p.end, words < 9 ? WK_UNWIND_BROKEN : WK_UNWIND_ROOT);
	}
	end(&p);
}

/* The process's memory now, from STACK on; what lies behind it cannot be read. */
struct living {
	uint64_t words[2048];
	unsigned reads;
	uint64_t pages; /* one bit for each page of it that was read */
};

static size_t read_living(void *context, uint64_t address, void *bytes, size_t size)
{
	struct living *living = context;
	uint64_t offset = address - STACK;

	living->reads++;
	if (offset >= sizeof(living->words))
		return 0;
	living->pages |= (uint64_t)1 << offset / 4096;
	if (size > sizeof(living->words) - offset)
		size = sizeof(living->words) - offset;
	memcpy(bytes, (const uint8_t *)living->words + offset, size);
	return size;
}

/* Function 0 called itself 300 times; the copy holds the innermost of them. */
static void begin_deep(struct process *p, struct living *living)
{
	begin_x86(p);
	memset(living, 0, sizeof(*living));
	for (unsigned frame = 0; frame < 300; frame++)
		living->words[frame * 3 + 2] = in_function(frame < 299 ? 0 : 3);
	memcpy(p->words, living->words, sizeof(p->words));
	p->stack.is_full = true;
	set(p, RIP, in_function(0));
	wk_unwinder_set_memory(p->unwinder, read_living, living);
}

static void what_the_copy_lacks_is_read_from_the_living_process(void **state)
{
	struct process p;
	struct living living;

	(void)state;
	begin_deep(&p, &living);
	living.words[200 * 3 + 2] = in_function(3);
	assert_int_equal(walk(&p, 300), 202);
	assert_int_equal(p.end, WK_UNWIND_ROOT);
	assert_int_equal(wk_unwinder_completed(p.unwinder), 1);
	end(&p);
}

static void a_process_that_moved_on_is_not_believed(void **state)
{
	struct process p;
	struct living living;
	size_t in_copy = sizeof(p.words) / 8 / 3; /* return addresses that the copy holds */

	(void)state;
	begin_deep(&p, &living);
	/* The last return address of the copy is another by now. */
	living.words[(in_copy - 1) * 3 + 2] = in_function(1);
	assert_int_equal(walk(&p, 300), in_copy + 1);
	assert_int_equal(p.end, WK_UNWIND_CUT);
	assert_int_equal(living.reads, 1);
	end(&p);
	/* It still stands, but what lies above it leads nowhere. */
	begin_deep(&p, &living);
	living.words[250 * 3 + 2] = 0x1234;
	assert_int_equal(walk(&p, 300), in_copy + 1);
	assert_int_equal(p.end, WK_UNWIND_CUT);
	assert_int_equal(wk_unwinder_completed(p.unwinder), 0);
	end(&p);
}

static void another_call_from_the_same_function_is_believed(void **state)
{
	struct process p;
	struct living living;
	size_t in_copy = sizeof(p.words) / 8 / 3;

	(void)state;
	begin_deep(&p, &living);
	living.words[(in_copy - 1) * 3 + 2] = in_function(0) + 8;
	living.words[200 * 3 + 2] = in_function(3);
	assert_int_equal(walk(&p, 300), 202);
	assert_int_equal(p.end, WK_UNWIND_ROOT);
	end(&p);
}

/* The kernel's copy ends at the first page that was never touched. */
static void a_buffer_that_was_never_touched_does_not_end_the_stack(void **state)
{
	struct process p;
	struct living living = { 0 };

	(void)state;
	begin_x86(&p);
	maker_x86_cie(&p.cfi, "zR");
	FUNCTION(&p, 10, 0x0e, 0x80, 0x60); /* 12 KiB of stack */
	wk_unwinder_free(p.unwinder);
	wk_unwind_table_free(p.table);
	ready(&p);
	wk_unwinder_set_memory(p.unwinder, read_living, &living);
	set(&p, RIP, in_function(0));
	p.words[2] = in_function(10);
	memcpy(living.words, p.words, sizeof(p.words));
	living.words[3 + 0x3000 / 8 - 1] = in_function(3);
	assert_int_equal(walk(&p, 300), 3);
	assert_int_equal(p.end, WK_UNWIND_ROOT);
	assert_int_equal(wk_unwinder_completed(p.unwinder), 1);
	/* Each page of the gap was read, so that the next copy gets past it. */
	assert_int_equal(living.pages, 0xf);
	/* The function itself needs it, and no return address was copied. */
	set(&p, RIP, in_function(10));
	living.words[0x3000 / 8 - 1] = in_function(3);
	assert_int_equal(walk(&p, 300), 2);
	assert_int_equal(p.end, WK_UNWIND_ROOT);
	end(&p);
}

/* A handler on a stack of its own: the interrupted one is elsewhere. */
static void an_interrupted_stack_is_read_from_the_living_process(void **state)
{
	struct process p;
	struct living living = { 0 };

	(void)state;
	begin_x86(&p);
	wk_unwinder_set_memory(p.unwinder, read_living, &living);
	set(&p, RSP, STACK - (1u << 30));
	set(&p, RIP, in_function(5));
	p.words[1] = in_function(0);
	p.words[2] = STACK;
	living.words[2] = in_function(3);
	/* Copied, but not in the memory that can be read: it may have moved on. */
	assert_int_equal(walk(&p, 300), 2);
	assert_int_equal(p.end, WK_UNWIND_BROKEN);
	set(&p, RSP, STACK + 0x2000);
	memcpy(living.words + 0x400, p.words, sizeof(p.words));
	assert_int_equal(walk(&p, 300), 3);
	assert_int_equal(p.end, WK_UNWIND_ROOT);
	assert_int_equal(p.chain[1], in_function(0));
	assert_int_equal(p.chain[2], in_function(3) - 1);
	end(&p);
}

static void a_stack_deeper_than_the_chain_is_full(void **state)
{
	struct process p;

	(void)state;
	begin_x86(&p);
	set(&p, RIP, in_function(0));
	for (size_t i = 2; i < 256; i += 3)
		p.words[i] = in_function(0);
	p.words[242] = in_function(3);
	assert_int_equal(walk(&p, 300), 82);
	assert_int_equal(p.end, WK_UNWIND_ROOT);
	assert_int_equal(walk(&p, 82), 82);
	assert_int_equal(p.end, WK_UNWIND_ROOT);
	assert_int_equal(walk(&p, 81), 81);
	assert_int_equal(p.end, WK_UNWIND_FULL);
	assert_int_equal(walk(&p, 0), 0);
	assert_int_equal(p.end, WK_UNWIND_FULL);
	end(&p);
}

static void a_return_address_in_no_image_breaks_the_stack(void **state)
{
	struct process p;

	(void)state;
	begin_x86(&p);
	set(&p, RIP, in_function(0));
	p.words[2] = 0x1234;
	assert_int_equal(walk(&p, 300), 1);
	assert_int_equal(p.end, WK_UNWIND_BROKEN);
	p.words[2] = 0;
	assert_int_equal(walk(&p, 300), 1);
	assert_int_equal(p.end, WK_UNWIND_ROOT);
	set(&p, RIP, 0x1234);
	assert_int_equal(walk(&p, 300), 1);
	assert_int_equal(p.end, WK_UNWIND_BROKEN);
	end(&p);
}

static void rules_that_lead_nowhere_break_the_stack(void **state)
{
	struct process p;

	(void)state;
	begin_x86(&p);
	set(&p, RIP, in_function(7));
	assert_int_equal(walk(&p, 300), 1);
	assert_int_equal(p.end, WK_UNWIND_BROKEN);
	/* A frame pointer that points down again. */
	set(&p, RIP, in_function(0));
	set(&p, RBP, STACK - 8);
	p.words[2] = in_function(2);
	assert_int_equal(walk(&p, 300), 2);
	assert_int_equal(p.end, WK_UNWIND_BROKEN);
	/* A CFA at the stack pointer. */
	set(&p, RIP, in_function(9));
	assert_int_equal(walk(&p, 300), 1);
	assert_int_equal(p.end, WK_UNWIND_BROKEN);
	/* A register that was not sampled. */
	set(&p, RIP, in_function(4));
	p.stack.valid &= ~((uint64_t)1 << RBX);
	assert_int_equal(walk(&p, 300), 1);
	assert_int_equal(p.end, WK_UNWIND_BROKEN);
	end(&p);
}

static void registers_that_calls_destroy_are_not_believed_in_callers(void **state)
{
	struct process p;

	(void)state;
	begin_x86(&p);
	set(&p, RDI, in_function(3));
	set(&p, RIP, in_function(8));
	p.words[0] = 0;
	assert_int_equal(walk(&p, 300), 2);
	assert_int_equal(p.end, WK_UNWIND_ROOT);
	set(&p, RIP, in_function(0));
	p.words[2] = in_function(8);
	assert_int_equal(walk(&p, 300), 2);
	assert_int_equal(p.end, WK_UNWIND_BROKEN);
	end(&p);
}

static void a_leaf_that_took_its_return_address_off_the_stack_has_a_caller(void **state)
{
	struct process p;

	(void)state;
	begin_x86(&p);
	/* vfork between its pop and its push: CFA = rsp, return address in rdi. */
	maker_x86_cie(&p.cfi, "zR");
	FUNCTION(&p, 10, 0x0e, 0, 0x09, RIP, RDI);
	wk_unwinder_free(p.unwinder);
	wk_unwind_table_free(p.table);
	ready(&p);
	set(&p, RIP, in_function(10));
	set(&p, RDI, in_function(0));
	p.words[2] = in_function(3);
	assert_int_equal(walk(&p, 300), 3);
	assert_int_equal(p.end, WK_UNWIND_ROOT);
	end(&p);
}

static void a_register_popped_before_its_rule_ends_is_still_known(void **state)
{
	struct process p;

	(void)state;
	begin_x86(&p);
	/* At the ret of function 1 the CFA would be rsp + 8, and rbx at CFA - 16: below rsp. */
	maker_x86_cie(&p.cfi, "zR");
	FUNCTION(&p, 10, 0x0e, 8, 0x83, 2);
	wk_unwinder_free(p.unwinder);
	wk_unwind_table_free(p.table);
	ready(&p);
	set(&p, RIP, in_function(10));
	set(&p, RBX, STACK + 4 * 8);
	p.words[0] = in_function(4);
	p.words[7] = in_function(3);
	assert_int_equal(walk(&p, 300), 3);
	assert_int_equal(p.end, WK_UNWIND_ROOT);
	end(&p);
}

static void above_a_signal_frame_the_interrupted_pc_is_exact(void **state)
{
	struct process p;

	(void)state;
	begin_x86(&p);
	set(&p, RIP, in_function(0));
	p.words[2] = in_function(5);
	/* The trampoline's rsp is word 3: rip at +8, rsp at +16, rbx at +24. */
	p.words[4] = BASE + TEXT + 3 * 0x100;
	p.words[5] = STACK + 12 * 8;
	p.words[6] = 5;
	assert_int_equal(walk(&p, 300), 3);
	assert_int_equal(p.end, WK_UNWIND_ROOT);
	/* The trampoline was not called either: its first instruction is next. */
	assert_int_equal(p.chain[1], in_function(5));
	/* The first byte of function 3: less one it would be function 2. */
	assert_int_equal(p.chain[2], BASE + TEXT + 3 * 0x100);
	end(&p);
}

static void signal_frames_that_lead_to_themselves_end(void **state)
{
	struct process p;

	(void)state;
	begin_x86(&p);
	set(&p, RIP, in_function(5));
	p.words[1] = in_function(5);
	p.words[2] = STACK;
	assert_true(walk(&p, 300) < 64);
	assert_int_equal(p.end, WK_UNWIND_BROKEN);
	end(&p);
}

static void plt_slots_know_whether_they_have_pushed(void **state)
{
	struct process p;
	uint64_t slot = BASE + TEXT + 6 * 0x100;

	(void)state;
	begin_x86(&p);
	set(&p, RIP, slot + 10);
	p.words[0] = in_function(3);
	p.words[1] = 0x1234;
	assert_int_equal(walk(&p, 300), 2);
	assert_int_equal(p.end, WK_UNWIND_ROOT);
	set(&p, RIP, slot + 11);
	p.words[0] = 0x1234;
	p.words[1] = in_function(3);
	assert_int_equal(walk(&p, 300), 2);
	assert_int_equal(p.end, WK_UNWIND_ROOT);
	end(&p);
}

static void frame_pointers_help_where_there_are_no_tables(void **state)
{
	struct process p;
	uint64_t jit = BASE + 0x90000;

	(void)state;
	begin_x86(&p);
	set(&p, RIP, jit);
	set(&p, RBP, STACK + 2 * 8);
	p.words[2] = STACK + 6 * 8;
	p.words[3] = jit + 0x40;
	p.words[6] = 0;
	p.words[7] = jit + 0x80;
	assert_int_equal(walk(&p, 300), 3);
	assert_int_equal(p.end, WK_UNWIND_ROOT);
	assert_int_equal(p.chain[1], jit + 0x40 - 1);
	/* Into code that has tables again. */
	p.words[6] = 77;
	p.words[7] = in_function(3);
	assert_int_equal(walk(&p, 300), 3);
	assert_int_equal(p.end, WK_UNWIND_ROOT);
	/* Not aligned, downward, to itself, or far from the stack: no frame pointers. */
	for (uint64_t i = 0; i < 4; i++) {
		const uint64_t wrong[] = { STACK + 7 * 8 + 4, STACK - 8, STACK + 2 * 8,
					   STACK + (1ull << 40) };

		p.words[2] = wrong[i];
		assert_int_equal(walk(&p, 300), 2);
		assert_int_equal(p.end, WK_UNWIND_BROKEN);
	}
	/* Past the end of a copy that ended at its limit, or that was all there is. */
	p.words[2] = STACK + sizeof(p.words);
	p.stack.is_full = true;
	assert_int_equal(walk(&p, 300), 2);
	assert_int_equal(p.end, WK_UNWIND_CUT);
	p.stack.is_full = false;
	assert_int_equal(walk(&p, 300), 2);
	assert_int_equal(p.end, WK_UNWIND_ROOT);
	/* Zero in the running function itself says nothing: it may be a plain value. */
	set(&p, RBP, 0);
	assert_int_equal(walk(&p, 300), 1);
	assert_int_equal(p.end, WK_UNWIND_BROKEN);
	end(&p);
}

/* Function 0 is 24 bytes below its CFA: its return address is two words above its stack pointer. */
static void above_a_frame_pointer_the_stack_pointer_is_behind_the_return_address(void **state)
{
	struct process p;

	(void)state;
	begin_x86(&p);
	set(&p, RIP, BASE + 0x90000);
	set(&p, RBP, STACK + 4 * 8);
	p.words[4] = 77;
	p.words[5] = in_function(0);
	p.words[7] = in_function(7);
	p.words[8] = in_function(3);
	p.words[9] = in_function(7);
	assert_int_equal(walk(&p, 300), 3);
	assert_int_equal(p.end, WK_UNWIND_ROOT);
	assert_int_equal(p.chain[1], in_function(0) - 1);
	assert_int_equal(p.chain[2], in_function(3) - 1);
	end(&p);
}

static void in_a_gap_between_tables_a_zero_frame_pointer_says_nothing(void **state)
{
	struct process p;

	(void)state;
	begin_x86(&p);
	set(&p, RIP, in_function(0));
	set(&p, RBP, 0);
	p.words[2] = BASE + 0x50000;
	assert_int_equal(walk(&p, 300), 2);
	assert_int_equal(p.end, WK_UNWIND_BROKEN);
	end(&p);
}

static void a_stack_that_goes_on_elsewhere_is_broken_not_cut(void **state)
{
	struct process p;

	(void)state;
	begin_x86(&p);
	/* A handler on a stack of its own, far below that of what it interrupted. */
	p.stack.is_full = true;
	set(&p, RIP, in_function(5));
	p.words[1] = in_function(0);
	p.words[2] = STACK + (1u << 30);
	assert_int_equal(walk(&p, 300), 2);
	assert_int_equal(p.end, WK_UNWIND_BROKEN);
	p.words[2] = STACK + 4096;
	assert_int_equal(walk(&p, 300), 2);
	assert_int_equal(p.end, WK_UNWIND_CUT);
	end(&p);
}

static void the_cache_asks_once_for_each_place_and_space(void **state)
{
	struct process p;
	unsigned first;

	(void)state;
	begin_x86(&p);
	set(&p, RIP, in_function(0));
	p.words[2] = in_function(1);
	p.words[4] = in_function(3);
	walk(&p, 300);
	first = p.finds;
	assert_int_equal(first, 3);
	walk(&p, 300);
	assert_int_equal(p.finds, first);
	wk_unwinder_set_space(p.unwinder, 1);
	walk(&p, 300);
	assert_int_equal(p.finds, 2 * first);
	wk_unwinder_set_space(p.unwinder, 0);
	assert_int_equal(walk(&p, 300), 3);
	assert_int_equal(p.end, WK_UNWIND_ROOT);
	end(&p);
}

static void without_pc_or_sp_there_is_no_chain(void **state)
{
	struct process p;

	(void)state;
	begin_x86(&p);
	assert_int_equal(walk(&p, 300), 0);
	assert_int_equal(p.end, WK_UNWIND_BROKEN);
	set(&p, RIP, in_function(0));
	p.stack.machine = WK_MACHINE_ARM;
	assert_int_equal(walk(&p, 300), 0);
	assert_int_equal(p.end, WK_UNWIND_BROKEN);
	end(&p);
}

static void the_outermost_function_is_known_by_its_address(void **state)
{
	struct process p;

	(void)state;
	begin_x86(&p);
	assert_true(wk_unwind_is_root(p.table, TEXT + 3 * 0x100 + 7));
	assert_false(wk_unwind_is_root(p.table, TEXT + 2 * 0x100 + 7));
	assert_false(wk_unwind_is_root(p.table, 0x99999999));
	/* Without rules: the entry point of the file. */
	p.obj.entry = 0x70000;
	assert_true(wk_unwind_is_root(p.table, 0x70010));
	assert_false(wk_unwind_is_root(p.table, 0x70100));
	end(&p);
}

static void a_function_is_as_long_as_its_entry_says(void **state)
{
	struct process p;
	uint64_t start = 0, size = 0;

	(void)state;
	begin_x86(&p);
	for (uint64_t at = 0; at < 0xa00; at += 0x7f) {
		assert_true(wk_unwind_function(p.table, TEXT + at, &start, &size));
		assert_int_equal(start, TEXT + at / 0x100 * 0x100);
		assert_int_equal(size, 0x100);
	}
	assert_false(wk_unwind_function(p.table, TEXT - 1, &start, &size));
	assert_false(wk_unwind_function(p.table, TEXT + 0xa00, &start, &size));
	/* Nothing is missing later. */
	assert_true(wk_unwind_is_root(p.table, TEXT + 0x300));
	end(&p);
}

static void each_slot_of_a_plt_is_a_function(void **state)
{
	struct wk_obj_section sections[2];
	struct process p;
	uint64_t start, size;

	(void)state;
	begin_x86(&p);
	sections[0] = p.section;
	sections[1] = (struct wk_obj_section){ .vaddr = TEXT + 0x600, .size_bytes = 0x100 };
	p.obj.sections = sections;
	p.obj.section_count = 2;
	for (size_t i = 0; i < 5; i++) {
		static const char *const names[] = { ".text", ".plt", ".plt.sec", ".plt.got",
						     ".iplt" };

		sections[1].name = wk_str_c(names[i]);
		assert_true(wk_unwind_function(p.table, TEXT + 0x616, &start, &size));
		assert_int_equal(start, i == 0 ? TEXT + 0x600 : TEXT + 0x610);
		assert_int_equal(size, i == 0 ? 0x100 : 16);
		assert_true(wk_unwind_function(p.table, TEXT + 0x5ff, &start, &size));
		assert_true(wk_unwind_function(p.table, TEXT + 0x700, &start, &size));
	}
	end(&p);
}

static void equal_rows_share_their_rules(void **state)
{
	struct process p;
	const struct wk_rules *a, *b;

	(void)state;
	begin_x86(&p);
	maker_x86_cie(&p.cfi, "zR");
	FUNCTION(&p, 11, 0x0e, 24);
	wk_unwinder_free(p.unwinder);
	wk_unwind_table_free(p.table);
	ready(&p);
	a = wk_unwind_table_rules(p.table, TEXT + 10);
	b = wk_unwind_table_rules(p.table, TEXT + 11 * 0x100 + 10);
	assert_non_null(a);
	assert_ptr_equal(a, b);
	assert_ptr_not_equal(a, wk_unwind_table_rules(p.table, TEXT + 0x100 + 10));
	end(&p);
}

/* Code without tables: a trampoline, a program's start, a thread's end, a plain function. */
static void code_without_tables_is_followed(void **state)
{
	static const uint8_t trampoline[] = { 0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05 };
	static const uint8_t thread_end[] = { 0x89, 0xc7, 0x31, 0xc0, 0xb0, 0x3c, 0x0f, 0x05 };
	static const uint8_t coroutine_end[] = { 0x48, 0x89, 0xdc, 0x5f, 0x48, 0x85, 0xff };
	static const uint8_t thread_start[] = { 0x31, 0xed, 0x58, 0x5f, 0xff, 0xd0 };
	uint8_t code[0x400] = { 0 };
	struct process p;
	const struct wk_rules *rules;

	(void)state;
	begin_x86(&p);
	memcpy(code + 0x100, trampoline, sizeof(trampoline));
	memcpy(code + 0x205, thread_end, sizeof(thread_end));
	memcpy(code + 0x280, thread_start, sizeof(thread_start));
	memcpy(code + 0x2a0, coroutine_end, sizeof(coroutine_end));
	p.segment =
		(struct wk_obj_segment){ .type = 1, .vaddr = 0x60000, .file_size = sizeof(code) };
	p.obj.at = code;
	p.obj.size_bytes = sizeof(code);
	p.obj.section_count = 0;
	p.obj.segments = &p.segment;
	p.obj.segment_count = 1;
	p.obj.entry = 0x60000;
	rules = wk_unwind_table_rules(p.table, 0x600ff);
	assert_non_null(rules);
	assert_int_equal(rules->cfa_kind, WK_CFA_SIGNAL);
	assert_true(wk_unwind_is_root(p.table, 0x60204));
	assert_true(wk_unwind_is_root(p.table, 0x60285));
	assert_true(wk_unwind_is_root(p.table, 0x6029f)); /* the return address less one */
	assert_true(wk_unwind_is_root(p.table, 0x60010));
	assert_false(wk_unwind_is_root(p.table, 0x60300));

	/* The kernel's signal frame: rbx is the 12th register, rsp the 16th, rip the 17th. */
	set(&p, RIP, in_function(0));
	p.words[2] = BASE + 0x60100;
	p.words[3 + 5 + 15] = STACK + 50 * 8;
	p.words[3 + 5 + 16] = BASE + TEXT + 0x400;
	p.words[3 + 5 + 11] = STACK + 60 * 8;
	p.words[63] = in_function(3);
	assert_int_equal(walk(&p, 300), 4);
	assert_int_equal(p.end, WK_UNWIND_ROOT);
	assert_int_equal(p.chain[2], BASE + TEXT + 0x400);
	end(&p);
}

/* Functions for i386: 0 keeps 8 bytes of stack, 1 saves ebx, 2 has ebp as its frame pointer, 3 is
 * the outermost. */
enum { EBX = 3, ESP = 4, EBP = 5, EIP = 8 };

static void on_x86_words_have_four_bytes(void **state)
{
	static const uint8_t initial[] = { 0x0c, ESP, 4, 0x88, 1 };
	struct process p;
	uint32_t *words = (uint32_t *)p.words;

	(void)state;
	begin(&p, WK_MACHINE_X86);
	maker_cie_head(&p.cfi, 1, "zR", 0x1b, -4, EIP);
	maker_bytes(&p.cfi, initial, sizeof(initial));
	maker_end(&p.cfi);
	FUNCTION(&p, 0, 0x0e, 12);
	FUNCTION(&p, 1, 0x0e, 8, 0x83, 2);
	FUNCTION(&p, 2, 0x0c, EBP, 8, 0x85, 2);
	FUNCTION(&p, 3, 0x07, EIP);
	p.base = 0x8000000;
	ready(&p);
	set(&p, ESP, 0xffff0000);
	set(&p, EBP, 0xffff0000 + 9 * 4);
	set(&p, EIP, 0x8000000 + TEXT + 0x20);
	words[2] = 0x8000000 + TEXT + 0x120;
	words[3] = 77; /* ebx */
	words[4] = 0x8000000 + TEXT + 0x220;
	words[9] = 0xffff0000 + 12 * 4;
	words[10] = 0x8000000 + 0x90000; /* no tables: by frame pointer */
	words[12] = 0;
	words[13] = 0x8000000 + TEXT + 0x320;
	assert_int_equal(walk(&p, 300), 5);
	assert_int_equal(p.end, WK_UNWIND_ROOT);
	assert_int_equal(p.chain[4], 0x8000000 + TEXT + 0x320 - 1);
	end(&p);
}

/* Functions for aarch64: 0 is a leaf, 1 keeps a frame record, 2 saves lr and x19 without
 * one, 3 is the outermost, 4 signs its return address and saves it. */
static void begin_aarch64(struct process *p)
{
	static const uint8_t initial[] = { 0x0c, SP, 0 };

	begin(p, WK_MACHINE_AARCH64);
	maker_cie_head(&p->cfi, 1, "zR", 0x1b, -8, LR);
	maker_bytes(&p->cfi, initial, sizeof(initial));
	maker_end(&p->cfi);
	FUNCTION(p, 0, 0);
	FUNCTION(p, 1, 0x0e, 32, 0x9d, 4, 0x9e, 3, 0x0d, X29);
	FUNCTION(p, 2, 0x0e, 16, 0x9e, 2, 0x93, 1);
	FUNCTION(p, 3, 0x07, LR);
	FUNCTION(p, 4, 0x2d, 0x0e, 16, 0x9d, 2, 0x9e, 1);
	ready(p);
	set(p, SP, STACK);
}

static void on_aarch64_a_leaf_has_its_return_address_in_lr(void **state)
{
	struct process p;

	(void)state;
	begin_aarch64(&p);
	set(&p, PC, in_function(0));
	set(&p, LR, in_function(2));
	p.words[0] = in_function(3);
	assert_int_equal(walk(&p, 300), 3);
	assert_int_equal(p.end, WK_UNWIND_ROOT);
	assert_int_equal(p.chain[1], in_function(2) - 1);
	/* The same rule further up has nothing to go by: only a leaf's lr is live. */
	p.words[0] = in_function(0);
	assert_int_equal(walk(&p, 300), 3);
	assert_int_equal(p.end, WK_UNWIND_BROKEN);
	end(&p);
}

static void on_aarch64_frame_records_and_saved_registers_lead_up(void **state)
{
	struct process p;

	(void)state;
	begin_aarch64(&p);
	set(&p, PC, in_function(1));
	set(&p, X29, STACK);
	set(&p, LR, 0xdead); /* what a call before this left there */
	p.words[0] = 0;      /* CFA = x29 + 32: x29 at word 0, lr at word 1 */
	p.words[1] = in_function(2);
	p.words[4] = in_function(3);
	p.words[5] = 19;
	assert_int_equal(walk(&p, 300), 3);
	assert_int_equal(p.end, WK_UNWIND_ROOT);
	end(&p);
}

static void on_aarch64_signatures_are_taken_off_return_addresses(void **state)
{
	uint64_t signature = 0x00ab000000000000;
	struct process p;

	(void)state;
	begin_aarch64(&p);
	set(&p, PC, in_function(0));
	set(&p, LR, in_function(4) | signature);
	p.words[0] = 0;
	p.words[1] = in_function(4) | 0x7f91000000000000;
	p.words[2] = 0;
	p.words[3] = in_function(3) | signature;
	assert_int_equal(walk(&p, 300), 4);
	assert_int_equal(p.end, WK_UNWIND_ROOT);
	assert_int_equal(p.chain[1], in_function(4) - 1);
	assert_int_equal(p.chain[3], in_function(3) - 1);
	end(&p);
}

static void on_aarch64_frame_pointers_help_too(void **state)
{
	uint64_t jit = BASE + 0x90000;
	struct process p;

	(void)state;
	begin_aarch64(&p);
	set(&p, PC, jit);
	set(&p, X29, STACK + 8 * 8);
	p.words[8] = STACK + 10 * 8;
	p.words[9] = jit + 0x100;
	p.words[10] = 0;
	p.words[11] = (jit + 0x200) | 0x0042000000000000;
	assert_int_equal(walk(&p, 300), 3);
	assert_int_equal(p.end, WK_UNWIND_ROOT);
	assert_int_equal(p.chain[2], jit + 0x200 - 1);
	end(&p);
}

static void on_aarch64_a_leaf_that_returns_to_itself_ends(void **state)
{
	struct process p;

	(void)state;
	begin_aarch64(&p);
	set(&p, PC, in_function(0));
	set(&p, LR, in_function(0));
	assert_int_equal(walk(&p, 300), 2);
	assert_int_equal(p.end, WK_UNWIND_BROKEN);
	end(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_whole_stack_is_walked_to_its_root),
		cmocka_unit_test(registers_saved_on_the_way_are_what_later_rules_see),
		cmocka_unit_test(a_copy_that_is_too_small_is_cut_not_broken),
		cmocka_unit_test(what_the_copy_lacks_is_read_from_the_living_process),
		cmocka_unit_test(a_process_that_moved_on_is_not_believed),
		cmocka_unit_test(another_call_from_the_same_function_is_believed),
		cmocka_unit_test(a_buffer_that_was_never_touched_does_not_end_the_stack),
		cmocka_unit_test(an_interrupted_stack_is_read_from_the_living_process),
		cmocka_unit_test(a_stack_deeper_than_the_chain_is_full),
		cmocka_unit_test(a_return_address_in_no_image_breaks_the_stack),
		cmocka_unit_test(rules_that_lead_nowhere_break_the_stack),
		cmocka_unit_test(registers_that_calls_destroy_are_not_believed_in_callers),
		cmocka_unit_test(a_leaf_that_took_its_return_address_off_the_stack_has_a_caller),
		cmocka_unit_test(a_register_popped_before_its_rule_ends_is_still_known),
		cmocka_unit_test(above_a_signal_frame_the_interrupted_pc_is_exact),
		cmocka_unit_test(signal_frames_that_lead_to_themselves_end),
		cmocka_unit_test(plt_slots_know_whether_they_have_pushed),
		cmocka_unit_test(frame_pointers_help_where_there_are_no_tables),
		cmocka_unit_test(
			above_a_frame_pointer_the_stack_pointer_is_behind_the_return_address),
		cmocka_unit_test(in_a_gap_between_tables_a_zero_frame_pointer_says_nothing),
		cmocka_unit_test(a_stack_that_goes_on_elsewhere_is_broken_not_cut),
		cmocka_unit_test(the_cache_asks_once_for_each_place_and_space),
		cmocka_unit_test(without_pc_or_sp_there_is_no_chain),
		cmocka_unit_test(the_outermost_function_is_known_by_its_address),
		cmocka_unit_test(a_function_is_as_long_as_its_entry_says),
		cmocka_unit_test(each_slot_of_a_plt_is_a_function),
		cmocka_unit_test(equal_rows_share_their_rules),
		cmocka_unit_test(code_without_tables_is_followed),
		cmocka_unit_test(on_x86_words_have_four_bytes),
		cmocka_unit_test(on_aarch64_a_leaf_has_its_return_address_in_lr),
		cmocka_unit_test(on_aarch64_frame_records_and_saved_registers_lead_up),
		cmocka_unit_test(on_aarch64_signatures_are_taken_off_return_addresses),
		cmocka_unit_test(on_aarch64_frame_pointers_help_too),
		cmocka_unit_test(on_aarch64_a_leaf_that_returns_to_itself_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
