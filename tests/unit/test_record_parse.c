#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>
#include <inttypes.h>
#include <linux/perf_event.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/out.h"
#include "event/dump.h"
#include "record/facts.h"
#include "record/layout.h"
#include "record/parse.h"
#include "record/proc_scan.h"

#define SOURCE_ID 77

/* A parser, what it is fed, and what comes out as lines of text. */
struct fixture {
	struct wk_parser parser;
	struct wk_map sources;
	struct wk_buf record, text;
	struct wk_out out;
	struct wk_sink sink;
};

static bool exit_code_of(void *context, uint32_t pid, int *code)
{
	(void)context;
	*code = 3;
	return pid == 10;
}

static void command_line_of(void *context, uint32_t pid, struct wk_str name, struct wk_buf *out)
{
	(void)context;
	if (pid == 10)
		wk_buf_add_fmt(out, "%.*s --all", WK_STR_ARG(name));
}

static void begin(struct fixture *f, bool has_chain, uint32_t stack_bytes)
{
	struct wk_layout layout = wk_layout_of(WK_MACHINE_X86_64, has_chain, stack_bytes);
	struct wk_parser_asks asks = { command_line_of, exit_code_of, NULL };

	memset(f, 0, sizeof(*f));
	wk_map_set(&f->sources, SOURCE_ID, 2);
	wk_parser_init(&f->parser, &layout, &f->sources, &asks);
	f->out = wk_out_to_buf(&f->text);
	f->sink = wk_dump_sink(&f->out);
}

static void end(struct fixture *f)
{
	wk_parser_fini(&f->parser);
	wk_map_fini(&f->sources);
	wk_out_end(&f->out);
	wk_buf_fini(&f->text);
	wk_buf_fini(&f->record);
}

static void header(struct fixture *f, uint32_t type, uint16_t misc)
{
	wk_buf_reset(&f->record);
	wk_buf_add_u32(&f->record, type);
	wk_buf_add_u16(&f->record, misc);
	wk_buf_add_u16(&f->record, 0);
}

static void words(struct fixture *f, size_t count, ...)
{
	va_list list;

	va_start(list, count);
	for (size_t i = 0; i < count; i++)
		wk_buf_add_u64(&f->record, va_arg(list, uint64_t));
	va_end(list);
}

#define W(value) ((uint64_t)(value))

/* Two numbers of 32 bits in one word. */
static uint64_t pair(uint32_t low, uint32_t high)
{
	return (uint64_t)high << 32 | low;
}

static void name(struct fixture *f, const char *text)
{
	wk_buf_add_text(&f->record, text);
	do
		wk_buf_add_char(&f->record, '\0');
	while (f->record.len % 8);
}

static void trailer(struct fixture *f, uint64_t time_ns)
{
	words(f, 4, pair(10, 11), time_ns, pair(1, 0), W(SOURCE_ID));
}

/* Parses the first `size` bytes of the record. */
static bool parse_part(struct fixture *f, size_t size)
{
	uint64_t *aligned = wk_alloc_zeroed(1, size + 8);
	uint16_t size16 = (uint16_t)size;
	bool ok;

	memcpy(aligned, f->record.at, size);
	if (size >= 8)
		memcpy((uint8_t *)aligned + 6, &size16, sizeof(size16));
	ok = wk_parse_record(&f->parser, (uint8_t *)aligned, size,
			     size >= 8 ? wk_layout_time((uint8_t *)aligned, size) : 0, &f->sink,
			     NULL);
	wk_free(aligned);
	return ok;
}

/* Parses it and compares the lines that come out. */
static void expect(struct fixture *f, const char *lines)
{
	assert_true(parse_part(f, f->record.len));
	wk_out_flush(&f->out);
	assert_string_equal(wk_buf_text(&f->text), lines);
	wk_buf_reset(&f->text);
}

