/* Stacks printed by DTrace: frames from the innermost out, then a count. docs/formats/dtrace.md */
#include "base/buf.h"
#include "base/num.h"
#include "formats/stack_text.h"
#include "names/rust_escapes.h"

#define EXPECTED          "stacks of lines such as module`function+0x1f, each with a count below it"
#define PERL_HEADER_LINES 3

struct dtrace {
	struct wk_stack_text stack;
	size_t first_indent, second_indent;
	bool first_is_key;    /* the first line has neither a module nor an address */
	bool is_each_counted; /* stacks of single events: no counts */
	struct wk_str first_line;
	struct wk_buf name, squeezed, plain;
};

static bool is_address(struct wk_str text, uint64_t *address)
{
	return wk_str_starts(text, "0x") && wk_num_hex(wk_str_skip(text, 2), address);
}

static bool has_module(struct wk_str text)
{
	return text.len && memchr(text.at, '`', text.len);
}

static size_t last_plus(struct wk_str text)
{
	size_t at = wk_str_find_last(text, '+');

	return at == SIZE_MAX ? text.len : at;
}

/* "a  b " becomes "a b": keys of an aggregation are padded to columns. */
static struct wk_str squeezed(struct dtrace *dtrace, struct wk_str text)
{
	wk_buf_reset(&dtrace->squeezed);
	for (size_t i = 0; i < text.len; i++)
		if (text.at[i] != ' ' || (i > 0 && text.at[i - 1] != ' '))
			wk_buf_add_char(&dtrace->squeezed, text.at[i]);
	return wk_buf_str(&dtrace->squeezed);
}

/* The demangled name without its offset and without the mark of the compiler's copies. */
static struct wk_str function_of(struct dtrace *dtrace, struct wk_str text)
{
	size_t plus = last_plus(text), copy;
	uint64_t offset;

	if (plus < text.len && is_address(wk_str_skip(text, plus + 1), &offset))
		text.len = plus;
	copy = wk_str_find(text, " (.llvm.");
	if (copy != SIZE_MAX && wk_str_ends(text, ")"))
		text.len = copy;
	return wk_rust_name(text, &dtrace->name);
}

static void on_frame(struct dtrace *dtrace, struct wk_str text)
{
	struct wk_event_frame frame = { .name = text };
	const char *tick = memchr(text.at, '`', text.len);

	if (tick) {
		frame.image = wk_str_of(text.at, (size_t)(tick - text.at));
		frame.name = wk_str_skip(text, frame.image.len + 1);
	}
	frame.is_unnamed = is_address(frame.name, &frame.address);
	if (!tick && !frame.is_unnamed)
		frame.name = squeezed(dtrace, text);
	frame.name = function_of(dtrace, frame.name);
	wk_stack_text_add(&dtrace->stack, wk_stack_writer_frame(dtrace->stack.writer, &frame));
}

/* Other keys of an aggregation are above the stack with less indentation: they become the
 * outermost frame. */
static void move_key(struct dtrace *dtrace)
{
	uint32_t key;

	if (!dtrace->first_is_key || dtrace->stack.count < 2 ||
	    dtrace->first_indent >= dtrace->second_indent)
		return;
	key = dtrace->stack.frames[0];
	memmove(dtrace->stack.frames, dtrace->stack.frames + 1,
		(dtrace->stack.count - 1) * sizeof(*dtrace->stack.frames));
	dtrace->stack.frames[dtrace->stack.count - 1] = key;
}

static void on_count(struct dtrace *dtrace, uint64_t count)
{
	move_key(dtrace);
	wk_stack_writer_count(dtrace->stack.writer,
			      wk_stack_writer_reversed(dtrace->stack.writer, dtrace->stack.frames,
						       dtrace->stack.count),
			      count);
	dtrace->stack.count = 0;
}

/* "  0  64091     read:entry": a CPU, the number of a probe and its name. */
static bool is_event(struct wk_str text)
{
	uint64_t cpu, probe;

	return wk_scan_number(&text, &cpu) && wk_scan_blanks(&text) &&
	       wk_scan_number(&text, &probe) && wk_scan_blanks(&text) && text.len &&
	       memchr(text.at, ':', text.len) && !memchr(text.at, ' ', text.len) &&
	       !has_module(text);
}

static bool is_negative(struct wk_str text)
{
	uint64_t count;

	return wk_str_starts(text, "-") && wk_num_u64(wk_str_skip(text, 1), &count);
}

