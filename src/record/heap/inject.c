#include "record/heap/inject.h"

#include <dlfcn.h>
#include <elf.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

#include "base/mem.h"
#include "event/event.h"
#include "os/os.h"
#include "record/heap/library.h"
#include "record/heap/loader_lock.h"
#include "record/heap/stop.h"
#include "record/heap/way_back.h"
#include "record/proc_scan.h"
#include "record/recorder.h"

#define LIBC    "libc.so.6"
#define PATCHER "wick_heap_library_patch_2"

#define RED_ZONE         128
#define MOST_STEPS       100000 /* system calls of what the thread calls */
#define SYSCALL_STOP     (SIGTRAP | 0x80)
#define RESTORER         "\x48\xc7\xc0\x0f\x00\x00\x00\x0f\x05" /* mov $15, %rax; syscall */
#define RESTORER_BYTES   9
#define RESTORER_CALL    7
#define ALLOCATOR_BEFORE 0x3000                /* code of it that exports nothing, before ... */
#define ALLOCATOR_BEHIND 0x1000                /* ... and behind what does */
#define LONGEST_NS       UINT64_C(30000000000) /* for what the thread calls */
#define LOCK_NS          UINT64_C(1000000000)  /* for a thread in the loader */
#define NAP_NS           10000000L
/* include/linux/errno.h of the kernel: ERESTARTSYS to ERESTART_RESTARTBLOCK */
#define FIRST_RESTART  512
#define LAST_RESTART   516
#define FLAG_TRAP      0x100u
#define FLAG_DIRECTION 0x400u

struct inject {
	const struct wk_remote *remote;
	struct wk_stop_where where;
	uint64_t libc, restorer; /* its first byte; in it, how handlers of signals end */
	struct wk_stopped stopped;
	uint64_t stack;    /* free from here down */
	uint64_t way_back; /* the frame that leads from there to where the thread was; 0: none */
	bool is_lost;      /* the thread did not come back from what it called */
	bool is_gone;      /* ... since it has ended */
	bool is_busy;      /* ... but waited for a lock of the loader, and has been taken back */
};

/* ---- may it be changed? */

static bool refuse(const struct wk_remote *remote, const char *reason, struct wk_err *err)
{
	return wk_fail(err, WK_EUNSUPPORTED, WK_NOWHERE,
		       "%s has not loaded " WK_HEAP_LIBRARY_NAME
		       ", and cannot load it now: %s; start "
		       "it with LD_PRELOAD=$(wick doctor --heap-library) in its environment",
		       wk_buf_text(&remote->who), reason);
}

static bool refuse_busy(const struct wk_remote *remote, struct wk_err *err)
{
	return wk_fail(err, WK_EIO, WK_NOWHERE,
		       "%s cannot be recorded now: one of its threads is loading a library; try "
		       "again",
		       wk_buf_text(&remote->who));
}

static bool has_text(const struct wk_remote *remote, const char *part)
{
	struct wk_buf text = { 0 };
	char path[64];
	bool has_it;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)remote->pid);
	has_it = wk_os_read_small(path, &text) && strstr(wk_buf_text(&text), part);
	wk_buf_fini(&text);
	return has_it;
}

/* The number behind a name in /proc/PID/status. */
static long status_of(const struct wk_remote *remote, const char *name)
{
	struct wk_buf text = { 0 };
	const char *at = NULL;
	char path[64];
	long number;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)remote->pid);
	if (wk_os_read_small(path, &text))
		at = strstr(text.at, name);
	number = at ? strtol(at + strlen(name), NULL, 10) : 0;
	wk_buf_fini(&text);
	return number;
}

static bool has_more_rights(const struct wk_remote *remote)
{
	struct wk_buf vector = { 0 };
	char path[64];
	bool is_secure = false;

	snprintf(path, sizeof(path), "/proc/%d/auxv", (int)remote->pid);
	if (wk_os_read_small(path, &vector))
		for (size_t at = 0; at + sizeof(Elf64_auxv_t) <= vector.len;
		     at += sizeof(Elf64_auxv_t)) {
			Elf64_auxv_t entry;

			memcpy(&entry, vector.at + at, sizeof(entry));
			is_secure |= entry.a_type == AT_SECURE && entry.a_un.a_val;
		}
	wk_buf_fini(&vector);
	return is_secure;
}

