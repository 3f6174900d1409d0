/* Payloads of Windows' memory and heap events; payload.h describes how they are read. */
#ifndef WK_FORMATS_ETL_PAYLOAD_MEMORY_H
#define WK_FORMATS_ETL_PAYLOAD_MEMORY_H

#include "event/event.h"
#include "formats/etl/payload/payload.h"

/* Flags of VirtualAlloc and VirtualFree; others are not used. */
enum {
	WK_ETL_MEM_COMMIT = 0x1000,
	WK_ETL_MEM_RESERVE = 0x2000,
	WK_ETL_MEM_DECOMMIT = 0x4000, /* of an allocation it means something else */
	WK_ETL_MEM_RELEASE = 0x8000,
};

/* Address space was reserved or committed for a process, or released. */
struct wk_etl_virtual {
	uint64_t base, size_bytes;
	uint32_t pid, flags; /* the process whose address space it is */
};
bool wk_etl_read_virtual(struct wk_bytes payload, struct wk_etl_form form,
			 struct wk_etl_virtual *memory);

/* Memory counters of a process. */
bool wk_etl_read_use(struct wk_bytes payload, struct wk_etl_form form, uint32_t *pid,
		     struct wk_process_use *use);

/* A page fault without disk access, or an access violation. */
struct wk_etl_fault {
	uint64_t address, program_counter;
};
bool wk_etl_read_fault(struct wk_bytes payload, struct wk_etl_form form,
		       struct wk_etl_fault *fault);

/* Pages were read from a disk. */
struct wk_etl_hard_fault {
	uint64_t address;
	uint32_t tid, size_bytes;
};
bool wk_etl_read_hard_fault(struct wk_bytes payload, struct wk_etl_form form,
			    struct wk_etl_hard_fault *fault);

/* A change of a heap or of one of its blocks, by `heap->change`; sets the fields that its event
 * has. */
bool wk_etl_read_heap(struct wk_bytes payload, struct wk_etl_form form, struct wk_event_heap *heap);

#endif
