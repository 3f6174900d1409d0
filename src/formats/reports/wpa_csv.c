/* Tables with stacks that Windows Performance Analyzer exports or copies as CSV.
 * docs/formats/wpa-csv.md */
#include "base/mem.h"
#include "base/num.h"
#include "base/text/csv.h"
#include "formats/reports/tree_text.h"
#include "formats/reports/windows_names.h"
#include "formats/scan.h"

#define EXPECTED  "a heading with a column \"Stack\" and rows with frames such as ntdll.dll!LdrInit"
#define NO_COLUMN SIZE_MAX

/* The first of these columns that a file has is the weight. Its unit is in parentheses. */
struct measure {
	const char *begins, *source;
	bool is_cpu_time;
};

static const struct measure measures[] = {
	{ "Weight (in view) (", "CPU time", true },
	{ "Weight (", "CPU time", true },
	{ "Waits (", "wait", false }, /* of a table of context switches, as written by wick */
	{ "Time Since Last (", "wait", false },
	{ "CPU Usage (in view) (", "CPU time", true },
	{ "Impacting Size (", "impacting size", false },
	{ "Size (", "size", false },
	{ "Count", "samples", false },
};

static const struct wk_unit plain_count = { "", 1, "samples" };

struct wpa {
	struct wk_tree_text text;
	struct wk_map processes; /* that were emitted */
	struct wk_buf digits;
	size_t stack, process, process_name, pid_column, thread, weight; /* columns */
	char point;                                                      /* the decimal mark */
	const struct measure *measure;                                   /* NULL: a row counts 1 */
	const struct wk_unit *unit;
	size_t *indents; /* of the open lines of a tree */
	size_t indent_count, indent_cap;
};

static size_t either_column(const struct wpa *wpa, const char *name, const char *other)
{
	size_t column = wk_csv_column(&wpa->text.csv, name);

	return column != NO_COLUMN ? column : wk_csv_column(&wpa->text.csv, other);
}

static const struct wk_unit *unit_of(struct wk_str column)
{
	size_t bracket = wk_str_find_last(column, '(');
	const struct wk_unit *unit;

	column = wk_str_skip(column, bracket == SIZE_MAX ? column.len : bracket + 1);
	unit = wk_unit_of(wk_scan_to(&column, ')'));
	return unit ? unit : &plain_count;
}

static void choose_measure(struct wpa *wpa)
{
	wpa->unit = &plain_count;
	wpa->weight = NO_COLUMN;
	for (size_t m = 0; m < sizeof(measures) / sizeof(measures[0]); m++)
		for (size_t i = 0; i < wpa->text.csv.count; i++) {
			struct wk_str column = wk_trim(wpa->text.csv.fields[i]);

			if (!wk_str_starts(column, measures[m].begins))
				continue;
			wpa->measure = &measures[m];
			wpa->unit = unit_of(column);
			wpa->weight = i;
			return;
		}
}

/* "Stack", "Commit Stack", "New Thread Stack" ..., preferred to its tags. */
static size_t stack_column(const struct wpa *wpa)
{
	size_t best = NO_COLUMN;

	for (size_t i = 0; i < wpa->text.csv.count; i++) {
		struct wk_str column = wk_trim(wpa->text.csv.fields[i]);

		if (wk_str_ends(column, "Stack"))
			return i;
		if (wk_str_ends(column, "Stack (Frame Tags)"))
			best = i;
	}
	return best;
}

static bool read_heading(struct wpa *wpa, struct wk_str line)
{
	wpa->text.csv.separator = wk_csv_separator_of(line);
	wk_csv_split(&wpa->text.csv, line);
	wpa->stack = stack_column(wpa);
	if (wpa->stack == NO_COLUMN || wpa->text.csv.count < 2)
		return false;
	wpa->point = wpa->text.csv.separator == ';' ? ',' : '.';
	wpa->process = either_column(wpa, "Process", "New Process");
	wpa->process_name = either_column(wpa, "Process Name", "New Process Name");
	wpa->pid_column = either_column(wpa, "Process ID", "PID");
	wpa->thread = either_column(wpa, "Thread ID", "New Thread Id");
	choose_measure(wpa);
	return true;
}

/* The digits of "1,234.5" or "1.234,5", possibly written as ="1,234.5", with '.' for each
 * `point`. */
static bool read_digits(struct wpa *wpa, struct wk_str text, char point)
{
	wk_buf_reset(&wpa->digits);
	for (size_t i = 0; i < text.len; i++) {
		if (wk_is_digit(text.at[i]))
			wk_buf_add_char(&wpa->digits, text.at[i]);
		else if (text.at[i] == point)
			wk_buf_add_char(&wpa->digits, '.');
		else if (!strchr("=\"., '", text.at[i]) && (unsigned char)text.at[i] < 0x80)
			return false;
	}
	return true;
}

