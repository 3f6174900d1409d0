/* The constants of the perf.data format, for its reader and its writer.
 *
 * From the kernel's linux/perf_event.h (records below 64, sample and attr bits) and perf's own
 * records and features. docs/formats/perf-data.md describes how wick uses them. */
#ifndef WK_FORMATS_PERF_FORMAT_H
#define WK_FORMATS_PERF_FORMAT_H

#include <stdint.h>

#include "base/str.h"

#define WK_PERF_MAGIC     "PERFILE2"
#define WK_PERF_MAGIC_BIG "2ELIFREP"
#define WK_PERF_MAGIC_OLD "PERFFILE"
#define WK_PERF_FILE_HEAD 104
#define WK_PERF_PIPE_HEAD 16
#define WK_PERF_FEATURES  256 /* bits in the header's bitmap */

/* Offsets in the header of file mode. */
#define WK_PERF_HEAD_DATA_SIZE 48
#define WK_PERF_HEAD_FEATURES  72

enum wk_perf_type {
	WK_PERF_MMAP = 1,
	WK_PERF_LOST = 2,
	WK_PERF_COMM = 3,
	WK_PERF_EXIT = 4,
	WK_PERF_THROTTLE = 5,
	WK_PERF_UNTHROTTLE = 6,
	WK_PERF_FORK = 7,
	WK_PERF_READ = 8,
	WK_PERF_SAMPLE = 9,
	WK_PERF_MMAP2 = 10,
	WK_PERF_AUX = 11,
	WK_PERF_ITRACE_START = 12,
	WK_PERF_LOST_SAMPLES = 13,
	WK_PERF_SWITCH = 14,
	WK_PERF_SWITCH_CPU_WIDE = 15,
	WK_PERF_NAMESPACES = 16,
	WK_PERF_KSYMBOL = 17,
	WK_PERF_BPF_EVENT = 18,
	WK_PERF_CGROUP = 19,
	WK_PERF_TEXT_POKE = 20,
	WK_PERF_AUX_OUTPUT_HW_ID = 21,
	WK_PERF_CALLCHAIN_DEFERRED = 22,
	WK_PERF_KERNEL_TYPES_END = 23, /* the first number that is not known to be the kernel's */

	WK_PERF_HEADER_ATTR = 64,       /* perf's own begin here: no sample_id trailer */
	WK_PERF_HEADER_EVENT_TYPE = 65, /* out of use: perf skips it, wick's sections ride in it */
	WK_PERF_HEADER_TRACING_DATA = 66,
	WK_PERF_HEADER_BUILD_ID = 67,
	WK_PERF_FINISHED_ROUND = 68,
	WK_PERF_ID_INDEX = 69,
	WK_PERF_AUXTRACE = 71,
	WK_PERF_EVENT_UPDATE = 78,
	WK_PERF_HEADER_FEATURE = 80,
	WK_PERF_COMPRESSED = 81,
	WK_PERF_FINISHED_INIT = 82,
	WK_PERF_COMPRESSED2 = 83,
	WK_PERF_TYPES_END = 84,

	/* simpleperf's own: others have `misc` here, the upper half of the size. */
	WK_PERF_ANDROID_TYPES = 32768,
	WK_PERF_ANDROID_TYPES_END = 32800,
};

#define WK_PERF_EVENT_UPDATE_NAME 2

#define WK_PERF_MISC_CPUMODE       7u
#define WK_PERF_MISC_KERNEL        1u
#define WK_PERF_MISC_USER          2u
#define WK_PERF_MISC_HYPERVISOR    3u
#define WK_PERF_MISC_GUEST_KERNEL  4u
#define WK_PERF_MISC_GUEST_USER    5u
#define WK_PERF_MISC_MMAP_DATA     0x2000u
#define WK_PERF_MISC_COMM_EXEC     0x2000u
#define WK_PERF_MISC_FORK_EXEC     0x2000u
#define WK_PERF_MISC_MMAP_BUILD_ID 0x4000u
#define WK_PERF_MISC_LOST_BPF      0x8000u
#define WK_PERF_MISC_BUILD_ID_SIZE 0x8000u

