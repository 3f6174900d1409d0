/* The kind of code in an image by its path alone, for paths with drives and backslashes. There most
 * functions have no names unless they were fetched, but each image has its full path.
 *
 * The system's own files are in its folder, and so are .NET's runtime and its native images. All
 * other files came with a program. A guess by convention, as in kind.h. */
#ifndef WK_VIEWS_PATH_KIND_H
#define WK_VIEWS_PATH_KIND_H

#include "views/kind.h"

/* Whether the image has such a path, or is kernel code in no known image. */
bool wk_path_kind_is_known(const struct wk_model *model, const struct wk_image *image);

/* Of one that has. */
enum wk_code_kind wk_path_kind_of(const struct wk_model *model, const struct wk_image *image);

#endif
