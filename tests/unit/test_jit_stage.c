#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "cfi_maker.h"
#include "jitdump_maker.h"
#include "model/builder.h"
#include "../model_check.h"
#include "model/resolve.h"
#include "os/os.h"
#include "stages/jit/files.h"
#include "stages/jit/jit_stage.h"
#include "stages/unwind_stage.h"

/* Events go through the stage into a model; named leaves of the samples come out as text. */
struct fixture {
	struct wk_model *model;
	struct wk_builder *builder;
	struct wk_jit_stage *stage;
	struct wk_sink sink;
	uint32_t pid;
	char map[64], dump[64];
};

static void give(struct fixture *f, struct wk_event event)
{
	struct wk_err err = { 0 };

	if (event.pid == 0)
		event.pid = event.tid = f->pid;
	if (!wk_sink_emit(&f->sink, &event, &err))
		fail_msg("%s", err.text);
}

static void give_fact(struct fixture *f, const char *key, const char *value)
{
	give(f, (struct wk_event){ .kind = WK_EVENT_SYSTEM,
				   .system = { .key = wk_str_c(key), .value = wk_str_c(value) } });
}

static void give_sample(struct fixture *f, uint64_t time_ns, uint32_t pid, uint64_t address)
{
	give(f, (struct wk_event){ .kind = WK_EVENT_SAMPLE, .time_ns = time_ns, .pid = pid,
				   .tid = pid,
				   .sample = { .source = 1, .weight = 1, .address = address,
					       .user_chain = &address, .user_count = 1,
					       .user_is_exact = true } });
}

static void give_memory(struct fixture *f, uint64_t time_ns, uint32_t pid, const char *path)
{
	give(f, (struct wk_event){ .kind = WK_EVENT_IMAGE, .time_ns = time_ns, .pid = pid,
				   .tid = pid,
				   .image = { .start = 0x1000, .size_bytes = 0x10000,
					      .path = wk_str_c(path) } });
}

static void give_symbol(struct fixture *f, uint64_t time_ns, uint32_t pid, uint64_t start,
			uint64_t size, const char *name)
{
	give(f, (struct wk_event){ .kind = WK_EVENT_SYMBOL, .time_ns = time_ns, .pid = pid,
				   .tid = pid,
				   .symbol = { .start = start, .size_bytes = size,
					       .name = wk_str_c(name) } });
}

static void give_change(struct fixture *f, uint64_t time_ns, uint32_t pid, uint32_t parent,
			enum wk_process_change change)
{
	give(f, (struct wk_event){ .kind = WK_EVENT_PROCESS, .time_ns = time_ns, .pid = pid,
				   .tid = pid,
				   .process = { .change = change, .parent_pid = parent } });
}

static void write_file(const char *path, struct wk_str bytes)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_int_equal(fwrite(bytes.at, 1, bytes.len, file), bytes.len);
	assert_int_equal(fclose(file), 0);
}

/* A recording of this machine and of this very process. */
static void start(struct fixture *f, const char *host, const char *clock)
{
	struct utsname here;
	char pair[64];

	*f = (struct fixture){ .pid = (uint32_t)getpid() };
	snprintf(f->map, sizeof(f->map), "/tmp/perf-%u.map", f->pid);
	snprintf(f->dump, sizeof(f->dump), "/tmp/jit-%u.dump", f->pid);
	f->model = wk_model_new();
	f->builder = wk_builder_new(f->model);
	f->stage = wk_jit_stage_new(wk_builder_sink(f->builder));
	f->sink = wk_jit_stage_sink(f->stage);
	uname(&here);
	give_fact(f, "host name", host ? host : here.nodename);
	give_fact(f, "clock", clock);
	snprintf(pair, sizeof(pair), "%llu %llu", (unsigned long long)wk_os_clock_ns(),
		 (unsigned long long)wk_os_wall_ns());
	give_fact(f, "clock pair", pair);
}

