#include "formats/etl/modules.h"

#include "base/buf.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/text/utf16.h"
#include "formats/etl/trace.h"
#include "formats/scan.h"

enum owner { UNKNOWN, FRAMEWORKS, PROGRAMS };

void wk_etl_modules_fini(struct wk_etl_modules *modules)
{
	wk_arena_fini(&modules->texts);
	wk_map_fini(&modules->row_of);
	wk_map_fini(&modules->owner_of);
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

/* A GUID, an age, a path: first of the managed PDB, then of the native one. */
static void read_pdb(struct wk_bytes *in, struct wk_etl_debug_id *id, struct wk_bytes *path)
{
	struct wk_bytes guid = wk_bytes_slice(in, sizeof(id->guid));

	id->age = wk_u32le(in);
	if (!guid.bad)
		memcpy(id->guid, guid.at, sizeof(id->guid));
	*path = wk_etl_text16(in);
}

static void add_native(struct wk_etl_modules *modules, struct wk_etl_debug_id *id,
		       struct wk_bytes image, struct wk_bytes pdb)
{
	struct wk_buf text = { 0 };
	uint32_t *row;

	id->path = wk_etl_copy_text(&modules->texts, pdb);
	wk_utf16_add(&text, image, false);
	row = wk_map_at(&modules->row_of, key_of(id->pid, wk_buf_str(&text)));
	if (!*row) {
		*WK_APPEND(modules->at, modules->count, modules->cap) = *id;
		*row = (uint32_t)modules->count;
	}
	wk_buf_fini(&text);
}

/* `path` in lower case. A module in memory only has a name, but no folder. */
static enum owner owner_by_path(struct wk_str path)
{
	static const char *const folders[] = { "\\windows\\", "\\program files\\dotnet\\",
					       "\\program files (x86)\\dotnet\\", NULL };
	static const char *const files[] = { "system.", "mscorlib.", "netstandard.", NULL };

	if (!memchr(path.at, '\\', path.len))
		return UNKNOWN;
	if (path.len > 1 && path.at[1] == ':' &&
	    wk_str_starts_one_of(wk_str_skip(path, 2), folders))
		return FRAMEWORKS;
	return wk_str_starts_one_of(wk_str_basename(path), files) ||
			       wk_str_find(path, "\\dotnet\\shared\\") != SIZE_MAX
		       ? FRAMEWORKS
		       : PROGRAMS;
}

static void add_owner(struct wk_etl_modules *modules, uint32_t pid, uint64_t number,
		      struct wk_bytes il_path)
{
	struct wk_buf path = { 0 }, lower = { 0 };
	enum owner owner;

	wk_utf16_add(&path, il_path, false);
	add_lower(&lower, wk_buf_str(&path));
	owner = owner_by_path(wk_buf_str(&lower));
	if (owner != UNKNOWN)
		wk_map_set(&modules->owner_of, wk_hash_pair(number, pid), (uint32_t)owner);
	WK_BUF_FINI_ALL(&path, &lower);
}

bool wk_etl_modules_is_program(const struct wk_etl_modules *modules, uint32_t pid, uint64_t number,
			       struct wk_str method)
{
	static const char *const spaces[] = { "Microsoft.", "MS.", "Internal.", NULL };
	uint32_t owner = wk_map_find(&modules->owner_of, wk_hash_pair(number, pid));

	/* Generics of .NET for types of the program are listed under the program's module. The
	 * runtime generates the stubs between managed and native code. */
	if (wk_str_starts(method, "System.") || wk_str_find(method, ".IL_STUB") != SIZE_MAX)
		return false;
	return owner == UNKNOWN ? !wk_str_starts_one_of(method, spaces) : owner == PROGRAMS;
}

/* Native code is in a file of its own, or (ReadyToRun) in the managed one. */
bool wk_etl_scan_module(struct wk_etl_trace *trace)
{
	struct wk_etl_debug_id managed, native = { .pid = trace->record.pid };
	struct wk_bytes in = trace->record.payload, il_path, native_path, pdb;
	uint64_t number = wk_u64le(&in);

	wk_bytes_skip(&in, 16); /* the assembly's number, flags */
	if (in.bad)
		return false;
	il_path = wk_etl_text16(&in);
	native_path = wk_etl_text16(&in);
	add_owner(&trace->modules, trace->record.pid, number, il_path);
	wk_u16le(&in); /* which of the process's runtimes */
	read_pdb(&in, &managed, &pdb);
	read_pdb(&in, &native, &pdb);
	if (in.bad)
		return false;
	if (memcmp(native.guid, (const uint8_t[16]){ 0 }, sizeof(native.guid)))
		add_native(&trace->modules, &native,
			   native_path.at < native_path.end ? native_path : il_path, pdb);
	return true;
}

const struct wk_etl_debug_id *wk_etl_modules_find(const struct wk_etl_modules *modules,
						  uint32_t pid, struct wk_str path)
{
	uint32_t row = modules->count ? wk_map_find(&modules->row_of, key_of(pid, path)) : 0;

	return row ? &modules->at[row - 1] : NULL;
}
