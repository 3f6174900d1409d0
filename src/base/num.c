#include "base/num.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

bool wk_num_u64(struct wk_str text, uint64_t *value)
{
	uint64_t v = 0;

	if (text.len == 0)
		return false;
	for (size_t i = 0; i < text.len; i++) {
		unsigned digit = (unsigned)(text.at[i] - '0');

		if (digit > 9 || v > (UINT64_MAX - digit) / 10)
			return false;
		v = v * 10 + digit;
	}
	*value = v;
	return true;
}

/* The digit's value plus one, and 0 for other characters. Whether a digit is a letter is
 * unpredictable, and a mispredicted branch would cost more than the lookup. */
static const uint8_t hex_digits[256] = {
	['0'] = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10,
	['A'] = 11, 12, 13, 14, 15, 16,
	['a'] = 11, 12, 13, 14, 15, 16,
};

bool wk_num_hex(struct wk_str text, uint64_t *value)
{
	uint64_t v = 0;

	if (text.len == 0)
		return false;
	for (size_t i = 0; i < text.len; i++) {
		unsigned digit = hex_digits[(uint8_t)text.at[i]];

		if (digit == 0 || v >> 60)
			return false;
		v = v << 4 | (digit - 1);
	}
	*value = v;
	return true;
}

/* wick never leaves the C locale, in which strtod reads a point. */
bool wk_num_real(struct wk_str text, double *value)
{
	char copy[64];
	char *end;
	double v;

	if (text.len == 0 || text.len >= sizeof(copy))
		return false;
	for (size_t i = 0; i < text.len; i++)
		if (!strchr("0123456789.eE+-", text.at[i]) || text.at[i] == '\0')
			return false;
	memcpy(copy, text.at, text.len);
	copy[text.len] = '\0';
	v = strtod(copy, &end);
	if (*end || !isfinite(v))
		return false;
	*value = v;
	return true;
}

bool wk_num_scaled(struct wk_str number, uint64_t unit, uint64_t *value)
{
	const char *dot = number.len ? memchr(number.at, '.', number.len) : NULL;
	struct wk_str whole = number, fraction = { 0 };
	uint64_t v = 0;

	if (dot) {
		whole.len = (size_t)(dot - number.at);
		fraction = wk_str_skip(number, whole.len + 1);
		if (fraction.len == 0)
			return false;
	}
	if (!wk_num_u64(whole, &v) || v > UINT64_MAX / unit)
		return false;
	v *= unit;
	for (size_t i = 0; i < fraction.len; i++) {
		unsigned digit = (unsigned)(fraction.at[i] - '0');

		if (digit > 9)
			return false;
		unit /= 10;
		if (v > UINT64_MAX - digit * unit)
			return false;
		v += digit * unit;
	}
	*value = v;
	return true;
}

struct suffix {
	const char *text;
	uint64_t unit;
};

static bool with_suffix(struct wk_str text, const struct suffix *suffixes, uint64_t plain,
			uint64_t *value)
{
	for (; suffixes->text; suffixes++) {
		if (wk_str_ends(text, suffixes->text)) {
			text.len -= strlen(suffixes->text);
			return wk_num_scaled(text, suffixes->unit, value);
		}
	}
	return wk_num_scaled(text, plain, value);
}

bool wk_num_duration(struct wk_str text, uint64_t *ns)
{
	static const struct suffix suffixes[] = {
		{ "ms", 1000000 }, { "us", 1000 }, { "ns", 1 }, { "s", 1000000000 },
		{ "m", 60000000000 }, { "h", 3600000000000 }, { 0 },
	};

	return with_suffix(text, suffixes, 1000000000, ns);
}

bool wk_num_size(struct wk_str text, uint64_t *size_bytes)
{
	static const struct suffix suffixes[] = {
		{ "K", 1024 }, { "k", 1024 }, { "M", 1024 * 1024 }, { "m", 1024 * 1024 },
		{ "G", 1024 * 1024 * 1024 }, { "g", 1024 * 1024 * 1024 }, { 0 },
	};

	return with_suffix(text, suffixes, 1, size_bytes);
}

void wk_num_add_grouped(struct wk_buf *buf, uint64_t value)
{
	char digits[24];
	int len = snprintf(digits, sizeof(digits), "%" PRIu64, value);

	for (int i = 0; i < len; i++) {
		if (i > 0 && (len - i) % 3 == 0)
			wk_buf_add_char(buf, ',');
		wk_buf_add_char(buf, digits[i]);
	}
}

void wk_num_add_thousandths(struct wk_buf *buf, uint64_t value)
{
	unsigned rest = (unsigned)(value % 1000);

	wk_num_add_grouped(buf, value / 1000);
	if (rest)
		wk_buf_add_fmt(buf, ".%03u", rest);
	while (rest && wk_str_ends(wk_buf_str(buf), "0"))
		buf->len--;
}

void wk_num_add_counted(struct wk_buf *buf, uint64_t value, const char *one, const char *several)
{
	wk_num_add_grouped(buf, value);
	wk_buf_add_text(buf, value == 1 ? one : several);
}

void wk_num_add_bytes(struct wk_buf *buf, uint64_t size_bytes)
{
	static const char *const units[] = { "KiB", "MiB", "GiB", "TiB", "PiB", "EiB" };
	double value = (double)size_bytes / 1024;
	size_t unit = 0;

	if (size_bytes < 1024) {
		wk_buf_add_fmt(buf, "%" PRIu64 " B", size_bytes);
		return;
	}
	while (value >= 1024 && unit < 5) {
		value /= 1024;
		unit++;
	}
	wk_buf_add_fmt(buf, "%.1f %s", value, units[unit]);
}

void wk_num_add_duration(struct wk_buf *buf, uint64_t ns)
{
	if (ns >= 1000000000)
		wk_buf_add_fmt(buf, "%.3f s", (double)ns / 1e9);
	else if (ns >= 1000000)
		wk_buf_add_fmt(buf, "%.1f ms", (double)ns / 1e6);
	else if (ns >= 1000)
		wk_buf_add_fmt(buf, "%" PRIu64 " us", ns / 1000);
	else
		wk_buf_add_fmt(buf, "%" PRIu64 " ns", ns);
}

void wk_num_add_share(struct wk_buf *buf, uint64_t part, uint64_t whole)
{
	double percent = whole ? 100.0 * (double)part / (double)whole : 0;

	if (part == 0)
		wk_buf_add_text(buf, "0 %");
	else if (percent < 0.05)
		wk_buf_add_text(buf, "<0.1 %");
	else if (percent >= 99.95 && part < whole)
		wk_buf_add_text(buf, ">99.9 %");
	else
		wk_buf_add_fmt(buf, "%.1f %%", percent);
}
