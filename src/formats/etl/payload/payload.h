/* Payloads of Windows' kernel events: the bytes of a record to numbers and texts.
 *
 * Each function reads the known prefix of a payload by the version and pointer size of the record,
 * and returns false if the payload is shorter; a longer one is a newer version. Texts point into
 * the payload: UTF-16 as wk_bytes, one byte per character as wk_str. docs/formats/etl.md lists the
 * fields and marks what no real file confirms. */
#ifndef WK_FORMATS_ETL_PAYLOAD_PAYLOAD_H
#define WK_FORMATS_ETL_PAYLOAD_PAYLOAD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/str.h"
#include "base/text/utf16.h"
#include "event/event.h"

/* The fields of a record that determine the layout of its payload. */
struct wk_etl_form {
	uint8_t version;
	uint8_t pointer_bytes; /* 4 or 8 */
};

enum wk_etl_process_flag {
	WK_ETL_PROCESS_HAS_APPLICATION = 1,
	WK_ETL_PROCESS_IS_32BIT = 2, /* on a 64-bit system */
	WK_ETL_PROCESS_IS_PROTECTED = 4,
	WK_ETL_PROCESS_IS_PACKAGED = 8,
};

struct wk_etl_process {
	uint32_t pid, parent_pid, session;
	int32_t exit_status;
	uint32_t flags;      /* enum wk_etl_process_flag */
	struct wk_bytes sid; /* the security identifier, from its revision on; or empty */
	struct wk_str name;
	struct wk_bytes command_line, package; /* UTF-16 */
	struct wk_bytes rest;                  /* the rest after all known fields */
};
bool wk_etl_read_process(struct wk_bytes payload, struct wk_etl_form form,
			 struct wk_etl_process *process);

struct wk_etl_thread {
	uint32_t pid, tid;
	uint32_t service_tag; /* the service of the process that it works for; 0: none */
	struct wk_bytes name; /* UTF-16 */
};
bool wk_etl_read_thread(struct wk_bytes payload, struct wk_etl_form form,
			struct wk_etl_thread *thread);

/* A thread was named. */
bool wk_etl_read_thread_name(struct wk_bytes payload, struct wk_etl_thread *thread);

struct wk_etl_image {
	uint64_t base, size_bytes;
	uint32_t pid; /* WK_ETL_NO_PID: that of the record's header */
	uint32_t time_stamp;
	struct wk_bytes path; /* UTF-16 */
};
#define WK_ETL_NO_PID UINT32_MAX
bool wk_etl_read_image(struct wk_bytes payload, struct wk_etl_form form,
		       struct wk_etl_image *image);

/* A sample of the timer. */
struct wk_etl_sample {
	uint64_t address;
	uint32_t tid, count;
	bool in_dpc, in_isr;
};
bool wk_etl_read_sample(struct wk_bytes payload, struct wk_etl_form form,
			struct wk_etl_sample *sample);

/* Several samples of the timer collected by the kernel, each as in read_sample. */
#define WK_ETL_MOST_CACHED 20
struct wk_etl_samples {
	struct wk_bytes at[WK_ETL_MOST_CACHED];
	size_t count;
};
bool wk_etl_read_samples(struct wk_bytes payload, struct wk_etl_form form,
			 struct wk_etl_samples *samples);

/* The sampling interval of a source: time in 100 ns (source 0), or events. */
struct wk_etl_interval {
	uint32_t source, interval, before;
	struct wk_bytes name; /* UTF-16 */
};
bool wk_etl_read_interval(struct wk_bytes payload, struct wk_etl_interval *interval);

/* A stack, or half of one, and the event that it belongs to. */
struct wk_etl_stack {
	uint64_t time; /* of that event, in ticks */
	uint32_t pid, tid;
	struct wk_bytes addresses; /* innermost first, each of pointer_bytes; empty: see key */
	uint64_t key;              /* of a later definition */
};
bool wk_etl_read_stack(struct wk_bytes payload, struct wk_etl_form form, bool is_key,
		       struct wk_etl_stack *stack);

/* The stack that a key represented until now. */
bool wk_etl_read_stack_definition(struct wk_bytes payload, struct wk_etl_form form, uint64_t *key,
				  struct wk_bytes *addresses);

/* The PDB of an image (KernelTraceControl's ImageID, opcode 36). */
struct wk_etl_debug_id {
	uint64_t base;
	uint32_t pid, age;
	uint8_t guid[16];
	struct wk_str path;
};
bool wk_etl_read_debug_id(struct wk_bytes payload, struct wk_etl_form form,
			  struct wk_etl_debug_id *id);

/* The key of an image's file (opcode 0). */
struct wk_etl_image_id {
	uint64_t base, size_bytes;
	uint32_t pid, time_stamp;
};
bool wk_etl_read_image_id(struct wk_bytes payload, struct wk_etl_form form,
			  struct wk_etl_image_id *id);

/* Two adjacent UTF-16 texts, as in the map of volumes. */
bool wk_etl_read_pair(struct wk_bytes payload, struct wk_bytes *first, struct wk_bytes *second);

/* A processor switches from one thread to another: all but the processes and the stack. */
bool wk_etl_read_switch(struct wk_bytes payload, uint32_t *new_tid,
			struct wk_event_switch *switched);

/* A waiting thread became ready, likewise. */
bool wk_etl_read_ready(struct wk_bytes payload, struct wk_event_ready *ready);

/* Memory counters of a process. */
bool wk_etl_read_use(struct wk_bytes payload, struct wk_etl_form form, uint32_t *pid,
		     struct wk_process_use *use);

/* A change of a heap or of one of its blocks, by `heap->change`; sets the fields that its event
 * has. */
bool wk_etl_read_heap(struct wk_bytes payload, struct wk_etl_form form, struct wk_event_heap *heap);

/* As wk_utf16_text, with one byte per character. */
struct wk_str wk_etl_text8(struct wk_bytes *in);

static inline uint64_t wk_etl_read_pointer(struct wk_bytes *in, struct wk_etl_form form)
{
	return form.pointer_bytes == 4 ? wk_u32le(in) : wk_u64le(in);
}

#endif
