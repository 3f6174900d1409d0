#include <inttypes.h>

#include "base/arena.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/text/textmap.h"
#include "base/text/word_cache.h"
#include "formats/collapse.h"
#include "formats/lines.h"
#include "formats/pieces.h"
#include "formats/reader.h"
#include "formats/scan.h"

/* Folded stacks: one per line, outermost frame first, separated by ';', then a count.
 * docs/formats/folded.md */

#define FRACTION_SCALE  1000
#define SIDES_LOOKED_AT 100 /* lines that decide whether all have two counts */

static const char expected[] = "lines of frames with ';' between them and a count at the end";

/* Lines are read in batches, so that the lookups of their stacks overlap. */
#define BATCH_LINES  128
#define BATCH_FRAMES 4096 /* a longer line is a batch of its own */

struct batch {
	struct wk_stack_walk walks[BATCH_LINES];
	size_t first_frame[BATCH_LINES];
	uint64_t count[BATCH_LINES], before[BATCH_LINES];
	size_t lines;
	uint32_t *frames;
	size_t frame_count, frames_cap;
};

struct reading {
	struct wk_stack_writer *writer;
	struct batch batch;
	bool is_in_pieces;
	struct wk_pieces pieces;
	struct wk_arena texts; /* of pieces, which are gone: what is kept of them */
	const char *start;     /* of the text that is there ... */
	uint64_t before_bytes; /* ... and how much of the input was before it */
	uint64_t whole_bytes;
	struct wk_lines lines;
	struct wk_bad_lines bad;
	struct wk_word_cache words; /* short text between two ';' to frame, recent ones only */
	struct wk_textmap frames;   /* all texts to frames */
	bool has_two_counts;        /* each line: before and after */
	bool may_sum;               /* samples, of one count each */
	bool may_list;              /* their frames, so that stacks have no numbers */
	uint32_t scale;             /* counts are multiplied by it: FRACTION_SCALE or 1 */
	uint64_t fractions;         /* lines whose count loses digits */
	const struct wk_collapse *collapse; /* as an older tool: empty frames count */
};

/* Multiplies `count` and its fraction by `scale`. True if digits are lost. */
static bool scale_count(struct wk_str fraction, uint32_t scale, uint64_t *count)
{
	uint64_t part = 0, unit = scale;
	bool is_lost = false;

	for (size_t i = 0; i < fraction.len; i++) {
		unit /= 10;
		part += unit * (uint64_t)(fraction.at[i] - '0');
		is_lost |= unit == 0 && fraction.at[i] != '0';
	}
	if (__builtin_mul_overflow(*count, scale, count) ||
	    __builtin_add_overflow(*count, part, count))
		*count = UINT64_MAX;
	return is_lost;
}

/* Most counts have one digit. */
static bool read_digit(struct wk_str *line, uint64_t *count)
{
	const char *end = line->at + line->len;

	if (line->len < 3 || !wk_is_digit(end[-1]) || end[-2] != ' ' || wk_is_blank(end[-3]))
		return false;
	*count = (uint64_t)(end[-1] - '0');
	line->len -= 2;
	return true;
}

/* Removes a number with a blank before it from the end of `line`, with the blanks; multiplies it by
 * `scale`. `lost` is set if digits of the fraction are lost. */
static bool read_count(struct wk_str *line, uint32_t scale, uint64_t *count, bool *lost)
{
	size_t end = line->len, start, whole;

	*lost = false;
	if (scale == 1 && read_digit(line, count))
		return true;
	while (end && wk_is_blank(line->at[end - 1]))
		end--;
	for (start = end;
	     start && (wk_is_digit(line->at[start - 1]) || line->at[start - 1] == '.');)
		start--;
	for (whole = start; whole < end && wk_is_digit(line->at[whole]);)
		whole++;
	if (start == 0 || !wk_is_blank(line->at[start - 1]) ||
	    (whole < end && memchr(line->at + whole + 1, '.', end - whole - 1)) ||
	    !wk_num_u64(wk_str_of(line->at + start, whole - start), count))
		return false;
	if (whole < end)
		*lost = scale_count(wk_str_of(line->at + whole + 1, end - whole - 1), scale, count);
	else if (scale > 1)
		scale_count((struct wk_str){ 0 }, scale, count);
	while (start && wk_is_blank(line->at[start - 1]))
		start--;
	line->len = start;
	return start > 0;
}

