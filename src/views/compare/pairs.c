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
#include "views/compare/closure_pairs.h"
#include "views/tree/merge.h"

/* A sampled line of a function and its closures. */
struct spot {
	uint32_t family, line;
	uint8_t side;
	uint64_t weight; /* of the stacks through it */
};

/* By how many lines an edit moved a function and its closures, if their sampled lines show that. */
struct shift {
	int64_t lines;
	bool is_known;
};

struct pairing {
	const struct wk_model *model;
	const struct wk_filter *filter;
	struct wk_pairs *pairs;
	uint8_t *sides;  /* [function_count]: of functions that others are shown as */
	uint8_t *listed; /* [frames.count]: IN_LIST, OUTERMOST and SECOND of lists; NULL: none */
	struct wk_strtab *names;
	struct spot *spots; /* in order of families, sides and lines; NULL: not needed yet */
	uint32_t spot_count;
	struct wk_map shift_of; /* a family to its place in `shifts` and 1 */
	struct shift *shifts;
	size_t shift_count, shift_cap;
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
	p->sides = wk_alloc_zeroed(model->function_count, 1);
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
		p->sides[p->pairs->shown[model->named_frames.function[i]]] |= sides_of_frame[i];
	wk_free(sides_of_frame);
}

/* ---- functions */

/* A function that others are merged into, with its criteria for pairing. */
struct candidate {
	struct wk_str name;   /* without what text forms have of clones: names/function_name.h */
	struct wk_str origin; /* the file's name without its folder */
	wk_function_id id, shown;
	uint8_t sides;   /* of all that are shown as `shown` */
	bool is_nowhere; /* its image is unknown */
	uint32_t line;   /* of a closure: what it is paired by */
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

/* Without the lines of closures, which edits move. */
static struct wk_str name_to_pair_by(const struct pairing *p, const struct wk_function *function,
				     struct wk_buf *text)
{
	if (!function->plain)
		return wk_name_without_clones(wk_model_str(p->model, function->name));
	wk_buf_reset(text);
	wk_closure_name_without_lines(wk_model_str(p->model, function->plain), text);
	return wk_name_without_clones(
		wk_strtab_str(p->names, wk_strtab_add_str(p->names, wk_buf_str(text))));
}

static struct candidate *list_candidates(const struct pairing *p, uint32_t *count)
{
	const struct wk_model *model = p->model;
	struct candidate *list = wk_alloc((size_t)model->function_count * sizeof(*list));
	struct wk_buf plain = { 0 };

	*count = 0;
	for (wk_function_id id = 1; id < model->function_count; id++) {
		const struct wk_function *function = &model->functions[id];

		if (!p->sides[id])
			continue;
		list[(*count)++] = (struct candidate){
			.name = name_to_pair_by(p, function, &plain),
			.origin = origin_of(model, function),
			.id = id, .shown = id, .sides = p->sides[id],
			.is_nowhere = !function->image && !function->file,
			.line = function->closure_line,
		};
	}
	wk_buf_fini(&plain);
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

/* ---- closures */

/* "app::run" of "app::run::{{closure}}" and of itself: their code is in one place. */
static struct wk_str family_of(const struct wk_model *model, wk_function_id id, struct wk_buf *bare)
{
	const struct wk_function *function = &model->functions[id];
	struct wk_str name;

