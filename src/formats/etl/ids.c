#include "formats/etl/ids.h"

#include <stddef.h>

#include "base/bisect.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/sort.h"
#include "base/strtab.h"

/* The place and time of a record: a process and an address, hashed. */
struct moment {
	uint64_t place, time;
	uint32_t row;
};

struct moments {
	struct moment *at; /* after settling: by place, and by time within one */
	size_t count, cap;
};

struct wk_etl_ids {
	struct wk_strtab *texts; /* each process names the same PDBs */
	struct moments debug_moments, key_moments;
	struct wk_etl_debug_id *debugs;
	struct wk_etl_image_id *keys;
	size_t debug_cap, key_cap;
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
	WK_FREE_ALL(ids->debug_moments.at, ids->key_moments.at, ids->debugs, ids->keys, ids);
}

static void add_moment(struct moments *moments, uint64_t place, uint64_t time)
{
	WK_RESERVE(moments->at, moments->cap, moments->count + 1);
	moments->at[moments->count] = (struct moment){ place, time, (uint32_t)moments->count };
	moments->count++;
}

void wk_etl_ids_add_debug(struct wk_etl_ids *ids, uint64_t time, const struct wk_etl_debug_id *id)
{
	size_t row = ids->debug_moments.count;

	WK_RESERVE(ids->debugs, ids->debug_cap, row + 1);
	ids->debugs[row] = *id;
	ids->debugs[row].path = wk_strtab_str(ids->texts, wk_strtab_add_str(ids->texts, id->path));
	add_moment(&ids->debug_moments, wk_hash_pair(id->base, id->pid), time);
}

void wk_etl_ids_add_key(struct wk_etl_ids *ids, uint64_t time, const struct wk_etl_image_id *id)
{
	size_t row = ids->key_moments.count;

	WK_RESERVE(ids->keys, ids->key_cap, row + 1);
	ids->keys[row] = *id;
	add_moment(&ids->key_moments, wk_hash_pair(id->base, id->pid), time);
}

static void settle(struct moments *moments)
{
	moments->at = wk_sort_rows(moments->at, moments->count, sizeof(*moments->at),
				   offsetof(struct moment, time));
	moments->at = wk_sort_rows(moments->at, moments->count, sizeof(*moments->at),
				   offsetof(struct moment, place));
}

void wk_etl_ids_settle(struct wk_etl_ids *ids)
{
	settle(&ids->debug_moments);
	settle(&ids->key_moments);
}

/* The last record of a place up to that time, or else its first: in some merged traces all of these
 * records follow the end. NULL if there is none. */
static const struct moment *find(const struct moments *moments, uint64_t place, uint64_t time)
{
	const struct moment *at = moments->at;
	size_t low = 0, high = moments->count;

	WK_BISECT(low, high,
		  at[middle].place < place ||
			  (at[middle].place == place && at[middle].time <= time));
	if (low > 0 && at[low - 1].place == place)
		return &at[low - 1];
	return low < moments->count && at[low].place == place ? &at[low] : NULL;
}

/* Every image has a key, but not every one a PDB: the PDB of an earlier image is not used. */
const struct wk_etl_debug_id *wk_etl_ids_debug(const struct wk_etl_ids *ids, uint32_t pid,
					       uint64_t base, uint64_t time)
{
	uint64_t place = wk_hash_pair(base, pid);
	const struct moment *debug = find(&ids->debug_moments, place, time);
	const struct moment *key = find(&ids->key_moments, place, time);

	if (!debug || (key && debug->time < key->time))
		return NULL;
	return &ids->debugs[debug->row];
}

const struct wk_etl_image_id *wk_etl_ids_key(const struct wk_etl_ids *ids, uint32_t pid,
					     uint64_t base, uint64_t time)
{
	const struct moment *key = find(&ids->key_moments, wk_hash_pair(base, pid), time);

	return key ? &ids->keys[key->row] : NULL;
}
