/* The files of the images in a Windows trace, recorded by the tool that merged it: the PDB of each,
 * and the key of its file.
 *
 * Such a record has the time of the image's own record. That matters if one image was unloaded from
 * a process and another one loaded at the same address: both have records there. */
#ifndef WK_FORMATS_ETL_IDS_H
#define WK_FORMATS_ETL_IDS_H

#include "formats/etl/payload/payload.h"

struct wk_etl_ids;

struct wk_etl_ids *wk_etl_ids_new(void);
void wk_etl_ids_free(struct wk_etl_ids *ids);

/* The path is copied. */
void wk_etl_ids_add_debug(struct wk_etl_ids *ids, uint64_t time, const struct wk_etl_debug_id *id);
void wk_etl_ids_add_key(struct wk_etl_ids *ids, uint64_t time, const struct wk_etl_image_id *id);

/* Once, after all records. */
void wk_etl_ids_settle(struct wk_etl_ids *ids);

/* Of the image that a record of that time describes, or NULL. */
const struct wk_etl_debug_id *wk_etl_ids_debug(const struct wk_etl_ids *ids, uint32_t pid,
					       uint64_t base, uint64_t time);
const struct wk_etl_image_id *wk_etl_ids_key(const struct wk_etl_ids *ids, uint32_t pid,
					     uint64_t base, uint64_t time);

#endif
