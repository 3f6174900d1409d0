#include "record/parse.h"

#include <linux/perf_event.h>
#include <sys/mman.h>

#include "base/bytes.h"
#include "event/machine.h"

#define TRAILER_BYTES  32
#define ALIVE          1
#define LAST_MOMENT_MS 100
#define ENDING_TID     UINT32_MAX

void wk_parser_init(struct wk_parser *parser, const struct wk_layout *layout,
		    const struct wk_map *sources, const struct wk_parser_asks *asks)
{
	*parser = (struct wk_parser){ .layout = *layout, .sources = sources };
	if (asks)
		parser->asks = *asks;
}

void wk_parser_fini(struct wk_parser *parser)
{
	wk_map_fini(&parser->threads);
	wk_map_fini(&parser->alive);
	wk_map_fini(&parser->family);
	wk_map_fini(&parser->ended);
	wk_map_fini(&parser->bare);
	wk_losses_fini(&parser->losses);
	wk_buf_fini(&parser->command_line);
}

void wk_parser_knows(struct wk_parser *parser, uint32_t pid, uint32_t tid)
{
	uint32_t *owner = wk_map_at(&parser->threads, (uint64_t)tid + 1);

	wk_map_set(&parser->family, (uint64_t)tid + 1, ALIVE);
	if (*owner == pid + 1)
		return;
	*owner = pid + 1;
	++*wk_map_at(&parser->alive, (uint64_t)pid + 1);
}

/* Forgets a thread; true if it was the last that its process had. */
static bool was_last_thread(struct wk_parser *parser, uint32_t pid, uint32_t tid)
{
	uint32_t alive = wk_map_find(&parser->alive, (uint64_t)pid + 1);

	if (wk_map_find(&parser->threads, (uint64_t)tid + 1) != pid + 1)
		return alive == 0 && pid == tid; /* unknown so far: its main thread represents it */
	wk_map_set(&parser->threads, (uint64_t)tid + 1, 0);
	if (alive > 0)
		wk_map_set(&parser->alive, (uint64_t)pid + 1, --alive);
	return alive == 0;
}

/* After an exec only the thread that called it is left, under the number of the process. */
static void only_main_thread(struct wk_parser *parser, uint32_t pid)
{
	wk_map_set(&parser->threads, (uint64_t)pid + 1, pid + 1);
	wk_map_set(&parser->alive, (uint64_t)pid + 1, 1);
}

static uint32_t end_moment(uint64_t time_ns)
{
	uint32_t moment_ms = (uint32_t)(time_ns / 1000000);

	return moment_ms > ALIVE ? moment_ms : ALIVE + 1;
}

/* A thread still runs for a moment after the record of its end; later its number may be that of a
 * stranger. */
static bool is_stranger(const struct wk_parser *parser, uint32_t tid, uint64_t time_ns)
{
	uint32_t end_ms = wk_map_find(&parser->family, (uint64_t)tid + 1);

	return end_ms != ALIVE && (end_ms == 0 || end_moment(time_ns) - end_ms > LAST_MOMENT_MS);
}

/* The last thread that ended on a CPU, by its process and its own number. */
static uint64_t ended_pid(uint32_t cpu)
{
	return 2 * (uint64_t)cpu + 1;
}

static uint64_t ended_tid(uint32_t cpu)
{
	return 2 * (uint64_t)cpu + 2;
}

static void note_end(struct wk_parser *parser, uint32_t cpu, const struct wk_event *event)
{
	wk_map_set(&parser->family, (uint64_t)event->tid + 1, end_moment(event->time_ns));
	wk_map_set(&parser->ended, ended_pid(cpu), event->pid);
	wk_map_set(&parser->ended, ended_tid(cpu), event->tid);
}

/* A thread that ends gives its number back some instructions before it stops to run. What a clock
 * sees of it then is of the thread that ended on this CPU last. */
