/* Call chains: from the text of their lines to numbers. Lines are looked up by their text before
 * they are parsed; a hash that matches is always confirmed by comparing the text. */
#include "formats/perf_script/internal.h"

#include "base/hash.h"
#include "base/mem.h"

#define IN_KERNEL 1 /* flavours of a line */
#define OF_JAVA   2
#define IS_USUAL  4

/* Frames, looked up by their fields. */

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
	uint64_t place = wk_hash_pair(wk_hash_bytes(frame->file.at, frame->file.len), frame->line);
	uint64_t hash = wk_hash_pair(wk_hash_bytes(frame->name.at, frame->name.len),
				     wk_hash_bytes(frame->image.at, frame->image.len) ^ place ^
					     frame->is_inlined);
	uint32_t id = wk_index_find(&part->frame_index, hash, same_frame, part, frame);

	if (id)
		return id;
	id = part->frame_count;
	*WK_APPEND(part->frames, part->frame_count, part->frames_cap) = *frame;
	/* In collapse mode the name is in a temporary buffer. */
	part->frames[id].name = part->collapse ? wk_arena_copy(&part->texts, frame->name)
					       : wk_script_kept(part, frame->name);
	part->frames[id].image = wk_script_kept(part, frame->image);
	part->frames[id].file = wk_script_kept(part, frame->file);
	wk_index_add(&part->frame_index, hash, id);
	return id;
}

void wk_script_add_frame(struct wk_script_part *part, const struct wk_event_frame *frame)
{
	*WK_APPEND(part->line_frames, part->line_frame_count, part->line_frames_cap) =
		frame_id(part, frame);
}

/* Lines, looked up by their text behind the address. */

static bool same_line(const void *table, uint32_t id, const void *key)
{
	const struct wk_script_known_line *a = &((const struct wk_script_part *)table)->lines[id];
	const struct wk_script_known_line *b = key;

	return a->len == b->len && a->image_len == b->image_len && a->flavour == b->flavour &&
	       memcmp(a->at, b->at, a->len) == 0 &&
	       (a->image_len == 0 || memcmp(a->image, b->image, a->image_len) == 0);
}

/* All that determines a line's frames: the text behind the address and the source line, which are
 * contiguous in the input, and the address if an option shows it. */
static struct wk_script_known_line key_of(const struct wk_script_part *part,
					  const struct wk_script_frame_line *line, bool is_java)
{
	const char *begin =
		part->collapse && part->collapse->with_addresses ? line->address.at : line->rest.at;
	const char *end = line->source.len ? line->source.at + line->source.len
					   : line->rest.at + line->rest.len;

	return (struct wk_script_known_line){
		.at = begin,
		.len = (uint32_t)(end - begin),
		.flavour = (uint8_t)((line->in_kernel ? IN_KERNEL : 0) | (is_java ? OF_JAVA : 0)),
	};
}

/* The number of a line that was not found; 0 if it is no frame after all. */
static uint32_t add_line(struct wk_script_part *part, const struct wk_script_frame_line *line,
			 bool is_java, struct wk_script_known_line *key, uint64_t hash)
{
	key->first = (uint32_t)part->line_frame_count;
	if (part->collapse ? !wk_script_frames_collapse(part, line, is_java, &key->cuts)
			   : !wk_script_frames_plain(part, line))
		return 0;
	key->count = (uint32_t)(part->line_frame_count - key->first);
	/* Together, so that comparing with them stays in a few pages of memory. */
	key->at = wk_arena_copy(&part->texts, wk_str_of(key->at, key->len)).at;
	key->image = wk_arena_copy(&part->texts, wk_str_of(key->image, key->image_len)).at;
	wk_index_add(&part->line_index, hash, part->line_count);
	*WK_APPEND(part->lines, part->line_count, part->lines_cap) = *key;
	return part->line_count - 1;
}

