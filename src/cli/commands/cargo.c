#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/num.h"
#include "cli/cargo/build.h"
#include "cli/cargo/report.h"
#include "cli/command.h"
#include "cli/messages.h"
#include "cli/options/open_options.h"
#include "cli/options/perf_arguments.h"
#include "cli/options/record_options.h"
#include "cli/output.h"
#include "cli/run/flame_run.h"
#include "cli/run/record_by_root.h"
#include "cli/terminal.h"
#include "session/symbolizer.h"

struct args {
	struct wk_flame_args flame;
	struct wk_record_args record;
	struct wk_cargo_build build;
	const char *package, *bin, *example, *test, *unit_test, *bench, *unit_bench;
	const char *unit_test_kind;
	const char *data, *root, *cmd, *perfdata, *completions;
	bool ignore_status;
};

#define AT(field) offsetof(struct args, field)

static const char *const unit_kinds[] = { "lib", "bin", NULL };
static const char *const whens[] = { "auto", "always", "never", NULL };
static const char *const shells[] = { "bash", "zsh", "fish", NULL };

static const struct wk_opt target[] = {
	WK_TEXT('b', "bin", "NAME", "run this binary of the package", AT(bin)),
	WK_TEXT(0, "example", "NAME", "run this example", AT(example)),
	WK_TEXT(0, "test", "NAME", "run this integration test", AT(test)),
	WK_VALUE(0, "unit-test", "[NAME]", "run the unit tests of a library or binary [default: "
	  "the only one]", WK_OPT_MAYBE, AT(unit_test)),
	{ 0, "unit-test-kind", "KIND", "with --unit-test: test the library (lib) or the binary "
	  "(bin), if both have the same name", WK_OPT_CHOICE, AT(unit_test_kind), unit_kinds },
	WK_TEXT(0, "bench", "NAME", "run this benchmark; its first argument is --bench, as with "
	  "`cargo bench`", AT(bench)),
	WK_VALUE(0, "unit-bench", "[NAME]", "run the benchmarks inside a library or binary "
	  "[default: the only one]", WK_OPT_MAYBE, AT(unit_bench)),
	WK_TEXT('p', "package", "NAME", "choose from this package of the workspace", AT(package)),
	WK_TEXT(0, "manifest-path", "FILE", "use the project with this Cargo.toml",
	  AT(build.manifest_path)),
	WK_VALUE(0, "pid", "PID[,PID...]", "build nothing; record processes that are already "
	  "running", WK_OPT_LIST, AT(record.pids)),
	WK_TEXT(0, "perfdata", "FILE", "build and record nothing; draw this recording",
	  AT(perfdata)),
	{ 0 },
};

static const struct wk_opt build[] = {
	WK_FLAG('r', "release", "build with the release profile [default, except for --bench]",
	  AT(build.release)),
	WK_FLAG(0, "dev", "build with the dev profile", AT(build.dev)),
	WK_TEXT(0, "profile", "NAME", "build with this profile", AT(build.profile)),
	WK_FLAG(0, "with-debug", "enable debug information and keep symbols for this build, "
	  "whatever the profile sets", AT(build.with_debug)),
	WK_VALUE('f', "features", "NAMES", "features to enable; may be repeated", WK_OPT_LIST,
	  AT(build.features)),
	WK_FLAG(0, "all-features", "enable all features", AT(build.all_features)),
	WK_FLAG(0, "no-default-features", "do not enable the default features",
	  AT(build.no_default_features)),
	WK_TEXT(0, "target", "TRIPLE", "build for this target, which must run on this machine",
	  AT(build.target)),
	WK_TEXT(0, "target-dir", "DIR", "folder for build output", AT(build.target_dir)),
	WK_TEXT('j', "jobs", "N", "number of parallel build jobs", AT(build.jobs)),
	WK_VALUE(0, "config", "KEY=VALUE", "set a cargo configuration value, or read a file of "
	  "them; may be repeated", WK_OPT_LIST, AT(build.config)),
	WK_FLAG(0, "offline", "do not access the network", AT(build.offline)),
	WK_FLAG(0, "locked", "fail if Cargo.lock would change", AT(build.locked)),
	WK_FLAG(0, "frozen", "same as --locked and --offline", AT(build.frozen)),
	{ 0, "color", "WHEN", "colour of cargo's messages: auto, always or never", WK_OPT_CHOICE,
	  AT(build.color), whens },
	WK_FLAG('v', "verbose", "print the commands that are run", AT(build.verbose)),
	{ 0 },
};

