#include "symbols/object/object.h"

#include <stdlib.h>

#include "base/mem.h"
#include "symbols/object/object_kinds.h"
#include "symbols/object/pe.h"

struct wk_bytes wk_obj_whole(const struct wk_obj *obj)
{
	struct wk_bytes b = wk_bytes_of(obj->at, obj->size_bytes);

	b.big_endian = obj->big_endian;
	return b;
}

struct wk_obj *wk_obj_parse(const void *at, size_t size_bytes, struct wk_err *err)
{
	struct wk_obj *obj = wk_alloc_zeroed(1, sizeof(*obj));

	obj->at = at ? at : (const void *)"";
	obj->size_bytes = size_bytes;
	if (size_bytes >= 2 && memcmp(at, "MZ", 2) == 0 ? wk_pe_read(obj, err)
							: wk_elf_read(obj, err))
		return obj;
	wk_obj_free(obj);
	return NULL;
}

struct wk_str wk_obj_text(const struct wk_bytes *table, uint64_t offset, size_t limit)
{
	uint64_t size = (uint64_t)(table->end - table->start);
	const uint8_t *at, *nul;
	size_t most;

	if (offset >= size)
		return (struct wk_str){ "", 0 };
	at = table->start + offset;
	most = size - offset <= limit ? (size_t)(size - offset) : limit + 1; /* and the NUL */
	nul = memchr(at, 0, most);
	if (!nul)
		return (struct wk_str){ "", 0 };
	return (struct wk_str){ (const char *)at, (size_t)(nul - at) };
}

void wk_obj_free(struct wk_obj *obj)
{
	if (!obj)
		return;
	wk_pe_free(obj->pe);
	WK_FREE_ALL(obj->segments, obj->sections, obj);
}

const struct wk_obj_section *wk_obj_section(const struct wk_obj *obj, const char *name)
{
	const struct wk_obj_section *of_group = NULL;

	for (uint32_t i = 0; i < obj->section_count; i++) {
		const struct wk_obj_section *s = &obj->sections[i];

		if (s->type == WK_SHT_NOBITS || s->type == 0 || !wk_str_is(s->name, name))
			continue;
		if (!(s->flags & WK_SHF_GROUP))
			return s;
		if (!of_group)
			of_group = s;
	}
	return of_group;
}

/* A window whose `start` is its own first byte; empty if the file does not have these bytes. */
static struct wk_bytes window(const struct wk_obj *obj, uint64_t offset, uint64_t len)
{
	struct wk_bytes file = wk_obj_whole(obj);
	struct wk_bytes piece = wk_bytes_at(&file, offset, len);

	piece.start = piece.at;
	piece.bad = false;
	return piece;
}

struct wk_bytes wk_obj_bytes(const struct wk_obj *obj, const struct wk_obj_section *section)
{
	if (!section || section->type == WK_SHT_NOBITS)
		return window(obj, 0, 0);
	return window(obj, section->offset, section->size_bytes);
}

struct wk_bytes wk_obj_segment_bytes(const struct wk_obj *obj, const struct wk_obj_segment *segment)
{
	return window(obj, segment->offset, segment->file_size);
}

struct wk_bytes wk_obj_bytes_from(const struct wk_obj *obj, uint64_t vaddr)
{
	struct wk_bytes bytes;

	for (uint32_t i = 0; i < obj->segment_count; i++) {
		const struct wk_obj_segment *s = &obj->segments[i];

		if (s->type != WK_PT_LOAD || vaddr - s->vaddr >= s->file_size)
			continue;
		bytes = wk_obj_segment_bytes(obj, s);
		wk_bytes_skip(&bytes, vaddr - s->vaddr);
		bytes.start = bytes.at;
		bytes.bad = wk_bytes_left(&bytes) == 0;
		return bytes;
	}
	bytes = window(obj, 0, 0);
	bytes.bad = true;
	return bytes;
}

/* The distance to add, from the PT_LOAD that contains `address`. Executable ones are searched
 * first, because two may claim the same bytes of the file. */
static bool translate(const struct wk_obj *obj, uint64_t address, bool to_vaddr, uint64_t *result)
{
	const struct wk_obj_segment *best = NULL;

	if (obj->kind == WK_OBJ_PE) {
		*result = address;
		return address < obj->pe->image_bytes;
	}
	for (uint32_t i = 0; i < obj->segment_count; i++) {
		const struct wk_obj_segment *s = &obj->segments[i];
		uint64_t from = to_vaddr ? s->offset : s->vaddr;

		if (s->type != WK_PT_LOAD || address - from >= s->file_size)
			continue;
		if (!best || (!(best->flags & WK_PF_X) && s->flags & WK_PF_X))
			best = s;
	}
	if (!best)
		return false;
	*result = to_vaddr ? address - best->offset + best->vaddr
			   : address - best->vaddr + best->offset;
	return true;
}

bool wk_obj_vaddr_of(const struct wk_obj *obj, uint64_t file_offset, uint64_t *vaddr)
{
	return translate(obj, file_offset, true, vaddr);
}

bool wk_obj_offset_of(const struct wk_obj *obj, uint64_t vaddr, uint64_t *file_offset)
{
	return translate(obj, vaddr, false, file_offset);
}

bool wk_obj_debuglink(const struct wk_obj *obj, struct wk_str *name, uint32_t *crc)
{
	struct wk_bytes in = wk_obj_bytes(obj, wk_obj_section(obj, ".gnu_debuglink"));

	*name = wk_bytes_text(&in);
	wk_bytes_skip(&in, -wk_bytes_offset(&in) & 3);
	*crc = wk_u32(&in);
	return !in.bad && name->len > 0;
}

bool wk_obj_debugaltlink(const struct wk_obj *obj, struct wk_str *path, struct wk_build_id *id)
{
	struct wk_bytes in = wk_obj_bytes(obj, wk_obj_section(obj, ".gnu_debugaltlink"));
	size_t left;

	*path = wk_bytes_text(&in);
	left = wk_bytes_left(&in);
	*id = (struct wk_build_id){ 0 };
	if (in.bad || path->len == 0 || left == 0)
		return false;
	id->size = left < sizeof(id->bytes) ? (uint8_t)left : sizeof(id->bytes);
	memcpy(id->bytes, in.at, id->size);
	return true;
}
