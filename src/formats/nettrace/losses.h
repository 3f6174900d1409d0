/* Events that the recorder dropped: each thread numbers those that it writes.
 *
 * A gap in the numbers of a thread is lost, and so are the last numbers that a sequence point lists
 * and that did not come. A thread whose numbers begin again with 1 is a new one. */
#ifndef WK_FORMATS_NETTRACE_LOSSES_H
#define WK_FORMATS_NETTRACE_LOSSES_H

#include "base/bytes.h"
#include "base/map.h"

struct wk_nettrace_losses {
	struct wk_map last_of; /* thread: row + 1 */
	uint32_t *last;
	size_t count, cap;
	uint64_t lost;
};

void wk_nettrace_losses_fini(struct wk_nettrace_losses *losses);
void wk_nettrace_losses_forget(struct wk_nettrace_losses *losses);

/* An event of the thread has this number. */
void wk_nettrace_losses_add(struct wk_nettrace_losses *losses, uint64_t thread, uint32_t sequence);

/* The thread has used all numbers up to this one. */
void wk_nettrace_losses_reach(struct wk_nettrace_losses *losses, uint64_t thread,
			      uint32_t sequence);

#endif
