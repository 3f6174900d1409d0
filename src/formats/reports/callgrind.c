/* Valgrind's callgrind.out files: a call graph with costs, converted to stacks by
 * formats/reports/call_graph. docs/formats/callgrind.md */
#include <inttypes.h>

#include "base/buf.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/num.h"
#include "formats/reports/call_graph.h"
#include "formats/stack_text.h"

#define MOST_EVENTS    24 /* callgrind has 21 at most */
#define MOST_POSITIONS 3  /* "instr bb line" */
#define NO_NAME        UINT32_MAX

/* Compressed names: a name is written once and then referred to by number, separately for each
 * kind. */
enum { OBJECTS, FILES, FUNCTIONS, SPACES };

/* A function is identified by its name, file and object. */
struct function {
	uint32_t name, file, object;
	uint32_t line; /* the first one with a cost; 0: none yet */
};

struct parser {
	struct wk_stack_text text;
	struct wk_strtab *names;
	struct wk_map numbered[SPACES]; /* number + 1 to name + 1 */
	struct wk_index index;          /* of functions: number + 1 */
	struct function *functions;
	uint32_t function_count;
	size_t functions_cap;
	struct wk_call_graph *graph; /* created when the events are known */
	struct wk_str events[MOST_EVENTS];
	struct wk_str long_names[MOST_EVENTS];
	size_t event_count, positions, line_column;
	uint64_t at[MOST_POSITIONS]; /* positions of the previous line */
	uint64_t summary[MOST_EVENTS], totals[MOST_EVENTS];
	bool has_summary, has_totals;
	uint32_t object, file, own_file; /* current ones: fi and fe change the file, but not that of
					    the function */
	uint32_t function;               /* number + 1; 0 before the first */
	uint32_t called_object, called_file; /* NO_NAME: those of the caller */
	uint32_t callee;
	bool next_is_call, next_is_jump;
	uint32_t pid;
	struct wk_str command;
};

static bool is_head(struct wk_str line)
{
	return wk_str_starts(line, "# callgrind format") ||
	       wk_str_starts(line, "creator: callgrind");
}

static bool is_events(struct wk_str line)
{
	return wk_str_starts(line, "events: ");
}

static bool is_function(struct wk_str line)
{
	return wk_str_starts(line, "fn=");
}

/* "(12) name", "(12)" or "name". A number without a name is a name itself. */
static uint32_t name_of(struct parser *p, int space, struct wk_str text)
{
	struct wk_str rest = text;
	uint64_t number;
	uint32_t *known;

	if (!wk_str_accept(&rest, "(") || !wk_scan_number(&rest, &number) ||
	    !wk_str_accept(&rest, ")"))
		return wk_strtab_add_str(p->names, text);
	rest = wk_trim(rest);
	known = wk_map_at(&p->numbered[space], number + 1);
	if (rest.len)
		*known = wk_strtab_add_str(p->names, rest) + 1;
	else if (!*known)
		*known = wk_strtab_add_str(p->names, text) + 1;
	return *known - 1;
}

static bool same_function(const void *table, uint32_t id, const void *key)
{
	const struct function *a = &((const struct parser *)table)->functions[id - 1];
	const struct function *b = key;

	return a->name == b->name && a->file == b->file && a->object == b->object;
}

/* The number of a function + 1. */
static uint32_t function_of(struct parser *p, uint32_t name, uint32_t file, uint32_t object)
{
	struct function key = { .name = name, .file = file, .object = object };
	uint64_t hash = wk_hash_pair((uint64_t)name << 32 | file, object);
	uint32_t id = wk_index_find(&p->index, hash, same_function, p, &key);

	if (id)
		return id;
	*WK_APPEND(p->functions, p->function_count, p->functions_cap) = key;
	wk_call_graph_function(p->graph);
	wk_index_add(&p->index, hash, p->function_count);
	return p->function_count;
}

/* A position: absolute, or relative to the previous line. */
static bool read_position(struct wk_str *line, uint64_t *at)
{
	bool is_up = wk_str_accept(line, "+"), is_down = !is_up && wk_str_accept(line, "-");
	uint64_t number;

	if (!is_up && !is_down && wk_str_accept(line, "*"))
		return true;
	if (wk_str_starts(*line, "0x") ? !wk_scan_hex(line, &number)
				       : !wk_scan_number(line, &number))
		return false;
	*at = is_up ? *at + number : is_down ? *at - number : number;
	return true;
}

