/* Samples of Austin, one per line: "P12;T34;file.py:function:line;... 100".
 * docs/formats/austin.md */
#include "formats/stack_text.h"

enum { WALL, CPU, MEMORY, FREED, SOURCES };
enum mode { MODE_WALL, MODE_CPU, MODE_MEMORY, MODE_FULL };

static const struct wk_event_source sources[SOURCES] = {
	[WALL] = { .source = WALL, .name = WK_STR("wall time"), .unit = WK_STR("ns") },
	[CPU] = { .source = CPU, .name = WK_STR("CPU time"), .unit = WK_STR("ns"), .is_cpu_time = true },
	[MEMORY] = { .source = MEMORY, .name = WK_STR("memory"), .unit = WK_STR("bytes") },
	[FREED] = { .source = FREED, .name = WK_STR("memory freed"), .unit = WK_STR("bytes") },
};

struct state {
	struct wk_stack_text text;
	enum mode mode;
	bool is_emitted[SOURCES];
};

struct metrics {
	int64_t value[3];
	size_t count;
};

static bool read_signed(struct wk_str *text, int64_t *value)
{
	bool is_negative = wk_str_accept(text, "-");
	uint64_t number;

	if (!wk_scan_number(text, &number) || number > INT64_MAX)
		return false;
	*value = is_negative ? -(int64_t)number : (int64_t)number;
	return true;
}

/* "12", or "12,0,-34" */
static bool read_metrics(struct wk_str text, struct metrics *metrics)
{
	metrics->count = 0;
	do {
		if (metrics->count == 3 || !read_signed(&text, &metrics->value[metrics->count++]))
			return false;
	} while (wk_str_accept(&text, ","));
	return text.len == 0;
}

/* Before Austin 3 blanks separate the three numbers of full mode: time, growth, shrinking. */
static void read_older_metrics(struct wk_str *line, struct metrics *metrics)
{
	struct wk_str rest = *line;
	int64_t value[3] = { 0, 0, metrics->value[0] };

	for (size_t i = 2; i-- > 0;) {
		size_t blank = wk_str_find_last(rest, ' ');
		struct wk_str word = wk_str_skip(rest, blank == SIZE_MAX ? rest.len : blank + 1);

		if (!read_signed(&word, &value[i]) || word.len)
			return;
		rest.len = blank;
	}
	metrics->value[0] = value[0];
	metrics->value[1] = 0;
	metrics->value[2] = value[1] + value[2];
	metrics->count = 3;
	*line = rest;
}

/* Removes the metrics; `line` is then the stack. */
static bool parse_metrics(struct wk_str *line, struct metrics *metrics)
{
	size_t blank = wk_str_find_last(*line, ' ');

	if (blank == SIZE_MAX || !read_metrics(wk_str_skip(*line, blank + 1), metrics))
		return false;
	line->len = blank;
	if (metrics->count == 1)
		read_older_metrics(line, metrics);
	return true;
}

/* "P12;T34", "P12;T0:34" (with the interpreter's number), "Process 12;Thread 34" */
static bool read_ids(struct wk_str *line, uint32_t *pid, uint32_t *tid)
{
	uint64_t number;

	if ((!wk_str_accept(line, "Process ") && !wk_str_accept(line, "P")) ||
	    !wk_scan_number(line, &number) || !wk_str_accept(line, ";"))
		return false;
	*pid = wk_pid_of(number);
	if (!wk_str_accept(line, "Thread ") && !wk_str_accept(line, "T"))
		return false;
	if (wk_str_starts(*line, "0x") ? !wk_scan_hex(line, &number)
				       : !wk_scan_number(line, &number))
		return false;
	if (wk_str_accept(line, ":") && !wk_scan_number(line, &number))
		return false;
	*tid = wk_pid_of(number);
	return line->len == 0 || wk_str_accept(line, ";");
}

static bool is_sample(struct wk_str line)
{
	struct metrics metrics;
	uint32_t pid, tid;

	return parse_metrics(&line, &metrics) && read_ids(&line, &pid, &tid);
}

static bool is_head(struct wk_str line)
{
	return wk_str_starts(line, "# austin: ");
}

/* "function (file.py)" before Austin 2, followed by ";L12". */
static bool read_oldest(struct wk_str text, struct wk_str *behind, struct wk_event_frame *frame)
{
	struct wk_str peek = *behind;
	uint64_t line;

	if (!wk_str_accept(&peek, ";L") || !wk_scan_number(&peek, &line) ||
	    !wk_cut_bracketed(&text, " (", &frame->file))
		return false;
	frame->name = text;
	frame->line = line <= UINT32_MAX ? (uint32_t)line : 0;
	*behind = peek;
	return true;
}

/* "file.py:function:12"; `behind` is the rest of the stack, which may begin with "L12". */
static struct wk_event_frame frame_of(struct wk_str text, struct wk_str *behind)
{
	struct wk_event_frame frame = { .name = text };
	struct wk_str peek = *behind;
	uint64_t line;
	size_t colon;