	wk_bare_name(wk_name_without_clones(wk_model_str(model, function->plain ? function->plain
										: function->name)),
		     bare);
	name = wk_buf_str(bare);
	for (size_t i = 0; i + 3 <= name.len; i++)
		if (memcmp(name.at + i, "::{", 3) == 0)
			return wk_str_of(name.at, i);
	return name;
}

static int by_family_and_line(const void *left, const void *right)
{
	const struct spot *a = left, *b = right;

	if (a->family != b->family)
		return a->family < b->family ? -1 : 1;
	if (a->side != b->side)
		return a->side < b->side ? -1 : 1;
	return (a->line > b->line) - (a->line < b->line);
}

/* What the stacks of a side weigh through each named frame. */
static uint64_t *weigh_frames(const struct pairing *p, uint8_t side)
{
	const struct wk_model *model = p->model;
	uint64_t *stacks = wk_alloc_table_zeroed(model->named.count, sizeof(*stacks));
	uint64_t *frames = wk_alloc_zeroed(model->named_frames.count, sizeof(*frames));

	for (uint32_t i = 0; i < model->samples.count; i++)
		if (side_of_sample(model, i) == side && wk_filter_has(p->filter, i))
			stacks[wk_model_named_of(model, model->samples.stack[i])] +=
				wk_filter_weight(p->filter, model, i);
	for (wk_stack_id id = model->named.count; id-- > 1;) {
		stacks[model->named.entries[id].parent] += stacks[id];
		frames[model->named.entries[id].label] += stacks[id];
	}
	wk_free(stacks);
	return frames;
}

static void list_side(struct pairing *p, const uint32_t *families, uint8_t side)
{
	const struct wk_named_frames *frames = &p->model->named_frames;
	uint64_t *weight = weigh_frames(p, side);

	for (uint32_t i = 1; i < frames->count; i++)
		if (weight[i] && families[frames->function[i]])
			p->spots[p->spot_count++] = (struct spot){
				families[frames->function[i]], frames->line[i], side, weight[i] };
	wk_free(weight);
}

/* Made when it is first needed: most comparisons have no closures to pair. */
static void list_spots(struct pairing *p)
{
	const struct wk_named_frames *frames = &p->model->named_frames;
	uint32_t *families = wk_alloc_zeroed(p->model->function_count, sizeof(*families));
	struct wk_buf bare = { 0 };

	p->spots = wk_alloc(2 * (size_t)frames->count * sizeof(*p->spots));
	for (uint32_t i = 1; i < frames->count; i++) {
		wk_function_id function = frames->function[i];

		if (frames->line[i] && !families[function])
			families[function] =
				wk_strtab_add_str(p->names, family_of(p->model, function, &bare));
	}
	list_side(p, families, WK_SIDE_BEFORE);
	list_side(p, families, WK_SIDE_AFTER);
	qsort(p->spots, p->spot_count, sizeof(*p->spots), by_family_and_line);
	wk_free(families);
	wk_buf_fini(&bare);
}

/* The first spot that is not before this one. */
static uint32_t first_spot(const struct pairing *p, struct spot key)
{
	uint32_t from = 0, to = p->spot_count;

	while (from < to) {
		uint32_t middle = from + (to - from) / 2;

		if (by_family_and_line(&p->spots[middle], &key) < 0)
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

/* Those of one line are one. A family without lines has no weight. */
static struct wk_lines spots_of(const struct pairing *p, uint32_t family, uint8_t side)
{
	uint32_t first = first_spot(p, (struct spot){ family, 1, side, 0 });
	uint32_t end = first_spot(p, (struct spot){ family, UINT32_MAX, side, 0 });
	size_t most = (size_t)(end - first) + 1;
	struct wk_lines lines = { .at = wk_alloc(most * sizeof(*lines.at)),
				  .weight = wk_alloc(most * sizeof(*lines.weight)) };
	double heaviest = 1, weight = 0;

	for (uint32_t i = first; i < end; i++)
		if ((double)p->spots[i].weight > heaviest)
			heaviest = (double)p->spots[i].weight;
	for (uint32_t i = first; i < end; i++) {
		if (!lines.count || lines.at[lines.count - 1] != p->spots[i].line) {
			lines.at[lines.count++] = p->spots[i].line;
			weight = 0;
		}
		weight += (double)p->spots[i].weight;
		lines.weight[lines.count - 1] =
			weight < heaviest ? (uint32_t)(1e6 * weight / heaviest) : 1000000;
	}
	return lines;
}

static struct shift find_shift(const struct pairing *p, uint32_t family)
{
	struct wk_lines before = spots_of(p, family, WK_SIDE_BEFORE);
	struct wk_lines after = spots_of(p, family, WK_SIDE_AFTER);
	struct shift shift = { .lines = wk_line_shift(before, after),
			       .is_known = before.count && after.count };

	WK_FREE_ALL(before.at, before.weight, after.at, after.weight);
	return shift;
}

/* Of the function of this closure. Once for each: many closures may be of one function. */
static struct shift shift_around(struct pairing *p, wk_function_id closure)
{
	struct wk_buf bare = { 0 };
	uint32_t family, *known;

	if (!p->spots)
		list_spots(p);
	family = wk_strtab_find(p->names, family_of(p->model, closure, &bare));
	wk_buf_fini(&bare);
	known = wk_map_at(&p->shift_of, family);
	if (!*known) {
		*WK_APPEND(p->shifts, p->shift_count, p->shift_cap) = find_shift(p, family);
		*known = (uint32_t)p->shift_count;
	}
	return p->shifts[*known - 1];
}

static int by_line(const void *left, const void *right)
{
	const struct candidate *a = left, *b = right;

	if (a->line != b->line)
		return a->line < b->line ? -1 : 1;
	return (a->id > b->id) - (a->id < b->id);
}

/* The lines of those that are only on this side. They are in order of lines. */
static struct wk_lines lines_of(const struct candidate *list, uint32_t count, uint8_t side)
{
	struct wk_lines lines = { .at = wk_alloc((size_t)count * sizeof(*lines.at)) };

	for (uint32_t i = 0; i < count; i++)
		if (list[i].sides == side &&
		    (!lines.count || lines.at[lines.count - 1] != list[i].line))
			lines.at[lines.count++] = list[i].line;
	return lines;
}

/* Those before get the lines of their partners after; 0: they have none. */
static void move_lines(struct candidate *list, uint32_t count, struct wk_lines before,
		       const uint32_t *pairs)
{
	uint32_t k = 0;

	for (uint32_t i = 0; i < count; i++) {
		if (list[i].sides != WK_SIDE_BEFORE)
			continue;
		while (before.at[k] != list[i].line)
			k++;
		list[i].line = pairs[k];
	}
}

/* Without sampled lines, as in text, their own are known. */
static int64_t shift_of_closures(struct pairing *p, wk_function_id closure, struct wk_lines before,
				 struct wk_lines after)
{
	struct shift around = shift_around(p, closure);

	return around.is_known ? around.lines : wk_line_shift(before, after);
}

/* The closures of one function, with lines. */
static void pair_closures(struct pairing *p, struct candidate *list, uint32_t count)
{
	struct wk_lines before, after;
	uint32_t *pairs = NULL, same;

	qsort(list, count, sizeof(*list), by_line);
	before = lines_of(list, count, WK_SIDE_BEFORE);
	after = lines_of(list, count, WK_SIDE_AFTER);
	if (before.count && after.count) {
		pairs = wk_closure_pairs(before, after,
					 shift_of_closures(p, list->id, before, after));
		move_lines(list, count, before, pairs);
		qsort(list, count, sizeof(*list), by_line);
	}
	for (uint32_t i = 0; pairs && i < count; i += same) {
		for (same = 1; i + same < count && list[i + same].line == list[i].line; same++)
			;
		if (list[i].line)
			join(list + i, same, false);
	}
	WK_FREE_ALL(before.at, after.at, pairs);
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
	if (list->line) {
		pair_closures(p, list, count);
		return;
	}
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
			      uint32_t *bare_count)
{
	struct bare *bare = wk_alloc((size_t)count * sizeof(*bare));
	struct wk_strtab *names = wk_strtab_new();
	struct wk_buf name = { 0 };

	*bare_count = 0;
	for (uint32_t i = 0; i < count; i++) {
		bool has_parameters = wk_bare_name(list[i].name, &name);

		if (name.len && !p->model->functions[list[i].id].is_unnamed)
			bare[(*bare_count)++] = (struct bare){
				wk_strtab_add_str(names, wk_buf_str(&name)), i, has_parameters };
	}
	wk_buf_fini(&name);
	wk_strtab_free(names);
	qsort(bare, *bare_count, sizeof(*bare), by_bare_name);
	return bare;
}

/* Two of one bare name: the one there was before, and the one there is after, of which one source
 * of names knew the parameters and the other did not. */
static void pair_two(struct candidate *list, const struct bare *bare)
{
	struct candidate two[2] = { list[bare[0].candidate], list[bare[1].candidate] };

	if (bare[0].has_parameters == bare[1].has_parameters || two[0].sides == WK_SIDE_BOTH ||
	    two[1].sides == WK_SIDE_BOTH)
		return;
	join(two, 2, false);
	list[bare[0].candidate] = two[0];
	list[bare[1].candidate] = two[1];
}

/* If there are more than two the match is ambiguous. */
static void pair_bare(const struct pairing *p, struct candidate *list, uint32_t count)
{
	uint32_t bare_count, same;
	struct bare *bare = list_bare(p, list, count, &bare_count);

	for (uint32_t i = 0; i < bare_count; i += same) {
		for (same = 1; i + same < bare_count && bare[i + same].name == bare[i].name; same++)
			;
		if (same == 2)
			pair_two(list, bare + i);
	}
	wk_free(bare);
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
	pair_bare(p, list, count);
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

	*pairs = (struct wk_pairs){
		.shown = wk_functions_merged(model, across_images, across_files) };
	find_sides(&p);
	pair_functions(&p);
	pair_processes(&p);
	pair_threads(pairs, model);
	wk_strtab_free(p.names);
	wk_map_fini(&p.shift_of);
	WK_FREE_ALL(p.sides, p.listed, p.spots, p.shifts);
}

void wk_pairs_fini(struct wk_pairs *pairs)
{
	WK_FREE_ALL(pairs->shown, pairs->stack_sides, pairs->is_process, pairs->thread);
	*pairs = (struct wk_pairs){ 0 };
}
