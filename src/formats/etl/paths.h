/* Converts paths of Windows' kernel to ordinary ones: "\Device\HarddiskVolume3\a.dll" to
 * "C:\a.dll". */
#ifndef WK_FORMATS_ETL_PATHS_H
#define WK_FORMATS_ETL_PATHS_H

#include "base/buf.h"
#include "base/bytes.h"

/* Prefixes and their replacements, from the trace's map of volumes. */
struct wk_etl_paths {
	struct prefix {
		struct wk_buf kernel, shown;
	} * prefixes;
	size_t count, cap;
};

/* UTF-16 texts. Traces have a few dozen; those beyond a thousand are ignored. */
void wk_etl_paths_add(struct wk_etl_paths *paths, struct wk_bytes kernel, struct wk_bytes shown);
void wk_etl_paths_fini(struct wk_etl_paths *paths);

/* Adds the path to `out` by its longest prefix, in any case; unchanged if it has none. A path
 * without a device ("\Windows\...") is on the drive of "\SystemRoot\". */
void wk_etl_paths_show(const struct wk_etl_paths *paths, struct wk_bytes path, struct wk_buf *out);

#endif
