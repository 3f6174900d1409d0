#include "views/broken_stacks.h"

#include "base/mem.h"
#include "model/stack_lists.h"

#define STUMP_FRAMES 2
#define CUT_FRAMES   100 /* stacks that deep may be cut by a limit of the recorder */

/* The first functions of programs and threads, without "@@GLIBC_2.34" and the like. */
static const char *const root_starts[] = {
	"_start", "__libc_start", "start_thread", "clone", "__clone", "thread_start", "__pthread",
	"pthread_", "main", "__libc_init", "__start_thread", "runtime.goexit", "runtime.m",
	"runtime.rt0", "runtime.systemstack", "runtime.morestack", "runtime.sig", "runtime.gc",
	"runtime.bg", "_dl_", "__restore_rt", "call_stub", "thread_native_entry", "JavaMain",
	"java_start", "(", "<", "[idle", "_init", "_fini", NULL };

/* Code that shows that a C library or kernel of Linux was running. */
static const char *const native_starts[] = {
	"_start", "__libc_start", "start_thread", "clone3", "__clone", "entry_SYSCALL_64",
	"do_syscall_64", "asm_exc_", "asm_sysvec_", "system_call_fastpath", "ret_from_fork",
	"el0t_64_sync", "el0_svc", "page_fault", "async_page_fault", NULL };

/* From these on a stack is in the kernel. */
static const char *const kernel_starts[] = {
	"entry_SYSCALL_64", "do_syscall_64", "asm_exc_", "asm_sysvec_", "system_call", "el0t_64_sync",
	"el0_svc", "page_fault", "async_page_fault", "ret_from_fork", "apic_timer_interrupt",
	"asm_common_interrupt", "start_secondary", "cpu_startup_entry", "secondary_startup", "x86_64_start_kernel", "tracesys", "sysenter_", "entry_", "stub_", NULL };

/* Virtual machines and interpreters without frame pointers: their callers are seldom of interest.
 */
static const char *const managed_images[] = {
	"libjvm", "libcoreclr", "libclr", "libmono", "libpython", "libruby", "libxul", "libmozjs",
	"libv8", "libnode", "libart", "libluajit", "libphp", NULL };

enum {
	HAS_USER = 1, /* code that is not the kernel's */
	IN_KERNEL = 2,
	HAS_ROOT = 4,
	MAY_BE_WHOLE = 8, /* code of interpreters or JIT compilers */
	IN_LIBRARY = 16,  /* the outermost function */
};

struct stack_state {
	uint8_t flags, user_frames;
	bool has_callers;
};

/* Most names differ from all in their first letter. */
static bool starts_one_of(struct wk_str name, const char *const *starts)
{
	for (size_t i = 0; starts[i] && name.len; i++)
		if (starts[i][0] == name.at[0] && wk_str_starts(name, starts[i]))
			return true;
	return false;
}

static bool is_word_end(struct wk_str name, size_t at)
{
	return at == 0 || name.at[at - 1] == '.' || name.at[at - 1] == ':' ||
	       name.at[at - 1] == '/';
}

/* Languages call the first function of a program or a thread "main" or "run". */
static bool is_root(struct wk_str name)
{
	return starts_one_of(name, root_starts) ||
	       (wk_str_ends(name, "main") && is_word_end(name, name.len - 4)) ||
	       (wk_str_ends(name, "run") && is_word_end(name, name.len - 3));
}

static bool is_library(struct wk_str image)
{
	struct wk_str base = wk_str_basename(image);

	for (size_t i = 0; i + 3 <= base.len && wk_str_starts(base, "lib"); i++)
		if (memcmp(base.at + i, ".so", 3) == 0)
			return !starts_one_of(base, managed_images);
	return false;
}

/* "[libc.so.6]" */
static struct wk_str without_brackets(struct wk_str name)
{
	if (name.len > 2 && name.at[0] == '[' && name.at[name.len - 1] == ']')
		return wk_str_of(name.at + 1, name.len - 2);
	return wk_str_of(name.at, 0);
}

/* What other tools append to mark kernel, JIT, interpreted and inlined code: "_[j]". */
static char mark_of(struct wk_str name)
{
	return name.len > 4 && name.at[name.len - 1] == ']' && name.at[name.len - 3] == '[' &&
			       name.at[name.len - 4] == '_'
		       ? name.at[name.len - 2]
		       : 0;
}

static uint8_t flags_of(const struct wk_model *model, wk_function_id id)
{
	const struct wk_function *function = &model->functions[id];
	struct wk_str name = wk_model_str(model, function->name);
	struct wk_str image = wk_model_str(model, model->images[function->image].path);
	char mark = mark_of(name);
	uint8_t flags = 0;

	if (function->kind == WK_FRAME_KERNEL || mark == 'k' ||
	    (function->kind == WK_FRAME_UNKNOWN && starts_one_of(name, kernel_starts)))
		return IN_KERNEL;
	if (is_root(name))
		flags |= HAS_ROOT;
	if (mark || wk_frame_kind_is_jit(function->kind))
		flags |= MAY_BE_WHOLE;
	if (is_library(image.len ? image : without_brackets(name)) || wk_str_is(name, "[unknown]"))
		flags |= IN_LIBRARY;
	return flags | HAS_USER;
}

