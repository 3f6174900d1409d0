/* What `perf script --header` says of a recording, as lines that begin with "# ".
 *
 * The lines are made as the sections are read, and told as one fact behind the last of them. Names
 * of `perf` are used throughout: whoever reads such text looks for them. */
#include <inttypes.h>
#include <time.h>

#include "formats/perf/internal.h"
#include "os/os.h"

#define COUNT_OF(table) (sizeof(table) / sizeof((table)[0]))

/* Which features perf shows in full only when asked to. */
static bool is_long(unsigned feature)
{
	return feature == WK_PERF_FEATURE_CPU_TOPOLOGY ||
	       feature == WK_PERF_FEATURE_NUMA_TOPOLOGY || feature == WK_PERF_FEATURE_CACHE ||
	       feature == WK_PERF_FEATURE_MEM_TOPOLOGY ||
	       feature == WK_PERF_FEATURE_HYBRID_TOPOLOGY;
}

void wk_perf_comments_begin(struct wk_perf *perf, uint64_t data_at, uint64_t data_bytes)
{
	struct wk_buf *out = &perf->comments;

	wk_buf_add_text(out, "# header version : 1\n");
	wk_buf_add_fmt(out, "# data offset    : %" PRIu64 "\n", data_at);
	wk_buf_add_fmt(out, "# data size      : %" PRIu64 "\n", data_bytes);
	wk_buf_add_fmt(out, "# feat offset    : %" PRIu64 "\n", data_at + data_bytes);
	if (perf->is_pipe) /* its features are still to come */
		wk_buf_add_text(out, "# ========\n#\n");
}

static void add_text_line(const char *title, struct wk_bytes in, struct wk_buf *out)
{
	struct wk_str text = wk_perf_feature_text(&in);

	wk_buf_add_fmt(out, "# %s : %.*s\n", title, WK_STR_ARG(text));
}

static void add_command(struct wk_bytes in, struct wk_buf *out)
{
	wk_buf_add_text(out, "# cmdline : ");
	for (uint32_t i = 0, count = wk_u32(&in); i < count && !in.bad; i++) {
		struct wk_str word = wk_perf_feature_text(&in);

		for (size_t j = 0; j < word.len; j++) {
			if (word.at[j] == '\'')
				wk_buf_add_char(out, '\\');
			wk_buf_add_char(out, word.at[j]);
		}
		wk_buf_add_char(out, ' ');
	}
	wk_buf_add_char(out, '\n');
}

/* --- Events -------------------------------------------------------------------------------- */

static void add_bits(const char *title, uint64_t bits, const char *const *names, size_t count,
		     struct wk_buf *out)
{
	const char *before = "";

	if (bits == 0)
		return;
	wk_buf_add_fmt(out, ", %s = ", title);
	for (size_t i = 0; i < count; i++) {
		if (!names[i] || !(bits >> i & 1))
			continue;
		wk_buf_add_fmt(out, "%s%s", before, names[i]);
		before = "|";
	}
}

static void add_sample_bits(uint64_t bits, struct wk_buf *out)
{
	static const char *const names[] = {
		"IP", "TID", "TIME", "ADDR", "READ", "CALLCHAIN", "ID", "CPU", "PERIOD",
		"STREAM_ID", "RAW", "BRANCH_STACK", "REGS_USER", "STACK_USER" };
	/* From here on perf has an order of its own. */
	static const struct {
		unsigned bit;
		const char *name;
	} later[] = { { 16, "IDENTIFIER" },   { 18, "REGS_INTR" },      { 15, "DATA_SRC" },
		      { 14, "WEIGHT" },       { 19, "PHYS_ADDR" },      { 20, "AUX" },
		      { 21, "CGROUP" },       { 22, "DATA_PAGE_SIZE" }, { 23, "CODE_PAGE_SIZE" },
		      { 24, "WEIGHT_STRUCT" } };
	bool is_first = (bits & ((1u << COUNT_OF(names)) - 1)) == 0;

	if (is_first && bits)
		wk_buf_add_text(out, ", sample_type = ");
	add_bits("sample_type", bits & ((1u << COUNT_OF(names)) - 1), names, COUNT_OF(names), out);
	for (size_t i = 0; i < COUNT_OF(later); i++)
		if (bits >> later[i].bit & 1) {
			wk_buf_add_fmt(out, "%s%s", is_first ? "" : "|", later[i].name);
			is_first = false;
		}
}

