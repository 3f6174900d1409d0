/* Shared by the parts of the builder: builder.c receives events and adds rows of samples, and
 * passes the rest on:
 *
 *   builder_who.c     processes and threads, and the owners of their numbers at a moment
 *   builder_frames.c  mappings, and the frames and stacks of addresses
 *   builder_named.c   frames and stacks that came with their names
 *   builder_rows.c    rows that are not samples: memory, heaps, snapshots, switches, marks,
 *                     counts
 *   builder_blocks.c  many blocks of heaps at once
 *
 * For model/builder*.c alone. */
#ifndef WK_MODEL_BUILDER_INTERNAL_H
#define WK_MODEL_BUILDER_INTERNAL_H

#include "base/map.h"
#include "model/builder.h"
#include "model/heap/lifetimes.h"
#include "model/heap/moments.h"
#include "model/heap/sums.h"
#include "model/jit_code.h"
#include "model/memory_lifetimes.h"
#include "model/waits.h"
#include "stages/space.h"

/* Remembers which frame an address was, as long as its process's mappings stay. */
#define WK_FRAME_CACHE 4096

struct wk_cached_frame {
	uint64_t address, version;
	wk_frame_id frame;
};

/* The same for that many whole chains that the input numbers. */
#define WK_MOST_NUMBERED 1000000

/* The last call chain of a thread and its stacks: most chains share their outer part with the
 * previous one, which need not be looked up again. All zero is empty. */
struct wk_chain_cache {
	uint64_t version; /* of the mappings that contain the addresses */
	wk_stack_id base; /* the stack below the chain */
	bool is_exact;
	uint64_t *address;  /* this and the next from the outermost entry to the innermost */
	wk_stack_id *stack; /* that ends in this entry */
	size_t count, address_cap, stack_cap;
};

/* Threads by the low bits of their number, so that threads that alternate do not collide. */
#define WK_RECENT_THREADS 64

struct wk_recent_thread {
	uint64_t generation; /* of the builder when the row was found; 0: never */
	uint32_t pid, tid;
	wk_thread_id row;
	struct wk_chain_cache user, kernel;
};

/* The stacks of a group of BLOCKS events, as long as the mappings of its process stay. */
struct wk_stack_group {
	uint64_t version; /* of those mappings */
	wk_stack_id *stack;
	size_t cap;
};

struct wk_builder {
	struct wk_model *model;
	struct wk_spaces *spaces;
	struct wk_jit_code_map *code;
	struct wk_map process_of; /* pid to the row of its present life */
	struct wk_map thread_of;  /* process row and tid to the row of its present life */
	struct wk_map source_of;  /* number + 1 to row */
	wk_image_id unknown, kernel;
	struct wk_map image_of_path;  /* of frames: path's text and whether of the kernel */
	wk_frame_id *frame_of_number; /* of FRAME events; [frame_numbers] */
	size_t frame_numbers_cap;
	uint32_t frame_numbers;
	wk_stack_id *stack_of_number; /* of STACKS events; NULL while numbers are ids */
	size_t stack_numbers_cap;
	uint32_t stack_numbers;
	uint32_t inputs;
	wk_process_id first_process; /* of the input at hand */
	bool may_count_anew;         /* the current input has emitted no frame yet */
	struct wk_memory_lifetimes memory;
	struct wk_heap_lifetimes *heaps;
	struct wk_heap_sums *heap_sums;
	struct wk_heap_moments moments;
	struct wk_waits *waits;
	uint64_t generation; /* counts what may give a pid and tid another row */
	struct wk_recent_thread recent[WK_RECENT_THREADS];
	struct wk_cached_frame cache[WK_FRAME_CACHE];
	struct wk_stack_group *groups; /* by number */
	size_t group_count, groups_cap;
	/* Of the threads of the BLOCKS event at hand. */
	struct wk_heap_owner *block_owners;
	struct wk_stack_group **block_groups;
	size_t block_owners_cap, block_groups_cap;
	struct wk_map owner_numbers; /* by thread and group */
	uint32_t owner_count;
	struct wk_map numbered; /* number, pid and version of the mappings, hashed: stack */
};

/* --- Processes and threads --- */

/* 0 for a process that is none. */
wk_thread_id wk_builder_thread_row(struct wk_builder *builder, uint32_t pid, uint32_t tid);

/* The thread of a sample, found at once if it was seen recently. */
struct wk_recent_thread *wk_builder_recent_thread(struct wk_builder *builder, uint32_t pid,
						  uint32_t tid);

void wk_builder_add_process(struct wk_builder *builder, const struct wk_event *event);
void wk_builder_add_thread(struct wk_builder *builder, const struct wk_event *event);

/* Once after all processes of an input, and once at its end. */
void wk_builder_find_parents(struct wk_builder *builder);
void wk_builder_name_all(struct wk_model *model);

/* --- Addresses --- */

void wk_builder_add_image(struct wk_builder *builder, const struct wk_event *event);

/* From a sample's chains or, without any, from its address. */
wk_stack_id wk_builder_stack_of(struct wk_builder *builder, struct wk_recent_thread *recent,
				const struct wk_event_sample *taken);

/* --- Frames and stacks that came with their names --- */

/* They begin again at 1. */
void wk_builder_forget_numbers(struct wk_builder *builder);

bool wk_builder_add_frame(struct wk_builder *builder, const struct wk_event_frame *frame,
			  struct wk_err *err);
bool wk_builder_add_stacks(struct wk_builder *builder, const struct wk_event_stacks *stacks,
			   struct wk_err *err);

/* 0 if that number was never emitted. */
wk_stack_id wk_builder_stack_of_number(const struct wk_builder *builder, uint32_t number);

/* --- Rows that are not samples --- */

void wk_builder_add_memory(struct wk_builder *builder, const struct wk_event *event);
void wk_builder_add_heap(struct wk_builder *builder, const struct wk_event *event);
void wk_builder_add_blocks(struct wk_builder *builder, const struct wk_event *event);
void wk_builder_forget_groups(struct wk_builder *builder); /* of an input */
void wk_builder_add_heap_sum(struct wk_builder *builder, const struct wk_event *event);
void wk_builder_add_snapshot(struct wk_builder *builder, const struct wk_event *event);

/* After each event of a process's heap: those that were requested and are due then. */
void wk_builder_add_due_snapshots(struct wk_builder *builder, wk_process_id process,
				  uint64_t time_ns);

/* Before the heap of a process ends with it, if a snapshot of that was requested. */
void wk_builder_add_last_snapshot(struct wk_builder *builder, wk_process_id process,
				  uint64_t time_ns);
void wk_builder_add_switch(struct wk_builder *builder, const struct wk_event *event);
void wk_builder_add_ready(struct wk_builder *builder, const struct wk_event *event);
void wk_builder_add_mark(struct wk_builder *builder, const struct wk_event *event);
void wk_builder_add_count(struct wk_builder *builder, const struct wk_event_count *count);

#endif
