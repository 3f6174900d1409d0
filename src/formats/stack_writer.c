#include "formats/stack_writer.h"

#include <assert.h>

#include "base/hash.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/strtab.h"
#include "base/trie.h"
#include "names/closure.h"

#define WALKS_AT_ONCE 128

#define FEWEST_EXPECTED 16384 /* stacks, before the total is estimated */
#define MOST_GROWTH     64

/* The key of a frame; texts by number. */
struct frame_row {
	uint64_t address;
	uint32_t name, image, file, line;
	uint8_t kind;
	bool is_inlined, is_unnamed;
	bool is_before; /* of the "before" side, if that makes another frame of it */
};

/* Numbered frames and stacks. */
struct wk_stack_store {
	struct wk_strtab *texts;
	struct wk_index index; /* of frames */
	struct frame_row *frames;
	size_t frames_cap;
	uint32_t frame_count;  /* row 0 is the empty one */
	uint32_t *plain_frame; /* by text: the frame with only this name, or 0 */
	size_t plain_cap;
	struct wk_trie stacks;
	bool is_before; /* what is read */
};

struct wk_stack_writer {
	struct wk_sink sink;
	struct wk_err err; /* of the sink */
	bool failed;
	struct wk_stack_store *known; /* the sink's or its own */
	uint32_t inputs_before;       /* stacks of earlier inputs, including the empty one */
	uint32_t emitted_stacks;      /* stacks below this id were emitted */
	struct wk_event count_event;  /* all but stack and weight */
	uint64_t samples, expected_samples;
};

struct wk_stack_store *wk_stack_store_new(void)
{
	struct wk_stack_store *store = wk_alloc(sizeof(*store));

	*store = (struct wk_stack_store){ .texts = wk_strtab_new(), .frame_count = 1 };
	WK_RESERVE(store->frames, store->frames_cap, 1);
	store->frames[0] = (struct frame_row){ 0 };
	wk_trie_init(&store->stacks);
	return store;
}

void wk_stack_store_free(struct wk_stack_store *store)
{
	if (!store)
		return;
	wk_strtab_free(store->texts);
	wk_index_fini(&store->index);
	wk_trie_fini(&store->stacks);
	WK_FREE_ALL(store->frames, store->plain_frame, store);
}

void wk_stack_store_next_input(struct wk_stack_store *store, bool is_before)
{
	if (store->is_before != is_before)
		for (size_t i = 0; i < store->plain_cap; i++)
			store->plain_frame[i] = 0;
	store->is_before = is_before;
}

struct wk_stack_writer *wk_stack_writer_new(const struct wk_sink *sink)
{
	struct wk_stack_writer *writer = wk_alloc_zeroed(1, sizeof(*writer));

	writer->sink = *sink;
	writer->known = sink->stacks ? sink->stacks : wk_stack_store_new();
	writer->emitted_stacks = writer->inputs_before = writer->known->stacks.count;
	writer->count_event = (struct wk_event){
		.kind = WK_EVENT_SAMPLE, .cpu = WK_NO_CPU, .pid = WK_NO_PID, .tid = WK_NO_PID };
	return writer;
}

static void pass_on(struct wk_stack_writer *writer, const struct wk_event *event)
{
	if (!writer->failed)
		writer->failed = !wk_sink_emit(&writer->sink, event, &writer->err);
}

/* New stacks are collected until the next event: there are millions, and together they cost
 * little. */
static void emit_stacks(struct wk_stack_writer *writer)
{
	struct wk_event event = { .kind = WK_EVENT_STACKS, .cpu = WK_NO_CPU };
	uint32_t first = writer->emitted_stacks;

	assert(first <= writer->known->stacks.count);
	event.stacks = (struct wk_event_stacks){
		.first = first,
		.count = writer->known->stacks.count - first,
		.entries = writer->known->stacks.entries + first,
		.expected = writer->known->stacks.expected,
		.expected_samples = writer->expected_samples < UINT32_MAX
					    ? (uint32_t)writer->expected_samples : 0,
	};
	writer->emitted_stacks = writer->known->stacks.count;
	pass_on(writer, &event);
}

void wk_stack_writer_event(struct wk_stack_writer *writer, const struct wk_event *event)
{
	if (writer->emitted_stacks < writer->known->stacks.count)
		emit_stacks(writer);
	if (event->kind == WK_EVENT_SUMS)
		writer->samples += event->sums.count;
	else if (event->kind == WK_EVENT_LISTS)
		writer->samples += event->lists.count;
	writer->samples += event->kind == WK_EVENT_SAMPLE || event->kind == WK_EVENT_HEAP ||
			   event->kind == WK_EVENT_HEAP_SUM;
	pass_on(writer, event);
}

