#include "formats/perf/write_internal.h"

#include "base/num.h"

#define NAME_ALIGN 64 /* perf pads its texts so */

/* Records in a pipe end at 64 KiB; a feature's records leave space for their header. */
#define MOST_PIPE_FEATURE 65000

static void add_text(struct wk_buf *out, struct wk_str text)
{
	size_t padded = (text.len + NAME_ALIGN) / NAME_ALIGN * NAME_ALIGN;

	wk_buf_add_u32(out, (uint32_t)padded);
	wk_buf_add_str(out, text);
	wk_perf_write_zeros(out, padded - text.len);
}

static uint64_t fact_number(const struct wk_perf_data_writer *writer, const char *key)
{
	uint64_t value = 0;

	return wk_num_u64(wk_perf_write_fact(writer, key), &value) ? value : 0;
}

/* The features that are one text, and their facts. */
static const struct {
	unsigned feature;
	const char *key;
} texts[] = {
	{ WK_PERF_FEATURE_HOSTNAME, "host name" }, { WK_PERF_FEATURE_OSRELEASE, "kernel" },
	{ WK_PERF_FEATURE_VERSION, "recorder" },   { WK_PERF_FEATURE_ARCH, "machine" },
	{ WK_PERF_FEATURE_CPUDESC, "cpu" },        { WK_PERF_FEATURE_CPUID, "cpu id" },
};

static bool text_feature(const struct wk_perf_data_writer *writer, unsigned feature,
			 struct wk_buf *out)
{
	struct wk_str value = { "", 0 };

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (texts[i].feature == feature)
			value = wk_perf_write_fact(writer, texts[i].key);
	if (feature == WK_PERF_FEATURE_VERSION && value.len == 0)
		value = wk_str_c("wick " WICK_VERSION);
	if (value.len == 0)
		return false;
	add_text(out, value);
	return true;
}

static bool cpu_count_feature(const struct wk_perf_data_writer *writer, struct wk_buf *out)
{
	uint64_t online = fact_number(writer, "cpus");
	uint64_t configured = fact_number(writer, "cpus configured");

	if (online == 0)
		return false;
	wk_buf_add_u32(out, (uint32_t)(configured ? configured : online));
	wk_buf_add_u32(out, (uint32_t)online);
	return true;
}

static bool memory_feature(const struct wk_perf_data_writer *writer, struct wk_buf *out)
{
	uint64_t memory_bytes = fact_number(writer, "memory");

	if (memory_bytes)
		wk_buf_add_u64(out, memory_bytes / 1024);
	return memory_bytes != 0;
}

static bool command_line_feature(const struct wk_perf_data_writer *writer, struct wk_buf *out)
{
	struct wk_str line = wk_perf_write_fact(writer, "command line");

	if (line.len == 0)
		return false;
	wk_buf_add_u32(out, 1);
	add_text(out, line);
	return true;
}

static bool event_names_feature(const struct wk_perf_data_writer *writer, struct wk_buf *out)
{
	if (writer->source_count == 0)
		return false;
	wk_buf_add_u32(out, (uint32_t)writer->source_count);
	wk_buf_add_u32(out, WK_PERF_WRITE_ATTR_BYTES);
	for (size_t i = 0; i < writer->source_count; i++) {
		wk_perf_write_attr(writer, i, out);
		wk_buf_add_u32(out, 1);
		add_text(out, writer->sources[i].name);
		wk_buf_add_u64(out, WK_PERF_WRITE_ID(i));
	}
	return true;
}

static void add_build_id(const struct wk_perf_write_build_id *row, struct wk_buf *out)
{
	size_t start = wk_perf_write_record_begin(
		out, 0,
		WK_PERF_MISC_BUILD_ID_SIZE |
			(row->is_kernel ? WK_PERF_MISC_KERNEL : WK_PERF_MISC_USER));

	wk_buf_add_u32(out, UINT32_MAX);
	wk_buf_add(out, row->id.bytes, row->id.size);
	wk_perf_write_zeros(out, 20 - (size_t)row->id.size);
	wk_buf_add_char(out, (char)row->id.size);
	wk_perf_write_zeros(out, 3);
	wk_buf_add_str(out, row->path);
	wk_perf_write_zeros(out, 8 - (out->len - start) % 8);
	wk_perf_write_record_end(out, start);
}