/* The names of all samples' leaves, and the notes. */
static void end(struct fixture *f, const char *names, const char *note)
{
	struct wk_err err = { 0 };
	struct wk_model *m = f->model;
	struct wk_buf out = { 0 };

	assert_true(wk_jit_stage_finish(f->stage, &err));
	wk_jit_stage_free(f->stage);
	wk_builder_finish(f->builder);
	wk_builder_free(f->builder);
	wk_model_resolve(m, NULL, (struct wk_resolve_options){ .separates_unnamed = true });
	if (!model_check(m, &err))
		fail_msg("%s", err.text);
	for (uint32_t i = 0; i < m->samples.count; i++) {
		uint32_t frame = m->named.entries[wk_model_named_of(m, m->samples.stack[i])].label;
		wk_function_id function = m->named_frames.function[frame];

		wk_buf_add_fmt(&out, "%s%s", i ? " " : "",
			       wk_strtab_get(m->text, m->functions[function].name));
	}
	assert_string_equal(wk_buf_text(&out), names);
	wk_buf_reset(&out);
	for (uint32_t i = 0; i < m->note_count; i++)
		wk_buf_add_str(&out, wk_model_str(m, m->notes[i].text));
	if (note ? !strstr(wk_buf_text(&out), note) : out.len > 0)
		fail_msg("expected the note \"%s\", came \"%s\"", note ? note : "",
			 wk_buf_text(&out));
	wk_buf_fini(&out);
	wk_model_free(m);
	remove(f->map);
	remove(f->dump);
}

static uint64_t now(void)
{
	return wk_os_clock_ns();
}

static void one_address_has_the_name_of_its_moment(void **state)
{
	struct fixture f;

	(void)state;
	start(&f, NULL, "CLOCK_MONOTONIC");
	give_memory(&f, 0, 7, "//anon");
	give_symbol(&f, 10, 7, 0x1000, 0x100, "whole");
	give_sample(&f, 11, 7, 0x1080);
	give_symbol(&f, 20, 7, 0x1040, 0x80, "middle");
	give_sample(&f, 21, 7, 0x1080);
	give_sample(&f, 22, 7, 0x10f0);
	give_sample(&f, 23, 7, 0x1000);
	give_sample(&f, 24, 7, 0x1100);
	end(&f, "whole middle whole whole //anon+0x1100", NULL);
}

static void two_processes_with_other_code_at_an_address_do_not_mix(void **state)
{
	struct fixture f;

	(void)state;
	start(&f, NULL, "CLOCK_MONOTONIC");
	give_memory(&f, 0, 7, "//anon");
	give_memory(&f, 0, 8, "//anon");
	give_symbol(&f, 10, 7, 0x1000, 0x100, "of_seven");
	give_symbol(&f, 10, 8, 0x1000, 0x100, "of_eight");
	for (uint64_t t = 20; t < 22; t++) {
		give_sample(&f, t, 7, 0x1010);
		give_sample(&f, t, 8, 0x1010);
	}
	end(&f, "of_seven of_eight of_seven of_eight", NULL);
}

static void a_fork_copies_names_and_an_exec_drops_them(void **state)
{
	struct fixture f;

	(void)state;
	start(&f, NULL, "CLOCK_MONOTONIC");
	give_memory(&f, 0, 7, "//anon");
	give_symbol(&f, 10, 7, 0x1000, 0x100, "old");
	give_change(&f, 20, 9, 7, WK_PROCESS_FORK);
	give_symbol(&f, 21, 7, 0x1000, 0x100, "new");
	give_sample(&f, 22, 9, 0x1010);
	give_sample(&f, 22, 7, 0x1010);
	give_change(&f, 30, 9, 0, WK_PROCESS_EXEC);
	give_memory(&f, 31, 9, "//anon");
	give_sample(&f, 32, 9, 0x1010);
	end(&f, "old new //anon+0x1010", NULL);
}

static void files_keep_their_own_names(void **state)
{
	struct fixture f;

	(void)state;
	start(&f, NULL, "CLOCK_MONOTONIC");
	give_memory(&f, 0, 7, "/no/such/library.so");
	give_symbol(&f, 10, 7, 0x1000, 0x100, "stale");
	give_sample(&f, 20, 7, 0x1010);
	end(&f, "library.so+0x10", NULL);
}