static void a_sample_with_a_kernel_and_a_user_chain(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, true, 0);
	header(&f, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_KERNEL);
	words(&f, 6, W(SOURCE_ID), W(0xffffffff81000010), pair(10, 11), W(5000), pair(1, 0),
	      W(997));
	words(&f, 7, W(6), W(PERF_CONTEXT_KERNEL), W(0xffffffff81000010), W(0xffffffff81000020),
	      W(PERF_CONTEXT_USER), W(0x401000), W(0x402000));
	expect(&f, "sample time=5000 pid=10 tid=11 cpu=1 source=2 weight=997 mode=kernel "
		   "address=0xffffffff81000010 kernel=0xffffffff81000010,0xffffffff81000020 "
		   "user=0x401000,0x402000\n");
	assert_int_equal(f.parser.counts.samples, 1);
	end(&f);
}

struct trace {
	char text[32];
	size_t bytes;
	bool has_stack, is_there;
};

static bool catch_trace(void *context, const struct wk_event *event, struct wk_err *err)
{
	struct trace *trace = context;

	(void)err;
	*trace = (struct trace){ .has_stack = event->sample.stack != NULL,
				 .is_there = event->sample.details != NULL };
	if (!trace->is_there)
		return true;
	trace->bytes = event->sample.details->trace_raw.len;
	memcpy(trace->text, event->sample.details->trace_raw.at, trace->bytes);
	return true;
}