static bool parse_positions(struct parser *p, struct wk_str *line)
{
	for (size_t i = 0; i < p->positions; i++) {
		wk_scan_blanks(line);
		if (!read_position(line, &p->at[i]))
			return false;
	}
	return true;
}

/* Missing costs are 0; costs beyond the last event are ignored. */
static bool parse_costs(const struct parser *p, struct wk_str line, uint64_t *costs)
{
	memset(costs, 0, MOST_EVENTS * sizeof(*costs));
	for (size_t i = 0; i < p->event_count; i++) {
		wk_scan_blanks(&line);
		if (line.len == 0)
			return true;
		if (!wk_scan_number(&line, &costs[i]))
			return false;
	}
	return true;
}

static void add_self(struct parser *p, const uint64_t *costs)
{
	struct function *function = &p->functions[p->function - 1];
	uint64_t line = p->line_column < p->positions ? p->at[p->line_column] : 0;

	wk_call_graph_self(p->graph, p->function - 1, costs);
	if (!function->line && p->file == p->own_file && line <= UINT32_MAX)
		function->line = (uint32_t)line;
}

static void read_costs(struct parser *p, struct wk_str line)
{
	static const char expected[] = "positions and costs as the header's \"positions\" and "
				       "\"events\" have it, below an \"fn=\"";
	bool is_call = p->next_is_call, is_jump = p->next_is_jump;
	uint64_t costs[MOST_EVENTS];

	p->next_is_call = p->next_is_jump = false;
	if (!p->function || !parse_positions(p, &line) || !parse_costs(p, line, costs))
		wk_stack_text_bad(&p->text, expected);
	else if (is_call && p->callee)
		wk_call_graph_call(p->graph, p->function - 1, p->callee - 1, costs);
	else if (!is_jump && !is_call)
		add_self(p, costs);
}

/* "Ir Dr Dw": the events. A file of several dumps repeats them. */
static void read_events(struct parser *p, struct wk_str rest)
{
	struct wk_str word;

	if (p->graph)
		return;
	while (wk_next_word(&rest, &word))
		if (p->event_count < MOST_EVENTS)
			p->events[p->event_count++] = word;
		else
			wk_stack_text_bad(&p->text, "at most 24 events");
	p->graph = wk_call_graph_new(p->event_count);
}

static void read_positions(struct parser *p, struct wk_str rest)
{
	struct wk_str word;

	p->line_column = SIZE_MAX;
	for (p->positions = 0; p->positions < MOST_POSITIONS && wk_next_word(&rest, &word);
	     p->positions++)
		if (wk_str_is(word, "line"))
			p->line_column = p->positions;
}

/* "event: Ir : Instruction Fetch" */
static void read_long_name(struct parser *p, struct wk_str rest)
{
	struct wk_str name = wk_trim(wk_str_cut(&rest, ':'));

	rest = wk_trim(rest);
	for (size_t i = 0; i < p->event_count; i++)
		if (wk_str_eq(p->events[i], name))
			p->long_names[i] = rest;
}

static void read_sum(struct parser *p, struct wk_str rest, uint64_t *sums, bool *has)
{
	uint64_t costs[MOST_EVENTS];

	if (!parse_costs(p, rest, costs)) {
		wk_stack_text_bad(&p->text, "costs");
		return;
	}
	for (size_t i = 0; i < p->event_count; i++)
		sums[i] += costs[i];
	*has = true;
}

/* "key: value"; keys that stacks do not need are ignored. */
static void read_header(struct parser *p, struct wk_str line)
{
	struct wk_str key = wk_str_cut(&line, ':'), value = wk_trim(line);
	uint64_t pid;

	if (wk_str_is(key, "events"))
		read_events(p, value);
	else if (wk_str_is(key, "positions"))
		read_positions(p, value);
	else if (wk_str_is(key, "event"))
		read_long_name(p, value);
	else if (wk_str_is(key, "summary"))
		read_sum(p, value, p->summary, &p->has_summary);
	else if (wk_str_is(key, "totals"))
		read_sum(p, value, p->totals, &p->has_totals);
	else if (wk_str_is(key, "pid") && wk_num_u64(value, &pid))
		p->pid = wk_pid_of(pid);
	else if (wk_str_is(key, "cmd"))
		p->command = value;
}

