#include "fetch/want.h"

#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "base/packed/cab.h"
#include "symbols/object/pe.h"

struct wk_build_id wk_fetch_trim_id(const struct wk_build_id *id)
{
	struct wk_build_id trimmed = *id;
	uint8_t used = id->size;

	while (used > 0 && id->bytes[used - 1] == 0)
		used--;
	if (id->size == sizeof(id->bytes) && used <= 16)
		trimmed.size = used <= 8 ? 8 : 16;
	return trimmed;
}

void wk_fetch_want_key(const struct wk_fetch_want *want, struct wk_buf *key)
{
	if (want->kind == WK_FETCH_IMAGE || want->kind == WK_FETCH_DEBUG)
		wk_build_id_add(key, &want->id, false);
	else if (want->kind == WK_FETCH_PDB && !wk_pdb_id_is_none(&want->pdb))
		wk_pdb_id_add(key, &want->pdb);
	else if (want->kind == WK_FETCH_PE && want->time_stamp && want->image_bytes)
		wk_buf_add_fmt(key, "%08" PRIX32 "%" PRIx32, want->time_stamp, want->image_bytes);
}

void wk_fetch_want_cache_name(const struct wk_fetch_want *want, struct wk_buf *name)
{
	struct wk_build_id id =
		want->kind == WK_FETCH_PDB ? wk_pdb_id_as_build_id(&want->pdb) : want->id;

	if (want->kind == WK_FETCH_PE)
		wk_buf_add_fmt(name, "%08" PRIx32 "%08" PRIx32, want->time_stamp,
			       want->image_bytes);
	else
		wk_build_id_add(name, &id, false);
}

const char *wk_fetch_want_suffix(const struct wk_fetch_want *want, bool is_text)
{
	static const char *const suffixes[] = { [WK_FETCH_IMAGE] = ".executable",
						[WK_FETCH_DEBUG] = ".debuginfo",
						[WK_FETCH_PDB] = ".pdb",
						[WK_FETCH_PE] = ".image" };

	return is_text ? ".sym" : suffixes[want->kind];
}

struct wk_str wk_fetch_found_bytes(const struct wk_fetch_found *found)
{
	const struct wk_store_file *file = &found->file;

	if (file->plain.len)
		return wk_buf_str(&file->plain);
	return wk_str_of((const char *)file->bytes.at, file->bytes.size_bytes);
}

void wk_fetch_found_close(struct wk_fetch_found *found)
{
	wk_pdb_free(found->pdb);
	wk_breakpad_free(found->breakpad);
	wk_store_close(&found->file);
	*found = (struct wk_fetch_found){ 0 };
}

static struct wk_bytes window(const struct wk_fetch_found *found)
{
	struct wk_str bytes = wk_fetch_found_bytes(found);

	return wk_bytes_of(bytes.at, bytes.len);
}

/* The file of that name in a cabinet, or its first: stores have one in each. */
static bool unpack(struct wk_fetch_found *found, struct wk_str name, struct wk_err *err)
{
	struct wk_buf plain = { 0 };
	struct wk_cab cab;
	size_t chosen = 0;
	bool ok;

	if (!wk_cab_open(window(found), &cab, err))
		return false;
	for (size_t i = cab.file_count; i-- > 0;)
		if (wk_str_eq_any_case(cab.files[i].name, name))
			chosen = i;
	ok = cab.file_count > 0 ? wk_cab_read(&cab, &cab.files[chosen], &plain, err)
				: wk_fail(err, WK_ECORRUPT, WK_NOWHERE, "the cabinet is empty");
	wk_cab_close(&cab);
	wk_buf_fini(&found->file.plain);
	found->file.plain = plain;
	return ok;
}

/* `has`: what the file contains. */
static bool check_key(const struct wk_fetch_want *has, bool fits, const struct wk_fetch_want *want,
		      struct wk_err *err)
{
	struct wk_buf found = { 0 }, wanted = { 0 };

	wk_fetch_want_key(has, &found);
	wk_fetch_want_key(want, &wanted);
	if (!fits && wk_fetch_family_of(want) == WK_FETCH_FOR_ELF)
		wk_fail(err, WK_ECORRUPT, WK_NOWHERE, "its build id is %s",
			found.len ? wk_buf_text(&found) : "missing");
	else if (!fits)
		wk_fail(err, WK_ECORRUPT, WK_NOWHERE, "it is of another build: %s %s, wanted %s",
			want->kind == WK_FETCH_PDB ? "GUID" : "time and size",
			found.len ? wk_buf_text(&found) : "missing", wk_buf_text(&wanted));
	WK_BUF_FINI_ALL(&found, &wanted);
	return fits;
}

static bool check_pdb(const struct wk_pdb_id *id, const struct wk_fetch_want *want,
		      struct wk_err *err)
{
	return check_key(&(struct wk_fetch_want){ .kind = WK_FETCH_PDB, .pdb = *id },
			 wk_pdb_id_same_build(id, &want->pdb), want, err);
}

static bool fail_cut(struct wk_err *err)
{
	return wk_fail(err, WK_ECORRUPT, WK_NOWHERE, "it ends early");
}

