/* The images in which addresses are looked up, each opened once, by the paths as typed.
 *
 * A warning is printed for an image that is not linked or is only a part of the debug information
 * of another. */
#ifndef WK_SESSION_SYMBOLIZE_IMAGE_LIST_H
#define WK_SESSION_SYMBOLIZE_IMAGE_LIST_H

#include "base/arena.h"
#include "base/err.h"
#include "base/strtab.h"
#include "session/messages.h"
#include "session/symbolize/answers.h"
#include "symbols/image/symbols.h"

struct wk_listed_image {
	struct wk_image_symbols *symbols; /* NULL if it cannot be read ... */
	struct wk_str why;                /* ... for this reason */
};

struct wk_image_list {
	struct wk_symbols *symbols;
	const struct wk_messages *messages;
	bool is_quiet; /* no warnings for images that cannot be read: the caller reports them */
	struct wk_arena texts;
	struct wk_strtab *paths;
	struct wk_listed_image *rows; /* by path id */
	size_t count, cap;
};

/* `symbols` must outlive it. */
void wk_image_list_init(struct wk_image_list *images, struct wk_symbols *symbols,
			const struct wk_messages *messages);
void wk_image_list_fini(struct wk_image_list *images);

/* The image at `path`. Warns the first time if it cannot be read. */
struct wk_listed_image wk_listed_image(struct wk_image_list *images, struct wk_str path);

/* One that must exist: NULL with `err`, and no warning. */
struct wk_image_symbols *wk_image_list_require(struct wk_image_list *images, const char *path,
					       struct wk_err *err);

/* Warns about each that lacks lines, with the answers of servers. */
void wk_image_list_report_unnamed(const struct wk_image_list *images);

/* Warns about images without names, or with exported names only, that lacked an answer. */
void wk_image_list_report_stripped(const struct wk_image_list *images,
				   const struct wk_answers *answers);

#endif
