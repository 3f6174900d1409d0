#include "views/compare/closure_lines.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/map.h"
#include "base/mem.h"
#include "base/strtab.h"
#include "model/stack_lists.h"
#include "names/bare_name.h"
#include "names/closure.h"
#include "names/function_name.h"
#include "views/compare/closure_pairs.h"
#include "views/compare/pairs.h"

#define MOST_SPOTS 500 /* of a function on a side; the lightest of more are left out */

/* A closure of a family, which is the function that it is written in. */
struct member {
	uint32_t family, line, number;
	uint8_t side;
	bool is_exact; /* its line is where it begins, and not the first that was sampled */
	double weight; /* of the stacks through it, or through an instance for it */
};

/* A sampled line of a family, or one on which a closure begins. */
struct place {
	uint32_t family;
	uint8_t side;
	struct wk_spot spot; /* its closure is a line at first, its weight not yet a share */
};

struct wk_closure_lines {
	const struct wk_model *model;
	const uint8_t *sides;
	uint64_t *weight[2];      /* [named_frames.count]: of the stacks through each, by side */
	uint64_t *of_function[2]; /* [function_count]: the same by function */
	uint32_t *program;        /* [image_count]: a text in `texts`, or 0 */
	struct wk_strtab *texts;  /* families, and kinds of spots */
	struct member *members;   /* in order of families, sides, lines and numbers */
	size_t member_count, member_cap;
	struct place *places; /* in order of families, sides, lines and kinds */
	size_t place_count, place_cap;
	struct wk_map sampled; /* family and line of closures to the sides with sampled lines */
	struct wk_map after;   /* family and line before to the line after */
};

static uint64_t key_of(uint32_t family, uint32_t line)
{
	return (uint64_t)family << 32 | line;
}

static int side_index(uint8_t side)
{
	return side == WK_SIDE_BEFORE ? 0 : 1;
}

static uint8_t side_of_row(const struct wk_model *model, uint32_t row)
{
	return model->samples.is_before && model->samples.is_before[row] ? WK_SIDE_BEFORE
									 : WK_SIDE_AFTER;
}

/* ---- weights */

static void weigh_stacks(struct wk_closure_lines *lines, const struct wk_filter *filter,
			 uint8_t side)
{
	const struct wk_model *model = lines->model;
	uint64_t *stacks = wk_alloc_table_zeroed(model->named.count, sizeof(*stacks));
	uint64_t *frames = lines->weight[side_index(side)];

	for (uint32_t i = 0; i < model->samples.count; i++)
		if (side_of_row(model, i) == side && wk_filter_has(filter, i))
			stacks[wk_model_named_of(model, model->samples.stack[i])] +=
				wk_filter_weight(filter, model, i);
	for (wk_stack_id id = model->named.count; id-- > 1;) {
		stacks[model->named.entries[id].parent] += stacks[id];
		frames[model->named.entries[id].label] += stacks[id];
	}
	wk_free(stacks);
}

static void weigh_lists(struct wk_closure_lines *lines, const struct wk_filter *filter)
{
	struct wk_list_walk walk = wk_list_walk(lines->model);
	struct wk_stack_list list;

	while (wk_list_walk_next(&walk, &list)) {
		uint64_t *weight = lines->weight[side_index(side_of_row(lines->model, list.row))];

		for (uint32_t i = 0; i < list.frame_count && wk_filter_has(filter, list.row); i++)
			weight[list.frames[i]] += list.weight;
	}
}

static void weigh(struct wk_closure_lines *lines, const struct wk_filter *filter)
{
	const struct wk_named_frames *frames = &lines->model->named_frames;

	for (int side = 0; side < 2; side++) {
		lines->weight[side] = wk_alloc_zeroed(frames->count, sizeof(uint64_t));
		lines->of_function[side] =
			wk_alloc_zeroed(lines->model->function_count, sizeof(uint64_t));
	}
	weigh_stacks(lines, filter, WK_SIDE_BEFORE);
	weigh_stacks(lines, filter, WK_SIDE_AFTER);
	weigh_lists(lines, filter);
	for (int side = 0; side < 2; side++)
		for (uint32_t i = 1; i < frames->count; i++)
			lines->of_function[side][frames->function[i]] += lines->weight[side][i];
}