static bool same_frame(const void *table, uint32_t id, const void *key)
{
	const struct frame_row *a = &((const struct wk_stack_store *)table)->frames[id];
	const struct frame_row *b = key;

	return a->name == b->name && a->image == b->image && a->file == b->file &&
	       a->line == b->line && a->address == b->address && a->kind == b->kind &&
	       a->is_inlined == b->is_inlined && a->is_unnamed == b->is_unnamed &&
	       a->is_before == b->is_before;
}

static uint32_t emit_frame(struct wk_stack_writer *writer, const struct frame_row *row,
			   const struct wk_event_frame *frame)
{
	struct wk_event event = { .kind = WK_EVENT_FRAME, .cpu = WK_NO_CPU };
	struct wk_stack_store *known = writer->known;

	event.frame = *frame;
	event.frame.number = known->frame_count;
	WK_RESERVE(known->frames, known->frames_cap, (size_t)known->frame_count + 1);
	known->frames[known->frame_count] = *row;
	pass_on(writer, &event); /* collected stacks refer to older frames */
	return known->frame_count++;
}

static uint32_t text_number(struct wk_stack_writer *writer, const struct wk_event_frame *frame,
			    struct wk_str text)
{
	return frame->is_lasting ? wk_strtab_add_lasting(writer->known->texts, text)
				 : wk_strtab_add_str(writer->known->texts, text);
}

/* The writer's copies of texts last longer than the caller's. */
static struct wk_event_frame lasting_frame(const struct wk_stack_writer *writer,
					   const struct frame_row *row,
					   const struct wk_event_frame *supplied)
{
	struct wk_event_frame frame = *supplied;

	frame.name = wk_strtab_str(writer->known->texts, row->name);
	frame.image = wk_strtab_str(writer->known->texts, row->image);
	frame.file = wk_strtab_str(writer->known->texts, row->file);
	frame.is_lasting = true;
	return frame;
}

uint32_t wk_stack_writer_frame(struct wk_stack_writer *writer, const struct wk_event_frame *frame)
{
	struct frame_row row = {
		.address = frame->address,
		.name = text_number(writer, frame, frame->name),
		.image = text_number(writer, frame, frame->image),
		.file = text_number(writer, frame, frame->file),
		.line = frame->line,
		.kind = (uint8_t)frame->kind,
		.is_inlined = frame->is_inlined,
		.is_unnamed = frame->is_unnamed,
		.is_before = writer->known->is_before && wk_closure_has_lines(frame->name),
	};
	uint64_t hash = wk_hash_pair((uint64_t)row.name << 32 | row.image,
				     wk_hash_pair(row.address ^ (uint64_t)row.file << 32,
						  (uint64_t)row.line << 8 | row.kind));
	uint32_t id = wk_index_find(&writer->known->index, hash, same_frame, writer->known, &row);
	struct wk_event_frame lasting;

	if (id)
		return id;
	lasting = lasting_frame(writer, &row, frame);
	id = emit_frame(writer, &row, &lasting);
	wk_index_add(&writer->known->index, hash, id);
	return id;
}

/* An earlier input may have emitted it. */
uint32_t wk_stack_writer_new_frame(struct wk_stack_writer *writer,
				   const struct wk_event_frame *frame)
{
	if (writer->sink.stacks)
		return wk_stack_writer_frame(writer, frame);
	return emit_frame(writer, &(struct frame_row){ 0 }, frame);
}

/* A separate table by the number of the text saves one of two lookups. */
uint32_t wk_stack_writer_name(struct wk_stack_writer *writer, struct wk_str name)
{
	struct wk_stack_store *known = writer->known;
	uint32_t text = wk_strtab_add_str(known->texts, name);

	WK_RESERVE_ZEROED(known->plain_frame, known->plain_cap, (size_t)text + 1);
	if (!known->plain_frame[text])
		known->plain_frame[text] =
			wk_stack_writer_frame(writer, &(struct wk_event_frame){ .name = name });
	return known->plain_frame[text];
}

uint32_t wk_stack_writer_stack(struct wk_stack_writer *writer, uint32_t parent, uint32_t frame)
{
	return wk_trie_add(&writer->known->stacks, parent, frame);
}

uint32_t wk_stack_writer_push(struct wk_stack_writer *writer, uint32_t parent,
			      const struct wk_event_frame *frame)
{
	return wk_stack_writer_stack(writer, parent, wk_stack_writer_frame(writer, frame));
}

