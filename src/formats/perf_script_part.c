/* One part of the input, sample after sample.
 *
 * Most call chains have been met before, byte for byte. So the text up to the next blank line is
 * looked up as a whole, then what is left of it without its first lines (new innermost frames
 * on known callers); only where that fails are lines read one by one, and those too are looked
 * up by their text. Every find is compared with the text that it was made from. */
#include "formats/perf_script_internal.h"

#include "base/hash.h"
#include "base/mem.h"
#include "base/num.h"

#define TAILS      2                 /* a chain is also looked up without 1 ... TAILS lines */
#define LONGEST    (INT32_MAX / 2)   /* longer texts are not remembered */
#define IN_KERNEL  1                 /* flavours of a line */
#define OF_JAVA    2

void wk_script_part_init(struct wk_script_part *part, const struct wk_collapse *collapse,
		       const char *begin, const char *end)
{
	*part = (struct wk_script_part){
		.collapse = collapse, .at = begin, .end = end, .mixed_until = begin };
	wk_trie_init(&part->chains);
	part->event_names = wk_strtab_new();
	part->tasks = wk_grow(NULL, &part->tasks_cap, 1, sizeof(*part->tasks));
	part->tasks[0] = (struct wk_script_task){ 0 };
	part->frame_count = part->line_count = part->known_count = part->task_count = 1;
}

void wk_script_part_fini(struct wk_script_part *part)
{
	wk_arena_fini(&part->texts);
	free(part->frames);
	wk_index_fini(&part->frame_index);
	free(part->lines);
	wk_index_fini(&part->line_index);
	free(part->line_frames);
	wk_trie_fini(&part->chains);
	free(part->known);
	wk_index_fini(&part->known_index);
	free(part->pending);
	free(part->tasks);
	wk_index_fini(&part->task_index);
	wk_strtab_free(part->event_names);
	free(part->events);
	free(part->rows);
	free(part->number_of_frame);
	free(part->stack_of_chain);
}

/* Frames, found again by what they are. */

static bool same_frame(const void *table, uint32_t id, const void *key)
{
	const struct wk_event_frame *a = &((const struct wk_script_part *)table)->frames[id];
	const struct wk_event_frame *b = key;

	return wk_str_eq(a->name, b->name) && wk_str_eq(a->image, b->image) &&
	       wk_str_eq(a->file, b->file) && a->line == b->line && a->kind == b->kind &&
	       a->is_inlined == b->is_inlined && a->is_unnamed == b->is_unnamed;
}

static uint32_t frame_id(struct wk_script_part *part, const struct wk_event_frame *frame)
{
	uint64_t hash = wk_hash_pair(wk_hash_bytes(frame->name.at, frame->name.len),
				     wk_hash_bytes(frame->image.at, frame->image.len) ^
					     (uint64_t)frame->line << 2 ^ frame->is_inlined);
	uint32_t id = wk_index_find(&part->frame_index, hash, same_frame, part, frame);

	if (id)
		return id;
	part->frames = wk_grow(part->frames, &part->frames_cap, (size_t)part->frame_count + 1,
			       sizeof(*part->frames));
	part->frames[part->frame_count] = *frame;
	/* Older tools' names were put together for the call only. */
	if (part->collapse)
		part->frames[part->frame_count].name = wk_arena_copy(&part->texts, frame->name);
	wk_index_add(&part->frame_index, hash, part->frame_count);
	return part->frame_count++;
}

void wk_script_add_frame(struct wk_script_part *part, const struct wk_event_frame *frame)
{
	part->line_frames = wk_grow(part->line_frames, &part->line_frames_cap,
				    part->line_frame_count + 1, sizeof(*part->line_frames));
	part->line_frames[part->line_frame_count++] = frame_id(part, frame);
}

/* Lines, found again by their text from behind the address. */

static bool same_line(const void *table, uint32_t id, const void *key)
{
	const struct wk_script_known_line *a = &((const struct wk_script_part *)table)->lines[id];
	const struct wk_script_known_line *b = key;

	return a->len == b->len && a->flavour == b->flavour && memcmp(a->at, b->at, a->len) == 0;
}

/* What a line's meaning depends on: the text behind the address and the line of source, in one
 * piece as they lie in the input; the address too where it is to be shown. */
