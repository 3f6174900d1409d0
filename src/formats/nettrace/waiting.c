#include "formats/nettrace/waiting.h"

/* The type, and its methods. Those that call native code to wait are innermost; where they are
 * inlined, or are part of the runtime itself, their callers are. */
static const struct {
	const char *type;
	const char *methods[16]; /* NULL-terminated */
} waits[] = {
	{ "System.Threading.Thread.",
	  { "Sleep", "SleepInternal", "UninterruptibleSleep0", "Yield", "YieldInternal", "Join",
	    "JoinInternal", "JoinCore" } },
	{ "System.Threading.LowLevelSpinWaiter.", { "Wait" } }, /* of the thread pool */
	{ "System.Threading.Monitor.",
	  { "Wait", "ObjWait", "Enter", "ReliableEnter", "ReliableEnterTimeout", "TryEnter",
	    "Enter_Slowpath", "TryEnter_Slowpath", "TryEnter_Timeout_Slowpath" } },
	{ "System.Threading.Lock.", { "EnterSlow", "TryEnterSlow", "EnterAndGetCurrentThreadId" } },
	{ "System.Threading.WaitHandle.",
	  { "WaitOne", "WaitOneNoCheck", "WaitOneCore", "InternalWaitOne", "WaitAny", "WaitAll",
	    "WaitMultiple", "WaitMultipleIgnoringSyncContext", "WaitAnyMultiple",
	    "WaitForMultipleObjectsIgnoringSyncContext", "SignalAndWait", "SignalAndWaitCore",
	    "SignalAndWaitNative" } },
	{ "System.Threading.LowLevelLifoSemaphore.", { "Wait", "WaitNative", "WaitForSignal" } },
	{ "System.Threading.LowLevelLifoSemaphoreBase.", { "Wait", "WaitForSignal" } },
	{ "System.Threading.LowLevelMonitor.", { "Wait", "WaitCore" } },
	{ "System.Threading.ManualResetEventSlim.", { "Wait" } },
	{ "System.Threading.SemaphoreSlim.", { "Wait", "WaitUntilCountOrTimeout" } },
	{ "System.Threading.WaitSubsystem.", { "Wait", "Sleep", "SleepCore" } },
	{ "System.Threading.WaitSubsystem+ThreadWaitInfo.",
	  { "Wait", "Sleep", "UninterruptibleSleep0" } },
	{ "System.Threading.PortableThreadPool+IOCompletionPoller.", { "Poll" } },
	{ "System.Net.Sockets.SocketAsyncEngine.", { "EventLoop" } },
	{ "Interop+Sys.",
	  { "Read", "Poll", "WaitForSocketEvents", "Accept", "Connect", "Receive", "ReceiveMessage",
	    "WaitPidExitedNoHang", "ReadStdin", "LowLevelMonitor_Wait",
	    "LowLevelMonitor_TimedWait" } },
	{ "Interop+Kernel32.",
	  { "ReadFile", "ReadConsole", "GetQueuedCompletionStatus", "GetQueuedCompletionStatusEx",
	    "WaitForSingleObject", "WaitForMultipleObjectsEx", "Sleep", "SleepConditionVariableCS",
	    "ConnectNamedPipe" } },
	{ "Interop+Winsock.",
	  { "select", "recv", "recvfrom", "accept", "WSARecv", "WSAConnect", "WSAPoll" } },
};

bool wk_nettrace_waits(struct wk_str method)
{
	for (size_t i = 0; i < sizeof(waits) / sizeof(waits[0]); i++)
		if (wk_str_starts(method, waits[i].type) &&
		    wk_str_is_one_of(wk_str_skip(method, strlen(waits[i].type)), waits[i].methods))
			return true;
	return false;
}

bool wk_nettrace_is_stub(struct wk_str method)
{
	return wk_str_starts(method, "dynamicClass.IL_STUB");
}
