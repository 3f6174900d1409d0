#include "stages/process_memory.h"

#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "os/os.h"

#define PAGE_BYTES 4096
#define SETS       32
#define WAYS       8

struct page {
	uint64_t address;
	uint32_t pid;
	uint8_t bytes[PAGE_BYTES];
};

/* Pages whose addresses hash to the same number. A page that is read again stays where it is. */
struct set {
	struct page pages[WAYS];
	unsigned oldest;
};

struct wk_process_memory {
	struct set *sets[SETS]; /* NULL: unused */
};

struct wk_process_memory *wk_process_memory_new(void)
{
	return wk_alloc_zeroed(1, sizeof(struct wk_process_memory));
}

void wk_process_memory_free(struct wk_process_memory *memory)
{
	for (size_t i = 0; memory && i < SETS; i++)
		wk_free(memory->sets[i]);
	wk_free(memory);
}

static struct page *find(struct set *set, uint32_t pid, uint64_t address)
{
	for (unsigned i = 0; i < WAYS; i++) {
		if (set->pages[i].address == address && set->pages[i].pid == pid)
			return &set->pages[i];
	}
	return NULL;
}

static void keep(struct set *set, uint32_t pid, uint64_t address, const void *bytes)
{
	struct page *page = find(set, pid, address);

	if (!page) {
		page = &set->pages[set->oldest];
		set->oldest = (set->oldest + 1) % WAYS;
	}
	page->address = address;
	page->pid = pid;
	memcpy(page->bytes, bytes, PAGE_BYTES);
}

size_t wk_process_memory_read(struct wk_process_memory *memory, uint32_t pid, uint64_t address,
			      void *bytes, size_t size)
{
	struct set **place = &memory->sets[wk_hash_pair(address, pid) % SETS];
	size_t count = wk_os_read_process(pid, address, bytes, size);
	const struct page *page;

	if (size != PAGE_BYTES)
		return count;
	if (count == size) {
		if (!*place)
			*place = wk_alloc_zeroed(1, sizeof(**place));
		keep(*place, pid, address, bytes);
	} else if (count == 0 && *place && (page = find(*place, pid, address)) != NULL) {
		memcpy(bytes, page->bytes, size);
		count = size;
	}
	return count;
}
