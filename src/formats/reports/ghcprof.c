/* Profiles written by programs compiled with GHC (+RTS -p or -P): a tree of cost centres.
 * docs/formats/ghcprof.md */
#include "base/buf.h"
#include "base/num.h"
#include "base/text/utf8.h"
#include "formats/reports/tree_text.h"
#include "formats/scan.h"

#define EXPECTED "the tree of cost centres below \"COST CENTRE  MODULE ... individual inherited\""

/* Words of a line, separated by blanks. */
#define MOST_WORDS 64

struct words {
	struct wk_str at[MOST_WORDS];
	size_t count;
};

struct ghcprof {
	struct wk_tree_text text;
	enum wk_collapse_measure measure;
	bool has_source, has_ticks;          /* columns */
	size_t module_column, source_column; /* in characters */
	uint64_t tick_us, total_ticks;
};

static void split(struct wk_str line, struct words *words)
{
	words->count = 0;
	while (words->count < MOST_WORDS && wk_next_word(&line, &words->at[words->count]))
		words->count++;
}

/* True for the heading of the tree, false for that of the list of single cost centres. */
static bool is_heading(const struct words *words, bool *has_source)
{
	static const char *const last[] = { "no.", "entries", "%time", "%alloc", "%time",
					    "%alloc" };
	size_t at = 3;

	if (words->count < 9 || !wk_str_is(words->at[0], "COST") ||
	    !wk_str_is(words->at[1], "CENTRE") || !wk_str_is(words->at[2], "MODULE"))
		return false;
	*has_source = wk_str_is(words->at[at], "SRC");
	at += *has_source;
	for (size_t i = 0; i < 6; i++, at++)
		if (at >= words->count || !wk_str_is(words->at[at], last[i]))
			return false;
	return true;
}

/* Names are padded by characters, not by bytes. */
static size_t column_of(struct wk_str line, struct wk_str word)
{
	return wk_utf8_count(wk_str_of(line.at, (size_t)(word.at - line.at)));
}

/* "	total time  =        0.02 secs   (20 ticks @ 1000 us, 1 processor)" */
static void read_total(struct ghcprof *prof, const struct words *words)
{
	for (size_t i = 0; i + 4 < words->count; i++)
		if (wk_str_is(words->at[i + 1], "ticks") && wk_str_is(words->at[i + 2], "@") &&
		    wk_str_starts(words->at[i], "(") && wk_str_starts(words->at[i + 4], "us")) {
			if (!wk_num_u64(wk_str_skip(words->at[i], 1), &prof->total_ticks) ||
			    !wk_num_u64(words->at[i + 3], &prof->tick_us) ||
			    prof->tick_us > 1000000 || prof->total_ticks > UINT32_MAX)
				prof->tick_us = prof->total_ticks = 0;
		}
}

static bool read_heading(struct ghcprof *prof)
{
	struct wk_str line;
	struct words words;

	while (wk_lines_next(&prof->text.lines, &line)) {
		split(line, &words);
		if (words.count > 4 && wk_str_is(words.at[0], "total") &&
		    wk_str_is(words.at[1], "time"))
			read_total(prof, &words);
		if (!is_heading(&words, &prof->has_source))
			continue;
		prof->module_column = column_of(line, words.at[2]);
		if (prof->has_source)
			prof->source_column = column_of(line, words.at[3]);
		prof->has_ticks = wk_str_is(words.at[words.count - 2], "ticks") &&
				  wk_str_is(words.at[words.count - 1], "bytes");
		return true;
	}
	return false;
}

/* "35.0" becomes 350. */
static bool read_tenths(struct wk_str text, uint64_t *tenths)
{
	uint64_t whole, tenth;

	if (text.len < 3 || text.at[text.len - 2] != '.')
		return false;
	if (!wk_num_u64(wk_str_of(text.at, text.len - 2), &whole) || whole > 100 ||
	    !wk_num_u64(wk_str_skip(text, text.len - 1), &tenth))
		return false;
	*tenths = whole * 10 + tenth;
	return true;
}

/* The numbers are at the end of a line: no. entries %time %alloc %time %alloc, and possibly ticks
 * bytes. */
static bool read_weight(const struct ghcprof *prof, struct wk_str line, uint64_t *weight)
{
	struct words words;
	size_t numbers = prof->has_ticks ? 8 : 6;
	uint64_t tenths = 0, ticks = 0;

	split(line, &words);
	if (words.count < numbers + 2)
		return false;
	if (prof->measure == WK_COLLAPSE_BYTES)
		return wk_num_u64(words.at[words.count - 1], weight);
	if (prof->has_ticks && !wk_num_u64(words.at[words.count - 2], &ticks))
		return false;
	*weight = ticks;
	if (prof->measure == WK_COLLAPSE_TICKS)
		return prof->has_ticks;
	if (!read_tenths(words.at[words.count - numbers + 2], &tenths))
		return false;
	if (prof->text.collapse || !prof->tick_us)
		*weight = tenths;
	else if (prof->has_ticks)
		*weight = ticks > UINT32_MAX ? 0 : ticks * prof->tick_us * 1000;
	else
		*weight = tenths * prof->total_ticks / 1000 * prof->tick_us * 1000 +
			  tenths * prof->total_ticks % 1000 * prof->tick_us;
	return true;
}

