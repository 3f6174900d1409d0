#include "session/fold/tally.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/sort.h"

void wk_tally_init(struct wk_tally *tally)
{
	*tally = (struct wk_tally){ .names = wk_strtab_new() };
	wk_trie_init(&tally->stacks);
}

void wk_tally_fini(struct wk_tally *tally)
{
	wk_strtab_free(tally->names);
	wk_trie_fini(&tally->stacks);
	WK_FREE_ALL(tally->name_of, tally->stack_of, tally->weight, tally->is_met);
	*tally = (struct wk_tally){ 0 };
}

static void read_frame(struct wk_tally *tally, const struct wk_event_frame *frame)
{
	WK_RESERVE(tally->name_of, tally->name_cap, (size_t)frame->number + 1);
	tally->name_of[frame->number] = wk_strtab_add_str(tally->names, frame->name);
}

static void read_stack(struct wk_tally *tally, uint32_t number, uint32_t parent_number,
		       uint32_t frame)
{
	uint32_t parent = parent_number ? tally->stack_of[parent_number] : 0;
	uint32_t name = tally->name_of[frame];
	uint32_t id;

	if (tally->collapses_recursion && parent && tally->stacks.entries[parent].label == name)
		id = parent;
	else
		id = wk_trie_add(&tally->stacks, parent, name);
	WK_RESERVE(tally->stack_of, tally->stack_cap, (size_t)number + 1);
	tally->stack_of[number] = id;
}

static void read_sample(struct wk_tally *tally, const struct wk_event_sample *sample)
{
	uint32_t id = sample->named_stack ? tally->stack_of[sample->named_stack] : 0;

	WK_RESERVE_ZEROED(tally->weight, tally->weight_cap, (size_t)id + 1);
	WK_RESERVE_ZEROED(tally->is_met, tally->met_cap, (size_t)id + 1);
	tally->is_met[id] = 1;
	if (__builtin_add_overflow(tally->weight[id], sample->weight, &tally->weight[id]))
		tally->weight[id] = UINT64_MAX;
}

static bool take(void *context, const struct wk_event *event, struct wk_err *err)
{
	struct wk_tally *tally = context;

	(void)err;
	switch (event->kind) {
	case WK_EVENT_SAMPLE:
		read_sample(tally, &event->sample);
		break;
	case WK_EVENT_STACKS:
		for (uint32_t i = 0; i < event->stacks.count; i++)
			read_stack(tally, event->stacks.first + i, event->stacks.entries[i].parent,
				   event->stacks.entries[i].label);
		break;
	case WK_EVENT_FRAME:
		read_frame(tally, &event->frame);
		break;
	case WK_EVENT_NOTE:
		if (tally->note)
			tally->note(tally->context, event->note.text);
		break;
	default:
		break;
	}
	return true;
}

struct wk_sink wk_tally_sink(struct wk_tally *tally)
{
	return (struct wk_sink){ .take = take, .context = tally };
}

/* The order of lines is not the order of names: a name is compared with a ';' behind it, so "a;b"
 * is behind "a.c" but before "ab". Each name therefore has two ranks, one for the line that ends in
 * it and one for those that continue. */
struct ranked {
	struct wk_str text; /* of the name */
	uint32_t name;
	bool goes_on;
};

static int by_text(const void *left, const void *right)
{
	const struct ranked *a = left, *b = right;

	return wk_str_compare_followed(a->text, a->goes_on ? ';' : -1, b->text,
				       b->goes_on ? ';' : -1);
}

/* ranks[2 * name + goes_on] */
static uint32_t *rank_names(const struct wk_tally *tally, uint32_t name_count)
{
	size_t count = (size_t)name_count * 2;
	struct ranked *rows = wk_alloc(count * sizeof(*rows));
	uint32_t *ranks = wk_alloc(count * sizeof(*ranks));

	for (size_t i = 0; i < count; i++)
		rows[i] = (struct ranked){ wk_strtab_str(tally->names, (uint32_t)(i / 2)),
					   (uint32_t)(i / 2), i % 2 };
	qsort(rows, count, sizeof(*rows), by_text);
	for (size_t i = 0; i < count; i++)
		ranks[rows[i].name * 2 + rows[i].goes_on] = (uint32_t)i;
	wk_free(rows);
	return ranks;
}

/* The lines that end in a stack and the stacks below it, in order. */
struct branch {
	uint32_t stack;
	bool goes_on;
};

