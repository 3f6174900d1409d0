/* Unwinds a real program's stacks and says how well and how fast.
 *
 *	unwind [-n SAMPLES] [-s STACK_BYTES] [-v[v]] COMMAND [ARGUMENT...]
 *
 * Runs the command, stops its threads at odd moments, and takes registers and a copy of the
 * stack of each: what a recorder is handed by the kernel. All are walked as they come, which
 * tells the share that reach a root and the mean depth; then again, many times over, with
 * everything compiled and cached, which tells the speed of the walker alone. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "symbols/unwind/unwind.h"

#define CHAIN_CAP 20000

struct image {
	char *path;
	struct wk_obj *obj;
	struct wk_unwind_table *table;
};

struct mapping {
	uint64_t start, end, file_offset;
	size_t image;
};

struct snapshot {
	struct wk_event_stack stack;
};

struct bench {
	pid_t pid;
	struct image *images;
	size_t image_count, image_cap;
	struct mapping *mappings;
	size_t mapping_count, mapping_cap;
	uint64_t space;
	struct snapshot *snapshots;
	size_t snapshot_count, snapshot_cap;
	size_t wanted, stack_bytes;
	int is_verbose; /* 1: shows stacks without a root, 2: all */
};

static size_t open_image(struct bench *bench, const char *path)
{
	struct image image = { .path = wk_strndup(path, strlen(path)) };
	char through[4200];
	struct stat status;
	void *at;
	int fd;

	for (size_t i = 0; i < bench->image_count; i++)
		if (strcmp(bench->images[i].path, path) == 0) {
			wk_free(image.path);
			return i;
		}
	snprintf(through, sizeof(through), "/proc/%d/root%s", (int)bench->pid, path);
	fd = open(through, O_RDONLY | O_CLOEXEC);
	if (fd >= 0 && fstat(fd, &status) == 0 && status.st_size > 0) {
		at = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
		if (at != MAP_FAILED)
			image.obj = wk_obj_parse(at, (size_t)status.st_size, NULL);
	}
	if (fd >= 0)
		close(fd);
	if (image.obj)
		image.table = wk_unwind_table_new(image.obj, NULL);
	bench->images =
		wk_grow(bench->images, &bench->image_cap, bench->image_count + 1, sizeof(image));
	bench->images[bench->image_count] = image;
	return bench->image_count++;
}

static void read_maps(struct bench *bench)
{
	char name[64], line[4400];
	FILE *maps;

	snprintf(name, sizeof(name), "/proc/%d/maps", (int)bench->pid);
	maps = fopen(name, "r");
	bench->mapping_count = 0;
	bench->space++;
	while (maps && fgets(line, sizeof(line), maps)) {
		struct mapping m = { 0 };
		char rights[8], path[4200] = "";

		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64 " %*s %*s %4199[^\n]",
			   &m.start, &m.end, rights, &m.file_offset, path) < 4 ||
		    rights[2] != 'x')
			continue;
		m.image = open_image(bench, path);
		bench->mappings = wk_grow(bench->mappings, &bench->mapping_cap,
					  bench->mapping_count + 1, sizeof(m));
		bench->mappings[bench->mapping_count++] = m;
	}
	if (maps)
		fclose(maps);
}

static bool find_image(void *context, uint64_t address, struct wk_unwind_image *image)
{
	struct bench *bench = context;

	for (size_t i = 0; i < bench->mapping_count; i++) {
		const struct mapping *m = &bench->mappings[i];
		const struct image *file = &bench->images[m->image];
		uint64_t vaddr;

		if (address < m->start || address >= m->end)
			continue;
		*image = (struct wk_unwind_image){ file->table, m->start, m->end, m->start };
		if (file->obj &&
		    wk_obj_vaddr_of(file->obj, address - m->start + m->file_offset, &vaddr))
			image->bias = address - vaddr;
		return true;
	}
	return false;
}

static void registers_of(const struct user_regs_struct *regs, struct wk_event_stack *stack)
{
	const uint64_t values[] = { regs->rax, regs->rdx, regs->rcx, regs->rbx, regs->rsi, regs->rdi,
				    regs->rbp, regs->rsp, regs->r8, regs->r9, regs->r10, regs->r11,
				    regs->r12, regs->r13, regs->r14, regs->r15, regs->rip };

	stack->machine = WK_MACHINE_X86_64;
	stack->valid = (1u << 17) - 1;
	memcpy(stack->value, values, sizeof(values));
}

/* Stops one thread, takes its registers and stack, lets it go on. */
static bool take_snapshot(struct bench *bench, pid_t tid)
{
	struct user_regs_struct regs;
	struct snapshot shot = { 0 };
	uint8_t *copy;
	ssize_t got;
	int status;

	if (ptrace(PTRACE_INTERRUPT, tid, NULL, NULL) != 0)
		return false;
	if (waitpid(tid, &status, __WALL) != tid || !WIFSTOPPED(status))
		return false;
	if (ptrace(PTRACE_GETREGS, tid, NULL, &regs) != 0)
		return false;
	registers_of(&regs, &shot.stack);
	copy = wk_alloc(bench->stack_bytes);
	for (size_t size = bench->stack_bytes; size >= 64; size -= size > 4096 ? 4096 : 64) {
		struct iovec to = { copy, size }, from = { (void *)regs.rsp, size };

		got = process_vm_readv(bench->pid, &to, 1, &from, 1, 0);
		if (got > 0) {
			shot.stack.size_bytes = (size_t)got;
			break;
		}
	}
	shot.stack.bytes = copy;
	shot.stack.is_full = shot.stack.size_bytes == bench->stack_bytes;
	bench->snapshots = wk_grow(bench->snapshots, &bench->snapshot_cap,
				   bench->snapshot_count + 1, sizeof(shot));
	bench->snapshots[bench->snapshot_count++] = shot;
	if (WSTOPSIG(status) != SIGTRAP)
		return ptrace(PTRACE_CONT, tid, NULL, (void *)(uintptr_t)WSTOPSIG(status)) == 0;
	return ptrace(PTRACE_CONT, tid, NULL, NULL) == 0;
}

