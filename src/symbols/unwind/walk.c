/* The walker: from one frame to its caller until the outermost.
 *
 * The rules of a frame come from a direct-mapped cache by (space, address); a miss asks the owner
 * for the image and the image's table for the row. Addresses without rules are cached as well, as
 * one of the constant rules below. */
#include <stdlib.h>

#include "base/mem.h"
#include "symbols/unwind/code.h"
#include "symbols/unwind/expr.h"
#include "symbols/unwind/frame.h"
#include "symbols/unwind/table.h"

#define CACHE_SLOTS 8192

/* Signal frames may lead anywhere, downward as well; this many in one stack are a loop. */
#define SIGNAL_LIMIT 32

static const struct wk_rules no_rules = { .cfa_kind = WK_CFA_NONE };
static const struct wk_rules no_tables = { .cfa_kind = WK_CFA_NONE }; /* in the whole image */
static const struct wk_rules unmapped = { .cfa_kind = WK_CFA_UNMAPPED };

/* A trampoline without a frame pointer that releases its stack and returns: {add $8 n, %rsp; ret}.
 * Python creates one per function. */
#define TRAMPOLINE_MOST 16

struct slot {
	uint64_t space, address;
	const struct wk_rules *rules; /* NULL: never used */
};

struct wk_unwinder {
	bool (*find)(void *context, uint64_t address, struct wk_unwind_image *image);
	void *context;
	uint64_t space;
	uint64_t completed;
	struct wk_stack_memory memory;                 /* read is NULL if there are only copies */
	struct wk_rules *trampolines[TRAMPOLINE_MOST]; /* by the words they give back */
	struct slot slots[CACHE_SLOTS];
};

struct walk {
	struct wk_unwinder *unwinder;
	const struct wk_unwind_machine *machine;
	bool stack_is_full;
	bool is_leaf; /* the frame was running, not calling */
	unsigned signals;
	struct wk_frame frame;
};

enum step {
	STEP_DONE,
	STEP_ROOT,
	STEP_FAILED, /* frame.missed_above has the reason */
};

struct wk_unwinder *wk_unwinder_new(bool (*find)(void *context, uint64_t address,
						 struct wk_unwind_image *image),
				    void *context)
{
	struct wk_unwinder *unwinder = wk_alloc_zeroed(1, sizeof(*unwinder));

	unwinder->find = find;
	unwinder->context = context;
	return unwinder;
}

void wk_unwinder_free(struct wk_unwinder *unwinder)
{
	for (size_t i = 0; unwinder && i < TRAMPOLINE_MOST; i++)
		wk_free(unwinder->trampolines[i]);
	wk_free(unwinder);
}

void wk_unwinder_set_space(struct wk_unwinder *unwinder, uint64_t space)
{
	unwinder->space = space;
}

static bool is_same_function(void *context, uint64_t address, uint64_t other)
{
	struct wk_unwinder *unwinder = context;
	struct wk_unwind_image image = { 0 };
	uint64_t start, size_bytes;

	return unwinder->find(unwinder->context, address - 1, &image) && image.table &&
	       wk_unwind_function(image.table, address - 1 - image.bias, &start, &size_bytes) &&
	       other - 1 - image.bias - start < size_bytes;
}

void wk_unwinder_set_memory(struct wk_unwinder *unwinder,
			    size_t (*read)(void *context, uint64_t address, void *bytes,
					   size_t size),
			    void *context)
{
	unwinder->memory.read = read;
	unwinder->memory.context = context;
	unwinder->memory.is_same_function = is_same_function;
	unwinder->memory.function_context = unwinder;
}

uint64_t wk_unwinder_completed(const struct wk_unwinder *unwinder)
{
	return unwinder->completed;
}

uint64_t wk_unwinder_highest(const struct wk_unwinder *unwinder, uint64_t *value)
{
	*value = unwinder->memory.highest_value;
	return unwinder->memory.highest;
}

