/* heaptrack's recordings: each allocation and release of a program, in the order of time.
 * docs/formats/heaptrack.md */
#include "formats/heap/heaptrack.h"

#include <inttypes.h>

#include "base/mem.h"
#include "formats/lines.h"
#include "formats/reader.h"
#include "formats/scan.h"

#define PROCESS        1 /* the files do not contain its number */
#define NEWEST_VERSION 3

/* The files before version 1, like raw ones, have the address of each block. */
#define FIRST_WITHOUT_ADDRESSES 1

/* Before heaptrack 1.0 its own version, this one, was in the place of the format's. */
#define EARLY_HEAPTRACK 0x010200

/* Blocks of one size and trace, which allocations and releases refer to. */
struct kind {
	uint64_t size_bytes;
	uint32_t stack;
	uint32_t newest; /* of its blocks that are allocated; 0: none */
};

struct reading {
	struct wk_lines lines;
	struct wk_bad_lines bad;
	struct wk_stack_writer *writer;
	bool is_raw;
	struct wk_heaptrack_stacks stacks;
	struct wk_heaptrack_raw raw;
	uint64_t version, time_ns;
	struct kind *kinds;
	size_t kind_count, kind_cap;
	/* By block: the one of the same kind that was allocated before it or, if it is free, the
	 * one that was freed before it. Row 0 is none. */
	uint32_t *previous;
	size_t block_count, block_cap;
	uint32_t newest_free;
	uint64_t unmatched; /* releases of kinds without a block */
};

/* --- Header -------------------------------------------------------------------------------- */

/* "v 10400 3": the versions of heaptrack and of the format. */
static bool read_version(struct wk_str line, uint64_t *version)
{
	uint64_t tool;

	if (!wk_str_accept(&line, "v ") || !wk_heaptrack_number(&line, &tool))
		return false;
	*version = tool == EARLY_HEAPTRACK;
	if (wk_trim(line).len && !wk_heaptrack_number(&line, version))
		return false;
	return wk_trim(line).len == 0;
}

static bool is_raw_line(struct wk_str line)
{
	return wk_str_starts(line, "x ") || wk_str_starts(line, "m ");
}

static int probe(struct wk_bytes first)
{
	static const char *const heads[] = { "X ", "x ", "I ", "s ", "A", NULL };
	struct wk_lines lines = wk_lines_of(first);
	struct wk_str line;
	uint64_t version;

	if (!wk_lines_next(&lines, &line) || !read_version(line, &version) ||
	    !wk_lines_next(&lines, &line))
		return 0;
	return wk_str_starts_one_of(line, heads) ? 95 : 0;
}

/* --- Blocks -------------------------------------------------------------------------------- */

/* The sample is empty for a release, whose stack is not known. */
static void emit_block(struct reading *reading, enum wk_heap_change change, uint64_t address,
		       uint64_t size_bytes, const struct wk_event_sample *sample)
{
	struct wk_event event = {
		.kind = WK_EVENT_HEAP, .time_ns = reading->time_ns, .cpu = WK_NO_CPU,
		.pid = PROCESS, .tid = PROCESS,
		.heap = { .change = change, .address = address, .size_bytes = size_bytes,
			  .sample = *sample },
	};

	wk_stack_writer_event(reading->writer, &event);
}

/* Blocks need an address to be told apart: numbers that are used again, as addresses are. */
static uint32_t new_block(struct reading *reading)
{
	uint32_t block = reading->newest_free;

	if (block) {
		reading->newest_free = reading->previous[block];
		return block;
	}
	WK_RESERVE(reading->previous, reading->block_cap, reading->block_count + 2);
	return (uint32_t)++reading->block_count;
}

static uint64_t address_of(uint32_t block)
{
	return (uint64_t)block << 4;
}

static void allocate(struct reading *reading, struct kind *kind)
{
	uint32_t block = new_block(reading);

	reading->previous[block] = kind->newest;
	kind->newest = block;
	emit_block(reading, WK_HEAP_ALLOCATE, address_of(block), kind->size_bytes,
		   &(struct wk_event_sample){ .named_stack = kind->stack });
}

