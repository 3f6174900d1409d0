#include "views/compare/pairs.h"

#include <assert.h>
#include <string.h>

#include "base/map.h"
#include "base/mem.h"
#include "base/strtab.h"
#include "model/stack_lists.h"
#include "names/bare_name.h"
#include "names/closure.h"
#include "names/function_name.h"
#include "views/compare/closure_lines.h"
#include "views/tree/merge.h"

struct pairing {
	const struct wk_model *model;
	const struct wk_filter *filter;
	struct wk_pairs *pairs;
	uint8_t *own_sides; /* [function_count] */
	uint8_t *sides;     /* [function_count]: of functions that others are shown as */
	uint8_t *listed;    /* [frames.count]: IN_LIST, OUTERMOST and SECOND of lists; NULL: none */
	struct wk_closure_lines *closures;
	struct wk_strtab *names;
};

static uint8_t side_of_sample(const struct wk_model *model, uint32_t sample)
{
	return model->samples.is_before && model->samples.is_before[sample] ? WK_SIDE_BEFORE
									    : WK_SIDE_AFTER;
}

/* Shifts of the sides on which a frame of a list was met at all, outermost, and right below. */
enum { IN_LIST = 0, OUTERMOST = 2, SECOND = 4 };

static uint8_t listed_sides(const struct pairing *p, wk_frame_id frame, int where)
{
	return p->listed[frame] >> where & WK_SIDE_BOTH;
}

static void find_listed(struct pairing *p)
{
	const struct wk_model *model = p->model;
	struct wk_list_walk walk = wk_list_walk(model);
	struct wk_stack_list list;

	p->listed = wk_alloc_zeroed(model->frames.count, 1);
	while (wk_list_walk_next_block(&walk)) {
		uint8_t side = side_of_sample(model, walk.block->row);

		if (!wk_filter_has(p->filter, walk.block->row))
			continue;
		for (size_t i = 0; i < walk.block->frames; i++)
			p->listed[walk.frames[i]] |= (uint8_t)(side << IN_LIST);
		while (wk_list_walk_next_in_block(&walk, &list)) {
			p->listed[list.frames[0]] |= (uint8_t)(side << OUTERMOST);
			if (list.frame_count > 1)
				p->listed[list.frames[1]] |= (uint8_t)(side << SECOND);
		}
	}
}

/* A parent's id is smaller than its children's. */
static void find_sides(struct pairing *p)
{
	const struct wk_model *model = p->model;
	const struct wk_trie *named = &model->named;
	uint8_t *sides_of_frame = wk_alloc_zeroed(model->named_frames.count, 1);

	p->pairs->stack_sides = wk_alloc_zeroed((size_t)named->count + 1, 1);
	p->own_sides = wk_alloc_zeroed(model->function_count, 1);
	for (uint32_t i = 0; i < model->samples.count; i++)
		if (wk_filter_has(p->filter, i))
			p->pairs->stack_sides[wk_model_named_of(model, model->samples.stack[i])] |=
				side_of_sample(model, i);
	for (wk_stack_id id = named->count; id-- > 1;) {
		struct wk_trie_entry stack = named->entries[id];

		p->pairs->stack_sides[stack.parent] |= p->pairs->stack_sides[id];
		sides_of_frame[stack.label] |= p->pairs->stack_sides[id];
	}
	if (model->lists.first) {
		find_listed(p);
		for (wk_frame_id i = 0; i < model->frames.count; i++)
			sides_of_frame[i] |= listed_sides(p, i, IN_LIST);
	}
	for (uint32_t i = 0; i < model->named_frames.count; i++)
		p->own_sides[model->named_frames.function[i]] |= sides_of_frame[i];
	wk_free(sides_of_frame);
}

