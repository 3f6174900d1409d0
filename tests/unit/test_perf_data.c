/* What the reader makes of perf.data: small files made here, one rule of the format each.
 * test_perf_fixtures.c holds it against files of real recorders. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "perf_maker.h"

#define USUAL_TYPE                                                                                 \
	(WK_PERF_SAMPLE_IP | WK_PERF_SAMPLE_TID | WK_PERF_SAMPLE_TIME | WK_PERF_SAMPLE_CPU |       \
	 WK_PERF_SAMPLE_PERIOD)
#define STRIDE 144

static const struct perf_attr_fields usual = {
	.type = WK_PERF_TYPE_SOFTWARE,
	.sample_type = USUAL_TYPE,
	.flags = WK_PERF_FLAG_SAMPLE_ID_ALL,
};

static void begin_with(struct perf_maker *m, const struct perf_attr_fields *attr)
{
	perf_begin_file(m, STRIDE, 1);
	put_attr(m, attr, STRIDE - 16);
	put64(m, 0); /* no ids */
	put64(m, 0);
	perf_begin_data(m);
}

static void begin(struct perf_maker *m)
{
	begin_with(m, &usual);
}

static void add_sample(struct perf_maker *m, uint64_t time_ns, uint64_t address)
{
	perf_record(m, WK_PERF_SAMPLE, WK_PERF_MISC_USER);
	put64(m, address);
	put32(m, 10, 11);
	put64(m, time_ns);
	put32(m, 3, 0);
	put64(m, 500);
	perf_end_record(m);
}

/* Of the usual attr: TID, TIME, CPU. */
static void add_trailer(struct perf_maker *m, uint32_t pid, uint32_t tid, uint64_t time_ns)
{
	put32(m, pid, tid);
	put64(m, time_ns);
	put32(m, 2, 0);
}

static void add_comm(struct perf_maker *m, uint32_t misc, uint32_t pid, uint32_t tid,
		     const char *name, uint64_t time_ns)
{
	perf_record(m, WK_PERF_COMM, misc);
	put32(m, pid, tid);
	put_text(m, name);
	add_trailer(m, pid, tid, time_ns);
	perf_end_record(m);
}

static void add_task(struct perf_maker *m, uint32_t type, uint32_t pid, uint32_t ppid, uint32_t tid,
		     uint64_t time_ns)
{
	perf_record(m, type, 0);
	put32(m, pid, ppid);
	put32(m, tid, ppid);
	put64(m, time_ns);
	add_trailer(m, pid, tid, time_ns);
	perf_end_record(m);
}

/* All of the answer but the lines that begin with `left_out` must be `expected`. */
static void check_without(struct perf_maker *m, const char *left_out, const char *expected)
{
	struct wk_buf text = perf_told(&m->out), kept = { 0 };

	for (const char *line = wk_buf_text(&text); *line;) {
		const char *end = strchr(line, '\n') + 1;

		if (strncmp(line, left_out, strlen(left_out)) != 0)
			wk_buf_add(&kept, line, (size_t)(end - line));
		line = end;
	}
	assert_string_equal(wk_buf_text(&kept), expected);
	wk_buf_fini(&text);
	wk_buf_fini(&kept);
	wk_buf_fini(&m->out);
	m->out = (struct wk_buf){ 0 };
}

static void check(struct perf_maker *m, const char *expected)
{
	perf_end(m);
	check_without(m, "source ", expected);
}

static void a_sample_becomes_an_event_in_both_byte_orders(void **state)
{
	(void)state;
	for (int big = 0; big < 2; big++) {
		struct perf_maker m = { .big_endian = big };

		begin(&m);
		add_sample(&m, 1000, 0x401000);
		perf_end(&m);
		check_without(&m, "-",
			      "source time=0 source=0 name=\"cpu-clock:HG\" unit=\"ns\"\n"
			      "sample time=1000 pid=10 tid=11 cpu=3 source=0 weight=500 mode=user "
			      "address=0x401000\n");
	}
}

/* Every field that a sample can have, each with a value of its own. */
static void all_fields_are_read_in_their_order(void **state)
{
	static const struct perf_attr_fields attr = {
		.type = WK_PERF_TYPE_HARDWARE,
		.config = 1,
		.sample_type = 0x3ffff | 1u << 18 | 1u << 19 | 7u << 21,
		.read_format = WK_PERF_READ_ENABLED | WK_PERF_READ_RUNNING | WK_PERF_READ_ID,
		.branch_sample_type = WK_PERF_BRANCH_HW_INDEX,
		.user_registers = 1u << 7 | 1u << 8 | 1u << 16,
		.user_stack_bytes = 16,
		.flags = WK_PERF_FLAG_SAMPLE_ID_ALL,
	};

	(void)state;
	for (int big = 0; big < 2; big++) {
		struct perf_maker m = { .big_endian = big };

		begin_with(&m, &attr);
		perf_record(&m, WK_PERF_SAMPLE, WK_PERF_MISC_USER);
		put64(&m, 77);     /* IDENTIFIER */
		put64(&m, 0x1234); /* IP */
		put32(&m, 5, 6);   /* TID */
		put64(&m, 9000);   /* TIME */
		put64(&m, 0xadd);  /* ADDR */
		put64(&m, 77);     /* ID */
		put64(&m, 78);     /* STREAM_ID */
		put32(&m, 1, 0);   /* CPU */
		put64(&m, 42);     /* PERIOD */
		for (int i = 0; i < 4; i++)
			put64(&m, 0xbad0 + (uint64_t)i); /* READ: value, enabled, running, id */
		put64(&m, 3);                            /* CALLCHAIN */
		put64(&m, WK_PERF_CONTEXT_USER);
		put64(&m, 0x1234);
		put64(&m, 0x5678);
		put(&m, 12, 4); /* RAW */
		put(&m, 0, 4);
		put64(&m, 0);
		put64(&m, 1); /* BRANCH_STACK */
		put64(&m, UINT64_MAX);
		put64(&m, 0xb0);
		put64(&m, 0xb1);
		put64(&m, 0x8000000000000001); /* flags: the same in both byte orders */
		put64(&m, 2);                  /* REGS_USER: sp, ip, r8 */
		put64(&m, 0x7ff0);
		put64(&m, 0x1234);
		put64(&m, 8888);
		put64(&m, 16); /* STACK_USER */
		put64(&m, 0xaa);
		put64(&m, 0xbb);
		put64(&m, 8);    /* of which this many are used */
		put64(&m, 0xe1); /* WEIGHT */
		put64(&m, 0xe2); /* DATA_SRC */
		put64(&m, 0xe3); /* TRANSACTION */
		put64(&m, 0);    /* REGS_INTR: none */
		put64(&m, 0xe4); /* PHYS_ADDR */
		put64(&m, 0xe5); /* CGROUP */
		put64(&m, 0xe6); /* DATA_PAGE_SIZE */
		put64(&m, 0xe7); /* CODE_PAGE_SIZE */
		perf_end_record(&m);
		check(&m,
		      "sample time=9000 pid=5 tid=6 cpu=1 source=0 weight=42 mode=user "
		      "address=0x1234 user=0x1234,0x5678 stack_bytes=8 data_address=0xadd "
		      "physical_address=0xe4 data_weight=0xe1 data_source=0xe2 transaction=0xe3 "
		      "cgroup=0xe5 data_page=0xe6 code_page=0xe7 "
		      "branches=0xb0>0xb1:0x8000000000000001\n");
	}
}

