/* Time off the CPU, from the text of `perf script` of scheduler events: the stack with which a
 * thread left the CPU (sched_switch), weighed by how long it slept (sched_stat_sleep,
 * sched_stat_blocked), which the thread that woke it reports. docs/formats/perf-sched.md */
#include "base/mem.h"
#include "base/num.h"
#include "formats/perf_script/internal.h"
#include "formats/stack_text.h"

/* Chains of wakeups may be endless: two threads that wake each other. */
#define MOST_CHAIN 1024

#define EXPECTED "the text of `perf script` of sched:sched_switch and sched:sched_stat_sleep"

struct frames {
	uint32_t *at;
	size_t count, cap;
};

struct sleeper {
	struct frames stack; /* outermost first: where it left the CPU */
	struct frames chain; /* the same when it was woken, and all that followed from that */
	bool is_off, was_woken;
};

enum record {
	OTHER_RECORD,
	SWITCH,
	WAKEUP,
};

struct state {
	struct wk_stack_text text;
	bool with_tid, with_waker, follows_wakers;
	struct wk_map sleeper_of; /* by thread: index + 1 */
	struct sleeper *sleepers;
	size_t count, cap;
	struct frames path; /* scratch */
	struct wk_buf name;
	uint64_t cut_chains;

	/* The record at hand. */
	enum record record;
	struct wk_script_head head;
	uint64_t tid, delay_ns; /* of the thread that slept */
	struct wk_str comm;
};

static void add_frame(struct frames *frames, uint32_t frame)
{
	*WK_APPEND(frames->at, frames->count, frames->cap) = frame;
}

static void add_frames(struct frames *frames, const struct frames *more)
{
	for (size_t i = 0; i < more->count; i++)
		add_frame(frames, more->at[i]);
}

static struct sleeper *sleeper_of(struct state *state, uint64_t tid)
{
	uint32_t *index = wk_map_at(&state->sleeper_of, tid);

	if (!*index) {
		*WK_APPEND(state->sleepers, state->count, state->cap) = (struct sleeper){ 0 };
		*index = (uint32_t)state->count;
	}
	return &state->sleepers[*index - 1];
}

static struct sleeper *find_sleeper(const struct state *state, uint64_t tid)
{
	uint32_t index = wk_map_find(&state->sleeper_of, tid);

	return index ? &state->sleepers[index - 1] : NULL;
}

/* The value of " NAME=", up to `end` or the end of the line; empty if it is missing. */
static struct wk_str field(struct wk_str line, const char *name, const char *end)
{
	size_t at = wk_str_find(line, name), len;
	struct wk_str value;

	if (at == SIZE_MAX)
		return wk_str_of(line.at, 0);
	value = wk_str_skip(line, at + strlen(name));
	len = wk_str_find(value, end);
	if (len != SIZE_MAX)
		value.len = len;
	return value;
}

/* A number that may be followed by more. */
static bool number(struct wk_str text, uint64_t *value)
{
	return wk_num_u64(wk_str_of(text.at, wk_script_skip_digits(text, 0)), value);
}

/* The thread that leaves the CPU is the one that the event is of. */
static bool read_switch(struct state *state, struct wk_str line)
{
	return number(field(line, "prev_pid=", " "), &state->tid) ||
	       number(state->head.tid, &state->tid);
}

static bool read_wakeup(struct state *state, struct wk_str line)
{
	state->comm = field(line, " comm=", " pid=");
	return number(field(line, " pid=", " "), &state->tid) &&
	       number(field(line, " delay=", " "), &state->delay_ns);
}

static bool is_wakeup(struct wk_str event)
{
	return wk_str_starts(event, "sched:sched_stat_sleep") ||
	       wk_str_starts(event, "sched:sched_stat_blocked");
}

static void read_head(struct state *state, struct wk_str line)
{
	bool ok = true;

	state->record = OTHER_RECORD;
	state->text.count = 0;
	if (!wk_script_head_parse(line, &state->head)) {
		wk_stack_text_bad(&state->text, "the first line of a sample");
		return;
	}
	if (wk_str_starts(state->head.event, "sched:sched_switch")) {
		state->record = SWITCH;
		ok = read_switch(state, line);
	} else if (is_wakeup(state->head.event)) {
		state->record = WAKEUP;
		ok = read_wakeup(state, line);
	}
	if (!ok) {
		wk_stack_text_bad(&state->text, state->record == SWITCH
							? "prev_pid= of a switch"
							: "comm=, pid= and delay= of a wakeup");
		state->record = OTHER_RECORD;
	}
}

/* "  401000 name (image)": the name is all between the address and the image. */
static void read_frame(struct state *state, struct wk_str line)
{
	struct wk_str name = wk_trim(line), address;
	size_t image;

	if (!wk_next_word(&name, &address))
		return;
	name = wk_trim(name);
	image = wk_str_find_last_text(name, " (/");
	if (image == SIZE_MAX)
		image = wk_str_find_last_text(name, " ([");
	if (image == SIZE_MAX)
		image = wk_str_find_last(name, ' ');
	if (image != SIZE_MAX)
		name = wk_trim(wk_str_of(name.at, image));
	wk_stack_text_name(&state->text, name);
}

