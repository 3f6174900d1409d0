#include "model/resolve.h"

#include <inttypes.h>

#include "base/buf.h"
#include "base/map.h"
#include "base/mem.h"
#include "model/closures.h"
#include "model/resolver.h"
#include "names/function_name.h"
#include "names/root_name.h"
#include "symbols/unwind/unwind.h"

struct resolver {
	struct wk_model *model;
	struct wk_resolver *names;
	struct wk_map name_of; /* linked name, with a bit for PLT slots, to the readable one */
	struct wk_buf scratch;
	struct wk_resolve_options options;
	uint32_t *named_frames; /* [calls.count]: the named frame of each call */
	size_t named_frames_cap;
};

/* The image's unwind tables, and the virtual address of `address`. NULL if there is no file or no
 * segment of it contains the address. */
static struct wk_unwind_table *table_at(struct resolver *resolver, wk_image_id image,
					uint64_t address, uint64_t *vaddr)
{
	struct wk_image_symbols *symbols = wk_resolver_state(resolver->names, image).symbols;
	const struct wk_obj *obj = symbols ? wk_image_obj(symbols) : NULL;

	if (!obj || !wk_obj_vaddr_of(obj, address, vaddr))
		return NULL;
	return wk_image_unwind(symbols);
}

/* The start of the function around `address`, so that an unnamed function is one function;
 * `address` itself if the start is unknown. */
static uint64_t start_of_function(struct resolver *resolver, wk_image_id image, uint64_t address)
{
	uint64_t vaddr, start, size_bytes, offset;
	struct wk_unwind_table *table = table_at(resolver, image, address, &vaddr);
	const struct wk_embedded_bounds *bounds;

	if (!table && (bounds = wk_resolver_bounds(resolver->names, image, address)))
		return bounds->at.address;
	if (table && wk_unwind_function(table, vaddr, &start, &size_bytes) &&
	    wk_obj_offset_of(wk_image_obj(wk_resolver_state(resolver->names, image).symbols), start,
			     &offset))
		return offset;
	return address;
}

static void add_image_name(struct resolver *resolver, wk_image_id image)
{
	const struct wk_model *model = resolver->model;

	wk_buf_add_str(&resolver->scratch, wk_model_str(model, model->images[image].name));
	if (resolver->scratch.len == 0)
		wk_buf_add_text(&resolver->scratch, "[anonymous]");
}

static wk_function_id add_unnamed(struct resolver *resolver, wk_image_id image, bool is_rest)
{
	struct wk_model *model = resolver->model;

	return wk_model_add_function(
		model, &(struct wk_function){
			       .name = wk_model_text(model, wk_buf_str(&resolver->scratch)),
			       .image = image,
			       .is_unnamed = true,
			       .is_rest_of_image = is_rest,
		       });
}

static wk_function_id rest_of_image(struct resolver *resolver, wk_image_id image)
{
	wk_buf_reset(&resolver->scratch);
	add_image_name(resolver, image);
	wk_buf_add_text(&resolver->scratch, "!unknown");
	return add_unnamed(resolver, image, true);
}

static wk_function_id unnamed_function(struct resolver *resolver, wk_image_id image,
				       uint64_t address)
{
	enum wk_image_kind kind = resolver->model->images[image].kind;

	if (!resolver->options.separates_unnamed && kind != WK_IMAGE_UNKNOWN)
		return rest_of_image(resolver, image);
	wk_buf_reset(&resolver->scratch);
	add_image_name(resolver, image);
	/* Unknown images have one name for all: an address that nothing was mapped at says no
	 * more. */
	if (kind != WK_IMAGE_UNKNOWN)
		wk_buf_add_fmt(&resolver->scratch, "+0x%" PRIx64,
			       kind == WK_IMAGE_ANONYMOUS
				       ? address
				       : start_of_function(resolver, image, address));
	return add_unnamed(resolver, image, false);
}