/* Of the three numbers in the word only the first is the weight. */
static void weights_in_parts_give_their_first(void **state)
{
	static const struct perf_attr_fields attr = {
		.type = WK_PERF_TYPE_SOFTWARE,
		.sample_type = USUAL_TYPE | WK_PERF_SAMPLE_WEIGHT_PARTS,
	};
	struct perf_maker m = { 0 };

	(void)state;
	begin_with(&m, &attr);
	add_sample(&m, 9, 0x400);
	put64(&m, 0x0005000400000003);
	perf_end_record(&m);
	check(&m, "sample time=9 pid=10 tid=11 cpu=3 source=0 weight=500 mode=user address=0x400 "
		  "data_weight=0x3\n");
}

static void add_chain_sample(struct perf_maker *m, uint64_t time_ns, const uint64_t *chain,
			     size_t count, const uint64_t *calls, size_t call_count)
{
	perf_record(m, WK_PERF_SAMPLE, WK_PERF_MISC_USER);
	put64(m, chain[1]);
	put32(m, 10, 11);
	put64(m, time_ns);
	put64(m, count);
	for (size_t i = 0; i < count; i++)
		put64(m, chain[i]);
	put64(m, call_count);
	for (size_t i = 0; i < call_count; i++) {
		put64(m, calls[i]);
		put64(m, calls[i] + 0x1000);
		put64(m, 0);
	}
	perf_end_record(m);
}

static void open_calls_that_the_processor_kept_are_the_users_chain(void **state)
{
	static const struct perf_attr_fields attr = {
		.type = WK_PERF_TYPE_HARDWARE,
		.sample_type = WK_PERF_SAMPLE_IP | WK_PERF_SAMPLE_TID | WK_PERF_SAMPLE_TIME |
			       WK_PERF_SAMPLE_CALLCHAIN | WK_PERF_SAMPLE_BRANCH_STACK,
		.branch_sample_type = WK_PERF_BRANCH_CALL_STACK,
	};
	static const uint64_t chain[] = { WK_PERF_CONTEXT_USER, 0x400, 0x500, 0x600 };
	static const uint64_t calls[] = { 0x4fb, 0x5fb, 0x6fb };
	struct perf_maker m = { 0 };

	(void)state;
	begin_with(&m, &attr);
	add_chain_sample(&m, 1, chain, 2, calls, 3);
	add_chain_sample(&m, 2, chain, 4, calls, 2); /* no deeper than the frame pointers */
	add_chain_sample(&m, 3, chain, 4, calls, 1);
	check(&m, "sample time=1 pid=10 tid=11 source=0 weight=1 mode=user address=0x400 "
		  "user=0x400,0x4fb,0x5fb,0x6fb exact=1 "
		  "branches=0x4fb>0x14fb:0x0,0x5fb>0x15fb:0x0,0x6fb>0x16fb:0x0\n"
		  "sample time=2 pid=10 tid=11 source=0 weight=1 mode=user address=0x400 "
		  "user=0x400,0x500,0x600 branches=0x4fb>0x14fb:0x0,0x5fb>0x15fb:0x0\n"
		  "sample time=3 pid=10 tid=11 source=0 weight=1 mode=user address=0x400 "
		  "user=0x400,0x500,0x600 branches=0x4fb>0x14fb:0x0\n");
}

static void add_deferring_sample(struct perf_maker *m, uint64_t time_ns, uint64_t cookie)
{
	perf_record(m, WK_PERF_SAMPLE, WK_PERF_MISC_KERNEL);
	put64(m, 0xffff0400);
	put32(m, 10, 11);
	put64(m, time_ns);
	put64(m, 4);
	put64(m, WK_PERF_CONTEXT_KERNEL);
	put64(m, 0xffff0400);
	put64(m, WK_PERF_CONTEXT_DEFERRED);
	put64(m, cookie);
	perf_end_record(m);
}

static void a_chain_that_comes_later_is_that_of_all_samples_with_its_cookie(void **state)
{
	static const struct perf_attr_fields attr = {
		.type = WK_PERF_TYPE_SOFTWARE,
		.sample_type = WK_PERF_SAMPLE_IP | WK_PERF_SAMPLE_TID | WK_PERF_SAMPLE_TIME |
			       WK_PERF_SAMPLE_CALLCHAIN,
		.flags = WK_PERF_FLAG_SAMPLE_ID_ALL,
	};
	struct perf_maker m = { 0 };

	(void)state;
	begin_with(&m, &attr);
	add_deferring_sample(&m, 1, 7);
	add_deferring_sample(&m, 2, 7);
	perf_record(&m, WK_PERF_CALLCHAIN_DEFERRED, WK_PERF_MISC_USER);
	put64(&m, 7);
	put64(&m, 3);
	put64(&m, WK_PERF_CONTEXT_USER);
	put64(&m, 0x400);
	put64(&m, 0x500);
	put32(&m, 10, 11);
	put64(&m, 3);
	perf_end_record(&m);
	add_deferring_sample(&m, 4, 8);
	check(&m, "sample time=1 pid=10 tid=11 source=0 weight=1 mode=kernel address=0xffff0400 "
		  "kernel=0xffff0400 user=0x400,0x500\n"
		  "sample time=2 pid=10 tid=11 source=0 weight=1 mode=kernel address=0xffff0400 "
		  "kernel=0xffff0400 user=0x400,0x500\n"
		  "sample time=4 pid=10 tid=11 source=0 weight=1 mode=kernel address=0xffff0400 "
		  "kernel=0xffff0400\n"
		  "note time=4 text=\"1 sample lacks its user call chain, which came too late\"\n");
}

