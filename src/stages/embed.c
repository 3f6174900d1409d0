#include "stages/embed.h"

#include "base/arena.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/mem.h"
#include "event/image_kind.h"
#include "os/os.h"
#include "stages/supplied_names.h"
#include "symbols/unwind/unwind.h"

struct carried_image {
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

struct wk_carry {
	struct wk_arena paths;
	struct carried_image *images;
	size_t images_cap;
	uint32_t image_count;
	struct seen *seen; /* row 0 is unused, so that an index can name rows */
	size_t seen_cap;
	uint32_t seen_count;
	struct wk_index index;
	struct wk_given_names given; /* by the recording, which needs no file for them */
	bool takes_all, is_live;
	bool kernel_is_ours; /* an image of the kernel that runs now was mapped */
	struct wk_place places[WK_MOST_PLACES]; /* scratch */
	struct wk_event_call calls[WK_MOST_PLACES];
};

struct wk_carry *wk_carry_new(void)
{
	struct wk_carry *carry = wk_alloc_zeroed(1, sizeof(*carry));

	carry->seen = wk_grow(NULL, &carry->seen_cap, 1, sizeof(*carry->seen));
	carry->seen_count = 1;
	return carry;
}

void wk_carry_free(struct wk_carry *carry)
{
	if (!carry)
		return;
	wk_arena_fini(&carry->paths);
	wk_index_fini(&carry->index);
	wk_given_names_fini(&carry->given);
	free(carry->images);
	free(carry->seen);
	free(carry);
}

void wk_carry_all(struct wk_carry *carry)
{
	carry->takes_all = true;
}

void wk_carry_live(struct wk_carry *carry)
{
	carry->is_live = true;
}

/* Will the path lead a later reader to this very file? */
static bool is_plain_file(const struct carried_image *image)
{
	struct wk_os_identity identity;

	return wk_os_identify(image->path.at, &identity, NULL) &&
	       (image->inode == 0 || identity.inode == image->inode);
}

void wk_carry_image(struct wk_carry *carry, uint32_t image, const struct wk_event *event,
		    struct wk_image_symbols *symbols)
{
	struct carried_image *row;

	carry->images = wk_grow(carry->images, &carry->images_cap, (size_t)image + 1,
				sizeof(*carry->images));
	while (carry->image_count <= image)
		carry->images[carry->image_count++] = (struct carried_image){ 0 };
	if (!symbols)
		return;
	if (event->image.is_kernel)
		carry->kernel_is_ours |= wk_is_running_kernel(&event->image.build_id);
	row = &carry->images[image];
	row->start = event->image.start;
	row->is_kernel =
		event->image.is_kernel || (wk_image_kind_of(&event->image) == WK_IMAGE_VDSO &&
					   event->image.build_id.size == 0);
	row->symbols = symbols;
	row->path = wk_arena_copy(&carry->paths, event->image.path);
	row->build_id = event->image.build_id;
	row->inode = event->image.inode;
	row->is_plain = wk_image_kind_of(&event->image) == WK_IMAGE_FILE && is_plain_file(row);
}

bool wk_carry_wants(const struct wk_carry *carry, uint32_t image)
{
	return image < carry->image_count && carry->images[image].symbols;
}

static bool same_seen(const void *table, uint32_t id, const void *key)
{
	const struct seen *a = &((const struct wk_carry *)table)->seen[id];
	const struct seen *b = key;

	return a->address == b->address && a->image == b->image;
}

void wk_carry_address(struct wk_carry *carry, uint32_t image, uint64_t address)
{
	struct seen row = { address, image };
	uint64_t hash = wk_hash_pair(address, image);

	if (wk_index_find(&carry->index, hash, same_seen, carry, &row))
		return;
	carry->seen =
		wk_grow(carry->seen, &carry->seen_cap, (size_t)carry->seen_count + 1, sizeof(row));
	carry->seen[carry->seen_count] = row;
	wk_index_add(&carry->index, hash, carry->seen_count++);
}

void wk_carry_given(struct wk_carry *carry, const struct wk_event_symbol *symbol)
{
	wk_given_names_add(&carry->given, symbol);
}

/* The kernel that runs now may be another than the recorded one, and names all addresses. */
static bool is_of_another_kernel(const struct wk_carry *carry, const struct carried_image *image)
{
	if (!image->is_kernel || carry->is_live)
		return false;
	return !carry->kernel_is_ours ||
	       (image->build_id.size && wk_kernel_has_moved(image->symbols, image->start));
}

/* Sends the symbol once, however many of its addresses were seen. */
static bool send_one(struct wk_carry *carry, struct wk_map *sent, const struct seen *seen,
		     const struct wk_sink *sink, struct wk_err *err)
{
	struct carried_image *image = &carry->images[seen->image];
	struct wk_event event = { .kind = WK_EVENT_SYMBOL, .cpu = WK_NO_CPU };
	struct wk_symbol symbol;
	uint32_t *done;

	if (!image->symbols || !wk_image_find(image->symbols, seen->address, &symbol)) {
		image->unnamed += !wk_given_names_has(&carry->given, image->path, &image->build_id,
						      seen->address);
		return true;
	}
	done = wk_map_at(sent, wk_hash_pair(symbol.start, seen->image));
	if (*done)
		return true;
	*done = 1;
	event.symbol.image_path = image->path;
	event.symbol.build_id = image->build_id;
	event.symbol.start = symbol.start;
	event.symbol.size_bytes = symbol.size_bytes;
	event.symbol.name = symbol.name;
	return wk_sink_take(sink, &event, err);
}

/* Of the outermost function symbols know best what it is called. */
static bool send_calls(struct wk_carry *carry, const struct seen *seen, const struct wk_sink *sink,
		       struct wk_err *err)
{
	const struct carried_image *image = &carry->images[seen->image];
	struct wk_event event = { .kind = WK_EVENT_CALLS, .cpu = WK_NO_CPU };
	size_t count = image->symbols ? wk_image_places(image->symbols, seen->address,
							carry->places, WK_MOST_PLACES)
				      : 0;
	struct wk_symbol symbol;