static const struct wk_opt picture[] = {
	WK_TEXT('o', "output", "FILE", "write the flame graph to FILE [default: flamegraph.svg]",
	  AT(flame.output)),
	WK_FLAG(0, "open", "open the flame graph with xdg-open", AT(flame.opens)),
	WK_FLAG('i', "upside-down", "same as --inverted", AT(flame.drawing.inverted)),
	WK_FLAG(0, "by-thread", "add a level for each thread, above its process",
	  AT(flame.by_thread)),
	WK_FLAG(0, "no-process", "start with the outermost function, without a level for processes",
	  AT(flame.no_process)),
	WK_TEXT(0, "post-process", "COMMAND", "pipe the folded stacks through this shell command "
	  "before drawing", AT(flame.post_process)),
	WK_FLAG('q', "quiet", "print errors only, for cargo as well", AT(flame.quiet)),
	{ 0, "completions", "SHELL", "print wick's completion for a shell and exit", WK_OPT_CHOICE,
	  AT(completions), shells },
	{ 0 },
};

static const struct wk_opt recording[] = {
	WK_FLAG('a', "all-cpus", "record the whole system while the program runs",
	  AT(record.all_cpus)),
	WK_TEXT('c', "cmd", "WORDS", "how to record, as arguments of perf: \"record -e "
	  "branch-misses -c 100\"; a number is a --count", AT(cmd)),
	WK_VALUE(0, "count", "EVENTS", "sample every N events, instead of at a frequency",
	  WK_OPT_COUNT, AT(record.period)),
	WK_TEXT('d', "data", "FILE", "write the recording to FILE [default: wick.data]", AT(data)),
	WK_VALUE(0, "root", "[OPTIONS]", "record as root, using sudo with these options",
	  WK_OPT_MAYBE, AT(root)),
	WK_FLAG(0, "ignore-status", "exit with 0, whatever the program's exit code is",
	  AT(ignore_status)),
	{ 0 },
};

/* The target that the options choose. */
static bool choose_kind(const struct args *args, struct wk_cargo_choice *choice, struct wk_err *err)
{
	const struct {
		const char *name;
		enum wk_cargo_kind kind;
		bool is_unit, is_bench;
	} asked[] = {
		{ args->bin, WK_CARGO_BIN, false, false },
		{ args->example, WK_CARGO_EXAMPLE, false, false },
		{ args->test, WK_CARGO_TEST, false, false },
		{ args->bench, WK_CARGO_BENCH, false, false },
		{ args->unit_test, WK_CARGO_BIN, true, false },
		{ args->unit_bench, WK_CARGO_BIN, true, true },
	};
	size_t count = 0;

	choice->package = args->package;
	for (size_t i = 0; i < sizeof(asked) / sizeof(asked[0]); i++) {
		if (!asked[i].name)
			continue;
		count++;
		choice->kind = asked[i].kind;
		choice->is_unit = asked[i].is_unit;
		choice->is_bench = asked[i].is_bench;
		choice->name = *asked[i].name ? asked[i].name : NULL;
	}
	if (args->unit_test_kind && choice->is_unit) {
		choice->kind = wk_cargo_kind_of(wk_str_c(args->unit_test_kind));
		choice->has_unit_kind = true;
	}
	if (count > 1)
		return wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			       "use one of --bin, --example, --test, --unit-test, --bench and "
			       "--unit-bench, not %zu",
			       count);
	if (count && (args->record.pids.count || args->perfdata))
		return wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			       "--%s builds nothing, so no target can be chosen",
			       args->perfdata ? "perfdata" : "pid");
	return true;
}