/* Which of several blocks of a kind was freed is not in the file: the newest one, so that blocks
 * that are freed at once are temporary. */
static void release(struct reading *reading, struct kind *kind)
{
	uint32_t block = kind->newest;

	if (!block) {
		reading->unmatched++;
		return;
	}
	kind->newest = reading->previous[block];
	reading->previous[block] = reading->newest_free;
	reading->newest_free = block;
	emit_block(reading, WK_HEAP_FREE, address_of(block), 0, &(struct wk_event_sample){ 0 });
}

/* "+ 1f" and "- 1f": a kind, counted from 0. */
static bool read_change(struct reading *reading, struct wk_str rest, bool is_release)
{
	uint64_t number;

	if (!wk_heaptrack_number(&rest, &number) || number >= reading->kind_count || rest.len)
		return false;
	if (is_release)
		release(reading, &reading->kinds[number]);
	else
		allocate(reading, &reading->kinds[number]);
	return true;
}

static uint32_t stack_of_trace(const struct reading *reading, size_t trace)
{
	return trace ? reading->stacks.traces[trace - 1] : 0;
}

static struct wk_event_sample sample_of_trace(struct reading *reading, size_t trace)
{
	struct wk_event_sample sample = { 0 };

	if (reading->is_raw)
		wk_heaptrack_raw_chain(&reading->raw, trace, &sample);
	else
		sample.named_stack = stack_of_trace(reading, trace);
	return sample;
}

/* "+ 30 a 55a4b9233530": size, trace and address; "- 55a4b9233530". */
static bool read_change_of_address(struct reading *reading, struct wk_str rest, bool is_release)
{
	size_t traces = reading->is_raw ? reading->raw.call_count : reading->stacks.trace_count;
	uint64_t size_bytes = 0, address;
	struct wk_event_sample sample;
	size_t trace = 0;

	if (!is_release && (!wk_heaptrack_number(&rest, &size_bytes) ||
			    !wk_heaptrack_index(&rest, traces, &trace)))
		return false;
	if (!wk_heaptrack_number(&rest, &address) || rest.len)
		return false;
	sample = sample_of_trace(reading, trace);
	emit_block(reading, is_release ? WK_HEAP_FREE : WK_HEAP_ALLOCATE, address, size_bytes,
		   &sample);
	return true;
}

/* "30 a": a size and a trace. */
static bool add_kind(struct reading *reading, struct wk_str rest)
{
	struct kind kind = { 0 };
	size_t trace = 0;
	bool ok = wk_heaptrack_number(&rest, &kind.size_bytes) &&
		  wk_heaptrack_index(&rest, reading->stacks.trace_count, &trace);

	kind.stack = ok ? stack_of_trace(reading, trace) : 0;
	*WK_APPEND(reading->kinds, reading->kind_count, reading->kind_cap) = kind;
	return ok;
}

/* "c 1f4": milliseconds since the start. Time 0 would mean before it. */
static bool read_time(struct reading *reading, struct wk_str rest)
{
	uint64_t ms, ns;

	if (!wk_heaptrack_number(&rest, &ms) || ms > INT64_MAX / 1000000)
		return false;
	ns = ms * 1000000;
	if (ns > reading->time_ns)
		reading->time_ns = ns;
	return true;
}

/* --- Lines --------------------------------------------------------------------------------- */

/* A line that only raw recordings have, or that is different there. */
static bool read_raw_line(struct reading *reading, char letter, struct wk_str rest)
{
	bool has_sizes = reading->stacks.has_sizes;

	switch (letter) {
	case 't':
		return wk_heaptrack_raw_add_call(&reading->raw, rest);
	case 'x':
		return wk_heaptrack_raw_set_program(&reading->raw, rest, has_sizes);
	case 'm':
		return wk_heaptrack_raw_emit_module(&reading->raw, rest, has_sizes, PROCESS,
						    reading->time_ns, reading->writer);
	default:
		return false;
	}
}

