/* Which PDB the native code of a managed program was linked with, as .NET's runtime tells it of the
 * modules that it loads: for images whose own record of that is missing. */
#ifndef WK_FORMATS_ETL_MODULES_H
#define WK_FORMATS_ETL_MODULES_H

#include "formats/etl_file.h"
#include "formats/etl_payload.h"

struct wk_etl_modules;

struct wk_etl_modules *wk_etl_modules_new(void);
void wk_etl_modules_free(struct wk_etl_modules *modules);

/* Of a record with WK_ETL_MODULE's hook. False where the payload is too short. */
bool wk_etl_modules_scan(struct wk_etl_modules *modules, const struct wk_etl_record *record);

/* By the process and the path of the image, in letters of any size; NULL if there is none. */
const struct wk_etl_debug_id *wk_etl_modules_find(const struct wk_etl_modules *modules,
						  uint32_t pid, struct wk_str path);

#endif