static bool check(const struct args *args, const struct wk_words *words, struct wk_err *err)
{
	bool builds = !args->record.pids.count && !args->perfdata;

	if (words->count && wk_command_find(words->at[0]))
		return wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			       "unexpected argument \"%s\"; the command is `wick %s`", words->at[0],
			       words->at[0]);
	if (words->count)
		return wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			       "unexpected argument \"%s\"; arguments for the program go after "
			       "\"--\"",
			       words->at[0]);
	if (args->build.dev + args->build.release + (args->build.profile != NULL) > 1)
		return wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			       "--dev, --release and --profile exclude each other");
	if (args->record.pids.count && args->perfdata)
		return wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			       "--pid and --perfdata exclude each other");
	if (!builds && words->rest_count)
		return wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			       "no program is run, so there can be no arguments after \"--\"");
	if (args->cmd && (args->record.frequency || args->record.period))
		return wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			       "--cmd and --%s exclude each other; put the option into --cmd",
			       args->record.period ? "count" : "freq");
	if (args->data && strcmp(args->data, "-") == 0)
		return wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			       "--data must be a file, because wick reads it again");
	return true;
}

/* Everything that a run needs, in the order in which it is made. */
struct job {
	struct args args; /* as typed, and then with the options in --cmd */
	const struct wk_call *call;
	struct wk_perf_words perf;
	struct wk_cargo_project project;
	struct wk_cargo_built built;
	struct wk_text_list command; /* what is recorded; empty for --pid */
	struct wk_symbols *symbols;
};

/* Merges the options in --cmd into those of the same meaning. */
static bool read_cmd(struct job *job, struct wk_err *err)
{
	struct args *args = &job->args;

	if (!args->cmd)
		return true;
	if (!wk_perf_words_read(&job->perf, args->cmd, err))
		return false;
	args->record.frequency = job->perf.record.frequency;
	args->record.period = job->perf.record.period;
	args->record.all_cpus |= job->perf.record.all_cpus;
	args->record.user_only |= job->perf.record.user_only;
	if (job->perf.record.events.count)
		args->record.events = job->perf.record.events;
	if (job->perf.record.pids.count)
		args->record.pids = job->perf.record.pids;
	if (job->perf.record.call_graph)
		args->record.call_graph = job->perf.record.call_graph;
	if (job->perf.record.stack_bytes)
		args->record.stack_bytes = job->perf.record.stack_bytes;
	if (job->perf.output && !args->data)
		args->data = job->perf.output;
	args->flame.quiet |= job->perf.quiet;
	if (!args->flame.quiet && job->perf.ignored.len)
		wk_warn_fmt(&wk_cli_messages, "--cmd: ignored options: %s",
			    wk_buf_text(&job->perf.ignored));
	if (!args->flame.quiet)
		wk_warn_lines(&wk_cli_messages, wk_buf_str(&job->perf.notes));
	return true;
}

/* As `cargo bench` and `cargo test` do; --bench twice can be an error for the program. */
static void add_arguments(struct job *job)
{
	const struct wk_words *words = job->call->words;
	const struct wk_cargo_choice *choice = &job->args.build.choice;
	bool wants_bench = choice->kind == WK_CARGO_BENCH || choice->is_bench;

	for (size_t i = 0; i < words->rest_count; i++)
		if (strcmp(words->rest[i], "--bench") == 0)
			wants_bench = false;
	if (wants_bench)
		wk_text_list_add(&job->command, "--bench");
	for (size_t i = 0; i < words->rest_count; i++)
		wk_text_list_add(&job->command, words->rest[i]);
}

/* 0 and a command to record, or the exit code to end with. */
static int build_command(struct job *job, struct wk_err *err)
{
	struct wk_cargo_build *cargo = &job->args.build;
	int exit_code;

	cargo->quiet = job->args.flame.quiet;
	exit_code = wk_cargo_metadata(cargo, &job->project, err);
	if (exit_code == 0 && !wk_cargo_choose(&job->project, &cargo->choice, err))
		exit_code = -1;
	if (exit_code == 0)
		exit_code = wk_cargo_build_run(cargo, &job->built, err);
	if (exit_code != 0)
		return exit_code < 0 ? wk_exit_code(err) : exit_code;
	if (!job->args.flame.quiet)
		wk_cargo_report(cargo, &job->project, &job->built);
	wk_text_list_add(&job->command, job->built.path);
	add_arguments(job);
	wk_cargo_environment(&job->built);
	return 0;
}

