#include "render/perf_script/perf_script.h"

#include <inttypes.h>

#include "base/mem.h"
#include "event/image_kind.h"
#include "render/perf_script/internal.h"

struct wk_perf_script *wk_perf_script_new(struct wk_symbols *symbols,
					  const struct wk_perf_script_options *options,
					  struct wk_out *out)
{
	struct wk_perf_script *script = wk_alloc_zeroed(1, sizeof(*script));

	script->options = *options;
	script->out = out;
	script->comms = wk_strtab_new();
	script->images = wk_model_new();
	script->spaces = wk_spaces_new();
	script->code = wk_jit_code_new(script->images);
	script->names = wk_resolver_new(script->images, symbols);
	return script;
}

void wk_perf_script_free(struct wk_perf_script *script)
{
	if (!script)
		return;
	WK_FREE_ALL(script->sources, script->rows, script->texts);
	wk_map_fini(&script->source_of);
	wk_map_fini(&script->comm_of);
	wk_index_fini(&script->text_of);
	wk_strtab_free(script->comms);
	wk_spaces_free(script->spaces);
	wk_jit_code_free(script->code);
	wk_resolver_free(script->names);
	wk_model_free(script->images);
	WK_BUF_FINI_ALL(&script->scratch, &script->name);
	wk_arena_fini(&script->arena);
	wk_free(script);
}

/* --- Sampled events ------------------------------------------------------------------------ */

