/* What the parts of `perf script`'s text share: perf_script.c follows who runs and what is mapped,
 * perf_script_place.c makes the text of an address, perf_script_line.c that of a sample. */
#ifndef WK_RENDER_PERF_SCRIPT_INTERNAL_H
#define WK_RENDER_PERF_SCRIPT_INTERNAL_H

#include "base/arena.h"
#include "base/map.h"
#include "base/strtab.h"
#include "model/model.h"
#include "render/perf_script/perf_script.h"
#include "stages/space.h"

struct wk_script_source {
	struct wk_event_source source; /* its name is copied */
	enum wk_perf_event_type type;
};

struct wk_script_image {
	struct wk_str name;               /* as perf calls its dso */
	struct wk_image_symbols *symbols; /* NULL where nothing may be asked */
	bool is_open, is_kernel, is_anonymous;
	struct wk_image_key key; /* its texts are copied */
	uint64_t first_start, first_size_bytes;
};

/* Text of a place, made once. */
struct wk_script_text {
	uint64_t address; /* as printed */
	uint32_t image, code;
	uint8_t parts; /* which columns, see perf_script_place.c */
	struct wk_str text;
};

/* A name that came with the recording: of an image by its path, or (path 0) of the kernel. */
struct wk_script_embedded {
	uint32_t path; /* in `comms` */
	uint64_t start, size_bytes;
	struct wk_str name;
	struct wk_build_id build_id;
};

struct wk_perf_script {
	struct wk_symbols *symbols;
	struct wk_perf_script_options options;
	struct wk_out *out;

	struct wk_script_source *sources;
	size_t source_count, source_cap;
	struct wk_map source_of; /* number + 1 to index + 1 */
	bool is_checked[WK_PERF_EVENTS];
	uint32_t name_width;
	size_t data_source_width;
	bool has_clock; /* one moment by the recording's clock and by the wall's */
	uint64_t clock_ns, wall_ns;
	uint64_t wanted_count, refused_count; /* samples */
	bool lists_fields;                    /* of tracepoints: libtraceevent is missing */
	uint64_t printed_ns; /* what the next line's time counts from; 0: nothing yet */

	struct wk_strtab *comms; /* and paths of carried names */
	struct wk_map comm_of;   /* tid to text id */

	struct wk_model *images; /* only its image table is used */
	struct wk_script_image *rows;
	size_t row_count, row_cap;
	struct wk_spaces *spaces;
	bool kernel_is_ours;         /* its build id says so */
	uint32_t kernel;             /* its image, 0 if none came */
	struct wk_str host, release; /* of the recording, as told */

	struct wk_script_embedded *embedded; /* by path and start, once sorted */
	size_t embedded_count, embedded_cap;
	bool is_embedded_sorted;

	struct wk_spaces *code; /* made at run time: mappings count `code_names` from 1 */
	uint32_t *code_names;   /* in `comms` */
	size_t code_count, code_cap;

	struct wk_arena arena;
	struct wk_script_text *texts;
	size_t text_count, text_cap;
	struct wk_index text_of;
	struct wk_buf scratch, name;
	struct wk_place places[WK_MOST_PLACES];
};

/* An address as perf sees it. */
struct wk_script_place {
	uint64_t ip;
	uint64_t address;                    /* in the form of its symbols, or ip itself */
	const struct wk_script_image *image; /* NULL: nothing is mapped there */
	uint32_t image_number;
	uint32_t code; /* the piece of code made at run time, or 0 */
	uint64_t code_start;
};

/* perf_script_place.c */

struct wk_script_place wk_script_place_at(struct wk_perf_script *script, uint32_t pid, uint64_t ip,
					  bool in_kernel);
bool wk_script_find_symbol(struct wk_perf_script *script, const struct wk_script_place *place,
			   struct wk_symbol *symbol);
/* " name+0x10 (file)" and its like, with the columns of `fields`. */
void wk_script_add_place(struct wk_perf_script *script, const struct wk_script_place *place,
			 uint32_t fields, struct wk_buf *out);
/* Whole lines of a call chain: the inlined calls and the frame itself. */
struct wk_str wk_script_frame_lines(struct wk_perf_script *script,
				    const struct wk_script_place *place, uint32_t fields);
/* Only the name, as branches show it; "[unknown]" where there is none. */
void wk_script_add_symbol(struct wk_perf_script *script, const struct wk_script_place *place,
			  bool with_offset, struct wk_buf *out);
void wk_script_add_dso(const struct wk_script_place *place, struct wk_buf *out);
bool wk_script_name_kernel(void *script, uint64_t address, struct wk_str *name, uint64_t *start);

/* Adds a text of the recording's: what would end the line or rule a terminal is escaped. */
void wk_script_add_text(struct wk_str text, struct wk_buf *out);
/* perf_script_embedded.c */

void wk_script_add_embedded(struct wk_perf_script *script, const struct wk_event_symbol *symbol);
bool wk_script_find_embedded(struct wk_perf_script *script, const struct wk_script_place *place,
			     struct wk_symbol *symbol);

/* perf_script_runtime.c */

/* A SYMBOL event of a process' own code. */
void wk_script_add_jit(struct wk_perf_script *script, const struct wk_event *event);
/* Fills `code` of a place that no file holds, where a piece covers it. */
void wk_script_find_runtime(struct wk_perf_script *script, uint32_t pid,
			    struct wk_script_place *place);
struct wk_symbol wk_script_runtime_symbol(const struct wk_perf_script *script,
					  const struct wk_script_place *place);

/* perf_script_line.c */

bool wk_script_sample(struct wk_perf_script *script, const struct wk_event *event,
		      struct wk_err *err);
/* comm (of thread `comm_tid`), pid, tid, cpu, time: what lines of all kinds begin with. `kind` is
 * s for a sample, c for a name, f for a fork or an end, m for a mapping, o for others. */
void wk_script_add_head(struct wk_perf_script *script, const struct wk_event *event,
			const struct wk_script_source *source, char kind, uint32_t comm_tid,
			struct wk_buf *out);
/* perf_script_filter.c */
bool wk_script_wants(struct wk_perf_script *script, const struct wk_script_source *source,
		     const struct wk_event *event);
/* Whether lines of that CPU are printed, of samples and of all else. */
bool wk_script_wants_cpu(const struct wk_perf_script *script, uint32_t cpu);

/* perf_script_memory.c */
void wk_script_add_data_source(struct wk_perf_script *script, uint64_t source, struct wk_buf *out);

/* perf_script_registers.c */
void wk_script_add_registers(const struct wk_event_registers *registers, struct wk_buf *out);

/* perf_script.c */
struct wk_str wk_script_comm(const struct wk_perf_script *script, uint32_t tid,
			     struct wk_buf *made);

#endif
