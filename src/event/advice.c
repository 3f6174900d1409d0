#include "event/advice.h"

#include <stddef.h>

#define XPERF_SWITCHES \
	"`xperf -on PROC_THREAD+LOADER+CSWITCH+DISPATCHER -stackwalk CSwitch+ReadyThread` or " \
	"`wpr -start CPU`"
#define XPERF_VIRTUAL_MEMORY \
	"`xperf -on PROC_THREAD+LOADER+VIRT_ALLOC -stackwalk VirtualAlloc+VirtualFree` or `wpr " \
	"-start VirtualAllocation`"
#define XPERF_HEAPS \
	"`xperf -start heap -heap -pids PID -stackwalk HeapAlloc+HeapRealloc` or `wpr -start Heap`"
#define XPERF_CPU_SAMPLES \
	"`xperf -on PROC_THREAD+LOADER+PROFILE -stackwalk Profile` or `wpr -start CPU`"

#define SAMPLE_PROFILER \
	"`dotnet-trace collect --providers Microsoft-DotNETCore-SampleProfiler`"

#define ONLY_WINDOWS "only Windows traces (.etl) record "
#define PARANOID     "sudo sysctl kernel.perf_event_paranoid="
#define IN_CONTAINER " run --cap-add PERFMON --security-opt seccomp=unconfined ..."
#define NO_COUNTS \
	"this recording does not count its records by kind; Windows traces (.etl) do"

/* The same on all platforms: what was built decides, not what was recorded. */
#define ALL(text) { text, text, text }

static const char *const advice[WK_ADVICE_KEYS][WK_ADVICE_SETS] = {
	/* Linux, Windows, .NET */
	[WK_ADVICE_CPU_SAMPLES] = { NULL, XPERF_CPU_SAMPLES, SAMPLE_PROFILER },
	[WK_ADVICE_SWITCHES] = { NULL, XPERF_SWITCHES },
	[WK_ADVICE_VIRTUAL_MEMORY] = { "`wick record --memory -- COMMAND`", XPERF_VIRTUAL_MEMORY },
	[WK_ADVICE_HEAPS] = { "`wick record --heap -- COMMAND`", XPERF_HEAPS },
	[WK_ADVICE_HARD_FAULTS] = { NULL,
		"`xperf -on PROC_THREAD+LOADER+HARD_FAULTS -stackwalk HardFault` or `wpr "
		"-start GeneralProfile`" },

	[WK_ADVICE_WHOLE_STACKS] = {
		"`perf record --call-graph dwarf` or `wick record` records them whole",
		XPERF_CPU_SAMPLES " records them", SAMPLE_PROFILER " records them" },
	[WK_ADVICE_JIT_NAMES] = { "node --perf-basic-prof, python3 -X perf, "
				  "java -XX:+DumpPerfMapAtExit and "
				  "DOTNET_PerfMapEnabled=1 make it",
				  "PerfView and `wpr -start CPU -start DotNET` record those of "
				  ".NET",
				  "the runtime writes names when the recording is stopped, not "
				  "killed" },
	[WK_ADVICE_JIT_STACKS] = { " that keeps no frame pointers and has no unwinding tables in a "
				   "jitdump",
				   ": the trace does not have who called it",
				   ": the trace does not have who called it" },

	[WK_ADVICE_NO_MEMORY] = {
		"this recording has no records of memory being committed or released; "
		"`wick record --memory -- COMMAND` records them",
		"this recording has no records of memory being committed or freed; "
		XPERF_VIRTUAL_MEMORY " records them",
		ONLY_WINDOWS "what processes commit" },
	[WK_ADVICE_NO_COUNTERS] = {
		"this recording has no memory counters of processes; `wick record --memory -- "
		"COMMAND` records them",
		"this recording has no memory counters of processes",
		"this recording has no memory counters of processes" },
	[WK_ADVICE_NO_HEAPS] = {
		"this recording has no records of heaps; `wick record --heap -- COMMAND` records "
		"each allocation",
		"this recording has no records of heaps; " XPERF_HEAPS " records them",
		"this recording has no records of heaps; `dotnet-trace collect --profile "
		"gc-verbose` records where objects are allocated (--by GC/AllocationTick)" },
	[WK_ADVICE_NO_SNAPSHOTS] = {
		"this recording has no snapshots of heaps; `wick record --heap --snapshot-every 1s "
		"-- COMMAND` takes some, `wick snapshot PID` one",
		"this recording has no snapshots of heaps", "this recording has no snapshots of heaps" },
	[WK_ADVICE_NO_WAITS] = {
		ONLY_WINDOWS "how long threads wait; on Linux `wick record -e "
		"sched:sched_switch -- COMMAND` counts where they stop running, but not for "
		"how long",
		"this recording has no records of waiting threads; " XPERF_SWITCHES
		" records them",
		ONLY_WINDOWS "how long threads wait; `--by \"all threads\"` shows where" },
	[WK_ADVICE_NO_MARKS] = {
		"this recording has no marks",
		"this recording has no marks; `xperf -m TEXT` or `wpr -marker TEXT` sets "
		"one",
		"this recording has no marks" },
	[WK_ADVICE_NO_COUNTS] = ALL(NO_COUNTS),
	[WK_ADVICE_NO_LINES] = ALL("no source lines are known: no program of this recording has "
				   "debug information; `wick symbols` shows how to get it"),

	[WK_ADVICE_RECORD_STACKS] = {
		"perf record --call-graph dwarf ...   # or: wick record",
		"perf record --call-graph dwarf ...   # or: wick record" },
	[WK_ADVICE_RECORD_CPU] = { "wick record", "wpr -start CPU\n"
						  "wpr -stop trace.etl\n"
						  "wick flame trace.etl" },
	[WK_ADVICE_SHOW_KERNEL] = { "sudo sysctl kernel.kptr_restrict=0" },
	[WK_ADVICE_SAMPLE_USER] = { PARANOID "2" },
	[WK_ADVICE_SAMPLE_KERNEL] = { PARANOID "1" },
	[WK_ADVICE_SAMPLE_ALL] = { PARANOID "0" },
	[WK_ADVICE_TRACEPOINTS] = { PARANOID "-1" },
	[WK_ADVICE_SAMPLE_RATE] = { "sudo sysctl kernel.perf_event_max_sample_rate=100000" },
	[WK_ADVICE_LOCKED_MEMORY] = { "sudo sysctl kernel.perf_event_mlock_kb=" },
	[WK_ADVICE_READ_PROCESSES] = { "sudo sysctl kernel.yama.ptrace_scope=0" },
	[WK_ADVICE_CAPABILITIES] = { "sudo setcap cap_perfmon,cap_sys_ptrace,cap_ipc_lock=ep" },
	[WK_ADVICE_DOCKER] = { "docker" IN_CONTAINER },
	[WK_ADVICE_PODMAN] = { "podman" IN_CONTAINER },
	[WK_ADVICE_INSTALL_CARGO] = { "sudo apt-get install cargo" },

	[WK_ADVICE_BUILD_DEBUG] = ALL("# rebuild with -g"),
	[WK_ADVICE_BUILD_UNSTRIPPED] =
		ALL("# rebuild with -g, without -s and without strip"),
	[WK_ADVICE_BUILD_GNU_PE] =
		ALL("# rebuild with -g, without -s and without strip"),
	[WK_ADVICE_BUILD_MSVC] =
		ALL("cl /Zi ... /link /DEBUG   # or clang-cl, with the same options; /O2 can stay\n"
		    "# this writes a PDB next to the program; keep both together"),
	[WK_ADVICE_BUILD_RUST_PE] = ALL("in Cargo.toml, or -C debuginfo=2 for rustc:\n"
					"[profile.release]\ndebug = true\nstrip = \"none\""),
	[WK_ADVICE_BUILD_GO] = ALL("go build   # without -ldflags=\"-s -w\""),
};

