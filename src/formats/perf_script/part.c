/* One part of the input, sample after sample. */
#include "formats/perf_script/internal.h"

#include "base/hash.h"
#include "base/mem.h"
#include "base/num.h"

void wk_script_part_init(struct wk_script_part *part, const struct wk_read_options *options,
			 const char *begin, const char *end)
{
	*part = (struct wk_script_part){
		.collapse = options->collapse, .sums = options->collapse || options->sums_samples,
		.at = begin, .end = end, .begin = begin };
	wk_trie_init(&part->chains);
	part->event_names = wk_strtab_new();
	part->tasks = wk_grow(NULL, &part->tasks_cap, 1, sizeof(*part->tasks));
	part->tasks[0] = (struct wk_script_task){ 0 };
	part->frame_count = part->line_count = 1;
	part->task_count = part->event_count = 1;
}

/* Of a file, lines can be counted afterwards. */
static bool is_of_pipe(const struct wk_script_part *part)
{
	return part->is_in_pieces && !part->pieces.stream->is_file;
}

void wk_script_part_leave(struct wk_script_part *part)
{
	part->bytes_before += (uint64_t)(part->end - part->begin);
	if (is_of_pipe(part))
		part->lines_before += wk_script_line_number(part->begin, part->end) - 1;
	part->begin = part->at = part->end;
	part->last_event = 0;
}

void wk_script_part_end_reading(struct wk_script_part *part)
{
	wk_index_fini(&part->frame_index);
	wk_index_fini(&part->line_index);
	wk_index_fini(&part->task_index);
	wk_index_fini(&part->row_index);
	wk_map_fini(&part->group_of);
	wk_trie_seal(&part->chains);
	WK_FREE_ALL(part->lines, part->line_frames, part->pending);
	part->lines = NULL;
	part->line_frames = part->pending = NULL;
}

void wk_script_part_end(struct wk_script_part *part)
{
	wk_script_part_end_reading(part);
	wk_pieces_fini(&part->pieces);
	wk_arena_fini(&part->texts);
	wk_trie_fini(&part->chains);
	wk_strtab_free(part->event_names);
	WK_FREE_ALL(part->frames, part->tasks, part->groups, part->rows, part->number_of_frame,
		    part->stack_of_chain, part->source_of_event);
}

void wk_script_note_bad(struct wk_script_part *part, struct wk_str line, bool is_head)
{
	if (part->bad_count++)
		return;
	part->bad_first = wk_script_kept(part, line);
	part->bad_is_head = is_head;
	part->bad_at = part->bytes_before + (uint64_t)(line.at - part->begin);
	if (is_of_pipe(part))
		part->bad_number = part->lines_before + wk_script_line_number(part->begin, line.at);
}

static bool head_of(const struct wk_script_part *part, struct wk_str line,
		    struct wk_script_head *head)
{
	return part->collapse ? wk_script_head_collapse(part->collapse, line, head)
			      : wk_script_head_parse(line, head);
}

/* Tasks, looked up by the start of the line. */

static bool same_task(const void *table, uint32_t id, const void *key)
{
	const struct wk_script_task *task = &((const struct wk_script_part *)table)->tasks[id];

	return wk_str_eq(task->who, *(const struct wk_str *)key);
}

static uint32_t id_number(struct wk_str text)
{
	uint64_t number = 0;

	if (text.len && text.at[0] == '-')
		return UINT32_MAX;
	return wk_num_u64(text, &number) && number < UINT32_MAX ? (uint32_t)number : 0;
}

static struct wk_str root_name(struct wk_script_part *part, const struct wk_script_head *head)
{
	struct wk_buf name = { 0 };
	struct wk_str kept;

	wk_script_root_name(part->collapse, head, &name);
	kept = wk_arena_copy(&part->texts, wk_buf_str(&name));
	wk_buf_fini(&name);
	return kept;
}

