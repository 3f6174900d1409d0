#include "stages/jit/jit_stage.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/num.h"
#include "event/image_kind.h"
#include "os/os.h"
#include "stages/jit/lifetimes.h"
#include "stages/jit/unwind.h"
#include "stages/space.h"

#define SLACK_NS UINT64_C(2000000000)

/* The largest number of folders and jitdumps that stay open. */
#define MOST_KEPT 128

/* Ancestors whose code a process may run without an exec of its own. */
#define MOST_ANCESTORS 16

/* Lines of perf maps that stay sorted, in total: 128 MiB. */
#define MOST_MAP_ROWS (UINT64_C(8) << 20)

/* The number of bytes shown of an invalid line. */
#define MOST_SHOWN 100

struct wk_jit_stage {
	uint64_t map_rows_left;
	struct wk_sink next;
	bool is_live;
	unsigned kept;            /* open files of processes */
	struct wk_spaces *spaces; /* numbers of mappings are enum wk_image_kind */
	struct wk_jit_lifetimes lives;
	struct wk_jit_unwind *unwind;
	uint64_t begin_ns; /* the first event with a time */

	/* Facts of the recording itself. */
	bool is_of_here; /* made on this machine */
	struct wk_buf host, clock;
	bool has_pair; /* a moment by its clock and by the wall's */
	uint64_t pair_clock_ns, pair_wall_ns;
};

struct wk_jit_stage *wk_jit_stage_new(struct wk_sink next)
{
	struct wk_jit_stage *stage = wk_alloc_zeroed(1, sizeof(*stage));

	stage->next = next;
	stage->map_rows_left = MOST_MAP_ROWS;
	stage->spaces = wk_spaces_new();
	stage->unwind = wk_jit_unwind_new();
	wk_jit_lifetimes_init(&stage->lives);
	return stage;
}

void wk_jit_stage_free(struct wk_jit_stage *stage)
{
	if (!stage)
		return;
	wk_spaces_free(stage->spaces);
	wk_jit_lifetimes_fini(&stage->lives);
	wk_jit_unwind_free(stage->unwind);
	WK_BUF_FINI_ALL(&stage->host, &stage->clock);
	wk_free(stage);
}

void wk_jit_stage_set_live(struct wk_jit_stage *stage)
{
	stage->is_live = true;
}

/* Emits the text as a note and frees it. */
static bool note(struct wk_jit_stage *stage, struct wk_buf *text, bool is_fault, struct wk_err *err)
{
	bool ok = wk_sink_note(&stage->next, is_fault ? WK_NOTE_FAULT : WK_NOTE_REMARK,
			       wk_buf_str(text), err);

	wk_buf_fini(text);
	return ok;
}

static bool note_refused(struct wk_jit_stage *stage, const char *path, const struct wk_buf *why,
			 struct wk_err *err)
{
	struct wk_buf text = { 0 };

	wk_buf_add_fmt(&text, "names of code made at run time are not taken from %s: ", path);
	wk_buf_add_str(&text, wk_buf_str(why));
	return note(stage, &text, false, err);
}

/* Once a dump: a recorder reads it for each process that came to run its code. */
static bool note_damage(struct wk_jit_stage *stage, struct wk_jit_dump *dump, struct wk_err *err)
{
	const struct wk_jitdump_bad *bad = &dump->names.bad;
	struct wk_buf text = { 0 };

	if (dump->noted_damage || bad->count == 0)
		return true;
	dump->noted_damage = true;
	wk_buf_add_fmt(&text,
		       "%s: %" PRIu64 " %s passed over (the first, of %s, at 0x%" PRIx64
		       "), so names may be missing",
		       dump->path, bad->count,
		       bad->count == 1 ? "damaged record is" : "damaged records are", bad->what,
		       bad->offset);
	return note(stage, &text, true, err);
}