/* A line of stacks in interpreted files. */
static bool read_interpreted_line(struct reading *reading, char letter, struct wk_str rest)
{
	switch (letter) {
	case 'a':
		return add_kind(reading, rest);
	case 's':
		return wk_heaptrack_add_string(&reading->stacks, rest);
	case 'i':
		return wk_heaptrack_add_pointer(&reading->stacks, rest);
	case 't':
		return wk_heaptrack_add_trace(&reading->stacks, rest);
	default:
		return false;
	}
}

static bool read_line(struct reading *reading, struct wk_str line)
{
	struct wk_str rest = wk_str_skip(line, 2);
	char letter = line.len ? line.at[0] : '#';

	switch (letter) {
	case '+':
	case '-':
		return reading->is_raw || reading->version < FIRST_WITHOUT_ADDRESSES
			       ? read_change_of_address(reading, rest, letter == '-')
			       : read_change(reading, rest, letter == '-');
	case 'c':
		return read_time(reading, rest);
	case 'X': /* the command line */
		wk_stack_writer_command(reading->writer, PROCESS, rest);
		return true;
	case 'A':
		wk_stack_writer_remark(reading->writer,
				       wk_str_c("heaptrack was attached to a running program: "
						"blocks allocated before are not in the file"));
		return true;
	case '#': /* a comment */
	case 'I': /* size and number of the machine's pages */
	case 'R': /* resident memory */
	case 'S': /* leaks that the program declares as such */
		return true;
	default:
		return reading->is_raw ? read_raw_line(reading, letter, rest)
				       : read_interpreted_line(reading, letter, rest);
	}
}

/* False, with an error, if this is not a file that can be read. */
static bool read_head(struct reading *reading, struct wk_err *err)
{
	struct wk_lines lines = reading->lines;
	struct wk_str line;

	if (!wk_lines_next(&lines, &line) || !read_version(line, &reading->version))
		return wk_fail(err, WK_EFORMAT, 0,
			       "not a file of heaptrack: no line \"v 10400 3\"");
	reading->lines = lines;
	if (reading->version > NEWEST_VERSION)
		return wk_fail(err, WK_EFORMAT, 0,
			       "version %" PRIu64 " of heaptrack's format; versions up to %d are "
			       "known",
			       reading->version, NEWEST_VERSION);
	reading->is_raw = wk_lines_next(&lines, &line) && is_raw_line(line);
	reading->stacks.has_sizes = reading->version >= 3;
	return true;
}

static void read_lines(struct reading *reading)
{
	struct wk_str line;

	while (wk_lines_next(&reading->lines, &line) && !wk_stack_writer_is_done(reading->writer))
		if (!read_line(reading, line))
			wk_bad_line(&reading->bad, &reading->lines, line,
				    "a letter and hexadecimal numbers that refer to earlier lines");
	wk_bad_lines_emit(&reading->bad, reading->writer);
	wk_note_count(reading->writer, reading->unmatched,
		      "releases of blocks that were not allocated");
	wk_note_count(reading->writer, reading->raw.cut, "allocations whose stacks were cut");
	wk_note_count(reading->writer, reading->stacks.left_out,
		      "inlined frames beyond one per byte of input, left out");
}

static bool read_file(const struct wk_input *input, const struct wk_sink *sink, struct wk_err *err)
{
	struct reading reading = {
		.lines = wk_lines_of(input->bytes),
		.writer = wk_stack_writer_new(sink),
		.time_ns = 1,
	};

	wk_heaptrack_stacks_init(&reading.stacks, reading.writer, wk_bytes_left(&input->bytes));
	if (read_head(&reading, err)) {
		read_lines(&reading);
		wk_check_samples(reading.writer, true, input->bytes, "a file of heaptrack", err);
	}
	wk_heaptrack_stacks_fini(&reading.stacks);
	wk_heaptrack_raw_fini(&reading.raw);
	WK_FREE_ALL(reading.kinds, reading.previous);
	return wk_stack_writer_end(reading.writer, err);
}

const struct wk_reader wk_reader_heaptrack = {
	.name = "heaptrack",
	.summary = "recordings of heaptrack: each allocation and release",
	.suffixes = (const char *const[]){ ".heaptrack", NULL },
	.probe = probe,
	.read = read_file,
};
