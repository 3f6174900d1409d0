/* The images that addresses are asked of, each opened once, by the paths as they were typed.
 *
 * A warning says if an image is not linked, or is only a part of another's debug information. */
#ifndef WK_SESSION_SYMBOLIZE_IMAGE_LIST_H
#define WK_SESSION_SYMBOLIZE_IMAGE_LIST_H

#include "base/arena.h"
#include "base/err.h"
#include "base/strtab.h"
#include "session/messages.h"
#include "session/symbolize/answers.h"
#include "symbols/image/symbols.h"

struct wk_listed_image {
	struct wk_image_symbols *symbols; /* NULL where it cannot be read */
	struct wk_str why;                /* ... and why not */
};

struct wk_image_list {
	struct wk_symbols *symbols;
	const struct wk_messages *messages;
	bool is_quiet; /* of images that cannot be read: whoever asks tells of them */
	struct wk_arena texts;
	struct wk_strtab *paths;
	struct wk_listed_image *rows; /* by path id */
	size_t count, cap;
};

/* `symbols` must outlive it. */
void wk_image_list_init(struct wk_image_list *images, struct wk_symbols *symbols,
			const struct wk_messages *messages);
void wk_image_list_fini(struct wk_image_list *images);

/* The image at `path`. That it cannot be read is said the first time. */
struct wk_listed_image wk_listed_image(struct wk_image_list *images, struct wk_str path);

/* One that must be there: NULL with `err`, and nothing is said. */
struct wk_image_symbols *wk_image_list_require(struct wk_image_list *images, const char *path,
					       struct wk_err *err);

/* Says of each which has no lines what other machines answered. */
void wk_image_list_report_unnamed(const struct wk_image_list *images);

/* Why what was asked of an image has no answer: nothing in it names anything, or only what it
 * exports has names. */
void wk_image_list_report_stripped(const struct wk_image_list *images,
				   const struct wk_answers *answers);

#endif
