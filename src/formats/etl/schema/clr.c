/* The table of names and fields. */
#include "base/buf.h"
#include "formats/etl/providers.h"
#include "formats/etl/schema/sources.h"

enum {
	RUNTIME = WK_ETL_BY_CLR,
	RUNDOWN = WK_ETL_BY_CLR_RUNDOWN,
	PRIVATE = WK_ETL_BY_CLR_PRIVATE,
	SCRIPT = WK_ETL_BY_SCRIPT,
	SNAPSHOT = WK_ETL_BY_HEAP_SNAPSHOT,
};

/* Fields are in a short notation: "Count:u4 Kind:u4=Small|Large|Values{*Count Address:p Size:h8 }
 * Rest:z". Types: u and h numbers of that many bytes, decimal and hexadecimal; f8 double, p
 * pointer, z text in UTF-16, g GUID. "*Field" names the earlier field that is the count; "=A|B"
 * names 0, 1 ... Those shared by several events: */
static const char only_clr[] = "ClrInstanceID:u2";
static const char heap[] = "HeapNum:u4 ClrInstanceID:u2";
static const char workers[] =
	"ActiveWorkerThreadCount:u4 RetiredWorkerThreadCount:u4 ClrInstanceID:u2";
static const char thread[] =
	"ManagedThreadID:u8 AppDomainID:h8 Flags:h4 ManagedThreadIndex:u4 OSThreadID:u4 "
	"ClrInstanceID:u2";
static const char method[] =
	"MethodID:h8 ModuleID:h8 MethodStartAddress:h8 MethodSize:h4 MethodToken:h4 "
	"MethodFlags:h4 ClrInstanceID:u2 ReJITID:h8";
static const char method_verbose[] =
	"MethodID:h8 ModuleID:h8 MethodStartAddress:h8 MethodSize:h4 MethodToken:h4 "
	"MethodFlags:h4 MethodNamespace:z MethodName:z MethodSignature:z ClrInstanceID:u2 "
	"ReJITID:h8";
static const char runtime[] =
	"ClrInstanceID:u2 Sku:u2 BclMajorVersion:u2 BclMinorVersion:u2 BclBuildNumber:u2 "
	"BclQfeNumber:u2 VMMajorVersion:u2 VMMinorVersion:u2 VMBuildNumber:u2 VMQfeNumber:u2 "
	"StartupFlags:h4 StartupMode:u1 CommandLine:z ComObjectGuid:g RuntimeDllPath:z";
static const char domain_module[] =
	"ModuleID:h8 AssemblyID:h8 AppDomainID:h8 ModuleFlags:h4 Reserved1:u4 ModuleILPath:z "
	"ModuleNativePath:z ClrInstanceID:u2";
static const char module[] =
	"ModuleID:h8 AssemblyID:h8 ModuleFlags:h4 Reserved1:u4 ModuleILPath:z "
	"ModuleNativePath:z ClrInstanceID:u2 ManagedPdbSignature:g ManagedPdbAge:u4 "
	"ManagedPdbBuildPath:z NativePdbSignature:g NativePdbAge:u4 NativePdbBuildPath:z";
static const char assembly[] = "AssemblyID:h8 AppDomainID:h8 BindingID:h8 AssemblyFlags:h4 "
			       "FullyQualifiedAssemblyName:z ClrInstanceID:u2";
static const char domain[] =
	"AppDomainID:h8 AppDomainFlags:h4 AppDomainName:z AppDomainIndex:u4 ClrInstanceID:u2";
static const char binding[] = "AppDomainID:u4 LoadContextID:u4 FromLoaderCache:u4 DynamicLoad:u4 "
			      "AssemblyCodebase:z AssemblyName:z ClrInstanceID:u2";
static const char il_map[] =
	"MethodID:h8 ReJITID:h8 MethodExtent:u1 CountOfMapEntries:u2 "
	"ILOffsets:u4*CountOfMapEntries NativeOffsets:u4*CountOfMapEntries ClrInstanceID:u2";

/* An empty name is unknown. Fields are those of the newest version; versions from `since` on have
 * all or the first of them. */