static uint32_t task_id(struct wk_script_part *part, const struct wk_script_head *head)
{
	uint64_t hash = wk_hash_bytes(head->who.at, head->who.len);
	uint32_t id = wk_index_find(&part->task_index, hash, same_task, part, &head->who);

	if (id)
		return id;
	wk_index_add(&part->task_index, hash, part->task_count);
	*WK_APPEND(part->tasks, part->task_count, part->tasks_cap) = (struct wk_script_task){
		.who = wk_script_kept(part, head->who),
		.name = part->collapse ? root_name(part, head) : wk_script_kept(part, head->comm),
		.tid = id_number(head->tid),
		.pid = id_number(head->pid.len ? head->pid : head->tid),
		.has_pid = head->tid.len > 0,
	};
	return part->task_count - 1;
}

/* Remembers the event as written, with all modifiers and the colon, if it is the line's last word.
 */
static void note_event_word(struct wk_script_part *part, const struct wk_script_head *head,
			    uint32_t id)
{
	const char *begin = head->event.at, *end = begin + head->event.len;

	part->last_event = 0;
	while (end < part->end && *end != ' ' && *end != '\n' && *end != '\r')
		end++;
	if (head->event.len == 0 || head->who.len == 0 || begin[-1] != ' ' || end[-1] != ':')
		return;
	part->last_event = id;
	part->last_event_word = wk_str_of(begin, (size_t)(end - begin));
}

/* Event 0 is that of samples that name none. */
static uint32_t event_id(struct wk_script_part *part, const struct wk_script_head *head)
{
	uint32_t id;

	if (!head->has_event)
		return 0;
	id = wk_strtab_add_str(part->event_names, head->event) + 1;
	if (id >= part->event_count)
		part->event_count = id + 1;
	note_event_word(part, head, id);
	return id;
}

/* Threads seldom have samples of many events. */
static uint32_t group_id(struct wk_script_part *part, const struct wk_script_group *group)
{
	uint32_t known = part->tasks[group->task].group, *number;

	if (known && part->groups[known - 1].event == group->event)
		return known - 1;
	number = wk_map_at(&part->group_of, (uint64_t)group->task << 32 | group->event);
	if (!*number) {
		*WK_APPEND(part->groups, part->group_count, part->groups_cap) = *group;
		*number = part->group_count;
	}
	part->tasks[group->task].group = *number;
	return *number - 1;
}

static struct wk_script_task *task_of(const struct wk_script_part *part,
				      const struct wk_event_sum *row)
{
	return &part->tasks[part->groups[row->whose].task];
}

static bool same_row(const void *table, uint32_t id, const void *key)
{
	const struct wk_event_sum *a = &((const struct wk_script_part *)table)->rows[id - 1];
	const struct wk_event_sum *b = key;

	return a->stack == b->stack && a->whose == b->whose;
}

/* For sums: adds to the row with the same stack; false if there is none yet. */
static bool add_to_row(struct wk_script_part *part, const struct wk_event_sum *row)
{
	uint64_t hash = wk_hash_u64((uint64_t)row->whose << 32 | row->stack);
	uint32_t id = wk_index_find(&part->row_index, hash, same_row, part, row);
	struct wk_event_sum *known;

	if (!id) {
		wk_index_add(&part->row_index, hash, (uint32_t)part->row_count + 1);
		return false;
	}
	known = &part->rows[id - 1];
	if (__builtin_add_overflow(known->weight, row->weight, &known->weight))
		known->weight = UINT64_MAX;
	known->times++;
	if (row->time_ns > known->until_ns)
		known->until_ns = row->time_ns;
	return true;
}

static void add_row(struct wk_script_part *part, const struct wk_event_sum *row)
{
	task_of(part, row)->last = ++part->sample_count;
	if (part->sums && add_to_row(part, row))
		return;
	*WK_APPEND(part->rows, part->row_count, part->rows_cap) = *row;
}

static struct wk_event_sum row_of(struct wk_script_part *part, const struct wk_script_head *head)
{
	struct wk_script_group group = {
		.time_ns = head->time_ns,
		.task = head->who.len ? task_id(part, head) : 0,
		.event = event_id(part, head),
		.has_period = head->has_period,
	};

	return (struct wk_event_sum){
		.time_ns = head->time_ns,
		.until_ns = head->time_ns,
		.times = 1,
		.weight = head->has_period ? head->period : 1,
		.whose = group_id(part, &group),
		.cpu = head->cpu,
	};
}

/* The number of a thread, or a command such as "dd", may be mistaken for an address. perf ends a
 * first line in a blank. */