static void parts_of_a_folder_are_told_in_order_of_time(void **state)
{
	struct perf_maker m = { 0 }, first = { 0 }, second = { 0 };
	struct wk_part parts[2] = { 0 };
	struct wk_buf text;

	(void)state;
	begin(&m);
	add_comm(&m, 0, 10, 10, "app", 1);
	perf_record(&m, WK_PERF_FINISHED_ROUND, 0);
	perf_end_record(&m);
	perf_record(&m, WK_PERF_FINISHED_ROUND, 0);
	perf_end_record(&m);
	perf_end(&m);
	add_sample(&first, 20, 0x200);
	add_sample(&first, 40, 0x400);
	add_sample(&second, 10, 0x100);
	add_sample(&second, 30, 0x300);
	parts[0].bytes = wk_bytes_of(first.out.at, first.out.len);
	parts[1].bytes = wk_bytes_of(second.out.at, second.out.len);
	text = perf_told_with(&m.out, (struct wk_parts){ .at = parts, .count = 2 });
	assert_non_null(strstr(wk_buf_text(&text),
			       "thread time=1 pid=10 tid=10 change=name name=\"app\"\n"
			       "sample time=10 pid=10 tid=11 cpu=3 source=0 weight=500 mode=user "
			       "address=0x100\n"
			       "sample time=20 pid=10 tid=11 cpu=3 source=0 weight=500 mode=user "
			       "address=0x200\n"
			       "sample time=30 pid=10 tid=11 cpu=3 source=0 weight=500 mode=user "
			       "address=0x300\n"
			       "sample time=40 pid=10 tid=11 cpu=3 source=0 weight=500 mode=user "
			       "address=0x400\n"));
	assert_null(strstr(wk_buf_text(&text), "note"));
	wk_buf_fini(&text);
	wk_buf_fini(&m.out);
	wk_buf_fini(&first.out);
	wk_buf_fini(&second.out);
}

/* Longer than 64 KiB: simpleperf keeps the upper half of the size where others have flags. */
static void records_of_simpleperf_are_passed_over_whole(void **state)
{
	(void)state;
	for (int big = 0; big < 2; big++) {
		struct perf_maker m = { .big_endian = big };

		begin(&m);
		perf_record(&m, WK_PERF_ANDROID_TYPES + 1, 1); /* 1 << 16, and what is counted */
		for (size_t i = 0; i < (65536 + 16) / 8 - 1; i++)
			put64(&m, 9);
		put_at(&m, m.record_at + 6, 16, 2);
		add_sample(&m, 9, 0x400);
		check(&m, "sample time=9 pid=10 tid=11 cpu=3 source=0 weight=500 mode=user "
			  "address=0x400\n");
	}
}

static void symbols_that_simpleperf_found_are_told_by_their_place_in_the_file(void **state)
{
	struct perf_maker m = { 0 }, files = { 0 };

	(void)state;
	begin(&m);
	put(&files, 12 + 16 + 12 + 5 + 8, 4); /* size of the rest */
	wk_buf_add(&files.out, "/libgame.so", 12);
	put(&files, 2, 4); /* an ELF file */
	put64(&files, 0x2000);
	put(&files, 1, 4);
	put64(&files, 0x2345);
	put(&files, 0x20, 4);
	wk_buf_add(&files.out, "draw", 5);
	put64(&files, 0x1000);
	perf_end_with_feature(&m, WK_PERF_FEATURE_ANDROID_FILES, &files.out);
	check_without(&m, "source ",
		      "symbol time=0 pid=0 tid=0 start=0x1345 size=0x20 name=\"draw\" "
		      "path=\"/libgame.so\"\n");
	wk_buf_fini(&files.out);
}

static void records_that_no_view_uses_are_told_as_text(void **state)
{
	(void)state;
	for (int big = 0; big < 2; big++) {
		struct perf_maker m = { .big_endian = big };

		begin(&m);
		perf_record(&m, WK_PERF_SWITCH_CPU_WIDE, 0x6000);
		put32(&m, 5, 6);
		add_trailer(&m, 10, 11, 1);
		perf_end_record(&m);
		perf_record(&m, WK_PERF_CGROUP, 0);
		put64(&m, 77);
		put_text(&m, "/user.slice");
		add_trailer(&m, 10, 11, 2);
		perf_end_record(&m);
		perf_record(&m, WK_PERF_NAMESPACES, 0);
		put32(&m, 12, 13);
		put64(&m, 2);
		for (uint64_t i = 1; i <= 4; i++)
			put64(&m, i);
		add_trailer(&m, 10, 11, 3);
		perf_end_record(&m);
		perf_record(&m, WK_PERF_KSYMBOL, 0);
		put64(&m, 0xf000);
		put(&m, 0x40, 4);
		put(&m, 1, 2);
		put(&m, 1, 2); /* it goes */
		put_text(&m, "bpf_prog_1");
		add_trailer(&m, 10, 11, 4);
		perf_end_record(&m);
		perf_record(&m, WK_PERF_TEXT_POKE, 0);
		put64(&m, 0xf123);
		put(&m, 2, 2);
		put(&m, 1, 2);
		put(&m, 0x90, 1);
		put(&m, 0x91, 1);
		put(&m, 0xcc, 1);
		put(&m, 0, 1);
		add_trailer(&m, 10, 11, 5);
		perf_end_record(&m);
		check(&m, "other time=1 pid=10 tid=11 what=\"switch\" "
			  "text=\"out, preempted; next 5/6\"\n"
			  "other time=2 pid=10 tid=11 what=\"cgroup\" text=\"77 /user.slice\"\n"
			  "other time=3 pid=12 tid=13 what=\"namespaces\" "
			  "text=\"net=0x1:0x2 uts=0x3:0x4\"\n"
			  "other time=4 pid=kernel what=\"symbol gone\" "
			  "text=\"0xf000 0x40 bpf_prog_1\"\n"
			  "other time=5 pid=10 tid=11 what=\"text poke\" "
			  "text=\"0xf123: 9091 to cc\"\n");
	}
}

struct stack_seen {
	struct wk_event_stack stack;
	bool exact;
	int count;
};

static bool keep_stack(void *context, const struct wk_event *event, struct wk_err *err)
{
	struct stack_seen *seen = context;

	(void)err;
	if (event->kind != WK_EVENT_SAMPLE)
		return true;
	seen->count++;
	seen->exact = event->sample.user_is_exact;
	if (event->sample.stack)
		seen->stack = *event->sample.stack;
	return true;
}

static void registers_get_their_dwarf_numbers(void **state)
{
	static const struct perf_attr_fields attr = {
		.type = WK_PERF_TYPE_SOFTWARE,
		.sample_type = WK_PERF_SAMPLE_IP | WK_PERF_SAMPLE_REGS_USER |
			       WK_PERF_SAMPLE_STACK_USER,
		.user_registers = 0xff0fff,
		.user_stack_bytes = 8,
	};
	/* ax bx cx dx si di bp sp ip (flags cs ss) r8 ... r15 */
	static const unsigned numbers[] = { 0, 3, 2, 1, 4, 5, 6, 7, 16, 99, 99, 99,
					    8, 9, 10, 11, 12, 13, 14, 15 };
	struct perf_maker m = { 0 };
	struct stack_seen seen = { 0 };
	struct wk_sink sink = { .take = keep_stack, .context = &seen };
	struct wk_input input = { .name = "test" };
	struct wk_err err = { 0 };

	(void)state;
	begin_with(&m, &attr);
	perf_record(&m, WK_PERF_SAMPLE, WK_PERF_MISC_USER);
	put64(&m, 0x1234);
	put64(&m, 2);
	for (uint64_t i = 0; i < 20; i++)
		put64(&m, 100 + i);
	put64(&m, 8);
	put64(&m, 0x7777);
	put64(&m, 8);
	perf_end_record(&m);
	perf_end(&m);
	input.bytes = wk_bytes_of(m.out.at, m.out.len);
	assert_true(wk_reader_perf_data.read(&input, &sink, &err));
	assert_int_equal(seen.count, 1);
	assert_int_equal(seen.stack.machine, WK_MACHINE_X86_64);
	assert_int_equal(seen.stack.valid, 0x1ffff);
	for (size_t i = 0; i < 20; i++)
		if (numbers[i] != 99)
			assert_int_equal(seen.stack.value[numbers[i]], 100 + i);
	assert_int_equal(seen.stack.size_bytes, 8);
	assert_true(seen.stack.is_full);
	assert_false(seen.exact);
	wk_buf_fini(&m.out);
}

