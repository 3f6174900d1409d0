#include "formats/etl/hooks.h"

#include <assert.h>

#include "base/buf.h"
#include "formats/etl/config/facts.h"
#include "formats/etl/trace.h"

/* Kernel events by their hooks, then the others by provider. Names are those of PerfView. */
static const struct wk_etl_hook rows[] = {
	{ 0x0000, .name = "EventTrace", .scan = wk_etl_scan_header },
	{ 0x0005, .name = "EventTrace/Extension", .config = wk_etl_read_kernel_masks },
	{ 0x0020, .name = "EventTrace/EndExtension", .config = wk_etl_read_kernel_masks },
	{ 0x020a, .name = "Memory/TransitionFault", .source = WK_ETL_TRANSITION_FAULT,
	  .emit = wk_etl_emit_fault },
	{ 0x020b, .name = "Memory/DemandZeroFault", .source = WK_ETL_DEMAND_ZERO_FAULT,
	  .emit = wk_etl_emit_fault },
	{ 0x020c, .name = "Memory/CopyOnWriteFault", .source = WK_ETL_COPY_ON_WRITE_FAULT,
	  .emit = wk_etl_emit_fault },
	{ 0x020d, .name = "Memory/GuardMemory", .source = WK_ETL_GUARD_PAGE_FAULT,
	  .emit = wk_etl_emit_fault },
	{ 0x020e, .name = "Memory/HardPageFault", .source = WK_ETL_HARD_PAGE_FAULT,
	  .emit = wk_etl_emit_fault },
	{ 0x020f, .name = "Memory/AccessViolation", .source = WK_ETL_ACCESS_VIOLATION,
	  .emit = wk_etl_emit_fault },
	{ 0x0220, .name = "Memory/HardFault", .source = WK_ETL_HARD_FAULT,
	  .emit = wk_etl_emit_hard_fault },
	{ 0x0262, .name = "VirtualMem/Alloc", .phase = WK_ETL_START, .emit = wk_etl_emit_virtual },
	{ 0x0263, .name = "VirtualMem/Free", .phase = WK_ETL_END, .emit = wk_etl_emit_virtual },
	{ 0x0280, .name = "VirtualMem/DCStart", .phase = WK_ETL_RUNDOWN,
	  .emit = wk_etl_emit_virtual },
	{ 0x0281, .name = "VirtualMem/DCStop", .phase = WK_ETL_RUNDOWN,
	  .emit = wk_etl_emit_virtual },
	{ 0x0301, .name = "Process/Start", .phase = WK_ETL_START, .scan = wk_etl_scan_process,
	  .emit = wk_etl_emit_process, .fits = wk_etl_process_fits },
	{ 0x0302, .name = "Process/Stop", .phase = WK_ETL_END, .scan = wk_etl_scan_process,
	  .emit = wk_etl_emit_process, .fits = wk_etl_process_fits },
	{ 0x0303, .name = "Process/DCStart", .phase = WK_ETL_RUNDOWN, .scan = wk_etl_scan_process,
	  .fits = wk_etl_process_fits },
	{ 0x0304, .name = "Process/DCStop", .phase = WK_ETL_RUNDOWN, .scan = wk_etl_scan_process,
	  .fits = wk_etl_process_fits },
	{ 0x030a, .name = "Image/Load", .phase = WK_ETL_START, .scan = wk_etl_scan_image,
	  .emit = wk_etl_emit_image, .fits = wk_etl_image_fits },
	{ 0x0320, .name = "Process/PerfCtr", .emit = wk_etl_emit_use },
	{ 0x0321, .name = "Process/PerfCtrRundown", .emit = wk_etl_emit_use },
	{ 0x0501, .name = "Thread/Start", .phase = WK_ETL_START, .scan = wk_etl_scan_thread,
	  .emit = wk_etl_emit_thread },
	{ 0x0502, .name = "Thread/Stop", .phase = WK_ETL_END, .scan = wk_etl_scan_thread,
	  .emit = wk_etl_emit_thread },
	{ 0x0503, .name = "Thread/DCStart", .phase = WK_ETL_RUNDOWN, .scan = wk_etl_scan_thread },
	{ 0x0504, .name = "Thread/DCStop", .phase = WK_ETL_RUNDOWN, .scan = wk_etl_scan_thread },
	{ 0x0524, .name = "Thread/CSwitch", .emit = wk_etl_emit_switch },
	{ 0x0525, .name = "Thread/CompCS", .scan = wk_etl_scan_packed_switch, .is_unread = true },
	{ 0x0532, .name = "Dispatcher/ReadyThread", .emit = wk_etl_emit_ready },
	{ 0x0548, .name = "Thread/SetName", .emit = wk_etl_emit_thread_name },
	{ 0x0b0a, .name = "SystemConfig/CPU", .config = wk_etl_read_cpu },
	{ 0x0b0b, .name = "SystemConfig/PhyDisk", .config = wk_etl_read_disk },
	{ 0x0b0c, .name = "SystemConfig/LogDisk", .config = wk_etl_read_volume },
	{ 0x0b0d, .name = "SystemConfig/NIC", .config = wk_etl_read_adapter },
	{ 0x0b0e, .name = "SystemConfig/Video", .config = wk_etl_read_video },
	{ 0x0b0f, .name = "SystemConfig/Services", .config = wk_etl_read_service },
	{ 0x0b10, .name = "SystemConfig/Power", .config = wk_etl_read_power },
	{ 0x0b11, .name = "SystemConfig/Network", .config = wk_etl_read_network_settings },
	{ 0x0b12, .name = "SystemConfig/OpticalMedia", .config = wk_etl_read_optical },
	{ 0x0b15, .name = "SystemConfig/IRQ", .config = wk_etl_read_irq },
	{ 0x0b16, .name = "SystemConfig/PnP", .config = wk_etl_read_device },
	{ 0x0b17, .name = "SystemConfig/IDEChannel", .config = wk_etl_read_ide },
	{ 0x0b18, .name = "SystemConfig/NumaNode", .config = wk_etl_read_numa },
	{ 0x0b19, .name = "SystemConfig/Platform", .config = wk_etl_read_platform },
	{ 0x0b1a, .name = "SystemConfig/ProcessorGroup", .config = wk_etl_read_groups },
	{ 0x0b1b, .name = "SystemConfig/ProcessorNumber", .config = wk_etl_read_processor_numbers },
	{ 0x0b1c, .name = "SystemConfig/DPI", .config = wk_etl_read_dpi },
	{ 0x0b1d, .name = "SystemConfig/CodeIntegrity", .config = wk_etl_read_integrity },
	{ 0x0b1e, .name = "SystemConfig/MachineId", .config = wk_etl_read_machine_id },
	{ 0x0b21, .name = "SystemConfig/DeviceFamily", .config = wk_etl_read_family },
	{ 0x0b22, .name = "SystemConfig/FlightIds", .config = wk_etl_read_flights },
	{ 0x0b23, .name = "SystemConfig/Processors", .config = wk_etl_read_processor },
	{ 0x0b24, .name = "SystemConfig/Virtualization", .config = wk_etl_read_virtualization },
	{ 0x0b25, .name = "SystemConfig/Boot", .config = wk_etl_read_boot },
	{ 0x0f22, .name = "PerfInfo/Mark", .emit = wk_etl_emit_mark },
	{ 0x0f24, .name = "PerfInfo/AsyncMark", .emit = wk_etl_emit_mark },
	{ 0x0f2e, .name = "PerfInfo/Sample", .scan = wk_etl_scan_sample,
	  .emit = wk_etl_emit_sample },
	{ 0x0f2f, .name = "PerfInfo/PMCSample", .scan = wk_etl_scan_counted,
	  .emit = wk_etl_emit_counted },
	{ 0x0f32, .name = "PerfInfo/MSI", .source = WK_ETL_ISR, .emit = wk_etl_emit_interrupt },
	{ 0x0f37, .name = "PerfInfo/SampleCache", .scan = wk_etl_scan_samples,
	  .emit = wk_etl_emit_samples },
	{ 0x0f42, .name = "PerfInfo/ThreadedDPC", .source = WK_ETL_DPC,
	  .emit = wk_etl_emit_interrupt },
	{ 0x0f43, .name = "PerfInfo/ISR", .source = WK_ETL_ISR, .emit = wk_etl_emit_interrupt },
	{ 0x0f44, .name = "PerfInfo/DPC", .source = WK_ETL_DPC, .emit = wk_etl_emit_interrupt },
	{ 0x0f45, .name = "PerfInfo/TimerDPC", .source = WK_ETL_DPC, .emit = wk_etl_emit_interrupt },
	{ 0x0f47, .name = "PerfInfo/SampleNMI", .scan = wk_etl_scan_sample,
	  .emit = wk_etl_emit_sample },
	{ 0x0f48, .name = "PerfInfo/SetInterval", .scan = wk_etl_scan_interval },
	{ 0x0f49, .name = "PerfInfo/CollectionStart", .phase = WK_ETL_START,
	  .scan = wk_etl_scan_interval },
	{ 0x0f4a, .name = "PerfInfo/CollectionEnd", .phase = WK_ETL_END,
	  .scan = wk_etl_scan_interval },
	{ 0x1020, .name = "Heap/Create", .change = WK_HEAP_CREATE, .emit = wk_etl_emit_heap },
	{ 0x1021, .name = "Heap/Alloc", .change = WK_HEAP_ALLOCATE, .emit = wk_etl_emit_heap },
	{ 0x1022, .name = "Heap/Realloc", .change = WK_HEAP_REALLOCATE, .emit = wk_etl_emit_heap },
	{ 0x1023, .name = "Heap/Destroy", .change = WK_HEAP_DESTROY, .emit = wk_etl_emit_heap },
	{ 0x1024, .name = "Heap/Free", .change = WK_HEAP_FREE, .emit = wk_etl_emit_heap },
	{ 0x1402, .name = "Image/Unload", .phase = WK_ETL_END, .scan = wk_etl_scan_image,
	  .emit = wk_etl_emit_image, .fits = wk_etl_image_fits },
	{ 0x1403, .name = "Image/DCStart", .phase = WK_ETL_RUNDOWN, .scan = wk_etl_scan_image,
	  .fits = wk_etl_image_fits },
	{ 0x1404, .name = "Image/DCStop", .phase = WK_ETL_RUNDOWN, .scan = wk_etl_scan_image,
	  .fits = wk_etl_image_fits },
	{ 0x140a, .name = "Image/Load", .phase = WK_ETL_START, .scan = wk_etl_scan_image,
	  .emit = wk_etl_emit_image, .fits = wk_etl_image_fits },
	{ 0x1820, .name = "StackWalk/Stack", .scan = wk_etl_scan_stack },
	{ 0x1822, .name = "StackWalk/KeyCreate", .phase = WK_ETL_START,
	  .scan = wk_etl_scan_stack_definition },
	{ 0x1823, .name = "StackWalk/KeyDelete", .phase = WK_ETL_END,
	  .scan = wk_etl_scan_stack_definition },
	{ 0x1824, .name = "StackWalk/KeyRundown", .phase = WK_ETL_RUNDOWN,
	  .scan = wk_etl_scan_stack_definition },
	{ 0x1825, .name = "StackWalk/StackKeyKernel", .phase = WK_ETL_BY_KEY,
	  .scan = wk_etl_scan_stack },
	{ 0x1826, .name = "StackWalk/StackKeyUser", .phase = WK_ETL_BY_KEY,
	  .scan = wk_etl_scan_stack },

	/* By provider and id. */
	{ 0, .provider = WK_ETL_BY_IMAGE_ID, .name = "ImageID", .scan = wk_etl_scan_image_id },
	{ 32, .provider = WK_ETL_BY_IMAGE_ID, .name = "ImageID/None" },
	{ 36, .provider = WK_ETL_BY_IMAGE_ID, .name = "ImageID/DbgID_RSDS",
	  .scan = wk_etl_scan_debug_id },
	{ 37, .provider = WK_ETL_BY_IMAGE_ID, .name = "ImageID/DbgID_ILRSDS" },
	{ 38, .provider = WK_ETL_BY_IMAGE_ID, .name = "ImageID/DbgPPDB" },
	{ 40, .provider = WK_ETL_BY_IMAGE_ID, .name = "ImageID/DbgDeterm" },
	{ 64, .provider = WK_ETL_BY_IMAGE_ID, .name = "ImageID/FileVersion" },
	{ 32, .provider = WK_ETL_BY_META_DATA, .name = "MetaData/EventInfo" },
	{ 33, .provider = WK_ETL_BY_META_DATA, .name = "MetaData/EventMapInfo" },
	{ 32, .provider = WK_ETL_BY_SYSTEM_CONFIG, .name = "SysConfig/BuildInfo",
	  .config = wk_etl_read_build },
	{ 33, .provider = WK_ETL_BY_SYSTEM_CONFIG, .name = "SysConfig/SystemPaths",
	  .config = wk_etl_read_system_paths },
	{ 34, .provider = WK_ETL_BY_SYSTEM_CONFIG, .name = "SysConfig/UnknownVolume",
	  .config = wk_etl_read_unmapped },
	{ 35, .provider = WK_ETL_BY_SYSTEM_CONFIG, .name = "SysConfig/VolumeMapping",
	  .scan = wk_etl_scan_volume, .config = wk_etl_read_volume_path },
	{ 36, .provider = WK_ETL_BY_SYSTEM_CONFIG, .name = "SysConfig/NetworkInterface",
	  .config = wk_etl_read_interface },
	{ 37, .provider = WK_ETL_BY_SYSTEM_CONFIG, .name = "SysConfig/Opcode(37)" },
	{ 33, .provider = WK_ETL_BY_WINSAT, .name = "WinSPR", .config = wk_etl_read_winsat },
	{ 35, .provider = WK_ETL_BY_WINSAT, .name = "Metrics", .config = wk_etl_read_winsat },
	{ 37, .provider = WK_ETL_BY_WINSAT, .name = "SystemConfig", .config = wk_etl_read_winsat },
	{ 143, .provider = WK_ETL_BY_CLR, .phase = WK_ETL_START, .scan = wk_etl_scan_method,
	  .emit = wk_etl_emit_method },
	{ 144, .provider = WK_ETL_BY_CLR, .phase = WK_ETL_RUNDOWN, .scan = wk_etl_scan_method },
	{ 152, .provider = WK_ETL_BY_CLR, .version = 2, .scan = wk_etl_scan_module },
	{ 153, .provider = WK_ETL_BY_CLR, .version = 2, .scan = wk_etl_scan_module },
	{ 143, .provider = WK_ETL_BY_CLR_RUNDOWN, .phase = WK_ETL_RUNDOWN,
	  .scan = wk_etl_scan_method },
	{ 144, .provider = WK_ETL_BY_CLR_RUNDOWN, .phase = WK_ETL_RUNDOWN,
	  .scan = wk_etl_scan_method },
	{ 153, .provider = WK_ETL_BY_CLR_RUNDOWN, .version = 2, .scan = wk_etl_scan_module },
	{ 154, .provider = WK_ETL_BY_CLR_RUNDOWN, .version = 2, .scan = wk_etl_scan_module },
	{ 9, .provider = WK_ETL_BY_SCRIPT, .phase = WK_ETL_START, .scan = wk_etl_scan_method,
	  .emit = wk_etl_emit_method },
	{ 41, .provider = WK_ETL_BY_SCRIPT, .scan = wk_etl_scan_script_source },
	{ WK_ETL_ANY_ID, .provider = WK_ETL_BY_SCRIPT, .name = "MethodDCStart",
	  .phase = WK_ETL_RUNDOWN, .scan = wk_etl_scan_method },
	{ WK_ETL_ANY_ID, .provider = WK_ETL_BY_SCRIPT, .name = "SourceDCStart",
	  .scan = wk_etl_scan_script_source },
	{ 200, .provider = WK_ETL_BY_HEAP_SNAPSHOT, .scan = wk_etl_scan_heap_snapshot },
	{ 1, .provider = WK_ETL_BY_PERFVIEW, .emit = wk_etl_emit_perfview_mark },
};