/* The readable name of one as linked. Each is read once. */
static wk_text_id readable_name(struct resolver *resolver, wk_text_id linked, bool is_plt)
{
	struct wk_model *model = resolver->model;
	uint32_t *known = wk_map_at(&resolver->name_of, (uint64_t)is_plt << 32 | linked);

	if (!*known) {
		wk_buf_reset(&resolver->scratch);
		wk_function_name(wk_model_str(model, linked), &resolver->scratch);
		if (is_plt)
			wk_buf_add_text(&resolver->scratch, "@plt");
		*known = wk_model_text(model, wk_buf_str(&resolver->scratch));
	}
	return *known;
}

/* Static functions of one name in several files are several. */
static wk_function_id named_function(struct resolver *resolver, wk_image_id image,
				     struct wk_str name, bool is_plt, struct wk_str file)
{
	struct wk_model *model = resolver->model;
	wk_text_id linked = wk_model_text(model, name);

	model->images[image].has_names = true;
	return wk_model_add_function(model, &(struct wk_function){
						    .name = readable_name(resolver, linked, is_plt),
						    .linked = linked,
						    .image = image,
						    .file = wk_model_text(model, file),
					    });
}

/* The next call of the frame at hand. */
static void add_call(struct resolver *resolver, wk_frame_id frame, wk_function_id function,
		     uint32_t line, bool is_inlined)
{
	struct wk_calls *calls = &resolver->model->calls;

	if (calls->count == calls->cap) {
		WK_RESERVE(calls->function, calls->cap, calls->count + 1);
		calls->line = wk_realloc(calls->line, calls->cap * sizeof(*calls->line));
	}
	calls->function[calls->count] = function;
	calls->line[calls->count] = line;
	*WK_APPEND(resolver->named_frames, calls->count, resolver->named_frames_cap) =
		wk_model_add_named_frame(resolver->model, function, line, frame, is_inlined);
}

/* The function that the machine ran: by its symbol or else by debug information. */
static wk_function_id outermost_function(struct resolver *resolver, wk_image_id image,
					 uint64_t address, const struct wk_place *place)
{
	struct wk_str file = place ? place->file : wk_str_c("");
	struct wk_symbol symbol;

	if (wk_resolver_symbol(resolver->names, image, address, &symbol))
		return named_function(resolver, image, symbol.name, symbol.is_plt, file);
	if (place && place->function.len)
		return named_function(resolver, image, place->function, false, file);
	return unnamed_function(resolver, image, address);
}

/* Places begin with the innermost call, rows with the outermost. */
static void resolve_address(struct resolver *resolver, wk_frame_id frame)
{
	wk_image_id image = resolver->model->frames.image[frame];
	uint64_t address = resolver->model->frames.address[frame];
	const struct wk_place *places, *outermost;
	size_t count = wk_resolver_places(resolver->names, image, address, &places);

	outermost = count ? &places[count - 1] : NULL;
	add_call(resolver, frame, outermost_function(resolver, image, address, outermost),
		 outermost ? outermost->line : 0, false);
	for (size_t i = count ? count - 1 : 0; i-- > 0 && !resolver->options.no_inlined;)
		if (places[i].function.len)
			add_call(resolver, frame,
				 named_function(
					 resolver, image,
					 wk_resolver_place_name(resolver->names, image, &places[i]),
					 false, places[i].file),
				 places[i].line, true);
}

static void resolve_frame(struct resolver *resolver, wk_frame_id frame)
{
	const struct wk_frames *frames = &resolver->model->frames;

	if (frames->function[frame])
		add_call(resolver, frame, frames->function[frame], frames->line[frame],
			 frames->is_inlined[frame]);
	else
		resolve_address(resolver, frame);
}

static bool is_root_frame(struct resolver *resolver, wk_frame_id frame)
{
	const struct wk_model *model = resolver->model;
	wk_function_id function = wk_model_calls_of(model, frame).function[0];
	struct wk_unwind_table *table;
	wk_image_id image = model->frames.image[frame];
	uint64_t vaddr;

	if (wk_name_is_root(wk_model_str(model, model->functions[function].linked)))
		return true;
	table = table_at(resolver, image, model->frames.address[frame], &vaddr);
	return table && wk_unwind_is_root(table, vaddr);
}

