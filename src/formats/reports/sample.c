/* Call graphs printed by macOS `sample` and "Sample Process" of Activity Monitor.
 * docs/formats/sample.md */
#include <inttypes.h>

#include "base/buf.h"
#include "base/num.h"
#include "formats/reports/tree_text.h"
#include "formats/scan.h"
#include "names/rust_escapes.h"

#define EXPECTED "what `sample` prints, with a line \"Call graph:\" and a tree below it"

#define GRAPH_BEGINS "Call graph:"
#define GRAPH_ENDS   "Total number in stack"
#define LEFT_MARGIN  4

struct sample {
	struct wk_tree_text text;
	struct wk_buf joined;
	uint32_t pid;
	bool has_pid;
};

/* A line of the graph. */
struct entry {
	uint64_t count;
	uint32_t depth;
	struct wk_str text; /* after the count */
};

static bool find_last(struct wk_str text, const char *what, size_t *at)
{
	*at = wk_str_find_last_text(text, what);
	return *at != SIZE_MAX;
}

static struct wk_str until(struct wk_str text, char stop)
{
	return wk_scan_to(&text, stop);
}

/* "Process:         rg [64751]" */
static void on_process(struct sample *sample, struct wk_str text)
{
	uint64_t pid;

	text = wk_trim(text);
	if (!wk_cut_number(&text, " [", &pid) || pid >= WK_NO_PID)
		return;
	sample->pid = (uint32_t)pid;
	sample->has_pid = true;
	wk_stack_writer_process(sample->text.writer, sample->pid, text);
}

/* "Thread_15758523   DispatchQueue_1: com.apple.main-thread  (serial)" is not a function. */
static bool on_thread(struct sample *sample, const struct entry *entry)
{
	struct wk_str name = entry->text, number;
	uint64_t tid;
	size_t kind;

	if (sample->text.collapse || !sample->has_pid || entry->depth > 0 ||
	    !wk_str_starts(name, "Thread_"))
		return false;
	number = until(until(wk_str_skip(name, 7), ' '), ':');
	if (!wk_num_u64(number, &tid) || tid >= WK_NO_PID)
		return false;
	name = wk_str_skip(name, 7 + number.len);
	name = wk_trim(wk_str_starts(name, ":") ? wk_str_skip(name, 1) : name);
	if (find_last(name, "  (", &kind)) /* of queue */
		name.len = kind;
	wk_call_tree_close(&sample->text.tree, 0);
	wk_stack_writer_thread(sample->text.writer, sample->pid, (uint32_t)tid, name);
	sample->text.tree.pid = sample->pid;
	sample->text.tree.tid = (uint32_t)tid;
	wk_call_tree_add(&sample->text.tree, 0, NULL, entry->count);
	return true;
}

/* "  (in rg) + 41  [0x10384b549]  main.c:12"; all parts are optional. */
static void read_place(struct wk_str place, struct wk_event_frame *frame)
{
	size_t at;

	if (find_last(place, "[0x", &at)) {
		struct wk_str inside = until(wk_str_skip(place, at + 3), ']');

		wk_num_hex(until(inside, ','), &frame->address);
		place = wk_trim(wk_str_skip(place, at + 3 + inside.len + 1));
	}
	if (wk_cut_line(&place, &frame->line))
		frame->file = place;
}

/* "main  (in rg) + 41  [0x10384b549]" */
static struct wk_event_frame frame_of(struct sample *sample, struct wk_str text)
{
	struct wk_event_frame frame = { .name = text };
	size_t in;

	if (find_last(text, "  (in ", &in)) {
		struct wk_str behind = wk_str_skip(text, in + 6);

		frame.name = wk_str_of(text.at, in);
		frame.image = until(behind, ')');
		read_place(wk_str_skip(behind, frame.image.len + 1), &frame);
	} else if (find_last(text, "  [0x", &in)) {
		frame.name = wk_str_of(text.at, in);
		read_place(wk_str_skip(text, in), &frame);
	}
	if (wk_str_ends(frame.name, ")") && find_last(frame.name, " (.llvm.", &in))
		frame.name.len = in;
	frame.name = wk_rust_name(wk_trim(frame.name), &sample->text.name);
	frame.is_unnamed = wk_str_is(frame.name, "???");
	return frame;
}

/* The text of a frame as the older tools begin it: the module, then a function or its first word.
 */
