#include "record/heap/channels.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "base/heap.h"
#include "base/mem.h"
#include "os/input.h"
#include "os/os.h"
#include "channel/ticks.h"
#include "record/heap/channel.h"
#include "record/heap/fairness.h"

#define BUSY_NAP_NS  UINT64_C(2000000)
#define QUIET_NAP_NS UINT64_C(100000000)
#define BUSY_BYTES   (16u * WK_HEAP_BLOCK_BYTES) /* with less in a pass, the next one comes later */
#define CHECK_NS     UINT64_C(100000000)         /* how often processes are looked at */
#define BACKLOG      128

struct wk_heap_channels {
	char name[48];
	struct wk_heap_channels_options options;
	int listener, page_fd, wake_fd;
	struct wk_heap_control *control;
	struct wk_heap *heap; /* of the one who started the threads */
	uint64_t most_bytes;  /* of rows: with more, rings are not emptied */
	pthread_t acceptor, drainer;
	bool has_threads;
	_Atomic bool is_over;

	pthread_mutex_t lock;             /* of what follows */
	struct wk_heap_channel *arrived;  /* not yet among `channels` */
	struct wk_heap_channel *channels; /* the drainer reads this list without the lock: nobody
					   * else changes it */
	struct wk_buf rows;
	uint64_t complete_ns;
	uint32_t processes;
	uint64_t first_ns;              /* when the first of them began */
	struct wk_heap_patched patched; /* of channels that are gone */
	bool is_awaited;                /* on_rows was called, and no rows were taken since */

	/* The drainer's own. */
	struct wk_buf events, pass, spaces;
	uint64_t checked_ns, moved_ns, snapshot_ns; /* of the next one */
};

#define MOST_ROWS_BYTES (32u << 20)

static uint64_t choose_most_bytes(const struct wk_heap_channels_options *options)
{
	uint64_t part = wk_os_memory_bytes() / 8;

	return options->spills && part > MOST_ROWS_BYTES ? part : MOST_ROWS_BYTES;
}

static bool make_page(struct wk_heap_channels *channels, struct wk_err *err)
{
	channels->page_fd = (int)syscall(SYS_memfd_create, "wick-heap-control",
					 MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (channels->page_fd < 0 || ftruncate(channels->page_fd, WK_CHANNEL_PAGE) != 0 ||
	    fcntl(channels->page_fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)
		return wk_fail_os(err, errno, "cannot make memory that programs share");
	channels->control = mmap(NULL, WK_CHANNEL_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED,
				 channels->page_fd, 0);
	if (channels->control != MAP_FAILED)
		return true;
	channels->control = NULL;
	return wk_fail_os(err, errno, "cannot map memory that programs share");
}

/* The memory of a process is a file, most of which is never used. */
static bool may_have_size(struct wk_err *err)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_max >= WK_CHANNEL_BYTES)
		return true;
	return wk_fail(err, WK_EPERM, WK_NOWHERE,
		       "the heap library needs files of up to %u MiB in memory, but files are "
		       "limited to %u "
		       "KiB (RLIMIT_FSIZE); raise the hard limit: ulimit -f",
		       (unsigned)(WK_CHANNEL_BYTES >> 20) + 1, (unsigned)(limit.rlim_max >> 10));
}

/* In the abstract space, where it needs no folder; the name is not to be guessed. */
static bool listen_here(struct wk_heap_channels *channels, struct wk_err *err)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	uint64_t secret[2];
	size_t length;

	if (getrandom(secret, sizeof(secret), 0) != sizeof(secret))
		return wk_fail_os(err, errno, "cannot get random bytes");
	length = (size_t)snprintf(channels->name, sizeof(channels->name), "wick-%016llx%016llx",
				  (unsigned long long)secret[0], (unsigned long long)secret[1]);
	memcpy(address.sun_path + 1, channels->name, length);
	channels->listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	if (channels->listener >= 0 &&
	    bind(channels->listener, (struct sockaddr *)&address,
		 (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + length)) == 0 &&
	    listen(channels->listener, BACKLOG) == 0)
		return true;
	return wk_fail_os(err, errno, "cannot listen for programs to be recorded");
}

