/* Functions of allocators that are recorded by changing how they begin (channel/patch.h).
 *
 * Each gets a slot in memory near its file: the code that leads to wk_patched_entry, and the code
 * that does what its first instructions did, by which the real function is called. On the stack the
 * real function then has wk_patched_entry as its caller, which unwinding passes: an exception may
 * leave it. What it calls itself is not recorded. */
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "preload/hooks.h"
#include "preload/internal.h"
#include "preload/real.h"

#define SLOT_BYTES 128u
#define CODE_AT    32u /* in a slot */

#define JUMP 0xe9 /* to a distance of four bytes */

#define SHADOW_STACK_STATUS 0x5005 /* ARCH_SHSTK_STATUS, since Linux 6.6 */

#define WORDS 4 /* of a caller's stack that may be arguments */

#define RIGHTS     (PROT_READ | PROT_EXEC)
#define PAGE       ((uintptr_t)WK_CHANNEL_PAGE)
#define NEAR_STEP  ((uintptr_t)64 << 10)
#define NEAR_STEPS 64u
#define FAR_STEP   ((uintptr_t)4 << 20)
#define FAR_STEPS  128u /* half a GiB: the file itself may be as large */

struct wk_patched {
	uintptr_t real; /* first: patched_x86_64.S uses it */
	uintptr_t at, slot;
	uint32_t call;     /* enum wk_allocator_call */
	uint32_t function; /* enum wk_heap_function */
	bool is_wanted;    /* in this recording */
	bool is_filled;    /* its slot is; the function does not lead there yet */
};

struct wk_channel_patch wk_patch_list[WK_CHANNEL_PATCHES];
__thread uintptr_t wk_patched_frame WK_INITIAL_EXEC;

static uint64_t list_count;
static struct wk_patched all[2 * WK_CHANNEL_PATCHES]; /* never moved: code refers to them */
static uint32_t count;
static unsigned long long seen_adds; /* how often the loader had loaded something then */
static uint32_t not_patched;         /* of all files, when they were looked at last */
static _Atomic uint32_t lock;

/* Both registers: some functions also return how large the block is. */
struct wk_patched_result {
	uintptr_t first, second;
};

/* Also in the assembler's file. */
void wk_patched_entry(void);
struct wk_patched_result wk_patched_call(uintptr_t a, uintptr_t b, uintptr_t c, uintptr_t d,
					 uintptr_t e, uintptr_t f, const struct wk_patched *patched,
					 const uintptr_t *frame);
int wk_patched_personality(int version, int actions, uint64_t class, void *exception,
			   void *context);

/* ---- calls */

struct call {
	const struct wk_patched *patched;
	const uintptr_t *frame; /* of wk_patched_entry, below its return address */
	uintptr_t arguments[6];
};

static inline void end_call(void)
{
	wk_patched_frame = 0;
	wk_heap_busy &= ~(uint32_t)WK_HEAP_IN_ALLOCATOR;
}

/* An exception passes: the cleanup phase (2) of the unwinder, which goes on (8). */
__attribute__((used)) int wk_patched_personality(int version, int actions, uint64_t class,
						 void *exception, void *context)
{
	(void)version;
	(void)class;
	(void)exception;
	(void)context;
	if (actions & 2)
		end_call();
	return 8;
}

static __attribute__((noinline)) void copy_words(const uintptr_t *from, uintptr_t *to)
{
	static __thread uintptr_t known WK_INITIAL_EXEC; /* to be mapped */
	uintptr_t next = ((uintptr_t)from | (PAGE - 1)) + 1;
	unsigned char state;

	if (known != next && syscall(SYS_mincore, next, PAGE, &state) == 0)
		known = next;
	for (int i = 0; i < WORDS; i++)
		to[i] = known == next || (uintptr_t)(from + i) < next ? from[i] : 0;
}