/* Once a map, which was read to its end. */
static bool note_bad_lines(struct wk_jit_stage *stage, struct wk_jit_lifetime *life,
			   const struct wk_perf_map *map, struct wk_err *err)
{
	struct wk_str first = map->first_bad;
	struct wk_buf text = { 0 };

	if (life->noted_bad_lines || map->bad_lines == 0)
		return true;
	life->noted_bad_lines = true;
	if (first.len > MOST_SHOWN)
		first.len = MOST_SHOWN;
	wk_buf_add_fmt(&text,
		       "/tmp/perf-%" PRIu32 ".map: %" PRIu64 " %s cannot be parsed and %s skipped "
		       "(the first: \"%.*s\"), so names may be missing",
		       life->owner.own_pid, map->bad_lines, map->bad_lines == 1 ? "line" : "lines",
		       map->bad_lines == 1 ? "was" : "were", WK_STR_ARG(first));
	return note(stage, &text, true, err);
}

/* --- Whose files they are ------------------------------------------------------------- */

/* By the wall clock; 0 if unknown. Without a clock pair both clocks are assumed to count from boot,
 * as the usual ones do. */
static uint64_t wall_of(const struct wk_jit_stage *stage, uint64_t time_ns)
{
	uint64_t now_ns = wk_os_clock_ns();

	if (stage->has_pair)
		return stage->pair_wall_ns + (time_ns - stage->pair_clock_ns);
	return time_ns > now_ns ? 0 : wk_os_wall_ns() - (now_ns - time_ns);
}

static void ask_living(struct wk_jit_stage *stage, struct wk_jit_lifetime *life)
{
	if (life->has_owner)
		return;
	life->has_owner = true;
	wk_jit_owner_ask(life->pid, stage->kept < MOST_KEPT, &life->owner);
	stage->kept += life->owner.folder_fd >= 0;
	/* A fork or exec that was seen is more exact, and an exec is younger than its process. */
	if (life->born_ns)
		life->owner.begin_ns = wk_os_wall_ns() - (wk_os_clock_ns() - life->born_ns);
}

/* For an older recording: the process may still live, or its number may have been reused. */
static void ask_past(struct wk_jit_stage *stage, struct wk_jit_lifetime *life)
{
	uint64_t begin_ns = wall_of(stage, life->born_ns ? life->born_ns : stage->begin_ns);
	struct wk_jit_owner living;

	if (life->has_owner)
		return;
	life->has_owner = true;
	life->owner = (struct wk_jit_owner){
		.pid = life->pid, .own_pid = life->pid, .folder_fd = -1, .begin_ns = begin_ns };
	if (begin_ns == 0 || !stage->is_of_here)
		return;
	if (!wk_jit_owner_ask(life->pid, stage->kept < MOST_KEPT, &living))
		return;
	if (living.begin_ns > begin_ns + SLACK_NS) {
		life->owner.successor_ns = living.begin_ns;
		wk_os_close_fd(living.folder_fd, living.undo);
		return;
	}
	life->owner = living;
	stage->kept += living.folder_fd >= 0;
	if (life->born_ns)
		life->owner.begin_ns = begin_ns;
}

static void ask_owner(struct wk_jit_stage *stage, struct wk_jit_lifetime *life)
{
	if (stage->is_live)
		ask_living(stage, life);
	else
		ask_past(stage, life);
}

/* Says why no file of this machine can be of the recording; empty if one can. */
static void add_doubt(const struct wk_jit_stage *stage, const struct wk_jit_lifetime *life,
		      struct wk_buf *why)
{
	if (stage->is_live)
		return;
	if (!stage->is_of_here && stage->host.len)
		wk_buf_add_fmt(why, "the recording was made on another machine, %s",
			       wk_buf_text(&stage->host));
	else if (!stage->is_of_here)
		wk_buf_add_text(why, "the recording does not say on which machine it was made");
	else if (life->owner.begin_ns == 0)
		wk_buf_add_text(why, "the recording is older than the machine's last start");
}

/* Reads the perf map if there is a usable one; `is_read` is set then. */
static bool read_map(struct wk_jit_stage *stage, uint32_t life, struct wk_jit_names *names,
		     bool *is_read, struct wk_err *err)
{
	struct wk_jit_lifetime *row = &stage->lives.rows[life];
	struct wk_buf why = { 0 };
	char path[64];
	bool ok = true;

	ask_owner(stage, row);
	*is_read = wk_jit_read_map(&row->owner, names, &why) == WK_JIT_READ;
	if (*is_read)
		add_doubt(stage, row, &why);
	if (why.len) {
		snprintf(path, sizeof(path), "/tmp/perf-%" PRIu32 ".map", row->owner.own_pid);
		ok = note_refused(stage, path, &why, err);
		wk_jit_names_fini(names);
		*is_read = false;
	}
	wk_buf_fini(&why);
	return ok;
}