static void add_moments(struct wk_heap_channels *channels)
{
	struct wk_buf *rows = &channels->rows;

	if (!channels->options.moments)
		return;
	wk_buf_add_u32(rows, 1 + 4 + 1 + 8);
	wk_buf_add_char(rows, WK_HEAP_ROW_MOMENTS);
	wk_buf_add_u32(rows, 0);
	wk_buf_add_char(rows, (char)channels->options.moments);
	wk_buf_add_u64(rows, channels->options.over_bytes);
}

struct wk_heap_channels *wk_heap_channels_new(const struct wk_heap_channels_options *options,
					      struct wk_err *err)
{
	struct wk_heap_channels *channels = wk_alloc_zeroed(1, sizeof(*channels));

	channels->options = *options;
	channels->most_bytes = choose_most_bytes(options);
	if (!channels->options.seed &&
	    getrandom(&channels->options.seed, sizeof(channels->options.seed), 0) < 0)
		channels->options.seed = wk_os_clock_ns();
	channels->listener = channels->page_fd = -1;
	add_moments(channels);
	channels->wake_fd = eventfd(0, EFD_CLOEXEC);
	pthread_mutex_init(&channels->lock, NULL);
	if (channels->wake_fd < 0)
		wk_fail_os(err, errno, "cannot make an event");
	else if (may_have_size(err) && make_page(channels, err) && listen_here(channels, err))
		return channels;
	wk_heap_channels_free(channels);
	return NULL;
}

const char *wk_heap_channels_name(const struct wk_heap_channels *channels)
{
	return channels->name;
}

/* ---- processes that begin */

union one_fd {
	struct cmsghdr head;
	char bytes[CMSG_SPACE(sizeof(int))];
};

/* What comes first: of a process, or of who requests something. */
union first_message {
	uint32_t version;
	struct wk_channel_hello hello;
	struct wk_channel_request request;
};

/* Its length, and the file that came with it, or -1. */
static ssize_t receive(int from, union first_message *first, int *file)
{
	struct iovec part = { first, sizeof(*first) };
	union one_fd rights = { 0 };
	struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1, .msg_control = &rights,
				  .msg_controllen = sizeof(rights.bytes) };
	ssize_t got;

	*file = -1;
	do {
		got = recvmsg(from, &message, MSG_CMSG_CLOEXEC);
	} while (got < 0 && errno == EINTR);
	if (got >= 0 && message.msg_controllen >= CMSG_LEN(sizeof(int)) &&
	    rights.head.cmsg_level == SOL_SOCKET && rights.head.cmsg_type == SCM_RIGHTS)
		memcpy(file, CMSG_DATA(&rights.head), sizeof(*file));
	return got;
}

static void answer(const struct wk_heap_channels *channels, int to, uint32_t number,
		   bool has_loose_times)
{
	struct wk_channel_answer answer = {
		.version = WK_CHANNEL_VERSION,
		.is_accepted = 1,
		.when_full = channels->options.when_full,
		.records = channels->options.records | (has_loose_times ? WK_CHANNEL_LOOSE : 0u),
		.sample_bytes = channels->options.sample_bytes,
		.seed = channels->options.seed + number,
		.patch_count = channels->options.patch_count,
	};
	struct wk_buf bytes = { 0 };
	struct iovec part;
	union one_fd rights = { .head = { .cmsg_len = CMSG_LEN(sizeof(int)),
					  .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS } };
	struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1, .msg_control = &rights,
				  .msg_controllen = sizeof(rights.bytes) };

	wk_buf_add(&bytes, &answer, sizeof(answer));
	wk_buf_add(&bytes, channels->options.patches,
		   channels->options.patch_count * sizeof(struct wk_channel_patch));
	part = (struct iovec){ bytes.at, bytes.len };
	memcpy(CMSG_DATA(&rights.head), &channels->page_fd, sizeof(channels->page_fd));
	sendmsg(to, &message, MSG_NOSIGNAL);
	wk_buf_fini(&bytes);
}

/* Only our own user's processes, unless we are root. */
static bool may_be_recorded(const struct ucred *who)
{
	return geteuid() == 0 || who->uid == geteuid();
}

/* What it has mapped already: it waits for an answer. With the lock held. */
static void add_first_space(struct wk_heap_channels *channels, struct wk_heap_channel *channel,
			    const struct wk_channel_hello *hello)
{
	bool is_from_before = hello->was_running || hello->was_forked;

	wk_heap_space_add(&channel->space, &channels->rows, channel->number, channel->pid,
			  wk_heap_ticks(),
			  WK_HEAP_SPACE_BEGINS | (is_from_before ? WK_HEAP_SPACE_FROM_BEFORE : 0u));
}

