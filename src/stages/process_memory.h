/* Memory of recorded processes, for stacks that their copies do not hold whole.
 *
 * Whole pages that were read are kept for a while: the last samples of a process are unwound when
 * it has ended, and its outer frames are where they were. */
#ifndef WK_STAGES_PROCESS_MEMORY_H
#define WK_STAGES_PROCESS_MEMORY_H

#include <stddef.h>
#include <stdint.h>

struct wk_process_memory;

struct wk_process_memory *wk_process_memory_new(void);
void wk_process_memory_free(struct wk_process_memory *memory);

/* Copies up to `size` bytes and returns how many it got: what the process has there now or, if it
 * is gone, what was read last. */
size_t wk_process_memory_read(struct wk_process_memory *memory, uint32_t pid, uint64_t address,
			      void *bytes, size_t size);

#endif
