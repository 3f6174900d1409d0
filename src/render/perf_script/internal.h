/* Shared by the files of render/perf_script: perf_script.c tracks threads and mappings, place.c
 * makes the text of an address, line.c that of a sample. */
#ifndef WK_RENDER_PERF_SCRIPT_INTERNAL_H
#define WK_RENDER_PERF_SCRIPT_INTERNAL_H

#include "base/arena.h"
#include "base/map.h"
#include "base/strtab.h"
#include "model/jit_code.h"
#include "model/model.h"
#include "model/resolver.h"
#include "render/perf_script/perf_script.h"
#include "stages/space.h"

struct wk_script_source {
	struct wk_event_source source; /* its name is copied */
	enum wk_perf_event_type type;
};

struct wk_script_image {
	struct wk_str name; /* perf's name of the dso */
	bool is_kernel, is_anonymous;
	uint64_t first_start;
};

/* The text of a place. */
struct wk_script_text {
	uint64_t address; /* as printed */
	uint32_t image, code;
	uint8_t parts; /* which columns, see place.c */
	struct wk_str text;
};

struct wk_perf_script {
	struct wk_perf_script_options options;
	struct wk_out *out;

	struct wk_script_source *sources;
	size_t source_count, source_cap;
	struct wk_map source_of; /* number + 1 to index + 1 */
	bool is_checked[WK_PERF_EVENTS];
	uint32_t name_width;
	size_t data_source_width;
	bool has_clock; /* one moment by the recording's clock and by the wall clock */
	uint64_t clock_ns, wall_ns;
	uint32_t sample_number;               /* of the next one */
	uint64_t wanted_count, refused_count; /* samples */
	bool lists_fields;                    /* of tracepoints: libtraceevent is missing */
	uint64_t printed_ns; /* what the time of the next line is relative to; 0: no line yet */

	struct wk_strtab *comms;
	struct wk_map comm_of; /* tid to text id */

	struct wk_model *images; /* only images and recorded names are used */
	struct wk_resolver *names;
	struct wk_script_image *rows; /* of the images */
	size_t row_count, row_cap;
	struct wk_spaces *spaces;
	uint32_t kernel; /* its image, or 0 */
	struct wk_jit_code_map *code;

	struct wk_arena arena;
	struct wk_script_text *texts;
	size_t text_count, text_cap;
	struct wk_index text_of;
	struct wk_buf scratch, name;
};

/* An address as perf sees it. */
struct wk_script_place {
	uint64_t ip;
	uint64_t address;                    /* as its symbols count, or ip itself */
	const struct wk_script_image *image; /* NULL: nothing is mapped there */
	uint32_t image_number;
	uint32_t code; /* JIT code: its number, or 0 */
	struct wk_symbol code_symbol;
};

/* place.c */

struct wk_script_place wk_script_place_at(struct wk_perf_script *script, uint32_t pid, uint64_t ip,
					  bool in_kernel);
bool wk_script_find_symbol(struct wk_perf_script *script, const struct wk_script_place *place,
			   struct wk_symbol *symbol);
/* " name+0x10 (file)", with the columns of `fields`. */
void wk_script_add_place(struct wk_perf_script *script, const struct wk_script_place *place,
			 uint32_t fields, struct wk_buf *out);
/* Whole lines of a call chain: the inlined calls and the frame itself. */
struct wk_str wk_script_frame_lines(struct wk_perf_script *script,
				    const struct wk_script_place *place, uint32_t fields);
/* Only the name, as for branches; "[unknown]" if there is none. */
void wk_script_add_symbol(struct wk_perf_script *script, const struct wk_script_place *place,
			  bool with_offset, struct wk_buf *out);
void wk_script_add_dso(const struct wk_script_place *place, struct wk_buf *out);
bool wk_script_name_kernel(void *script, uint64_t address, struct wk_str *name, uint64_t *start);

/* Adds a text from the recording; line ends and terminal controls are escaped. */
void wk_script_add_text(struct wk_str text, struct wk_buf *out);

/* line.c */

bool wk_script_sample(struct wk_perf_script *script, const struct wk_event *event,
		      struct wk_err *err);
/* comm (of thread `comm_tid`), pid, tid, cpu, time: the start of every line. `kind` is
 * s for a sample, c for a name, f for a fork or an end, m for a mapping, o for others. */
void wk_script_add_head(struct wk_perf_script *script, const struct wk_event *event,
			const struct wk_script_source *source, char kind, uint32_t comm_tid,
			struct wk_buf *out);

/* filter.c */

/* Whether the filter of the views has the next sample; call once for each. */
bool wk_script_is_in_view(struct wk_perf_script *script);
bool wk_script_wants(struct wk_perf_script *script, const struct wk_script_source *source,
		     const struct wk_event *event);
/* Whether lines of that CPU are printed, samples and others. */
bool wk_script_wants_cpu(const struct wk_perf_script *script, uint32_t cpu);

/* memory.c */
void wk_script_add_data_source(struct wk_perf_script *script, uint64_t source, struct wk_buf *out);

/* registers.c */
void wk_script_add_registers(const struct wk_event_registers *registers, struct wk_buf *out);

/* perf_script.c */
struct wk_str wk_script_comm(const struct wk_perf_script *script, uint32_t tid,
			     struct wk_buf *made);

#endif
