#include "formats/etl/payload/memory.h"

bool wk_etl_read_virtual(struct wk_bytes in, struct wk_etl_form form, struct wk_etl_virtual *memory)
{
	*memory = (struct wk_etl_virtual){ 0 };
	memory->base = wk_etl_read_pointer(&in, form);
	memory->size_bytes = wk_etl_read_pointer(&in, form);
	memory->pid = wk_u32le(&in);
	memory->flags = wk_u32le(&in);
	return !in.bad;
}

bool wk_etl_read_use(struct wk_bytes in, struct wk_etl_form form, uint32_t *pid,
		     struct wk_process_use *use)
{
	*use = (struct wk_process_use){ .is_known = true };
	*pid = wk_u32le(&in);
	use->page_faults = wk_u32le(&in);
	use->handles = wk_u32le(&in);
	wk_bytes_skip(&in, 4);
	use->peak_virtual_bytes = wk_etl_read_pointer(&in, form);
	use->peak_working_set_bytes = wk_etl_read_pointer(&in, form);
	use->peak_commit_bytes = wk_etl_read_pointer(&in, form);
	wk_etl_read_pointer(&in, form); /* peak of the paged pool */
	wk_etl_read_pointer(&in, form); /* and of the nonpaged pool */
	wk_etl_read_pointer(&in, form); /* current virtual size */
	use->working_set_bytes = wk_etl_read_pointer(&in, form);
	use->commit_bytes = wk_etl_read_pointer(&in, form);
	return !in.bad;
}

bool wk_etl_read_fault(struct wk_bytes in, struct wk_etl_form form, struct wk_etl_fault *fault)
{
	*fault = (struct wk_etl_fault){ 0 };
	fault->address = wk_etl_read_pointer(&in, form);
	fault->program_counter = wk_etl_read_pointer(&in, form);
	return !in.bad;
}

bool wk_etl_read_hard_fault(struct wk_bytes in, struct wk_etl_form form,
			    struct wk_etl_hard_fault *fault)
{
	*fault = (struct wk_etl_hard_fault){ 0 };
	wk_bytes_skip(&in, 16); /* start time; offset in the file */
	fault->address = wk_etl_read_pointer(&in, form);
	wk_etl_read_pointer(&in, form); /* key of the file */
	fault->tid = wk_u32le(&in);
	fault->size_bytes = wk_u32le(&in);
	return !in.bad;
}

/* ---- heaps: fields are adjacent, without padding */

/* The allocator of a source. */
static const char *heap_source(uint32_t source)
{
	static const char *const names[] = { "", "lookaside", "low fragmentation heap",
					     "main path", "slow path", "", "segment heap" };

	return source < sizeof(names) / sizeof(names[0]) ? names[source] : "";
}

bool wk_etl_read_heap(struct wk_bytes in, struct wk_etl_form form, struct wk_event_heap *heap)
{
	enum wk_heap_change change = heap->change;

	heap->heap = wk_etl_read_pointer(&in, form);
	if (change == WK_HEAP_ALLOCATE)
		heap->size_bytes = wk_etl_read_pointer(&in, form);
	if (change >= WK_HEAP_ALLOCATE)
		heap->address = wk_etl_read_pointer(&in, form);
	if (change == WK_HEAP_REALLOCATE) {
		heap->old_address = wk_etl_read_pointer(&in, form);
		heap->size_bytes = wk_etl_read_pointer(&in, form);
		heap->old_size_bytes = wk_etl_read_pointer(&in, form);
	}
	if (in.bad || change < WK_HEAP_ALLOCATE)
		return !in.bad;
	heap->made_by = wk_str_c(heap_source(wk_u32le(&in)));
	return change == WK_HEAP_FREE || !in.bad; /* frees may have no source */
}
