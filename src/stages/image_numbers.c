#include "stages/image_numbers.h"

#include "base/hash.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/strtab.h"
#include "event/image_kind.h"

struct identity {
	uint32_t path;
	enum wk_image_kind kind;
	struct wk_build_id build_id;
	uint64_t inode;
	uint32_t device_major, device_minor;
	bool in_kernel;
};

struct wk_image_numbers {
	struct wk_strtab *paths;
	struct identity *rows; /* [count], row 0 is unused */
	size_t cap;
	uint32_t count;
	struct wk_index by_hash;
};

struct wk_image_numbers *wk_image_numbers_new(void)
{
	struct wk_image_numbers *numbers = wk_alloc_zeroed(1, sizeof(*numbers));

	numbers->paths = wk_strtab_new();
	numbers->rows = wk_grow(NULL, &numbers->cap, 1, sizeof(*numbers->rows));
	numbers->count = 1;
	return numbers;
}

void wk_image_numbers_free(struct wk_image_numbers *numbers)
{
	if (!numbers)
		return;
	wk_index_fini(&numbers->by_hash);
	wk_strtab_free(numbers->paths);
	WK_FREE_ALL(numbers->rows, numbers);
}

static bool is_same(const void *table, uint32_t id, const void *key)
{
	const struct identity *a = &((const struct wk_image_numbers *)table)->rows[id];
	const struct identity *b = key;

	return a->path == b->path && a->kind == b->kind && a->inode == b->inode &&
	       a->device_major == b->device_major && a->device_minor == b->device_minor &&
	       a->in_kernel == b->in_kernel && wk_build_id_eq(&a->build_id, &b->build_id);
}

uint32_t wk_image_numbers_add(struct wk_image_numbers *numbers, const struct wk_event *event)
{
	const struct wk_event_image *image = &event->image;
	struct identity row = {
		.path = wk_strtab_add_str(numbers->paths, image->path),
		.kind = wk_image_kind_of(image),
		.build_id = image->build_id,
		.inode = image->inode,
		.device_major = image->device_major,
		.device_minor = image->device_minor,
		.in_kernel = event->pid == WK_KERNEL_PID,
	};
	uint64_t hash = wk_hash_pair(wk_hash_pair(row.path, row.inode),
				     wk_hash_bytes(row.build_id.bytes, row.build_id.size));
	uint32_t id = wk_index_find(&numbers->by_hash, hash, is_same, numbers, &row);

	if (id)
		return id;
	WK_RESERVE(numbers->rows, numbers->cap, (size_t)numbers->count + 1);
	numbers->rows[numbers->count] = row;
	wk_index_add(&numbers->by_hash, hash, numbers->count);
	return numbers->count++;
}