#define ROWS    (sizeof(rows) / sizeof(rows[0]))
#define GROUPS  WK_ETL_HOOK_GROUPS
#define OPCODES WK_ETL_HOOK_OPCODES

/* By the high byte of a hook. */
static const char *const groups[] = {
	"EventTrace", "DiskIO", "Memory", "Process", "FileIO", "Thread", "TcpIp", "Job", "UdpIp",
	"Registry", "DebugPrint", "SystemConfig", [0x0e] = "Pool", "PerfInfo", "Heap", "Object",
	"Power", "ModBound", "Image", "DPC", "Cache", "CriticalSection", "StackWalk", "UMS",
	"ALPC", "SplitIO", "ThreadPool",
};

/* Names of events that are only counted, of consecutive hooks; "-" is none. */
static const struct {
	uint16_t first;
	const char *names;
} counted[] = {
	{ 0x0008, "RundownComplete" },
	{ 0x010a, "Read Write ReadInit WriteInit FlushBuffers FlushInit" },
	{ 0x023c, "WorkingSetInfo" },
	{ 0x0264,
	  "HeapRangeRundown HeapRangeCreate HeapRangeReserve HeapRangeRelease HeapRangeDestroy" },
	{ 0x0270, "MemInfo" },
	{ 0x027d, "ProcessMemInfo" },
	{ 0x030b, "Terminate" },
	{ 0x0327, "Defunct" },
	{ 0x0400, "Name" },
	{ 0x0420,
	  "FileCreate - - FileDelete FileRundown MapFile UnmapFile MapFileDCStart MapFileDCStop" },
	{ 0x0440, "Create Cleanup Close Read Write SetInfo Delete Rename DirEnum Flush QueryInfo "
		  "FSControl OperationEnd DirNotify" },
	{ 0x060a, "Send Recv Connect Disconnect Retransmit Accept Reconnect Fail TCPCopy" },
	{ 0x061a,
	  "SendIPV6 RecvIPV6 ConnectIPV6 DisconnectIPV6 RetransmitIPV6 AcceptIPV6 ReconnectIPV6 "
	  "- TCPCopyIPV6" },
	{ 0x080a, "Send Recv" },
	{ 0x0811, "Fail" },
	{ 0x081a, "SendIPV6 RecvIPV6" },
	{ 0x090a, "Create Open Delete Query SetValue DeleteValue QueryValue EnumerateKey "
		  "EnumerateValueKey QueryMultipleValue SetInformation Flush KCBCreate KCBDelete "
		  "KCBRundownBegin KCBRundownEnd Virtualize Close" },
	{ 0x0b13, "PhyDiskEx" },
	{ 0x0b1f, "Defrag MobilePlatform" },
	{ 0x0f30, "PMCConfig - - SysClEnter SysClExit" },
	{ 0x0f3a, "DebuggerEnabled" },
	{ 0x0f46, "IOTimer" },
	{ 0x1025, "Expand SnapShot - - - Contract Lock Unlock Validate Walk" },
	{ 0x1120, "CreateHandle CloseHandle DuplicateHandle" },
	{ 0x1130, "CreateObject DeleteObject" },
	{ 0x1421, "KernelBase HypercallPage" },
	{ 0x1a21, "SendMessage ReceiveMessage WaitForReply WaitForNewMessage Unwait" },
};

