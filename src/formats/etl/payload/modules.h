/* What .NET's runtime tells of the modules that it loads: which PDB their native code was linked
 * with, for images whose own record of that is missing, and whether what is compiled of them is of
 * .NET itself or came with the program. */
#ifndef WK_FORMATS_ETL_PAYLOAD_MODULES_H
#define WK_FORMATS_ETL_PAYLOAD_MODULES_H

#include "formats/etl/file/file.h"
#include "formats/etl/payload/payload.h"

struct wk_etl_modules;

struct wk_etl_modules *wk_etl_modules_new(void);
void wk_etl_modules_free(struct wk_etl_modules *modules);

/* Of a record with WK_ETL_MODULE's hook. False where the payload is too short. */
bool wk_etl_modules_scan(struct wk_etl_modules *modules, const struct wk_etl_record *record);

/* By the process and the path of the image, in letters of any size; NULL if there is none. */
const struct wk_etl_debug_id *wk_etl_modules_find(const struct wk_etl_modules *modules,
						  uint32_t pid, struct wk_str path);

/* Did a method of the module of that number come with the program? What lies in folders of Windows
 * and .NET did not, nor did System.*.dll, which programs bring along at times. Where the trace
 * does not say where the module lies, the namespace of the `method` tells. */
bool wk_etl_modules_is_program(const struct wk_etl_modules *modules, uint32_t pid, uint64_t number,
			       struct wk_str method);

#endif