#define EACH_BYTE 0x0101010101010101u
#define HIGH_BITS 0x8080808080808080u

/* Marks the bytes of `word` that are ';' by their highest bits; only the first mark is exact. */
static uint64_t semicolons(uint64_t word)
{
	uint64_t differs = word ^ EACH_BYTE * ';';

	return (differs - EACH_BYTE) & ~differs & HIGH_BITS;
}

/* The next ';', or `end`; adds the bytes before it to `hash`, a word at a time. */
static const char *to_semicolon(const char *at, const char *end, uint64_t *hash)
{
	uint64_t word;
	size_t len;

	for (; end - at >= 8; at += 8) {
		uint64_t found;

		memcpy(&word, at, 8);
		found = WK_FROM_LE(64, semicolons(word));
		if (found) {
			len = (size_t)__builtin_ctzll(found) / 8;
			word = len ? WK_FROM_LE(64, word) << (64 - 8 * len) : 0;
			*hash = wk_textmap_mix(*hash, word ^ len);
			return at + len;
		}
		*hash = wk_textmap_mix(*hash, word);
	}
	for (len = 0; at + len < end && at[len] != ';';)
		len++;
	word = 0;
	for (size_t i = 0; i < len; i++) /* as the shift above */
		word |= (uint64_t)(uint8_t)at[i] << (64 - 8 * len + 8 * i);
	*hash = wk_textmap_mix(*hash, word ^ len);
	return at + len;
}

/* A ';' inside brackets with a blank after it belongs to the name: Rust writes array types as "[u8;
 * 4]". `close` is the closing bracket. */
static bool is_in_brackets(const char *at, const char *semicolon, const char *end,
			   const char **close)
{
	const char *next;

	if (semicolon + 1 >= end || semicolon[1] != ' ' ||
	    !memchr(at, '[', (size_t)(semicolon - at)))
		return false;
	next = memchr(semicolon + 1, ';', (size_t)(end - semicolon - 1));
	*close = memchr(semicolon, ']', (size_t)((next ? next : end) - semicolon));
	return *close;
}

/* The end of the frame at `at`, and its hash. */
static const char *end_of_frame(const char *at, const char *end, uint64_t *hash)
{
	const char *stop, *close;

	*hash = 0;
	stop = to_semicolon(at, end, hash);
	while (stop < end && is_in_brackets(at, stop, end, &close))
		stop = to_semicolon(close, end, hash);
	return stop;
}

/* Marks of the older tools after names. */
static void read_mark(struct wk_event_frame *frame)
{
	if (wk_str_ends(frame->name, "_[k]"))
		frame->kind = WK_FRAME_KERNEL;
	else if (wk_str_ends(frame->name, "_[j]"))
		frame->kind = WK_FRAME_JIT;
	else
		frame->is_inlined = wk_str_ends(frame->name, "_[i]");
}

static uint32_t frame_of(struct reading *r, struct wk_str name, uint64_t hash)
{
	uint32_t *known = wk_textmap_at_hashed(&r->frames, name, hash);
	struct wk_event_frame frame = { .name = name };

	if (!*known) {
		if (r->is_in_pieces) {
			frame.name = wk_arena_copy(&r->texts, name);
			wk_textmap_keep(known, frame.name.at);
		}
		read_mark(&frame);
		*known = wk_stack_writer_new_frame(r->writer, &frame);
	}
	return *known;
}

/* The cache entry of the short frame at `at`; NULL if it may not end at the first ';'. */
static uint32_t *short_frame(struct reading *r, const char *at, const char *end, size_t *len)
{
	uint32_t *number;

	if (r->lines.end - at < WK_WORD_BYTES)
		return NULL;
	number = wk_word_cache_at(&r->words, at, end, ';', len);
	return number && (end - at - 1 <= (ptrdiff_t)*len || at[*len + 1] != ' ') ? number : NULL;
}

