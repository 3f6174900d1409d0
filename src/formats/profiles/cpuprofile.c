#include <inttypes.h>

#include "formats/lines.h"
#include "formats/profiles/v8_profile.h"
#include "formats/reader.h"

/* V8's profiles: .cpuprofile of Node, Deno and Chrome, in the current form and the nested one from
 * before 2017, and .heapprofile. docs/formats/cpuprofile.md describes what is read. */

static const char expected[] = "a V8 profile: nodes with call frames, and samples";

static int probe(struct wk_bytes first)
{
	if (!wk_json_looks_like(first) || wk_json_has_key(first, "ph") ||
	    wk_json_has_key(first, "traceEvents"))
		return 0;
	if (wk_json_has_key(first, "callFrame") || wk_json_has_key(first, "callUID"))
		return 90;
	if (wk_json_has_key(first, "timeDeltas") ||
	    (wk_json_has_key(first, "startTime") && wk_json_has_key(first, "endTime")))
		return 50;
	return 0;
}

struct reading {
	struct wk_v8_profile profile;
	bool has_samples;    /* the list, empty or not */
	bool has_timestamps; /* the old form, whose other times are in seconds */
};

static void read_key(struct reading *reading, struct wk_str key, struct wk_json *json)
{
	struct wk_v8_profile *profile = &reading->profile;

	reading->has_samples |= wk_str_is(key, "samples");
	if (wk_str_is(key, "startTime") && reading->has_timestamps)
		return;
	if (wk_str_is(key, "head")) {
		wk_v8_node(profile, json);
	} else if (wk_str_is(key, "timestamps")) {
		reading->has_timestamps = true;
		wk_v8_timestamps(profile, json);
	} else if (wk_str_is(key, "endTime")) {
		profile->end_ns = wk_v8_time(json);
	} else {
		wk_v8_member(profile, key, json);
	}
}

static void emit(struct reading *reading)
{
	struct wk_v8_profile *profile = &reading->profile;

	if (reading->has_timestamps)
		profile->end_ns = 0;
	if (profile->has_bytes) {
		wk_stack_writer_source(profile->writer, 0, "allocated", "bytes", false);
		wk_v8_emit_hits(profile);
	} else if (profile->sample_count && profile->delta_count) {
		wk_v8_emit_source(profile->writer, 0);
		wk_v8_emit(profile);
	} else {
		wk_stack_writer_source(profile->writer, 0, "hits", "samples", false);
		wk_v8_emit_hits(profile);
	}
	if (profile->lost_samples)
		wk_note(profile->writer,
			"%" PRIu64 " of %zu samples refer to a missing node and were skipped",
			profile->lost_samples, profile->sample_count);
}

static bool read_file(const struct wk_input *input, const struct wk_sink *sink, struct wk_err *err)
{
	struct wk_stack_writer *writer = wk_stack_writer_new(sink);
	struct wk_json json = wk_json_of(input->bytes);
	struct reading reading = { .profile.writer = writer };
	struct wk_str key;
	bool is_cut;

	wk_json_enter_object(&json);
	while (wk_json_next_key(&json, &key) && !wk_stack_writer_is_done(writer))
		read_key(&reading, key, &json);
	emit(&reading);
	is_cut = json.is_cut;
	if (wk_json_end(&json, err))
		wk_check_samples_of_cut(writer, is_cut,
					reading.profile.node_count > 0 || reading.has_samples,
					input->bytes, expected, err);
	wk_v8_fini(&reading.profile);
	return wk_stack_writer_end(writer, err);
}

const struct wk_reader wk_reader_cpuprofile = {
	.name = "cpuprofile",
	.summary = "V8 CPU and heap profiles (Node, Deno, Chrome)",
	.suffixes = (const char *const[]){ ".cpuprofile", ".heapprofile", NULL },
	.probe = probe,
	.read = read_file,
};