/* By its own paths, which may lead elsewhere in a container. */
static bool sees_library(const struct wk_remote *remote, const char *library)
{
	struct wk_buf path = { 0 };
	struct stat here, there;
	bool is_same;

	wk_buf_add_fmt(&path, "/proc/%d/root%s", (int)remote->pid, library);
	is_same = stat(library, &here) == 0 && stat(wk_buf_text(&path), &there) == 0 &&
		  here.st_dev == there.st_dev && here.st_ino == there.st_ino;
	wk_buf_fini(&path);
	return is_same;
}

static bool check(const struct wk_remote *remote, const char *library, struct wk_err *err)
{
	if (has_more_rights(remote))
		return refuse(remote, "it has more rights than its user", err);
	if (status_of(remote, "TracerPid:\t"))
		return refuse(remote, "a debugger or tracer is attached to it", err);
	if (has_text(remote, "x86_Thread_features:\tshstk"))
		return refuse(remote, "the processor protects its stack (shadow stack)", err);
	if (!sees_library(remote, library))
		return refuse(remote, "it does not see the library's file", err);
	return true;
}

/* ---- its code */

static struct wk_code_range code_of(const struct wk_remote *remote, const char *name)
{
	struct wk_code_range range = { 0 };
	struct wk_buf maps = { 0 };
	struct wk_event_image image;
	struct wk_str rest;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)remote->pid);
	if (wk_os_read_small(path, &maps))
		for (rest = wk_buf_str(&maps); rest.len && !range.to;)
			if (wk_proc_map_line(wk_str_cut(&rest, '\n'), &image) && !image.is_data &&
			    wk_str_is(wk_str_basename(image.path), name))
				range = (struct wk_code_range){ image.start,
								image.start + image.size_bytes };
	wk_buf_fini(&maps);
	return range;
}

/* glibc has all of its allocator in one place. */
static struct wk_code_range find_allocator(const struct inject *inject)
{
	static const char *const names[] = { "malloc",      "free",          "calloc",
					     "realloc",     "memalign",      "aligned_alloc",
					     "valloc",      "pvalloc",       "posix_memalign",
					     "malloc_trim", "malloc_info",   "mallopt",
					     "mallinfo2",   "malloc_usable_size" };
	struct wk_code_range range = { UINT64_MAX, 0 };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		uint64_t at = wk_remote_find_symbol(inject->remote, inject->libc, names[i]);

		if (at && at < range.from)
			range.from = at;
		if (at > range.to)
			range.to = at;
	}
	if (!range.to)
		return (struct wk_code_range){ 0 };
	return (struct wk_code_range){ range.from - ALLOCATOR_BEFORE, range.to + ALLOCATOR_BEHIND };
}

/* A thread may be inside that at any place. */
static bool has_own_allocator(const struct inject *inject)
{
	struct wk_buf maps = { 0 };
	struct wk_event_image image;
	bool has_one = false;
	struct wk_str rest;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)inject->remote->pid);
	if (wk_os_read_small(path, &maps))
		for (rest = wk_buf_str(&maps); rest.len && !has_one;)
			has_one = wk_proc_map_line(wk_str_cut(&rest, '\n'), &image) &&
				  image.file_offset == 0 && wk_str_starts(image.path, "/") &&
				  image.start != inject->libc &&
				  !wk_str_is(wk_str_basename(image.path), WK_LOADER) &&
				  wk_remote_find_symbol(inject->remote, image.start, "malloc");
	wk_buf_fini(&maps);
	return has_one;
}

/* Where a called function returns to: a system call is seen there without a signal, which the
 * program might have blocked or handled. */
static uint64_t find_restorer(const struct inject *inject)
{
	uint8_t code[4096];
	const uint8_t *found;

	for (uint64_t at = inject->where.libc.from; at + sizeof(code) <= inject->where.libc.to;
	     at += sizeof(code) - RESTORER_BYTES) {
		if (!wk_remote_read(inject->remote, at, code, sizeof(code)))
			return 0;
		found = memmem(code, sizeof(code), RESTORER, RESTORER_BYTES);
		if (found)
			return at + (uint64_t)(found - code);
	}
	return 0;
}

