#include "render/profiles/firefox_tables.h"

#include <inttypes.h>

#include "base/mem.h"
#include "event/pdb_id.h"
#include "views/kind.h"
#include "views/tree/merge.h"

#define RESOURCE_LIBRARY "1"

/* The format's categories of code. It accepts only these colours; "Kernel" is known by name, and
 * grey is for everything else. */
static const struct {
	const char *name, *colour;
} categories[WK_CODE_KINDS] = {
	[WK_CODE_PROGRAM] = { "Your program", "orange" },
	[WK_CODE_COMPILER] = { "rustc", "yellow" },
	[WK_CODE_STANDARD] = { "Standard library", "brown" },
	[WK_CODE_NATIVE] = { "Native libraries", "blue" },
	[WK_CODE_KERNEL] = { "Kernel", "purple" },
	[WK_CODE_ALLOCATOR] = { "Allocator", "green" },
	[WK_CODE_RUNTIME] = { "Language runtime", "lightred" },
	[WK_CODE_UNKNOWN] = { "Other", "grey" },
};

/* --- Rows ---------------------------------------------------------------------------------- */

static uint32_t add_row(struct wk_fox_rows *rows, uint32_t id)
{
	*WK_APPEND(rows->at, rows->count, rows->cap) = id;
	return rows->count - 1;
}

static uint32_t row_of(struct wk_fox_ids *ids, uint32_t id)
{
	uint32_t *row = wk_map_at(&ids->row_of, id);

	if (!*row)
		*row = add_row(&ids->rows, id) + 1;
	return *row - 1;
}

static void fini_ids(struct wk_fox_ids *ids)
{
	wk_free(ids->rows.at);
	wk_map_fini(&ids->row_of);
}

/* The number of calls in all frames. */
static size_t call_count(const struct wk_model *model)
{
	return model->calls.first ? model->calls.count : model->frames.count;
}

static uint32_t first_call(const struct wk_model *model, wk_frame_id frame)
{
	return model->calls.first ? model->calls.first[frame] : frame;
}

void wk_fox_shared_init(struct wk_fox_shared *shared, const struct wk_model *model)
{
	*shared = (struct wk_fox_shared){ .model = model };
	shared->merged = wk_functions_merged(model, false, false);
	shared->category_of = wk_alloc_zeroed(model->function_count, 1);
	shared->stack_row = wk_alloc_zeroed(model->stacks.count, sizeof(uint32_t));
	shared->frame_row = wk_alloc_zeroed(call_count(model), sizeof(uint32_t));
	shared->func_row = wk_alloc_zeroed(model->function_count, sizeof(uint32_t));
	shared->resource_row = wk_alloc_zeroed(model->image_count, sizeof(uint32_t));
}

void wk_fox_shared_fini(struct wk_fox_shared *shared)
{
	fini_ids(&shared->texts);
	fini_ids(&shared->sources);
	fini_ids(&shared->libs);
	WK_FREE_ALL(shared->merged, shared->category_of, shared->stack_row, shared->frame_row,
		    shared->func_row, shared->resource_row);
}

void wk_fox_tables_reset(struct wk_fox_shared *shared, struct wk_fox_tables *tables)
{
	for (uint32_t i = 0; i < tables->known.count; i++)
		shared->stack_row[tables->known.at[i]] = 0;
	for (uint32_t i = 0; i < tables->frames.count; i++)
		shared->frame_row[first_call(shared->model, tables->frames.at[i]) +
				  tables->calls.at[i]] = 0;
	for (uint32_t i = 0; i < tables->funcs.count; i++)
		shared->func_row[tables->funcs.at[i]] = 0;
	for (uint32_t i = 0; i < tables->resources.count; i++)
		shared->resource_row[tables->resources.at[i]] = 0;
	tables->stacks.count = tables->prefixes.count = tables->known.count = 0;
	tables->frames.count = tables->calls.count = 0;
	tables->depths.count = tables->places.count = 0;
	tables->funcs.count = tables->resources.count = 0;
}

void wk_fox_tables_fini(struct wk_fox_tables *tables)
{
	WK_FREE_ALL(tables->stacks.at, tables->prefixes.at, tables->known.at, tables->frames.at,
		    tables->calls.at, tables->depths.at, tables->places.at, tables->funcs.at,
		    tables->resources.at, tables->path.at);
}

/* --- Stacks -------------------------------------------------------------------------------- */

static wk_function_id function_of(const struct wk_fox_shared *shared, wk_frame_id frame,
				  uint32_t call)
{
	return shared->merged[wk_model_calls_of(shared->model, frame).function[call]];
}

