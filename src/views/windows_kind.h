/* What kind of code a file of Windows holds, by where it lies and what it is called: there most
 * functions have no names unless somebody fetched them, but of every file it is told where it was.
 *
 * Windows' own files lie under the folder of the system; so do the runtime of .NET and what ngen
 * made for it. What lies elsewhere came with the program. A guess by convention, as in kind.h. */
#ifndef WK_VIEWS_WINDOWS_KIND_H
#define WK_VIEWS_WINDOWS_KIND_H

#include "views/kind.h"

/* Whether the image is a file of Windows at all. */
bool wk_windows_kind_is(const struct wk_model *model, const struct wk_image *image);

/* Of one that is. */
enum wk_code_kind wk_windows_kind(const struct wk_model *model, const struct wk_image *image);

#endif