/* Its file was not found or cannot be used, so its code is unknown. */
static bool is_closed(const struct resolver *resolver, wk_image_id image)
{
	struct wk_image_symbols *symbols = wk_resolver_state(resolver->names, image).symbols;

	return symbols && !wk_image_obj(symbols) && wk_image_state(symbols) != WK_IMAGE_NO_FILE;
}

/* On some systems every thread begins in one library, in functions that nothing else calls. */
static bool is_root_image(const struct wk_model *model, wk_image_id image)
{
	struct wk_str path = wk_model_str(model, model->images[image].path);

	return wk_str_is_any_case(wk_str_basename(path), model->traits->root_image);
}

static enum wk_reach reach_of(struct resolver *resolver, wk_frame_id frame)
{
	wk_image_id image = resolver->model->frames.image[frame];
	const struct wk_embedded_bounds *bounds;

	if (resolver->model->traits->has_whole_stacks)
		return WK_REACH_ROOT;
	if (resolver->model->traits->root_image)
		return is_root_image(resolver->model, image) ? WK_REACH_ROOT : WK_REACH_CUT;
	if (is_root_frame(resolver, frame))
		return WK_REACH_ROOT;
	bounds = wk_resolver_bounds(resolver->names, image, resolver->model->frames.address[frame]);
	if (bounds && is_closed(resolver, image))
		return bounds->is_root ? WK_REACH_ROOT : WK_REACH_CUT;
	/* Code in anonymous memory: the recorder ended the stack by its frame pointers, and nothing
	 * of it is left to read. */
	return is_closed(resolver, image) ||
			       resolver->model->images[image].kind == WK_IMAGE_ANONYMOUS
		       ? WK_REACH_UNKNOWN
		       : WK_REACH_CUT;
}

/* It is unknown whether a stack is whole if it ends in the kernel or came with names, as in text.
 * JIT code has names and addresses. */
static bool is_of_unknown_reach(const struct wk_model *model, wk_frame_id frame)
{
	const struct wk_image *image = &model->images[model->frames.image[frame]];
	enum wk_image_kind kind = image->kind;

	return kind == WK_IMAGE_KERNEL || image->in_kernel ||
	       (model->frames.function[frame] && kind != WK_IMAGE_ANONYMOUS);
}

static enum wk_image_kind image_kind(const struct wk_model *model, wk_stack_id id)
{
	return model->images[model->frames.image[model->stacks.entries[id].label]].kind;
}

/* No code runs where nothing is mapped, and somebody called execve. */
static bool has_lost_its_stack(const struct wk_model *model, wk_stack_id id)
{
	wk_frame_id frame = model->stacks.entries[id].label;
	wk_function_id function = wk_model_calls_of(model, frame).function[0];

	if (image_kind(model, id) == WK_IMAGE_UNKNOWN && !model->frames.function[frame])
		return true;
	return wk_name_is_exec(wk_model_str(model, model->functions[function].linked));
}

/* If the only caller of the kernel is such a place, it is in execve: the calling program is gone,
 * and the new one has no stack yet. */
static bool is_between_programs(const struct wk_model *model, wk_stack_id id)
{
	wk_stack_id caller = model->stacks.entries[id].parent;

	return model->stacks.entries[caller].parent == 0 &&
	       image_kind(model, id) == WK_IMAGE_KERNEL && has_lost_its_stack(model, caller);
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
		wk_stack_id parent = model->stacks.entries[id].parent;
		wk_frame_id frame = model->stacks.entries[id].label;

		if (parent) {
			model->reaches_root[id] = model->reaches_root[parent];
			model->has_user_part[id] =
				model->has_user_part[parent] && !is_between_programs(model, id);
			continue;
		}
		if (is_of_unknown_reach(model, frame))
			continue;
		if (!asked[frame])
			reach[frame] = (uint8_t)reach_of(resolver, frame);
		asked[frame] = 1;
		model->has_user_part[id] = 1;
		model->reaches_root[id] = reach[frame];
	}
	WK_FREE_ALL(reach, asked);
}

