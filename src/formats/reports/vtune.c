/* Call trees that Intel VTune exports as CSV (vtune -report top-down -format csv).
 * docs/formats/vtune.md */
#include "base/num.h"
#include "base/text/csv.h"
#include "formats/reports/tree_text.h"

#define EXPECTED  "a heading with the columns \"Function Stack\" and one that ends in \":Self\""
#define NO_COLUMN SIZE_MAX

/* The first of these columns that a file has is the weight. */
struct measure {
	const char *column, *source, *unit;
	uint64_t (*read)(struct wk_str text, bool *ok);
	bool is_cpu_time;
};

static uint64_t read_seconds(struct wk_str text, bool *ok)
{
	uint64_t ns = 0;

	*ok = wk_num_duration(text, &ns);
	return ns;
}

/* An empty column is 0. */
static uint64_t read_count(struct wk_str text, bool *ok)
{
	uint64_t count = 0;

	if (wk_str_ends(text, ".0"))
		text.len -= 2;
	*ok = text.len == 0 || wk_num_u64(text, &count);
	return count;
}

static const struct measure measures[] = {
	{ "CPU Time:Self", "CPU time", "ns", read_seconds, true },
	{ "CPU Time:Effective Time:Self", "effective CPU time", "ns", read_seconds, true },
	{ "Allocations:Self", "allocations", "events", read_count, false },
	{ "Allocation Size:Self", "allocated", "bytes", read_count, false },
	{ "Clockticks:Self", "clockticks", "cycles", read_count, true },
	{ "Hardware Event Count:Self", "events", "events", read_count, false },
	{ "CPU Time", "CPU time", "ns", read_seconds, true },
};

struct vtune {
	struct wk_tree_text text;
	const struct measure *measure;
	size_t module, weight; /* columns */
};

static void choose_measure(struct vtune *vtune)
{
	const struct wk_collapse *collapse = vtune->text.collapse;
	bool wants_bytes = collapse && collapse->measure == WK_COLLAPSE_BYTES;

	for (size_t i = 0; i < sizeof(measures) / sizeof(measures[0]) && !vtune->measure; i++) {
		vtune->weight = wk_csv_column(&vtune->text.csv, measures[i].column);
		if (wants_bytes && strcmp(measures[i].unit, "bytes") != 0)
			continue;
		if (vtune->weight != NO_COLUMN)
			vtune->measure = &measures[i];
	}
}

/* Warnings of the exporting program may precede the heading. */
static bool read_heading(struct vtune *vtune)
{
	struct wk_str line;

	while (wk_lines_next(&vtune->text.lines, &line)) {
		struct wk_str first = wk_trim(line);

		if (!wk_str_starts(first, "Function Stack") &&
		    !wk_str_starts(first, "\"Function Stack\""))
			continue;
		vtune->text.csv.separator = wk_csv_separator_of(line);
		wk_csv_split(&vtune->text.csv, line);
		vtune->module = wk_csv_column(&vtune->text.csv, "Module");
		choose_measure(vtune);
		if (vtune->measure)
			return true;
	}
	return false;
}

/* The older tools print module and function as one text, each in its own form. */
static struct wk_str joined(struct vtune *vtune, struct wk_str module, struct wk_str name)
{
	struct wk_buf *text = &vtune->text.name;

	wk_buf_reset(text);
	if (wk_tree_text_is_inferno(&vtune->text)) {
		wk_buf_add_str(text, module);
		wk_buf_add_text(text, module.len ? "`" : "");
		wk_buf_add_str(text, name);
	} else if (vtune->measure->read == read_seconds) {
		wk_buf_add_str(text, module);
		wk_buf_add_char(text, '!');
		wk_buf_add_str(text, name);
	} else {
		wk_buf_add_str(text, name);
		wk_buf_add_char(text, '(');
		wk_buf_add_str(text, module);
		wk_buf_add_char(text, ')');
	}
	return wk_buf_str(text);
}

/* The older tools print milliseconds. */
static uint64_t tool_weight(const struct vtune *vtune, uint64_t weight)
{
	return vtune->measure->read == read_seconds ? (weight + 500000) / 1000000 : weight;
}

