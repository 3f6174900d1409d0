#include "stages/process_memory.h"

#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "os/os.h"

#define PAGE_BYTES 4096
#define PAGES      256

struct page {
	uint64_t address;
	uint32_t pid;
	uint8_t bytes[PAGE_BYTES];
};

struct wk_process_memory {
	struct page pages[PAGES];
};

struct wk_process_memory *wk_process_memory_new(void)
{
	return wk_alloc_zeroed(1, sizeof(struct wk_process_memory));
}

void wk_process_memory_free(struct wk_process_memory *memory)
{
	wk_free(memory);
}

size_t wk_process_memory_read(struct wk_process_memory *memory, uint32_t pid, uint64_t address,
			      void *bytes, size_t size)
{
	struct page *page = &memory->pages[wk_hash_pair(address, pid) % PAGES];
	size_t count = wk_os_read_process(pid, address, bytes, size);

	if (size != PAGE_BYTES)
		return count;
	if (count == size) {
		page->address = address;
		page->pid = pid;
		memcpy(page->bytes, bytes, size);
	} else if (count == 0 && page->address == address && page->pid == pid) {
		memcpy(bytes, page->bytes, size);
		count = size;
	}
	return count;
}
