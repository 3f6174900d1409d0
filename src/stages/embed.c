#include "stages/embed.h"

#include "base/arena.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/mem.h"
#include "event/image_kind.h"
#include "os/os.h"
#include "stages/supplied_names.h"
#include "symbols/unwind/unwind.h"

struct embedded_image {
	struct wk_image_symbols *symbols; /* NULL: nothing to carry */
	struct wk_str path;
	struct wk_build_id build_id;
	uint64_t inode;
	uint64_t start;
	uint64_t unnamed; /* addresses */
	bool is_kernel;   /* named by the running kernel alone */
	bool is_plain;    /* so far: a program may be deleted or built anew while it runs */
};

struct seen {
	uint64_t address;
	uint32_t image;
};

struct wk_embedder {
	struct wk_arena paths;
	struct embedded_image *images;
	size_t images_cap;
	uint32_t image_count;
	struct seen *seen; /* row 0 is unused, so that an index can name rows */
	size_t seen_cap;
	uint32_t seen_count;
	struct wk_index index;
	struct wk_supplied_names given; /* by the recording, which needs no file for them */
	struct wk_map there;            /* contents of the events that the recording has */
	uint64_t emitted;
	bool takes_all, is_live;
	bool kernel_is_ours; /* an image of the kernel that runs now was mapped */
	struct wk_buf name;  /* scratch, as the next */
	struct wk_buf content;
	struct wk_place places[WK_MOST_PLACES];
	struct wk_event_call calls[WK_MOST_PLACES];
};

struct wk_embedder *wk_embedder_new(bool takes_all, bool is_live)
{
	struct wk_embedder *embedder = wk_alloc_zeroed(1, sizeof(*embedder));

	embedder->takes_all = takes_all;
	embedder->is_live = is_live;
	embedder->seen = wk_grow(NULL, &embedder->seen_cap, 1, sizeof(*embedder->seen));
	embedder->seen_count = 1;
	return embedder;
}

void wk_embedder_free(struct wk_embedder *embedder)
{
	if (!embedder)
		return;
	wk_arena_fini(&embedder->paths);
	wk_map_fini(&embedder->there);
	WK_BUF_FINI_ALL(&embedder->name, &embedder->content);
	wk_index_fini(&embedder->index);
	wk_supplied_names_fini(&embedder->given);
	WK_FREE_ALL(embedder->images, embedder->seen, embedder);
}

/* Will the path lead a later reader to this very file? */
static bool is_plain_file(const struct embedded_image *image)
{
	struct wk_os_identity identity;

	return wk_os_identify(image->path.at, &identity, NULL) &&
	       (image->inode == 0 || identity.inode == image->inode);
}

void wk_embedder_image(struct wk_embedder *embedder, uint32_t image, const struct wk_event *event,
		       struct wk_image_symbols *symbols)
{
	struct embedded_image *row;

	WK_RESERVE(embedder->images, embedder->images_cap, (size_t)image + 1);
	while (embedder->image_count <= image)
		embedder->images[embedder->image_count++] = (struct embedded_image){ 0 };
	if (!symbols)
		return;
	if (event->image.is_kernel)
		embedder->kernel_is_ours |= wk_is_running_kernel(&event->image.build_id);
	row = &embedder->images[image];
	row->start = event->image.start;
	row->is_kernel =
		event->image.is_kernel || (wk_image_kind_of(&event->image) == WK_IMAGE_VDSO &&
					   event->image.build_id.size == 0);
	row->symbols = symbols;
	row->path = wk_arena_copy(&embedder->paths, event->image.path);
	row->build_id = event->image.build_id;
	row->inode = event->image.inode;
	row->is_plain = wk_image_kind_of(&event->image) == WK_IMAGE_FILE && is_plain_file(row);
}

bool wk_embedder_wants(const struct wk_embedder *embedder, uint32_t image)
{
	return image < embedder->image_count && embedder->images[image].symbols;
}

static bool same_seen(const void *table, uint32_t id, const void *key)
{
	const struct seen *a = &((const struct wk_embedder *)table)->seen[id];
	const struct seen *b = key;

	return a->address == b->address && a->image == b->image;
}

void wk_embedder_address(struct wk_embedder *embedder, uint32_t image, uint64_t address)
{
	struct seen row = { address, image };
	uint64_t hash = wk_hash_pair(address, image);

	if (wk_index_find(&embedder->index, hash, same_seen, embedder, &row))
		return;
	WK_RESERVE(embedder->seen, embedder->seen_cap, (size_t)embedder->seen_count + 1);
	embedder->seen[embedder->seen_count] = row;
	wk_index_add(&embedder->index, hash, embedder->seen_count++);
}