static bool build_id_feature(const struct wk_perf_data_writer *writer, struct wk_buf *out)
{
	for (size_t i = 0; i < writer->build_id_count; i++)
		if (writer->build_ids[i].path.len < 32768)
			add_build_id(&writer->build_ids[i], out);
	return writer->build_id_count != 0;
}

static bool sample_time_feature(const struct wk_perf_data_writer *writer, struct wk_buf *out)
{
	if (!writer->has_samples)
		return false;
	wk_buf_add_u64(out, writer->first_sample_ns);
	wk_buf_add_u64(out, writer->last_sample_ns);
	return true;
}

/* "CLOCK WALL": nanoseconds of both at one moment. */
static bool split_pair(struct wk_str pair, uint64_t *clock_ns, uint64_t *wall_ns)
{
	size_t blank = 0;

	while (blank < pair.len && pair.at[blank] != ' ')
		blank++;
	return wk_num_u64(wk_str_of(pair.at, blank), clock_ns) &&
	       wk_num_u64(wk_str_skip(pair, blank + 1), wall_ns);
}

static bool clock_feature(const struct wk_perf_data_writer *writer, unsigned feature,
			  struct wk_buf *out)
{
	int clock = wk_perf_clock_id(wk_perf_write_fact(writer, "clock"));
	uint64_t wall_ns, clock_ns;

	if (clock < 0)
		return false;
	if (feature == WK_PERF_FEATURE_CLOCKID) {
		wk_buf_add_u64(out, 1); /* its resolution in nanoseconds */
		return true;
	}
	if (!split_pair(wk_perf_write_fact(writer, "clock pair"), &clock_ns, &wall_ns))
		return false;
	wk_buf_add_u32(out, 1); /* version */
	wk_buf_add_u32(out, (uint32_t)clock);
	wk_buf_add_u64(out, wall_ns);
	wk_buf_add_u64(out, clock_ns);
	return true;
}

static const struct wk_section *section_of(const struct wk_perf_data_writer *writer,
					   unsigned feature)
{
	return feature >= WK_SECTION_FIRST && feature < WK_SECTION_END
		       ? &writer->sections[feature - WK_SECTION_FIRST]
		       : NULL;
}

bool wk_perf_write_feature(const struct wk_perf_data_writer *writer, unsigned feature,
			   struct wk_buf *out)
{
	const struct wk_section *section = section_of(writer, feature);

	switch (feature) {
	case WK_PERF_FEATURE_TRACING_DATA:
		wk_buf_add_str(out, writer->tracing_data);
		return writer->tracing_data.len != 0;
	case WK_PERF_FEATURE_BUILD_ID:
		return build_id_feature(writer, out);
	case WK_PERF_FEATURE_NRCPUS:
		return cpu_count_feature(writer, out);
	case WK_PERF_FEATURE_TOTAL_MEM:
		return memory_feature(writer, out);
	case WK_PERF_FEATURE_CMDLINE:
		return command_line_feature(writer, out);
	case WK_PERF_FEATURE_EVENT_DESC:
		return event_names_feature(writer, out);
	case WK_PERF_FEATURE_SAMPLE_TIME:
		return sample_time_feature(writer, out);
	case WK_PERF_FEATURE_CLOCKID:
	case WK_PERF_FEATURE_CLOCK_DATA:
		return clock_feature(writer, feature, out);
	default:
		break;
	}
	if (!section)
		return text_feature(writer, feature, out);
	wk_buf_add_str(out, wk_buf_str(&section->done));
	return section->done.len != 0;
}

