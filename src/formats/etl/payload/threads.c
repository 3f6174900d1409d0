#include "formats/etl/payload/threads.h"

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

bool wk_etl_read_interrupt(struct wk_bytes in, struct wk_etl_form form,
			   struct wk_etl_interrupt *interrupt)
{
	*interrupt = (struct wk_etl_interrupt){ .begin = wk_u64le(&in) };
	interrupt->routine = wk_etl_read_pointer(&in, form);
	return !in.bad;
}