static void a_chain_is_split_at_its_marks(void **state)
{
	struct perf_attr_fields attr = usual;
	struct perf_maker m = { 0 };
	static const uint64_t chain[] = {
		0xffffffff81000010, /* in front of any mark: of the sample's mode */
		WK_PERF_CONTEXT_KERNEL, 0xffffffff81000020, WK_PERF_CONTEXT_USER, 0x400, 0x500,
		(uint64_t)-2048, 0x999, /* a guest's */
	};

	(void)state;
	attr.sample_type |= WK_PERF_SAMPLE_CALLCHAIN;
	begin_with(&m, &attr);
	perf_record(&m, WK_PERF_SAMPLE, WK_PERF_MISC_KERNEL);
	put64(&m, 0xffffffff81000010);
	put32(&m, 10, 11);
	put64(&m, 7);
	put32(&m, 0, 0);
	put64(&m, 1);
	put64(&m, sizeof(chain) / 8);
	for (size_t i = 0; i < sizeof(chain) / 8; i++)
		put64(&m, chain[i]);
	perf_end_record(&m);
	check(&m, "sample time=7 pid=10 tid=11 cpu=0 source=0 weight=1 mode=kernel "
		  "address=0xffffffff81000010 kernel=0xffffffff81000010,0xffffffff81000020 "
		  "user=0x400,0x500\n");
}

static void user_chains_of_an_attr_that_excludes_them_are_exact(void **state)
{
	struct perf_attr_fields attr = usual;
	struct perf_maker m = { 0 };

	(void)state;
	attr.sample_type |= WK_PERF_SAMPLE_CALLCHAIN;
	attr.flags |= WK_PERF_FLAG_EXCLUDE_CALLCHAIN_USER;
	begin_with(&m, &attr);
	perf_record(&m, WK_PERF_SAMPLE, WK_PERF_MISC_USER);
	put64(&m, 0x400);
	put32(&m, 10, 11);
	put64(&m, 7);
	put32(&m, 0, 0);
	put64(&m, 1);
	put64(&m, 2);
	put64(&m, WK_PERF_CONTEXT_USER);
	put64(&m, 0x400);
	perf_end_record(&m);
	check(&m, "sample time=7 pid=10 tid=11 cpu=0 source=0 weight=1 mode=user address=0x400 "
		  "user=0x400 exact=1\n");
}

#define SAMPLE(time, address)                                                                      \
	"sample time=" time " pid=10 tid=11 cpu=3 source=0 weight=500 mode=user "                  \
	"address=0x" address "\n"

static void records_come_in_order_of_time_then_in_order_of_the_file(void **state)
{
	struct perf_maker m = { 0 };

	(void)state;
	begin(&m);
	add_sample(&m, 30, 1);
	add_sample(&m, 10, 2);
	add_sample(&m, 20, 3);
	add_sample(&m, 10, 4);
	add_sample(&m, 5, 5);
	check(&m, SAMPLE("5", "5") SAMPLE("10", "2") SAMPLE("10", "4") SAMPLE("20", "3")
			  SAMPLE("30", "1"));
}

static void end_round(struct perf_maker *m)
{
	perf_record(m, WK_PERF_FINISHED_ROUND, 0);
	perf_end_record(m);
}

/* A record may belong before all of the round before it, and no further. */
static void a_round_settles_what_came_before_the_round_before(void **state)
{
	struct perf_maker m = { 0 };

	(void)state;
	begin(&m);
	add_sample(&m, 10, 1);
	add_sample(&m, 30, 2);
	end_round(&m);
	add_sample(&m, 20, 3);
	add_sample(&m, 60, 4);
	end_round(&m);
	add_sample(&m, 50, 5);
	add_sample(&m, 55, 6);
	end_round(&m);
	add_sample(&m, 70, 7);
	check(&m, SAMPLE("10", "1") SAMPLE("20", "3") SAMPLE("30", "2") SAMPLE("50", "5")
			  SAMPLE("55", "6") SAMPLE("60", "4") SAMPLE("70", "7"));
}

static void a_record_behind_its_round_is_told_and_counted(void **state)
{
	struct perf_maker m = { 0 };

	(void)state;
	begin(&m);
	add_sample(&m, 30, 1);
	end_round(&m);
	end_round(&m);
	add_sample(&m, 20, 2);
	check(&m, SAMPLE("30", "1") SAMPLE("20", "2") "note time=20 offset=0x138 text=\"1 record "
						      "came later than its round of the "
						      "file allows\"\n");
}

static void begin_two_events(struct perf_maker *m, uint64_t sample_type)
{
	static const uint64_t ids[] = { 501, 502, 601 };

	perf_begin_file(m, STRIDE, 2);
	for (uint64_t i = 0; i < 2; i++) {
		struct perf_attr_fields attr = usual;

		attr.config = i ? 2 : 0;
		attr.sample_type = sample_type;
		put_attr(m, &attr, STRIDE - 16);
		put64(m, WK_PERF_FILE_HEAD + 2 * STRIDE + 16 * i);
		put64(m, i ? 8 : 16);
	}
	for (size_t i = 0; i < 3; i++)
		put64(m, ids[i]);
	perf_begin_data(m);
}

static void a_sample_finds_its_event_by_its_first_word(void **state)
{
	static const uint64_t ids[] = { 502, 601, 501, 12345 };
	struct perf_maker m = { 0 };

	(void)state;
	begin_two_events(&m, WK_PERF_SAMPLE_IDENTIFIER | WK_PERF_SAMPLE_TIME);
	for (size_t i = 0; i < 4; i++) {
		perf_record(&m, WK_PERF_SAMPLE, WK_PERF_MISC_USER);
		put64(&m, ids[i]);
		put64(&m, 10 * (i + 1));
		perf_end_record(&m);
	}
	perf_end(&m);
	check_without(&m, "-",
		      "source time=0 source=0 name=\"cpu-clock:HG\" unit=\"ns\"\n"
		      "source time=0 source=1 name=\"page-faults:HG\" unit=\"events\"\n"
		      "sample time=10 pid=0 tid=0 source=0 weight=1 mode=user address=0x0\n"
		      "sample time=20 pid=0 tid=0 source=1 weight=1 mode=user address=0x0\n"
		      "sample time=30 pid=0 tid=0 source=0 weight=1 mode=user address=0x0\n"
		      "sample time=40 pid=0 tid=0 source=0 weight=1 mode=user address=0x0\n");
}

