/* Valgrind's massif: snapshots of a program's heap, some of them with the stacks that allocated it.
 * docs/formats/massif.md */
#include <inttypes.h>

#include "base/buf.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/num.h"
#include "formats/heap/valgrind.h"
#include "formats/lines.h"
#include "formats/reader.h"
#include "formats/scan.h"

#define PROCESS 1 /* the files do not contain its number */

/* What is allocated by one stack. */
struct row {
	uint32_t stack;
	uint64_t now, before; /* bytes, in this snapshot and in the one before */
};

/* A node of the tree that is being read. */
struct node {
	struct wk_valgrind_line line;
	uint64_t left; /* bytes that no child had yet */
};

struct snapshot {
	uint64_t number, time_ns;
	uint64_t heap_bytes, extra_bytes, stack_bytes;
	struct wk_str tree; /* "empty", "detailed" or "peak" */
};

struct reading {
	struct wk_lines lines;
	struct wk_bad_lines bad;
	struct wk_stack_writer *writer;
	uint64_t unit_ns; /* of times */
	struct snapshot snapshot, peak;
	uint64_t count, without_tree; /* snapshots */
	uint64_t last_tree;           /* the number of the last one with a tree */
	struct node *nodes; /* from the root, which is the allocator, to the current one */
	size_t node_count, node_cap;
	struct row *rows; /* those with bytes now or before */
	size_t row_count, row_cap;
	struct wk_map row_of; /* by stack + 1: row + 1 */
};

static const char threshold[] = "[below massif's threshold]";

/* --- The tree of a snapshot ---------------------------------------------------------------- */

static void add_bytes(struct reading *reading, uint32_t stack, uint64_t bytes)
{
	uint32_t *number = wk_map_at(&reading->row_of, (uint64_t)stack + 1);

	if (!*number) {
		*number = (uint32_t)reading->row_count + 1;
		*WK_APPEND(reading->rows, reading->row_count, reading->row_cap) =
			(struct row){ .stack = stack };
	}
	reading->rows[*number - 1].now += bytes;
}

/* The stack of the current node: the root's children allocated, and each one's children called it.
 * What is left of the root is as if it were below the threshold. */
static uint32_t stack_of_nodes(struct reading *reading)
{
	uint32_t stack = 0;

	if (reading->node_count == 1)
		return wk_stack_writer_stack(
			reading->writer, 0,
			wk_stack_writer_name(reading->writer, wk_str_c(threshold)));
	for (size_t i = reading->node_count; i-- > 1;)
		stack = wk_valgrind_push(reading->writer, stack, &reading->nodes[i].line,
					 i + 1 < reading->node_count ? &reading->nodes[i + 1].line
								     : NULL);
	return stack;
}

/* Ends nodes until only `depth` of them are left. */
static void end_nodes(struct reading *reading, size_t depth)
{
	while (reading->node_count > depth) {
		const struct node *node = &reading->nodes[reading->node_count - 1];

		if (node->left)
			add_bytes(reading, stack_of_nodes(reading), node->left);
		reading->node_count--;
	}
}

/* "in 3 places, all below massif's threshold (1.00%)" */
static bool is_rest(struct wk_str text)
{
	uint64_t places;

	return wk_str_accept(&text, "in ") && wk_scan_number(&text, &places) &&
	       wk_str_starts(text, " place");
}

/* "  n1: 4704 0x10927E: keep (till.c:8)": as deep as it has blanks. */
static bool read_node(struct reading *reading, struct wk_str line)
{
	size_t depth = wk_scan_blanks(&line);
	uint64_t children, bytes;
	struct node node;

	if (!wk_str_accept(&line, "n") || !wk_scan_number(&line, &children) ||
	    !wk_str_accept(&line, ": ") || !wk_scan_number(&line, &bytes) ||
	    !wk_str_accept(&line, " ") || depth > reading->node_count)
		return false;
	end_nodes(reading, depth);
	if (depth > 0) {
		struct node *parent = &reading->nodes[depth - 1];

		parent->left -= bytes < parent->left ? bytes : parent->left;
	}
	node.left = bytes;
	wk_valgrind_line_init(&node.line, is_rest(line) ? wk_str_c(threshold) : line);
	*WK_APPEND(reading->nodes, reading->node_count, reading->node_cap) = node;
	return true;
}

/* --- Snapshots ----------------------------------------------------------------------------- */

