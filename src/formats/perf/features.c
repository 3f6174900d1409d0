#include "formats/perf/internal.h"

#include "base/buf.h"
#include "base/hash.h"
#include "base/mem.h"
#include "event/machine.h"
#include "formats/perf/wick_sections.h"

/* The recorder's names of its sources, found by their ids or, without ids, by their order. */
static bool read_event_names(struct wk_perf *perf, struct wk_bytes *in, const char *key)
{
	uint32_t count = wk_u32(in), attr_bytes = wk_u32(in);

	(void)key;
	for (uint32_t i = 0; i < count && !in->bad; i++) {
		uint32_t id_count;
		struct wk_str name;

		wk_bytes_skip(in, attr_bytes);
		id_count = wk_u32(in);
		name = wk_perf_feature_text(in);
		if (in->bad)
			return true;
		if (count == perf->attr_count)
			perf->attrs[i].name = name;
		for (uint32_t j = 0; j < id_count && !in->bad; j++) {
			uint64_t id = wk_u64(in);

			if (count != perf->attr_count)
				wk_perf_name_attr(perf, id, name);
			else if (!wk_map_find(&perf->attr_of_id, id))
				wk_map_set(&perf->attr_of_id, id, i + 1);
		}
	}
	return true;
}

bool wk_perf_add_build_id(struct wk_perf *perf, const struct wk_perf_record *record)
{
	struct wk_perf_build_id_row row = {
		.is_kernel = (record->misc & WK_PERF_MISC_CPUMODE) == WK_PERF_MISC_KERNEL,
		.id.size = 20,
	};
	struct wk_bytes body = record->body;
	const uint8_t *id;
	struct wk_str path;
	uint32_t *known;

	wk_u32(&body); /* pid: of a virtual machine's owner */
	id = body.at;
	wk_bytes_skip(&body, 20);
	if (record->misc & WK_PERF_MISC_BUILD_ID_SIZE) /* only newer recorders store it */
		row.id.size = wk_u8(&body);
	else
		wk_u8(&body);
	wk_bytes_skip(&body, 3);
	path = wk_bytes_text(&body);
	if (body.bad || row.id.size == 0 || row.id.size > 20) {
		wk_perf_odd(perf, WK_PERF_ODD_FEATURE, record->at);
		return true;
	}
	memcpy(row.id.bytes, id, row.id.size);
	known = wk_map_at(&perf->build_id_of, wk_hash_bytes(path.at, path.len));
	if (!*known) {
		*WK_APPEND(perf->build_ids, perf->build_id_count, perf->build_id_cap) = row;
		*known = (uint32_t)perf->build_id_count;
	}
	return !perf->is_header_only || wk_perf_header_build_id(perf, &row.id, path);
}

void wk_perf_apply_build_id(const struct wk_perf *perf, struct wk_event_image *image)
{
	uint32_t row;

	if (image->build_id.size || perf->build_id_count == 0)
		return;
	row = wk_map_find(&perf->build_id_of, wk_hash_bytes(image->path.at, image->path.len));
	if (row && perf->build_ids[row - 1].is_kernel == image->is_kernel)
		image->build_id = perf->build_ids[row - 1].id;
}

static bool read_build_ids(struct wk_perf *perf, struct wk_bytes *in, const char *key)
{
	(void)key;
	while (wk_bytes_left(in) >= 8) {
		struct wk_bytes head = *in;
		struct wk_perf_record record = { .at = in->at };
		uint16_t size;

		wk_u32(&head);
		record.misc = wk_u16(&head);
		size = wk_u16(&head);
		if (size < 8) {
			in->bad = true;
			break;
		}
		record.body = wk_bytes_slice(in, size);
		wk_bytes_skip(&record.body, 8);
		if (in->bad)
			break;
		if (!wk_perf_add_build_id(perf, &record))
			return false;
	}
	return true;
}

static bool read_machine(struct wk_perf *perf, struct wk_bytes *in, const char *key)
{
	struct wk_bytes again = *in;

	perf->machine = wk_machine_named(wk_perf_feature_text(&again));
	return wk_perf_read_text(perf, in, key);
}

static bool read_tracing_data(struct wk_perf *perf, struct wk_bytes *in, const char *key)
{
	(void)key;
	perf->tracing_data = *in;
	return true;
}

