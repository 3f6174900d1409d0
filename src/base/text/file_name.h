/* File names from a recording, by the rules of Windows.
 *
 * There "CON.pdb" is the console, "a.pdb:b" a hidden stream, and "a.pdb." is "a.pdb". Files with
 * such names on other systems may end up on a share, so symbol stores do not use them on any
 * system. */
#ifndef WK_BASE_TEXT_FILE_NAME_H
#define WK_BASE_TEXT_FILE_NAME_H

#include <stdbool.h>

#include "base/str.h"

/* Is this a valid name of a Windows file, without its folders, of at most 255 bytes, the limit of
 * any system? */
bool wk_file_name_is_windows(struct wk_str name);

/* The same for a whole path, which may begin with a drive or a share. "\\.\PhysicalDrive0" and
 * other paths of devices are invalid. */
bool wk_file_path_is_windows(struct wk_str path);

#endif