/* The frame at `at`, or 0 if it is empty; `stop` is its end. */
static uint32_t next_frame(struct reading *r, const char *at, const char *end, const char **stop)
{
	size_t len;
	uint32_t *known = short_frame(r, at, end, &len), frame;
	uint64_t hash;

	if (known && *known) {
		*stop = at + len;
		return *known;
	}
	*stop = end_of_frame(at, end, &hash);
	if (*stop == at && !r->collapse)
		return 0;
	frame = frame_of(r, wk_str_of(at, (size_t)(*stop - at)), hash);
	if (known)
		*known = frame;
	return frame;
}

static void add_frames(struct reading *r, struct wk_str frames)
{
	const char *at = frames.at, *end = at + frames.len;
	struct batch *batch = &r->batch;

	for (;; at++) {
		uint32_t frame = next_frame(r, at, end, &at);

		if (frame)
			*WK_APPEND(batch->frames, batch->frame_count, batch->frames_cap) = frame;
		if (at == end)
			break;
	}
}

static void emit_before(struct reading *r, uint32_t stack, uint64_t count)
{
	struct wk_event event = {
		.kind = WK_EVENT_SAMPLE, .cpu = WK_NO_CPU, .pid = WK_NO_PID, .tid = WK_NO_PID,
		.sample = { .named_stack = stack, .weight = count, .is_before = true } };

	wk_stack_writer_event(r->writer, &event);
}

static uint32_t frames_of_line(const struct batch *batch, size_t line)
{
	size_t end = line + 1 < batch->lines ? batch->first_frame[line + 1] : batch->frame_count;

	return (uint32_t)(end - batch->first_frame[line]);
}

/* All lines of a batch in one event. */
static void emit_sums(struct reading *r)
{
	static const struct wk_event_whose unknown = { .pid = WK_NO_PID, .tid = WK_NO_PID };
	struct wk_event event = { .kind = WK_EVENT_SUMS, .cpu = WK_NO_CPU };
	struct wk_event_sum sums[BATCH_LINES];

	for (size_t i = 0; i < r->batch.lines; i++)
		sums[i] = (struct wk_event_sum){ .stack = r->batch.walks[i].stack,
						 .weight = r->batch.count[i],
						 .times = 1, .cpu = WK_NO_CPU };
	event.sums = (struct wk_event_sums){ .at = sums, .count = r->batch.lines,
					     .whose = &unknown, .whose_count = 1 };
	wk_stack_writer_event(r->writer, &event);
}

/* The same with the frames of each. */
static void emit_lists(struct reading *r)
{
	struct wk_event event = { .kind = WK_EVENT_LISTS, .cpu = WK_NO_CPU,
				  .pid = WK_NO_PID, .tid = WK_NO_PID };
	struct wk_event_list lists[BATCH_LINES];

	for (size_t i = 0; i < r->batch.lines; i++)
		lists[i] =
			(struct wk_event_list){ r->batch.count[i], frames_of_line(&r->batch, i) };
	event.lists = (struct wk_event_lists){ .at = lists, .count = r->batch.lines,
					       .frames = r->batch.frames };
	wk_stack_writer_event(r->writer, &event);
}

static void emit_stacks(struct reading *r)
{
	struct batch *batch = &r->batch;

	WK_RESERVE(batch->frames, batch->frames_cap, 1); /* lines may have no frames */
	for (size_t i = 0; i < batch->lines; i++)
		batch->walks[i] = (struct wk_stack_walk){
			.frames = batch->frames + batch->first_frame[i],
			.count = frames_of_line(batch, i),
		};
	wk_stack_writer_walk(r->writer, batch->walks, batch->lines);
	if (r->may_sum)
		emit_sums(r);
	for (size_t i = 0; i < batch->lines && !r->may_sum; i++) {
		if (r->has_two_counts)
			emit_before(r, batch->walks[i].stack, batch->before[i]);
		wk_stack_writer_count(r->writer, batch->walks[i].stack, batch->count[i]);
	}
}

static void emit_batch(struct reading *r)
{
	wk_stack_writer_progress(r->writer, r->before_bytes + (uint64_t)(r->lines.at - r->start),
				 r->whole_bytes);
	if (r->may_list)
		emit_lists(r);
	else
		emit_stacks(r);
	r->batch.lines = r->batch.frame_count = 0;
}

/* Austin and others write comments between the stacks; flamegraph.pl reads them as stacks. */
static bool is_remark(const struct reading *r, struct wk_str line)
{
	return r->collapse && r->collapse->dialect == WK_COLLAPSE_INFERNO &&
	       wk_str_starts(line, "# ");
}

