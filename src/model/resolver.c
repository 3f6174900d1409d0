#include "model/resolver.h"

#include <stdlib.h>

#include "base/bisect.h"
#include "base/mem.h"

struct resolving_image {
	bool is_open;
	struct wk_image_symbols *symbols;
	bool is_unsure;         /* a kernel that may have been loaded elsewhere since */
	bool has_used_recorded; /* names that came with the recording */
	bool was_asked, names_all;
};

/* Rows of the model, sorted by path and address. Each begins with a wk_recorded_key. */
struct recorded {
	char *rows;
	uint32_t count;
	size_t row_bytes;
};

struct wk_resolver {
	const struct wk_model *model;
	struct wk_symbols *symbols;
	struct resolving_image *images;
	size_t image_count, image_cap;
	struct recorded names, calls, bounds;
	enum { KERNEL_UNKNOWN, OUR_KERNEL, OTHER_KERNEL } kernel;
	struct wk_place places[WK_MOST_PLACES];
};

struct wk_resolver *wk_resolver_new(const struct wk_model *model, struct wk_symbols *symbols)
{
	struct wk_resolver *resolver = wk_alloc_zeroed(1, sizeof(*resolver));

	resolver->model = model;
	resolver->symbols = symbols;
	return resolver;
}

void wk_resolver_free(struct wk_resolver *resolver)
{
	if (!resolver)
		return;
	WK_FREE_ALL(resolver->images, resolver->names.rows, resolver->calls.rows,
		    resolver->bounds.rows, resolver);
}

/* --- Names that came with the recording ---------------------------------------------------- */

/* Rows of one build are together, since a comparison has several builds of one path. */
static int by_build_and_address(const void *a, const void *b)
{
	const struct wk_recorded_key *left = a, *right = b;
	int order;

	if (left->path != right->path)
		return left->path < right->path ? -1 : 1;
	if (left->build_id.size != right->build_id.size)
		return left->build_id.size < right->build_id.size ? -1 : 1;
	order = memcmp(left->build_id.bytes, right->build_id.bytes, left->build_id.size);
	if (order)
		return order;
	if (left->input != right->input && !left->build_id.size)
		return left->input < right->input ? -1 : 1;
	return (left->address > right->address) - (left->address < right->address);
}

/* Replaces the sorted copy if the model has more rows by now. */
static void sort_rows(struct recorded *table, const void *rows, uint32_t count, size_t row_bytes)
{
	if (table->count == count)
		return;
	table->rows = wk_realloc(table->rows, count * row_bytes);
	memcpy(table->rows, rows, count * row_bytes);
	qsort(table->rows, count, row_bytes, by_build_and_address);
	table->count = count;
	table->row_bytes = row_bytes;
}

static void sort_recorded(struct wk_resolver *resolver)
{
	const struct wk_model *model = resolver->model;

	sort_rows(&resolver->names, model->embedded, model->embedded_count,
		  sizeof(*model->embedded));
	sort_rows(&resolver->calls, model->embedded_places, model->embedded_place_count,
		  sizeof(*model->embedded_places));
	sort_rows(&resolver->bounds, model->embedded_bounds, model->embedded_bounds_count,
		  sizeof(*model->embedded_bounds));
}

static const void *row_at(const struct recorded *table, uint32_t index)
{
	return table->rows + index * table->row_bytes;
}

/* How many rows are of builds before the key's, or of its build and at its address or before. */
static uint32_t rows_up_to(const struct recorded *table, const struct wk_recorded_key *key)
{
	uint32_t low = 0, high = table->count;

	WK_BISECT(low, high, by_build_and_address(row_at(table, middle), key) <= 0);
	return low;
}

/* The last row of the key's build that is at its address or before; or NULL. */
static const void *last_row(const struct recorded *table, const struct wk_recorded_key *key)
{
	uint32_t count = key->path ? rows_up_to(table, key) : 0;
	const struct wk_recorded_key *row = count ? row_at(table, count - 1) : NULL;

	if (!row || row->path != key->path || !wk_build_id_eq(&row->build_id, &key->build_id) ||
	    (!row->build_id.size && row->input != key->input))
		return NULL;
	return row;
}

/* The last row of the image that is at `address` or before. A row without a build id is of any file
 * of its path in its input. */
static const void *row_before(const struct recorded *table, const struct wk_image *image,
			      uint64_t address)
{
	struct wk_recorded_key key = { image->path, image->build_id, address, 0 };
	const void *row = key.build_id.size ? last_row(table, &key) : NULL;

	key.build_id = (struct wk_build_id){ 0 };
	for (key.input = image->last_input + 1; !row && key.input-- > image->first_input;)
		row = last_row(table, &key);
	return row;
}

static bool find_recorded_name(const struct wk_resolver *resolver, wk_image_id id, uint64_t address,
			       struct wk_symbol *symbol)
{
	const struct wk_embedded_symbol *row =
		row_before(&resolver->names, &resolver->model->images[id], address);

