#include "formats/etl/config/date.h"

#define TICKS_A_SECOND   10000000u
#define SECONDS_A_DAY    86400u
#define DAYS_BEFORE_1601 584694u  /* since 0000-03-01 */
#define LAST_DAY         3067670u /* 9999-12-31, since 1601 */

struct date {
	uint64_t year;
	unsigned month, day, hour, minute, second;
	unsigned ticks; /* of the second */
};

/* A date of the Gregorian calendar. Years begin in March, so that the leap day is the last one. */
static struct date date_of(uint64_t since_1601)
{
	uint64_t seconds = since_1601 / TICKS_A_SECOND;
	uint64_t shifted = seconds / SECONDS_A_DAY + DAYS_BEFORE_1601;
	uint64_t era = shifted / 146097, in_era = shifted % 146097;
	uint64_t year_of_era = (in_era - in_era / 1460 + in_era / 36524 - in_era / 146096) / 365;
	unsigned in_year =
		(unsigned)(in_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100));
	unsigned from_march = (5 * in_year + 2) / 153;
	unsigned of_day = (unsigned)(seconds % SECONDS_A_DAY);

	return (struct date){
		.year = year_of_era + era * 400 + (from_march >= 10),
		.month = from_march < 10 ? from_march + 3 : from_march - 9,
		.day = in_year - (153 * from_march + 2) / 5 + 1,
		.hour = of_day / 3600,
		.minute = of_day / 60 % 60,
		.second = of_day % 60,
		.ticks = (unsigned)(since_1601 % TICKS_A_SECOND),
	};
}

static void add_parts(struct wk_buf *text, const struct date *date, char between)
{
	wk_buf_add_fmt(text, "%04llu-%02u-%02u%c%02u:%02u:%02u.", (unsigned long long)date->year,
		       date->month, date->day, between, date->hour, date->minute, date->second);
}

void wk_etl_date_add(struct wk_buf *text, uint64_t since_1601)
{
	struct date date = date_of(since_1601);

	if (since_1601 == 0 || since_1601 / TICKS_A_SECOND / SECONDS_A_DAY > LAST_DAY)
		return;
	add_parts(text, &date, ' ');
	wk_buf_add_fmt(text, "%03u UTC", date.ticks / 10000);
}

void wk_etl_date_add_exact(struct wk_buf *text, uint64_t since_1601)
{
	struct date date = date_of(since_1601);

	add_parts(text, &date, 'T');
	wk_buf_add_fmt(text, "%07uZ", date.ticks);
}