static void join(struct sample *sample, struct wk_str module, struct wk_str function)
{
	if (wk_str_ends(module, ".dylib"))
		module.len -= 6;
	wk_buf_reset(&sample->joined);
	wk_buf_add_str(&sample->joined, module);
	wk_buf_add_text(&sample->joined, module.len ? "`" : "");
	wk_buf_add_str(&sample->joined, function);
}

/* As inferno-collapse-sample: no arguments, the module first. */
static struct wk_event_frame tool_frame(struct sample *sample, struct wk_str text)
{
	struct wk_str module = { "", 0 };
	size_t in;

	if (!sample->text.collapse->no_modules && find_last(text, "(in ", &in))
		module = until(wk_str_skip(text, in + 4), ')');
	join(sample, module, wk_rust_name(wk_trim(until(text, '(')), &sample->text.name));
	return (struct wk_event_frame){ .name = wk_buf_str(&sample->joined) };
}

/* As stackcollapse-sample.awk: the first word, and the second ("-[NSArray count]" becomes
 * "-[NSArray.count]"). */
static struct wk_event_frame awk_frame(struct sample *sample, struct wk_str text)
{
	size_t in = wk_str_find(text, "(in ");
	struct wk_str module = { "", 0 }, word = wk_scan_word(&text);

	if (in != SIZE_MAX)
		module = until(wk_str_skip(text, in + 4 - word.len), ')');
	join(sample, module, word);
	wk_scan_blanks(&text);
	word = wk_scan_word(&text);
	if (word.len && !wk_str_is(word, "(in"))
		wk_buf_add_fmt(&sample->joined, ".%.*s", WK_STR_ARG(word));
	return (struct wk_event_frame){ .name = wk_buf_str(&sample->joined) };
}

/* Waiting threads, which the older tools leave out. perl compares whole names, inferno only their
 * ends. */
static bool is_idle(const struct sample *sample, struct wk_str name)
{
	static const char *const idle[] = {
		"__psynch_cvwait", "__select", "__semwait_signal", "__ulock_wait", "__wait4",
		"__workq_kernreturn", "kevent", "mach_msg_trap", "read", "semaphore_wait_trap",
	};
	bool is_whole = sample->text.collapse->dialect == WK_COLLAPSE_PERL;

	if (is_whole && wk_str_starts(name, "libsystem_kernel`"))
		name = wk_str_skip(name, strlen("libsystem_kernel`"));
	for (size_t i = 0; i < sizeof(idle) / sizeof(idle[0]); i++)
		if (is_whole ? wk_str_is(name, idle[i]) : wk_str_ends(name, idle[i]))
			return true;
	return false;
}

static void add_entry(struct sample *sample, const struct entry *entry)
{
	struct wk_event_frame frame;

	if (on_thread(sample, entry))
		return;
	if (!sample->text.collapse) {
		frame = frame_of(sample, entry->text);
		wk_call_tree_add(&sample->text.tree, entry->depth, &frame, entry->count);
		return;
	}
	frame = sample->text.collapse->dialect == WK_COLLAPSE_PERL
			? awk_frame(sample, entry->text)
			: tool_frame(sample, entry->text);
	wk_call_tree_add(&sample->text.tree, entry->depth, &frame, entry->count)->is_silent =
		!sample->text.collapse->keeps_idle && is_idle(sample, frame.name);
}

static bool is_well_placed(struct sample *sample, struct wk_str line, size_t signs, uint32_t depth)
{
	if (signs % 2)
		return wk_tree_text_fault(&sample->text, line,
					  "Odd number of indentation characters for line:", NULL);
	return depth <= wk_call_tree_deepest(&sample->text.tree) ||
	       wk_tree_text_fault(&sample->text, line, "Skipped indentation level at line:", NULL);
}

