#include "model/resolve.h"

#include <inttypes.h>

#include "base/buf.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/sort.h"
#include "names/function_name.h"
#include "os/os.h"
#include "symbols/unwind/unwind.h"

/* Versions of one file under one path, of which one may have been sampled in a place. */
#define MOST_BOUNDS_TRIED 8

/* What is known of an image while frames are looked up. */
struct resolving_image {
	bool is_open;
	struct wk_image_symbols *symbols;
	uint32_t first_embedded, embedded_count; /* its range of the sorted carried symbols */
	bool has_embedded_places;
	bool is_unsure; /* a kernel of which is not known yet whether it lies where it did */
};

struct resolver {
	struct wk_model *model;
	struct wk_symbols *symbols;
	struct resolving_image *images;
	struct wk_embedded_symbol *embedded;        /* sorted by path, then start */
	struct wk_embedded_place *embedded_places;  /* sorted by path, then address */
	struct wk_embedded_bounds *embedded_bounds; /* sorted by path, then start */
	struct wk_map function_of;                  /* (image, linked name) to function */
	struct wk_buf scratch;
	enum { NOBODY_LOOKED, OUR_KERNEL, OTHER_KERNEL } kernel; /* ours may be asked for names */
	bool no_inlined;
	uint32_t *named_frames; /* [calls.count]: the named frame of each call */
	size_t named_frames_cap;
	struct wk_place places[WK_MOST_PLACES];
};

/* For the caller to free; what `rows` points to stays in its order. */
static void *sorted_copy(const void *rows, size_t count, size_t row_bytes,
			 int (*order)(const void *a, const void *b))
{
	void *copy = wk_alloc(count * row_bytes);

	if (count) {
		memcpy(copy, rows, count * row_bytes);
		qsort(copy, count, row_bytes, order);
	}
	return copy;
}

static int by_path_and_start(const void *a, const void *b)
{
	const struct wk_embedded_symbol *left = a, *right = b;

	if (left->path != right->path)
		return left->path < right->path ? -1 : 1;
	return (left->start > right->start) - (left->start < right->start);
}

static int by_path_and_address(const void *a, const void *b)
{
	const struct wk_embedded_place *left = a, *right = b;

	if (left->path != right->path)
		return left->path < right->path ? -1 : 1;
	return (left->address > right->address) - (left->address < right->address);
}

static int by_bounds(const void *a, const void *b)
{
	const struct wk_embedded_bounds *left = a, *right = b;

	if (left->path != right->path)
		return left->path < right->path ? -1 : 1;
	return (left->start > right->start) - (left->start < right->start);
}

static void sort_embedded(struct resolver *resolver)
{
	const struct wk_model *model = resolver->model;

	resolver->embedded = sorted_copy(model->embedded, model->embedded_count,
					 sizeof(*model->embedded), by_path_and_start);
	resolver->embedded_places =
		sorted_copy(model->embedded_places, model->embedded_place_count,
			    sizeof(*model->embedded_places), by_path_and_address);
	resolver->embedded_bounds =
		sorted_copy(model->embedded_bounds, model->embedded_bounds_count,
			    sizeof(*model->embedded_bounds), by_bounds);
}

/* The function that the recorder saw around `address`; NULL where it told of none. */
static const struct wk_embedded_bounds *find_embedded_bounds(const struct resolver *resolver,
							     wk_image_id id, uint64_t address)
{
	const struct wk_image *image = &resolver->model->images[id];
	uint32_t low = 0, high = resolver->model->embedded_bounds_count;

	/* The last row that starts at `address` or before; files of one path may lie mixed. */
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		const struct wk_embedded_bounds *row = &resolver->embedded_bounds[middle];

		if (row->path < image->path || (row->path == image->path && row->start <= address))
			low = middle + 1;
		else
			high = middle;
	}
	for (uint32_t i = low, tries = 0; i > 0 && tries < MOST_BOUNDS_TRIED; i--, tries++) {
		const struct wk_embedded_bounds *row = &resolver->embedded_bounds[i - 1];

		if (row->path != image->path)
			return NULL;
		if (address - row->start < row->size_bytes &&
		    wk_build_id_eq(&row->build_id, &image->build_id))
			return row;
	}
	return NULL;
}

