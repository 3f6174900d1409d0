/* Writes rustc.etl (README.md): a trace of Windows of a Rust build. cargo.exe runs rustc.exe for
 *two crates, a build script and link.exe while MsMpEng.exe reads along; each has samples, and
 *commits and releases memory, with stacks.
 *
 *	rustc_trace OUT */
#include "../unit/etl_kernel_events.h"
#include "../unit/etl_programs.h"
#include "write_trace.h"

#define END_MS    2000u
#define NTDLL     0x50000u
#define PROGRAM   0x10000u
#define ALLOCATE  (NTDLL + 0x100)
#define FUNCTIONS 0x900000u
#define KILOBYTES 1024u
#define COMMIT    0x3000u /* and reserve */
#define RELEASE   0x8000u

struct program {
	uint32_t pid, parent, start_ms, end_ms; /* `end_ms` 0: is there until the end */
	const char *path, *command_line;
};

static const struct program programs[] = {
	{ 100, 4, 0, 0, "C:\\rust\\bin\\cargo.exe", "cargo build --release" },
	{ 600, 4, 0, 0, "C:\\Defender\\MsMpEng.exe", "MsMpEng.exe" },
	{ 200, 100, 100, 700, "C:\\rust\\bin\\rustc.exe",
	  "rustc --crate-name serde --edition=2021 src\\lib.rs --crate-type lib" },
	{ 250, 100, 500, 900, "C:\\app\\target\\build-script-build.exe", "build-script-build" },
	{ 300, 100, 750, 1900, "C:\\rust\\bin\\rustc.exe",
	  "rustc --crate-name app --edition=2021 src\\main.rs --crate-type bin" },
	{ 500, 300, 1600, 1850, "C:\\VC\\bin\\link.exe", "link.exe /OUT:app.exe app.rcgu.o" },
};

enum { MAIN, COMPILE, PARSE, TYPECK, BORROWCK, MIR, LLVM, LINKER, FOLD, SCRIPT, WAIT, SCAN, COUNT };

static const char *const names[COUNT] = {
	"main",
	"rustc_driver_impl::run_compiler",
	"rustc_parse::parse_crate_from_file",
	"rustc_hir_typeck::typeck",
	"rustc_borrowck::do_mir_borrowck",
	"rustc_mir_transform::optimized_mir",
	"rustc_codegen_llvm::back::write::optimize",
	"rustc_codegen_ssa::back::link::link_binary",
	"rustc_middle::ty::fold",
	"generate_bindings",
	"cargo::core::compiler::job_queue::drain",
	"scan_file",
};

#define PLAIN (-1)

/* What a thread does for a while, from the root; PLAIN is the code of the program's file. Sorted by
 * pid where they overlap, so that events are in the order of their times. */
struct stage {
	uint32_t pid, from_ms, to_ms, kilobytes;
	int functions[4];
	size_t depth;
};

static const struct stage stages[] = {
	{ 100, 0, 1990, 16, { MAIN, WAIT }, 2 },
	{ 200, 110, 200, 256, { MAIN, COMPILE, PARSE }, 3 },
	{ 200, 200, 400, 512, { MAIN, COMPILE, TYPECK, FOLD }, 4 },
	{ 200, 400, 480, 128, { MAIN, COMPILE, BORROWCK, FOLD }, 4 },
	{ 200, 480, 690, 1024, { MAIN, COMPILE, LLVM }, 3 },
	{ 250, 510, 890, 64, { MAIN, SCRIPT }, 2 },
	{ 300, 760, 850, 256, { MAIN, COMPILE, PARSE }, 3 },
	{ 300, 850, 1100, 768, { MAIN, COMPILE, TYPECK, FOLD }, 4 },
	{ 300, 1100, 1200, 128, { MAIN, COMPILE, BORROWCK }, 3 },
	{ 300, 1200, 1300, 192, { MAIN, COMPILE, MIR, FOLD }, 4 },
	{ 300, 1300, 1600, 2048, { MAIN, COMPILE, LLVM }, 3 },
	{ 300, 1600, 1890, 64, { MAIN, COMPILE, LINKER }, 3 },
	{ 500, 1610, 1840, 512, { PLAIN }, 1 },
	{ 600, 300, 1400, 32, { PLAIN, SCAN }, 2 },
};

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

static const char *file_name(const char *path)
{
	return strrchr(path, '\\') + 1;
}

