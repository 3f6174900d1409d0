/* Call trees that the profiler of Visual Studio exports as CSV (CallTreeSummary.csv).
 * docs/formats/vsprof.md */
#include "base/mem.h"
#include "base/num.h"
#include "base/text/csv.h"
#include "formats/reports/tree_text.h"
#include "formats/scan.h"

#define EXPECTED "the heading of a call tree: Level, Function Name, samples or times ..."
#define TOOL_HEADING "Level,Function Name,Number of Calls,Elapsed Inclusive Time %," \
	"Elapsed Exclusive Time %,Avg Elapsed Inclusive Time,Avg Elapsed Exclusive Time," \
	"Module Name,"
#define MOST_DEPTH 10000000

/* The first of these columns that a file has is the weight. */
struct measure {
	const char *column, *source, *unit;
	bool with_callees, is_cpu_time;
};

static const struct measure measures[] = {
	{ "Exclusive Samples", "samples", "samples", false, true },
	{ "Inclusive Samples", "samples", "samples", true, true },
	{ "Elapsed Exclusive Time %", "elapsed time", "0.01 %", false, false },
	{ "Application Exclusive Time %", "application time", "0.01 %", false, false },
	{ "Number of Calls", "calls", "calls", false, false },
};

/* A path as in inferno-collapse-vsprof. */
struct called {
	uint32_t stack;
	uint64_t calls;
};

struct vsprof {
	struct wk_tree_text text;
	const struct measure *measure;
	size_t level, function, module, weight; /* columns */
	struct called *called;
	size_t called_count, called_cap;
};

/* "4718", "4,718", "4.718" or "4 718": the separator of thousands depends on the language. */
static bool read_grouped(struct wk_str text, uint64_t *value)
{
	struct wk_buf digits = { .limit = 32 };
	size_t group = 0, groups = 0;
	bool ok = text.len > 0 && wk_is_digit(text.at[0]) && wk_is_digit(text.at[text.len - 1]);

	for (size_t i = 0; i < text.len && ok; i++) {
		if (wk_is_digit(text.at[i])) {
			wk_buf_add_char(&digits, text.at[i]);
			group++;
			continue;
		}
		if (i > 0 && !wk_is_digit(text.at[i - 1]))
			continue; /* a blank of several bytes */
		ok = groups++ ? group == 3 : group <= 3;
		group = 0;
	}
	ok = ok && (groups == 0 || group == 3) && !digits.full &&
	     wk_num_u64(wk_buf_str(&digits), value);
	wk_buf_fini(&digits);
	return ok;
}

/* "91.25" or "91,25" becomes 9125: these columns have two decimals. */
static bool read_hundredths(struct wk_str text, uint64_t *value)
{
	struct wk_buf digits = { .limit = 32 };
	bool ok = text.len > 3 && wk_is_digit(text.at[0]) && !wk_is_digit(text.at[text.len - 3]);

	for (size_t i = 0; i < text.len; i++)
		if (wk_is_digit(text.at[i]))
			wk_buf_add_char(&digits, text.at[i]);
	ok = ok && !digits.full && wk_num_u64(wk_buf_str(&digits), value);
	wk_buf_fini(&digits);
	return ok;
}

static bool read_weight(const struct vsprof *vsprof, struct wk_str text, uint64_t *value)
{
	return wk_str_ends(wk_str_c(vsprof->measure->column), "%") ? read_hundredths(text, value)
								   : read_grouped(text, value);
}

static bool read_heading(struct vsprof *vsprof)
{
	struct wk_str line;

	while (wk_lines_next(&vsprof->text.lines, &line)) {
		vsprof->text.csv.separator = wk_csv_separator_of(line);
		wk_csv_split(&vsprof->text.csv, line);
		vsprof->level = wk_csv_column(&vsprof->text.csv, "Level");
		vsprof->function = wk_csv_column(&vsprof->text.csv, "Function Name");
		vsprof->module = wk_csv_column(&vsprof->text.csv, "Module Name");
		if (vsprof->level == SIZE_MAX || vsprof->function == SIZE_MAX)
			continue;
		for (size_t i = 0; i < sizeof(measures) / sizeof(measures[0]); i++) {
			vsprof->measure = &measures[i];
			vsprof->weight = wk_csv_column(&vsprof->text.csv, measures[i].column);
			if (vsprof->weight != SIZE_MAX)
				return true;
		}
	}
	return false;
}