static const char *data_of(const struct args *args)
{
	return args->data ? args->data : WK_DEFAULT_RECORDING;
}

/* Tests and benchmarks run in their package's folder, as with cargo; programs run here. */
static const char *folder_of(const struct job *job)
{
	const struct wk_cargo_choice *choice = &job->args.build.choice;

	if (choice->is_unit || choice->kind == WK_CARGO_TEST || choice->kind == WK_CARGO_BENCH)
		return job->built.folder;
	return NULL;
}

static int record_by_root(struct job *job, struct wk_err *err)
{
	const struct args *args = &job->args;
	bool has_recorded = false;
	int exit_code = wk_record_by_root(&(struct wk_root_request){
		.record = &args->record,
		.sudo_options = args->root,
		.data = data_of(args),
		.command = &job->command,
		.folder = folder_of(job),
		.quiet = args->flame.quiet,
		.verbose = args->build.verbose,
	}, &has_recorded, err);

	if (has_recorded && !wk_flame_draw((const char *const[]){ data_of(args), NULL }, data_of(args), job->symbols, &args->flame,
					   job->call, err))
		return wk_exit_code(err);
	return exit_code;
}

static int record(struct job *job, struct wk_err *err)
{
	const struct args *args = &job->args;
	char *const *command =
		job->command.count ? (char *const *)(uintptr_t)job->command.at : NULL;
	struct wk_record_plan plan;
	int exit_code;

	if (args->root && geteuid() != 0)
		return record_by_root(job, err);
	if (args->build.verbose && command)
		wk_say_command(&job->command);
	if (wk_record_plan_init(&plan, &args->record, command, err)) {
		plan.options.folder = folder_of(job);
		exit_code = wk_flame_record(&plan, data_of(args), job->symbols, &args->flame,
					    job->call, err);
	} else {
		exit_code = wk_exit_code(err);
	}
	wk_record_plan_fini(&plan);
	return exit_code;
}

static bool are_events(const struct wk_record_plan *plan, struct wk_err *err)
{
	struct wk_perf_event event;

	for (size_t i = 0; i < plan->options.event_count; i++)
		if (!wk_perf_name_parse(wk_str_c(plan->events.at[i]), &event, err))
			return false;
	return true;
}

/* Wrong options are errors before a build that can take minutes. */
static bool check_values(const struct args *args, struct wk_err *err)
{
	char *const stand_in[] = { (char *)(uintptr_t) "program", NULL };
	struct wk_picture drawn;
	struct wk_record_plan plan;
	bool ok = wk_record_plan_init(&plan, &args->record,
				      args->record.pids.count ? NULL : stand_in, err) &&
		  are_events(&plan, err);

	wk_record_plan_fini(&plan);
	if (!ok || !wk_output_check_picture(args->flame.output, err) ||
	    !wk_output_check(data_of(args), err) ||
	    !wk_drawing_read(&args->flame.drawing, &drawn, err))
		return false;
	wk_picture_fini(&drawn);
	return true;
}

static int make(struct job *job, struct wk_err *err)
{
	struct args *args = &job->args;
	int exit_code = 0;

	if (!choose_kind(args, &args->build.choice, err) || !check(args, job->call->words, err) ||
	    !read_cmd(job, err) || !check_values(args, err))
		return wk_exit_code(err);
	if (args->perfdata)
		return wk_flame_draw((const char *const[]){ args->perfdata, NULL }, NULL, job->symbols, &args->flame, job->call,
				     err)
			       ? WK_EXIT_DONE
			       : wk_exit_code(err);
	if (!args->record.pids.count)
		exit_code = build_command(job, err);
	if (exit_code != 0)
		return exit_code;
	exit_code = record(job, err);
	return args->ignore_status && err->code == WK_OK ? WK_EXIT_DONE : exit_code;
}