static void add_row(struct vtune *vtune, uint32_t depth, struct wk_str name, uint64_t weight)
{
	struct wk_str module = { "", 0 };
	struct wk_event_frame frame = { .name = name };
	bool is_total = !vtune->text.collapse && depth == 0 && wk_str_is(name, "Total");

	if (vtune->module != NO_COLUMN &&
	    !(vtune->text.collapse && vtune->text.collapse->no_modules))
		module = wk_csv_field(&vtune->text.csv, vtune->module);
	if (vtune->text.collapse) {
		frame.name = joined(vtune, module, name);
		weight = tool_weight(vtune, weight);
	} else if (!wk_str_is(module, "[Unknown]")) {
		frame.image = module;
	}
	wk_call_tree_add(&vtune->text.tree, depth, is_total ? NULL : &frame, weight);
}

static bool on_row(struct vtune *vtune, struct wk_str line)
{
	struct wk_str name, weight_text;
	uint32_t depth = 0;
	uint64_t weight;
	bool ok;

	wk_csv_split(&vtune->text.csv, line);
	name = wk_csv_field(&vtune->text.csv, 0);
	while (depth < name.len && name.at[depth] == ' ')
		depth++;
	if (depth > wk_call_tree_deepest(&vtune->text.tree) &&
	    !wk_tree_text_fault(&vtune->text, line, "Skipped indentation level at line:", NULL))
		return false;
	if (vtune->text.csv.count <= vtune->weight || depth == name.len)
		return wk_tree_text_fault(&vtune->text, line, "Unable to parse stack line:",
					  "as many columns as the heading has");
	weight_text = wk_trim(wk_csv_field(&vtune->text.csv, vtune->weight));
	weight = vtune->measure->read(weight_text, &ok);
	if (!ok)
		return wk_tree_text_fault(
			&vtune->text, wk_tree_text_is_inferno(&vtune->text) ? weight_text : line,
			"Invalid `CPU Time:Self` field:", "a number in the column that is weighed");
	add_row(vtune, depth, wk_str_skip(name, depth), weight);
	return true;
}

static bool read_table(struct vtune *vtune)
{
	struct wk_str line;

	if (!read_heading(vtune)) {
		if (!vtune->text.collapse)
			return wk_fail_no_stacks(vtune->text.err, vtune->text.bytes, EXPECTED);
		wk_note(vtune->text.writer, "File ended before header: expected " EXPECTED);
		return true;
	}
	wk_stack_writer_source(vtune->text.writer, 0, vtune->measure->source, vtune->measure->unit,
			       vtune->measure->is_cpu_time);
	while (wk_tree_text_row(&vtune->text, &line))
		if (!on_row(vtune, line))
			return false;
	return wk_tree_text_end(&vtune->text, "rows that weigh more than 0");
}

static bool read_vtune(const struct wk_input *input, const struct wk_sink *sink, struct wk_err *err)
{
	struct vtune vtune = { 0 };
	bool ok;

	wk_tree_text_begin(&vtune.text, input, sink, err);
	vtune.text.is_strict = wk_tree_text_is_inferno(&vtune.text);
	ok = read_table(&vtune);
	return wk_tree_text_fini(&vtune.text) && ok;
}

static int probe(struct wk_bytes first)
{
	static const char *const heads[] = { "Function Stack,", "Function Stack\t",
					     "\"Function Stack\"", NULL };
	struct wk_buf text = { 0 };
	struct wk_lines lines = wk_lines_of(wk_csv_text(first, &text));
	struct wk_str line;
	int score = 0;

	while (!score && wk_lines_next(&lines, &line))
		score = wk_str_starts_one_of(line, heads) ? 95 : 0;
	wk_buf_fini(&text);
	return score;
}

const struct wk_reader wk_reader_vtune = {
	.name = "vtune",
	.summary = "Intel VTune, call tree exported as CSV",
	.suffixes = (const char *const[]){ ".csv", NULL },
	.probe = probe,
	.read = read_vtune,
};
