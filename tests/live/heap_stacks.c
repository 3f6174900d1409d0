/* heap_stacks CASE LOG: allocations from stacks of every kind. */
#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unistd.h>

#include "heap_count.h"

#define STACK_BYTES ((size_t)64 << 10)

/* ---- recursion */

static volatile int sink;

__attribute__((noinline)) static void descend(int left, size_t size)
{
	if (left == 0)
		heap_malloc(size);
	else
		descend(left - 1, size);
	sink++;
}

/* Each level has a block, going down and going up. */
__attribute__((noinline)) static void climb(int left)
{
	void *block = heap_malloc(310);

	if (left)
		climb(left - 1);
	heap_free(heap_malloc(320), 320);
	heap_free(block, 310);
	sink++;
}

__attribute__((noinline)) static void recursion(void)
{
	descend(300, 300); /* within the limit */
	descend(10, 301);
	descend(1000, 302); /* beyond it */
	descend(100000, 303);
	climb(200);
	climb(600);
	descend(300, 300);
}

/* ---- calls from libc, which has no frame pointers */

__attribute__((noinline)) static int compare(const void *a, const void *b)
{
	heap_free(heap_malloc(330), 330);
	return *(const int *)a - *(const int *)b;
}

__attribute__((noinline)) static void sort(void)
{
	int numbers[200];

	for (int i = 0; i < 200; i++)
		numbers[i] = i * 7919 % 200;
	qsort(numbers, 200, sizeof(int), compare);
	for (int i = 0; i < 200; i++)
		heap_expect(numbers[i] == i, "sorted numbers");
}

/* ---- frames whose size is not known before */

__attribute__((noinline)) static void in_dynamic_frame(int size)
{
	volatile char *room = __builtin_alloca((size_t)size);

	room[size - 1] = 1;
	heap_malloc(340);
	sink += room[size - 1];
}

/* Its frame is aligned, so that the CFA is kept in memory. */
__attribute__((noinline)) static void in_aligned_frame(int size)
{
	_Alignas(64) volatile char room[64];
	volatile char *more = __builtin_alloca((size_t)size);

	room[0] = more[0] = 1;
	heap_expect((uintptr_t)room % 64 == 0, "an aligned variable");
	heap_malloc(350);
	sink += room[0] + more[0];
}

__attribute__((noinline)) static void frames(void)
{
	for (int i = 1; i < 3000; i += 97) {
		in_dynamic_frame(i);
		in_aligned_frame(i);
	}
}

/* ---- signals */

static _Atomic int handled;

__attribute__((noinline)) static void handle(int number)
{
	(void)number;
	heap_free(heap_malloc(360), 360);
	handled++;
}

static void set_handler(int number, void (*handler)(int), int flags)
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = flags };

	sigaction(number, &action, NULL);
}

__attribute__((noinline)) static void raise_some(int number)
{
	for (int i = 0; i < 100; i++)
		raise(number);
}

__attribute__((noinline)) static void signals(void)
{
	set_handler(SIGUSR1, handle, 0);
	raise_some(SIGUSR1);
	heap_expect(handled == 100, "100 signals");
}

static void give_other_stack(void)
{
	stack_t other = { .ss_sp = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE,
					MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
			  .ss_size = STACK_BYTES };

	heap_expect(sigaltstack(&other, NULL) == 0, "another stack for signals");
}

__attribute__((noinline)) static void signals_elsewhere(void)
{
	give_other_stack();
	set_handler(SIGUSR1, handle, SA_ONSTACK);
	raise_some(SIGUSR1);
	heap_malloc(361);
	raise_some(SIGUSR1);
}

/* A timer's signals come anywhere, in the recorder's library as well. Their handler uses only what
 * it may use. */
static void tick(int number)
{
	(void)number;
	handled++;
}

__attribute__((noinline)) static void timer(void)
{
	struct itimerval often = { { 0, 100 }, { 0, 100 } }, never = { { 0, 0 }, { 0, 0 } };

	set_handler(SIGPROF, tick, SA_RESTART);
	setitimer(ITIMER_PROF, &often, NULL);
	for (int i = 0; i < 100000 || (handled < 5 && i < 50000000); i++)
		if (i < 20000)
			heap_free(heap_malloc(370), 370);
		else
			sink++;
	setitimer(ITIMER_PROF, &never, NULL);
}

/* ---- jumps */

