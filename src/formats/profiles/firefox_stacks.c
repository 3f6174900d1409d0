#include "formats/profiles/firefox_stacks.h"

#include "base/mem.h"
#include "base/num.h"

#define MOST_DIGITS 20         /* of a 64-bit number */
#define ON_PATH     UINT32_MAX /* in number_of_stack, while the way to the root is walked */

enum { STACK_PREFIX, STACK_FRAME };
enum {
	FRAME_FUNC,
	FRAME_LINE,
	FRAME_ADDRESS,
	FRAME_DEPTH,
	FRAME_CATEGORY,
	FRAME_SYMBOL,
	FRAME_LOCATION
};
enum { FUNC_NAME, FUNC_RESOURCE, FUNC_FILE, FUNC_SOURCE, FUNC_LINE, FUNC_IS_JS };
enum { RESOURCE_LIB };
enum { SYMBOL_LIB };
enum { SOURCE_FILE };

/* The tables of a profile, by the key they have in it. */
static const struct {
	const char *key;
	size_t at; /* in struct wk_fx_tables */
	struct wk_fx_layout layout;
} tables_by_key[] = {
	{ "stackTable", offsetof(struct wk_fx_tables, stacks), { .names = { "prefix", "frame" } } },
	{ "frameTable",
	  offsetof(struct wk_fx_tables, frames),
	  { .names = { "func", "line", "address", "inlineDepth", "category", "nativeSymbol",
		       "location" } } },
	{ "funcTable",
	  offsetof(struct wk_fx_tables, funcs),
	  { .names = { "name", "resource", "fileName", "source", "lineNumber", "isJS" } } },
	{ "resourceTable", offsetof(struct wk_fx_tables, resources), { .names = { "lib" } } },
	{ "nativeSymbols", offsetof(struct wk_fx_tables, symbols), { .names = { "libIndex" } } },
	{ "sources", offsetof(struct wk_fx_tables, sources), { .names = { "filename" } } },
};

#define TABLES (sizeof(tables_by_key) / sizeof(tables_by_key[0]))

static struct wk_fx_table *table_of(struct wk_fx_tables *tables, size_t number)
{
	return (struct wk_fx_table *)(void *)((char *)tables + tables_by_key[number].at);
}

/* --- Texts --------------------------------------------------------------------------------- */

static void read_strings(struct wk_fx_maker *maker, struct wk_fx_texts *texts, struct wk_json *json)
{
	if (!wk_json_enter_array(json))
		return;
	while (wk_json_next_element(json))
		*WK_APPEND(texts->at, texts->count, texts->cap) =
			wk_strtab_add_str(maker->texts, wk_json_text(json));
}

/* An array of objects, of which one text each is stored: `best`, or `other` if that is empty. */
static void read_named(struct wk_fx_maker *maker, const char *best, const char *other,
		       struct wk_fx_texts *texts, struct wk_json *json)
{
	struct wk_str key;

	if (!wk_json_enter_array(json))
		return;
	while (wk_json_next_element(json)) {
		uint32_t *stored = WK_APPEND(texts->at, texts->count, texts->cap);

		*stored = 0;
		if (!wk_json_enter_object(json))
			continue;
		while (wk_json_next_key(json, &key)) {
			bool is_best = wk_str_is(key, best);
			uint32_t text;

			if (!is_best && !wk_str_is(key, other))
				continue;
			text = wk_strtab_add_str(maker->texts, wk_json_text(json));
			if (text && (is_best || !*stored))
				*stored = text;
		}
	}
}

void wk_fx_tables_key(struct wk_fx_maker *maker, struct wk_fx_tables *tables, struct wk_str key,
		      struct wk_json *json)
{
	for (size_t i = 0; i < TABLES; i++)
		if (wk_str_is(key, tables_by_key[i].key))
			wk_fx_table_read(table_of(tables, i), &tables_by_key[i].layout, json);
	if (wk_str_is(key, "stringArray") || wk_str_is(key, "stringTable"))
		read_strings(maker, &tables->strings, json);
	else if (wk_str_is(key, "libs"))
		read_named(maker, "path", "name", &tables->libs, json);
	else if (wk_str_is(key, "categories"))
		read_named(maker, "name", "name", &tables->categories, json);
}

