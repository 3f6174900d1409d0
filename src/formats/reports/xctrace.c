/* Tables of Instruments written by `xctrace export --xpath`: rows of XML in which repeated elements
 * are references to their first occurrence. docs/formats/xctrace.md */
#include <inttypes.h>

#include "base/buf.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/sort.h"
#include "base/strtab.h"
#include "formats/collapse.h"
#include "formats/lines.h"
#include "formats/reader.h"
#include "formats/reports/xml.h"
#include "formats/scan.h"
#include "formats/stack_writer.h"
#include "names/rust_escapes.h"

#define HOW_TO_EXPORT "xctrace export --input RECORDING.trace --xpath " \
	"'/trace-toc/run[@number=\"1\"]/data/table[@schema=\"time-profile\"]'"

#define MOST_OPEN 64 /* nested elements with a meaning; real files: 6 */

/* The elements with a meaning; other tags are skipped. */
enum kind {
	OTHER,
	ROW,
	SCHEMA,
	TIME,    /* value: nanoseconds */
	WEIGHT,  /* value: nanoseconds, or cycles */
	CORE,    /* value: a CPU */
	PROCESS, /* value: a pid */
	PID,
	TID,
	THREAD,    /* value: pid and tid */
	BACKTRACE, /* value: a stack */
	FRAME,     /* value: the writer's frame */
	BINARY,    /* value: a text, the image */
	SOURCE,    /* value: a text, and a line */
	PATH,      /* value: a text */
	KINDS
};

static const struct {
	const char *name;
	enum kind kind;
} names[] = {
	{ "row", ROW },
	{ "schema", SCHEMA },
	{ "sample-time", TIME },
	{ "event-time", TIME },
	{ "weight", WEIGHT },
	{ "cycle-weight", WEIGHT },
	{ "core", CORE },
	{ "process", PROCESS },
	{ "pid", PID },
	{ "tid", TID },
	{ "thread", THREAD },
	{ "backtrace", BACKTRACE },
	{ "tagged-backtrace", BACKTRACE },
	{ "frame", FRAME },
	{ "binary", BINARY },
	{ "source", SOURCE },
	{ "path", PATH },
};

/* The value of an element. */
struct value {
	uint64_t number;
	uint32_t more; /* a thread's pid, a source's line */
	bool is_known; /* else the element was empty, as for no backtrace */
};

/* An open element. */
struct element {
	enum kind kind;
	bool is_reference, is_cycles;
	uint64_t id;
	struct value own;
	struct value part[KINDS]; /* the values of its children, by kind */
	uint64_t address;
	uint32_t name;
};

struct stored {
	enum kind kind;
	struct value value;
};

struct row {
	uint64_t time_ns, weight;
	uint32_t pid, tid, cpu, stack, source;
};

struct table {
	uint32_t name;
	bool has_weights, is_cycles;
};

struct xctrace {
	struct wk_stack_writer *writer;
	const struct wk_collapse *collapse;
	struct wk_strtab *texts;
	struct wk_buf text, demangled;
	struct element open[MOST_OPEN];
	size_t open_count;
	uint64_t too_deep; /* open elements beyond MOST_OPEN */
	struct stored *stored;
	size_t stored_count, stored_cap;
	struct wk_map by_id; /* id + 1 to place in `stored` + 1 */
	uint32_t *frames;    /* of the open backtrace, innermost first */
	size_t frame_count, frame_cap;
	struct row *rows;
	size_t row_count, row_cap;
	struct table *tables;
	size_t table_count, table_cap;
	uint64_t dangling; /* references to missing elements */
	bool has_stacks;
};

static enum kind kind_of(const char *name)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(names[i].name, name) == 0)
			return names[i].kind;
	return OTHER;
}

static uint64_t number_of(const char *text)
{
	uint64_t number = 0;

	wk_num_u64(wk_str_c(text), &number);
	return number;
}

static uint32_t text_of(struct xctrace *trace, const char *text)
{
	return text ? wk_strtab_add_str(trace->texts, wk_str_c(text)) : 0;
}

static void add_table(struct xctrace *trace, const char *name)
{
	*WK_APPEND(trace->tables, trace->table_count, trace->table_cap) = (struct table){
		.name = text_of(trace, name ? name : "samples") };
}

