/* Payloads of Windows' scheduler and interrupt events; payload.h describes how they are read. */
#ifndef WK_FORMATS_ETL_PAYLOAD_THREADS_H
#define WK_FORMATS_ETL_PAYLOAD_THREADS_H

#include "event/event.h"
#include "formats/etl/payload/payload.h"

/* A processor switches from one thread to another: all but the processes and the stack. */
bool wk_etl_read_switch(struct wk_bytes payload, uint32_t *new_tid,
			struct wk_event_switch *switched);

/* A waiting thread became ready, likewise. */
bool wk_etl_read_ready(struct wk_bytes payload, struct wk_event_ready *ready);

/* An interrupt service routine (ISR) or a deferred procedure call (DPC). */
struct wk_etl_interrupt {
	uint64_t begin; /* in ticks; the time of the record is the end */
	uint64_t routine;
};
bool wk_etl_read_interrupt(struct wk_bytes payload, struct wk_etl_form form,
			   struct wk_etl_interrupt *interrupt);

#endif