static void know_function(struct wk_fox_shared *shared, struct wk_fox_tables *tables,
			  wk_function_id function)
{
	wk_image_id image = shared->model->functions[function].image;

	if (shared->func_row[function])
		return;
	shared->func_row[function] = add_row(&tables->funcs, function) + 1;
	if (image && !shared->resource_row[image])
		shared->resource_row[image] = add_row(&tables->resources, image) + 1;
}

/* The position of a call among those inlined into one another. */
struct inlining {
	uint32_t depth;
	wk_frame_id place; /* the recorded frame of the outermost */
};

static uint32_t frame_row(struct wk_fox_shared *shared, struct wk_fox_tables *tables,
			  wk_frame_id frame, uint32_t call, struct inlining inlining)
{
	uint32_t *row = &shared->frame_row[first_call(shared->model, frame) + call];

	if (!*row) {
		*row = add_row(&tables->frames, frame) + 1;
		add_row(&tables->calls, call);
		add_row(&tables->depths, inlining.depth);
		add_row(&tables->places, inlining.place);
		know_function(shared, tables, function_of(shared, frame, call));
	}
	return *row - 1;
}

/* For a frame that came with its name and is marked as inlined into its caller. */
static struct inlining inlining_of(const struct wk_fox_shared *shared,
				   const struct wk_fox_tables *tables, wk_frame_id frame,
				   uint32_t prefix)
{
	uint32_t caller;

	if (!shared->model->frames.is_inlined[frame] || !prefix)
		return (struct inlining){ 0, frame };
	caller = tables->stacks.at[prefix - 1];
	return (struct inlining){ tables->depths.at[caller] + 1, tables->places.at[caller] };
}

/* The calls of a recorded stack's frame, after those of its parent, whose row is known. */
static void add_stack(struct wk_fox_shared *shared, struct wk_fox_tables *tables, wk_stack_id stack)
{
	const struct wk_model *model = shared->model;
	uint32_t prefix = shared->stack_row[model->stacks.entries[stack].parent];
	wk_frame_id frame = model->stacks.entries[stack].label;
	struct inlining inlining = inlining_of(shared, tables, frame, prefix);
	uint32_t count = wk_model_calls_of(model, frame).count;

	for (uint32_t i = 0; i < count; i++, inlining.depth++) {
		add_row(&tables->prefixes, prefix);
		prefix =
			add_row(&tables->stacks, frame_row(shared, tables, frame, i, inlining)) + 1;
	}
	shared->stack_row[stack] = prefix;
	add_row(&tables->known, stack);
}

uint32_t wk_fox_stack(struct wk_fox_shared *shared, struct wk_fox_tables *tables, wk_stack_id stack)
{
	tables->path.count = 0;
	for (wk_stack_id at = stack; at && !shared->stack_row[at];
	     at = shared->model->stacks.entries[at].parent)
		add_row(&tables->path, at);
	while (tables->path.count)
		add_stack(shared, tables, tables->path.at[--tables->path.count]);
	return shared->stack_row[stack] - 1;
}

/* --- Columns ------------------------------------------------------------------------------- */

bool wk_fox_edge(struct wk_out *out, const char *name, uint32_t row, uint32_t count)
{
	if (row == 0 && name) {
		wk_out_text(out, ",\n\"");
		wk_out_text(out, name);
		wk_out_text(out, "\":[");
	}
	if (row == count)
		wk_out_char(out, ']');
	return row < count;
}

void wk_fox_number_or(struct wk_out *out, bool is_known, uint64_t number, const char *other)
{
	if (is_known)
		wk_out_u64(out, number);
	else
		wk_out_text(out, other);
}

/* A column in which every row has the same. */
static void same(struct wk_out *out, const char *name, const char *value, uint32_t count)
{
	for (uint32_t i = 0; wk_fox_cell(out, name, i, count); i++)
		wk_out_text(out, value);
}

static void length(struct wk_out *out, uint32_t count)
{
	wk_out_text(out, ",\n\"length\":");
	wk_out_u64(out, count);
	wk_out_char(out, '}');
}

static unsigned category_of(struct wk_fox_shared *shared, wk_function_id function)
{
	uint8_t *known = &shared->category_of[function];

	if (!*known)
		*known = (uint8_t)(1 + wk_code_kind_of(shared->model, function));
	return *known - 1u;
}

