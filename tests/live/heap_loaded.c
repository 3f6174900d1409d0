/* heap_loaded CASE LOG FOLDER: libraries that are loaded and unloaded. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "heap_count.h"

typedef void *(*plugin_function)(void *(*allocate)(size_t), size_t size);

static const char *folder;

static plugin_function load(const char *name, int flags, void **library)
{
	char path[4096];
	plugin_function function = NULL;
	void *place;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	*library = dlopen(path, flags);
	if (!*library)
		fprintf(stderr, "%s\n", dlerror());
	heap_expect(*library != NULL, "a library");
	place = dlsym(*library, "plugin_call");
	memcpy(&function, &place, sizeof(function));
	heap_expect(function != NULL, "its function");
	return function;
}

/* One after the other, which may be at the same addresses. */
static void load_in_turn(const char *first, const char *second)
{
	void *library;

	for (int i = 0; i < 20; i++) {
		plugin_function call =
			load(i % 2 ? second : first, RTLD_NOW | RTLD_LOCAL, &library);

		heap_free(call(heap_malloc, 600), 600);
		call(heap_malloc, i % 2 ? 602 : 601);
		dlclose(library);
		heap_malloc(603);
	}
}

static void of_other_size(void)
{
	load_in_turn("heap_plugin_1.so", "heap_plugin_2.so");
}

/* Their code is the same but for the size of its frames. */
static void of_same_size(void)
{
	load_in_turn("heap_plugin_1.so", "heap_plugin_3.so");
}

/* The library names another one, which is where only the library's own path leads to. */
static void by_runpath(void)
{
	void *library;

	load("heap_runpath.so", RTLD_NOW | RTLD_LOCAL, &library)(heap_malloc, 610);
	heap_malloc(611);
}

/* A library that looks for functions in its own libraries first, libc among them. */
static void deep_bound(void)
{
	void *library;
	plugin_function call =
		load("heap_plugin_1.so", RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND, &library);

	call(heap_malloc, 620);
	heap_free(call(heap_malloc, 621), 621);
}

static const struct heap_work works[] = {
	{ "of-other-size", of_other_size },
	{ "of-same-size", of_same_size },
	{ "by-runpath", by_runpath },
	{ "deep-bound", deep_bound },
};

int main(int argc, char **argv)
{
	folder = argc > 3 ? argv[3] : ".";
	return heap_run(works, sizeof(works) / sizeof(works[0]), argc, argv);
}
