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

/* About sixteen for each chain of usual length, but no more than a processor keeps at hand. */
static uint64_t filter_bits(size_t size_bytes)
{
	uint64_t bits = 1 << 10;

	while (bits < size_bytes / 32 && bits < 1 << 21)
		bits *= 2;
	return bits;
}

void wk_script_part_init(struct wk_script_part *part, const struct wk_collapse *collapse,
		       const char *begin, const char *end)
{
	*part = (struct wk_script_part){
		.collapse = collapse, .at = begin, .end = end, .mixed_until = begin };
	wk_trie_init(&part->chains);
	part->met_mask = filter_bits((size_t)(end - begin)) - 1;
	part->met = wk_alloc_zeroed((part->met_mask + 1) / 64, sizeof(*part->met));
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
	free(part->met);
	wk_index_fini(&part->known_index);
	free(part->pending);
	free(part->tasks);
	wk_index_fini(&part->task_index);
	wk_strtab_free(part->event_names);
	free(part->events);
	free(part->rows);
	wk_index_fini(&part->row_index);
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

static uint64_t load(const char *at)
{
	uint64_t word;

	memcpy(&word, at, sizeof(word));
	return word;
}

static uint64_t mix(uint64_t sum, uint64_t word)
{
	sum = (sum ^ word) * 0x9e3779b97f4a7c15u;
	return sum << 29 | sum >> 35;
}

/* Four sums side by side: a chain is some hundred bytes, and each step must wait for its
 * product. */
static uint64_t hash_text(const char *at, size_t len)
{
	uint64_t a = len, b = 0xd6e8feb86659fd93u, c = ~b, d = b >> 1;

	for (; len >= 32; at += 32, len -= 32) {
		a = mix(a, load(at));
		b = mix(b, load(at + 8));
		c = mix(c, load(at + 16));
		d = mix(d, load(at + 24));
	}
	for (; len >= 8; at += 8, len -= 8)
		a = mix(a, load(at));
	for (; len; at++, len--)
		b = mix(b, (uint8_t)*at);
	return wk_hash_pair(mix(a, b), mix(c, d));
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

/* Most texts that are new never come again. So only what is met a second time is remembered, and
 * a bit for each hash tells whether it was; where it was not, no look-up is needed. */
static bool was_met(const struct wk_script_part *part, uint64_t hash)
{
	uint64_t bit = hash & part->met_mask;

	return part->met[bit / 64] >> bit % 64 & 1;
}

static void remember(struct wk_script_part *part, const struct wk_script_known_chain *key)
{
	uint64_t bit = key->hash & part->met_mask;

	if (!was_met(part, key->hash)) {
		part->met[bit / 64] |= (uint64_t)1 << bit % 64;
		return;
	}

	part->known = wk_grow(part->known, &part->known_cap, (size_t)part->known_count + 1,
			      sizeof(*part->known));
	part->known[part->known_count] = *key;
	wk_index_add(&part->known_index, key->hash, part->known_count++);
}

/* Sixteen bytes at once; the compiler makes one instruction of each step. */
typedef uint8_t block __attribute__((vector_size(16)));
typedef uint64_t halves __attribute__((vector_size(16)));

/* Bytes of all ones where two line feeds follow each other. */
static inline block feed_pairs(const char *at)
{
	const block feeds = { '\n', '\n', '\n', '\n', '\n', '\n', '\n', '\n',
			      '\n', '\n', '\n', '\n', '\n', '\n', '\n', '\n' };
	block here, next;

	memcpy(&here, at, sizeof(here));
	memcpy(&next, at + 1, sizeof(next));
	return (block)(here == feeds) & (block)(next == feeds);
}

/* Behind the line feed that ends the last line before an empty one, or the end. */
static const char *blank_after(const char *at, const char *end)
{
	for (; end - at > 64; at += 64) {
		halves any = (halves)(feed_pairs(at) | feed_pairs(at + 16) | feed_pairs(at + 32) |
				      feed_pairs(at + 48));

		if (any[0] | any[1])
			break;
	}
	for (; end - at > 16; at += 16) {
		halves any = (halves)feed_pairs(at);

		if (any[0] | any[1])
			break;
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
	uint32_t id = 0;

	if (chain->tried_count > TAILS || chain->end - at > LONGEST)
		return false;
	key = chain_key(at, chain->end, chain->is_java);
	if (was_met(part, key.hash))
		id = wk_index_find(&part->known_index, key.hash, same_chain, part, &key);
	if (id) {
		chain->callers = part->known[id].chain;
		return true;
	}
	chain->tried_at[chain->tried_count] = chain->pending;
	chain->tried[chain->tried_count++] = key;
	return false;
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
	return !is_frame || line.at[0] != ' ' || head.frame.len > 0 || head.has_time;
}

/* The line of source behind a frame, if there is one. */
static const char *take_source(struct wk_script_frame_line *frame, const char *at, const char *end)
{
	struct wk_script_frame_line other;
	struct wk_str line = line_at(at, end);

	if (wk_script_line_kind(without_return(line), &other) != WK_SCRIPT_LINE_SOURCE ||
	    begins_sample(without_return(line), false))
		return at;
	frame->source = wk_trim(without_return(line));
	return behind(line, end);
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

/* The event as it stands in the line, with all modifiers and the colon: its last word, if the
 * name that the line was read to have is in it. */
static void note_event_word(struct wk_script_part *part, const struct wk_script_head *head,
			    uint32_t id)
{
	const char *begin = head->event.at, *end = begin + head->event.len;

	part->last_event = 0;
	while (end < part->end && *end != ' ' && *end != '\n' && *end != '\r')
		end++;
	if (head->event.len == 0 || begin[-1] != ' ' || end[-1] != ':')
		return;
	part->last_event = id;
	part->last_event_word = wk_str_of(begin, (size_t)(end - begin));
}

/* Row 0 is left to samples that do not say what they are of. */
static uint32_t event_id(struct wk_script_part *part, const struct wk_script_head *head)
{
	uint32_t id;

	if (!head->has_event)
		return 0;
	id = wk_strtab_add_str(part->event_names, head->event) + 1;
	if (id >= part->events_cap) {
		size_t old = part->events_cap;

		part->events = wk_grow(part->events, &part->events_cap, (size_t)id + 1,
				       sizeof(*part->events));
		memset(part->events + old, 0,
		       (part->events_cap - old) * sizeof(*part->events));
	}
	note_event_word(part, head, id);
	return id;
}

static bool same_row(const void *table, uint32_t id, const void *key)
{
	const struct wk_script_row *a = &((const struct wk_script_part *)table)->rows[id - 1];
	const struct wk_script_row *b = key;

	return a->chain == b->chain && a->task == b->task && a->event == b->event;
}

/* Where an older tool is followed only the sums are asked for: a row for each distinct stack. */
static bool add_to_row(struct wk_script_part *part, const struct wk_script_row *row)
{
	uint64_t hash = wk_hash_pair((uint64_t)row->task << 32 | row->chain, row->event);
	uint32_t id = wk_index_find(&part->row_index, hash, same_row, part, row);
	struct wk_script_row *sum;

	if (!id) {
		wk_index_add(&part->row_index, hash, (uint32_t)part->row_count + 1);
		return false;
	}
	sum = &part->rows[id - 1];
	sum->weight = row->weight > UINT64_MAX - sum->weight ? UINT64_MAX
							     : sum->weight + row->weight;
	return true;
}

static void add_row(struct wk_script_part *part, const struct wk_script_row *row)
{
	if (part->collapse && add_to_row(part, row))
		return;
	part->rows = wk_grow(part->rows, &part->rows_cap, part->row_count + 1,
			     sizeof(*part->rows));
	part->rows[part->row_count++] = *row;
}

static struct wk_script_row row_of(struct wk_script_part *part, const struct wk_script_head *head)
{
	return (struct wk_script_row){
		.time_ns = head->time_ns,
		.weight = head->has_period ? head->period : 1,
		.task = head->who.len ? task_id(part, head) : 0,
		.event = event_id(part, head),
		.cpu = head->cpu,
		.has_period = head->has_period,
	};
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

static bool is_java(const struct wk_script_part *part, const struct wk_script_row *row)
{
	return part->collapse && wk_str_starts(part->tasks[row->task].name, "java");
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

/* With the chain that stands behind the first line. */
static void add_sample(struct wk_script_part *part, struct wk_script_row *row)
{
	const char *from = part->at;

	row->chain = next_chain(part, is_java(part, row));
	if (part->wants_blank && part->at == part->end && !ends_in_blank(part, from - 1))
		part->has_unfinished = true;
	else
		add_row(part, row);
}

/* Numbers read from their last digit to the first; moves `*end` to it. */
static bool number_before(struct wk_str line, size_t *end, uint64_t *value, uint64_t *scale)
{
	size_t at = *end, most = at > 18 ? at - 18 : 0;

	*value = 0;
	*scale = 1;
	for (; at > most && line.at[at - 1] >= '0' && line.at[at - 1] <= '9'; at--) {
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
static bool time_before(struct wk_str line, size_t *end, struct wk_script_row *row)
{
	uint64_t fraction, scale, seconds, cpu, unused;
	size_t at = *end, cpu_at;

	if (at == 0 || line.at[--at] != ':' || !number_before(line, &at, &fraction, &scale) ||
	    scale > 1000000000 || line.at[--at] != '.' ||
	    !number_before(line, &at, &seconds, &unused) || unused > 10000000000u ||
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

/* Most first lines differ from earlier ones in their numbers only. Read from its end, a line
 * with the event of the last sample gives these without a question what they are, and what is
 * left must be a command and its numbers that are known. Anything else is read in full. */
static bool is_like_before(struct wk_script_part *part, struct wk_str line,
			   struct wk_script_row *row)
{
	struct wk_str event = part->last_event_word;
	size_t end = skip_blanks_before(line, line.len);
	uint64_t period, unused;
	struct wk_str who;

	if (!part->last_event || end < event.len + 2 || line.at[end - event.len - 1] != ' ' ||
	    memcmp(line.at + end - event.len, event.at, event.len) != 0)
		return false;
	*row = (struct wk_script_row){ .cpu = WK_NO_CPU, .weight = 1, .event = part->last_event };
	end = skip_blanks_before(line, end - event.len);
	if (number_before(line, &end, &period, &unused)) {
		if (end == 0 || line.at[end - 1] != ' ' || !period)
			return false;
		row->weight = period;
		row->has_period = true;
		end = skip_blanks_before(line, end);
	}
	if (!time_before(line, &end, row))
		return false;
	who = wk_str_of(line.at, end);
	row->task = wk_index_find(&part->task_index, wk_hash_bytes(who.at, who.len), same_task,
				  part, &who);
	return row->task != 0;
}

/* Reads a first line in full; false, behind it, if it is none. */
static bool read_head(struct wk_script_part *part, struct wk_str line, const char *next,
		      struct wk_script_head *head)
{
	struct wk_script_frame_line frame;
	const char *begin = part->at;

	part->at = next;
	if (head_of(part, line, head))
		return true;
	if (is_bare_head(part, line, next, head)) {
		if (head->who.len == 0)
			part->at = begin;
		return true;
	}
	if (wk_script_line_kind(line, &frame) != WK_SCRIPT_LINE_EXTRA)
		note_bad(part, line, true);
	return false;
}

static void read_sample(struct wk_script_part *part)
{
	struct wk_str raw = line_at(part->at, part->end), line = without_return(raw);
	const char *next = behind(raw, part->end);
	struct wk_script_head head;
	struct wk_script_row row;

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
		row.chain = chain_of_frame(part, head.frame, is_java(part, &row));
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