static const struct wk_etl_hook unknown;

void wk_etl_hooks_init(struct wk_etl_hooks *hooks)
{
	for (size_t i = ROWS; i-- > 0;) {
		const struct wk_etl_hook *row = &rows[i];

		if (row->id == WK_ETL_ANY_ID) {
			hooks->any[row->provider] = row;
		} else if (row->provider != WK_ETL_BY_KERNEL) {
			assert(row->id < OPCODES);
			hooks->others[row->provider][row->id] = (uint16_t)(i + 1);
		} else {
			assert(row->id < GROUPS * OPCODES);
			hooks->kernel[row->id / OPCODES][row->id % OPCODES] = (uint16_t)(i + 1);
		}
	}
}

static struct wk_etl_match match_kernel(const struct wk_etl_hooks *hooks, uint16_t kernel_hook)
{
	uint16_t row = kernel_hook < GROUPS * OPCODES
			       ? hooks->kernel[kernel_hook / OPCODES][kernel_hook % OPCODES]
			       : 0;

	return (struct wk_etl_match){ row ? &rows[row - 1] : &unknown, WK_ETL_BY_KERNEL,
				      kernel_hook };
}

static const struct wk_etl_hook *hook_by_id(const struct wk_etl_hooks *hooks,
					    enum wk_etl_provider provider,
					    const struct wk_etl_record *record)
{
	uint16_t id = record->kind == WK_ETL_CLASSIC ? record->opcode : record->id;
	uint16_t row = id < OPCODES ? hooks->others[provider][id] : 0;

	return row && record->version >= rows[row - 1].version ? &rows[row - 1] : NULL;
}