static void without_that_word_the_place_of_the_id_is_counted(void **state)
{
	struct perf_maker m = { 0 };

	(void)state;
	begin_two_events(&m, WK_PERF_SAMPLE_IP | WK_PERF_SAMPLE_TID | WK_PERF_SAMPLE_TIME |
				     WK_PERF_SAMPLE_ADDR | WK_PERF_SAMPLE_ID);
	perf_record(&m, WK_PERF_SAMPLE, WK_PERF_MISC_USER);
	put64(&m, 0x400);
	put32(&m, 10, 11);
	put64(&m, 8);
	put64(&m, 0xadd);
	put64(&m, 601);
	perf_end_record(&m);
	check(&m, "sample time=8 pid=10 tid=11 source=1 weight=1 mode=user address=0x400 "
		  "data_address=0xadd\n");
}

static void the_other_counters_of_a_group_get_samples_for_what_they_counted(void **state)
{
	struct perf_maker m = { 0 };

	(void)state;
	perf_begin_file(&m, STRIDE, 2);
	for (uint64_t i = 0; i < 2; i++) {
		struct perf_attr_fields attr = usual;

		attr.config = i ? 2 : 0;
		attr.sample_type = WK_PERF_SAMPLE_IDENTIFIER | WK_PERF_SAMPLE_IP |
				   WK_PERF_SAMPLE_TIME | WK_PERF_SAMPLE_READ;
		attr.read_format = WK_PERF_READ_GROUP | WK_PERF_READ_ID;
		put_attr(&m, &attr, STRIDE - 16);
		put64(&m, WK_PERF_FILE_HEAD + 2 * STRIDE + 8 * i);
		put64(&m, 8);
	}
	put64(&m, 501);
	put64(&m, 601);
	perf_begin_data(&m);
	for (uint64_t i = 0; i < 3; i++) {
		perf_record(&m, WK_PERF_SAMPLE, WK_PERF_MISC_USER);
		put64(&m, 501);
		put64(&m, 0x400);
		put64(&m, 10 + i);
		put64(&m, 2); /* counters */
		put64(&m, 1000 * (i + 1));
		put64(&m, 501);
		put64(&m, i < 2 ? 7 : 9);
		put64(&m, 601);
		perf_end_record(&m);
	}
	check(&m, "sample time=10 pid=0 tid=0 source=0 weight=1 mode=user address=0x400\n"
		  "sample time=10 pid=0 tid=0 source=1 weight=7 mode=user address=0x400\n"
		  "sample time=11 pid=0 tid=0 source=0 weight=1 mode=user address=0x400\n"
		  "sample time=12 pid=0 tid=0 source=0 weight=1 mode=user address=0x400\n"
		  "sample time=12 pid=0 tid=0 source=1 weight=2 mode=user address=0x400\n");
}

static void a_fixed_period_weighs_samples_that_tell_none(void **state)
{
	struct perf_attr_fields attr = usual;
	struct perf_maker m = { 0 };

	(void)state;
	attr.sample_type = WK_PERF_SAMPLE_TIME;
	attr.period = 4000;
	begin_with(&m, &attr);
	perf_record(&m, WK_PERF_SAMPLE, WK_PERF_MISC_USER);
	put64(&m, 5);
	perf_end_record(&m);
	check(&m, "sample time=5 pid=0 tid=0 source=0 weight=4000 mode=user address=0x0\n");
}

static void processes_and_threads_begin_are_named_and_end(void **state)
{
	struct perf_maker m = { 0 };

	(void)state;
	begin(&m);
	add_task(&m, WK_PERF_FORK, 10, 1, 10, 0); /* already ran, with a name and a thread */
	add_comm(&m, 0, 10, 10, "shell", 0);
	add_task(&m, WK_PERF_FORK, 10, 10, 11, 0);
	add_comm(&m, 0, 20, 20, "alone", 0);
	add_task(&m, WK_PERF_FORK, 30, 10, 30, 100);
	add_comm(&m, WK_PERF_MISC_COMM_EXEC, 30, 30, "ls", 110);
	add_task(&m, WK_PERF_FORK, 30, 30, 31, 120);
	add_comm(&m, 0, 30, 31, "worker", 130);
	add_task(&m, WK_PERF_EXIT, 30, 30, 31, 140);
	add_task(&m, WK_PERF_EXIT, 30, 10, 30, 150);
	check(&m, "process time=0 pid=10 tid=10 change=seen parent_pid=1 name=\"shell\"\n"
		  "thread time=0 pid=10 tid=11 change=seen parent_tid=10\n"
		  "process time=0 pid=20 tid=20 change=seen name=\"alone\"\n"
		  "process time=100 pid=30 tid=30 change=fork parent_pid=10\n"
		  "process time=110 pid=30 tid=30 change=exec name=\"ls\"\n"
		  "thread time=120 pid=30 tid=31 change=start parent_tid=30\n"
		  "thread time=130 pid=30 tid=31 change=name name=\"worker\"\n"
		  "thread time=140 pid=30 tid=31 change=exit\n"
		  "process time=150 pid=30 tid=30 change=exit\n");
}

static void add_mapping(struct perf_maker *m, uint32_t misc, uint32_t pid, const char *path,
			const uint8_t *identity)
{
	perf_record(m, identity ? WK_PERF_MMAP2 : WK_PERF_MMAP, misc);
	put32(m, pid, pid);
	put64(m, 0x400000);
	put64(m, 0x1000);
	put64(m, 0x2000);
	if (identity) {
		wk_buf_add(&m->out, identity, 24);
		put32(m, 5, 2);
	}
	put_text(m, path);
	add_trailer(m, pid, pid, 50);
	perf_end_record(m);
}

/* Device 8:1 and inode 7, which begins as a build id of 8 bytes would. */
static const uint8_t inode_field[24] = { 8, 0, 0, 0, 1, 0, 0, 0, 7 };
static const uint8_t build_id_field[24] = { 20, 0, 0, 0, 0xab, 0xcd };

#define MAPPED                                                                                     \
	"image time=50 pid=10 tid=10 start=0x400000 size=0x1000 offset=0x2000 path=\"/bin/ls\""

static void mappings_carry_an_inode_or_a_build_id(void **state)
{
	struct perf_maker m = { 0 };

	(void)state;
	begin(&m);
	add_mapping(&m, WK_PERF_MISC_USER, 10, "/bin/ls", NULL);
	add_mapping(&m, WK_PERF_MISC_USER, 10, "/bin/ls", inode_field);
	add_mapping(&m, WK_PERF_MISC_USER | WK_PERF_MISC_MMAP_BUILD_ID, 10, "/bin/ls",
		    build_id_field);
	add_mapping(&m, WK_PERF_MISC_USER | WK_PERF_MISC_MMAP_DATA, 10, "/bin/ls", inode_field);
	check(&m, MAPPED "\n" MAPPED " device=8:1 inode=7\n" MAPPED
			 " build_id=abcd000000000000000000000000000000000000\n" MAPPED
			 " data=1 device=8:1 inode=7\n");
}