/* The first carried symbol of `path` that starts at or behind `start`. */
static uint32_t embedded_behind(const struct resolver *resolver, wk_text_id path, uint64_t start)
{
	struct wk_embedded_symbol key = { .path = path, .start = start };
	uint32_t low = 0, high = resolver->model->embedded_count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (by_path_and_start(&resolver->embedded[middle], &key) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static struct wk_str fact_of(const struct wk_model *model, const char *key)
{
	for (uint32_t i = 0; i < model->fact_count; i++)
		if (wk_str_is(wk_model_str(model, model->facts[i].key), key))
			return wk_model_str(model, model->facts[i].value);
	return wk_str_c("");
}

/* A kernel without a build id (perf record -z) is known by what else the recording tells of it. */
static bool is_emitted_to_be_ours(const struct resolver *resolver, wk_image_id id)
{
	const struct wk_model *model = resolver->model;
	const struct wk_image *image = &model->images[id];
	struct wk_image_key key = wk_model_image_key(model, id);

	return image->build_id.size == 0 &&
	       wk_str_starts(wk_model_str(model, image->path), "[kernel") &&
	       wk_is_running_release(fact_of(model, "host name"), fact_of(model, "kernel")) &&
	       wk_kernel_is_at(wk_symbols_image(resolver->symbols, &key), image->first_start,
			       image->first_size_bytes);
}

/* Was the recording made under the kernel that runs now? */
static bool kernel_is_ours(struct resolver *resolver)
{
	const struct wk_model *model = resolver->model;

	if (resolver->kernel != NOBODY_LOOKED)
		return resolver->kernel == OUR_KERNEL;
	resolver->kernel = OTHER_KERNEL;
	for (wk_image_id id = 1; resolver->symbols && id < model->image_count; id++)
		if (model->images[id].kind == WK_IMAGE_KERNEL &&
		    (wk_is_running_kernel(&model->images[id].build_id) ||
		     is_emitted_to_be_ours(resolver, id))) {
			resolver->kernel = OUR_KERNEL;
			break;
		}
	return resolver->kernel == OUR_KERNEL;
}

/* Named by the running kernel alone: itself, and the vDSO where no build id tells whose it is. */
static bool is_of_the_kernel(const struct wk_image *image)
{
	return image->kind == WK_IMAGE_KERNEL ||
	       (image->kind == WK_IMAGE_VDSO && image->build_id.size == 0);
}

static void open_image(struct resolver *resolver, wk_image_id id)
{
	struct resolving_image *open = &resolver->images[id];
	struct wk_image *image = &resolver->model->images[id];
	struct wk_image_key key = wk_model_image_key(resolver->model, id);

	open->is_open = true;
	if (image->path) {
		open->first_embedded = embedded_behind(resolver, image->path, 0);
		open->embedded_count =
			embedded_behind(resolver, image->path + 1, 0) - open->first_embedded;
	}
	if (is_of_the_kernel(image) && !kernel_is_ours(resolver))
		return;
	if (resolver->symbols && (image->kind == WK_IMAGE_FILE || image->kind == WK_IMAGE_VDSO ||
				  image->kind == WK_IMAGE_KERNEL))
		open->symbols = wk_symbols_image(resolver->symbols, &key);
	open->is_unsure = open->symbols && image->kind == WK_IMAGE_KERNEL && image->build_id.size;
}

static bool find_embedded(const struct resolver *resolver, wk_image_id id, uint64_t address,
			  struct wk_symbol *symbol)
{
	const struct resolving_image *open = &resolver->images[id];
	const struct wk_image *image = &resolver->model->images[id];
	const struct wk_embedded_symbol *found;
	size_t count;

	if (open->embedded_count == 0)
		return false;
	found = &resolver->embedded[open->first_embedded];
	count = wk_sorted_up_to(found, open->embedded_count, sizeof(*found),
				offsetof(struct wk_embedded_symbol, start), address);
	if (count == 0)
		return false;
	found += count - 1;
	if (address - found->start >= found->size_bytes ||
	    (found->build_id.size && image->build_id.size &&
	     !wk_build_id_eq(&found->build_id, &image->build_id)))
		return false;
	symbol->name = wk_model_str(resolver->model, found->name);
	symbol->start = found->start;
	symbol->size_bytes = found->size_bytes;
	symbol->is_plt = false;
	return true;
}

/* What came with the recording on an address itself: NULL where nothing did. */
static const struct wk_embedded_place *find_embedded_place(const struct resolver *resolver,
							   wk_image_id id, uint64_t address)
{
	const struct wk_image *image = &resolver->model->images[id];
	struct wk_embedded_place key = { .path = image->path, .address = address }, *found;

	found = bsearch(&key, resolver->embedded_places, resolver->model->embedded_place_count,
			sizeof(key), by_path_and_address);
	if (!found || (found->build_id.size && image->build_id.size &&
		       !wk_build_id_eq(&found->build_id, &image->build_id)))
		return NULL;
	return found;
}

/* The image's unwind tables, and where `address` lies in them. NULL where there is no file or
 * no segment of it holds the address. */
static struct wk_unwind_table *table_at(struct resolver *resolver, wk_image_id image,
					uint64_t address, uint64_t *vaddr)
{
	struct resolving_image *open = &resolver->images[image];
	const struct wk_obj *obj = open->symbols ? wk_image_obj(open->symbols) : NULL;

	if (!obj || !wk_obj_vaddr_of(obj, address, vaddr))
		return NULL;
	return wk_image_unwind(open->symbols);
}

/* Where the function that holds `address` begins, so that a function without a name is one
 * function still; `address` itself where nothing tells. */
static uint64_t begin_of_function(struct resolver *resolver, wk_image_id image, uint64_t address)
{
	uint64_t vaddr, start, size_bytes, offset;
	struct wk_unwind_table *table = table_at(resolver, image, address, &vaddr);
	const struct wk_embedded_bounds *bounds;

	if (!table && (bounds = find_embedded_bounds(resolver, image, address)))
		return bounds->start;
	if (table && wk_unwind_function(table, vaddr, &start, &size_bytes) &&
	    wk_obj_offset_of(wk_image_obj(resolver->images[image].symbols), start, &offset))
		return offset;
	return address;
}

static wk_function_id unnamed_function(struct resolver *resolver, wk_image_id image,
				       uint64_t address)
{
	struct wk_model *model = resolver->model;
	struct wk_function function = { .image = image, .is_unnamed = true };
	enum wk_image_kind kind = model->images[image].kind;

	wk_buf_reset(&resolver->scratch);
	if (kind == WK_IMAGE_UNKNOWN) {
		/* One name for all: an address that nothing was mapped at says no more. */
		wk_buf_add_text(&resolver->scratch,
				wk_strtab_get(model->text, model->images[image].name));
	} else if (kind == WK_IMAGE_ANONYMOUS) {
		wk_buf_add_fmt(&resolver->scratch, "%s",
			       wk_strtab_get(model->text, model->images[image].name));
		if (resolver->scratch.len == 0)
			wk_buf_add_text(&resolver->scratch, "[anonymous]");
		wk_buf_add_fmt(&resolver->scratch, "+0x%" PRIx64, address);
	} else {
		wk_buf_add_fmt(&resolver->scratch, "%s+0x%" PRIx64,
			       wk_strtab_get(model->text, model->images[image].name),
			       begin_of_function(resolver, image, address));
	}
	function.name = wk_model_text(model, wk_buf_str(&resolver->scratch));
	return wk_model_add_function(model, &function);
}

static wk_function_id named_function(struct resolver *resolver, wk_image_id image,
				     struct wk_str name, bool is_plt, struct wk_str file)
{
	struct wk_model *model = resolver->model;
	wk_text_id linked = wk_model_text(model, name);
	struct wk_function function = { .linked = linked, .image = image };
	uint32_t *known =
		wk_map_at(&resolver->function_of, ((uint64_t)image << 1 | is_plt) << 32 | linked);

	resolver->model->images[image].has_names = true;
	if (*known)
		return *known;
	wk_buf_reset(&resolver->scratch);
	wk_function_name(name, &resolver->scratch);
	if (is_plt)
		wk_buf_add_text(&resolver->scratch, "@plt");
	function.name = wk_model_text(model, wk_buf_str(&resolver->scratch));
	function.file = wk_model_text(model, file);
	*known = wk_model_add_function(model, &function);
	return *known;
}

/* The next call of the frame at hand. */
static void add_call(struct resolver *resolver, wk_frame_id frame, wk_function_id function,
		     uint32_t line, bool is_inlined)
{
	struct wk_calls *calls = &resolver->model->calls;

	if (calls->count == calls->cap) {
		calls->function = wk_grow(calls->function, &calls->cap, calls->count + 1,
					  sizeof(*calls->function));
		calls->line = wk_realloc(calls->line, calls->cap * sizeof(*calls->line));
	}
	calls->function[calls->count] = function;
	calls->line[calls->count] = line;
	resolver->named_frames = wk_grow(resolver->named_frames, &resolver->named_frames_cap,
					 calls->count + 1, sizeof(*resolver->named_frames));
	resolver->named_frames[calls->count++] =
		wk_model_add_named_frame(resolver->model, function, frame, is_inlined);
}

/* The image's symbols, if names of this machine may be used: the kernel's table, which takes time
 * to read, is looked at only where no name came along. */
static struct wk_image_symbols *symbols_of(struct resolver *resolver, wk_image_id id)
{
	struct resolving_image *open = &resolver->images[id];

	if (open->is_unsure &&
	    wk_kernel_has_moved(open->symbols, resolver->model->images[id].first_start))
		open->symbols = NULL;
	open->is_unsure = false;
	return open->symbols;
}

/* The function that the machine ran: by the names that came along, by the image's symbols, by its
 * debug information; it has no name where none of them knows it. */
static wk_function_id outermost_function(struct resolver *resolver, wk_image_id image,
					 uint64_t address, const struct wk_place *place)
{
	struct wk_str file = place ? place->file : wk_str_c("");
	struct wk_image_symbols *symbols;
	struct wk_symbol symbol;

	if (find_embedded(resolver, image, address, &symbol) ||
	    ((symbols = symbols_of(resolver, image)) && wk_image_find(symbols, address, &symbol)))
		return named_function(resolver, image, symbol.name, symbol.is_plt, file);
	if (place && place->function.len)
		return named_function(resolver, image, place->function, false, file);
	return unnamed_function(resolver, image, address);
}

static void resolve_embedded(struct resolver *resolver, wk_frame_id frame,
			     const struct wk_embedded_place *place)
{
	struct wk_model *model = resolver->model;
	wk_image_id image = model->frames.image[frame];

	resolver->images[image].has_embedded_places = true;
	for (uint32_t i = 0; i < place->count && (i == 0 || !resolver->no_inlined); i++) {
		const struct wk_embedded_call *call = &model->embedded_calls[place->first + i];
		struct wk_str name = wk_model_str(model, call->function);

		add_call(resolver, frame,
			 name.len ? named_function(resolver, image, name, false,
						   wk_model_str(model, call->file))
				  : unnamed_function(resolver, image, model->frames.address[frame]),
			 call->line, i > 0);
	}
}

/* Debug information tells the innermost first; calls are kept the other way round. */
static void resolve_address(struct resolver *resolver, wk_frame_id frame)
{
	wk_image_id image = resolver->model->frames.image[frame];
	uint64_t address = resolver->model->frames.address[frame];
	const struct resolving_image *open = &resolver->images[image];
	const struct wk_place *places = resolver->places, *outermost;
	size_t count = open->symbols ? wk_image_places(open->symbols, address, resolver->places,
						       WK_MOST_PLACES)
				     : 0;

	outermost = count ? &places[count - 1] : NULL;
	add_call(resolver, frame, outermost_function(resolver, image, address, outermost),
		 outermost ? outermost->line : 0, false);
	for (size_t i = count ? count - 1 : 0; i-- > 0 && !resolver->no_inlined;)
		if (places[i].function.len)
			add_call(resolver, frame,
				 named_function(resolver, image,
						wk_image_place_name(open->symbols, &places[i]),
						false, places[i].file),
				 places[i].line, true);
}

static void resolve_frame(struct resolver *resolver, wk_frame_id frame)
{
	const struct wk_frames *frames = &resolver->model->frames;

	const struct wk_embedded_place *place;

	if (frames->function[frame]) {
		add_call(resolver, frame, frames->function[frame], frames->line[frame],
			 frames->is_inlined[frame]);
		return;
	}
	place = find_embedded_place(resolver, frames->image[frame], frames->address[frame]);
	if (place && place->count)
		resolve_embedded(resolver, frame, place);
	else
		resolve_address(resolver, frame);
}

/* Functions that nothing calls: where a program or a thread begins. */
static bool is_root_name(struct wk_str name)
{
	static const char *const roots[] = {
		"_start", "__start", "clone", "__clone", "clone3", "__clone3", "thread_start",
		"_dl_start_user", "__restore_rt", "ret_from_fork",
		/* Go: where goroutines, its threads and the program begin. */
		"runtime.goexit", "runtime.mstart", "runtime.rt0_go", "runtime.mcall", NULL,
	};

	if (wk_str_ends(name, ".abi0"))
		name.len -= strlen(".abi0");
	for (size_t i = 0; roots[i]; i++)
		if (wk_str_is(name, roots[i]))
			return true;
	return false;
}

static bool is_root_frame(struct resolver *resolver, wk_frame_id frame)
{
	const struct wk_model *model = resolver->model;
	wk_function_id function = wk_model_calls_of(model, frame).function[0];
	struct wk_unwind_table *table;
	wk_image_id image = model->frames.image[frame];
	uint64_t vaddr;

	if (is_root_name(wk_model_str(model, model->functions[function].linked)))
		return true;
	table = table_at(resolver, image, model->frames.address[frame], &vaddr);
	return table && wk_unwind_is_root(table, vaddr);
}

/* Its file was looked for and cannot be used, so nothing is known of its code. */
static bool is_closed(const struct resolving_image *image)
{
	enum wk_image_state state = image->symbols && !image->is_unsure
					    ? wk_image_state(image->symbols)
					    : WK_IMAGE_NAMED;

	return state == WK_IMAGE_MISSING || state == WK_IMAGE_DIFFERS ||
	       state == WK_IMAGE_UNREADABLE;
}

/* On some systems every thread begins in one library, and nothing else calls what it begins
 * with. */
static bool is_root_image(const struct wk_model *model, wk_image_id image)
{
	struct wk_str path = wk_model_str(model, model->images[image].path);

	return wk_str_is_any_case(wk_str_basename(path), model->traits->root_image);
}

static enum wk_reach reach_of(struct resolver *resolver, wk_frame_id frame)
{
	wk_image_id image = resolver->model->frames.image[frame];
	const struct wk_embedded_bounds *bounds;

	if (resolver->model->traits->root_image)
		return is_root_image(resolver->model, image) ? WK_REACH_ROOT : WK_REACH_CUT;
	if (is_root_frame(resolver, frame))
		return WK_REACH_ROOT;
	bounds = find_embedded_bounds(resolver, image, resolver->model->frames.address[frame]);
	if (bounds && is_closed(&resolver->images[image]))
		return bounds->is_root ? WK_REACH_ROOT : WK_REACH_CUT;
	/* Of code that lies in memory only, the recorder saw a stack's end by its frame pointers;
	 * nothing of it is left. */
	return is_closed(&resolver->images[image]) ||
			       resolver->model->images[image].kind == WK_IMAGE_ANONYMOUS
		       ? WK_REACH_UNKNOWN
		       : WK_REACH_CUT;
}

/* Nobody can tell whether a stack is whole that ends in the kernel, or that came with its names as
 * text has them; those of code made at run time came with theirs beside the addresses. */
static bool is_emitted(const struct wk_model *model, wk_frame_id frame)
{
	const struct wk_image *image = &model->images[model->frames.image[frame]];
	enum wk_image_kind kind = image->kind;

	return kind == WK_IMAGE_KERNEL || image->in_kernel ||
	       (model->frames.function[frame] && kind != WK_IMAGE_ANONYMOUS);
}

static enum wk_image_kind image_kind(const struct wk_model *model, wk_stack_id id)
{
	return model->images[model->frames.image[model->stacks.label[id]]].kind;
}

/* No code runs where nothing is mapped. Where the kernel was called from such a place alone, it is
 * in execve: the program that called is taken away, and the new one has no stack yet. */
static bool is_between_programs(const struct wk_model *model, wk_stack_id id)
{
	wk_stack_id caller = model->stacks.parent[id];

	return model->stacks.parent[caller] == 0 && image_kind(model, caller) == WK_IMAGE_UNKNOWN &&
	       !model->frames.function[model->stacks.label[caller]] &&
	       image_kind(model, id) == WK_IMAGE_KERNEL;
}

/* A stack's outermost frame is its parent's, and parents come first. */
static void mark_roots(struct resolver *resolver)
{
	struct wk_model *model = resolver->model;
	uint8_t *reach = wk_alloc_zeroed(model->frames.count, 1);
	uint8_t *asked = wk_alloc_zeroed(model->frames.count, 1);

	model->reaches_root = wk_alloc_zeroed(model->stacks.count, 1);
	model->has_user_part = wk_alloc_zeroed(model->stacks.count, 1);
	for (wk_stack_id id = 1; id < model->stacks.count; id++) {
		wk_stack_id parent = model->stacks.parent[id];
		wk_frame_id frame = model->stacks.label[id];

		if (parent) {
			model->reaches_root[id] = model->reaches_root[parent];
			model->has_user_part[id] =
				model->has_user_part[parent] && !is_between_programs(model, id);
			continue;
		}
		if (is_emitted(model, frame))
			continue;
		if (!asked[frame])
			reach[frame] = (uint8_t)reach_of(resolver, frame);
		asked[frame] = 1;
		model->has_user_part[id] = 1;
		model->reaches_root[id] = reach[frame];
	}
	wk_free(reach);
	wk_free(asked);
}

/* In real programs a recorded frame stands for one to five calls. A file can claim hundreds for
 * each, and so become thousands of times as large in memory. */
#define MOST_CALLS_OF_A_FRAME 32
#define ALWAYS_NAMED          (1u << 16)

static void emit_left_out(struct wk_model *model, uint64_t frames)
{
	struct wk_buf text = { 0 };

	wk_buf_add_fmt(&text,
		       "inlined calls of %" PRIu64 " frames were left out: they would be more than "
		       "%d for each frame of all recorded stacks",
		       frames, MOST_CALLS_OF_A_FRAME);
	wk_model_add_note(model, &(struct wk_event_note){ .offset = WK_NOWHERE,
							  .severity = WK_NOTE_FAULT,
							  .text = wk_str_of(text.at, text.len) });
	wk_buf_fini(&text);
}

static void name_stacks(struct resolver *resolver)
{
	struct wk_model *model = resolver->model;
	uint64_t most = ALWAYS_NAMED + (uint64_t)model->stacks.count * MOST_CALLS_OF_A_FRAME;
	uint64_t left_out = 0;

	model->named_of = wk_alloc_zeroed(model->stacks.count, sizeof(*model->named_of));
	for (wk_stack_id id = 1; id < model->stacks.count; id++) {
		wk_stack_id named = model->named_of[model->stacks.parent[id]];
		wk_frame_id frame = model->stacks.label[id];

		uint32_t first = model->calls.first[frame], end = model->calls.first[frame + 1];

		if (model->named.count > most && end - first > 1) {
			end = first + 1;
			left_out++;
		}
		for (uint32_t i = first; i < end; i++)
			named = wk_model_add_named(model, named, resolver->named_frames[i]);
		model->named_of[id] = named;
	}
	if (left_out)
		emit_left_out(model, left_out);
}

static void close_images(struct resolver *resolver)
{
	struct wk_model *model = resolver->model;

	for (wk_image_id id = 0; id < model->image_count; id++) {
		struct resolving_image *open = &resolver->images[id];

		if (open->symbols && !open->is_unsure)
			model->images[id].state = wk_image_state(open->symbols);
		if (open->embedded_count || open->has_embedded_places)
			model->images[id].reason =
				wk_model_text(model, wk_str_c("names came with the recording"));
		else if (open->is_open && is_of_the_kernel(&model->images[id]) && !open->symbols)
			model->images[id].reason = wk_model_text(
				model, wk_str_c("not of the kernel that runs now, or the recording "
						"does not say of which"));
		else if (open->symbols && !open->is_unsure)
			model->images[id].reason =
				wk_model_text(model, wk_str_c(wk_image_reason(open->symbols)));
	}
	wk_free(resolver->images);
}

static bool all_came_named(const struct wk_model *model)
{
	for (wk_frame_id frame = 1; frame < model->frames.count; frame++)
		if (!model->frames.function[frame])
			return false;
	return true;
}

/* Nothing is looked up: named frames are the frames, and named stacks the stacks. */
static void handle_as_named(struct wk_model *model)
{
	struct wk_named_frames *named = &model->named_frames;
	size_t count = model->frames.count;

	named->count = model->frames.count;
	named->cap = count;
	named->function = wk_realloc(named->function, count * sizeof(*named->function));
	named->frame = wk_realloc(named->frame, count * sizeof(*named->frame));
	named->is_inlined = wk_realloc(named->is_inlined, count * sizeof(*named->is_inlined));
	for (wk_frame_id frame = 0; frame < model->frames.count; frame++) {
		named->function[frame] = model->frames.function[frame];
		named->frame[frame] = frame;
		named->is_inlined[frame] = model->frames.is_inlined[frame];
	}
	wk_trie_fini(&model->named);
	wk_trie_trim(&model->stacks);
	model->named = model->stacks;
	model->came_named = true;
}

/* What all frames stand for, row after row. */
static void resolve_frames(struct resolver *resolver)
{
	struct wk_model *model = resolver->model;

	model->calls.first =
		wk_alloc_zeroed((size_t)model->frames.count + 1, sizeof(*model->calls.first));
	for (wk_frame_id frame = 1; frame < model->frames.count; frame++) {
		wk_image_id image = model->frames.image[frame];

		if (!resolver->images[image].is_open && !model->frames.function[frame])
			open_image(resolver, image);
		resolve_frame(resolver, frame);
		model->calls.first[frame + 1] = (uint32_t)model->calls.count;
	}
}

void wk_model_resolve(struct wk_model *model, struct wk_symbols *symbols,
		      const struct wk_resolve_options *options)
{
	struct resolver resolver = { .model = model, .symbols = symbols,
				     .no_inlined = options && options->no_inlined };

	if (all_came_named(model)) {
		handle_as_named(model);
		return;
	}
	resolver.images = wk_alloc_zeroed(model->image_count, sizeof(*resolver.images));
	sort_embedded(&resolver);
	resolve_frames(&resolver);
	name_stacks(&resolver);
	wk_trie_trim(&model->stacks);
	wk_trie_trim(&model->named);
	mark_roots(&resolver);
	close_images(&resolver);
	model->fetching = symbols ? wk_symbols_fetching(symbols) : WK_FETCHING_NOTHING;
	wk_free(resolver.embedded);
	wk_free(resolver.embedded_places);
	wk_free(resolver.embedded_bounds);
	wk_free(resolver.named_frames);
	wk_map_fini(&resolver.function_of);
	wk_buf_fini(&resolver.scratch);
}
