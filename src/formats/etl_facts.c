#include "formats/etl_facts.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/utf16.h"

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

void wk_etl_fact_add(struct wk_etl_config *config, struct wk_etl_section section,
		     struct wk_str key, struct wk_str value)
{
	if (value.len == 0)
		return;
	config->facts = wk_grow(config->facts, &config->fact_cap, config->fact_count + 1,
				sizeof(*config->facts));
	config->facts[config->fact_count++] = (struct wk_etl_fact){
		.part = section.part,
		.told = { .section = section.name,
			  .key = wk_arena_copy(config->texts, key),
			  .value = wk_arena_copy(config->texts, value) } };
}

void wk_etl_fact_text(struct wk_etl_config *config, struct wk_etl_section section,
		      const char *key, struct wk_bytes utf16)
{
	struct wk_buf text = { 0 };

	wk_utf16_add(&text, utf16, false);
	wk_etl_fact_add(config, section, wk_str_c(key), wk_buf_str(&text));
	wk_buf_fini(&text);
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

void wk_etl_fact_bytes(struct wk_etl_config *config, struct wk_etl_section section,
		       const char *key, uint64_t size_bytes)
{
	struct wk_buf text = { 0 };

	wk_num_add_bytes(&text, size_bytes);
	wk_buf_add_fmt(&text, " (%" PRIu64 " bytes)", size_bytes);
	wk_etl_fact_add(config, section, wk_str_c(key), wk_buf_str(&text));
	wk_buf_fini(&text);
}

struct wk_bytes wk_etl_field16(struct wk_bytes *in, size_t size_bytes)
{
	struct wk_bytes field = wk_bytes_take(in, size_bytes);

	return wk_etl_text16(&field);
}

struct wk_str wk_etl_config_keep(struct wk_etl_config *config, struct wk_bytes utf16)
{
	struct wk_buf text = { 0 };
	struct wk_str kept;

	wk_utf16_add(&text, utf16, false);
	kept = wk_arena_copy(config->texts, wk_buf_str(&text));
	wk_buf_fini(&text);
	return kept;
}

/* ---- dates */

#define TICKS_A_SECOND	10000000u
#define SECONDS_A_DAY	86400u
#define DAYS_TO_1970	134774u  /* from 1601 */
#define LAST_DAY	3067670u /* 9999-12-31 */

/* Days since 1970 to a date of the Gregorian calendar. Years begin in March, so that the odd day
 * is the last one. */
static void date_of_day(int64_t day, int *year, int *month, int *day_of_month)
{
	int64_t shifted = day + 719468; /* since 0000-03-01 */
	int64_t era = shifted / 146097, in_era = shifted % 146097;
	int64_t year_of_era =
		(in_era - in_era / 1460 + in_era / 36524 - in_era / 146096) / 365;
	int64_t in_year = in_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
	int64_t from_march = (5 * in_year + 2) / 153;

	*day_of_month = (int)(in_year - (153 * from_march + 2) / 5 + 1);
	*month = (int)(from_march < 10 ? from_march + 3 : from_march - 9);
	*year = (int)(year_of_era + era * 400 + (*month <= 2));
}

void wk_etl_date_add(struct wk_buf *text, uint64_t since_1601)
{
	uint64_t seconds = since_1601 / TICKS_A_SECOND, day = seconds / SECONDS_A_DAY;
	unsigned of_day = (unsigned)(seconds % SECONDS_A_DAY);
	int year, month, day_of_month;

	if (since_1601 == 0 || day > LAST_DAY)
		return;
	date_of_day((int64_t)day - DAYS_TO_1970, &year, &month, &day_of_month);
	wk_buf_add_fmt(text, "%d-%02d-%02d %02u:%02u:%02u.%03u UTC", year, month, day_of_month,
		       of_day / 3600, of_day / 60 % 60, of_day % 60,
		       (unsigned)(since_1601 % TICKS_A_SECOND / 10000));
}