static void look_up(struct xctrace *trace, struct element *element, const char *ref)
{
	uint32_t place = wk_map_find(&trace->by_id, number_of(ref) + 1);

	element->is_reference = true;
	if (place && trace->stored[place - 1].kind == element->kind)
		element->own = trace->stored[place - 1].value;
	else
		trace->dangling++;
}

/* Reads the tag; the value is known when the element ends. */
static void read_attributes(struct xctrace *trace, struct element *element,
			    const char *const *attributes)
{
	const char *address = wk_xml_attribute(attributes, "addr");
	const char *path = wk_xml_attribute(attributes, "path");
	const char *fmt = wk_xml_attribute(attributes, "fmt");

	switch (element->kind) {
	case SCHEMA:
		add_table(trace, wk_xml_attribute(attributes, "name"));
		break;
	case FRAME:
		if (address && strncmp(address, "0x", 2) == 0)
			wk_num_hex(wk_str_c(address + 2), &element->address);
		element->name = text_of(trace, wk_xml_attribute(attributes, "name"));
		if (!element->name)
			element->name = text_of(trace, address);
		break;
	case BINARY:
		element->own.number = text_of(
			trace, path && path[0] ? path : wk_xml_attribute(attributes, "name"));
		element->own.is_known = true;
		break;
	case SOURCE:
		element->own.more = (uint32_t)number_of(wk_xml_attribute(attributes, "line"));
		break;
	case PROCESS:
	case THREAD:
		element->name = text_of(trace, fmt);
		break;
	case BACKTRACE:
		if (element == trace->open || element[-1].kind != BACKTRACE)
			trace->frame_count = 0;
		break;
	default:
		break;
	}
}

static void on_start(void *context, const char *name, const char *const *attributes)
{
	struct xctrace *trace = context;
	enum kind kind = kind_of(name);
	const char *id = wk_xml_attribute(attributes, "id");
	const char *ref = wk_xml_attribute(attributes, "ref");
	struct element *element;

	wk_buf_reset(&trace->text);
	if (kind == OTHER)
		return;
	if (trace->open_count == MOST_OPEN) {
		trace->too_deep++;
		return;
	}
	element = &trace->open[trace->open_count++];
	*element = (struct element){ .kind = kind, .id = id ? number_of(id) : 0,
				     .is_cycles = strcmp(name, "cycle-weight") == 0 };
	if (ref)
		look_up(trace, element, ref);
	else
		read_attributes(trace, element, attributes);
}

static void on_text(void *context, struct wk_str text)
{
	struct xctrace *trace = context;

	wk_buf_add_str(&trace->text, text);
}

/* The text up to `tail`. */
static struct wk_str without_tail(struct wk_str text, const char *tail)
{
	size_t at = wk_str_find(text, tail);

	return at == SIZE_MAX ? text : wk_str_of(text.at, at);
}

static bool is_id(const struct value *value)
{
	return value->is_known && value->number < WK_NO_PID;
}

static void end_process(struct xctrace *trace, struct element *element)
{
	struct wk_str name = wk_strtab_str(trace->texts, element->name);

	element->own = element->part[PID];
	if (!is_id(&element->own) || trace->collapse)
		return;
	wk_stack_writer_process(trace->writer, (uint32_t)element->own.number,
				without_tail(name, " ("));
}

/* "main  0x3c606d (shop, pid: 21790)" */
static void end_thread(struct xctrace *trace, struct element *element)
{
	struct wk_str name = wk_strtab_str(trace->texts, element->name);

	element->own = element->part[TID];
	element->own.more = (uint32_t)element->part[PROCESS].number;
	if (!is_id(&element->own) || !is_id(&element->part[PROCESS]) || trace->collapse)
		return;
	name = wk_trim(without_tail(without_tail(name, " 0x"), " ("));
	if (wk_str_starts(name, "0x"))
		name.len = 0;
	wk_stack_writer_thread(trace->writer, element->own.more, (uint32_t)element->own.number,
			       name);
}

