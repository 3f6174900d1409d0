/* Names of files that come from a recording, as Windows takes them.
 *
 * There "CON.pdb" is the console and "a.pdb:b" a hidden stream, and "a.pdb." is "a.pdb". What has
 * such a name elsewhere may come to lie on a share, so stores of symbols have no such names on any
 * system. */
#ifndef WK_BASE_TEXT_FILE_NAME_H
#define WK_BASE_TEXT_FILE_NAME_H

#include <stdbool.h>

#include "base/str.h"

/* Could a file of Windows, without its folders, be called so? In up to 255 bytes, which is as much
 * as any system takes. */
bool wk_file_name_is_windows(struct wk_str name);

/* The same of a whole path, which may begin with a drive or a share. "\\.\PhysicalDrive0" and other
 * ways to devices are none. */
bool wk_file_path_is_windows(struct wk_str path);

#endif
