/* The machine: its processors, its manufacturer, its system. */
#include <inttypes.h>
#include <stdio.h>

#include "formats/etl/config/facts.h"
#include "formats/etl/file/guid.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct wk_etl_section machine = { WK_ETL_PART_MACHINE, { 0 } };
static const struct wk_etl_section platform = { WK_ETL_PART_PLATFORM, WK_STR("platform") };
static const struct wk_etl_section power = { WK_ETL_PART_POWER, WK_STR("power") };
static const struct wk_etl_section display = { WK_ETL_PART_DISPLAY, WK_STR("display") };
static const struct wk_etl_section processors = { WK_ETL_PART_PROCESSORS, WK_STR("processors") };

/* ---- processors and memory */

enum { CPU_NAME_BYTES = 512, CPU_DOMAIN_BYTES = 268 };

static const char *const architectures[] = {
	[0] = "x86", [5] = "ARM", [9] = "x64", [12] = "ARM64"
};

/* After the names, and not in all versions. */
static void read_cpu_kind(struct wk_etl_config *config, struct wk_bytes in)
{
	uint16_t architecture;
	uint32_t memory_mhz;

	wk_etl_read_pointer(&in, config->form); /* hyper-threading */
	wk_etl_read_pointer(&in, config->form); /* the highest user address */
	architecture = wk_u16le(&in);
	wk_bytes_skip(&in, 6); /* level, revision, NX, PAE */
	if (in.bad)
		return;
	if (architecture < COUNT(architectures) && architectures[architecture])
		wk_etl_fact_fmt(config, machine, "architecture", "%s", architectures[architecture]);
	memory_mhz = wk_u32le(&in);
	if (!in.bad && memory_mhz)
		wk_etl_fact_fmt(config, machine, "memory MHz", "%" PRIu32, memory_mhz);
}

bool wk_etl_read_cpu(struct wk_etl_config *config, struct wk_bytes in)
{
	uint32_t memory_mb;
	struct wk_bytes host;

	wk_bytes_skip(&in, 8); /* MHz and processors, which are in the header */
	memory_mb = wk_u32le(&in);
	wk_bytes_skip(&in, 8); /* sizes of pages */
	if (in.bad)
		return false;
	if (memory_mb)
		wk_etl_fact_fmt(config, machine, "memory", "%" PRIu64, (uint64_t)memory_mb << 20);
	host = wk_etl_field16(&in, wk_bytes_left(&in) < CPU_NAME_BYTES ? wk_bytes_left(&in)
								       : CPU_NAME_BYTES);
	wk_etl_fact_text(config, machine, "host name", host);
	wk_etl_fact_text(config, machine, "domain", wk_etl_field16(&in, CPU_DOMAIN_BYTES));
	read_cpu_kind(config, in);
	return true;
}

bool wk_etl_read_processor(struct wk_etl_config *config, struct wk_bytes in)
{
	enum { BRAND_BYTES = 128 };
	uint32_t number = wk_u32le(&in), mhz;
	struct wk_buf text = { 0 };
	struct wk_str brand, family;
	char key[32];

	wk_u32le(&in); /* capabilities */
	mhz = wk_u32le(&in);
	brand = wk_utf16_copy(config->texts, wk_etl_field16(&in, BRAND_BYTES));
	if (in.bad)
		return false;
	family = wk_utf16_copy(config->texts, wk_etl_field16(&in, BRAND_BYTES));
	if (config->cpu_name.len == 0)
		config->cpu_name = brand;
	snprintf(key, sizeof(key), "cpu %" PRIu32, number);
	wk_buf_add_str(&text, brand);
	wk_buf_add_fmt(&text, ", %" PRIu32 " MHz", mhz);
	if (family.len) {
		wk_buf_add_text(&text, ", ");
		wk_buf_add_str(&text, family);
	}
	wk_etl_fact_add(config, processors, wk_str_c(key), wk_buf_str(&text));
	wk_buf_fini(&text);
	return true;
}

/* NUMA nodes, or groups of 64, and the processors of each. */
static bool read_masks(struct wk_etl_config *config, struct wk_bytes in, const char *one,
		       size_t step)
{
	uint32_t count = wk_u32le(&in);
	char key[48];

	if (in.bad || count > wk_bytes_left(&in) / step)
		return false;
	for (uint32_t i = 0; i < count; i++) {
		struct wk_bytes entry = wk_bytes_slice(&in, step);
		uint64_t mask = wk_u64le(&entry);

		snprintf(key, sizeof(key), "%s %" PRIu32, one, i);
		wk_etl_fact_fmt(config, processors, key, "%d processor%s (mask 0x%" PRIx64 ")",
				__builtin_popcountll(mask),
				__builtin_popcountll(mask) == 1 ? "" : "s", mask);
	}
	return true;
}

