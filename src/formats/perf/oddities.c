#include "formats/perf/internal.h"

#include <inttypes.h>

#include "base/buf.h"
#include "base/num.h"

/* The text for each oddity after its count, singular and plural, and its severity. */
static const struct {
	const char *one, *many;
	enum wk_note_severity severity;
} words[WK_PERF_ODDITIES] = {
	[WK_PERF_ODD_SHORT] = {
		"record is shorter than its fields",
		"records are shorter than their fields",
		WK_NOTE_INCOMPLETE,
	},
	[WK_PERF_ODD_NO_ATTR] = {
		"sample without a description of its layout",
		"samples without a description of their layout",
		WK_NOTE_INCOMPLETE,
	},
	[WK_PERF_ODD_UNKNOWN] = {
		"record of an unknown type was skipped",
		"records of unknown types were skipped",
		WK_NOTE_REMARK,
	},
	[WK_PERF_ODD_AUXTRACE] = {
		"block of a hardware trace (Intel PT, CoreSight ...) was skipped",
		"blocks of a hardware trace (Intel PT, CoreSight ...) were skipped",
		WK_NOTE_REMARK,
	},
	[WK_PERF_ODD_DEFERRED] = {
		"sample lacks its user call chain, which came too late",
		"samples lack their user call chains, which came too late",
		WK_NOTE_REMARK,
	},
	[WK_PERF_ODD_GUEST] = {
		"sample was taken inside a virtual machine or hypervisor and has no names",
		"samples were taken inside a virtual machine or hypervisor and have no names",
		WK_NOTE_REMARK,
	},
	[WK_PERF_ODD_THROTTLED] = {
		"time the kernel paused sampling, since it took too much time",
		"times the kernel paused sampling, since it took too much time",
		WK_NOTE_REMARK,
	},
	[WK_PERF_ODD_BLOCK] = {
		"allocation is missing: posix_memalign stored its address out of the recorder's sight",
		"allocations are missing: posix_memalign stored their addresses out of the recorder's "
		"sight",
		WK_NOTE_REMARK,
	},
	[WK_PERF_ODD_LATE] = {
		"record came later than its round of the file allows",
		"records came later than their round of the file allows",
		WK_NOTE_REMARK,
	},
	[WK_PERF_ODD_TWICE] = {
		"record that perf wrote twice counts once",
		"records that perf wrote twice count once",
		WK_NOTE_REMARK,
	},
	[WK_PERF_ODD_FEATURE] = {
		"feature section is damaged or cut off",
		"feature sections are damaged or cut off",
		WK_NOTE_INCOMPLETE,
	},
	[WK_PERF_ODD_SECTION] = {
		"section of wick's own is damaged and was read in part",
		"sections of wick's own are damaged and were read in part",
		WK_NOTE_INCOMPLETE,
	},
	[WK_PERF_ODD_VERSION] = {
		"chunk of a later version of wick was skipped",
		"chunks of a later version of wick were skipped",
		WK_NOTE_REMARK,
	},
	[WK_PERF_ODD_TEXT] = {
		"piece of text among the records was skipped: output of a command is in the "
		"recording",
		"pieces of text among the records were skipped: output of a command is in the "
		"recording",
		WK_NOTE_FAULT,
	},
	[WK_PERF_ODD_END] = {
		"record at the end is cut off",
		"records at the end are cut off",
		WK_NOTE_INCOMPLETE,
	},
};

void wk_perf_odd(struct wk_perf *perf, enum wk_perf_oddity oddity, const uint8_t *at)
{
	struct wk_perf_odd *odd = &perf->odd[oddity];

	if (odd->count++ == 0)
		odd->offset = at >= perf->input.start && at < perf->input.end
				      ? (uint64_t)(at - perf->input.start)
				      : WK_NOWHERE;
}

static bool emit_note(struct wk_perf *perf, struct wk_event_note note)
{
	struct wk_event event = { .kind = WK_EVENT_NOTE, .time_ns = perf->emitted_ns,
				  .cpu = WK_NO_CPU, .note = note };

	return wk_sink_emit(perf->sink, &event, perf->err);
}

/* A file that was cut says itself how long it was, or nearly. */
static bool emit_unfinished(struct wk_perf *perf)
{
	struct wk_buf text = { 0 };
	bool ok;

	if (perf->whole_bytes) {
		wk_buf_add_text(&text, "the file was cut off: ");
		wk_num_add_bytes(&text, (uint64_t)(perf->input.end - perf->input.start));
		wk_buf_add_text(&text, " are there of more than ");
		wk_num_add_bytes(&text, perf->whole_bytes);
		wk_buf_add_text(&text, "; samples, and the facts and names at its end, are "
				       "missing");
	} else {
		wk_buf_add_text(&text, "the file is incomplete: its recorder was killed or is "
				       "still running; facts and names at its end are missing");
	}
	ok = emit_note(perf, (struct wk_event_note){ .offset = WK_NOWHERE,
						     .text = wk_buf_str(&text),
						     .severity = WK_NOTE_INCOMPLETE });
	wk_buf_fini(&text);
	return ok;
}

/* That a file was cut off has been said: the record that it was cut in adds nothing. */
static enum wk_note_severity severity_of(const struct wk_perf *perf, int oddity)
{
	if (oddity == WK_PERF_ODD_END && perf->whole_bytes)
		return WK_NOTE_REMARK;
	return words[oddity].severity;
}

bool wk_perf_emit_oddities(struct wk_perf *perf)
{
	struct wk_buf text = { 0 };
	bool ok = !perf->is_unfinished || emit_unfinished(perf);

	for (int i = 0; ok && i < WK_PERF_ODDITIES; i++) {
		const struct wk_perf_odd *odd = &perf->odd[i];

		if (odd->count == 0)
			continue;
		wk_buf_reset(&text);
		wk_buf_add_fmt(&text, "%" PRIu64 " %s", odd->count,
			       odd->count == 1 ? words[i].one : words[i].many);
		ok = emit_note(perf, (struct wk_event_note){
					.offset = odd->offset, .text = wk_buf_str(&text),
					.severity = severity_of(perf, i) });
	}
	wk_buf_fini(&text);
	return ok;
}