/* Functions of one name are one, except that a closure's line is another one after an edit. */
static void merge(struct pairing *p, bool across_images, bool across_files)
{
	const struct wk_model *model = p->model;
	wk_function_id *shown = wk_functions_merged(model, across_images, across_files);
	struct wk_map first = { 0 }; /* by function as merged and side */

	for (wk_function_id id = 1; id < model->function_count; id++) {
		uint32_t *of_side;

		if (!model->functions[id].plain)
			continue;
		of_side = wk_map_at(&first, (uint64_t)shown[id] << 2 | p->own_sides[id]);
		if (!*of_side)
			*of_side = id;
		shown[id] = *of_side;
	}
	p->pairs->shown = shown;
	p->sides = wk_alloc_zeroed(model->function_count, 1);
	for (wk_function_id id = 1; id < model->function_count; id++)
		p->sides[shown[id]] |= p->own_sides[id];
	wk_map_fini(&first);
}

/* ---- functions */

/* A function that others are merged into, with its criteria for pairing. */
struct candidate {
	struct wk_str name;   /* without what text forms have of clones: names/function_name.h */
	struct wk_str origin; /* the file's name without its folder */
	wk_function_id id, shown;
	uint8_t sides;   /* of all that are shown as `shown` */
	bool is_nowhere; /* its image is unknown */
	bool has_lines;  /* of closures, in its name */
};

static struct wk_str origin_of(const struct wk_model *model, const struct wk_function *function)
{
	wk_text_id path = function->image ? model->images[function->image].path : function->file;

	return wk_str_basename(wk_model_str(model, path));
}

static int by_name_and_origin(const void *left, const void *right)
{
	const struct candidate *a = left, *b = right;
	int order = wk_str_compare(a->name, b->name);

	if (order == 0)
		order = wk_str_compare(a->origin, b->origin);
	return order ? order : (a->id > b->id) - (a->id < b->id);
}

static struct wk_str kept_name(const struct pairing *p, struct wk_str name)
{
	return wk_strtab_str(p->names, wk_strtab_add_str(p->names, name));
}

/* With the lines that closures have on the "after" side. */
static struct wk_str name_to_pair_by(const struct pairing *p, wk_function_id id,
				     struct wk_buf *text, bool *has_lines)
{
	wk_buf_reset(text);
	*has_lines = wk_closure_lines_name(p->closures, id, text);
	return *has_lines ? kept_name(p, wk_buf_str(text))
			  : wk_name_without_clones(
				    wk_model_str(p->model, p->model->functions[id].name));
}

static struct candidate *list_candidates(const struct pairing *p, uint32_t *count)
{
	const struct wk_model *model = p->model;
	struct candidate *list = wk_alloc((size_t)model->function_count * sizeof(*list));
	struct wk_buf text = { 0 };

	*count = 0;
	for (wk_function_id id = 1; id < model->function_count; id++) {
		const struct wk_function *function = &model->functions[id];
		struct candidate candidate = {
			.origin = origin_of(model, function),
			.id = id, .shown = id, .sides = p->sides[id],
			.is_nowhere = !function->image && !function->file,
		};

		if (!p->sides[id])
			continue;
		candidate.name = name_to_pair_by(p, id, &text, &candidate.has_lines);
		list[(*count)++] = candidate;
	}
	wk_buf_fini(&text);
	qsort(list, *count, sizeof(*list), by_name_and_origin);
	return list;
}

/* The one with a location, and of those the one on the "after" side. */
static bool is_better(const struct candidate *a, const struct candidate *b)
{
	if (a->is_nowhere != b->is_nowhere)
		return b->is_nowhere;
	return (a->sides & WK_SIDE_AFTER) > (b->sides & WK_SIDE_AFTER);
}

/* Pairs functions without a partner, or all, if that joins two sides. */
static void join(struct candidate *list, uint32_t count, bool all)
{
	const struct candidate *best = NULL;
	uint8_t sides = 0;

	for (uint32_t i = 0; i < count; i++) {
		if (!all && list[i].sides == WK_SIDE_BOTH)
			continue;
		sides |= list[i].sides;
		if (!best || is_better(&list[i], best))
			best = &list[i];
	}
	for (uint32_t i = 0; i < count && sides == WK_SIDE_BOTH; i++) {
		if (!all && list[i].sides == WK_SIDE_BOTH)
			continue;
		list[i].shown = best->shown;
		list[i].sides = WK_SIDE_BOTH;
	}
}

