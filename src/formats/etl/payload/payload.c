#include "formats/etl/payload/payload.h"

#include "base/text/utf16.h"

struct wk_str wk_etl_text8(struct wk_bytes *in)
{
	size_t left = wk_bytes_left(in);
	const uint8_t *nul = left ? memchr(in->at, 0, left) : NULL;
	size_t len = nul ? (size_t)(nul - in->at) : left;
	struct wk_str text = wk_str_of((const char *)in->at, len);

	wk_bytes_skip(in, nul ? len + 1 : len);
	return text;
}

/* ---- processes */

#define MOST_SUB_AUTHORITIES 15

static bool looks_like_sid(struct wk_bytes at)
{
	uint8_t revision = wk_u8(&at), count = wk_u8(&at);

	return !at.bad && revision == 1 && count <= MOST_SUB_AUTHORITIES &&
	       wk_bytes_left(&at) >= 6 + 4 * (size_t)count;
}

/* A structure of two pointers precedes the identifier, or a zero replaces both. Some writers write
 * a structure of zeros and an identifier nevertheless. */
static struct wk_bytes read_sid(struct wk_bytes *in, struct wk_etl_form form)
{
	struct wk_bytes behind = *in, first = *in, sid = *in;
	uint32_t is_there = wk_u32le(&first);

	wk_bytes_skip(&behind, 2 * (uint64_t)form.pointer_bytes);
	sid.end = sid.at;
	if (!is_there && !looks_like_sid(behind)) {
		wk_bytes_skip(in, 4);
		return sid;
	}
	*in = behind;
	if (!wk_bytes_need(in, 2))
		return sid;
	sid = wk_bytes_slice(in, 8 + 4 * (uint64_t)in->at[1]);
	return sid;
}

/* Of Windows XP. */
static bool read_oldest_process(struct wk_bytes in, struct wk_etl_form form,
				struct wk_etl_process *process)
{
	process->pid = (uint32_t)wk_etl_read_pointer(&in, form);
	process->parent_pid = (uint32_t)wk_etl_read_pointer(&in, form);
	process->sid = read_sid(&in, form);
	process->name = wk_etl_text8(&in);
	return !in.bad;
}

bool wk_etl_read_process(struct wk_bytes in, struct wk_etl_form form,
			 struct wk_etl_process *process)
{
	*process = (struct wk_etl_process){ 0 };
	if (form.version == 0)
		return read_oldest_process(in, form, process);
	wk_etl_read_pointer(&in, form); /* its key; in version 1 the page directory */
	process->pid = wk_u32le(&in);
	process->parent_pid = wk_u32le(&in);
	process->session = wk_u32le(&in);
	process->exit_status = (int32_t)wk_u32le(&in);
	if (form.version >= 3)
		wk_etl_read_pointer(&in, form); /* the page directory */
	if (form.version >= 4)
		process->flags = wk_u32le(&in);
	process->sid = read_sid(&in, form);
	if (in.bad)
		return false;
	process->name = wk_etl_text8(&in);
	process->command_line = wk_utf16_text(&in);
	if (form.version >= 4) {
		process->package = wk_utf16_text(&in);
		wk_utf16_text(&in); /* the application in it */
	}
	process->rest = in;
	return true;
}

/* ---- threads */

bool wk_etl_read_thread(struct wk_bytes in, struct wk_etl_form form, struct wk_etl_thread *thread)
{
	*thread = (struct wk_etl_thread){ 0 };
	if (form.version == 0) { /* of Windows XP: in the other order, and no more */
		thread->tid = wk_u32le(&in);
		thread->pid = wk_u32le(&in);
		return !in.bad;
	}
	thread->pid = wk_u32le(&in);
	thread->tid = wk_u32le(&in);
	if (in.bad)
		return false;
	/* Both stacks, affinity, start address, environment block. */
	wk_bytes_skip(&in, 7 * (uint64_t)form.pointer_bytes);
	thread->service_tag = wk_u32le(&in);
	wk_bytes_skip(&in, 4); /* priorities, flags */
	if (form.version >= 3 && !in.bad)
		thread->name = wk_utf16_text(&in);
	return true;
}

