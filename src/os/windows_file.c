#include "os/windows_calls.h"

#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "os/input.h"

#define MOST_AT_ONCE (1u << 20)

HANDLE wk_windows_open(const char *path, DWORD rights, DWORD disposition, DWORD flags)
{
	wchar_t *wide = wk_windows_path(path);
	HANDLE handle =
		CreateFileW(wide, rights, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE,
			    NULL, disposition, flags, NULL);

	wk_free(wide);
	if (handle == INVALID_HANDLE_VALUE)
		wk_windows_fail();
	return handle;
}

static DWORD attributes_of(const char *path)
{
	wchar_t *wide = wk_windows_path(path);
	DWORD attributes = GetFileAttributesW(wide);

	wk_free(wide);
	if (attributes == INVALID_FILE_ATTRIBUTES)
		wk_windows_fail();
	return attributes;
}

bool wk_os_is_there(const char *path)
{
	return attributes_of(path) != INVALID_FILE_ATTRIBUTES;
}

bool wk_os_is_folder(const char *path)
{
	DWORD attributes = attributes_of(path);

	return attributes != INVALID_FILE_ATTRIBUTES && (attributes & FILE_ATTRIBUTE_DIRECTORY);
}

/* Permissions are in lists that only an attempt evaluates. */
bool wk_os_may_write(const char *path)
{
	bool is_folder = wk_os_is_folder(path);
	HANDLE handle = wk_windows_open(path, is_folder ? FILE_ADD_FILE : GENERIC_WRITE,
					OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS);

	if (handle == INVALID_HANDLE_VALUE)
		return false;
	CloseHandle(handle);
	return true;
}

char *wk_os_real_path(const char *path)
{
	HANDLE handle = wk_windows_open(path, 0, OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS);
	wchar_t *wide;
	DWORD room;
	char *text = NULL;

	if (handle == INVALID_HANDLE_VALUE)
		return NULL;
	room = GetFinalPathNameByHandleW(handle, NULL, 0, 0);
	wide = wk_alloc_zeroed((size_t)room + 1, sizeof(*wide));
	if (room && GetFinalPathNameByHandleW(handle, wide, room, 0))
		text = wk_windows_slashes(wide);
	else
		wk_windows_fail();
	wk_free(wide);
	CloseHandle(handle);
	return text;
}

/* --- Reading --- */

/* An inherited standard stream may have no more. */
static enum wk_os_input_kind look_at_size(HANDLE handle, struct wk_os_identity *identity)
{
	LARGE_INTEGER size;

	if (!GetFileSizeEx(handle, &size)) {
		wk_windows_fail();
		return WK_OS_INPUT_UNKNOWN;
	}
	identity->size_bytes = (uint64_t)size.QuadPart;
	identity->is_regular = true;
	return WK_OS_INPUT_FILE;
}

static enum wk_os_input_kind look(HANDLE handle, struct wk_os_identity *identity)
{
	BY_HANDLE_FILE_INFORMATION info;

	*identity = (struct wk_os_identity){ 0 };
	if (GetFileType(handle) != FILE_TYPE_DISK)
		return WK_OS_INPUT_STREAM;
	if (!GetFileInformationByHandle(handle, &info))
		return look_at_size(handle, identity);
	identity->inode = (uint64_t)info.nFileIndexHigh << 32 | info.nFileIndexLow;
	identity->device_major = info.dwVolumeSerialNumber;
	identity->size_bytes = (uint64_t)info.nFileSizeHigh << 32 | info.nFileSizeLow;
	identity->changed_ns = wk_windows_ns(info.ftLastWriteTime);
	identity->is_regular = !(info.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY);
	return identity->is_regular ? WK_OS_INPUT_FILE : WK_OS_INPUT_FOLDER;
}

bool wk_os_identify(const char *path, struct wk_os_identity *identity, struct wk_err *err)
{
	HANDLE handle = wk_windows_open(path, 0, OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS);
	bool ok = handle != INVALID_HANDLE_VALUE && look(handle, identity) != WK_OS_INPUT_UNKNOWN;

	if (!ok)
		wk_fail_os(err, errno, "cannot look at %s", path);
	if (handle != INVALID_HANDLE_VALUE)
		CloseHandle(handle);
	return ok;
}

int wk_os_input_open(const char *path, bool waits)
{
	HANDLE handle = wk_windows_open(path, GENERIC_READ, OPEN_EXISTING, FILE_ATTRIBUTE_NORMAL);

	(void)waits; /* a pipe has no name that a file could have */
	if (handle == INVALID_HANDLE_VALUE && errno == EACCES && wk_os_is_folder(path))
		errno = EISDIR;
	return wk_windows_descriptor(handle, _O_RDONLY);
}

enum wk_os_input_kind wk_os_input_look(int fd, struct wk_os_identity *identity)
{
	HANDLE handle = wk_windows_handle(fd);

	return handle == INVALID_HANDLE_VALUE ? WK_OS_INPUT_UNKNOWN : look(handle, identity);
}

const uint8_t *wk_os_input_map(int fd, size_t size_bytes)
{
	HANDLE mapping = CreateFileMappingW(wk_windows_handle(fd), NULL, PAGE_READONLY, 0, 0, NULL);
	const uint8_t *at = NULL;

	if (mapping)
		at = MapViewOfFile(mapping, FILE_MAP_READ, 0, 0, size_bytes);
	if (!at)
		wk_windows_fail();
	if (mapping)
		CloseHandle(mapping);
	return at;
}

