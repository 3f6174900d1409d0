/* Which frames of the model's named stacks are shown: by stack, its innermost shown frame and the
 * next caller. A stack's parent comes before it, so each table is one walk. */
#include "base/mem.h"
#include "names/plumbing.h"
#include "views/compare/pairs.h"
#include "views/kind.h"
#include "views/own_code.h"
#include "views/tree/tree_internal.h"

static wk_function_id function_of(const struct wk_folding *f, wk_stack_id named)
{
	return f->model->named_frames.function[f->model->named.entries[named].label];
}

static bool skips(const struct wk_tree_options *options)
{
	return options->skip_after && options->skip_after[0];
}

/* ---- inlined functions of the standard library */

enum { IS_STANDARD = 1, IS_PLUMBING = 2, ASKED = 4 };

/* By function. */
static uint8_t *find_standard(const struct wk_model *model)
{
	uint8_t *found = wk_alloc_zeroed(model->function_count, 1);

	for (wk_function_id id = 1; id < model->function_count; id++)
		if (wk_code_kind_of(model, id) == WK_CODE_STANDARD)
			found[id] = IS_STANDARD;
	return found;
}

/* Of a standard function, whether it is plumbing: a long question, asked once and only if the
 * answer matters. */
static bool is_plumbing(const struct wk_model *model, uint8_t *standard, wk_function_id id)
{
	if (!(standard[id] & ASKED) &&
	    wk_name_is_plumbing(wk_model_str(model, model->functions[id].name)))
		standard[id] |= IS_PLUMBING;
	standard[id] |= ASKED;
	return standard[id] & IS_PLUMBING;
}

static bool has_inlined(const struct wk_model *model)
{
	for (uint32_t i = 1; i < model->named_frames.count; i++)
		if (model->named_frames.is_inlined[i])
			return true;
	return false;
}

uint8_t *wk_folding_plumbing(const struct wk_folding *f)
{
	return f->options->hides_plumbing && has_inlined(f->model) ? find_standard(f->model) : NULL;
}

/* A function of the library that the library itself calls, or that does next to nothing. */
bool wk_folding_hides(const struct wk_folding *f, uint8_t *standard, uint32_t frame,
		      wk_function_id caller)
{
	const struct wk_named_frames *frames = &f->model->named_frames;
	const uint8_t *focus = f->options->focus;
	wk_function_id function = frames->function[frame];

	return !(focus && focus[f->shown[function]]) && standard[function] &&
	       (standard[caller] || is_plumbing(f->model, standard, function));
}

/* By stack; NULL if none is. */
static uint8_t *find_hidden(const struct wk_folding *f)
{
	const struct wk_trie *named = &f->model->named;
	uint8_t *hidden = wk_alloc_zeroed(named->count, 1), *standard, any = 0;

	standard = find_standard(f->model);
	for (wk_stack_id id = 1; id < named->count; id++) {
		struct wk_trie_entry stack = named->entries[id];

		hidden[id] =
			stack.parent && f->model->named_frames.is_inlined[stack.label] &&
			wk_folding_hides(f, standard, stack.label, function_of(f, stack.parent));
		any |= hidden[id];
	}
	wk_free(standard);
	if (any)
		return hidden;
	wk_free(hidden);
	return NULL;
}

/* ---- allocators and what leads to them */

/* Libraries that replace the allocator, or record it. */
static bool is_allocator_image(struct wk_str name)
{
	static const char *const libraries[] = {
		"libjemalloc.so", "libtcmalloc", "libmimalloc", "vgpreload_", "libheaptrack_", NULL,
	};

	return wk_str_starts_one_of(name, libraries);
}

/* What is called from an entry is the allocator's as well, whatever its name; but not the handler
 * of a signal that interrupted it. */
enum part {
	NO_PART,
	PART,
	ENTRY,
	INTERRUPTION,
};

static enum part part_of(const struct wk_folding *f, wk_function_id id)
{
	static const char *const handler_callers[] = { "__restore_rt", "__restore",
						       "__kernel_rt_sigreturn", NULL };
	const struct wk_model *model = f->model;
	const struct wk_function *function = &model->functions[id];
	struct wk_str name = wk_model_str(model, function->name);
	enum wk_code_kind kind = wk_code_kind_of(model, id);

	/* Its dlopen calls constructors of the program. */
	if (wk_is_heap_library(model, id))
		return PART;
	if (kind == WK_CODE_ALLOCATOR)
		return ENTRY;
	if (wk_str_is_one_of(name, handler_callers))
		return INTERRUPTION;
	if (is_allocator_image(wk_model_str(model, model->images[function->image].name)) ||
	    (kind == WK_CODE_STANDARD && wk_name_allocates(name)) ||
	    wk_name_wraps_allocator(name) || (f->options->hides_mapping && wk_name_maps(name)))
		return PART;
	return NO_PART;
}

/* By function: enum part. */
static uint8_t *find_allocators(const struct wk_folding *f)
{
	const struct wk_model *model = f->model;
	const uint8_t *focus = f->options->focus;
	uint8_t *found = wk_alloc_zeroed(model->function_count, 1);

	for (wk_function_id id = 1; id < model->function_count; id++) {
		if (!(focus && focus[f->shown[id]]))
			found[id] = part_of(f, id);
	}
	return found;
}