/* ---- families */

/* Images whose file's name is on both sides. */
static void find_programs(struct wk_closure_lines *lines)
{
	const struct wk_model *model = lines->model;
	struct wk_map sides = { 0 };

	lines->program = wk_alloc_zeroed(model->image_count, sizeof(*lines->program));
	for (wk_image_id id = 1; id < model->image_count; id++)
		lines->program[id] = wk_strtab_add_str(
			lines->texts, wk_str_basename(wk_model_str(model, model->images[id].path)));
	for (wk_function_id id = 1; id < model->function_count; id++)
		*wk_map_at(&sides, lines->program[model->functions[id].image]) |= lines->sides[id];
	for (wk_image_id id = 1; id < model->image_count; id++)
		if (wk_map_find(&sides, lines->program[id]) != WK_SIDE_BOTH)
			lines->program[id] = 0;
	wk_map_fini(&sides);
}

/* Overwrites `bare`, which has the function's name, with that of the family. */
static void add_program(const struct wk_closure_lines *lines, wk_function_id function,
			struct wk_buf *bare)
{
	wk_buf_add_fmt(bare, "\n%" PRIu32, lines->program[lines->model->functions[function].image]);
}

static struct wk_str name_of(const struct wk_closure_lines *lines, wk_function_id id)
{
	return wk_name_without_clones(wk_model_str(lines->model, lines->model->functions[id].name));
}

/* Of a closure in the name of `function`. */
static void find_family(const struct wk_closure_lines *lines, wk_function_id function,
			const struct wk_lined_closure *closure, struct wk_buf *family)
{
	wk_closure_family(name_of(lines, function), closure->begin, family);
	add_program(lines, function, family);
}

/* Of a function itself; 0 if it has no closures with lines. */
static uint32_t own_family(const struct wk_closure_lines *lines, wk_function_id function,
			   struct wk_buf *family)
{
	struct wk_str name = name_of(lines, function);

	wk_bare_name(wk_name_is_closure(name) ? wk_closure_home(name) : name, family);
	add_program(lines, function, family);
	return wk_strtab_find(lines->texts, wk_buf_str(family));
}

/* ---- closures */

static int by_member(const void *left, const void *right)
{
	const struct member *a = left, *b = right;

	if (a->family != b->family)
		return a->family < b->family ? -1 : 1;
	if (a->side != b->side)
		return a->side < b->side ? -1 : 1;
	if (a->line != b->line)
		return a->line < b->line ? -1 : 1;
	return (a->number > b->number) - (a->number < b->number);
}

static void add_members(struct wk_closure_lines *lines, wk_function_id id, struct wk_buf *family)
{
	struct wk_lined_closure closure = { 0 };
	struct wk_str name = name_of(lines, id);

	while (wk_closure_next_lined(name, &closure)) {
		struct member member = {
			.line = closure.line, .number = closure.number,
			.is_exact = wk_str_starts(wk_str_skip(name, closure.begin), "{lambda") };

		find_family(lines, id, &closure, family);
		member.family = wk_strtab_add_str(lines->texts, wk_buf_str(family));
		for (member.side = WK_SIDE_BEFORE; member.side <= WK_SIDE_AFTER; member.side++) {
			member.weight = (double)lines->of_function[side_index(member.side)][id];
			if (lines->sides[id] & member.side)
				*WK_APPEND(lines->members, lines->member_count, lines->member_cap) =
					member;
		}
	}
}

static void list_members(struct wk_closure_lines *lines)
{
	struct wk_buf family = { 0 };
	size_t kept = 0;

	for (wk_function_id id = 1; id < lines->model->function_count; id++)
		if (lines->sides[id] && wk_closure_has_lines(name_of(lines, id)))
			add_members(lines, id, &family);
	if (lines->member_count)
		qsort(lines->members, lines->member_count, sizeof(*lines->members), by_member);
	for (size_t i = 0; i < lines->member_count; i++) {
		if (kept && by_member(&lines->members[kept - 1], &lines->members[i]) == 0)
			lines->members[kept - 1].weight += lines->members[i].weight;
		else
			lines->members[kept++] = lines->members[i];
	}
	lines->member_count = kept;
	wk_buf_fini(&family);
}

