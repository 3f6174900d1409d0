/* The text of `perf script`: samples of several lines, each followed by a blank line, or of one
 * line. docs/formats/perf-script.md */
#include <inttypes.h>

#include "base/mem.h"
#include "base/num.h"
#include "formats/perf_script/internal.h"
#include "formats/reader.h"
#include "os/os.h"

#define ROWS_AT_ONCE  4096
#define SMALLEST_PART (256 * 1024) /* less is not worth a thread */

/* The indentation may be lost on the way, but then a frame needs its image. */
static bool is_frame(struct wk_str line, bool needs_image)
{
	struct wk_script_frame_line frame;

	return line.len && (needs_image || line.at[0] == '\t' || line.at[0] == ' ') &&
	       wk_script_line_kind(line, &frame) == WK_SCRIPT_LINE_FRAME &&
	       (!needs_image || line.at[line.len - 1] == ')');
}

/* Expects the first line of a sample and then a frame. */
static int judge(struct wk_str first, struct wk_str second)
{
	struct wk_script_head head;

	if (wk_script_is_aligned_frame(first) &&
	    (wk_script_is_aligned_frame(second) || (first.at[0] == '\t' && second.len == 0)))
		return 60;
	if (wk_script_head_parse(first, &head) && head.frame.len && !head.tid.len)
		return 60;
	if (!wk_script_head_parse(first, &head))
		return second.len && second.at[0] == '\t' &&
				       (is_frame(second, true) ||
					wk_script_is_aligned_frame(second))
			       ? 50
			       : 0;
	if (head.frame.len || is_frame(second, true))
		return 95;
	if (is_frame(second, false))
		return 80;
	return head.has_time && head.has_event ? 30 : 0;
}

static int probe(struct wk_bytes first)
{
	struct wk_lines lines = wk_lines_of(first);
	bool has_header = wk_str_starts(wk_bytes_str(first), "# ========\n# captured on");
	struct wk_str line, second = { 0 };

	while (wk_lines_next(&lines, &line))
		if (line.len && line.at[0] != '#' && wk_trim(line).len) {
			wk_lines_next(&lines, &second);
			return judge(line, second);
		}
	return has_header ? 90 : 0;
}

/* The comments at the start, as `perf script --header` prints them. */

static void emit_fact(struct wk_stack_writer *writer, const char *key, struct wk_str value)
{
	struct wk_event event = { .kind = WK_EVENT_SYSTEM, .cpu = WK_NO_CPU };

	event.system = (struct wk_event_system){ .key = wk_str_c(key), .value = value };
	wk_stack_writer_event(writer, &event);
}

/* "8058796 kB" as bytes */
static void emit_memory(struct wk_stack_writer *writer, struct wk_str value)
{
	struct wk_buf text = { 0 };
	uint64_t kilobytes;

	if (!wk_str_ends(value, " kB") ||
	    !wk_num_u64(wk_str_of(value.at, value.len - 3), &kilobytes) || kilobytes > UINT32_MAX)
		return;
	wk_buf_add_fmt(&text, "%" PRIu64, kilobytes * 1024);
	emit_fact(writer, "memory", wk_buf_str(&text));
	wk_buf_fini(&text);
}

static void emit_comment(struct wk_stack_writer *writer, struct wk_str line)
{
	static const struct {
		const char *perf, *key;
	} facts[] = {
		{ "hostname", "host name" },    { "os release", "kernel" },
		{ "perf version", "recorder" }, { "arch", "machine" },
		{ "cpudesc", "cpu" },           { "cpuid", "cpu id" },
		{ "nrcpus online", "cpus" },    { "cmdline", "command line" },
	};
	const char *colon = line.len ? memchr(line.at, ':', line.len) : NULL;
	struct wk_str key, value;

	if (!colon)
		return;
	key = wk_trim(wk_str_of(line.at + 1, (size_t)(colon - line.at) - 1));
	value = wk_trim(wk_str_skip(line, (size_t)(colon - line.at) + 1));
	for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++)
		if (wk_str_is(key, facts[i].perf))
			emit_fact(writer, facts[i].key, value);
	if (wk_str_is(key, "total memory"))
		emit_memory(writer, value);
}

static void emit_facts(struct wk_stack_writer *writer, struct wk_bytes bytes)
{
	struct wk_lines lines = wk_lines_of(bytes);
	struct wk_str line;

	while (wk_lines_next(&lines, &line) && (line.len == 0 || line.at[0] == '#'))
		emit_comment(writer, line);
}

/* Bad lines of all parts. */

uint64_t wk_script_line_number(const char *begin, const char *at)
{
	uint64_t number = 1;

	for (const char *from = begin; from < at; number++) {
		from = memchr(from, '\n', (size_t)(at - from));
		if (!from)
			break;
		from++;
	}
	return number;
}