static void number_of_ending(const struct wk_parser *parser, struct wk_event *event)
{
	uint32_t tid;

	if (event->tid != ENDING_TID)
		return;
	tid = wk_map_find(&parser->ended, ended_tid(event->cpu));
	if (!tid || is_stranger(parser, tid, event->time_ns))
		return;
	event->pid = wk_map_find(&parser->ended, ended_pid(event->cpu));
	event->tid = tid;
}

/* One part of a call chain, between two of the kernel's markers. */
static size_t chain_part(const uint64_t *chain, size_t count)
{
	size_t len = 0;

	while (len < count && chain[len] < PERF_CONTEXT_MAX)
		len++;
	return len;
}

/* Call chains come with markers (small negative numbers) in front of each part. */
static void split_chain(const uint64_t *chain, size_t count, struct wk_event_sample *sample)
{
	for (size_t i = 0; i < count;) {
		uint64_t marker = chain[i++];
		size_t len = chain_part(chain + i, count - i);

		if (marker == (uint64_t)PERF_CONTEXT_KERNEL) {
			sample->kernel_chain = chain + i;
			sample->kernel_count = len;
		} else if (marker == (uint64_t)PERF_CONTEXT_USER) {
			sample->user_chain = chain + i;
			sample->user_count = len;
		}
		i += len;
	}
}

static void read_chain(struct wk_bytes *in, struct wk_event_sample *sample)
{
	uint64_t count = wk_u64le(in);

	if (count > wk_bytes_left(in) / 8) {
		in->bad = true;
		return;
	}
	split_chain((const uint64_t *)(const void *)in->at, (size_t)count, sample);
	wk_bytes_skip(in, count * 8);
}

/* The fields of a tracepoint, as its description places them. */
static struct wk_str trace_raw(struct wk_bytes *in)
{
	struct wk_bytes raw = wk_bytes_slice(in, wk_u32le(in));

	return wk_str_of((const char *)raw.at, wk_bytes_left(&raw));
}

static void read_trace(struct wk_parser *parser, struct wk_bytes *in,
		       struct wk_event_sample *sample)
{
	parser->details = (struct wk_event_details){ .trace_raw = trace_raw(in) };
	sample->details = &parser->details;
}

static void read_address(struct wk_parser *parser, struct wk_bytes *in,
			 struct wk_event_sample *sample)
{
	parser->details = (struct wk_event_details){ .data_address = wk_u64le(in) };
	sample->details = &parser->details;
}

/* A 32-bit program on a 64-bit machine has the registers of the smaller machine. */
static enum wk_machine machine_of(enum wk_machine kernel, uint64_t abi)
{
	if (abi == PERF_SAMPLE_REGS_ABI_64)
		return kernel;
	return kernel == WK_MACHINE_X86_64 ? WK_MACHINE_X86 : WK_MACHINE_ARM;
}

/* False if there are none: a thread of the kernel, or a program on its way out. */
static bool read_registers(const struct wk_layout *layout, struct wk_bytes *in,
			   struct wk_event_stack *stack)
{
	uint64_t abi = wk_u64le(in);

	if (abi == PERF_SAMPLE_REGS_ABI_NONE)
		return false;
	stack->machine = machine_of(layout->machine, abi);
	stack->valid = 0;
	for (uint64_t left = layout->registers; left; left &= left - 1) {
		int number = wk_machine_register(stack->machine, (unsigned)__builtin_ctzll(left));
		uint64_t value = wk_u64le(in);

		if (number < 0)
			continue;
		stack->value[number] = value;
		stack->valid |= (uint64_t)1 << number;
	}
	return true;
}

/* The copy, then how much of it was really copied. */
static void read_stack(const struct wk_layout *layout, struct wk_bytes *in,
		       struct wk_event_stack *stack)
{
	uint64_t size = wk_u64le(in), copied;

	stack->size_bytes = 0;
	stack->is_full = false;
	if (size == 0)
		return;
	stack->bytes = in->at;
	wk_bytes_skip(in, size);
	copied = wk_u64le(in);
	if (copied > size)
		in->bad = true;
	stack->is_full = copied == size || copied >= layout->stack_bytes;
	stack->size_bytes = in->bad ? 0 : (size_t)copied;
}

