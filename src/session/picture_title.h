/* The title of a picture: it names the program, and contains no command line, because people show
 * pictures to others. */
#ifndef WK_SESSION_PICTURE_TITLE_H
#define WK_SESSION_PICTURE_TITLE_H

#include "views/filter/filter.h"

/* "app: flame graph", with `kind` behind the name: that of the recorded program, "process 12
 * (app)", "the whole system", or that of the process with most weight in view. Without any, that of
 * the file at `path`; NULL: `kind` alone. */
void wk_picture_title(const struct wk_model *model, const struct wk_filter *filter,
		      const char *path, const char *kind, struct wk_buf *title);

/* The same name alone. */
struct wk_str wk_recording_name(const struct wk_model *model, const struct wk_filter *filter,
				const char *path);

/* The file name of the first word of a command line. */
struct wk_str wk_command_program(struct wk_str command);

#endif