static const struct {
	const char *name;
	wk_perf_read_feature *read; /* NULL: its content is not used */
	const char *key;            /* of its fact; if there are several, their beginning */
} known[] = {
	[WK_PERF_FEATURE_TRACING_DATA] = { "TRACING_DATA", read_tracing_data, NULL },
	[WK_PERF_FEATURE_BUILD_ID] = { "BUILD_ID", read_build_ids, NULL },
	[WK_PERF_FEATURE_HOSTNAME] = { "HOSTNAME", wk_perf_read_text, "host name" },
	[WK_PERF_FEATURE_OSRELEASE] = { "OSRELEASE", wk_perf_read_text, "kernel" },
	[WK_PERF_FEATURE_VERSION] = { "VERSION", wk_perf_read_text, "recorder" },
	[WK_PERF_FEATURE_ARCH] = { "ARCH", read_machine, "machine" },
	[WK_PERF_FEATURE_NRCPUS] = { "NRCPUS", wk_perf_read_cpu_counts, "cpus" },
	[WK_PERF_FEATURE_CPUDESC] = { "CPUDESC", wk_perf_read_text, "cpu" },
	[WK_PERF_FEATURE_CPUID] = { "CPUID", wk_perf_read_text, "cpu id" },
	[WK_PERF_FEATURE_TOTAL_MEM] = { "TOTAL_MEM", wk_perf_read_memory, "memory" },
	[WK_PERF_FEATURE_CMDLINE] = { "CMDLINE", wk_perf_read_texts, "command line" },
	[WK_PERF_FEATURE_EVENT_DESC] = { "EVENT_DESC", read_event_names, NULL },
	[WK_PERF_FEATURE_CPU_TOPOLOGY] = { "CPU_TOPOLOGY", wk_perf_read_topology, "cpu topology" },
	[WK_PERF_FEATURE_NUMA_TOPOLOGY] = { "NUMA_TOPOLOGY", wk_perf_read_numa, "numa node" },
	[WK_PERF_FEATURE_BRANCH_STACK] = { "BRANCH_STACK", NULL, NULL },
	[WK_PERF_FEATURE_PMU_MAPPINGS] = { "PMU_MAPPINGS", wk_perf_read_pmus, "counter types" },
	[WK_PERF_FEATURE_GROUP_DESC] = { "GROUP_DESC", wk_perf_read_groups, "event group" },
	[WK_PERF_FEATURE_AUXTRACE] = { "AUXTRACE", NULL, NULL },
	[WK_PERF_FEATURE_STAT] = { "STAT", NULL, NULL },
	[WK_PERF_FEATURE_CACHE] = { "CACHE", wk_perf_read_caches, "cache" },
	[WK_PERF_FEATURE_SAMPLE_TIME] = { "SAMPLE_TIME", NULL, NULL },
	[WK_PERF_FEATURE_MEM_TOPOLOGY] = { "MEM_TOPOLOGY", wk_perf_read_memory_blocks,
					   "memory of node" },
	[WK_PERF_FEATURE_CLOCKID] = { "CLOCKID", wk_perf_read_clock_step, "clock resolution" },
	[WK_PERF_FEATURE_DIR_FORMAT] = { "DIR_FORMAT", wk_perf_read_layout, "layout" },
	[WK_PERF_FEATURE_BPF_PROG_INFO] = { "BPF_PROG_INFO", wk_perf_read_count, "bpf programs" },
	[WK_PERF_FEATURE_BPF_BTF] = { "BPF_BTF", wk_perf_read_count, "bpf type tables" },
	[WK_PERF_FEATURE_COMPRESSED] = { "COMPRESSED", wk_perf_read_compression, "compression" },
	[WK_PERF_FEATURE_CPU_PMU_CAPS] = { "CPU_PMU_CAPS", wk_perf_read_cpu_capabilities,
					   "counters of cpu" },
	[WK_PERF_FEATURE_CLOCK_DATA] = { "CLOCK_DATA", wk_perf_read_clock, "clock" },
	[WK_PERF_FEATURE_HYBRID_TOPOLOGY] = { "HYBRID_TOPOLOGY", wk_perf_read_hybrid, "cpus of" },
	[WK_PERF_FEATURE_PMU_CAPS] = { "PMU_CAPS", wk_perf_read_capabilities, "counters of" },
	[WK_PERF_FEATURE_ANDROID_FILES] = { NULL, wk_perf_read_android_files, NULL },
	[WK_PERF_FEATURE_ANDROID] = { NULL, wk_perf_read_android, NULL },
};

#define KNOWN (sizeof(known) / sizeof(known[0]))

const char *wk_perf_feature_name(unsigned feature)
{
	if (feature < KNOWN && known[feature].name)
		return known[feature].name;
	if (feature >= WK_SECTION_FIRST && feature < WK_SECTION_END)
		return "of wick";
	if (feature >= WK_PERF_FEATURE_ANDROID_FIRST && feature < WK_PERF_FEATURE_ANDROID_END)
		return "of simpleperf";
	return "unknown";
}

bool wk_perf_feature(struct wk_perf *perf, unsigned feature, struct wk_bytes content)
{
	const uint8_t *start = content.at;

	if (perf->is_header_only && !wk_perf_header_feature(perf, feature, content))
		return false;
	if (feature >= WK_SECTION_FIRST && feature < WK_SECTION_END)
		return wk_perf_section(perf, feature, content);
	content.bad = false;
	if (feature < KNOWN && known[feature].read &&
	    !known[feature].read(perf, &content, known[feature].key))
		return false;
	if (content.bad)
		wk_perf_odd(perf, WK_PERF_ODD_FEATURE, start);
	return true;
}