void wk_os_input_unmap(const uint8_t *at, size_t size_bytes)
{
	(void)size_bytes;
	UnmapViewOfFile(at);
}

void wk_os_close(struct wk_os_file *file)
{
	if (file->is_heap)
		wk_free((void *)(uintptr_t)file->at);
	else if (file->at)
		UnmapViewOfFile(file->at);
	wk_undo_free(file->undo);
	*file = (struct wk_os_file){ 0 };
}

/* Unlocking pages that are not locked removes them from the working set. */
static void release(const struct wk_os_file *file, uint64_t size_bytes)
{
	if (file && file->at && !file->is_heap && size_bytes > 0 && size_bytes <= file->size_bytes)
		VirtualUnlock((void *)(uintptr_t)file->at, (size_t)size_bytes);
}

void wk_os_release(const struct wk_os_file *file)
{
	release(file, file->size_bytes);
}

void wk_os_release_to(const struct wk_os_file *file, uint64_t offset)
{
	release(file, offset & ~UINT64_C(4095));
}

/* A mapped file cannot be truncated. */
void wk_os_guard_maps(void)
{
}

/* --- Writing --- */

int wk_os_create(const char *path, bool is_private, struct wk_err *err)
{
	HANDLE handle = wk_windows_open(path, GENERIC_READ | GENERIC_WRITE, CREATE_ALWAYS,
					FILE_ATTRIBUTE_NORMAL);
	int fd = wk_windows_descriptor(handle, _O_RDWR);

	(void)is_private; /* its read permissions are those of its folder */
	if (fd < 0 && errno == EACCES && wk_os_is_folder(path))
		errno = EISDIR;
	if (fd < 0)
		wk_fail_os(err, errno, "cannot write %s", path);
	return fd;
}

void wk_os_make_private(int fd)
{
	(void)fd;
}

int wk_os_temporary(char **path)
{
	wchar_t folder[MAX_PATH + 1] = L"";
	char *utf8;
	int fd;

	GetTempPathW(MAX_PATH, folder);
	utf8 = wk_windows_utf8(folder);
	*path = wk_os_unique_name(wk_str_c(utf8), "wick-", "");
	wk_free(utf8);
	fd = wk_windows_descriptor(
		wk_windows_open(*path, GENERIC_READ | GENERIC_WRITE | DELETE, CREATE_NEW,
				FILE_ATTRIBUTE_TEMPORARY | FILE_FLAG_DELETE_ON_CLOSE),
		_O_RDWR);
	if (fd < 0) {
		wk_free(*path);
		*path = NULL;
	}
	return fd;
}

bool wk_os_rewind(int fd)
{
	return _lseeki64(fd, 0, SEEK_SET) == 0;
}

bool wk_os_is_seekable(int fd)
{
	HANDLE handle = wk_windows_handle(fd);

	return handle != INVALID_HANDLE_VALUE && GetFileType(handle) == FILE_TYPE_DISK &&
	       _lseeki64(fd, 0, SEEK_CUR) == 0;
}

static OVERLAPPED place_of(uint64_t offset)
{
	return (OVERLAPPED){ .Offset = (DWORD)offset, .OffsetHigh = (DWORD)(offset >> 32) };
}

/* A write or a read at a place moves the descriptor's own, which is put back. */
bool wk_os_write_at(int fd, uint64_t offset, const void *bytes, size_t len)
{
	HANDLE handle = wk_windows_handle(fd);
	int64_t before = _lseeki64(fd, 0, SEEK_CUR);
	const char *at = bytes;
	bool ok = true;

	while (ok && len) {
		OVERLAPPED place = place_of(offset);
		DWORD done = 0;

		ok = WriteFile(handle, at, len < MOST_AT_ONCE ? (DWORD)len : MOST_AT_ONCE, &done,
			       &place) ||
		     wk_windows_fail() == 0;
		at += done;
		offset += done;
		len -= done;
	}
	return _lseeki64(fd, before, SEEK_SET) == before && ok;
}

size_t wk_os_read_at(int fd, uint64_t offset, void *bytes, size_t size)
{
	HANDLE handle = wk_windows_handle(fd);
	int64_t before = _lseeki64(fd, 0, SEEK_CUR);
	size_t all = 0;
	DWORD got = 1;

	while (all < size && got > 0) {
		OVERLAPPED place = place_of(offset + all);
		size_t left = size - all;

		got = 0;
		if (!ReadFile(handle, (char *)bytes + all,
			      left < MOST_AT_ONCE ? (DWORD)left : MOST_AT_ONCE, &got, &place))
			break;
		all += got;
	}
	_lseeki64(fd, before, SEEK_SET);
	return all;
}

bool wk_os_size(int fd, uint64_t *size_bytes)
{
	LARGE_INTEGER size;

	if (!GetFileSizeEx(wk_windows_handle(fd), &size))
		return wk_windows_fail() == 0;
	*size_bytes = (uint64_t)size.QuadPart;
	return true;
}

bool wk_os_truncate(int fd, uint64_t size_bytes)
{
	FILE_END_OF_FILE_INFO end = { .EndOfFile.QuadPart = (LONGLONG)size_bytes };

	return SetFileInformationByHandle(wk_windows_handle(fd), FileEndOfFileInfo, &end,
					  sizeof(end)) ||
	       wk_windows_fail() == 0;
}