static bool is_same_contents(const struct wk_model *model, const struct candidate *list,
			     uint32_t count)
{
	const struct wk_image *first = &model->images[model->functions[list->id].image];

	for (uint32_t i = 1; i < count; i++) {
		wk_image_id image = model->functions[list[i].id].image;

		if (!first->build_id.size ||
		    !wk_build_id_eq(&first->build_id, &model->images[image].build_id))
			return false;
	}
	return true;
}

/* Candidates of one name, in order of their origins. */
static void pair_name(struct pairing *p, struct candidate *list, uint32_t count)
{
	const struct wk_function *first = &p->model->functions[list->id];
	bool is_anywhere = false;
	uint32_t same;

	if (first->is_unnamed && !first->is_rest_of_image &&
	    !is_same_contents(p->model, list, count))
		return;
	for (uint32_t i = 0; i < count; i++)
		is_anywhere |= list[i].is_nowhere;
	for (uint32_t i = 0; i < count && !is_anywhere; i += same) {
		for (same = 1; i + same < count; same++)
			if (!wk_str_eq(list[i].origin, list[i + same].origin))
				break;
		join(list + i, same, false);
	}
	join(list, count, is_anywhere);
}

/* ---- names that are only known in part on one side */

/* Without the lines of closures. */
static struct wk_str name_without_lines(const struct pairing *p, const struct candidate *candidate,
					struct wk_buf *text)
{
	const struct wk_function *function = &p->model->functions[candidate->id];

	wk_buf_reset(text);
	wk_closure_name_without_lines(
		wk_model_str(p->model, function->plain ? function->plain : function->name), text);
	return wk_name_without_clones(wk_buf_str(text));
}

/* Candidates of one name without lines: if those without a partner have one name with lines on a
 * side and none on the other, they are the same. */
static void pair_lined(struct candidate *list, uint32_t count)
{
	uint8_t lined = 0, others = 0;
	const struct candidate *first = NULL;

	for (uint32_t i = 0; i < count; i++) {
		if (list[i].sides == WK_SIDE_BOTH)
			continue;
		*(list[i].has_lines ? &lined : &others) |= list[i].sides;
		if (list[i].has_lines && first && !wk_str_eq(first->name, list[i].name))
			return;
		if (list[i].has_lines)
			first = &list[i];
	}
	if ((lined ^ others) == WK_SIDE_BOTH && lined && others)
		join(list, count, false);
}

/* A candidate without a partner, by its name without lines. */
struct unlined {
	struct wk_str name;
	struct candidate candidate;
	uint32_t place;
};

static int by_unlined_name(const void *left, const void *right)
{
	const struct unlined *a = left, *b = right;
	int order = wk_str_compare(a->name, b->name);

	return order ? order : (a->place > b->place) - (a->place < b->place);
}

static void pair_unlined_names(struct unlined *list, uint32_t count)
{
	struct candidate *same = wk_alloc(((size_t)count + 1) * sizeof(*same));
	uint32_t number;

	for (uint32_t i = 0; i < count; i += number) {
		for (number = 0;
		     i + number < count && wk_str_eq(list[i + number].name, list[i].name); number++)
			same[number] = list[i + number].candidate;
		pair_lined(same, number);
		for (uint32_t k = 0; k < number; k++)
			list[i + k].candidate = same[k];
	}
	wk_free(same);
}

/* The line of an instance's closure is only known if that was sampled. */
static void pair_without_lines(const struct pairing *p, struct candidate *list, uint32_t count)
{
	struct unlined *unlined = wk_alloc(((size_t)count + 1) * sizeof(*unlined));
	struct wk_buf text = { 0 };
	uint32_t found = 0;

	for (uint32_t i = 0; i < count; i++) {
		if (list[i].sides == WK_SIDE_BOTH)
			continue;
		unlined[found++] = (struct unlined){
			kept_name(p, name_without_lines(p, &list[i], &text)), list[i], i };
	}
	qsort(unlined, found, sizeof(*unlined), by_unlined_name);
	pair_unlined_names(unlined, found);
	for (uint32_t i = 0; i < found; i++)
		list[unlined[i].place] = unlined[i].candidate;
	wk_buf_fini(&text);
	wk_free(unlined);
}

