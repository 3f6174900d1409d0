#include "cli/export/export.h"

#include <string.h>

#define ENDINGS(...) (const char *const[]){ __VA_ARGS__, NULL }

const char *const wk_export_names[] = { "firefox", "pprof", "speedscope", "folded", "perf-script",
					NULL };

const struct wk_export_target wk_export_targets[] = {
	{ .name = "firefox",
	  .summary = "JSON for the Firefox Profiler (profiler.firefox.com)",
	  .suffixes = ENDINGS(".firefox.json", ".profile.json"),
	  .ending = "json" },
	{ .name = "pprof",
	  .summary = "a protocol buffer for pprof, packed with gzip",
	  .suffixes = ENDINGS(".pprof", ".pb"),
	  .ending = "pb",
	  .is_binary = true,
	  .is_packed = true },
	{ .name = "speedscope",
	  .summary = "JSON for speedscope: a profile for each thread",
	  .suffixes = ENDINGS(".speedscope.json", ".speedscope"),
	  .ending = "json" },
	{ .name = "folded",
	  .summary = "folded stacks, one line each, for flame graph tools",
	  .suffixes = ENDINGS(".folded", ".collapsed"),
	  .ending = "folded" },
	{ .name = "perf-script",
	  .summary = "the text that `perf script` prints",
	  .suffixes = ENDINGS(".perf-script", ".perf.txt"),
	  .ending = "txt",
	  .stream = wk_export_perf_script },
	{ 0 },
};

const struct wk_export_target *wk_export_find(const char *name)
{
	for (const struct wk_export_target *target = wk_export_targets; target->name; target++)
		if (strcmp(target->name, name) == 0)
			return target;
	return NULL;
}

static bool is_called(const struct wk_export_target *target, struct wk_str path)
{
	for (size_t i = 0; target->suffixes && target->suffixes[i]; i++)
		if (wk_str_ends(path, target->suffixes[i]))
			return true;
	return false;
}

const struct wk_export_target *wk_export_by_path(const char *path)
{
	struct wk_str name = wk_str_c(path);

	if (wk_str_ends(name, ".gz"))
		name.len -= strlen(".gz");
	for (const struct wk_export_target *target = wk_export_targets; target->name; target++)
		if (is_called(target, name))
			return target;
	return NULL;
}