static bool read_weight(struct wpa *wpa, uint64_t *weight)
{
	*weight = 1;
	return !wpa->measure ||
	       (read_digits(wpa, wk_trim(wk_csv_field(&wpa->text.csv, wpa->weight)), wpa->point) &&
		wk_num_scaled(wk_buf_str(&wpa->digits), wpa->unit->times, weight));
}

/* A whole number, possibly with separators: "6,148". */
static bool read_whole(struct wpa *wpa, size_t column, uint64_t *number)
{
	return read_digits(wpa, wk_trim(wk_csv_field(&wpa->text.csv, column)), '\0') &&
	       wk_num_u64(wk_buf_str(&wpa->digits), number);
}

/* Which of '.' and ',' is the decimal mark of a number: the last of both, or one that is not
 * followed by three digits, or follows a single 0. 0: unknown. */
static char point_of(struct wk_str text)
{
	size_t dot = wk_str_find_last(text, '.'), comma = wk_str_find_last(text, ',');
	size_t last = dot == SIZE_MAX ? comma : comma == SIZE_MAX ? dot : dot > comma ? dot : comma;
	size_t digits = 0, first = 0;

	if (last == SIZE_MAX)
		return 0;
	while (last + 1 + digits < text.len && wk_is_digit(text.at[last + 1 + digits]))
		digits++;
	while (first < last && !wk_is_digit(text.at[first]))
		first++;
	if ((dot == SIZE_MAX || comma == SIZE_MAX) && digits == 3 &&
	    !(text.at[first] == '0' && first + 1 == last))
		return 0;
	return text.at[last];
}

#define ROWS_AHEAD 1000

/* The first unambiguous number overrides the decimal mark that the separator of columns
 * suggests. */
static void find_point(struct wpa *wpa, struct wk_lines lines)
{
	struct wk_str line;

	for (int i = 0; i < ROWS_AHEAD && wpa->measure && wk_lines_next(&lines, &line); i++) {
		char point;

		wk_csv_split(&wpa->text.csv, line);
		point = point_of(wk_trim(wk_csv_field(&wpa->text.csv, wpa->weight)));
		if (!point)
			continue;
		wpa->point = point;
		return;
	}
}

static void end_tree(struct wpa *wpa)
{
	wk_call_tree_close(&wpa->text.tree, 0);
	wpa->indent_count = 0;
}

/* "app.exe (12)", also of a table with separate columns for name and number. */
static struct wk_str process_of(struct wpa *wpa)
{
	uint64_t pid;

	if (wpa->process != NO_COLUMN)
		return wk_csv_field(&wpa->text.csv, wpa->process);
	if (!read_whole(wpa, wpa->pid_column, &pid))
		return (struct wk_str){ 0 };
	wk_buf_reset(&wpa->text.name);
	wk_buf_add_str(&wpa->text.name, wk_trim(wk_csv_field(&wpa->text.csv, wpa->process_name)));
	wk_buf_add_fmt(&wpa->text.name, " (%llu)", (unsigned long long)pid);
	return wk_buf_str(&wpa->text.name);
}

/* Cells of groups are filled only in the first row of a group. */
static void read_thread(struct wpa *wpa)
{
	struct wk_str process = process_of(wpa);
	struct wk_call_tree *tree = &wpa->text.tree;
	uint32_t pid = tree->pid, tid = tree->tid;
	uint64_t number;

	if (wk_trim(process).len) {
		pid = wk_windows_process(&wpa->processes, wpa->text.writer, process);
		tid = pid;
	}
	if (read_whole(wpa, wpa->thread, &number) && number < WK_NO_PID)
		tid = (uint32_t)number;
	if (pid == tree->pid && tid == tree->tid)
		return;
	end_tree(wpa);
	tree->pid = pid;
	tree->tid = pid == WK_NO_PID ? WK_NO_PID : tid;
}

static bool is_root(struct wk_str text)
{
	return wk_str_is(text, "[Root]");
}

/* "[Root]/ntdll.dll!A/app.exe!operator/": parts separated by slashes, but "operator/" contains
 * one. */
static struct wk_str next_part(struct wk_str *rest)
{
	struct wk_str text = *rest, part = wk_scan_to(rest, '/');

	while (rest->len && wk_str_ends(part, "operator")) {
		*rest = wk_str_skip(*rest, 1);
		wk_str_accept(rest, "=");
		part = wk_str_of(text.at, (size_t)(rest->at - text.at));
	}
	if (rest->len)
		*rest = wk_str_skip(*rest, 1);
	return wk_trim(part);
}

static void emit_path(struct wpa *wpa, struct wk_str path, uint64_t weight)
{
	uint32_t stack = 0;

	if (wk_str_is(path, "n/a"))
		path.len = 0;
	while (path.len) {
		struct wk_str part = next_part(&path);
		struct wk_event_frame frame = wk_windows_frame(part);

		if (part.len && !is_root(part))
			stack = wk_stack_writer_push(wpa->text.writer, stack, &frame);
	}
	wk_stack_writer_sample(wpa->text.writer, 0, wpa->text.tree.pid, wpa->text.tree.tid, 0,
			       stack, weight);
}

