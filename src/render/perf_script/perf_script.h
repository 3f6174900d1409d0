/* A sink that writes what `perf script` (6.1) prints, sample by sample.
 *
 * The sink before it is a reader or, if stacks were copied, stages/unwind_stage. Recorded names
 * come first, then those of `symbols`, which outlives the sink (model/resolver.h). Text is written
 * to `out` with each sample; only the names of threads, the mappings and the text of each distinct
 * place stay in memory.
 *
 * Order of calls: new, feed its sink, free. docs/formats/perf-script.md lists the differences from
 * perf. */
#ifndef WK_RENDER_PERF_SCRIPT_PERF_SCRIPT_H
#define WK_RENDER_PERF_SCRIPT_PERF_SCRIPT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/out.h"
#include "event/sink.h"
#include "render/perf_script/perf_fields.h"
#include "symbols/image/symbols.h"
#include "views/filter/filter.h"

struct wk_perf_script;

struct wk_perf_script_options {
	struct wk_perf_fields fields;
	bool nanoseconds;
	bool no_inlined, no_demangle;
	bool hides_chains;                /* prints only the place of the sample */
	bool shows_tasks, shows_mappings; /* a line for each COMM, FORK, EXIT; for each MMAP */
	uint64_t most_frames;             /* of the kernel part and of the user part; 0: 127 */
	/* Borrowed; of a model whose rows are the samples in the order in which they come. NULL:
	 * all samples are printed; see wk_perf_script_selects. */
	const struct wk_filter *filter;
	uint32_t filter_count; /* of the model's samples */
};

struct wk_perf_script *wk_perf_script_new(struct wk_symbols *symbols,
					  const struct wk_perf_script_options *options,
					  struct wk_out *out);
void wk_perf_script_free(struct wk_perf_script *script);
struct wk_sink wk_perf_script_sink(struct wk_perf_script *script);
/* If the filter names no source, the samples of all sources that pass are printed. */
bool wk_perf_script_selects(const struct wk_filter *filter, uint32_t sample);
/* There were samples, and none of them was selected. */
bool wk_perf_script_had_none(const struct wk_perf_script *script);
/* Fields of tracepoints were printed as name=value: wick was built without libtraceevent. */
bool wk_perf_script_lists_fields(const struct wk_perf_script *script);

#endif
