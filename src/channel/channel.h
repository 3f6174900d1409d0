/* The memory through which the heap library and the recorder talk.
 *
 * The recorder has one page for all processes, wk_heap_control. A process makes an empty file in
 * memory, and sends it over a socket when its library begins. The recorder gives it its size, which
 * it then keeps: a wk_channel_head, the ring of its definitions, a pool of blocks, then some blocks
 * for each thread. Of each stream the process only moves `head`, the recorder only `tail`; both
 * count bytes from the start and never fall. The recorder trusts nothing that a process writes
 * here: it copies bytes and checks positions.
 *
 * A thread writes to its own blocks, one after the other. If the recorder has not read the next one
 * yet, as when it waits for a processor, the thread takes a block of the pool instead; the recorder
 * gives it back once it has read all of it. So the pool's memory is used only as far as the
 * recorder was ever late.
 *
 * The name of the socket is in the environment variable WK_HEAP_VARIABLE, in the abstract space.
 * The process sends a wk_channel_hello with the file; the answer is a wk_channel_answer with that
 * of the page, followed by functions that are to be patched.
 *
 * A process that was started without a recorder is switched on later: the recorder writes the name
 * into the library's wk_heap_switch, and then the state.
 *
 * Others, such as `wick snapshot`, send a wk_channel_request without a file instead, and get a
 * wk_channel_reply. */
#ifndef WK_CHANNEL_CHANNEL_H
#define WK_CHANNEL_CHANNEL_H

#include <stdatomic.h>
#include <stdint.h>

#include "channel/patch.h"
#include "channel/stream.h"

#define WK_HEAP_VARIABLE "WICK_HEAP"

#define WK_CHANNEL_VERSION 7
#define WK_CHANNEL_THREADS 4096 /* at one time */
#define WK_CHANNEL_PATCHES 128

#define WK_CHANNEL_PAGE        4096
#define WK_CHANNEL_OWN_BLOCKS  10u  /* of a thread */
#define WK_CHANNEL_POOL_BLOCKS 704u /* of all threads of a process */
#define WK_CHANNEL_PLACES      1024u
#define WK_CHANNEL_DEFS_BYTES  (32u * WK_HEAP_BLOCK_BYTES)

enum wk_channel_state {
	WK_CHANNEL_FREE,
	WK_CHANNEL_USED,
	WK_CHANNEL_ENDED, /* of a thread that has ended: free once it is empty */
};

/* Positions in a ring; each side has a cache line of its own. */
struct wk_channel_ring {
	_Alignas(64) _Atomic uint64_t head;
	_Alignas(64) _Atomic uint64_t tail;
	_Atomic uint32_t drained;    /* counted up, and woken, when the tail moved while ... */
	_Atomic uint32_t is_waiting; /* ... the process waits for space */
};

/* Losses and limits, counted by the process. */
struct wk_channel_counts {
	_Atomic uint64_t lost;       /* events that found no space */
	_Atomic uint64_t nested;     /* calls from inside the library, as by a signal handler */
	_Atomic uint64_t early;      /* calls before the library could begin */
	_Atomic uint64_t cut;        /* stacks deeper than the limit */
	_Atomic uint64_t threadless; /* events of threads beyond the limit, or without memory */
};

struct wk_channel_head {
	struct wk_channel_counts counts;
	struct wk_channel_ring defs;
	/* A bit for each block of the pool: set by who takes it, cleared by the recorder. */
	_Alignas(64) _Atomic uint64_t pool_used[WK_CHANNEL_POOL_BLOCKS / 64];
	_Atomic uint32_t patched;   /* functions, ... */
	_Atomic uint32_t unpatched; /* ... and those that could not be */
	_Atomic uint32_t threads;   /* slots that were ever used: those below this number */
	_Atomic uint32_t state[WK_CHANNEL_THREADS]; /* enum wk_channel_state */
};

/* A thread's, followed by its own blocks at the next page. */
struct wk_channel_slot {
	struct wk_channel_ring ring;
	_Atomic uint32_t tid;
	_Atomic uint32_t use; /* how many threads had it until now */

	/* Of block N of the stream, at N % WK_CHANNEL_PLACES: which of its own blocks has it, or
	 * WK_CHANNEL_OWN_BLOCKS and which one of the pool. */
	_Atomic uint16_t places[WK_CHANNEL_PLACES];

	/* The process's own: what its next record is relative to. */
	uint64_t time, address;
	uint32_t stack;
};

#define WK_CHANNEL_HEAD_BYTES                                                                      \
	((sizeof(struct wk_channel_head) + WK_CHANNEL_PAGE - 1) / WK_CHANNEL_PAGE * WK_CHANNEL_PAGE)
#define WK_CHANNEL_SLOT_BYTES                                                                      \
	(WK_CHANNEL_PAGE + WK_CHANNEL_OWN_BLOCKS * (uint64_t)WK_HEAP_BLOCK_BYTES)
#define WK_CHANNEL_POOL_AT (WK_CHANNEL_HEAD_BYTES + WK_CHANNEL_DEFS_BYTES)
#define WK_CHANNEL_COMMON_BYTES                                                                    \
	(WK_CHANNEL_POOL_AT + WK_CHANNEL_POOL_BLOCKS * (uint64_t)WK_HEAP_BLOCK_BYTES)