/* If no chain was requested or delivered, the sampled address is the chain. */
static void at_least_its_place(struct wk_event_sample *sample)
{
	if (sample->in_kernel && sample->kernel_count == 0) {
		sample->kernel_chain = &sample->address;
		sample->kernel_count = 1;
	} else if (!sample->in_kernel && sample->user_count == 0 && !sample->stack) {
		sample->user_chain = &sample->address;
		sample->user_count = 1;
	}
}

static bool parse_sample(struct wk_parser *parser, struct wk_bytes in, uint16_t misc,
			 const struct wk_sink *sink, struct wk_event *event, struct wk_err *err)
{
	struct wk_event_sample *sample = &event->sample;
	uint64_t id = wk_u64le(&in);
	uint32_t fields = parser->with_fields ? wk_map_find(parser->with_fields, id) : 0;

	event->kind = WK_EVENT_SAMPLE;
	sample->source = wk_map_find(parser->sources, id);
	sample->address = wk_u64le(&in);
	event->pid = wk_u32le(&in);
	event->tid = wk_u32le(&in);
	wk_bytes_skip(&in, 8); /* the time is known already */
	if (fields == WK_FIELDS_ADDRESS)
		read_address(parser, &in, sample);
	event->cpu = wk_u32le(&in);
	wk_bytes_skip(&in, 4);
	number_of_ending(parser, event);
	sample->weight = parser->layout.period ? parser->layout.period : wk_u64le(&in);
	sample->in_kernel = (misc & PERF_RECORD_MISC_CPUMODE_MASK) != PERF_RECORD_MISC_USER;
	if (parser->drops_strangers && is_stranger(parser, event->tid, event->time_ns))
		return true;
	if (parser->layout.has_chain)
		read_chain(&in, sample);
	if (fields && fields != WK_FIELDS_ADDRESS)
		read_trace(parser, &in, sample);
	if (parser->layout.stack_bytes && fields != WK_FIELDS_ALONE) {
		bool has_registers = read_registers(&parser->layout, &in, &parser->stack);

		read_stack(&parser->layout, &in, &parser->stack);
		if (has_registers)
			sample->stack = &parser->stack;
	}
	if (in.bad || sample->source == 0) {
		parser->counts.damaged++;
		return true;
	}
	at_least_its_place(sample);
	parser->counts.samples++;
	parser->counts.cpu_ns += sample->weight;
	return wk_sink_emit(sink, event, err);
}

bool wk_parse_full_stack(const struct wk_layout *layout, const struct wk_map *with_fields,
			 const uint8_t *record, size_t size, struct wk_full_stack *full)
{
	struct wk_bytes in = wk_bytes_of(record, size);
	struct wk_event_sample sample = { 0 };
	uint32_t fields;
	uint64_t id;

	/* The limit of a record leaves a little less than what was asked for. */
	if (size <= layout->stack_bytes / 2 || wk_u32le(&in) != PERF_RECORD_SAMPLE)
		return false;
	wk_bytes_skip(&in, 4);
	id = wk_u64le(&in);
	wk_bytes_skip(&in, 8);
	full->pid = wk_u32le(&in);
	full->tid = wk_u32le(&in);
	fields = with_fields ? wk_map_find(with_fields, id) : 0;
	wk_bytes_skip(&in, (layout->period ? 16 : 24) + (fields == WK_FIELDS_ADDRESS ? 8 : 0));
	if (layout->has_chain)
		read_chain(&in, &sample);
	if (fields && fields != WK_FIELDS_ADDRESS)
		trace_raw(&in);
	if (!read_registers(layout, &in, &full->stack))
		return false;
	read_stack(layout, &in, &full->stack);
	return !in.bad && full->stack.is_full;
}

static bool parse_mapping(struct wk_parser *parser, struct wk_bytes in, const struct wk_sink *sink,
			  struct wk_event *event, struct wk_err *err)
{
	struct wk_event_image *image = &event->image;

