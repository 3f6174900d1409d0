/* Sampled stacks printed by `xperf -i trace.etl -symbols -a dumper`. docs/formats/xperf.md */
#include "base/hash.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/sort.h"
#include "base/text/csv.h"
#include "formats/reports/windows_names.h"
#include "formats/stack_text.h"

#define EXPECTED "lines \"SampledProfile, TIME, PROCESS (PID), THREAD, 0xADDRESS, CPU, ...\" and " \
	"\"Stack, TIME, THREAD, NUMBER, 0xADDRESS, IMAGE!FUNCTION\""

struct sample {
	uint64_t time_us;
	uint32_t pid, tid, cpu, count;
	uint32_t leaf;                /* the sampled place */
	uint32_t first_run, last_run; /* of its stack, 0: none */
};

/* Adjacent stack lines: a stack, or the kernel's or user's part of it. */
struct run {
	size_t first, count; /* in `frames` */
	uint32_t next;
};

struct xperf {
	struct wk_stack_text text;
	struct wk_map processes; /* that were emitted */
	struct sample *samples;  /* row 0 is none */
	size_t sample_count, sample_cap;
	struct wk_index by_time; /* and thread */
	struct run *runs;        /* row 0 is none */
	size_t run_count, run_cap;
	uint32_t *frames; /* innermost first in each run */
	size_t frame_count, frame_cap;
	uint64_t run_time_us; /* of the current run */
	uint32_t run_tid;
	size_t run_first;
	bool in_run;
};

/* The next field without its padding. */
static struct wk_str next_field(struct wk_str *rest)
{
	return wk_trim(wk_str_cut(rest, ','));
}

/* "app.exe (4712)"; the name may contain commas. */
static struct wk_str next_process(struct wk_str *rest)
{
	size_t end = wk_str_find(*rest, "),");
	struct wk_str process = *rest;

	if (end == SIZE_MAX)
		return next_field(rest);
	process.len = end + 1;
	*rest = wk_str_skip(*rest, end + 2);
	return wk_trim(process);
}

static bool next_number(struct wk_str *rest, uint64_t most, uint64_t *value)
{
	return wk_num_u64(next_field(rest), value) && *value <= most;
}

static bool next_address(struct wk_str *rest, uint64_t *address)
{
	struct wk_str field = next_field(rest);

	return wk_str_starts(field, "0x") && wk_num_hex(wk_str_skip(field, 2), address);
}

static uint32_t frame_of(struct xperf *xperf, struct wk_str text, uint64_t address)
{
	struct wk_event_frame frame = wk_windows_frame(wk_trim(text));

	frame.address = address;
	if (address >> 47 == 0x1ffff)
		frame.kind = WK_FRAME_KERNEL;
	return wk_stack_writer_frame(xperf->text.writer, &frame);
}

static bool same_sample(const void *table, uint32_t id, const void *key)
{
	const struct sample *a = &((const struct xperf *)table)->samples[id];
	const struct sample *b = key;

	return a->time_us == b->time_us && a->tid == b->tid;
}

/* "ThreadStart!Function,   Image!Function,   1, Unbatched": the second name and the count. Names
 * may contain commas, but columns are padded with blanks. */
static struct wk_str leaf_of(struct wk_str rest, uint32_t *count)
{
	size_t comma = wk_str_find_last(rest, ','); /* the kind of sample */
	struct wk_str names = rest;
	uint64_t number;

	*count = 1;
	if (comma != SIZE_MAX) {
		names.len = comma;
		comma = wk_str_find_last(names, ',');
	}
	if (comma != SIZE_MAX && wk_num_u64(wk_trim(wk_str_skip(names, comma + 1)), &number) &&
	    number <= UINT32_MAX) {
		*count = (uint32_t)number;
		names.len = comma;
	} else {
		names = rest;
	}
	comma = wk_str_find_last_text(names, ",  ");
	return wk_trim(comma == SIZE_MAX ? names : wk_str_skip(names, comma + 1));
}