/* Can the dump's times be converted to those of the recording? Returns the reason if not. */
static void match_clocks(const struct wk_jit_stage *stage, struct wk_jit_dump *dump,
			 struct wk_buf *why)
{
	bool is_monotonic =
		stage->is_live || strcmp(wk_buf_text(&stage->clock), "CLOCK_MONOTONIC") == 0;

	dump->shift_ns = 0;
	if (dump->names.has_own_times)
		wk_buf_add_text(why, "its times are a counter of the processor");
	else if (!is_monotonic && dump->mapped_ns == 0)
		wk_buf_add_text(why, "its times are by another clock than the recording's; "
				     "`wick record` and `perf record -k mono` take the same");
	else if (!is_monotonic)
		dump->shift_ns = (int64_t)(dump->mapped_ns - dump->names.begin_ns);
}

static bool open_dump(struct wk_jit_stage *stage, uint32_t life, struct wk_jit_dump *dump,
		      struct wk_err *err)
{
	struct wk_jit_lifetime *row = &stage->lives.rows[life];
	enum wk_jit_answer answer;
	struct wk_buf why = { 0 };
	bool ok = true;

	if (dump->was_tried)
		return true;
	dump->was_tried = true;
	ask_owner(stage, row);
	answer = wk_jit_read_dump(&row->owner, dump->fd, dump->path, &dump->names, &why);
	dump->is_open = answer == WK_JIT_READ;
	if (dump->is_open) {
		add_doubt(stage, row, &why);
		if (why.len == 0)
			match_clocks(stage, dump, &why);
	} else if (answer == WK_JIT_NO_FILE) {
		wk_buf_add_text(&why, "it is gone");
	}
	if (why.len) {
		ok = note_refused(stage, dump->path, &why, err);
		if (dump->is_open)
			wk_jit_names_fini(&dump->names);
		dump->is_open = false;
	}
	wk_buf_fini(&why);
	return ok && (!dump->is_open || note_damage(stage, dump, err));
}

/* --- Reading: names go in front of what needs them ------------------------------------- */

static bool emit_map(struct wk_jit_stage *stage, uint32_t life, uint64_t time_ns,
		     struct wk_err *err)
{
	struct wk_jit_names names;
	struct wk_jit_code piece;
	uint32_t pid = stage->lives.rows[life].pid;
	bool is_read, ok = read_map(stage, life, &names, &is_read, err);

	if (!is_read)
		return ok;
	while (ok && wk_jit_next(&names, &piece))
		ok = wk_jit_emit(&names, &piece, pid, time_ns, NULL, &stage->next, err);
	ok = ok && note_bad_lines(stage, &stage->lives.rows[life], &names.map, err);
	wk_jit_names_fini(&names);
	return ok;
}

static bool emit_dumps(struct wk_jit_stage *stage, uint32_t life, uint64_t time_ns,
		       struct wk_err *err)
{
	uint32_t pid = stage->lives.rows[life].pid;

	for (struct wk_jit_dump *dump = stage->lives.rows[life].dumps; dump; dump = dump->next) {
		if (!open_dump(stage, life, dump, err))
			return false;
		for (; dump->is_open && dump->emitted < dump->names.count; dump->emitted++) {
			const struct wk_jit_code *piece = &dump->names.pieces[dump->emitted];

			if (piece->time_ns + (uint64_t)dump->shift_ns > time_ns)
				break;
			if (!wk_jit_emit(&dump->names, piece, pid, time_ns, NULL, &stage->next,
					 err))
				return false;
		}
	}
	return true;
}

/* All that is known of the process' code up to now. */
static bool emit_names(struct wk_jit_stage *stage, uint32_t life, uint64_t time_ns,
		       struct wk_err *err)
{
	struct wk_jit_lifetime *row = &stage->lives.rows[life];
	bool is_first = !row->was_looked_for;

	row->was_looked_for = true;
	return (!is_first || emit_map(stage, life, time_ns, err)) &&
	       emit_dumps(stage, life, time_ns, err);
}

/* --- Recording: the names of what was sampled ------------------------------------------- */

