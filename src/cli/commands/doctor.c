#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "cli/command.h"
#include "cli/help.h"
#include "cli/messages.h"
#include "os/os.h"
#include "os/program.h"
#include "session/doctor/doctor.h"
#include "session/images/windows_file.h"

struct args {
	bool json, heap_library;
	struct wk_text_list debug_dirs, symbol_paths;
};

static const struct wk_opt options[] = {
	WK_FLAG(0, "json", "print JSON", offsetof(struct args, json)),
	WK_VALUE(0, "debug-dir", "DIR", "search for debug files here, before /usr/lib/debug",
	  WK_OPT_LIST, offsetof(struct args, debug_dirs)),
	WK_VALUE(0, "symbol-path", "PATH", "search for PDBs of Windows programs here, then in "
	  "_NT_SYMBOL_PATH; servers are not contacted", WK_OPT_LIST,
	  offsetof(struct args, symbol_paths)),
	WK_FLAG(0, "heap-library", "print only the path of the library that records heaps, for "
	  "LD_PRELOAD", offsetof(struct args, heap_library)),
	{ 0 },
};

/* So that the shell can put it into a command line. */
static int print_heap_library(const struct wk_call *call, struct wk_err *err)
{
	struct wk_buf path = { 0 };
	bool ok = wk_doctor_heap_library(&path, err);

	if (ok)
		wk_out_fmt(call->out, "%s\n", wk_buf_text(&path));
	wk_buf_fini(&path);
	return ok ? WK_EXIT_DONE : wk_exit_code(err);
}

static bool examine_folder(struct wk_findings *findings, const char *folder, struct wk_err *err)
{
	struct wk_buf manifest = { 0 };
	bool is_cargo;

	wk_buf_add_fmt(&manifest, "%s/Cargo.toml", folder);
	is_cargo = wk_os_is_there(wk_buf_text(&manifest));
	wk_buf_fini(&manifest);
	if (!is_cargo)
		return wk_fail(err, WK_ENOTFOUND, WK_NOWHERE,
			       "folder %s has no Cargo.toml; give a program or a Cargo project",
			       folder);
	wk_doctor_cargo(findings, folder);
	return true;
}

/* A file or folder that is there, or a program found by its name; the caller frees it. */
static char *resolve(const char *word, struct wk_err *err)
{
	char *found =
		wk_os_is_there(word) ? wk_strndup(word, strlen(word)) : wk_os_program_find(word);

	if (!found)
		wk_fail(err, WK_ENOTFOUND, WK_NOWHERE, "no program or folder %s", word);
	return found;
}

/* `path` NULL: only this machine, and the Cargo project in this folder. */
static bool examine(struct wk_findings *findings, const char *path,
		    const struct wk_naming_options *naming, struct wk_err *err)
{
	const char **debug_dirs;
	bool ok = true;

	/* Windows programs are not recorded on this machine. */
	if (path && wk_windows_file_is(path))
		return wk_windows_file_print(findings, path, naming, &wk_cli_messages, err);
	if (path && wk_doctor_recording(path, err))
		return false;
	debug_dirs = wk_debug_dirs(&naming->debug_dirs);
	wk_doctor_machine(findings);
	wk_doctor_libc(findings, debug_dirs);
	if (path && wk_os_is_folder(path))
		ok = examine_folder(findings, path, err);
	else if (path)
		wk_doctor_program(findings, path, debug_dirs);
	else if (wk_os_is_there("Cargo.toml"))
		wk_doctor_cargo(findings, ".");
	wk_free(debug_dirs);
	return ok;
}

static int run(const struct wk_call *call, struct wk_err *err)
{
	const struct args *args = call->args;
	const struct wk_words *words = call->words;
	/* No server is contacted. */
	const struct wk_naming_options naming = {
		.debug_dirs = args->debug_dirs,
		.remote = { .symbol_paths = args->symbol_paths, .offline = true },
	};
	struct wk_help_style style = wk_help_style();
	struct wk_findings findings = { 0 };
	char *path = NULL;
	int exit_code;
	bool ok;

	if (words->count > 1) {
		wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			"doctor accepts one program or folder, found "
			"%zu",
			words->count);
		return WK_EXIT_USAGE;
	}
	if (args->heap_library)
		return print_heap_library(call, err);
	if (words->count)
		path = resolve(words->at[0], err);
	ok = (path || !words->count) && examine(&findings, path, &naming, err);
	if (ok && args->json)
		wk_findings_print_json(&findings, call->out);
	else if (ok)
		wk_findings_print(&findings, call->out, style.columns, style.color);
	exit_code = wk_findings_count(&findings, WK_GRADE_BAD) ? WK_EXIT_FAILED : WK_EXIT_DONE;
	wk_findings_fini(&findings);
	wk_free(path);
	return ok ? exit_code : wk_exit_code(err);
}

const struct wk_command wk_cmd_doctor = {
	.name = "doctor",
	.summary = "check this machine, a program or a Cargo project for profiling",
	.usage = (const char *const[]){ "[OPTION...] [PROGRAM|FOLDER]", NULL },
	.description = (const char *const[]){
		"Checks what recording needs. With PROGRAM (a path, or a name in PATH) or the "
		"folder of a Cargo project, checks its names, stacks and debug information. doctor "
		"changes nothing and contacts no server.",
		"For a Windows program (.exe, .dll) it prints which PDB belongs to it, where wick "
		"searched for that, and whether there are names, lines and unwind tables. For a "
		"PDB it prints the program it belongs to and its contents.",
		"To check a recording, use `wick symbols FILE`.",
		"Each line is marked as good, warn or bad. Bad means that recording with "
		"names is not possible. The fix is printed below, ready to be pasted into a shell "
		"or a file.",
		NULL },
	.options = (const struct wk_opt_use[]){
		{ &(const struct wk_opt_group){ "Options", options }, 0 },
		{ 0 } },
	.examples = (const struct wk_example[]){
		{ "wick doctor", "check whether this machine can record" },
		{ "wick doctor ./app", "check whether the functions of ./app will have names" },
		{ "LD_PRELOAD=$(wick doctor --heap-library) ./app", "start a program whose heap "
								    "can be recorded later" },
		{ "wick doctor app.exe --symbol-path ./out", "check a Windows program, with PDBs "
							     "in a folder" },
		{ "wick doctor ~/src/project", "check the profiles of a Cargo project" },
		{ 0 } },
	.exit_note = "0 if nothing bad was found, 1 otherwise.",
	.words = WK_WORD_FILE,
	.args_size = sizeof(struct args),
	.run = run,
};
