/* Where the files of images are found, and their separate debug files.
 *
 * An image is known by what a recording says of it (wk_image_key). Candidates are tried in
 * this order until one is it: the path as the recorded process sees it (/proc/PID/root), the
 * path, what the living process still has mapped (/proc/PID/exe, /proc/PID/map_files: files
 * deleted or replaced since), and perf's cache (~/.debug). A candidate is it when the build id is
 * the recorded one or, where the recording has none, the inode. A file of Windows ("C:\a.dll") is
 * looked for by its path, on Windows only, and has the recorded time stamp and size as well. Debug
 * files are looked for by build id (DIR/.build-id/ab/cd.debug for each debug directory, ~/.debug)
 * and by .gnu_debuglink (beside the image, in .debug/, in DIR and below it), and are used only
 * when their build id or else their CRC-32 is the right one. What debug files refer to in turn is
 * looked for by the rules of store_parts.c: the table that an image carries packed
 * (.gnu_debugdata), the file that dwz shares (.gnu_debugaltlink), packages and split files.
 *
 * Files stay mapped until wk_store_close. Nothing here is kept between calls. */
#ifndef WK_FETCH_STORE_H
#define WK_FETCH_STORE_H

#include "base/buf.h"
#include "os/os.h"
#include "symbols/object/image_key.h"
#include "symbols/object/object.h"

struct wk_store_file {
	struct wk_os_file bytes;
	struct wk_obj *obj;             /* NULL: there is no file */
	char *path;                     /* where it was found */
	struct wk_os_identity identity; /* just before it was read */
	struct wk_buf plain;            /* of a file that lay packed in another */
};

/* WK_IMAGE_NAMED when the file was found, and otherwise why not, with a sentence in `why`. */
enum wk_image_state wk_store_image(const struct wk_image_key *key, struct wk_store_file *file,
				   struct wk_buf *why);

/* The same for a copy of it in a folder that somebody names: at the recorded path below that, or,
 * where something tells one file from another, by its name in it. `why` is empty where nothing
 * lies there. */
enum wk_image_state wk_store_copy(const struct wk_image_key *key, const char *folder,
				  struct wk_store_file *file, struct wk_buf *why);

/* Paths come from recordings. Is it a file's own name? Is it absolute, and does it not lead out of
 * a folder that it is put behind? */
bool wk_store_is_name(struct wk_str name);
bool wk_store_is_below(struct wk_str path);

/* The debug file of `image`; false if there is none, and in `why` a sentence on those that
 * were there but did not fit (empty if there were none). */
bool wk_store_debug(const struct wk_store_file *image, const char *const *debug_dirs,
		    struct wk_store_file *file, struct wk_buf *why);

/* The names that the image carries packed (.gnu_debugdata, "mini debuginfo"): a file with a
 * .symtab of functions that .dynsym does not have, and no more. `why` is left as it was where
 * it carries none. */
bool wk_store_minidebug(const struct wk_store_file *image, struct wk_store_file *file,
			struct wk_buf *why);

/* The file that `debug` shares with others (.gnu_debugaltlink), by its build id. */
bool wk_store_alternate(const struct wk_store_file *debug, const char *const *debug_dirs,
			struct wk_store_file *file, struct wk_buf *why);

/* The package of the image's split units: FILE.dwp beside the image, beside its debug file (NULL
 * where it has none), or below a debug directory. */
bool wk_store_package(const struct wk_store_file *image, const struct wk_store_file *debug,
		      const char *const *debug_dirs, struct wk_store_file *file,
		      struct wk_buf *why);

/* A split unit's own file (.dwo), by what the unit says: where it was compiled and the file's
 * name. Whether it is the right one its reader must ask (dwo_id). */
bool wk_store_split(const struct wk_store_file *image, const char *const *debug_dirs,
		    struct wk_str directory, struct wk_str name, struct wk_store_file *file,
		    struct wk_buf *why);

/* Opens one file, whatever build it is of. */
bool wk_store_open(const char *path, struct wk_store_file *file, struct wk_err *err);
/* A file that was found elsewhere: true if it is of that build. Adds to `why` otherwise. */
bool wk_store_open_if_same(const char *path, const struct wk_build_id *id,
			   struct wk_store_file *file, struct wk_buf *why);

void wk_store_close(struct wk_store_file *file);

/* DIR/.build-id/ab/cdef... and what follows the id; `path` is emptied first. */
void wk_store_id_path(struct wk_buf *path, const char *dir, const struct wk_build_id *id,
		      const char *behind);

/* perf's own copies, ~/.debug; NULL without a home. */
const char *wk_store_perf_dir(struct wk_buf *dir);

/* A path as the recorded process sees it: without /proc/PID/root. */
struct wk_str wk_store_without_root(struct wk_str path);

/* Compares ids where one may be padded with zeros, as perf.data writes short ones. */
bool wk_store_same_id(const struct wk_build_id *a, const struct wk_build_id *b);
void wk_store_add_id(struct wk_buf *buf, const struct wk_build_id *id);

#endif
