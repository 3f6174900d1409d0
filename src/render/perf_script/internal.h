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
	struct wk_str name;
	uint32_t columns; /* enum wk_perf_field */
	bool has_chains;
	bool names_addresses; /* page faults and the like: the address accessed has a name */
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
	uint32_t columns;
	struct wk_str text;
};

struct wk_perf_script {
	struct wk_perf_script_options options;
	struct wk_out *out;

	struct wk_script_source *sources;
	size_t source_count, source_cap;
	struct wk_map source_of; /* number + 1 to index + 1 */
	uint32_t name_width;
	uint32_t sample_number; /* of the next one */
	bool had_samples, had_selected;
	bool lists_fields; /* of tracepoints: libtraceevent is missing */

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
/* " name+0x10 (file)", with these columns; `asks_for_calls`: in a chain with inlined calls. */
void wk_script_add_place(struct wk_perf_script *script, const struct wk_script_place *place,
			 uint32_t columns, bool asks_for_calls, struct wk_buf *out);
/* Whole lines of a call chain: the inlined calls and the frame itself. */
struct wk_str wk_script_frame_lines(struct wk_perf_script *script,
				    const struct wk_script_place *place, uint32_t columns);
/* "(file)" */
void wk_script_add_dso(const struct wk_script_place *place, struct wk_buf *out);
bool wk_script_name_kernel(void *script, uint64_t address, struct wk_str *name, uint64_t *start);

/* Adds a text from the recording; line ends and terminal controls are escaped. */
void wk_script_add_text(struct wk_str text, struct wk_buf *out);

/* line.c */

void wk_script_sample(struct wk_perf_script *script, const struct wk_event *event);
/* comm (of thread `comm_tid`), pid, tid, cpu, time: the start of every line. */
void wk_script_add_head(struct wk_perf_script *script, const struct wk_event *event,
			const struct wk_script_source *source, uint32_t comm_tid,
			struct wk_buf *out);

#endif