static void end_switch(struct state *state)
{
	struct sleeper *sleeper = sleeper_of(state, state->tid);

	sleeper->stack.count = sleeper->chain.count = 0;
	sleeper->is_off = true;
	for (size_t i = state->text.count; i-- > 0;)
		add_frame(&sleeper->stack, state->text.frames[i]);
}

static uint32_t named(struct state *state)
{
	return wk_stack_writer_name(state->text.writer, wk_buf_str(&state->name));
}

static uint32_t sleeper_frame(struct state *state)
{
	wk_buf_reset(&state->name);
	wk_buf_add_str(&state->name, state->comm);
	if (state->with_tid)
		wk_buf_add_fmt(&state->name, "-%llu", (unsigned long long)state->tid);
	return named(state);
}

static uint32_t waker_frame(struct state *state)
{
	const struct wk_script_head *head = &state->head;

	wk_buf_reset(&state->name);
	wk_buf_add_str(&state->name, head->comm);
	if (state->with_tid) {
		wk_buf_add_char(&state->name, '-');
		wk_buf_add_str(&state->name, head->pid);
		wk_buf_add_text(&state->name, head->pid.len ? "/" : "");
		wk_buf_add_str(&state->name, head->tid);
	}
	return named(state);
}

/* The stack that woke it, from the function that did to the outermost one, and the command. */
static void add_waker(struct state *state)
{
	for (size_t i = 0; i < state->text.count; i++)
		add_frame(&state->path, state->text.frames[i]);
	add_frame(&state->path, waker_frame(state));
}

/* What the waker had waited for itself, when it was woken. */
static void add_chain(struct state *state)
{
	const struct sleeper *waker = NULL;
	uint64_t tid;

	if (number(state->head.tid, &tid))
		waker = find_sleeper(state, tid);
	if (!waker || !waker->was_woken || waker->chain.count == 0)
		return;
	add_frame(&state->path, wk_stack_writer_name(state->text.writer, wk_str_c("-")));
	add_frames(&state->path, &waker->chain);
	if (state->path.count > MOST_CHAIN) {
		state->path.count = MOST_CHAIN;
		state->cut_chains++;
	}
}

static void end_wakeup(struct state *state)
{
	struct sleeper *sleeper = find_sleeper(state, state->tid);

	/* perf may report a wakeup twice. */
	if (!sleeper || !sleeper->is_off)
		return;
	state->path.count = 0;
	add_frames(&state->path, &sleeper->stack);
	if (state->with_waker)
		add_waker(state);
	if (state->follows_wakers) {
		add_chain(state);
		sleeper->chain.count = 0;
		add_frames(&sleeper->chain, &state->path);
	}
	sleeper->is_off = false;
	sleeper->was_woken = true;
	state->text.count = 0;
	for (size_t i = state->path.count; i-- > 0;)
		wk_stack_text_add(&state->text, state->path.at[i]);
	wk_stack_text_add(&state->text, sleeper_frame(state));
	wk_stack_text_count(&state->text, state->delay_ns);
}

static void end_record(struct state *state)
{
	if (state->record == SWITCH)
		end_switch(state);
	else if (state->record == WAKEUP)
		end_wakeup(state);
	state->record = OTHER_RECORD;
	state->text.count = 0;
}

static void fini(struct state *state)
{
	for (size_t i = 0; i < state->count; i++)
		WK_FREE_ALL(state->sleepers[i].stack.at, state->sleepers[i].chain.at);
	WK_FREE_ALL(state->sleepers, state->path.at);
	wk_map_fini(&state->sleeper_of);
	wk_buf_fini(&state->name);
}

static bool read_text(const struct wk_input *input, const struct wk_sink *sink, struct wk_err *err)
{
	const struct wk_collapse *collapse = input->options.collapse;
	struct state state = { 0 };
	struct wk_str line;

	wk_stack_text_begin(&state.text, input, sink, NULL);
	wk_stack_writer_source(state.text.writer, 0, "off-CPU", "ns", false);
	if (collapse) {
		state.with_tid = collapse->with_tid;
		state.follows_wakers = collapse->follows_wakers;
		state.with_waker = collapse->with_waker || collapse->follows_wakers;
		state.text.may_be_empty = true;
	}
	while (wk_stack_text_next(&state.text, &line)) {
		if (line.len == 0)
			end_record(&state);
		else if (wk_is_blank(line.at[0]) && state.record != OTHER_RECORD)
			read_frame(&state, line);
		else if (line.at[0] != '#' && line.at[0] != '\t')
			read_head(&state, line);
	}
	if (state.cut_chains)
		wk_note(state.text.writer, "chains of wakeups above %d functions, cut: %llu",
			MOST_CHAIN, (unsigned long long)state.cut_chains);
	fini(&state);
	return wk_stack_text_end(&state.text, EXPECTED, err);
}

/* Such text may be drawn as any other of `perf script`, so it is read only if asked for. */
static int probe(struct wk_bytes first)
{
	(void)first;
	return 0;
}

const struct wk_reader wk_reader_perf_sched = {
	.name = "perf-sched",
	.summary = "time off CPU in `perf script` text of sched events",
	.probe = probe,
	.read = read_text,
};
