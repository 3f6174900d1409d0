#include "session/unrecorded.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <sys/xattr.h>

#include "base/map.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/strtab.h"
#include "channel/stream.h"
#include "os/os.h"
#include "symbols/object/object.h"

#define MOST_SENTENCES 8

enum obstacle {
	NO_OBSTACLE,
	MORE_RIGHTS,
	OTHER_SIZE, /* of addresses */
	IS_STATIC,
	OTHER_LIBC,
	OWN_ALLOCATOR,
	NOT_LOADED, /* the reason is not known */
};

struct program {
	const char *name; /* its path or, if that is not known, its name */
	enum obstacle obstacle;
	struct wk_str detail;  /* the loader of its C library, or a function of its allocator */
	const char *allocator; /* that has this function; NULL: it has no name */
	bool is_elsewhere;     /* that is a library */
	bool is_reported;
};

/* The program that a process runs. */
struct process {
	uint64_t exec_ns;    /* 0: not known */
	uint64_t library_ns; /* when the library was last loaded into a program of this number */
	uint32_t program;    /* 0: it has mapped nothing yet */
	uint32_t name;
};

struct wk_unrecorded {
	struct wk_sink next;
	enum wk_unrecorded_of of;
	const struct wk_heap_symbols *symbols;
	struct wk_strtab *text;
	struct program *programs; /* row 0 is none */
	size_t program_count, program_cap;
	struct wk_map program_of;  /* text */
	struct process *processes; /* row 0 is none */
	size_t process_count, process_cap;
	struct wk_map process_of; /* pid + 1 */
	uint32_t *reported;       /* programs, in order */
	size_t reported_count, reported_cap;
};

struct wk_unrecorded *wk_unrecorded_new(struct wk_sink next, enum wk_unrecorded_of of,
					const struct wk_heap_symbols *symbols)
{
	struct wk_unrecorded *unrecorded = wk_alloc_zeroed(1, sizeof(*unrecorded));

	unrecorded->next = next;
	unrecorded->of = of;
	unrecorded->symbols = symbols;
	unrecorded->text = wk_strtab_new();
	*WK_APPEND(unrecorded->programs, unrecorded->program_count, unrecorded->program_cap) =
		(struct program){ 0 };
	*WK_APPEND(unrecorded->processes, unrecorded->process_count, unrecorded->process_cap) =
		(struct process){ 0 };
	return unrecorded;
}

void wk_unrecorded_free(struct wk_unrecorded *unrecorded)
{
	if (!unrecorded)
		return;
	wk_strtab_free(unrecorded->text);
	wk_map_fini(&unrecorded->program_of);
	wk_map_fini(&unrecorded->process_of);
	WK_FREE_ALL(unrecorded->programs, unrecorded->processes, unrecorded->reported);
	wk_free(unrecorded);
}

/* ---- files */

static bool has_more_rights(const char *path)
{
	struct stat info;

	return stat(path, &info) == 0 && ((info.st_mode & (S_ISUID | S_ISGID)) ||
					  getxattr(path, "security.capability", NULL, 0) > 0);
}

/* The path of its loader; empty: it is linked statically. */
static struct wk_str loader_of(const struct wk_obj *obj)
{
	for (uint32_t i = 0; i < obj->segment_count; i++) {
		struct wk_bytes bytes;

		if (obj->segments[i].type != WK_PT_INTERP)
			continue;
		bytes = wk_obj_segment_bytes(obj, &obj->segments[i]);
		return wk_bytes_text(&bytes);
	}
	return (struct wk_str){ 0 };
}

static struct wk_str file_name(struct wk_str path)
{
	for (size_t i = path.len; i-- > 0;)
		if (path.at[i] == '/')
			return wk_str_skip(path, i + 1);
	return path;
}

