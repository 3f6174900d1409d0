#include "session/heap/heap_patches.h"

#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "channel/channel.h"
#include "os/os.h"
#include "symbols/object/object.h"
#include "symbols/unwind/code_entry.h"

/* A file with functions of an allocator. */
struct file {
	const char *path;
	struct wk_obj *obj;
	struct stat status;
	const struct wk_heap_probe **probes;
	struct wk_channel_patch *patches; /* of each */
	struct wk_entry_range *ranges;    /* that a jump replaces */
	size_t count;
};

static enum wk_heap_function function_of(enum wk_allocator_call call)
{
	switch (call) {
	case WK_ALLOCATOR_CALLOC:
	case WK_ALLOCATOR_CALLOC_BEHIND:
		return WK_HEAP_CALLOC;
	case WK_ALLOCATOR_REALLOC:
	case WK_ALLOCATOR_REALLOC_BEHIND:
		return WK_HEAP_REALLOC;
	case WK_ALLOCATOR_REALLOCARRAY:
		return WK_HEAP_REALLOCARRAY;
	case WK_ALLOCATOR_POSIX_MEMALIGN:
		return WK_HEAP_POSIX_MEMALIGN;
	case WK_ALLOCATOR_PVALLOC:
		return WK_HEAP_PVALLOC;
	default:
		return WK_HEAP_MALLOC;
	}
}

/* The library is not loaded into others. */
static bool may_be_patched(const struct file *file, struct wk_err *why)
{
	const struct wk_obj *obj = file->obj;

	if (obj->machine_code != WK_EM_X86_64)
		return wk_fail(why, WK_EUNSUPPORTED, WK_NOWHERE,
			       "functions of %s cannot be patched: it is not for x86-64",
			       file->path);
	if (!wk_elf_needs(obj, "libc.so.6"))
		return wk_fail(why, WK_EUNSUPPORTED, WK_NOWHERE,
			       "functions of %s cannot be patched: it is linked statically, or "
			       "without glibc",
			       file->path);
	return true;
}

static bool refuse(const struct file *file, size_t i, const char *reason, struct wk_err *why)
{
	return wk_fail(why, WK_EUNSUPPORTED, WK_NOWHERE, "%s of %s cannot be patched: it %s",
		       file->probes[i]->function, file->path, reason);
}

/* The segment of a function, and where it is in that. */
static struct wk_bytes code_around(const struct wk_obj *obj, uint64_t vaddr, uint64_t *offset)
{
	for (uint32_t i = 0; i < obj->segment_count; i++) {
		const struct wk_obj_segment *segment = &obj->segments[i];

		*offset = vaddr - segment->vaddr;
		if (segment->type == WK_PT_LOAD && segment->flags & WK_PF_X &&
		    vaddr >= segment->vaddr && *offset < segment->file_size)
			return wk_obj_segment_bytes(obj, segment);
	}
	return (struct wk_bytes){ 0 };
}

static bool read_function(struct file *file, size_t i, struct wk_err *why)
{
	const struct wk_heap_probe *probe = file->probes[i];
	struct wk_channel_patch *patch = &file->patches[i];
	struct wk_bytes code;
	const char *reason;
	uint64_t offset = 0;

	*patch = (struct wk_channel_patch){ .device = file->status.st_dev,
					    .inode = file->status.st_ino,
					    .vaddr = probe->vaddr,
					    .call = probe->call,
					    .function = function_of(probe->call) };
	if (!wk_code_entry_read(wk_obj_bytes_from(file->obj, probe->vaddr), probe->size_bytes,
				&patch->code, &reason))
		return refuse(file, i, reason, why);
	code = code_around(file->obj, probe->vaddr, &offset);
	if (!wk_entry_calls_others(code, offset))
		return refuse(file, i,
			      "calls no other functions, so that callers may rely on "
			      "registers that it leaves alone",
			      why);
	file->ranges[i] = (struct wk_entry_range){ probe->vaddr, patch->code.taken, false };
	return true;
}