	event->kind = WK_EVENT_IMAGE;
	event->pid = wk_u32le(&in);
	event->tid = wk_u32le(&in);
	image->start = wk_u64le(&in);
	image->size_bytes = wk_u64le(&in);
	image->file_offset = wk_u64le(&in);
	/* wick never requests build ids, so this is device and inode even if a flag in the header
	 * claims a build id: kernels set it when any other program on the machine has requested
	 * one. */
	image->device_major = wk_u32le(&in);
	image->device_minor = wk_u32le(&in);
	image->inode = wk_u64le(&in);
	image->inode_generation = wk_u64le(&in);
	image->protection = wk_u32le(&in);
	image->flags = wk_u32le(&in);
	image->path = wk_bytes_text(&in);
	image->is_data = !(image->protection & PROT_EXEC);
	if (in.bad || image->size_bytes == 0) {
		parser->counts.damaged++;
		return true;
	}
	wk_map_set(&parser->bare, (uint64_t)event->pid + 1, 0);
	if (event->pid == UINT32_MAX) {
		image->is_kernel = true;
		event->pid = WK_KERNEL_PID;
	}
	return wk_sink_emit(sink, event, err);
}

static bool parse_name(struct wk_parser *parser, struct wk_bytes in, uint16_t misc,
		       const struct wk_sink *sink, struct wk_event *event, struct wk_err *err)
{
	struct wk_str name;

	event->pid = wk_u32le(&in);
	event->tid = wk_u32le(&in);
	name = wk_bytes_text(&in);
	if (in.bad) {
		parser->counts.damaged++;
		return true;
	}
	if (!(misc & PERF_RECORD_MISC_COMM_EXEC)) {
		event->kind = WK_EVENT_THREAD;
		event->thread.change = WK_THREAD_NAME;
		event->thread.name = name;
		return wk_sink_emit(sink, event, err);
	}
	only_main_thread(parser, event->pid);
	wk_map_set(&parser->family, (uint64_t)event->pid + 1, ALIVE);
	wk_map_set(&parser->bare, (uint64_t)event->pid + 1, 1);
	event->kind = WK_EVENT_PROCESS;
	event->process.change = WK_PROCESS_EXEC;
	event->process.name = name;
	wk_buf_reset(&parser->command_line);
	if (parser->asks.command_line)
		parser->asks.command_line(parser->asks.context, event->pid, name,
					  &parser->command_line);
	event->process.command_line = wk_buf_str(&parser->command_line);
	return wk_sink_emit(sink, event, err);
}

/* FORK and EXIT records: pid, parent's pid, tid, parent's tid. */
static bool read_task(struct wk_parser *parser, struct wk_bytes *in, struct wk_event *event,
		      uint32_t *parent_pid, uint32_t *parent_tid)
{
	event->pid = wk_u32le(in);
	*parent_pid = wk_u32le(in);
	event->tid = wk_u32le(in);
	*parent_tid = wk_u32le(in);
	if (in->bad)
		parser->counts.damaged++;
	return !in->bad;
}

static bool parse_fork(struct wk_parser *parser, struct wk_bytes in, const struct wk_sink *sink,
		       struct wk_event *event, struct wk_err *err)
{
	uint32_t parent_pid, parent_tid;

	if (!read_task(parser, &in, event, &parent_pid, &parent_tid))
		return true;
	wk_parser_knows(parser, event->pid, event->tid);
	if (event->pid == event->tid) {
		event->kind = WK_EVENT_PROCESS;
		event->process.change = WK_PROCESS_FORK;
		event->process.parent_pid = parent_pid;
	} else {
		event->kind = WK_EVENT_THREAD;
		event->thread.change = WK_THREAD_START;
		event->thread.parent_tid = parent_tid;
	}
	return wk_sink_emit(sink, event, err);
}

/* The kernel stops to record a program that begins with rights the recorder does not have: its end
 * seems to come before it maps anything. */
static void note_privileged(struct wk_parser *parser, uint32_t pid)
{
	if (!wk_map_find(&parser->bare, (uint64_t)pid + 1))
		return;
	wk_map_set(&parser->bare, (uint64_t)pid + 1, 0);
	parser->counts.privileged++;
}