bool wk_etl_read_numa(struct wk_etl_config *config, struct wk_bytes in)
{
	return read_masks(config, in, "NUMA node", 16);
}

bool wk_etl_read_groups(struct wk_etl_config *config, struct wk_bytes in)
{
	return read_masks(config, in, "processor group", 8);
}

/* The group of each processor, if there is more than one group. */
bool wk_etl_read_processor_numbers(struct wk_etl_config *config, struct wk_bytes in)
{
	uint32_t count = wk_u32le(&in), most = 0;

	if (in.bad || count > wk_bytes_left(&in) / 4)
		return false;
	for (uint32_t i = 0; i < count; i++) {
		uint16_t group = wk_u16le(&in);

		wk_bytes_skip(&in, 2);
		most = group > most ? group : most;
	}
	wk_etl_fact_fmt(config, processors, "numbered", "%" PRIu32 " in %" PRIu32 " group%s", count,
			most + 1, most ? "s" : "");
	return true;
}

/* ---- manufacturer, power, display */

/* A text for each key. */
static bool read_texts(struct wk_etl_config *config, struct wk_bytes in,
		       struct wk_etl_section section, const char *const *keys)
{
	bool is_there = wk_bytes_left(&in) >= 2;

	for (; *keys; keys++)
		wk_etl_fact_text(config, section, *keys, wk_utf16_text(&in));
	return is_there;
}

bool wk_etl_read_platform(struct wk_etl_config *config, struct wk_bytes in)
{
	static const char *const keys[] = { "manufacturer", "product", "BIOS date", "BIOS version",
					    NULL };

	return read_texts(config, in, platform, keys);
}

bool wk_etl_read_power(struct wk_etl_config *config, struct wk_bytes in)
{
	static const char *const names[] = { "S1", "S2", "S3", "S4 (hibernate)", "S5 (off)" };
	struct wk_buf text = { 0 };
	uint8_t is_always_on;

	for (size_t i = 0; i < COUNT(names); i++)
		if (wk_u8(&in))
			wk_buf_add_fmt(&text, "%s%s", text.len ? ", " : "", names[i]);
	is_always_on = wk_u8(&in);
	if (!in.bad) {
		wk_etl_fact_add(config, power, wk_str_c("sleep states"),
				text.len ? wk_buf_str(&text) : wk_str_c("none"));
		wk_etl_fact_fmt(config, power, "always on, always connected", "%s",
				is_always_on ? "yes" : "no");
	}
	wk_buf_fini(&text);
	return !in.bad;
}

bool wk_etl_read_dpi(struct wk_etl_config *config, struct wk_bytes in)
{
	uint32_t of_machine = wk_u32le(&in), of_user = wk_u32le(&in);

	if (in.bad)
		return false;
	wk_etl_fact_fmt(config, display, "dots an inch", "%" PRIu32 ", the user's %" PRIu32,
			of_machine, of_user);
	return true;
}

bool wk_etl_read_video(struct wk_etl_config *config, struct wk_bytes in)
{
	static const char *const keys[] = { "chip", "DAC", "adapter", "video BIOS",
					    "display device" };
	uint32_t memory = wk_u32le(&in), width = wk_u32le(&in), height = wk_u32le(&in),
		 bits = wk_u32le(&in), refresh = wk_u32le(&in);

	if (in.bad)
		return false;
	for (size_t i = 0; i < COUNT(keys); i++)
		wk_etl_fact_text(config, display, keys[i], wk_etl_field16(&in, CPU_NAME_BYTES));
	wk_etl_fact_fmt(config, display, "resolution",
			"%" PRIu32 " x %" PRIu32 ", %" PRIu32 " bits, %" PRIu32 " Hz", width,
			height, bits, refresh);
	if (memory)
		wk_etl_fact_bytes(config, display, "video memory", memory);
	return true;
}

/* ---- the system */

