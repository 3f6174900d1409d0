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
	bool json;
	struct wk_text_list debug_dirs, symbol_paths;
};

static const struct wk_opt options[] = {
	{ 0, "json", NULL, "print JSON", WK_OPT_FLAG, offsetof(struct args, json), NULL },
	{ 0, "debug-dir", "DIR", "look for debug files here, before /usr/lib/debug", WK_OPT_LIST,
	  offsetof(struct args, debug_dirs), NULL },
	{ 0, "symbol-path", "PATH", "look for PDBs of Windows programs here, then along "
	  "_NT_SYMBOL_PATH; no server is asked", WK_OPT_LIST, offsetof(struct args, symbol_paths),
	  NULL },
	{ 0 },
};

static bool examine_folder(struct wk_findings *findings, const char *folder, struct wk_err *err)
{
	struct wk_buf manifest = { 0 };
	bool is_cargo;

	wk_buf_add_fmt(&manifest, "%s/Cargo.toml", folder);
	is_cargo = wk_os_is_there(wk_buf_text(&manifest));
	wk_buf_fini(&manifest);
	if (!is_cargo)
		return wk_fail(err, WK_ENOTFOUND, WK_NOWHERE,
			       "%s is a folder without a Cargo.toml; give a program or a Cargo "
			       "project",
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
		wk_fail(err, WK_ENOTFOUND, WK_NOWHERE, "no such program or folder: %s", word);
	return found;
}

/* `path` NULL: of this machine alone, or of the project that we are in. */
static bool examine(struct wk_findings *findings, const char *path,
		    const struct wk_naming_options *naming, struct wk_err *err)
{
	const char **debug_dirs;
	bool ok = true;

	/* They are recorded elsewhere, or were. */
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
	/* Nobody is asked over the network. */
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
		wk_fail(err, WK_EUSAGE, WK_NOWHERE, "one program or folder at a time, found %zu",
			words->count);
		return WK_EXIT_USAGE;
	}
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
	.summary = "say whether this machine, a program or a Cargo project is ready",
	.usage = (const char *const[]){ "[OPTION...] [PROGRAM|FOLDER]", NULL },
	.description = (const char *const[]){
		"Tries what a recording needs, and looks at PROGRAM (a path, or a name that is in "
		"PATH) or at the Cargo project in FOLDER: names, stacks, debug information. "
		"Nothing is changed, and nothing is fetched.",
		"Of a program for Windows (.exe, .dll) it says which PDB it was linked with, where "
		"that was looked for, and whether it has names, lines and unwind tables; of a PDB "
		"which program it belongs to and what it has.",
		"A recording is nothing that it looks at: `wick symbols FILE` says which names "
		"that lacks, and what brings them.",
		"Each line is good, or says what could be better, or what is bad: in the way of a "
		"recording with names. Below it stands what mends it, to be pasted into a shell "
		"or a file.",
		NULL },
	.options = (const struct wk_opt_use[]){
		{ &(const struct wk_opt_group){ "Options", options }, 0 },
		{ 0 } },
	.examples = (const struct wk_example[]){
		{ "wick doctor", "may I record here?" },
		{ "wick doctor ./app", "will its functions have names?" },
		{ "wick doctor app.exe --symbol-path ./out", "the same of a program for Windows, "
							     "with the PDBs in a folder" },
		{ "wick doctor ~/src/project", "are the profiles of a Cargo project as they should "
					       "be?" },
		{ 0 } },
	.exit_note = "1 also says that something is in the way, 0 that nothing is.",
	.words = WK_WORD_FILE,
	.args_size = sizeof(struct args),
	.run = run,
};
