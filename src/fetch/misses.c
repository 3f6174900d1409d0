#include "fetch/misses.h"

#include <inttypes.h>

#include "base/num.h"
#include "os/os.h"

#define MISSING_SECONDS WK_MISS_SECONDS
#define FAILED_SECONDS  (5 * 60)
#define MOST_BYTES      65536 /* longer files are not wick's */

struct line {
	struct wk_str whole, server;
	uint64_t at_s;
	bool is_missing;
};

static uint64_t now_s(void)
{
	return wk_os_wall_ns() / 1000000000;
}

static bool next_line(struct wk_str *text, struct line *line)
{
	struct wk_str time, what, rest;

	while (text->len > 0) {
		wk_str_split(*text, '\n', &line->whole, text);
		wk_str_split(line->whole, ' ', &time, &rest);
		wk_str_split(rest, ' ', &what, &line->server);
		line->is_missing = wk_str_is(what, "missing");
		if (wk_num_u64(time, &line->at_s) &&
		    (line->is_missing || wk_str_is(what, "failed")))
			return true;
	}
	return false;
}

/* An entry from the future was written with another clock. */
static bool holds(const struct line *line, uint64_t now, uint64_t *left_s)
{
	uint64_t last_s = line->at_s + (line->is_missing ? MISSING_SECONDS : FAILED_SECONDS);

	*left_s = last_s > now ? last_s - now : 0;
	return line->at_s <= now && last_s > now;
}

static struct wk_str read_lines(const char *path, struct wk_buf *bytes)
{
	struct wk_os_identity identity;

	if (!wk_os_identify(path, &identity, NULL) || !identity.is_regular ||
	    !wk_os_read_small(path, bytes) || bytes->len > MOST_BYTES)
		return wk_str_c("");
	return wk_buf_str(bytes);
}

bool wk_misses_find(const char *path, const char *server, struct wk_miss *miss)
{
	struct wk_buf bytes = { 0 };
	struct wk_str text = read_lines(path, &bytes);
	uint64_t now = now_s();
	struct line line;
	bool found = false;

	while (!found && next_line(&text, &line)) {
		found = wk_str_is(line.server, server) && holds(&line, now, &miss->left_s);
		miss->is_missing = line.is_missing;
		miss->ago_s = now - line.at_s;
	}
	wk_buf_fini(&bytes);
	return found;
}

void wk_misses_add(const char *path, const char *server, bool is_missing)
{
	struct wk_buf bytes = { 0 }, lines = { 0 };
	struct wk_str text = read_lines(path, &bytes);
	uint64_t now = now_s(), left_s;
	struct wk_os_draft keep;
	struct line line;

	while (next_line(&text, &line)) {
		if (wk_str_is(line.server, server) || !holds(&line, now, &left_s))
			continue;
		wk_buf_add_str(&lines, line.whole);
		wk_buf_add_char(&lines, '\n');
	}
	wk_buf_add_fmt(&lines, "%" PRIu64 " %s %s\n", now, is_missing ? "missing" : "failed",
		       server);
	if (wk_os_draft_open_private(&keep, path, NULL))
		wk_os_draft_end(&keep, wk_os_write(keep.fd, lines.at, lines.len));
	WK_BUF_FINI_ALL(&lines, &bytes);
}
