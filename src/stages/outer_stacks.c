#include "stages/outer_stacks.h"

#include <string.h>

#include "base/mem.h"
#include "os/os.h"

#define BELOW_BYTES (64u << 10)  /* for samples that are deeper */
#define ABOVE_BYTES (960u << 10) /* rustc has frames of 400 KB */
#define KEPT_BYTES  (BELOW_BYTES + ABOVE_BYTES)
#define THREADS     8

/* What matters is a process that ends before its samples' turn comes. One that has been deep for a
 * while will be so a little longer: the time between two looks at its threads is a part of that. */
#define SHORTEST_NS UINT64_C(5000000)
#define LONGEST_NS  UINT64_C(250000000)
#define PART        4
#define EAGER_LOOKS 4 /* of a process, without waiting: at new threads, and at deeper stacks */

struct outer {
	uint32_t pid, tid;
	uint64_t base, first_ns, read_ns;
	unsigned looks;
	bool is_needless; /* the last copy held all of the stack */
	size_t len;       /* 0: nothing was read */
	size_t cap;
	uint8_t *bytes; /* [cap] */
};

struct wk_outer_stacks {
	struct wk_os_lock *lock;
	struct outer threads[THREADS];
	uint8_t *read; /* [KEPT_BYTES], once it is needed: most stacks are far smaller */
};

struct wk_outer_stacks *wk_outer_stacks_new(void)
{
	struct wk_outer_stacks *stacks = wk_alloc_zeroed(1, sizeof(*stacks));

	stacks->lock = wk_os_lock_new();
	return stacks;
}

void wk_outer_stacks_free(struct wk_outer_stacks *stacks)
{
	if (!stacks)
		return;
	for (size_t i = 0; i < THREADS; i++)
		wk_free(stacks->threads[i].bytes);
	wk_os_lock_free(stacks->lock);
	WK_FREE_ALL(stacks->read, stacks);
}

/* The thread's own, or the one that was not read for the longest time. */
static struct outer *place_for(struct wk_outer_stacks *stacks, uint32_t tid)
{
	struct outer *oldest = &stacks->threads[0];

	for (size_t i = 0; i < THREADS; i++) {
		struct outer *outer = &stacks->threads[i];

		if (outer->tid == tid)
			return outer;
		if (outer->read_ns < oldest->read_ns)
			oldest = outer;
	}
	return oldest;
}

static bool holds(const struct outer *outer, uint64_t sp)
{
	return outer->len && sp >= outer->base && sp - outer->base < BELOW_BYTES + ABOVE_BYTES / 2;
}

/* Is it time for another look at this process? */
static bool is_time(const struct wk_outer_stacks *stacks, const struct outer *own, uint64_t sp,
		    uint64_t now_ns)
{
	uint64_t first_ns = now_ns, last_ns = 0, interval_ns;
	unsigned looks = 0;

	for (size_t i = 0; i < THREADS; i++) {
		const struct outer *outer = &stacks->threads[i];

		if (outer->pid != own->pid || !outer->looks)
			continue;
		first_ns = outer->first_ns < first_ns ? outer->first_ns : first_ns;
		last_ns = outer->read_ns > last_ns ? outer->read_ns : last_ns;
		looks += outer->looks;
	}
	if (looks < EAGER_LOOKS)
		return looks == 0 || !holds(own, sp);
	interval_ns = (now_ns - first_ns) / PART;
	if (interval_ns < SHORTEST_NS)
		interval_ns = SHORTEST_NS;
	if (interval_ns > LONGEST_NS)
		interval_ns = LONGEST_NS;
	return now_ns - last_ns >= interval_ns;
}

/* A process that has ended keeps what was read before. */
static void read_anew(struct wk_outer_stacks *stacks, struct outer *outer, uint64_t sp,
		      uint64_t now_ns)
{
	uint64_t base = sp > BELOW_BYTES ? sp - BELOW_BYTES : 0;
	size_t len;

	if (!stacks->read)
		stacks->read = wk_alloc(KEPT_BYTES);
	len = wk_os_read_process(outer->pid, base, stacks->read, KEPT_BYTES);
	/* A first stack is mapped only as far down as it ever was. Below others is a guard page,
	 * and then the stack of another thread. */
	if (len <= sp - base) {
		base = sp;
		len = wk_os_read_process(outer->pid, base, stacks->read, KEPT_BYTES);
	}
	if (len > 0) {
		outer->base = base;
		outer->len = len;
		WK_RESERVE(outer->bytes, outer->cap, len);
		memcpy(outer->bytes, stacks->read, len);
	}
	outer->read_ns = now_ns;
	outer->looks++;
}

void wk_outer_stacks_look(struct wk_outer_stacks *stacks, uint32_t pid, uint32_t tid, uint64_t sp,
			  uint64_t now_ns)
{
	struct outer *outer;

	wk_os_lock_acquire(stacks->lock);
	outer = place_for(stacks, tid);
	if (outer->tid != tid || outer->pid != pid)
		*outer = (struct outer){
			.pid = pid, .tid = tid, .first_ns = now_ns,
			.cap = outer->cap, .bytes = outer->bytes };
	if (!outer->is_needless && is_time(stacks, outer, sp, now_ns))
		read_anew(stacks, outer, sp, now_ns);
	wk_os_lock_leave(stacks->lock);
}

void wk_outer_stacks_need(struct wk_outer_stacks *stacks, uint32_t tid, bool is_needed)
{
	struct outer *outer;

	wk_os_lock_acquire(stacks->lock);
	outer = place_for(stacks, tid);
	if (outer->tid == tid) {
		outer->is_needless = !is_needed;
		/* For the next thread: memory that was never used costs more than all the rest. */
		if (!is_needed) {
			wk_free(outer->bytes);
			outer->bytes = NULL;
			outer->len = outer->cap = 0;
		}
	}
	wk_os_lock_leave(stacks->lock);
}

size_t wk_outer_stacks_read(struct wk_outer_stacks *stacks, uint32_t tid, uint64_t address,
			    void *bytes, size_t size)
{
	const struct outer *outer;
	size_t count = 0;

	wk_os_lock_acquire(stacks->lock);
	outer = place_for(stacks, tid);
	if (outer->tid == tid && address >= outer->base && address - outer->base < outer->len) {
		count = outer->len - (size_t)(address - outer->base);
		count = count < size ? count : size;
		memcpy(bytes, outer->bytes + (address - outer->base), count);
	}
	wk_os_lock_leave(stacks->lock);
	return count;
}

bool wk_outer_stacks_has(struct wk_outer_stacks *stacks, uint32_t tid)
{
	bool result;

	wk_os_lock_acquire(stacks->lock);
	result = place_for(stacks, tid)->tid == tid && place_for(stacks, tid)->len > 0;
	wk_os_lock_leave(stacks->lock);
	return result;
}
