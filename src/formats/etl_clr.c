#include "formats/etl_clr.h"

#include <stdlib.h>

#include "base/num.h"
#include "formats/etl_guid.h"

static const struct {
	struct wk_guid guid;
	const char *name;
} providers[] = {
	{ { 0xe13c0d23, 0xccbc, 0x4e12, { 0x93, 0x1b, 0xd9, 0xcc, 0x2e, 0xee, 0x27, 0xe4 } },
	  "Microsoft-Windows-DotNETRuntime" },
	{ { 0xa669021c, 0xc450, 0x4609, { 0xa0, 0x35, 0x5a, 0xf5, 0x9a, 0xf4, 0xdf, 0x18 } },
	  "Microsoft-Windows-DotNETRuntimeRundown" },
	{ { 0x763fd754, 0x7086, 0x4dfe, { 0x95, 0xeb, 0xc0, 0x1a, 0x46, 0xfa, 0xf4, 0xca } },
	  "Microsoft-Windows-DotNETRuntimePrivate" },
};

enum { RUNTIME, RUNDOWN, PRIVATE, NONE };

static const struct {
	uint16_t id;
	uint8_t provider;
	const char *name;
} events[] = {
	{ 1, RUNTIME, "GC/Start" },
	{ 2, RUNTIME, "GC/Stop" },
	{ 3, RUNTIME, "GC/RestartEEStop" },
	{ 4, RUNTIME, "GC/HeapStats" },
	{ 5, RUNTIME, "GC/CreateSegment" },
	{ 6, RUNTIME, "GC/FreeSegment" },
	{ 7, RUNTIME, "GC/RestartEEStart" },
	{ 8, RUNTIME, "GC/SuspendEEStop" },
	{ 9, RUNTIME, "GC/SuspendEEStart" },
	{ 10, RUNTIME, "GC/AllocationTick" },
	{ 11, RUNTIME, "GC/CreateConcurrentThread" },
	{ 12, RUNTIME, "GC/TerminateConcurrentThread" },
	{ 13, RUNTIME, "GC/FinalizersStop" },
	{ 14, RUNTIME, "GC/FinalizersStart" },
	{ 15, RUNTIME, "Type/BulkType" },
	{ 16, RUNTIME, "GC/BulkRootEdge" },
	{ 17, RUNTIME, "GC/BulkRootConditionalWeakTableElementEdge" },
	{ 18, RUNTIME, "GC/BulkNode" },
	{ 19, RUNTIME, "GC/BulkEdge" },
	{ 20, RUNTIME, "GC/SampledObjectAllocation" },
	{ 21, RUNTIME, "GC/BulkSurvivingObjectRanges" },
	{ 22, RUNTIME, "GC/BulkMovedObjectRanges" },
	{ 23, RUNTIME, "GC/GenerationRange" },
	{ 25, RUNTIME, "GC/MarkStackRoots" },
	{ 26, RUNTIME, "GC/MarkFinalizeQueueRoots" },
	{ 27, RUNTIME, "GC/MarkHandles" },
	{ 28, RUNTIME, "GC/MarkCards" },
	{ 29, RUNTIME, "GC/FinalizeObject" },
	{ 30, RUNTIME, "GC/SetGCHandle" },
	{ 31, RUNTIME, "GC/DestroyGCHandle" },
	{ 32, RUNTIME, "GC/SampledObjectAllocation" },
	{ 33, RUNTIME, "GC/PinObjectAtGCTime" },
	{ 35, RUNTIME, "GC/Triggered" },
	{ 36, RUNTIME, "GC/BulkRootCCW" },
	{ 37, RUNTIME, "GC/BulkRCW" },
	{ 38, RUNTIME, "GC/BulkRootStaticVar" },
	{ 50, RUNTIME, "ThreadPoolWorkerThread/Start" },
	{ 51, RUNTIME, "ThreadPoolWorkerThread/Stop" },
	{ 52, RUNTIME, "ThreadPoolWorkerThread/Retirement" },
	{ 54, RUNTIME, "ThreadPoolWorkerThreadAdjustment/Sample" },
	{ 55, RUNTIME, "ThreadPoolWorkerThreadAdjustment/Adjustment" },
	{ 56, RUNTIME, "ThreadPoolWorkerThreadAdjustment/Stats" },
	{ 57, RUNTIME, "ThreadPoolWorkerThread/Wait" },
	{ 80, RUNTIME, "Exception/Start" },
	{ 81, RUNTIME, "Contention/Start" },
	{ 82, RUNTIME, "ClrStack/Walk" },
	{ 85, RUNTIME, "AppDomainResourceManagement/ThreadCreated" },
	{ 91, RUNTIME, "Contention/Stop" },
	{ 141, RUNTIME, "Method/Load" },
	{ 142, RUNTIME, "Method/Unload" },
	{ 143, RUNTIME, "Method/LoadVerbose" },
	{ 144, RUNTIME, "Method/UnloadVerbose" },
	{ 145, RUNTIME, "Method/JittingStarted" },
	{ 151, RUNTIME, "Loader/DomainModuleLoad" },
	{ 152, RUNTIME, "Loader/ModuleLoad" },
	{ 153, RUNTIME, "Loader/ModuleUnload" },
	{ 154, RUNTIME, "Loader/AssemblyLoad" },
	{ 155, RUNTIME, "Loader/AssemblyUnload" },
	{ 156, RUNTIME, "Loader/AppDomainLoad" },
	{ 157, RUNTIME, "Loader/AppDomainUnload" },
	{ 185, RUNTIME, "Method/InliningSucceeded" },
	{ 186, RUNTIME, "Method/InliningFailed" },
	{ 187, RUNTIME, "Runtime/Start" },
	{ 190, RUNTIME, "Method/ILToNativeMap" },
	{ 200, RUNTIME, "GC/IncreaseMemoryPressure" },
	{ 201, RUNTIME, "GC/DecreaseMemoryPressure" },
	{ 202, RUNTIME, "GC/MarkWithType" },
	{ 203, RUNTIME, "GC/Join" },
	{ 204, RUNTIME, "GC/PerHeapHistory" },
	{ 205, RUNTIME, "GC/GlobalHeapHistory" },
	{ 208, RUNTIME, "GC/LOHCompact" },
	{ 209, RUNTIME, "GC/FitBucketInfo" },
	{ 250, RUNTIME, "ExceptionCatch/Start" },
	{ 251, RUNTIME, "ExceptionCatch/Stop" },
	{ 252, RUNTIME, "ExceptionFinally/Start" },
	{ 253, RUNTIME, "ExceptionFinally/Stop" },
	{ 254, RUNTIME, "ExceptionFilter/Start" },
	{ 255, RUNTIME, "ExceptionFilter/Stop" },
	{ 256, RUNTIME, "Exception/Stop" },
	{ 10, RUNDOWN, "GC/SettingsRundown" },
	{ 141, RUNDOWN, "Method/DCStart" },
	{ 142, RUNDOWN, "Method/DCStop" },
	{ 143, RUNDOWN, "Method/DCStartVerbose" },
	{ 144, RUNDOWN, "Method/DCStopVerbose" },
	{ 145, RUNDOWN, "Method/DCStartComplete" },
	{ 146, RUNDOWN, "Method/DCStopComplete" },
	{ 147, RUNDOWN, "Method/DCStartInit" },
	{ 148, RUNDOWN, "Method/DCStopInit" },
	{ 149, RUNDOWN, "Method/ILToNativeMapDCStart" },
	{ 150, RUNDOWN, "Method/ILToNativeMapDCStop" },
	{ 151, RUNDOWN, "Loader/DomainModuleDCStart" },
	{ 152, RUNDOWN, "Loader/DomainModuleDCStop" },
	{ 153, RUNDOWN, "Loader/ModuleDCStart" },
	{ 154, RUNDOWN, "Loader/ModuleDCStop" },
	{ 155, RUNDOWN, "Loader/AssemblyDCStart" },
	{ 156, RUNDOWN, "Loader/AssemblyDCStop" },
	{ 157, RUNDOWN, "Loader/AppDomainDCStart" },
	{ 158, RUNDOWN, "Loader/AppDomainDCStop" },
	{ 159, RUNDOWN, "Loader/ThreadDCStop" },
	{ 187, RUNDOWN, "Runtime/Start" },
	{ 280, RUNDOWN, "TieredCompilationRundown/SettingsDCStart" },
};

static unsigned provider_of(const struct wk_guid *guid)
{
	for (unsigned i = 0; i < sizeof(providers) / sizeof(providers[0]); i++)
		if (wk_guid_eq(&providers[i].guid, guid))
			return i;
	return NONE;
}

struct wk_str wk_etl_clr_provider(const struct wk_guid *provider)
{
	unsigned number = provider_of(provider);

	return wk_str_c(number == NONE ? "" : providers[number].name);
}

struct wk_str wk_etl_clr_event(const struct wk_etl_event_key *key)
{
	unsigned provider = key->is_classic ? NONE : provider_of(&key->provider);

	for (size_t i = 0; provider != NONE && i < sizeof(events) / sizeof(events[0]); i++)
		if (events[i].provider == provider && events[i].id == key->id)
			return wk_str_c(events[i].name);
	return wk_str_c("");
}