static jmp_buf place;
static sigjmp_buf signal_place;

static void jump(int left);
static void (*volatile jump_below)(int) = jump;

static void jump(int left)
{
	heap_malloc(380);
	if (left == 0)
		longjmp(place, 1);
	jump_below(left - 1);
	sink++;
}

__attribute__((noinline)) static void jump_out(int number)
{
	(void)number;
	heap_malloc(381);
	siglongjmp(signal_place, 1);
}

__attribute__((noinline)) static void jumps(void)
{
	for (volatile int i = 0; i < 50; i++)
		if (setjmp(place) == 0)
			jump(i);
	set_handler(SIGUSR2, jump_out, 0);
	for (volatile int i = 0; i < 50; i++)
		if (sigsetjmp(signal_place, 1) == 0)
			raise(SIGUSR2);
	heap_malloc(382);
}

/* ---- coroutines */

static ucontext_t caller, routines[8];

__attribute__((noinline)) static void in_routine(int number)
{
	for (int i = 0; i < 20; i++) {
		void *block = heap_malloc(390);

		descend(number, 391);
		swapcontext(&routines[number], &caller);
		heap_free(block, 390);
	}
}

static void routine(int number)
{
	in_routine(number);
}

static void *map_stack(size_t bytes)
{
	void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	heap_expect(at != MAP_FAILED, "a stack");
	return at;
}

static void begin_routine(int number, void *stack, size_t bytes, void (*work)(int))
{
	getcontext(&routines[number]);
	routines[number].uc_stack.ss_sp = stack;
	routines[number].uc_stack.ss_size = bytes;
	routines[number].uc_link = &caller;
	makecontext(&routines[number], (void (*)(void))(uintptr_t)work, 1, number);
}

__attribute__((noinline)) static void coroutines(void)
{
	void *stacks[8];

	for (int i = 0; i < 8; i++) {
		stacks[i] = map_stack(STACK_BYTES);
		begin_routine(i, stacks[i], STACK_BYTES, routine);
	}
	for (int round = 0; round <= 20; round++)
		for (int i = 0; i < 8; i++)
			swapcontext(&caller, &routines[i]);
	for (int i = 0; i < 8; i++)
		munmap(stacks[i], STACK_BYTES);
	heap_malloc(392);
}

/* Stacks that are gone again, and signals on another stack above them: whatever was remembered of
 * a stack may be no memory any more. */
static void signal_in_routine(int number)
{
	(void)number;
	raise_some(SIGUSR1);
}

__attribute__((noinline)) static void stacks_that_go(void)
{
	give_other_stack();
	set_handler(SIGUSR1, handle, SA_ONSTACK);
	for (int i = 0; i < 50; i++) {
		size_t bytes = STACK_BYTES << i % 3;
		char *stack = map_stack(bytes + STACK_BYTES * (size_t)(i % 5));

		begin_routine(0, stack, bytes, signal_in_routine);
		swapcontext(&caller, &routines[0]);
		munmap(stack, bytes + STACK_BYTES * (size_t)(i % 5));
		raise_some(SIGUSR1);
	}
}

/* The stack of a coroutine on the heap itself, in other threads. */
static void *run_on_heap(void *context)
{
	ucontext_t here, there;

	(void)context;
	for (int i = 0; i < 20; i++) {
		void *stack = heap_malloc(STACK_BYTES);

		getcontext(&there);
		there.uc_stack.ss_sp = stack;
		there.uc_stack.ss_size = STACK_BYTES;
		there.uc_link = &here;
		makecontext(&there, (void (*)(void))(uintptr_t)descend, 2, 5, 393);
		swapcontext(&here, &there);
		heap_free(stack, STACK_BYTES);
	}
	return NULL;
}

__attribute__((noinline)) static void coroutines_in_threads(void)
{
	pthread_t threads[4];

	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, run_on_heap, NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
}

static const struct heap_work works[] = {
	{ "recursion", recursion },
	{ "sort", sort },
	{ "frames", frames },
	{ "signals", signals },
	{ "signals-elsewhere", signals_elsewhere },
	{ "timer", timer },
	{ "jumps", jumps },
	{ "coroutines", coroutines },
	{ "stacks-that-go", stacks_that_go },
	{ "coroutines-in-threads", coroutines_in_threads },
};

int main(int argc, char **argv)
{
	return heap_run(works, sizeof(works) / sizeof(works[0]), argc, argv);
}
