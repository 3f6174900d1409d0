#include "render/perf_script/perf_fields.h"

#include <string.h>

#include "base/str.h"

#define HEAD  (WK_FIELD_COMM | WK_FIELD_TID | WK_FIELD_CPU | WK_FIELD_TIME | WK_FIELD_EVENT)
#define PLACE (WK_FIELD_IP | WK_FIELD_SYM | WK_FIELD_SYMOFF | WK_FIELD_DSO)

static const struct {
	const char *name;
	uint32_t field;
	uint32_t detail;       /* what samples must have */
	const char *perf_name; /* perf's word for that */
} names[] = {
	{ "comm", WK_FIELD_COMM, 0, NULL },
	{ "tid", WK_FIELD_TID, WK_DETAIL_THREAD, "TID" },
	{ "pid", WK_FIELD_PID, WK_DETAIL_THREAD, "TID" },
	{ "time", WK_FIELD_TIME, WK_DETAIL_TIME, "TIME" },
	{ "cpu", WK_FIELD_CPU, WK_DETAIL_CPU, "CPU" },
	{ "event", WK_FIELD_EVENT, 0, NULL },
	{ "trace", WK_FIELD_TRACE, 0, NULL },
	{ "ip", WK_FIELD_IP, 0, NULL },
	{ "sym", WK_FIELD_SYM, 0, NULL },
	{ "dso", WK_FIELD_DSO, 0, NULL },
	{ "addr", WK_FIELD_ADDR, WK_DETAIL_ADDRESS, "ADDR" },
	{ "symoff", WK_FIELD_SYMOFF, 0, NULL },
	{ "srcline", WK_FIELD_SRCLINE, 0, NULL },
	{ "period", WK_FIELD_PERIOD, 0, NULL }, /* or the requested period */
	{ "brstack", WK_FIELD_BRSTACK, 0, NULL },
	{ "brstacksym", WK_FIELD_BRSTACKSYM, 0, NULL },
	{ "brstackoff", WK_FIELD_BRSTACKOFF, 0, NULL },
	{ "data_src", WK_FIELD_DATA_SRC, WK_DETAIL_DATA_SOURCE, "DATA_SRC" },
	{ "weight", WK_FIELD_WEIGHT, WK_DETAIL_WEIGHT, "WEIGHT" },
	{ "bpf-output", WK_FIELD_BPF_OUTPUT, 0, NULL },
	{ "phys_addr", WK_FIELD_PHYS_ADDR, WK_DETAIL_PHYSICAL, "PHYS_ADDR" },
	{ "misc", WK_FIELD_MISC, 0, NULL },
	{ "flags", WK_FIELD_FLAGS, 0, NULL },
	{ "data_page_size", WK_FIELD_DATA_PAGE_SIZE, WK_DETAIL_DATA_PAGE, "DATA_PAGE_SIZE" },
	{ "code_page_size", WK_FIELD_CODE_PAGE_SIZE, WK_DETAIL_CODE_PAGE, "CODE_PAGE_SIZE" },
	{ "cgroup", WK_FIELD_CGROUP, WK_DETAIL_CGROUP, "CGROUP" },
	{ "iregs", WK_FIELD_IREGS, WK_DETAIL_REGISTERS, "IREGS" },
	{ "uregs", WK_FIELD_UREGS, WK_DETAIL_USER_REGISTERS, "UREGS" },
	{ "ins_lat", WK_FIELD_INS_LAT, WK_DETAIL_LATENCY, "WEIGHT_STRUCT" },
	{ "tod", WK_FIELD_TOD, 0, NULL },
	{ "synth", WK_FIELD_EMPTY, 0, NULL },
	{ "ipc", WK_FIELD_EMPTY, 0, NULL },
	{ "metric", WK_FIELD_EMPTY, 0, NULL },
	{ "callindent", WK_FIELD_EMPTY, 0, NULL },
	{ "machine_pid", WK_FIELD_EMPTY, 0, NULL },
	{ "vcpu", WK_FIELD_EMPTY, 0, NULL },
};

/* perf reads them from the code. */
static const char *const of_code[] = { "insn", "insnlen", "brstackinsn", "brstackinsnlen",
				       "srccode" };

#define NAMES (sizeof(names) / sizeof(names[0]))