/* Some kernels set the mark on all records as soon as anybody asks for build ids. */
static void a_false_mark_of_a_build_id_is_seen_through(void **state)
{
	struct perf_attr_fields attr = usual;
	struct perf_maker m = { 0 };

	(void)state;
	begin(&m);
	add_mapping(&m, WK_PERF_MISC_USER | WK_PERF_MISC_MMAP_BUILD_ID, 10, "/bin/ls", inode_field);
	check(&m, MAPPED " device=8:1 inode=7\n");
	attr.flags |= WK_PERF_FLAG_BUILD_ID;
	begin_with(&m, &attr);
	add_mapping(&m, WK_PERF_MISC_USER | WK_PERF_MISC_MMAP_BUILD_ID, 10, "/bin/ls", inode_field);
	check(&m, MAPPED " build_id=0100000007000000\n");
}

static void the_kernel_is_mapped_for_all(void **state)
{
	struct perf_maker m = { 0 };

	(void)state;
	begin(&m);
	add_mapping(&m, WK_PERF_MISC_KERNEL, UINT32_MAX, "[kernel.kallsyms]_text", NULL);
	add_mapping(&m, WK_PERF_MISC_KERNEL, UINT32_MAX, "[nf_tables]", NULL);
	add_mapping(&m, WK_PERF_MISC_GUEST_KERNEL, UINT32_MAX, "[guest.kernel.kallsyms]", NULL);
	check(&m, "image time=50 pid=kernel start=0x400000 size=0x1000 offset=0x2000 "
		  "path=\"[kernel.kallsyms]\"\n"
		  "image time=50 pid=kernel start=0x400000 size=0x1000 offset=0x2000 "
		  "path=\"[nf_tables]\"\n");
}

static void losses_and_pauses_are_told(void **state)
{
	struct perf_maker m = { 0 };

	(void)state;
	begin(&m);
	perf_record(&m, WK_PERF_LOST, 0);
	put64(&m, 501);
	put64(&m, 17);
	add_trailer(&m, 10, 10, 100);
	perf_end_record(&m);
	perf_record(&m, WK_PERF_LOST_SAMPLES, 0);
	put64(&m, 4);
	add_trailer(&m, 10, 10, 200);
	perf_end_record(&m);
	for (int i = 0; i < 2; i++) {
		perf_record(&m, WK_PERF_THROTTLE, 0);
		put64(&m, 300);
		put64(&m, 501);
		put64(&m, 501);
		add_trailer(&m, 10, 10, 300);
		perf_end_record(&m);
	}
	check(&m, "lost time=100 count=17 what=records\n"
		  "lost time=200 count=4 what=samples\n"
		  "other time=300 pid=10 tid=10 what=\"throttle\" text=\"0x1f5 0x1f5\"\n"
		  "other time=300 pid=10 tid=10 what=\"throttle\" text=\"0x1f5 0x1f5\"\n"
		  "note time=300 offset=0x150 text=\"2 times the kernel paused sampling, since it "
		  "took too much time\"\n");
}

static void a_kernel_symbol_is_told_when_it_comes_not_when_it_goes(void **state)
{
	struct perf_maker m = { 0 };

	(void)state;
	begin(&m);
	for (uint16_t gone = 0; gone < 2; gone++) {
		perf_record(&m, WK_PERF_KSYMBOL, 0);
		put64(&m, 0xffffffffc0001000);
		put(&m, 0x80, 4);
		put(&m, 1, 2);
		put(&m, gone, 2);
		put_text(&m, "bpf_prog_6deef7357e7b4530");
		add_trailer(&m, 0, 0, 100u + gone);
		perf_end_record(&m);
	}
	check(&m, "symbol time=100 pid=kernel start=0xffffffffc0001000 size=0x80 "
		  "name=\"bpf_prog_6deef7357e7b4530\"\n"
		  "other time=101 pid=kernel what=\"symbol gone\" text=\"0xffffffffc0001000 0x80 "
		  "bpf_prog_6deef7357e7b4530\"\n");
}

static void check_as(struct perf_maker *m, struct wk_read_options options, const char *expected)
{
	struct wk_buf told;

	perf_end(m);
	told = perf_told_as(&m->out, (struct wk_parts){ 0 }, options);
	if (!strstr(wk_buf_text(&told), expected))
		fail_msg("expected: %s\ncame:\n%s", expected, wk_buf_text(&told));
	wk_buf_fini(&told);
	wk_buf_fini(&m->out);
}

static void records_of_symbols_are_told_to_who_asks(void **state)
{
	struct perf_maker m = { 0 };

	(void)state;
	begin(&m);
	perf_record(&m, WK_PERF_KSYMBOL, 0);
	put64(&m, 0xffffffffc0001000);
	put(&m, 0x80, 4);
	put(&m, 1, 2);
	put(&m, 0, 2);
	put_text(&m, "bpf_prog_6deef7357e7b4530");
	add_trailer(&m, 7, 8, 100);
	perf_end_record(&m);
	check_as(&m, (struct wk_read_options){ .emits_kernel_symbols = true },
		 "symbol time=100 pid=kernel start=0xffffffffc0001000 size=0x80 "
		 "name=\"bpf_prog_6deef7357e7b4530\"\n"
		 "other time=100 pid=kernel what=\"symbol\" text=\"0xffffffffc0001000 0x80 "
		 "bpf_prog_6deef7357e7b4530\"\n");
}

static void who_asks_has_records_as_they_lie_in_the_file(void **state)
{
	struct perf_maker m = { 0 };

	(void)state;
	begin(&m);
	for (uint64_t time = 200; time >= 100; time -= 100) {
		perf_record(&m, WK_PERF_CGROUP, 0);
		put64(&m, time);
		put_text(&m, "/a");
		add_trailer(&m, 10, 11, time);
		perf_end_record(&m);
		perf_record(&m, WK_PERF_FINISHED_ROUND, 0);
		perf_end_record(&m);
	}
	check_as(&m, (struct wk_read_options){ .in_file_order = true },
		 "other time=200 pid=10 tid=11 what=\"cgroup\" text=\"200 /a\"\n"
		 "other time=200 pid=0 tid=0 what=\"round\"\n"
		 "other time=100 pid=10 tid=11 what=\"cgroup\" text=\"100 /a\"\n"
		 "other time=100 pid=0 tid=0 what=\"round\"\n");
}

static void unknown_records_are_counted_and_their_neighbours_read(void **state)
{
	struct perf_maker m = { 0 };

	(void)state;
	begin(&m);
	for (uint32_t type = 200; type < 203; type++) {
		perf_record(&m, type, 0);
		put64(&m, 99);
		perf_end_record(&m);
	}
	add_sample(&m, 10, 1);
	check(&m, SAMPLE("10", "1") "note time=10 offset=0xf8 text=\"3 records of unknown types "
				    "were skipped\"\n");
}