static uint32_t line_id(struct wk_script_part *part, const struct wk_script_frame_line *line,
			bool is_java)
{
	struct wk_script_known_line key = key_of(part, line, is_java);
	uint64_t hash = wk_hash_bytes(key.at, key.len) ^ key.flavour;
	uint32_t id = wk_index_find(&part->line_index, hash, same_line, part, &key);

	return id ? id : add_line(part, line, is_java, &key, hash);
}

/* Usual lines of a chain, taken apart before they are looked up, so that the memory of all lookups
 * is fetched at once. They are found again by name and image, whatever the offset. */
#define LINES_AT_ONCE 24

struct usual_lines {
	struct wk_script_usual_line at[LINES_AT_ONCE];
	struct wk_script_known_line key[LINES_AT_ONCE];
	uint64_t hash[LINES_AT_ONCE];
	size_t count;
};

static void add_usual_line(struct wk_script_part *part, struct usual_lines *lines,
			   const struct wk_script_usual_line *line, bool is_java)
{
	struct wk_script_known_line *key = &lines->key[lines->count];
	uint64_t *hash = &lines->hash[lines->count];

	*key = (struct wk_script_known_line){
		.at = line->name.at, .len = (uint32_t)line->name.len,
		.image = line->image.at, .image_len = (uint32_t)line->image.len,
		.flavour = (uint8_t)((line->in_kernel ? IN_KERNEL : 0) | (is_java ? OF_JAVA : 0) |
				     IS_USUAL),
	};
	*hash = wk_hash_pair(wk_hash_bytes(key->at, key->len),
			     wk_hash_bytes(key->image, key->image_len) ^ key->flavour);
	wk_index_prefetch(&part->line_index, *hash);
	lines->at[lines->count++] = *line;
}

static void fetch_rows(const struct wk_script_part *part, const struct usual_lines *lines)
{
	for (size_t i = 0; i < lines->count; i++) {
		uint32_t id = wk_index_guess(&part->line_index, lines->hash[i]);

		if (id)
			__builtin_prefetch(&part->lines[id]);
	}
	for (size_t i = 0; i < lines->count; i++) {
		uint32_t id = wk_index_guess(&part->line_index, lines->hash[i]);

		if (!id)
			continue;
		__builtin_prefetch(part->lines[id].at);
		__builtin_prefetch(part->lines[id].at + lines->key[i].len);
	}
}

static uint32_t usual_line_id(struct wk_script_part *part, struct usual_lines *lines, size_t i,
			      bool is_java)
{
	struct wk_script_known_line *key = &lines->key[i];
	const struct wk_script_usual_line *line = &lines->at[i];
	uint32_t id = wk_index_find(&part->line_index, lines->hash[i], same_line, part, key);
	struct wk_script_frame_line whole = {
		.rest = line->rest, .source = wk_str_of(line->rest.at, 0),
		.in_kernel = line->in_kernel };

	return id ? id : add_line(part, &whole, is_java, key, lines->hash[i]);
}

/* A chain while its lines are read. */
struct chain {
	const char *end; /* of what may belong to it */
	bool is_java;
	bool has_ended; /* before `end` */
	bool is_cut;    /* by an option, behind the last pending line */
	size_t pending;
};

static void add_pending(struct wk_script_part *part, struct chain *chain, uint32_t id)
{
	if (chain->is_cut)
		return;
	*WK_APPEND(part->pending, chain->pending, part->pending_cap) = id;
	chain->is_cut = part->lines[id].cuts;
}

/* Does a sample begin here without a blank line before it? Lines of a chain begin with a tab or
 * blanks; first lines that contain their only frame may begin with blanks as well. */
static bool begins_sample(struct wk_str line, bool is_frame)
{
	struct wk_script_head head;

	if (line.at[0] == '\t' || !wk_script_head_parse(line, &head))
		return false;
	return !is_frame || line.at[0] != ' ' || head.frame.len > 0 || head.has_time;
}

