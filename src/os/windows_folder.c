#include "os/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "os/input.h"
#include "os/windows_calls.h"

#include <aclapi.h>

#define DRAFT    ".draft-"
#define YOUNG_NS ((uint64_t)2 * 1000000000)

struct wk_os_folder {
	char *path;
};

char *wk_os_cache_folder(void)
{
	const char *cache = wk_os_env("XDG_CACHE_HOME"), *local = wk_os_env("LOCALAPPDATA");
	struct wk_buf path = { 0 };

	if (!cache || !wk_os_is_absolute(wk_str_c(cache)))
		cache = local;
	if (cache && *cache)
		wk_buf_add_fmt(&path, "%s/wick", cache);
	return path.at;
}

static DWORD attributes_of(const wchar_t *path)
{
	DWORD attributes = GetFileAttributesW(path);

	return attributes == INVALID_FILE_ATTRIBUTES ? 0 : attributes;
}

/* 0, or errno's number for the missing folder. */
static int make_part(const wchar_t *part)
{
	DWORD attributes = attributes_of(part);

	if (attributes)
		return attributes & FILE_ATTRIBUTE_DIRECTORY ? 0 : ENOTDIR;
	if (CreateDirectoryW(part, NULL))
		return 0;
	wk_windows_fail();
	return attributes_of(part) & FILE_ATTRIBUTE_DIRECTORY ? 0 : errno;
}

/* If a parent cannot be created, its error is more useful than that the folder is missing. */
static int first_cause(int before, int now)
{
	return before == 0 || before == ENOENT ? now : before;
}

/* Creates the missing folders of the path, from the top; false, with errno set, on failure. Paths
 * begin with parts that cannot be created (a drive, a server), which is not an error. */
static bool make_path(const char *path)
{
	wchar_t *part = wk_windows_path(path);
	int cause = 0, last;

	for (wchar_t *at = part + 1; *at; at++) {
		wchar_t slash = *at;

		if (slash != L'/' && slash != L'\\')
			continue;
		*at = L'\0';
		cause = first_cause(cause, make_part(part));
		*at = slash;
	}
	last = make_part(part);
	wk_free(part);
	errno = first_cause(cause, last);
	return last == 0;
}

bool wk_os_folder_make(const char *path, struct wk_err *err)
{
	return make_path(path) || wk_fail_os(err, errno, "cannot make the folder %s", path);
}

/* The user of this process, or the owner that files of an administrator get. */
static bool is_user(PSID owner)
{
	struct {
		TOKEN_USER user;
		uint8_t room[SECURITY_MAX_SID_SIZE];
	} token;
	HANDLE handle;
	DWORD size;
	bool found = IsWellKnownSid(owner, WinBuiltinAdministratorsSid);

	if (!found && OpenProcessToken(GetCurrentProcess(), TOKEN_QUERY, &handle)) {
		found = GetTokenInformation(handle, TokenUser, &token, sizeof(token), &size) &&
			EqualSid(owner, token.user.User.Sid);
		CloseHandle(handle);
	}
	return found;
}

/* Write permissions of others are inherited from the parent folder; a user's own profile grants
 * none. */
static bool is_ours(HANDLE handle)
{
	PSECURITY_DESCRIPTOR descriptor = NULL;
	PSID owner = NULL;
	bool ok = GetSecurityInfo(handle, SE_FILE_OBJECT, OWNER_SECURITY_INFORMATION, &owner, NULL,
				  NULL, NULL, &descriptor) == ERROR_SUCCESS &&
		  owner && is_user(owner);

	if (descriptor)
		LocalFree(descriptor);
	return ok;
}

struct wk_os_folder *wk_os_folder_open(const char *path, bool may_make, struct wk_err *err)
{
	struct wk_os_folder *folder;
	HANDLE handle;

	if (may_make && !wk_os_is_there(path) && !make_path(path))
		goto failed;
	handle = wk_windows_open(path, FILE_LIST_DIRECTORY | READ_CONTROL, OPEN_EXISTING,
				 FILE_FLAG_BACKUP_SEMANTICS);
	if (handle == INVALID_HANDLE_VALUE || !wk_os_is_folder(path)) {
		if (handle != INVALID_HANDLE_VALUE) {
			CloseHandle(handle);
			errno = ENOTDIR;
		}
		goto failed;
	}
	if (!is_ours(handle)) {
		CloseHandle(handle);
		wk_fail(err, WK_EPERM, WK_NOWHERE,
			"the folder %s is not used: it is another user's", path);
		return NULL;
	}
	CloseHandle(handle);
	folder = wk_alloc(sizeof(*folder));
	folder->path = wk_strdup(path);
	return folder;
failed:
	wk_fail_os(err, errno, "cannot use the folder %s", path);
	return NULL;
}

void wk_os_folder_close(struct wk_os_folder *folder)
{
	if (!folder)
		return;
	WK_FREE_ALL(folder->path, folder);
}

static char *path_in(const struct wk_os_folder *folder, const char *name)
{
	struct wk_buf path = { 0 };

	wk_buf_add_fmt(&path, "%s/%s", folder->path, name);
	return path.at;
}

static HANDLE open_in(const struct wk_os_folder *folder, const char *name, DWORD rights)
{
	char *path = path_in(folder, name);
	HANDLE handle = wk_windows_open(path, rights, OPEN_EXISTING, FILE_FLAG_OPEN_REPARSE_POINT);

	wk_free(path);
	return handle;
}