static void bytes_behind_a_record_are_passed_over(void **state)
{
	struct perf_maker m = { 0 };

	(void)state;
	begin(&m);
	perf_record(&m, WK_PERF_AUXTRACE, 0);
	put64(&m, 24);
	perf_end_record(&m);
	for (int i = 0; i < 3; i++)
		put64(&m, 0);
	perf_record(&m, WK_PERF_HEADER_TRACING_DATA, 0);
	put32(&m, 13, 0);
	perf_end_record(&m);
	put64(&m, 0);
	put64(&m, 0);
	add_sample(&m, 10, 1);
	check(&m, SAMPLE("10", "1") "note time=10 offset=0xf8 text=\"1 block of a hardware trace "
				    "(Intel PT, CoreSight ...) was skipped\"\n");
}

static void a_record_below_its_header_ends_the_reading_where_it_stands(void **state)
{
	struct perf_maker m = { 0 };

	(void)state;
	begin(&m);
	add_sample(&m, 10, 1);
	put(&m, WK_PERF_SAMPLE, 4);
	put(&m, 0, 2);
	put(&m, 3, 2);
	add_sample(&m, 20, 2);
	check(&m,
	      SAMPLE("10",
		     "1") "error: 0x128: perf.data: record size 3 is below the 8-byte header\n");
}

static void a_record_cut_off_at_the_end_is_noted(void **state)
{
	struct perf_maker m = { 0 };

	(void)state;
	begin(&m);
	add_sample(&m, 10, 1);
	add_sample(&m, 20, 2);
	m.out.len -= 8;
	check(&m,
	      SAMPLE("10",
		     "1") "note time=10 offset=0x128 text=\"1 record at the end is cut off\"\n");
}

static void a_sample_shorter_than_its_fields_is_noted(void **state)
{
	struct perf_maker m = { 0 };

	(void)state;
	begin(&m);
	perf_record(&m, WK_PERF_SAMPLE, 0);
	put64(&m, 1);
	perf_end_record(&m);
	add_sample(&m, 10, 1);
	check(&m, SAMPLE("10", "1") "note time=10 offset=0xf8 text=\"1 record is shorter than its "
				    "fields\"\n");
}

/* What a recorder leaves that was killed: the size was never written. */
static void without_a_size_the_data_reaches_to_the_end(void **state)
{
	struct perf_maker m = { 0 };

	(void)state;
	begin(&m);
	add_sample(&m, 10, 1);
	check_without(
		&m, "source ",
		SAMPLE("10", "1") "note time=10 text=\"the file is incomplete: its recorder was "
				  "killed or is still running; facts and names at its end are "
				  "missing\"\n");
}

static void old_files_without_trailers_keep_the_order_of_the_file(void **state)
{
	struct perf_attr_fields attr = usual;
	struct perf_maker m = { 0 };

	(void)state;
	attr.flags = 0;
	begin_with(&m, &attr);
	add_sample(&m, 10, 1);
	perf_record(&m, WK_PERF_COMM, 0);
	put32(&m, 10, 10);
	put_text(&m, "late");
	perf_end_record(&m);
	add_sample(&m, 20, 2);
	check(&m,
	      SAMPLE("10", "1") "thread time=10 pid=10 tid=10 change=name name=\"late\"\n" SAMPLE(
		      "20", "2"));
}

/* The attr's size decides what is meaningful, the table's stride where the next one lies. */
static void attrs_of_any_size_are_read(void **state)
{
	static const size_t sizes[] = { 48, 64, 80, 96, 112, 120, 136, 200 };

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct perf_maker m = { 0 };

		perf_begin_file(&m, sizes[i] + 16, 1);
		put_attr(&m, &usual, sizes[i]);
		put64(&m, 0);
		put64(&m, 0);
		perf_begin_data(&m);
		add_sample(&m, 10, 1);
		check(&m, SAMPLE("10", "1"));
	}
}

static void a_pipe_tells_events_and_their_names_among_its_records(void **state)
{
	(void)state;
	for (int big = 0; big < 2; big++) {
		struct perf_maker m = { .big_endian = big };

		perf_begin_pipe(&m);
		perf_record(&m, WK_PERF_HEADER_ATTR, 0);
		put_attr(&m, &usual, 112);
		put64(&m, 501);
		perf_end_record(&m);
		add_sample(&m, 10, 1);
		perf_record(&m, WK_PERF_EVENT_UPDATE, 0);
		put64(&m, WK_PERF_EVENT_UPDATE_NAME);
		put64(&m, 501);
		put_text(&m, "my:event");
		perf_end_record(&m);
		perf_record(&m, WK_PERF_HEADER_FEATURE, 0);
		put64(&m, WK_PERF_FEATURE_HOSTNAME);
		put(&m, 8, 4);
		put_text(&m, "box");
		put(&m, 0, 4);
		perf_end_record(&m);
		check_without(
			&m, "-",
			"system time=0 key=\"host name\" value=\"box\"\n"
			"source time=0 source=0 name=\"my:event\" unit=\"ns\"\n" SAMPLE("10", "1"));
	}
}

static void samples_without_any_event_are_noted(void **state)
{
	struct perf_maker m = { 0 };

	(void)state;
	perf_begin_pipe(&m);
	add_sample(&m, 10, 1);
	check_without(&m, "-",
		      "note time=0 offset=0x10 text=\"1 sample without a description of "
		      "its layout\"\n");
}

static void what_can_not_be_read_is_refused_by_name(void **state)
{
	static const struct {
		const char *bytes;
		size_t len;
		const char *says;
	} rows[] = {
		{ "PERFFILEand more", 16,
		  "error: perf.data: written by perf before 2010 (version 1 of the format), which "
		  "is too old to be read\n" },
		{ "PERFILE2\x11\0\0\0\0\0\0\0", 16,
		  "error: 0x8: perf.data: header of 17 bytes, "
		  "expected 104 (file) or 16 (pipe)\n" },
		{ "PERFILE2\x68\0\0\0\0\0\0\0", 16,
		  "error: 0x0: perf.data: the file ends inside its 104-byte header\n" },
		{ "something", 9, "error: perf.data: expected the file to begin with PERFILE2\n" },
	};
	struct perf_maker m = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		wk_buf_add(&m.out, rows[i].bytes, rows[i].len);
		check_without(&m, "-", rows[i].says);
	}
}

static void names_of_events_are_told_by_a_feature(void **state)
{
	(void)state;
	for (int big = 0; big < 2; big++) {
		struct perf_maker m = { .big_endian = big }, names = { .big_endian = big };

		begin(&m);
		put32(&names, 1, 64);
		for (int i = 0; i < 8; i++)
			put64(&names, 0);
		put32(&names, 1, 16);
		put_text(&names, "cycles:ppp");
		put64(&names, 501);
		perf_end_with_feature(&m, WK_PERF_FEATURE_EVENT_DESC, &names.out);
		check_without(&m, "-", "source time=0 source=0 name=\"cycles:ppp\" unit=\"ns\"\n");
		wk_buf_fini(&names.out);
	}
}