/* One round over the threads there are now. */
static bool take_round(struct bench *bench)
{
	char name[64];
	struct dirent *entry;
	DIR *tasks;
	bool ok = false;

	snprintf(name, sizeof(name), "/proc/%d/task", (int)bench->pid);
	tasks = opendir(name);
	while (tasks && (entry = readdir(tasks))) {
		pid_t tid = atoi(entry->d_name);

		if (tid <= 0)
			continue;
		if (ptrace(PTRACE_SEIZE, tid, NULL, NULL) != 0 && errno == ESRCH)
			continue;
		ok |= take_snapshot(bench, tid);
	}
	if (tasks)
		closedir(tasks);
	return ok;
}

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Each address as image and virtual address in it, which disassemblers print. */
static void show_chain(struct bench *bench, const uint64_t *chain, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct wk_unwind_image image = { 0 };
		const char *path = "?";

		for (size_t m = 0; m < bench->mapping_count; m++)
			if (chain[i] >= bench->mappings[m].start &&
			    chain[i] < bench->mappings[m].end)
				path = bench->images[bench->mappings[m].image].path;
		find_image(bench, chain[i], &image);
		printf("\t%2zu %#" PRIx64 " %s\n", i, chain[i] - image.bias, path);
	}
}

static void walk_fresh(struct bench *bench, struct wk_unwinder *unwinder, uint64_t *chain)
{
	static const char *const names[] = { "root", "cut", "broken", "full" };
	size_t ends[4] = { 0 }, frames = 0;

	for (size_t i = 0; i < bench->snapshot_count; i++) {
		enum wk_unwind_end end;
		size_t count =
			wk_unwind(unwinder, &bench->snapshots[i].stack, chain, CHAIN_CAP, &end);

		ends[end]++;
		frames += count;
		if (bench->is_verbose > (end == WK_UNWIND_ROOT)) {
			printf("%s\n", names[end]);
			show_chain(bench, chain, count);
		}
	}
	printf("stacks: %zu\n", bench->snapshot_count);
	printf("reaching a root: %.2f %%\n",
	       100.0 * (double)ends[WK_UNWIND_ROOT] / (double)bench->snapshot_count);
	printf("cut: %zu, broken: %zu\n", ends[WK_UNWIND_CUT], ends[WK_UNWIND_BROKEN]);
	printf("mean depth: %.2f\n", (double)frames / (double)bench->snapshot_count);
}

static void walk_warm(struct bench *bench, struct wk_unwinder *unwinder, uint64_t *chain)
{
	double start = seconds(), taken;
	uint64_t frames = 0;

	do {
		for (size_t i = 0; i < bench->snapshot_count; i++) {
			enum wk_unwind_end end;

			frames += wk_unwind(unwinder, &bench->snapshots[i].stack, chain, CHAIN_CAP,
					    &end);
		}
		taken = seconds() - start;
	} while (taken < 1);
	printf("million frames a second, warm: %.1f\n", (double)frames / taken / 1e6);
}

static void measure(struct bench *bench)
{
	uint64_t *chain = wk_alloc(CHAIN_CAP * sizeof(*chain));
	struct wk_unwinder *unwinder = wk_unwinder_new(find_image, bench);

	wk_unwinder_set_space(unwinder, bench->space);
	walk_fresh(bench, unwinder, chain);
	walk_warm(bench, unwinder, chain);
	wk_unwinder_free(unwinder);
	wk_free(chain);
}

static pid_t launch(char **command)
{
	pid_t pid = fork();

	if (pid == 0) {
		int null = open("/dev/null", O_WRONLY);

		dup2(null, STDOUT_FILENO);
		execvp(command[0], command);
		_exit(127);
	}
	return pid;
}

static void fini(struct bench *bench)
{
	for (size_t i = 0; i < bench->snapshot_count; i++)
		wk_free((void *)bench->snapshots[i].stack.bytes);
	for (size_t i = 0; i < bench->image_count; i++) {
		wk_unwind_table_free(bench->images[i].table);
		wk_obj_free(bench->images[i].obj);
		wk_free(bench->images[i].path);
	}
	wk_free(bench->snapshots);
	wk_free(bench->images);
	wk_free(bench->mappings);
}

int main(int argc, char **argv)
{
	struct bench bench = { .wanted = 1000, .stack_bytes = 64 * 1024 };
	int option;

	while ((option = getopt(argc, argv, "+n:s:v")) != -1) {
		if (option == 'n')
			bench.wanted = strtoul(optarg, NULL, 10);
		else if (option == 's')
			bench.stack_bytes = strtoul(optarg, NULL, 10) & ~(size_t)7;
		else if (option == 'v')
			bench.is_verbose++;
		else
			return 2;
	}
	if (optind == argc || bench.stack_bytes < 64)
		return 2;
	bench.pid = launch(argv + optind);
	usleep(300000);
	while (bench.snapshot_count < bench.wanted && take_round(&bench))
		usleep(1000 + (useconds_t)rand() % 700);
	read_maps(&bench);
	kill(bench.pid, SIGKILL);
	if (!bench.snapshot_count || !bench.mapping_count) {
		fprintf(stderr, "unwind: the command ended before it was looked at\n");
		return 1;
	}
	measure(&bench);
	fini(&bench);
	return 0;
}