/* The real function, with as many arguments as any may have. */
static inline struct wk_patched_result call_real(const struct call *call)
{
	struct wk_patched_result (*real)(uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t,
					 uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t);
	const uintptr_t *a = call->arguments, *more = call->frame + 2;
	struct wk_patched_result result;
	uintptr_t words[WORDS];
	bool is_wanted = call->patched->is_wanted; /* may change meanwhile */

	if (WK_UNLIKELY(((uintptr_t)more & (PAGE - 1)) > PAGE - sizeof(words))) {
		copy_words(more, words);
		more = words;
	}
	memcpy(&real, &call->patched->real, sizeof(real));
	if (WK_LIKELY(is_wanted)) {
		wk_patched_frame = (uintptr_t)call->frame;
		wk_heap_busy |= WK_HEAP_IN_ALLOCATOR;
	}
	result = real(a[0], a[1], a[2], a[3], a[4], a[5], more[0], more[1], more[2], more[3]);
	if (WK_LIKELY(is_wanted))
		end_call();
	return result;
}

static inline bool is_recorded(const struct call *call)
{
	return *wk_heap_state != WK_HEAP_OFF && call->patched->is_wanted;
}

static inline void note(const struct call *call, uintptr_t block, size_t size)
{
	if (!wk_heap_is_passed(size) && WK_LIKELY(block && is_recorded(call)))
		wk_heap_allocated((void *)block, size, call->patched->function, call->frame);
}

static inline struct wk_patched_result allocate(const struct call *call, size_t size)
{
	struct wk_patched_result result = call_real(call);

	note(call, result.first, size);
	return result;
}

static inline struct wk_patched_result allocate_to(const struct call *call, size_t size)
{
	struct wk_patched_result result = call_real(call);

	if ((int)result.first == 0)
		note(call, *(uintptr_t *)call->arguments[0], size);
	return result;
}

static inline struct wk_patched_result release(const struct call *call)
{
	const void *block = (const void *)call->arguments[0];

	if (block && !wk_heap_was_passed(block) && is_recorded(call))
		wk_heap_released(block, WK_HEAP_RECORD_FREED);
	return call_real(call);
}

/* As in hooks.c. */
static struct wk_patched_result move(const struct call *call, const void *block, size_t size)
{
	bool is_noted = is_recorded(call), was_noted = false;
	struct wk_patched_result moved;

	if (!block)
		return allocate(call, size);
	if (is_noted && !wk_heap_was_passed(block))
		was_noted = wk_heap_released(block,
					     size ? WK_HEAP_RECORD_RELEASED : WK_HEAP_RECORD_FREED);
	moved = call_real(call);
	if (moved.first && is_noted && !wk_heap_is_passed(size))
		wk_heap_moved((void *)moved.first, size, call->patched->function, call->frame);
	else if (!moved.first && size && was_noted)
		wk_heap_released(block, WK_HEAP_RECORD_KEPT);
	return moved;
}

__attribute__((used)) struct wk_patched_result wk_patched_call(uintptr_t a, uintptr_t b,
							       uintptr_t c, uintptr_t d,
							       uintptr_t e, uintptr_t f,
							       const struct wk_patched *patched,
							       const uintptr_t *frame)
{
	const struct call call = { patched, frame, { a, b, c, d, e, f } };

	/* Only if the last one was left by longjmp. */
	if (WK_UNLIKELY(wk_heap_busy & WK_HEAP_IN_ALLOCATOR))
		end_call();
	switch (patched->call) {
	case WK_ALLOCATOR_MALLOC:
		return allocate(&call, a);
	case WK_ALLOCATOR_FREE:
		return release(&call);
	case WK_ALLOCATOR_CALLOC:
		return allocate(&call, a * b);
	case WK_ALLOCATOR_MALLOC_BEHIND:
		return allocate(&call, b);
	case WK_ALLOCATOR_CALLOC_BEHIND:
		return allocate(&call, b * c);
	case WK_ALLOCATOR_PVALLOC:
		return allocate(&call, (a + PAGE - 1) / PAGE * PAGE);
	case WK_ALLOCATOR_POSIX_MEMALIGN:
		return allocate_to(&call, c);
	case WK_ALLOCATOR_REALLOC:
		return move(&call, (void *)a, b);
	case WK_ALLOCATOR_REALLOCARRAY:
		return move(&call, (void *)a, b * c);
	case WK_ALLOCATOR_REALLOC_BEHIND:
		return move(&call, (void *)b, c);
	default:
		return call_real(&call);
	}
}

/* ---- changing code
 *
 * The page that is changed may be one of libc: system calls are made here. */