bool wk_os_folder_map(struct wk_os_folder *folder, const char *name, struct wk_os_file *file,
		      uint64_t *changed_ns)
{
	int fd = wk_windows_descriptor(open_in(folder, name, GENERIC_READ), _O_RDONLY);
	struct wk_os_identity identity = { 0 };
	struct wk_undo *undo = wk_undo_new();

	*file = (struct wk_os_file){ 0 };
	if (fd < 0) {
		wk_undo_free(undo);
		return false;
	}
	if (wk_os_input_look(fd, &identity) == WK_OS_INPUT_FILE && identity.size_bytes > 0 &&
	    is_ours(wk_windows_handle(fd)))
		file->at = wk_os_input_map(fd, (size_t)identity.size_bytes);
	_close(fd);
	if (!file->at) {
		wk_undo_free(undo);
		return false;
	}
	file->size_bytes = (size_t)identity.size_bytes;
	wk_os_input_undo(file, undo);
	*changed_ns = identity.changed_ns;
	return true;
}

bool wk_os_folder_write(struct wk_os_folder *folder, const char *name, const struct wk_str *pieces,
			size_t count, struct wk_err *err)
{
	char *draft = wk_os_unique_name(wk_str_c(folder->path), "/" DRAFT, "");
	char *path = path_in(folder, name);
	int fd = wk_windows_descriptor(wk_windows_create_passing(draft), _O_RDWR);
	bool ok;

	if (fd < 0) {
		wk_fail_os(err, errno, "cannot write into %s", folder->path);
	} else {
		ok = wk_os_write_pieces(fd, pieces, count) &&
		     wk_windows_keep(wk_windows_handle(fd));
		ok = _close(fd) == 0 && ok;
		if (ok && wk_windows_replace(draft, path))
			fd = 0;
		else
			fd = -1;
	}
	if (fd < 0)
		wk_fail_os(err, errno, "cannot write %s", path);
	WK_FREE_ALL(draft, path);
	return fd >= 0;
}

static void set_times(HANDLE handle, bool read, bool written)
{
	FILETIME now;

	GetSystemTimeAsFileTime(&now);
	if (handle == INVALID_HANDLE_VALUE)
		return;
	SetFileTime(handle, NULL, read ? &now : NULL, written ? &now : NULL);
	CloseHandle(handle);
}

void wk_os_folder_touch(struct wk_os_folder *folder, const char *name)
{
	set_times(open_in(folder, name, FILE_WRITE_ATTRIBUTES), true, true);
}

void wk_os_note_use(const char *path)
{
	set_times(wk_windows_open(path, FILE_WRITE_ATTRIBUTES, OPEN_EXISTING,
				  FILE_FLAG_OPEN_REPARSE_POINT),
		  true, false);
}

bool wk_os_folder_remove(struct wk_os_folder *folder, const char *name)
{
	char *path = path_in(folder, name);
	wchar_t *wide = wk_windows_path(path);
	bool ok = DeleteFileW(wide);

	WK_FREE_ALL(wide, path);
	return ok;
}

/* A living writer's file passes, and cannot be opened; a young one may be about to. */
static bool is_left_behind(struct wk_os_folder *folder, const char *name, uint64_t age_ns)
{
	HANDLE handle = open_in(folder, name, GENERIC_READ);

	if (handle == INVALID_HANDLE_VALUE)
		return false;
	CloseHandle(handle);
	return age_ns > YOUNG_NS;
}

static bool is_draft(const char *name)
{
	return strncmp(name, DRAFT, strlen(DRAFT)) == 0 || strstr(name, ".old-");
}

static bool read_one(struct wk_os_folder *folder, const WIN32_FIND_DATAW *found,
		     bool (*take)(void *context, const struct wk_os_folder_file *file),
		     void *context)
{
	uint64_t now = wk_os_wall_ns(), read_ns = wk_windows_ns(found->ftLastAccessTime);
	char *name = wk_windows_utf8(found->cFileName);
	struct wk_os_folder_file file = {
		.name = name,
		.size_bytes = (uint64_t)found->nFileSizeHigh << 32 | found->nFileSizeLow,
		.changed_ns = wk_windows_ns(found->ftLastWriteTime),
	};
	uint64_t age_ns = now > file.changed_ns ? now - file.changed_ns : 0;
	bool goes_on = true;

	file.used_ns = read_ns > file.changed_ns ? read_ns : file.changed_ns;
	file.is_left_behind = is_draft(name) && is_left_behind(folder, name, age_ns);
	if (!is_draft(name) || file.is_left_behind)
		goes_on = take(context, &file);
	wk_free(name);
	return goes_on;
}

bool wk_os_folder_each(struct wk_os_folder *folder,
		       bool (*take)(void *context, const struct wk_os_folder_file *file),
		       void *context, struct wk_err *err)
{
	char *all = path_in(folder, "*");
	wchar_t *wide = wk_windows_path(all);
	WIN32_FIND_DATAW found;
	HANDLE search = FindFirstFileW(wide, &found);

	WK_FREE_ALL(wide, all);
	if (search == INVALID_HANDLE_VALUE) {
		wk_windows_fail();
		return wk_fail_os(err, errno, "cannot list %s", folder->path);
	}
	do
		if (!(found.dwFileAttributes &
		      (FILE_ATTRIBUTE_DIRECTORY | FILE_ATTRIBUTE_REPARSE_POINT)) &&
		    !read_one(folder, &found, take, context))
			break;
	while (FindNextFileW(search, &found));
	FindClose(search);
	return true;
}