/* The samples of a process, and the code they may be in. */
struct wanted {
	struct wk_jit_hits hits;
	uint32_t pid;
	uint64_t time_ns;  /* the first of them */
	uint64_t until_ns; /* pieces of an ancestor that are younger are not its own */
	bool keeps_times;
};

static bool emit_hit_pieces(struct wk_jit_stage *stage, struct wk_jit_names *names,
			    const struct wanted *wanted, struct wk_err *err)
{
	struct wk_jit_code piece;
	bool ok = true;

	while (ok && wk_jit_next(names, &piece)) {
		uint64_t time_ns = piece.time_ns;

		if (time_ns > wanted->until_ns)
			break;
		if (time_ns == 0 || !wanted->keeps_times)
			time_ns = wanted->time_ns;
		if (wk_jit_is_hit(&wanted->hits, piece.start, piece.start + piece.size_bytes))
			ok = wk_jit_emit(names, &piece, wanted->pid, time_ns, &wanted->hits,
					 &stage->next, err);
	}
	return ok;
}

static bool emit_hits_in(struct wk_jit_stage *stage, uint32_t life, const struct wanted *wanted,
			 struct wk_err *err)
{
	struct wk_jit_names names;
	struct wk_jit_lifetime *row = &stage->lives.rows[life];
	bool is_read, ok = read_map(stage, life, &names, &is_read, err);

	if (is_read) {
		if (!row->map)
			row->map = wk_jit_map_index_new();
		wk_jit_map_index_pick(row->map, &wanted->hits, &stage->map_rows_left, &names);
		ok = emit_hit_pieces(stage, &names, wanted, err) &&
		     note_bad_lines(stage, row, &names.map, err);
		wk_jit_names_fini(&names);
	}
	for (struct wk_jit_dump *dump = stage->lives.rows[life].dumps; dump && ok;
	     dump = dump->next) {
		dump->was_tried = false;
		ok = open_dump(stage, life, dump, err);
		if (!ok || !dump->is_open)
			continue;
		ok = emit_hit_pieces(stage, &dump->names, wanted, err);
		wk_jit_names_fini(&dump->names);
		dump->is_open = false;
	}
	return ok;
}

/* Ancestors first: what the process itself wrote is younger. */
static bool send_hits(struct wk_jit_stage *stage, uint32_t life, struct wk_err *err)
{
	struct wk_jit_lifetime *row = &stage->lives.rows[life];
	struct wanted wanted = { .pid = row->pid, .time_ns = row->first_hit_ns };
	uint32_t line[MOST_ANCESTORS];
	size_t depth = 0;
	bool ok = true;

	if (row->was_looked_for || row->last_hit == 0)
		return true;
	row->was_looked_for = true;
	for (uint32_t i = life; i && depth < MOST_ANCESTORS; i = stage->lives.rows[i].parent)
		line[depth++] = i;
	wanted.hits.at = wk_jit_lifetime_hits(&stage->lives, life, &wanted.hits.count);
	while (depth-- > 0 && ok) {
		wanted.keeps_times = depth == 0;
		wanted.until_ns = depth ? stage->lives.rows[line[depth - 1]].born_ns : UINT64_MAX;
		ok = emit_hits_in(stage, line[depth], &wanted, err);
	}
	wk_free(wanted.hits.at);
	return ok;
}

/* --- Unwinding --------------------------------------------------------------------------- */

static bool advance_dump(struct wk_jit_stage *stage, uint32_t life, struct wk_jit_dump *dump,
			 uint64_t time_ns, bool *is_changed, struct wk_err *err)
{
	struct wk_jit_lifetime *row = &stage->lives.rows[life];

	if (stage->is_live) {
		ask_owner(stage, row);
		*is_changed |= wk_jit_unwind_follow(stage->unwind, dump, &row->owner, time_ns);
		return true;
	}
	if (!open_dump(stage, life, dump, err))
		return false;
	*is_changed |= wk_jit_unwind_advance(stage->unwind, dump, row->pid, time_ns);
	return true;
}