static void add_sample(struct xperf *xperf, const struct sample *sample)
{
	uint64_t hash = wk_hash_pair(sample->time_us, sample->tid);

	*WK_APPEND(xperf->samples, xperf->sample_count, xperf->sample_cap) = *sample;
	if (!wk_index_find(&xperf->by_time, hash, same_sample, xperf, sample))
		wk_index_add(&xperf->by_time, hash, (uint32_t)xperf->sample_count - 1);
}

/* "SampledProfile,  36765,  dota.exe (  56),  3044, 0x551ea026,  3, ..." after its first word. */
static bool on_sample(struct xperf *xperf, struct wk_str rest)
{
	struct sample sample = { 0 };
	struct wk_str process;
	uint64_t time_us, tid, address, cpu;

	if (!next_number(&rest, UINT64_MAX / 1000, &time_us))
		return false;
	process = next_process(&rest);
	if (!next_number(&rest, WK_NO_PID - 1, &tid) || !next_address(&rest, &address) ||
	    !next_number(&rest, WK_NO_CPU - 1, &cpu))
		return false;
	sample.time_us = time_us;
	sample.tid = (uint32_t)tid;
	sample.cpu = (uint32_t)cpu;
	sample.pid = wk_windows_process(&xperf->processes, xperf->text.writer, process);
	sample.leaf = frame_of(xperf, leaf_of(rest, &sample.count), address);
	add_sample(xperf, &sample);
	return true;
}

/* Assigns the current run to the sample of its time and thread. Runs of other events (switches,
 * reads ...) are dropped. A second run is the outer part of the stack. */
static void end_run(struct xperf *xperf)
{
	struct sample key = { .time_us = xperf->run_time_us, .tid = xperf->run_tid }, *sample;
	uint32_t id, run;

	if (!xperf->in_run)
		return;
	xperf->in_run = false;
	id = wk_index_find(&xperf->by_time, wk_hash_pair(key.time_us, key.tid), same_sample, xperf,
			   &key);
	if (!id) {
		xperf->frame_count = xperf->run_first;
		return;
	}
	run = (uint32_t)xperf->run_count;
	*WK_APPEND(xperf->runs, xperf->run_count, xperf->run_cap) = (struct run){
		.first = xperf->run_first, .count = xperf->frame_count - xperf->run_first };
	sample = &xperf->samples[id];
	if (sample->last_run)
		xperf->runs[sample->last_run].next = run;
	else
		sample->first_run = run;
	sample->last_run = run;
}

/* "Stack,  36765,  1668,  1, 0x81c3617b,  halmacpi.dll!0x81c3617b" after its first word. */
static bool on_stack(struct xperf *xperf, struct wk_str rest)
{
	uint64_t time_us, tid, number, address;

	if (!next_number(&rest, UINT64_MAX / 1000, &time_us) ||
	    !next_number(&rest, UINT32_MAX, &tid) || !next_number(&rest, UINT32_MAX, &number) ||
	    !next_address(&rest, &address))
		return false;
	if (!xperf->in_run || number == 1 || time_us != xperf->run_time_us ||
	    tid != xperf->run_tid) {
		end_run(xperf);
		xperf->in_run = true;
		xperf->run_time_us = time_us;
		xperf->run_tid = (uint32_t)tid;
		xperf->run_first = xperf->frame_count;
	}
	*WK_APPEND(xperf->frames, xperf->frame_count, xperf->frame_cap) =
		frame_of(xperf, rest, address);
	return true;
}

static void on_line(struct xperf *xperf, struct wk_str line)
{
	struct wk_str rest = line, word = next_field(&rest);
	bool ok = true;

	if (wk_str_is(word, "Stack"))
		ok = on_stack(xperf, rest);
	else
		end_run(xperf);
	if (wk_str_is(word, "SampledProfile"))
		ok = on_sample(xperf, rest);
	if (!ok && !wk_str_is(next_field(&rest), "TimeStamp")) /* the heading of these lines */
		wk_stack_text_bad(&xperf->text, EXPECTED);
}