static void end_frame(struct xctrace *trace, struct element *element)
{
	struct wk_str name = wk_strtab_str(trace->texts, element->name);
	struct wk_event_frame frame = { .name = wk_rust_name(name, &trace->demangled) };
	uint64_t address;

	frame.is_lasting = frame.name.at == name.at; /* all other texts are in trace->texts */

	if (!trace->collapse) {
		const struct value *source = &element->part[SOURCE];

		frame.address = element->address;
		frame.image = wk_strtab_str(trace->texts, (uint32_t)element->part[BINARY].number);
		frame.file = wk_strtab_str(trace->texts, (uint32_t)source->number);
		frame.line = source->more;
		frame.is_unnamed =
			wk_str_starts(name, "0x") && wk_num_hex(wk_str_skip(name, 2), &address);
	}
	element->own.number = wk_stack_writer_frame(trace->writer, &frame);
	element->own.is_known = true;
}

static void end_backtrace(struct xctrace *trace, struct element *element)
{
	if (element->part[BACKTRACE].is_known) {
		element->own = element->part[BACKTRACE];
		return;
	}
	element->own.number =
		wk_stack_writer_reversed(trace->writer, trace->frames, trace->frame_count);
	element->own.is_known = true;
}

static void set_thread(struct row *row, const struct value *part)
{
	row->pid = row->tid = WK_NO_PID;
	if (is_id(&part[PROCESS]))
		row->pid = (uint32_t)part[PROCESS].number;
	else if (is_id(&part[THREAD]))
		row->pid = part[THREAD].more;
	if (row->pid != WK_NO_PID)
		row->tid = is_id(&part[THREAD]) ? (uint32_t)part[THREAD].number : row->pid;
}

static void end_row(struct xctrace *trace, const struct element *element)
{
	const struct value *part = element->part;
	struct table *table;
	struct row *row;

	if (trace->collapse && !part[BACKTRACE].is_known)
		return;
	if (!trace->table_count)
		add_table(trace, NULL);
	table = &trace->tables[trace->table_count - 1];
	table->has_weights |= part[WEIGHT].is_known;
	table->is_cycles |= part[WEIGHT].is_known && part[WEIGHT].more;
	trace->has_stacks |= part[BACKTRACE].number > 0;
	row = WK_APPEND(trace->rows, trace->row_count, trace->row_cap);
	*row = (struct row){
		.time_ns = part[TIME].number,
		.weight = part[WEIGHT].is_known ? part[WEIGHT].number : 1,
		.cpu = part[CORE].is_known && part[CORE].number < WK_NO_CPU ?
			(uint32_t)part[CORE].number : WK_NO_CPU,
		.stack = (uint32_t)part[BACKTRACE].number,
		.source = (uint32_t)trace->table_count - 1,
	};
	set_thread(row, part);
}

/* Determines the value of a complete element. */
static void finish(struct xctrace *trace, struct element *element)
{
	switch (element->kind) {
	case TIME:
	case WEIGHT:
	case CORE:
	case PID:
	case TID:
		element->own.is_known = wk_num_u64(wk_buf_str(&trace->text), &element->own.number);
		element->own.more = element->is_cycles;
		break;
	case PATH:
		element->own.number = wk_strtab_add_str(trace->texts, wk_buf_str(&trace->text));
		element->own.is_known = true;
		break;
	case SOURCE:
		element->own.number = element->part[PATH].number;
		element->own.is_known = true;
		break;
	case PROCESS:
		end_process(trace, element);
		break;
	case THREAD:
		end_thread(trace, element);
		break;
	case FRAME:
		end_frame(trace, element);
		break;
	case BACKTRACE:
		end_backtrace(trace, element);
		break;
	case ROW:
		end_row(trace, element);
		break;
	default:
		break;
	}
}

static void on_end(void *context, const char *name)
{
	struct xctrace *trace = context;
	struct element *element, *parent;

	if (kind_of(name) == OTHER || trace->open_count == 0)
		return;
	if (trace->too_deep) {
		trace->too_deep--;
		return;
	}
	element = &trace->open[trace->open_count - 1];
	if (!element->is_reference) {
		finish(trace, element);
		if (element->id) {
			*WK_APPEND(trace->stored, trace->stored_count, trace->stored_cap) =
				(struct stored){ element->kind, element->own };
			wk_map_set(&trace->by_id, element->id + 1, (uint32_t)trace->stored_count);
		}
	}
	wk_buf_reset(&trace->text);
	if (--trace->open_count == 0)
		return;
	parent = element - 1;
	if (element->kind == FRAME && parent->kind == BACKTRACE) {
		if (element->own.is_known)
			*WK_APPEND(trace->frames, trace->frame_count, trace->frame_cap) =
				(uint32_t)element->own.number;
	} else if (!parent->part[element->kind].is_known) {
		parent->part[element->kind] = element->own;
	}
}