/* The trailer of a record: process and thread, time, CPU, event; each of 8 bytes. */
static uint32_t trailer_cpu(const uint8_t *trailer)
{
	struct wk_bytes in = wk_bytes_of(trailer, TRAILER_BYTES);

	wk_bytes_skip(&in, 16);
	return wk_u32le(&in);
}

static bool parse_exit(struct wk_parser *parser, struct wk_bytes in, uint32_t cpu,
		       const struct wk_sink *sink, struct wk_event *event, struct wk_err *err)
{
	uint32_t parent_pid, parent_tid;

	if (!read_task(parser, &in, event, &parent_pid, &parent_tid))
		return true;
	note_end(parser, cpu, event);
	event->kind = WK_EVENT_THREAD;
	event->thread.change = WK_THREAD_EXIT;
	if (!wk_sink_emit(sink, event, err))
		return false;
	if (!was_last_thread(parser, event->pid, event->tid))
		return true;
	note_privileged(parser, event->pid);
	event->kind = WK_EVENT_PROCESS;
	event->process = (struct wk_event_process){ .change = WK_PROCESS_EXIT };
	event->tid = event->pid;
	if (parser->asks.exit_code)
		event->process.has_exit_code = parser->asks.exit_code(
			parser->asks.context, event->pid, &event->process.exit_code);
	return wk_sink_emit(sink, event, err);
}

static bool parse_lost(struct wk_parser *parser, struct wk_bytes in, bool samples_only,
		       const struct wk_sink *sink, struct wk_event *event, struct wk_err *err)
{
	uint64_t count;

	if (!samples_only)
		wk_bytes_skip(&in, 8); /* the event that had to wait */
	count = wk_u64le(&in);
	if (in.bad) {
		parser->counts.damaged++;
		return true;
	}
	if (parser->kernel_counts_lost) {
		parser->losses.announced += count;
		return true;
	}
	return wk_losses_emit(&parser->losses, count, event, sink, err);
}

/* Reported in full once: a machine under load throttles thousands of times. */
static bool emit_throttled(struct wk_parser *parser, const struct wk_sink *sink,
			   struct wk_event *event, struct wk_err *err)
{
	if (parser->counts.throttled++)
		return true;
	event->kind = WK_EVENT_NOTE;
	event->note.offset = WK_NOWHERE;
	event->note.text = wk_str_c("the kernel paused sampling for a moment because it took too "
				    "much time; a lower frequency avoids that");
	return wk_sink_emit(sink, event, err);
}

bool wk_parse_record(struct wk_parser *parser, const uint8_t *record, size_t size, uint64_t time_ns,
		     const struct wk_sink *sink, struct wk_err *err)
{
	struct wk_bytes in = wk_bytes_of(record, size);
	struct wk_event event = { .time_ns = time_ns, .cpu = WK_NO_CPU };
	uint32_t type = wk_u32le(&in);
	uint16_t misc = wk_u16le(&in);

	wk_bytes_skip(&in, 2);
	if (in.bad || (type != PERF_RECORD_SAMPLE && wk_bytes_left(&in) < TRAILER_BYTES)) {
		parser->counts.damaged++;
		return true;
	}
	if (type == PERF_RECORD_SAMPLE)
		return parse_sample(parser, in, misc, sink, &event, err);
	in.end -= TRAILER_BYTES;
	switch (type) {
	case PERF_RECORD_MMAP2:
		return parse_mapping(parser, in, sink, &event, err);
	case PERF_RECORD_COMM:
		return parse_name(parser, in, misc, sink, &event, err);
	case PERF_RECORD_FORK:
		return parse_fork(parser, in, sink, &event, err);
	case PERF_RECORD_EXIT:
		return parse_exit(parser, in, trailer_cpu(in.end), sink, &event, err);
	case PERF_RECORD_LOST:
	case PERF_RECORD_LOST_SAMPLES:
		return parse_lost(parser, in, type == PERF_RECORD_LOST_SAMPLES, sink, &event, err);
	case PERF_RECORD_THROTTLE:
		return emit_throttled(parser, sink, &event, err);
	default:
		return true;
	}
}