static void programs_of_the_kernel_are_named_the_same_way(void **state)
{
	struct fixture f;
	uint64_t address = 0xffffffffc0001010;

	(void)state;
	start(&f, NULL, "CLOCK_MONOTONIC");
	give_symbol(&f, 10, WK_KERNEL_PID, 0xffffffffc0001000, 0x100, "bpf_prog_1");
	give(&f, (struct wk_event){ .kind = WK_EVENT_SAMPLE, .time_ns = 20, .pid = 7, .tid = 7,
				    .sample = { .source = 1, .weight = 1, .in_kernel = true,
						.address = address, .kernel_chain = &address,
						.kernel_count = 1 } });
	end(&f, "bpf_prog_1", NULL);
}

static void a_perf_map_names_its_process_and_later_lines_win(void **state)
{
	struct fixture f;

	(void)state;
	start(&f, NULL, "CLOCK_MONOTONIC");
	write_file(f.map, wk_str_c("1000 100 before\n1000 80 after\n1200 10 _Z3foov\n"));
	give_memory(&f, now(), 0, "//anon");
	give_sample(&f, now(), 0, 0x1010);
	give_sample(&f, now(), 0, 0x1090);
	give_sample(&f, now(), 0, 0x1200);
	end(&f, "after before foo()", NULL);
}

static void lines_of_a_perf_map_that_make_no_sense_are_told(void **state)
{
	struct fixture f;

	(void)state;
	start(&f, NULL, "CLOCK_MONOTONIC");
	write_file(f.map, wk_str_c("1000 100 f\nno code here\n1200 0 nothing\n1300 10\n"));
	give_memory(&f, now(), 0, "//anon");
	give_sample(&f, now(), 0, 0x1010);
	end(&f, "f",
	    ".map: 2 lines cannot be parsed and were skipped (the first: "
	    "\"no code here\"), so names may be missing");
}

static void names_that_came_with_the_recording_are_all_there_is(void **state)
{
	struct fixture f;

	(void)state;
	start(&f, NULL, "CLOCK_MONOTONIC");
	write_file(f.map, wk_str_c("1000 100 map\n"));
	give_memory(&f, now(), 0, "//anon");
	give_symbol(&f, now(), 0, 0x1000, 0x10, "carried");
	give_sample(&f, now(), 0, 0x1000);
	give_sample(&f, now(), 0, 0x1010);
	end(&f, "carried //anon+0x1010", NULL);
}

static void a_map_of_another_machine_is_not_used(void **state)
{
	struct fixture f;

	(void)state;
	start(&f, "elsewhere.example", "CLOCK_MONOTONIC");
	write_file(f.map, wk_str_c("1000 100 wrong\n"));
	give_memory(&f, now(), 0, "//anon");
	give_sample(&f, now(), 0, 0x1010);
	end(&f, "//anon+0x1010", "the recording was made on another machine, elsewhere.example");
}

static void a_map_that_is_older_than_its_process_is_not_used(void **state)
{
	struct timespec old[2] = { { .tv_sec = 1000000000 }, { .tv_sec = 1000000000 } };
	struct fixture f;

	(void)state;
	start(&f, NULL, "CLOCK_MONOTONIC");
	write_file(f.map, wk_str_c("1000 100 wrong\n"));
	assert_int_equal(utimensat(AT_FDCWD, f.map, old, 0), 0);
	give_memory(&f, now(), 0, "//anon");
	give_sample(&f, now(), 0, 0x1010);
	end(&f, "//anon+0x1010", "it is older than the process");
}

static void a_map_of_somebody_else_is_not_used(void **state)
{
	struct fixture f;

	(void)state;
	if (geteuid() != 0)
		skip();
	start(&f, NULL, "CLOCK_MONOTONIC");
	write_file(f.map, wk_str_c("1000 100 wrong\n"));
	assert_int_equal(chown(f.map, 12345, 12345), 0);
	give_memory(&f, now(), 0, "//anon");
	give_sample(&f, now(), 0, 0x1010);
	end(&f, "//anon+0x1010", "it belongs to user 12345");
}

