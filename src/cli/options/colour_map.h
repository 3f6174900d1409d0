/* The file in which colours are kept from picture to picture. */
#ifndef WK_CLI_OPTIONS_COLOUR_MAP_H
#define WK_CLI_OPTIONS_COLOUR_MAP_H

#include "base/err.h"
#include "render/colours/colouring.h"

#define WK_USUAL_COLOUR_MAP "palette.map"

/* A map that is not there yet is empty: it is made when the picture is done. */
bool wk_colour_map_read(const char *path, struct wk_colouring *colouring, struct wk_err *err);

/* The new map takes the old one's place when it is whole; until then the old one stays. */
bool wk_colour_map_write(const char *path, const struct wk_colouring *colouring,
			 struct wk_err *err);

#endif
