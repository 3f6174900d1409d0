#include "event/image_kind.h"

bool wk_image_is_memfd(struct wk_str path)
{
	return wk_str_starts(path, "/memfd:");
}

enum wk_image_kind wk_image_kind_of(const struct wk_event_image *image)
{
	if (image->is_kernel)
		return WK_IMAGE_KERNEL;
	if (wk_str_starts(image->path, "[vdso"))
		return WK_IMAGE_VDSO;
	if (image->path.len == 0 || wk_str_starts(image->path, "//anon") ||
	    wk_str_starts(image->path, "[") || wk_str_starts(image->path, "anon_inode:") ||
	    wk_str_starts(image->path, "/dev/zero") || wk_image_is_memfd(image->path) ||
	    wk_str_starts(image->path, "/SYSV"))
		return WK_IMAGE_ANONYMOUS;
	return WK_IMAGE_FILE;
}
