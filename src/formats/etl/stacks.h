/* Stacks of Windows' kernel events, which are separate records: finds the one that belongs to an
 * event.
 *
 * A stack refers to its event by time and thread. It may come in two halves, the kernel's at once
 * and the user's when the thread leaves the kernel, and each half as addresses or as a key that a
 * later record defines. Keys are reused: the right definition is the first one that is not older
 * than the record with the key. So all records are added first, in any order (add, add_key,
 * define), then settled once, and then looked up.
 *
 * Memory: a row per record, and an entry per distinct frame of each distinct stack. */
#ifndef WK_FORMATS_ETL_STACKS_H
#define WK_FORMATS_ETL_STACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"

struct wk_etl_stacks;

struct wk_etl_stacks *wk_etl_stacks_new(void);
void wk_etl_stacks_free(struct wk_etl_stacks *stacks);

/* The owner of a stack. Times are ticks. `cpu` is that of the stack's own record, which is also
 * that of its event unless a half comes later: it distinguishes records without a thread. */
struct wk_etl_stack_owner {
	uint64_t time;
	uint32_t tid, cpu;
};

/* Addresses innermost first, each of `pointer_bytes`; zeros are left out. */
void wk_etl_stacks_add(struct wk_etl_stacks *stacks, struct wk_etl_stack_owner owner,
		       struct wk_bytes addresses, unsigned pointer_bytes);
void wk_etl_stacks_add_key(struct wk_etl_stacks *stacks, struct wk_etl_stack_owner owner,
			   uint64_t key, uint64_t record_time);

/* The stack of a key until that time or, if `is_start`, from then on, which is used if no end is
 * known. */
void wk_etl_stacks_define(struct wk_etl_stacks *stacks, bool is_start, uint64_t key,
			  uint64_t record_time, struct wk_bytes addresses, unsigned pointer_bytes);

/* Once, after all records: returns the number of keys without a definition. */
uint64_t wk_etl_stacks_settle(struct wk_etl_stacks *stacks);

/* The joined halves, innermost first in each: in whatever order they came, kernel addresses belong
 * to the kernel's half. Valid until the next call. */
struct wk_etl_chain {
	const uint64_t *kernel, *user;
	size_t kernel_count, user_count;
};

/* False if the event of that time and thread has no stack. The processor matters only for idle
 * threads. */
bool wk_etl_stacks_find(struct wk_etl_stacks *stacks, struct wk_etl_stack_owner owner,
			struct wk_etl_chain *chain);

/* The same for an event without a thread, by the thread of its stack, which was recorded on the
 * same processor. */
bool wk_etl_stacks_find_on(struct wk_etl_stacks *stacks, uint64_t time, uint32_t cpu, uint32_t *tid,
			   struct wk_etl_chain *chain);

#endif
