/* heap_processes CASE LOG: children of every kind, and what a program does with its descriptors,
 * limits and environment. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "heap_count.h"

static const char *log_path;

static void expect_exit(pid_t child, int code)
{
	int status = 0;

	heap_expect(child > 0 && waitpid(child, &status, 0) == child, "a child");
	heap_expect(WIFEXITED(status) && WEXITSTATUS(status) == code, "the exit code of a child");
}

static _Atomic int is_over;

static void *allocate_until_over(void *context)
{
	(void)context;
	while (!is_over) {
		heap_free(heap_malloc(500), 500);
		usleep(20);
	}
	return NULL;
}

__attribute__((noinline)) static void work_of_child(void *inherited, size_t size, int number)
{
	heap_count_child();
	heap_free(inherited, size);
	for (int i = 0; i < number; i++)
		heap_malloc(510);
	heap_count_log();
	_exit(number);
}

/* Children of a thread, while others allocate. */
static void *fork_some(void *context)
{
	(void)context;
	for (int i = 0; i < 25; i++) {
		void *block = heap_malloc(520);
		pid_t child = fork();

		if (child == 0)
			work_of_child(block, 520, i);
		expect_exit(child, i);
		heap_free(block, 520);
	}
	return NULL;
}

__attribute__((noinline)) static void fork_busy(void)
{
	pthread_t busy[2], forking[2];

	for (int i = 0; i < 2; i++) {
		pthread_create(&busy[i], NULL, allocate_until_over, NULL);
		pthread_create(&forking[i], NULL, fork_some, NULL);
	}
	for (int i = 0; i < 2; i++)
		pthread_join(forking[i], NULL);
	is_over = 1;
	for (int i = 0; i < 2; i++)
		pthread_join(busy[i], NULL);
}

/* Children of children, which allocate before and after. */
static void generation(int left)
{
	pid_t child;

	if (left == 0)
		return;
	heap_malloc(530);
	child = fork();
	if (child == 0) {
		heap_count_child();
		generation(left - 1);
		heap_malloc(531);
		heap_count_log();
		_exit(left);
	}
	expect_exit(child, left);
}

static void generations(void)
{
	generation(6);
}

static _Atomic int children;

/* fork may be called in a handler, also in one that interrupts the allocator. */
static void fork_here(int number)
{
	pid_t child;

	(void)number;
	if (children >= 200)
		return;
	children++;
	child = fork();
	if (child == 0)
		_exit(0);
	if (child > 0)
		while (waitpid(child, NULL, 0) < 0)
			;
}

static void set_timer(void (*handler)(int), long us)
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = SA_RESTART };
	struct itimerval often = { { 0, us }, { 0, us } };

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
}

__attribute__((noinline)) static void fork_in_handler(void)
{
	set_timer(fork_here, 1000);
	while (children < 100)
		heap_free(heap_malloc(540), 540);
	set_timer(SIG_IGN, 0);
}

/* In this child the interrupted call goes on. */
static void fork_and_go_on(int number)
{
	pid_t child;

	(void)number;
	if (children >= 30)
		return;
	children++;
	child = fork();
	if (child == 0)
		children = 1000;
	else if (child > 0)
		expect_exit(child, 3);
}

__attribute__((noinline)) static void go_on_in_child(void)
{
	set_timer(fork_and_go_on, 1000);
	while (children < 30)
		heap_free(heap_malloc(550), 550);
	if (children == 1000) {
		for (int i = 0; i < 1000; i++)
			heap_free(heap_malloc(551), 551);
		_exit(3);
	}
	set_timer(SIG_IGN, 0);
}

/* This child allocates before that. */
static void fork_and_allocate(int number)
{
	fork_and_go_on(number);
	for (int i = 0; children == 1000 && i < 10; i++)
		heap_free(heap_malloc(552), 552);
}

__attribute__((noinline)) static void allocate_in_handler(void)
{
	set_timer(fork_and_allocate, 1000);
	while (children < 30)
		heap_free(heap_malloc(550), 550);
	heap_free(heap_malloc(551), 551);
	if (children == 1000)
		_exit(3);
	set_timer(SIG_IGN, 0);
}

static ucontext_t caller, routines[2];