static const struct {
	const char *name; /* before the colon; NULL: -F has no name for it */
	uint32_t shown, invalid;
} types[WK_PERF_EVENTS] = {
	[WK_PERF_EVENTS_HARDWARE] = { "hw", HEAD | PLACE | WK_FIELD_PERIOD,
				      WK_FIELD_TRACE | WK_FIELD_BPF_OUTPUT },
	[WK_PERF_EVENTS_SOFTWARE] = { "sw", HEAD | PLACE | WK_FIELD_PERIOD | WK_FIELD_BPF_OUTPUT,
				      WK_FIELD_TRACE },
	[WK_PERF_EVENTS_TRACEPOINT] = { "trace", HEAD | WK_FIELD_TRACE, 0 },
	[WK_PERF_EVENTS_CACHE] = { NULL, HEAD | PLACE | WK_FIELD_PERIOD,
				   WK_FIELD_TRACE | WK_FIELD_BPF_OUTPUT },
	[WK_PERF_EVENTS_RAW] = { "raw",
				 HEAD | PLACE | WK_FIELD_PERIOD | WK_FIELD_ADDR |
					 WK_FIELD_DATA_SRC | WK_FIELD_WEIGHT | WK_FIELD_PHYS_ADDR |
					 WK_FIELD_DATA_PAGE_SIZE | WK_FIELD_CODE_PAGE_SIZE,
				 WK_FIELD_TRACE | WK_FIELD_BPF_OUTPUT },
	[WK_PERF_EVENTS_BREAKPOINT] = { "break", HEAD | PLACE | WK_FIELD_PERIOD,
					WK_FIELD_TRACE | WK_FIELD_BPF_OUTPUT },
	[WK_PERF_EVENTS_OTHER] = { NULL, HEAD | PLACE | WK_FIELD_PERIOD,
				   WK_FIELD_TRACE | WK_FIELD_BPF_OUTPUT },
};

void wk_perf_fields_init(struct wk_perf_fields *fields)
{
	*fields = (struct wk_perf_fields){ 0 };
	for (int i = 0; i < WK_PERF_EVENTS; i++)
		fields->shown[i] = types[i].shown;
}

void wk_perf_fields_names(struct wk_buf *out)
{
	for (size_t i = 0; i < NAMES; i++)
		wk_buf_add_fmt(out, "%s%s", i ? " " : "", names[i].name);
}

static uint32_t field_named(struct wk_str name)
{
	for (size_t i = 0; i < NAMES; i++)
		if (wk_str_is(name, names[i].name))
			return names[i].field;
	return 0;
}

static struct wk_str next_piece(struct wk_str *text, char end)
{
	const char *at = text->len ? memchr(text->at, end, text->len) : NULL;
	struct wk_str piece = { text->at, at ? (size_t)(at - text->at) : text->len };

	*text = wk_str_skip(*text, piece.len + 1);
	return piece;
}

/* The types that a -F is for, as bits; removes "type:" from the text. */
static bool read_type(struct wk_str *text, unsigned *chosen, struct wk_err *err)
{
	struct wk_str rest = *text, name;

	*chosen = (1u << WK_PERF_EVENTS) - 1;
	if (text->len == 0 || !memchr(text->at, ':', text->len))
		return true;
	name = next_piece(&rest, ':');
	*text = rest;
	for (unsigned i = 0; i < WK_PERF_EVENTS; i++)
		if (types[i].name && wk_str_is(name, types[i].name)) {
			*chosen = 1u << i;
			return true;
		}
	return wk_fail(err, WK_EUSAGE, WK_NOWHERE,
		       "unknown type of events \"%.*s\"; the types are hw, sw, trace, raw and "
		       "break",
		       WK_STR_ARG(name));
}

static bool fail_name(struct wk_str name, struct wk_err *err)
{
	struct wk_buf known = { 0 };

	for (size_t i = 0; i < sizeof(of_code) / sizeof(of_code[0]); i++)
		if (wk_str_is(name, of_code[i]))
			return wk_fail(err, WK_EUSAGE, WK_NOWHERE,
				       "field %s needs the bytes or the source of code, which wick "
				       "does not print",
				       of_code[i]);
	wk_perf_fields_names(&known);
	wk_fail(err, WK_EUSAGE, WK_NOWHERE, "unknown field \"%.*s\"; the fields are %s",
		WK_STR_ARG(name), wk_buf_text(&known));
	wk_buf_fini(&known);
	return false;
}