/* One's own are followed: a map of a container may have been linked to by hand. */
static void a_link_of_somebody_else_is_not_followed(void **state)
{
	for (int own = 0; own < 2; own++) {
		struct fixture f;

		(void)state;
		if (geteuid() != 0)
			skip();
		start(&f, NULL, "CLOCK_MONOTONIC");
		write_file(f.dump, wk_str_c("1000 100 linked\n"));
		assert_int_equal(symlink(f.dump, f.map), 0);
		if (!own)
			assert_int_equal(lchown(f.map, 12345, 12345), 0);
		give_memory(&f, now(), 0, "//anon");
		give_sample(&f, now(), 0, 0x1010);
		end(&f, own ? "linked" : "//anon+0x1010",
		    own ? NULL : "it is a link of another user to another file");
	}
}

static void a_map_without_a_bound_is_not_used(void **state)
{
	struct fixture f;

	(void)state;
	start(&f, NULL, "CLOCK_MONOTONIC");
	write_file(f.map, wk_str_c("1000 100 wrong\n"));
	assert_int_equal(truncate(f.map, (off_t)1 << 30), 0);
	give_memory(&f, now(), 0, "//anon");
	give_sample(&f, now(), 0, 0x1010);
	end(&f, "//anon+0x1010", "is larger than 256 MiB, the limit for such a file");
}

static void a_pipe_in_the_place_of_a_map_is_not_waited_for(void **state)
{
	struct fixture f;

	(void)state;
	start(&f, NULL, "CLOCK_MONOTONIC");
	assert_int_equal(mkfifo(f.map, 0600), 0);
	assert_int_equal(mkfifo(f.dump, 0600), 0);
	assert_int_equal(wk_jit_keep_dump(f.pid, f.dump), -1);
	give_memory(&f, now(), 0, "//anon");
	give_sample(&f, now(), 0, 0x1010);
	end(&f, "//anon+0x1010", "it is not a plain file");
}

static void write_dump(struct fixture *f, uint64_t time_ns, uint64_t flags)
{
	struct jitdump_maker m = { 0 };

	jit_begin(&m, f->pid, time_ns, flags);
	jit_load(&m, time_ns + 10, 0x1000, 16, 1, "first");
	jit_load(&m, time_ns + 40, 0x1000, 16, 3, "third");
	jit_load(&m, time_ns + 20, 0x1000, 16, 2, "second"); /* written late */
	write_file(f->dump, wk_buf_str(&m.out));
	wk_buf_fini(&m.out);
}

static void map_a_dump(struct fixture *f, uint64_t time_ns)
{
	give_memory(f, time_ns, 0, "//anon");
	give(f, (struct wk_event){ .kind = WK_EVENT_IMAGE, .time_ns = time_ns,
				   .image = { .start = 0x90000, .size_bytes = 0x1000,
					      .path = wk_str_c(f->dump) } });
}

static void sample_a_dump(struct fixture *f, uint64_t time_ns)
{
	map_a_dump(f, time_ns);
	give_sample(f, time_ns + 5, 0, 0x1000);
	give_sample(f, time_ns + 15, 0, 0x1000);
	give_sample(f, time_ns + 25, 0, 0x1000);
	give_sample(f, time_ns + 45, 0, 0x1000);
}

static void a_jitdump_names_each_moment(void **state)
{
	uint64_t time_ns = now();
	struct fixture f;

	(void)state;
	start(&f, NULL, "CLOCK_MONOTONIC");
	write_dump(&f, time_ns, 0);
	sample_a_dump(&f, time_ns);
	end(&f, "//anon+0x1000 first second third", NULL);
}

static void a_child_has_the_code_of_its_parent_at_the_fork(void **state)
{
	const uint32_t child = 9;
	uint64_t time_ns = now();
	struct fixture f;

	(void)state;
	start(&f, NULL, "CLOCK_MONOTONIC");
	write_dump(&f, time_ns, 0);
	map_a_dump(&f, time_ns);
	give_sample(&f, time_ns + 5, 0, 0x1000);
	give_change(&f, time_ns + 15, child, f.pid, WK_PROCESS_FORK);
	give_sample(&f, time_ns + 16, child, 0x1000);
	give_sample(&f, time_ns + 25, f.pid, 0x1000);
	give_sample(&f, time_ns + 25, child, 0x1000);
	end(&f, "//anon+0x1000 first second first", NULL);
}