/* Between call chain and registers, in samples of some events. */
static void the_fields_of_a_tracepoint_are_its_bytes(void **state)
{
	struct wk_map with_fields = { 0 };
	struct trace trace = { 0 };
	struct fixture f;

	(void)state;
	begin(&f, true, 64);
	f.sink = (struct wk_sink){ .take = catch_trace, .context = &trace };
	for (int has_fields = 1; has_fields >= 0; has_fields--) {
		wk_map_set(&with_fields, SOURCE_ID, has_fields);
		f.parser.with_fields = &with_fields;
		header(&f, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
		words(&f, 8, W(SOURCE_ID), W(0x401000), pair(10, 11), W(5000), pair(0, 0), W(1),
		      W(1), W(0x401000));
		if (has_fields) {
			wk_buf_add_u32(&f.record, 12);
			wk_buf_add(&f.record, "twelve bytes", 12);
		}
		words(&f, 1, W(PERF_SAMPLE_REGS_ABI_64));
		for (uint64_t i = 0; i < 17; i++)
			words(&f, 1, i);
		words(&f, 3, W(8), W(0), W(8));
		assert_true(parse_part(&f, f.record.len));
		assert_true(trace.has_stack);
		assert_int_equal(trace.is_there, has_fields);
		if (has_fields)
			assert_string_equal(trace.text, "twelve bytes");
	}
	assert_int_equal(f.parser.counts.damaged, 0);
	wk_map_fini(&with_fields);
	end(&f);
}

static void without_a_chain_the_sampled_place_stands_alone(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, false, 0);
	header(&f, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	words(&f, 6, W(SOURCE_ID), W(0x401000), pair(10, 11), W(5000), pair(0, 0), W(1));
	expect(&f, "sample time=5000 pid=10 tid=11 cpu=0 source=2 weight=1 mode=user "
		   "address=0x401000 user=0x401000\n");
	end(&f);
}

static void add_stack_sample(struct fixture *f, uint64_t abi, uint64_t size, uint64_t copied)
{
	header(f, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	words(f, 6, W(SOURCE_ID), W(0x401000), pair(10, 11), W(5000), pair(0, 0), W(1));
	words(f, 2, W(0), abi);
	for (uint64_t i = 0; abi && i < 17; i++)
		wk_buf_add_u64(&f->record, 100 + i);
	wk_buf_add_u64(&f->record, size);
	for (uint64_t i = 0; i < size; i += 8)
		wk_buf_add_u64(&f->record, i);
	if (size)
		wk_buf_add_u64(&f->record, copied);
}

struct caught {
	struct wk_event_stack stack;
	uint8_t first, last;
	bool has_stack;
};

static bool catch_stack(void *context, const struct wk_event *event, struct wk_err *err)
{
	struct caught *caught = context;

	(void)err;
	caught->has_stack = event->sample.stack != NULL;
	if (!caught->has_stack)
		return true;
	caught->stack = *event->sample.stack;
	if (caught->stack.size_bytes) {
		caught->first = caught->stack.bytes[0];
		caught->last = caught->stack.bytes[caught->stack.size_bytes - 8];
	}
	return true;
}

static void a_stack_copy_has_its_registers_by_their_dwarf_numbers(void **state)
{
	struct fixture f;
	struct caught caught = { 0 };

	(void)state;
	begin(&f, true, 64);
	f.sink = (struct wk_sink){ .take = catch_stack, .context = &caught };
	add_stack_sample(&f, PERF_SAMPLE_REGS_ABI_64, 64, 40);
	assert_true(parse_part(&f, f.record.len));
	assert_true(caught.has_stack);
	assert_int_equal(caught.stack.machine, WK_MACHINE_X86_64);
	assert_int_equal(caught.stack.valid, 0x1ffff);
	assert_int_equal(caught.stack.value[0], 100);  /* ax */
	assert_int_equal(caught.stack.value[3], 101);  /* bx */
	assert_int_equal(caught.stack.value[6], 106);  /* bp */
	assert_int_equal(caught.stack.value[7], 107);  /* sp */
	assert_int_equal(caught.stack.value[16], 108); /* ip */
	assert_int_equal(caught.stack.value[8], 109);  /* r8 */
	assert_int_equal(caught.stack.value[15], 116); /* r15 */
	assert_int_equal(caught.stack.size_bytes, 40);
	assert_int_equal(caught.last, 32);
	assert_false(caught.stack.is_full);
	add_stack_sample(&f, PERF_SAMPLE_REGS_ABI_64, 64, 64);
	assert_true(parse_part(&f, f.record.len));
	assert_true(caught.stack.is_full);
	end(&f);
}

static void a_program_of_32_bits_has_the_registers_of_its_machine(void **state)
{
	struct fixture f;
	struct caught caught = { 0 };

	(void)state;
	begin(&f, true, 64);
	f.sink = (struct wk_sink){ .take = catch_stack, .context = &caught };
	add_stack_sample(&f, PERF_SAMPLE_REGS_ABI_32, 64, 64);
	assert_true(parse_part(&f, f.record.len));
	assert_int_equal(caught.stack.machine, WK_MACHINE_X86);
	assert_int_equal(caught.stack.value[8], 108); /* ip */
	assert_int_equal(caught.stack.value[4], 107); /* sp */
	assert_int_equal(caught.stack.valid, 0x1ff);
	end(&f);
}

/* Of the first `size` bytes of the record. */
static bool is_full(struct fixture *f, size_t size, struct wk_full_stack *full)
{
	uint64_t *aligned = wk_alloc_zeroed(1, size + 8);
	bool result;

	memcpy(aligned, f->record.at, size);
	result = wk_parse_full_stack(&f->parser.layout, NULL, (uint8_t *)aligned, size, full);
	wk_free(aligned);
	return result;
}

static void a_full_copy_is_seen_without_a_parser(void **state)
{
	struct fixture f;
	struct wk_full_stack full;

	(void)state;
	begin(&f, true, 64);
	add_stack_sample(&f, PERF_SAMPLE_REGS_ABI_64, 64, 64);
	assert_true(is_full(&f, f.record.len, &full));
	assert_int_equal(full.pid, 10);
	assert_int_equal(full.tid, 11);
	assert_int_equal(full.stack.value[7], 107); /* sp */
	for (size_t size = 0; size < f.record.len; size++)
		assert_false(is_full(&f, size, &full));
	add_stack_sample(&f, PERF_SAMPLE_REGS_ABI_64, 64, 56);
	assert_false(is_full(&f, f.record.len, &full));
	add_stack_sample(&f, PERF_SAMPLE_REGS_ABI_NONE, 0, 0);
	assert_false(is_full(&f, f.record.len, &full));
	header(&f, PERF_RECORD_EXIT, 0);
	for (int i = 0; i < 40; i++)
		words(&f, 1, W(1));
	assert_false(is_full(&f, f.record.len, &full));
	assert_int_equal(f.parser.counts.damaged, 0);
	end(&f);
}

static void a_thread_of_the_kernel_has_no_stack(void **state)
{
	struct fixture f;
	struct caught caught = { .has_stack = true };

	(void)state;
	begin(&f, true, 64);
	f.sink = (struct wk_sink){ .take = catch_stack, .context = &caught };
	add_stack_sample(&f, PERF_SAMPLE_REGS_ABI_NONE, 0, 0);
	assert_true(parse_part(&f, f.record.len));
	assert_false(caught.has_stack);
	assert_int_equal(f.parser.counts.samples, 1);
	end(&f);
}

static void a_mapping_names_its_file(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, true, 64);
	/* The flag that claims a build id is not to be believed. */
	header(&f, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER | PERF_RECORD_MISC_MMAP_BUILD_ID);
	words(&f, 8, pair(10, 11), W(0x400000), W(0x1000), W(0x2000), pair(8, 1), W(4711), W(0),
	      pair(PROT_READ | PROT_EXEC, MAP_PRIVATE));
	name(&f, "/usr/bin/tool");
	trailer(&f, 9000);
	expect(&f, "image time=9000 pid=10 tid=11 start=0x400000 size=0x1000 offset=0x2000 "
		   "path=\"/usr/bin/tool\" device=8:1 inode=4711\n");
	end(&f);
}

static void a_name_without_its_end_is_damage(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, true, 64);
	header(&f, PERF_RECORD_COMM, 0);
	words(&f, 2, pair(10, 11), ~W(0));
	trailer(&f, 9000);
	expect(&f, "");
	assert_int_equal(f.parser.counts.damaged, 1);
	end(&f);
}

