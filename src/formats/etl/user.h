/* Events of programs and drivers that have a stack: each is a sample of a source "Provider/Event".
 *
 * A stack is stored beside the payload (extended items), follows an event of the CLR as an event of
 * its own by the same thread, or consists of two halves with one number. The first pass joins them
 * and notes which kinds of events have any.
 *
 * Order of calls: new; scan for each record of the first pass, settle once; then emit_sources, emit
 * for each record of the second, sum. */
#ifndef WK_FORMATS_ETL_USER_H
#define WK_FORMATS_ETL_USER_H

#include "formats/etl/sums.h"

struct wk_etl_trace;
struct wk_etl_user;

struct wk_etl_user *wk_etl_user_new(void);
void wk_etl_user_free(struct wk_etl_user *user);

/* Selects the buffers of events that have a stack and are not only counted for the second pass.
 * `kind` is that of the trace's record (kinds.h). */
void wk_etl_user_scan(struct wk_etl_trace *trace, uint32_t kind);

/* Names the sources, and marks their kinds as used. */
void wk_etl_user_settle(struct wk_etl_trace *trace);

/* Sources are numbered from here. */
#define WK_ETL_FIRST_EVENT_SOURCE 100000
bool wk_etl_user_emit_sources(const struct wk_etl_trace *trace);

/* Emits the sample, if it is one, and in full the event with its fields. */
bool wk_etl_user_emit(struct wk_etl_trace *trace);

/* Adds the samples that were only counted. */
void wk_etl_user_sum(const struct wk_etl_trace *trace, struct wk_etl_sums *sums);

#endif
