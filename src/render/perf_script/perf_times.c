#include "render/perf_script/perf_times.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/str.h"
#include "formats/lines.h"

#define NS_OF_SECOND UINT64_C(1000000000)

static bool fail(const char *text, struct wk_err *err)
{
	return wk_fail(err, WK_EUSAGE, WK_NOWHERE,
		       "time \"%s\": expected START,STOP in seconds of the recording's clock, such "
		       "as 12.5,13 or ,13 with blanks between several; parts such as 10%%-20%% or "
		       "10%%/2; or FROM-TO since the first sample, such as 1.5-3",
		       text);
}

static void add(struct wk_perf_times *times, uint64_t from_ns, uint64_t to_ns)
{
	*WK_APPEND(times->at, times->count, times->cap) =
		(struct wk_perf_time_range){ from_ns, to_ns };
}

static uint64_t later(uint64_t time_ns, uint64_t by_ns)
{
	return by_ns > UINT64_MAX - time_ns ? UINT64_MAX : time_ns + by_ns;
}

/* --- Parts of the whole -------------------------------------------------------------------- */

/* "12.5%" as 0.125. */
static bool read_part(struct wk_str text, double *part)
{
	text = wk_trim(text);
	if (!wk_str_ends(text, "%"))
		return false;
	text.len--;
	if (!wk_num_real(text, part))
		return false;
	*part /= 100;
	return *part >= 0 && *part <= 1;
}

/* The end of a part belongs to the next one, unless it is the last. */
static bool add_part(struct wk_perf_times *times, double from, double to,
		     struct wk_perf_time_range span)
{
	double total = (double)(span.to_ns - span.from_ns);
	uint64_t from_ns, to_ns;

	if (to > 1 || from > to)
		return false;
	from_ns = span.from_ns + (uint64_t)round(from * total);
	to_ns = span.from_ns + (uint64_t)round(to * total);
	if (to_ns > from_ns && to_ns != span.to_ns)
		to_ns--;
	add(times, from_ns, to_ns);
	return true;
}

/* "10%/2", the second tenth; or "10%-20%"; or "10%", the first tenth. */
static bool parse_part(struct wk_perf_times *times, struct wk_str text,
		       struct wk_perf_time_range span)
{
	struct wk_str left, right;
	uint64_t number = 1;
	double from, to;

	if (wk_str_split(text, '-', &left, &right))
		return read_part(left, &from) && read_part(right, &to) &&
		       add_part(times, from, to, span);
	if (wk_str_split(text, '/', &left, &right) && !wk_num_u64(wk_trim(right), &number))
		return false;
	return read_part(left, &to) && to > 0 && number > 0 &&
	       add_part(times, to * (double)(number - 1), to * (double)number, span);
}

static bool parse_parts(struct wk_perf_times *times, struct wk_str text,
			struct wk_perf_time_range span)
{
	struct wk_str part;

	/* "10%,20%" could mean anything. */
	if (memchr(text.at, ',', text.len) && !memchr(text.at, '/', text.len) &&
	    !memchr(text.at, '-', text.len))
		return false;
	while (text.len) {
		wk_str_split(text, ',', &part, &text);
		if (!parse_part(times, part, span))
			return false;
	}
	return true;
}

/* --- Seconds ------------------------------------------------------------------------------- */

/* An end of a range may be missing, or be 0, which is the same. */
static bool read_seconds(struct wk_str text, uint64_t *time_ns)
{
	*time_ns = 0;
	return text.len == 0 || wk_num_scaled(text, NS_OF_SECOND, time_ns);
}

static bool parse_seconds(struct wk_perf_times *times, struct wk_str text, uint64_t zero_ns)
{
	struct wk_str start, stop;
	uint64_t from_ns, to_ns;

	for (text = wk_trim(text); text.len; text = wk_trim(text)) {
		if (!wk_str_split(text, ',', &start, &text))
			return false;
		wk_str_split(wk_trim(text), ' ', &stop, &text);
		if (!read_seconds(start, &from_ns) || !read_seconds(stop, &to_ns) ||
		    (to_ns && to_ns < from_ns))
			return false;
		add(times, from_ns ? later(zero_ns, from_ns) : 0,
		    to_ns ? later(zero_ns, to_ns) : UINT64_MAX);
	}
	return true;
}

/* wick's own form. */
static bool parse_since_first(struct wk_perf_times *times, struct wk_str text, uint64_t zero_ns)
{
	struct wk_str from, to;
	uint64_t from_ns = 0, to_ns = UINT64_MAX;

	if (!wk_str_split(text, '-', &from, &to) || (from.len == 0 && to.len == 0) ||
	    (from.len && !wk_num_duration(from, &from_ns)) ||
	    (to.len && !wk_num_duration(to, &to_ns)) || to_ns < from_ns)
		return false;
	add(times, later(zero_ns, from_ns), later(zero_ns, to_ns));
	return true;
}

static bool is_parts(const char *text)
{
	return strchr(text, '%') != NULL;
}

static bool is_since_first(const char *text)
{
	return !is_parts(text) && strchr(text, '-') && !strchr(text, ',');
}

bool wk_perf_times_need_span(const char *text)
{
	return is_parts(text) || is_since_first(text);
}

bool wk_perf_times_parse(struct wk_perf_times *times, const char *text,
			 struct wk_perf_time_range span, bool is_relative, struct wk_err *err)
{
	bool ok;

	*times = (struct wk_perf_times){ 0 };
	if (is_parts(text))
		ok = parse_parts(times, wk_str_c(text), span);
	else if (is_since_first(text))
		ok = parse_since_first(times, wk_str_c(text), span.from_ns);
	else
		ok = parse_seconds(times, wk_str_c(text), is_relative ? span.from_ns : 0);
	return (ok && times->count) || fail(text, err);
}

void wk_perf_times_fini(struct wk_perf_times *times)
{
	wk_free(times->at);
	*times = (struct wk_perf_times){ 0 };
}

bool wk_perf_times_have(const struct wk_perf_times *times, uint64_t time_ns)
{
	for (size_t i = 0; times && i < times->count; i++)
		if (time_ns >= times->at[i].from_ns && time_ns <= times->at[i].to_ns)
			return true;
	return !times || times->count == 0;
}