/* From the provider's first row of that form. */
static const struct wk_etl_hook *hook_by_name(const struct wk_etl_hook *row,
					      const struct wk_etl_record *record)
{
	struct wk_str name = wk_etl_tracelogging_name(record);

	for (uint8_t provider = row->provider; row < rows + ROWS && row->provider == provider;
	     row++)
		if (wk_str_is(name, row->name))
			return row;
	return NULL;
}

static struct wk_etl_match match_provider(const struct wk_etl_hooks *hooks,
					  const struct wk_etl_record *record)
{
	const struct wk_etl_provider_info *provider = wk_etl_provider_find(&record->provider);
	const struct wk_etl_hook *hook;

	if (!provider || provider->kind != record->kind)
		return (struct wk_etl_match){ &unknown, WK_ETL_BY_OTHERS, 0 };
	if (provider->number == WK_ETL_BY_KERNEL)
		return match_kernel(hooks, (uint16_t)(provider->group << 8 | record->opcode));
	hook = hook_by_id(hooks, provider->number, record);
	if (!hook && hooks->any[provider->number])
		hook = hook_by_name(hooks->any[provider->number], record);
	return (struct wk_etl_match){ hook ? hook : &unknown, provider->number, 0 };
}

struct wk_etl_match wk_etl_hooks_match(const struct wk_etl_hooks *hooks,
				       const struct wk_etl_record *record)
{
	return record->kind == WK_ETL_KERNEL ? match_kernel(hooks, record->hook)
					     : match_provider(hooks, record);
}

