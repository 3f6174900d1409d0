/* The recorder's threads do not stay on one processor while all are busy.
 *
 * A thread that sleeps and wakes some hundred times a second is woken where it slept. If programs
 * use all processors, the same thread of theirs would make room for the recorder each time, and the
 * others would wait for that one in the end. */
#ifndef WK_RECORD_HEAP_FAIRNESS_H
#define WK_RECORD_HEAP_FAIRNESS_H

#include <stdint.h>

/* Moves the calling thread to the next processor that it may use, if that was long ago and as many
 * threads run as there are processors. `moved_ns` is the thread's own: 0 at first. */
void wk_heap_be_fair(uint64_t *moved_ns, uint64_t now_ns);

#endif