bool wk_etl_read_thread_name(struct wk_bytes in, struct wk_etl_thread *thread)
{
	*thread = (struct wk_etl_thread){ .pid = wk_u32le(&in) };
	thread->tid = wk_u32le(&in);
	if (in.bad)
		return false;
	thread->name = wk_utf16_text(&in);
	return true;
}

/* ---- images */

bool wk_etl_read_image(struct wk_bytes in, struct wk_etl_form form, struct wk_etl_image *image)
{
	*image = (struct wk_etl_image){ .pid = WK_ETL_NO_PID };
	image->base = wk_etl_read_pointer(&in, form);
	image->size_bytes = form.version ? wk_etl_read_pointer(&in, form) : wk_u32le(&in);
	if (form.version >= 1)
		image->pid = wk_u32le(&in);
	if (form.version >= 2) {
		wk_u32le(&in); /* the checksum */
		image->time_stamp = wk_u32le(&in);
		wk_bytes_skip(&in, 4 + form.pointer_bytes + 16); /* signature, preferred base */
	}
	if (in.bad)
		return false;
	image->path = wk_utf16_text(&in);
	return true;
}

bool wk_etl_read_debug_id(struct wk_bytes in, struct wk_etl_form form, struct wk_etl_debug_id *id)
{
	struct wk_bytes guid;

	*id = (struct wk_etl_debug_id){ 0 };
	id->base = wk_etl_read_pointer(&in, form);
	id->pid = wk_u32le(&in);
	guid = wk_bytes_slice(&in, sizeof(id->guid));
	id->age = wk_u32le(&in);
	if (in.bad || guid.bad)
		return false;
	memcpy(id->guid, guid.at, sizeof(id->guid));
	id->path = wk_etl_text8(&in);
	return true;
}

bool wk_etl_read_image_id(struct wk_bytes in, struct wk_etl_form form, struct wk_etl_image_id *id)
{
	id->base = wk_etl_read_pointer(&in, form);
	id->size_bytes = wk_etl_read_pointer(&in, form);
	id->pid = wk_u32le(&in);
	id->time_stamp = wk_u32le(&in);
	return !in.bad;
}

/* ---- samples and stacks */

bool wk_etl_read_sample(struct wk_bytes in, struct wk_etl_form form, struct wk_etl_sample *sample)
{
	uint8_t flags;

	*sample = (struct wk_etl_sample){ 0 };
	sample->address = wk_etl_read_pointer(&in, form);
	sample->tid = wk_u32le(&in);
	sample->count = wk_u16le(&in);
	flags = wk_u8(&in);
	sample->in_dpc = flags & 1;
	sample->in_isr = flags & 2;
	return !in.bad;
}

bool wk_etl_read_samples(struct wk_bytes in, struct wk_etl_form form,
			 struct wk_etl_samples *samples)
{
	size_t each = form.pointer_bytes + 8u;
	uint32_t count = (uint32_t)wk_etl_read_pointer(&in, form); /* 32 bits, but aligned */

	samples->count = 0;
	while (samples->count < count && samples->count < WK_ETL_MOST_CACHED && !in.bad &&
	       wk_bytes_left(&in) >= each)
		samples->at[samples->count++] = wk_bytes_slice(&in, each);
	return samples->count == count;
}

bool wk_etl_read_interval(struct wk_bytes in, struct wk_etl_interval *interval)
{
	*interval = (struct wk_etl_interval){ .source = wk_u32le(&in) };
	interval->interval = wk_u32le(&in);
	if (in.bad)
		return false;
	interval->before = wk_u32le(&in);
	interval->name = wk_utf16_text(&in);
	return true;
}