static void add_number(const char *title, uint64_t value, struct wk_buf *out)
{
	if (value)
		wk_buf_add_fmt(out, ", %s = %" PRIu64, title, value);
}

static void add_hex(const char *title, uint64_t value, struct wk_buf *out)
{
	if (value)
		wk_buf_add_fmt(out, ", %s = 0x%" PRIx64, title, value);
}

static void add_flags(uint64_t flags, struct wk_buf *out)
{
	static const char *const names[] = {
		"disabled", "inherit", "pinned", "exclusive", "exclude_user", "exclude_kernel",
		"exclude_hv", "exclude_idle", "mmap", "comm", "freq", "inherit_stat",
		"enable_on_exec", "task", "watermark", "precise_ip", NULL, "mmap_data",
		"sample_id_all", "exclude_host", "exclude_guest", "exclude_callchain_kernel",
		"exclude_callchain_user", "mmap2", "comm_exec", "use_clockid", "context_switch",
		"write_backward", "namespaces", "ksymbol", "bpf_event", "aux_output", "cgroup",
		"text_poke", "build_id", "inherit_thread", "remove_on_exec", "sigtrap" };

	for (size_t i = 0; i < COUNT_OF(names); i++)
		if (names[i])
			add_number(names[i], flags >> i & (i == WK_PERF_FLAG_PRECISE_SHIFT ? 3 : 1),
				   out);
}

static void add_attr(struct wk_bytes in, struct wk_buf *out)
{
	static const char *const reads[] = { "TOTAL_TIME_ENABLED", "TOTAL_TIME_RUNNING", "ID",
					     "GROUP", "LOST" };
	static const char *const branches[] = {
		"USER", "KERNEL", "HV", "ANY", "ANY_CALL", "ANY_RETURN", "IND_CALL", "ABORT_TX",
		"IN_TX", "NO_TX", "COND", "CALL_STACK", "IND_JUMP", "CALL", "NO_FLAGS",
		"NO_CYCLES", "TYPE_SAVE", "HW_INDEX", "PRIV_SAVE" };
	uint64_t flags;

	add_number("type", wk_u32(&in), out);
	add_number("size", wk_u32(&in), out);
	add_hex("config", wk_u64(&in), out);
	add_number("{ sample_period, sample_freq }", wk_u64(&in), out);
	add_sample_bits(wk_u64(&in), out);
	add_bits("read_format", wk_u64(&in), reads, COUNT_OF(reads), out);
	flags = wk_u64(&in);
	add_flags(in.big_endian ? wk_perf_mirrored(flags) : flags, out);
	add_number("{ wakeup_events, wakeup_watermark }", wk_u32(&in), out);
	add_number("bp_type", wk_u32(&in), out);
	add_hex("{ bp_addr, config1 }", wk_u64(&in), out);
	add_hex("{ bp_len, config2 }", wk_u64(&in), out);
	add_bits("branch_sample_type", wk_u64(&in), branches, COUNT_OF(branches), out);
	add_hex("sample_regs_user", wk_u64(&in), out);
	add_number("sample_stack_user", wk_u32(&in), out);
	add_number("clockid", wk_u32(&in), out);
	add_hex("sample_regs_intr", wk_u64(&in), out);
	add_number("aux_watermark", wk_u32(&in), out);
	add_number("sample_max_stack", wk_u32(&in) & 0xffff, out);
	add_number("aux_sample_size", wk_u32(&in), out);
}

