/* The modules that .NET's runtime loads: the PDB that their native code was linked with, for images
 * without a record of their own, and the owner of their code. */
#ifndef WK_FORMATS_ETL_MODULES_H
#define WK_FORMATS_ETL_MODULES_H

#include "base/arena.h"
#include "base/map.h"
#include "formats/clr/owners.h"
#include "formats/etl/payload/payload.h"

/* All zero is empty. */
struct wk_etl_modules {
	struct wk_arena texts;
	struct wk_etl_debug_id *at;
	size_t count, cap;
	struct wk_map row_of; /* process and path, hashed: row + 1 */
	struct wk_clr_owners owners;
};

void wk_etl_modules_fini(struct wk_etl_modules *modules);

/* By the process and the path of the image, ignoring case; NULL if there is none. */
const struct wk_etl_debug_id *wk_etl_modules_find(const struct wk_etl_modules *modules,
						  uint32_t pid, struct wk_str path);

#endif
