#include "formats/perf/internal.h"

#include <inttypes.h>

/* Records that no view uses, as text for examining a recording event by event. */

#define SWITCH_OUT       0x2000u
#define SWITCH_PREEMPTED 0x4000u
#define MOST_NAMESPACES  32

#define COUNT_OF(table) (sizeof(table) / sizeof((table)[0]))

static const char *const namespaces[] = { "net", "uts", "ipc", "pid", "user", "mnt", "cgroup" };

static const char *switch_words(uint32_t misc)
{
	if (!(misc & SWITCH_OUT))
		return "in";
	return misc & SWITCH_PREEMPTED ? "out, preempted" : "out";
}

static void add_switch(const struct wk_perf_record *record, struct wk_bytes *body,
		       struct wk_buf *text)
{
	wk_buf_add_text(text, switch_words(record->misc));
	if (record->type == WK_PERF_SWITCH_CPU_WIDE) {
		uint32_t pid = wk_u32(body), tid = wk_u32(body);

		wk_buf_add_fmt(text, "; %s %" PRIu32 "/%" PRIu32,
			       record->misc & SWITCH_OUT ? "next" : "previous", pid, tid);
	}
}

/* A namespace is identified by its device and inode. */
static void add_namespaces(struct wk_bytes *body, struct wk_event *event, struct wk_buf *text)
{
	uint64_t count;

	event->pid = wk_u32(body);
	event->tid = wk_u32(body);
	count = wk_u64(body);
	for (uint64_t i = 0; i < count && i < MOST_NAMESPACES && !body->bad; i++) {
		uint64_t device = wk_u64(body), inode = wk_u64(body);

		if (i < COUNT_OF(namespaces))
			wk_buf_add_fmt(text, "%s%s", i ? " " : "", namespaces[i]);
		else
			wk_buf_add_fmt(text, " %" PRIu64, i);
		wk_buf_add_fmt(text, "=0x%" PRIx64 ":0x%" PRIx64, device, inode);
	}
}

static void add_cgroup(struct wk_bytes *body, struct wk_buf *text)
{
	uint64_t id = wk_u64(body);
	struct wk_str path = wk_bytes_text(body);

	wk_buf_add_fmt(text, "%" PRIu64 " %.*s", id, WK_STR_ARG(path));
}

static void add_program(struct wk_bytes *body, struct wk_buf *text)
{
	static const char *const changes[] = { "unknown", "load", "unload" };
	uint16_t change = wk_u16(body);
	uint32_t id;
	struct wk_bytes tag;

	wk_u16(body);
	id = wk_u32(body);
	tag = wk_bytes_slice(body, 8);
	wk_buf_add_fmt(text, "%s, id %" PRIu32 ", tag ", changes[change < 3 ? change : 0], id);
	while (wk_bytes_left(&tag))
		wk_buf_add_fmt(text, "%02x", wk_u8(&tag));
}

static void add_bytes(struct wk_bytes bytes, struct wk_buf *text)
{
	while (wk_bytes_left(&bytes))
		wk_buf_add_fmt(text, "%02x", wk_u8(&bytes));
}

/* The kernel changed its own code. */
static void add_text_poke(struct wk_bytes *body, struct wk_buf *text)
{
	uint64_t address = wk_u64(body);
	uint16_t old_bytes = wk_u16(body), new_bytes = wk_u16(body);

	wk_buf_add_fmt(text, "0x%" PRIx64 ": ", address);
	add_bytes(wk_bytes_slice(body, old_bytes), text);
	wk_buf_add_text(text, " to ");
	add_bytes(wk_bytes_slice(body, new_bytes), text);
}

static void add_symbol(struct wk_bytes *body, struct wk_event *event, struct wk_buf *text)
{
	uint64_t start = wk_u64(body);
	uint32_t size_bytes = wk_u32(body);

	event->pid = WK_KERNEL_PID;
	event->tid = 0;
	wk_u32(body); /* its origin and flags */
	wk_buf_add_fmt(text, "0x%" PRIx64 " 0x%" PRIx32 " ", start, size_bytes);
	wk_buf_add_str(text, wk_bytes_text(body));
}

static void add_numbers(struct wk_bytes *body, size_t count, struct wk_buf *text)
{
	for (size_t i = 0; i < count; i++)
		wk_buf_add_fmt(text, "%s0x%" PRIx64, i ? " " : "", wk_u64(body));
}

/* Writes the contents of the record and returns its name; NULL if it is unknown. */
static const char *describe(const struct wk_perf_record *record, struct wk_bytes *body,
			    struct wk_event *event, struct wk_buf *text)
{
	switch (record->type) {
	case WK_PERF_SWITCH:
	case WK_PERF_SWITCH_CPU_WIDE:
		add_switch(record, body, text);
		return "switch";
	case WK_PERF_NAMESPACES:
		add_namespaces(body, event, text);
		return "namespaces";
	case WK_PERF_CGROUP:
		add_cgroup(body, text);
		return "cgroup";
	case WK_PERF_BPF_EVENT:
		add_program(body, text);
		return "bpf program";
	case WK_PERF_TEXT_POKE:
		add_text_poke(body, text);
		return "text poke";
	case WK_PERF_KSYMBOL: /* the others are SYMBOL events */
		add_symbol(body, event, text);
		return "symbol gone";
	case WK_PERF_THROTTLE:
	case WK_PERF_UNTHROTTLE:
		wk_u64(body); /* the time again */
		add_numbers(body, 2, text);
		return record->type == WK_PERF_THROTTLE ? "throttle" : "unthrottle";
	case WK_PERF_AUX:
		add_numbers(body, 3, text);
		return "aux";
	case WK_PERF_ITRACE_START:
		event->pid = wk_u32(body);
		event->tid = wk_u32(body);
		return "trace start";
	case WK_PERF_AUX_OUTPUT_HW_ID:
		add_numbers(body, 1, text);
		return "aux output";
	default:
		return NULL;
	}
}

bool wk_perf_read_other(struct wk_perf *perf, const struct wk_perf_record *record,
			struct wk_bytes *body, struct wk_event *event)
{
	const char *what;

	if (perf->skips_details)
		return false;
	*body = record->body;
	wk_buf_reset(&perf->other_text);
	what = describe(record, body, event, &perf->other_text);
	event->kind = WK_EVENT_OTHER;
	event->other.what = wk_str_c(what);
	event->other.text = wk_buf_str(&perf->other_text);
	return what != NULL;
}
