/* stacks KIND SECONDS [LIBRARY]: spins in spin() on a stack of this kind.
 *
 *   buffer     below a buffer of 64 KiB that is never touched, in two threads
 *   leaf       in the function with such a buffer itself
 *   handler    in a signal handler on a stack of its own, which interrupts middle()
 *   coroutine  in a coroutine of makecontext
 *   memfd      called from a LIBRARY that was copied into memory without a name: from its
 *              call_back() */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline))

static volatile uint64_t sink;
static double seconds;

static double spent(void)
{
	struct timespec time;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

NOINLINE static void spin(unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		sink += i;
}

NOINLINE static void first(void)
{
	spin(20000);
	sink++;
}

NOINLINE static void second(void)
{
	spin(20000);
	sink++;
}

/* Outer frames are read from the process a moment after a sample: here they wait for that. */
static void linger(void)
{
	usleep(300000);
}

/* The first byte only. */
static inline void touch(char *buffer)
{
	buffer[0] = 1;
	__asm__ volatile("" : : "r"(buffer) : "memory");
}

NOINLINE static void with_buffer(void)
{
	char buffer[64 << 10];

	touch(buffer);
	first();
	second();
	touch(buffer);
}

NOINLINE static void *call_with_buffer(void *context)
{
	while (spent() < seconds)
		with_buffer();
	linger();
	return context;
}

static void run_buffer(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, call_with_buffer, NULL);
	call_with_buffer(NULL);
	pthread_join(thread, NULL);
}

NOINLINE static void spin_with_buffer(unsigned count)
{
	char buffer[64 << 10];

	touch(buffer);
	for (unsigned i = 0; i < count; i++)
		sink += i;
}

static void run_leaf(void)
{
	while (spent() < seconds)
		spin_with_buffer(20000);
	linger();
}

NOINLINE static void handle(int number)
{
	(void)number;
	spin(4000000);
	sink++;
}

NOINLINE static void middle(void)
{
	while (spent() < seconds)
		for (unsigned i = 0; i < 5000000; i++)
			sink += i;
}

static void run_handler(void)
{
	stack_t stack = { .ss_sp = malloc(1 << 16), .ss_size = 1 << 16 };
	struct sigaction action = { .sa_handler = handle, .sa_flags = SA_ONSTACK };
	struct itimerval often = { { 0, 20000 }, { 0, 20000 } };

	sigaltstack(&stack, NULL);
	sigaction(SIGPROF, &action, NULL);
	setitimer(ITIMER_PROF, &often, NULL);
	middle();
	linger();
}

static ucontext_t caller, coroutine;

NOINLINE static void coroutine_body(void)
{
	for (;;) {
		spin(20000);
		swapcontext(&coroutine, &caller);
	}
}

static void run_coroutine(void)
{
	getcontext(&coroutine);
	coroutine.uc_stack.ss_sp = malloc(1 << 16);
	coroutine.uc_stack.ss_size = 1 << 16;
	makecontext(&coroutine, coroutine_body, 0);
	while (spent() < seconds)
		swapcontext(&caller, &coroutine);
}

static void run_memfd(const char *library)
{
	int memory = memfd_create("plugin", 0), file = open(library, O_RDONLY);
	char part[4096], path[64];
	void (*call_back)(void (*)(unsigned), unsigned);
	void *handle_of_it;
	ssize_t len;

	while ((len = read(file, part, sizeof(part))) > 0)
		if (write(memory, part, (size_t)len) != len)
			exit(1);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", memory);
	handle_of_it = dlopen(path, RTLD_NOW);
	close(memory);
	if (!handle_of_it)
		exit(1);
	*(void **)&call_back = dlsym(handle_of_it, "call_back");
	while (spent() < seconds)
		call_back(spin, 20000);
}

int main(int argc, char **argv)
{
	const char *kind = argc > 1 ? argv[1] : "buffer";

	seconds = argc > 2 ? atof(argv[2]) : 0.5;
	if (strcmp(kind, "buffer") == 0)
		run_buffer();
	else if (strcmp(kind, "leaf") == 0)
		run_leaf();
	else if (strcmp(kind, "handler") == 0)
		run_handler();
	else if (strcmp(kind, "coroutine") == 0)
		run_coroutine();
	else if (strcmp(kind, "memfd") == 0 && argc > 3)
		run_memfd(argv[3]);
	else
		return 2;
	return 0;
}
