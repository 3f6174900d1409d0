#include "record/heap/stop.h"

#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>

#include "base/mem.h"
#include "base/num.h"
#include "os/os.h"
#include "record/heap/own_stack.h"
#include "record/proc_scan.h"

#define PATIENCE_NS    UINT64_C(3000000000) /* for a thread at a safe place */
#define STOP_NS        UINT64_C(2000000000) /* for one that is to stop */
#define NAP_NS         200000L
#define LONGEST_NAP_NS 100000000L
#define STATE_BYTES    (64u << 10)
#define SCANNED_BYTES  (64u << 10) /* of its stack */
#define LOCK_BYTES     2048        /* of that, from a lock to what takes it */
#define PAGE           4096u

/* arch/x86/include/asm/ptrace-abi.h; errno.h of the kernel */
#define EVENT_STOP 128

enum wk_stop_came wk_stop_wait(pid_t tid, int *status)
{
	uint64_t until_ns = wk_os_clock_ns() + STOP_NS;
	struct timespec moment = { .tv_nsec = NAP_NS / 10 };

	do {
		pid_t found = waitpid(tid, status, __WALL | WNOHANG);

		if (found == tid)
			return WIFSTOPPED(*status) ? WK_STOP_CAME : WK_STOP_GONE;
		if (found < 0 && errno != EINTR)
			return WK_STOP_GONE;
		nanosleep(&moment, NULL);
	} while (wk_os_clock_ns() < until_ns);
	return WK_STOP_LATE;
}

static bool is_within(uint64_t at, const struct wk_code_range *range)
{
	return at >= range->from && at < range->to;
}

/* Calls in which programs wait; they continue, or are begun again. Not those that transfer data,
 * which would have done a part. */
static bool is_waiting_call(long number)
{
	static const long calls[] = {
		SYS_read, SYS_poll, SYS_ppoll, SYS_select, SYS_pselect6, SYS_epoll_wait,
		SYS_epoll_pwait, SYS_nanosleep, SYS_clock_nanosleep, SYS_wait4, SYS_waitid,
		SYS_pause, SYS_rt_sigsuspend, SYS_rt_sigtimedwait, SYS_futex, SYS_accept,
		SYS_accept4,
	};

	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++)
		if (calls[i] == number)
			return true;
	return false;
}

/* "running", or the number of the call in which it waits. */
static bool is_candidate(pid_t pid, pid_t tid)
{
	struct wk_buf text = { 0 };
	char path[64];
	bool is_one;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/syscall", (int)pid, (int)tid);
	is_one = wk_os_read_small(path, &text) && text.len &&
		 (wk_str_starts(wk_buf_str(&text), "running") ||
		  is_waiting_call(strtol(text.at, NULL, 10)));
	wk_buf_fini(&text);
	return is_one;
}

/* A signal waits to be delivered: then the system call has ended because of that. */
static bool has_signal(pid_t pid, pid_t tid)
{
	static const char *const names[] = { "SigPnd:\t", "ShdPnd:\t", "SigBlk:\t" };
	uint64_t sets[3] = { 0 };
	struct wk_buf text = { 0 };
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task/%d/status", (int)pid, (int)tid);
	if (wk_os_read_small(path, &text))
		for (size_t i = 0; i < 3; i++) {
			const char *at = strstr(text.at, names[i]);

			sets[i] = at ? strtoull(at + strlen(names[i]), NULL, 16) : 0;
		}
	wk_buf_fini(&text);
	return (sets[0] | sets[1]) & ~sets[2];
}

/* ---- is the place safe? */

static bool follows_call(const struct wk_remote *remote, uint64_t at)
{
	uint8_t code[6];

	if (!wk_remote_read(remote, at - sizeof(code), code, sizeof(code)))
		return false;
	return code[1] == 0xe8 || (code[4] == 0xff && (code[5] & 0x38) == 0x10) ||
	       (code[3] == 0xff && (code[4] & 0x38) == 0x10) ||
	       (code[2] == 0xff && (code[3] & 0x38) == 0x10) ||
	       (code[0] == 0xff && (code[1] & 0x38) == 0x10);
}

/* What may be a return address into the loader, or any address inside the allocator, also one at
 * which a signal came. Old ones that were left on the stack count as well: another time, they are
 * not there. */
static bool is_unsafe_word(const struct wk_remote *remote, const struct wk_stop_where *where,
			   uint64_t word)
{
	return is_within(word, &where->allocator) ||
	       (is_within(word, &where->loader) && follows_call(remote, word));
}