/* A candidate by its bare name. */
struct bare {
	uint32_t name, candidate;
	bool has_parameters;
};

static int by_bare_name(const void *left, const void *right)
{
	const struct bare *a = left, *b = right;

	if (a->name != b->name)
		return (a->name > b->name) - (a->name < b->name);
	return (a->candidate > b->candidate) - (a->candidate < b->candidate);
}

static struct bare *list_bare(const struct pairing *p, const struct candidate *list, uint32_t count,
			      bool has_lines, uint32_t *bare_count)
{
	struct bare *bare = wk_alloc((size_t)count * sizeof(*bare));
	struct wk_strtab *names = wk_strtab_new();
	struct wk_buf name = { 0 }, text = { 0 };

	*bare_count = 0;
	for (uint32_t i = 0; i < count; i++) {
		bool has_parameters = wk_bare_name(
			has_lines ? list[i].name : name_without_lines(p, &list[i], &text), &name);

		if (name.len && !p->model->functions[list[i].id].is_unnamed)
			bare[(*bare_count)++] = (struct bare){
				wk_strtab_add_str(names, wk_buf_str(&name)), i, has_parameters };
	}
	WK_BUF_FINI_ALL(&name, &text);
	wk_strtab_free(names);
	qsort(bare, *bare_count, sizeof(*bare), by_bare_name);
	return bare;
}

/* Two of one bare name: the one there was before, and the one there is after, of which one source
 * of names knew the parameters, or the lines of closures, and the other did not. */
static void pair_two(struct candidate *list, const struct bare *bare, bool has_lines)
{
	struct candidate two[2] = { list[bare[0].candidate], list[bare[1].candidate] };

	if ((has_lines ? bare[0].has_parameters == bare[1].has_parameters
		       : two[0].has_lines == two[1].has_lines) ||
	    two[0].sides == WK_SIDE_BOTH || two[1].sides == WK_SIDE_BOTH)
		return;
	join(two, 2, false);
	list[bare[0].candidate] = two[0];
	list[bare[1].candidate] = two[1];
}

/* If there are more than two the match is ambiguous. */
static void pair_bare(const struct pairing *p, struct candidate *list, uint32_t count,
		      bool has_lines)
{
	uint32_t bare_count, same;
	struct bare *bare = list_bare(p, list, count, has_lines, &bare_count);

	for (uint32_t i = 0; i < bare_count; i += same) {
		for (same = 1; i + same < bare_count && bare[i + same].name == bare[i].name; same++)
			;
		if (same == 2)
			pair_two(list, bare + i, has_lines);
	}
	wk_free(bare);
}

static bool have_lines(const struct candidate *list, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (list[i].has_lines)
			return true;
	return false;
}

static void pair_functions(struct pairing *p)
{
	wk_function_id *shown = p->pairs->shown;
	uint32_t count, same;
	struct candidate *list = list_candidates(p, &count);

	for (uint32_t i = 0; i < count; i += same) {
		for (same = 1; i + same < count && wk_str_eq(list[i + same].name, list[i].name);
		     same++)
			;
		if (same > 1)
			pair_name(p, list + i, same);
	}
	if (have_lines(list, count))
		pair_without_lines(p, list, count);
	pair_bare(p, list, count, true);
	if (have_lines(list, count))
		pair_bare(p, list, count, false);
	for (uint32_t i = 0; i < count; i++) {
		shown[list[i].id] = list[i].shown;
		p->sides[list[i].shown] |= list[i].sides;
	}
	for (wk_function_id id = 1; id < p->model->function_count; id++)
		shown[id] = shown[shown[id]];
	wk_free(list);
}

/* ---- processes */