static bool may_be_head(struct wk_str line, const struct wk_script_frame_line *frame)
{
	return line.at[0] != '\t' && (frame->rest.len == 0 || line.at[line.len - 1] == ' ' ||
				      line.at[line.len - 1] == ':');
}

/* A first line without numbers is recognized by the chain that follows it (-F comm,ip,sym). A chain
 * may also have no first line (-F ip,sym). */
static bool is_bare_head(struct wk_script_part *part, struct wk_str line, const char *next,
			 struct wk_script_head *head)
{
	struct wk_script_frame_line frame;
	struct wk_str second = wk_script_plain_line(wk_script_line_at(next, part->end));

	bool has_chain = second.len && second.at[0] == '\t' &&
			 wk_script_line_kind(second, &frame) == WK_SCRIPT_LINE_FRAME;

	*head = (struct wk_script_head){ .cpu = WK_NO_CPU };
	if (part->collapse)
		return false;
	if (wk_script_line_kind(line, &frame) == WK_SCRIPT_LINE_FRAME &&
	    (part->is_list || !has_chain || !may_be_head(line, &frame))) {
		if (part->is_list)
			head->frame = wk_trim(line);
		return true;
	}
	wk_script_head_parse_bare(line, head);
	return has_chain;
}

static bool is_java(const struct wk_script_part *part, const struct wk_event_sum *row)
{
	return part->collapse && wk_str_starts(task_of(part, row)->name, "java");
}

/* Does the part end in a blank line? */
static bool ends_in_blank(const struct wk_script_part *part, const char *from)
{
	const char *at = part->end;
	size_t feeds = 0;

	for (; at > from && (at[-1] == '\n' || at[-1] == '\r'); at--)
		feeds += at[-1] == '\n';
	return feeds > 1;
}

/* Reads the chain behind the first line and adds the sample. */
static void add_sample(struct wk_script_part *part, struct wk_event_sum *row)
{
	const char *from = part->at;

	row->stack = wk_script_next_chain(part, is_java(part, row));
	if (part->wants_blank && part->at == part->end && !ends_in_blank(part, from - 1))
		part->has_unfinished = true;
	else
		add_row(part, row);
}

/* Reads a number backwards from `*end` and moves `*end` to its first digit. */
static bool number_before(struct wk_str line, size_t *end, uint64_t *value, uint64_t *scale)
{
	size_t at = *end, most = at > 18 ? at - 18 : 0;

	*value = 0;
	*scale = 1;
	for (; at > most && wk_is_digit(line.at[at - 1]); at--) {
		*value += (uint64_t)(line.at[at - 1] - '0') * *scale;
		*scale *= 10;
	}
	if (at == *end || (at == most && at > 0))
		return false;
	*end = at;
	return true;
}

static size_t skip_blanks_before(struct wk_str line, size_t end)
{
	while (end > 0 && line.at[end - 1] == ' ')
		end--;
	return end;
}

/* " SECONDS.FRACTION:" and, before it, "[CPU]". */
static bool time_before(struct wk_str line, size_t *end, struct wk_event_sum *row)
{
	uint64_t fraction, scale, seconds, cpu, unused;
	size_t at = *end, cpu_at;

	if (at == 0 || line.at[--at] != ':' || !number_before(line, &at, &fraction, &scale) ||
	    scale > 1000000000 || at == 0 || line.at[--at] != '.' ||
	    !number_before(line, &at, &seconds, &unused) || unused > 10000000000u || at == 0 ||
	    line.at[at - 1] != ' ')
		return false;
	row->time_ns = seconds * 1000000000u + fraction * (1000000000u / scale);
	at = skip_blanks_before(line, at);
	cpu_at = at ? at - 1 : 0;
	if (cpu_at && line.at[cpu_at] == ']' && number_before(line, &cpu_at, &cpu, &unused) &&
	    cpu_at > 1 && line.at[cpu_at - 1] == '[' && line.at[cpu_at - 2] == ' ') {
		row->cpu = cpu < WK_NO_CPU ? (uint32_t)cpu : WK_NO_CPU;
		at = skip_blanks_before(line, cpu_at - 1);
	}
	*end = at;
	return true;
}