static void on_stack_line(struct dtrace *dtrace, struct wk_str line, struct wk_str text)
{
	uint64_t address;

	if (dtrace->stack.count == 0) {
		dtrace->first_line = line;
		dtrace->first_indent = wk_scan_blanks(&line);
		dtrace->first_is_key = !has_module(text) && !is_address(text, &address);
	} else if (dtrace->stack.count == 1) {
		dtrace->second_indent = wk_scan_blanks(&line);
	}
	on_frame(dtrace, text);
}

static void on_line(struct dtrace *dtrace, struct wk_str line, bool *in_header)
{
	struct wk_str text = wk_trim(line);
	uint64_t count, address;

	if (text.len == 0) {
		*in_header = false;
	} else if (is_event(text) || wk_str_starts(text, "CPU ")) {
		if (dtrace->stack.count) {
			dtrace->is_each_counted = true;
			on_count(dtrace, 1);
		}
	} else if (*in_header && !has_module(text) && !is_address(text, &address)) {
		return;
	} else if (is_negative(text)) {
		wk_stack_text_bad(&dtrace->stack, "a count above 0");
		dtrace->stack.count = 0;
	} else if (wk_num_u64(text, &count)) {
		on_count(dtrace, count);
	} else {
		*in_header = false;
		on_stack_line(dtrace, line, text);
	}
}

static void read_plainly(struct dtrace *dtrace)
{
	struct wk_str line;
	bool in_header = true;

	while (wk_stack_text_next(&dtrace->stack, &line))
		on_line(dtrace, line, &in_header);
	if (dtrace->stack.count && dtrace->is_each_counted)
		on_count(dtrace, 1);
	else if (dtrace->stack.count)
		wk_bad_line(&dtrace->stack.bad, &dtrace->stack.lines, dtrace->first_line,
			    "a count below the last stack");
}

/* --- As stackcollapse.pl and inferno-collapse-dtrace ---------------------------------------- */

/* Cuts the text at the last '(' or '<' after the first "::". */
static struct wk_str without_arguments(struct wk_str text)
{
	size_t scope = wk_str_find(text, "::");

	if (scope == SIZE_MAX)
		return text;
	for (size_t at = text.len; at > scope + 2; at--)
		if (text.at[at - 1] == '(' || text.at[at - 1] == '<')
			return wk_str_of(text.at, at - 1);
	return text;
}

/* Demangles a Rust name after a module; the offset stays. */
static struct wk_str with_rust_name(struct dtrace *dtrace, struct wk_str text)
{
	const char *tick = memchr(text.at, '`', text.len);
	size_t module = tick ? (size_t)(tick - text.at) + 1 : 0;
	struct wk_str name = wk_str_skip(text, module), offset = { "", 0 }, plain;

	if (!tick)
		return text;
	if (dtrace->stack.collapse->with_offsets) {
		size_t plus = last_plus(name);

		offset = wk_str_skip(name, plus);
		name.len = plus;
	}
	name = wk_trim(name);
	plain = wk_rust_name(name, &dtrace->name);
	if (plain.at == name.at)
		return text;
	wk_buf_reset(&dtrace->squeezed);
	wk_buf_add(&dtrace->squeezed, text.at, module);
	wk_buf_add_str(&dtrace->squeezed, plain);
	wk_buf_add_str(&dtrace->squeezed, offset);
	return wk_buf_str(&dtrace->squeezed);
}

static void add_inlined(struct dtrace *dtrace, struct wk_str text, bool is_inlined)
{
	while (wk_str_starts(text, "L"))
		text = wk_str_skip(text, 1);
	wk_buf_reset(&dtrace->name);
	wk_buf_add_str(&dtrace->name, text);
	wk_buf_add_text(&dtrace->name, is_inlined ? "_[i]" : "");
	wk_stack_text_add(&dtrace->stack,
			  wk_stack_writer_name(dtrace->stack.writer, wk_buf_str(&dtrace->name)));
}

/* "a->b->c": b is inlined into a, and c into b. The innermost is added first. */
static void add_with_inlined(struct dtrace *dtrace, struct wk_str text)
{
	for (size_t at = text.len; at >= 2; at--)
		if (text.at[at - 2] == '-' && text.at[at - 1] == '>') {
			add_inlined(dtrace, wk_str_skip(text, at), true);
			text.len = at - 2;
			at = at > 2 ? at - 1 : 2;
		}
	add_inlined(dtrace, text, false);
}

/* Semicolons separate the frames of a line, so the tool replaces them. */
static struct wk_str without_semicolons(struct dtrace *dtrace, struct wk_str text)
{
	if (!memchr(text.at, ';', text.len))
		return text;
	wk_buf_reset(&dtrace->plain);
	for (size_t i = 0; i < text.len; i++)
		wk_buf_add_char(&dtrace->plain, text.at[i] == ';' ? ':' : text.at[i]);
	return wk_buf_str(&dtrace->plain);
}

