/* A library that programs load, which allocates by its caller's function. The size of its frames
 * and of its code depends on HEAP_PLUGIN, so that one such library in place of another one is
 * noticed. */
#include <stddef.h>

__attribute__((visibility("default"))) void *plugin_call(void *(*allocate)(size_t), size_t size);

#if HEAP_PLUGIN == 2
/* Makes the file, and its tables, larger. */
#define FILLER(name)                                                                               \
	int filler_##name(int (*work)(int *), int x);                                              \
	int filler_##name(int (*work)(int *), int x)                                               \
	{                                                                                          \
		int room[20] = { x, x + 1 };                                                       \
		return work(room) + work(room + 1);                                                \
	}
#define FILLERS(name)                                                                              \
	FILLER(name##0) FILLER(name##1) FILLER(name##2) FILLER(name##3) FILLER(name##4)            \
	FILLER(name##5) FILLER(name##6) FILLER(name##7) FILLER(name##8) FILLER(name##9)
#define MORE_FILLERS(name)                                                                         \
	FILLERS(name##0) FILLERS(name##1) FILLERS(name##2) FILLERS(name##3) FILLERS(name##4)       \
	FILLERS(name##5) FILLERS(name##6) FILLERS(name##7) FILLERS(name##8) FILLERS(name##9)
MORE_FILLERS(a)
MORE_FILLERS(b)
#endif

__attribute__((noinline)) static void *in_plugin(void *(*allocate)(size_t), size_t size)
{
	volatile char room[64 * HEAP_PLUGIN];
	void *block;

	room[0] = 1;
	block = allocate(size + (size_t)room[0] - 1);
	room[1] = 2;
	return block;
}

void *plugin_call(void *(*allocate)(size_t), size_t size)
{
	volatile char room[32 * HEAP_PLUGIN];
	void *block;

	room[0] = 0;
	block = in_plugin(allocate, size);
	room[1] = room[0];
	return block;
}