static long call_kernel(long number, uintptr_t a, uintptr_t b, uintptr_t c, uintptr_t d,
			uintptr_t e)
{
	register uintptr_t fourth __asm__("r10") = d;
	register uintptr_t fifth __asm__("r8") = e;
	register uintptr_t sixth __asm__("r9") = 0;
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(a), "S"(b), "d"(c), "r"(fourth), "r"(fifth), "r"(sixth)
			 : "rcx", "r11", "memory");
	return result;
}

static bool set_rights(uintptr_t from, size_t bytes, unsigned rights)
{
	return call_kernel(SYS_mprotect, from, bytes, rights, 0, 0) == 0;
}

static uintptr_t map_at(uintptr_t at, size_t bytes)
{
	long came = call_kernel(SYS_mmap, at, bytes, PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, (uintptr_t)-1);

	if (came < 0 && came > -4096)
		return 0;
	if ((uintptr_t)came == at)
		return at;
	/* Before Linux 4.17 the address is only a hint. */
	call_kernel(SYS_munmap, (uintptr_t)came, bytes, 0, 0, 0);
	return 0;
}

/* Below the file, first: what is above it may be the heap, which grows. */
static uintptr_t map_near(uintptr_t from, uintptr_t to, size_t bytes)
{
	uintptr_t at = 0;

	for (unsigned i = 1; i < NEAR_STEPS && !at; i++)
		if (from > i * NEAR_STEP + bytes)
			at = map_at(from - bytes - i * NEAR_STEP, bytes);
	for (unsigned i = 1; i <= FAR_STEPS && !at; i++)
		if (from > i * FAR_STEP)
			at = map_at(from - i * FAR_STEP, bytes);
	for (unsigned i = FAR_STEPS; i > 0 && !at; i--)
		at = map_at(to + i * FAR_STEP, bytes);
	return at;
}

static bool put_distance(uint8_t *at, uintptr_t to)
{
	int64_t distance = (int64_t)(to - ((uintptr_t)at + 4));
	int32_t put = (int32_t)distance;

	memcpy(at, &put, sizeof(put));
	return put == distance;
}

/* Processors that keep a second stack of return addresses let nothing return to one that was only
 * pushed. */
static bool has_shadow_stack(void)
{
	uint64_t features = 0;

	return call_kernel(SYS_arch_prctl, SHADOW_STACK_STATUS, (uintptr_t)&features, 0, 0, 0) ==
		       0 &&
	       features & 1;
}

static bool fill_slot(uint8_t *slot, const struct wk_patched *patched,
		      const struct wk_patch_code *code)
{
	/* mov $patched, %r11; jmp *(%rip); the address */
	uint8_t lead[] = { 0x49, 0xbb, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0x25, 0, 0, 0, 0 };
	uintptr_t entry = (uintptr_t)wk_patched_entry, context = (uintptr_t)patched, target;
	bool ok = true;

	memcpy(lead + 2, &context, sizeof(context));
	memcpy(slot, lead, sizeof(lead));
	memcpy(slot + sizeof(lead), &entry, sizeof(entry));
	slot += CODE_AT;
	memcpy(slot, code->bytes, sizeof(code->bytes));
	for (unsigned i = 0; i < code->fix_count && ok; i++) {
		const struct wk_patch_fix *fix = &code->fixes[i];

		target = patched->at + (uintptr_t)fix->target;
		if (fix->is_absolute && has_shadow_stack())
			ok = false;
		else if (fix->is_absolute)
			memcpy(slot + fix->at, &target, sizeof(target));
		else
			ok = put_distance(slot + fix->at, target);
	}
	return ok;
}

static bool is_in_word(uintptr_t at)
{
	return (at & 7) + WK_PATCH_JUMP_BYTES <= sizeof(uint64_t);
}