static void begin_function(struct parser *p, struct wk_str name)
{
	p->file = p->own_file;
	p->function = function_of(p, name_of(p, FUNCTIONS, name), p->own_file, p->object);
}

/* The file and object of a callee are written only if they differ from those of the caller. */
static void read_callee(struct parser *p, struct wk_str name)
{
	p->callee = function_of(p, name_of(p, FUNCTIONS, name),
				p->called_file == NO_NAME ? p->file : p->called_file,
				p->called_object == NO_NAME ? p->object : p->called_object);
	p->called_file = p->called_object = NO_NAME;
}

/* "fn=(1) main" and the like; false for other lines. The targets of jumps (jfi, jfn) matter only
 * because they may define names. */
static bool read_name(struct parser *p, struct wk_str line)
{
	if (wk_str_accept(&line, "fn="))
		begin_function(p, line);
	else if (wk_str_accept(&line, "cfn="))
		read_callee(p, line);
	else if (wk_str_accept(&line, "fl="))
		p->file = p->own_file = name_of(p, FILES, line);
	else if (wk_str_accept(&line, "fi=") || wk_str_accept(&line, "fe="))
		p->file = name_of(p, FILES, line);
	else if (wk_str_accept(&line, "ob="))
		p->object = name_of(p, OBJECTS, line);
	else if (wk_str_accept(&line, "cfi=") || wk_str_accept(&line, "cfl="))
		p->called_file = name_of(p, FILES, line);
	else if (wk_str_accept(&line, "cob="))
		p->called_object = name_of(p, OBJECTS, line);
	else if (wk_str_accept(&line, "jfi="))
		name_of(p, FILES, line);
	else if (wk_str_accept(&line, "jfn="))
		name_of(p, FUNCTIONS, line);
	else {
		return false;
	}
	return true;
}

static bool begins_costs(struct wk_str line)
{
	return wk_is_digit(line.at[0]) || line.at[0] == '+' || line.at[0] == '-' ||
	       line.at[0] == '*';
}

static bool is_header(struct wk_str line)
{
	for (size_t i = 0; i < line.len; i++)
		if (line.at[i] == ':')
			return i > 0;
		else if ((line.at[i] | 0x20) < 'a' || (line.at[i] | 0x20) > 'z')
			return false;
	return false;
}

static void read_body(struct parser *p, struct wk_str line)
{
	if (begins_costs(line)) {
		read_costs(p, line);
	} else if (wk_str_starts(line, "calls=")) {
		p->next_is_call = true;
	} else if (wk_str_starts(line, "jump=") || wk_str_starts(line, "jcnd=")) {
		p->next_is_jump = true;
	} else if (!read_name(p, line) && !wk_str_starts(line, "frfn=") &&
		   !wk_str_starts(line, "rcalls=")) {
		wk_stack_text_bad(&p->text, "a name (\"fn=\", \"cfn=\" ...), \"calls=\", or costs");
	}
}

static void read_line(struct parser *p, struct wk_str line)
{
	line = wk_trim(line);
	if (line.len == 0 || line.at[0] == '#')
		return;
	if (is_header(line))
		read_header(p, line);
	else if (p->graph)
		read_body(p, line);
	else
		wk_stack_text_bad(&p->text, "a line \"events: ...\" first");
}

/* With --separate-callers and for recursion callgrind appends the callers: "fib'2'work'main". They
 * distinguish functions; wick shows the bare name. */
static struct wk_str bare_name(const struct parser *p, uint32_t text, struct wk_map *lengths)
{
	struct wk_str name = wk_strtab_str(p->names, text), rest = name;
	uint32_t *length = wk_map_at(lengths, text);

	if (!*length)
		*length = (uint32_t)wk_scan_to(&rest, '\'').len;
	return *length ? wk_str_of(name.at, *length) : name;
}