/* A text of a thread's own list or, if that is empty, of the shared one. */
static struct wk_str text_at(const struct wk_fx_maker *maker, const struct wk_fx_texts *own,
			     const struct wk_fx_texts *shared, int64_t index)
{
	const struct wk_fx_texts *from = own->count ? own : shared;

	if (index < 0 || (uint64_t)index >= from->count)
		return wk_str_c("");
	return wk_strtab_str(maker->texts, from->at[index]);
}

static struct wk_str string_at(const struct wk_fx_maker *maker, const struct wk_fx_tables *tables,
			       const struct wk_fx_tables *shared, int64_t index)
{
	return text_at(maker, &tables->strings, &shared->strings, index);
}

/* --- Frames -------------------------------------------------------------------------------- */

static uint32_t line_of(int64_t line)
{
	return line > 0 && line <= UINT32_MAX ? (uint32_t)line : 0;
}

static bool is_address(struct wk_str name)
{
	uint64_t address;

	return wk_str_starts(name, "0x") && name.len <= 18 &&
	       wk_num_hex(wk_str_skip(name, 2), &address);
}

static void describe_processed(const struct wk_fx_maker *maker, const struct wk_fx_tables *shared,
			       const struct wk_fx_tables *tables, int64_t row,
			       struct wk_event_frame *frame)
{
	int64_t func = wk_fx_get(&tables->frames, FRAME_FUNC, row);
	int64_t resource = wk_fx_get(&tables->funcs, FUNC_RESOURCE, func);
	int64_t source = wk_fx_get(&tables->funcs, FUNC_SOURCE, func);
	int64_t symbol = wk_fx_get(&tables->frames, FRAME_SYMBOL, row);
	int64_t lib = wk_fx_get(&tables->resources, RESOURCE_LIB, resource);
	int64_t file = wk_fx_get(&tables->funcs, FUNC_FILE, func);

	if (lib < 0)
		lib = wk_fx_get(&tables->symbols, SYMBOL_LIB, symbol);
	if (file < 0)
		file = wk_fx_get(&shared->sources, SOURCE_FILE, source);
	frame->name = string_at(maker, tables, shared, wk_fx_get(&tables->funcs, FUNC_NAME, func));
	frame->image = text_at(maker, &tables->libs, &shared->libs, lib);
	frame->file = string_at(maker, tables, shared, file);
	frame->line = line_of(wk_fx_get(&tables->frames, FRAME_LINE, row));
	if (!frame->line)
		frame->line = line_of(wk_fx_get(&tables->funcs, FUNC_LINE, func));
	frame->is_inlined = wk_fx_get(&tables->frames, FRAME_DEPTH, row) > 0;
	if (wk_fx_get(&tables->funcs, FUNC_IS_JS, func) == 1)
		frame->kind = WK_FRAME_JIT;
}

/* Removes ":12" or ":12:5" from the end of a location; returns the line, or 0. */
static uint32_t read_line(struct wk_str *place)
{
	uint64_t number = 0;
	uint32_t line = 0;

	for (int i = 0; i < 2; i++) {
		size_t colon = place->len;

		while (colon && place->len - colon <= MOST_DIGITS && place->at[colon - 1] >= '0' &&
		       place->at[colon - 1] <= '9')
			colon--;
		if (colon == place->len || colon < 2 || place->at[colon - 1] != ':' ||
		    !wk_num_u64(wk_str_skip(*place, colon), &number))
			break;
		line = number <= UINT32_MAX ? (uint32_t)number : 0;
		place->len = colon - 1;
	}
	return line;
}

/* After the last " (" of a location, or less than 3. Any number of rows may refer to one. */
static uint32_t open_of(struct wk_fx_maker *maker, struct wk_str location)
{
	uint32_t text = wk_strtab_add_lasting(maker->texts, location);
	uint32_t *known = wk_map_at(&maker->open_of, text);
	size_t open = location.len;

	if (*known)
		return *known;
	while (open > 1 && !(location.at[open - 1] == '(' && location.at[open - 2] == ' '))
		open--;
	return *known = (uint32_t)open;
}

/* "name (https://place:12:5)" and "name (in library)"; any other text is a name as it is. */
static void describe_location(struct wk_fx_maker *maker, struct wk_str location,
			      struct wk_event_frame *frame)
{
	size_t open;
	struct wk_str inside;

	frame->name = location;
	if (!wk_str_ends(location, ")"))
		return;
	open = open_of(maker, location);
	if (open < 3)
		return;
	inside = wk_str_of(location.at + open, location.len - 1 - open);
	if (wk_str_starts(inside, "in ")) {
		frame->image = wk_str_skip(inside, 3);
	} else {
		frame->line = read_line(&inside);
		if (!frame->line)
			return;
		frame->file = inside;
		frame->kind = WK_FRAME_JIT;
	}
	frame->name.len = open - 2;
}

