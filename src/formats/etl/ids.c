#include "formats/etl/ids.h"

#include <stddef.h>

#include "base/bisect.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/sort.h"
#include "base/strtab.h"

/* What a record says of the image at a place, a process and an address, hashed. */
struct row {
	uint64_t place, time;
	size_t id; /* of the array for its kind */
};

struct rows {
	struct row *at; /* after settling: by place, and by time within one */
	size_t count, cap;
};

struct wk_etl_ids {
	struct wk_strtab *texts; /* each process names the same PDBs */
	struct rows debug_rows, key_rows;
	struct wk_etl_debug_id *debugs;
	struct wk_etl_image_id *keys;
	size_t debugs_cap, keys_cap;
};

struct wk_etl_ids *wk_etl_ids_new(void)
{
	struct wk_etl_ids *ids = wk_alloc_zeroed(1, sizeof(*ids));

	ids->texts = wk_strtab_new();
	return ids;
}

void wk_etl_ids_free(struct wk_etl_ids *ids)
{
	wk_strtab_free(ids->texts);
	WK_FREE_ALL(ids->debug_rows.at, ids->key_rows.at, ids->debugs, ids->keys, ids);
}

static void add(struct rows *rows, uint32_t pid, uint64_t base, uint64_t time)
{
	size_t id = rows->count;

	*WK_APPEND(rows->at, rows->count, rows->cap) =
		(struct row){ wk_hash_pair(base, pid), time, id };
}

void wk_etl_ids_add_debug(struct wk_etl_ids *ids, uint64_t time, const struct wk_etl_debug_id *id)
{
	size_t count = ids->debug_rows.count;
	struct wk_etl_debug_id *debug = WK_APPEND(ids->debugs, count, ids->debugs_cap);

	*debug = *id;
	debug->path = wk_strtab_str(ids->texts, wk_strtab_add_str(ids->texts, id->path));
	add(&ids->debug_rows, id->pid, id->base, time);
}

void wk_etl_ids_add_key(struct wk_etl_ids *ids, uint64_t time, const struct wk_etl_image_id *id)
{
	size_t count = ids->key_rows.count;

	*WK_APPEND(ids->keys, count, ids->keys_cap) = *id;
	add(&ids->key_rows, id->pid, id->base, time);
}

static void settle(struct rows *rows)
{
	rows->at =
		wk_sort_rows(rows->at, rows->count, sizeof(*rows->at), offsetof(struct row, time));
	rows->at =
		wk_sort_rows(rows->at, rows->count, sizeof(*rows->at), offsetof(struct row, place));
}

void wk_etl_ids_settle(struct wk_etl_ids *ids)
{
	settle(&ids->debug_rows);
	settle(&ids->key_rows);
}

/* The last record of a place up to that time, or else its first: in some merged traces all of these
 * records follow the end. NULL if there is none. */
static const struct row *find(const struct rows *rows, uint64_t place, uint64_t time)
{
	const struct row *at = rows->at;
	size_t low = 0, high = rows->count;

	WK_BISECT(low, high,
		  at[middle].place < place ||
			  (at[middle].place == place && at[middle].time <= time));
	if (low > 0 && at[low - 1].place == place)
		return &at[low - 1];
	return low < rows->count && at[low].place == place ? &at[low] : NULL;
}

/* Every image has a key, but not every one a PDB: the PDB of an earlier image is not used. */
const struct wk_etl_debug_id *wk_etl_ids_debug(const struct wk_etl_ids *ids, uint32_t pid,
					       uint64_t base, uint64_t time)
{
	uint64_t place = wk_hash_pair(base, pid);
	const struct row *debug = find(&ids->debug_rows, place, time);
	const struct row *key = find(&ids->key_rows, place, time);

	if (!debug || (key && debug->time < key->time))
		return NULL;
	return &ids->debugs[debug->id];
}

const struct wk_etl_image_id *wk_etl_ids_key(const struct wk_etl_ids *ids, uint32_t pid,
					     uint64_t base, uint64_t time)
{
	const struct row *key = find(&ids->key_rows, wk_hash_pair(base, pid), time);

	return key ? &ids->keys[key->id] : NULL;
}
