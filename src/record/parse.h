/* The kernel's records to events.
 *
 * One record gives no, one or two events, passed straight to a sink; texts, chains and stacks in
 * them point into the record. The parser tracks living threads, so that a process ends when its
 * last thread has ended. Damaged records are counted and skipped. */
#ifndef WK_RECORD_PARSE_H
#define WK_RECORD_PARSE_H

#include "base/buf.h"
#include "base/map.h"
#include "event/sink.h"
#include "record/layout.h"
#include "record/losses.h"

/* Questions that records cannot answer, for the owner of the parser; each may be NULL. */
struct wk_parser_asks {
	/* The arguments of a program that process `pid` has just started. */
	void (*command_line)(void *context, uint32_t pid, struct wk_str name, struct wk_buf *out);
	/* With which code process `pid`, which has just ended, ended. */
	bool (*exit_code)(void *context, uint32_t pid, int *code);
	void *context;
};

struct wk_parser_counts {
	uint64_t samples;
	uint64_t cpu_ns;     /* that samples of a clock stand for */
	uint64_t privileged; /* programs that the kernel stopped to record when they began */
	uint64_t throttled;
	uint64_t damaged;
};

struct wk_parser {
	struct wk_layout layout;
	const struct wk_map *sources;     /* event id to number of its source */
	const struct wk_map *with_fields; /* ids of events whose samples contain fields, to enum
					   * wk_fields; or NULL */
	struct wk_parser_asks asks;
	bool drops_strangers;    /* samples of threads that were never known are not emitted */
	bool kernel_counts_lost; /* by event: its records of losses only announce them */
	struct wk_parser_counts counts;
	struct wk_losses losses;
	struct wk_map threads; /* tid + 1 to pid + 1, of those that live */
	struct wk_map alive;   /* pid + 1 to how many of its threads live */
	struct wk_map family;  /* tid + 1 to 1 while it lives, then to the millisecond of its end */
	struct wk_map ended;   /* by CPU: the thread that ended there last */
	struct wk_map bare;    /* pid + 1 to 1 between its exec and its first mapping */
	struct wk_event_stack stack;
	struct wk_event_details details;
	struct wk_buf command_line;
};

void wk_parser_init(struct wk_parser *parser, const struct wk_layout *layout,
		    const struct wk_map *sources, const struct wk_parser_asks *asks);
void wk_parser_fini(struct wk_parser *parser);

/* A thread that already ran. */
void wk_parser_knows(struct wk_parser *parser, uint32_t pid, uint32_t tid);

/* Is the record a sample whose copy of the stack is full? Needs no parser: for another thread. */
struct wk_full_stack {
	uint32_t pid, tid;
	struct wk_event_stack stack; /* in the record */
};
bool wk_parse_full_stack(const struct wk_layout *layout, const struct wk_map *with_fields,
			 const uint8_t *record, size_t size, struct wk_full_stack *full);

/* `record` is 8-aligned and `size` bytes long; `time_ns` is when to say it happened. False
 * only if the sink failed. */
bool wk_parse_record(struct wk_parser *parser, const uint8_t *record, size_t size, uint64_t time_ns,
		     const struct wk_sink *sink, struct wk_err *err);

#endif
