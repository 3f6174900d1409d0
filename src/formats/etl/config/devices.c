/* The long list of devices. */
#include <inttypes.h>

#include "formats/etl/config/facts.h"

static const struct wk_etl_section devices = { WK_ETL_PART_DEVICES, WK_STR("devices") };

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
	id = wk_etl_copy_text(config->texts, wk_etl_text16(&in));
	description = wk_etl_copy_text(config->texts, wk_etl_text16(&in));
	friendly = wk_etl_copy_text(config->texts, wk_etl_text16(&in));
	if (config->form.version >= HAS_CLASS) {
		wk_etl_text16(&in); /* the kernel's name */
		driver = wk_etl_copy_text(config->texts, wk_etl_text16(&in));
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