static bool find_code(struct inject *inject, struct wk_err *err)
{
	const struct wk_remote *remote = inject->remote;

	inject->libc = wk_remote_find_file(remote, LIBC);
	inject->where.libc = code_of(remote, LIBC);
	inject->where.loader = code_of(remote, WK_LOADER);
	if (!inject->libc || !inject->where.libc.to || !inject->where.loader.to)
		return refuse(
			remote,
			"it is linked statically, of 32 bits, or uses another C library than glibc",
			err);
	inject->where.allocator = find_allocator(inject);
	inject->restorer = find_restorer(inject);
	if (!inject->where.allocator.to || !inject->restorer ||
	    !wk_remote_find_symbol(remote, inject->libc, "dlopen"))
		return refuse(remote, "its C library is older than glibc 2.34", err);
	if (has_own_allocator(inject))
		return refuse(remote, "it has an allocator of its own", err);
	return true;
}

/* ---- calls */

/* A thread that is late is interrupted: in the call in which it waits. */
static enum wk_stop_came wait_long(const struct inject *inject, uint64_t until_ns, int *status,
				   bool *is_late)
{
	pid_t tid = inject->stopped.tid;
	enum wk_stop_came came = wk_stop_wait(tid, status);

	*is_late = came == WK_STOP_LATE;
	while (came == WK_STOP_LATE && wk_os_clock_ns() < until_ns) {
		if (ptrace(PTRACE_INTERRUPT, tid, NULL, NULL) != 0)
			return WK_STOP_GONE;
		came = wk_stop_wait(tid, status);
	}
	return came;
}

/* At the end of a system call that is to begin again. The thread waits for the first lock that it
 * takes, and was not woken: it can be taken back. */
static bool waits_for_loader(const struct inject *inject, const struct user_regs_struct *registers)
{
	int64_t result = (int64_t)registers->rax;

	return registers->orig_rax == SYS_futex && result <= -FIRST_RESTART &&
	       result >= -LAST_RESTART && wk_loader_lock_is_at(inject->remote, registers->rdi) &&
	       !wk_loader_lock_is_held_by(inject->remote, inject->stopped.tid);
}

static bool set_signal_mask(const struct inject *inject, uint64_t mask)
{
	return ptrace(PTRACE_SETSIGMASK, inject->stopped.tid, (void *)sizeof(mask), &mask) == 0;
}

/* The system call is none, and the thread stops where it was stopped at first: only there a system
 * call that was interrupted is continued. Until then it is where it can go on untraced. */
static bool settle(struct inject *inject)
{
	struct user_regs_struct registers = wk_way_back_registers(&inject->stopped);
	pid_t tid = inject->stopped.tid;
	int status;

	return set_signal_mask(inject, inject->stopped.signal_mask) &&
	       wk_stop_put_back(&inject->stopped, &registers) &&
	       ptrace(PTRACE_INTERRUPT, tid, NULL, NULL) == 0 &&
	       ptrace(PTRACE_CONT, tid, NULL, NULL) == 0 &&
	       wk_stop_wait(tid, &status) == WK_STOP_CAME;
}

/* What the thread does is its own until it is at the restorer's call with its stack as it was. */
static bool run_to_restorer(struct inject *inject, uint64_t sp, struct user_regs_struct *registers)
{
	uint64_t until_ns = wk_os_clock_ns() + LONGEST_NS;
	pid_t tid = inject->stopped.tid;
	bool is_late;
	int status;

	for (int i = 0; i < MOST_STEPS; i++) {
		enum wk_stop_came came = WK_STOP_GONE;

		if (ptrace(PTRACE_SYSCALL, tid, NULL, NULL) == 0)
			came = wait_long(inject, until_ns, &status, &is_late);
		inject->is_gone = came == WK_STOP_GONE;
		if (came != WK_STOP_CAME || ptrace(PTRACE_GETREGS, tid, NULL, registers) != 0)
			return false;
		if (status >> 16 == 0 && WSTOPSIG(status) != SYSCALL_STOP)
			return false; /* a fault: all signals are blocked */
		if (WSTOPSIG(status) == SYSCALL_STOP &&
		    registers->rip == inject->restorer + RESTORER_BYTES && registers->rsp == sp)
			return true;
		if (is_late && WSTOPSIG(status) == SYSCALL_STOP &&
		    waits_for_loader(inject, registers)) {
			inject->is_busy = settle(inject);
			return false;
		}
		if (is_late && wk_os_clock_ns() >= until_ns)
			return false;
	}
	return false;
}