static const struct wk_rules *trampoline_of(struct wk_unwinder *unwinder, unsigned words)
{
	const struct wk_unwind_machine *machine = wk_unwind_machine(WK_MACHINE_X86_64);
	struct wk_rules *rules = unwinder->trampolines[words];

	if (rules)
		return rules;
	rules = wk_alloc_zeroed(1, sizeof(*rules) + sizeof(rules->saved[0]));
	rules->cfa_kind = WK_CFA_REGISTER;
	rules->cfa_register = machine->sp;
	rules->cfa_value = (int32_t)(8 * words + 8);
	rules->return_address = machine->return_address;
	rules->is_plain = true;
	rules->count = 1;
	rules->saved[0] = (struct wk_rule){ machine->return_address, WK_RULE_AT, -8 };
	unwinder->trampolines[words] = rules;
	return rules;
}

/* JIT code in a living process: its effect on the stack on the way out, if that is all that remains
 * to be done at the return address after `address`. */
static const struct wk_rules *rules_of_way_out(struct wk_unwinder *unwinder, uint64_t address)
{
	uint8_t code[5];

	if (!unwinder->memory.read || unwinder->memory.read(unwinder->memory.context, address + 1,
							    code, sizeof(code)) != sizeof(code))
		return &no_tables;
	if (memcmp(code, "\x48\x83\xc4", 3) != 0 || code[4] != 0xc3 || code[3] % 8 != 0 ||
	    code[3] / 8 >= TRAMPOLINE_MOST)
		return &no_tables;
	return trampoline_of(unwinder, code[3] / 8);
}

static const struct wk_rules *look_up(struct wk_unwinder *unwinder, uint64_t address)
{
	struct wk_unwind_image image = { 0 };
	const struct wk_rules *rules = NULL;

	if (!unwinder->find(unwinder->context, address, &image))
		return &unmapped;
	if (!image.table)
		return rules_of_way_out(unwinder, address);
	rules = wk_unwind_table_rules(image.table, address - image.bias);
	if (!rules)
		rules = wk_unwind_has_no_tables(image.table) ? &no_tables : &no_rules;
	return rules;
}

static inline const struct wk_rules *rules_at(struct wk_unwinder *unwinder, uint64_t address)
{
	uint64_t hash =
		(address ^ unwinder->space << 40 ^ unwinder->space >> 24) * 0x9e3779b97f4a7c15u;
	struct slot *slot = &unwinder->slots[(hash >> 40) % CACHE_SLOTS];

	if (slot->address != address || slot->space != unwinder->space || !slot->rules)
		*slot = (struct slot){ unwinder->space, address, look_up(unwinder, address) };
	return slot->rules;
}

/* Compilers leave the rules of registers standing behind the instructions that pop them. A
 * slot below the stack pointer holds nothing any more: the register itself has its value. */
static inline bool is_popped(uint64_t address, uint64_t sp)
{
	return address < sp;
}

/* The common case in place: CFA from a register, everything saved relative to it. */
static enum step step_plain(struct walk *walk, const struct wk_rules *rules)
{
	const struct wk_unwind_machine *machine = walk->machine;
	struct wk_frame *frame = &walk->frame;
	uint64_t sp = frame->value[machine->sp];
	uint64_t cfa, valid;

	if (!wk_frame_knows(frame, rules->cfa_register))
		return STEP_FAILED;
	cfa = frame->value[rules->cfa_register] + (uint64_t)(int64_t)rules->cfa_value;
	valid = frame->valid & machine->preserved;
	if (machine->return_on_stack)
		valid &= ~((uint64_t)1 << rules->return_address);
	else
		valid |= frame->valid & (uint64_t)1 << rules->return_address;
	frame->value[machine->sp] = cfa;
	for (unsigned i = 0; i < rules->count; i++) {
		const struct wk_rule *rule = &rules->saved[i];
		uint64_t address = cfa + (uint64_t)(int64_t)rule->value;
		uint64_t bit = (uint64_t)1 << rule->reg;

		if (is_popped(address, sp))
			continue;
		if (wk_frame_load_word(frame, address, &frame->value[rule->reg]))
			valid |= bit;
		else
			valid &= ~bit;
	}
	frame->valid = valid;
	return STEP_DONE;
}