/* A line of a copied tree: "|  |- app.exe!main" begins a branch; a line with the same indentation
 * and no dash is called by the line above. */
static void emit_line(struct wpa *wpa, struct wk_str cell, uint64_t weight)
{
	size_t indent = 0;
	bool is_branch;
	struct wk_str name;
	struct wk_event_frame frame;

	while (indent < cell.len && strchr(" |-\t", cell.at[indent]))
		indent++;
	is_branch = wk_str_has(wk_str_of(cell.at, indent), "-");
	name = wk_trim(wk_str_skip(cell, indent));
	while (wpa->indent_count && (wpa->indents[wpa->indent_count - 1] > indent ||
				     (is_branch && wpa->indents[wpa->indent_count - 1] == indent)))
		wpa->indent_count--;
	frame = wk_windows_frame(name);
	wk_call_tree_add(&wpa->text.tree, (uint32_t)wpa->indent_count,
			 is_root(name) ? NULL : &frame, weight);
	*WK_APPEND(wpa->indents, wpa->indent_count, wpa->indent_cap) = indent;
}

static bool is_path(struct wk_str cell)
{
	struct wk_str first;

	if (wk_str_is(wk_trim(cell), "n/a"))
		return true;
	if (wk_str_starts(cell, " ") || wk_str_starts(cell, "|"))
		return false;
	first = wk_scan_to(&cell, '/');
	return cell.len && (is_root(wk_trim(first)) || memchr(first.at, '!', first.len));
}

static void on_row(struct wpa *wpa, struct wk_str line)
{
	struct wk_str cell;
	uint64_t weight;

	wk_csv_split(&wpa->text.csv, line);
	read_thread(wpa);
	cell = wk_csv_field(&wpa->text.csv, wpa->stack);
	if (wk_trim(cell).len == 0) {
		if (wpa->text.csv.count <= wpa->stack)
			wk_tree_text_fault(&wpa->text, line, NULL, "the columns of the heading");
		return; /* the sum of a process or thread */
	}
	if (!read_weight(wpa, &weight)) {
		wk_tree_text_fault(&wpa->text, line, NULL,
				   "a number in the column that is weighed");
		return;
	}
	if (is_path(cell)) {
		end_tree(wpa);
		emit_path(wpa, cell, weight);
	} else {
		emit_line(wpa, cell, weight);
	}
}

static bool read_table(struct wpa *wpa)
{
	struct wk_str line;
	bool found = false;

	while (!found && wk_lines_next(&wpa->text.lines, &line))
		found = read_heading(wpa, line);
	if (!found)
		return wk_fail_no_stacks(wpa->text.err, wpa->text.bytes, EXPECTED);
	wk_stack_writer_source(wpa->text.writer, 0, wpa->measure ? wpa->measure->source : "samples",
			       wpa->unit->counts, wpa->measure && wpa->measure->is_cpu_time);
	find_point(wpa, wpa->text.lines);
	while (wk_tree_text_row(&wpa->text, &line))
		on_row(wpa, line);
	return wk_tree_text_end(&wpa->text, EXPECTED);
}

static bool read_wpa_csv(const struct wk_input *input, const struct wk_sink *sink,
			 struct wk_err *err)
{
	struct wpa wpa = { 0 };
	bool ok;

	wk_tree_text_begin(&wpa.text, input, sink, err);
	wpa.text.tree.with_callees = true;
	ok = read_table(&wpa);
	wk_map_fini(&wpa.processes);
	wk_buf_fini(&wpa.digits);
	wk_free(wpa.indents);
	return wk_tree_text_fini(&wpa.text) && ok;
}

static bool has_frames(struct wk_lines below)
{
	static const char *const signs[] = { "[Root]", ".dll!", ".exe!", ".sys!" };
	struct wk_str text = wk_str_of(below.at, (size_t)(below.end - below.at));

	for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++)
		if (text.len && wk_str_has(text, signs[i]))
			return true;
	return false;
}

/* A heading with a stack, and frames of Windows images or a root below it. */
static int probe(struct wk_bytes first)
{
	struct wk_buf text = { 0 };
	struct wk_lines lines = wk_lines_of(wk_csv_text(first, &text));
	struct wpa wpa = { 0 };
	struct wk_str line;
	int score = 0;

	if (wk_lines_next(&lines, &line) && read_heading(&wpa, line)) {
		int known = (wpa.weight != NO_COLUMN) + (wpa.process != NO_COLUMN);

		score = has_frames(lines) ? 50 + 20 * known : known == 2 ? 40 : 0;
	}
	wk_csv_fini(&wpa.text.csv);
	wk_buf_fini(&text);
	return score;
}

const struct wk_reader wk_reader_wpa_csv = {
	.name = "wpa-csv",
	.summary = "Windows Performance Analyzer, a table with stacks as CSV",
	.suffixes = (const char *const[]){ ".csv", NULL },
	.probe = probe,
	.read = read_wpa_csv,
};