static void damaged_records_of_a_dump_are_told_of_once(void **state)
{
	struct jitdump_maker m = { 0 };
	uint64_t time_ns = now();
	struct fixture f;

	(void)state;
	start(&f, NULL, "CLOCK_MONOTONIC");
	jit_begin(&m, f.pid, time_ns, 0);
	jit_move(&m, time_ns + 5, 0x7000, 0x8000, 16, 9); /* nothing is there */
	jit_load(&m, time_ns + 10, 0x1000, 16, 1, "first");
	jit_load(&m, time_ns + 20, 0x1000, 0, 2, "of no size");
	write_file(f.dump, wk_buf_str(&m.out));
	wk_buf_fini(&m.out);
	sample_a_dump(&f, time_ns);
	end(&f, "//anon+0x1000 first first first",
	    ".dump: 2 damaged records are passed over (the first, of code moved, at 0x28), so "
	    "names may be missing");
}

static void a_dump_by_another_clock_is_matched_by_the_moment_it_was_mapped(void **state)
{
	struct fixture f;

	(void)state;
	start(&f, NULL, "");
	write_dump(&f, 1000000, 0);
	sample_a_dump(&f, now());
	end(&f, "//anon+0x1000 first second third", NULL);
}

static void a_dump_by_a_processor_counter_is_not_used(void **state)
{
	struct fixture f;

	(void)state;
	start(&f, NULL, "CLOCK_MONOTONIC");
	write_dump(&f, now(), 1);
	sample_a_dump(&f, now());
	end(&f, "//anon+0x1000 //anon+0x1000 //anon+0x1000 //anon+0x1000",
	    "its times are a counter of the processor");
}

static void a_recorder_tells_the_names_of_what_was_sampled_when_its_process_ends(void **state)
{
	uint64_t time_ns = now();
	struct fixture f;

	(void)state;
	start(&f, NULL, "CLOCK_MONOTONIC");
	wk_jit_stage_set_live(f.stage);
	give_memory(&f, time_ns, 0, "//anon");
	/* With a thread left, the process is not over for those behind the stage. */
	give(&f, (struct wk_event){ .kind = WK_EVENT_THREAD, .time_ns = time_ns, .pid = f.pid,
				    .tid = f.pid + 1,
				    .thread = { .change = WK_THREAD_START } });
	give_sample(&f, time_ns + 1, 0, 0x1010);
	write_file(f.map, wk_str_c("1000 100 hit\n2000 100 not_hit\n"));
	give_change(&f, time_ns + 2, 0, 0, WK_PROCESS_EXIT);
	/* This sink is no file: what comes late finds the names that were told. */
	give_sample(&f, time_ns + 3, 0, 0x1020);
	give_sample(&f, time_ns + 4, 0, 0x2020);
	end(&f, "//anon+0x1010 hit //anon+0x2020", NULL);
}

/* ---- stacks that lead through such code */

enum { RSP = 7, RIP = 16 };

/* Keeps the chain of the last sample. */
struct chain {
	struct wk_sink next;
	uint64_t at[8];
	size_t count;
};

static bool keep_chain(void *context, const struct wk_event *event, struct wk_err *err)
{
	struct chain *chain = context;

	if (event->kind == WK_EVENT_SAMPLE) {
		chain->count = event->sample.user_count;
		assert_in_range(chain->count, 1, 8);
		memcpy(chain->at, event->sample.user_chain, chain->count * sizeof(*chain->at));
	}
	return wk_sink_emit(&chain->next, event, err);
}