/* Without a way back, the result is what the function returned: the restorer's call alone keeps it.
 * With one, this recorder may end at any time. */
static bool call(struct inject *inject, uint64_t function, uint64_t first, uint64_t second,
		 uint64_t *result)
{
	struct user_regs_struct registers = inject->stopped.registers;
	uint64_t stack = result ? inject->stack : inject->way_back, sp = stack - sizeof(sp);
	uint64_t back = inject->restorer + (result ? RESTORER_CALL : 0);

	registers.rip = function;
	registers.rdi = first;
	registers.rsi = second;
	registers.rax = 0;
	registers.rsp = sp;
	registers.orig_rax = UINT64_MAX;
	registers.eflags &= ~(uint64_t)(FLAG_TRAP | FLAG_DIRECTION);
	if (!function || !stack || inject->is_lost ||
	    !wk_remote_write(inject->remote, sp, &back, sizeof(back)) ||
	    ptrace(PTRACE_SETREGS, inject->stopped.tid, NULL, &registers) != 0)
		return false;
	/* From here on, the way back also restores the mask. */
	inject->is_lost = true;
	if (!set_signal_mask(inject, UINT64_MAX) || !run_to_restorer(inject, stack, &registers))
		return false;
	if (result)
		*result = registers.orig_rax;
	inject->is_lost = !settle(inject);
	return !inject->is_lost;
}

static uint64_t in_libc(const struct inject *inject, const char *name)
{
	return wk_remote_find_symbol(inject->remote, inject->libc, name);
}

/* ---- loading */

static bool fail_to_load(struct inject *inject, struct wk_err *err)
{
	char text[200] = "";
	uint64_t at = 0;

	if (call(inject, in_libc(inject, "dlerror"), 0, 0, &at) && at)
		wk_remote_read(inject->remote, at, text, sizeof(text) - 1);
	return refuse(inject->remote, text[0] ? text : "its loader failed", err);
}

/* The path, a number and the way back, from the free end of the stack down. */
static bool prepare(struct inject *inject, const char *library, uint64_t *path, uint64_t *count)
{
	uint64_t none = 0;

	*path = (inject->stack - strlen(library) - 1) & ~UINT64_C(15);
	*count = *path - sizeof(none);
	if (!wk_remote_write(inject->remote, *path, library, strlen(library) + 1) ||
	    !wk_remote_write(inject->remote, *count, &none, sizeof(none)))
		return false;
	inject->way_back = wk_way_back_write(inject->remote, &inject->stopped, *count);
	inject->stack = inject->way_back;
	return inject->way_back;
}

static bool load(struct inject *inject, const char *library, struct wk_err *err)
{
	uint64_t path, count_at, count = 0, base;

	if (!prepare(inject, library, &path, &count_at))
		return refuse(inject->remote, "its stack cannot be written", err);
	if (!call(inject, in_libc(inject, "dlopen"), path, RTLD_NOW, NULL))
		return inject->is_busy ? refuse_busy(inject->remote, err)
				       : refuse(inject->remote, "its loader did not return", err);
	base = wk_remote_find_file(inject->remote, WK_HEAP_LIBRARY_NAME);
	if (!base)
		return fail_to_load(inject, err);
	if (!call(inject, wk_remote_find_symbol(inject->remote, base, PATCHER), count_at, 0,
		  NULL) ||
	    !wk_remote_read(inject->remote, count_at, &count, sizeof(count)) || !count)
		return refuse(inject->remote, "its calls of the allocator were not found", err);
	return true;
}