/* In collapse mode, with the message of the older tool. */
static void emit_weird(struct wk_stack_writer *writer, enum wk_collapse_dialect dialect,
		       const struct wk_script_part *part, uint64_t count)
{
	struct wk_str line = part->bad_first;
	struct wk_buf text = { 0 };

	if (dialect == WK_COLLAPSE_PERL)
		wk_buf_add_text(&text, "Unrecognized line: ");
	else
		wk_buf_add_fmt(&text, "Weird %s line: ", part->bad_is_head ? "event" : "stack");
	wk_buf_add(&text, line.at, line.len < 80 ? line.len : 80);
	if (count > 1)
		wk_buf_add_fmt(&text, " (and %" PRIu64 " more)", count - 1);
	wk_stack_writer_note(writer, wk_buf_str(&text));
	wk_buf_fini(&text);
}

static void emit_bad(struct wk_stack_writer *writer, const struct wk_input *input,
		     const struct wk_script_part *parts, size_t count)
{
	const struct wk_script_part *first = NULL;
	struct wk_bad_lines bad = { 0 };

	for (size_t i = 0; i < count; i++) {
		bad.count += parts[i].bad_count;
		if (parts[i].bad_count && !first)
			first = &parts[i];
	}
	if (!first)
		return;
	if (input->options.collapse) {
		emit_weird(writer, input->options.collapse->dialect, first, bad.count);
		return;
	}
	bad.first = first->bad_first;
	bad.first_number =
		first->bad_number
			? first->bad_number
			: wk_script_line_number((const char *)input->bytes.at,
						(const char *)input->bytes.at + first->bad_at);
	bad.expected = first->bad_is_head ? "the first line of a sample" : "a frame";
	wk_bad_lines_emit(&bad, writer);
}

static void emit_lost(struct wk_stack_writer *writer, const struct wk_script_part *parts,
		      size_t count)
{
	struct wk_event event = { .kind = WK_EVENT_LOST, .cpu = WK_NO_CPU };

	for (size_t i = 0; i < count; i++)
		event.lost.count += parts[i].lost;
	if (event.lost.count)
		wk_stack_writer_event(writer, &event);
}

static void emit_unfinished(struct wk_stack_writer *writer, const struct wk_script_part *parts,
			    size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (parts[i].has_unfinished)
			wk_note(writer, "the last sample is not counted: no blank line follows it");
}

/* Cuts between samples. */

/* The first position from `at` on where a sample may begin: behind a blank line, or before a line
 * that is a whole sample. */
static const char *next_cut(const char *at, const char *end)
{
	while (at < end) {
		const char *feed = memchr(at, '\n', (size_t)(end - at));
		struct wk_script_head head;
		struct wk_str line;

		if (!feed || feed + 1 == end)
			return end;
		at = feed + 1;
		if (*at == '\n')
			return at;
		if (*at == '\t' || *at == '#')
			continue;
		feed = memchr(at, '\n', (size_t)(end - at));
		line = wk_str_of(at, feed ? (size_t)(feed - at) : 0);
		if (wk_script_head_parse(line, &head) && head.frame.len)
			return at;
	}
	return end;
}

static size_t part_count(const struct wk_input *input)
{
	size_t most = wk_bytes_left(&input->bytes) / SMALLEST_PART + 1;
	size_t count = input->options.threads ? input->options.threads : 1;

	/* A pipe has one end only, and the inliner may be used by one thread only. */
	if ((input->rest && !input->rest->is_file) ||
	    (input->options.collapse && input->options.collapse->inliner))
		return 1;
	if (count > most)
		count = most;
	return count < WK_SCRIPT_MOST_PARTS ? count : WK_SCRIPT_MOST_PARTS;
}

/* The thread that reads the first part also emits all, which takes a twentieth of the time. */
static size_t weight_up_to(size_t part)
{
	return 20 + 21 * part;
}

/* `perf script -F ip,sym` of samples without call chains is a line for each, with nothing but
 * lines. Chains begin with a tab and end with a blank line. */
bool wk_script_is_list(struct wk_bytes bytes)
{
	size_t len = wk_bytes_left(&bytes);
	struct wk_lines lines;
	struct wk_str line;

	if (len > WK_PROBE_BYTES)
		bytes.end = bytes.at + WK_PROBE_BYTES;
	lines = wk_lines_of(bytes);
	while (wk_lines_next(&lines, &line)) {
		bool is_whole =
			len <= WK_PROBE_BYTES || line.at + line.len < (const char *)bytes.end;

		if (is_whole && !(line.len && line.at[0] == '#') &&
		    (!wk_script_is_aligned_frame(line) || line.at[0] != ' '))
			return false;
	}
	return lines.number > 1;
}

/* What is read in pieces is not read from `begin`: of a file only the position counts, and of a
 * pipe this is the start. */