/* A function of 16 bytes that keeps 16 bytes of stack. */
static void write_dump_with_tables(struct fixture *f, uint64_t time_ns)
{
	struct maker tables = { .vaddr = 0x1010 }; /* tables come right behind the code */
	struct jitdump_maker m = { 0 };

	maker_x86_cie(&tables, "zR");
	maker_fde(&tables, 0x1000, 16, (uint8_t[]){ 0x0e, 24 }, 2);
	jit_begin(&m, f->pid, time_ns, 0);
	jit_record(&m, 4, time_ns);
	jit_put(&m, tables.out.len, 8);
	jit_put(&m, 0, 8);
	jit_put(&m, 0, 8);
	wk_buf_add_str(&m.out, wk_buf_str(&tables.out));
	jit_end(&m);
	jit_load(&m, time_ns + 10, 0x1000, 16, 1, "callee");
	jit_load(&m, time_ns + 10, 0x1100, 16, 2, "caller");
	write_file(f->dump, wk_buf_str(&m.out));
	wk_buf_fini(&m.out);
	wk_buf_fini(&tables.out);
}

static void a_stack_is_walked_by_the_tables_of_its_dump(void **state)
{
	uint64_t words[8] = { [2] = 0x1108 }, time_ns = now();
	struct wk_event_stack stack = { .machine = WK_MACHINE_X86_64,
					.bytes = (const uint8_t *)words,
					.size_bytes = sizeof(words) };
	struct wk_symbols *symbols = wk_symbols_new(&(struct wk_symbols_options){ 0 });
	struct chain chain = { 0 };
	struct wk_unwind_stage *unwinding;
	struct wk_err err = { 0 };
	struct fixture f;

	(void)state;
	start(&f, NULL, "CLOCK_MONOTONIC");
	chain.next = f.sink;
	unwinding = wk_unwind_stage_new(symbols,
					(struct wk_sink){ .take = keep_chain, .context = &chain },
					(struct wk_unwind_options){ .jit = f.stage });
	f.sink = wk_unwind_stage_sink(unwinding);
	write_dump_with_tables(&f, time_ns);
	map_a_dump(&f, time_ns);
	stack.valid = UINT64_C(1) << RSP | UINT64_C(1) << RIP;
	stack.value[RSP] = 0x7000;
	stack.value[RIP] = 0x1008;
	give(&f, (struct wk_event){ .kind = WK_EVENT_SAMPLE, .time_ns = time_ns + 15,
				    .sample = { .source = 1, .weight = 1, .address = 0x1008,
						.stack = &stack } });
	assert_int_equal(chain.count, 2);
	assert_int_equal(chain.at[0], 0x1008);
	assert_int_equal(chain.at[1], 0x1107);
	assert_true(wk_unwind_stage_finish(unwinding, &err));
	wk_unwind_stage_free(unwinding);
	wk_symbols_free(symbols);
	end(&f, "callee", NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_address_has_the_name_of_its_moment),
		cmocka_unit_test(two_processes_with_other_code_at_an_address_do_not_mix),
		cmocka_unit_test(a_fork_copies_names_and_an_exec_drops_them),
		cmocka_unit_test(files_keep_their_own_names),
		cmocka_unit_test(programs_of_the_kernel_are_named_the_same_way),
		cmocka_unit_test(a_perf_map_names_its_process_and_later_lines_win),
		cmocka_unit_test(lines_of_a_perf_map_that_make_no_sense_are_told),
		cmocka_unit_test(names_that_came_with_the_recording_are_all_there_is),
		cmocka_unit_test(a_map_of_another_machine_is_not_used),
		cmocka_unit_test(a_map_that_is_older_than_its_process_is_not_used),
		cmocka_unit_test(a_map_of_somebody_else_is_not_used),
		cmocka_unit_test(a_link_of_somebody_else_is_not_followed),
		cmocka_unit_test(a_map_without_a_bound_is_not_used),
		cmocka_unit_test(a_pipe_in_the_place_of_a_map_is_not_waited_for),
		cmocka_unit_test(a_jitdump_names_each_moment),
		cmocka_unit_test(a_child_has_the_code_of_its_parent_at_the_fork),
		cmocka_unit_test(damaged_records_of_a_dump_are_told_of_once),
		cmocka_unit_test(a_dump_by_another_clock_is_matched_by_the_moment_it_was_mapped),
		cmocka_unit_test(a_dump_by_a_processor_counter_is_not_used),
		cmocka_unit_test(
			a_recorder_tells_the_names_of_what_was_sampled_when_its_process_ends),
		cmocka_unit_test(a_stack_is_walked_by_the_tables_of_its_dump),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