static struct wk_script_known_line key_of(const struct wk_script_part *part,
					const struct wk_script_frame_line *line, bool is_java)
{
	const char *begin = part->collapse && part->collapse->with_addresses ? line->address.at
									      : line->rest.at;
	const char *end = line->source.len ? line->source.at + line->source.len
					   : line->rest.at + line->rest.len;

	return (struct wk_script_known_line){
		.at = begin,
		.len = (uint32_t)(end - begin),
		.flavour = (uint8_t)((line->in_kernel ? IN_KERNEL : 0) | (is_java ? OF_JAVA : 0)),
		.first = (uint32_t)part->line_frame_count,
	};
}

/* The number of a line, 0 if it is no frame after all. */
static uint32_t line_id(struct wk_script_part *part, const struct wk_script_frame_line *line,
			bool is_java)
{
	struct wk_script_known_line key = key_of(part, line, is_java);
	uint64_t hash = wk_hash_bytes(key.at, key.len) ^ key.flavour;
	uint32_t id = wk_index_find(&part->line_index, hash, same_line, part, &key);

	if (id)
		return id;
	if (part->collapse ? !wk_script_frames_collapse(part, line, is_java, &key.cuts)
			   : !wk_script_frames_plain(part, line))
		return 0;
	key.count = (uint32_t)(part->line_frame_count - key.first);
	part->lines = wk_grow(part->lines, &part->lines_cap, (size_t)part->line_count + 1,
			      sizeof(*part->lines));
	part->lines[part->line_count] = key;
	wk_index_add(&part->line_index, hash, part->line_count);
	return part->line_count++;
}

/* Chains, found again by the text of all their lines. */

/* Four sums side by side: a chain is some hundred bytes, and each step must wait for its
 * product. */
static uint64_t hash_text(const char *at, size_t len)
{
	const uint64_t factor = 0x9e3779b97f4a7c15u;
	uint64_t sum[4] = { len, factor, ~factor, factor >> 1 };
	uint64_t word[4];

	for (; len >= 32; at += 32, len -= 32) {
		memcpy(word, at, 32);
		for (int i = 0; i < 4; i++) {
			sum[i] = (sum[i] ^ word[i]) * factor;
			sum[i] = sum[i] << 29 | sum[i] >> 35;
		}
	}
	return wk_hash_pair(wk_hash_pair(sum[0], sum[1]), wk_hash_pair(sum[2], sum[3])) ^
	       wk_hash_bytes(at, len);
}

static bool same_chain(const void *table, uint32_t id, const void *key)
{
	const struct wk_script_known_chain *a = &((const struct wk_script_part *)table)->known[id];
	const struct wk_script_known_chain *b = key;

	return a->hash == b->hash && a->len == b->len && a->is_java == b->is_java &&
	       memcmp(a->at, b->at, a->len) == 0;
}

static struct wk_script_known_chain chain_key(const char *at, const char *end, bool is_java)
{
	return (struct wk_script_known_chain){ .at = at, .len = (uint32_t)(end - at),
					     .is_java = is_java,
					     .hash = hash_text(at, (size_t)(end - at)) + is_java };
}

static void remember(struct wk_script_part *part, const struct wk_script_known_chain *key)
{
	part->known = wk_grow(part->known, &part->known_cap, (size_t)part->known_count + 1,
			      sizeof(*part->known));
	part->known[part->known_count] = *key;
	wk_index_add(&part->known_index, key->hash, part->known_count++);
}

/* Behind the line feed that ends the last line before an empty one, or the end. Looks at eight
 * bytes at a time: a byte of `pairs` is 0 where it and the next one are line feeds. */
static const char *blank_after(const char *at, const char *end)
{
	const uint64_t ones = 0x0101010101010101u, feeds = ones * '\n';

	for (; end - at > 9; at += 8) {
		uint64_t here, next, pairs;

		memcpy(&here, at, 8);
		memcpy(&next, at + 1, 8);
		pairs = (here ^ feeds) | (next ^ feeds);
		if (((pairs - ones) & ~pairs & ones << 7) == 0)
			continue;
		for (int i = 0; i < 8; i++)
			if (at[i] == '\n' && at[i + 1] == '\n')
				return at + i + 1;
	}
	for (; end - at > 1; at++)
		if (at[0] == '\n' && at[1] == '\n')
			return at + 1;
	return end;
}

