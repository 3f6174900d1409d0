#include "fetch/symbol_found.h"

#include <inttypes.h>

#include "base/packed/cab.h"
#include "fetch/remote_internal.h"
#include "symbols/object/pe.h"

void wk_symbol_want_key(const struct wk_symbol_want *want, struct wk_buf *key)
{
	if (wk_symbol_wants_pdb(want))
		wk_pdb_id_add(key, &want->pdb);
	else if (want->time_stamp && want->image_bytes)
		wk_buf_add_fmt(key, "%08" PRIX32 "%" PRIx32, want->time_stamp, want->image_bytes);
}

struct wk_str wk_symbol_found_bytes(const struct wk_symbol_found *found)
{
	const struct wk_store_file *file = &found->file;

	if (file->plain.len)
		return wk_buf_str(&file->plain);
	return wk_str_of((const char *)file->bytes.at, file->bytes.size_bytes);
}

void wk_symbol_found_close(struct wk_symbol_found *found)
{
	wk_pdb_free(found->pdb);
	wk_breakpad_free(found->breakpad);
	wk_store_close(&found->file);
	*found = (struct wk_symbol_found){ 0 };
}

static struct wk_bytes window(const struct wk_symbol_found *found)
{
	struct wk_str bytes = wk_symbol_found_bytes(found);

	return wk_bytes_of(bytes.at, bytes.len);
}

static bool is_same_name(struct wk_str a, struct wk_str b)
{
	if (a.len != b.len)
		return false;
	for (size_t i = 0; i < a.len; i++)
		if (wk_lower(a.at[i]) != wk_lower(b.at[i]))
			return false;
	return true;
}

/* The file of that name in a cabinet, or its first: stores have one in each. */
static bool unpack(struct wk_symbol_found *found, struct wk_str name, struct wk_err *err)
{
	struct wk_buf plain = { 0 };
	struct wk_cab cab;
	size_t chosen = 0;
	bool ok;

	if (!wk_cab_open(window(found), &cab, err))
		return false;
	for (size_t i = cab.file_count; i-- > 0;)
		if (is_same_name(cab.files[i].name, name))
			chosen = i;
	ok = cab.file_count > 0 ? wk_cab_read(&cab, &cab.files[chosen], &plain, err)
				: wk_fail(err, WK_ECORRUPT, WK_NOWHERE, "the cabinet is empty");
	wk_cab_close(&cab);
	wk_buf_fini(&found->file.plain);
	found->file.plain = plain;
	return ok;
}

static bool fail_build(const struct wk_symbol_want *want, const char *what,
		       const struct wk_buf *has, struct wk_err *err)
{
	struct wk_buf key = { 0 };

	wk_symbol_want_key(want, &key);
	wk_fail(err, WK_ECORRUPT, WK_NOWHERE, "it is of another build: %s %.*s, wanted %s", what,
		WK_STR_ARG(wk_buf_str(has)), wk_buf_text(&key));
	wk_buf_fini(&key);
	return false;
}

static bool check_pdb(const struct wk_pdb_id *id, const struct wk_symbol_want *want,
		      struct wk_err *err)
{
	struct wk_buf has = { 0 };

	if (wk_pdb_id_same_build(id, &want->pdb))
		return true;
	wk_pdb_id_add(&has, id);
	fail_build(want, "GUID", &has, err);
	wk_buf_fini(&has);
	return false;
}

static bool open_pdb(struct wk_symbol_found *found, const struct wk_symbol_want *want,
		     struct wk_err *err)
{
	struct wk_str bytes = wk_symbol_found_bytes(found);

	found->pdb = wk_pdb_open(bytes.at, bytes.len, err);
	return found->pdb && check_pdb(wk_pdb_id(found->pdb), want, err) &&
	       (wk_pdb_is_whole(window(found)) ||
		wk_fail(err, WK_ECORRUPT, WK_NOWHERE, "it ends early"));
}

static bool open_breakpad(struct wk_symbol_found *found, const struct wk_symbol_want *want,
			  struct wk_err *err)
{
	struct wk_str bytes = wk_symbol_found_bytes(found);
	struct wk_pdb_id id;

	found->breakpad = wk_breakpad_open(bytes.at, bytes.len, err);
	if (!found->breakpad)
		return false;
	if (!wk_pdb_id_read(wk_breakpad_module(found->breakpad)->key, &id))
		return wk_fail(err, WK_ECORRUPT, WK_NOWHERE, "its MODULE line has no GUID and age");
	return check_pdb(&id, want, err);
}

static bool open_image(struct wk_symbol_found *found, const struct wk_symbol_want *want,
		       struct wk_err *err)
{
	struct wk_str bytes = wk_symbol_found_bytes(found);
	struct wk_buf has = { 0 };
	const struct wk_pe *pe;

	found->file.obj = wk_obj_parse(bytes.at, bytes.len, err);
	if (!found->file.obj)
		return false;
	pe = found->file.obj->pe;
	if (!pe)
		return wk_fail(err, WK_EFORMAT, WK_NOWHERE, "it is no program of Windows");
	if (pe->time_stamp == want->time_stamp && pe->image_bytes == want->image_bytes)
		return wk_remote_is_whole(found->file.obj) ||
		       wk_fail(err, WK_ECORRUPT, WK_NOWHERE, "it ends early");
	wk_buf_add_fmt(&has, "%08" PRIX32 "%" PRIx32, pe->time_stamp, pe->image_bytes);
	fail_build(want, "time and size", &has, err);
	wk_buf_fini(&has);
	return false;
}

static bool open_kind(struct wk_symbol_found *found, const struct wk_symbol_want *want,
		      struct wk_err *err)
{
	if (wk_cab_is(window(found)) && !unpack(found, want->name, err))
		return false;
	if (!wk_symbol_wants_pdb(want))
		return open_image(found, want, err);
	return wk_breakpad_is(window(found)) ? open_breakpad(found, want, err)
					     : open_pdb(found, want, err);
}

bool wk_symbol_found_open(struct wk_symbol_found *found, const struct wk_symbol_want *want,
			  struct wk_err *err)
{
	if (open_kind(found, want, err))
		return true;
	wk_symbol_found_close(found);
	return false;
}