/* Does a feature of perf's contain the fact unchanged? */
static bool perf_emits(const struct wk_perf_data_writer *writer,
		       const struct wk_perf_write_fact *fact)
{
	uint64_t value, other;

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (wk_str_is(fact->key, texts[i].key))
			return true;
	if (wk_str_is(fact->key, "cpus"))
		return fact_number(writer, "cpus") != 0;
	if (wk_str_is(fact->key, "cpus configured"))
		return fact_number(writer, "cpus") && fact_number(writer, "cpus configured");
	if (wk_str_is(fact->key, "memory"))
		return wk_num_u64(fact->value, &value) && value != 0 && value % 1024 == 0;
	if (wk_str_is(fact->key, "clock") || wk_str_is(fact->key, "clock pair"))
		return wk_perf_clock_id(wk_perf_write_fact(writer, "clock")) >= 0 &&
		       split_pair(wk_perf_write_fact(writer, "clock pair"), &value, &other);
	return wk_str_is(fact->key, "command line");
}

static void add_own_fact(struct wk_perf_data_writer *writer, struct wk_str key, struct wk_str value)
{
	wk_section_add_text(&writer->own_facts, key);
	wk_section_add_text(&writer->own_facts, value);
	wk_section_end_row(&writer->own_facts);
}

void wk_perf_write_own_facts(struct wk_perf_data_writer *writer)
{
	for (size_t i = 0; i < writer->fact_count; i++)
		if (!perf_emits(writer, &writer->facts[i]))
			add_own_fact(writer, writer->facts[i].key, writer->facts[i].value);
	wk_section_close(&writer->own_facts);
}

bool wk_perf_write_leave_names_out(struct wk_perf_data_writer *writer)
{
	struct wk_section *names[] = { &writer->symbols, &writer->calls, &writer->lines,
				       &writer->bounds };
	size_t bytes = 0;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		bytes += names[i]->done.len;
		wk_buf_reset(&names[i]->done);
	}
	if (bytes == 0)
		return false;
	add_own_fact(writer, wk_str_c(WK_SECTION_FACT_INCOMPLETE),
		     wk_str_c("names that only the machine of the recording knows did not fit"));
	wk_section_close(&writer->own_facts);
	return true;
}

static void add_feature_record(struct wk_perf_data_writer *writer, uint32_t type, unsigned feature,
			       struct wk_str content)
{
	struct wk_buf *out = &writer->pending;
	size_t start = wk_perf_write_record_begin(out, type, 0);

	wk_buf_add_u64(out, feature);
	wk_buf_add_str(out, content);
	wk_perf_write_zeros(out, (8 - content.len % 8) % 8);
	wk_perf_write_record_end(out, start);
}

/* A section is written chunk by chunk, because it may exceed a record. In a pipe perf treats an
 * unknown feature as an error, but skips records of an obsolete type. */
void wk_perf_write_section_records(struct wk_perf_data_writer *writer,
				   const struct wk_section *section)
{
	struct wk_bytes left = wk_bytes_of(wk_buf_text(&section->done), section->done.len);

	while (wk_bytes_left(&left))
		add_feature_record(writer, WK_PERF_HEADER_EVENT_TYPE, section->subject,
				   wk_section_next_own(&left));
}

void wk_perf_write_feature_records(struct wk_perf_data_writer *writer, unsigned feature)
{
	const struct wk_section *section = section_of(writer, feature);
	struct wk_buf content = { 0 };

	if (section) {
		wk_perf_write_section_records(writer, section);
		return;
	}
	/* In a pipe, mapping records contain their build ids, and tracepoints are described first.
	 */
	if (wk_perf_write_feature(writer, feature, &content) &&
	    feature != WK_PERF_FEATURE_BUILD_ID && feature != WK_PERF_FEATURE_TRACING_DATA &&
	    content.len <= MOST_PIPE_FEATURE)
		add_feature_record(writer, WK_PERF_HEADER_FEATURE, feature, wk_buf_str(&content));
	wk_buf_fini(&content);
}
