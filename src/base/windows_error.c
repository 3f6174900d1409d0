#include "base/windows_error.h"

#include <errno.h>
#include <stddef.h>
#include <windows.h>

static const struct {
	DWORD error;
	int number;
} errors[] = {
	{ ERROR_FILE_NOT_FOUND, ENOENT },
	{ ERROR_PATH_NOT_FOUND, ENOENT },
	{ ERROR_INVALID_NAME, ENOENT },
	{ ERROR_BAD_NETPATH, ENOENT },
	{ ERROR_BAD_PATHNAME, ENOENT },
	{ ERROR_NOT_READY, ENOENT },
	{ ERROR_ACCESS_DENIED, EACCES },
	{ ERROR_SHARING_VIOLATION, EACCES },
	{ ERROR_LOCK_VIOLATION, EACCES },
	{ ERROR_USER_MAPPED_FILE, EACCES },
	{ ERROR_DELETE_PENDING, EACCES },
	{ ERROR_FILE_EXISTS, EEXIST },
	{ ERROR_ALREADY_EXISTS, EEXIST },
	{ ERROR_DIRECTORY, ENOTDIR },
	{ ERROR_WRITE_PROTECT, EROFS },
	{ ERROR_DISK_FULL, ENOSPC },
	{ ERROR_HANDLE_DISK_FULL, ENOSPC },
	{ ERROR_NOT_ENOUGH_MEMORY, ENOMEM },
	{ ERROR_OUTOFMEMORY, ENOMEM },
	{ ERROR_BROKEN_PIPE, EPIPE },
	{ ERROR_NO_DATA, EPIPE },
	{ ERROR_PIPE_NOT_CONNECTED, EPIPE },
	{ ERROR_TOO_MANY_OPEN_FILES, EMFILE },
	{ ERROR_INVALID_HANDLE, EBADF },
	{ ERROR_FILENAME_EXCED_RANGE, ENAMETOOLONG },
};

int wk_windows_error_number(unsigned long error)
{
	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++)
		if (errors[i].error == error)
			return errors[i].number;
	return EIO;
}
