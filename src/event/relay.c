#include "event/relay.h"

#include <assert.h>
#include <string.h>

#include "base/mem.h"
#include "os/os.h"

/* To wake a thread costs about as much as to pass on a hundred blocks: it is done for several
 * events at once, and events with few blocks are passed on by the caller. */
#define SLOTS   8
#define FEWEST  (WK_MOST_BLOCKS / 2)
#define WAIT_MS 100

struct slot {
	struct wk_event event;
	struct wk_event_block blocks[WK_MOST_BLOCKS];
	struct wk_block_estimate estimates[WK_MOST_BLOCKS];
	struct wk_block_thread threads[WK_MOST_BLOCKS];
};

struct wk_relay {
	struct wk_sink next;
	struct wk_os_lock *lock;     /* for all below */
	struct wk_os_thread *thread; /* NULL: not started */
	struct slot *slots;
	size_t taken, passed; /* how many events; slot: modulo SLOTS */
	bool thread_waits, taker_waits;
	size_t enough; /* until at most that many are on their way */
	bool is_over;
	bool has_failed;
	struct wk_err err;
};

struct wk_relay *wk_relay_new(const struct wk_sink *next)
{
	struct wk_relay *relay = wk_alloc_zeroed(1, sizeof(*relay));

	assert(next->accepts_blocks);
	relay->next = *next;
	relay->lock = wk_os_lock_new();
	return relay;
}

/* ---- the thread */

static size_t on_their_way(const struct wk_relay *relay)
{
	return relay->taken - relay->passed;
}

static void pass_on(struct wk_relay *relay)
{
	const struct wk_event *event = &relay->slots[relay->passed % SLOTS].event;
	struct wk_err err = { 0 };
	bool ok;

	wk_os_lock_leave(relay->lock);
	ok = wk_sink_emit(&relay->next, event, &err);
	wk_os_lock_acquire(relay->lock);
	if (ok)
		return;
	relay->has_failed = true;
	relay->err = err;
}

static void wait_for_event(struct wk_relay *relay)
{
	relay->thread_waits = true;
	wk_os_lock_wait(relay->lock, WAIT_MS);
	relay->thread_waits = false;
}

static void run(void *context)
{
	struct wk_relay *relay = context;

	wk_os_lock_acquire(relay->lock);
	while (!relay->is_over) {
		if (!on_their_way(relay)) {
			wait_for_event(relay);
			continue;
		}
		if (!relay->has_failed)
			pass_on(relay);
		relay->passed++;
		if (relay->taker_waits && on_their_way(relay) <= relay->enough)
			wk_os_lock_wake(relay->lock);
	}
	wk_os_lock_leave(relay->lock);
}

static bool start(struct wk_relay *relay)
{
	if (!relay->slots)
		relay->slots = wk_alloc(SLOTS * sizeof(*relay->slots));
	if (!relay->thread)
		relay->thread = wk_os_thread_start(run, relay);
	return relay->thread;
}

/* ---- the caller's side */

static void wait(struct wk_relay *relay, size_t enough)
{
	relay->enough = enough;
	while (on_their_way(relay) > enough) {
		if (relay->thread_waits)
			wk_os_lock_wake(relay->lock);
		relay->taker_waits = true;
		wk_os_lock_wait(relay->lock, WAIT_MS);
		relay->taker_waits = false;
	}
}

static void copy(struct slot *slot, const struct wk_event *event)
{
	const struct wk_event_blocks *blocks = &event->blocks;

	assert(blocks->count <= WK_MOST_BLOCKS && blocks->thread_count <= WK_MOST_BLOCKS);
	slot->event = *event;
	memcpy(slot->blocks, blocks->at, blocks->count * sizeof(*blocks->at));
	memcpy(slot->threads, blocks->threads, blocks->thread_count * sizeof(*blocks->threads));
	slot->event.blocks.at = slot->blocks;
	slot->event.blocks.threads = slot->threads;
	if (!blocks->estimates)
		return;
	memcpy(slot->estimates, blocks->estimates, blocks->count * sizeof(*blocks->estimates));
	slot->event.blocks.estimates = slot->estimates;
}

/* Waits until the thread can have the event or, if it is not to have it, until all before were
 * passed on. */
static bool is_for_thread(struct wk_relay *relay, const struct wk_event *event)
{
	bool is_small = event->blocks.count < FEWEST && !on_their_way(relay);

	if (event->kind != WK_EVENT_BLOCKS || is_small || !start(relay)) {
		wait(relay, 0);
		return false;
	}
	if (on_their_way(relay) == SLOTS)
		wait(relay, SLOTS / 2);
	return true;
}

static bool report(const struct wk_relay *relay, struct wk_err *err)
{
	if (relay->has_failed)
		*err = relay->err;
	return !relay->has_failed;
}

static bool take(void *context, const struct wk_event *event, struct wk_err *err)
{
	struct wk_relay *relay = context;
	bool for_thread, ok;

	wk_os_lock_acquire(relay->lock);
	for_thread = is_for_thread(relay, event);
	ok = report(relay, err);
	wk_os_lock_leave(relay->lock);
	if (!ok || !for_thread)
		return ok && wk_sink_emit(&relay->next, event, err);
	copy(&relay->slots[relay->taken % SLOTS], event);
	wk_os_lock_acquire(relay->lock);
	relay->taken++;
	if (relay->thread_waits && on_their_way(relay) >= SLOTS / 2)
		wk_os_lock_wake(relay->lock);
	wk_os_lock_leave(relay->lock);
	return true;
}

struct wk_sink wk_relay_sink(struct wk_relay *relay)
{
	return (struct wk_sink){ .take = take, .context = relay, .stacks = relay->next.stacks,
				 .accepts_blocks = true };
}

bool wk_relay_finish(struct wk_relay *relay, struct wk_err *err)
{
	bool ok;

	wk_os_lock_acquire(relay->lock);
	wait(relay, 0);
	ok = report(relay, err);
	wk_os_lock_leave(relay->lock);
	return ok;
}

void wk_relay_free(struct wk_relay *relay)
{
	if (!relay)
		return;
	if (relay->thread) {
		wk_os_lock_acquire(relay->lock);
		relay->is_over = true;
		wk_os_lock_wake(relay->lock);
		wk_os_lock_leave(relay->lock);
		wk_os_thread_join(relay->thread);
	}
	wk_os_lock_free(relay->lock);
	WK_FREE_ALL(relay->slots, relay);
}