static uint64_t more(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

static void emit_row(struct reading *reading, const struct row *row, bool is_peak)
{
	struct wk_event event = {
		.kind = WK_EVENT_HEAP_SUM, .cpu = WK_NO_CPU, .pid = PROCESS, .tid = PROCESS,
		.time_ns = reading->snapshot.time_ns,
		.heap_sum = { .allocated_bytes = more(row->now, row->before),
			      .freed_bytes = more(row->before, row->now),
			      .peak_bytes = is_peak ? row->now : 0,
			      .sample.named_stack = row->stack },
	};

	wk_stack_writer_event(reading->writer, &event);
}

/* What changed since the last tree: first what was freed, so that there is never more at once than
 * in a snapshot. Rows without bytes are dropped. */
static void emit_changes(struct reading *reading)
{
	bool is_peak = wk_str_is(reading->snapshot.tree, "peak");
	size_t left = 0;

	for (size_t i = 0; i < reading->row_count; i++)
		if (reading->rows[i].now < reading->rows[i].before)
			emit_row(reading, &reading->rows[i], is_peak);
	wk_map_fini(&reading->row_of);
	for (size_t i = 0; i < reading->row_count; i++) {
		struct row row = reading->rows[i];

		if (row.now > row.before || (is_peak && row.now == row.before && row.now))
			emit_row(reading, &row, is_peak);
		if (!row.now)
			continue;
		reading->rows[left++] = (struct row){ .stack = row.stack, .before = row.now };
		wk_map_set(&reading->row_of, (uint64_t)row.stack + 1, (uint32_t)left);
	}
	reading->row_count = left;
}

/* Named by the number that ms_print shows. */
static void emit_snapshot(struct reading *reading)
{
	const struct snapshot *snapshot = &reading->snapshot;
	bool is_peak = wk_str_is(snapshot->tree, "peak");
	struct wk_event event = {
		.kind = WK_EVENT_SNAPSHOT, .cpu = WK_NO_CPU, .pid = PROCESS, .tid = PROCESS,
		.time_ns = snapshot->time_ns,
		.snapshot.cause = is_peak ? WK_SNAPSHOT_PEAK : WK_SNAPSHOT_INTERVAL,
	};
	struct wk_buf label = { 0 };

	wk_buf_add_fmt(&label, "massif %" PRIu64 "%s", snapshot->number, is_peak ? " (peak)" : "");
	event.snapshot.label = wk_buf_str(&label);
	wk_stack_writer_event(reading->writer, &event);
	wk_buf_fini(&label);
}

static void end_snapshot(struct reading *reading)
{
	struct snapshot *snapshot = &reading->snapshot;
	bool has_tree = reading->node_count > 0;

	end_nodes(reading, 0);
	if (has_tree) {
		emit_changes(reading);
		emit_snapshot(reading);
	}
	reading->count += snapshot->tree.len > 0;
	reading->without_tree += snapshot->tree.len && !has_tree;
	if (has_tree)
		reading->last_tree = snapshot->number;
	if (wk_str_is(snapshot->tree, "peak"))
		reading->peak = *snapshot;
	*snapshot = (struct snapshot){ .time_ns = snapshot->time_ns };
}

/* "12", or "0.006" of seconds. Time 0 would mean before the recording. */
static bool read_time(struct reading *reading, struct wk_str text)
{
	uint64_t ns;

	if (!wk_num_scaled(text, reading->unit_ns, &ns))
		return false;
	if (ns > reading->snapshot.time_ns)
		reading->snapshot.time_ns = ns;
	return true;
}

static bool read_field(struct reading *reading, struct wk_str line)
{
	struct snapshot *snapshot = &reading->snapshot;
	struct wk_str key = wk_str_cut(&line, '=');

	if (wk_str_is(key, "snapshot"))
		end_snapshot(reading);
	if (wk_str_is(key, "time"))
		return read_time(reading, line);
	if (wk_str_is(key, "heap_tree")) {
		snapshot->tree = line;
		return true;
	}
	return wk_num_u64(line, wk_str_is(key, "snapshot")           ? &snapshot->number
				: wk_str_is(key, "mem_heap_B")       ? &snapshot->heap_bytes
				: wk_str_is(key, "mem_heap_extra_B") ? &snapshot->extra_bytes
								     : &snapshot->stack_bytes);
}

/* --- The file ------------------------------------------------------------------------------ */

static bool is_field(struct wk_str line)
{
	static const char *const fields[] = { "snapshot=",         "time=",
					      "mem_heap_B=",       "mem_heap_extra_B=",
					      "mem_stacks_B=",     "heap_tree=",
					      NULL };

	return wk_str_starts_one_of(line, fields);
}

static bool is_head(struct wk_str line)
{
	static const char *const heads[] = { "#", "desc: ", "cmd: ", "time_unit: ", NULL };

	return wk_trim(line).len == 0 || wk_str_starts_one_of(line, heads);
}

static struct wk_str head_of(struct wk_bytes input, const char *key)
{
	struct wk_lines lines = wk_lines_of(input);
	struct wk_str line;

	while (wk_lines_next(&lines, &line))
		if (wk_str_accept(&line, key))
			return line;
	return (struct wk_str){ 0 };
}

/* Instructions and bytes count as nanoseconds. */
static void read_head(struct reading *reading, struct wk_bytes input)
{
	struct wk_str command = head_of(input, "cmd: ");
	struct wk_str unit = head_of(input, "time_unit: ");

	reading->unit_ns = wk_str_is(unit, "ms") ? 1000000 : wk_str_is(unit, "s") ? 1000000000 : 1;
	if (command.len)
		wk_stack_writer_command(reading->writer, PROCESS, command);
	if (wk_str_is(unit, "i") || wk_str_is(unit, "B"))
		wk_stack_writer_remark(reading->writer,
				       wk_str_is(unit, "i")
					       ? wk_str_c("times are instructions, shown as "
							  "nanoseconds")
					       : wk_str_c("times are bytes allocated and freed, "
							  "shown as nanoseconds"));
}

static void emit_notes(struct reading *reading)
{
	struct wk_buf text = { 0 };

	if (reading->without_tree && reading->without_tree < reading->count) {
		wk_buf_add_fmt(&text,
			       "%" PRIu64 " of %" PRIu64 " snapshots have no stacks and are left "
			       "out; the last with stacks is number %" PRIu64
			       " (`--detailed-freq=1` records the stacks of each)",
			       reading->without_tree, reading->count, reading->last_tree);
		wk_stack_writer_remark(reading->writer, wk_buf_str(&text));
	}
	text.len = 0;
	if (reading->peak.extra_bytes || reading->peak.stack_bytes) {
		wk_buf_add_fmt(&text,
			       "at the peak the allocator used %" PRIu64
			       " bytes more, and stacks %" PRIu64 " bytes",
			       reading->peak.extra_bytes, reading->peak.stack_bytes);
		wk_stack_writer_remark(reading->writer, wk_buf_str(&text));
	}
	wk_buf_fini(&text);
	wk_bad_lines_emit(&reading->bad, reading->writer);
}

static void read_lines(struct reading *reading)
{
	struct wk_str line;

	while (wk_lines_next(&reading->lines, &line) && !wk_stack_writer_is_done(reading->writer)) {
		bool ok = is_field(line) ? read_field(reading, line)
					 : is_head(line) || read_node(reading, line);

		if (!ok)
			wk_bad_line(&reading->bad, &reading->lines, line,
				    "a field of a snapshot, or \"n1: 48 0x1094CB: main (a.c:12)\"");
	}
	end_snapshot(reading);
	emit_notes(reading);
}

static bool read_file(const struct wk_input *input, const struct wk_sink *sink, struct wk_err *err)
{
	struct reading reading = {
		.lines = wk_lines_of(input->bytes),
		.writer = wk_stack_writer_new(sink),
		.snapshot.time_ns = 1,
	};

	read_head(&reading, input->bytes);
	read_lines(&reading);
	if (reading.count && reading.without_tree == reading.count)
		wk_fail(err, WK_EFORMAT, WK_NOWHERE,
			"no stacks in it: %" PRIu64 " snapshots of massif that have none; "
			"`--detailed-freq=1` records the stacks of each",
			reading.count);
	else
		wk_check_samples(reading.writer, true, input->bytes, "a file of massif", err);
	WK_FREE_ALL(reading.nodes, reading.rows);
	wk_map_fini(&reading.row_of);
	return wk_stack_writer_end(reading.writer, err);
}

static bool is_snapshot(struct wk_str line)
{
	return wk_str_starts(line, "snapshot=");
}

static bool is_heap(struct wk_str line)
{
	return wk_str_starts(line, "mem_heap_B=");
}

const struct wk_reader wk_reader_massif = {
	.name = "massif",
	.summary = "Valgrind's massif",
	.suffixes = (const char *const[]){ ".massif", NULL },
	.signs = (const struct wk_line_sign[]){ { 95, is_snapshot, is_heap }, { 0 } },
	.read = read_file,
};
