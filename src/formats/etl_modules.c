#include "formats/etl_modules.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/utf16.h"

struct wk_etl_modules {
	struct wk_arena texts;
	struct wk_etl_debug_id *at;
	size_t count, cap;
	struct wk_map row_of; /* process and path, hashed: row + 1 */
};

struct wk_etl_modules *wk_etl_modules_new(void)
{
	return wk_alloc_zeroed(1, sizeof(struct wk_etl_modules));
}

void wk_etl_modules_free(struct wk_etl_modules *modules)
{
	if (!modules)
		return;
	wk_arena_fini(&modules->texts);
	wk_map_fini(&modules->row_of);
	free(modules->at);
	free(modules);
}

static uint64_t key_of(uint32_t pid, struct wk_str path)
{
	struct wk_buf lower = { 0 };
	uint64_t hash;

	for (size_t i = 0; i < path.len; i++)
		wk_buf_add_char(&lower, wk_lower(path.at[i]));
	hash = wk_hash_bytes(lower.at, lower.len);
	wk_buf_fini(&lower);
	return wk_hash_pair(hash, pid);
}

static bool is_unset(const uint8_t guid[16])
{
	for (int i = 0; i < 16; i++)
		if (guid[i])
			return false;
	return true;
}

/* A GUID, an age, a path: first of the managed PDB, then of the native one. */
static void take_pdb(struct wk_bytes *in, struct wk_etl_debug_id *id, struct wk_bytes *path)
{
	struct wk_bytes guid = wk_bytes_take(in, sizeof(id->guid));

	id->age = wk_u32le(in);
	if (!guid.bad)
		memcpy(id->guid, guid.at, sizeof(id->guid));
	*path = wk_etl_text16(in);
}

static void keep(struct wk_etl_modules *modules, struct wk_etl_debug_id *id,
		 struct wk_bytes image, struct wk_bytes pdb)
{
	struct wk_buf text = { 0 };
	uint32_t *row;

	wk_utf16_add(&text, pdb, false);
	id->path = wk_arena_copy(&modules->texts, wk_buf_str(&text));
	wk_buf_reset(&text);
	wk_utf16_add(&text, image, false);
	row = wk_map_at(&modules->row_of, key_of(id->pid, wk_buf_str(&text)));
	if (!*row) {
		modules->at = wk_grow(modules->at, &modules->cap, modules->count + 1,
				      sizeof(*modules->at));
		modules->at[modules->count++] = *id;
		*row = (uint32_t)modules->count;
	}
	wk_buf_fini(&text);
}

/* Native code lies in a file of its own, or (ReadyToRun) in the managed one. */
bool wk_etl_modules_scan(struct wk_etl_modules *modules, const struct wk_etl_record *record)
{
	struct wk_etl_debug_id managed, native = { .pid = record->pid };
	struct wk_bytes in = record->payload, il_path, native_path, pdb;

	wk_bytes_skip(&in, 24); /* numbers of module and assembly, flags */
	if (in.bad)
		return false;
	il_path = wk_etl_text16(&in);
	native_path = wk_etl_text16(&in);
	wk_u16le(&in); /* which of the process's runtimes */
	take_pdb(&in, &managed, &pdb);
	take_pdb(&in, &native, &pdb);
	if (in.bad)
		return false;
	if (!is_unset(native.guid))
		keep(modules, &native, native_path.at < native_path.end ? native_path : il_path,
		     pdb);
	return true;
}

const struct wk_etl_debug_id *wk_etl_modules_find(const struct wk_etl_modules *modules,
						  uint32_t pid, struct wk_str path)
{
	uint32_t row = modules->count ? wk_map_find(&modules->row_of, key_of(pid, path)) : 0;

	return row ? &modules->at[row - 1] : NULL;
}
