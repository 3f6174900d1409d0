#include "formats/etl/modules.h"

#include "base/buf.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/text/utf16.h"
#include "formats/clr/payload.h"
#include "formats/etl/trace.h"
#include "formats/scan.h"

void wk_etl_modules_fini(struct wk_etl_modules *modules)
{
	wk_arena_fini(&modules->texts);
	wk_map_fini(&modules->row_of);
	wk_clr_owners_fini(&modules->owners);
	WK_FREE_ALL(modules->at);
}

static void add_lower(struct wk_buf *lower, struct wk_str path)
{
	for (size_t i = 0; i < path.len; i++)
		wk_buf_add_char(lower, wk_lower(path.at[i]));
}

static uint64_t key_of(uint32_t pid, struct wk_str path)
{
	struct wk_buf lower = { 0 };
	uint64_t hash;

	add_lower(&lower, path);
	hash = wk_hash_bytes(lower.at, lower.len);
	wk_buf_fini(&lower);
	return wk_hash_pair(hash, pid);
}

/* Native code is in a file of its own, or (ReadyToRun) in the managed one. */
static void add_native(struct wk_etl_modules *modules, uint32_t pid,
		       const struct wk_clr_module *module)
{
	struct wk_bytes image = module->native_path.at < module->native_path.end
					? module->native_path
					: module->il_path;
	struct wk_etl_debug_id id = { .pid = pid, .age = module->native.age };
	struct wk_buf text = { 0 };
	uint32_t *row;

	memcpy(id.guid, module->native.guid, sizeof(id.guid));
	id.path = wk_utf16_copy(&modules->texts, module->native.path);
	wk_utf16_add(&text, image, false);
	row = wk_map_at(&modules->row_of, key_of(pid, wk_buf_str(&text)));
	if (!*row) {
		*WK_APPEND(modules->at, modules->count, modules->cap) = id;
		*row = (uint32_t)modules->count;
	}
	wk_buf_fini(&text);
}

bool wk_etl_scan_module(struct wk_etl_trace *trace)
{
	struct wk_clr_module module;

	if (!wk_clr_read_module(trace->record.payload, &module))
		return false;
	wk_clr_owners_add(&trace->modules.owners, trace->record.pid, module.number, module.il_path);
	if (!module.has_pdbs)
		return false;
	if (memcmp(module.native.guid, (const uint8_t[16]){ 0 }, sizeof(module.native.guid)))
		add_native(&trace->modules, trace->record.pid, &module);
	return true;
}

const struct wk_etl_debug_id *wk_etl_modules_find(const struct wk_etl_modules *modules,
						  uint32_t pid, struct wk_str path)
{
	uint32_t row = modules->count ? wk_map_find(&modules->row_of, key_of(pid, path)) : 0;

	return row ? &modules->at[row - 1] : NULL;
}