static uint32_t make_frame(struct wk_fx_maker *maker, const struct wk_fx_tables *shared,
			   const struct wk_fx_tables *tables, int64_t row)
{
	int64_t category = wk_fx_get(&tables->frames, FRAME_CATEGORY, row);
	int64_t address = wk_fx_get(&tables->frames, FRAME_ADDRESS, row);
	int64_t location = wk_fx_get(&tables->frames, FRAME_LOCATION, row);
	struct wk_event_frame frame = { .address = address > 0 ? (uint64_t)address : 0,
					.is_lasting = true };

	if (location >= 0)
		describe_location(maker, string_at(maker, tables, shared, location), &frame);
	else
		describe_processed(maker, shared, tables, row, &frame);
	/* The line that ran, if it is known, not the first line of the function. */
	if (location >= 0 && line_of(wk_fx_get(&tables->frames, FRAME_LINE, row)))
		frame.line = line_of(wk_fx_get(&tables->frames, FRAME_LINE, row));
	if (wk_str_is(text_at(maker, &shared->categories, &shared->categories, category), "Kernel"))
		frame.kind = WK_FRAME_KERNEL;
	frame.is_unnamed = frame.name.len == 0 || is_address(frame.name);
	if (frame.name.len == 0)
		frame.name = wk_str_c("[unnamed]");
	return wk_stack_writer_frame(maker->writer, &frame);
}

/* The writer's number of a frame, or 0 if there is no such row. */
static uint32_t frame_of(struct wk_fx_maker *maker, const struct wk_fx_tables *shared,
			 struct wk_fx_tables *tables, int64_t row)
{
	unsigned column = wk_fx_count(&tables->frames, FRAME_FUNC) ? FRAME_FUNC : FRAME_LOCATION;
	size_t count = wk_fx_count(&tables->frames, column);

	if (row < 0 || (uint64_t)row >= count)
		return 0;
	if (!tables->number_of_frame)
		tables->number_of_frame = wk_alloc_zeroed(count, sizeof(uint32_t));
	if (!tables->number_of_frame[row])
		tables->number_of_frame[row] = make_frame(maker, shared, tables, row);
	return tables->number_of_frame[row];
}

/* --- Stacks -------------------------------------------------------------------------------- */

/* Walks towards the root to the first known stack, and back while adding them: each row once, in
 * any order; a cycle is cut where it closes. */
uint32_t wk_fx_stack(struct wk_fx_maker *maker, const struct wk_fx_tables *shared,
		     struct wk_fx_tables *tables, int64_t row)
{
	size_t count = wk_fx_count(&tables->stacks, STACK_FRAME), depth = 0;
	uint32_t stack = 0;

	if (!tables->number_of_stack)
		tables->number_of_stack = wk_alloc_zeroed(count + 1, sizeof(uint32_t));
	while (row >= 0 && (uint64_t)row < count && !tables->number_of_stack[row]) {
		*WK_APPEND(maker->path, depth, maker->path_cap) = (uint32_t)row;
		tables->number_of_stack[row] = ON_PATH;
		row = wk_fx_get(&tables->stacks, STACK_PREFIX, row);
	}
	if (row >= 0 && (uint64_t)row < count && tables->number_of_stack[row] != ON_PATH)
		stack = tables->number_of_stack[row] - 1;
	while (depth) {
		uint32_t at = maker->path[--depth];
		uint32_t frame = frame_of(maker, shared, tables,
					  wk_fx_get(&tables->stacks, STACK_FRAME, at));

		if (frame)
			stack = wk_stack_writer_stack(maker->writer, stack, frame);
		tables->number_of_stack[at] = stack + 1;
	}
	return stack;
}

bool wk_fx_tables_have_stacks(const struct wk_fx_tables *tables)
{
	return wk_fx_count(&tables->stacks, STACK_FRAME) > 0;
}

void wk_fx_tables_fini(struct wk_fx_tables *tables)
{
	for (size_t i = 0; i < TABLES; i++)
		wk_fx_table_fini(table_of(tables, i));
	WK_FREE_ALL(tables->strings.at, tables->libs.at, tables->categories.at,
		    tables->number_of_frame, tables->number_of_stack);
}