static void add_events(struct wk_bytes in, struct wk_buf *out)
{
	uint32_t count = wk_u32(&in), attr_bytes = wk_u32(&in);

	for (uint32_t i = 0; i < count && !in.bad; i++) {
		struct wk_bytes attr = wk_bytes_slice(&in, attr_bytes);
		uint32_t ids = wk_u32(&in);
		struct wk_str name = wk_perf_feature_text(&in);

		if (in.bad)
			return;
		wk_buf_add_fmt(out, "# event : name = %.*s, ", WK_STR_ARG(name));
		for (uint32_t j = 0; j < ids && !in.bad; j++)
			wk_buf_add_fmt(out, "%s%" PRIu64, j ? ", " : ", id = { ", wk_u64(&in));
		wk_buf_add_text(out, ids ? " }" : "");
		add_attr(attr, out);
		wk_buf_add_char(out, '\n');
	}
}

static struct wk_str attr_name(const struct wk_perf *perf, uint32_t index)
{
	return index < perf->attr_count ? perf->attrs[index].name : wk_str_c("");
}

static void add_groups(const struct wk_perf *perf, struct wk_bytes in, struct wk_buf *out)
{
	uint64_t end = 0; /* of the group before: none has two members twice */

	for (uint32_t i = 0, count = wk_u32(&in); i < count && !in.bad; i++) {
		struct wk_str name = wk_perf_feature_text(&in);
		uint32_t leader = wk_u32(&in), members = wk_u32(&in);

		if (in.bad || leader < end || (uint64_t)leader + members > perf->attr_count)
			return;
		end = (uint64_t)leader + members;
		if (wk_str_is(name, "{anon_group}"))
			name.len = 0;
		wk_buf_add_fmt(out, "# group: %.*s{", WK_STR_ARG(name));
		for (uint32_t j = 0; j < members; j++) {
			struct wk_str member = attr_name(perf, leader + j);

			wk_buf_add_fmt(out, "%s%.*s", j ? "," : "", WK_STR_ARG(member));
		}
		wk_buf_add_text(out, "}\n");
	}
}

/* --- The machine --------------------------------------------------------------------------- */

static void add_counter_types(struct wk_bytes in, struct wk_buf *out)
{
	wk_buf_add_text(out, "# pmu mappings: ");
	for (uint32_t i = 0, count = wk_u32(&in); i < count && !in.bad; i++) {
		uint32_t type = wk_u32(&in);
		struct wk_str name = wk_perf_feature_text(&in);

		wk_buf_add_fmt(out, "%s%.*s = %" PRIu32, i ? ", " : "", WK_STR_ARG(name), type);
	}
	wk_buf_add_char(out, '\n');
}

static void add_capabilities(struct wk_bytes *in, struct wk_buf *out)
{
	for (uint32_t i = 0, count = wk_u32(in); i < count && !in->bad; i++) {
		struct wk_str name = wk_perf_feature_text(in), value = wk_perf_feature_text(in);

		wk_buf_add_fmt(out, "%s%.*s=%.*s", i ? ", " : "", WK_STR_ARG(name),
			       WK_STR_ARG(value));
	}
}

static void add_counter_capabilities(struct wk_bytes in, struct wk_buf *out)
{
	struct wk_buf text = { 0 };

	for (uint32_t i = 0, count = wk_u32(&in); i < count && !in.bad; i++) {
		struct wk_str name;

		wk_buf_reset(&text);
		add_capabilities(&in, &text);
		name = wk_perf_feature_text(&in);
		wk_buf_add_fmt(out, "# %.*s pmu capabilities: %s\n", WK_STR_ARG(name),
			       wk_buf_text(&text));
	}
	wk_buf_fini(&text);
}

