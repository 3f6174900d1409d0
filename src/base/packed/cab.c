#include "base/packed/cab.h"

#include <string.h>

bool wk_cab_is(struct wk_bytes first)
{
	return wk_bytes_left(&first) >= 4 && memcmp(first.at, "MSCF", 4) == 0;
}

#ifdef WK_HAS_LIBMSPACK
#include <mspack.h>

#include "base/heap.h"
#include "base/mem.h"
#include "base/packed/unpack.h"

/* The cabinet, or the space for a file of it, as a file of libmspack. */
struct memory_file {
	uint8_t *at;
	size_t size, offset;
};

struct wk_cab_library {
	struct mspack_system system;
	struct mscab_decompressor *decompressor;
	struct mscabd_cabinet *cabinet;
	struct memory_file packed, plain;
};

/* ---- what libmspack calls. All its memory is of the current heap, so a jump over it is harmless
 * (base/heap.h). It passes copies of the system: a file is found by its name alone. */

static void *allocate(struct mspack_system *system, size_t bytes)
{
	(void)system;
	return wk_alloc(bytes);
}

static struct mspack_file *open_file(struct mspack_system *system, const char *name, int mode)
{
	struct memory_file *file = wk_alloc(sizeof(*file));

	(void)system;
	(void)mode;
	memcpy(file, name, sizeof(*file));
	return (struct mspack_file *)file;
}

static void close_file(struct mspack_file *file)
{
	wk_free(file);
}

static int read_file(struct mspack_file *from, void *to, int bytes)
{
	struct memory_file *file = (struct memory_file *)from;
	size_t left = file->size - file->offset, len = (size_t)bytes < left ? (size_t)bytes : left;

	memcpy(to, file->at + file->offset, len);
	file->offset += len;
	return (int)len;
}

static int write_file(struct mspack_file *to, void *from, int bytes)
{
	struct memory_file *file = (struct memory_file *)to;

	if ((size_t)bytes > file->size - file->offset)
		return -1;
	memcpy(file->at + file->offset, from, (size_t)bytes);
	file->offset += (size_t)bytes;
	return bytes;
}

static int seek_file(struct mspack_file *of, off_t offset, int mode)
{
	struct memory_file *file = (struct memory_file *)of;
	size_t from = mode == MSPACK_SYS_SEEK_START ? 0
		      : mode == MSPACK_SYS_SEEK_CUR ? file->offset
						    : file->size;

	if (offset < 0 ? (uint64_t)-offset > from : (uint64_t)offset > file->size - from)
		return -1;
	file->offset = from + (size_t)offset;
	return 0;
}

static off_t tell_file(struct mspack_file *of)
{
	return (off_t)((struct memory_file *)of)->offset;
}

static void ignore_message(struct mspack_file *file, const char *format, ...)
{
	(void)file;
	(void)format;
}

static void copy_bytes(void *from, void *to, size_t bytes)
{
	memcpy(to, from, bytes);
}

/* ---- the cabinet */

static bool fail_library(const struct wk_cab_library *library, const char *part, struct wk_err *err)
{
	switch (library->decompressor->last_error(library->decompressor)) {
	case MSPACK_ERR_READ:
	case MSPACK_ERR_SEEK:
		return wk_fail(err, WK_ECORRUPT, WK_NOWHERE,
			       "the cabinet ends in its %s; the file was cut", part);
	case MSPACK_ERR_CHECKSUM:
		return wk_fail(err, WK_ECORRUPT, WK_NOWHERE,
			       "a block of the cabinet is broken: its checksum differs");
	default:
		return wk_fail(err, WK_ECORRUPT, WK_NOWHERE,
			       "the cabinet's %s is broken, or goes on in another cabinet", part);
	}
}

static void list_files(struct wk_cab *cab)
{
	for (struct mscabd_file *file = cab->library->cabinet->files; file; file = file->next)
		*WK_APPEND(cab->files, cab->file_count, cab->file_cap) = (struct wk_cab_file){
			.name = wk_str_c(file->filename), .size_bytes = file->length,
			.offset = file->offset, .entry = file };
}

bool wk_cab_open(struct wk_bytes bytes, struct wk_cab *cab, struct wk_err *err)
{
	struct wk_cab_library *library;

	*cab = (struct wk_cab){ 0 };
	if (!wk_cab_is(bytes))
		return wk_fail(err, WK_EFORMAT, 0, "this is no cabinet");
	cab->library = library = wk_alloc_zeroed(1, sizeof(*library));
	library->system = (struct mspack_system){ open_file,   close_file,     read_file, write_file,
						  seek_file,   tell_file,      ignore_message,
						  allocate,    wk_free,        copy_bytes, NULL };
	library->packed =
		(struct memory_file){ (uint8_t *)(uintptr_t)bytes.at, wk_bytes_left(&bytes), 0 };
	library->decompressor = mspack_create_cab_decompressor(&library->system);
	if (!library->decompressor)
		wk_heap_raise();
	library->cabinet =
		library->decompressor->open(library->decompressor, (const char *)&library->packed);
	if (library->cabinet) {
		list_files(cab);
		return true;
	}
	fail_library(library, "list of files", err);
	wk_cab_close(cab);
	return false;
}

void wk_cab_close(struct wk_cab *cab)
{
	struct wk_cab_library *library = cab->library;

	if (library && library->cabinet)
		library->decompressor->close(library->decompressor, library->cabinet);
	if (library)
		mspack_destroy_cab_decompressor(library->decompressor);
	WK_FREE_ALL(cab->files, library);
	*cab = (struct wk_cab){ 0 };
}

bool wk_cab_read(const struct wk_cab *cab, const struct wk_cab_file *file, struct wk_buf *plain,
		 struct wk_err *err)
{
	struct wk_cab_library *library = cab->library;
	uint64_t end = file->offset + file->size_bytes;
	size_t before = plain->len;

	if (end > wk_unpack_limit_of(library->packed.size))
		return wk_fail(err, WK_ECORRUPT, WK_NOWHERE,
			       "%zu bytes of a cabinet claim to be %llu bytes of plain data",
			       library->packed.size, (unsigned long long)end);
	library->plain = (struct memory_file){ wk_buf_extend(plain, file->size_bytes),
					       file->size_bytes, 0 };
	if (!library->decompressor->extract(library->decompressor, file->entry,
					    (const char *)&library->plain))
		return true;
	plain->len = before;
	plain->at[before] = '\0';
	return fail_library(library, "packed data", err);
}
#else
bool wk_cab_open(struct wk_bytes bytes, struct wk_cab *cab, struct wk_err *err)
{
	(void)bytes;
	*cab = (struct wk_cab){ 0 };
	return wk_fail(err, WK_EUNSUPPORTED, WK_NOWHERE,
		       "wick was built without libmspack, which unpacks cabinets; unpack the file "
		       "first (cabextract, expand)");
}

void wk_cab_close(struct wk_cab *cab)
{
	(void)cab;
}

bool wk_cab_read(const struct wk_cab *cab, const struct wk_cab_file *file, struct wk_buf *plain,
		 struct wk_err *err)
{
	(void)cab;
	(void)file;
	(void)plain;
	return wk_fail(err, WK_EUNSUPPORTED, WK_NOWHERE, "wick was built without libmspack");
}
#endif
