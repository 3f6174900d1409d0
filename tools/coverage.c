/* Notes which code of a program ran, for tools/mutate.
 *
 * gcc -fsanitize-coverage=trace-pc calls this at the start of each basic block. A file in the
 * folder $WICK_COVERAGE is named like the program, is at least as large as its code and starts as
 * zeros. The byte of a block becomes 1 when the block runs. All processes of a test share the file,
 * and it is complete however they end. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

extern char __executable_start, etext;

static volatile unsigned char *ran;

static __attribute__((constructor(101))) void open_map(void)
{
	const char *folder = getenv("WICK_COVERAGE");
	size_t size_bytes = (size_t)(&etext - &__executable_start);
	char path[4096];
	void *at;
	int fd;

	if (!folder)
		return;
	snprintf(path, sizeof(path), "%s/%s", folder, program_invocation_short_name);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0) /* another program, or a test that gave up its rights */
		return;
	at = mmap(NULL, size_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	if (at == MAP_FAILED)
		abort();
	ran = at;
}

void __sanitizer_cov_trace_pc(void);
void __sanitizer_cov_trace_pc(void)
{
	if (ran)
		ran[(uintptr_t)__builtin_return_address(0) - (uintptr_t)&__executable_start] = 1;
}