static struct wk_str word_at(struct wk_str line, size_t column)
{
	struct wk_str word;

	line = wk_str_skip(line, wk_utf8_offset(line, column));
	wk_next_word(&line, &word);
	return word;
}

/* "src/Lib.hs:(14,1)-(15,41)", "app/Main.hs:6:1-11"; "<built-in>" and the like are not places. */
static void read_source(const struct ghcprof *prof, struct wk_str line,
			struct wk_event_frame *frame)
{
	struct wk_str source = word_at(line, prof->source_column), file, place;
	uint64_t number;

	if (!prof->has_source || wk_str_starts(source, "<") ||
	    !wk_str_split(source, ':', &file, &place))
		return;
	wk_str_accept(&place, "(");
	if (!wk_scan_number(&place, &number) || number > UINT32_MAX)
		return;
	frame->file = file;
	frame->line = (uint32_t)number;
}

static bool on_row(struct ghcprof *prof, struct wk_str line)
{
	struct wk_event_frame frame = { 0 };
	uint32_t depth = 0;
	uint64_t weight;

	while (depth < line.len && line.at[depth] == ' ')
		depth++;
	if (depth > wk_call_tree_deepest(&prof->text.tree) &&
	    !wk_tree_text_fault(&prof->text, line, "Skipped indentation level at line:", NULL))
		return false;
	if (!read_weight(prof, line, &weight))
		return wk_tree_text_fault(&prof->text, line,
					  "Invalid cost field:", "the columns of the heading");
	wk_buf_reset(&prof->text.name);
	wk_buf_add_str(&prof->text.name, word_at(line, prof->module_column));
	wk_buf_add_char(&prof->text.name, '.');
	wk_buf_add_str(&prof->text.name, word_at(line, 0));
	frame.name = wk_buf_str(&prof->text.name);
	if (!prof->text.collapse)
		read_source(prof, line, &frame);
	wk_call_tree_add(&prof->text.tree, depth, &frame, weight);
	return true;
}

static void emit_source(struct ghcprof *prof)
{
	if (prof->measure == WK_COLLAPSE_BYTES)
		wk_stack_writer_source(prof->text.writer, 0, "allocated", "bytes", false);
	else if (prof->measure == WK_COLLAPSE_TICKS)
		wk_stack_writer_source(prof->text.writer, 0, "ticks", "ticks", true);
	else if (prof->tick_us && !prof->text.collapse)
		wk_stack_writer_source(prof->text.writer, 0, "time", "ns", true);
	else
		wk_stack_writer_source(prof->text.writer, 0, "time", "0.1 %", true);
}

static bool read_profile(struct ghcprof *prof)
{
	struct wk_str line;

	if (!read_heading(prof)) {
		if (!prof->text.collapse)
			return wk_fail_no_stacks(prof->text.err, prof->text.bytes, EXPECTED);
		wk_note(prof->text.writer,
			"File ended before start of call graph: expected " EXPECTED);
		return true;
	}
	if (!prof->has_ticks && prof->measure >= WK_COLLAPSE_TICKS)
		return wk_fail(prof->text.err, WK_EFORMAT, WK_NOWHERE,
			       "no columns \"ticks\" and \"bytes\": the program must run with "
			       "+RTS -P instead of -p");
	emit_source(prof);
	wk_lines_next(&prof->text.lines, &line); /* a blank one */
	while (wk_lines_next(&prof->text.lines, &line) && wk_trim(line).len &&
	       !wk_stack_writer_is_done(prof->text.writer))
		if (!on_row(prof, line))
			return false;
	return wk_tree_text_end(&prof->text, "a cost centre that took time");
}

static bool read_ghcprof(const struct wk_input *input, const struct wk_sink *sink,
			 struct wk_err *err)
{
	struct ghcprof prof = { 0 };
	bool ok;

	wk_tree_text_begin(&prof.text, input, sink, err);
	prof.text.is_strict = prof.text.tree.keeps_zero = prof.text.collapse != NULL;
	if (prof.text.collapse)
		prof.measure = prof.text.collapse->measure;
	ok = read_profile(&prof);
	return wk_tree_text_fini(&prof.text) && ok;
}

static int probe(struct wk_bytes first)
{
	struct wk_lines lines = wk_lines_of(first);
	struct wk_str line;
	struct words words;
	bool has_source;

	while (wk_lines_next(&lines, &line)) {
		if (wk_str_has(line, "Time and Allocation Profiling Report"))
			return 95;
		split(line, &words);
		if (is_heading(&words, &has_source))
			return 90;
	}
	return 0;
}

const struct wk_reader wk_reader_ghcprof = {
	.name = "ghcprof",
	.summary = "GHC time and allocation profile (+RTS -p or -P)",
	.suffixes = (const char *const[]){ ".prof", NULL },
	.probe = probe,
	.read = read_ghcprof,
};