	if (!row || address - row->at.address >= row->size_bytes)
		return false;
	*symbol = (struct wk_symbol){ .name = wk_model_str(resolver->model, row->name),
				      .start = row->at.address,
				      .size_bytes = row->size_bytes };
	symbol->is_plt = wk_str_ends(symbol->name, WK_PLT);
	symbol->name.len -= symbol->is_plt ? strlen(WK_PLT) : 0;
	return true;
}

/* NULL, or a row with at least one call. */
static const struct wk_embedded_place *find_recorded_calls(struct wk_resolver *resolver,
							   wk_image_id id, uint64_t address)
{
	const struct wk_embedded_place *row =
		row_before(&resolver->calls, &resolver->model->images[id], address);

	if (!row || row->at.address != address || !row->count)
		return NULL;
	resolver->images[id].has_used_recorded = true;
	return row;
}

static const struct wk_embedded_bounds *find_bounds(const struct wk_resolver *resolver,
						    wk_image_id id, uint64_t address)
{
	const struct wk_embedded_bounds *row =
		row_before(&resolver->bounds, &resolver->model->images[id], address);

	return row && address - row->at.address < row->size_bytes ? row : NULL;
}

const struct wk_embedded_bounds *wk_resolver_bounds(struct wk_resolver *resolver, wk_image_id image,
						    uint64_t address)
{
	sort_recorded(resolver);
	return find_bounds(resolver, image, address);
}

/* --- Images of this machine ---------------------------------------------------------------- */

/* A kernel without a build id (perf record -z) is identified by what else was recorded. */
static bool is_our_kernel_by_facts(const struct wk_resolver *resolver, wk_image_id id)
{
	const struct wk_model *model = resolver->model;
	const struct wk_image *image = &model->images[id];
	struct wk_image_key key = wk_model_image_key(model, id);

	return image->build_id.size == 0 &&
	       wk_str_starts(wk_model_str(model, image->path), "[kernel") &&
	       wk_is_running_release(wk_model_fact(model, "host name"),
				     wk_model_fact(model, "kernel")) &&
	       wk_kernel_is_at(wk_symbols_image(resolver->symbols, &key), image->first_start,
			       image->first_size_bytes);
}

/* Was the recording made under the kernel that runs now? */
static bool kernel_is_ours(struct wk_resolver *resolver)
{
	const struct wk_model *model = resolver->model;

	if (resolver->kernel != KERNEL_UNKNOWN)
		return resolver->kernel == OUR_KERNEL;
	resolver->kernel = OTHER_KERNEL;
	for (wk_image_id id = 1; resolver->symbols && id < model->image_count; id++)
		if (model->images[id].kind == WK_IMAGE_KERNEL &&
		    (wk_is_running_kernel(&model->images[id].build_id) ||
		     is_our_kernel_by_facts(resolver, id))) {
			resolver->kernel = OUR_KERNEL;
			break;
		}
	return resolver->kernel == OUR_KERNEL;
}

/* Only the running kernel names these: itself, and a vDSO without a build id. */
static bool is_of_the_kernel(const struct wk_image *image)
{
	return image->kind == WK_IMAGE_KERNEL ||
	       (image->kind == WK_IMAGE_VDSO && image->build_id.size == 0);
}

/* Of a thousand places before which there is no call, seven look as if there were. Below the
 * kernel's frames is the instruction that was interrupted, or a system call. */
static bool has_recorded_calls(const struct wk_model *model, wk_image_id image,
			       const struct wk_image_symbols *symbols)
{
	uint32_t asked = 0, calls = 0;

	for (wk_stack_id id = 1; id < model->stacks.count; id++) {
		wk_frame_id callee = model->stacks.entries[id].label;
		wk_frame_id caller = model->stacks.entries[model->stacks.entries[id].parent].label;

		if (!model->stacks.entries[id].parent || model->frames.image[caller] != image ||
		    model->images[model->frames.image[callee]].kind == WK_IMAGE_KERNEL)
			continue;
		asked++;
		calls += wk_image_calls_before(symbols, model->frames.address[caller] + 1);
	}
	return asked && calls >= asked - asked / 10;
}

static struct resolving_image *open_image(struct wk_resolver *resolver, wk_image_id id)
{
	const struct wk_image *image = &resolver->model->images[id];
	struct resolving_image *open;
	struct wk_image_key key;

	sort_recorded(resolver);
	if (id >= resolver->image_count) {
		WK_RESERVE(resolver->images, resolver->image_cap, (size_t)id + 1);
		while (resolver->image_count <= id)
			resolver->images[resolver->image_count++] = (struct resolving_image){ 0 };
	}
	open = &resolver->images[id];
	if (open->is_open)
		return open;
	open->is_open = true;
	if (!resolver->symbols || (is_of_the_kernel(image) && !kernel_is_ours(resolver)))
		return open;
	key = wk_model_image_key(resolver->model, id);
	if (image->kind == WK_IMAGE_FILE || image->kind == WK_IMAGE_VDSO ||
	    image->kind == WK_IMAGE_KERNEL)
		open->symbols = wk_symbols_image(resolver->symbols, &key);
	if (open->symbols && wk_image_is_unproven(open->symbols))
		wk_image_decide(open->symbols,
				has_recorded_calls(resolver->model, id, open->symbols));
	open->is_unsure = open->symbols && image->kind == WK_IMAGE_KERNEL && image->build_id.size;
	return open;
}

