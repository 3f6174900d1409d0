#include "formats/etl/config/facts.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/text/utf16.h"

struct wk_etl_section wk_etl_section_fmt(struct wk_etl_config *config, enum wk_etl_part part,
					 const char *format, ...)
{
	char name[100];
	va_list args;

	va_start(args, format);
	vsnprintf(name, sizeof(name), format, args);
	va_end(args);
	return (struct wk_etl_section){ part, wk_arena_copy(config->texts, wk_str_c(name)) };
}

void wk_etl_fact_add(struct wk_etl_config *config, struct wk_etl_section section, struct wk_str key,
		     struct wk_str value)
{
	if (value.len == 0)
		return;
	*WK_APPEND(config->facts, config->fact_count, config->fact_cap) = (struct wk_etl_fact){
		.part = section.part,
		.event = { .section = section.name,
			  .key = wk_arena_copy(config->texts, key),
			  .value = wk_arena_copy(config->texts, value) } };
}

void wk_etl_fact_text(struct wk_etl_config *config, struct wk_etl_section section, const char *key,
		      struct wk_bytes utf16)
{
	wk_etl_fact_add(config, section, wk_str_c(key), wk_utf16_copy(config->texts, utf16));
}

void wk_etl_fact_fmt(struct wk_etl_config *config, struct wk_etl_section section, const char *key,
		     const char *format, ...)
{
	char value[300];
	va_list args;

	va_start(args, format);
	vsnprintf(value, sizeof(value), format, args);
	va_end(args);
	wk_etl_fact_add(config, section, wk_str_c(key), wk_str_c(value));
}

void wk_etl_fact_bytes(struct wk_etl_config *config, struct wk_etl_section section, const char *key,
		       uint64_t size_bytes)
{
	struct wk_buf text = { 0 };

	wk_num_add_bytes(&text, size_bytes);
	wk_buf_add_fmt(&text, " (%" PRIu64 " bytes)", size_bytes);
	wk_etl_fact_add(config, section, wk_str_c(key), wk_buf_str(&text));
	wk_buf_fini(&text);
}

struct wk_bytes wk_etl_field16(struct wk_bytes *in, size_t size_bytes)
{
	struct wk_bytes field = wk_bytes_slice(in, size_bytes);

	return wk_utf16_text(&field);
}
