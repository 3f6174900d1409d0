#include "formats/perf/internal.h"

#include <inttypes.h>

/* Details about the file itself: its sections, how each event was opened, which build ids and
 * tracepoints it lists. */

static const char *const sample_bits[] = {
	"IP", "TID", "TIME", "ADDR", "READ", "CALLCHAIN", "ID", "CPU", "PERIOD", "STREAM_ID",
	"RAW", "BRANCH_STACK", "REGS_USER", "STACK_USER", "WEIGHT", "DATA_SRC", "IDENTIFIER",
	"TRANSACTION", "REGS_INTR", "PHYS_ADDR", "AUX", "CGROUP", "DATA_PAGE_SIZE",
	"CODE_PAGE_SIZE", "WEIGHT_STRUCT",
};

static const char *const read_bits[] = {
	"TOTAL_TIME_ENABLED", "TOTAL_TIME_RUNNING", "ID", "GROUP", "LOST",
};

static const char *const branch_bits[] = {
	"USER", "KERNEL", "HV", "ANY", "ANY_CALL", "ANY_RETURN", "IND_CALL", "ABORT_TX", "IN_TX",
	"NO_TX", "COND", "CALL_STACK", "IND_JUMP", "CALL", "NO_FLAGS", "NO_CYCLES", "TYPE_SAVE",
	"HW_INDEX", "PRIV_SAVE", "COUNTERS",
};

/* precise_ip, two bits wide, is printed separately. */
static const char *const attr_flags[] = {
	"disabled", "inherit", "pinned", "exclusive", "exclude_user", "exclude_kernel",
	"exclude_hv", "exclude_idle", "mmap", "comm", "freq", "inherit_stat", "enable_on_exec",
	"task", "watermark", NULL, NULL, "mmap_data", "sample_id_all", "exclude_host",
	"exclude_guest", "exclude_callchain_kernel", "exclude_callchain_user", "mmap2",
	"comm_exec", "use_clockid", "context_switch", "write_backward", "namespaces", "ksymbol",
	"bpf_event", "aux_output", "cgroup", "text_poke", "build_id", "inherit_thread",
	"remove_on_exec", "sigtrap", "defer_callchain", "defer_output",
};

#define COUNT_OF(table) (sizeof(table) / sizeof((table)[0]))

/* ", TITLE A|B|0x80000000", or nothing if no bit is set. */
static void add_bits(struct wk_buf *text, const char *title, uint64_t bits,
		     const char *const *names, size_t count)
{
	const char *before = "";

	if (bits == 0)
		return;
	wk_buf_add_fmt(text, ", %s ", title);
	for (size_t i = 0; i < count; i++) {
		if (!(bits >> i & 1) || !names[i])
			continue;
		wk_buf_add_fmt(text, "%s%s", before, names[i]);
		before = "|";
		bits &= ~((uint64_t)1 << i);
	}
	if (bits)
		wk_buf_add_fmt(text, "%s0x%" PRIx64, before, bits);
}

static bool emit(struct wk_perf *perf, const char *key, struct wk_buf *value)
{
	bool ok = wk_perf_emit_fact(perf, key, wk_buf_str(value));

	wk_buf_fini(value);
	return ok;
}

bool wk_perf_header_attr(struct wk_perf *perf, const struct wk_perf_attr *attr, struct wk_str name)
{
	struct wk_buf text = { 0 };
	unsigned precise = attr->flags >> 15 & 3;

	wk_buf_add_fmt(&text, "%.*s: type %" PRIu32 ", config 0x%" PRIx64 ", %s %" PRIu64,
		       WK_STR_ARG(name), attr->type, attr->config,
		       attr->flags & WK_PERF_FLAG_FREQ ? "frequency" : "period", attr->period);
	add_bits(&text, "sample", attr->sample_type, sample_bits, COUNT_OF(sample_bits));
	add_bits(&text, "read", attr->read_format, read_bits, COUNT_OF(read_bits));
	add_bits(&text, "branches", attr->branch_sample_type, branch_bits, COUNT_OF(branch_bits));
	add_bits(&text, "flags", attr->flags & ~((uint64_t)3 << 15), attr_flags,
		 COUNT_OF(attr_flags));
	if (precise)
		wk_buf_add_fmt(&text, ", precise %u", precise);
	if (attr->user_registers)
		wk_buf_add_fmt(&text, ", user registers 0x%" PRIx64, attr->user_registers);
	if (attr->interrupt_registers)
		wk_buf_add_fmt(&text, ", registers 0x%" PRIx64, attr->interrupt_registers);
	if (attr->user_stack_bytes)
		wk_buf_add_fmt(&text, ", user stack %" PRIu32 " bytes", attr->user_stack_bytes);
	if (attr->flags & WK_PERF_FLAG_USE_CLOCKID)
		wk_buf_add_fmt(&text, ", clock %s", wk_perf_clock_name(attr->clock_id));
	wk_buf_add_fmt(&text, ", %" PRIu32 " id%s", attr->id_count, attr->id_count == 1 ? "" : "s");
	return emit(perf, "event attr", &text);
}

bool wk_perf_header_build_id(struct wk_perf *perf, const struct wk_build_id *id, struct wk_str path)
{
	struct wk_buf text = { 0 };

	for (size_t i = 0; i < id->size; i++)
		wk_buf_add_fmt(&text, "%02x", id->bytes[i]);
	wk_buf_add_fmt(&text, " %.*s", WK_STR_ARG(path));
	return emit(perf, "build id", &text);
}

static bool emit_times(struct wk_perf *perf, struct wk_bytes content)
{
	uint64_t first = wk_u64(&content), last = wk_u64(&content);
	struct wk_buf text = { 0 };

	if (content.bad || last == 0) /* never filled */
		return true;
	wk_buf_add_fmt(&text, "%" PRIu64 " ns to %" PRIu64 " ns", first, last);
	return emit(perf, "sample times", &text);
}

bool wk_perf_header_feature(struct wk_perf *perf, unsigned feature, struct wk_bytes content)
{
	struct wk_buf text = { 0 };

	wk_buf_add_fmt(&text, "%u %s, %zu bytes", feature, wk_perf_feature_name(feature),
		       wk_bytes_left(&content));
	if (!emit(perf, "section", &text))
		return false;
	return feature != WK_PERF_FEATURE_SAMPLE_TIME || emit_times(perf, content);
}

bool wk_perf_header_tracepoints(struct wk_perf *perf)
{
	struct wk_trace_formats *formats = wk_perf_trace_formats(perf);
	size_t count = formats ? wk_trace_formats_count(formats) : 0;
	bool ok = true;

	for (size_t i = 0; i < count && ok; i++) {
		const struct wk_trace_format *format = wk_trace_formats_at(formats, i);
		struct wk_buf text = { 0 };

		if (!format)
			continue;
		wk_buf_add_fmt(&text, "%.*s:%.*s, id %" PRIu32 ", %zu fields",
			       WK_STR_ARG(format->system), WK_STR_ARG(format->name), format->id,
			       format->field_count);
		ok = emit(perf, "tracepoint", &text);
	}
	return ok;
}