/* Only page faults and similar events have an address that can have a name. */
static bool names_addresses(const struct wk_event_source *source)
{
	static const char *const names[] = { "page-faults", "faults", "minor-faults",
					     "major-faults" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (wk_str_starts(source->name, names[i]))
			return source->is_perf && source->perf_type == 1; /* software */
	return false;
}

static bool read_source(struct wk_perf_script *script, const struct wk_event_source *source,
			struct wk_err *err)
{
	struct wk_script_source row = {
		.name = wk_arena_copy(&script->arena, source->name),
		.has_chains = source->details & WK_DETAIL_CHAIN && !script->options.hides_chains,
		.names_addresses = names_addresses(source),
	};

	if (!wk_perf_fields_of(&script->options.fields, source, &row.columns, err))
		return false;
	if (source->name.len > script->name_width)
		script->name_width = (uint32_t)source->name.len;
	if (source->name_width > script->name_width)
		script->name_width = source->name_width;
	*WK_APPEND(script->sources, script->source_count, script->source_cap) = row;
	wk_map_set(&script->source_of, (uint64_t)source->source + 1,
		   (uint32_t)script->source_count);
	return true;
}

/* --- Names of threads ---------------------------------------------------------------------- */

static void set_comm(struct wk_perf_script *script, uint32_t tid, struct wk_str name)
{
	if (name.len > 0)
		wk_map_set(&script->comm_of, tid, wk_strtab_add_str(script->comms, name));
}

static void inherit_comm(struct wk_perf_script *script, uint32_t tid, uint32_t parent_tid)
{
	uint32_t id = wk_map_find(&script->comm_of, parent_tid);

	if (id)
		wk_map_set(&script->comm_of, tid, id);
}

static void read_process(struct wk_perf_script *script, const struct wk_event *event)
{
	if (event->process.change == WK_PROCESS_FORK)
		inherit_comm(script, event->tid, event->process.parent_pid);
	set_comm(script, event->tid, event->process.name);
}

static void read_thread(struct wk_perf_script *script, const struct wk_event *event)
{
	if (event->thread.change == WK_THREAD_START)
		inherit_comm(script, event->tid,
			     event->thread.parent_tid ? event->thread.parent_tid : event->pid);
	set_comm(script, event->tid, event->thread.name);
}

/* --- Mappings ------------------------------------------------------------------------------ */

/* A module's file has the name that the kernel gives the module, "[ath9k_hw]"; perf does so unless
 * it has the file's build id. */
static struct wk_str module_name(struct wk_perf_script *script, struct wk_str path)
{
	struct wk_str name = wk_str_basename(path);
	const char *dot = name.len ? memchr(name.at, '.', name.len) : NULL;

	if (!dot || !wk_str_starts(wk_str_of(dot, (size_t)(name.at + name.len - dot)), ".ko"))
		return path;
	wk_buf_reset(&script->scratch);
	wk_buf_add_char(&script->scratch, '[');
	for (const char *at = name.at; at < dot; at++)
		wk_buf_add_char(&script->scratch, *at == '-' ? '_' : *at);
	wk_buf_add_char(&script->scratch, ']');
	return wk_buf_str(&script->scratch);
}

/* Executable memory without a file gets the name of a perf map, which may describe it. */
static struct wk_str dso_name(struct wk_perf_script *script, const struct wk_event *event,
			      bool is_anonymous)
{
	struct wk_str path = event->image.path;
	/* Old kernels record only executable mappings, without their protection. */
	bool can_run = event->image.protection & 4 ||
		       (event->image.protection == 0 && !event->image.is_data);

	if (event->image.is_kernel && event->image.build_id.size == 0)
		path = module_name(script, path);
	/* For perf a memfd is a file. */
	if (is_anonymous && can_run && !wk_str_is(path, "[vdso]") &&
	    !wk_str_starts(path, "/memfd:")) {
		wk_buf_reset(&script->scratch);
		wk_buf_add_fmt(&script->scratch, "/tmp/perf-%d.map", (int)event->pid);
		path = wk_buf_str(&script->scratch);
	}
	return wk_arena_copy(&script->arena, path);
}

static void add_row(struct wk_perf_script *script, const struct wk_event *event, uint32_t id,
		    enum wk_image_kind kind)
{
	const struct wk_event_image *image = &event->image;
	struct wk_script_image *row;

	WK_RESERVE(script->rows, script->row_cap, (size_t)id + 1);
	while (script->row_count <= id)
		script->rows[script->row_count++] = (struct wk_script_image){ 0 };
	row = &script->rows[id];
	row->is_anonymous = kind == WK_IMAGE_ANONYMOUS;
	row->is_kernel = kind == WK_IMAGE_KERNEL;
	row->name = dso_name(script, event, row->is_anonymous);
	row->first_start = image->start;
}

static void read_image(struct wk_perf_script *script, const struct wk_event *event)
{
	enum wk_image_kind kind = wk_image_kind_of(&event->image);
	struct wk_event_image named = event->image;
	uint32_t id;

	if (kind == WK_IMAGE_ANONYMOUS)
		named.path = dso_name(script, event, true); /* one image per process */
	id = wk_model_add_image(script->images, kind, &named, event->pid, event->time_ns);
	if (id >= script->row_count || script->rows[id].name.at == NULL)
		add_row(script, event, id, kind);
	if (kind == WK_IMAGE_KERNEL && !script->kernel &&
	    wk_str_starts(event->image.path, "[kernel"))
		script->kernel = id;
	wk_spaces_update(script->spaces, event, id);
}

/* --- Lines that are not samples ------------------------------------------------------------ */

/* Records that describe what ran before have no thread; a fork has the parent's. */
static void begin_line(struct wk_perf_script *script, const struct wk_event *event, uint32_t pid,
		       uint32_t tid, struct wk_buf *line)
{
	struct wk_event made = *event;
	bool has_thread = event->time_ns != 0;

	made.pid = has_thread ? pid : 0;
	made.tid = has_thread ? tid : 0;
	if (script->source_count > 0)
		wk_script_add_head(script, &made, &script->sources[0],
				   event->tid == UINT32_MAX ? 0 : event->tid, line);
}

static void end_line(struct wk_perf_script *script, struct wk_buf *line)
{
	wk_buf_add_char(line, '\n');
	wk_out_str(script->out, wk_buf_str(line));
	wk_buf_fini(line);
}

static void show_comm(struct wk_perf_script *script, const struct wk_event *event, bool is_exec,
		      struct wk_str name)
{
	struct wk_buf line = { 0 };

	begin_line(script, event, event->pid, event->tid, &line);
	wk_buf_add_fmt(&line, "PERF_RECORD_COMM%s: ", is_exec ? " exec" : "");
	wk_script_add_text(name, &line);
	wk_buf_add_fmt(&line, ":%d/%d", (int)event->pid, (int)event->tid);
	end_line(script, &line);
}

static void show_fork(struct wk_perf_script *script, const struct wk_event *event, bool is_exit,
		      uint32_t parent_pid, uint32_t parent_tid)
{
	struct wk_buf line = { 0 };

	if (is_exit)
		begin_line(script, event, event->pid, event->tid, &line);
	else
		begin_line(script, event, parent_pid, parent_tid, &line);
	wk_buf_add_fmt(&line, "PERF_RECORD_%s(%d:%d):(%d:%d)", is_exit ? "EXIT" : "FORK",
		       (int)event->pid, (int)event->tid, (int)parent_pid, (int)parent_tid);
	end_line(script, &line);
}

static void show_process(struct wk_perf_script *script, const struct wk_event *event)
{
	const struct wk_event_process *process = &event->process;

	if (process->change == WK_PROCESS_FORK || process->change == WK_PROCESS_EXIT)
		show_fork(script, event, process->change == WK_PROCESS_EXIT, process->parent_pid,
			  process->parent_tid ? process->parent_tid : process->parent_pid);
	else
		show_comm(script, event, process->change == WK_PROCESS_EXEC, process->name);
}

static void show_thread(struct wk_perf_script *script, const struct wk_event *event)
{
	const struct wk_event_thread *thread = &event->thread;

	if (thread->change == WK_THREAD_START)
		show_fork(script, event, false, event->pid, thread->parent_tid);
	else if (thread->change == WK_THREAD_EXIT)
		show_fork(script, event, true, thread->parent_pid, thread->parent_tid);
	else
		show_comm(script, event, false, thread->name);
}

static void add_protection(const struct wk_event_image *image, struct wk_buf *line)
{
	static const char letters[] = "rwx";

	for (unsigned i = 0; i < 3; i++)
		wk_buf_add_char(line, image->protection >> i & 1 ? letters[i] : '-');
	wk_buf_add_char(line, image->flags & 1 ? 's' : 'p');
}

static void show_mapping(struct wk_perf_script *script, const struct wk_event *event)
{
	const struct wk_event_image *image = &event->image;
	bool is_old = image->is_kernel || (!image->protection && !image->flags && !image->inode);
	struct wk_buf line = { 0 };

	begin_line(script, event, event->pid, event->tid, &line);
	wk_buf_add_fmt(&line, "PERF_RECORD_MMAP%s %d/%d: [0x%" PRIx64 "(0x%" PRIx64 ") @ ",
		       is_old ? "" : "2", (int)event->pid, (int)event->tid, image->start,
		       image->size_bytes);
	wk_buf_add_fmt(&line, image->file_offset ? "0x%" PRIx64 : "%" PRIx64, image->file_offset);
	if (is_old) {
		wk_buf_add_fmt(&line, "]: %c ", image->is_data ? 'r' : 'x');
	} else if (image->build_id.size && !image->inode && image->path.at[0] == '/') {
		wk_buf_add_text(&line, " <");
		for (unsigned i = 0; i < image->build_id.size; i++)
			wk_buf_add_fmt(&line, "%02x", image->build_id.bytes[i]);
		wk_buf_add_text(&line, ">]: ");
	} else {
		wk_buf_add_fmt(&line, " %02x:%02x %" PRIu64 " %" PRIu64 "]: ", image->device_major,
			       image->device_minor, image->inode, image->inode_generation);
	}
	if (!is_old) {
		add_protection(image, &line);
		wk_buf_add_char(&line, ' ');
	}
	wk_script_add_text(image->path, &line);
	if (image->is_kernel && wk_str_is(image->path, "[kernel.kallsyms]"))
		wk_buf_add_text(&line, "_text"); /* the symbol that its offset is the address of */
	end_line(script, &line);
}

static void read_symbol(struct wk_perf_script *script, const struct wk_event *event)
{
	if (event->symbol.image_path.len)
		wk_model_add_embedded(script->images, &event->symbol);
	else
		wk_jit_code_add(script->code, event);
}

/* As perf does, a record is applied before its line is printed. */
static bool take(void *context, const struct wk_event *event, struct wk_err *err)
{
	struct wk_perf_script *script = context;

	switch (event->kind) {
	case WK_EVENT_SOURCE:
		return read_source(script, &event->source, err);
	case WK_EVENT_SAMPLE:
		wk_script_sample(script, event);
		return true;
	case WK_EVENT_PROCESS:
		read_process(script, event);
		if (script->options.shows_tasks)
			show_process(script, event);
		break;
	case WK_EVENT_THREAD:
		read_thread(script, event);
		if (script->options.shows_tasks)
			show_thread(script, event);
		break;
	case WK_EVENT_IMAGE:
		read_image(script, event);
		if (script->options.shows_mappings)
			show_mapping(script, event);
		return true;
	case WK_EVENT_SYSTEM:
		wk_model_add_fact(script->images, &event->system);
		return true;
	case WK_EVENT_SYMBOL:
		read_symbol(script, event);
		return true;
	case WK_EVENT_CALLS:
		wk_model_add_embedded_place(script->images, &event->calls);
		return true;
	case WK_EVENT_BOUNDS:
		wk_model_add_embedded_bounds(script->images, &event->bounds);
		return true;
	default:
		return true;
	}
	wk_spaces_update(script->spaces, event, 0);
	wk_jit_code_add(script->code, event);
	return true;
}

bool wk_perf_script_had_none(const struct wk_perf_script *script)
{
	return script->had_samples && !script->had_selected;
}

bool wk_perf_script_lists_fields(const struct wk_perf_script *script)
{
	return script->lists_fields;
}

struct wk_sink wk_perf_script_sink(struct wk_perf_script *script)
{
	return (struct wk_sink){ .take = take, .context = script };
}
