/* Stacks of Windows' kernel events, which are records of their own: which one belongs to an event.
 *
 * A stack names its event by time and thread. It may come in two halves, the kernel's at once and
 * the user's when the thread leaves the kernel, and each half as addresses or as a key that a later
 * record defines. Keys are used again: the right definition is the first one that is not
 * older than the record with the key. So all records are taken in first, in any order (add,
 * add_key, define), then settled once, and from then on events ask for their stacks.
 *
 * Memory is a row a record and an entry for each distinct frame of each distinct stack. */
#ifndef WK_FORMATS_ETL_STACKS_H
#define WK_FORMATS_ETL_STACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"

struct wk_etl_stacks;

struct wk_etl_stacks *wk_etl_stacks_new(void);
void wk_etl_stacks_free(struct wk_etl_stacks *stacks);

/* Whose stack it is. Times are ticks. `cpu` is where the stack's own record was made, which is
 * also where its event was, but for a half that comes later: it tells apart what has no thread. */
struct wk_etl_stack_owner {
	uint64_t time;
	uint32_t tid, cpu;
};

/* Addresses innermost first, each of `pointer_bytes`; those that are 0 are left out. */
void wk_etl_stacks_add(struct wk_etl_stacks *stacks, struct wk_etl_stack_owner owner,
		       struct wk_bytes addresses, unsigned pointer_bytes);
void wk_etl_stacks_add_key(struct wk_etl_stacks *stacks, struct wk_etl_stack_owner owner,
			   uint64_t key, uint64_t record_time);

/* What a key stood for until that time; or from it on, which counts where no end is told. */
void wk_etl_stacks_define(struct wk_etl_stacks *stacks, uint64_t key, uint64_t record_time,
			  struct wk_bytes addresses, unsigned pointer_bytes);
void wk_etl_stacks_begin_key(struct wk_etl_stacks *stacks, uint64_t key, uint64_t record_time,
			     struct wk_bytes addresses, unsigned pointer_bytes);

/* Once, when all are in: how many keys nobody defined. */
uint64_t wk_etl_stacks_settle(struct wk_etl_stacks *stacks);

/* The halves put together, innermost first in each: whatever order they came in, addresses
 * of the kernel are the kernel's. Borrowed until the next call. */
struct wk_etl_chain {
	const uint64_t *kernel, *user;
	size_t kernel_count, user_count;
};

/* False if the event of that time and thread has no stack. The processor matters for idle threads
 * only. */
bool wk_etl_stacks_find(struct wk_etl_stacks *stacks, struct wk_etl_stack_owner owner,
			struct wk_etl_chain *chain);

/* The same for an event that does not say whose it is: its stack, made on the same processor,
 * does. */
bool wk_etl_stacks_find_on(struct wk_etl_stacks *stacks, uint64_t time, uint32_t cpu, uint32_t *tid,
			   struct wk_etl_chain *chain);

#endif
