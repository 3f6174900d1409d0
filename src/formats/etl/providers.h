/* The providers of events that wick knows by itself. */
#ifndef WK_FORMATS_ETL_PROVIDERS_H
#define WK_FORMATS_ETL_PROVIDERS_H

#include "base/str.h"
#include "formats/etl/file/file.h"

enum wk_etl_provider {
	WK_ETL_BY_KERNEL, /* or by a program, under the class of a group of kernel events */
	WK_ETL_BY_IMAGE_ID,
	WK_ETL_BY_META_DATA,
	WK_ETL_BY_SYSTEM_CONFIG,
	WK_ETL_BY_WINSAT,
	WK_ETL_BY_EVENT_TRACE,
	WK_ETL_BY_CLR,
	WK_ETL_BY_CLR_RUNDOWN,
	WK_ETL_BY_CLR_PRIVATE,
	WK_ETL_BY_SCRIPT, /* Chakra, V8 and others that log the same events */
	WK_ETL_BY_HEAP_SNAPSHOT,
	WK_ETL_BY_PERFVIEW,
	WK_ETL_BY_OTHERS,
};

struct wk_etl_provider_info {
	struct wk_guid guid;
	uint8_t number;   /* enum wk_etl_provider */
	uint8_t kind;     /* of its records: WK_ETL_CLASSIC or WK_ETL_MANIFEST */
	uint8_t group;    /* of WK_ETL_BY_KERNEL: the high byte of its hooks */
	const char *name; /* "" if its events are not named by it */
};

/* NULL for any other. */
const struct wk_etl_provider_info *wk_etl_provider_find(const struct wk_guid *guid);

/* The same by its name. */
const struct wk_etl_provider_info *wk_etl_provider_named(struct wk_str name);

/* "KernelTraceControl"; empty for any other. */
struct wk_str wk_etl_provider_name(const struct wk_guid *guid);

#endif