static int print_completion(const struct wk_call *call, const char *shell, struct wk_err *err)
{
	struct wk_words words = { .at = &shell, .count = 1 };
	struct wk_call other = *call;

	other.command = wk_command_find("completion");
	other.words = &words;
	return other.command->run(&other, err);
}

static int run(const struct wk_call *call, struct wk_err *err)
{
	const struct args *args = call->args;
	struct wk_symbolizer symbolizer;
	struct job job = { .args = *args, .call = call };
	uint64_t count;
	int exit_code;

	if (args->completions)
		return print_completion(call, args->completions, err);
	if (!args->flame.output)
		job.args.flame.output = "flamegraph.svg";
	/* -c is --cmd for `cargo flamegraph` and --count for `wick record`. */
	if (args->cmd && wk_num_u64(wk_str_c(args->cmd), &count) && count > 0) {
		job.args.record.period = count;
		job.args.cmd = NULL;
	}
	job.symbols =
		wk_symbolizer_open(&symbolizer, &args->flame.load.naming, &wk_cli_messages, err);
	exit_code = job.symbols ? make(&job, err) : wk_exit_code(err);
	wk_symbolizer_close(&symbolizer);
	wk_text_list_fini(&job.command);
	wk_cargo_built_fini(&job.built);
	wk_cargo_project_free(&job.project);
	wk_perf_words_fini(&job.perf);
	return exit_code;
}

const struct wk_command wk_cmd_cargo = {
	.name = "cargo",
	.summary = "build a Rust program with cargo, record it and draw a flame graph",
	.usage = (const char *const[]){ "[OPTION...] [-- ARGUMENT...]",
					"[OPTION...] --pid PID[,PID...]",
					"[OPTION...] --perfdata FILE", NULL },
	.description = (const char *const[]){
		"If installed as cargo-wick, it is a cargo subcommand: `cargo wick` is the same as "
		"`wick cargo` and accepts the options of `cargo flamegraph` and `wick record`. "
		"`cargo wick COMMAND` runs another command of wick, such as diff or show.",
		"Builds the target with the release profile (benchmarks with the bench profile), "
		"runs it with each ARGUMENT, records it to wick.data and draws flamegraph.svg. If "
		"there are several binaries, one must be chosen; wick lists them.",
		"If the program fails or panics, the flame graph is drawn all the same. wick downloads "
		"nothing; cargo may, for the build.",
		NULL },
	.options = (const struct wk_opt_use[]){
		{ &(const struct wk_opt_group){ "Target", target }, 0 },
		{ &(const struct wk_opt_group){ "Building", build }, 0 },
		{ &(const struct wk_opt_group){ "Flame graph", picture }, 0 },
		{ &wk_drawing_group, AT(flame.drawing) },
		{ &wk_single_drawing_group, AT(flame.drawing) },
		{ &wk_view_group, AT(flame.view) },
		{ &wk_shape_group, AT(flame.view) },
		{ &(const struct wk_opt_group){ "Recording", recording }, 0 },
		{ &wk_sampling_group, AT(record) },
		{ &wk_unnamed_group, AT(flame.load) },
		{ &wk_open_group, AT(flame.load) },
		{ 0 } },
	.common = (const char *const[]){
		"bin", "example", "test", "unit-test", "bench", "package", "pid", "dev",
		"profile", "with-debug", "features", "output", "open", "inverted",
		"reverse", "mine", "freq", "event", "duration", NULL },
	.examples = (const struct wk_example[]){
		{ "cargo wick", "build and record the binary of this package and draw it" },
		{ "cargo wick --bin server --with-debug -- --port 8080",
		  "choose a binary and pass arguments to it" },
		{ "cargo wick --bench parser -o parser.svg -- large_input",
		  "record one benchmark" },
		{ "cargo wick diff", "print what changed since the run before" },
		{ "cargo wick --unit-test -- slow_case", "record the unit tests whose names "
		  "contain slow_case" },
		{ 0 } },
	.exit_note = "The program's exit code, or 128 + N if signal N ended it; 0 with "
		     "--ignore-status. Cargo's exit code (101) if the build fails.",
	.words = WK_WORD_NONE,
	.args_size = sizeof(struct args),
	.run = run,
};