/* Functions have fewer names to look at than there are frames. */
static uint8_t *flags_of_frames(const struct wk_model *model)
{
	const struct wk_named_frames *frames = &model->named_frames;
	uint8_t *of_function = wk_alloc_zeroed(model->function_count, 1);
	uint8_t *flags = wk_alloc_zeroed(frames->count, 1);

	for (wk_function_id i = 1; i < model->function_count; i++)
		of_function[i] = flags_of(model, i);
	for (uint32_t i = 1; i < frames->count; i++)
		flags[i] = of_function[frames->function[i]];
	wk_free(of_function);
	return flags;
}

static bool is_native(const struct wk_model *model)
{
	for (wk_function_id i = 1; i < model->function_count; i++)
		if (model->functions[i].kind == WK_FRAME_KERNEL ||
		    starts_one_of(wk_model_str(model, model->functions[i].name), native_starts))
			return true;
	return false;
}

/* Without threads the outermost frame names the command, or is the root. */
static bool has_command_frames(const struct wk_model *model)
{
	for (uint32_t i = 0; i < model->samples.count; i++)
		if (wk_sample_thread(&model->samples, i))
			return false;
	return true;
}

static inline struct stack_state state_below(struct stack_state state, uint8_t flags)
{
	bool is_kernel = (state.flags | flags) & IN_KERNEL;

	state.has_callers = state.flags != 0;
	/* Only the outermost function shows where a stack ends. */
	if (state.flags & HAS_USER)
		flags &= (uint8_t)~IN_LIBRARY;
	state.flags |= is_kernel ? IN_KERNEL : flags;
	state.user_frames += !is_kernel && state.user_frames < UINT8_MAX;
	return state;
}

/* What is judged by, and the result. */
struct judging {
	const struct wk_model *model;
	const struct wk_filter *filter;
	bool has_commands;
	uint8_t *flags; /* by named frame */
	struct wk_broken_stacks found;
};

static struct stack_state state_of_outermost(const struct judging *j, uint8_t flags)
{
	struct stack_state none = { 0 };

	if (j->has_commands)
		return (struct stack_state){ .flags = flags & HAS_ROOT };
	return state_below(none, flags);
}

static struct stack_state *judge_stacks(const struct judging *j)
{
	const struct wk_trie *named = &j->model->named;
	struct stack_state *states = wk_alloc_table_zeroed(named->count, sizeof(*states));

	for (uint32_t i = 1; i < named->count; i++) {
		wk_stack_id parent = named->entries[i].parent;
		uint8_t flags = j->flags[named->entries[i].label];

		states[i] =
			parent ? state_below(states[parent], flags) : state_of_outermost(j, flags);
	}
	return states;
}

static bool is_broken(struct stack_state state)
{
	if (state.flags & (HAS_ROOT | MAY_BE_WHOLE) || state.user_frames >= CUT_FRAMES)
		return false;
	return state.user_frames <= STUMP_FRAMES || state.flags & IN_LIBRARY;
}

static void count(struct judging *j, struct stack_state state, uint64_t times)
{
	if (!(state.flags & HAS_USER))
		return;
	j->found.judged += times;
	j->found.has_callers |= state.has_callers;
	j->found.broken += is_broken(state) ? times : 0;
}

static void count_stacks(struct judging *j)
{
	struct stack_state *states = judge_stacks(j);
	bool counts = j->model->sources[j->filter->source].counts_samples;

	for (uint32_t i = 0; i < j->model->samples.count; i++)
		if (wk_filter_has(j->filter, i))
			count(j, states[j->model->samples.stack[i]],
			      counts ? wk_filter_weight(j->filter, j->model, i)
				     : wk_filter_times(j->filter, j->model, i));
	wk_free(states);
}

/* Later frames change nothing that counts. */
static bool is_judged(struct stack_state state)
{
	if (state.flags & HAS_USER)
		return state.has_callers && state.flags & (HAS_ROOT | MAY_BE_WHOLE | IN_KERNEL);
	return state.flags & IN_KERNEL;
}

static void count_lists(struct judging *j)
{
	struct wk_list_walk walk = wk_list_walk(j->model);
	struct wk_stack_list list;

	while (wk_list_walk_next(&walk, &list)) {
		struct stack_state state = state_of_outermost(j, j->flags[list.frames[0]]);

		if (!wk_filter_has(j->filter, list.row))
			continue;
		for (uint32_t i = 1; i < list.frame_count && !is_judged(state); i++)
			state = state_below(state, j->flags[list.frames[i]]);
		count(j, state, wk_list_times(j->model, &list));
	}
}

struct wk_broken_stacks wk_broken_stacks_of(const struct wk_model *model,
					    const struct wk_filter *filter)
{
	struct judging j = { .model = model, .filter = filter };

	if (!model->came_named || !is_native(model))
		return j.found;
	j.has_commands = has_command_frames(model);
	j.flags = flags_of_frames(model);
	count_stacks(&j);
	count_lists(&j);
	wk_free(j.flags);
	return j.found;
}
