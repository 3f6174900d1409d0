#include "formats/nettrace/head.h"

#include "base/num.h"
#include "formats/nettrace/file.h"

#define NS_PER_S     1000000000u
#define USUAL_NS     1000000u /* between two rounds of samples */
#define MOST_NS      NS_PER_S
#define MOST_KEYS    1000
#define LAST_OF_1969 719468u /* days, since 0000-03-01 */

__extension__ typedef unsigned __int128 wide;

/* Of the Gregorian calendar; years begin in March, so that the leap day is the last one. */
static uint64_t days_since_1970(uint64_t year, uint64_t month, uint64_t day)
{
	uint64_t from_march = month > 2 ? month - 3 : month + 9;

	year -= month <= 2;
	return year * 365 + year / 4 - year / 100 + year / 400 + (153 * from_march + 2) / 5 + day -
	       1 - LAST_OF_1969;
}

/* Year, month, day of the week, day, hour, minute, second, millisecond. 0 if it is no date. */
static uint64_t read_wall(struct wk_bytes *in)
{
	uint16_t part[8];

	for (size_t i = 0; i < 8; i++)
		part[i] = wk_u16le(in);
	if (part[0] < 1970 || part[0] > 2200 || part[1] < 1 || part[1] > 12 || part[3] < 1 ||
	    part[3] > 31)
		return 0;
	return ((((days_since_1970(part[0], part[1], part[3]) * 24 + part[4]) * 60 + part[5]) * 60 +
		 part[6]) *
			1000 +
		part[7]) *
	       1000000;
}

static void set_key(struct wk_nettrace_head *head, struct wk_str key, struct wk_str value)
{
	uint64_t number;

	if (!wk_num_u64(value, &number))
		return;
	if (wk_str_is(key, "HardwareThreadCount"))
		head->cpus = (uint32_t)number;
	else if (wk_str_is(key, "ProcessId"))
		head->pid = (uint32_t)number;
	else if (wk_str_is(key, "ExpectedCPUSamplingRate"))
		head->interval_ns = number;
}

static void read_keys(struct wk_bytes *in, struct wk_nettrace_head *head)
{
	uint32_t count = wk_u32le(in);

	for (uint32_t i = 0; i < count && i < MOST_KEYS && !in->bad; i++) {
		struct wk_str key = wk_nettrace_read_text(in);
		struct wk_str value = wk_nettrace_read_text(in);

		set_key(head, key, value);
	}
}

bool wk_nettrace_head_read(struct wk_bytes in, bool is_v6, struct wk_nettrace_head *head)
{
	*head = (struct wk_nettrace_head){ .wall_ns = read_wall(&in) };
	head->start = wk_u64le(&in);
	head->ticks_per_second = wk_u64le(&in);
	head->pointer_bytes = wk_u32le(&in);
	if (is_v6) {
		read_keys(&in, head);
	} else {
		head->pid = wk_u32le(&in);
		head->cpus = wk_u32le(&in);
		head->interval_ns = wk_u32le(&in);
	}
	if (head->interval_ns == 0 || head->interval_ns > MOST_NS)
		head->interval_ns = USUAL_NS;
	return !in.bad && head->ticks_per_second &&
	       (head->pointer_bytes == 4 || head->pointer_bytes == 8);
}

uint64_t wk_nettrace_ns(const struct wk_nettrace_head *head, uint64_t ticks)
{
	uint64_t since = ticks > head->start ? ticks - head->start : 0;
	wide ns = (wide)since * NS_PER_S / head->ticks_per_second;

	return ns > INT64_MAX ? INT64_MAX : ns ? (uint64_t)ns : 1;
}