/* Where a handler of a signal returns to: mov $15, %rax; syscall. */
static bool is_handler_word(const struct wk_remote *remote, const struct wk_stop_where *where,
			    uint64_t word)
{
	static const uint8_t expected[] = { 0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05 };
	uint8_t code[sizeof(expected)];

	return is_within(word, &where->libc) && wk_remote_read(remote, word, code, sizeof(code)) &&
	       memcmp(code, expected, sizeof(code)) == 0;
}

typedef bool (*word_fn)(const struct wk_remote *remote, const struct wk_stop_where *where,
			uint64_t word);

static bool is_on_stack(const struct wk_remote *remote, const struct wk_stop_where *where,
			uint64_t sp, uint64_t most, word_fn is_it)
{
	uint64_t words[PAGE / sizeof(uint64_t)], at = sp & ~UINT64_C(7), end = at + most;

	while (at < end) {
		size_t bytes = PAGE - at % PAGE;

		if (!wk_remote_read(remote, at, words, bytes))
			break;
		for (size_t i = 0; i < bytes / sizeof(*words); i++)
			if (is_it(remote, where, words[i]))
				return true;
		at += bytes;
	}
	return false;
}

/* The allocator and the loader wait for nothing but locks, and call no function of the program
 * except constructors, which may load libraries: there is no need to look at the stack of a thread
 * that does something else. But a handler may have come while they worked. */
static bool is_stack_safe(const struct wk_remote *remote, const struct wk_stop_where *where,
			  const struct user_regs_struct *registers)
{
	uint64_t sp = registers->rsp;

	if (is_on_stack(remote, where, sp, SCANNED_BYTES, is_handler_word))
		return !is_on_stack(remote, where, sp, SCANNED_BYTES, is_unsafe_word);
	return registers->orig_rax != SYS_futex ||
	       !is_on_stack(remote, where, sp, LOCK_BYTES, is_unsafe_word);
}

/* The words of the frame of a signal handler behind its return address: flags, link, and the stack
 * that is set for signals. */
static bool is_on_signal_stack(const struct wk_remote *remote, const struct wk_stop_where *where,
			       uint64_t sp)
{
	uint64_t frame[6];

	if (!is_on_stack(remote, where, sp, SCANNED_BYTES, is_handler_word))
		return false;
	for (uint64_t at = sp & ~UINT64_C(7); at < sp + SCANNED_BYTES; at += sizeof(*frame)) {
		if (!wk_remote_read(remote, at, frame, sizeof(frame)))
			break;
		if (sp - frame[3] < frame[5] && is_handler_word(remote, where, frame[0]))
			return true;
	}
	return false;
}

static bool is_safe(const struct wk_remote *remote, const struct wk_stop_where *where,
		    const struct user_regs_struct *registers)
{
	bool waits = (int64_t)registers->orig_rax >= 0;

	if (registers->cs != 0x33 || is_within(registers->rip, &where->loader) ||
	    is_within(registers->rip, &where->allocator))
		return false;
	if (waits ? !is_waiting_call((long)registers->orig_rax)
		  : is_within(registers->rip, &where->libc))
		return false;
	return is_stack_safe(remote, where, registers);
}

static bool has_own_stack(const struct wk_remote *remote, const struct wk_stop_where *where,
			  const struct wk_stopped *stopped)
{
	return wk_own_stack(remote, stopped->tid, &stopped->registers) &&
	       !is_on_signal_stack(remote, where, stopped->registers.rsp);
}

/* ---- stopping */

/* Some calls end when their thread is stopped. They begin again, as if it had not been. */
static void begin_again(const struct wk_remote *remote, struct wk_stopped *stopped)
{
	struct user_regs_struct *registers = &stopped->registers;

	if ((int64_t)registers->orig_rax < 0 || (int64_t)registers->rax != -EINTR ||
	    has_signal(remote->pid, stopped->tid))
		return;
	registers->rax = registers->orig_rax;
	registers->orig_rax = UINT64_MAX;
	registers->rip -= 2; /* syscall */
}

static bool save(struct wk_stopped *stopped)
{
	struct iovec state = { stopped->state, STATE_BYTES };
	pid_t tid = stopped->tid;

	if (ptrace(PTRACE_GETREGS, tid, NULL, &stopped->registers) != 0 ||
	    ptrace(PTRACE_GETREGSET, tid, (void *)(uintptr_t)NT_X86_XSTATE, &state) != 0 ||
	    ptrace(PTRACE_GETSIGMASK, tid, (void *)sizeof(uint64_t), &stopped->signal_mask) != 0)
		return false;
	stopped->state_bytes = state.iov_len;
	return true;
}