/* The kernel's table takes time to read, so its address is compared only if names are needed. */
struct wk_image_symbols *wk_resolver_image(struct wk_resolver *resolver, wk_image_id image)
{
	struct resolving_image *open = open_image(resolver, image);

	if (open->is_unsure &&
	    wk_kernel_has_moved(open->symbols, resolver->model->images[image].first_start))
		open->symbols = NULL;
	open->is_unsure = false;
	return open->symbols;
}

struct wk_resolver_state wk_resolver_state(const struct wk_resolver *resolver, wk_image_id image)
{
	const struct wk_image *row = &resolver->model->images[image];
	struct resolving_image open = { 0 };

	if (image < resolver->image_count)
		open = resolver->images[image];
	return (struct wk_resolver_state){
		.symbols = open.is_unsure ? NULL : open.symbols,
		.has_recorded_names = open.has_used_recorded,
		.is_of_another_kernel = open.is_open && is_of_the_kernel(row) && !open.symbols,
	};
}

/* --- Places -------------------------------------------------------------------------------- */

/* Where a recorded function begins: as its name or bounds say, or the address itself. */
static bool symbol_of_place(struct wk_resolver *resolver, wk_image_id image, uint64_t address,
			    const struct wk_embedded_place *place, struct wk_symbol *symbol)
{
	const struct wk_model *model = resolver->model;
	const struct wk_embedded_bounds *bounds = find_bounds(resolver, image, address);

	if (!find_recorded_name(resolver, image, address, symbol))
		*symbol = (struct wk_symbol){ .start = bounds ? bounds->at.address : address,
					      .size_bytes = bounds ? bounds->size_bytes : 1 };
	symbol->name = wk_model_str(model, model->embedded_calls[place->first].function);
	return symbol->name.len > 0;
}

/* Has this machine all names of that very build? A debug package may have been installed since,
 * and only exported names came with the recording. */
static bool names_all(struct wk_resolver *resolver, wk_image_id id)
{
	const struct wk_image *image = &resolver->model->images[id];
	struct resolving_image *open = &resolver->images[id];
	struct wk_image_used used;

	if (open->was_asked || !open->symbols || image->kind != WK_IMAGE_FILE ||
	    !image->build_id.size)
		return open->names_all;
	open->was_asked = true;
	wk_image_used(open->symbols, &used);
	return open->names_all = used.has_all_names;
}

bool wk_resolver_symbol(struct wk_resolver *resolver, wk_image_id image, uint64_t address,
			struct wk_symbol *symbol)
{
	const struct wk_embedded_place *place;
	struct wk_image_symbols *symbols;

	open_image(resolver, image);
	place = find_recorded_calls(resolver, image, address);
	if (place)
		return symbol_of_place(resolver, image, address, place, symbol);
	if (names_all(resolver, image) &&
	    wk_image_find(resolver->images[image].symbols, address, symbol))
		return true;
	if (find_recorded_name(resolver, image, address, symbol))
		return resolver->images[image].has_used_recorded = true;
	symbols = wk_resolver_image(resolver, image);
	return symbols && wk_image_find(symbols, address, symbol);
}

/* Recorded calls begin with the outermost. */
static size_t recorded_places(struct wk_resolver *resolver, const struct wk_embedded_place *place)
{
	const struct wk_model *model = resolver->model;
	size_t count = place->count < WK_MOST_PLACES ? place->count : WK_MOST_PLACES;

	for (size_t i = 0; i < count; i++) {
		const struct wk_embedded_call *call = &model->embedded_calls[place->first + i];

		resolver->places[count - 1 - i] = (struct wk_place){
			.function = wk_model_str(model, call->function),
			.file = wk_model_str(model, call->file),
			.line = call->line,
		};
	}
	return count;
}

size_t wk_resolver_places(struct wk_resolver *resolver, wk_image_id image, uint64_t address,
			  const struct wk_place **places)
{
	const struct resolving_image *open = open_image(resolver, image);
	const struct wk_embedded_place *place = find_recorded_calls(resolver, image, address);

	*places = resolver->places;
	if (place)
		return recorded_places(resolver, place);
	return open->symbols
		       ? wk_image_places(open->symbols, address, resolver->places, WK_MOST_PLACES)
		       : 0;
}

struct wk_str wk_resolver_place_name(const struct wk_resolver *resolver, wk_image_id image,
				     const struct wk_place *place)
{
	return place->copy_at ? wk_image_place_name(resolver->images[image].symbols, place)
			      : place->function;
}