static const struct clr_event {
	uint16_t id;
	uint8_t provider, since;
	const char *name, *fields;
} events[] = {
	{ 1, RUNTIME, 1, "GC/Start",
	  "Count:u4 Depth:u4 Reason:u4 Type:u4 ClrInstanceID:u2 ClientSequenceNumber:u8" },
	{ 2, RUNTIME, 1, "GC/Stop", "Count:u4 Depth:u4 ClrInstanceID:u2" },
	{ 3, RUNTIME, 1, "GC/RestartEEStop", only_clr },
	{ 4, RUNTIME, 0, "GC/HeapStats",
	  "GenerationSize0:h8 TotalPromotedSize0:h8 GenerationSize1:h8 TotalPromotedSize1:h8 "
	  "GenerationSize2:h8 TotalPromotedSize2:h8 GenerationSize3:h8 TotalPromotedSize3:h8 "
	  "FinalizationPromotedSize:h8 FinalizationPromotedCount:u8 PinnedObjectCount:u4 "
	  "SinkBlockCount:u4 GCHandleCount:u4 ClrInstanceID:u2 GenerationSize4:h8 "
	  "TotalPromotedSize4:h8" },
	{ 5, RUNTIME, 0, "GC/CreateSegment",
	  "Address:h8 Size:h8 "
	  "Type:u4=SmallObjectHeap|LargeObjectHeap|ReadOnlyHeap|PinnedObjectHeap "
	  "ClrInstanceID:u2" },
	{ 6, RUNTIME, 0, "GC/FreeSegment", "Address:h8 ClrInstanceID:u2" },
	{ 7, RUNTIME, 1, "GC/RestartEEStart", only_clr },
	{ 8, RUNTIME, 1, "GC/SuspendEEStop", only_clr },
	{ 9, RUNTIME, 1, "GC/SuspendEEStart", "Reason:u4 Count:u4 ClrInstanceID:u2" },
	{ 10, RUNTIME, 0, "GC/AllocationTick",
	  "AllocationAmount:h4 AllocationKind:u4=Small|Large|Pinned ClrInstanceID:u2 "
	  "AllocationAmount64:h8 TypeID:p TypeName:z HeapIndex:u4 Address:p ObjectSize:h8" },
	{ 11, RUNTIME, 1, "GC/CreateConcurrentThread", only_clr },
	{ 12, RUNTIME, 1, "GC/TerminateConcurrentThread", only_clr },
	{ 13, RUNTIME, 1, "GC/FinalizersStop", "Count:u4 ClrInstanceID:u2" },
	{ 14, RUNTIME, 1, "GC/FinalizersStart", only_clr },
	{ 15, RUNTIME, 0, "Type/BulkType",
	  "Count:u4 ClrInstanceID:u2 Values{*Count TypeID:h8 ModuleID:h8 TypeNameID:u4 Flags:u4 "
	  "CorElementType:u1 Name:z TypeParameterCount:u4 TypeParameters:h8*TypeParameterCount }" },
	{ 16, RUNTIME, 0, "GC/BulkRootEdge",
	  "Index:u4 Count:u4 ClrInstanceID:u2 Values{*Count RootedNodeAddress:p GCRootKind:u1 "
	  "GCRootFlag:u4 GCRootID:p }" },
	{ 17, RUNTIME, 0, "GC/BulkRootConditionalWeakTableElementEdge",
	  "Index:u4 Count:u4 ClrInstanceID:u2 Values{*Count GCKeyNodeID:p GCValueNodeID:p "
	  "GCRootID:p }" },
	{ 18, RUNTIME, 0, "GC/BulkNode",
	  "Index:u4 Count:u4 ClrInstanceID:u2 Values{*Count Address:p Size:h8 TypeID:h8 "
	  "EdgeCount:u8 }" },
	{ 19, RUNTIME, 0, "GC/BulkEdge",
	  "Index:u4 Count:u4 ClrInstanceID:u2 Values{*Count Value:p ReferencingFieldID:u4 }" },
	{ 20, RUNTIME, 0, "GC/SampledObjectAllocation",
	  "Address:p TypeID:p ObjectCountForTypeSample:u4 TotalSizeForTypeSample:u8 "
	  "ClrInstanceID:u2" },
	{ 21, RUNTIME, 0, "GC/BulkSurvivingObjectRanges",
	  "Index:u4 Count:u4 ClrInstanceID:u2 Values{*Count RangeBase:p RangeLength:h8 }" },
	{ 22, RUNTIME, 0, "GC/BulkMovedObjectRanges",
	  "Index:u4 Count:u4 ClrInstanceID:u2 Values{*Count OldRangeBase:p NewRangeBase:p "
	  "RangeLength:h8 }" },
	{ 23, RUNTIME, 0, "GC/GenerationRange",
	  "Generation:u1 RangeStart:p RangeUsedLength:u8 RangeReservedLength:u8 ClrInstanceID:u2" },
	{ 25, RUNTIME, 0, "GC/MarkStackRoots", heap },
	{ 26, RUNTIME, 0, "GC/MarkFinalizeQueueRoots", heap },
	{ 27, RUNTIME, 0, "GC/MarkHandles", heap },
	{ 28, RUNTIME, 0, "GC/MarkCards", heap },
	{ 29, RUNTIME, 0, "GC/FinalizeObject", "TypeID:p ObjectID:p ClrInstanceID:u2" },
	{ 30, RUNTIME, 0, "GC/SetGCHandle",
	  "HandleID:p ObjectID:p Kind:u4 Generation:u4 AppDomainID:u8 ClrInstanceID:u2" },
	{ 31, RUNTIME, 0, "GC/DestroyGCHandle", "HandleID:p ClrInstanceID:u2" },
	{ 32, RUNTIME, 0, "GC/SampledObjectAllocation",
	  "Address:p TypeID:p ObjectCountForTypeSample:u4 TotalSizeForTypeSample:u8 "
	  "ClrInstanceID:u2" },
	{ 33, RUNTIME, 0, "GC/PinObjectAtGCTime",
	  "HandleID:p ObjectID:p ObjectSize:u8 TypeName:z ClrInstanceID:u2" },
	{ 35, RUNTIME, 0, "GC/Triggered", "Reason:u4 ClrInstanceID:u2" },
	{ 36, RUNTIME, 0, "GC/BulkRootCCW", NULL },
	{ 37, RUNTIME, 0, "GC/BulkRCW", NULL },
	{ 38, RUNTIME, 0, "GC/BulkRootStaticVar", NULL },
	{ 50, RUNTIME, 0, "ThreadPoolWorkerThread/Start", workers },
	{ 51, RUNTIME, 0, "ThreadPoolWorkerThread/Stop", workers },
	{ 52, RUNTIME, 0, "ThreadPoolWorkerThread/Retirement", NULL },
	{ 54, RUNTIME, 0, "ThreadPoolWorkerThreadAdjustment/Sample",
	  "Throughput:f8 ClrInstanceID:u2" },
	{ 55, RUNTIME, 0, "ThreadPoolWorkerThreadAdjustment/Adjustment",
	  "AverageThroughput:f8 NewWorkerThreadCount:u4 Reason:u4 ClrInstanceID:u2" },
	{ 56, RUNTIME, 0, "ThreadPoolWorkerThreadAdjustment/Stats", NULL },
	{ 57, RUNTIME, 0, "ThreadPoolWorkerThread/Wait", workers },
	{ 72, RUNTIME, 0, "Method/MethodDetails", NULL },
	{ 80, RUNTIME, 1, "Exception/Start",
	  "ExceptionType:z ExceptionMessage:z ExceptionEIP:p ExceptionHRESULT:h4 "
	  "ExceptionFlags:u2 ClrInstanceID:u2" },
	{ 81, RUNTIME, 1, "Contention/Start",
	  "ContentionFlags:u1 ClrInstanceID:u2 LockID:p AssociatedObjectID:p "
	  "LockOwnerThreadID:u8" },
	{ 82, RUNTIME, 0, "ClrStack/Walk",
	  "ClrInstanceID:u2 Reserved1:u1 Reserved2:u1 FrameCount:u4 Stack:p*FrameCount" },
	{ 85, RUNTIME, 0, "AppDomainResourceManagement/ThreadCreated", thread },
	{ 91, RUNTIME, 0, "Contention/Stop", "ContentionFlags:u1 ClrInstanceID:u2 DurationNs:f8" },
	{ 141, RUNTIME, 0, "Method/Load", method },
	{ 142, RUNTIME, 0, "Method/Unload", method },
	{ 143, RUNTIME, 0, "Method/LoadVerbose", method_verbose },
	{ 144, RUNTIME, 0, "Method/UnloadVerbose", method_verbose },
	{ 145, RUNTIME, 0, "Method/JittingStarted",
	  "MethodID:h8 ModuleID:h8 MethodToken:h4 MethodILSize:u4 MethodNamespace:z MethodName:z "
	  "MethodSignature:z ClrInstanceID:u2" },
	{ 151, RUNTIME, 0, "Loader/DomainModuleLoad", domain_module },
	{ 152, RUNTIME, 0, "Loader/ModuleLoad", module },
	{ 153, RUNTIME, 0, "Loader/ModuleUnload", module },
	{ 154, RUNTIME, 1, "Loader/AssemblyLoad", assembly },
	{ 155, RUNTIME, 1, "Loader/AssemblyUnload", assembly },
	{ 156, RUNTIME, 0, "Loader/AppDomainLoad", domain },
	{ 157, RUNTIME, 0, "Loader/AppDomainUnload", domain },
	{ 185, RUNTIME, 0, "Method/InliningSucceeded", NULL },
	{ 186, RUNTIME, 0, "Method/InliningFailed", NULL },
	{ 187, RUNTIME, 0, "Runtime/Start", runtime },
	{ 190, RUNTIME, 0, "Method/ILToNativeMap", il_map },
	{ 200, RUNTIME, 0, "GarbageCollection/IncreaseMemoryPressure",
	  "BytesAllocated:u8 ClrInstanceID:u2" },
	{ 201, RUNTIME, 0, "GarbageCollection/DecreaseMemoryPressure",
	  "BytesAllocated:u8 ClrInstanceID:u2" },
	{ 202, RUNTIME, 0, "GC/MarkWithType", "HeapNum:u4 ClrInstanceID:u2 Type:u4 Promoted:u8" },
	{ 203, RUNTIME, 0, "GC/Join", NULL },
	{ 204, RUNTIME, 3, "GC/PerHeapHistory",
	  "ClrInstanceID:u2 FreeListAllocated:p FreeListRejected:p EndOfSegAllocated:p "
	  "CondemnedAllocated:p PinnedAllocated:p PinnedAllocatedAdvance:p "
	  "RunningFreeListEfficiency:u4 CondemnReasons0:h4 CondemnReasons1:h4 "
	  "CompactMechanisms:h4 ExpandMechanisms:h4 HeapIndex:u4 ExtraGen0Commit:p Count:u4 "
	  "Values{*Count SizeBefore:p FreeListBefore:p FreeObjBefore:p SizeAfter:p "
	  "FreeListAfter:p FreeObjAfter:p In:p PinnedSurv:p NonePinnedSurv:p NewAllocation:p }" },
	{ 205, RUNTIME, 2, "GC/GlobalHeapHistory",
	  "FinalYoungestDesired:u8 NumHeaps:u4 CondemnedGeneration:u4 Gen0ReductionCount:u4 "
	  "Reason:u4 GlobalMechanisms:h4 ClrInstanceID:u2 PauseMode:u4 MemoryPressure:u4 "
	  "CondemnReasons0:h4 CondemnReasons1:h4 Count:u4" },
	{ 208, RUNTIME, 0, "GC/LOHCompact",
	  "ClrInstanceID:u2 Count:u2 Values{*Count TimePlan:u4 TimeCompact:u4 TimeRelocate:u4 "
	  "Padding:u4 TotalRefs:p ZeroRefs:p }" },
	{ 209, RUNTIME, 0, "GC/FitBucketInfo",
	  "ClrInstanceID:u2 BucketKind:u2 TotalSize:u8 Count:u2 Values{*Count Index:u4 Count:u4 "
	  "Size:u8 }" },
	{ 250, RUNTIME, 0, "ExceptionCatch/Start", NULL },
	{ 251, RUNTIME, 0, "ExceptionCatch/Stop", NULL },
	{ 252, RUNTIME, 0, "ExceptionFinally/Start", NULL },
	{ 253, RUNTIME, 0, "ExceptionFinally/Stop", NULL },
	{ 254, RUNTIME, 0, "ExceptionFilter/Start", NULL },
	{ 255, RUNTIME, 0, "ExceptionFilter/Stop", NULL },
	{ 256, RUNTIME, 0, "Exception/Stop", NULL },
	{ 290, RUNTIME, 0, "AssemblyLoader/Start", NULL },
	{ 291, RUNTIME, 0, "AssemblyLoader/Stop", NULL },
	{ 292, RUNTIME, 0, "AssemblyLoader/ResolutionAttempted", NULL },
	{ 295, RUNTIME, 0, "AssemblyLoader/AssemblyLoadFromResolveHandlerInvoked", NULL },
	{ 296, RUNTIME, 0, "AssemblyLoader/KnownPathProbed", NULL },
	{ 10, RUNDOWN, 0, "GC/SettingsRundown",
	  "HardLimit:h8 LOHThreshold:h8 PhysicalMemoryConfig:h8 Gen0MinBudgetConfig:h8 "
	  "Gen0MaxBudgetConfig:h8 HighMemPercentConfig:u4 BitSettings:h4 ClrInstanceID:u2" },
	{ 141, RUNDOWN, 0, "Method/DCStart", method },
	{ 142, RUNDOWN, 0, "Method/DCStop", method },
	{ 143, RUNDOWN, 0, "Method/DCStartVerbose", method_verbose },
	{ 144, RUNDOWN, 0, "Method/DCStopVerbose", method_verbose },
	{ 145, RUNDOWN, 1, "Method/DCStartComplete", only_clr },
	{ 146, RUNDOWN, 1, "Method/DCStopComplete", only_clr },
	{ 147, RUNDOWN, 1, "Method/DCStartInit", only_clr },
	{ 148, RUNDOWN, 1, "Method/DCStopInit", only_clr },
	{ 149, RUNDOWN, 0, "Method/ILToNativeMapDCStart", il_map },
	{ 150, RUNDOWN, 0, "Method/ILToNativeMapDCStop", il_map },
	{ 151, RUNDOWN, 0, "Loader/DomainModuleDCStart", domain_module },
	{ 152, RUNDOWN, 0, "Loader/DomainModuleDCStop", domain_module },
	{ 153, RUNDOWN, 0, "Loader/ModuleDCStart", module },
	{ 154, RUNDOWN, 0, "Loader/ModuleDCStop", module },
	{ 155, RUNDOWN, 1, "Loader/AssemblyDCStart", assembly },
	{ 156, RUNDOWN, 1, "Loader/AssemblyDCStop", assembly },
	{ 157, RUNDOWN, 0, "Loader/AppDomainDCStart", domain },
	{ 158, RUNDOWN, 0, "Loader/AppDomainDCStop", domain },
	{ 159, RUNDOWN, 0, "Loader/ThreadDCStop", thread },
	{ 187, RUNDOWN, 0, "Runtime/Start", runtime },
	{ 280, RUNDOWN, 0, "TieredCompilationRundown/SettingsDCStart",
	  "ClrInstanceID:u2 Flags:h4" },
	{ 2, PRIVATE, 0, "GC/Settings",
	  "SegmentSize:u8 LargeObjectSegmentSize:u8 ServerGCOn:u4 ClrInstanceID:u2" },
	{ 4, PRIVATE, 2, "GC/PerHeapHistory", NULL },
	{ 5, PRIVATE, 1, "GC/GlobalHeapHistory",
	  "FinalYoungestDesired:u8 NumHeaps:u4 CondemnedGeneration:u4 Gen0ReductionCount:u4 "
	  "Reason:u4 GlobalMechanisms:h4 ClrInstanceID:u2 PauseMode:u4 MemoryPressure:u4" },
	{ 7, PRIVATE, 0, "GC/MarkStackRoots", heap },
	{ 8, PRIVATE, 0, "GC/MarkFinalizeQueueRoots", heap },
	{ 9, PRIVATE, 0, "GC/MarkHandles", heap },
	{ 10, PRIVATE, 0, "GC/MarkCards", heap },
	{ 161, PRIVATE, 0, "Binding/NgenPhaseStart", binding },
	{ 162, PRIVATE, 0, "Binding/NgenPhaseStop", binding },
	{ 165, PRIVATE, 0, "Binding/LoaderPhaseStart", binding },
	{ 166, PRIVATE, 0, "Binding/LoaderPhaseStop", binding },
	{ 171, PRIVATE, 0, "Binding/LoaderAssemblyInitPhaseStart", binding },
	{ 172, PRIVATE, 0, "Binding/LoaderAssemblyInitPhaseStop", binding },
	{ 173, PRIVATE, 0, "Binding/LoaderMappingPhaseStart", binding },
	{ 174, PRIVATE, 0, "Binding/LoaderMappingPhaseStop", binding },
	{ 175, PRIVATE, 0, "Binding/LoaderDeliverEventPhaseStart", binding },
	{ 176, PRIVATE, 0, "Binding/LoaderDeliverEventsPhaseStop", binding },
	{ 188, PRIVATE, 0, "NgenBinder/NgenBind",
	  "ClrInstanceID:u2 BindingID:u8 ReasonCode:u4 AssemblyName:z" },
	{ 196, PRIVATE, 0, "Binding/FusionMessage", "ClrInstanceID:u2 Prepend:u4 Message:z" },
	{ 9, SCRIPT, 0, "MethodRuntime/MethodLoad",
	  "ScriptContextID:p MethodStartAddress:p MethodSize:u8 MethodID:u4 MethodFlags:u2 "
	  "MethodAddressRangeID:u2 SourceID:u8 Line:u4 Column:u4 MethodName:z" },
	{ 41, SCRIPT, 0, "SourceLoad", "SourceID:u8 ScriptContextID:p SourceFlags:u4 Url:z" },
	{ 100, SNAPSHOT, 0, "", "Instance:u4 Sequence:u4 Length:u4" },
	{ 200, SNAPSHOT, 0, "", "Instance:u4 TotalData:u4" },
};

