/* The process: finding the recorder, and beginning anew in a child. */
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "preload/internal.h"

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 0x0008U /* since Linux 6.3 */
#endif

#define NAP_NS     100000L
#define MOST_TRIES 10

#define ATTACH_VARIABLE "WICK_HEAP_ATTACH"

static uint8_t unknown = WK_HEAP_UNKNOWN;
struct wk_heap_wiped wk_heap_wiped;
uint8_t *wk_heap_state = &unknown;
struct wk_channel_head *wk_heap_head;
struct wk_heap_control *wk_heap_control;
uint32_t wk_heap_when_full;
uint32_t wk_heap_records = WK_CHANNEL_HEAP;
int wk_heap_recorder;
uint32_t wk_heap_epoch;

static _Atomic uint64_t early; /* calls before the library could begin, not counted there yet */

static _Atomic pid_t begun_by; /* the process that began, or begins: a child is another one */

/* The name of the recorder as it was at first, since what a program does with its environment is
 * its own; or as another recorder wrote it. */
HOOK struct wk_heap_switch wick_heap_library_switch = {
	.version = WK_CHANNEL_VERSION,
	.bytes = sizeof(wick_heap_library_switch),
};
#define recorder_name (wick_heap_library_switch.name)

void wk_heap_nap(void)
{
	struct timespec time = { .tv_nsec = NAP_NS };

	syscall(SYS_nanosleep, &time, NULL);
}

enum lock { LOCK_FREE, LOCK_HELD, LOCK_AWAITED };

/* Through syscall, as in ring.c. */
static void call_futex(_Atomic uint32_t *lock, int what, uint32_t value)
{
	int saved = errno;

	syscall(SYS_futex, lock, what | FUTEX_PRIVATE_FLAG, value, NULL, NULL, 0);
	errno = saved;
}

/* In a child whose parent forked in a handler, who has the lock may not be there. */
void wk_heap_lock(_Atomic uint32_t *lock)
{
	uint32_t before = LOCK_FREE;

	if (atomic_compare_exchange_strong_explicit(lock, &before, LOCK_HELD, memory_order_acquire,
						    memory_order_relaxed))
		return;
	while (atomic_exchange_explicit(lock, LOCK_AWAITED, memory_order_acquire) != LOCK_FREE) {
		if (*wk_heap_state == WK_HEAP_UNKNOWN)
			return;
		call_futex(lock, FUTEX_WAIT, LOCK_AWAITED);
	}
}

void wk_heap_unlock(_Atomic uint32_t *lock)
{
	if (atomic_exchange_explicit(lock, LOCK_FREE, memory_order_release) == LOCK_AWAITED)
		call_futex(lock, FUTEX_WAKE, 1);
}

void *wk_heap_pages(size_t bytes)
{
	void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return at == MAP_FAILED ? NULL : at;
}

/* Locked memory cannot be given back. */
void wk_heap_clear_pages(void *pages, size_t bytes)
{
	if (syscall(SYS_madvise, pages, bytes, MADV_DONTNEED) != 0)
		memset(pages, 0, bytes);
}

/* A child must not write where its parent does: it has none of this. In place of that of an earlier
 * recording, which other threads may still count in. */
static void *map_shared(void *before, int fd, size_t bytes)
{
	void *at = mmap(before, bytes, PROT_READ | PROT_WRITE,
			MAP_SHARED | (before ? MAP_FIXED : 0), fd, 0);

	if (at == MAP_FAILED)
		return NULL;
	madvise(at, bytes, MADV_DONTFORK);
	madvise(at, bytes, MADV_DONTDUMP);
	return at;
}

/* Of a slot: from its first use on. */
static uint8_t *slots[WK_CHANNEL_THREADS];

/* No descriptor stays open, since programs close and reuse those that they have not opened; and the
 * addresses of all slots together would be too many for a program that has limited them. So the
 * mapping of the beginning is mapped a second time (mremap of no bytes), up to the end of the slot,
 * and what lies before the slot is given back. */
uint8_t *wk_heap_open_slot(uint32_t slot)
{
	size_t before = WK_CHANNEL_SLOT_AT(slot);
	uint8_t *at;

	if (slots[slot])
		return slots[slot];
	at = mremap(wk_heap_head, 0, before + WK_CHANNEL_SLOT_BYTES, MREMAP_MAYMOVE);
	if (at == MAP_FAILED)
		return NULL;
	munmap(at, before);
	slots[slot] = at + before;
	return slots[slot];
}

