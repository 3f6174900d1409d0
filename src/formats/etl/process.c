/* Process records of a Windows trace: their event, their width, and names that were cut. */
#include "formats/etl/trace.h"

#include "base/mem.h"
#include "formats/etl/config/sid.h"

/* Older kernels store 15 bytes of a name, with or without the terminating zero. */
#define CUT_NAME  14
#define MOST_NAME 260 /* of a file; many records may repeat it */

static struct wk_str copy_sid(struct wk_etl_trace *trace, struct wk_bytes sid)
{
	struct wk_buf text = { 0 };
	struct wk_str copy;

	wk_etl_sid_add(&text, sid);
	copy = wk_arena_copy(&trace->texts, wk_buf_str(&text));
	wk_buf_fini(&text);
	return copy;
}

static uint32_t traits_of(uint32_t flags)
{
	return (flags & WK_ETL_PROCESS_IS_32BIT ? (uint32_t)WK_PROCESS_IS_32BIT : 0) |
	       (flags & WK_ETL_PROCESS_IS_PROTECTED ? (uint32_t)WK_PROCESS_IS_PROTECTED : 0) |
	       (flags & WK_ETL_PROCESS_IS_PACKAGED ? (uint32_t)WK_PROCESS_IS_PACKAGED : 0);
}

struct wk_event_process wk_etl_process_event(struct wk_etl_trace *trace,
					     const struct wk_etl_process *process)
{
	return (struct wk_event_process){
		.parent_pid = process->parent_pid,
		.name = wk_arena_copy(&trace->texts, process->name),
		.command_line = wk_utf16_copy(&trace->texts, process->command_line),
		.user = copy_sid(trace, process->sid),
		.package = wk_utf16_copy(&trace->texts, process->package),
		.has_session = process->session != UINT32_MAX, /* of none */
		.session = process->session,
		.traits = traits_of(process->flags),
		.threads_apart = true,
	};
}

/* ---- width of pointers */

/* Records of a known version have no bytes left. */
bool wk_etl_process_fits(const struct wk_etl_record *record, uint8_t pointer_bytes)
{
	struct wk_etl_form form = { (uint8_t)record->version, pointer_bytes };
	struct wk_etl_process process;

	return wk_etl_read_process(record->payload, form, &process) &&
	       wk_bytes_left(&process.rest) == 0;
}

/* With the wrong width the upper half of the base is read as the size. */
bool wk_etl_image_fits(const struct wk_etl_record *record, uint8_t pointer_bytes)
{
	struct wk_etl_form form = { (uint8_t)record->version, pointer_bytes };
	struct wk_etl_image image;

	return wk_etl_read_image(record->payload, form, &image) && image.size_bytes &&
	       image.size_bytes <= UINT32_MAX;
}

/* ---- names that were cut */

static struct wk_str last_part(struct wk_str path)
{
	for (size_t i = path.len; i-- > 0;)
		if (path.at[i] == '\\' || path.at[i] == '/')
			return wk_str_skip(path, i + 1);
	return path;
}

static struct wk_str first_word(struct wk_str command_line)
{
	struct wk_str word = command_line, rest;
	char end = ' ';

	if (wk_str_starts(word, "\"")) {
		word = wk_str_skip(word, 1);
		end = '"';
	}
	wk_str_split(word, end, &word, &rest);
	return word;
}

static bool continues(struct wk_str whole, struct wk_str cut)
{
	return whole.len > cut.len && whole.len <= MOST_NAME &&
	       wk_str_eq_any_case(wk_str_of(whole.at, cut.len), cut);
}

/* "...\app.exe", in UTF-16. */
static bool is_program(struct wk_bytes path)
{
	static const char suffix[] = { '.', 'e', 'x', 'e' };
	size_t left = wk_bytes_left(&path);

	if (left < 2 * sizeof(suffix))
		return false;
	wk_bytes_skip(&path, left - 2 * sizeof(suffix));
	for (size_t i = 0; i < sizeof(suffix); i++) {
		uint16_t c = wk_u16le(&path);

		if (c > 127 || wk_lower((char)c) != suffix[i])
			return false;
	}
	return true;
}

void wk_etl_add_program(struct wk_etl_trace *trace, uint32_t pid, struct wk_bytes path)
{
	uint32_t *row;

	if (pid == WK_KERNEL_PID || !is_program(path))
		return;
	row = wk_map_at(&trace->program_of, (uint64_t)pid + 1);
	if (*row)
		return;
	*WK_APPEND(trace->programs, trace->program_count, trace->program_cap) =
		last_part(wk_utf16_copy(&trace->texts, path));
	*row = (uint32_t)trace->program_count;
}

struct wk_str wk_etl_whole_name(const struct wk_etl_trace *trace, uint32_t pid, struct wk_str name,
				struct wk_str command_line)
{
	uint32_t row = wk_map_find(&trace->program_of, (uint64_t)pid + 1);
	struct wk_str typed = last_part(first_word(command_line));

	if (name.len < CUT_NAME || name.len > CUT_NAME + 1)
		return name;
	if (row && continues(trace->programs[row - 1], name))
		return trace->programs[row - 1];
	return continues(typed, name) ? typed : name;
}
