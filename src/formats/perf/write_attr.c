#include "formats/perf/write_internal.h"

#include "base/num.h"

/* Removes ":u", ":k" and the like from the name; the colon of tracepoints is another one. */
static struct wk_str split_modifiers(struct wk_str name, struct wk_str *modifiers)
{
	size_t colon = name.len;

	*modifiers = wk_str_of("", 0);
	while (colon > 0 && name.at[colon - 1] != ':') {
		if (!strchr("ukhGHpPSDWIeb", name.at[colon - 1]))
			return name;
		colon--;
	}
	if (colon == 0)
		return name;
	*modifiers = wk_str_skip(name, colon);
	return wk_str_of(name.at, colon - 1);
}

static uint64_t modifier_flags(struct wk_str modifiers)
{
	bool user = memchr(modifiers.at, 'u', modifiers.len) != NULL;
	bool kernel = memchr(modifiers.at, 'k', modifiers.len) != NULL;

	if (user == kernel)
		return 0;
	return WK_PERF_FLAG_EXCLUDE_HV |
	       (user ? WK_PERF_FLAG_EXCLUDE_KERNEL : WK_PERF_FLAG_EXCLUDE_USER);
}

void wk_perf_write_describe(struct wk_perf_write_source *source)
{
	struct wk_str modifiers;
	struct wk_str name = split_modifiers(source->name, &modifiers);

	source->flags = modifier_flags(modifiers);
	if (source->has_fields)
		return;
	for (size_t i = 0; wk_perf_known_events[i].name; i++)
		if (wk_str_is(name, wk_perf_known_events[i].name)) {
			source->type = wk_perf_known_events[i].type;
			source->config = wk_perf_known_events[i].config;
			return;
		}
	/* A tracepoint's own type would make perf ask for its description, which is not there. */
	source->type = WK_PERF_TYPE_RAW;
	if (!wk_str_starts(name, "r") || !wk_num_hex(wk_str_skip(name, 1), &source->config))
		source->config = 0;
}

/* perf refuses files whose tracepoints are not described, and recordings that are not finished have
 * no section yet. */
static uint32_t type_now(const struct wk_perf_data_writer *writer,
			 const struct wk_perf_write_source *source)
{
	bool waits = source->has_fields && !writer->describes_tracepoints;

	return waits ? WK_PERF_TYPE_RAW : source->type;
}

void wk_perf_write_attr(const struct wk_perf_data_writer *writer, size_t index, struct wk_buf *out)
{
	const struct wk_perf_write_source *source = &writer->sources[index];
	int clock = wk_perf_clock_id(wk_perf_write_fact(writer, "clock"));
	uint64_t flags = source->flags | WK_PERF_FLAG_SAMPLE_ID_ALL | WK_PERF_FLAG_INHERIT |
			 WK_PERF_FLAG_EXCLUDE_CALLCHAIN_USER;
	size_t start = out->len;
	uint64_t sampled = WK_PERF_SAMPLE_IDENTIFIER | WK_PERF_SAMPLE_IP | WK_PERF_SAMPLE_TID |
			   WK_PERF_SAMPLE_TIME | WK_PERF_SAMPLE_CPU | WK_PERF_SAMPLE_PERIOD |
			   WK_PERF_SAMPLE_CALLCHAIN;

	if (source->user_registers)
		sampled |= WK_PERF_SAMPLE_REGS_USER | WK_PERF_SAMPLE_STACK_USER;
	if (source->has_address)
		sampled |= WK_PERF_SAMPLE_ADDR;
	if (source->has_fields)
		sampled |= WK_PERF_SAMPLE_RAW;
	if (index == 0)
		flags |= WK_PERF_FLAG_MMAP | WK_PERF_FLAG_COMM | WK_PERF_FLAG_TASK |
			 WK_PERF_FLAG_MMAP2 | WK_PERF_FLAG_COMM_EXEC | WK_PERF_FLAG_BUILD_ID;
	if (clock >= 0)
		flags |= WK_PERF_FLAG_USE_CLOCKID;
	wk_buf_add_u32(out, type_now(writer, source));
	wk_buf_add_u32(out, WK_PERF_WRITE_ATTR_BYTES);
	wk_buf_add_u64(out, source->config);
	wk_buf_add_u64(out, 1); /* the period, but each sample has its own */
	wk_buf_add_u64(out, sampled);
	wk_buf_add_u64(out, WK_PERF_READ_ID);
	wk_buf_add_u64(out, flags);
	wk_perf_write_zeros(out, 32); /* wakeup_events up to branch_sample_type */
	wk_buf_add_u64(out, source->user_registers);
	wk_buf_add_u32(out, source->user_stack_bytes);
	wk_buf_add_u32(out, clock >= 0 ? (uint32_t)clock : 0);
	wk_perf_write_zeros(out, WK_PERF_WRITE_ATTR_BYTES - (out->len - start));
}