/* ---- the notation; a test finds faults of the table */

#define MOST_FIELDS 32
#define MOST_WORDS  8

struct spec {
	struct wk_etl_schemas *schemas;
	const struct wk_etl_event_key *key;
	struct wk_etl_field fields[MOST_FIELDS];
	uint32_t count;
	uint32_t open_struct; /* its index + 1, or 0 */
};

static void set_type(struct wk_etl_field *field, char type, unsigned bytes)
{
	unsigned power = bytes == 8 ? 3 : bytes == 4 ? 2 : bytes == 2 ? 1 : 0;

	switch (type) {
	case 'u':
	case 'h':
		field->in_type = (uint16_t)(WK_ETL_IN_U8 + 2 * power);
		field->out_type = type == 'h' ? WK_ETL_OUT_HEX64 : WK_ETL_OUT_DEFAULT;
		break;
	case 'f':
		field->in_type = WK_ETL_IN_F64;
		break;
	case 'p':
		field->in_type = WK_ETL_IN_POINTER;
		break;
	case 'z':
		field->in_type = WK_ETL_IN_TEXT16;
		break;
	default:
		field->in_type = WK_ETL_IN_GUID;
		break;
	}
}

static void count_by(struct spec *spec, struct wk_etl_field *field, struct wk_str name)
{
	for (uint32_t i = 0; i < spec->count; i++) {
		if (wk_str_eq(spec->fields[i].name, name)) {
			field->counted = WK_ETL_BY_FIELD;
			field->count = (uint16_t)i;
			return;
		}
	}
}