/* In real programs a recorded frame stands for one to five calls. A damaged file may claim hundreds
 * for each and need thousands of times its size in memory. */
#define MOST_CALLS_OF_A_FRAME 32
#define ALWAYS_NAMED          (1u << 16)

static void note_left_out(struct wk_model *model, uint64_t frames)
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
		wk_stack_id named = model->named_of[model->stacks.entries[id].parent];
		wk_frame_id frame = model->stacks.entries[id].label;

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
		note_left_out(model, left_out);
}

static void set_reason(struct wk_model *model, wk_image_id id, const char *reason,
		       const char *names_source)
{
	model->images[id].reason = wk_model_text(model, wk_str_c(reason));
	if (names_source)
		model->images[id].names_source = wk_model_text(model, wk_str_c(names_source));
}

static void copy_reason(struct wk_model *model, wk_image_id id, struct wk_image_symbols *symbols)
{
	set_reason(model, id, wk_image_reason(symbols), wk_image_names_source(symbols));
	model->images[id].is_hidden = wk_image_is_hidden(symbols);
}

/* The file is here, but names only some of its functions: more are to be had. */
static bool is_named_in_part(const struct wk_image *image, struct wk_image_symbols *symbols)
{
	struct wk_image_used used;

	if (!symbols || image->kind != WK_IMAGE_FILE || image->state != WK_IMAGE_NAMED)
		return false;
	wk_image_used(symbols, &used);
	return !used.has_all_names;
}

static void close_images(struct resolver *resolver)
{
	struct wk_model *model = resolver->model;

	for (wk_image_id id = 0; id < model->image_count; id++) {
		struct wk_resolver_state state = wk_resolver_state(resolver->names, id);

		if (state.symbols)
			model->images[id].state = wk_image_state(state.symbols);
		if (state.has_recorded_names &&
		    !is_named_in_part(&model->images[id], state.symbols))
			set_reason(model, id, "names came with the recording", "the recording");
		else if (state.is_of_another_kernel)
			set_reason(
				model, id,
				"recorded under another kernel than the running one, or under an "
				"unknown one",
				NULL);
		else if (state.symbols)
			copy_reason(model, id, state.symbols);
	}
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
	named->line = wk_realloc(named->line, count * sizeof(*named->line));
	named->is_inlined = wk_realloc(named->is_inlined, count * sizeof(*named->is_inlined));
	for (wk_frame_id frame = 0; frame < model->frames.count; frame++) {
		named->function[frame] = model->frames.function[frame];
		named->frame[frame] = frame;
		named->line[frame] = model->frames.line[frame];
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
		resolve_frame(resolver, frame);
		model->calls.first[frame + 1] = (uint32_t)model->calls.count;
	}
}

void wk_model_resolve(struct wk_model *model, struct wk_symbols *symbols,
		      struct wk_resolve_options options)
{
	struct resolver resolver = { .model = model, .options = options };

	if (all_came_named(model)) {
		handle_as_named(model);
		return;
	}
	resolver.names = wk_resolver_new(model, symbols);
	resolve_frames(&resolver);
	wk_model_name_closures(model);
	name_stacks(&resolver);
	wk_trie_trim(&model->stacks);
	wk_trie_trim(&model->named);
	mark_roots(&resolver);
	close_images(&resolver);
	model->fetching = symbols ? wk_symbols_fetching(symbols) : WK_FETCHING_NOTHING;
	wk_resolver_free(resolver.names);
	wk_free(resolver.named_frames);
	wk_map_fini(&resolver.name_of);
	wk_buf_fini(&resolver.scratch);
}
