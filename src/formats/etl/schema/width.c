/* How wide pointers are in records that programs log in the kernel's place. */
#include "formats/etl/trace.h"

static bool is_of_process(uint32_t hook)
{
	return hook >= WK_ETL_PROCESS_START && hook <= WK_ETL_PROCESS_BEHIND;
}

static bool is_of_image(uint32_t hook)
{
	return hook == WK_ETL_PROCESS_LOADS || hook == WK_ETL_IMAGE_LOAD ||
	       (hook >= WK_ETL_IMAGE_UNLOAD && hook <= WK_ETL_IMAGE_BEHIND);
}

/* Nothing is left over, as in every record of a known version. */
static bool fits_process(const struct wk_etl_record *record, uint8_t pointer_bytes)
{
	struct wk_etl_form form = { (uint8_t)record->version, pointer_bytes };
	struct wk_etl_process process;

	return wk_etl_read_process(record->payload, form, &process) &&
	       wk_bytes_left(&process.rest) == 0;
}

/* What would be its size is the upper half of its base. */
static bool fits_image(const struct wk_etl_record *record, uint8_t pointer_bytes)
{
	struct wk_etl_form form = { (uint8_t)record->version, pointer_bytes };
	struct wk_etl_image image;

	return wk_etl_read_image(record->payload, form, &image) && image.size_bytes &&
	       image.size_bytes <= UINT32_MAX;
}

void wk_etl_widen_pointers(struct wk_etl_record *record, uint32_t hook)
{
	if (record->kind != WK_ETL_CLASSIC || record->pointer_bytes != 4 ||
	    !(is_of_process(hook) || is_of_image(hook)))
		return;
	if (is_of_process(hook) ? !fits_process(record, 4) && fits_process(record, 8)
				: !fits_image(record, 4) && fits_image(record, 8))
		record->pointer_bytes = 8;
}
