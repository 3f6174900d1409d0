/* The table of events: how a record is recognized, its name, and what each pass over the trace
 * does with it. To read one more event, add a row and its handlers.
 *
 * Events of the kernel are known by a hook: the group in the high byte, the opcode in the low
 * one. Programs log the same events under the class of the group. All other events are known by
 * their provider and an id, which for classic events is the opcode. */
#ifndef WK_FORMATS_ETL_HOOKS_H
#define WK_FORMATS_ETL_HOOKS_H

#include "formats/etl/config/config.h"
#include "formats/etl/providers.h"

struct wk_buf;
struct wk_etl_hook;
struct wk_etl_trace;

/* A handler of the first pass: false if the payload is too short. Handlers read the record that is
 * the trace's current one. */
typedef bool wk_etl_scan(struct wk_etl_trace *trace);

/* A handler of the second pass: false if the sink failed. */
typedef bool wk_etl_emit(struct wk_etl_trace *trace);

/* Is the payload one with pointers of that width? */
typedef bool wk_etl_fits(const struct wk_etl_record *record, uint8_t pointer_bytes);

/* Whether an event starts or ends a lifetime. */
enum wk_etl_phase {
	WK_ETL_ONCE,
	WK_ETL_START,
	WK_ETL_END,
	WK_ETL_RUNDOWN, /* existed when the trace started, or still when it ended */
	WK_ETL_BY_KEY,  /* a stack whose addresses are defined by another record */
};

/* What its samples are samples of; counters of the processor follow by their rows. */
enum wk_etl_source {
	WK_ETL_NO_SOURCE,
	WK_ETL_SAMPLED,
	WK_ETL_IDLE,
	WK_ETL_HARD_FAULT,
	WK_ETL_TRANSITION_FAULT,
	WK_ETL_DEMAND_ZERO_FAULT,
	WK_ETL_COPY_ON_WRITE_FAULT,
	WK_ETL_GUARD_PAGE_FAULT,
	WK_ETL_HARD_PAGE_FAULT,
	WK_ETL_ACCESS_VIOLATION,
	WK_ETL_DPC,
	WK_ETL_ISR,
	WK_ETL_FIRST_COUNTER,
};

#define WK_ETL_ANY_ID UINT16_MAX /* of TraceLogging: recognized by `name` */

struct wk_etl_hook {
	uint16_t id;
	const char *name; /* "PerfInfo/Sample"; NULL: schema/ has it */
	wk_etl_scan *scan;
	wk_etl_emit *emit;
	uint8_t phase;              /* enum wk_etl_phase */
	uint8_t source;             /* enum wk_etl_source; 0: determined by the payload */
	uint8_t change;             /* enum wk_heap_change, of heaps */
	wk_etl_config_read *config; /* facts of the machine; in the first pass */
	wk_etl_fits *fits;          /* of records whose header may have the wrong width */
	uint8_t provider;           /* enum wk_etl_provider */
	uint8_t version;            /* the oldest that is read */
	bool is_unread;             /* recognized, but its payload cannot be decoded */
};

#define WK_ETL_HOOK_GROUPS  32
#define WK_ETL_HOOK_OPCODES 256

/* Rows of the table, found by what a record has. */
struct wk_etl_hooks {
	uint16_t kernel[WK_ETL_HOOK_GROUPS][WK_ETL_HOOK_OPCODES]; /* row + 1 */
	uint16_t others[WK_ETL_BY_OTHERS][WK_ETL_HOOK_OPCODES];
	const struct wk_etl_hook *any[WK_ETL_BY_OTHERS]; /* the first of WK_ETL_ANY_ID */
};

/* `hooks` is zeroed. */
void wk_etl_hooks_init(struct wk_etl_hooks *hooks);

struct wk_etl_match {
	const struct wk_etl_hook *hook; /* never NULL: one without handlers for unknown events */
	enum wk_etl_provider provider;
	uint16_t kernel_hook; /* of WK_ETL_BY_KERNEL, whichever session logged it */
};
struct wk_etl_match wk_etl_hooks_match(const struct wk_etl_hooks *hooks,
				       const struct wk_etl_record *record);

/* Is anything read of such events? */
bool wk_etl_hook_is_used(const struct wk_etl_hook *hook);

/* A 32-bit program may log events of a 64-bit kernel under a 32-bit header: corrects the width of
 * pointers if the payload fits the other one only. */
void wk_etl_hook_set_width(const struct wk_etl_hook *hook, struct wk_etl_record *record);

/* The name of a kernel event: "PerfInfo/Sample", or its group and its number in hexadecimal. */
void wk_etl_hook_kernel_name(uint16_t kernel_hook, struct wk_buf *name);

/* The name of a classic event of another provider; empty if unknown. */
struct wk_str wk_etl_hook_name(const struct wk_guid *provider, uint16_t id);

#endif
