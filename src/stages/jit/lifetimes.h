/* The processes of a recording that run JIT code, each from its start or exec on: its properties,
 * the jitdumps it mapped, and the addresses of its sampled code.
 *
 * Rows have numbers, 0 is none. A row stays when its process has ended: children may continue with
 * its code. After a change of the table, look rows up again. */
#ifndef WK_STAGES_JIT_LIFETIMES_H
#define WK_STAGES_JIT_LIFETIMES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"
#include "event/event.h"
#include "stages/jit/files.h"
#include "stages/jit/map_index.h"

struct wk_jit_dump {
	struct wk_jit_dump *next;
	char *path;
	int fd;                    /* open while the process lived; or -1 */
	struct wk_undo *undo;      /* of fd */
	uint64_t mapped_ns;        /* 0: before the recording */
	struct wk_jit_names names; /* while it is open */
	size_t emitted;            /* pieces of it */
	int64_t shift_ns;          /* from its clock to the recording's */
	bool is_open, was_tried;
	bool noted_damage;

	/* For unwinding, see stages/jit/unwind.h. */
	struct wk_map tables;        /* a piece's number to its table's */
	size_t unwound;              /* blocks of `names` that are included */
	struct wk_jit_tail *tail;    /* while the process lives; NULL until first use */
	struct wk_jit_place *places; /* that the tail gave, and whose time is to come */
	size_t places_cap, place_count, next_place;
	bool is_refused;
};

/* A code block at an address. */
struct wk_jit_place {
	uint64_t time_ns, start, size_bytes;
	uint32_t table;
};

struct wk_jit_lifetime {
	uint32_t pid;
	uint32_t parent;       /* the life it began as a copy of */
	uint64_t born_ns;      /* by fork or exec; 0: before the recording */
	uint64_t first_hit_ns; /* sampled in such code */
	uint32_t last_hit;     /* the latest of its hits, see wk_jit_lifetimes */
	bool makes_code;       /* it has executable memory without a file */
	bool was_looked_for;   /* its names are emitted, or cannot be */
	bool is_walked;        /* a stack of it went through such code */
	bool has_owner;
	struct wk_jit_owner owner;
	struct wk_jit_dump *dumps;
	struct wk_jit_map_index *map; /* of its perf map, once it was needed; or NULL */
	bool noted_bad_lines;         /* of the map */
};

/* A place of such code that was sampled, once a life. */
struct wk_jit_hit {
	uint64_t address;
	uint32_t life, previous;
};

struct wk_jit_lifetimes {
	struct wk_jit_lifetime *rows;
	size_t rows_cap;
	uint32_t count;
	struct wk_map of_pid;
	struct wk_jit_hit *hits; /* row 0 is unused */
	size_t hits_cap;
	uint32_t hit_count;
	struct wk_index hit_index;
};

void wk_jit_lifetimes_init(struct wk_jit_lifetimes *lives);
void wk_jit_lifetimes_fini(struct wk_jit_lifetimes *lives);

/* The current row of a process; added if there was none. */
uint32_t wk_jit_lifetime_of(struct wk_jit_lifetimes *lives, uint32_t pid);

/* The same, but 0 if there was none. */
uint32_t wk_jit_lifetime_find(const struct wk_jit_lifetimes *lives, uint32_t pid);

/* It forked (and is a copy of `parent`) or ran another program (`parent` is 0). */
uint32_t wk_jit_lifetime_begin(struct wk_jit_lifetimes *lives, uint32_t pid, uint32_t parent,
			       uint64_t time_ns);

/* The dump of that path, added if it was unknown; NULL if there are too many. */
struct wk_jit_dump *wk_jit_lifetime_add_dump(struct wk_jit_lifetimes *lives, uint32_t life,
					     struct wk_str path, uint64_t time_ns);
void wk_jit_lifetime_add_hit(struct wk_jit_lifetimes *lives, uint32_t life, uint64_t address);

/* The addresses of all hits of a row, sorted; the caller frees them. */
uint64_t *wk_jit_lifetime_hits(const struct wk_jit_lifetimes *lives, uint32_t life, size_t *count);

#endif