/* At once, if the bytes are in one word, as where a function begins they mostly are. */
static void put_jump(uintptr_t at, const uint8_t jump[WK_PATCH_JUMP_BYTES])
{
	uintptr_t in = at & 7;
	volatile uint8_t *byte = (volatile uint8_t *)at;
	uint64_t word;

	if (!is_in_word(at)) {
		for (int i = 0; i < WK_PATCH_JUMP_BYTES; i++)
			byte[i] = jump[i];
		return;
	}
	word = *(const uint64_t *)(at - in);
	for (int i = 0; i < WK_PATCH_JUMP_BYTES; i++) {
		unsigned shift = 8 * (unsigned)(in + (unsigned)i);

		word = (word & ~(UINT64_C(0xff) << shift)) | (uint64_t)jump[i] << shift;
	}
	__atomic_store_n((uint64_t *)(at - in), word, __ATOMIC_RELEASE);
}

static bool put_entry(const struct wk_patched *patched, unsigned rights)
{
	uintptr_t from = patched->at & ~(PAGE - 1);
	size_t bytes = ((patched->at + 8) | (PAGE - 1)) + 1 - from;
	uint8_t jump[WK_PATCH_JUMP_BYTES] = { JUMP };
	int64_t distance = (int64_t)(patched->slot - (patched->at + sizeof(jump)));
	int32_t put = (int32_t)distance;

	memcpy(jump + 1, &put, sizeof(put));
	if (put != distance || !set_rights(from, bytes, rights))
		return false;
	put_jump(patched->at, jump);
	return set_rights(from, bytes, RIGHTS);
}

/* ---- files */

struct file {
	const char *path;
	uint64_t device, inode;
	uintptr_t base, from, to;
	bool is_alone;   /* the calling thread: no other one runs the file's code */
	unsigned rights; /* of a page that is written */
};

static bool read_status(const char *path, struct stat *info)
{
	return call_kernel(SYS_newfstatat, (uintptr_t)AT_FDCWD, (uintptr_t)path, (uintptr_t)info, 0,
			   0) == 0;
}

static bool is_alone(void)
{
	struct stat info;

	return read_status("/proc/self/task", &info) && info.st_nlink == 3;
}

/* Systems that let no changed code run would leave the program without its page: a copy first. */
static bool may_change(const struct file *file)
{
	long fd = call_kernel(SYS_openat, (uintptr_t)AT_FDCWD, (uintptr_t)file->path,
			      O_RDONLY | O_CLOEXEC, 0, 0);
	long at =
		fd < 0 ? -1 : call_kernel(SYS_mmap, 0, PAGE, PROT_READ, MAP_PRIVATE, (uintptr_t)fd);
	bool ok = at > 0 && set_rights((uintptr_t)at, PAGE, file->rights);

	if (ok) {
		*(volatile uint8_t *)at = 0;
		ok = set_rights((uintptr_t)at, PAGE, RIGHTS);
	}
	if (at > 0)
		call_kernel(SYS_munmap, (uintptr_t)at, PAGE, 0, 0, 0);
	if (fd >= 0)
		call_kernel(SYS_close, (uintptr_t)fd, 0, 0, 0, 0);
	return ok;
}

static bool is_of(const struct wk_channel_patch *patch, const struct file *file)
{
	return patch->device == file->device && patch->inode == file->inode;
}

/* The one that is patched already, in a parent or an earlier recording. */
static struct wk_patched *find_patched(uintptr_t at)
{
	for (uint32_t i = 0; i < count; i++) {
		int32_t distance;

		if (all[i].at != at || *(const uint8_t *)at != JUMP)
			continue;
		memcpy(&distance, (const void *)(at + 1), sizeof(distance));
		if (at + WK_PATCH_JUMP_BYTES + (uintptr_t)(intptr_t)distance == all[i].slot)
			return &all[i];
	}
	return NULL;
}

/* Is there what the recorder has read? */
static bool is_expected(const struct wk_channel_patch *patch, const struct file *file, uintptr_t at)
{
	return at >= file->from && at + WK_PATCH_TAKEN_BYTES <= file->to &&
	       patch->code.taken <= WK_PATCH_TAKEN_BYTES &&
	       memcmp((const void *)at, patch->code.expected, patch->code.taken) == 0;
}

/* Another thread may have run some of the instructions that the jump replaces, and would go on in
 * the middle of it. */
static bool is_safe(const struct wk_channel_patch *patch, const struct file *file, uintptr_t at)
{
	return file->is_alone || (patch->code.first >= WK_PATCH_JUMP_BYTES && is_in_word(at));
}

