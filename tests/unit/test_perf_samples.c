/* Samples of perf.data: fields, chains, registers, and the event that each is of. Small files made
 * here, one rule of the format each. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "perf_lines.h"

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

static void all_counters_of_a_group_weigh_what_they_counted(void **state)
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
		put64(&m, 1000 * (i + 1) + i);
		put64(&m, 501);
		put64(&m, i < 2 ? 7 : 9);
		put64(&m, 601);
		perf_end_record(&m);
	}
	check(&m, "sample time=10 pid=0 tid=0 source=0 weight=1000 mode=user address=0x400\n"
		  "sample time=10 pid=0 tid=0 source=1 weight=7 mode=user address=0x400\n"
		  "sample time=11 pid=0 tid=0 source=0 weight=1001 mode=user address=0x400\n"
		  "sample time=12 pid=0 tid=0 source=0 weight=1001 mode=user address=0x400\n"
		  "sample time=12 pid=0 tid=0 source=1 weight=2 mode=user address=0x400\n");
}

/* Two threads with a counter of one id, which begins again once. */
static void a_counter_that_is_read_alone_weighs_what_it_counted(void **state)
{
	static const struct {
		uint32_t tid;
		uint64_t value;
	} reads[] = { { 11, 100 }, { 12, 40 }, { 11, 130 }, { 12, 90 }, { 11, 7 } };
	struct perf_attr_fields attr = usual;
	struct perf_maker m = { 0 };

	(void)state;
	attr.sample_type = WK_PERF_SAMPLE_IP | WK_PERF_SAMPLE_TID | WK_PERF_SAMPLE_TIME |
			   WK_PERF_SAMPLE_PERIOD | WK_PERF_SAMPLE_READ;
	attr.read_format = WK_PERF_READ_ID | WK_PERF_READ_LOST | WK_PERF_READ_ENABLED;
	attr.flags |= WK_PERF_FLAG_INHERIT;
	perf_begin_file(&m, STRIDE, 1);
	put_attr(&m, &attr, STRIDE - 16);
	put64(&m, WK_PERF_FILE_HEAD + STRIDE);
	put64(&m, 8);
	put64(&m, 501);
	perf_begin_data(&m);
	for (size_t i = 0; i < sizeof(reads) / sizeof(*reads); i++) {
		perf_record(&m, WK_PERF_SAMPLE, WK_PERF_MISC_USER);
		put64(&m, 0x400);
		put32(&m, 10, reads[i].tid);
		put64(&m, 10 + i);
		put64(&m, 5000); /* the period */
		put64(&m, reads[i].value);
		put64(&m, 1); /* time enabled */
		put64(&m, 501);
		put64(&m, 0); /* lost */
		perf_end_record(&m);
	}
	check(&m, "sample time=10 pid=10 tid=11 source=0 weight=100 mode=user address=0x400\n"
		  "sample time=11 pid=10 tid=12 source=0 weight=40 mode=user address=0x400\n"
		  "sample time=12 pid=10 tid=11 source=0 weight=30 mode=user address=0x400\n"
		  "sample time=13 pid=10 tid=12 source=0 weight=50 mode=user address=0x400\n"
		  "sample time=14 pid=10 tid=11 source=0 weight=7 mode=user address=0x400\n");
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_sample_becomes_an_event_in_both_byte_orders),
		cmocka_unit_test(all_fields_are_read_in_their_order),
		cmocka_unit_test(registers_get_their_dwarf_numbers),
		cmocka_unit_test(a_chain_is_split_at_its_marks),
		cmocka_unit_test(user_chains_of_an_attr_that_excludes_them_are_exact),
		cmocka_unit_test(a_sample_finds_its_event_by_its_first_word),
		cmocka_unit_test(without_that_word_the_place_of_the_id_is_counted),
		cmocka_unit_test(all_counters_of_a_group_weigh_what_they_counted),
		cmocka_unit_test(a_counter_that_is_read_alone_weighs_what_it_counted),
		cmocka_unit_test(a_fixed_period_weighs_samples_that_tell_none),
		cmocka_unit_test(weights_in_parts_give_their_first),
		cmocka_unit_test(open_calls_that_the_processor_kept_are_the_users_chain),
		cmocka_unit_test(a_chain_that_comes_later_is_that_of_all_samples_with_its_cookie),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