static void add_number(struct wk_buf *content, uint64_t number)
{
	wk_buf_add(content, &number, sizeof(number));
}

static void add_text(struct wk_buf *content, struct wk_str text)
{
	add_number(content, text.len);
	wk_buf_add_str(content, text);
}

static void add_image(struct wk_buf *content, struct wk_str path, const struct wk_build_id *id)
{
	add_text(content, path);
	add_text(content, wk_str_of((const char *)id->bytes, id->size));
}

static void add_content(struct wk_buf *content, const struct wk_event *event)
{
	const struct wk_event_symbol *symbol = &event->symbol;
	const struct wk_event_bounds *bounds = &event->bounds;
	const struct wk_event_calls *calls = &event->calls;

	add_number(content, event->kind);
	if (event->kind == WK_EVENT_SYMBOL) {
		add_image(content, symbol->image_path, &symbol->build_id);
		add_number(content, symbol->start);
		add_number(content, symbol->size_bytes);
		add_text(content, symbol->name);
	} else if (event->kind == WK_EVENT_BOUNDS) {
		add_image(content, bounds->image_path, &bounds->build_id);
		add_number(content, bounds->start);
		add_number(content, bounds->size_bytes);
		add_number(content, bounds->is_root);
	} else {
		add_image(content, calls->image_path, &calls->build_id);
		add_number(content, calls->address);
		for (size_t i = 0; i < calls->count; i++) {
			add_text(content, calls->calls[i].function);
			add_text(content, calls->calls[i].file);
			add_number(content, calls->calls[i].line);
		}
	}
}

/* One number for the whole content, so that what is there is not kept a second time. */
static uint64_t content_hash(struct wk_embedder *embedder, const struct wk_event *event)
{
	wk_buf_reset(&embedder->content);
	add_content(&embedder->content, event);
	return wk_hash_bytes(embedder->content.at, embedder->content.len);
}

void wk_embedder_supplied(struct wk_embedder *embedder, const struct wk_event *event)
{
	if (event->kind != WK_EVENT_SYMBOL && event->kind != WK_EVENT_BOUNDS &&
	    event->kind != WK_EVENT_CALLS)
		return;
	if (event->kind == WK_EVENT_SYMBOL)
		wk_supplied_names_add(&embedder->given, &event->symbol);
	wk_map_set(&embedder->there, content_hash(embedder, event), 1);
}

/* Unless the recording has the very same. */
static bool emit_missing(struct wk_embedder *embedder, const struct wk_event *event,
			 const struct wk_sink *sink, struct wk_err *err)
{
	if (embedder->there.count && wk_map_find(&embedder->there, content_hash(embedder, event)))
		return true;
	embedder->emitted++;
	return wk_sink_emit(sink, event, err);
}

/* The kernel that runs now may be another than the recorded one, and names all addresses. */
static bool is_of_another_kernel(const struct wk_embedder *embedder,
				 const struct embedded_image *image)
{
	if (!image->is_kernel || embedder->is_live)
		return false;
	return !embedder->kernel_is_ours ||
	       (image->build_id.size && wk_kernel_has_moved(image->symbols, image->start));
}

/* Sends what is known of an address. `sent` has what was sent for earlier ones. */
typedef bool send_fn(struct wk_embedder *embedder, struct wk_map *sent, const struct seen *seen,
		     const struct wk_sink *sink, struct wk_err *err);

static bool send_each(struct wk_embedder *embedder, send_fn *send, const struct wk_sink *sink,
		      struct wk_err *err)
{
	struct wk_map sent = { 0 };
	bool ok = true;

	for (uint32_t i = 1; i < embedder->seen_count && ok; i++)
		ok = send(embedder, &sent, &embedder->seen[i], sink, err);
	wk_map_fini(&sent);
	return ok;
}

/* True the first time. */
static bool is_new(struct wk_map *sent, uint64_t start, uint32_t image)
{
	return (*wk_map_at(sent, wk_hash_pair(start, image)))++ == 0;
}