static void want(struct wk_patched *patched, const struct wk_channel_patch *patch)
{
	patched->call = patch->call;
	patched->function = patch->function;
	patched->is_wanted = true;
	atomic_fetch_add(&wk_heap_head->patched, 1);
}

/* Of a file's functions, those that were patched before; returns how many are left. */
static unsigned want_again(const struct file *file)
{
	unsigned left = 0;

	for (uint64_t i = 0; i < list_count; i++) {
		struct wk_patched *patched;
		uintptr_t at;

		if (!is_of(&wk_patch_list[i], file))
			continue;
		at = file->base + wk_patch_list[i].vaddr;
		patched = find_patched(at);
		if (patched && !patched->is_wanted)
			want(patched, &wk_patch_list[i]);
		left += !patched;
	}
	return left;
}

static bool add_patched(const struct wk_channel_patch *patch, uintptr_t at, uintptr_t slot)
{
	struct wk_patched *patched = &all[count];

	if (count == sizeof(all) / sizeof(*all))
		return false;
	*patched = (struct wk_patched){ .real = slot + CODE_AT, .at = at, .slot = slot,
					.call = patch->call, .function = patch->function };
	patched->is_filled = fill_slot((uint8_t *)slot, patched, &patch->code);
	count += patched->is_filled;
	return patched->is_filled;
}

static bool refill(struct wk_patched *patched, const struct wk_channel_patch *patch,
		   unsigned rights)
{
	uintptr_t page = patched->slot & ~(PAGE - 1);

	if (!set_rights(page, PAGE, rights))
		return false;
	patched->call = patch->call;
	patched->function = patch->function;
	patched->is_filled = fill_slot((uint8_t *)patched->slot, patched, &patch->code);
	return set_rights(page, PAGE, RIGHTS) && patched->is_filled;
}

/* Of a file that was loaded there before. */
static struct wk_patched *find_last(uintptr_t at)
{
	for (uint32_t i = 0; i < count; i++)
		if (all[i].at == at)
			return &all[i];
	return NULL;
}

/* Uses the slots again that functions had there; returns how many. */
static unsigned refill_slots(const struct file *file)
{
	unsigned done = 0;

	for (uint64_t i = 0; i < list_count; i++) {
		const struct wk_channel_patch *patch = &wk_patch_list[i];
		uintptr_t at = file->base + patch->vaddr;
		struct wk_patched *last = is_of(patch, file) ? find_last(at) : NULL;

		if (last && !find_patched(at) && is_expected(patch, file, at) &&
		    is_safe(patch, file, at) && refill(last, patch, file->rights))
			done++;
	}
	return done;
}

/* Slots for the others. */
static void add_slots(const struct file *file, unsigned most)
{
	size_t bytes = (most * SLOT_BYTES + PAGE - 1) & ~(PAGE - 1);
	uintptr_t slots = most ? map_near(file->from, file->to, bytes) : 0, next = slots;
	uint32_t from = count;

	for (uint64_t i = 0; i < list_count && slots; i++) {
		const struct wk_channel_patch *patch = &wk_patch_list[i];
		uintptr_t at = file->base + patch->vaddr;

		if (is_of(patch, file) && !find_last(at) && is_expected(patch, file, at) &&
		    is_safe(patch, file, at) && add_patched(patch, at, next))
			next += SLOT_BYTES;
	}
	if (slots && (count == from || !set_rights(slots, bytes, RIGHTS))) {
		call_kernel(SYS_munmap, slots, bytes, 0, 0, 0);
		count = from;
	}
}

/* An allocator that is a library is called by the hooks as well, which record that themselves. */
static struct {
	void *(*malloc)(size_t size);
	void (*free)(void *block);
} real;

static void *quiet_malloc(size_t size)
{
	uint32_t before = wk_heap_busy;
	void *block;

	wk_heap_busy = before | WK_HEAP_IN_ALLOCATOR;
	block = real.malloc(size);
	wk_heap_busy = before;
	return block;
}

static void quiet_free(void *block)
{
	uint32_t before = wk_heap_busy;

	wk_heap_busy = before | WK_HEAP_IN_ALLOCATOR;
	real.free(block);
	wk_heap_busy = before;
}