static struct wk_str known(const struct parser *p, uint32_t text)
{
	struct wk_str name = wk_strtab_str(p->names, text);

	return wk_str_is(name, "???") ? wk_str_of("", 0) : name;
}

static uint32_t *make_frames(struct parser *p)
{
	uint32_t *frames = wk_alloc_zeroed((size_t)p->function_count + 1, sizeof(*frames));
	struct wk_map bare_lengths = { 0 };

	for (uint32_t i = 0; i < p->function_count; i++) {
		struct function *function = &p->functions[i];
		struct wk_event_frame frame = {
			.name = bare_name(p, function->name, &bare_lengths),
			.file = known(p, function->file),
			.image = known(p, function->object),
			.is_lasting = true,
		};
		struct wk_str digits = frame.name;

		frame.line = frame.file.len ? function->line : 0;
		frame.is_unnamed = wk_str_is(frame.name, "???") || frame.name.len == 0 ||
				   (wk_str_accept(&digits, "0x") && digits.len == 16);
		frames[i] = wk_stack_writer_frame(p->text.writer, &frame);
	}
	wk_map_fini(&bare_lengths);
	return frames;
}

static void emit_sources(struct parser *p)
{
	for (size_t i = 0; i < p->event_count; i++) {
		struct wk_event_source source = {
			.source = (uint32_t)i, .name = p->events[i], .is_weighed = true,
			.unit = wk_str_c(wk_str_is(p->events[i], "Ir") ? "instructions" : "events"),
		};

		if (wk_str_starts(p->events[i], "sys") && wk_str_ends(p->events[i], "Time"))
			source.unit = wk_str_c("us");
		if (p->long_names[i].len)
			source.name = p->long_names[i];
		wk_stack_writer_emit_source(p->text.writer, &source);
	}
}

/* A note, if the costs do not add up to the sum in the file. */
static void compare_totals(struct parser *p)
{
	const uint64_t *stated = p->has_totals ? p->totals : p->summary;

	for (size_t i = 0; i < p->event_count && (p->has_totals || p->has_summary); i++) {
		uint64_t total = wk_call_graph_total(p->graph, i);

		if (total == stated[i])
			continue;
		wk_note(p->text.writer,
			"the costs of %.*s add up to %" PRIu64 "; the file says %" PRIu64,
			WK_STR_ARG(p->events[i]), total, stated[i]);
		return;
	}
}

static void emit(struct parser *p)
{
	uint32_t *frames;

	if (!p->graph)
		return;
	emit_sources(p);
	wk_stack_text_process(&p->text, p->pid, wk_str_basename(wk_scan_word(&p->command)));
	frames = make_frames(p);
	wk_call_graph_emit(p->graph, p->text.writer, frames, p->pid);
	compare_totals(p);
	wk_free(frames);
}

static bool read_callgrind(const struct wk_input *input, const struct wk_sink *sink,
			   struct wk_err *err)
{
	struct parser p = { .names = wk_strtab_new(), .positions = 1, .pid = WK_NO_PID,
			    .called_object = NO_NAME, .called_file = NO_NAME };
	struct wk_str line;

	wk_stack_text_begin(&p.text, input, sink, NULL);
	while (wk_stack_text_next(&p.text, &line))
		read_line(&p, line);
	emit(&p);
	if (p.graph)
		wk_call_graph_free(p.graph);
	for (int i = 0; i < SPACES; i++)
		wk_map_fini(&p.numbered[i]);
	wk_index_fini(&p.index);
	wk_free(p.functions);
	wk_strtab_free(p.names);
	return wk_stack_text_end(&p.text,
				 "costs in the callgrind format: \"events:\", \"fn=\", "
				 "lines of numbers",
				 err);
}

const struct wk_reader wk_reader_callgrind = {
	.name = "callgrind",
	.summary = "Valgrind's callgrind.out",
	.suffixes = (const char *const[]){ ".callgrind", NULL },
	.signs = (const struct wk_line_sign[]){
		{ 98, is_head, NULL }, { 90, is_events, is_function }, { 0 } },
	.read = read_callgrind,
};