static struct wk_str line_at(const char *at, const char *end)
{
	const char *feed = at < end ? memchr(at, '\n', (size_t)(end - at)) : NULL;
	size_t len = (size_t)((feed ? feed : end) - at);

	return wk_str_of(at, len);
}

static struct wk_str without_return(struct wk_str line)
{
	if (line.len && line.at[line.len - 1] == '\r')
		line.len--;
	return line;
}

/* Where the next line begins. */
static const char *behind(struct wk_str line, const char *end)
{
	return line.at + line.len < end ? line.at + line.len + 1 : end;
}

static void note_bad(struct wk_script_part *part, struct wk_str line, bool is_head)
{
	if (part->bad_count++)
		return;
	part->bad_first = line;
	part->bad_is_head = is_head;
}

static bool head_of(const struct wk_script_part *part, struct wk_str line, struct wk_script_head *head)
{
	return part->collapse ? wk_script_head_collapse(part->collapse, line, head)
			      : wk_script_head_parse(line, head);
}

/* A chain while its lines are read. */
struct chain {
	const char *end;             /* of what may belong to it */
	bool is_java;
	bool ends_early;             /* before `end` */
	bool is_odd;                 /* holds lines that count for nothing: not to be remembered */
	bool is_cut;                 /* by an option, behind the last pending line */
	uint32_t callers;            /* of the pending lines */
	size_t pending;
	struct wk_script_known_chain tried[TAILS + 1]; /* texts that were not known */
	size_t tried_at[TAILS + 1];  /* how many lines were pending before each */
	size_t tried_count;
};

/* The chain of what begins at the line `at`, if its text is known. */
static bool find_tail(struct wk_script_part *part, struct chain *chain, const char *at)
{
	struct wk_script_known_chain key;
	uint32_t id;

	if (chain->tried_count > TAILS || chain->end - at > LONGEST)
		return false;
	key = chain_key(at, chain->end, chain->is_java);
	id = wk_index_find(&part->known_index, key.hash, same_chain, part, &key);
	if (id) {
		chain->callers = part->known[id].chain;
		return true;
	}
	chain->tried_at[chain->tried_count] = chain->pending;
	chain->tried[chain->tried_count++] = key;
	return false;
}

/* The line of source behind a frame, if there is one. */
static const char *take_source(struct wk_script_frame_line *frame, const char *at, const char *end)
{
	struct wk_script_frame_line other;
	struct wk_str line = line_at(at, end);

	if (wk_script_line_kind(without_return(line), &other) != WK_SCRIPT_LINE_SOURCE)
		return at;
	frame->source = wk_trim(without_return(line));
	return behind(line, end);
}

static void add_pending(struct wk_script_part *part, struct chain *chain, uint32_t id)
{
	if (chain->is_cut)
		return;
	part->pending = wk_grow(part->pending, &part->pending_cap, chain->pending + 1,
				sizeof(*part->pending));
	part->pending[chain->pending++] = id;
	chain->is_cut = part->lines[id].cuts;
}

/* Does a sample begin here, though no blank line was met? Lines of a chain begin with a tab or
 * with blanks, but so do, with blanks, first lines that hold their only frame themselves. */
static bool begins_sample(struct wk_str line, bool is_frame)
{
	struct wk_script_head head;

	if (line.at[0] == '\t' || !wk_script_head_parse(line, &head))
		return false;
	return !is_frame || line.at[0] != ' ' || head.frame.len > 0;
}

/* Reads one line, with that of its source; returns where the next begins. */
static const char *read_line(struct wk_script_part *part, struct chain *chain, const char *at)
{
	struct wk_str raw = line_at(at, chain->end), line = without_return(raw);
	const char *next = behind(raw, chain->end);
	struct wk_script_frame_line frame;
	enum wk_script_line_kind kind;
	uint32_t id = 0;

	if (line.len && line.at[0] == '#') {
		chain->is_odd = true;
		return next;
	}
	kind = wk_script_line_kind(line, &frame);
	if (kind == WK_SCRIPT_LINE_BLANK ||
	    begins_sample(line, kind == WK_SCRIPT_LINE_FRAME)) {
		chain->ends_early = true;
		return kind == WK_SCRIPT_LINE_BLANK ? next : at;
	}
	if (kind == WK_SCRIPT_LINE_FRAME) {
		next = take_source(&frame, next, chain->end);
		id = line_id(part, &frame, chain->is_java);
	}
	if (id) {
		add_pending(part, chain, id);
	} else if (kind == WK_SCRIPT_LINE_FRAME || kind == WK_SCRIPT_LINE_OTHER) {
		note_bad(part, line, false);
		chain->is_odd = true;
	}
	return next;
}