	if (count == 0)
		return true;
	for (size_t i = 0; i < count; i++) {
		const struct wk_place *place = &carry->places[count - 1 - i];

		carry->calls[i] = (struct wk_event_call){
			wk_image_place_name(image->symbols, place), place->file, place->line };
	}
	if (wk_image_find(image->symbols, seen->address, &symbol) && !symbol.is_plt)
		carry->calls[0].function = symbol.name;
	event.calls = (struct wk_event_calls){ .image_path = image->path,
					       .build_id = image->build_id,
					       .address = seen->address,
					       .calls = carry->calls, .count = count };
	return wk_sink_take(sink, &event, err);
}

static bool send_all_calls(struct wk_carry *carry, const struct wk_sink *sink, struct wk_err *err)
{
	bool ok = true;

	for (uint32_t i = 1; i < carry->seen_count && ok; i++)
		ok = send_calls(carry, &carry->seen[i], sink, err);
	return ok;
}

/* Where the function lies that this address is in, once for each function. */
static bool send_bounds(struct wk_carry *carry, struct wk_map *sent, const struct seen *seen,
			const struct wk_sink *sink, struct wk_err *err)
{
	const struct carried_image *image = &carry->images[seen->image];
	const struct wk_obj *obj = image->symbols ? wk_image_obj(image->symbols) : NULL;
	struct wk_event event = { .kind = WK_EVENT_BOUNDS, .cpu = WK_NO_CPU };
	struct wk_unwind_table *table;
	uint64_t vaddr, start, size_bytes, offset;
	uint32_t *done;

	if (!obj || image->is_kernel || !wk_obj_vaddr_of(obj, seen->address, &vaddr))
		return true;
	table = wk_image_unwind(image->symbols);
	if (!table || !wk_unwind_function(table, vaddr, &start, &size_bytes) ||
	    !wk_obj_offset_of(obj, start, &offset))
		return true;
	done = wk_map_at(sent, wk_hash_pair(offset, seen->image));
	if (*done)
		return true;
	*done = 1;
	event.bounds = (struct wk_event_bounds){
		.image_path = image->path,
		.build_id = image->build_id.size ? image->build_id : obj->build_id,
		.start = offset,
		.size_bytes = size_bytes < UINT32_MAX ? (uint32_t)size_bytes : UINT32_MAX,
		.is_root = wk_unwind_is_root(table, vaddr),
	};
	return wk_sink_take(sink, &event, err);
}

static bool send_all_bounds(struct wk_carry *carry, const struct wk_sink *sink, struct wk_err *err)
{
	struct wk_map sent = { 0 };
	bool ok = true;

	for (uint32_t i = 1; i < carry->seen_count && ok; i++)
		ok = send_bounds(carry, &sent, &carry->seen[i], sink, err);
	wk_map_fini(&sent);
	return ok;
}

bool wk_carry_send(struct wk_carry *carry, const struct wk_sink *sink, struct wk_err *err)
{
	struct wk_map sent = { 0 };
	bool ok = true;

	for (uint32_t i = 0; i < carry->image_count; i++)
		if (carry->images[i].symbols && is_of_another_kernel(carry, &carry->images[i]))
			carry->images[i].symbols = NULL;
	wk_given_names_sort(&carry->given);
	for (uint32_t i = 0; i < carry->image_count; i++)
		carry->images[i].is_plain =
			carry->images[i].is_plain && is_plain_file(&carry->images[i]);
	for (uint32_t i = 1; i < carry->seen_count && ok; i++)
		if (carry->takes_all || !carry->images[carry->seen[i].image].is_plain)
			ok = send_one(carry, &sent, &carry->seen[i], sink, err);
	wk_map_fini(&sent);
	ok = ok && send_all_bounds(carry, sink, err);
	return ok && (!carry->takes_all || send_all_calls(carry, sink, err));
}

struct wk_carry_counts wk_carry_counts(const struct wk_carry *carry)
{
	struct wk_carry_counts counts = { .addresses = carry->seen_count - 1 };

	for (uint32_t i = 0; i < carry->image_count; i++) {
		const struct carried_image *image = &carry->images[i];

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