static void on_tool_frame(struct dtrace *dtrace, struct wk_str text, bool is_perl)
{
	bool with_offsets = dtrace->stack.collapse->with_offsets;
	bool has_inlined = with_offsets || wk_str_has(text, "->");

	if (!with_offsets || dtrace->stack.count == 0)
		text.len = last_plus(text);
	text = without_arguments(text);
	if (text.len == 0)
		text = wk_str_c("-");
	else if (!is_perl)
		text = without_semicolons(dtrace, with_rust_name(dtrace, text));
	else if (has_inlined)
		text = without_semicolons(dtrace, text);
	if (has_inlined)
		add_with_inlined(dtrace, text);
	else
		wk_stack_text_add(&dtrace->stack, wk_stack_writer_name(dtrace->stack.writer, text));
}

static bool skip_header(struct dtrace *dtrace)
{
	struct wk_str line;

	while (wk_lines_next(&dtrace->stack.lines, &line))
		if (dtrace->stack.collapse->dialect == WK_COLLAPSE_PERL
			    ? dtrace->stack.lines.number == PERL_HEADER_LINES
			    : wk_trim(line).len == 0)
			return true;
	return dtrace->stack.collapse->dialect == WK_COLLAPSE_PERL;
}

static bool read_as_tool(struct dtrace *dtrace, struct wk_err *err)
{
	bool is_perl = dtrace->stack.collapse->dialect == WK_COLLAPSE_PERL;
	struct wk_str line;
	uint64_t count;

	if (!skip_header(dtrace)) {
		wk_note(dtrace->stack.writer,
			"File ended while skipping headers: no blank line that "
			"stacks follow");
		return true;
	}
	while (wk_stack_text_next(&dtrace->stack, &line)) {
		struct wk_str text = wk_trim(line);

		if (text.len == 0)
			continue;
		if (wk_num_u64(text, &count))
			on_count(dtrace, count);
		else if (is_perl)
			on_tool_frame(dtrace, wk_str_skip(line, (size_t)(text.at - line.at)), true);
		else
			on_tool_frame(dtrace, text, false);
	}
	if (dtrace->stack.count && !is_perl)
		return wk_fail(err, WK_ECORRUPT, WK_NOWHERE,
			       "Input data ends in the middle of a stack: a count must follow it");
	return true;
}

static bool read_dtrace(const struct wk_input *input, const struct wk_sink *sink,
			struct wk_err *err)
{
	struct dtrace dtrace = { 0 };
	bool ok = true;

	wk_stack_text_begin(&dtrace.stack, input, sink, "samples");
	dtrace.stack.may_be_empty = dtrace.stack.collapse;
	if (dtrace.stack.collapse)
		ok = read_as_tool(&dtrace, err);
	else
		read_plainly(&dtrace);
	WK_BUF_FINI_ALL(&dtrace.name, &dtrace.squeezed, &dtrace.plain);
	return wk_stack_text_end(&dtrace.stack, EXPECTED, err) && ok;
}

/* "module`function+0x1f" or an address. Quoted code in prose has blanks around it. */
static bool looks_like_frame(struct wk_str text)
{
	const char *tick = memchr(text.at, '`', text.len);
	uint64_t address;

	return tick ? tick > text.at && !memchr(text.at, ' ', (size_t)(tick - text.at)) &&
			       wk_str_skip(text, (size_t)(tick - text.at) + 1).len > 0
		    : is_address(text, &address);
}

/* A blank line, frames, possibly below a line of keys, and a count. */
static int probe(struct wk_bytes first)
{
	struct wk_lines lines = wk_lines_of(first);
	struct wk_str line;
	bool after_blank = false;
	int frames = 0, others = 0;
	uint64_t number;

	while (wk_lines_next(&lines, &line)) {
		struct wk_str text = wk_trim(line);

		if (lines.number == 1 && wk_str_starts(text, "CPU ") &&
		    wk_str_ends(text, "FUNCTION:NAME"))
			return 90;
		if (text.len == 0)
			after_blank = true;
		else if (wk_num_u64(text, &number))
			return frames ? 80 - 10 * others : 0;
		else if (looks_like_frame(text))
			frames++;
		else if (after_blank && (frames || others++))
			return 0;
	}
	return after_blank && frames > 2 ? 60 : 0;
}

const struct wk_reader wk_reader_dtrace = {
	.name = "dtrace",
	.summary = "DTrace stacks with counts, as its aggregations are printed",
	.suffixes = (const char *const[]){ ".stacks", ".dtrace", NULL },
	.probe = probe,
	.read = read_dtrace,
};
