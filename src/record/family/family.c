#include "record/family/family.h"

#include <errno.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/num.h"
#include "os/os.h"
#include "record/tracefs.h"

#define FORK           "sched_process_fork"
#define MOST_PROCESSES 65536 /* and threads; those that were idle for longest are forgotten */

/* /proc/self/ns/pid there: PROC_PID_INIT_INO of linux/proc_ns.h */
#define FIRST_PID_NAMESPACE "pid:[4026531836]"

/* Instructions by the names of linux/bpf.h: operation, registers, offset and number. */
#define INSN(operation, to, from, offset, number)                                                         \
	{ .code = (operation), .dst_reg = (to), .src_reg = (from), .off = (offset), .imm = (number) }
#define INSN_SET(to, number)        INSN(BPF_ALU64 | BPF_MOV | BPF_K, to, 0, 0, number)
#define INSN_COPY(to, from)         INSN(BPF_ALU64 | BPF_MOV | BPF_X, to, from, 0, 0)
#define INSN_ADD(to, number)        INSN(BPF_ALU64 | BPF_ADD | BPF_K, to, 0, 0, number)
#define INSN_HIGH_HALF(to)          INSN(BPF_ALU64 | BPF_RSH | BPF_K, to, 0, 0, 32)
#define INSN_LOAD(to, from, offset) INSN(BPF_LDX | BPF_MEM | BPF_W, to, from, offset, 0)
#define INSN_STORE(offset, from)    INSN(BPF_STX | BPF_MEM | BPF_W, BPF_REG_10, from, offset, 0)
#define INSN_IF_ZERO(reg, skipped)  INSN(BPF_JMP | BPF_JEQ | BPF_K, reg, 0, skipped, 0)
#define INSN_CALL(function)         INSN(BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_##function)
#define INSN_EXIT()                 INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0)
#define INSN_TABLE(to, fd)                                                                              \
	INSN(BPF_LD | BPF_DW | BPF_IMM, to, BPF_PSEUDO_MAP_FD, 0, fd), INSN(0, 0, 0, 0, 0)

/* Register 0 is the place of the running process in the table, or 0. */
#define INSN_FIND_PROCESS(table)                                                                        \
	INSN_CALL(get_current_pid_tgid), INSN_HIGH_HALF(BPF_REG_0), INSN_STORE(-4, BPF_REG_0),                    \
		INSN_COPY(BPF_REG_2, BPF_REG_10), INSN_ADD(BPF_REG_2, -4), INSN_TABLE(BPF_REG_1, table),          \
		INSN_CALL(map_lookup_elem)

#define COUNT(program) (sizeof(program) / sizeof((program)[0]))

static int bpf(enum bpf_cmd command, union bpf_attr *attr)
{
	return (int)syscall(SYS_bpf, command, attr, sizeof(*attr));
}

static int load(enum bpf_prog_type type, const struct bpf_insn *program, size_t count)
{
	union bpf_attr attr = { .prog_type = type, .insn_cnt = (uint32_t)count,
				.insns = (uint64_t)(uintptr_t)program,
				.license = (uint64_t)(uintptr_t) "MIT" };

	return bpf(BPF_PROG_LOAD, &attr);
}

static int make_table(void)
{
	union bpf_attr attr = { .map_type = BPF_MAP_TYPE_LRU_HASH, .key_size = sizeof(uint32_t),
				.value_size = sizeof(uint32_t), .max_entries = MOST_PROCESSES };

	return bpf(BPF_MAP_CREATE, &attr);
}

/* Samples whose program gives 0 are dropped. */
static int load_filter(int table)
{
	const struct bpf_insn program[] = { INSN_FIND_PROCESS(table), INSN_IF_ZERO(BPF_REG_0, 1),
					    INSN_SET(BPF_REG_0, 1), INSN_EXIT() };

	return load(BPF_PROG_TYPE_PERF_EVENT, program, COUNT(program));
}

/* Adds what the family starts, and removes what others start: its number may be that of one that
 * ended. Threads are added as well, by numbers that no process has meanwhile. */
