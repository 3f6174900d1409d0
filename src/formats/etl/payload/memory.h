/* What the payloads of Windows' memory and heap events say: see etl_payload.h for how they are
 * read. */
#ifndef WK_FORMATS_ETL_PAYLOAD_MEMORY_H
#define WK_FORMATS_ETL_PAYLOAD_MEMORY_H

#include "event/event.h"
#include "formats/etl/payload/payload.h"

/* Flags of VirtualAlloc; of VirtualFree; the others of both do not matter here. */
enum {
	WK_ETL_MEM_COMMIT = 0x1000,
	WK_ETL_MEM_RESERVE = 0x2000,
	WK_ETL_MEM_DECOMMIT = 0x4000, /* of an allocation it means something else */
	WK_ETL_MEM_RELEASE = 0x8000,
};

/* Address space was given to a process, or taken back. */
struct wk_etl_virtual {
	uint64_t base, size_bytes;
	uint32_t pid, flags; /* whose address space, whoever did it */
};
bool wk_etl_read_virtual(struct wk_bytes payload, struct wk_etl_form form,
			 struct wk_etl_virtual *memory);

/* What was counted for a process. */
struct wk_etl_use {
	uint32_t pid;
	struct wk_process_use use;
};
bool wk_etl_read_use(struct wk_bytes payload, struct wk_etl_form form, struct wk_etl_use *use);

/* A page was not there, but no disk was needed; or was not to be accessed. */
struct wk_etl_fault {
	uint64_t address, program_counter;
};
bool wk_etl_read_fault(struct wk_bytes payload, struct wk_etl_form form,
		       struct wk_etl_fault *fault);

/* Pages had to be read from a disk. */
struct wk_etl_hard_fault {
	uint64_t address;
	uint32_t tid, size_bytes;
};
bool wk_etl_read_hard_fault(struct wk_bytes payload, struct wk_etl_form form,
			    struct wk_etl_hard_fault *fault);

/* What became of a block of a heap; what its kind of event does not tell stays 0. */
struct wk_etl_heap {
	uint64_t heap, address, size_bytes, old_address, old_size_bytes;
	uint32_t source;
};
bool wk_etl_read_heap_alloc(struct wk_bytes payload, struct wk_etl_form form,
			    struct wk_etl_heap *block);
bool wk_etl_read_heap_realloc(struct wk_bytes payload, struct wk_etl_form form,
			      struct wk_etl_heap *block);
bool wk_etl_read_heap_free(struct wk_bytes payload, struct wk_etl_form form,
			   struct wk_etl_heap *block);

/* A whole heap: only which. */
bool wk_etl_read_heap(struct wk_bytes payload, struct wk_etl_form form, struct wk_etl_heap *heap);

/* Which part of the allocator a source stands for; "" for what is not known. */
const char *wk_etl_heap_source(uint32_t source);

#endif