bool wk_jit_stage_advance(struct wk_jit_stage *stage, uint32_t pid, uint64_t time_ns, bool in_code,
			  bool *is_changed, struct wk_err *err)
{
	uint32_t life = wk_jit_lifetime_find(&stage->lives, pid);
	struct wk_jit_lifetime *row = &stage->lives.rows[life];
	bool ok = true;

	*is_changed = false;
	if (life == 0)
		return true;
	row->is_walked |= in_code;
	for (struct wk_jit_dump *dump = row->dumps; dump && row->is_walked && ok; dump = dump->next)
		ok = advance_dump(stage, life, dump, time_ns, is_changed, err);
	return ok;
}

bool wk_jit_stage_find(struct wk_jit_stage *stage, uint32_t pid, uint64_t address,
		       struct wk_unwind_image *image)
{
	return wk_jit_unwind_find(stage->unwind, pid, address, image);
}

/* --- The stream -------------------------------------------------------------------------- */

static void handle_fact(struct wk_jit_stage *stage, const struct wk_event_system *fact)
{
	struct wk_os_host here;
	struct wk_str clock, wall;

	if (wk_str_is(fact->key, "host name")) {
		wk_buf_reset(&stage->host);
		wk_buf_add_str(&stage->host, fact->value);
		wk_os_host(&here);
		stage->is_of_here = here.name[0] && wk_str_is(fact->value, here.name);
	} else if (wk_str_is(fact->key, "clock")) {
		wk_buf_reset(&stage->clock);
		wk_buf_add_str(&stage->clock, fact->value);
	} else if (wk_str_is(fact->key, "clock pair")) {
		wk_str_split(fact->value, ' ', &clock, &wall);
		stage->has_pair = wk_num_u64(clock, &stage->pair_clock_ns) &&
				  wk_num_u64(wall, &stage->pair_wall_ns);
	}
}

static bool handle_process(struct wk_jit_stage *stage, const struct wk_event *event,
			   struct wk_err *err)
{
	const struct wk_event_process *process = &event->process;
	uint32_t life = wk_jit_lifetime_find(&stage->lives, event->pid), parent = 0;
	bool is_changed, ok = true;

	if (life && stage->is_live && process->change != WK_PROCESS_SEEN)
		ok = send_hits(stage, life, err);
	if (process->change == WK_PROCESS_FORK) {
		parent = wk_jit_lifetime_find(&stage->lives, process->parent_pid);
		/* A process that copies the parent's code must know it by then. */
		if (parent && !stage->is_live && stage->lives.rows[parent].makes_code)
			ok = emit_names(stage, parent, event->time_ns, err);
		ok = ok && wk_jit_stage_advance(stage, process->parent_pid, event->time_ns, false,
						&is_changed, err);
		wk_jit_lifetime_begin(&stage->lives, event->pid, parent, event->time_ns);
	} else if (process->change == WK_PROCESS_EXEC) {
		wk_jit_lifetime_begin(&stage->lives, event->pid, 0, event->time_ns);
	}
	wk_spaces_update(stage->spaces, event, 0);
	wk_jit_unwind_add(stage->unwind, event);
	return ok;
}

/* Executable memory that the kernel gives to all. */
static bool is_usual(struct wk_str path)
{
	return wk_str_starts(path, "[vsyscall") || wk_str_starts(path, "[uprobes") ||
	       wk_str_starts(path, "[vectors") || wk_str_starts(path, "[sigpage");
}

/* The file of a living process may be gone, or out of sight, when its names are needed. */
static void handle_dump(struct wk_jit_stage *stage, const struct wk_event *event, uint32_t life)
{
	struct wk_jit_dump *dump =
		wk_jit_lifetime_add_dump(&stage->lives, life, event->image.path, event->time_ns);

	if (!dump || !stage->is_live || dump->fd >= 0 || stage->kept >= MOST_KEPT)
		return;
	dump->undo = wk_undo_new();
	dump->fd = wk_os_undo_fd(dump->undo, wk_jit_keep_dump(event->pid, dump->path));
	stage->kept += dump->fd >= 0;
}