static bool expression_at(const struct wk_rules *rules, int32_t place, struct wk_frame *frame,
			  const uint64_t *initial, uint64_t *result)
{
	struct wk_bytes code = *rules->section;

	code.at = code.start + (uint32_t)place;
	return wk_expr_run(wk_bytes_slice(&code, wk_uleb(&code)), frame, initial, result);
}

static bool general_cfa(struct walk *walk, const struct wk_rules *rules, uint64_t *cfa)
{
	struct wk_frame *frame = &walk->frame;
	uint64_t base;

	if (rules->cfa_kind == WK_CFA_EXPRESSION)
		return expression_at(rules, rules->cfa_value, frame, NULL, cfa);
	if (!wk_frame_knows(frame, rules->cfa_register))
		return false;
	base = frame->value[rules->cfa_register];
	if (rules->cfa_kind == WK_CFA_PLT)
		*cfa = base +
		       (uint64_t)(wk_rules_plt_base(rules) +
				  wk_rules_plt_extra(rules, frame->value[walk->machine->pc]));
	else
		*cfa = base + (uint64_t)(int64_t)rules->cfa_value;
	return true;
}

/* The caller's value of a register by its rule. */
static bool rule_value(struct wk_frame *frame, const struct wk_rules *rules,
		       const struct wk_rule *rule, uint64_t cfa, uint64_t *value)
{
	uint64_t address = cfa + (uint64_t)(int64_t)rule->value;

	switch (rule->kind) {
	case WK_RULE_AT:
		return wk_frame_load_word(frame, address, value);
	case WK_RULE_VALUE:
		*value = address;
		return true;
	case WK_RULE_REGISTER:
		if (!wk_frame_knows(frame, (unsigned)rule->value))
			return false;
		*value = frame->value[rule->value];
		return true;
	case WK_RULE_AT_EXPRESSION:
		return expression_at(rules, rule->value, frame, &cfa, &address) &&
		       wk_frame_load_word(frame, address, value);
	case WK_RULE_VALUE_EXPRESSION:
		return expression_at(rules, rule->value, frame, &cfa, value);
	default:
		return false;
	}
}

static enum step step_general(struct walk *walk, const struct wk_rules *rules)
{
	const struct wk_unwind_machine *machine = walk->machine;
	uint64_t preserved = rules->is_signal ? UINT64_MAX : machine->preserved;
	uint64_t sp = walk->frame.value[machine->sp];
	struct wk_frame caller;
	uint64_t cfa, value = 0;

	if (!general_cfa(walk, rules, &cfa))
		return STEP_FAILED;
	caller = walk->frame;
	caller.valid &= preserved | (uint64_t)1 << rules->return_address;
	if (machine->return_on_stack)
		caller.valid &= ~((uint64_t)1 << rules->return_address);
	wk_frame_set(&caller, machine->sp, cfa);
	for (unsigned i = 0; i < rules->count; i++) {
		const struct wk_rule *rule = &rules->saved[i];

		if (rule->kind == WK_RULE_AT && is_popped(cfa + (uint64_t)(int64_t)rule->value, sp))
			continue;
		caller.valid &= ~((uint64_t)1 << rule->reg);
		if (rule_value(&walk->frame, rules, rule, cfa, &value))
			wk_frame_set(&caller, rule->reg, value);
	}
	caller.missed_above = walk->frame.missed_above;
	walk->frame = caller;
	return STEP_DONE;
}

/* The kernel's signal frame, if a trampoline without tables was recognised by its code. */
static enum step step_signal(struct walk *walk)
{
	struct wk_frame caller = walk->frame;
	uint8_t places[WK_REGISTERS];
	uint64_t base =
		walk->frame.value[walk->machine->sp] + wk_code_signal_frame(walk->machine, places);