/* As etl_process, with a command line. */
static void process(struct etl_maker *m, uint16_t hook, uint64_t ms, const struct program *program)
{
	struct wk_buf p = { 0 };

	put(&p, program->pid * 16, 8);
	put(&p, program->pid, 4);
	put(&p, program->parent, 4);
	put(&p, 1, 4);
	put(&p, hook == 0x0302 ? 0 : 0x103, 4);
	put(&p, 0, 16);
	put_text8(&p, file_name(program->path));
	put_text16(&p, program->command_line);
	put_text16(&p, "");
	put_text16(&p, "");
	etl_kernel(m, 4, hook, ms * ETL_MS, &p);
	wk_buf_fini(&p);
}

static void start(struct etl_maker *m, uint64_t ms, const struct program *program)
{
	uint16_t there = ms ? 0 : 2; /* DCStart, not Start */

	process(m, 0x0301 + there, ms, program);
	etl_thread(m, 0x0501 + there, ms * ETL_MS, program->pid, program->pid + 1, "");
	etl_image(m, ms ? 0x140a : 0x1403, ms * ETL_MS, program->pid, PROGRAM, program->path);
	etl_image(m, ms ? 0x140a : 0x1403, ms * ETL_MS, program->pid, NTDLL,
		  "C:\\Windows\\System32\\ntdll.dll");
}

static void stacked(struct etl_maker *m, uint64_t ms, const struct stage *stage, bool allocates)
{
	uint64_t frames[LENGTH(stage->functions) + 1];
	size_t count = 0;

	if (allocates)
		frames[count++] = ALLOCATE;
	for (size_t i = stage->depth; i-- > 0;)
		frames[count++] =
			stage->functions[i] == PLAIN
				? PROGRAM + 0x100
				: FUNCTIONS + 0x1000u * (uint64_t)stage->functions[i] + 0x10;
	etl_stacked(m, 0x1820, ms * ETL_MS + stage->pid + 1, ETL_T0 + ms * ETL_MS + stage->pid,
		    stage->pid, stage->pid + 1, frames, count);
}

/* The pid is part of the time, so that no two events share one. */
static void work(struct etl_maker *m, uint64_t ms, const struct stage *stage)
{
	uint64_t time = ms * ETL_MS + stage->pid;
	uint64_t block = 0x10000000 + (uint64_t)stage->from_ms * 0x1000000;
	uint64_t nth = (ms - stage->from_ms) / 20;

	if (ms % 20 == 10) {
		etl_virtual(m, 0x0262, time, block + nth * 0x400000, stage->kilobytes * KILOBYTES,
			    stage->pid, COMMIT);
		stacked(m, ms, stage, true);
	} else if (ms % 40 == 35 && nth) {
		etl_virtual(m, 0x0263, time, block + (nth - 1) * 0x400000, 0, stage->pid, RELEASE);
		stacked(m, ms, stage, true);
	} else {
		etl_sampled(m, time,
			    stage->functions[stage->depth - 1] == PLAIN
				    ? PROGRAM + 0x100
				    : FUNCTIONS +
					      0x1000u *
						      (uint64_t)stage->functions[stage->depth - 1] +
					      0x10,
			    stage->pid + 1, 0);
		stacked(m, ms, stage, false);
	}
}

/* As code that was compiled at run time: a trace has no other way to carry names of functions. */
static void name_functions(struct etl_maker *m, uint64_t ms, const struct program *program)
{
	for (size_t i = 0; i < COUNT; i++) {
		struct etl_method method = { 143, program->pid, ms * ETL_MS, FUNCTIONS + 0x1000u * i,
					     1, "", names[i] };

		etl_method(m, &method);
	}
}

static void build(struct etl_maker *m)
{
	for (uint32_t ms = 0; ms <= END_MS; ms += 5) {
		for (size_t i = 0; i < LENGTH(programs); i++) {
			if (programs[i].start_ms == ms) {
				start(m, ms, &programs[i]);
				name_functions(m, ms, &programs[i]);
			}
			if (programs[i].end_ms && programs[i].end_ms == ms)
				process(m, 0x0302, ms, &programs[i]);
		}
		for (size_t i = 0; i < LENGTH(stages); i++)
			if (ms >= stages[i].from_ms && ms < stages[i].to_ms)
				work(m, ms, &stages[i]);
		if (ms % 100 == 95)
			etl_end_buffer(m, 0);
	}
	etl_end_buffer(m, 0);
}

static void make(struct etl_maker *m)
{
	etl_begin_file(m);
	build(m);
}

int main(int argc, char **argv)
{
	return write_trace(argc, argv, make);
}
