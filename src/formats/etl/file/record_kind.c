/* Which kernel event a record is. */
#include "formats/etl/schema/schema_sources.h"
#include "formats/etl/trace.h"

#include "formats/etl/schema/guid.h"

/* How the numbers of the oldest classes end. */
#define KERNEL_TAIL                                                                                \
	{                                                                                          \
		0x9d, 0xda, 0, 0xc0, 0x4f, 0xd7, 0xba, 0x7c                                        \
	}

/* The classes of the kernel's groups, under which programs log the same events. */
static const struct {
	struct wk_guid provider;
	uint8_t group;
} groups[] = {
	{ { 0x3d6fa8d3, 0xfe05, 0x11d0, KERNEL_TAIL }, 0x02 },
	{ { 0x3d6fa8d0, 0xfe05, 0x11d0, KERNEL_TAIL }, 0x03 },
	{ { 0x3d6fa8d1, 0xfe05, 0x11d0, KERNEL_TAIL }, 0x05 },
	{ { 0x01853a65, 0x418f, 0x4f36, { 0xae, 0xfc, 0xdc, 0x0f, 0x1d, 0x2f, 0xd2, 0x35 } },
	  0x0b },
	{ { 0xce1dbfb4, 0x137e, 0x4da6, { 0x87, 0xb0, 0x3f, 0x59, 0xaa, 0x10, 0x2c, 0xbc } },
	  0x0f },
	{ { 0x222962ab, 0x6180, 0x4b88, { 0xa8, 0x25, 0x34, 0x6b, 0x75, 0xf2, 0xa2, 0x4a } },
	  0x10 },
	{ { 0x2cb15d1d, 0x5fc1, 0x11d2, { 0xab, 0xe1, 0, 0xa0, 0xc9, 0x11, 0xf5, 0x18 } }, 0x14 },
	{ { 0xdef2fe46, 0x7bd6, 0x4b80, { 0xbd, 0x94, 0xf5, 0x7f, 0xe2, 0x0d, 0x0c, 0xe3 } },
	  0x18 },
};

static const struct wk_guid image_id = {
	0xb3e675d7, 0x2554, 0x4f18, { 0x83, 0x0b, 0x27, 0x62, 0x73, 0x25, 0x60, 0xde } };
static const struct wk_guid system_config = {
	0x9b79ee91, 0xb5fd, 0x41c0, { 0xa2, 0x43, 0x42, 0x48, 0xe2, 0x66, 0xe9, 0xd0 } };
static const struct wk_guid winsat = {
	0xed54dff8, 0xc409, 0x4cf6, { 0xbf, 0x83, 0x05, 0xe1, 0xe6, 0x1a, 0x09, 0xc4 } };
static const struct wk_guid clr = {
	0xe13c0d23, 0xccbc, 0x4e12, { 0x93, 0x1b, 0xd9, 0xcc, 0x2e, 0xee, 0x27, 0xe4 } };
static const struct wk_guid script = {
	0x57277741, 0x3638, 0x4a4b, { 0xbd, 0xba, 0x0a, 0xc6, 0xe4, 0x5d, 0xa5, 0x6c } };
static const struct wk_guid clr_rundown = {
	0xa669021c, 0xc450, 0x4609, { 0xa0, 0x35, 0x5a, 0xf5, 0x9a, 0xf4, 0xdf, 0x18 } };

static uint32_t hook_of_config(uint8_t opcode)
{
	static const uint32_t hooks[] = { WK_ETL_BUILD, WK_ETL_SYSTEM_PATHS,
					  WK_ETL_VOLUME_UNMAPPED, WK_ETL_VOLUME,
					  WK_ETL_INTERFACE };
	enum { FIRST = 32 };

	return opcode >= FIRST && opcode - FIRST < (int)(sizeof(hooks) / sizeof(hooks[0]))
		       ? hooks[opcode - FIRST]
		       : WK_ETL_NO_HOOK;
}

static uint32_t hook_of_classic(const struct wk_etl_record *record)
{
	if (wk_guid_eq(&record->provider, &image_id))
		return record->opcode == 36  ? WK_ETL_DEBUG_ID
		       : record->opcode == 0 ? WK_ETL_IMAGE_ID
					     : WK_ETL_NO_HOOK;
	if (wk_guid_eq(&record->provider, &system_config))
		return hook_of_config(record->opcode);
	if (wk_guid_eq(&record->provider, &winsat))
		return record->opcode == 33   ? WK_ETL_WINSAT_SCORES
		       : record->opcode == 35 ? WK_ETL_WINSAT_METRICS
		       : record->opcode == 37 ? WK_ETL_WINSAT_SYSTEM
					      : WK_ETL_NO_HOOK;
	for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++)
		if (wk_guid_eq(&record->provider, &groups[i].provider))
			return (uint32_t)groups[i].group << 8 | record->opcode;
	return WK_ETL_NO_HOOK;
}

/* Of Chakra, of V8 and of those that do as they do. V8 has more numbers than are documented, but
 * calls its events by their names. */
static uint32_t hook_of_script(const struct wk_etl_record *record)
{
	struct wk_str name = wk_str_c("");

	if (record->id == 9)
		return WK_ETL_SCRIPT_LOAD;
	if (record->id == 41)
		return WK_ETL_SCRIPT_SOURCE;
	for (size_t i = 0; i < record->item_count; i++)
		if (record->items[i].type == WK_ETL_ITEM_SCHEMA)
			name = wk_etl_tracelogging_name(record->items[i].data);
	if (wk_str_is(name, "SourceDCStart"))
		return WK_ETL_SCRIPT_SOURCE;
	return wk_str_is(name, "MethodDCStart") ? WK_ETL_SCRIPT_KNOWN : WK_ETL_NO_HOOK;
}

/* Modules have their PDBs from the second version on. */
static uint32_t hook_of_clr(const struct wk_etl_record *record)
{
	switch (record->id) {
	case 143:
		return WK_ETL_METHOD_LOAD;
	case 144:
		return WK_ETL_METHOD_KNOWN;
	case 152:
	case 153:
		return record->version >= 2 ? WK_ETL_MODULE : WK_ETL_NO_HOOK;
	default:
		return WK_ETL_NO_HOOK;
	}
}

static uint32_t hook_of_clr_rundown(const struct wk_etl_record *record)
{
	switch (record->id) {
	case 143:
	case 144:
		return WK_ETL_METHOD_KNOWN;
	case 153:
	case 154:
		return record->version >= 2 ? WK_ETL_MODULE : WK_ETL_NO_HOOK;
	default:
		return WK_ETL_NO_HOOK;
	}
}

static uint32_t hook_of_manifest(const struct wk_etl_record *record)
{
	if (wk_guid_eq(&record->provider, &clr))
		return hook_of_clr(record);
	if (wk_guid_eq(&record->provider, &clr_rundown))
		return hook_of_clr_rundown(record);
	if (wk_guid_eq(&record->provider, &script))
		return hook_of_script(record);
	return WK_ETL_NO_HOOK;
}

uint32_t wk_etl_hook_of(const struct wk_etl_record *record)
{
	switch (record->kind) {
	case WK_ETL_KERNEL:
		return record->hook;
	case WK_ETL_CLASSIC:
		return hook_of_classic(record);
	case WK_ETL_MANIFEST:
		return hook_of_manifest(record);
	default:
		return WK_ETL_NO_HOOK;
	}
}
