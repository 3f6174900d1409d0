#include "formats/perf/internal.h"

#include "base/mem.h"

/* Bits of a sample's type and the details they add. */
static const struct {
	uint32_t sampled, detail;
} kinds[] = {
	{ WK_PERF_SAMPLE_ADDR, WK_DETAIL_ADDRESS },
	{ WK_PERF_SAMPLE_CPU, WK_DETAIL_CPU },
	{ WK_PERF_SAMPLE_TIME, WK_DETAIL_TIME },
	{ WK_PERF_SAMPLE_TID, WK_DETAIL_THREAD },
	{ WK_PERF_SAMPLE_CALLCHAIN, WK_DETAIL_CHAIN },
	{ WK_PERF_SAMPLE_BRANCH_STACK, WK_DETAIL_BRANCHES },
	{ WK_PERF_SAMPLE_REGS_USER, WK_DETAIL_USER_REGISTERS },
};

uint32_t wk_perf_details_of(uint64_t sample_type)
{
	uint32_t has = 0;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (sample_type & kinds[i].sampled)
			has |= kinds[i].detail;
	return has;
}

size_t wk_perf_read_branches(struct wk_perf *perf, const struct wk_perf_fields *fields)
{
	struct wk_bytes entries = fields->branches;
	size_t count = wk_bytes_left(&entries) / 24;

	WK_RESERVE(perf->branches, perf->branch_cap, count + 1);
	for (size_t i = 0; i < count; i++) {
		struct wk_event_branch *branch = &perf->branches[i];

		branch->from = wk_u64(&entries);
		branch->to = wk_u64(&entries);
		branch->flags = wk_u64(&entries);
		if (entries.big_endian)
			branch->flags = wk_perf_mirrored(branch->flags);
	}
	return count;
}

/* The user's registers, which a kernel thread does not have. */
static const struct wk_event_registers *read_registers(struct wk_perf *perf,
						       const struct wk_perf_attr *attr,
						       const struct wk_perf_fields *fields)
{
	struct wk_event_registers *out = &perf->user_registers;
	struct wk_bytes values = fields->registers;

	if (fields->register_set == 0)
		return NULL;
	out->abi = fields->register_set;
	out->sampled = attr->user_registers;
	for (unsigned i = 0; i < 64; i++)
		if (out->sampled >> i & 1)
			out->value[i] = wk_u64(&values);
	return values.bad ? NULL : out;
}

/* The fields after the user's stack, in their order. */
static void read_rest(const struct wk_perf_attr *attr, struct wk_bytes rest,
		      struct wk_event_details *out)
{
	uint64_t type = attr->sample_type;

	if (type & WK_PERF_SAMPLE_WEIGHT)
		out->weight = wk_u64(&rest);
	if (type & WK_PERF_SAMPLE_WEIGHT_PARTS)
		out->weight = (uint32_t)wk_u64(&rest);
	if (type & WK_PERF_SAMPLE_DATA_SRC)
		out->data_source = wk_u64(&rest);
	if (type & WK_PERF_SAMPLE_TRANSACTION)
		out->transaction = wk_u64(&rest);
	if (type & WK_PERF_SAMPLE_REGS_INTR && wk_u64(&rest) != 0)
		wk_bytes_skip(&rest, 8 * (uint64_t)__builtin_popcountll(attr->interrupt_registers));
	if (type & WK_PERF_SAMPLE_PHYS_ADDR)
		out->physical_address = wk_u64(&rest);
	if (type & WK_PERF_SAMPLE_CGROUP)
		out->cgroup = wk_u64(&rest);
	if (type & WK_PERF_SAMPLE_DATA_PAGE)
		out->data_page_bytes = wk_u64(&rest);
	if (type & WK_PERF_SAMPLE_CODE_PAGE)
		out->code_page_bytes = wk_u64(&rest);
}

struct wk_trace_formats *wk_perf_trace_formats(struct wk_perf *perf)
{
	if (!perf->tried_trace_formats && wk_bytes_left(&perf->tracing_data)) {
		perf->trace_formats = wk_trace_formats_new(perf->tracing_data, NULL);
		perf->tried_trace_formats = true;
		if (!perf->trace_formats)
			wk_perf_odd(perf, WK_PERF_ODD_FEATURE, perf->tracing_data.at);
	}
	return perf->trace_formats;
}

static void print_trace(struct wk_perf *perf, const struct wk_perf_attr *attr, struct wk_bytes raw,
			struct wk_event_details *out)
{
	struct wk_trace_formats *formats = wk_perf_trace_formats(perf);
	const struct wk_trace_format *format =
		formats ? wk_trace_formats_find(formats, (uint32_t)attr->config) : NULL;

	if (!format)
		return;
	wk_buf_reset(&perf->trace_text);
	wk_trace_formats_print(formats, raw, &perf->trace_text);
	out->trace = wk_buf_str(&perf->trace_text);
	out->trace_raw = wk_str_of((const char *)raw.at, wk_bytes_left(&raw));
	out->trace_formats = formats;
}

const struct wk_event_details *wk_perf_details(struct wk_perf *perf,
					       const struct wk_perf_attr *attr,
					       const struct wk_perf_fields *fields)
{
	struct wk_event_details *details = &perf->details;

	*details = (struct wk_event_details){ .data_address = fields->data_address };
	read_rest(attr, fields->rest, details);
	if (attr->sample_type & WK_PERF_SAMPLE_REGS_USER)
		details->user_registers = read_registers(perf, attr, fields);
	if (attr->sample_type & WK_PERF_SAMPLE_BRANCH_STACK) {
		details->branch_count = wk_perf_read_branches(perf, fields);
		details->branches = perf->branches;
	}
	if (attr->type == WK_PERF_TYPE_TRACEPOINT && wk_bytes_left(&fields->raw))
		print_trace(perf, attr, fields->raw, details);
	return details;
}
