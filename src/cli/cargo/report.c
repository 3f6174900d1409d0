#include "cli/cargo/report.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/out.h"
#include "os/program.h"
#include "cli/messages.h"
#include "cli/terminal.h"
#include "session/doctor/cargo_profile.h"
#include "session/doctor/cargo_program.h"
#include "session/doctor/program_fix.h"

/* The fix. Lines to be copied have no "wick:" in front. */
static void report_lines(const char *why, const char *file, const char *profile, const char *line)
{
	struct wk_out out = wk_out_to_fd(STDERR_FILENO);

	wk_out_fmt(&out, "wick: %s ", why);
	wk_out_term(&out, wk_str_c(file));
	wk_out_text(&out, ":\n    [profile.");
	wk_out_term(&out, wk_str_c(profile));
	wk_out_fmt(&out, "]\n    %s\n", line);
	wk_out_end(&out);
}

static void report_stripped(const struct wk_cargo_build *build,
			    const struct wk_cargo_project *project, const char *manifest)
{
	const char *profile = wk_cargo_build_profile(build);
	struct wk_buf value = { 0 }, where = { 0 }, words = { 0 };
	bool found = wk_cargo_profile_find(project->root, profile, "strip", &value, &where);

	wk_buf_add_text(&words, "the program is stripped, so its functions will have no names");
	if (found)
		wk_buf_add_fmt(&words, " (strip = %s in %s)", wk_buf_text(&value),
			       wk_buf_text(&where));
	wk_warn_buf(&wk_cli_messages, &words);
	report_lines("to keep the names in every build, in", manifest, profile, "strip = \"none\"");
	wk_say("to keep them in one build: cargo wick --with-debug");
	WK_BUF_FINI_ALL(&value, &where);
}

void wk_cargo_report(const struct wk_cargo_build *build, const struct wk_cargo_project *project,
		     const struct wk_cargo_built *built)
{
	struct wk_buf manifest = { 0 };

	wk_buf_add_fmt(&manifest, "%s/Cargo.toml", project->root ? project->root : "");
	if (!wk_cargo_program_has_names(built->path)) {
		report_stripped(build, project, wk_buf_text(&manifest));
	} else if (!built->has_debug && built->is_fresh) {
		/* The lines were printed when it was built. */
		wk_say("no debug information (" WK_DEBUG_WORDS "); use --with-debug");
	} else if (!built->has_debug) {
		report_lines("no debug information (" WK_DEBUG_WORDS "); in",
			     wk_buf_text(&manifest), wk_cargo_build_profile(build), "debug = true");
		wk_say("or for one build: cargo wick --with-debug");
	}
	wk_buf_fini(&manifest);
}

/* The folder of the profile's programs: tests are in its deps/, examples in examples/. */
static struct wk_str output_folder(const char *path)
{
	struct wk_str folder = wk_str_c(path);

	folder.len -= wk_str_basename(folder).len;
	if (wk_str_ends(folder, "/deps/"))
		folder.len -= strlen("deps/");
	else if (wk_str_ends(folder, "/examples/"))
		folder.len -= strlen("examples/");
	return folder;
}

/* The folder of Rust's own shared library, as the compiler prints it. */
static void add_std_folder(struct wk_buf *path)
{
	const char *compiler = getenv("RUSTC");
	struct wk_os_program_io io = WK_OS_PROGRAM_PLAIN;
	struct wk_buf folder = { 0 };
	const char *const argv[] = { compiler && *compiler ? compiler : "rustc", "--print",
				     "target-libdir", NULL };

	io.collect = &folder;
	if (wk_os_program_run(argv, io, NULL) == 0 && folder.len > 1)
		wk_buf_add_fmt(path, ":%.*s", (int)folder.len - 1, folder.at);
	wk_buf_fini(&folder);
}

void wk_cargo_environment(const struct wk_cargo_built *built)
{
	struct wk_str folder = output_folder(built->path), manifest = wk_str_c(built->folder);
	const char *before = getenv("LD_LIBRARY_PATH");
	struct wk_buf text = { 0 };

	if (manifest.len > 1)
		wk_buf_add(&text, manifest.at, manifest.len - 1);
	setenv("CARGO_MANIFEST_DIR", wk_buf_text(&text), true);
	wk_buf_reset(&text);
	wk_buf_add_fmt(&text, "%.*sdeps:%.*s", WK_STR_ARG(folder), WK_STR_ARG(folder));
	if (wk_cargo_program_shares_std(built->path))
		add_std_folder(&text);
	if (before && *before)
		wk_buf_add_fmt(&text, ":%s", before);
	setenv("LD_LIBRARY_PATH", wk_buf_text(&text), true);
	wk_buf_fini(&text);
}