bool wk_etl_hook_is_used(const struct wk_etl_hook *hook)
{
	return (hook->scan || hook->emit || hook->config) && !hook->is_unread;
}

void wk_etl_hook_set_width(const struct wk_etl_hook *hook, struct wk_etl_record *record)
{
	if (hook->fits && record->kind == WK_ETL_CLASSIC && record->pointer_bytes == 4 &&
	    !hook->fits(record, 4) && hook->fits(record, 8))
		record->pointer_bytes = 8;
}

/* ---- names */

static struct wk_str counted_name(uint16_t kernel_hook)
{
	struct wk_str name = { 0 }, rest;

	for (size_t i = 0; i < sizeof(counted) / sizeof(counted[0]); i++) {
		rest = wk_str_c(counted[i].names);
		for (unsigned hook = counted[i].first; rest.len && hook <= kernel_hook; hook++) {
			wk_str_split(rest, ' ', &name, &rest);
			if (hook == kernel_hook)
				return name;
		}
	}
	return wk_str_c("-");
}

void wk_etl_hook_kernel_name(uint16_t kernel_hook, struct wk_buf *name)
{
	struct wk_str word = counted_name(kernel_hook);
	size_t group = kernel_hook >> 8;

	for (size_t i = 0; i < ROWS && rows[i].provider == WK_ETL_BY_KERNEL; i++)
		if (rows[i].id == kernel_hook) {
			wk_buf_add_text(name, rows[i].name);
			return;
		}
	if (group < sizeof(groups) / sizeof(groups[0]) && groups[group])
		wk_buf_add_fmt(name, "%s/", groups[group]);
	if (wk_str_is(word, "-"))
		wk_buf_add_fmt(name, "0x%04x", kernel_hook);
	else
		wk_buf_add_str(name, word);
}

struct wk_str wk_etl_hook_name(const struct wk_guid *guid, uint16_t id)
{
	const struct wk_etl_provider_info *provider = wk_etl_provider_find(guid);

	for (size_t i = 0; provider && provider->kind == WK_ETL_CLASSIC && i < ROWS; i++)
		if (rows[i].provider == provider->number && rows[i].id == id && rows[i].provider)
			return wk_str_c(rows[i].name);
	return wk_str_c("");
}