	caller.valid = 0;
	for (unsigned reg = 0; reg < walk->machine->registers; reg++) {
		uint64_t value;

		if (!wk_frame_load_word(&caller, base + 8u * places[reg], &value))
			return STEP_FAILED;
		wk_frame_set(&caller, reg, value);
	}
	walk->frame = caller;
	return STEP_DONE;
}

/* Code without tables may use frame pointers: {caller's frame pointer, return address} at the frame
 * pointer, on both machines. If a whole image has no tables (JIT code), a frame pointer of zero
 * marks the outermost frame, and so does one that points past the end of the whole stack; in a gap
 * between tables it may be any number. */
static enum step step_frame_pointer(struct walk *walk, const struct wk_rules *rules)
{
	const struct wk_unwind_machine *machine = walk->machine;
	struct wk_frame *frame = &walk->frame;
	uint64_t fp = frame->value[machine->fp], sp = frame->value[machine->sp];
	uint64_t saved_fp, return_address, word = machine->word_bytes;

	if (!wk_frame_knows(frame, machine->fp))
		return STEP_FAILED;
	if (fp == 0)
		return rules == &no_tables && !walk->is_leaf ? STEP_ROOT : STEP_FAILED;
	if (fp < sp || fp - sp > WK_FRAME_REACH || fp % word != 0)
		return STEP_FAILED;
	if (!wk_frame_load_word(frame, fp, &saved_fp) ||
	    !wk_frame_load_word(frame, fp + word, &return_address))
		return STEP_FAILED;
	frame->valid &= machine->preserved;
	wk_frame_set(frame, machine->fp, saved_fp);
	wk_frame_set(frame, machine->sp, fp + 2 * word);
	wk_frame_set(frame, machine->return_address, return_address);
	return STEP_DONE;
}

static enum step apply(struct walk *walk, const struct wk_rules *rules)
{
	if (rules->is_plain)
		return step_plain(walk, rules);
	switch (rules->cfa_kind) {
	case WK_CFA_NONE:
		return step_frame_pointer(walk, rules);
	case WK_CFA_SIGNAL:
		return step_signal(walk);
	case WK_CFA_REGISTER:
	case WK_CFA_PLT:
	case WK_CFA_EXPRESSION:
		return step_general(walk, rules);
	default:
		return STEP_FAILED;
	}
}

/* The stack shrinks from callee to caller; only a leaf that keeps its return address in a register
 * may have used none (on x86-64 as well: vfork). Across a signal the interrupted stack may be
 * another. */
static bool went_up(const struct walk *walk, const struct wk_rules *rules, uint64_t old_sp)
{
	uint64_t sp = walk->frame.value[walk->machine->sp];

	if (rules->is_signal || sp > old_sp)
		return true;
	return sp == old_sp && walk->is_leaf;
}

/* A handler may run on a stack of its own; of the interrupted one there is no copy. */
static void enter_interrupted_stack(struct walk *walk)
{
	struct wk_frame *frame = &walk->frame;
	uint64_t sp = frame->value[walk->machine->sp];

	if (sp - frame->base < WK_FRAME_REACH)
		return;
	frame->base = sp;
	frame->size_bytes = 0;
	walk->stack_is_full = false;
}

/* To the caller of the frame whose rules these are. */
static enum step step(struct walk *walk, const struct wk_rules *rules)
{
	const struct wk_unwind_machine *machine = walk->machine;
	struct wk_frame *frame = &walk->frame;
	uint64_t old_sp = frame->value[machine->sp];
	unsigned column =
		rules->cfa_kind == WK_CFA_NONE ? machine->return_address : rules->return_address;
	enum step result;