/* '+', '-' or none. */
static char sign_of(struct wk_str name)
{
	return name.len && (name.at[0] == '+' || name.at[0] == '-') ? name.at[0] : '\0';
}

static void change(struct wk_perf_fields *fields, unsigned type, char sign, uint32_t field)
{
	if (sign == '-') {
		fields->shown[type] &= ~field;
		fields->asked[type] &= ~field;
	} else if (!(field & types[type].invalid)) {
		fields->shown[type] |= field;
		fields->asked[type] |= field;
	}
}

bool wk_perf_fields_add(struct wk_perf_fields *fields, const char *text, struct wk_err *err)
{
	struct wk_str rest = wk_str_c(text);
	char first_sign;
	unsigned chosen;

	if (!read_type(&rest, &chosen, err))
		return false;
	first_sign = sign_of(rest);
	for (unsigned i = 0; i < WK_PERF_EVENTS && !first_sign; i++)
		if (chosen >> i & 1) {
			fields->shown[i] = fields->asked[i] = 0;
			fields->is_set[i] = true;
		}
	while (rest.len > 0) {
		struct wk_str name = next_piece(&rest, ',');
		char sign = sign_of(name);
		uint32_t field = field_named(wk_str_skip(name, sign != '\0'));

		if ((sign == '\0') != (first_sign == '\0'))
			return wk_fail(err, WK_EUSAGE, WK_NOWHERE,
				       "\"%s\" mixes a list of fields with changes (+ and -)",
				       text);
		if (!field)
			return fail_name(wk_str_skip(name, sign != '\0'), err);
		for (unsigned i = 0; i < WK_PERF_EVENTS; i++)
			if (chosen >> i & 1)
				change(fields, i, sign, field);
	}
	return true;
}

enum wk_perf_event_type wk_perf_event_type_of(const struct wk_event_source *source)
{
	if (!source->is_perf || source->perf_type >= WK_PERF_EVENTS_OTHER)
		return WK_PERF_EVENTS_OTHER;
	return (enum wk_perf_event_type)source->perf_type;
}

static bool check_details(struct wk_perf_fields *fields, const struct wk_event_source *source,
			  unsigned type, struct wk_err *err)
{
	for (size_t i = 0; i < NAMES; i++) {
		if (!(fields->shown[type] & names[i].field) || names[i].detail == 0 ||
		    source->details & names[i].detail)
			continue;
		if (fields->asked[type] & names[i].field)
			return wk_fail(err, WK_EUSAGE, WK_NOWHERE,
				       "samples of %.*s do not have the %s that field %s prints",
				       WK_STR_ARG(source->name), names[i].perf_name, names[i].name);
		fields->shown[type] &= ~names[i].field;
	}
	return true;
}

bool wk_perf_fields_check(struct wk_perf_fields *fields, const struct wk_event_source *source,
			  struct wk_err *err)
{
	unsigned type = wk_perf_event_type_of(source);
	uint32_t shown, branches = WK_FIELD_BRSTACK | WK_FIELD_BRSTACKSYM | WK_FIELD_BRSTACKOFF;

	/* Tracepoints print their place only if they have a call chain. */
	if (type == WK_PERF_EVENTS_TRACEPOINT && !fields->is_set[type] &&
	    source->details & WK_DETAIL_CHAIN)
		fields->shown[type] |= WK_FIELD_IP | WK_FIELD_SYM | WK_FIELD_SYMOFF | WK_FIELD_DSO;
	if (!check_details(fields, source, type, err))
		return false;
	shown = fields->shown[type];
	if (shown & WK_FIELD_SYM && !(shown & (WK_FIELD_IP | WK_FIELD_ADDR)))
		return wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			       "field sym needs ip or addr: there is no address to name");
	if (shown & WK_FIELD_SYMOFF && !(shown & WK_FIELD_SYM))
		return wk_fail(err, WK_EUSAGE, WK_NOWHERE, "field symoff needs sym");
	if (shown & WK_FIELD_DSO && !(shown & (WK_FIELD_IP | WK_FIELD_ADDR | branches)))
		return wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			       "field dso needs ip, addr or one of the brstack fields");
	if (shown & WK_FIELD_SRCLINE && !(shown & WK_FIELD_IP))
		return wk_fail(err, WK_EUSAGE, WK_NOWHERE, "field srcline needs ip");
	return true;
}