static void add_moment(const char *title, uint64_t time_ns, struct wk_buf *out)
{
	wk_buf_add_fmt(out, "# %s : %" PRIu64 ".%06" PRIu64 "\n", title, time_ns / 1000000000,
		       time_ns % 1000000000 / 1000);
}

static void add_sample_times(struct wk_bytes in, struct wk_buf *out)
{
	uint64_t first = wk_u64(&in), last = wk_u64(&in);

	add_moment("time of first sample", first, out);
	add_moment("time of last sample", last, out);
	wk_buf_add_fmt(out, "# sample duration : %10.3f ms\n", (double)(last - first) / 1e6);
}

static void add_compression(struct wk_bytes in, struct wk_buf *out)
{
	uint32_t type, level, ratio;

	wk_u32(&in); /* version */
	type = wk_u32(&in);
	level = wk_u32(&in);
	ratio = wk_u32(&in);
	wk_buf_add_fmt(out, "# compressed : %s, level = %" PRIu32 ", ratio = %" PRIu32 "\n",
		       type == 1 ? "Zstd" : "Unknown", level, ratio);
}

/* "monotonic" of "CLOCK_MONOTONIC". */
static const char *clock_word(int id)
{
	static const struct {
		int id;
		const char *word;
	} words[] = {
		{ 0, "realtime" },          { 1, "monotonic" },     { 2, "process_cputime_id" },
		{ 3, "thread_cputime_id" }, { 4, "monotonic_raw" }, { 5, "realtime_coarse" },
		{ 6, "monotonic_coarse" },  { 7, "boottime" },      { 11, "tai" }
	};

	for (size_t i = 0; i < COUNT_OF(words); i++)
		if (words[i].id == id)
			return words[i].word;
	return "unknown";
}

/* One moment by the wall's clock and by the recording's. */
static void add_clock(struct wk_bytes in, struct wk_buf *out)
{
	uint32_t version = wk_u32(&in), id = wk_u32(&in);
	uint64_t wall_ns = wk_u64(&in), clock_ns = wk_u64(&in);
	char date[64] = "";
	struct tm tm;

	if (version != 1 || in.bad)
		return;
	if (wk_os_local_time(wall_ns / 1000000000, &tm))
		strftime(date, sizeof(date), "%Y-%m-%d %H:%M:%S", &tm);
	wk_buf_add_fmt(out, "# clockid: %s (%" PRIu32 ")\n", clock_word((int)id), id);
	wk_buf_add_fmt(out,
		       "# reference time: %s.%06" PRIu64 " = %" PRIu64 ".%06" PRIu64
		       " (TOD) = %" PRIu64 ".%09" PRIu64 " (%s)\n",
		       date, wall_ns % 1000000000 / 1000, wall_ns / 1000000000,
		       wall_ns % 1000000000 / 1000, clock_ns / 1000000000, clock_ns % 1000000000,
		       clock_word((int)id));
}

static void add_feature(const struct wk_perf *perf, unsigned feature, struct wk_bytes in,
			struct wk_buf *out)
{
	uint32_t available;