/* Sends the symbol once, however many of its addresses were seen. */
static bool send_name(struct wk_embedder *embedder, struct wk_map *sent, const struct seen *seen,
		      const struct wk_sink *sink, struct wk_err *err)
{
	struct embedded_image *image = &embedder->images[seen->image];
	struct wk_event event = { .kind = WK_EVENT_SYMBOL, .cpu = WK_NO_CPU };
	struct wk_symbol symbol;

	if (!embedder->takes_all && image->is_plain)
		return true;
	if (!image->symbols || !wk_image_find(image->symbols, seen->address, &symbol)) {
		image->unnamed += !wk_supplied_names_has(&embedder->given, image->path,
							 &image->build_id, seen->address);
		return true;
	}
	if (!is_new(sent, symbol.start, seen->image))
		return true;
	event.symbol.image_path = image->path;
	event.symbol.build_id = image->build_id;
	event.symbol.start = symbol.start;
	event.symbol.size_bytes = symbol.size_bytes;
	wk_buf_reset(&embedder->name);
	wk_buf_add_str(&embedder->name, symbol.name);
	wk_buf_add_text(&embedder->name, symbol.is_plt ? WK_PLT : "");
	event.symbol.name = wk_buf_str(&embedder->name);
	return emit_missing(embedder, &event, sink, err);
}

/* Symbols have the best name of the outermost function. */
static bool send_calls(struct wk_embedder *embedder, struct wk_map *sent, const struct seen *seen,
		       const struct wk_sink *sink, struct wk_err *err)
{
	const struct embedded_image *image = &embedder->images[seen->image];
	struct wk_event event = { .kind = WK_EVENT_CALLS, .cpu = WK_NO_CPU };
	size_t count = image->symbols ? wk_image_places(image->symbols, seen->address,
							embedder->places, WK_MOST_PLACES)
				      : 0;
	struct wk_symbol symbol;

	(void)sent; /* each address has its own */
	if (count == 0)
		return true;
	for (size_t i = 0; i < count; i++) {
		const struct wk_place *place = &embedder->places[count - 1 - i];

		embedder->calls[i] = (struct wk_event_call){
			wk_image_place_name(image->symbols, place), place->file, place->line };
	}
	if (wk_image_find(image->symbols, seen->address, &symbol) && !symbol.is_plt)
		embedder->calls[0].function = symbol.name;
	event.calls = (struct wk_event_calls){ .image_path = image->path,
					       .build_id = image->build_id,
					       .address = seen->address,
					       .calls = embedder->calls, .count = count };
	return emit_missing(embedder, &event, sink, err);
}

/* The bounds of the function at this address, once for each function. */
static bool send_bounds(struct wk_embedder *embedder, struct wk_map *sent, const struct seen *seen,
			const struct wk_sink *sink, struct wk_err *err)
{
	const struct embedded_image *image = &embedder->images[seen->image];
	const struct wk_obj *obj = image->symbols ? wk_image_obj(image->symbols) : NULL;
	struct wk_event event = { .kind = WK_EVENT_BOUNDS, .cpu = WK_NO_CPU };
	struct wk_unwind_table *table;
	uint64_t vaddr, start, size_bytes, offset;

	if (!obj || image->is_kernel || !wk_obj_vaddr_of(obj, seen->address, &vaddr))
		return true;
	table = wk_image_unwind(image->symbols);
	if (!table || !wk_unwind_function(table, vaddr, &start, &size_bytes) ||
	    !wk_obj_offset_of(obj, start, &offset) || !is_new(sent, offset, seen->image))
		return true;
	event.bounds = (struct wk_event_bounds){
		.image_path = image->path,
		.build_id = image->build_id.size ? image->build_id : obj->build_id,
		.start = offset,
		.size_bytes = size_bytes < UINT32_MAX ? (uint32_t)size_bytes : UINT32_MAX,
		.is_root = wk_unwind_is_root(table, vaddr),
	};
	return emit_missing(embedder, &event, sink, err);
}

bool wk_embedder_emit(struct wk_embedder *embedder, const struct wk_sink *sink, struct wk_err *err)
{
	for (uint32_t i = 0; i < embedder->image_count; i++) {
		struct embedded_image *image = &embedder->images[i];

		if (image->symbols && is_of_another_kernel(embedder, image))
			image->symbols = NULL;
		image->is_plain = image->is_plain && is_plain_file(image);
	}
	wk_supplied_names_sort(&embedder->given);
	return send_each(embedder, send_name, sink, err) &&
	       send_each(embedder, send_bounds, sink, err) &&
	       (!embedder->takes_all || send_each(embedder, send_calls, sink, err));
}

struct wk_embed_counts wk_embed_counts(const struct wk_embedder *embedder)
{
	struct wk_embed_counts counts = {
		.addresses = embedder->seen_count - 1,
		.emitted = embedder->emitted,
	};

	for (uint32_t i = 0; i < embedder->image_count; i++) {
		const struct embedded_image *image = &embedder->images[i];

		counts.unnamed += image->unnamed;
		if (image->unnamed <= counts.of_reason)
			continue;
		counts.of_reason = image->unnamed;
		counts.reason = image->symbols
					? wk_image_reason(image->symbols)
					: "they are of another kernel than the one that runs now";
	}
	return counts;
}
