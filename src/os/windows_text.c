#include "os/windows_calls.h"

#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/windows_error.h"
#include "os/folder.h"

/* Longer ones, with a file's name behind them, need their full form. */
#define SHORT_PATH 200

wchar_t *wk_windows_wide(const char *text)
{
	int len = MultiByteToWideChar(CP_UTF8, 0, text, -1, NULL, 0);
	wchar_t *wide = wk_alloc_zeroed((size_t)len + 1, sizeof(*wide));

	MultiByteToWideChar(CP_UTF8, 0, text, -1, wide, len);
	return wide;
}

char *wk_windows_utf8(const wchar_t *text)
{
	int len = WideCharToMultiByte(CP_UTF8, 0, text, -1, NULL, 0, NULL, NULL);
	char *utf8 = wk_alloc_zeroed((size_t)len + 1, 1);

	WideCharToMultiByte(CP_UTF8, 0, text, -1, utf8, len, NULL, NULL);
	return utf8;
}

static wchar_t *full_path(const wchar_t *path)
{
	DWORD room = GetFullPathNameW(path, 0, NULL, NULL);
	wchar_t *full = wk_alloc_zeroed((size_t)room + 1, sizeof(*full));

	GetFullPathNameW(path, room, full, NULL);
	return full;
}

/* "\\?\C:\..." or "\\?\UNC\server\...": these may have 32767 characters. */
static wchar_t *long_path(wchar_t *path)
{
	wchar_t *full = full_path(path);
	bool is_server = wcsncmp(full, L"\\\\", 2) == 0;
	const wchar_t *prefix = is_server ? L"\\\\?\\UNC" : L"\\\\?\\";
	wchar_t *whole = wk_alloc_zeroed(wcslen(full) + 16, sizeof(*whole));

	wcscpy(whole, prefix);
	wcscat(whole, full + is_server);
	WK_FREE_ALL(full, path);
	return whole;
}

/* Scripts for several systems write "/dev/null". */
wchar_t *wk_windows_path(const char *path)
{
	wchar_t *wide = wk_windows_wide(strcmp(path, "/dev/null") == 0 ? "NUL" : path);

	if (wcslen(wide) < SHORT_PATH || wcsncmp(wide, L"\\\\?\\", 4) == 0)
		return wide;
	return long_path(wide);
}

char *wk_windows_slashes(const wchar_t *path)
{
	const wchar_t *server = L"\\\\?\\UNC\\", *drive = L"\\\\?\\";
	char *text;

	if (wcsncmp(path, server, wcslen(server)) == 0) {
		text = wk_windows_utf8(path + wcslen(server) - 2);
		text[0] = '\\';
	} else {
		path += wcsncmp(path, drive, wcslen(drive)) == 0 ? wcslen(drive) : 0;
		text = wk_windows_utf8(path);
	}
	for (char *at = text; *at; at++)
		*at = *at == '\\' ? '/' : *at;
	return text;
}

/* Paths with '/' are local: "C:/a", and "/a" on the current drive. Paths with backslashes come from
 * a recording, and may belong to another machine. */
bool wk_os_is_absolute(struct wk_str path)
{
	return wk_str_starts(path, "/") || (path.len > 2 && path.at[1] == ':' && path.at[2] == '/');
}

char *wk_os_absolute(const char *path)
{
	wchar_t *wide = wk_windows_wide(path), *full = full_path(wide);
	char *text = wk_windows_slashes(full);

	WK_FREE_ALL(full, wide);
	return text;
}

bool wk_os_is_path(const char *word)
{
	return strpbrk(word, "/\\:") != NULL;
}

int wk_windows_fail(void)
{
	errno = wk_windows_error_number(GetLastError());
	return -1;
}

HANDLE wk_windows_handle(int fd)
{
	intptr_t handle = fd < 0 ? -1 : _get_osfhandle(fd);

	if (handle == -1 || handle == -2) {
		errno = EBADF;
		return INVALID_HANDLE_VALUE;
	}
	return (HANDLE)handle;
}

int wk_windows_descriptor(HANDLE handle, int flags)
{
	int fd = handle == INVALID_HANDLE_VALUE
			 ? -1
			 : _open_osfhandle((intptr_t)handle, flags | _O_BINARY | _O_NOINHERIT);

	if (fd < 0 && handle != INVALID_HANDLE_VALUE)
		CloseHandle(handle);
	return fd;
}

uint64_t wk_windows_ns(FILETIME time)
{
	uint64_t since_1601 = (uint64_t)time.dwHighDateTime << 32 | time.dwLowDateTime;
	uint64_t epoch = UINT64_C(116444736000000000);

	return since_1601 > epoch ? (since_1601 - epoch) * 100 : 0;
}