/* What the pending lines from `at` on make is the chain of the texts that were tried there. */
static void settle_tried(struct chain *chain, size_t at, uint32_t id)
{
	for (size_t i = 0; i < chain->tried_count; i++)
		if (chain->tried_at[i] == at)
			chain->tried[i].chain = id;
}

/* Puts the pending lines on their callers, outermost first. */
static uint32_t stack_up(struct wk_script_part *part, struct chain *chain)
{
	uint32_t id = chain->is_cut ? wk_trie_add(&part->chains, 0, 0) : chain->callers;

	for (size_t i = chain->pending; i-- > 0;) {
		const struct wk_script_known_line *line = &part->lines[part->pending[i]];

		for (uint32_t k = 0; k < line->count; k++)
			id = wk_trie_add(&part->chains, id, part->line_frames[line->first + k]);
		settle_tried(chain, i, id);
	}
	return id;
}

/* The chain from `part->at` to `end`; moves behind what belonged to it. */
static uint32_t read_chain(struct wk_script_part *part, const char *end, bool is_java)
{
	struct chain chain = { .end = end, .is_java = is_java };
	bool is_clean = part->at >= part->mixed_until;
	const char *at = part->at;
	uint32_t id;

	while (at < end && !chain.ends_early) {
		if (is_clean && !chain.is_odd && find_tail(part, &chain, at)) {
			at = end;
			break;
		}
		at = read_line(part, &chain, at);
	}
	id = stack_up(part, &chain);
	part->at = at;
	if (chain.ends_early && at < end)
		part->mixed_until = end;
	for (size_t i = 0; i < chain.tried_count; i++)
		if (chain.tried[i].chain && !chain.is_odd && !chain.ends_early)
			remember(part, &chain.tried[i]);
	return id;
}

/* The chain behind a sample's first line. */
static uint32_t next_chain(struct wk_script_part *part, bool is_java)
{
	const char *end;

	if (part->at == part->end || *part->at == '\n')
		return 0;
	end = part->at < part->mixed_until ? part->mixed_until : blank_after(part->at, part->end);
	return read_chain(part, end, is_java);
}

/* The chain of a single frame. */
static uint32_t chain_of_frame(struct wk_script_part *part, struct wk_str text, bool is_java)
{
	struct chain chain = { .is_java = is_java };
	struct wk_script_frame_line frame;
	uint32_t id = 0;

	if (wk_script_line_kind(text, &frame) == WK_SCRIPT_LINE_FRAME)
		id = line_id(part, &frame, is_java);
	if (id)
		add_pending(part, &chain, id);
	return stack_up(part, &chain);
}

/* Who was sampled, found again by how the line begins. */

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

static void new_task(struct wk_script_part *part, const struct wk_script_head *head)
{
	struct wk_script_task task = {
		.who = head->who,
		.name = part->collapse ? root_name(part, head) : head->comm,
		.tid = id_number(head->tid),
		.pid = id_number(head->pid.len ? head->pid : head->tid),
		.has_pid = head->tid.len > 0,
	};

	part->tasks = wk_grow(part->tasks, &part->tasks_cap, (size_t)part->task_count + 1,
			      sizeof(*part->tasks));
	part->tasks[part->task_count++] = task;
}

static uint32_t task_id(struct wk_script_part *part, const struct wk_script_head *head)
{
	uint64_t hash = wk_hash_bytes(head->who.at, head->who.len);
	uint32_t id = wk_index_find(&part->task_index, hash, same_task, part, &head->who);

	if (id)
		return id;
	new_task(part, head);
	id = part->task_count - 1;
	wk_index_add(&part->task_index, hash, id);
	return id;
}