static void note_bad(struct reading *r, struct wk_str line)
{
	bool is_first = r->bad.count == 0;

	wk_bad_line(&r->bad, &r->lines, line, expected);
	if (is_first && r->is_in_pieces)
		r->bad.first = wk_arena_copy(&r->texts, line);
}

static void read_line(struct reading *r, struct wk_str line)
{
	struct wk_str frames = line;
	bool lost, before_lost = false;
	uint64_t count, before = 0;

	if (!read_count(&frames, r->scale, &count, &lost) ||
	    (r->has_two_counts && !read_count(&frames, r->scale, &before, &before_lost))) {
		if (wk_trim(line).len)
			note_bad(r, line);
		return;
	}
	r->fractions += lost | before_lost;
	r->batch.first_frame[r->batch.lines] = r->batch.frame_count;
	r->batch.count[r->batch.lines] = count;
	r->batch.before[r->batch.lines++] = before;
	add_frames(r, frames);
	if (r->batch.lines == BATCH_LINES || r->batch.frame_count >= BATCH_FRAMES)
		emit_batch(r);
}

/* True if the first lines all end in two counts: a single line that does is not a comparison. */
static bool has_two_counts(struct wk_bytes input)
{
	struct wk_lines lines = wk_lines_of(input);
	struct wk_str line;
	unsigned looked_at = 0;

	while (looked_at < SIDES_LOOKED_AT && wk_lines_next(&lines, &line)) {
		uint64_t count;
		bool lost;

		if (!read_count(&line, 1, &count, &lost))
			continue;
		if (!read_count(&line, 1, &count, &lost))
			return false;
		looked_at++;
	}
	return looked_at > 0;
}

/* FRACTION_SCALE if one of the first counts has a fraction. inferno drops fractions. */
static uint32_t scale_of(const struct wk_input *input)
{
	const struct wk_collapse *collapse = input->options.collapse;
	struct wk_lines lines = wk_lines_of(input->bytes);
	struct wk_str line;
	bool lost = collapse && collapse->dialect == WK_COLLAPSE_INFERNO;

	if (lost)
		return 1;
	for (unsigned i = 0; i < SIDES_LOOKED_AT && !lost && wk_lines_next(&lines, &line); i++) {
		uint64_t count;

		if (!read_count(&line, 1, &count, &lost))
			lost = false;
	}
	return lost ? FRACTION_SCALE : 1;
}

static void emit_fractions(const struct reading *r)
{
	struct wk_buf text = { 0 };

	if (r->fractions == 0)
		return;
	wk_num_add_counted(&text, r->fractions, " line", " lines");
	wk_note(r->writer,
		"The input data has fractional sample counts: digits %s were dropped in %s; to "
		"keep them, scale the counts up and draw with --factor",
		r->scale > 1 ? "below a thousandth" : "after the point", wk_buf_text(&text));
	wk_buf_fini(&text);
}

/* In the words of the older tools. */
static void emit_ignored(const struct reading *r)
{
	if (r->bad.count)
		wk_note(r->writer,
			"Ignored %" PRIu64 " lines with invalid format; the first is line "
			"%" PRIu64,
			r->bad.count, r->bad.first_number);
}

/* The next lines, of an input in pieces. */
static bool next_piece(struct reading *r)
{
	while (wk_pieces_read(&r->pieces)) {
		struct wk_str text = wk_pieces_text(&r->pieces);
		size_t len = r->pieces.is_last ? text.len : wk_str_find_last(text, '\n') + 1;

		wk_pieces_use(&r->pieces, len);
		if (!len)
			continue;
		r->before_bytes += (uint64_t)(r->lines.at - r->start);
		r->start = r->lines.at = text.at;
		r->lines.end = text.at + len;
		return true;
	}
	return false;
}

static bool next_line(struct reading *r, struct wk_str *line)
{
	if (wk_lines_next(&r->lines, line))
		return true;
	return r->is_in_pieces && next_piece(r) && wk_lines_next(&r->lines, line);
}

static void begin(struct reading *r, const struct wk_input *input)
{
	r->is_in_pieces = input->rest;
	r->start = (const char *)input->bytes.at;
	r->lines = wk_lines_of(input->bytes);
	r->whole_bytes = wk_bytes_left(&input->bytes);
	if (!r->is_in_pieces)
		return;
	r->lines.end = r->start;
	wk_pieces_of_file(&r->pieces, input->rest, 0, r->whole_bytes);
}