/* ---- sampled lines */

static int by_place(const void *left, const void *right)
{
	const struct place *a = left, *b = right;

	if (a->family != b->family)
		return a->family < b->family ? -1 : 1;
	if (a->side != b->side)
		return a->side < b->side ? -1 : 1;
	if (a->spot.line != b->spot.line)
		return a->spot.line < b->spot.line ? -1 : 1;
	if (a->spot.kind != b->spot.kind)
		return a->spot.kind < b->spot.kind ? -1 : 1;
	return (a->spot.closure > b->spot.closure) - (a->spot.closure < b->spot.closure);
}

static void add_place(struct wk_closure_lines *lines, uint32_t family, uint8_t side,
		      struct wk_spot spot)
{
	*WK_APPEND(lines->places, lines->place_count, lines->place_cap) =
		(struct place){ family, side, spot };
}

/* The line of the innermost closure that a function is; 0 if it is none. */
static uint32_t own_line(struct wk_str name)
{
	struct wk_buf plain = { 0 };
	uint32_t line = wk_closure_name_line(name, &plain);

	wk_buf_fini(&plain);
	return line;
}

/* What the lines of a function are. */
struct function {
	uint32_t family; /* 0: it has no closures with lines */
	uint32_t kind, closure;
};

static struct function describe(struct wk_closure_lines *lines, wk_function_id id,
				struct wk_buf *text, struct wk_buf *kind)
{
	struct function function = { .family = own_family(lines, id, text) };

	if (!function.family)
		return function;
	wk_buf_reset(text);
	wk_closure_name_without_lines(name_of(lines, id), text);
	wk_bare_name(wk_buf_str(text), kind);
	function.kind = wk_strtab_add_str(lines->texts, wk_buf_str(kind));
	function.closure = own_line(name_of(lines, id));
	return function;
}

static void add_spot(struct wk_closure_lines *lines, const struct function *function, uint8_t side,
		     uint32_t frame)
{
	struct wk_spot spot = { lines->model->named_frames.line[frame], function->kind,
				function->closure,
				(double)lines->weight[side_index(side)][frame] };

	if (!spot.line || !function->family || spot.weight <= 0)
		return;
	add_place(lines, function->family, side, spot);
	if (spot.closure)
		*wk_map_at(&lines->sampled, key_of(function->family, spot.closure)) |= side;
}

static void add_sampled(struct wk_closure_lines *lines)
{
	const struct wk_model *model = lines->model;
	struct function *functions = wk_alloc_zeroed(model->function_count, sizeof(*functions));
	struct wk_buf text = { 0 }, kind = { 0 };

	for (wk_function_id id = 1; id < model->function_count; id++)
		if (lines->sides[id])
			functions[id] = describe(lines, id, &text, &kind);
	for (uint32_t i = 1; i < model->named_frames.count; i++) {
		const struct function *function = &functions[model->named_frames.function[i]];

		add_spot(lines, function, WK_SIDE_BEFORE, i);
		add_spot(lines, function, WK_SIDE_AFTER, i);
	}
	wk_free(functions);
	WK_BUF_FINI_ALL(&text, &kind);
}

/* The lines in names, unless they are sampled lines themselves. */
static void add_own_lines(struct wk_closure_lines *lines)
{
	for (size_t i = 0; i < lines->member_count; i++) {
		const struct member *member = &lines->members[i];
		uint32_t sampled =
			wk_map_find(&lines->sampled, key_of(member->family, member->line));

		if (member->is_exact || !(sampled & member->side))
			add_place(lines, member->family, member->side,
				  (struct wk_spot){ .line = member->line,
						    .closure = member->line,
						    .weight = member->weight });
	}
}