/* They are identified by the name of the field: an event has no two of one name with values. */
static void add_words(struct spec *spec, struct wk_etl_field *field, struct wk_str words)
{
	struct wk_etl_value values[MOST_WORDS];
	struct wk_buf name = { 0 };
	struct wk_str word;
	uint32_t count = 0;

	wk_buf_add_fmt(&name, "%u.%.*s", spec->key->id, WK_STR_ARG(field->name));
	while (words.len && count < MOST_WORDS) {
		wk_str_split(words, '|', &word, &words);
		values[count] = (struct wk_etl_value){ count,
						       wk_etl_schemas_text(spec->schemas, word) };
		count++;
	}
	field->values_name = wk_etl_schemas_text(spec->schemas, wk_buf_str(&name));
	wk_etl_schemas_add_values(spec->schemas, &spec->key->provider, field->values_name,
				  &(struct wk_etl_values){ values, count, false });
	wk_buf_fini(&name);
}

static void open_struct(struct spec *spec, struct wk_str name, struct wk_str counted_by)
{
	struct wk_etl_field field = { .name = name, .in_type = WK_ETL_IN_STRUCT };

	count_by(spec, &field, counted_by);
	spec->fields[spec->count++] = field;
	spec->open_struct = spec->count;
}

static void add_word(struct spec *spec, struct wk_str word)
{
	struct wk_etl_field field = { 0 };
	struct wk_str rest, words, counted_by;

	if (wk_str_is(word, "}")) {
		spec->fields[spec->open_struct - 1].end = spec->count;
		spec->open_struct = 0;
		return;
	}
	if (wk_str_split(word, '{', &field.name, &rest)) {
		open_struct(spec, field.name, wk_str_skip(rest, 1));
		return;
	}
	wk_str_split(word, ':', &field.name, &rest);
	wk_str_split(rest, '=', &rest, &words);
	wk_str_split(rest, '*', &rest, &counted_by);
	set_type(&field, rest.at[0], rest.len > 1 ? (unsigned)(rest.at[1] - '0') : 0);
	count_by(spec, &field, counted_by);
	if (words.len)
		add_words(spec, &field, words);
	field.end = spec->count + 1;
	spec->fields[spec->count++] = field;
}