static void handle_image(struct wk_jit_stage *stage, const struct wk_event *event)
{
	const struct wk_event_image *image = &event->image;
	enum wk_image_kind kind = wk_image_kind_of(image);
	bool is_dump = wk_jit_is_dump(image->path);
	uint32_t life;

	if (image->is_kernel)
		return;
	wk_spaces_update(stage->spaces, event, kind);
	if (!is_dump && (kind != WK_IMAGE_ANONYMOUS || image->is_data || is_usual(image->path)))
		return;
	life = wk_jit_lifetime_of(&stage->lives, event->pid);
	stage->lives.rows[life].makes_code = true;
	if (is_dump)
		handle_dump(stage, event, life);
	if (stage->is_live)
		ask_owner(stage, &stage->lives.rows[life]);
}

static bool is_made_at_run_time(struct wk_jit_stage *stage, uint32_t pid, uint64_t address)
{
	const struct wk_mapping *mapping = wk_spaces_find(stage->spaces, pid, address);

	return !mapping || mapping->image == WK_IMAGE_ANONYMOUS;
}

/* Is any place of the user part in such code? A recorder notes them all. */
static bool note_places(struct wk_jit_stage *stage, const struct wk_event *event, uint32_t life)
{
	const struct wk_event_sample *sample = &event->sample;
	const uint64_t *chain = sample->user_count ? sample->user_chain : &sample->address;
	size_t count = sample->user_count ? sample->user_count : !sample->in_kernel;
	bool found = false;

	for (size_t i = 0; i < count && (stage->is_live || !found); i++) {
		uint64_t address = chain[i];

		address -= i > 0 && !sample->user_is_exact && address > 0;
		if (!is_made_at_run_time(stage, event->pid, address))
			continue;
		found = true;
		if (stage->is_live)
			wk_jit_lifetime_add_hit(&stage->lives, life, address);
	}
	return found;
}

static bool handle_sample(struct wk_jit_stage *stage, const struct wk_event *event,
			  struct wk_err *err)
{
	uint32_t life = wk_jit_lifetime_find(&stage->lives, event->pid);
	struct wk_jit_lifetime *row = &stage->lives.rows[life];

	if (!row->makes_code)
		return true;
	if (stage->is_live) {
		if (note_places(stage, event, life) && !row->first_hit_ns)
			row->first_hit_ns = event->time_ns;
		return true;
	}
	if (row->was_looked_for || note_places(stage, event, life))
		return emit_names(stage, life, event->time_ns, err);
	return true;
}

/* Names that came with the recording are the process' own; nothing is looked for. */
static void handle_symbol(struct wk_jit_stage *stage, const struct wk_event *event)
{
	uint32_t life;

	if (event->symbol.image_path.len || event->pid == WK_KERNEL_PID || stage->is_live)
		return;
	life = wk_jit_lifetime_of(&stage->lives, event->pid);
	stage->lives.rows[life].was_looked_for = true;
	for (struct wk_jit_dump *dump = stage->lives.rows[life].dumps; dump; dump = dump->next)
		dump->was_tried = true;
}

static bool take(void *context, const struct wk_event *event, struct wk_err *err)
{
	struct wk_jit_stage *stage = context;
	bool ok = true;

	if (stage->begin_ns == 0)
		stage->begin_ns = event->time_ns;
	switch (event->kind) {
	case WK_EVENT_SYSTEM:
		handle_fact(stage, &event->system);
		break;
	case WK_EVENT_PROCESS:
		ok = handle_process(stage, event, err);
		break;
	case WK_EVENT_THREAD:
		wk_spaces_update(stage->spaces, event, 0);
		wk_jit_unwind_add(stage->unwind, event);
		break;
	case WK_EVENT_IMAGE:
		handle_image(stage, event);
		break;
	case WK_EVENT_SYMBOL:
		handle_symbol(stage, event);
		break;
	case WK_EVENT_SAMPLE:
		ok = handle_sample(stage, event, err);
		break;
	default:
		break;
	}
	return ok && wk_sink_emit(&stage->next, event, err);
}

struct wk_sink wk_jit_stage_sink(struct wk_jit_stage *stage)
{
	return (struct wk_sink){
		.take = take, .context = stage, .stacks = stage->next.stacks,
		.accepts_blocks = stage->next.accepts_blocks,
		.accepts_lists = stage->next.accepts_lists };
}

bool wk_jit_stage_finish(struct wk_jit_stage *stage, struct wk_err *err)
{
	bool ok = true;

	for (uint32_t i = 1; stage->is_live && i < stage->lives.count && ok; i++)
		ok = send_hits(stage, i, err);
	return ok;
}