/* At the inner end of a stack only: a container can call code of the program in turn. */
static void show_callers(struct wk_folding *f, const uint8_t *hidden, const uint8_t *allocators)
{
	const struct wk_trie *named = &f->model->named;
	uint8_t *inside = allocators ? wk_alloc_table_zeroed(named->count, 1) : NULL;

	for (wk_stack_id id = 1; id < named->count; id++) {
		wk_stack_id caller = named->entries[id].parent;
		enum part part = allocators ? allocators[function_of(f, id)] : NO_PART;
		bool is_inner_end = allocators && caller && !wk_folding_is_process(f, caller) &&
				    part != INTERRUPTION && (part || inside[caller]);

		if (is_inner_end)
			inside[id] = inside[caller] || part == ENTRY;
		f->caller[id] = hidden && hidden[caller] ? f->caller[caller] : caller;
		f->leaf[id] = (hidden && hidden[id]) || is_inner_end ? f->leaf[caller] : id;
	}
	wk_free(inside);
}

/* ---- --skip-after */

static void skip_callers(struct wk_folding *f)
{
	uint8_t *is_named = wk_alloc_zeroed(f->model->function_count, 1);

	/* Functions of one name are shown as one already. */
	for (wk_function_id id = 1; id < f->model->function_count; id++)
		is_named[id] =
			wk_str_is_one_of(wk_model_str(f->model, f->model->functions[id].name),
					 f->options->skip_after);
	for (wk_stack_id id = 1; id < f->model->named.count; id++)
		if (is_named[f->shown[function_of(f, id)]] && !wk_folding_is_process(f, id))
			f->caller[id] = 0;
	wk_free(is_named);
}

/* ---- the user's own code */

/* Weight of other code counts at the nearest caller in the user's own; without one, it stays. */
static void charge_own(struct wk_folding *f)
{
	const struct wk_trie *named = &f->model->named;
	uint8_t *is_own = wk_own_code(f->model);
	wk_stack_id *nearest = wk_alloc_zeroed(named->count, sizeof(*nearest));

	for (wk_stack_id id = 1; id < named->count; id++) {
		nearest[id] = f->leaf[id] == id && is_own[function_of(f, id)]
				      ? id
				      : nearest[named->entries[id].parent];
		if (nearest[id])
			f->leaf[id] = nearest[id];
	}
	WK_FREE_ALL(is_own, nearest);
}

/* ---- one function in focus */

/* Its callers start at the innermost call of it, what it calls at the outermost, so that recursion
 * is in both and each sample counts once. */
static void focus(struct wk_folding *f)
{
	const struct wk_trie *named = &f->model->named;
	wk_stack_id *call = wk_alloc_zeroed(named->count, sizeof(*call));
	bool is_inverted = f->options->inverted;

	for (wk_stack_id id = 1; id < named->count; id++) {
		wk_stack_id outer = call[named->entries[id].parent];
		bool is_meant = f->options->focus[f->shown[function_of(f, id)]];

		call[id] = is_meant && (is_inverted || !outer) ? id : outer;
		if (!is_inverted && call[id] == id)
			f->caller[id] = 0;
	}
	for (wk_stack_id id = 1; id < named->count; id++) {
		wk_stack_id inner = call[f->leaf[id]];

		f->leaf[id] = is_inverted || !inner ? inner : f->leaf[id];
	}
	wk_free(call);
}

static bool changes_stacks(const struct wk_tree_options *options)
{
	return options->focus || options->charges_own || options->hides_allocators ||
	       skips(options);
}

bool wk_folding_shows_all(const struct wk_folding *f)
{
	return !changes_stacks(f->options) &&
	       !(f->options->hides_plumbing && has_inlined(f->model));
}

void wk_folding_choose_shown(struct wk_folding *f)
{
	uint32_t count = f->model->named.count;
	uint8_t *hidden = NULL, *allocators = NULL;

	if (wk_folding_shows_all(f))
		return;
	if (f->options->hides_plumbing)
		hidden = find_hidden(f);
	if (!hidden && !changes_stacks(f->options))
		return;
	f->leaf = wk_alloc_table_zeroed(count, sizeof(*f->leaf));
	f->caller = wk_alloc_table_zeroed(count, sizeof(*f->caller));
	if (f->options->hides_allocators)
		allocators = find_allocators(f);
	show_callers(f, hidden, allocators);
	WK_FREE_ALL(hidden, allocators);
	if (skips(f->options))
		skip_callers(f);
	if (f->options->charges_own)
		charge_own(f);
	if (f->options->focus)
		focus(f);
}

static void add_hidden(const struct wk_model *model, const struct wk_tree_options *options,
		       enum wk_tree_hidden why, uint8_t *hidden)
{
	struct wk_folding folding = { .model = model, .options = options };

	wk_folding_choose_shown(&folding);
	for (wk_stack_id id = 1; folding.leaf && id < model->named.count; id++)
		if (folding.leaf[id] != id)
			hidden[id] |= why;
	WK_FREE_ALL(folding.leaf, folding.caller);
}

uint8_t *wk_tree_hidden(const struct wk_model *model)
{
	struct wk_tree_options options = { .hides_plumbing = true };
	uint8_t *hidden = wk_alloc_zeroed((size_t)model->named.count + 1, 1);

	add_hidden(model, &options, WK_HIDDEN_PLUMBING, hidden);
	options.hides_allocators = true;
	add_hidden(model, &options, WK_HIDDEN_OF_BLOCKS, hidden);
	options.hides_mapping = !model->traits->logs_events;
	if (options.hides_mapping)
		add_hidden(model, &options, WK_HIDDEN_OF_PAGES, hidden);
	return hidden;
}