static uint32_t stack_of(struct xperf *xperf, const struct sample *sample, uint32_t **gathered,
			 size_t *cap)
{
	size_t count = 0;

	if (!sample->first_run)
		return wk_stack_writer_stack(xperf->text.writer, 0, sample->leaf);
	for (uint32_t run = sample->first_run; run; run = xperf->runs[run].next) {
		const struct run *at = &xperf->runs[run];

		*gathered = wk_grow(*gathered, cap, count + at->count, sizeof(**gathered));
		memcpy(*gathered + count, xperf->frames + at->first,
		       at->count * sizeof(**gathered));
		count += at->count;
	}
	return wk_stack_writer_reversed(xperf->text.writer, *gathered, count);
}

static void emit_sample(struct xperf *xperf, const struct sample *sample, uint32_t stack)
{
	struct wk_event event = { .kind = WK_EVENT_SAMPLE, .time_ns = sample->time_us * 1000,
				  .pid = sample->pid, .tid = sample->tid, .cpu = sample->cpu };

	if (sample->pid == WK_NO_PID)
		event.tid = WK_NO_PID;
	event.sample.named_stack = stack;
	event.sample.weight = sample->count;
	wk_stack_writer_event(xperf->text.writer, &event);
}

static void emit_samples(struct xperf *xperf)
{
	struct wk_sort_key *keys = WK_SORT_ORDER(xperf->samples, xperf->sample_count, time_us);
	uint32_t *gathered = NULL;
	size_t cap = 0;

	for (size_t i = 0; i < xperf->sample_count; i++) {
		const struct sample *sample = &xperf->samples[keys[i].row];

		if (keys[i].row)
			emit_sample(xperf, sample, stack_of(xperf, sample, &gathered, &cap));
	}
	WK_FREE_ALL(gathered, keys);
}

static bool read_xperf(const struct wk_input *input, const struct wk_sink *sink, struct wk_err *err)
{
	struct wk_buf text = { 0 };
	struct wk_bytes bytes = wk_csv_text(input->bytes, &text);
	struct xperf xperf = { 0 };
	struct wk_str line;
	bool ok;

	wk_stack_text_begin(&xperf.text, input, sink, NULL);
	xperf.text.input = bytes;
	xperf.text.lines = wk_lines_of(bytes);
	wk_stack_writer_source(xperf.text.writer, 0, "SampledProfile", "samples", true);
	*WK_APPEND(xperf.runs, xperf.run_count, xperf.run_cap) = (struct run){ 0 };
	*WK_APPEND(xperf.samples, xperf.sample_count, xperf.sample_cap) = (struct sample){ 0 };
	while (wk_stack_text_next(&xperf.text, &line))
		on_line(&xperf, line);
	end_run(&xperf);
	emit_samples(&xperf);
	wk_map_fini(&xperf.processes);
	wk_index_fini(&xperf.by_time);
	WK_FREE_ALL(xperf.samples, xperf.runs, xperf.frames);
	ok = wk_stack_text_end(&xperf.text, EXPECTED, err);
	wk_buf_fini(&text);
	return ok;
}

static int probe(struct wk_bytes first)
{
	struct wk_buf text = { 0 };
	struct wk_lines lines = wk_lines_of(wk_csv_text(first, &text));
	struct wk_str line;
	int score = 0;

	while (score < 90 && wk_lines_next(&lines, &line)) {
		struct wk_str word = next_field(&line);

		if (wk_str_is(word, "SampledProfile") && line.len)
			score = 90;
		else if (wk_str_is(word, "BeginHeader"))
			score = 70;
	}
	wk_buf_fini(&text);
	return score;
}

const struct wk_reader wk_reader_xperf = {
	.name = "xperf",
	.summary = "Windows xperf, what -a dumper prints of sampled stacks",
	.suffixes = (const char *const[]){ ".txt", ".csv", NULL },
	.probe = probe,
	.read = read_xperf,
};
