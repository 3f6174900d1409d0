/* Marks and heap snapshots that a program requests of itself while wick records it.
 *
 *	#include <wick/mark.h>
 *
 *	load(file);
 *	wick_heap_snapshot("after load");
 *
 * Header-only, for C and C++: there is nothing to link. `wick record --heap` loads a library into
 * the program, and these functions call it. In a program that is not recorded they do nothing, at
 * the cost of one load and one branch. They may be called from any thread, never fail, keep errno,
 * and may be left in programs that are shipped.
 *
 * A text is UTF-8 and ends with a NUL. Of a longer one, the first WICK_MARK_BYTES are kept, without
 *a character that this would split. NULL is an empty text.
 *
 * They do nothing in statically linked programs, which have no heap library, and on systems other
 * than Linux. On processors other than x86-64, they do nothing in programs compiled and linked
 * without support for position independence (-fno-pie -no-pie), which cannot refer to a function
 * that may be absent. */
#ifndef WICK_MARK_H
#define WICK_MARK_H

#define WICK_MARK_BYTES 200

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__linux__) && defined(__GNUC__)

typedef void (*wick_mark_function)(int kind, const char *text);

/* The heap library's function, or NULL. */
#if defined(__x86_64__) && defined(__LP64__)
/* By the table of addresses that the loader fills, which programs at fixed addresses have as well.
 * A weak symbol is 0 there when those are linked. */
static inline wick_mark_function wick_mark_find(void)
{
	wick_mark_function found;

	__asm__(".weak wick_heap_library_mark_1\n\t"
		"movq wick_heap_library_mark_1@GOTPCREL(%%rip), %0"
		: "=r"(found));
	return found;
}
#else
extern void wick_heap_library_mark_1(int kind, const char *text) __attribute__((weak));

static inline wick_mark_function wick_mark_find(void)
{
	return wick_heap_library_mark_1;
}
#endif

static inline void wick_mark_send(int kind, const char *text)
{
	wick_mark_function mark = wick_mark_find();

	if (__builtin_expect(mark != (wick_mark_function)0, 0))
		mark(kind, text);
}

#else

static inline void wick_mark_send(int kind, const char *text)
{
	(void)kind;
	(void)text;
}

#endif

/* A snapshot of this process's heap as of now: the blocks that are allocated, with their stacks. It
 * stops no thread and costs as much as recording an allocation. */
static inline void wick_heap_snapshot(const char *label)
{
	wick_mark_send(1, label);
}

/* A moment with a name. */
static inline void wick_mark(const char *text)
{
	wick_mark_send(2, text);
}

#ifdef __cplusplus
}
#endif

#endif