static bool on_row(struct vsprof *vsprof, struct wk_str line)
{
	struct wk_event_frame frame = { 0 };
	uint64_t depth, weight;
	const char *whole_row = "as many columns as the heading has, the level a number";

	wk_csv_split(&vsprof->text.csv, line);
	if (!wk_num_u64(wk_trim(wk_csv_field(&vsprof->text.csv, vsprof->level)), &depth) ||
	    depth > MOST_DEPTH || vsprof->text.csv.count <= vsprof->weight ||
	    vsprof->text.csv.count <= vsprof->function)
		return wk_tree_text_fault(&vsprof->text, line, "no level in", whole_row);
	frame.name = wk_trim(vsprof->text.csv.fields[vsprof->function]);
	frame.image = wk_trim(wk_csv_field(&vsprof->text.csv, vsprof->module));
	if (!read_weight(vsprof, wk_trim(vsprof->text.csv.fields[vsprof->weight]), &weight))
		return wk_tree_text_fault(&vsprof->text, line, "no number in",
					  "a number in the column that is weighed");
	if (depth > (uint64_t)wk_call_tree_deepest(&vsprof->text.tree) + 1)
		wk_call_tree_misplaced(&vsprof->text.tree, vsprof->text.lines.number);
	/* Level 0 is the whole program. */
	wk_call_tree_add(&vsprof->text.tree, (uint32_t)depth, depth ? &frame : NULL, weight);
	return true;
}

static bool read_plainly(struct vsprof *vsprof)
{
	struct wk_str line;

	if (!read_heading(vsprof))
		return wk_fail_no_stacks(vsprof->text.err, vsprof->text.bytes, EXPECTED);
	vsprof->text.tree.with_callees = vsprof->measure->with_callees;
	wk_stack_writer_source(vsprof->text.writer, 0, vsprof->measure->source,
			       vsprof->measure->unit, vsprof->measure->is_cpu_time);
	while (wk_tree_text_row(&vsprof->text, &line))
		if (!on_row(vsprof, line))
			return false;
	return wk_tree_text_end(&vsprof->text, "rows that weigh more than 0");
}

/* --- As stackcollapse-vsprof.pl and inferno-collapse-vsprof ---------------------------------- */

static void write_called(struct vsprof *vsprof)
{
	const struct called *last = &vsprof->called[vsprof->called_count - 1];

	if (last->calls)
		wk_stack_writer_count(vsprof->text.writer, last->stack, last->calls);
}

/* The calls of callees are subtracted from those of their caller. */
static void go_up(struct vsprof *vsprof, uint64_t depth)
{
	uint64_t below = 0;

	while (vsprof->called_count && vsprof->called_count >= depth) {
		struct called *last = &vsprof->called[vsprof->called_count - 1];

		if (below != last->calls)
			write_called(vsprof);
		below = last->calls;
		vsprof->called_count--;
		if (vsprof->called_count && below < last[-1].calls)
			last[-1].calls -= below;
	}
}

static void add_called(struct vsprof *vsprof, uint64_t depth, struct wk_str name, uint64_t calls)
{
	uint32_t parent = 0;

	if (vsprof->called_count == depth && vsprof->called_count) {
		write_called(vsprof);
		vsprof->called_count--;
	} else if (vsprof->called_count > depth) {
		go_up(vsprof, depth);
	}
	if (vsprof->called_count)
		parent = vsprof->called[vsprof->called_count - 1].stack;
	*WK_APPEND(vsprof->called, vsprof->called_count, vsprof->called_cap) = (struct called){
		.stack = wk_stack_writer_stack(vsprof->text.writer, parent,
					       wk_stack_writer_name(vsprof->text.writer, name)),
		.calls = calls,
	};
}

static bool on_inferno_row(struct vsprof *vsprof, struct wk_str line)
{
	struct wk_str calls_text;
	uint64_t depth, calls;

	wk_csv_split(&vsprof->text.csv, line);
	if (!wk_num_u64(vsprof->text.csv.fields[0], &depth))
		return wk_tree_text_fault(&vsprof->text, vsprof->text.csv.fields[0],
					  "Unable to parse integer from", NULL);
	if (vsprof->text.csv.count < 3)
		return wk_tree_text_fault(&vsprof->text, line,
					  "Unable to parse function name from line", NULL);
	calls_text = vsprof->text.csv.fields[2];
	if (!read_grouped(calls_text, &calls))
		return wk_tree_text_fault(&vsprof->text, calls_text, "Unable to parse integer from",
					  NULL);
	add_called(vsprof, depth, vsprof->text.csv.fields[1], calls);
	return true;
}