/* Allocators that programs contain, or call instead of malloc. */
static bool take_symbol(void *context, const struct wk_obj_symbol *symbol)
{
	static const struct {
		const char *function, *allocator;
	} known[] = {
		{ "mi_malloc", "mimalloc" }, { "_rjem_malloc", "jemalloc" },
		{ "je_malloc", "jemalloc" }, { "tc_malloc", "tcmalloc" },
		{ "rpmalloc", "rpmalloc" },  { "malloc", NULL },
	};
	struct program *program = context;

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (!wk_str_is(symbol->name, known[i].function) ||
		    (!known[i].allocator && symbol->is_plt))
			continue;
		program->obstacle = OWN_ALLOCATOR;
		program->detail = wk_str_c(known[i].function);
		program->allocator = known[i].allocator;
		program->is_elsewhere = symbol->is_plt;
		return !known[i].allocator; /* a name may follow */
	}
	return true;
}

static void judge(struct wk_unrecorded *unrecorded, struct program *program,
		  const struct wk_obj *obj)
{
	struct wk_str loader = loader_of(obj), name = file_name(loader);

	if (obj->is_64 != (sizeof(void *) == 8)) {
		program->obstacle = OTHER_SIZE;
	} else if (!loader.len) {
		program->obstacle = IS_STATIC;
	} else if (!wk_str_starts(name, "ld-linux")) {
		program->obstacle = OTHER_LIBC;
		program->detail = wk_strtab_str(unrecorded->text,
						wk_strtab_add_str(unrecorded->text, name));
	} else {
		wk_obj_each_symbol(obj, take_symbol, program);
	}
}

static void look_at(struct wk_unrecorded *unrecorded, struct program *program)
{
	struct wk_os_file file;
	struct wk_obj *obj;

	if (wk_heap_symbols_has_file(unrecorded->symbols, program->name))
		return;
	if (has_more_rights(program->name)) {
		program->obstacle = MORE_RIGHTS;
		return;
	}
	if (!wk_os_open_named(program->name, &file, NULL, NULL))
		return;
	obj = wk_obj_parse(file.at, file.size_bytes, NULL);
	if (obj)
		judge(unrecorded, program, obj);
	if (program->obstacle == OWN_ALLOCATOR &&
	    wk_heap_symbols_patch(unrecorded->symbols,
				  program->is_elsewhere ? NULL : program->name))
		program->obstacle = NO_OBSTACLE;
	wk_obj_free(obj);
	wk_os_close(&file);
}

static uint32_t program_of(struct wk_unrecorded *unrecorded, struct wk_str name, bool is_path)
{
	uint32_t text = wk_strtab_add_str(unrecorded->text, name);
	uint32_t *known = wk_map_at(&unrecorded->program_of, text);
	struct program program = { .name = wk_strtab_get(unrecorded->text, text) };

	if (*known)
		return *known;
	*known = (uint32_t)unrecorded->program_count;
	if (is_path)
		look_at(unrecorded, &program);
	else
		program.obstacle = MORE_RIGHTS;
	*WK_APPEND(unrecorded->programs, unrecorded->program_count, unrecorded->program_cap) =
		program;
	return (uint32_t)unrecorded->program_count - 1;
}

/* ---- processes */

static struct process *process_of(struct wk_unrecorded *unrecorded, uint32_t pid)
{
	uint32_t *known = wk_map_at(&unrecorded->process_of, (uint64_t)pid + 1);

	if (!*known) {
		*WK_APPEND(unrecorded->processes, unrecorded->process_count,
			   unrecorded->process_cap) = (struct process){ 0 };
		*known = (uint32_t)unrecorded->process_count - 1;
	}
	return &unrecorded->processes[*known];
}

static void report(struct wk_unrecorded *unrecorded, uint32_t id)
{
	struct program *program = &unrecorded->programs[id];

	if (program->is_reported)
		return;
	program->is_reported = true;
	*WK_APPEND(unrecorded->reported, unrecorded->reported_count, unrecorded->reported_cap) = id;
}

