#include "render/perf_script/perf_fields.h"

#include "base/str.h"

#define HEAD                                                                                       \
	(WK_COLUMN_COMM | WK_COLUMN_TID | WK_COLUMN_CPU | WK_COLUMN_TIME | WK_COLUMN_EVENT)
#define PLACE (WK_COLUMN_IP | WK_COLUMN_SYM | WK_COLUMN_SYMOFF | WK_COLUMN_DSO)

#define COUNT_OF(table) (sizeof(table) / sizeof((table)[0]))

/* Column 1 << i is in row i. */
static const struct {
	const char *name;
	uint32_t detail; /* what samples must have */
} names[] = {
	{ "comm", 0 },
	{ "tid", WK_DETAIL_THREAD },
	{ "pid", WK_DETAIL_THREAD },
	{ "time", WK_DETAIL_TIME },
	{ "cpu", WK_DETAIL_CPU },
	{ "event", 0 },
	{ "trace", 0 },
	{ "ip", 0 },
	{ "sym", 0 },
	{ "dso", 0 },
	{ "addr", WK_DETAIL_ADDRESS },
	{ "symoff", 0 },
	{ "srcline", 0 },
	{ "period", 0 }, /* or the requested period */
	{ "brstack", 0 },
};

static const struct {
	uint32_t column, needed; /* one of these */
	const char *sentence;
} needs[] = {
	{ WK_COLUMN_SYM, WK_COLUMN_IP | WK_COLUMN_ADDR,
	  "field sym needs ip or addr: there is no address to name" },
	{ WK_COLUMN_SYMOFF, WK_COLUMN_SYM, "field symoff needs sym" },
	{ WK_COLUMN_DSO, WK_COLUMN_IP | WK_COLUMN_ADDR | WK_COLUMN_BRSTACK,
	  "field dso needs ip, addr or brstack" },
	{ WK_COLUMN_SRCLINE, WK_COLUMN_IP, "field srcline needs ip" },
};

void wk_perf_fields_names(struct wk_buf *out)
{
	for (size_t i = 0; i < COUNT_OF(names); i++)
		wk_buf_add_fmt(out, "%s%s", i ? " " : "", names[i].name);
}

static uint32_t column_named(struct wk_str name)
{
	for (size_t i = 0; i < COUNT_OF(names); i++)
		if (wk_str_is(name, names[i].name))
			return 1u << i;
	return 0;
}

static bool fail_name(struct wk_str name, struct wk_err *err)
{
	struct wk_buf known = { 0 };

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

bool wk_perf_fields_add(struct wk_perf_fields *fields, const char *text, struct wk_err *err)
{
	struct wk_str rest = wk_str_c(text), name;
	bool is_list = !sign_of(rest);

	if (is_list)
		*fields = (struct wk_perf_fields){ 0 };
	do {
		uint32_t column;
		char sign;

		wk_str_split(rest, ',', &name, &rest);
		sign = sign_of(name);
		name = wk_str_skip(name, sign != '\0');
		column = column_named(name);
		if (!column)
			return fail_name(name, err);
		if (is_list != !sign)
			return wk_fail(err, WK_EUSAGE, WK_NOWHERE,
				       "\"%s\" mixes a list of fields with changes (+ and -)",
				       text);
		if (is_list)
			fields->list |= column;
		fields->added = sign == '+' ? fields->added | column : fields->added & ~column;
		fields->removed =
			sign == '-' ? fields->removed | column : fields->removed & ~column;
	} while (rest.len > 0);
	return true;
}

/* Tracepoints print their place only if they have a call chain. */
static uint32_t default_columns(const struct wk_event_source *source, bool is_tracepoint)
{
	if (!is_tracepoint)
		return HEAD | PLACE | WK_COLUMN_PERIOD;
	return HEAD | WK_COLUMN_TRACE | (source->details & WK_DETAIL_CHAIN ? PLACE : 0);
}

bool wk_perf_fields_of(const struct wk_perf_fields *fields, const struct wk_event_source *source,
		       uint32_t *columns, struct wk_err *err)
{
	bool is_tracepoint = source->is_perf && source->perf_type == 2;
	uint32_t shown = fields->list ? fields->list : default_columns(source, is_tracepoint);

	shown = (shown | fields->added) & ~fields->removed;
	if (!is_tracepoint)
		shown &= ~(uint32_t)WK_COLUMN_TRACE;
	for (size_t i = 0; i < COUNT_OF(names); i++) {
		if (!(shown >> i & 1) || !names[i].detail || source->details & names[i].detail)
			continue;
		if ((fields->list | fields->added) >> i & 1)
			return wk_fail(err, WK_EUSAGE, WK_NOWHERE,
				       "field %s: samples of %.*s do not have it", names[i].name,
				       WK_STR_ARG(source->name));
		shown &= ~(1u << i);
	}
	for (size_t i = 0; i < COUNT_OF(needs); i++)
		if (shown & needs[i].column && !(shown & needs[i].needed))
			return wk_fail(err, WK_EUSAGE, WK_NOWHERE, "%s", needs[i].sentence);
	*columns = shown;
	return true;
}