static bool read_folded(const struct wk_input *input, const struct wk_sink *sink,
			struct wk_err *err)
{
	struct reading r = {
		.writer = wk_stack_writer_new(sink),
		.has_two_counts = has_two_counts(input->bytes),
		.scale = scale_of(input),
		.may_sum = input->options.sums_samples && !input->options.collapse,
		.collapse = input->options.collapse,
	};
	struct wk_str line;
	bool ok;

	begin(&r, input);
	r.may_sum &= !r.has_two_counts;
	r.may_list = r.may_sum && sink->accepts_lists;
	wk_stack_writer_source(r.writer, 0, "samples",
			       r.scale > 1 ? WK_UNIT_THOUSANDTHS : "samples", false);
	while (next_line(&r, &line) && !wk_stack_writer_is_done(r.writer))
		if (!is_remark(&r, line))
			read_line(&r, line);
	emit_batch(&r);
	if (input->options.collapse)
		emit_ignored(&r);
	else
		wk_bad_lines_emit(&r.bad, r.writer);
	emit_fractions(&r);
	ok = wk_pieces_check(&r.pieces, err);
	if (ok)
		wk_check_samples(r.writer, false, input->bytes, expected, err);
	wk_free(r.batch.frames);
	wk_textmap_fini(&r.frames);
	wk_word_cache_fini(&r.words);
	wk_arena_fini(&r.texts);
	wk_pieces_fini(&r.pieces);
	return wk_stack_writer_end(r.writer, err) && ok;
}

/* A count that exceeds 64 bits: the line is still a folded stack, and the reader reports it. */
static bool ends_in_huge_count(struct wk_str line)
{
	size_t end = line.len, start;

	while (end && wk_is_blank(line.at[end - 1]))
		end--;
	for (start = end; start && wk_is_digit(line.at[start - 1]);)
		start--;
	return end - start >= 20 && start > 1 && wk_is_blank(line.at[start - 1]);
}

/* If at least a fifth of the lines are stacks, the reader reports the others. */
static bool has_odd_lines(unsigned good, unsigned bad, unsigned deep)
{
	return deep > 0 && good >= bad / 4;
}

/* A line without ';' that belongs to another text: indented, or a label such as "id: 12". */
static bool is_label(struct wk_str line)
{
	return !memchr(line.at, ';', line.len) &&
	       (wk_is_blank(line.at[0]) || strchr(":=,{", line.at[line.len - 1]));
}

/* Text in which most of the first lines end in a count. */
static int probe(struct wk_bytes first)
{
	struct wk_lines lines = wk_lines_of(first);
	struct wk_str line;
	unsigned good = 0, bad = 0, deep = 0;

	if (memchr(first.at, 0, wk_bytes_left(&first)))
		return 0;
	while (wk_lines_next(&lines, &line)) {
		uint64_t count;
		bool lost;
		bool is_cut = lines.at == lines.end && wk_bytes_left(&first) == WK_PROBE_BYTES;

		if (is_cut || wk_trim(line).len == 0)
			continue;
		if ((read_count(&line, 1, &count, &lost) && !is_label(line)) ||
		    (ends_in_huge_count(line) && !wk_is_blank(line.at[0]))) {
			good++;
			deep += memchr(line.at, ';', line.len) != NULL;
		} else {
			bad++;
		}
	}
	/* A line that is longer than the probed bytes. */
	if (good + bad == 0)
		return wk_bytes_left(&first) == WK_PROBE_BYTES &&
				       memchr(first.at, ';', WK_PROBE_BYTES)
			       ? 30
			       : 0;
	if (good < bad)
		return has_odd_lines(good, bad, deep) ? 5 : 0;
	return deep ? bad ? 50 : 70 : bad ? 10 : 30;
}

const struct wk_reader wk_reader_folded = {
	.name = "folded",
	.summary = "folded stacks, a line each: what stackcollapse programs print",
	.suffixes = (const char *const[]){ ".folded", ".collapsed", ".stacks", NULL },
	.probe = probe,
	.read = read_folded,
	.in_pieces = true,
};