#define WK_PERF_SAMPLE_IP           (1u << 0)
#define WK_PERF_SAMPLE_TID          (1u << 1)
#define WK_PERF_SAMPLE_TIME         (1u << 2)
#define WK_PERF_SAMPLE_ADDR         (1u << 3)
#define WK_PERF_SAMPLE_READ         (1u << 4)
#define WK_PERF_SAMPLE_CALLCHAIN    (1u << 5)
#define WK_PERF_SAMPLE_ID           (1u << 6)
#define WK_PERF_SAMPLE_CPU          (1u << 7)
#define WK_PERF_SAMPLE_PERIOD       (1u << 8)
#define WK_PERF_SAMPLE_STREAM_ID    (1u << 9)
#define WK_PERF_SAMPLE_RAW          (1u << 10)
#define WK_PERF_SAMPLE_BRANCH_STACK (1u << 11)
#define WK_PERF_SAMPLE_REGS_USER    (1u << 12)
#define WK_PERF_SAMPLE_STACK_USER   (1u << 13)
#define WK_PERF_SAMPLE_WEIGHT       (1u << 14)
#define WK_PERF_SAMPLE_DATA_SRC     (1u << 15)
#define WK_PERF_SAMPLE_IDENTIFIER   (1u << 16)
#define WK_PERF_SAMPLE_TRANSACTION  (1u << 17)
#define WK_PERF_SAMPLE_REGS_INTR    (1u << 18)
#define WK_PERF_SAMPLE_PHYS_ADDR    (1u << 19)
#define WK_PERF_SAMPLE_CGROUP       (1u << 21)
#define WK_PERF_SAMPLE_DATA_PAGE    (1u << 22)
#define WK_PERF_SAMPLE_CODE_PAGE    (1u << 23)
#define WK_PERF_SAMPLE_WEIGHT_PARTS (1u << 24) /* the weight is three numbers in one word */

#define WK_PERF_READ_ENABLED (1u << 0)
#define WK_PERF_READ_RUNNING (1u << 1)
#define WK_PERF_READ_ID      (1u << 2)
#define WK_PERF_READ_GROUP   (1u << 3)
#define WK_PERF_READ_LOST    (1u << 4)

#define WK_PERF_BRANCH_CALL_STACK (1u << 11)
#define WK_PERF_BRANCH_HW_INDEX   (1u << 17)
#define WK_PERF_BRANCH_COUNTERS   (1u << 19)

/* Numbers of bits in the attr's flags, counted as on a little-endian machine. */
#define WK_PERF_FLAG(bit)                   ((uint64_t)1 << (bit))
#define WK_PERF_FLAG_INHERIT                WK_PERF_FLAG(1)
#define WK_PERF_FLAG_EXCLUDE_USER           WK_PERF_FLAG(4)
#define WK_PERF_FLAG_EXCLUDE_KERNEL         WK_PERF_FLAG(5)
#define WK_PERF_FLAG_EXCLUDE_HV             WK_PERF_FLAG(6)
#define WK_PERF_FLAG_MMAP                   WK_PERF_FLAG(8)
#define WK_PERF_FLAG_COMM                   WK_PERF_FLAG(9)
#define WK_PERF_FLAG_FREQ                   WK_PERF_FLAG(10)
#define WK_PERF_FLAG_TASK                   WK_PERF_FLAG(13)
#define WK_PERF_FLAG_PRECISE_SHIFT          15 /* two bits */
#define WK_PERF_FLAG_SAMPLE_ID_ALL          WK_PERF_FLAG(18)
#define WK_PERF_FLAG_EXCLUDE_HOST           WK_PERF_FLAG(19)
#define WK_PERF_FLAG_EXCLUDE_GUEST          WK_PERF_FLAG(20)
#define WK_PERF_FLAG_EXCLUDE_CALLCHAIN_USER WK_PERF_FLAG(22)
#define WK_PERF_FLAG_MMAP2                  WK_PERF_FLAG(23)
#define WK_PERF_FLAG_COMM_EXEC              WK_PERF_FLAG(24)
#define WK_PERF_FLAG_USE_CLOCKID            WK_PERF_FLAG(25)
#define WK_PERF_FLAG_BUILD_ID               WK_PERF_FLAG(34)