/* Most first lines differ from earlier ones only in their numbers. If a line ends in the event of
 * the last sample, its period, time and CPU are read backwards, and the rest must be a known task.
 * All other lines are parsed in full. */
static bool is_like_before(struct wk_script_part *part, struct wk_str line,
			   struct wk_event_sum *row)
{
	struct wk_script_group group = { .event = part->last_event };
	struct wk_str event = part->last_event_word;
	size_t end = skip_blanks_before(line, line.len);
	uint64_t period, unused;
	struct wk_str who;

	if (!part->last_event || end < event.len + 2 || line.at[end - event.len - 1] != ' ' ||
	    memcmp(line.at + end - event.len, event.at, event.len) != 0)
		return false;
	*row = (struct wk_event_sum){ .cpu = WK_NO_CPU, .weight = 1, .times = 1 };
	end = skip_blanks_before(line, end - event.len);
	if (number_before(line, &end, &period, &unused)) {
		if (end == 0 || line.at[end - 1] != ' ' || !period)
			return false;
		row->weight = period;
		group.has_period = true;
		end = skip_blanks_before(line, end);
	}
	if (!time_before(line, &end, row))
		return false;
	who = wk_str_of(line.at, end);
	group.task = wk_index_find(&part->task_index, wk_hash_bytes(who.at, who.len), same_task,
				   part, &who);
	/* Without a number the chain decides whether the line is a first one. */
	if (!group.task || !part->tasks[group.task].has_pid)
		return false;
	group.time_ns = row->until_ns = row->time_ns;
	row->whose = group_id(part, &group);
	return true;
}

/* Does the chain begin with this line? */
static bool is_chain(struct wk_str line, const struct wk_script_head *head)
{
	return head->who.len == 0 && head->frame.len == 0 && !head->has_event && !head->has_time &&
	       !head->has_period && head->cpu == WK_NO_CPU && wk_trim(line).len;
}

/* Parses a first line in full. If it is none, moves behind it and returns false. */
static bool read_head(struct wk_script_part *part, struct wk_str line, const char *next,
		      struct wk_script_head *head)
{
	struct wk_script_frame_line frame;
	const char *begin = part->at;

	part->at = next;
	if (head_of(part, line, head))
		return true;
	if (is_bare_head(part, line, next, head)) {
		if (is_chain(line, head))
			part->at = begin;
		return true;
	}
	if (wk_script_line_kind(line, &frame) != WK_SCRIPT_LINE_EXTRA)
		wk_script_note_bad(part, line, true);
	return false;
}

static void read_sample(struct wk_script_part *part)
{
	struct wk_str raw = wk_script_line_at(part->at, part->end);
	struct wk_str line = wk_script_plain_line(raw);
	const char *next = wk_script_line_behind(raw, part->end);
	struct wk_script_head head;
	struct wk_event_sum row;

	if (is_like_before(part, line, &row)) {
		part->at = next;
		add_sample(part, &row);
		return;
	}
	if (!read_head(part, line, next, &head))
		return;
	if (head.is_record) {
		part->lost += head.lost;
		return;
	}
	row = row_of(part, &head);
	if (head.frame.len) {
		row.stack = wk_script_chain_of_frame(part, head.frame, is_java(part, &row));
		add_row(part, &row);
	} else {
		add_sample(part, &row);
	}
}

/* Blank lines and comments. */
static bool skip_between(struct wk_script_part *part)
{
	while (part->at < part->end) {
		struct wk_str line;

		if (*part->at == '\n') {
			part->at++;
			continue;
		}
		if (*part->at != '#' && *part->at != '\r' && *part->at != ' ' && *part->at != '\t')
			return true;
		line = wk_script_line_at(part->at, part->end);
		if (*part->at != '#' && wk_trim(wk_script_plain_line(line)).len)
			return true;
		part->at = wk_script_line_behind(line, part->end);
	}
	return false;
}

bool wk_script_part_read(struct wk_script_part *part, size_t most)
{
	while (part->row_count < most) {
		if (skip_between(part)) {
			read_sample(part);
		} else if (!part->is_in_pieces || !wk_script_next_piece(part)) {
			wk_script_part_end_reading(part);
			return false;
		}
	}
	return true;
}
