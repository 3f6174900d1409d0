#include "formats/etl/payload/threads.h"

/* Thread states in which a thread cannot run. */
enum { TERMINATED = 4, WAITING = 5, WAITING_AT_GATE = 8 /* of Windows Vista */ };

bool wk_etl_read_switch(struct wk_bytes in, struct wk_etl_switch *switched)
{
	uint8_t state;

	*switched = (struct wk_etl_switch){ 0 };
	switched->new_tid = wk_u32le(&in);
	switched->old_tid = wk_u32le(&in);
	wk_bytes_skip(&in, 4); /* priorities; then quantums, or the idle state of the processor */
	switched->wait_reason = wk_u8(&in);
	switched->wait_mode = wk_u8(&in);
	state = wk_u8(&in);
	switched->old_waits = state == WAITING || state == TERMINATED || state == WAITING_AT_GATE;
	return !in.bad;
}

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

const char *wk_etl_wait_reason(uint8_t reason)
{
	return reason < sizeof(wait_reasons) / sizeof(wait_reasons[0]) ? wait_reasons[reason] : "";
}

/* KPROCESSOR_MODE. */
enum wk_wait_mode wk_etl_wait_mode(uint8_t mode)
{
	return mode == 0 ? WK_WAIT_KERNEL : mode == 1 ? WK_WAIT_USER : WK_WAIT_UNTOLD;
}

bool wk_etl_read_ready(struct wk_bytes in, struct wk_etl_ready *ready)
{
	*ready = (struct wk_etl_ready){ .tid = wk_u32le(&in) };
	wk_bytes_skip(&in, 2); /* priority change */
	ready->in_dpc = wk_u8(&in) & 1;
	return !in.bad;
}

bool wk_etl_read_interrupt(struct wk_bytes in, struct wk_etl_form form,
			   struct wk_etl_interrupt *interrupt)
{
	*interrupt = (struct wk_etl_interrupt){ .begin = wk_u64le(&in) };
	interrupt->routine = wk_etl_read_pointer(&in, form);
	return !in.bad;
}