/* Neighbours are mostly of the same event. An event without a name is one, too, so that row 0
 * is left to samples that do not say what they are of. */
static uint32_t event_id(struct wk_script_part *part, const struct wk_script_head *head)
{
	uint32_t id;

	if (!head->has_event)
		return 0;
	if (part->last_event && wk_str_eq(part->last_event_name, head->event))
		return part->last_event;
	id = wk_strtab_add_str(part->event_names, head->event) + 1;
	if (id >= part->events_cap) {
		size_t old = part->events_cap;

		part->events = wk_grow(part->events, &part->events_cap, (size_t)id + 1,
				       sizeof(*part->events));
		memset(part->events + old, 0,
		       (part->events_cap - old) * sizeof(*part->events));
	}
	part->last_event = id;
	part->last_event_name = head->event;
	return id;
}

static void add_row(struct wk_script_part *part, const struct wk_script_head *head, uint32_t chain)
{
	struct wk_script_row row = {
		.time_ns = head->time_ns,
		.weight = head->has_period ? head->period : 1,
		.chain = chain,
		.task = head->who.len ? task_id(part, head) : 0,
		.event = event_id(part, head),
		.cpu = head->cpu,
		.has_period = head->has_period,
	};

	part->rows = wk_grow(part->rows, &part->rows_cap, part->row_count + 1,
			     sizeof(*part->rows));
	part->rows[part->row_count++] = row;
}

/* A first line without numbers is only known by the chain behind it (-F comm,ip,sym); so is a
 * chain without a first line (-F ip,sym). */
static bool is_bare_head(struct wk_script_part *part, struct wk_str line, const char *next,
			 struct wk_script_head *head)
{
	struct wk_script_frame_line frame;
	struct wk_str second = without_return(line_at(next, part->end));

	*head = (struct wk_script_head){ .cpu = WK_NO_CPU };
	if (part->collapse)
		return false;
	if (wk_script_line_kind(line, &frame) == WK_SCRIPT_LINE_FRAME)
		return true;
	head->comm = head->who = wk_trim(line);
	return second.len && second.at[0] == '\t' &&
	       wk_script_line_kind(second, &frame) == WK_SCRIPT_LINE_FRAME;
}

static bool is_java(const struct wk_script_part *part, const struct wk_script_head *head)
{
	return part->collapse && wk_str_starts(head->comm, "java");
}

/* Is the end of the part behind a blank line? */
static bool ends_in_blank(const struct wk_script_part *part, const char *from)
{
	const char *at = part->end;
	size_t feeds = 0;

	for (; at > from && (at[-1] == '\n' || at[-1] == '\r'); at--)
		feeds += at[-1] == '\n';
	return feeds > 1;
}

static void add_sample(struct wk_script_part *part, const struct wk_script_head *head)
{
	const char *from = part->at;
	uint32_t chain = next_chain(part, is_java(part, head));

	if (part->wants_blank && part->at == part->end && !ends_in_blank(part, from - 1))
		part->has_unfinished = true;
	else
		add_row(part, head, chain);
}

static void read_sample(struct wk_script_part *part)
{
	struct wk_str raw = line_at(part->at, part->end), line = without_return(raw);
	const char *next = behind(raw, part->end);
	struct wk_script_head head;

	if (!head_of(part, line, &head)) {
		struct wk_script_frame_line frame;

		if (!is_bare_head(part, line, next, &head)) {
			if (wk_script_line_kind(line, &frame) != WK_SCRIPT_LINE_EXTRA)
				note_bad(part, line, true);
			part->at = next;
			return;
		}
		if (head.who.len == 0)
			next = part->at;
	}
	part->at = next;
	if (head.is_record)
		part->lost += head.lost;
	else if (head.frame.len)
		add_row(part, &head, chain_of_frame(part, head.frame, is_java(part, &head)));
	else
		add_sample(part, &head);
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
		line = line_at(part->at, part->end);
		if (*part->at != '#' && wk_trim(without_return(line)).len)
			return true;
		part->at = behind(line, part->end);
	}
	return false;
}

bool wk_script_part_read(struct wk_script_part *part, size_t most)
{
	while (part->row_count < most) {
		if (!skip_between(part))
			return false;
		read_sample(part);
	}
	return true;
}