/* Are all its blocks known, and all that happens to them? */
static bool may_have_loose_times(const struct wk_heap_channels *channels,
				 const struct wk_channel_hello *hello)
{
	const struct wk_heap_channels_options *options = &channels->options;

	return !hello->was_running && !hello->was_forked && !options->sample_bytes &&
	       !options->patch_count && options->when_full != WK_CHANNEL_DROP;
}

/* It is among the channels before the process goes on. Owns `file`. */
static void welcome(struct wk_heap_channels *channels, int from, const struct ucred *who,
		    const struct wk_channel_hello *hello, int file)
{
	struct wk_heap_channel *channel = wk_heap_channel_new(file, (uint32_t)who->pid);
	bool has_space, has_loose_times = may_have_loose_times(channels, hello);
	uint32_t number;

	if (!channel)
		return;
	channel->uid = who->uid;
	channel->was_running = hello->was_running;
	channel->has_loose_times = has_loose_times;
	channel->began_ns = wk_os_clock_ns();
	channel->sample_bytes = channels->options.sample_bytes;
	has_space = channels->options.records & WK_CHANNEL_MEMORY &&
		    wk_heap_space_look(&channel->space, channel->pid);
	pthread_mutex_lock(&channels->lock);
	channel->number = ++channels->processes;
	if (channel->number == 1)
		channels->first_ns = channel->began_ns;
	if (has_space)
		add_first_space(channels, channel, hello);
	channel->next = channels->arrived;
	number = channel->number;
	channels->arrived = channel;
	pthread_mutex_unlock(&channels->lock);
	answer(channels, from, number, has_loose_times);
}

/* ---- snapshots */

/* With the lock held, so that rows are in order of their times. Returns its number. */
static uint32_t add_snapshot(struct wk_heap_channels *channels, uint32_t process,
			     enum wk_heap_snapshot_cause cause, struct wk_str label)
{
	uint32_t number = atomic_fetch_add(&channels->control->snapshots, 1) + 1;
	struct wk_buf *rows = &channels->rows;

	wk_buf_add_u32(rows, 1 + 4 + 8 + 1 + 4 + (uint32_t)label.len);
	wk_buf_add_char(rows, WK_HEAP_ROW_SNAPSHOT);
	wk_buf_add_u32(rows, process);
	wk_buf_add_u64(rows, wk_heap_ticks());
	wk_buf_add_char(rows, (char)cause);
	wk_buf_add_u32(rows, (uint32_t)label.len);
	wk_buf_add_str(rows, label);
	return number;
}

/* With the lock held. A process that ran another program has several: the last one. */
static const struct wk_heap_channel *channel_of(const struct wk_heap_channels *channels,
						uint32_t pid)
{
	const struct wk_heap_channel *found = NULL;

	for (const struct wk_heap_channel *at = channels->arrived; at; at = at->next)
		if (at->pid == pid && (!found || at->number > found->number))
			found = at;
	for (const struct wk_heap_channel *at = channels->channels; at; at = at->next)
		if (at->pid == pid && (!found || at->number > found->number))
			found = at;
	return found;
}

static enum wk_channel_result take_snapshot(struct wk_heap_channels *channels,
					    const struct wk_channel_request *request, uint32_t uid,
					    uint32_t *number)
{
	struct wk_str label = { request->label, request->label_bytes };
	enum wk_channel_result result = WK_CHANNEL_DONE;
	const struct wk_heap_channel *channel;

	pthread_mutex_lock(&channels->lock);
	channel = channel_of(channels, request->pid);
	if (!channel)
		result = WK_CHANNEL_NO_PROCESS;
	else if (uid != 0 && uid != channel->uid)
		result = WK_CHANNEL_NO_RIGHT;
	else
		*number = add_snapshot(channels, channel->number, WK_HEAP_SNAPSHOT_USER, label);
	/* Those that are found later may be before it. */
	if (channels->options.moments)
		*number = 0;
	pthread_mutex_unlock(&channels->lock);
	return result;
}

