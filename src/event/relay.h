/* Passes BLOCKS events on by a thread of its own, so that an input is decoded while the blocks
 * before are added up.
 *
 * Events of other kinds are passed on by the caller, when all before them were: the next sink sees
 * the same events in the same order, one at a time. It needs no locks, but what a BLOCKS event's
 * `chain` reads does. `parts` and what `chain` reads have to last until the relay is freed; the
 * rest is copied.
 *
 * Order of calls: new, emit to its sink, finish, free. */
#ifndef WK_EVENT_RELAY_H
#define WK_EVENT_RELAY_H

#include "event/sink.h"

struct wk_relay;

/* `next` accepts blocks. */
struct wk_relay *wk_relay_new(const struct wk_sink *next);
struct wk_sink wk_relay_sink(struct wk_relay *relay);

/* Once, after the last event: waits for those that are on their way. */
bool wk_relay_finish(struct wk_relay *relay, struct wk_err *err);

/* NULL is allowed. Without finish, after a failure, events that are on their way are dropped. */
void wk_relay_free(struct wk_relay *relay);

#endif