bool wk_etl_read_integrity(struct wk_etl_config *config, struct wk_bytes in)
{
	enum { ENABLED = 1, TEST_SIGNED = 2, USER_MODE = 4, DEBUGGED = 0x80, HVCI = 0x400 };
	uint32_t flags = wk_u32le(&in);

	if (in.bad)
		return false;
	wk_etl_fact_fmt(config, platform, "code integrity", "%s%s%s%s%s (0x%" PRIx32 ")",
			flags & ENABLED ? "on" : "off",
			flags & TEST_SIGNED ? ", test-signed code allowed" : "",
			flags & USER_MODE ? ", also of programs" : "",
			flags & DEBUGGED ? ", with a debugger" : "",
			flags & HVCI ? ", guarded by the hypervisor" : "", flags);
	return true;
}

bool wk_etl_read_machine_id(struct wk_etl_config *config, struct wk_bytes in)
{
	struct wk_guid id = wk_guid_read(&in);
	struct wk_buf text = { 0 };

	wk_guid_add(&id, &text);
	if (!in.bad)
		wk_etl_fact_add(config, machine, wk_str_c("machine id"), wk_buf_str(&text));
	wk_buf_fini(&text);
	return !in.bad;
}

/* The version in four numbers of 16 bits. */
bool wk_etl_read_family(struct wk_etl_config *config, struct wk_bytes in)
{
	static const char *const families[] = {
		NULL, "Windows 8", "Windows Phone 8", "desktop", "mobile", "Xbox", "Surface Hub",
		"IoT", "IoT without a display", "server", "HoloLens" };
	uint64_t version = wk_u64le(&in);
	uint32_t family = wk_u32le(&in);

	if (in.bad)
		return false;
	if (version)
		wk_etl_fact_fmt(config, machine, "version", "%u.%u.%u.%u",
				(unsigned)(version >> 48), (unsigned)(version >> 32 & 0xffff),
				(unsigned)(version >> 16 & 0xffff), (unsigned)(version & 0xffff));
	if (family < COUNT(families) && families[family])
		wk_etl_fact_fmt(config, machine, "device family", "%s", families[family]);
	return true;
}

bool wk_etl_read_flights(struct wk_etl_config *config, struct wk_bytes in)
{
	return read_texts(config, in, platform,
			  (const char *const[]){ "update id", "flights", NULL });
}

bool wk_etl_read_virtualization(struct wk_etl_config *config, struct wk_bytes in)
{
	uint8_t security = wk_u8(&in), integrity = wk_u8(&in), hypervisor = wk_u8(&in);

	if (in.bad)
		return false;
	wk_etl_fact_fmt(config, platform, "virtualization",
			"security %s, code integrity %s, hypervisor %s", security ? "on" : "off",
			integrity ? "on" : "off", hypervisor ? "on" : "off");
	return true;
}

bool wk_etl_read_boot(struct wk_etl_config *config, struct wk_bytes in)
{
	enum { BIOS = 1, UEFI = 2 };
	uint32_t firmware;
	uint8_t is_secure;

	wk_bytes_skip(&in, 8); /* boot flags */
	firmware = wk_u32le(&in);
	is_secure = wk_u8(&in);
	if (in.bad)
		return false;
	if (firmware == BIOS || firmware == UEFI)
		wk_etl_fact_fmt(config, platform, "firmware", "%s%s",
				firmware == UEFI ? "UEFI" : "BIOS",
				firmware == BIOS ? ""
				: is_secure      ? ", secure boot on"
						 : ", secure boot off");
	return true;
}

/* A missing date is that of 1970. */
#define NO_INSTALL_DATE 116444736000000000u

bool wk_etl_read_build(struct wk_etl_config *config, struct wk_bytes in)
{
	uint64_t installed = wk_u64le(&in);
	struct wk_bytes lab = wk_utf16_text(&in);
	struct wk_buf date = { 0 };

	if (in.bad)
		return false;
	config->product = wk_utf16_copy(config->texts, wk_utf16_text(&in));
	wk_etl_fact_text(config, machine, "build lab", lab);
	if (installed > NO_INSTALL_DATE)
		wk_etl_date_add(&date, installed);
	wk_etl_fact_add(config, machine, wk_str_c("installed"), wk_buf_str(&date));
	wk_buf_fini(&date);
	return true;
}

bool wk_etl_read_system_paths(struct wk_etl_config *config, struct wk_bytes in)
{
	struct wk_etl_section paths = { WK_ETL_PART_PATHS, WK_STR("paths") };

	return read_texts(config, in, paths,
			  (const char *const[]){ "system folder", "Windows folder", NULL });
}