/* The names of the processes in view, with their sides; returns the sides that have any. */
static uint8_t find_processes(const struct pairing *p, struct wk_map *names)
{
	const struct wk_model *model = p->model;
	uint8_t sides = 0;

	for (uint32_t i = 0; i < model->samples.count; i++) {
		wk_thread_id thread = wk_sample_thread(&model->samples, i);
		wk_text_id name = model->processes[model->threads[thread].process].name;

		if (!thread || !wk_filter_has(p->filter, i))
			continue;
		sides |= side_of_sample(model, i);
		if (name)
			*wk_map_at(names, name) |= side_of_sample(model, i);
	}
	return sides;
}

/* If each side has one process that the other lacks, it is one program under two names. */
static void find_renamed(struct pairing *p, struct wk_map *names)
{
	uint32_t gone = 0, new = 0;

	for (wk_process_id id = 1; id < p->model->process_count; id++) {
		wk_text_id name = p->model->processes[id].name;
		uint32_t sides = name ? wk_map_find(names, name) : 0;

		if (sides != WK_SIDE_BEFORE && sides != WK_SIDE_AFTER)
			continue;
		*(sides == WK_SIDE_BEFORE ? &p->pairs->renamed : &p->pairs->renamed_to) = name;
		gone += sides == WK_SIDE_BEFORE;
		new += sides == WK_SIDE_AFTER;
		wk_map_set(names, name, 0);
	}
	if (gone != 1 || new != 1)
		p->pairs->renamed = p->pairs->renamed_to = 0;
}

static wk_function_id function_of(const struct pairing *p, wk_stack_id stack)
{
	return p->model->named_frames.function[p->model->named.entries[stack].label];
}

/* Text contains only the name of an outermost frame. */
static bool may_be_process(const struct pairing *p, wk_function_id id)
{
	const struct wk_function *function = &p->model->functions[id];

	return id && !function->image && !function->file;
}

static void mark_process(struct pairing *p, wk_function_id id)
{
	if (!p->pairs->is_process)
		p->pairs->is_process = wk_alloc_zeroed(p->model->function_count, 1);
	p->pairs->is_process[id] = 1;
}

/* Outermost frames of the side without processes, if their names are those of the other side's
 * processes. */
static bool mark_by_name(struct pairing *p, struct wk_map *names)
{
	const struct wk_trie *named = &p->model->named;

	for (wk_stack_id id = 1; id < named->count; id++) {
		wk_function_id function = function_of(p, id);

		if (named->entries[id].parent == 0 && p->pairs->stack_sides[id] &&
		    may_be_process(p, function) &&
		    wk_map_find(names, p->model->functions[function].name))
			mark_process(p, function);
	}
	assert(!p->listed); /* processes on one side alone are not of lists */
	return p->pairs->is_process != NULL;
}

/* The sides on which functions stand outermost in a stack, and right below. */
struct shape {
	uint8_t *outermost, *second;
	uint8_t bare, known; /* sides with outermost frames that are names alone, or more */
};

static void find_shape(const struct pairing *p, struct shape *shape)
{
	const struct wk_trie *named = &p->model->named;

	for (wk_stack_id id = 1; id < named->count; id++) {
		wk_stack_id parent = named->entries[id].parent;
		uint8_t sides = p->pairs->stack_sides[id];
		wk_function_id function;

		if (parent && named->entries[parent].parent)
			continue;
		function = function_of(p, id);
		(parent ? shape->second : shape->outermost)[p->pairs->shown[function]] |= sides;
		if (!parent)
			*(may_be_process(p, function) ? &shape->bare : &shape->known) |= sides;
	}
	for (wk_frame_id id = 1; p->listed && id < p->model->frames.count; id++) {
		wk_function_id shown = p->pairs->shown[p->model->named_frames.function[id]];

		shape->outermost[shown] |= listed_sides(p, id, OUTERMOST);
		shape->second[shown] |= listed_sides(p, id, SECOND);
		shape->bare |= listed_sides(p, id, OUTERMOST);
	}
}

/* Two text inputs with names only are assumed to contain functions. */
static bool may_have_one_more(const struct shape *shape, uint8_t side)
{
	return !(shape->known & side) && !(shape->bare & (side ^ WK_SIDE_BOTH));
}

