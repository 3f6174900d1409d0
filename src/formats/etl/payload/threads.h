/* Payloads of Windows' scheduler and interrupt events; payload.h describes how they are read. */
#ifndef WK_FORMATS_ETL_PAYLOAD_THREADS_H
#define WK_FORMATS_ETL_PAYLOAD_THREADS_H

#include "event/event.h"
#include "formats/etl/payload/payload.h"

/* A processor switches from one thread to another. */
struct wk_etl_switch {
	uint32_t new_tid, old_tid;
	bool old_waits; /* or has ended; otherwise it is ready to run */
	uint8_t wait_reason, wait_mode;
};
bool wk_etl_read_switch(struct wk_bytes payload, struct wk_etl_switch *switched);

/* Windows' name of a wait reason; "" if unknown. */
const char *wk_etl_wait_reason(uint8_t reason);
enum wk_wait_mode wk_etl_wait_mode(uint8_t mode);

/* A waiting thread became ready. */
struct wk_etl_ready {
	uint32_t tid;
	bool in_dpc; /* done for a device or a timer, whichever thread was interrupted */
};
bool wk_etl_read_ready(struct wk_bytes payload, struct wk_etl_ready *ready);

/* An interrupt service routine (ISR) or a deferred procedure call (DPC). */
struct wk_etl_interrupt {
	uint64_t begin; /* in ticks; the time of the record is the end */
	uint64_t routine;
};
bool wk_etl_read_interrupt(struct wk_bytes payload, struct wk_etl_form form,
			   struct wk_etl_interrupt *interrupt);

#endif
