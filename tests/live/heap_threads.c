/* heap_threads CASE LOG: blocks that several threads allocate and free, and how programs end. */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "heap_count.h"

#define SLOTS 64

/* Uprobes copy stacks into a ring, which has space for fewer calls than a slow reader takes. */
#ifdef HEAP_FEW
#define PASSED 1000
#define ROUNDS 40
#else
#define PASSED 10000
#define ROUNDS 500
#endif

static void start(pthread_t *thread, void *(*work)(void *), void *context)
{
	heap_expect(pthread_create(thread, NULL, work, context) == 0, "a thread");
}

/* ---- blocks go from one thread to the other */

static void *_Atomic passed[SLOTS];

__attribute__((noinline)) static void *free_passed(void *context)
{
	int left = *(int *)context;

	while (left)
		for (int i = 0; i < SLOTS && left; i++) {
			void *block = atomic_exchange(&passed[i], NULL);

			if (!block)
				continue;
			heap_free(block, 333);
			left--;
		}
	return NULL;
}

__attribute__((noinline)) static void elsewhere(void)
{
	int count = PASSED;
	pthread_t thread;

	start(&thread, free_passed, &count);
	for (int i = 0; i < count; i++) {
		void *block = heap_malloc(333), *none = NULL;

		while (!atomic_compare_exchange_weak(&passed[i % SLOTS], &none, block))
			none = NULL;
	}
	pthread_join(thread, NULL);
	heap_malloc(334); /* stays */
}

/* ---- two threads take and give the same addresses, through one list of the allocator */

static pthread_barrier_t barrier;

/* More than the allocator keeps for each thread. */
#define TOO_MANY 40

__attribute__((noinline)) static void *take_and_give(void *context)
{
	void *blocks[TOO_MANY];

	(void)context;
	pthread_barrier_wait(&barrier);
	for (int round = 0; round < ROUNDS; round++) {
		for (int i = 0; i < TOO_MANY; i++)
			blocks[i] = heap_malloc(2000);
		for (int i = 0; i < TOO_MANY; i++)
			blocks[i] = heap_realloc(blocks[i], 2000, i % 2 ? 2100 : 1900);
		for (int i = 0; i < TOO_MANY; i++)
			heap_free(blocks[i], i % 2 ? 2100 : 1900);
	}
	return NULL;
}

