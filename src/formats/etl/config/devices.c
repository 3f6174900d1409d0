/* The long lists: devices, and their interrupts. */
#include <inttypes.h>
#include <stdio.h>

#include "formats/etl/config/facts.h"

static const struct wk_etl_section devices = { WK_ETL_PART_DEVICES, WK_STR("devices") };
static const struct wk_etl_section interrupts = { WK_ETL_PART_INTERRUPTS, WK_STR("interrupts") };
static const struct wk_etl_section channels = { WK_ETL_PART_IDE, WK_STR("IDE channels") };

static void add_part(struct wk_buf *text, const char *between, struct wk_str part)
{
	if (part.len == 0)
		return;
	if (text->len)
		wk_buf_add_text(text, between);
	wk_buf_add_str(text, part);
}

/* The oldest versions with texts have only the first three. */
bool wk_etl_read_device(struct wk_etl_config *config, struct wk_bytes in)
{
	enum { HAS_CLASS = 4, HAS_PROBLEM = 5 };
	struct wk_str id, description, friendly, driver = { 0 };
	struct wk_buf text = { 0 };
	uint32_t problem = 0;

	wk_bytes_skip(&in, config->form.version >= HAS_CLASS ? 24 : 12);
	if (config->form.version >= HAS_PROBLEM) {
		wk_u32le(&in);
		problem = wk_u32le(&in);
	}
	if (in.bad || wk_bytes_left(&in) < 2)
		return false;
	id = wk_utf16_copy(config->texts, wk_utf16_text(&in));
	description = wk_utf16_copy(config->texts, wk_utf16_text(&in));
	friendly = wk_utf16_copy(config->texts, wk_utf16_text(&in));
	if (config->form.version >= HAS_CLASS) {
		wk_utf16_text(&in); /* the kernel's name */
		driver = wk_utf16_copy(config->texts, wk_utf16_text(&in));
	}
	if (problem)
		wk_buf_add_fmt(&text, "problem %" PRIu32, problem);
	if (driver.len)
		wk_buf_add_fmt(&text, "%sdriver %s", text.len ? "; " : "", driver.at);
	if (friendly.len)
		add_part(&text, "; ", description);
	add_part(&text, "; ", id);
	if (friendly.len == 0)
		friendly = description.len ? description : id;
	wk_etl_fact_add(config, devices, friendly, wk_buf_str(&text));
	wk_buf_fini(&text);
	return true;
}

/* Message-signalled interrupts have negative numbers. */
bool wk_etl_read_irq(struct wk_etl_config *config, struct wk_bytes in)
{
	struct wk_buf text = { 0 };
	char key[32];
	int32_t number;

	wk_bytes_skip(&in, 12); /* processor affinity */
	number = (int32_t)wk_u32le(&in);
	wk_u32le(&in);
	if (in.bad)
		return false;
	wk_buf_add_str(&text, wk_utf16_copy(config->texts, wk_utf16_text(&in)));
	snprintf(key, sizeof(key), "%s %" PRId32, number < 0 ? "message" : "line",
		 number < 0 && number != INT32_MIN ? -number : number);
	wk_etl_fact_add(config, interrupts, wk_str_c(key), wk_buf_str(&text));
	wk_buf_fini(&text);
	return true;
}

bool wk_etl_read_ide(struct wk_etl_config *config, struct wk_bytes in)
{
	enum { DISK = 1, OPTICAL = 2 };
	uint32_t target = wk_u32le(&in), kind = wk_u32le(&in), timing = wk_u32le(&in);
	struct wk_str name;

	wk_u32le(&in);
	if (in.bad)
		return false;
	name = wk_utf16_copy(config->texts, wk_utf16_text(&in));
	wk_etl_fact_fmt(config, channels, name.len ? name.at : "channel",
			"target %" PRIu32 ", %s, timing 0x%" PRIx32, target,
			kind == DISK      ? "a disk"
			: kind == OPTICAL ? "optical media"
					  : "another device",
			timing);
	return true;
}