/* Whole addresses only. */
static struct wk_bytes read_addresses(struct wk_bytes *in, struct wk_etl_form form)
{
	size_t left = wk_bytes_left(in);

	return wk_bytes_slice(in, left - left % form.pointer_bytes);
}

bool wk_etl_read_stack(struct wk_bytes in, struct wk_etl_form form, bool is_key,
		       struct wk_etl_stack *stack)
{
	*stack = (struct wk_etl_stack){ .time = wk_u64le(&in) };
	stack->pid = wk_u32le(&in);
	stack->tid = wk_u32le(&in);
	if (is_key)
		stack->key = wk_etl_read_pointer(&in, form);
	else if (!in.bad)
		stack->addresses = read_addresses(&in, form);
	return !in.bad;
}

bool wk_etl_read_stack_definition(struct wk_bytes in, struct wk_etl_form form, uint64_t *key,
				  struct wk_bytes *addresses)
{
	*key = wk_etl_read_pointer(&in, form);
	*addresses = read_addresses(&in, form);
	return !in.bad;
}

/* ---- texts */

bool wk_etl_read_pair(struct wk_bytes in, struct wk_bytes *first, struct wk_bytes *second)
{
	bool is_there = wk_bytes_left(&in) >= 2;

	*first = wk_utf16_text(&in);
	*second = wk_utf16_text(&in);
	return is_there;
}

/* ---- the scheduler */

/* KWAIT_REASON, in its order. */
static const char *const wait_reasons[] = {
	"Executive", "FreePage", "PageIn", "PoolAllocation", "DelayExecution", "Suspended",
	"UserRequest", "WrExecutive", "WrFreePage", "WrPageIn", "WrPoolAllocation",
	"WrDelayExecution", "WrSuspended", "WrUserRequest", "WrEventPair", "WrQueue",
	"WrLpcReceive", "WrLpcReply", "WrVirtualMemory", "WrPageOut", "WrRendezvous",
	"WrKeyedEvent", "WrTerminated", "WrProcessInSwap", "WrCpuRateControl", "WrCalloutStack",
	"WrKernel", "WrResource", "WrPushLock", "WrMutex", "WrQuantumEnd", "WrDispatchInt",
	"WrPreempted", "WrYieldExecution", "WrFastMutex", "WrGuardedMutex", "WrRundown",
	"WrAlertByThreadId", "WrDeferredPreempt", "WrPhysicalFault", "WrIoRing", "WrMdlCache",
};

/* Thread states in which a thread cannot run. */
enum { TERMINATED = 4, WAITING = 5, WAITING_AT_GATE = 8 /* of Windows Vista */ };

bool wk_etl_read_switch(struct wk_bytes in, uint32_t *new_tid, struct wk_event_switch *switched)
{
	uint8_t reason, mode, state;

	*new_tid = wk_u32le(&in);
	switched->old_tid = wk_u32le(&in);
	wk_bytes_skip(&in, 4); /* priorities; then quantums, or the idle state of the processor */
	reason = wk_u8(&in);
	mode = wk_u8(&in); /* KPROCESSOR_MODE */
	state = wk_u8(&in);
	switched->old_waits = state == WAITING || state == TERMINATED || state == WAITING_AT_GATE;
	if (switched->old_waits)
		switched->wait_mode = mode == 0   ? WK_WAIT_KERNEL
				      : mode == 1 ? WK_WAIT_USER
						  : WK_WAIT_UNTOLD;
	if (switched->old_tid && reason < sizeof(wait_reasons) / sizeof(wait_reasons[0]))
		switched->wait_reason = wk_str_c(wait_reasons[reason]);
	return !in.bad;
}

bool wk_etl_read_ready(struct wk_bytes in, struct wk_event_ready *ready)
{
	ready->ready_tid = wk_u32le(&in);
	wk_bytes_skip(&in, 2); /* priority change */
	ready->is_interrupt = wk_u8(&in) & 1;
	return !in.bad;
}

/* ---- memory */

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
