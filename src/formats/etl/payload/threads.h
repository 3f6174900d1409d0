/* What the payloads of Windows' scheduler and of interrupts say: see etl_payload.h for how they
 * are read. */
#ifndef WK_FORMATS_ETL_PAYLOAD_THREADS_H
#define WK_FORMATS_ETL_PAYLOAD_THREADS_H

#include "event/event.h"
#include "formats/etl/payload/payload.h"

/* A processor goes from one thread to another. */
struct wk_etl_switch {
	uint32_t new_tid, old_tid;
	bool old_waits; /* or has ended; else it could run on */
	uint8_t wait_reason, wait_mode;
};
bool wk_etl_read_switch(struct wk_bytes payload, struct wk_etl_switch *switched);

/* What a thread waits for, or why it had to leave the processor, as Windows calls it; "" for what
 * is not known. */
const char *wk_etl_wait_reason(uint8_t reason);
enum wk_wait_mode wk_etl_wait_mode(uint8_t mode);

/* A thread that waited may run on. */
struct wk_etl_ready {
	uint32_t tid;
	bool in_dpc; /* done for a device or a timer, whoever was interrupted */
};
bool wk_etl_read_ready(struct wk_bytes payload, struct wk_etl_ready *ready);

/* An interrupt was served (ISR), or what was left to do for it (DPC). */
struct wk_etl_interrupt {
	uint64_t begin; /* in ticks; the record's time is the end */
	uint64_t routine;
};
bool wk_etl_read_interrupt(struct wk_bytes payload, struct wk_etl_form form,
			   struct wk_etl_interrupt *interrupt);

#endif