static void init_part(struct wk_script_part *part, const struct wk_input *input, const char *begin,
		      const char *end)
{
	size_t at = (size_t)(begin - (const char *)input->bytes.at), len = (size_t)(end - begin);

	wk_script_part_init(part, &input->options, begin, input->rest ? begin : end);
	part->is_in_pieces = input->rest;
	part->bytes_before = at;
	if (input->rest && input->rest->is_file)
		wk_pieces_of_file(&part->pieces, input->rest, at, at + len);
	else if (input->rest)
		wk_pieces_of_pipe(&part->pieces, input->rest, wk_str_of(begin, len));
}

static void cut(struct wk_script_part *parts, size_t count, const struct wk_input *input)
{
	const struct wk_collapse *collapse = input->options.collapse;
	struct wk_str all = wk_bytes_str(input->bytes);
	const char *begin = all.at, *end = all.at + all.len;
	bool is_list = !collapse && wk_script_is_list(input->bytes);

	for (size_t i = 0; i < count; i++) {
		const char *stop = end;

		if (i + 1 < count) {
			stop = all.at + all.len / weight_up_to(count - 1) * weight_up_to(i);
			stop = next_cut(stop < begin ? begin : stop, end);
		}
		init_part(&parts[i], input, begin, stop);
		parts[i].is_list = is_list;
		parts[i].is_end = stop == end;
		parts[i].wants_blank = parts[i].is_end && !input->rest && collapse &&
				       collapse->dialect == WK_COLLAPSE_PERL;
		begin = stop;
	}
}

static void read_whole(void *context)
{
	wk_script_part_read(context, SIZE_MAX);
}

/* Emits the first part while it is read, the others when their threads are done. */
static void read_parts(struct wk_script_part *parts, size_t count,
		       struct wk_script_emitter *emitter)
{
	struct wk_os_thread *threads[WK_SCRIPT_MOST_PARTS] = { 0 };
	size_t at_once = parts[0].sums ? SIZE_MAX : ROWS_AT_ONCE;
	bool goes_on = true;

	for (size_t i = 1; i < count; i++)
		threads[i] = wk_os_thread_start(read_whole, &parts[i]);
	for (size_t i = 0; i < count; i++) {
		if (threads[i])
			wk_os_thread_join(threads[i]);
		do {
			goes_on = !wk_stack_writer_is_done(emitter->writer) &&
				  wk_script_part_read(&parts[i], at_once);
			wk_script_emit(emitter, &parts[i]);
		} while (goes_on);
		wk_script_part_end_reading(&parts[i]);
	}
}

static bool end_parts(struct wk_script_part *parts, size_t count, struct wk_err *err)
{
	bool ok = true;

	for (size_t i = 0; i < count; i++) {
		ok = ok && wk_pieces_check(&parts[i].pieces, err);
		wk_script_part_end(&parts[i]);
	}
	wk_free(parts);
	return ok;
}

void wk_script_emit_start(struct wk_stack_writer *writer, const struct wk_input *input)
{
	if (input->options.collapse)
		wk_stack_writer_source(writer, 0, "samples", "samples", true);
	else
		emit_facts(writer, input->bytes);
}

void wk_script_emit_end(struct wk_stack_writer *writer, const struct wk_input *input,
			const struct wk_script_part *parts, size_t count)
{
	emit_lost(writer, parts, count);
	emit_bad(writer, input, parts, count);
	emit_unfinished(writer, parts, count);
}

bool wk_script_read(const struct wk_input *input, size_t count, const struct wk_sink *sink,
		    struct wk_err *err)
{
	const struct wk_collapse *collapse = input->options.collapse;
	struct wk_stack_writer *writer = wk_stack_writer_new(sink);
	struct wk_script_part *parts = wk_alloc_zeroed(count, sizeof(*parts));
	struct wk_script_emitter emitter;
	bool ok;

	wk_script_emit_start(writer, input);
	cut(parts, count, input);
	wk_script_emitter_init(&emitter, writer, collapse);
	read_parts(parts, count, &emitter);
	wk_script_emit_end(writer, input, parts, count);
	ok = end_parts(parts, count, err);
	if (ok && !collapse)
		wk_check_samples(writer, false, input->bytes, WK_SCRIPT_EXPECTED, err);
	wk_script_emitter_fini(&emitter);
	return wk_stack_writer_end(writer, err) && ok;
}

static bool read_text(const struct wk_input *input, const struct wk_sink *sink, struct wk_err *err)
{
	return wk_script_read(input, part_count(input), sink, err);
}

const struct wk_reader wk_reader_perf_script = {
	.name = "perf-script",
	.summary = "text of `perf script`",
	.suffixes = (const char *const[]){ ".perf", ".stacks", NULL },
	.probe = probe,
	.read = read_text,
	.in_pieces = true,
	.streams = true,
};
