/* The process: finding the recorder, and beginning anew in a child. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "preload/internal.h"

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 0x0008U /* since Linux 6.3 */
#endif

static uint8_t unknown = WK_HEAP_UNKNOWN;
uint8_t *wk_heap_state = &unknown;
struct wk_channel_head *wk_heap_head;
struct wk_heap_control *wk_heap_control;
uint32_t wk_heap_when_full;
uint32_t wk_heap_epoch;
int wk_heap_fd = -1;

static _Atomic uint32_t beginning; /* 1: a thread begins; others record nothing meanwhile */
static pid_t begun_by;             /* the process that did: a child is another one */

void wk_heap_lock(_Atomic uint32_t *lock)
{
	while (atomic_exchange_explicit(lock, 1, memory_order_acquire))
		sched_yield();
}

void wk_heap_unlock(_Atomic uint32_t *lock)
{
	atomic_store_explicit(lock, 0, memory_order_release);
}

void *wk_heap_pages(size_t bytes)
{
	void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return at == MAP_FAILED ? NULL : at;
}

/* A child must not write where its parent does: it has none of this. */
static void *map_shared(int fd, size_t bytes, uint64_t offset)
{
	void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)offset);

	if (at == MAP_FAILED)
		return NULL;
	madvise(at, bytes, MADV_DONTFORK);
	return at;
}

uint8_t *wk_heap_map_slot(uint32_t slot)
{
	return map_shared(wk_heap_fd, WK_CHANNEL_SLOT_BYTES, WK_CHANNEL_SLOT_AT(slot));
}

/* ---- the recorder */

static int make_file(void)
{
	int fd = (int)syscall(SYS_memfd_create, "wick-heap",
			      MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_NOEXEC_SEAL);

	if (fd < 0)
		fd = (int)syscall(SYS_memfd_create, "wick-heap", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (fd < 0 || (ftruncate(fd, (off_t)WK_CHANNEL_BYTES) == 0 &&
		       fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0))
		return fd;
	close(fd);
	return -1;
}

static int connect_to(const char *name)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	size_t length = strlen(name);
	int fd;

	if (length == 0 || length >= sizeof(address.sun_path) - 1)
		return -1;
	memcpy(address.sun_path + 1, name, length);
	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	if (fd >= 0 && syscall(SYS_connect, fd, &address,
			       offsetof(struct sockaddr_un, sun_path) + 1 + length) == 0)
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

union one_fd {
	struct cmsghdr head;
	char bytes[CMSG_SPACE(sizeof(int))];
};

static bool send_file(int to, int fd)
{
	struct wk_channel_hello hello = { WK_CHANNEL_VERSION, (uint32_t)getpid(),
					  WK_CHANNEL_BYTES };
	struct iovec part = { &hello, sizeof(hello) };
	union one_fd rights = { .head = { .cmsg_len = CMSG_LEN(sizeof(int)),
					  .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS } };
	struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1, .msg_control = &rights,
				  .msg_controllen = sizeof(rights.bytes) };

	memcpy(CMSG_DATA(&rights.head), &fd, sizeof(fd));
	return syscall(SYS_sendmsg, to, &message, MSG_NOSIGNAL) == sizeof(hello);
}

/* The descriptor of the recorder's page; -1: it does not want this process. */
static int receive_page(int from, struct wk_channel_answer *answer)
{
	struct iovec part = { answer, sizeof(*answer) };
	union one_fd rights = { 0 };
	struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1, .msg_control = &rights,
				  .msg_controllen = sizeof(rights.bytes) };
	ssize_t got;
	int fd = -1;

	do {
		got = syscall(SYS_recvmsg, from, &message, MSG_CMSG_CLOEXEC);
	} while (got < 0 && errno == EINTR);
	if (message.msg_controllen >= CMSG_LEN(sizeof(int)) && rights.head.cmsg_type == SCM_RIGHTS)
		memcpy(&fd, CMSG_DATA(&rights.head), sizeof(fd));
	if (got == sizeof(*answer) && answer->version == WK_CHANNEL_VERSION && answer->is_accepted)
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

/* Nothing stays open but the file, whose other parts are mapped when threads begin. */
static bool meet_recorder(const char *name)
{
	struct wk_channel_answer answer = { 0 };
	int to = connect_to(name), page = -1;
	int fd = to >= 0 ? make_file() : -1;

	if (fd >= 0)
		wk_heap_head = map_shared(fd, WK_CHANNEL_HEAD_BYTES + WK_CHANNEL_DEFS_BYTES, 0);
	if (fd >= 0 && wk_heap_head) {
		wk_heap_head->version = WK_CHANNEL_VERSION;
		wk_heap_head->pid = (uint32_t)getpid();
		if (send_file(to, fd))
			page = receive_page(to, &answer);
	}
	if (page >= 0) {
		wk_heap_control = map_shared(page, WK_CHANNEL_PAGE, 0);
		close(page);
	}
	if (to >= 0)
		close(to);
	wk_heap_fd = fd;
	wk_heap_when_full = answer.when_full;
	return page >= 0 && wk_heap_control;
}

/* ---- beginning */

static bool set_state(enum wk_heap_state state)
{
	uint8_t *page = wk_heap_state;

	if (page == &unknown) {
		page = wk_heap_pages(WK_CHANNEL_PAGE);
		if (!page || madvise(page, WK_CHANNEL_PAGE, MADV_WIPEONFORK) != 0)
			return false;
	}
	*page = (uint8_t)state;
	wk_heap_state = page;
	return true;
}

void wk_heap_stop(void)
{
	set_state(WK_HEAP_OFF);
}

/* In a child that was forked, threads and locks of the parent are not there any more. */
static bool begin_here(void)
{
	const char *name = environ ? getenv(WK_HEAP_VARIABLE) : NULL;

	wk_heap_epoch++;
	if (wk_heap_fd >= 0)
		close(wk_heap_fd);
	wk_heap_fd = -1;
	wk_heap_head = NULL;
	wk_heap_control = NULL;
	return name && meet_recorder(name) && wk_heap_threads_begin() && wk_heap_unwind_begin() &&
	       wk_heap_nodes_begin();
}

bool wk_heap_begin(void)
{
	pid_t self = getpid();
	bool ok;

	if (*wk_heap_state == WK_HEAP_OFF || !environ)
		return false;
	/* The thread that forked is the only one in the child. */
	if (begun_by != self)
		atomic_store(&beginning, 0);
	if (atomic_exchange(&beginning, 1))
		return *wk_heap_state == WK_HEAP_ON;
	begun_by = self;
	ok = begin_here();
	set_state(ok ? WK_HEAP_ON : WK_HEAP_OFF);
	return ok;
}

static __attribute__((constructor)) void begin_early(void)
{
	int saved = errno;

	wk_heap_busy = WK_HEAP_IN_LIBRARY;
	wk_heap_begin();
	wk_heap_busy = 0;
	errno = saved;
}