/* All stacks of a side have one more frame outside, which the other side lacks. */
static bool has_one_more(const struct pairing *p, const struct shape *shape, uint8_t side)
{
	uint8_t other = side ^ WK_SIDE_BOTH;

	if (!may_have_one_more(shape, side))
		return false;
	for (wk_function_id id = 1; id < p->model->function_count; id++) {
		if ((shape->outermost[id] & side) && (p->sides[id] & other))
			return false;
		if ((shape->outermost[id] & other) && !(shape->second[id] & side))
			return false;
	}
	return true;
}

static void mark_by_shape(struct pairing *p)
{
	const struct wk_trie *named = &p->model->named;
	struct shape shape = { .outermost = wk_alloc_zeroed(p->model->function_count, 1),
			       .second = wk_alloc_zeroed(p->model->function_count, 1) };
	uint8_t side;

	find_shape(p, &shape);
	side = has_one_more(p, &shape, WK_SIDE_BEFORE)  ? WK_SIDE_BEFORE
	       : has_one_more(p, &shape, WK_SIDE_AFTER) ? WK_SIDE_AFTER
							: 0;
	p->pairs->has_processes &= !side; /* the one side's are not there on the other */
	for (wk_stack_id id = 1; side && id < named->count; id++)
		if (named->entries[id].parent == 0 && (p->pairs->stack_sides[id] & side))
			mark_process(p, function_of(p, id));
	for (wk_frame_id id = 1; p->listed && id < p->model->frames.count; id++)
		if (listed_sides(p, id, OUTERMOST) & side)
			mark_process(p, p->model->named_frames.function[id]);
	WK_FREE_ALL(shape.outermost, shape.second);
}

static void pair_processes(struct pairing *p)
{
	struct wk_map names = { 0 };
	uint8_t sides = find_processes(p, &names);

	p->pairs->has_processes = sides == WK_SIDE_BOTH || sides == 0;
	if (sides == WK_SIDE_BOTH)
		find_renamed(p, &names);
	else if (sides && mark_by_name(p, &names))
		p->pairs->has_processes = true;
	else
		mark_by_shape(p);
	wk_map_fini(&names);
}

/* ---- threads */

static void pair_threads(struct wk_pairs *pairs, const struct wk_model *model)
{
	struct wk_map first_of = { 0 }; /* process and name to a thread + 1 */

	pairs->thread = wk_alloc(model->thread_count * sizeof(*pairs->thread));
	for (wk_thread_id id = 0; id < model->thread_count; id++) {
		const struct wk_thread *thread = &model->threads[id];
		wk_text_id process = model->processes[thread->process].name;
		uint64_t key = (uint64_t)wk_pairs_process_name(pairs, process) << 32 | thread->name;
		uint32_t *first;

		pairs->thread[id] = id;
		if (!id || !thread->name || !process)
			continue;
		first = wk_map_at(&first_of, key);
		if (!*first)
			*first = id + 1;
		pairs->thread[id] = *first - 1;
	}
	wk_map_fini(&first_of);
}

void wk_pairs_init(struct wk_pairs *pairs, const struct wk_model *model,
		   const struct wk_filter *filter, bool across_images, bool across_files)
{
	struct pairing p = { .model = model, .filter = filter, .pairs = pairs,
			     .names = wk_strtab_new() };

	*pairs = (struct wk_pairs){ 0 };
	find_sides(&p);
	merge(&p, across_images, across_files);
	p.closures = wk_closure_lines_new(model, filter, p.own_sides);
	pair_functions(&p);
	pair_processes(&p);
	pair_threads(pairs, model);
	wk_strtab_free(p.names);
	wk_closure_lines_free(p.closures);
	WK_FREE_ALL(p.own_sides, p.sides, p.listed);
}

void wk_pairs_fini(struct wk_pairs *pairs)
{
	WK_FREE_ALL(pairs->shown, pairs->stack_sides, pairs->is_process, pairs->thread);
	*pairs = (struct wk_pairs){ 0 };
}