static void reply(struct wk_heap_channels *channels, int to, const struct ucred *who,
		  const struct wk_channel_request *request, size_t size)
{
	struct wk_channel_reply reply = { .version = WK_CHANNEL_REQUEST_VERSION };

	if (size != sizeof(*request) || request->version != WK_CHANNEL_REQUEST_VERSION ||
	    request->label_bytes > sizeof(request->label))
		reply.result = WK_CHANNEL_OTHER_VERSION;
	else if (request->kind != WK_CHANNEL_SNAPSHOT)
		reply.result = WK_CHANNEL_OTHER_KIND;
	else
		reply.result = take_snapshot(channels, request, who->uid, &reply.number);
	send(to, &reply, sizeof(reply), MSG_NOSIGNAL);
}

/* At a moment that has come, if there is a process; later ones are not made up for. */
static void take_next_snapshot(struct wk_heap_channels *channels)
{
	uint64_t every_ns = channels->options.snapshot_every_ns, now_ns = wk_os_clock_ns();

	if (!every_ns || now_ns < channels->snapshot_ns)
		return;
	channels->snapshot_ns += ((now_ns - channels->snapshot_ns) / every_ns + 1) * every_ns;
	pthread_mutex_lock(&channels->lock);
	if (channels->arrived || channels->channels || channels->options.has_other_heaps)
		add_snapshot(channels, 0, WK_HEAP_SNAPSHOT_INTERVAL, wk_str_c(""));
	pthread_mutex_unlock(&channels->lock);
}

/* ---- connections */