/* ---- the recorder */

/* Empty: the recorder gives it its size, since a program that may not write large files would be
 * ended by a signal. */
static int make_file(void)
{
	int fd = (int)syscall(SYS_memfd_create, "wick-heap",
			      MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_NOEXEC_SEAL);

	if (fd < 0)
		fd = (int)syscall(SYS_memfd_create, "wick-heap", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	return fd;
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

static bool send_file(int to, int fd, bool is_again)
{
	struct wk_channel_hello hello = { WK_CHANNEL_VERSION, (uint32_t)getpid(), is_again,
					  wk_heap_epoch > 1, WK_CHANNEL_BYTES };
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
	struct iovec parts[] = { { answer, sizeof(*answer) },
				 { wk_patch_list, sizeof(wk_patch_list) } };
	union one_fd rights = { 0 };
	struct msghdr message = { .msg_iov = parts, .msg_iovlen = 2, .msg_control = &rights,
				  .msg_controllen = sizeof(rights.bytes) };
	ssize_t got;
	/* A recorder that is stopped; signals are blocked here. */
	struct timeval patience = { .tv_sec = 10 };
	int fd = -1;

	setsockopt(from, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	do {
		got = syscall(SYS_recvmsg, from, &message, MSG_CMSG_CLOEXEC);
	} while (got < 0 && errno == EINTR);
	if (message.msg_controllen >= CMSG_LEN(sizeof(int)) && rights.head.cmsg_type == SCM_RIGHTS)
		memcpy(&fd, CMSG_DATA(&rights.head), sizeof(fd));
	if (got >= (ssize_t)sizeof(*answer) && answer->version == WK_CHANNEL_VERSION &&
	    answer->is_accepted && answer->patch_count <= WK_CHANNEL_PATCHES &&
	    (size_t)got == sizeof(*answer) + answer->patch_count * sizeof(*wk_patch_list))
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

/* Nothing stays open. */
static bool meet_recorder(const char *name, bool is_again)
{
	struct wk_channel_answer answer = { 0 };
	int to = connect_to(name), page = -1;
	int fd = to >= 0 ? make_file() : -1;
	void *head = NULL, *control = NULL;
	struct ucred recorder = { 0 };
	socklen_t length = sizeof(recorder);

	wk_heap_recorder = 0;
	if (to >= 0 && getsockopt(to, SOL_SOCKET, SO_PEERCRED, &recorder, &length) == 0)
		wk_heap_recorder = recorder.pid;
	if (fd >= 0 && send_file(to, fd, is_again))
		page = receive_page(to, &answer);
	if (page >= 0) {
		head = map_shared(wk_heap_head, fd, WK_CHANNEL_COMMON_BYTES);
		control = map_shared(wk_heap_control, page, WK_CHANNEL_PAGE);
		if (head)
			wk_heap_head = head;
		if (control)
			wk_heap_control = control;
		close(page);
	}
	if (fd >= 0)
		close(fd);
	if (to >= 0)
		close(to);
	wk_heap_when_full = answer.when_full;
	wk_space_begin(is_again);
	if (head && control)
		wk_patched_begin(answer.patch_count);
	/* Without a recorder as at first, so that a later one is noticed. */
	wk_heap_records = head && control ? answer.records : WK_CHANNEL_HEAP;
	return head && control && wk_heap_sample_begin(answer.sample_bytes, answer.seed);
}

/* ---- beginning */

static bool set_state(enum wk_heap_state state)
{
	if (wk_heap_state == &unknown &&
	    madvise(&wk_heap_wiped, sizeof(wk_heap_wiped), MADV_WIPEONFORK) != 0)
		return false;
	wk_heap_wiped.begun = WK_HEAP_BEGUN(wk_heap_epoch, state);
	wk_heap_state = &wk_heap_wiped.state;
	wick_heap_library_switch.state = (uintptr_t)wk_heap_state;
	return true;
}

static bool change_state(enum wk_heap_state from, enum wk_heap_state to)
{
	uint8_t before = (uint8_t)from;

	return atomic_compare_exchange_strong((_Atomic uint8_t *)wk_heap_state, &before,
					      (uint8_t)to);
}

/* Unless another recorder has come already. */
void wk_heap_stop(enum wk_heap_state state)
{
	change_state(WK_HEAP_ON, state);
}

/* The kernel may let a process be changed only by those that it names. It also lets those do
 * anything else, so that the user has to request it. */
static void allow_attach(void)
{
	static bool is_read, is_allowed;

	if (!is_read)
		is_allowed = secure_getenv(ATTACH_VARIABLE) != NULL;
	is_read = true;
	if (is_allowed)
		prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
}

/* In a child that was forked, threads and locks of the parent are not there any more. */
static bool begin_here(void)
{
	allow_attach();
	wk_heap_epoch++;
	memset(slots, 0, sizeof(slots));
	wk_heap_head = NULL;
	wk_heap_control = NULL;
	if (!recorder_name[0] || !meet_recorder(recorder_name, false))
		return false;
	atomic_fetch_add(&wk_heap_head->counts.early, atomic_exchange(&early, 0));
	return wk_heap_threads_begin() && wk_heap_unwind_begin(false) && wk_heap_nodes_begin(false);
}

/* In a process in which other threads run, after an earlier recording or without one. */
static bool begin_another(void)
{
	wk_heap_epoch++;
	atomic_store(&early, 0); /* all of them were */
	for (uint32_t i = 0; i < WK_CHANNEL_THREADS; i++)
		if (slots[i])
			munmap(slots[i], WK_CHANNEL_SLOT_BYTES);
	memset(slots, 0, sizeof(slots));
	return meet_recorder(recorder_name, true) && wk_heap_unwind_begin(true) &&
	       wk_heap_nodes_begin(true);
}

/* The next calls try again, but not for ever: each waits for a moment. */
static bool begin_again(void)
{
	static unsigned tries;
	bool ok;

	if (!change_state(WK_HEAP_WANTED, WK_HEAP_BEGINNING))
		return false;
	if (!wk_heap_threads_hold()) {
		set_state(++tries % MOST_TRIES ? WK_HEAP_WANTED : WK_HEAP_OFF);
		return false;
	}
	ok = begin_another();
	wk_heap_threads_let_go();
	set_state(ok ? WK_HEAP_ON : WK_HEAP_OFF);
	return ok;
}

static void find_name(void)
{
	const char *name = getenv(WK_HEAP_VARIABLE);

	if (name && strlen(name) < sizeof(recorder_name))
		strcpy(recorder_name, name);
}

bool wk_heap_begin(void)
{
	pid_t self = getpid(), before = atomic_load(&begun_by);
	bool ok;

	if (*wk_heap_state == WK_HEAP_WANTED)
		return begin_again();
	if (*wk_heap_state != WK_HEAP_UNKNOWN)
		return *wk_heap_state == WK_HEAP_ON;
	if (!environ && !before) {
		atomic_fetch_add(&early, 1);
		return false;
	}
	if (before == self || !atomic_compare_exchange_strong(&begun_by, &before, self)) {
		while (*(volatile uint8_t *)wk_heap_state == WK_HEAP_UNKNOWN)
			wk_heap_nap();
		return *wk_heap_state == WK_HEAP_ON;
	}
	if (!before)
		find_name();
	ok = begin_here();
	if (!set_state(ok ? WK_HEAP_ON : WK_HEAP_OFF))
		unknown = WK_HEAP_OFF;
	return *wk_heap_state == WK_HEAP_ON;
}

void wk_heap_note_early(void)
{
	pid_t before = atomic_load(&begun_by);

	if (before && before != getpid())
		atomic_fetch_add(&early, 1);
}

static void map_own(void *at, size_t bytes)
{
	mmap(at, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
}

/* A handler may fork while this library works. What it worked on is not there in the child, where
 * the interrupted call goes on: it gets memory of its own to write to. */
static void go_on_in_child(void)
{
	if (!(wk_heap_busy & WK_HEAP_IN_LIBRARY) || !wk_heap_head || !wk_heap_control)
		return;
	map_own(wk_heap_head, WK_CHANNEL_COMMON_BYTES);
	map_own(wk_heap_control, WK_CHANNEL_PAGE);
	for (uint32_t i = 0; i < WK_CHANNEL_THREADS; i++)
		if (slots[i])
			map_own(slots[i], WK_CHANNEL_SLOT_BYTES);
}

/* What pthread_atfork calls in glibc; musl has no such function. */
extern int __register_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void),
			     void *library) __attribute__((weak));

static __attribute__((constructor)) void begin_early(void)
{
	int saved = errno;

	wk_heap_busy = WK_HEAP_IN_LIBRARY;
	wk_heap_begin();
	if (__register_atfork)
		__register_atfork(NULL, NULL, go_on_in_child, NULL);
	wk_heap_busy = 0;
	errno = saved;
}