struct branches {
	struct branch *at;
	size_t *first; /* by stack: its branches are first[stack] to first[stack + 1] */
};

static uint32_t name_count(const struct wk_trie *stacks)
{
	uint32_t most = 0;

	for (uint32_t i = 1; i < stacks->count; i++)
		if (stacks->entries[i].label > most)
			most = stacks->entries[i].label;
	return most + 1;
}

static bool is_met(const struct wk_tally *tally, uint32_t stack)
{
	return stack < tally->met_cap && tally->is_met[stack];
}

static struct branches list_branches(const struct wk_tally *tally)
{
	const struct wk_trie *stacks = &tally->stacks;
	uint32_t *ranks = rank_names(tally, name_count(stacks));
	struct wk_sort_key *keys = wk_alloc(((size_t)stacks->count * 2 + 1) * sizeof(*keys));
	uint8_t *has_children = wk_alloc_zeroed((size_t)stacks->count + 1, 1);
	struct branches branches = { 0 };
	size_t count = 0;

	for (uint32_t i = stacks->count; i-- > 1;) {
		uint64_t parent = (uint64_t)stacks->entries[i].parent << 32;

		has_children[stacks->entries[i].parent] = 1;
		if (is_met(tally, i))
			keys[count++] = (struct wk_sort_key){ parent | ranks[stacks->entries[i].label * 2],
							      i * 2 };
		if (has_children[i])
			keys[count++] = (struct wk_sort_key){
				parent | ranks[stacks->entries[i].label * 2 + 1], i * 2 + 1 };
	}
	wk_sort_keys(keys, count);
	branches.at = wk_alloc((count + 1) * sizeof(*branches.at));
	branches.first = wk_alloc_zeroed((size_t)stacks->count + 2, sizeof(*branches.first));
	for (size_t i = 0; i < count; i++) {
		branches.at[i] = (struct branch){ keys[i].row / 2, keys[i].row % 2 };
		branches.first[(keys[i].key >> 32) + 1] = i + 1;
	}
	for (uint32_t i = 1; i <= stacks->count; i++)
		if (branches.first[i] < branches.first[i - 1])
			branches.first[i] = branches.first[i - 1];
	WK_FREE_ALL(has_children, keys, ranks);
	return branches;
}

/* A stack whose branches are being walked. */
struct open_stack {
	size_t next, end; /* branches */
	size_t prefix;    /* length of the text in front of its children's names */
};

static void write_line(const struct wk_tally *tally, struct wk_str prefix, struct wk_str name,
		       uint32_t stack, struct wk_out *out)
{
	uint64_t weight = tally->weight[stack];

	if (tally->per_count)
		weight /= tally->per_count;
	if (tally->per_count && weight == 0)
		return;
	wk_out_str(out, prefix);
	wk_out_str(out, name);
	wk_out_char(out, ' ');
	wk_out_u64(out, weight);
	wk_out_char(out, '\n');
}

void wk_tally_write(const struct wk_tally *tally, struct wk_out *out)
{
	struct branches branches = list_branches(tally);
	struct wk_buf prefix = { 0 };
	struct open_stack *open = NULL;
	size_t depth = 1, cap = 0;

	WK_RESERVE(open, cap, depth);
	open[0] = (struct open_stack){ branches.first[0], branches.first[1], 0 };
	while (depth) {
		struct open_stack *top = &open[depth - 1];
		struct branch branch;
		struct wk_str name;

		if (top->next == top->end) {
			depth--;
			continue;
		}
		branch = branches.at[top->next++];
		name = wk_strtab_str(tally->names, tally->stacks.entries[branch.stack].label);
		prefix.len = top->prefix;
		if (!branch.goes_on) {
			write_line(tally, wk_buf_str(&prefix), name, branch.stack, out);
			continue;
		}
		wk_buf_add_str(&prefix, name);
		wk_buf_add_char(&prefix, ';');
		/* A stack is closed before its last branch is walked, so that a stack of millions
		 * of frames needs one entry. */
		if (top->next == top->end)
			depth--;
		WK_RESERVE(open, cap, ++depth);
		open[depth - 1] = (struct open_stack){ branches.first[branch.stack],
						       branches.first[branch.stack + 1],
						       prefix.len };
	}
	WK_FREE_ALL(open, branches.at, branches.first);
	wk_buf_fini(&prefix);
}