uint32_t wk_stack_writer_reversed(struct wk_stack_writer *writer, const uint32_t *frames,
				  size_t count)
{
	uint32_t stack = 0;

	while (count)
		stack = wk_stack_writer_stack(writer, stack, frames[--count]);
	return stack;
}

/* Stacks that are looked up side by side. */
struct walking {
	struct wk_trie *stacks;
	struct wk_stack_walk *walks;
	uint32_t depth[WALKS_AT_ONCE];  /* frames found so far, by walk */
	uint8_t open[WALKS_AT_ONCE];    /* walks that are not at their end, [left] */
	uint32_t hashes[WALKS_AT_ONCE]; /* hashes of the next steps */
	size_t left;
};

/* Follows each walk as long as the next stack directly follows its caller in the table. True if
 * walks are left. */
static bool walk_on(const struct wk_trie *stacks, struct wk_stack_walk *walk, uint32_t *depth)
{
	while (*depth < walk->count && wk_trie_is_next(stacks, walk->stack, walk->frames[*depth])) {
		walk->stack++;
		(*depth)++;
	}
	return *depth < walk->count;
}

/* Prefetches the slots of the next lookups. */
static void ask_for_slots(struct walking *w)
{
	size_t still = 0;

	for (size_t i = 0; i < w->left; i++) {
		struct wk_stack_walk *walk = &w->walks[w->open[i]];
		uint32_t *depth = &w->depth[w->open[i]];

		if (!walk_on(w->stacks, walk, depth))
			continue;
		w->hashes[still] = wk_trie_hash(walk->stack, walk->frames[*depth]);
		wk_trie_prefetch(w->stacks, w->hashes[still]);
		w->open[still++] = w->open[i];
	}
	w->left = still;
}

/* Walks whose next stack was found continue. */
static void look_up(struct walking *w)
{
	const struct wk_trie *stacks = w->stacks;
	size_t still = 0;

	for (size_t i = 0; i < w->left && stacks->slots; i++) {
		uint32_t id = stacks->slots[w->hashes[i] >> stacks->slot_shift].id;

		__builtin_prefetch(&stacks->entries[id]);
	}
	for (size_t i = 0; i < w->left; i++) {
		struct wk_stack_walk *walk = &w->walks[w->open[i]];
		uint32_t *depth = &w->depth[w->open[i]];
		uint32_t found = wk_trie_find_hashed(stacks, walk->stack, walk->frames[*depth],
						     w->hashes[i]);

		if (!found)
			continue;
		walk->stack = found;
		(*depth)++;
		w->open[still++] = w->open[i];
	}
	w->left = still;
}

/* Adds the missing stacks. After a new stack all are new. */
static void add_rest(struct wk_trie *stacks, struct wk_stack_walk *walk, uint32_t depth)
{
	uint32_t known = stacks->count;

	for (; depth < walk->count && stacks->count == known; depth++)
		walk->stack = wk_trie_add(stacks, walk->stack, walk->frames[depth]);
	for (; depth < walk->count; depth++)
		walk->stack = wk_trie_append(stacks, walk->stack, walk->frames[depth]);
}

/* Looks up all walks side by side, so that their cache misses overlap. */
static void walk_some(struct wk_stack_writer *writer, struct wk_stack_walk *walks, size_t count)
{
	struct walking w = { .stacks = &writer->known->stacks, .walks = walks, .left = count };

	for (size_t i = 0; i < count; i++)
		w.open[i] = (uint8_t)i;
	while (w.left) {
		ask_for_slots(&w);
		look_up(&w);
	}
	for (size_t i = 0; i < count; i++)
		add_rest(w.stacks, &walks[i], w.depth[i]);
}

void wk_stack_writer_walk(struct wk_stack_writer *writer, struct wk_stack_walk *walks, size_t count)
{
	for (size_t i = 0; i < count; i += WALKS_AT_ONCE)
		walk_some(writer, walks + i, count - i < WALKS_AT_ONCE ? count - i : WALKS_AT_ONCE);
}

/* The estimated total if the rest is like what was read; limited, in case the start is not
 * typical. */
static uint64_t in_all(uint64_t count, uint64_t done, uint64_t whole)
{
	double all = done ? (double)count * (double)whole / (double)done : 0;
	double most = (double)count * MOST_GROWTH;

	return (uint64_t)(all < most ? all : most);
}

/* New stacks become rarer, so fewer than in proportion are left. Samples may be slightly more. */
void wk_stack_writer_progress(struct wk_stack_writer *writer, uint64_t done, uint64_t whole)
{
	uint64_t count = writer->known->stacks.count - writer->inputs_before;
	uint64_t samples = in_all(writer->samples, done, whole);

	if (count < FEWEST_EXPECTED)
		return;
	wk_stack_writer_expect(writer, (uint32_t)(in_all(count, done, whole) - count));
	writer->expected_samples = samples + samples / 32;
}

