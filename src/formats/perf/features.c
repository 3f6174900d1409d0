#include "formats/perf/internal.h"

#include <inttypes.h>

#include "base/buf.h"
#include "base/mem.h"
#include "formats/perf/wick_sections.h"

static bool emit_number(struct wk_perf *perf, const char *key, uint64_t value, struct wk_err *err)
{
	struct wk_buf text = { 0 };
	bool ok;

	wk_buf_add_fmt(&text, "%" PRIu64, value);
	ok = wk_perf_emit_fact(perf, key, wk_buf_str(&text), err);
	wk_buf_fini(&text);
	return ok;
}

static enum wk_machine machine_named(struct wk_str name)
{
	if (wk_str_is(name, "x86_64"))
		return WK_MACHINE_X86_64;
	if (wk_str_is(name, "aarch64"))
		return WK_MACHINE_AARCH64;
	if (name.len == 4 && name.at[0] == 'i' && wk_str_ends(name, "86"))
		return WK_MACHINE_X86;
	return wk_str_starts(name, "arm") ? WK_MACHINE_ARM : WK_MACHINE_UNKNOWN;
}

/* The recorder's names of its sources, found by their ids or, without ids, by their order. */
static void read_event_names(struct wk_perf *perf, struct wk_bytes *in)
{
	uint32_t count = wk_u32(in), attr_bytes = wk_u32(in);

	for (uint32_t i = 0; i < count && !in->bad; i++) {
		uint32_t id_count;
		struct wk_str name;

		wk_bytes_skip(in, attr_bytes);
		id_count = wk_u32(in);
		name = wk_perf_feature_text(in);
		if (in->bad)
			return;
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
}

bool wk_perf_add_build_id(struct wk_perf *perf, const struct wk_perf_record *record,
			  struct wk_err *err)
{
	struct wk_perf_build_id_row row = {
		.is_kernel = (record->misc & WK_PERF_MISC_CPUMODE) == WK_PERF_MISC_KERNEL,
		.id.size = 20,
	};
	struct wk_bytes body = record->body;
	const uint8_t *id;
	struct wk_str path;
	uint32_t index;

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
	index = wk_strtab_add_str(perf->paths, path);
	if (index >= perf->build_id_cap) {
		size_t old = perf->build_id_cap;

		WK_RESERVE(perf->build_ids, perf->build_id_cap, (size_t)index + 1);
		memset(perf->build_ids + old, 0, (perf->build_id_cap - old) * sizeof(row));
	}
	if (perf->build_ids[index].id.size == 0)
		perf->build_ids[index] = row;
	return !perf->is_header_only || wk_perf_header_build_id(perf, &row.id, path, err);
}

void wk_perf_apply_build_id(const struct wk_perf *perf, struct wk_event_image *image)
{
	uint32_t index;

	if (image->build_id.size || perf->build_id_cap == 0)
		return;
	index = wk_strtab_find(perf->paths, image->path);
	if (index && index < perf->build_id_cap &&
	    perf->build_ids[index].is_kernel == image->is_kernel)
		image->build_id = perf->build_ids[index].id;
}

static bool read_build_ids(struct wk_perf *perf, struct wk_bytes *in, struct wk_err *err)
{
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
		if (!wk_perf_add_build_id(perf, &record, err))
			return false;
	}
	return true;
}

static bool read_cpu_counts(struct wk_perf *perf, struct wk_bytes *in, struct wk_err *err)
{
	uint32_t configured = wk_u32(in), online = wk_u32(in);

	perf->cpus_configured = configured;
	return in->bad || (emit_number(perf, "cpus configured", configured, err) &&
			   emit_number(perf, "cpus", online, err));
}

static bool read_text_fact(struct wk_perf *perf, struct wk_bytes *in, const char *key,
			   struct wk_err *err)
{
	struct wk_str text = wk_perf_feature_text(in);

	return in->bad || wk_perf_emit_fact(perf, key, text, err);
}

static bool read_feature(struct wk_perf *perf, unsigned feature, struct wk_bytes *in,
			 struct wk_err *err)
{
	switch (feature) {
	case WK_PERF_FEATURE_TRACING_DATA:
		perf->tracing_data = *in;
		return true;
	case WK_PERF_FEATURE_BUILD_ID:
		return read_build_ids(perf, in, err);
	case WK_PERF_FEATURE_HOSTNAME:
		return read_text_fact(perf, in, "host name", err);
	case WK_PERF_FEATURE_OSRELEASE:
		return read_text_fact(perf, in, "kernel", err);
	case WK_PERF_FEATURE_VERSION:
		return read_text_fact(perf, in, "recorder", err);
	case WK_PERF_FEATURE_ARCH: {
		struct wk_bytes again = *in;

		perf->machine = machine_named(wk_perf_feature_text(&again));
		return read_text_fact(perf, in, "machine", err);
	}
	case WK_PERF_FEATURE_NRCPUS:
		return read_cpu_counts(perf, in, err);
	case WK_PERF_FEATURE_CPUDESC:
		return read_text_fact(perf, in, "cpu", err);
	case WK_PERF_FEATURE_CPUID:
		return read_text_fact(perf, in, "cpu id", err);
	case WK_PERF_FEATURE_TOTAL_MEM: {
		uint64_t memory_kb = wk_u64(in);

		return in->bad || memory_kb > UINT64_MAX / 1024 ||
		       emit_number(perf, "memory", memory_kb * 1024, err);
	}
	case WK_PERF_FEATURE_EVENT_DESC:
		read_event_names(perf, in);
		return true;
	default:
		return wk_perf_machine_feature(perf, feature, in, err);
	}
}

bool wk_perf_feature(struct wk_perf *perf, unsigned feature, struct wk_bytes content,
		     struct wk_err *err)
{
	const uint8_t *start = content.at;

	if (perf->is_header_only && !wk_perf_header_feature(perf, feature, content, err))
		return false;
	if (feature >= WK_SECTION_FIRST && feature < WK_SECTION_END)
		return wk_perf_section(perf, feature, content, err);
	content.bad = false;
	if (!read_feature(perf, feature, &content, err))
		return false;
	if (content.bad)
		wk_perf_odd(perf, WK_PERF_ODD_FEATURE, start);
	return true;
}