/* Is the address of a frame an offset in a file? */
static bool has_offset(const struct wk_model *model, wk_frame_id frame)
{
	enum wk_image_kind kind = model->images[model->frames.image[frame]].kind;
	bool is_file = kind == WK_IMAGE_FILE || kind == WK_IMAGE_VDSO;
	bool is_known = model->frames.address[frame] || !model->frames.function[frame];

	return is_file && is_known && model->frames.image[frame] &&
	       model->frames.address[frame] <= INT64_MAX;
}

static void write_frames(struct wk_fox_shared *shared, const struct wk_fox_tables *tables,
			 struct wk_out *out)
{
	const struct wk_model *model = shared->model;
	const uint32_t *frames = tables->frames.at, *calls = tables->calls.at;
	uint32_t count = tables->frames.count;

	wk_out_text(out, ",\n\"frameTable\":{\"address\":[");
	for (uint32_t i = 0; wk_fox_cell(out, NULL, i, count); i++)
		wk_fox_number_or(out, has_offset(model, tables->places.at[i]),
				 model->frames.address[tables->places.at[i]], "-1");
	for (uint32_t i = 0; wk_fox_cell(out, "inlineDepth", i, count); i++)
		wk_out_u64(out, tables->depths.at[i]);
	for (uint32_t i = 0; wk_fox_cell(out, "category", i, count); i++)
		wk_out_u64(out, category_of(shared, function_of(shared, frames[i], calls[i])));
	same(out, "subcategory", "0", count);
	for (uint32_t i = 0; wk_fox_cell(out, "func", i, count); i++)
		wk_out_u64(out, shared->func_row[function_of(shared, frames[i], calls[i])] - 1);
	same(out, "nativeSymbol", "null", count);
	same(out, "innerWindowID", "null", count);
	for (uint32_t i = 0; wk_fox_cell(out, "line", i, count); i++) {
		uint32_t line = wk_model_calls_of(model, frames[i]).line[calls[i]];

		wk_fox_number_or(out, line, line, "null");
	}
	same(out, "column", "null", count);
	length(out, count);
}

static void write_funcs(struct wk_fox_shared *shared, const struct wk_fox_tables *tables,
			struct wk_out *out)
{
	const struct wk_function *functions = shared->model->functions;
	const uint32_t *funcs = tables->funcs.at;
	uint32_t count = tables->funcs.count;

	wk_out_text(out, ",\n\"funcTable\":{\"name\":[");
	for (uint32_t i = 0; wk_fox_cell(out, NULL, i, count); i++)
		wk_out_u64(out, row_of(&shared->texts, functions[funcs[i]].name));
	for (uint32_t i = 0; wk_fox_cell(out, "isJS", i, count); i++)
		wk_out_text(out, wk_frame_kind_is_jit(functions[funcs[i]].kind) ? "true" : "false");
	same(out, "relevantForJS", "false", count);
	for (uint32_t i = 0; wk_fox_cell(out, "resource", i, count); i++) {
		wk_image_id image = functions[funcs[i]].image;

		wk_fox_number_or(out, image, shared->resource_row[image] - 1, "-1");
	}
	for (uint32_t i = 0; wk_fox_cell(out, "source", i, count); i++) {
		wk_text_id file = functions[funcs[i]].file;

		wk_fox_number_or(out, file, file ? row_of(&shared->sources, file) : 0, "null");
	}
	same(out, "lineNumber", "null", count);
	same(out, "columnNumber", "null", count);
	length(out, count);
}

static void write_resources(struct wk_fox_shared *shared, const struct wk_fox_tables *tables,
			    struct wk_out *out)
{
	const uint32_t *resources = tables->resources.at;
	uint32_t count = tables->resources.count;

	wk_out_text(out, ",\n\"resourceTable\":{\"lib\":[");
	for (uint32_t i = 0; wk_fox_cell(out, NULL, i, count); i++)
		wk_out_u64(out, row_of(&shared->libs, resources[i]));
	for (uint32_t i = 0; wk_fox_cell(out, "name", i, count); i++)
		wk_out_u64(out, row_of(&shared->texts, shared->model->images[resources[i]].name));
	same(out, "host", "null", count);
	same(out, "type", RESOURCE_LIBRARY, count);
	length(out, count);
}

void wk_fox_tables_write(struct wk_fox_shared *shared, const struct wk_fox_tables *tables,
			 struct wk_out *out)
{
	const uint32_t *prefixes = tables->prefixes.at;
	uint32_t count = tables->stacks.count;

