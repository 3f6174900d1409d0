/* Hooks in a process that has loaded this library later: its calls are bound to the allocator
 * already. The places that hold those bindings, which are in each loaded file, get the hooks. */
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>

#include "preload/hooks.h"
#include "preload/internal.h"
#include "preload/real.h"

#if defined(__x86_64__)
#define R_FUNCTION R_X86_64_JUMP_SLOT
#define R_POINTER  R_X86_64_GLOB_DAT
#define R_WORD     R_X86_64_64
#else
#define R_FUNCTION R_AARCH64_JUMP_SLOT
#define R_POINTER  R_AARCH64_GLOB_DAT
#define R_WORD     R_AARCH64_ABS64
#endif

struct hook {
	const char *name;
	void *hook;
	void *real; /* what the program calls; NULL: there is no such function */
};

static struct hook hooks[] = {
#define HOOKED(function) { #function, (void *)wk_hook_##function, NULL }
	HOOKED(malloc),         HOOKED(calloc),         HOOKED(realloc),
	HOOKED(reallocarray),   HOOKED(free),           HOOKED(posix_memalign),
	HOOKED(aligned_alloc),  HOOKED(memalign),       HOOKED(valloc),
	HOOKED(pvalloc),        HOOKED(cfree),          HOOKED(free_sized),
	HOOKED(dlclose),        HOOKED(free_aligned_sized),
	HOOKED(mmap),           HOOKED(mmap64),         HOOKED(munmap),
	HOOKED(mremap),         HOOKED(mprotect),       HOOKED(pkey_mprotect),
	HOOKED(madvise),        HOOKED(brk),            HOOKED(sbrk),
#undef HOOKED
};

bool wk_heap_is_late;
static unsigned long long patched_adds; /* how often the loader had loaded something then */
static _Atomic uint32_t lock;

struct file {
	uintptr_t base, from, to;
	uintptr_t sealed_from, sealed_to; /* pages that are read-only after relocation */
	const ElfW(Sym) * symbols;
	const char *names;
	const ElfW(Rela) * tables[2];
	size_t bytes[2];
};

static const struct hook *hook_of(const char *name)
{
	for (size_t i = 0; i < sizeof(hooks) / sizeof(*hooks); i++)
		if (hooks[i].real && strcmp(hooks[i].name, name) == 0)
			return &hooks[i];
	return NULL;
}

/* Whole pages, as the loader has sealed them. */
static bool is_sealed(const struct file *file, uintptr_t slot)
{
	return slot >= file->sealed_from && slot < file->sealed_to;
}

static bool write_slot(const struct file *file, uintptr_t slot, void *hook)
{
	void *page = (void *)(slot & ~(uintptr_t)(WK_CHANNEL_PAGE - 1));

	if (is_sealed(file, slot) && mprotect(page, WK_CHANNEL_PAGE, PROT_READ | PROT_WRITE) != 0)
		return false;
	__atomic_store_n((void **)slot, hook, __ATOMIC_RELEASE);
	if (is_sealed(file, slot))
		mprotect(page, WK_CHANNEL_PAGE, PROT_READ);
	return true;
}

/* A binding to something else is left alone. One that was not needed yet
 * leads into the file itself. */
static int patch_slot(const struct file *file, const ElfW(Rela) * entry)
{
	unsigned long type = ELF64_R_TYPE(entry->r_info);
	uintptr_t slot = file->base + entry->r_offset, now;
	const struct hook *hook;

	if ((type != R_FUNCTION && type != R_POINTER && type != R_WORD) || slot < file->from ||
	    slot + sizeof(now) > file->to)
		return 0;
	hook = hook_of(file->names + file->symbols[ELF64_R_SYM(entry->r_info)].st_name);
	if (!hook)
		return 0;
	now = __atomic_load_n((uintptr_t *)slot, __ATOMIC_RELAXED);
	if (now != (uintptr_t)hook->real &&
	    (type != R_FUNCTION || now < file->from || now >= file->to))
		return 0;
	return write_slot(file, slot, hook->hook);
}

