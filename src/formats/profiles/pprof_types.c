#include "formats/profiles/pprof_types.h"

struct unit {
	const char *from, *to;
	uint64_t scale;
};

static const struct unit units[] = {
	{ "nanoseconds", "ns", 1 },
	{ "microseconds", "ns", 1000 },
	{ "milliseconds", "ns", 1000000 },
	{ "seconds", "ns", 1000000000 },
};

/* One text of the table may be the name of any number of threads or measures, each of which is
 * emitted. */
struct wk_str wk_pprof_short_name(struct wk_str text)
{
	size_t len = 1024;

	if (text.len <= len)
		return text;
	while (len && ((unsigned char)text.at[len] & 0xc0) == 0x80)
		len--;
	return wk_str_of(text.at, len);
}

uint64_t wk_pprof_emit_source(struct wk_stack_writer *writer, uint32_t number, struct wk_str type,
			      struct wk_str unit)
{
	struct wk_event_source source = { .source = number, .name = wk_pprof_short_name(type),
					  .unit = wk_pprof_short_name(unit),
					  .is_cpu_time = wk_str_is(type, "cpu"),
					  .is_weighed = true };
	uint64_t scale = 1;

	if (wk_str_is(type, "samples") && wk_str_is(unit, "count"))
		source.unit = wk_str_c("samples");
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (!wk_str_is(unit, units[i].from))
			continue;
		source.unit = wk_str_c(units[i].to);
		scale = units[i].scale;
	}
	wk_stack_writer_emit_source(writer, &source);
	return scale;
}
