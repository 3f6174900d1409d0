#include "formats/pprof_types.h"

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

uint64_t wk_pprof_tell_source(struct wk_stack_writer *writer, uint32_t number, struct wk_str type,
			      struct wk_str unit)
{
	struct wk_event event = { .kind = WK_EVENT_SOURCE, .cpu = WK_NO_CPU };
	uint64_t scale = 1;

	event.source = (struct wk_event_source){ .source = number, .name = type, .unit = unit };
	event.source.is_cpu_time = wk_str_is(type, "cpu");
	event.source.is_weighed = true;
	if (wk_str_is(type, "samples") && wk_str_is(unit, "count"))
		event.source.unit = wk_str_c("samples");
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (!wk_str_is(unit, units[i].from))
			continue;
		event.source.unit = wk_str_c(units[i].to);
		scale = units[i].scale;
	}
	wk_stack_writer_event(writer, &event);
	return scale;
}