static void list_places(struct wk_closure_lines *lines)
{
	size_t kept = 0;

	add_sampled(lines);
	add_own_lines(lines);
	qsort(lines->places, lines->place_count, sizeof(*lines->places), by_place);
	for (size_t i = 0; i < lines->place_count; i++) {
		if (kept && by_place(&lines->places[kept - 1], &lines->places[i]) == 0)
			lines->places[kept - 1].spot.weight += lines->places[i].spot.weight;
		else
			lines->places[kept++] = lines->places[i];
	}
	lines->place_count = kept;
}

/* ---- the two sides of a family */

struct side {
	struct wk_closure_side data;
	struct wk_closure *closures;
	struct wk_spot *spots;
};

/* The closure of that line, from 1 on; 0 if there is none. */
static uint32_t closure_at(const struct side *side, uint32_t line)
{
	uint32_t from = 0, to = side->data.closure_count;

	while (from < to) {
		uint32_t middle = from + (to - from) / 2;

		if (side->closures[middle].line < line)
			from = middle + 1;
		else
			to = middle;
	}
	return from < side->data.closure_count && side->closures[from].line == line ? from + 1 : 0;
}

static void add_closures(struct side *side, const struct member *members, size_t count)
{
	uint32_t *kept = &side->data.closure_count;

	side->closures = wk_alloc((count + 1) * sizeof(*side->closures));
	for (size_t i = 0; i < count; i++) {
		if (!*kept || side->closures[*kept - 1].line != members[i].line)
			side->closures[(*kept)++] =
				(struct wk_closure){ members[i].line, members[i].weight };
		else
			side->closures[*kept - 1].weight += members[i].weight;
	}
	side->data.closures = side->closures;
}

static int lighter_first(const void *left, const void *right)
{
	double a = *(const double *)left, b = *(const double *)right;

	return (a > b) - (a < b);
}

/* Below it are all but the heaviest. */
static double least_weight(const struct place *places, size_t count)
{
	double *weights, least;

	if (count <= MOST_SPOTS)
		return 0;
	weights = wk_alloc(count * sizeof(*weights));
	for (size_t i = 0; i < count; i++)
		weights[i] = places[i].spot.weight;
	qsort(weights, count, sizeof(*weights), lighter_first);
	least = weights[count - MOST_SPOTS];
	wk_free(weights);
	return least;
}

static void add_spots(struct side *side, const struct place *places, size_t count)
{
	double least = least_weight(places, count), sum = 0;

	side->spots = wk_alloc((count + 1) * sizeof(*side->spots));
	for (size_t i = 0; i < count; i++)
		sum += places[i].spot.weight;
	for (size_t i = 0; i < count && side->data.spot_count < MOST_SPOTS; i++) {
		struct wk_spot spot = places[i].spot;

		if (spot.weight < least)
			continue;
		spot.closure = spot.closure ? closure_at(side, spot.closure) : 0;
		spot.weight = sum > 0 ? spot.weight / sum : 0;
		side->spots[side->data.spot_count++] = spot;
	}
	for (uint32_t i = 0; i < side->data.closure_count && sum > 0; i++)
		side->closures[i].weight /= sum;
	side->data.spots = side->spots;
}

static size_t end_of_members(const struct wk_closure_lines *lines, size_t first)
{
	size_t end = first;

	while (end < lines->member_count &&
	       lines->members[end].family == lines->members[first].family &&
	       lines->members[end].side == lines->members[first].side)
		end++;
	return end;
}

static size_t end_of_places(const struct wk_closure_lines *lines, size_t first)
{
	size_t end = first;

	while (end < lines->place_count &&
	       lines->places[end].family == lines->places[first].family &&
	       lines->places[end].side == lines->places[first].side)
		end++;
	return end;
}

static void pair_family(struct wk_closure_lines *lines, uint32_t family, const struct side *before,
			const struct side *after)
{
	uint32_t *pairs = wk_closure_pairs(&before->data, &after->data);

	for (uint32_t i = 0; i < before->data.closure_count; i++)
		if (pairs[i])
			wk_map_set(&lines->after, key_of(family, before->closures[i].line),
				   after->closures[pairs[i] - 1].line);
	wk_free(pairs);
}

