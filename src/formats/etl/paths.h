/* Paths as Windows' kernel knows them, as people do: "\Device\HarddiskVolume3\a.dll" is
 * "C:\a.dll". */
#ifndef WK_FORMATS_ETL_PATHS_H
#define WK_FORMATS_ETL_PATHS_H

#include "base/buf.h"
#include "base/bytes.h"

/* Prefixes and what stands for them, as the trace's map of volumes has them. */
struct wk_etl_paths {
	struct prefix {
		struct wk_buf kernel, shown;
	} * prefixes;
	size_t count, cap;
};

/* UTF-16 texts. Traces have a few dozen; what is beyond a thousand is left out. */
void wk_etl_paths_add(struct wk_etl_paths *paths, struct wk_bytes kernel, struct wk_bytes shown);
void wk_etl_paths_fini(struct wk_etl_paths *paths);

/* Adds the path to `out` by the longest prefix that it has, in letters of any size; as it is where
 * it has none. A path without a device ("\Windows\...") is on the drive that the map has for
 * "\SystemRoot\". */
void wk_etl_paths_show(const struct wk_etl_paths *paths, struct wk_bytes path, struct wk_buf *out);

#endif