void wk_stack_writer_expect(struct wk_stack_writer *writer, uint32_t count)
{
	if (count < UINT32_MAX - writer->known->stacks.count)
		wk_trie_expect(&writer->known->stacks, writer->known->stacks.count + count);
}

void wk_stack_writer_emit_source(struct wk_stack_writer *writer,
				 const struct wk_event_source *source)
{
	struct wk_event event = { .kind = WK_EVENT_SOURCE, .cpu = WK_NO_CPU, .source = *source };

	wk_stack_writer_event(writer, &event);
}

void wk_stack_writer_source(struct wk_stack_writer *writer, uint32_t number, const char *name,
			    const char *unit, bool is_cpu_time)
{
	struct wk_event_source source = { .source = number, .name = wk_str_c(name),
					  .unit = wk_str_c(unit), .is_cpu_time = is_cpu_time,
					  .is_weighed = true };

	wk_stack_writer_emit_source(writer, &source);
}

void wk_stack_writer_process(struct wk_stack_writer *writer, uint32_t pid, struct wk_str name)
{
	struct wk_event event = { .kind = WK_EVENT_PROCESS, .pid = pid, .tid = pid,
				  .cpu = WK_NO_CPU,
				  .process = { .change = WK_PROCESS_SEEN, .name = name } };

	wk_stack_writer_event(writer, &event);
}

void wk_stack_writer_command(struct wk_stack_writer *writer, uint32_t pid,
			     struct wk_str command_line)
{
	struct wk_str rest = command_line, program = wk_str_cut(&rest, ' ');
	struct wk_event event = { .kind = WK_EVENT_PROCESS, .pid = pid, .tid = pid,
				  .cpu = WK_NO_CPU,
				  .process = { .change = WK_PROCESS_SEEN,
					       .name = wk_str_basename(program),
					       .command_line = command_line } };

	wk_stack_writer_event(writer, &event);
}

void wk_stack_writer_thread(struct wk_stack_writer *writer, uint32_t pid, uint32_t tid,
			    struct wk_str name)
{
	struct wk_event event = { .kind = WK_EVENT_THREAD, .pid = pid, .tid = tid,
				  .cpu = WK_NO_CPU,
				  .thread = { .change = WK_THREAD_SEEN, .name = name } };

	wk_stack_writer_event(writer, &event);
}

void wk_stack_writer_sample(struct wk_stack_writer *writer, uint64_t time_ns, uint32_t pid,
			    uint32_t tid, uint32_t source, uint32_t stack, uint64_t weight)
{
	struct wk_event event = { .kind = WK_EVENT_SAMPLE, .time_ns = time_ns, .pid = pid,
				  .tid = tid, .cpu = WK_NO_CPU,
				  .sample = { .source = source, .weight = weight,
					      .named_stack = stack } };

	wk_stack_writer_event(writer, &event);
}

void wk_stack_writer_count(struct wk_stack_writer *writer, uint32_t stack, uint64_t weight)
{
	writer->count_event.sample.named_stack = stack;
	writer->count_event.sample.weight = weight;
	wk_stack_writer_event(writer, &writer->count_event);
}

static void emit_note(struct wk_stack_writer *writer, enum wk_note_severity severity,
		      struct wk_str text)
{
	struct wk_event event = {
		.kind = WK_EVENT_NOTE, .cpu = WK_NO_CPU,
		.note = { .offset = WK_NOWHERE, .text = text, .severity = severity } };

	wk_stack_writer_event(writer, &event);
}

void wk_stack_writer_note(struct wk_stack_writer *writer, struct wk_str text)
{
	emit_note(writer, WK_NOTE_FAULT, text);
}

void wk_stack_writer_remark(struct wk_stack_writer *writer, struct wk_str text)
{
	emit_note(writer, WK_NOTE_REMARK, text);
}

uint64_t wk_stack_writer_samples(const struct wk_stack_writer *writer)
{
	return writer->samples;
}

bool wk_stack_writer_is_done(const struct wk_stack_writer *writer)
{
	return writer->failed;
}

bool wk_stack_writer_end(struct wk_stack_writer *writer, struct wk_err *err)
{
	bool ok;

	if (writer->emitted_stacks < writer->known->stacks.count)
		emit_stacks(writer);
	ok = !writer->failed && (!err || err->code == WK_OK);

	if (writer->failed && err && err->code == WK_OK)
		*err = writer->err;
	if (!writer->sink.stacks)
		wk_stack_store_free(writer->known);
	wk_free(writer);
	return ok;
}
