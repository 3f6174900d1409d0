/* Code that was made at run time, by the names that its process wrote down (stages/jit/jit_stage.h)
 * or that came with the recording: a later piece takes the place of what it overlaps. */
#include "base/mem.h"
#include "render/perf_script/internal.h"

void wk_script_add_jit(struct wk_perf_script *script, const struct wk_event *event)
{
	struct wk_event place = {
		.kind = WK_EVENT_IMAGE,
		.pid = event->pid,
		.image = { .start = event->symbol.start,
			   .size_bytes = event->symbol.size_bytes },
	};

	if (event->symbol.size_bytes == 0 || event->symbol.name.len == 0 ||
	    script->code_count >= UINT32_MAX - 1)
		return;
	script->code_names = wk_grow(script->code_names, &script->code_cap, script->code_count + 1,
				     sizeof(*script->code_names));
	script->code_names[script->code_count++] =
		wk_strtab_add_str(script->comms, event->symbol.name);
	wk_spaces_update(script->code, &place, (uint32_t)script->code_count);
}

void wk_script_find_runtime(struct wk_perf_script *script, uint32_t pid,
			    struct wk_script_place *place)
{
	const struct wk_mapping *piece;

	if (script->code_count == 0 || (place->image && !place->image->is_anonymous))
		return;
	piece = wk_spaces_find(script->code, pid, place->ip);
	if (!piece)
		return;
	place->code = piece->image;
	place->code_start = piece->start - piece->file_offset;
}

struct wk_symbol wk_script_runtime_symbol(const struct wk_perf_script *script,
					  const struct wk_script_place *place)
{
	uint32_t name = script->code_names[place->code - 1];

	return (struct wk_symbol){ .name = wk_strtab_str(script->comms, name),
				   .start = place->code_start };
}
