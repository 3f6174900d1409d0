/* How images are called in tables: the same words in `wick show FILE images` and `wick symbols`. */
#ifndef WK_VIEWS_IMAGE_WORDS_H
#define WK_VIEWS_IMAGE_WORDS_H

#include "model/model.h"
#include "views/tables/table.h"

/* "file", "kernel", "anonymous" ... */
const char *wk_image_kind_name(enum wk_image_kind kind);

/* As it is shown, "(none)" where there is none. */
struct wk_str wk_image_name_of(const struct wk_model *model, wk_image_id image);
struct wk_str wk_image_path_of(const struct wk_model *model, wk_image_id image);

/* As symbol stores write that of a PDB, else in hexadecimal digits; kept by the table. */
struct wk_str wk_image_build_id_text(struct wk_table *table, const struct wk_image *image);

/* The image's reason without the words that a column's title says. */
struct wk_str wk_image_names_from(const struct wk_model *model, const struct wk_image *image);

#endif
