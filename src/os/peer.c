#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/num.h"
#include "os/os.h"

#define LOOPBACK "0100007F" /* how an address ends there, also one of IPv6 */

struct row {
	char own[40], other[40]; /* addresses */
	unsigned own_port, other_port;
	unsigned long user;
};

static bool read_row(struct wk_str line, struct row *row)
{
	char text[256];

	snprintf(text, sizeof(text), "%.*s", WK_STR_ARG(line));
	return sscanf(text, " %*u: %39[0-9A-F]:%x %39[0-9A-F]:%x %*x %*x:%*x %*x:%*x %*x %lu",
		      row->own, &row->own_port, row->other, &row->other_port, &row->user) == 5;
}

/* Who started this program by sudo may use it as well. */
static bool is_allowed(unsigned long user)
{
	const char *by_sudo = getenv("SUDO_UID");
	uint64_t allowed;

	return user == 0 || user == geteuid() ||
	       (by_sudo && wk_num_u64(wk_str_c(by_sudo), &allowed) && user == allowed);
}

static bool is_foreign_in(const char *table, uint16_t port, uint16_t own_port)
{
	struct wk_buf text = { 0 };
	struct wk_str rest;
	bool is_foreign = false;
	struct row row;

	wk_os_read_small(table, &text);
	rest = wk_buf_str(&text);
	while (rest.len && !is_foreign)
		is_foreign = read_row(wk_str_cut(&rest, '\n'), &row) && row.own_port == port &&
			     row.other_port == own_port &&
			     wk_str_ends(wk_str_c(row.own), LOOPBACK) &&
			     wk_str_ends(wk_str_c(row.other), LOOPBACK) && !is_allowed(row.user);
	wk_buf_fini(&text);
	return is_foreign;
}

bool wk_os_is_foreign_peer(uint16_t port, uint16_t own_port)
{
	return is_foreign_in("/proc/net/tcp", port, own_port) ||
	       is_foreign_in("/proc/net/tcp6", port, own_port);
}
