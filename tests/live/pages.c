/* pages COUNT: touches so many pages for the first time, one by one: as many page faults. */
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	size_t count = argc > 1 ? (size_t)atoi(argv[1]) : 1000;
	size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	volatile char *pages = mmap(NULL, count * page_bytes, PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (pages == MAP_FAILED)
		return 1;
	madvise((void *)(size_t)pages, count * page_bytes, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < count; i++)
		pages[i * page_bytes] = 1;
	return 0;
}