	if (read_oldest(text, behind, &frame) || !wk_str_has(text, ":") || text.at[0] == ':')
		return frame;
	if (!wk_cut_line(&text, &frame.line) && wk_str_accept(&peek, ";L") &&
	    wk_scan_number(&peek, &line)) {
		frame.line = line <= UINT32_MAX ? (uint32_t)line : 0;
		*behind = peek;
	}
	colon = wk_str_find_last(text, ':');
	if (colon != SIZE_MAX)
		frame.file = wk_str_of(text.at, colon);
	frame.name = colon == SIZE_MAX ? text : wk_str_skip(text, colon + 1);
	return frame;
}

/* A thread may have no Python frames; its time counts nevertheless. */
static uint32_t push_frames(struct state *state, struct wk_str rest)
{
	static const struct wk_event_frame none = { .name = WK_STR("[no frames]"),
						    .is_unnamed = true };
	uint32_t stack = 0;

	while (rest.len) {
		struct wk_event_frame frame = { .name = wk_scan_to(&rest, ';') };

		if (frame.name.len) {
			frame = frame_of(frame.name, &rest);
			stack = wk_stack_writer_push(state->text.writer, stack, &frame);
		}
		rest = wk_str_skip(rest, 1);
	}
	return stack ? stack : wk_stack_writer_push(state->text.writer, 0, &none);
}

static void emit(struct state *state, struct wk_event *sample, uint32_t source, uint64_t weight)
{
	struct wk_event_source emitted = sources[source];

	emitted.is_weighed = true;
	if (!state->is_emitted[source])
		wk_stack_writer_emit_source(state->text.writer, &emitted);
	state->is_emitted[source] = true;
	sample->sample.source = source;
	sample->sample.weight = weight;
	wk_stack_writer_event(state->text.writer, sample);
}

static uint64_t nanoseconds(int64_t microseconds)
{
	return microseconds < 0                  ? 0
	       : microseconds > INT64_MAX / 1000 ? INT64_MAX
						 : (uint64_t)microseconds * 1000;
}

static void emit_memory(struct state *state, struct wk_event *sample, int64_t bytes)
{
	if (bytes > 0)
		emit(state, sample, MEMORY, (uint64_t)bytes);
	else if (bytes < 0)
		emit(state, sample, FREED, (uint64_t)-bytes);
}

static void emit_metrics(struct state *state, struct wk_event *sample,
			 const struct metrics *metrics)
{
	uint64_t ns = nanoseconds(metrics->value[0]);

	if (metrics->count < 3) {
		if (state->mode == MODE_MEMORY)
			emit_memory(state, sample, metrics->value[0]);
		else
			emit(state, sample, state->mode == MODE_CPU ? CPU : WALL, ns);
		return;
	}
	emit(state, sample, WALL, ns);
	if (metrics->value[1] == 0)
		emit(state, sample, CPU, ns);
	emit_memory(state, sample, metrics->value[2]);
}

static void read_head(struct state *state, struct wk_str line)
{
	if (!wk_str_accept(&line, "# mode: "))
		return;
	state->mode = wk_str_starts(line, "memory") ? MODE_MEMORY
		      : wk_str_starts(line, "cpu")  ? MODE_CPU
		      : wk_str_starts(line, "full") ? MODE_FULL
						    : MODE_WALL;
}

static void read_sample(struct state *state, struct wk_str line)
{
	struct wk_event sample = { .kind = WK_EVENT_SAMPLE, .cpu = WK_NO_CPU };
	struct metrics metrics;

	if (!parse_metrics(&line, &metrics) || !read_ids(&line, &sample.pid, &sample.tid)) {
		wk_stack_text_bad(&state->text, "\"P12;T34;file.py:function:5;... 100\"");
		return;
	}
	if (sample.tid == WK_NO_PID)
		sample.tid = sample.pid;
	sample.sample.named_stack = push_frames(state, line);
	emit_metrics(state, &sample, &metrics);
}

static bool read_samples(const struct wk_input *input, const struct wk_sink *sink,
			 struct wk_err *err)
{
	struct state state = { .mode = MODE_WALL };
	struct wk_str line;

	wk_stack_text_begin(&state.text, input, sink, NULL);
	while (wk_stack_text_next(&state.text, &line)) {
		if (wk_str_starts(line, "#"))
			read_head(&state, line);
		else if (wk_trim(line).len)
			read_sample(&state, line);
	}
	return wk_stack_text_end(&state.text,
				 "samples of Austin: \"P12;T34;file.py:function:5 100\"", err);
}

const struct wk_reader wk_reader_austin = {
	.name = "austin",
	.summary = "samples of Austin (Python)",
	.suffixes = (const char *const[]){ ".austin", NULL },
	.signs = (const struct wk_line_sign[]){
		{ 95, is_head, NULL }, { 90, is_sample, NULL }, { 0 } },
	.read = read_samples,
};