const char *wk_advice(enum wk_advice_set set, enum wk_advice_key key)
{
	return key < WK_ADVICE_KEYS ? advice[key][set] : NULL;
}

const struct wk_package_manager wk_package_managers[] = {
	{ "/usr/bin/apt-get", "sudo apt-get install libc6-dbg", NULL, NULL },
	{ "/usr/bin/dnf", "sudo dnf debuginfo-install glibc",
	  "sudo dnf debuginfo-install \"$(rpm -qf '", "')\"" },
	{ "/usr/bin/zypper", "sudo zypper install glibc-debuginfo",
	  "sudo zypper install \"$(rpm -qf --qf '%{NAME}-debuginfo' '", "')\"" },
	{ 0 },
};

#define WORDS(...) (const char *const[]){ __VA_ARGS__, NULL }

/* The words of Windows: elsewhere events have one name. */
static const struct wk_event_alias aliases[] = {
	{ "SampledProfile",
	  WORDS("sampledprofile", "cpu", "profile", "samples", "cycles", "time"),
	  WK_ADVICE_CPU_SAMPLES },
	{ "wait", WORDS("wait", "waits", "waiting", "cswitch", "switch", "switches", "off-cpu"),
	  WK_ADVICE_SWITCHES },
	{ "ready", WORDS("ready", "readythread"), WK_ADVICE_SWITCHES },
	{ "readying", WORDS("readying"), WK_ADVICE_SWITCHES },
	{ "commit", WORDS("commit", "commits", "memory", "virtualalloc"),
	  WK_ADVICE_VIRTUAL_MEMORY },
	{ "reserve", WORDS("reserve", "reserves"), WK_ADVICE_VIRTUAL_MEMORY },
	{ "decommit", WORDS("decommit", "decommits", "virtualfree"), WK_ADVICE_VIRTUAL_MEMORY },
	{ "heap", WORDS("heap", "heaps", "heapalloc", "alloc"), WK_ADVICE_HEAPS },
	{ "heap-temporary", WORDS("heap-temporary"), WK_ADVICE_HEAPS },
	{ "heap-peak", WORDS("heap-peak"), WK_ADVICE_HEAPS },
	{ "free", WORDS("free", "frees", "freed", "heapfree"), WK_ADVICE_HEAPS },
	{ "hard fault",
	  WORDS("hard fault", "hard faults", "hardfault", "page-faults", "faults"),
	  WK_ADVICE_HARD_FAULTS },
};

const struct wk_event_alias *wk_event_alias_find(enum wk_advice_set set, struct wk_str word)
{
	for (size_t i = 0; i < sizeof(aliases) / sizeof(aliases[0]); i++) {
		if (!wk_advice(set, aliases[i].recorded))
			continue;
		if (wk_str_is(word, aliases[i].source))
			return &aliases[i];
		for (const char *const *other = aliases[i].words;
		     set == WK_ADVICE_WINDOWS && *other; other++)
			if (wk_str_is_any_case(word, *other))
				return &aliases[i];
	}
	return NULL;
}
