#include "formats/etl/config/sid.h"

#include <inttypes.h>

#define MOST_PARTS 15
#define NT         5 /* the authority of nearly all */

struct sid {
	uint64_t authority;
	uint32_t parts[MOST_PARTS];
	uint8_t count;
};

static bool read_sid(struct wk_bytes in, struct sid *sid)
{
	uint8_t revision = wk_u8(&in);

	*sid = (struct sid){ .count = wk_u8(&in) };
	if (revision != 1 || sid->count > MOST_PARTS)
		return false;
	for (int i = 0; i < 6; i++) /* big-endian */
		sid->authority = sid->authority << 8 | wk_u8(&in);
	for (uint8_t i = 0; i < sid->count; i++)
		sid->parts[i] = wk_u32le(&in);
	return !in.bad;
}

static const struct {
	uint8_t authority, count;
	uint32_t parts[2];
	const char *name;
} known[] = {
	{ 0, 1, { 0 }, "NOBODY" },
	{ 1, 1, { 0 }, "Everyone" },
	{ NT, 1, { 7 }, "ANONYMOUS LOGON" },
	{ NT, 1, { 18 }, "SYSTEM" },
	{ NT, 1, { 19 }, "LOCAL SERVICE" },
	{ NT, 1, { 20 }, "NETWORK SERVICE" },
	{ NT, 2, { 32, 544 }, "Administrators" },
	{ NT, 2, { 32, 545 }, "Users" },
	{ NT, 2, { 32, 546 }, "Guests" },
};

static const char *known_name(const struct sid *sid)
{
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (sid->authority == known[i].authority && sid->count == known[i].count &&
		    sid->parts[0] == known[i].parts[0] &&
		    (sid->count == 1 || sid->parts[1] == known[i].parts[1]))
			return known[i].name;
	return NULL;
}

/* Those of the window manager and the font driver end with the number of their session; Windows 8
 * has no 0 before it. */
static const char *session_name(const struct sid *sid)
{
	if (sid->authority != NT || sid->count < 2 || sid->count > 3 ||
	    (sid->count == 3 && sid->parts[1] != 0))
		return NULL;
	return sid->parts[0] == 90 ? "DWM-" : sid->parts[0] == 96 ? "UMFD-" : NULL;
}

static void add_numbers(struct wk_buf *text, const struct sid *sid)
{
	wk_buf_add_fmt(text, sid->authority >> 32 ? "S-1-0x%" PRIx64 : "S-1-%" PRIu64,
		       sid->authority);
	for (uint8_t i = 0; i < sid->count; i++)
		wk_buf_add_fmt(text, "-%" PRIu32, sid->parts[i]);
}

void wk_etl_sid_add_numbers(struct wk_buf *text, struct wk_bytes in)
{
	struct sid sid;

	if (read_sid(in, &sid))
		add_numbers(text, &sid);
}

void wk_etl_sid_add(struct wk_buf *text, struct wk_bytes in)
{
	struct sid sid;

	if (!read_sid(in, &sid))
		return;
	if (known_name(&sid)) {
		wk_buf_add_text(text, known_name(&sid));
	} else if (session_name(&sid)) {
		wk_buf_add_fmt(text, "%s%" PRIu32, session_name(&sid), sid.parts[sid.count - 1]);
	} else {
		add_numbers(text, &sid);
	}
}