#define WK_CHANNEL_SLOT_AT(i)                                                                      \
	(WK_CHANNEL_COMMON_BYTES + (uint64_t)(i)*WK_CHANNEL_SLOT_BYTES)
#define WK_CHANNEL_BYTES WK_CHANNEL_SLOT_AT(WK_CHANNEL_THREADS)

/* Of a thread's stream, as far as it is not read. */
#define WK_CHANNEL_STREAM_BYTES                                                                    \
	((WK_CHANNEL_OWN_BLOCKS + WK_CHANNEL_POOL_BLOCKS) * (uint64_t)WK_HEAP_BLOCK_BYTES)

_Static_assert(WK_CHANNEL_OWN_BLOCKS + WK_CHANNEL_POOL_BLOCKS < WK_CHANNEL_PLACES,
	       "a place is not read when it is set again");
_Static_assert(sizeof(struct wk_channel_slot) <= WK_CHANNEL_PAGE, "blocks begin at a page");

enum wk_heap_state {
	WK_HEAP_UNKNOWN, /* before the first call, and in a child that was forked */
	WK_HEAP_ON,
	WK_HEAP_OFF,
	WK_HEAP_LOSING,    /* the recorder does not read: what happens is only counted */
	WK_HEAP_WANTED,    /* by a recorder that came later: the next call begins */
	WK_HEAP_BEGINNING, /* after WANTED; calls of other threads are not recorded yet */
};

/* The library exports it by the name WK_HEAP_SWITCH. */
struct wk_heap_switch {
	uint32_t version; /* WK_CHANNEL_VERSION */
	uint32_t bytes;   /* of this */
	uint64_t state;   /* the address of a byte, enum wk_heap_state; 0: it cannot be switched */
	char name[104];   /* of the recorder's socket; empty: there was none */
};
#define WK_HEAP_SWITCH "wick_heap_library_switch"

struct wk_channel_hello {
	uint32_t version, pid;
	uint32_t was_running; /* it was switched on later */
	uint32_t was_forked;  /* its address space is a copy of its parent's */
	uint64_t bytes;       /* of the file */
};

enum wk_channel_full {
	WK_CHANNEL_BLOCK, /* wait for space */
	WK_CHANNEL_DROP,  /* leave out what finds no space */
};

enum wk_channel_records {
	WK_CHANNEL_HEAP = 1,   /* blocks */
	WK_CHANNEL_MEMORY = 2, /* calls that change the address space */
	/* Times of blocks may be too early by as much as a processor looks ahead: a thread that
	 * frees what another one has just allocated may seem to be the first. So nothing waits for
	 * the counter. It takes every event to see that, from the first one on. */
	WK_CHANNEL_LOOSE = 4,
};

struct wk_channel_answer {
	uint32_t version;
	uint32_t is_accepted;
	uint32_t when_full;    /* enum wk_channel_full */
	uint32_t records;      /* bits of enum wk_channel_records: which, and how */
	uint64_t sample_bytes; /* mean distance of recorded blocks; 0: all are */
	uint64_t seed;
	uint64_t patch_count; /* at most WK_CHANNEL_PATCHES follow: wk_channel_patch */
};

/* Versions of requests have this bit, so that they are not those of greetings. */
#define WK_CHANNEL_IS_REQUEST      0x10000u
#define WK_CHANNEL_REQUEST_VERSION (WK_CHANNEL_IS_REQUEST | 1)

enum wk_channel_request_kind {
	WK_CHANNEL_SNAPSHOT = 1, /* of the process's heap */
};

struct wk_channel_request {
	uint32_t version;
	uint32_t kind; /* enum wk_channel_request_kind */
	uint32_t pid;
	uint32_t label_bytes;
	char label[WK_HEAP_TEXT_BYTES]; /* not ended by a NUL */
};

enum wk_channel_result {
	WK_CHANNEL_DONE,
	WK_CHANNEL_OTHER_VERSION, /* `version` is what the recorder understands */
	WK_CHANNEL_OTHER_KIND,    /* it does not know that kind of request */
	WK_CHANNEL_NO_PROCESS,    /* the process is not recorded */
	WK_CHANNEL_NO_RIGHT,      /* it is another user's */
	WK_CHANNEL_RESULTS
};

struct wk_channel_reply {
	uint32_t version;
	uint32_t result; /* enum wk_channel_result */
	uint32_t number; /* of the snapshot, counted from 1; 0: known when all events are */
};

/* Written by the recorder, except `wake` and `snapshots`. */
struct wk_heap_control {
	_Atomic uint32_t wake; /* counted up, and woken, by a process that much is to be read of */
	_Atomic uint32_t is_asleep; /* only then does it need to be woken */
	_Atomic uint32_t heartbeat; /* counted up whenever it has looked at all rings */
	_Atomic uint32_t is_over;   /* the rings are not read any more */
	_Atomic uint32_t snapshots; /* counted up just before the time of each */
};

#endif