static void an_exec_is_told_with_its_command_line(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, true, 64);
	header(&f, PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC);
	words(&f, 1, pair(10, 10));
	name(&f, "tool");
	trailer(&f, 100);
	expect(&f, "process time=100 pid=10 tid=10 change=exec name=\"tool\" "
		   "command_line=\"tool --all\"\n");
	header(&f, PERF_RECORD_COMM, 0);
	words(&f, 1, pair(10, 12));
	name(&f, "worker");
	trailer(&f, 200);
	expect(&f, "thread time=200 pid=10 tid=12 change=name name=\"worker\"\n");
	end(&f);
}

static void task(struct fixture *f, uint32_t type, uint32_t pid, uint32_t tid, uint64_t time_ns)
{
	header(f, type, 0);
	words(f, 3, pair(pid, 1), pair(tid, 1), time_ns);
	trailer(f, time_ns);
}

static void a_process_ends_with_its_last_thread(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, true, 64);
	task(&f, PERF_RECORD_FORK, 10, 10, 1);
	expect(&f, "process time=1 pid=10 tid=10 change=fork parent_pid=1\n");
	task(&f, PERF_RECORD_FORK, 10, 11, 2);
	expect(&f, "thread time=2 pid=10 tid=11 change=start parent_tid=1\n");
	task(&f, PERF_RECORD_EXIT, 10, 10, 3);
	expect(&f, "thread time=3 pid=10 tid=10 change=exit\n");
	task(&f, PERF_RECORD_EXIT, 10, 11, 4);
	expect(&f, "thread time=4 pid=10 tid=11 change=exit\n"
		   "process time=4 pid=10 tid=10 change=exit exit_code=3\n");
	assert_int_equal(wk_map_find(&f.parser.alive, 11), 0);
	end(&f);
}

static void a_process_never_heard_of_ends_with_its_main_thread(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, true, 64);
	task(&f, PERF_RECORD_EXIT, 20, 21, 3);
	expect(&f, "thread time=3 pid=20 tid=21 change=exit\n");
	task(&f, PERF_RECORD_EXIT, 20, 20, 4);
	expect(&f, "thread time=4 pid=20 tid=20 change=exit\n"
		   "process time=4 pid=20 tid=20 change=exit\n");
	end(&f);
}

/* On CPU 1 or 2, of a thread that has given its number back. */
static void ending_sample(struct fixture *f, uint32_t cpu, uint64_t time_ns, const char *who)
{
	char line[200];

	snprintf(line, sizeof(line),
		 "sample time=%" PRIu64 " %s cpu=%" PRIu32 " source=2 weight=997 mode=kernel "
		 "address=0xffffffff81000010 kernel=0xffffffff81000010\n",
		 time_ns, who, cpu);
	header(f, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_KERNEL);
	words(f, 7, W(SOURCE_ID), W(0xffffffff81000010), pair(UINT32_MAX, UINT32_MAX), time_ns,
	      pair(cpu, 0), W(997), W(0));
	expect(f, line);
}