/* The other hooks do so anyway. */
static void quiet_hooks(void)
{
	if (wk_real.malloc == quiet_malloc)
		return;
	real.malloc = wk_real.malloc;
	real.free = wk_real.free;
	wk_real.malloc = quiet_malloc;
	wk_real.free = quiet_free;
}

/* Returns how many are patched now. */
static unsigned put_entries(const struct file *file)
{
	unsigned done = 0;

	for (uint32_t i = 0; i < count; i++) {
		if (!all[i].is_filled)
			continue;
		all[i].is_filled = false;
		all[i].is_wanted = put_entry(&all[i], file->rights);
		done += all[i].is_wanted;
	}
	return done;
}

static void patch_file(struct file *file)
{
	unsigned left = want_again(file), done = 0;

	if (!left)
		return;
	file->is_alone = is_alone();
	/* Other threads' code must stay what it is while it is written. */
	file->rights = PROT_READ | PROT_WRITE | (file->is_alone ? 0 : PROT_EXEC);
	if (may_change(file)) {
		add_slots(file, left - refill_slots(file));
		done = put_entries(file);
	}
	atomic_fetch_add(&wk_heap_head->patched, done);
	not_patched += left - done;
}

static bool is_listed(const struct file *file)
{
	for (uint64_t i = 0; i < list_count; i++)
		if (is_of(&wk_patch_list[i], file))
			return true;
	return false;
}

static void take_range(struct file *file, const struct dl_phdr_info *info)
{
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *part = &info->dlpi_phdr[i];
		uintptr_t at = info->dlpi_addr + part->p_vaddr;

		if (part->p_type != PT_LOAD)
			continue;
		if (!file->to || at < file->from)
			file->from = at;
		if (at + part->p_memsz > file->to)
			file->to = at + part->p_memsz;
	}
	file->from &= ~(PAGE - 1);
	file->to = (file->to + PAGE - 1) & ~(PAGE - 1);
}

static int look_at(struct dl_phdr_info *info, size_t size, void *context)
{
	struct file file = { .path = info->dlpi_name, .base = info->dlpi_addr };
	bool *is_first = context;
	struct stat status;

	(void)size;
	seen_adds = info->dlpi_adds;
	if (*is_first && (!file.path || !file.path[0]))
		file.path = "/proc/self/exe";
	*is_first = false;
	if (!file.path || !strchr(file.path, '/') || !read_status(file.path, &status))
		return 0;
	file.device = status.st_dev;
	file.inode = status.st_ino;
	if (is_listed(&file)) {
		take_range(&file, info);
		patch_file(&file);
	}
	return 0;
}

/* A handler must not run code that is being changed. */
static void look(void)
{
	uint64_t everything = UINT64_MAX, mask;
	bool is_first = true;

	if (atomic_exchange(&lock, 1))
		return;
	/* Then they know what they call. */
	if (!wk_real_is_found())
		wk_hook_free(wk_hook_malloc(1));
	quiet_hooks();
	call_kernel(SYS_rt_sigprocmask, SIG_SETMASK, (uintptr_t)&everything, (uintptr_t)&mask,
		    sizeof(mask), 0);
	not_patched = 0;
	dl_iterate_phdr(look_at, &is_first);
	if (not_patched > atomic_load(&wk_heap_head->unpatched))
		atomic_store(&wk_heap_head->unpatched, not_patched);
	call_kernel(SYS_rt_sigprocmask, SIG_SETMASK, (uintptr_t)&mask, 0, sizeof(mask), 0);
	atomic_store(&lock, 0);
}

void wk_patched_begin(uint64_t patches)
{
	atomic_store(&lock, 0);
	for (uint32_t i = 0; i < count; i++)
		all[i].is_wanted = false;
	list_count = patches < WK_CHANNEL_PATCHES ? patches : WK_CHANNEL_PATCHES;
	if (list_count)
		look();
}

static int take_adds(struct dl_phdr_info *info, size_t size, void *context)
{
	(void)size;
	*(unsigned long long *)context = info->dlpi_adds;
	return 1;
}

void wk_patched_look_again(void)
{
	unsigned long long adds = 0;

	if (!list_count)
		return;
	dl_iterate_phdr(take_adds, &adds);
	if (adds != seen_adds)
		look();
}