static bool is_obstacle(const struct wk_unrecorded *unrecorded, enum obstacle obstacle,
			bool is_loaded)
{
	if (unrecorded->of == WK_UNRECORDED_32_BITS)
		return obstacle == OTHER_SIZE;
	if (is_loaded)
		return unrecorded->of == WK_UNRECORDED_HEAP && obstacle == OWN_ALLOCATOR;
	return obstacle != NO_OBSTACLE &&
	       (unrecorded->of == WK_UNRECORDED_HEAP || obstacle != OWN_ALLOCATOR);
}

/* A program that was not seen to map anything runs with rights that hide it from the recorder. The
 * library may still be loaded into one that has not ended. */
static void settle(struct wk_unrecorded *unrecorded, struct process *process, bool has_ended)
{
	bool is_loaded = process->library_ns >= process->exec_ns;
	struct program *program;

	if (!process->exec_ns)
		return;
	if (!process->program && has_ended && !is_loaded)
		process->program = program_of(
			unrecorded, wk_strtab_str(unrecorded->text, process->name), false);
	program = &unrecorded->programs[process->program];
	process->exec_ns = 0;
	if (!process->program)
		return;
	if (!is_loaded && has_ended &&
	    !wk_heap_symbols_has_file(unrecorded->symbols, program->name) &&
	    (program->obstacle == NO_OBSTACLE || program->obstacle == OWN_ALLOCATOR))
		program->obstacle = NOT_LOADED;
	if (is_obstacle(unrecorded, program->obstacle, is_loaded))
		report(unrecorded, process->program);
}

static void add_library(struct wk_unrecorded *unrecorded, struct wk_bytes row)
{
	uint8_t kind = wk_u8(&row);
	uint32_t pid;

	wk_u32le(&row); /* its number */
	pid = wk_u32le(&row);
	if (kind == WK_HEAP_ROW_PROCESS && !row.bad)
		process_of(unrecorded, pid)->library_ns = wk_u64le(&row);
}

static void add_rows(struct wk_unrecorded *unrecorded, struct wk_str rows)
{
	struct wk_bytes left = wk_bytes_of(rows.at, rows.len);

	while (wk_bytes_left(&left))
		add_library(unrecorded, wk_bytes_slice(&left, wk_u32le(&left)));
}

static void add_process(struct wk_unrecorded *unrecorded, const struct wk_event *event)
{
	const struct wk_event_process *change = &event->process;
	struct process *process;

	if (change->change != WK_PROCESS_EXEC && change->change != WK_PROCESS_EXIT)
		return;
	process = process_of(unrecorded, event->pid);
	settle(unrecorded, process, true);
	process = process_of(unrecorded, event->pid);
	process->program = 0;
	if (change->change == WK_PROCESS_EXIT)
		return;
	process->exec_ns = event->time_ns;
	process->name = wk_strtab_add_str(unrecorded->text, change->name);
}

static void add_image(struct wk_unrecorded *unrecorded, const struct wk_event *event)
{
	uint32_t known = wk_map_find(&unrecorded->process_of, (uint64_t)event->pid + 1), program;

	if (!known || unrecorded->processes[known].program ||
	    !unrecorded->processes[known].exec_ns || !wk_str_starts(event->image.path, "/"))
		return;
	program = program_of(unrecorded, event->image.path, true);
	unrecorded->processes[known].program = program;
}

static bool take(void *context, const struct wk_event *event, struct wk_err *err)
{
	struct wk_unrecorded *unrecorded = context;

	if (event->kind == WK_EVENT_HEAP_STREAM)
		add_rows(unrecorded, event->heap_stream.rows);
	else if (event->kind == WK_EVENT_PROCESS)
		add_process(unrecorded, event);
	else if (event->kind == WK_EVENT_IMAGE)
		add_image(unrecorded, event);
	return wk_sink_emit(&unrecorded->next, event, err);
}

struct wk_sink wk_unrecorded_sink(struct wk_unrecorded *unrecorded)
{
	return (struct wk_sink){ .take = take, .context = unrecorded,
				 .stacks = unrecorded->next.stacks };
}

