/* Which files the images of a Windows trace were, as the tool that merged it found: the PDB of each
 * and the key of its file.
 *
 * Such a record stands at the time of the image's own one. That matters where one image was taken
 * out of a process and another one came to the same place: each has records there. */
#ifndef WK_FORMATS_ETL_IDS_H
#define WK_FORMATS_ETL_IDS_H

#include "formats/etl/payload/payload.h"

struct wk_etl_ids;

struct wk_etl_ids *wk_etl_ids_new(void);
void wk_etl_ids_free(struct wk_etl_ids *ids);

/* The path is copied. */
void wk_etl_ids_add_debug(struct wk_etl_ids *ids, uint64_t time, const struct wk_etl_debug_id *id);
void wk_etl_ids_add_key(struct wk_etl_ids *ids, uint64_t time, const struct wk_etl_image_id *id);

/* Once, when all are in. */
void wk_etl_ids_settle(struct wk_etl_ids *ids);

/* Of the image that a record of that time tells of, or NULL. */
const struct wk_etl_debug_id *wk_etl_ids_debug(const struct wk_etl_ids *ids, uint32_t pid,
					       uint64_t base, uint64_t time);
const struct wk_etl_image_id *wk_etl_ids_key(const struct wk_etl_ids *ids, uint32_t pid,
					     uint64_t base, uint64_t time);

#endif