static int load_fork(int table, unsigned child_at)
{
	const struct bpf_insn program[] = {
		INSN_COPY(BPF_REG_6, BPF_REG_1),
		INSN_FIND_PROCESS(table),
		INSN_COPY(BPF_REG_7, BPF_REG_0),
		INSN_LOAD(BPF_REG_1, BPF_REG_6, (int16_t)child_at),
		INSN_STORE(-4, BPF_REG_1),
		INSN_STORE(-8, BPF_REG_1),
		INSN_COPY(BPF_REG_2, BPF_REG_10),
		INSN_ADD(BPF_REG_2, -4),
		INSN_TABLE(BPF_REG_1, table),
		INSN_IF_ZERO(BPF_REG_7, 6),
		INSN_COPY(BPF_REG_3, BPF_REG_10),
		INSN_ADD(BPF_REG_3, -8),
		INSN_SET(BPF_REG_4, BPF_ANY),
		INSN_CALL(map_update_elem),
		INSN_SET(BPF_REG_0, 0),
		INSN_EXIT(),
		INSN_CALL(map_delete_elem),
		INSN_SET(BPF_REG_0, 0),
		INSN_EXIT(),
	};

	return load(BPF_PROG_TYPE_TRACEPOINT, program, COUNT(program));
}

bool wk_family_field(struct wk_str format, const char *name, unsigned *offset)
{
	struct wk_str left = format;

	while (left.len) {
		struct wk_str line = wk_str_cut(&left, '\n'), declared = wk_str_cut(&line, ';');
		char type[32], field[32];
		unsigned size;

		if (declared.len >= sizeof(type) + sizeof(field) ||
		    sscanf(declared.at, " field:%31s %31[a-z_]", type, field) != 2 ||
		    strcmp(field, name) != 0)
			continue;
		return sscanf(line.at, " offset:%u; size:%u", offset, &size) == 2 && size == 4 &&
		       *offset < 256;
	}
	return false;
}

static bool find_child(const char *root, unsigned *offset)
{
	struct wk_buf text = { 0 };
	char path[256];
	bool ok;

	snprintf(path, sizeof(path), "%s/events/sched/" FORK "/format", root);
	ok = wk_os_read_small(path, &text) &&
	     wk_family_field(wk_buf_str(&text), "child_pid", offset);
	wk_buf_fini(&text);
	return ok;
}

/* Whichever CPU the event is of, the program runs on all. */
static int run_at_forks(uint64_t id, int program)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_TRACEPOINT, .size = sizeof(attr),
					.config = id, .sample_period = 1,
					.wakeup_events = UINT32_MAX };
	int fd;

	if (program < 0)
		return -1;
	fd = (int)syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd >= 0 && (ioctl(fd, PERF_EVENT_IOC_SET_BPF, program) != 0 ||
			ioctl(fd, PERF_EVENT_IOC_ENABLE, 0) != 0)) {
		close(fd);
		fd = -1;
	}
	return fd;
}

static bool is_first_namespace(void)
{
	char name[64] = "";

	return readlink("/proc/self/ns/pid", name, sizeof(name) - 1) > 0 &&
	       strcmp(name, FIRST_PID_NAMESPACE) == 0;
}

bool wk_family_open(struct wk_family *family)
{
	const char *root = is_first_namespace() ? wk_tracefs_root(NULL) : NULL;
	unsigned child_at;
	uint64_t id;

	*family = (struct wk_family){ -1, -1, -1, -1 };
	if (!root || !find_child(root, &child_at) ||
	    !wk_tracepoint_id_at(root, "sched", FORK, &id, NULL))
		return false;
	/* From here on nothing is allocated: these are known to be open only when all are. */
	family->table = make_table();
	if (family->table >= 0) {
		family->filter = load_filter(family->table);
		family->fork = load_fork(family->table, child_at);
		family->fork_event = run_at_forks(id, family->fork);
	}
	if (family->filter >= 0 && family->fork_event >= 0)
		return true;
	wk_family_close(family);
	return false;
}

bool wk_family_add(const struct wk_family *family, pid_t pid)
{
	uint32_t key = (uint32_t)pid, value = key;
	union bpf_attr attr = { .map_fd = (uint32_t)family->table,
				.key = (uint64_t)(uintptr_t)&key,
				.value = (uint64_t)(uintptr_t)&value };

	return bpf(BPF_MAP_UPDATE_ELEM, &attr) == 0;
}

bool wk_family_filter(const struct wk_family *family, int perf_event)
{
	return ioctl(perf_event, PERF_EVENT_IOC_SET_BPF, family->filter) == 0;
}

void wk_family_close(struct wk_family *family)
{
	int *fds[] = { &family->fork_event, &family->fork, &family->filter, &family->table };

	for (size_t i = 0; i < sizeof(fds) / sizeof(fds[0]); i++) {
		if (*fds[i] >= 0)
			close(*fds[i]);
		*fds[i] = -1;
	}
}