static void emit_sources(struct xctrace *trace)
{
	for (size_t i = 0; i < trace->table_count; i++) {
		const struct table *table = &trace->tables[i];
		struct wk_str name = wk_strtab_str(trace->texts, table->name);
		struct wk_event_source source = {
			.source = (uint32_t)i,
			.name = name,
			.unit = wk_str_c(!table->has_weights ? "samples" :
					 table->is_cycles ? "cycles" : "ns"),
			.is_weighed = table->has_weights,
			.is_cpu_time = wk_str_is(name, "time-profile") ||
				       wk_str_is(name, "cpu-profile"),
		};

		wk_stack_writer_emit_source(trace->writer, &source);
	}
}

static void emit_rows(struct xctrace *trace)
{
	emit_sources(trace);
	/* Rows are in order of time within each table. */
	trace->rows = wk_sort_rows(trace->rows, trace->row_count, sizeof(*trace->rows),
				   offsetof(struct row, time_ns));
	for (size_t i = 0; i < trace->row_count; i++) {
		const struct row *row = &trace->rows[i];
		struct wk_event event = { .kind = WK_EVENT_SAMPLE, .time_ns = row->time_ns,
					  .pid = row->pid, .tid = row->tid, .cpu = row->cpu };

		if (trace->collapse) {
			wk_stack_writer_count(trace->writer, row->stack, 1);
			continue;
		}
		event.sample.source = row->source;
		event.sample.weight = row->weight;
		event.sample.named_stack = row->stack;
		wk_stack_writer_event(trace->writer, &event);
	}
}

/* The rows of a truncated file are used. */
static bool accept_truncated(struct xctrace *trace, struct wk_err *err)
{
	if (trace->collapse || !trace->row_count || err->code != WK_ECORRUPT)
		return false;
	wk_note(trace->writer, "%s; the part before was used", err->text);
	*err = (struct wk_err){ 0 };
	return true;
}

static void release(struct xctrace *trace)
{
	wk_strtab_free(trace->texts);
	WK_BUF_FINI_ALL(&trace->text, &trace->demangled);
	wk_map_fini(&trace->by_id);
	WK_FREE_ALL(trace->stored, trace->frames, trace->rows, trace->tables);
}

static bool read_xctrace(const struct wk_input *input, const struct wk_sink *sink,
			 struct wk_err *err)
{
	static const struct wk_xml_handler handler = { on_start, on_end, on_text };
	struct xctrace trace = {
		.writer = wk_stack_writer_new(sink),
		.collapse = input->options.collapse,
		.texts = wk_strtab_new(),
	};
	struct wk_err xml_err = { 0 };
	bool ok = wk_xml_read(input->bytes, &handler, &trace, &xml_err) ||
		  accept_truncated(&trace, &xml_err);

	if (!ok && err)
		*err = xml_err;
	emit_rows(&trace);
	if (trace.dangling)
		wk_note(trace.writer, "%" PRIu64 " %s and skipped", trace.dangling,
			trace.dangling == 1 ? "reference is to a missing element"
					    : "references are to missing elements");
	if (ok && !trace.collapse && !trace.has_stacks)
		ok = wk_fail(err, WK_EFORMAT, WK_NOWHERE,
			     "no stacks in it: %zu rows, none with a "
			     "backtrace; expected a table with backtraces, as from `" HOW_TO_EXPORT
			     "`",
			     trace.row_count);
	release(&trace);
	return wk_stack_writer_end(trace.writer, err) && ok;
}

static int probe(struct wk_bytes first)
{
	struct wk_str text = wk_bytes_str(first);

	if (!wk_str_starts(text, "<?xml") && !wk_str_starts(text, "<trace-"))
		return 0;
	if (without_tail(text, "<trace-query-result").len < text.len)
		return 95;
	return without_tail(text, "<trace-toc").len < text.len ? 90 : 0;
}

const struct wk_reader wk_reader_xctrace = {
	.name = "xctrace",
	.summary = "Instruments, a table exported as XML by xctrace export",
	.suffixes = (const char *const[]){ ".xml", NULL },
	.probe = probe,
	.read = read_xctrace,
};