	wk_out_text(out, ",\n\"stackTable\":{\"frame\":[");
	for (uint32_t i = 0; wk_fox_cell(out, NULL, i, count); i++)
		wk_out_u64(out, tables->stacks.at[i]);
	for (uint32_t i = 0; wk_fox_cell(out, "prefix", i, count); i++)
		wk_fox_number_or(out, prefixes[i], prefixes[i] - 1, "null");
	length(out, count);
	write_frames(shared, tables, out);
	write_funcs(shared, tables, out);
	write_resources(shared, tables, out);
	wk_out_text(out, ",\n\"nativeSymbols\":{\"libIndex\":[],\"address\":[],\"name\":[],"
			 "\"functionSize\":[],\"length\":0}");
}

/* --- What threads share -------------------------------------------------------------------- */

/* As Breakpad writes ids: a PDB's like symbol stores; of others the first 16 bytes as a GUID and an
 * age of 0. */
static void write_breakpad_id(const struct wk_image *image, struct wk_out *out)
{
	struct wk_pdb_id id = { 0 };
	struct wk_buf text = { 0 };

	if (image->pdb_path)
		id = wk_pdb_id_of_build_id(&image->build_id);
	if (wk_pdb_id_is_none(&id))
		memcpy(id.guid, image->build_id.bytes, sizeof(id.guid));
	if (image->build_id.size)
		wk_pdb_id_add(&text, &id);
	wk_out_json_quoted(out, wk_buf_str(&text));
	wk_buf_fini(&text);
}

/* Of Windows that by which stores keep the image itself, else its build id. */
static void write_code_id(const struct wk_image *image, struct wk_out *out)
{
	struct wk_buf text = { 0 };

	if (image->time_stamp && image->image_bytes)
		wk_buf_add_fmt(&text, "%08" PRIX32 "%" PRIx32, image->time_stamp,
			       image->image_bytes);
	else if (!image->pdb_path)
		wk_build_id_add(&text, &image->build_id, false);
	if (text.len)
		wk_out_json_quoted(out, wk_buf_str(&text));
	else
		wk_out_text(out, "null");
	wk_buf_fini(&text);
}

static void write_lib(const struct wk_model *model, wk_image_id id, struct wk_out *out)
{
	const struct wk_image *image = &model->images[id];
	struct wk_str name = wk_model_str(model, image->name);
	struct wk_str path = wk_model_str(model, image->path);

	wk_out_text(out, "{\"arch\":\"\",\"name\":");
	wk_out_json_quoted(out, name);
	wk_out_text(out, ",\"path\":");
	wk_out_json_quoted(out, path);
	if (image->pdb_path) {
		path = wk_model_str(model, image->pdb_path);
		name = wk_str_basename(path);
	}
	wk_out_text(out, ",\"debugName\":");
	wk_out_json_quoted(out, name);
	wk_out_text(out, ",\"debugPath\":");
	wk_out_json_quoted(out, path);
	wk_out_text(out, ",\"breakpadId\":");
	write_breakpad_id(image, out);
	wk_out_text(out, ",\"codeId\":");
	write_code_id(image, out);
	wk_out_char(out, '}');
}

void wk_fox_shared_write(struct wk_fox_shared *shared, struct wk_out *out)
{
	const struct wk_model *model = shared->model;
	uint32_t sources = shared->sources.rows.count;

	wk_out_text(out, "\"libs\":[");
	for (uint32_t i = 0; i < shared->libs.rows.count; i++) {
		wk_out_text(out, i ? ",\n" : "\n");
		write_lib(model, shared->libs.rows.at[i], out);
	}
	wk_out_text(out, "],\n\"shared\":{\"sources\":{\"filename\":[");
	for (uint32_t i = 0; wk_fox_cell(out, NULL, i, sources); i++)
		wk_out_u64(out, row_of(&shared->texts, shared->sources.rows.at[i]));
	same(out, "uuid", "null", sources);
	length(out, sources);
	wk_out_text(out, ",\n\"stringArray\":[");
	for (uint32_t i = 0; i < shared->texts.rows.count; i++) {
		wk_out_text(out, i ? ",\n" : "\n");
		wk_out_json_quoted(out, wk_model_str(model, shared->texts.rows.at[i]));
	}
	wk_out_text(out, "]}");
}

void wk_fox_categories_write(struct wk_out *out)
{
	wk_out_text(out, "\"categories\":[");
	for (int i = 0; i < WK_CODE_KINDS; i++)
		wk_out_fmt(out,
			   "%s{\"name\":\"%s\",\"color\":\"%s\","
			   "\"subcategories\":[\"Other\"]}",
			   i ? ",\n" : "\n", categories[i].name, categories[i].colour);
	wk_out_char(out, ']');
}
