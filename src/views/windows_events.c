#include "views/windows_events.h"

#define WORDS(...) (const char *const[]){ __VA_ARGS__, NULL }

#define HARD_FAULTS \
	"`xperf -on PROC_THREAD+LOADER+HARD_FAULTS -stackwalk HardFault` or `wpr " \
	"-start GeneralProfile`"

static const struct wk_windows_event events[] = {
	{ "SampledProfile", WORDS("sampledprofile", "cpu", "profile", "samples", "cycles", "time"),
	  WK_WINDOWS_CPU_SAMPLES },
	{ "wait", WORDS("wait", "waits", "waiting", "cswitch", "switch", "switches", "off-cpu"),
	  WK_WINDOWS_SWITCHES },
	{ "ready", WORDS("ready", "readythread"), WK_WINDOWS_SWITCHES },
	{ "readying", WORDS("readying"), WK_WINDOWS_SWITCHES },
	{ "commit", WORDS("commit", "commits", "memory", "virtualalloc"),
	  WK_WINDOWS_VIRTUAL_MEMORY },
	{ "reserve", WORDS("reserve", "reserves"), WK_WINDOWS_VIRTUAL_MEMORY },
	{ "decommit", WORDS("decommit", "decommits", "virtualfree"), WK_WINDOWS_VIRTUAL_MEMORY },
	{ "heap", WORDS("heap", "heaps", "heapalloc", "alloc"), WK_WINDOWS_HEAPS },
	{ "free", WORDS("free", "frees", "freed", "heapfree"), WK_WINDOWS_HEAPS },
	{ "hard fault", WORDS("hard fault", "hard faults", "hardfault", "page-faults", "faults"),
	  HARD_FAULTS },
};

static bool is_in_any_case(struct wk_str word, const char *lower)
{
	size_t i = 0;

	for (; i < word.len && lower[i]; i++)
		if (wk_lower(word.at[i]) != lower[i])
			return false;
	return i == word.len && !lower[i];
}

const struct wk_windows_event *wk_windows_event_of(struct wk_str word)
{
	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++)
		for (const char *const *other = events[i].words; *other; other++)
			if (is_in_any_case(word, *other))
				return &events[i];
	return NULL;
}
