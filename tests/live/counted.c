/* counted FILE TYPE CONFIG WORK TIMES: does one thing so many times while the kernel counts an
 * event (perf_event_attr's type and config) of this process and its children.
 *
 * FILE gets the count, and the moments around its begin and its end in ns of CLOCK_MONOTONIC: what
 * happens between the second and the third was counted, and nothing before the first or behind the
 * fourth. A recorder is idle for a moment before and behind. */
#define _GNU_SOURCE /* CPU_SET */
#include <fcntl.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PAUSE_NS 50000000

static volatile uint64_t sink;

static void opens(int times)
{
	for (int i = 0; i < times; i++)
		close(open("/dev/null", O_RDONLY));
}

static void calls(int times)
{
	for (int i = 0; i < times; i++)
		(void)syscall(SYS_getppid);
}

static void faults(int times)
{
	size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE), size = (size_t)times * page_bytes;
	volatile char *pages =
		mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (pages == MAP_FAILED)
		_exit(1);
	madvise((void *)(size_t)pages, size, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < size; i += page_bytes)
		pages[i] = 1;
	munmap((void *)(size_t)pages, size);
}

static void end_child(pid_t child)
{
	if (child < 0 || waitpid(child, NULL, 0) < 0)
		_exit(1);
}

static void forks(int times)
{
	for (int i = 0; i < times; i++) {
		pid_t child = fork();

		if (child == 0)
			_exit(0);
		end_child(child);
	}
}

/* A byte goes to a child and back. */
static void turns(int times)
{
	int there[2], back[2];
	pid_t child;
	char byte = 0;

	if (pipe(there) != 0 || pipe(back) != 0)
		_exit(1);
	child = fork();
	if (child == 0) {
		while (times-- && read(there[0], &byte, 1) == 1 && write(back[1], &byte, 1) == 1)
			;
		_exit(0);
	}
	while (times-- && write(there[1], &byte, 1) == 1 && read(back[0], &byte, 1) == 1)
		;
	end_child(child);
}

static void moves(int times)
{
	cpu_set_t all, one;

	sched_getaffinity(0, sizeof(all), &all);
	for (int i = 0; i < times;)
		for (int cpu = 0; cpu < CPU_SETSIZE && i < times; cpu++) {
			if (!CPU_ISSET(cpu, &all))
				continue;
			CPU_ZERO(&one);
			CPU_SET(cpu, &one);
			sched_setaffinity(0, sizeof(one), &one);
			i++;
		}
	sched_setaffinity(0, sizeof(all), &all);
}

static void spins(int times)
{
	for (int i = 0; i < times; i++)
		for (int j = 0; j < 1000; j++)
			sink += (uint64_t)j;
}

static const struct {
	const char *name;
	void (*work)(int times);
} works[] = {
	{ "opens", opens }, { "calls", calls }, { "faults", faults }, { "forks", forks },
	{ "turns", turns }, { "moves", moves }, { "spins", spins },
};

static int open_counter(uint32_t type, uint64_t config)
{
	struct perf_event_attr attr = {
		.type = type,
		.size = sizeof(attr),
		.config = config,
		.disabled = 1,
		.inherit = 1,
	};

	return (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void be_idle(void)
{
	const struct timespec pause = { .tv_nsec = PAUSE_NS };

	nanosleep(&pause, NULL);
}

int main(int argc, char **argv)
{
	uint64_t moment[4], count = 0;
	void (*work)(int) = NULL;
	FILE *file;
	int fd;

	for (size_t i = 0; argc == 6 && i < sizeof(works) / sizeof(works[0]); i++)
		if (strcmp(argv[4], works[i].name) == 0)
			work = works[i].work;
	fd = work ? open_counter((uint32_t)atoi(argv[2]), strtoull(argv[3], NULL, 0)) : -1;
	if (fd < 0)
		return 2;
	be_idle();
	moment[0] = now_ns();
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	moment[1] = now_ns();
	work(atoi(argv[5]));
	moment[2] = now_ns();
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	moment[3] = now_ns();
	be_idle();
	file = fopen(argv[1], "w");
	if (!file || read(fd, &count, sizeof(count)) != (ssize_t)sizeof(count))
		return 1;
	fprintf(file, "%" PRIu64, count);
	for (int i = 0; i < 4; i++)
		fprintf(file, " %" PRIu64, moment[i]);
	fprintf(file, "\n");
	return fclose(file) != 0;
}
