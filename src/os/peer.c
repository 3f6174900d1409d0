#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <arpa/inet.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "base/num.h"
#include "os/os.h"

/* Who started this program by sudo may use it as well. */
static bool is_allowed(unsigned long user)
{
	const char *by_sudo = getenv("SUDO_UID");
	uint64_t allowed;

	return user == 0 || user == geteuid() ||
	       (by_sudo && wk_num_u64(wk_str_c(by_sudo), &allowed) && user == allowed);
}

/* ---- one connection, asked of the kernel: sock_diag(7) */

struct question {
	struct nlmsghdr header;
	struct inet_diag_req_v2 about;
};

static struct question question_about(uint16_t port, uint16_t own_port)
{
	struct question question = {
		.header = { .nlmsg_len = sizeof(question),
			    .nlmsg_type = SOCK_DIAG_BY_FAMILY,
			    .nlmsg_flags = NLM_F_REQUEST },
		.about = { .sdiag_family = AF_INET,
			   .sdiag_protocol = IPPROTO_TCP,
			   .idiag_states = UINT32_MAX },
	};
	struct inet_diag_sockid *id = &question.about.id;

	id->idiag_sport = htons(port);
	id->idiag_dport = htons(own_port);
	id->idiag_src[0] = id->idiag_dst[0] = htonl(INADDR_LOOPBACK);
	id->idiag_cookie[0] = id->idiag_cookie[1] = (uint32_t)INET_DIAG_NOCOOKIE;
	return question;
}

enum answer { IS_FOUND, IS_ABSENT, IS_UNKNOWN };

static enum answer ask(int kernel, const struct question *question, uid_t *user)
{
	union {
		struct nlmsghdr header;
		char bytes[1024];
	} answer;
	const struct inet_diag_msg *found = NLMSG_DATA(&answer.header);
	const struct nlmsgerr *error = NLMSG_DATA(&answer.header);
	ssize_t came;

	if (send(kernel, question, sizeof(*question), 0) != (ssize_t)sizeof(*question))
		return IS_UNKNOWN;
	came = recv(kernel, &answer, sizeof(answer), 0);
	if (came >= (ssize_t)NLMSG_LENGTH(sizeof(*error)) &&
	    answer.header.nlmsg_type == NLMSG_ERROR && error->error == -ENOENT)
		return IS_ABSENT;
	if (came < (ssize_t)NLMSG_LENGTH(sizeof(*found)) ||
	    answer.header.nlmsg_type != SOCK_DIAG_BY_FAMILY)
		return IS_UNKNOWN;
	*user = found->idiag_uid;
	return IS_FOUND;
}

static enum answer find_user(uint16_t port, uint16_t own_port, uid_t *user)
{
	struct question question = question_about(port, own_port);
	int kernel = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
	enum answer answer = kernel < 0 ? IS_UNKNOWN : ask(kernel, &question, user);

	if (kernel >= 0)
		close(kernel);
	return answer;
}

/* ---- all connections, where the kernel does not answer that: 10 ms, more with many of them */

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

static enum answer find_user_in(const char *table, uint16_t port, uint16_t own_port, uid_t *user)
{
	struct wk_buf text = { 0 };
	enum answer answer = IS_UNKNOWN;
	struct wk_str rest;
	struct row row;

	wk_os_read_small(table, &text);
	rest = wk_buf_str(&text);
	while (rest.len && answer != IS_FOUND) {
		answer = IS_ABSENT;
		if (!read_row(wk_str_cut(&rest, '\n'), &row) || row.own_port != port ||
		    row.other_port != own_port || !wk_str_ends(wk_str_c(row.own), LOOPBACK) ||
		    !wk_str_ends(wk_str_c(row.other), LOOPBACK))
			continue;
		*user = (uid_t)row.user;
		answer = IS_FOUND;
	}
	wk_buf_fini(&text);
	return answer;
}

bool wk_os_is_foreign_peer(uint16_t port, uint16_t own_port)
{
	static const char *const tables[] = { "/proc/net/tcp", "/proc/net/tcp6" };
	uid_t user = 0;
	enum answer answer = find_user(port, own_port, &user);

	if (answer == IS_UNKNOWN)
		for (size_t i = 0; i < 2 && answer != IS_FOUND; i++)
			answer = find_user_in(tables[i], port, own_port, &user);
	return answer == IS_FOUND ? !is_allowed(user) : answer == IS_ABSENT;
}