/* A function that begins in another one. */
static bool take_symbol(void *context, const struct wk_obj_symbol *symbol)
{
	struct file *file = context;

	for (size_t i = 0; i < file->count; i++)
		if (symbol->vaddr > file->ranges[i].vaddr &&
		    symbol->vaddr < file->ranges[i].vaddr + file->ranges[i].size_bytes)
			file->ranges[i].is_reached = true;
	return true;
}

static bool are_apart(struct file *file, struct wk_err *why)
{
	const struct wk_obj *obj = file->obj;

	for (uint32_t i = 0; i < obj->segment_count; i++)
		if (obj->segments[i].type == WK_PT_LOAD && obj->segments[i].flags & WK_PF_X)
			wk_entry_ranges_reached(wk_obj_segment_bytes(obj, &obj->segments[i]),
						obj->segments[i].vaddr, file->ranges, file->count);
	wk_obj_each_symbol(obj, take_symbol, file);
	for (size_t i = 0; i < file->count; i++)
		if (file->ranges[i].is_reached)
			return refuse(file, i, "has a branch into its first instructions", why);
	return true;
}

static bool read_file(struct file *file, struct wk_err *why)
{
	bool ok = may_be_patched(file, why);

	for (size_t i = 0; i < file->count && ok; i++)
		ok = read_function(file, i, why);
	return ok && are_apart(file, why);
}

static void take_probes(struct file *file, const struct wk_heap_symbols *symbols)
{
	file->probes = wk_alloc_zeroed(symbols->count, sizeof(*file->probes));
	file->patches = wk_alloc_zeroed(symbols->count, sizeof(*file->patches));
	file->ranges = wk_alloc_zeroed(symbols->count, sizeof(*file->ranges));
	for (size_t i = 0; i < symbols->count; i++)
		if (strcmp(symbols->probes[i].path, file->path) == 0)
			file->probes[file->count++] = &symbols->probes[i];
}

/* Instead of its probes. */
static void add_patches(struct wk_heap_symbols *symbols, const struct file *file)
{
	size_t kept = 0;

	for (size_t i = 0; i < file->count; i++) {
		symbols->patches[symbols->patch_count] = file->patches[i];
		symbols->patched[symbols->patch_count++] = file->path;
	}
	for (size_t i = 0; i < symbols->count; i++)
		if (strcmp(symbols->probes[i].path, file->path) != 0)
			symbols->probes[kept++] = symbols->probes[i];
	symbols->count = kept;
}

static bool patch_file(struct wk_heap_symbols *symbols, const char *path, struct wk_err *why)
{
	struct file file = { .path = path };
	struct wk_os_file mapped;
	bool ok = false;

	if (stat(path, &file.status) != 0 || !wk_os_open_named(path, &mapped, NULL, why))
		return false;
	file.obj = wk_obj_parse(mapped.at, mapped.size_bytes, why);
	if (file.obj) {
		take_probes(&file, symbols);
		ok = read_file(&file, why);
	}
	if (ok && symbols->patch_count + file.count > WK_CHANNEL_PATCHES)
		ok = wk_fail(why, WK_EUNSUPPORTED, WK_NOWHERE,
			     "%s has more than the %d functions that can be patched", path,
			     WK_CHANNEL_PATCHES);
	if (ok)
		add_patches(symbols, &file);
	WK_FREE_ALL(file.probes, file.patches, file.ranges);
	wk_obj_free(file.obj);
	wk_os_close(&mapped);
	return ok;
}

void wk_heap_patches_make(struct wk_heap_symbols *symbols, struct wk_err *why)
{
	size_t left = 0;

	symbols->patches = wk_alloc_zeroed(symbols->count + 1, sizeof(*symbols->patches));
	symbols->patched = wk_alloc_zeroed(symbols->count + 1, sizeof(*symbols->patched));
	while (left < symbols->count) {
		const char *path = symbols->probes[left].path;
		struct wk_err reason = { 0 };

		if (patch_file(symbols, path, &reason))
			continue;
		if (!why->text[0])
			*why = reason;
		while (left < symbols->count && strcmp(symbols->probes[left].path, path) == 0)
			left++;
	}
}