/* By the instructions that give it: mov there(%rip), %rax; add %fs:0, %rax; ret. No other code of
 * the process has to run before there is a way back. */
static uint64_t errno_at(const struct inject *inject)
{
	static const uint8_t landing[] = { 0xf3, 0x0f, 0x1e, 0xfa }; /* endbr64 */
	static const uint8_t first[] = { 0x48, 0x8b, 0x05 };
	static const uint8_t second[] = { 0x64, 0x48, 0x03, 0x04, 0x25, 0, 0, 0, 0, 0xc3 };
	uint64_t at = in_libc(inject, "__errno_location"), offset;
	uint8_t code[sizeof(landing) + sizeof(first) + sizeof(int32_t) + sizeof(second)];
	const uint8_t *from = code;
	int32_t there;

	if (!at || !wk_remote_read(inject->remote, at, code, sizeof(code)))
		return 0;
	if (memcmp(from, landing, sizeof(landing)) == 0)
		from += sizeof(landing);
	memcpy(&there, from + sizeof(first), sizeof(there));
	if (memcmp(from, first, sizeof(first)) != 0 ||
	    memcmp(from + sizeof(first) + sizeof(there), second, sizeof(second)) != 0)
		return 0;
	at += (uint64_t)(from - code) + sizeof(first) + sizeof(there) + (uint64_t)(int64_t)there;
	if (!wk_remote_read(inject->remote, at, &offset, sizeof(offset)))
		return 0;
	return inject->stopped.registers.fs_base + offset;
}

/* The thread may be about to look at errno. */
static bool load_with_errno(struct inject *inject, const char *library, struct wk_err *err)
{
	uint64_t at = errno_at(inject);
	uint32_t value;
	bool ok;

	inject->stack = (inject->stopped.registers.rsp - RED_ZONE) & ~UINT64_C(15);
	if ((!at && !call(inject, in_libc(inject, "__errno_location"), 0, 0, &at)) ||
	    !wk_remote_read(inject->remote, at, &value, sizeof(value)))
		return refuse(inject->remote, "its thread cannot be used", err);
	ok = load(inject, library, err);
	wk_remote_write(inject->remote, at, &value, sizeof(value));
	return ok;
}

/* Stops a thread while no other one is in the loader. */
static bool stop_thread(struct inject *inject, struct wk_err *err)
{
	uint64_t until_ns = wk_os_clock_ns() + LOCK_NS;
	struct timespec moment = { .tv_nsec = NAP_NS };

	while (wk_stop_thread(inject->remote, &inject->where, &inject->stopped, err)) {
		if (!wk_loader_lock_is_held_by_others(inject->remote, inject->stopped.tid))
			return true;
		wk_stop_end(&inject->stopped);
		wk_free(inject->stopped.state);
		if (wk_os_clock_ns() >= until_ns)
			return refuse_busy(inject->remote, err);
		nanosleep(&moment, NULL);
	}
	return false;
}

static bool inject_into(struct inject *inject, const char *library, struct wk_err *err)
{
	sigset_t signals, before;
	bool ok;

	if (!check(inject->remote, library, err) || !find_code(inject, err))
		return false;
	/* A recorder that is killed now leaves the thread a way back, but half of the work. */
	sigfillset(&signals);
	sigprocmask(SIG_SETMASK, &signals, &before);
	ok = stop_thread(inject, err);
	if (ok) {
		ok = load_with_errno(inject, library, err);
		if (!wk_stop_end(&inject->stopped) && !inject->is_gone && ok)
			ok = refuse(inject->remote, "its thread could not be continued", err);
		wk_free(inject->stopped.state);
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
	return ok;
}

bool wk_heap_inject(const struct wk_remote *remote, struct wk_err *err)
{
	struct inject inject = { .remote = remote };
	struct wk_buf library = { 0 };
	char *whole = NULL;
	bool ok = wk_heap_library_find(&library, err);

	if (ok)
		whole = realpath(wk_buf_text(&library), NULL);
	ok = ok && inject_into(&inject, whole ? whole : wk_buf_text(&library), err);
	free(whole);
	wk_buf_fini(&library);
	return ok;
}