static void add_schema(struct wk_etl_schemas *schemas, const struct wk_etl_event_key *key,
		       const struct clr_event *event)
{
	struct spec spec = { .schemas = schemas, .key = key };
	struct wk_str rest = wk_str_c(event->fields), word;
	struct wk_etl_schema schema = { .event = wk_str_c(event->name), .may_end = true };

	while (rest.len && spec.count < MOST_FIELDS) {
		wk_str_split(rest, ' ', &word, &rest);
		add_word(&spec, word);
	}
	schema.fields =
		wk_etl_schemas_copy_fields(schemas, &key->provider, spec.fields, spec.count);
	schema.count = spec.count;
	wk_etl_schemas_add(schemas, key, &schema);
}

/* ---- events */

static const struct clr_event *event_of(const struct wk_etl_event_key *key)
{
	const struct wk_etl_provider_info *provider = wk_etl_provider_find(&key->provider);

	for (size_t i = 0; provider && !key->is_classic && i < sizeof(events) / sizeof(events[0]);
	     i++)
		if (events[i].provider == provider->number && events[i].id == key->id)
			return &events[i];
	return NULL;
}

struct wk_str wk_etl_clr_event(const struct wk_etl_event_key *key)
{
	const struct clr_event *event = event_of(key);

	return wk_str_c(event ? event->name : "");
}

void wk_etl_clr_describe(struct wk_etl_schemas *schemas, const struct wk_etl_event_key *key)
{
	const struct clr_event *event = event_of(key);

	if (event && event->fields && key->version >= event->since &&
	    !wk_etl_schemas_find(schemas, key))
		add_schema(schemas, key, event);
}