/* Old recorders leave the size out; then it is 20. */
static void build_ids_of_a_feature_are_given_to_images(void **state)
{
	(void)state;
	for (uint32_t misc = 2; misc < 0x9000; misc += 0x8000) {
		struct perf_maker m = { 0 }, ids = { 0 };

		begin(&m);
		add_mapping(&m, WK_PERF_MISC_USER, 10, "/bin/ls", inode_field);
		perf_record(&ids, 0, misc);
		put(&ids, UINT32_MAX, 4);
		wk_buf_add(&ids.out, "\xab\xcd\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 20);
		put(&ids, misc & 0x8000 ? 2 : 0, 4);
		put_text(&ids, "/bin/ls");
		perf_end_record(&ids);
		perf_end_with_feature(&m, WK_PERF_FEATURE_BUILD_ID, &ids.out);
		check_without(&m, "source ",
			      misc & 0x8000 ? MAPPED " device=8:1 inode=7 build_id=abcd\n"
					    : MAPPED " device=8:1 inode=7 build_id="
						     "abcd000000000000000000000000000000000000\n");
		wk_buf_fini(&ids.out);
	}
}

/* Groups of events that are not there would cost their number times that of the events. */
static void a_group_of_more_events_than_there_are_is_damage(void **state)
{
	(void)state;
	for (uint32_t leader = 0; leader < 2; leader++) {
		struct perf_maker m = { 0 }, groups = { 0 };

		begin(&m);
		add_sample(&m, 10, 1);
		put32(&groups, 1, 12);
		wk_buf_add(&groups.out, "{anon_group}", 12);
		put32(&groups, leader, 1);
		perf_end_with_feature(&m, WK_PERF_FEATURE_GROUP_DESC, &groups.out);
		check_without(&m, "source ",
			      leader ? SAMPLE("10", "1") "note time=10 offset=0x138 text=\"1 "
							 "feature section is damaged or cut off\"\n"
				     : SAMPLE("10", "1"));
		wk_buf_fini(&groups.out);
	}
}

static void a_damaged_feature_is_noted_and_the_rest_is_read(void **state)
{
	struct perf_maker m = { 0 }, text = { 0 };

	(void)state;
	begin(&m);
	add_sample(&m, 10, 1);
	put(&text, 1000, 4); /* longer than its section */
	put_text(&text, "box");
	perf_end_with_feature(&m, WK_PERF_FEATURE_HOSTNAME, &text.out);
	check_without(
		&m, "source ",
		SAMPLE("10",
		       "1") "note time=10 offset=0x138 text=\"1 feature section is damaged or cut "
			    "off\"\n");
	wk_buf_fini(&text.out);
}

static bool refuse_samples(void *context, const struct wk_event *event, struct wk_err *err)
{
	(void)context;
	return event->kind != WK_EVENT_SAMPLE || wk_fail(err, WK_EIO, WK_NOWHERE, "enough");
}

static void a_sink_that_takes_no_more_ends_the_reading(void **state)
{
	struct perf_maker m = { 0 };
	struct wk_sink sink = { .take = refuse_samples };
	struct wk_input input = { .name = "test" };
	struct wk_err err = { 0 };

	(void)state;
	begin(&m);
	add_sample(&m, 10, 1);
	perf_end(&m);
	input.bytes = wk_bytes_of(m.out.at, m.out.len);
	assert_false(wk_reader_perf_data.read(&input, &sink, &err));
	assert_string_equal(err.text, "enough");
	wk_buf_fini(&m.out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_sample_becomes_an_event_in_both_byte_orders),
		cmocka_unit_test(all_fields_are_read_in_their_order),
		cmocka_unit_test(registers_get_their_dwarf_numbers),
		cmocka_unit_test(a_chain_is_split_at_its_marks),
		cmocka_unit_test(user_chains_of_an_attr_that_excludes_them_are_exact),
		cmocka_unit_test(records_come_in_order_of_time_then_in_order_of_the_file),
		cmocka_unit_test(a_round_settles_what_came_before_the_round_before),
		cmocka_unit_test(a_record_behind_its_round_is_told_and_counted),
		cmocka_unit_test(a_sample_finds_its_event_by_its_first_word),
		cmocka_unit_test(without_that_word_the_place_of_the_id_is_counted),
		cmocka_unit_test(the_other_counters_of_a_group_get_samples_for_what_they_counted),
		cmocka_unit_test(a_fixed_period_weighs_samples_that_tell_none),
		cmocka_unit_test(processes_and_threads_begin_are_named_and_end),
		cmocka_unit_test(mappings_carry_an_inode_or_a_build_id),
		cmocka_unit_test(a_false_mark_of_a_build_id_is_seen_through),
		cmocka_unit_test(the_kernel_is_mapped_for_all),
		cmocka_unit_test(losses_and_pauses_are_told),
		cmocka_unit_test(a_kernel_symbol_is_told_when_it_comes_not_when_it_goes),
		cmocka_unit_test(records_of_symbols_are_told_to_who_asks),
		cmocka_unit_test(who_asks_has_records_as_they_lie_in_the_file),
		cmocka_unit_test(unknown_records_are_counted_and_their_neighbours_read),
		cmocka_unit_test(bytes_behind_a_record_are_passed_over),
		cmocka_unit_test(a_record_below_its_header_ends_the_reading_where_it_stands),
		cmocka_unit_test(a_record_cut_off_at_the_end_is_noted),
		cmocka_unit_test(a_sample_shorter_than_its_fields_is_noted),
		cmocka_unit_test(without_a_size_the_data_reaches_to_the_end),
		cmocka_unit_test(old_files_without_trailers_keep_the_order_of_the_file),
		cmocka_unit_test(attrs_of_any_size_are_read),
		cmocka_unit_test(a_pipe_tells_events_and_their_names_among_its_records),
		cmocka_unit_test(samples_without_any_event_are_noted),
		cmocka_unit_test(a_group_of_more_events_than_there_are_is_damage),
		cmocka_unit_test(names_of_events_are_told_by_a_feature),
		cmocka_unit_test(build_ids_of_a_feature_are_given_to_images),
		cmocka_unit_test(a_damaged_feature_is_noted_and_the_rest_is_read),
		cmocka_unit_test(weights_in_parts_give_their_first),
		cmocka_unit_test(open_calls_that_the_processor_kept_are_the_users_chain),
		cmocka_unit_test(a_chain_that_comes_later_is_that_of_all_samples_with_its_cookie),
		cmocka_unit_test(parts_of_a_folder_are_told_in_order_of_time),
		cmocka_unit_test(records_of_simpleperf_are_passed_over_whole),
		cmocka_unit_test(symbols_that_simpleperf_found_are_told_by_their_place_in_the_file),
		cmocka_unit_test(records_that_no_view_uses_are_told_as_text),
		cmocka_unit_test(what_can_not_be_read_is_refused_by_name),
		cmocka_unit_test(a_sink_that_takes_no_more_ends_the_reading),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
