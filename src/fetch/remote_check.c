/* Whether a file is the one that was asked for, whatever its server or its name says. */
#include "fetch/remote_search.h"

#include "base/buf.h"
#include "fetch/remote_internal.h"
#include "fetch/store.h"

/* Where the header says that the sections' headers lie. */
static uint64_t section_headers_at(const struct wk_obj *obj)
{
	struct wk_bytes file = wk_bytes_of(obj->at, obj->size_bytes);
	struct wk_bytes field = wk_bytes_at(&file, obj->is_64 ? 0x28 : 0x20, obj->is_64 ? 8 : 4);

	field.big_endian = obj->big_endian;
	return wk_obj_word(obj, &field);
}

static bool lies_within(const struct wk_obj *obj, uint64_t offset, uint64_t size_bytes)
{
	return size_bytes == 0 ||
	       (offset <= obj->size_bytes && size_bytes <= obj->size_bytes - offset);
}

/* A file that was cut still has its build id in front, but not its sections' headers, or not all
 * that they speak of. What segments have in a debug file is said to be elsewhere. */
bool wk_remote_is_whole(const struct wk_obj *obj)
{
	for (uint32_t i = 0; i < obj->section_count; i++)
		if (obj->sections[i].type != WK_SHT_NOBITS &&
		    !lies_within(obj, obj->sections[i].offset, obj->sections[i].size_bytes))
			return false;
	if (obj->section_count > 0)
		return true;
	for (uint32_t i = 0; i < obj->segment_count; i++)
		if (!lies_within(obj, obj->segments[i].offset, obj->segments[i].file_size))
			return false;
	return section_headers_at(obj) == 0;
}

static bool check_elf(const struct wk_os_file *file, const struct wk_build_id *id,
		      struct wk_err *err)
{
	struct wk_obj *obj = wk_obj_parse(file->at, file->size_bytes, NULL);
	struct wk_buf text = { 0 };
	bool ok = true;

	if (!obj)
		return wk_fail(err, WK_EFORMAT, WK_NOWHERE, "it is no ELF file");
	if (!wk_store_same_id(&obj->build_id, id)) {
		wk_store_add_id(&text, &obj->build_id);
		ok = wk_fail(err, WK_ECORRUPT, WK_NOWHERE, "its build id is %s",
			     text.len ? wk_buf_text(&text) : "missing");
	} else if (!wk_remote_is_whole(obj)) {
		ok = wk_fail(err, WK_ECORRUPT, WK_NOWHERE, "it ends early");
	}
	wk_buf_fini(&text);
	wk_obj_free(obj);
	return ok;
}

bool wk_remote_check(const char *path, const struct wk_build_id *id, struct wk_err *err)
{
	struct wk_os_file file;
	bool ok;

	if (!wk_os_open_named(path, &file, NULL, err))
		return false;
	ok = check_elf(&file, id, err);
	wk_os_close(&file);
	return ok;
}

bool wk_remote_check_fd(int fd, const struct wk_build_id *id, struct wk_err *err)
{
	struct wk_os_file file;
	bool ok;

	if (!wk_os_open_fd(fd, "what came", 0, &file, err))
		return false;
	ok = check_elf(&file, id, err);
	wk_os_close(&file);
	return ok;
}

bool wk_remote_says_more(const char *path, struct wk_err *err)
{
	static const char *const sections[] = { ".symtab", ".debug_info", ".zdebug_info", NULL };
	struct wk_os_file file;
	struct wk_obj *obj;
	bool found = false;

	if (!wk_os_open_named(path, &file, NULL, err))
		return false;
	obj = wk_obj_parse(file.at, file.size_bytes, err);
	for (size_t i = 0; obj && sections[i]; i++)
		found |= wk_obj_section(obj, sections[i]) != NULL;
	wk_obj_free(obj);
	wk_os_close(&file);
	return found || wk_fail(err, WK_ENOTFOUND, WK_NOWHERE, "it is stripped");
}
