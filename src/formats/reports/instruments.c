/* Call trees copied from Instruments (Edit > Deep Copy) or exported as CSV.
 * docs/formats/instruments.md */
#include "base/num.h"
#include "formats/reports/tree_text.h"
#include "formats/scan.h"
#include "names/rust_escapes.h"

#define EXPECTED "a heading with Running Time, Weight or Bytes Used and Symbol Name, and a " \
	"call tree"

struct instruments {
	struct wk_tree_text text;
	char separator;
	size_t columns; /* before the name */
	bool has_self;  /* the second column is the self time */
	bool has_source, has_margin;
	size_t margin; /* blanks before the first name */
};

/* "846.00 ms", "0 s", "404.75 Mc", "-": an amount; text after its unit is ignored. A bare number is
 * in milliseconds. */
static bool read_amount(struct wk_str text, uint64_t *value, const char **counts)
{
	const struct wk_unit *unit;
	struct wk_str number, word;
	size_t digits = 0;

	text = wk_trim(text);
	*counts = "ns";
	*value = 0;
	if (text.len == 0 || wk_str_is(text, "-"))
		return true;
	while (digits < text.len && (wk_is_digit(text.at[digits]) || text.at[digits] == '.'))
		digits++;
	number = wk_str_of(text.at, digits);
	text = wk_str_skip(text, digits);
	wk_scan_blanks(&text);
	word = wk_scan_word(&text);
	if (word.len == 0 || wk_is_digit(word.at[0]))
		word = wk_str_c("ms");
	unit = wk_unit_of(word);
	if (unit)
		*counts = unit->counts;
	return unit && wk_num_scaled(number, unit->times, value);
}

static struct wk_str unquoted(struct wk_str text)
{
	text = wk_trim(text);
	if (text.len >= 2 && text.at[0] == '"' && text.at[text.len - 1] == '"')
		return wk_str_of(text.at + 1, text.len - 2);
	return text;
}

/* For example "Weight<tab>Self Weight<tab><tab>Symbol Name". */
static bool is_heading(struct instruments *in, struct wk_str line)
{
	struct wk_str first, second, rest = line, column;

	in->separator = memchr(line.at, '\t', line.len) ? '\t' : ',';
	if (!wk_str_split(rest, in->separator, &first, &rest) ||
	    !wk_str_split(rest, in->separator, &second, &rest))
		return false;
	first = unquoted(first);
	if (!wk_str_is(first, "Running Time") && !wk_str_is(first, "Weight") &&
	    !wk_str_is(first, "Bytes Used"))
		return false;
	in->has_self = wk_str_starts(unquoted(second), "Self");
	in->columns = 2;
	while (wk_str_split(rest, in->separator, &column, &rest))
		in->columns++;
	return wk_str_starts(unquoted(column), "Symbol Name");
}

static void emit_source(struct instruments *in, const char *counts)
{
	const char *name = strcmp(counts, "bytes") == 0    ? "allocated"
			   : strcmp(counts, "cycles") == 0 ? "cycles"
							   : "running time";

	in->has_source = true;
	wk_stack_writer_source(in->text.writer, 0, name, counts, strcmp(counts, "bytes") != 0);
}

/* "shop (4711)" at the top is a process. */
static bool on_process(struct instruments *in, struct wk_str name)
{
	uint64_t pid;

	if (!wk_cut_number(&name, " (", &pid) || pid >= WK_NO_PID)
		return false;
	wk_stack_writer_process(in->text.writer, (uint32_t)pid, name);
	in->text.tree.pid = in->text.tree.tid = (uint32_t)pid;
	return true;
}

static void add_row(struct instruments *in, struct wk_str name, uint64_t weight)
{
	struct wk_event_frame frame = { .name = name };
	size_t blanks = wk_scan_blanks(&frame.name);
	uint32_t depth;

	if (!in->has_margin) {
		in->margin = in->text.collapse ? 0 : blanks;
		in->has_margin = true;
	}
	depth = blanks > in->margin ? (uint32_t)(blanks - in->margin) : 0;
	if (depth > wk_call_tree_deepest(&in->text.tree))
		wk_call_tree_misplaced(&in->text.tree, in->text.lines.number);
	if (in->text.collapse) {
		wk_call_tree_add(&in->text.tree, depth, &frame, (weight + 500000) / 1000000);
		return;
	}
	wk_call_tree_close(&in->text.tree, depth);
	if (depth == 0)
		in->text.tree.pid = in->text.tree.tid = WK_NO_PID;
	if (depth == 0 && on_process(in, frame.name)) {
		wk_call_tree_add(&in->text.tree, depth, NULL, weight);
		return;
	}
	frame.is_unnamed = wk_str_is(frame.name, "<Unknown Address>");
	frame.name = wk_rust_name(frame.name, &in->text.name);
	wk_call_tree_add(&in->text.tree, depth, &frame, weight);
}

static bool on_row(struct instruments *in, struct wk_str line)
{
	struct wk_str rest = line, column, total = { 0 }, self = { 0 };
	const char *counts, *self_counts;
	uint64_t weight, self_weight;
	bool ok = true;

	for (size_t i = 0; i < in->columns && ok; i++) {
		ok = wk_str_split(rest, in->separator, &column, &rest);
		if (i == 0)
			total = column;
		else if (i == 1)
			self = column;
	}
	ok = ok && wk_trim(rest).len && read_amount(total, &weight, &counts) &&
	     (!in->has_self || read_amount(self, &self_weight, &self_counts));
	if (!ok)
		return wk_tree_text_fault(&in->text, line, "this is not a row of a call tree:",
					  "the columns of the heading");
	if (!in->has_source)
		emit_source(in, counts);
	add_row(in, rest, in->has_self ? self_weight : weight);
	return true;
}

static bool read_rows(struct instruments *in)
{
	struct wk_str line;
	bool found = false;

	while (!found && wk_lines_next(&in->text.lines, &line))
		found = is_heading(in, line);
	if (!found)
		return wk_fail_no_stacks(in->text.err, in->text.bytes, EXPECTED);
	in->text.tree.with_callees = !in->has_self;
	while (wk_tree_text_row(&in->text, &line))
		if (!on_row(in, line))
			return false;
	return wk_tree_text_end(&in->text, "rows that weigh more than 0");
}

static bool read_instruments(const struct wk_input *input, const struct wk_sink *sink,
			     struct wk_err *err)
{
	struct instruments in = { 0 };
	bool ok;

	wk_tree_text_begin(&in.text, input, sink, err);
	in.text.is_strict = in.text.tree.keeps_zero = in.text.collapse != NULL;
	ok = read_rows(&in);
	return wk_tree_text_fini(&in.text) && ok;
}

static int probe(struct wk_bytes first)
{
	struct wk_lines lines = wk_lines_of(first);
	struct instruments in = { 0 };
	struct wk_str line;

	return wk_lines_next(&lines, &line) && line.len && is_heading(&in, line) ? 95 : 0;
}

const struct wk_reader wk_reader_instruments = {
	.name = "instruments",
	.summary = "Instruments, a call tree copied (Deep Copy) or as CSV",
	.suffixes = (const char *const[]){ ".csv", ".txt", NULL },
	.probe = probe,
	.read = read_instruments,
};