__attribute__((noinline)) static void allocate_in_routine(int number)
{
	for (;;) {
		heap_free(heap_malloc(555), 555);
		swapcontext(&routines[number], &caller);
	}
}

/* The same while a stack is found, as it is for each allocation: no two are on the same one. */
__attribute__((noinline)) static void look_on_in_child(void)
{
	enum { BYTES = 256 << 10 };

	for (int i = 0; i < 2; i++) {
		getcontext(&routines[i]);
		routines[i].uc_stack.ss_sp = mmap(NULL, BYTES, PROT_READ | PROT_WRITE,
						  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		routines[i].uc_stack.ss_size = BYTES;
		/* Otherwise the two would be one mapping. */
		mmap(NULL, 1, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		makecontext(&routines[i], (void (*)(void))(uintptr_t)allocate_in_routine, 1, i);
	}
	set_timer(fork_and_go_on, 1000);
	while (children < 30)
		for (int i = 0; i < 2; i++)
			swapcontext(&caller, &routines[i]);
	if (children == 1000)
		_exit(3);
	set_timer(SIG_IGN, 0);
}

/* As on a system where one mapping cannot be asked for (PROCMAP_QUERY): the list is read. */
__attribute__((noinline)) static void read_on_in_child(void)
{
	struct sock_filter rules[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_ioctl, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[1])),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, _IOC(3, 'f', 17, 104), 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOTTY),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog filter = { sizeof(rules) / sizeof(*rules), rules };

	heap_expect(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
			    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0,
		    "a filter of system calls");
	look_on_in_child();
}

/* ---- other programs */

static void run_again(const char *name, int how)
{
	char *words[] = { (char *)(uintptr_t)"/proc/self/exe", (char *)(uintptr_t)name,
			  (char *)(uintptr_t)log_path, NULL };
	char *nothing[] = { NULL };
	pid_t child = 0;

	if (how == 0) {
		child = vfork();
		if (child == 0) {
			execv(words[0], words);
			_exit(99);
		}
	} else if (how == 1) {
		heap_expect(posix_spawn(&child, words[0], NULL, NULL, words, environ) == 0,
			    "a program");
	} else if (how == 2) {
		child = fork();
		if (child == 0) {
			execve(words[0], words, nothing);
			_exit(99);
		}
	} else {
		child = fork();
		if (child == 0) {
			execv(words[0], words);
			_exit(99);
		}
	}
	expect_exit(child, 7);
}

static void a_little(void)
{
	heap_free(heap_malloc(560), 560);
	heap_malloc(561);
}

static void programs(void)
{
	heap_malloc(562);
	for (int i = 0; i < 12; i++)
		run_again("a-little", i % 4 == 2 ? 0 : i % 4);
	heap_malloc(563);
}

/* Without its environment a program is not followed. */
static void bare_program(void)
{
	heap_malloc(564);
	run_again("a-little-bare", 2);
}

static void a_little_bare(void)
{
	log_path = NULL;
	heap_count_begin("/dev/null");
	a_little();
}

static void vfork_and_allocate(void)
{
	for (int i = 0; i < 20; i++) {
		void *volatile block = NULL;
		pid_t child = vfork();

		if (child == 0) { /* in its parent's memory */
			block = heap_malloc(565);
			_exit(4);
		}
		expect_exit(child, 4);
		heap_free(block, 565);
	}
}

static void replaced(void)
{
	char *words[] = { (char *)(uintptr_t)"/proc/self/exe", (char *)(uintptr_t)"a-little",
			  (char *)(uintptr_t)log_path, NULL };

	heap_malloc(566);
	heap_count_log();
	execv(words[0], words);
}

/* ---- descriptors, limits, environment */

/* Numbers are those that a program expects, and a file that is the program's stays open in its
 * children. */
static void *allocate_once(void *context)
{
	heap_free(heap_malloc(570), 570);
	return context;
}

static void use_threads(void)
{
	pthread_t threads[8];

	for (int i = 0; i < 8; i++)
		heap_expect(pthread_create(&threads[i], NULL, allocate_once, NULL) == 0,
			    "a thread");
	for (int i = 0; i < 8; i++)
		pthread_join(threads[i], NULL);
}