__attribute__((noinline)) static void reuse(void)
{
	pthread_t threads[2];

	pthread_barrier_init(&barrier, NULL, 2);
	for (int i = 0; i < 2; i++)
		start(&threads[i], take_and_give, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
}

/* ---- threads that come and go */

__attribute__((noinline)) static void *allocate_a_little(void *context)
{
	void *first = heap_malloc(100 + (uintptr_t)context % 100), *second = heap_calloc(3, 50);

	heap_free(first, 100 + (uintptr_t)context % 100);
	return second;
}

static void come_and_go(int count, void *(*work)(void *), size_t size)
{
	pthread_t threads[25];
	void *block;

	for (int i = 0; i < count; i += 25) {
		for (int k = 0; k < 25; k++)
			start(&threads[k], work, (void *)(uintptr_t)(i + k));
		for (int k = 0; k < 25; k++) {
			pthread_join(threads[k], &block);
			if (k % 2)
				heap_free(block, block ? size : 0);
		}
	}
}

__attribute__((noinline)) static void shortly(void)
{
	come_and_go(1000, allocate_a_little, 150);
}

/* ---- destructors, and what libc frees after them */

static pthread_key_t keys[3];

__attribute__((noinline)) static void destroy(void *block)
{
	heap_free(block, 200);
	heap_free(heap_malloc(210), 210);
}

/* Sets its value anew: it is called as often as libc allows. */
__attribute__((noinline)) static void destroy_again(void *block)
{
	heap_free(block, 200);
	pthread_setspecific(keys[2], heap_malloc(200));
}

__attribute__((noinline)) static void *have_destructors(void *context)
{
	(void)context;
	for (int i = 0; i < 3; i++)
		pthread_setspecific(keys[i], heap_malloc(200));
	return NULL;
}

__attribute__((noinline)) static void destructors(void)
{
	pthread_key_create(&keys[0], destroy);
	pthread_key_create(&keys[1], destroy);
	pthread_key_create(&keys[2], destroy_again);
	come_and_go(500, have_destructors, 0);
}

/* Its text is freed by libc when the thread has ended. */
__attribute__((noinline)) static void *ask_for_text(void *context)
{
	heap_expect(strerror(100000 + (int)(uintptr_t)context) != NULL, "a text");
	return heap_malloc(250);
}

/* More threads than there are rings. */
__attribute__((noinline)) static void late(void)
{
	come_and_go(6000, ask_for_text, 250);
}

/* What libc allocates while it holds a lock is the first that the thread allocates. */
__attribute__((noinline)) static void *ask_for_stack(void *context)
{
	pthread_attr_t attributes;

	(void)context;
	heap_expect(pthread_getattr_np(pthread_self(), &attributes) == 0, "a stack");
	pthread_attr_destroy(&attributes);
	return heap_malloc(260);
}

__attribute__((noinline)) static void locked(void)
{
	pthread_attr_t attributes;

	heap_expect(pthread_getattr_np(pthread_self(), &attributes) == 0, "a stack");
	come_and_go(50, ask_for_stack, 260);
	pthread_attr_destroy(&attributes);
}

/* ---- ends */

__attribute__((noinline)) static void *allocate_for_ever(void *context)
{
	(void)context;
	for (size_t i = 0;; i++)
		heap_free(heap_malloc(300 + i % 100), 300 + i % 100);
	return NULL;
}

static void start_endless(void)
{
	pthread_t thread;

	for (int i = 0; i < 3; i++)
		start(&thread, allocate_for_ever, NULL);
	usleep(20000);
}

static void end_busy(void)
{
	start_endless();
	puts("exit while others allocate");
	exit(5);
}

static void end_at_once(void)
{
	heap_malloc(400);
	heap_count_log();
	_exit(6);
}

static void end_killed(void)
{
	for (int i = 0; i < 1000; i++)
		heap_malloc(410);
	heap_count_log();
	raise(SIGKILL);
}

static void end_aborted(void)
{
	heap_malloc(420);
	heap_count_log();
	abort();
}

static void end_by_fault(void)
{
	heap_malloc(430);
	heap_count_log();
	*(volatile int *)(uintptr_t)8 = 1;
}

static void at_the_end(void)
{
	heap_malloc(440);
	heap_count_log();
}

static void end_with_handlers(void)
{
	atexit(at_the_end);
	heap_malloc(450);
	exit(8);
}

/* The first thread ends, the other one ends the program. */
__attribute__((noinline)) static void *outlive(void *context)
{
	pthread_join(*(pthread_t *)context, NULL);
	heap_malloc(460);
	heap_count_log();
	exit(9);
}

static void end_of_first(void)
{
	static pthread_t first;
	pthread_t thread;

	first = pthread_self();
	start(&thread, outlive, &first);
	pthread_exit(NULL);
}

/* A thread that is cancelled while it allocates. */
static void *allocate_and_wait(void *context)
{
	(void)context;
	for (;;) {
		heap_free(heap_malloc(470), 470);
		pthread_testcancel();
	}
	return NULL;
}

static void cancelled(void)
{
	pthread_t thread;

	for (int i = 0; i < 50; i++) {
		start(&thread, allocate_and_wait, NULL);
		usleep(500);
		pthread_cancel(thread);
		pthread_join(thread, NULL);
	}
}

static const struct heap_work works[] = {
	{ "elsewhere", elsewhere },
	{ "reuse", reuse },
	{ "short", shortly },
	{ "destructors", destructors },
	{ "late", late },
	{ "locked", locked },
	{ "end-busy", end_busy },
	{ "end-at-once", end_at_once },
	{ "end-killed", end_killed },
	{ "end-aborted", end_aborted },
	{ "end-by-fault", end_by_fault },
	{ "end-with-handlers", end_with_handlers },
	{ "end-of-first", end_of_first },
	{ "cancelled", cancelled },
};

int main(int argc, char **argv)
{
	return heap_run(works, sizeof(works) / sizeof(works[0]), argc, argv);
}