/* The source line behind a frame, if there is one. */
static const char *read_source(struct wk_script_frame_line *frame, const char *at, const char *end)
{
	struct wk_script_frame_line other;
	struct wk_str line = wk_script_line_at(at, end);

	if (wk_script_line_kind(wk_script_plain_line(line), &other) != WK_SCRIPT_LINE_SOURCE ||
	    begins_sample(wk_script_plain_line(line), false))
		return at;
	frame->source = wk_trim(wk_script_plain_line(line));
	return wk_script_line_behind(line, end);
}

/* Reads one line and its source line; returns the start of the next. */
static const char *read_line(struct wk_script_part *part, struct chain *chain, const char *at)
{
	struct wk_str raw = wk_script_line_at(at, chain->end), line = wk_script_plain_line(raw);
	const char *next = wk_script_line_behind(raw, chain->end);
	struct wk_script_frame_line frame;
	enum wk_script_line_kind kind;
	uint32_t id = 0;

	if (line.len && line.at[0] == '#')
		return next;
	kind = wk_script_line_kind(line, &frame);
	if (kind == WK_SCRIPT_LINE_BLANK || begins_sample(line, kind == WK_SCRIPT_LINE_FRAME)) {
		chain->has_ended = true;
		return kind == WK_SCRIPT_LINE_BLANK ? next : at;
	}
	if (kind == WK_SCRIPT_LINE_FRAME) {
		next = read_source(&frame, next, chain->end);
		id = line_id(part, &frame, chain->is_java);
	}
	if (id)
		add_pending(part, chain, id);
	else if (kind == WK_SCRIPT_LINE_FRAME || kind == WK_SCRIPT_LINE_OTHER)
		wk_script_note_bad(part, line, false);
	return next;
}

/* Do the older tools' options show or use addresses? */
static bool needs_addresses(const struct wk_collapse *collapse)
{
	return collapse && (collapse->with_addresses || collapse->inliner);
}

/* Reads some lines of the usual form; returns the start of what follows them. */
static const char *read_usual_lines(struct wk_script_part *part, struct chain *chain,
				    const char *at)
{
	struct wk_script_usual_line line;
	struct usual_lines lines;
	const char *next = at;

	lines.count = 0;
	while (lines.count < LINES_AT_ONCE && !needs_addresses(part->collapse) &&
	       wk_script_usual_line(next, chain->end, &line)) {
		add_usual_line(part, &lines, &line, chain->is_java);
		next = line.next;
	}
	fetch_rows(part, &lines);
	for (size_t i = 0; i < lines.count; i++) {
		uint32_t id = usual_line_id(part, &lines, i, chain->is_java);

		if (!id)
			break;
		add_pending(part, chain, id);
		at = lines.at[i].next;
	}
	return at;
}

/* Adds the pending lines to each other, outermost first. */
static uint32_t stack_up(struct wk_script_part *part, const struct chain *chain)
{
	uint32_t id = chain->is_cut ? wk_trie_add(&part->chains, 0, 0) : 0;

	for (size_t i = chain->pending; i-- > 0;) {
		const struct wk_script_known_line *line = &part->lines[part->pending[i]];

		for (uint32_t k = 0; k < line->count; k++)
			id = wk_trie_add(&part->chains, id, part->line_frames[line->first + k]);
	}
	return id;
}

uint32_t wk_script_next_chain(struct wk_script_part *part, bool is_java)
{
	struct chain chain = { .end = part->end, .is_java = is_java };
	const char *at = part->at;

	while (at < chain.end && *at != '\n' && !chain.has_ended) {
		const char *next = read_usual_lines(part, &chain, at);

		at = next > at ? next : read_line(part, &chain, at);
	}
	part->at = at;
	return stack_up(part, &chain);
}

uint32_t wk_script_chain_of_frame(struct wk_script_part *part, struct wk_str text, bool is_java)
{
	struct chain chain = { .is_java = is_java };
	struct wk_script_frame_line frame;
	uint32_t id = 0;

	if (wk_script_line_kind(text, &frame) == WK_SCRIPT_LINE_FRAME) {
		part->at = read_source(&frame, part->at, part->end);
		id = line_id(part, &frame, is_java);
	}
	if (id)
		add_pending(part, &chain, id);
	return stack_up(part, &chain);
}