/* ---- sentences */

/* Static programs by uprobes, which are root's. */
static void add_symbols_advice(const struct program *program, struct wk_buf *line)
{
	bool needs_root = program->obstacle == IS_STATIC && geteuid() != 0;

	wk_buf_add_text(line, needs_root ? "record it as root" : "record it");
	wk_buf_add_text(line, ", if it is not stripped, with --heap-symbols=");
	if (!strchr(program->name, '/'))
		wk_buf_add_text(line, "./");
	wk_buf_add_shell(line, wk_str_c(program->name));
}

static void add_reason(const struct wk_unrecorded *unrecorded, const struct program *program,
		       struct wk_buf *line)
{
	switch (program->obstacle) {
	case MORE_RIGHTS: /* the kernel does not let it be sampled either */
		wk_buf_add_text(line, "it runs with more rights than its user (setuid, setgid or "
				      "capabilities); record a copy without them");
		return;
	case OTHER_SIZE:
		wk_buf_add_text(line, sizeof(void *) == 8
					      ? "it is a 32-bit program; build it for 64 bits"
					      : "it is a 64-bit program; build it for 32 bits");
		/* The kernel's tracepoints leave their calls out. */
		if (unrecorded->of == WK_UNRECORDED_HEAP)
			wk_buf_add_text(line, ", or use -F 997 without --heap");
		else
			wk_buf_add_text(line, ", or use --by page-faults");
		return;
	case IS_STATIC:
		wk_buf_add_text(line, "it is linked statically; link it dynamically");
		if (unrecorded->of != WK_UNRECORDED_HEAP)
			break;
		wk_buf_add_text(line, ", ");
		add_symbols_advice(program, line);
		break;
	case OTHER_LIBC:
		wk_buf_add_text(line, "its C library is not glibc (");
		wk_buf_add_str(line, program->detail);
		wk_buf_add_text(line, "); link it with glibc");
		break;
	default:
		wk_buf_add_text(line, "it was started without LD_PRELOAD (as by `env -i`) or in "
				      "another network namespace; start it without that");
	}
	wk_buf_add_text(line, unrecorded->of == WK_UNRECORDED_HEAP
				      ? ", or use --memory as root, which records what it maps"
				      : ", or record as root, by tracepoints");
}

static void add_sentence(const struct wk_unrecorded *unrecorded, const struct program *program,
			 struct wk_buf *line)
{
	if (program->obstacle != OWN_ALLOCATOR) {
		wk_buf_add_fmt(line,
			       unrecorded->of == WK_UNRECORDED_HEAP
				       ? "the heap of %s was not recorded: "
				       : "memory calls of %s were not recorded: ",
			       program->name);
		add_reason(unrecorded, program, line);
		wk_buf_add_char(line, '\n');
		return;
	}
	wk_buf_add_fmt(line, "%s allocates with %s", program->name,
		       program->allocator ? program->allocator : "a malloc of its own");
	if (program->allocator)
		wk_buf_add_fmt(line, " (%.*s)", WK_STR_ARG(program->detail));
	wk_buf_add_text(line, ", which is not recorded; ");
	add_symbols_advice(program, line);
	wk_buf_add_text(line, ", build it with the malloc of the C library, or use --memory, which "
			      "records what it maps\n");
}

void wk_unrecorded_add(struct wk_unrecorded *unrecorded, struct wk_buf *lines)
{
	size_t count;

	for (size_t i = 1; i < unrecorded->process_count; i++)
		settle(unrecorded, &unrecorded->processes[i], false);
	count = unrecorded->reported_count;
	for (size_t i = 0; i < count && i < MOST_SENTENCES; i++)
		add_sentence(unrecorded, &unrecorded->programs[unrecorded->reported[i]], lines);
	if (count <= MOST_SENTENCES)
		return;
	wk_num_add_counted(lines, count - MOST_SENTENCES, " more program was not recorded",
			   " more programs were not recorded");
	wk_buf_add_char(lines, '\n');
}
