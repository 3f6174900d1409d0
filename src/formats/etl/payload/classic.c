#include "formats/etl/payload/classic.h"

#include "formats/etl/schema/guid.h"

enum { IMAGE_ID, META_DATA, SYSTEM_CONFIG, WINSAT, EVENT_TRACE, NONE };

static const struct {
	struct wk_guid guid;
	const char *name;
} providers[] = {
	[IMAGE_ID] = { { 0xb3e675d7,
			 0x2554,
			 0x4f18,
			 { 0x83, 0x0b, 0x27, 0x62, 0x73, 0x25, 0x60, 0xde } },
		       "KernelTraceControl" },
	[META_DATA] = { { 0xbbccf6c1,
			  0x6cd1,
			  0x48c4,
			  { 0x80, 0xff, 0x83, 0x94, 0x82, 0xe3, 0x76, 0x71 } },
			"KernelTraceControl" },
	[SYSTEM_CONFIG] = { { 0x9b79ee91,
			      0xb5fd,
			      0x41c0,
			      { 0xa2, 0x43, 0x42, 0x48, 0xe2, 0x66, 0xe9, 0xd0 } },
			    "Windows Kernel" },
	[WINSAT] = { { 0xed54dff8,
		       0xc409,
		       0x4cf6,
		       { 0xbf, 0x83, 0x05, 0xe1, 0xe6, 0x1a, 0x09, 0xc4 } },
		     "WinSAT" },
	[EVENT_TRACE] = { { 0x68fdd900,
			    0x4a3e,
			    0x11d1,
			    { 0x84, 0xf4, 0x00, 0x00, 0xf8, 0x04, 0x64, 0xe3 } },
			  "EventTrace" },
};

static const struct {
	uint8_t provider, opcode;
	const char *name;
} events[] = {
	{ IMAGE_ID, 0, "ImageID" },
	{ IMAGE_ID, 32, "ImageID/None" },
	{ IMAGE_ID, 36, "ImageID/DbgID_RSDS" },
	{ IMAGE_ID, 37, "ImageID/DbgID_ILRSDS" },
	{ IMAGE_ID, 38, "ImageID/DbgPPDB" },
	{ IMAGE_ID, 40, "ImageID/DbgDeterm" },
	{ IMAGE_ID, 64, "ImageID/FileVersion" },
	{ META_DATA, 32, "MetaData/EventInfo" },
	{ META_DATA, 33, "MetaData/EventMapInfo" },
	{ SYSTEM_CONFIG, 32, "SysConfig/BuildInfo" },
	{ SYSTEM_CONFIG, 33, "SysConfig/SystemPaths" },
	{ SYSTEM_CONFIG, 34, "SysConfig/UnknownVolume" },
	{ SYSTEM_CONFIG, 35, "SysConfig/VolumeMapping" },
	{ SYSTEM_CONFIG, 36, "SysConfig/NetworkInterface" },
	{ SYSTEM_CONFIG, 37, "SysConfig/Opcode(37)" },
	{ WINSAT, 33, "WinSPR" },
	{ WINSAT, 35, "Metrics" },
	{ WINSAT, 37, "SystemConfig" },
};

static unsigned provider_of(const struct wk_guid *guid)
{
	for (unsigned i = 0; i < sizeof(providers) / sizeof(providers[0]); i++)
		if (wk_guid_eq(&providers[i].guid, guid))
			return i;
	return NONE;
}

struct wk_str wk_etl_classic_provider(const struct wk_guid *provider)
{
	unsigned number = provider_of(provider);

	return wk_str_c(number == NONE ? "" : providers[number].name);
}

struct wk_str wk_etl_classic_event(const struct wk_etl_event_key *key)
{
	unsigned provider = key->is_classic ? provider_of(&key->provider) : NONE;

	for (size_t i = 0; provider != NONE && i < sizeof(events) / sizeof(events[0]); i++)
		if (events[i].provider == provider && events[i].opcode == key->id)
			return wk_str_c(events[i].name);
	return wk_str_c("");
}
