/* Network interfaces. */
#include <inttypes.h>

#include "formats/etl/config/facts.h"

/* Lists of addresses are separated by semicolons. */
static void add_addresses(struct wk_etl_config *config, struct wk_etl_section section,
			  const char *key, struct wk_bytes utf16)
{
	struct wk_str text = wk_utf16_copy(config->texts, utf16), first, rest;
	struct wk_buf list = { 0 };

	while (wk_str_split(text, ';', &first, &rest)) {
		wk_buf_add_str(&list, first);
		wk_buf_add_text(&list, ", ");
		text = rest;
	}
	wk_buf_add_str(&list, text);
	wk_etl_fact_add(config, section, wk_str_c(key), wk_buf_str(&list));
	wk_buf_fini(&list);
}

static void add_hardware_address(struct wk_etl_config *config, struct wk_etl_section section,
				 struct wk_bytes in, uint32_t len)
{
	struct wk_buf text = { 0 };

	for (uint32_t i = 0; i < len && wk_bytes_left(&in); i++)
		wk_buf_add_fmt(&text, "%s%02x", i ? "-" : "", wk_u8(&in));
	wk_etl_fact_add(config, section, wk_str_c("hardware address"), wk_buf_str(&text));
	wk_buf_fini(&text);
}

/* Older versions have another layout; no file was available. */
bool wk_etl_read_adapter(struct wk_etl_config *config, struct wk_bytes in)
{
	struct wk_bytes hardware = wk_bytes_slice(&in, 8);
	uint32_t hardware_len = wk_u32le(&in), number = wk_u32le(&in);
	struct wk_etl_section adapter;

	if (config->form.version < 2)
		return true;
	wk_u32le(&in); /* its IPv6 index */
	if (in.bad || wk_bytes_left(&in) < 2)
		return false;
	adapter =
		wk_etl_section_fmt(config, WK_ETL_PART_NETWORK, "network adapter %" PRIu32, number);
	wk_etl_fact_text(config, adapter, "name", wk_utf16_text(&in));
	add_hardware_address(config, adapter, hardware, hardware_len);
	add_addresses(config, adapter, "addresses", wk_utf16_text(&in));
	add_addresses(config, adapter, "name servers", wk_utf16_text(&in));
	return true;
}

bool wk_etl_read_network_settings(struct wk_etl_config *config, struct wk_bytes in)
{
	static const char *const keys[] = { "TCP table partitions", "TCP hash table",
					    "highest port", "TCP timed wait delay" };
	struct wk_etl_section network = { WK_ETL_PART_NETWORK, WK_STR("network") };

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		uint32_t value = wk_u32le(&in);

		if (in.bad)
			return false;
		if (value != UINT32_MAX) /* left to Windows */
			wk_etl_fact_fmt(config, network, keys[i], "%" PRIu32, value);
	}
	return true;
}

/* After its names; a row of Windows' interface table. */
static void add_interface_state(struct wk_buf *text, struct wk_bytes in)
{
	enum { IS_UP = 1 };
	uint64_t bits_a_second;
	bool is_up;

	wk_bytes_skip(&in, 100); /* addresses, MTU, kinds and flags */
	is_up = wk_u32le(&in) == IS_UP;
	wk_bytes_skip(&in, 32); /* its configuration, its network */
	bits_a_second = wk_u64le(&in);
	if (in.bad)
		return;
	wk_buf_add_text(text, is_up ? ", up" : ", down");
	if (is_up && bits_a_second != UINT64_MAX && bits_a_second)
		wk_buf_add_fmt(text, ", %.1f Mbit/s", (double)bits_a_second / 1e6);
}

/* Filters are rows of their own above real interfaces, many times as many. */
static bool is_filter(struct wk_bytes in)
{
	enum { FLAGS_AT = 96, IS_FILTER = 2 };

	wk_bytes_skip(&in, FLAGS_AT);
	return wk_u8(&in) & IS_FILTER;
}

bool wk_etl_read_interface(struct wk_etl_config *config, struct wk_bytes in)
{
	enum { NAME_BYTES = 514 };
	struct wk_etl_section interfaces = { WK_ETL_PART_NETWORK, WK_STR("network interfaces") };
	struct wk_str name, description;
	struct wk_buf text = { 0 };

	wk_bytes_skip(&in, 28); /* its numbers */
	name = wk_utf16_copy(config->texts, wk_etl_field16(&in, NAME_BYTES));
	description = wk_utf16_copy(config->texts, wk_etl_field16(&in, NAME_BYTES));
	if (in.bad)
		return false;
	wk_buf_add_str(&text, description);
	add_interface_state(&text, in);
	if (!is_filter(in))
		wk_etl_fact_add(config, interfaces, name, wk_buf_str(&text));
	wk_buf_fini(&text);
	return true;
}
