#include "os/windows_calls.h"

#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "os/input.h"

static bool set_passing(HANDLE handle, bool is_passing)
{
	FILE_DISPOSITION_INFO info = { .DeleteFile = is_passing };

	return SetFileInformationByHandle(handle, FileDispositionInfo, &info, sizeof(info)) ||
	       wk_windows_fail() == 0;
}

HANDLE wk_windows_create_passing(const char *path)
{
	HANDLE handle = wk_windows_open(path, GENERIC_READ | GENERIC_WRITE | DELETE, CREATE_NEW,
					FILE_ATTRIBUTE_NORMAL);

	/* If that is impossible, a killed writer leaves it behind. */
	if (handle != INVALID_HANDLE_VALUE)
		set_passing(handle, true);
	return handle;
}

bool wk_windows_keep(HANDLE handle)
{
	return set_passing(handle, false);
}

static bool move(const wchar_t *from, const wchar_t *to, DWORD flags)
{
	return MoveFileExW(from, to, flags) || wk_windows_fail() == 0;
}

/* A mapped file cannot be replaced, but renamed; it is deleted once it is unused. */
static bool move_aside(const wchar_t *from, const wchar_t *to)
{
	static atomic_uint number;
	wchar_t *aside = wk_alloc_zeroed(wcslen(to) + 64, sizeof(*aside));
	bool ok;

	swprintf(aside, wcslen(to) + 63, L"%ls.old-%lu-%u", to, GetCurrentProcessId(),
		 atomic_fetch_add(&number, 1));
	ok = move(to, aside, 0);
	if (ok && !move(from, to, 0)) {
		int cause = errno;

		ok = false;
		move(aside, to, 0);
		errno = cause;
	} else if (ok) {
		DeleteFileW(aside);
	}
	wk_free(aside);
	return ok;
}

bool wk_windows_replace(const char *from, const char *to)
{
	wchar_t *source = wk_windows_path(from), *target = wk_windows_path(to);
	/* Keeps its read permissions. */
	bool ok = ReplaceFileW(target, source, NULL, REPLACEFILE_IGNORE_MERGE_ERRORS, NULL, NULL) ||
		  move(source, target, MOVEFILE_REPLACE_EXISTING) ||
		  (errno == EACCES && move_aside(source, target));

	WK_FREE_ALL(source, target);
	return ok;
}

static bool is_open_output(const struct wk_os_identity *there)
{
	for (int fd = 1; fd <= 2; fd++) {
		BY_HANDLE_FILE_INFORMATION info;

		if (GetFileInformationByHandle(wk_windows_handle(fd), &info) &&
		    info.dwVolumeSerialNumber == there->device_major &&
		    info.nFileIndexLow == (DWORD)there->inode &&
		    info.nFileIndexHigh == (DWORD)(there->inode >> 32))
			return true;
	}
	return false;
}

/* The final path of the draft, links followed; NULL for what is written in place. */
static char *target_of(const char *path)
{
	struct wk_os_identity there;

	if (!wk_os_is_there(path))
		return wk_strndup(path, strlen(path));
	if (!wk_os_identify(path, &there, NULL) || !there.is_regular || is_open_output(&there) ||
	    !wk_os_may_write(path))
		return NULL;
	return wk_os_real_path(path);
}

static void forget(struct wk_os_draft *draft)
{
	WK_FREE_ALL(draft->target, draft->temporary);
	*draft = (struct wk_os_draft){ .fd = -1 };
}

static void open_temporary(struct wk_os_draft *draft)
{
	draft->fd = wk_windows_descriptor(wk_windows_create_passing(draft->temporary), _O_RDWR);
}

static bool open_beside(struct wk_os_draft *draft, const char *path)
{
	size_t len;

	draft->target = target_of(path);
	if (!draft->target)
		return false;
	len = strlen(draft->target);
	while (len > 0 && draft->target[len - 1] != '/' && draft->target[len - 1] != '\\')
		len--;
	/* In the folder of the target: a file can replace another only within a drive. */
	draft->temporary = wk_os_unique_name(wk_str_of(draft->target, len), ".wick-", "");
	open_temporary(draft);
	if (draft->fd >= 0)
		return true;
	forget(draft);
	return false;
}

bool wk_os_draft_open(struct wk_os_draft *draft, const char *path, struct wk_err *err)
{
	*draft = (struct wk_os_draft){ .fd = -1 };
	if (!open_beside(draft, path))
		draft->fd = wk_os_create(path, false, err);
	return draft->fd >= 0;
}

bool wk_os_draft_open_private(struct wk_os_draft *draft, const char *path, struct wk_err *err)
{
	*draft = (struct wk_os_draft){ .target = wk_strdup(path) };
	draft->temporary = wk_os_unique_name(wk_str_c(path), ".", ".tmp");
	open_temporary(draft);
	if (draft->fd >= 0)
		return true;
	wk_fail_os(err, errno, "cannot write %s", draft->temporary);
	forget(draft);
	return false;
}

bool wk_os_draft_end(struct wk_os_draft *draft, bool keep)
{
	const char *temporary = draft->temporary;
	int cause = 0;

	if (temporary && keep && !wk_windows_keep(wk_windows_handle(draft->fd)))
		cause = errno;
	if (_close(draft->fd) != 0 && cause == 0)
		cause = errno;
	if (temporary && keep && cause == 0 && !wk_windows_replace(temporary, draft->target))
		cause = errno;
	if (temporary && (!keep || cause != 0)) {
		wchar_t *wide = wk_windows_path(temporary);

		DeleteFileW(wide);
		wk_free(wide);
	}
	forget(draft);
	errno = cause;
	return cause == 0;
}
