#include "session/images/jit_makers.h"

#include <ctype.h>
#include <string.h>

static const struct wk_jit_maker makers[] = {
	{ "node", "node --perf-basic-prof --interpreted-frames-native-stack ...", NULL,
	  "`node --perf-prof --perf-prof-unwinding-info ...` writes such tables" },
	{ "deno", "deno run --v8-flags=--perf-basic-prof ...", NULL, NULL },
	{ "java", "java -XX:+PreserveFramePointer -XX:+UnlockDiagnosticVMOptions "
		  "-XX:+DumpPerfMapAtExit ...", "JDK 17 or later",
	  "`java -XX:+PreserveFramePointer ...` keeps frame pointers" },
	{ "dotnet", "DOTNET_PerfMapEnabled=1 dotnet ...", NULL, NULL },
	{ "python", "python3 -X perf ...", "Python 3.12 or later",
	  "`python3 -X perf_jit ...` (3.13 or later) writes such tables, and `wick record` follows "
	  "the code of `python3 -X perf` while it runs" },
	{ "ruby", "ruby --yjit --yjit-perf ...", NULL, NULL },
	{ "wasmtime", "wasmtime run --profile=perfmap ...", NULL, NULL },
	{ "qemu", "qemu-... -perfmap ...", NULL, NULL },
	{ "postgres", "jit_profiling_support = on", "in postgresql.conf", NULL },
};

/* "python3.12" is python, "nodemon" is not node. */
static bool is_named(struct wk_str name, const char *program)
{
	size_t len = strlen(program);

	return wk_str_starts(name, program) &&
	       (name.len == len || !isalpha((unsigned char)name.at[len]));
}

const struct wk_jit_maker *wk_jit_maker(struct wk_str program)
{
	struct wk_str name = wk_str_basename(program);

	for (size_t i = 0; i < sizeof(makers) / sizeof(makers[0]); i++)
		if (is_named(name, makers[i].program))
			return &makers[i];
	return NULL;
}

/* Its name may be that of a thread, so the command line is checked as well. */
const struct wk_jit_maker *wk_jit_maker_in(const struct wk_model *model,
					   const struct wk_process *process)
{
	const struct wk_jit_maker *maker = wk_jit_maker(wk_model_str(model, process->name));
	struct wk_str line = wk_model_str(model, process->command_line);
	const char *blank = line.len ? memchr(line.at, ' ', line.len) : NULL;

	if (!maker && blank)
		line.len = (size_t)(blank - line.at);
	return maker ? maker : wk_jit_maker(line);
}

const struct wk_jit_maker *wk_jit_maker_of(const struct wk_model *model, wk_image_id image)
{
	const struct wk_jit_maker *maker = NULL;

	for (wk_process_id i = 1; i < model->process_count && !maker; i++)
		if (model->processes[i].pid == model->images[image].pid)
			maker = wk_jit_maker_in(model, &model->processes[i]);
	return maker;
}