/* Members and places are in one order, and where a member is there is a place. */
static void pair_families(struct wk_closure_lines *lines)
{
	size_t member = 0, place = 0, member_end, place_end;
	struct side last = { 0 };
	uint32_t family = 0;

	for (; member < lines->member_count; member = member_end, place = place_end) {
		struct side side = { 0 };

		member_end = end_of_members(lines, member);
		assert(place < lines->place_count);
		while (lines->places[place].family != lines->members[member].family ||
		       lines->places[place].side != lines->members[member].side)
			place++;
		place_end = end_of_places(lines, place);
		add_closures(&side, lines->members + member, member_end - member);
		add_spots(&side, lines->places + place, place_end - place);
		if (family == lines->members[member].family)
			pair_family(lines, family, &last, &side);
		family = lines->members[member].family;
		WK_FREE_ALL(last.closures, last.spots);
		last = side;
	}
	WK_FREE_ALL(last.closures, last.spots);
}

struct wk_closure_lines *wk_closure_lines_new(const struct wk_model *model,
					      const struct wk_filter *filter, const uint8_t *sides)
{
	struct wk_closure_lines *lines = wk_alloc_zeroed(1, sizeof(*lines));
	bool has_closures = false;

	*lines = (struct wk_closure_lines){
		.model = model, .sides = sides, .texts = wk_strtab_new() };
	for (wk_function_id id = 1; id < model->function_count && !has_closures; id++)
		has_closures = sides[id] && wk_closure_has_lines(name_of(lines, id));
	if (!has_closures)
		return lines;
	weigh(lines, filter);
	find_programs(lines);
	list_members(lines);
	if (lines->member_count) {
		list_places(lines);
		pair_families(lines);
	}
	return lines;
}

void wk_closure_lines_free(struct wk_closure_lines *lines)
{
	wk_strtab_free(lines->texts);
	wk_map_fini(&lines->sampled);
	wk_map_fini(&lines->after);
	WK_FREE_ALL(lines->weight[0], lines->weight[1], lines->of_function[0],
		    lines->of_function[1], lines->program, lines->members, lines->places, lines);
}

/* ---- names */

/* The first member that is not before the key. */
static size_t find_member(const struct wk_closure_lines *lines, struct member key)
{
	size_t from = 0, to = lines->member_count;

	while (from < to) {
		size_t middle = from + (to - from) / 2;

		if (by_member(&lines->members[middle], &key) < 0)
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

/* Of the numbered closures on its line, which one. */
static uint32_t rank_of(const struct wk_closure_lines *lines, struct member key)
{
	struct member first = key;

	first.number = 1;
	return key.number ? (uint32_t)(find_member(lines, key) - find_member(lines, first)) : 0;
}

static void add_closure(const struct wk_closure_lines *lines, wk_function_id function,
			const struct wk_lined_closure *closure, struct wk_buf *text)
{
	bool is_before = lines->sides[function] == WK_SIDE_BEFORE;
	struct member key = { .line = closure->line, .number = closure->number,
			      .side = is_before ? WK_SIDE_BEFORE : WK_SIDE_AFTER };
	struct wk_buf family = { 0 };
	uint32_t line = closure->line, rank;

	find_family(lines, function, closure, &family);
	key.family = wk_strtab_find(lines->texts, wk_buf_str(&family));
	if (is_before)
		line = wk_map_find(&lines->after, key_of(key.family, closure->line));
	wk_buf_add_fmt(text, line ? "@%" PRIu32 : "@-%" PRIu32, line ? line : closure->line);
	rank = rank_of(lines, key);
	if (rank)
		wk_buf_add_fmt(text, ".%" PRIu32, rank);
	wk_buf_add_char(text, '}');
	wk_buf_fini(&family);
}

bool wk_closure_lines_name(const struct wk_closure_lines *lines, wk_function_id function,
			   struct wk_buf *text)
{
	struct wk_str name = name_of(lines, function);
	struct wk_lined_closure closure = { 0 };
	size_t added = 0;

	while (wk_closure_next_lined(name, &closure)) {
		wk_buf_add_str(text, wk_str_of(name.at + added, closure.colon - added));
		add_closure(lines, function, &closure, text);
		added = closure.end;
	}
	if (added)
		wk_buf_add_str(text, wk_str_skip(name, added));
	return added != 0;
}
