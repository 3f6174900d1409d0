/* Finds the files of images on this machine, and their separate debug files.
 *
 * A recording describes an image by a wk_image_key. Candidates are tried in this order: the path as
 * the recorded process sees it (/proc/PID/root), the path, what the living process still has mapped
 * (/proc/PID/exe and map_files: files deleted or replaced since), and perf's cache (~/.debug). A
 * candidate fits if its build id is the recorded one or, if none was recorded, its inode. A copy
 * has another inode: it fits if its code is mapped alike, and the calls in it decide later. Without
 * a build id, a file that was written to after it was mapped is another build, unless it is a copy
 * in another folder. A file of Windows ("C:\a.dll") is looked for by its path, on Windows only, and
 * must have the recorded time stamp and size as well.
 *
 * Debug files are looked for by build id (DIR/.build-id/ab/cd.debug for each debug directory,
 * ~/.debug) and by .gnu_debuglink (beside the image, in .debug/, in DIR and below it). Their build
 * id or, if there is none, their CRC-32 must fit.
 *
 * Files stay mapped until wk_store_close. Nothing is cached between calls. Each function with `why`
 * sets it to a sentence about files that exist but do not fit, or empties it. */
#ifndef WK_FETCH_STORE_H
#define WK_FETCH_STORE_H

#include "base/buf.h"
#include "base/text/printf.h"
#include "os/os.h"
#include "symbols/object/image_key.h"
#include "symbols/object/object.h"

struct wk_store_file {
	struct wk_os_file bytes;
	struct wk_obj *obj;             /* NULL: there is no file */
	char *path;                     /* where it was found */
	struct wk_os_identity identity; /* just before it was read */
	struct wk_buf plain;            /* of a file that was packed in another */
	bool is_unproven; /* without an id, and its inode is another: a copy, or another build */
};

/* WK_IMAGE_NAMED if the file was found; otherwise `why` is not empty. */
enum wk_image_state wk_store_image(const struct wk_image_key *key, struct wk_store_file *file,
				   struct wk_buf *why);

/* The same for a copy in a folder: at the recorded path below it or, if an id or inode was
 * recorded, by its name in it. */
enum wk_image_state wk_store_copy(const struct wk_image_key *key, const char *folder,
				  struct wk_store_file *file, struct wk_buf *why);

/* Paths come from recordings. Is it a file's own name? Is it absolute, and does it stay inside a
 * folder that is put before it? */
bool wk_store_is_name(struct wk_str name);
bool wk_store_is_below(struct wk_str path);

/* The debug file of `image`. */
bool wk_store_debug(const struct wk_store_file *image, const char *const *debug_dirs,
		    struct wk_store_file *file, struct wk_buf *why);

/* The packed table in the image (.gnu_debugdata, "mini debuginfo"): a file with a .symtab of the
 * functions that .dynsym does not have. `why` is unchanged if the image has no such section. */
bool wk_store_minidebug(const struct wk_store_file *image, struct wk_store_file *file,
			struct wk_buf *why);

/* The file that `debug` shares with others (.gnu_debugaltlink), by its build id. */
bool wk_store_alternate(const struct wk_store_file *debug, const char *const *debug_dirs,
			struct wk_store_file *file, struct wk_buf *why);

/* The package of the image's split units: FILE.dwp beside the image, beside its debug file (NULL if
 * it has none), or below a debug directory. */
bool wk_store_package(const struct wk_store_file *image, const struct wk_store_file *debug,
		      const char *const *debug_dirs, struct wk_store_file *file,
		      struct wk_buf *why);

/* A split unit's own file (.dwo), by the unit's directory and the file's name. Its reader checks
 * whether it is the right one (dwo_id). */
bool wk_store_split(const struct wk_store_file *image, const char *const *debug_dirs,
		    struct wk_str directory, struct wk_str name, struct wk_store_file *file,
		    struct wk_buf *why);

/* Is there a file at the path that `format` gives? */
bool wk_store_has(const char *format, ...) __attribute__((format(WK_PRINTF, 1, 2)));

/* Opens one file of any build. */
bool wk_store_open(const char *path, struct wk_store_file *file, struct wk_err *err);
void wk_store_close(struct wk_store_file *file);

/* Adds "/.build-id/ab/cdef...". The id has 2 bytes or more. */
void wk_store_add_id_path(struct wk_buf *path, const struct wk_build_id *id);

/* Adds the folder of perf's copies, ~/.debug; NULL without a home. */
const char *wk_store_perf_dir(struct wk_buf *dir);

/* A path as the recorded process sees it: without /proc/PID/root. */
struct wk_str wk_store_without_root(struct wk_str path);

/* Compares ids where one may be padded with zeros, as perf.data writes short ones. */
bool wk_store_same_id(const struct wk_build_id *a, const struct wk_build_id *b);

#endif