static void take_segments(struct file *file, const struct dl_phdr_info *info,
			  const ElfW(Dyn) * *dynamic)
{
	uintptr_t page = WK_CHANNEL_PAGE - 1;

	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *part = &info->dlpi_phdr[i];
		uintptr_t at = info->dlpi_addr + part->p_vaddr, end = at + part->p_memsz;

		if (part->p_type == PT_DYNAMIC)
			*dynamic = (const ElfW(Dyn) *)at;
		if (part->p_type == PT_GNU_RELRO) {
			file->sealed_from = at & ~page;
			file->sealed_to = end & ~page;
		}
		if (part->p_type != PT_LOAD)
			continue;
		if (!file->to || at < file->from)
			file->from = at;
		if (end > file->to)
			file->to = end;
	}
}

static uintptr_t address_of(const struct file *file, uintptr_t value)
{
	return value < file->base ? value + file->base : value;
}

static void take_tables(struct file *file, const ElfW(Dyn) * dynamic)
{
	for (; dynamic->d_tag != DT_NULL; dynamic++) {
		uintptr_t value = dynamic->d_un.d_ptr;

		if (dynamic->d_tag == DT_SYMTAB)
			file->symbols = (const ElfW(Sym) *)address_of(file, value);
		else if (dynamic->d_tag == DT_STRTAB)
			file->names = (const char *)address_of(file, value);
		else if (dynamic->d_tag == DT_RELA)
			file->tables[0] = (const ElfW(Rela) *)address_of(file, value);
		else if (dynamic->d_tag == DT_RELASZ)
			file->bytes[0] = value;
		else if (dynamic->d_tag == DT_JMPREL)
			file->tables[1] = (const ElfW(Rela) *)address_of(file, value);
		else if (dynamic->d_tag == DT_PLTRELSZ)
			file->bytes[1] = value;
	}
}

/* The loader and the kernel's page have no such calls; this library's own are not to be recorded.
 */
static bool is_left_alone(const struct file *file, const char *name)
{
	uintptr_t self = (uintptr_t)hooks;

	return (self >= file->from && self < file->to) || strstr(name, "/ld-linux") ||
	       strstr(name, "linux-vdso");
}

static int patch_file(struct dl_phdr_info *info, size_t size, void *context)
{
	struct file file = { .base = info->dlpi_addr };
	const ElfW(Dyn) *dynamic = NULL;
	int *count = context;

	(void)size;
	patched_adds = info->dlpi_adds;
	take_segments(&file, info, &dynamic);
	if (!dynamic || is_left_alone(&file, info->dlpi_name ? info->dlpi_name : ""))
		return 0;
	take_tables(&file, dynamic);
	for (int i = 0; i < 2 && file.symbols && file.names; i++)
		for (size_t k = 0; file.tables[i] && k < file.bytes[i] / sizeof(ElfW(Rela)); k++)
			*count += patch_slot(&file, &file.tables[i][k]);
	return 0;
}

static int patch(void)
{
	int count = 0;

	if (atomic_exchange(&lock, 1))
		return 0;
	dl_iterate_phdr(patch_file, &count);
	atomic_store(&lock, 0);
	return count;
}

static int take_adds(struct dl_phdr_info *info, size_t size, void *context)
{
	(void)size;
	*(unsigned long long *)context = info->dlpi_adds;
	return 1;
}

void wk_heap_patch_new(void)
{
	unsigned long long adds = 0;

	dl_iterate_phdr(take_adds, &adds);
	if (adds != patched_adds)
		patch();
}

/* The recorder lets a thread call this, once the library is loaded. How many places were found; 0
 * if there is no need for it: the library was there from the start. */
HOOK void wick_heap_library_patch_2(uint64_t *count);
HOOK void wick_heap_library_patch_2(uint64_t *count)
{
	uint32_t before = wk_heap_busy;
	void *volatile block;

	*count = 0;
	wk_heap_busy = WK_HEAP_IN_LIBRARY;
	if (!wk_real_is_found()) {
		wk_heap_is_late = true;
		for (size_t i = 0; i < sizeof(hooks) / sizeof(*hooks); i++)
			hooks[i].real = wk_real_find(hooks[i].name);
		block = wk_hook_malloc(1); /* the hooks find what they call */
		wk_hook_free(block);
		*count = (uint64_t)patch();
	}
	wk_heap_busy = before;
}