/* Entries of a call chain from here up are markers, not addresses. */
#define WK_PERF_CONTEXT_LEAST  ((uint64_t)-4095)
#define WK_PERF_CONTEXT_KERNEL ((uint64_t)-128)
#define WK_PERF_CONTEXT_USER   ((uint64_t)-512)
#define WK_PERF_CONTEXT_DEFERRED ((uint64_t)-640) /* a cookie follows: the user part comes later   \
						   */

enum wk_perf_attr_type {
	WK_PERF_TYPE_HARDWARE = 0,
	WK_PERF_TYPE_SOFTWARE = 1,
	WK_PERF_TYPE_TRACEPOINT = 2,
	WK_PERF_TYPE_CACHE = 3,
	WK_PERF_TYPE_RAW = 4,
	WK_PERF_TYPE_BREAKPOINT = 5,
};

#define WK_PERF_HW_CPU_CYCLES 0
#define WK_PERF_HW_REF_CYCLES 9
#define WK_PERF_SW_CPU_CLOCK  0
#define WK_PERF_SW_TASK_CLOCK 1
#define WK_PERF_SW_DUMMY      9

enum wk_perf_feature {
	WK_PERF_FEATURE_TRACING_DATA = 1,
	WK_PERF_FEATURE_BUILD_ID = 2,
	WK_PERF_FEATURE_HOSTNAME = 3,
	WK_PERF_FEATURE_OSRELEASE = 4,
	WK_PERF_FEATURE_VERSION = 5,
	WK_PERF_FEATURE_ARCH = 6,
	WK_PERF_FEATURE_NRCPUS = 7,
	WK_PERF_FEATURE_CPUDESC = 8,
	WK_PERF_FEATURE_CPUID = 9,
	WK_PERF_FEATURE_TOTAL_MEM = 10,
	WK_PERF_FEATURE_CMDLINE = 11,
	WK_PERF_FEATURE_EVENT_DESC = 12,
	WK_PERF_FEATURE_CPU_TOPOLOGY = 13,
	WK_PERF_FEATURE_NUMA_TOPOLOGY = 14,
	WK_PERF_FEATURE_BRANCH_STACK = 15,
	WK_PERF_FEATURE_PMU_MAPPINGS = 16,
	WK_PERF_FEATURE_GROUP_DESC = 17,
	WK_PERF_FEATURE_AUXTRACE = 18,
	WK_PERF_FEATURE_STAT = 19,
	WK_PERF_FEATURE_CACHE = 20,
	WK_PERF_FEATURE_SAMPLE_TIME = 21,
	WK_PERF_FEATURE_MEM_TOPOLOGY = 22,
	WK_PERF_FEATURE_CLOCKID = 23,
	WK_PERF_FEATURE_DIR_FORMAT = 24,
	WK_PERF_FEATURE_BPF_PROG_INFO = 25,
	WK_PERF_FEATURE_BPF_BTF = 26,
	WK_PERF_FEATURE_COMPRESSED = 27,
	WK_PERF_FEATURE_CPU_PMU_CAPS = 28,
	WK_PERF_FEATURE_CLOCK_DATA = 29,
	WK_PERF_FEATURE_HYBRID_TOPOLOGY = 30,
	WK_PERF_FEATURE_PMU_CAPS = 31,
	WK_PERF_FEATURE_END = 32,            /* perf's own end here */
	WK_PERF_FEATURE_ANDROID_FIRST = 128, /* those of simpleperf */
	WK_PERF_FEATURE_ANDROID_FILES = 128,
	WK_PERF_FEATURE_ANDROID = 129,
	WK_PERF_FEATURE_ANDROID_END = 135,
};

/* The names of general events, shared so that a name read is a name that can be written. */
struct wk_perf_known_event {
	const char *name;
	uint32_t type;
	uint32_t config;
};

/* Ended by a NULL name. The first name of a (type, config) is the displayed one. */
extern const struct wk_perf_known_event wk_perf_known_events[];

/* Clocks by name ("CLOCK_MONOTONIC") and number; -1 or the empty text if unknown. */
int wk_perf_clock_id(struct wk_str name);
const char *wk_perf_clock_name(int id);

#endif
