/* Converts pprof's measures to sources, for its binary and its text form. */
#ifndef WK_FORMATS_PROFILES_PPROF_TYPES_H
#define WK_FORMATS_PROFILES_PPROF_TYPES_H

#include "formats/stack_writer.h"

/* Emits the source of a sample type ("cpu", "nanoseconds") under `number`. Returns the factor for
 * its values. */
uint64_t wk_pprof_emit_source(struct wk_stack_writer *writer, uint32_t number, struct wk_str type,
			      struct wk_str unit);

/* Names of threads and measures are cut to this length. */
struct wk_str wk_pprof_short_name(struct wk_str text);

static inline uint64_t wk_pprof_scaled(uint64_t value, uint64_t scale)
{
	return value > UINT64_MAX / scale ? UINT64_MAX : value * scale;
}

#endif