	if (rules->is_root)
		return STEP_ROOT;
	frame->missed_above = false;
	result = apply(walk, rules);
	if (result != STEP_DONE)
		return result;
	if (!wk_frame_knows(frame, column))
		return STEP_FAILED;
	/* What else could not be loaded is simply not known; the return address was. */
	frame->missed_above = false;
	if (!went_up(walk, rules, old_sp))
		return STEP_FAILED;
	if (rules->is_signal && ++walk->signals > SIGNAL_LIMIT)
		return STEP_FAILED;
	if (rules->is_signal)
		enter_interrupted_stack(walk);
	wk_frame_set(frame, machine->pc, frame->value[column] & machine->address_mask);
	walk->is_leaf = rules->is_signal;
	return frame->value[machine->pc] ? STEP_DONE : STEP_ROOT;
}

static bool begin(struct walk *walk, const struct wk_event_stack *stack)
{
	struct wk_frame *frame = &walk->frame;

	walk->machine = wk_unwind_machine(stack->machine);
	if (!walk->machine)
		return false;
	memcpy(frame->value, stack->value, sizeof(frame->value));
	frame->valid = stack->valid & (((uint64_t)1 << walk->machine->registers) - 1);
	frame->bytes = stack->bytes;
	frame->size_bytes = stack->size_bytes;
	frame->word_bytes = walk->machine->word_bytes;
	frame->base = frame->value[walk->machine->sp];
	frame->missed_above = false;
	frame->memory = walk->unwinder->memory.read ? &walk->unwinder->memory : NULL;
	walk->unwinder->memory.is_allowed = true;
	walk->unwinder->memory.was_used = false;
	walk->unwinder->memory.reads = 0;
	walk->unwinder->memory.highest = 0;
	walk->unwinder->memory.len = 0;
	walk->stack_is_full = stack->is_full;
	walk->is_leaf = true;
	walk->signals = 0;
	return wk_frame_knows(frame, walk->machine->pc) && wk_frame_knows(frame, walk->machine->sp);
}

/* Why the walk ended at a frame that could not be left. */
static enum wk_unwind_end failed(const struct walk *walk, const struct wk_rules *rules)
{
	if (!walk->frame.missed_above)
		return WK_UNWIND_BROKEN;
	if (walk->stack_is_full)
		return WK_UNWIND_CUT;
	return rules == &no_tables && !walk->is_leaf ? WK_UNWIND_ROOT : WK_UNWIND_BROKEN;
}

/* Walks on from the innermost frame; `copied` becomes the number of frames that the copy alone
 * gave. */
static size_t walk_up(struct walk *walk, uint64_t *chain, size_t cap, size_t *copied,
		      enum wk_unwind_end *end)
{
	size_t count = 0;

	for (;;) {
		uint64_t address = walk->frame.value[walk->machine->pc] - !walk->is_leaf;
		const struct wk_rules *rules = rules_at(walk->unwinder, address);
		enum step result;

		if (rules->cfa_kind == WK_CFA_UNMAPPED && count)
			return count;
		if (count == cap) {
			*end = WK_UNWIND_FULL;
			return count;
		}
		chain[count++] = address + (rules->is_entered && !walk->is_leaf);
		if (!walk->unwinder->memory.was_used)
			*copied = count;
		result = step(walk, rules);
		if (result == STEP_ROOT)
			*end = WK_UNWIND_ROOT;
		if (result == STEP_FAILED)
			*end = failed(walk, rules);
		if (result != STEP_DONE)
			return count;
	}
}

size_t wk_unwind(struct wk_unwinder *unwinder, const struct wk_event_stack *stack, uint64_t *chain,
		 size_t cap, enum wk_unwind_end *end)
{
	struct walk walk;
	size_t count, copied = 0;

	walk.unwinder = unwinder;
	*end = WK_UNWIND_BROKEN;
	if (!begin(&walk, stack))
		return 0;
	count = walk_up(&walk, chain, cap, &copied, end);
	if (!unwinder->memory.was_used)
		return count;
	if (*end == WK_UNWIND_ROOT) {
		unwinder->completed++;
		return count;
	}
	/* The process has moved on: only what the copy said is sure. */
	*end = WK_UNWIND_CUT;
	return copied;
}