static bool open_pdb(struct wk_fetch_found *found, const struct wk_fetch_want *want,
		     struct wk_str bytes, struct wk_err *err)
{
	found->pdb = wk_pdb_open(bytes.at, bytes.len, err);
	return found->pdb && check_pdb(wk_pdb_id(found->pdb), want, err) &&
	       (wk_pdb_is_whole(window(found)) || fail_cut(err));
}

static bool open_breakpad(struct wk_fetch_found *found, const struct wk_fetch_want *want,
			  struct wk_str bytes, struct wk_err *err)
{
	struct wk_pdb_id id;

	found->breakpad = wk_breakpad_open(bytes.at, bytes.len, err);
	if (!found->breakpad)
		return false;
	if (!wk_pdb_id_read(wk_breakpad_module(found->breakpad)->key, &id))
		return wk_fail(err, WK_ECORRUPT, WK_NOWHERE, "its MODULE line has no GUID and age");
	return check_pdb(&id, want, err);
}

/* The offset of the section headers. */
static uint64_t section_headers_at(const struct wk_obj *obj)
{
	struct wk_bytes file = wk_bytes_of(obj->at, obj->size_bytes);
	struct wk_bytes field = wk_bytes_at(&file, obj->is_64 ? 0x28 : 0x20, obj->is_64 ? 8 : 4);

	field.big_endian = obj->big_endian;
	return wk_obj_word(obj, &field);
}

static bool is_within(const struct wk_obj *obj, uint64_t offset, uint64_t size_bytes)
{
	return size_bytes == 0 ||
	       (offset <= obj->size_bytes && size_bytes <= obj->size_bytes - offset);
}

/* A truncated file still has its build id near its start, but not its section headers, or not all
 * that they describe. The segments of a debug file describe bytes that are in the program. */
static bool is_whole(const struct wk_obj *obj)
{
	for (uint32_t i = 0; i < obj->section_count; i++)
		if (obj->sections[i].type != WK_SHT_NOBITS &&
		    !is_within(obj, obj->sections[i].offset, obj->sections[i].size_bytes))
			return false;
	if (obj->section_count > 0)
		return true;
	for (uint32_t i = 0; i < obj->segment_count; i++)
		if (!is_within(obj, obj->segments[i].offset, obj->segments[i].file_size))
			return false;
	return section_headers_at(obj) == 0;
}

static bool check_obj(const struct wk_obj *obj, const struct wk_fetch_want *want,
		      struct wk_err *err)
{
	struct wk_fetch_want has = { .kind = want->kind, .id = obj->build_id };

	if (wk_fetch_family_of(want) == WK_FETCH_FOR_ELF)
		return check_key(&has, wk_store_same_id(&has.id, &want->id), want, err);
	if (!obj->pe)
		return wk_fail(err, WK_EFORMAT, WK_NOWHERE, "it is not a Windows program");
	has.time_stamp = obj->pe->time_stamp;
	has.image_bytes = obj->pe->image_bytes;
	return check_key(&has,
			 has.time_stamp == want->time_stamp && has.image_bytes == want->image_bytes,
			 want, err);
}

static bool open_kind(struct wk_fetch_found *found, const struct wk_fetch_want *want,
		      struct wk_err *err)
{
	bool is_elf = wk_fetch_family_of(want) == WK_FETCH_FOR_ELF;
	struct wk_str bytes;
	struct wk_obj *obj;

	if (!is_elf && wk_cab_is(window(found)) && !unpack(found, want->name, err))
		return false;
	bytes = wk_fetch_found_bytes(found);
	if (want->kind == WK_FETCH_PDB)
		return (wk_breakpad_is(window(found)) ? open_breakpad : open_pdb)(found, want,
										  bytes, err);
	obj = found->file.obj = wk_obj_parse(bytes.at, bytes.len, is_elf ? NULL : err);
	if (!obj)
		return is_elf ? wk_fail(err, WK_EFORMAT, WK_NOWHERE, "it is not an ELF file")
			      : false;
	return check_obj(obj, want, err) && (is_whole(obj) || fail_cut(err));
}

bool wk_fetch_found_open(struct wk_fetch_found *found, const struct wk_fetch_want *want,
			 struct wk_err *err)
{
	if (open_kind(found, want, err))
		return true;
	wk_fetch_found_close(found);
	return false;
}

bool wk_fetch_found_open_path(struct wk_fetch_found *found, const struct wk_fetch_want *want,
			      const char *path, struct wk_err *err)
{
	*found = (struct wk_fetch_found){ 0 };
	if (!wk_os_open_named(path, &found->file.bytes, &found->file.identity, err) ||
	    !wk_fetch_found_open(found, want, err))
		return false;
	found->file.path = wk_strndup(path, strlen(path));
	return true;
}

bool wk_fetch_found_has_names(const struct wk_fetch_found *found)
{
	static const char *const sections[] = { ".symtab", ".debug_info", ".zdebug_info" };

	for (size_t i = 0; i < sizeof(sections) / sizeof(sections[0]); i++)
		if (wk_obj_section(found->file.obj, sections[i]))
			return true;
	return false;
}