/* "    +   ! 4282 start  (in rg) ...": two characters of indentation per level, a count, a name. */
static bool on_entry(struct sample *sample, struct wk_str line)
{
	struct wk_str rest = wk_str_skip(line, LEFT_MARGIN), count;
	struct entry entry = { 0 };
	size_t signs = 0;

	while (signs < rest.len && rest.at[signs] && strchr(" +|:!", rest.at[signs]))
		signs++;
	if (signs == rest.len)
		return wk_tree_text_fault(
			&sample->text, line,
			"Found stack line with only indent characters:", "a count and a function");
	entry.depth = (uint32_t)((signs + 1) / 2);
	if (!is_well_placed(sample, line, signs, entry.depth))
		return false;
	rest = wk_str_skip(rest, signs);
	count = until(rest, ' ');
	entry.text = wk_trim(wk_str_skip(rest, count.len));
	if (!wk_num_u64(count, &entry.count))
		return wk_tree_text_fault(&sample->text, line,
					  "Invalid samples field:", "a count before a name");
	if (entry.text.len == 0)
		return wk_tree_text_fault(&sample->text, line,
					  "Unable to parse stack line:", "a name after the count");
	add_entry(sample, &entry);
	return true;
}

static bool read_graph(struct sample *sample)
{
	struct wk_str line;

	while (wk_tree_text_row(&sample->text, &line)) {
		if (wk_str_starts(line, GRAPH_ENDS))
			return true;
		if (wk_str_starts(line, "    ")) {
			if (!on_entry(sample, line))
				return false;
		} else if (!wk_tree_text_fault(&sample->text, line,
					       "Stack line doesn't start with 4 spaces:",
					       "four blanks before an entry of the call "
					       "graph")) {
			return false;
		}
	}
	if (wk_tree_text_is_inferno(&sample->text))
		return wk_fail(sample->text.err, WK_ECORRUPT, WK_NOWHERE,
			       "File ended before end of call graph: no line \"" GRAPH_ENDS "\"");
	wk_note(sample->text.writer,
		"the file ends within the call graph: no line \"" GRAPH_ENDS "\" closes it");
	return true;
}

static bool read_report(struct sample *sample)
{
	struct wk_str line;
	bool found = false, ok;

	while (wk_lines_next(&sample->text.lines, &line)) {
		if (wk_str_starts(line, "Process:") && !sample->text.collapse)
			on_process(sample, wk_str_skip(line, 8));
		if (!wk_str_starts(line, GRAPH_BEGINS))
			continue;
		found = true;
		if (!read_graph(sample))
			return false;
		wk_call_tree_close(&sample->text.tree, 0);
	}
	ok = wk_tree_text_end(&sample->text, EXPECTED);
	if (!found && sample->text.collapse)
		wk_note(sample->text.writer,
			"File ended before start of call graph: no line \"" GRAPH_BEGINS "\"");
	return ok;
}

static bool read_sample(const struct wk_input *input, const struct wk_sink *sink,
			struct wk_err *err)
{
	struct sample sample = { 0 };
	bool ok;

	wk_tree_text_begin(&sample.text, input, sink, err);
	sample.text.is_strict = wk_tree_text_is_inferno(&sample.text);
	sample.text.tree.with_callees = true;
	sample.text.tree.leaves_only = sample.text.tree.keeps_last =
		wk_tree_text_is_inferno(&sample.text);
	sample.text.tree.keeps_zero =
		sample.text.collapse && !wk_tree_text_is_inferno(&sample.text);
	wk_stack_writer_source(sample.text.writer, 0, "samples", "samples", false);
	ok = read_report(&sample);
	wk_call_tree_close(&sample.text.tree, 0);
	/* If a stack occurs twice, inferno-collapse-sample prints only its second count, without a
	 * message. wick prints the same, with a note. */
	if (sample.text.tree.replaced)
		wk_note(sample.text.writer,
			"%" PRIu64 " samples of stacks that are repeated further down were left "
			"out, as in inferno-collapse-sample; `wick fold` includes them",
			sample.text.tree.replaced);
	wk_buf_fini(&sample.joined);
	return wk_tree_text_fini(&sample.text) && ok;
}

static int probe(struct wk_bytes first)
{
	struct wk_lines lines = wk_lines_of(first);
	struct wk_str line;
	int score = 0;

	while (wk_lines_next(&lines, &line)) {
		if (lines.number == 1 && wk_str_starts(line, "Analysis of sampling "))
			score = 80;
		if (wk_str_starts(line, GRAPH_BEGINS))
			return 90;
		if (wk_str_starts(line, "Analysis Tool:") && wk_str_ends(wk_trim(line), "/sample"))
			score = 85;
	}
	return score;
}

const struct wk_reader wk_reader_sample = {
	.name = "sample",
	.summary = "macOS sample, the call graph it prints",
	.suffixes = (const char *const[]){ ".sample.txt", NULL },
	.probe = probe,
	.read = read_sample,
};
