#include "views/path_kind.h"

#include "base/buf.h"

/* Paths are compared in lower case, as Windows does. */
static void add_lower(struct wk_buf *text, struct wk_str path)
{
	for (size_t i = 0; i < path.len; i++)
		wk_buf_add_char(text, wk_lower(path.at[i]));
}

static bool has_ending(struct wk_str file)
{
	static const char *const endings[] = { ".dll", ".exe", ".sys", NULL };
	char last[4];

	if (file.len < sizeof(last))
		return false;
	for (size_t i = 0; i < sizeof(last); i++)
		last[i] = wk_lower(file.at[file.len - sizeof(last) + i]);
	return wk_str_is_one_of(wk_str_of(last, sizeof(last)), endings);
}

bool wk_path_kind_is_known(const struct wk_model *model, const struct wk_image *image)
{
	struct wk_str path = wk_model_str(model, image->path);

	if (image->kind == WK_IMAGE_UNKNOWN)
		return model->traits->kernel_is_file && image->pid == WK_KERNEL_PID;
	return image->kind == WK_IMAGE_FILE &&
	       (wk_str_is_windows_path(path) ||
		(!memchr(path.at, '/', path.len) && has_ending(path)));
}

/* Behind "C:", "\Device\HarddiskVolume3" and "\??\C:", so that it begins with a backslash. */
static struct wk_str without_volume(struct wk_str path)
{
	size_t at = 0;

	if (wk_str_starts(path, "\\??\\") || wk_str_starts(path, "\\\\?\\"))
		path = wk_str_skip(path, 4);
	if (path.len > 1 && path.at[1] == ':')
		return wk_str_skip(path, 2);
	if (!wk_str_starts(path, "\\device\\"))
		return path;
	for (at = strlen("\\device\\"); at < path.len && path.at[at] != '\\';)
		at++;
	return wk_str_skip(path, at);
}

static struct wk_str file_of(struct wk_str path)
{
	for (size_t i = path.len; i > 0; i--)
		if (path.at[i - 1] == '\\')
			return wk_str_skip(path, i);
	return path;
}

/* Files of the kernel, for traces that do not record which process had them mapped. */
static bool is_kernel_file(struct wk_str file)
{
	static const char *const names[] = { "ntoskrnl.exe", "ntkrnlmp.exe", "ntkrnlpa.exe",
					     "ntkrpamp.exe", "hal.dll", NULL };

	return wk_str_is_one_of(file, names) || wk_str_ends(file, ".sys");
}

static bool is_runtime(struct wk_str path, struct wk_str file)
{
	static const char *const folders[] = {
		"\\windows\\microsoft.net\\", "\\windows\\assembly\\", /* with what ngen made */
		"\\program files\\dotnet\\", "\\program files (x86)\\dotnet\\", NULL,
	};
	static const char *const names[] = {
		"clr.dll", "coreclr.dll", "clrjit.dll", "mscorwks.dll", "mscorjit.dll",
		"mscoree.dll", "mscoreei.dll", "clrcompression.dll", "hostfxr.dll",
		"hostpolicy.dll", "jvm.dll", "javaw.exe", "chakra.dll", "chakracore.dll",
		"jscript9.dll", "v8.dll", "libnode.dll", NULL,
	};

	return wk_str_starts_one_of(path, folders) || wk_str_is_one_of(file, names);
}

/* Folders of Windows, and names of its files, whose folder may be unknown. */
static bool is_system(struct wk_str path, struct wk_str file)
{
	static const char *const folders[] = {
		"\\windows\\", "\\winnt\\", "\\systemroot\\", "%systemroot%\\",
		"\\program files\\windows defender", "\\programdata\\microsoft\\windows defender",
		NULL,
	};
	static const char *const names[] = {
		"ntdll.dll", "kernel32.dll", "kernelbase.dll", "user32.dll", "gdi32.dll",
		"win32u.dll", "advapi32.dll", "rpcrt4.dll", "combase.dll", "ole32.dll",
		"msvcrt.dll", "ucrtbase.dll", "ws2_32.dll", "wow64.dll", "wow64cpu.dll",
		"wow64win.dll", "svchost.exe", NULL,
	};

	return wk_str_starts_one_of(path, folders) ||
	       (file.len == path.len && wk_str_is_one_of(file, names));
}

static enum wk_code_kind kind_of_path(struct wk_str path)
{
	struct wk_str inside = without_volume(path), file = file_of(inside);

	if (is_kernel_file(file))
		return WK_CODE_KERNEL;
	if (is_runtime(inside, file))
		return WK_CODE_RUNTIME;
	return is_system(inside, file) ? WK_CODE_NATIVE : WK_CODE_PROGRAM;
}

enum wk_code_kind wk_path_kind_of(const struct wk_model *model, const struct wk_image *image)
{
	struct wk_buf lower = { 0 };
	enum wk_code_kind kind = WK_CODE_KERNEL;

	if (image->pid == WK_KERNEL_PID)
		return kind;
	add_lower(&lower, wk_model_str(model, image->path));
	kind = kind_of_path(wk_buf_str(&lower));
	wk_buf_fini(&lower);
	return kind;
}
