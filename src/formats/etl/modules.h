/* The modules that .NET's runtime loads: the PDB that their native code was linked with, for images
 * without a record of their own, and whether their code is part of .NET or of the program. */
#ifndef WK_FORMATS_ETL_MODULES_H
#define WK_FORMATS_ETL_MODULES_H

#include "base/arena.h"
#include "base/map.h"
#include "formats/etl/payload/payload.h"

/* All zero is empty. */
struct wk_etl_modules {
	struct wk_arena texts;
	struct wk_etl_debug_id *at;
	size_t count, cap;
	struct wk_map row_of;   /* process and path, hashed: row + 1 */
	struct wk_map owner_of; /* process and number, hashed: enum owner */
};

void wk_etl_modules_fini(struct wk_etl_modules *modules);

/* By the process and the path of the image, ignoring case; NULL if there is none. */
const struct wk_etl_debug_id *wk_etl_modules_find(const struct wk_etl_modules *modules,
						  uint32_t pid, struct wk_str path);

/* Is a method of the module of that number part of the program? Modules in the folders of Windows
 * and .NET are not, nor is System.*.dll, which some programs bring along. If the trace does not
 * contain the module's path, the namespace of the `method` decides. */
bool wk_etl_modules_is_program(const struct wk_etl_modules *modules, uint32_t pid, uint64_t number,
			       struct wk_str method);

#endif