static void descriptors(void)
{
	enum { FIRST = 3, COUNT = 20 };
	char byte[2] = "x", name[64];
	pid_t child;

	for (int i = FIRST; i < COUNT; i++) {
		int fd = memfd_create("mine", 0);

		heap_expect(fd >= 0 && ftruncate(fd, 1 << 20) == 0, "a file");
		snprintf(name, sizeof(name), "descriptor %d is %d", i, fd);
		if (dup2(fd, i + COUNT) < 0)
			exit(1);
		printf("%s\n", name);
	}
	close_range(FIRST, COUNT - 1, 0);
	for (int i = FIRST; i < COUNT; i++)
		heap_expect(dup2(i + COUNT, i) == i, "its number");
	use_threads();
	child = fork();
	if (child == 0) {
		heap_count_child();
		use_threads();
		for (int i = FIRST; i < COUNT; i++)
			heap_expect(write(i, byte, 1) == 1, "an open descriptor in a child");
		heap_count_log();
		_exit(3);
	}
	expect_exit(child, 3);
	for (int i = FIRST; i < COUNT; i++) {
		char *bytes = mmap(NULL, 1 << 20, PROT_READ, MAP_SHARED, i, 0);

		heap_expect(bytes != MAP_FAILED && bytes[0] == 'x', "what was written");
		for (int k = 1; k < 1 << 20; k++)
			heap_expect(bytes[k] == 0, "nobody else's bytes in the program's file");
		munmap(bytes, 1 << 20);
	}
}

static void limit(int which, rlim_t most)
{
	struct rlimit now = { most, most };

	heap_expect(setrlimit(which, &now) == 0, "a limit");
}

static void allocate_in_child(void)
{
	pid_t child = fork();

	if (child == 0) {
		heap_count_child();
		for (int i = 0; i < 100; i++)
			heap_free(heap_malloc(580), 580);
		use_threads();
		_exit(3);
	}
	expect_exit(child, 3);
}

/* Limits that a recorder must not run into; what is recorded of the children is left open. */
static void small_files(void)
{
	limit(RLIMIT_FSIZE, 100000);
	allocate_in_child();
	run_again("a-little", 3);
}

static void few_descriptors(void)
{
	limit(RLIMIT_NOFILE, 4);
	use_threads();
	allocate_in_child();
}

static void little_memory(void)
{
	limit(RLIMIT_AS, (rlim_t)400 << 20);
	allocate_in_child();
	run_again("a-little", 3);
}

/* It is the program's to change, and a child goes on being recorded. */
static void no_environment(void)
{
	pid_t child;

	heap_malloc(590);
	clearenv();
	child = fork();
	if (child == 0) {
		heap_count_child();
		heap_malloc(591);
		heap_count_log();
		_exit(3);
	}
	expect_exit(child, 3);
}

/* Many at once: processes that begin while others end. */
static void many(void)
{
	pid_t pids[40];

	for (int round = 0; round < 5; round++) {
		for (int i = 0; i < 40; i++) {
			pids[i] = fork();
			if (pids[i] == 0)
				work_of_child(NULL, 0, 3);
		}
		for (int i = 0; i < 40; i++)
			expect_exit(pids[i], 3);
	}
}

static const struct heap_work works[] = {
	{ "fork-busy", fork_busy },
	{ "generations", generations },
	{ "fork-in-handler", fork_in_handler },
	{ "go-on-in-child", go_on_in_child },
	{ "allocate-in-handler", allocate_in_handler },
	{ "look-on-in-child", look_on_in_child },
	{ "read-on-in-child", read_on_in_child },
	{ "a-little", a_little },
	{ "a-little-bare", a_little_bare },
	{ "programs", programs },
	{ "bare-program", bare_program },
	{ "vfork-and-allocate", vfork_and_allocate },
	{ "replaced", replaced },
	{ "descriptors", descriptors },
	{ "small-files", small_files },
	{ "few-descriptors", few_descriptors },
	{ "little-memory", little_memory },
	{ "no-environment", no_environment },
	{ "many", many },
};

int main(int argc, char **argv)
{
	setvbuf(stdout, NULL, _IONBF, 0);
	log_path = argc > 2 ? argv[2] : NULL;
	return heap_run(works, sizeof(works) / sizeof(works[0]), argc, argv);
}
