/* The files that an image's debug information refers to, opened when they are asked for.
 *
 * The file that dwz shares between several, the package of split units, and split files: what
 * wk_dwarf_input names besides the debug file itself. Found by store.h; a file of another
 * build is not used. Order of calls: new, fill, then wk_dwarf_new; free after wk_dwarf_free. */
#ifndef WK_SYMBOLS_IMAGE_DWARF_FILES_H
#define WK_SYMBOLS_IMAGE_DWARF_FILES_H

#include "fetch/store.h"
#include "symbols/dwarf/dwarf.h"

struct wk_dwarf_files;

/* `info` holds the debug information: the image itself or its debug file. Both, and the
 * directories, must outlive it. */
struct wk_dwarf_files *wk_dwarf_files_new(const struct wk_store_file *image,
					  const struct wk_store_file *info,
					  const char *const *debug_dirs);
void wk_dwarf_files_free(struct wk_dwarf_files *files);

/* Sets all of the input. */
void wk_dwarf_files_fill(struct wk_dwarf_files *files, struct wk_dwarf_input *input);

/* Why a file that was there is not used, or which one is gone; empty where nothing was wrong. */
struct wk_str wk_dwarf_files_why(const struct wk_dwarf_files *files);

#endif