static void a_sample_without_a_number_is_of_what_ended_there(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, true, 0);
	ending_sample(&f, 1, 4, "pid=kernel");
	task(&f, PERF_RECORD_EXIT, 20, 20, 5);
	expect(&f, "thread time=5 pid=20 tid=20 change=exit\n"
		   "process time=5 pid=20 tid=20 change=exit\n");
	ending_sample(&f, 1, 6, "pid=20 tid=20");
	ending_sample(&f, 2, 7, "pid=kernel");
	ending_sample(&f, 1, 200000000, "pid=kernel");
	end(&f);
}

static void lost_records_are_told_and_counted(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, true, 64);
	header(&f, PERF_RECORD_LOST, 0);
	words(&f, 2, W(SOURCE_ID), W(41));
	trailer(&f, 5);
	expect(&f, "lost time=5 count=41 what=samples\n");
	header(&f, PERF_RECORD_LOST_SAMPLES, 0);
	words(&f, 1, W(7));
	trailer(&f, 6);
	expect(&f, "lost time=6 count=7 what=samples\n");
	assert_int_equal(f.parser.losses.samples, 48);
	end(&f);
}

/* Of two sources, and of records of other kinds. */
static void count(struct fixture *f, uint64_t first, uint64_t second, uint64_t records,
		  const char *lines)
{
	const uint64_t total[] = { records, first, second };

	assert_true(wk_losses_emit_new(&f->parser.losses, total, 3, 7, &f->sink, NULL));
	wk_out_flush(&f->out);
	assert_string_equal(wk_buf_text(&f->text), lines);
	wk_buf_reset(&f->text);
}

/* Its records do not say what was lost. */
static void losses_are_those_that_the_kernel_counts(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, true, 64);
	f.parser.kernel_counts_lost = true;
	header(&f, PERF_RECORD_LOST, 0);
	words(&f, 2, W(SOURCE_ID), W(41));
	trailer(&f, 5);
	expect(&f, "");
	assert_int_equal(f.parser.losses.announced, 41);
	count(&f, 40, 0, 1,
	      "lost time=7 count=1 what=records\nlost time=7 count=40 what=samples source=1\n");
	assert_int_equal(f.parser.losses.announced, 0);
	count(&f, 40, 0, 1, "");
	count(&f, 50, 4, 1,
	      "lost time=7 count=10 what=samples source=1\n"
	      "lost time=7 count=4 what=samples source=2\n");
	count(&f, 50, 4, 3, "lost time=7 count=2 what=records\n");
	assert_int_equal(f.parser.losses.samples, 54);
	assert_int_equal(f.parser.losses.records, 3);
	end(&f);
}

static void throttling_is_told_once_and_counted(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, true, 64);
	for (int i = 0; i < 3; i++) {
		header(&f, PERF_RECORD_THROTTLE, 0);
		words(&f, 3, W(5), W(SOURCE_ID), W(0));
		trailer(&f, 5);
		assert_true(parse_part(&f, f.record.len));
	}
	wk_out_flush(&f.out);
	assert_int_equal(f.parser.counts.throttled, 3);
	assert_null(strchr(strchr(wk_buf_text(&f.text), '\n') + 1, '\n'));
	end(&f);
}

static void a_sample_cut_anywhere_is_damage(void **state)
{
	struct fixture f;
	size_t whole;

	(void)state;
	begin(&f, true, 64);
	add_stack_sample(&f, PERF_SAMPLE_REGS_ABI_64, 64, 64);
	whole = f.record.len;
	for (size_t size = 0; size < whole; size++) {
		assert_true(parse_part(&f, size));
		assert_int_equal(f.parser.counts.damaged, size + 1);
	}
	assert_int_equal(f.parser.counts.samples, 0);
	end(&f);
}

