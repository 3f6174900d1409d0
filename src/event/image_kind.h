/* What kind of thing an image event maps. */
#ifndef WK_EVENT_IMAGE_KIND_H
#define WK_EVENT_IMAGE_KIND_H

#include "event/event.h"

enum wk_image_kind {
	WK_IMAGE_FILE, /* an executable or a library */
	WK_IMAGE_VDSO,
	WK_IMAGE_KERNEL,    /* the kernel and its modules */
	WK_IMAGE_ANONYMOUS, /* memory without a file: code generated at run time */
	WK_IMAGE_UNKNOWN,   /* nothing was mapped at the address */
};

/* Memory of memfd_create, which may hold a library. */
bool wk_image_is_memfd(struct wk_str path);

/* Never WK_IMAGE_UNKNOWN. */
enum wk_image_kind wk_image_kind_of(const struct wk_event_image *image);

#endif