static void handle(struct wk_heap_channels *channels, int from)
{
	struct timeval patience = { .tv_sec = 1 };
	union first_message first = { 0 };
	struct ucred who;
	socklen_t length = sizeof(who);
	ssize_t got;
	int file;

	setsockopt(from, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	if (getsockopt(from, SOL_SOCKET, SO_PEERCRED, &who, &length) != 0)
		return;
	got = receive(from, &first, &file);
	if (file >= 0 && got == sizeof(first.hello) && first.version == WK_CHANNEL_VERSION &&
	    who.pid > 0 && may_be_recorded(&who)) {
		welcome(channels, from, &who, &first.hello, file);
		return;
	}
	if (file >= 0)
		close(file);
	else if (got >= (ssize_t)sizeof(first.version) && first.version & WK_CHANNEL_IS_REQUEST)
		reply(channels, from, &who, &first.request, (size_t)got);
}

static void accept_processes(void *context)
{
	struct wk_heap_channels *channels = context;
	struct pollfd polls[] = { { channels->listener, POLLIN, 0 },
				  { channels->wake_fd, POLLIN, 0 } };

	while (!atomic_load(&channels->is_over)) {
		int from;

		if (poll(polls, 2, -1) <= 0 || !(polls[0].revents & POLLIN))
			continue;
		from = accept4(channels->listener, NULL, NULL, SOCK_CLOEXEC);
		if (from < 0)
			continue;
		handle(channels, from);
		close(from);
	}
}

/* ---- rings */

/* Those that came since the last pass, the first one first. */
static void take_arrived(struct wk_heap_channels *channels)
{
	struct wk_heap_channel *arrived, *next;

	pthread_mutex_lock(&channels->lock);
	arrived = channels->arrived;
	channels->arrived = NULL;
	for (; arrived; arrived = next) {
		next = arrived->next;
		arrived->next = channels->channels;
		channels->channels = arrived;
	}
	pthread_mutex_unlock(&channels->lock);
}

/* Before the next pass, so that its time is before that. */
static void follow_spaces(struct wk_heap_channels *channels)
{
	if (!(channels->options.records & WK_CHANNEL_MEMORY))
		return;
	wk_buf_reset(&channels->spaces);
	for (struct wk_heap_channel *at = channels->channels; at; at = at->next)
		wk_heap_space_follow(&at->space, &channels->spaces, at->number, at->pid);
	pthread_mutex_lock(&channels->lock);
	wk_buf_add_str(&channels->rows, wk_buf_str(&channels->spaces));
	pthread_mutex_unlock(&channels->lock);
}

/* The time by both clocks. */
static void add_pass(struct wk_buf *rows, uint64_t ticks, uint64_t now_ns)
{
	wk_buf_add_u32(rows, 1 + 8 + 8);
	wk_buf_add_char(rows, WK_HEAP_ROW_PASS);
	wk_buf_add_u64(rows, ticks);
	wk_buf_add_u64(rows, now_ns);
}

static bool has_space(struct wk_heap_channels *channels)
{
	bool has_space;

	pthread_mutex_lock(&channels->lock);
	has_space = channels->rows.len < channels->most_bytes;
	pthread_mutex_unlock(&channels->lock);
	return has_space;
}

/* The process may write there what it likes: these are only shown. */
static void add_patched(struct wk_heap_patched *sum, const struct wk_heap_channel *channel)
{
	sum->done += atomic_load(&channel->head->patched);
	sum->failed += atomic_load(&channel->head->unpatched);
}

/* With the lock held. What nothing waits before is not copied. */
static void hand_over(struct wk_buf *rows, struct wk_buf *added)
{
	struct wk_buf empty = *rows;

	if (rows->len) {
		wk_buf_add_str(rows, wk_buf_str(added));
		return;
	}
	*rows = *added;
	*added = empty;
}

/* Once through all rings: true if there was much. Definitions are read after the events that
 * need them, and come before them. */
static bool drain(struct wk_heap_channels *channels)
{
	uint64_t ticks = wk_heap_ticks(), now_ns = wk_os_clock_ns();
	bool checks = now_ns - channels->checked_ns >= CHECK_NS || atomic_load(&channels->is_over);
	bool had_much, is_worth_it;

	take_arrived(channels);
	wk_buf_reset(&channels->pass);
	wk_buf_reset(&channels->events);
	for (struct wk_heap_channel **at = &channels->channels; *at;) {
		struct wk_heap_channel *channel = *at;
		bool is_gone = checks && wk_heap_channel_is_gone(channel);

		wk_heap_channel_drain(channel, &channels->events, &channels->pass);
		if (is_gone || channel->is_broken) {
			wk_heap_channel_end(channel, &channels->events);
			pthread_mutex_lock(&channels->lock);
			*at = channel->next;
			add_patched(&channels->patched, channel);
			pthread_mutex_unlock(&channels->lock);
			wk_heap_channel_free(channel);
		} else {
			at = &channel->next;
		}
	}
	had_much = channels->events.len + channels->pass.len >= BUSY_BYTES;
	if (checks)
		channels->checked_ns = now_ns;
	atomic_fetch_add(&channels->control->heartbeat, 1);
	add_pass(&channels->events, ticks, now_ns);
	pthread_mutex_lock(&channels->lock);
	wk_buf_add_str(&channels->rows, wk_buf_str(&channels->pass));
	hand_over(&channels->rows, &channels->events);
	channels->complete_ns = now_ns;
	is_worth_it = channels->rows.len >= WK_HEAP_WORTH_BYTES && !channels->is_awaited;
	channels->is_awaited |= is_worth_it;
	pthread_mutex_unlock(&channels->lock);
	if (is_worth_it)
		channels->options.on_rows(channels->options.context);
	if (had_much)
		wk_heap_be_fair(&channels->moved_ns, now_ns);
	return had_much;
}

static void nap(struct wk_heap_control *control, uint64_t ns)
{
	uint32_t wake = atomic_load(&control->wake);
	struct timespec time = { .tv_nsec = (long)ns };

	atomic_store(&control->is_asleep, 1);
	syscall(SYS_futex, &control->wake, FUTEX_WAIT, wake, &time, NULL, 0);
	atomic_store(&control->is_asleep, 0);
}

/* At most until the next snapshot. */
static uint64_t nap_before_snapshot(const struct wk_heap_channels *channels, uint64_t nap_ns)
{
	uint64_t now_ns = wk_os_clock_ns();

	if (!channels->options.snapshot_every_ns || channels->snapshot_ns >= now_ns + nap_ns)
		return nap_ns;
	return channels->snapshot_ns > now_ns ? channels->snapshot_ns - now_ns : 0;
}

static void drain_rings(void *context)
{
	struct wk_heap_channels *channels = context;
	uint64_t nap_ns = BUSY_NAP_NS;

	channels->snapshot_ns = wk_os_clock_ns() + channels->options.snapshot_every_ns;
	while (!atomic_load(&channels->is_over)) {
		nap(channels->control, nap_before_snapshot(channels, nap_ns));
		take_next_snapshot(channels);
		follow_spaces(channels);
		if (!has_space(channels)) {
			/* Programs wait, and must see that the recorder lives. */
			atomic_fetch_add(&channels->control->heartbeat, 1);
			continue;
		}
		nap_ns = drain(channels)             ? BUSY_NAP_NS
			 : nap_ns * 2 < QUIET_NAP_NS ? nap_ns * 2
						     : QUIET_NAP_NS;
	}
	drain(channels);
}

static void *acceptor_main(void *context)
{
	struct wk_heap_channels *channels = context;

	wk_heap_run(channels->heap, accept_processes, channels);
	return NULL;
}

static void *drainer_main(void *context)
{
	struct wk_heap_channels *channels = context;

	wk_heap_run(channels->heap, drain_rings, channels);
	return NULL;
}

bool wk_heap_channels_start(struct wk_heap_channels *channels, struct wk_err *err)
{
	sigset_t all, before;
	int cause;

	channels->heap = wk_heap_current();
	/* With the one after it, it says how fast the counter goes: there may be only one more. */
	add_pass(&channels->rows, wk_heap_ticks(), wk_os_clock_ns());
	/* Signals are for the caller's thread. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	cause = pthread_create(&channels->drainer, NULL, drainer_main, channels);
	if (cause == 0 &&
	    (cause = pthread_create(&channels->acceptor, NULL, acceptor_main, channels)) != 0) {
		atomic_store(&channels->is_over, true);
		pthread_join(channels->drainer, NULL);
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	channels->has_threads = cause == 0;
	return cause == 0 || wk_fail_os(err, cause, "cannot start a thread");
}

void wk_heap_channels_stop(struct wk_heap_channels *channels)
{
	uint64_t one = 1;
	ssize_t written;

	if (!channels->has_threads)
		return;
	channels->has_threads = false;
	atomic_store(&channels->is_over, true);
	written = write(channels->wake_fd, &one, sizeof(one));
	(void)written;
	atomic_fetch_add(&channels->control->wake, 1);
	syscall(SYS_futex, &channels->control->wake, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
	pthread_join(channels->acceptor, NULL);
	pthread_join(channels->drainer, NULL);
	atomic_store(&channels->control->is_over, 1);
	/* Who connects from now on is refused, instead of waiting for an answer. */
	close(channels->listener);
	channels->listener = -1;
}

uint64_t wk_heap_channels_take(struct wk_heap_channels *channels, struct wk_buf *rows)
{
	struct wk_buf taken;
	uint64_t complete_ns;

	wk_buf_reset(rows);
	pthread_mutex_lock(&channels->lock);
	taken = channels->rows;
	channels->rows = *rows;
	complete_ns = channels->complete_ns;
	channels->is_awaited = false;
	pthread_mutex_unlock(&channels->lock);
	*rows = taken;
	return complete_ns;
}

uint32_t wk_heap_channels_processes(struct wk_heap_channels *channels)
{
	uint32_t processes;

	pthread_mutex_lock(&channels->lock);
	processes = channels->processes;
	pthread_mutex_unlock(&channels->lock);
	return processes;
}

uint64_t wk_heap_channels_first_ns(struct wk_heap_channels *channels)
{
	uint64_t first_ns;

	pthread_mutex_lock(&channels->lock);
	first_ns = channels->first_ns;
	pthread_mutex_unlock(&channels->lock);
	return first_ns;
}

struct wk_heap_patched wk_heap_channels_patched(struct wk_heap_channels *channels)
{
	struct wk_heap_patched patched;

	pthread_mutex_lock(&channels->lock);
	patched = channels->patched;
	for (const struct wk_heap_channel *at = channels->arrived; at; at = at->next)
		add_patched(&patched, at);
	for (const struct wk_heap_channel *at = channels->channels; at; at = at->next)
		add_patched(&patched, at);
	pthread_mutex_unlock(&channels->lock);
	return patched;
}

void wk_heap_channels_free(struct wk_heap_channels *channels)
{
	if (!channels)
		return;
	wk_heap_channels_stop(channels);
	take_arrived(channels);
	while (channels->channels) {
		struct wk_heap_channel *channel = channels->channels;

		channels->channels = channel->next;
		wk_heap_channel_free(channel);
	}
	if (channels->control)
		munmap(channels->control, WK_CHANNEL_PAGE);
	if (channels->page_fd >= 0)
		close(channels->page_fd);
	if (channels->listener >= 0)
		close(channels->listener);
	if (channels->wake_fd >= 0)
		close(channels->wake_fd);
	pthread_mutex_destroy(&channels->lock);
	WK_BUF_FINI_ALL(&channels->rows, &channels->events, &channels->pass, &channels->spaces);
	wk_free(channels);
}