/* A signal that came at the same time is delivered. */
static void let_go(pid_t tid, int status)
{
	int is_signal = WIFSTOPPED(status) && status >> 16 == 0;

	ptrace(PTRACE_DETACH, tid, NULL, is_signal ? (void *)(uintptr_t)WSTOPSIG(status) : NULL);
}

static bool try_thread(const struct wk_remote *remote, const struct wk_stop_where *where, pid_t tid,
		       struct wk_stopped *stopped)
{
	bool is_found;
	int status = 0;

	if (ptrace(PTRACE_SEIZE, tid, NULL, (void *)(uintptr_t)PTRACE_O_TRACESYSGOOD) != 0)
		return false;
	stopped->tid = tid;
	if (ptrace(PTRACE_INTERRUPT, tid, NULL, NULL) != 0 ||
	    wk_stop_wait(tid, &status) != WK_STOP_CAME) {
		let_go(tid, status);
		return false;
	}
	if (status >> 16 != EVENT_STOP || WSTOPSIG(status) != SIGTRAP) {
		let_go(tid, status);
		return false;
	}
	if (!save(stopped)) {
		let_go(tid, status);
		return false;
	}
	is_found = is_safe(remote, where, &stopped->registers);
	if (is_found && !has_own_stack(remote, where, stopped)) {
		stopped->is_elsewhere = true;
		is_found = false;
	}
	begin_again(remote, stopped);
	if (!is_found)
		wk_stop_end(stopped);
	return is_found;
}

static bool try_all(const struct wk_remote *remote, const struct wk_stop_where *where,
		    struct wk_stopped *stopped, struct wk_err *err)
{
	pid_t *tids;
	size_t count = wk_proc_threads(remote->pid, &tids);
	bool is_stopped = false;

	errno = 0;
	for (size_t i = 0; i < count && !is_stopped; i++)
		is_stopped = is_candidate(remote->pid, tids[i]) &&
			     try_thread(remote, where, tids[i], stopped);
	if (!is_stopped && (errno == EPERM || errno == EACCES))
		wk_fail(err, WK_EPERM, WK_NOWHERE, "%s may not be traced by this user",
			wk_buf_text(&remote->who));
	wk_free(tids);
	return is_stopped;
}

static bool fail_to_stop(const struct wk_remote *remote, const struct wk_stopped *stopped,
			 struct wk_err *err)
{
	return wk_fail(err, WK_EIO, WK_NOWHERE,
		       stopped->is_elsewhere
			       ? "%s cannot be recorded now: its threads run on stacks that the "
				 "program made, as coroutines do, or on small ones; start it "
				 "with LD_PRELOAD=$(wick doctor --heap-library) in its environment"
			       : "%s cannot be recorded now: none of its threads came to a "
				 "place where it can load a library; try again",
		       wk_buf_text(&remote->who));
}

bool wk_stop_thread(const struct wk_remote *remote, const struct wk_stop_where *where,
		    struct wk_stopped *stopped, struct wk_err *err)
{
	uint64_t until_ns = wk_os_clock_ns() + PATIENCE_NS;
	struct timespec moment = { .tv_nsec = NAP_NS };

	*stopped = (struct wk_stopped){ .state = wk_alloc_zeroed(1, STATE_BYTES) };
	while (!try_all(remote, where, stopped, err)) {
		if (err->code || wk_os_clock_ns() >= until_ns) {
			if (!err->code)
				fail_to_stop(remote, stopped, err);
			wk_free(stopped->state);
			*stopped = (struct wk_stopped){ 0 };
			return false;
		}
		nanosleep(&moment, NULL);
		if (moment.tv_nsec < LONGEST_NAP_NS)
			moment.tv_nsec *= 2;
	}
	return true;
}

bool wk_stop_put_back(const struct wk_stopped *stopped, const struct user_regs_struct *registers)
{
	struct iovec state = { stopped->state, stopped->state_bytes };
	pid_t tid = stopped->tid;

	return ptrace(PTRACE_SETREGSET, tid, (void *)(uintptr_t)NT_X86_XSTATE, &state) == 0 &&
	       ptrace(PTRACE_SETREGS, tid, NULL, registers) == 0;
}

bool wk_stop_end(struct wk_stopped *stopped)
{
	pid_t tid = stopped->tid;
	bool is_restored = wk_stop_put_back(stopped, &stopped->registers) &&
			   ptrace(PTRACE_SETSIGMASK, tid, (void *)sizeof(uint64_t),
				  &stopped->signal_mask) == 0;

	return ptrace(PTRACE_DETACH, tid, NULL, NULL) == 0 && is_restored;
}