static void counts_that_lie_are_damage(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, true, 64);
	header(&f, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	words(&f, 7, W(SOURCE_ID), W(0x401000), pair(10, 11), W(5000), pair(0, 0), W(1),
	      W(0x2000000000000000));
	expect(&f, "");
	add_stack_sample(&f, PERF_SAMPLE_REGS_ABI_64, 64, 65);
	expect(&f, "");
	/* An event that was never opened. */
	header(&f, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	words(&f, 9, W(SOURCE_ID + 1), W(0x401000), pair(10, 11), W(5000), pair(0, 0), W(1), W(0),
	      W(0), W(0));
	expect(&f, "");
	assert_int_equal(f.parser.counts.damaged, 3);
	end(&f);
}

static void a_line_of_maps_is_a_mapping(void **state)
{
	struct wk_event_image image;

	(void)state;
	assert_true(wk_proc_map_line(
		wk_str_c(
			"7f10000-7f12000 r-xp 00001000 fe:01 332383     /usr/lib/a b.so (deleted)"),
		&image));
	assert_int_equal(image.start, 0x7f10000);
	assert_int_equal(image.size_bytes, 0x2000);
	assert_int_equal(image.file_offset, 0x1000);
	assert_int_equal(image.device_major, 0xfe);
	assert_int_equal(image.inode, 332383);
	assert_false(image.is_data);
	assert_true(wk_str_is(image.path, "/usr/lib/a b.so (deleted)"));
	assert_true(wk_proc_map_line(wk_str_c("1000-2000 rw-p 00000000 00:00 0"), &image));
	assert_true(image.is_data);
	assert_true(wk_str_is(image.path, "//anon"));
	assert_false(wk_proc_map_line(wk_str_c("2000-1000 rw-p 00000000 00:00 0 x"), &image));
	assert_false(wk_proc_map_line(wk_str_c("1000-2000 r"), &image));
	assert_false(wk_proc_map_line(wk_str_c(""), &image));
}

static void a_line_of_modules_has_a_place_and_a_size(void **state)
{
	struct wk_str module;
	uint64_t start, size_bytes;

	(void)state;
	assert_true(wk_facts_module_line(wk_str_c("ext4 905216 1 - Live 0xffffffffc0400000"),
					 &module, &start, &size_bytes));
	assert_true(wk_str_is(module, "ext4"));
	assert_int_equal(start, 0xffffffffc0400000);
	assert_int_equal(size_bytes, 905216);
	/* Hidden from ordinary users. */
	assert_false(wk_facts_module_line(wk_str_c("ext4 905216 1 - Live 0x0000000000000000"),
					  &module, &start, &size_bytes));
	assert_false(wk_facts_module_line(wk_str_c("ext4"), &module, &start, &size_bytes));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_sample_with_a_kernel_and_a_user_chain),
		cmocka_unit_test(the_fields_of_a_tracepoint_are_its_bytes),
		cmocka_unit_test(without_a_chain_the_sampled_place_stands_alone),
		cmocka_unit_test(a_stack_copy_has_its_registers_by_their_dwarf_numbers),
		cmocka_unit_test(a_program_of_32_bits_has_the_registers_of_its_machine),
		cmocka_unit_test(a_full_copy_is_seen_without_a_parser),
		cmocka_unit_test(a_thread_of_the_kernel_has_no_stack),
		cmocka_unit_test(a_mapping_names_its_file),
		cmocka_unit_test(a_name_without_its_end_is_damage),
		cmocka_unit_test(an_exec_is_told_with_its_command_line),
		cmocka_unit_test(a_process_ends_with_its_last_thread),
		cmocka_unit_test(a_process_never_heard_of_ends_with_its_main_thread),
		cmocka_unit_test(a_sample_without_a_number_is_of_what_ended_there),
		cmocka_unit_test(lost_records_are_told_and_counted),
		cmocka_unit_test(losses_are_those_that_the_kernel_counts),
		cmocka_unit_test(throttling_is_told_once_and_counted),
		cmocka_unit_test(a_sample_cut_anywhere_is_damage),
		cmocka_unit_test(counts_that_lie_are_damage),
		cmocka_unit_test(a_line_of_maps_is_a_mapping),
		cmocka_unit_test(a_line_of_modules_has_a_place_and_a_size),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
