/* A profile as V8 writes it, piece by piece: nodes of a call tree, and samples that refer to them.
 *
 * .cpuprofile files contain one, trace files of Chrome contain one in chunks. Order of calls:
 * wk_v8_member or wk_v8_node for each piece, in any order; wk_v8_emit at the end;
 * wk_v8_fini. Nodes may come before or after their parents, and refer either to their parent or to
 * their children, by number or nested. */
#ifndef WK_FORMATS_PROFILES_V8_PROFILE_H
#define WK_FORMATS_PROFILES_V8_PROFILE_H

#include "base/map.h"
#include "base/text/json.h"
#include "formats/stack_writer.h"

struct wk_v8_node {
	uint64_t parent_id; /* as the input names it; 0: see `parent` */
	uint64_t hits;      /* samples, or bytes that were allocated */
	uint32_t parent;    /* row + 1; 0: none */
	uint32_t frame;     /* number of the writer; 0: the root, which is not a frame */
	uint32_t stack;     /* once it is known; see wk_v8_emit */
	uint8_t state;
};

/* A parent and the number of its child. */
struct wk_v8_edge {
	uint64_t child_id;
	uint32_t parent; /* row + 1 */
};

struct wk_v8_profile {
	struct wk_stack_writer *writer; /* set by the caller, the rest is zero */
	struct wk_v8_node *nodes;
	struct wk_v8_edge *edges;
	uint64_t *samples; /* ids of nodes */
	int64_t *deltas;   /* nanoseconds from the sample before, or from the start */
	uint32_t *path;    /* scratch of walks to the root */
	size_t node_count, node_cap, edge_count, edge_cap, sample_count, sample_cap;
	size_t delta_count, delta_cap, path_cap;
	struct wk_map row_of;      /* id + 1 to row + 1 */
	uint64_t start_ns, end_ns; /* 0 if unknown */
	/* The destination of samples; NULL: the writer. */
	void (*on_sample)(void *context, uint32_t stack, uint64_t time_ns, uint64_t weight);
	void *sample_context;
	uint64_t lost_samples;   /* that name no node */
	bool has_bytes;          /* hits are bytes */
	struct wk_buf anonymous; /* scratch for the displayed name of a function without one */
};

void wk_v8_fini(struct wk_v8_profile *profile);

/* Reads one node, with all nested ones. */
void wk_v8_node(struct wk_v8_profile *profile, struct wk_json *json);

/* Reads the value of a member "nodes", "samples", "timeDeltas" or "startTime". */
void wk_v8_member(struct wk_v8_profile *profile, struct wk_str key, struct wk_json *json);

/* A time in microseconds as nanoseconds; 0 if it is negative. */
uint64_t wk_v8_time(struct wk_json *json);

/* Reads an array of times of samples, which older files have. */
void wk_v8_timestamps(struct wk_v8_profile *profile, struct wk_json *json);

/* Emits the source of samples under a number. */
void wk_v8_emit_source(struct wk_stack_writer *writer, uint32_t number);

/* Emits all samples, each with the time until the next. */
void wk_v8_emit(struct wk_v8_profile *profile);

/* For profiles without samples: one sample a node, weighing its hits. */
void wk_v8_emit_hits(struct wk_v8_profile *profile);

#endif