	switch (feature) {
	case WK_PERF_FEATURE_HOSTNAME:
		add_text_line("hostname", in, out);
		break;
	case WK_PERF_FEATURE_OSRELEASE:
		add_text_line("os release", in, out);
		break;
	case WK_PERF_FEATURE_VERSION:
		add_text_line("perf version", in, out);
		break;
	case WK_PERF_FEATURE_ARCH:
		add_text_line("arch", in, out);
		break;
	case WK_PERF_FEATURE_NRCPUS:
		available = wk_u32(&in);
		wk_buf_add_fmt(out, "# nrcpus online : %" PRIu32 "\n# nrcpus avail : %" PRIu32 "\n",
			       wk_u32(&in), available);
		break;
	case WK_PERF_FEATURE_CPUDESC:
		add_text_line("cpudesc", in, out);
		break;
	case WK_PERF_FEATURE_CPUID:
		add_text_line("cpuid", in, out);
		break;
	case WK_PERF_FEATURE_TOTAL_MEM:
		wk_buf_add_fmt(out, "# total memory : %" PRIu64 " kB\n", wk_u64(&in));
		break;
	case WK_PERF_FEATURE_CMDLINE:
		add_command(in, out);
		break;
	case WK_PERF_FEATURE_EVENT_DESC:
		add_events(in, out);
		break;
	case WK_PERF_FEATURE_BRANCH_STACK:
		wk_buf_add_text(out, "# contains samples with branch stack\n");
		break;
	case WK_PERF_FEATURE_PMU_MAPPINGS:
		add_counter_types(in, out);
		break;
	case WK_PERF_FEATURE_GROUP_DESC:
		add_groups(perf, in, out);
		break;
	case WK_PERF_FEATURE_AUXTRACE:
		wk_buf_add_text(out, "# contains AUX area data (e.g. instruction trace)\n");
		break;
	case WK_PERF_FEATURE_STAT:
		wk_buf_add_text(out, "# contains stat data\n");
		break;
	case WK_PERF_FEATURE_SAMPLE_TIME:
		add_sample_times(in, out);
		break;
	case WK_PERF_FEATURE_CLOCKID:
		wk_buf_add_fmt(out, "# clockid frequency: %" PRIu64 " MHz\n", wk_u64(&in) * 1000);
		break;
	case WK_PERF_FEATURE_DIR_FORMAT:
		wk_buf_add_fmt(out, "# directory data version : %" PRIu64 "\n", wk_u64(&in));
		break;
	case WK_PERF_FEATURE_COMPRESSED:
		add_compression(in, out);
		break;
	case WK_PERF_FEATURE_CLOCK_DATA:
		add_clock(in, out);
		break;
	case WK_PERF_FEATURE_CPU_PMU_CAPS:
		wk_buf_add_text(out, "# cpu pmu capabilities: ");
		add_capabilities(&in, out);
		wk_buf_add_char(out, '\n');
		break;
	case WK_PERF_FEATURE_PMU_CAPS:
		add_counter_capabilities(in, out);
		break;
	default:
		break;
	}
}

/* Programs wait for the table of their names, which is the next feature if it is there. */
static void add_waiting(struct wk_perf *perf, struct wk_bytes tables)
{
	wk_perf_bpf_comments(perf->bpf_programs, tables, &perf->comments);
	perf->bpf_programs = (struct wk_bytes){ 0 };
}

void wk_perf_comment(struct wk_perf *perf, unsigned feature, struct wk_bytes content)
{
	bool has_tables = feature == WK_PERF_FEATURE_BPF_BTF;

	if (feature > WK_PERF_FEATURE_BPF_PROG_INFO)
		add_waiting(perf, has_tables ? content : (struct wk_bytes){ 0 });
	if (feature == WK_PERF_FEATURE_BPF_PROG_INFO)
		perf->bpf_programs = content;
	else if (is_long(feature))
		wk_buf_add_fmt(&perf->comments, "# %s info available, use -I to display\n",
			       wk_perf_feature_name(feature));
	else
		add_feature(perf, feature, content, &perf->comments);
}

bool wk_perf_emit_comments(struct wk_perf *perf, const uint64_t *bits, struct wk_err *err)
{
	struct wk_buf *out = &perf->comments;

	add_waiting(perf, (struct wk_bytes){ 0 });
	if (!perf->is_pipe)
		wk_buf_add_text(out, "# missing features: ");
	for (unsigned i = 1; i < WK_PERF_FEATURE_END && !perf->is_pipe; i++)
		if (!(bits[i / 64] >> i % 64 & 1))
			wk_buf_add_fmt(out, "%s ", wk_perf_feature_name(i));
	if (!perf->is_pipe)
		wk_buf_add_text(out, "\n# ========\n#\n");
	return wk_perf_emit_fact(perf, "comments", wk_buf_str(out), err);
}