/* The tool removes blanks from names, and dots and commas from numbers. */
static struct wk_str squeezed(struct vsprof *vsprof, struct wk_str text, const char *unwanted)
{
	wk_buf_reset(&vsprof->text.name);
	for (size_t i = 0; i < text.len; i++)
		if (!strchr(unwanted, text.at[i]))
			wk_buf_add_char(&vsprof->text.name, text.at[i]);
	return wk_buf_str(&vsprof->text.name);
}

static bool on_perl_row(struct vsprof *vsprof, struct wk_str line)
{
	struct wk_event_frame frame = { 0 };
	uint64_t level, samples;

	wk_csv_split(&vsprof->text.csv, line);
	if (vsprof->text.csv.count < 3 ||
	    !wk_num_u64(wk_trim(vsprof->text.csv.fields[0]), &level) ||
	    !wk_num_u64(squeezed(vsprof, vsprof->text.csv.fields[2], "., "), &samples))
		return wk_tree_text_fault(&vsprof->text, line,
					  "Error in regular expression, no level, function and "
					  "samples in",
					  NULL);
	if (level == 0)
		return true;
	if (level > (uint64_t)wk_call_tree_deepest(&vsprof->text.tree) + 1)
		return wk_tree_text_fault(&vsprof->text, line,
					  "Error in stack, a level is left out before", NULL);
	frame.name = squeezed(vsprof, vsprof->text.csv.fields[1], " \t");
	wk_call_tree_add(&vsprof->text.tree, (uint32_t)level - 1, &frame, samples);
	return true;
}

static bool read_as_tool(struct vsprof *vsprof)
{
	bool (*on_tool_row)(struct vsprof *, struct wk_str) =
		wk_tree_text_is_inferno(&vsprof->text) ? on_inferno_row : on_perl_row;
	struct wk_str line;

	if (!wk_lines_next(&vsprof->text.lines, &line)) {
		wk_note(vsprof->text.writer, "File ended before start of call graph: it is empty");
		return true;
	}
	if (wk_tree_text_is_inferno(&vsprof->text) && !wk_str_starts(line, TOOL_HEADING))
		return wk_tree_text_fault(
			&vsprof->text, line,
			"Expected first line to be header line \"" TOOL_HEADING "\", found", NULL);
	while (wk_tree_text_row(&vsprof->text, &line))
		if (!on_tool_row(vsprof, line))
			return false;
	if (vsprof->called_count)
		write_called(vsprof);
	return true;
}

static bool read_vsprof(const struct wk_input *input, const struct wk_sink *sink,
			struct wk_err *err)
{
	struct vsprof vsprof = { 0 };
	bool ok;

	wk_tree_text_begin(&vsprof.text, input, sink, err);
	vsprof.text.csv.separator = ',';
	if (vsprof.text.collapse) {
		vsprof.text.is_strict = true;
		wk_stack_writer_source(vsprof.text.writer, 0, "samples", "samples", false);
		vsprof.text.tree.leaves_only = vsprof.text.tree.keeps_zero = true;
		ok = read_as_tool(&vsprof);
	} else {
		ok = read_plainly(&vsprof);
	}
	wk_free(vsprof.called);
	return wk_tree_text_fini(&vsprof.text) && ok;
}

static int probe(struct wk_bytes first)
{
	struct wk_buf text = { 0 };
	struct wk_bytes bytes = wk_csv_text(first, &text);
	struct wk_str start = wk_bytes_str(bytes);
	bool is_tree = wk_str_starts(start, "Level,Function Name,") ||
		       wk_str_starts(start, "Level;Function Name;") ||
		       wk_str_starts(start, "Level\tFunction Name\t");

	wk_buf_fini(&text);
	return is_tree ? 95 : 0;
}

const struct wk_reader wk_reader_vsprof = {
	.name = "vsprof",
	.summary = "Visual Studio profiler, call tree exported as CSV",
	.suffixes = (const char *const[]){ ".csv", NULL },
	.probe = probe,
	.read = read_vsprof,
};
