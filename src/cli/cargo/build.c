#include "cli/cargo/build.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "cli/messages.h"
#include "cli/terminal.h"
#include "os/program.h"
#include "session/doctor/cargo_profile.h"

const char *wk_cargo_build_profile(const struct wk_cargo_build *build)
{
	bool is_bench = build->choice.kind == WK_CARGO_BENCH || build->choice.is_bench;

	if (build->profile)
		return build->profile;
	if (build->dev)
		return "dev";
	return is_bench && !build->release ? "bench" : "release";
}

/* The words that make cargo build, and not run, what was chosen. */
static void add_command(struct wk_text_list *argv, const struct wk_cargo_build *build)
{
	const struct wk_cargo_choice *choice = &build->choice;

	if (choice->kind == WK_CARGO_BENCH || choice->is_bench) {
		wk_text_list_add(argv, "bench");
		wk_text_list_add(argv, "--no-run");
	} else if (choice->kind == WK_CARGO_TEST || choice->is_unit) {
		wk_text_list_add(argv, "test");
		wk_text_list_add(argv, "--no-run");
	} else {
		wk_text_list_add(argv, "build");
	}
}

static void add_profile(struct wk_text_list *argv, const struct wk_cargo_build *build)
{
	const char *profile = wk_cargo_build_profile(build);
	bool is_bench = strcmp(argv->at[1], "bench") == 0;

	if (strcmp(profile, is_bench ? "bench" : "dev") == 0)
		return;
	if (strcmp(profile, "release") == 0 && !is_bench)
		wk_text_list_add(argv, "--release");
	else
		wk_text_list_add_pair(argv, "--profile", profile);
}

static void add_target(struct wk_text_list *argv, const struct wk_cargo_choice *choice)
{
	wk_text_list_add_pair(argv, "--package", choice->package);
	if (choice->kind == WK_CARGO_LIB)
		wk_text_list_add(argv, "--lib");
	else if (choice->kind < WK_CARGO_LIB)
		wk_text_list_add_pair(argv, wk_cargo_option(choice->kind), choice->name);
}

static void add_flag(struct wk_text_list *argv, const char *option, bool is_set)
{
	if (is_set)
		wk_text_list_add(argv, option);
}

/* Options that every cargo command accepts. */
static void add_everywhere(struct wk_text_list *argv, const struct wk_cargo_build *build)
{
	wk_text_list_add_pair(argv, "--manifest-path", build->manifest_path);
	for (size_t i = 0; i < build->config.count; i++)
		wk_text_list_add_pair(argv, "--config", build->config.at[i]);
	wk_text_list_add_pair(argv, "--color", build->color);
	add_flag(argv, "--offline", build->offline);
	add_flag(argv, "--locked", build->locked);
	add_flag(argv, "--frozen", build->frozen);
}

static void add_features(struct wk_text_list *argv, const struct wk_cargo_build *build)
{
	for (size_t i = 0; i < build->features.count; i++)
		wk_text_list_add_pair(argv, "--features", build->features.at[i]);
	add_flag(argv, "--all-features", build->all_features);
	add_flag(argv, "--no-default-features", build->no_default_features);
}

static void add_all(struct wk_text_list *argv, const struct wk_cargo_build *build)
{
	wk_text_list_add(argv, wk_cargo_program());
	add_command(argv, build);
	add_profile(argv, build);
	add_target(argv, &build->choice);
	add_everywhere(argv, build);
	add_features(argv, build);
	wk_text_list_add_pair(argv, "--target", build->target);
	wk_text_list_add_pair(argv, "--target-dir", build->target_dir);
	wk_text_list_add_pair(argv, "--jobs", build->jobs);
	add_flag(argv, "--quiet", build->quiet);
	/* Cargo prints compiler messages, in colour if possible; JSON is for wick. */
	wk_text_list_add(argv, "--message-format=json-render-diagnostics");
}

static void set_variable(const char *profile, const char *key, const char *value, bool verbose)
{
	struct wk_buf name = { 0 };

	wk_cargo_profile_variable(profile, key, &name);
	setenv(wk_buf_text(&name), value, true);
	if (verbose)
		wk_warn_fmt(&wk_cli_messages, "%s=%s", wk_buf_text(&name), value);
	wk_buf_fini(&name);
}

/* One compiler-artifact message. */
struct artifact {
	char *executable, *name, *manifest;
	enum wk_cargo_kind kind;
	bool has_debug, is_test, is_fresh;
};

static void forget(struct artifact *artifact)
{
	WK_FREE_ALL(artifact->executable, artifact->name, artifact->manifest);
}

/* Whether there is debug information: a number, a word, true or false, null. */
static bool is_debug(struct wk_json *json)
{
	switch (wk_json_peek(json)) {
	case WK_JSON_BOOL:
		return wk_json_bool(json);
	case WK_JSON_NULL:
		return false;
	default:
		return wk_cargo_is_debug(wk_json_text_or_number(json));
	}
}

static void read_profile(struct artifact *artifact, struct wk_json *json)
{
	struct wk_str key;

	if (!wk_json_enter_object(json))
		return;
	while (wk_json_next_key(json, &key)) {
		if (wk_str_is(key, "debuginfo"))
			artifact->has_debug = is_debug(json);
		else if (wk_str_is(key, "test"))
			artifact->is_test = wk_json_bool(json);
	}
}

/* False if the line is not a message about a program that was built. */
static bool read_artifact(struct artifact *artifact, struct wk_bytes line)
{
	struct wk_json json = wk_json_of(line);
	bool is_artifact = false;
	struct wk_str key;

	*artifact = (struct artifact){ .kind = WK_CARGO_OTHER };
	wk_json_enter_object(&json);
	while (wk_json_next_key(&json, &key)) {
		if (wk_str_is(key, "reason"))
			is_artifact = wk_str_is(wk_json_text(&json), "compiler-artifact");
		else if (wk_str_is(key, "manifest_path"))
			wk_cargo_replace(&artifact->manifest, wk_json_text(&json));
		else if (wk_str_is(key, "target"))
			wk_cargo_read_target(&json, &artifact->name, &artifact->kind);
		else if (wk_str_is(key, "fresh"))
			artifact->is_fresh = wk_json_bool(&json);
		else if (wk_str_is(key, "profile"))
			read_profile(artifact, &json);
		else if (wk_str_is(key, "executable") && wk_json_peek(&json) == WK_JSON_STRING)
			wk_cargo_replace(&artifact->executable, wk_json_text(&json));
	}
	if (wk_json_end(&json, NULL) && is_artifact && artifact->executable && artifact->name)
		return true;
	forget(artifact);
	return false;
}

static bool fits(const struct artifact *artifact, const struct wk_cargo_choice *choice)
{
	/* Programs are built together with integration tests, which use them. */
	return artifact->kind == choice->kind && artifact->is_test >= choice->is_unit &&
	       (!choice->name || strcmp(artifact->name, choice->name) == 0);
}

static void take(struct wk_cargo_built *built, const struct artifact *artifact)
{
	struct wk_str manifest = wk_str_c(artifact->manifest);
	size_t name_len = wk_str_basename(manifest).len;

	wk_cargo_built_fini(built);
	built->path = wk_strdup(artifact->executable);
	built->folder = wk_strndup(manifest.at, manifest.len - name_len);
	built->has_debug = artifact->has_debug;
	built->is_fresh = artifact->is_fresh;
}

static struct wk_str next_line(struct wk_bytes *messages)
{
	size_t left = wk_bytes_left(messages);
	const uint8_t *end = left ? memchr(messages->at, '\n', left) : NULL;
	struct wk_str line = { (const char *)messages->at,
			       end ? (size_t)(end - messages->at) : left };

	wk_bytes_skip(messages, line.len + (end != NULL));
	return line;
}

bool wk_cargo_built_find(struct wk_bytes messages, const struct wk_cargo_choice *choice,
			 struct wk_cargo_built *built, struct wk_err *err)
{
	size_t found = 0, others = 0;

	*built = (struct wk_cargo_built){ 0 };
	while (wk_bytes_left(&messages)) {
		struct wk_str line = next_line(&messages);
		struct artifact artifact;

		if (!read_artifact(&artifact, wk_bytes_of(line.at, line.len)))
			continue;
		if (!fits(&artifact, choice)) {
			others++;
		} else if (!built->path || strcmp(built->path, artifact.executable) != 0) {
			take(built, &artifact);
			found++;
		}
		forget(&artifact);
	}
	if (found == 1)
		return true;
	wk_cargo_built_fini(built);
	if (found > 1)
		return wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			       "%zu packages have a target \"%s\"; choose one with -p PACKAGE",
			       found, choice->name);
	return wk_fail(err, WK_ENOTFOUND, WK_NOWHERE, "cargo built no executable \"%s\"%s",
		       choice->name ? choice->name : "", others ? ", but others" : "");
}

void wk_cargo_built_fini(struct wk_cargo_built *built)
{
	WK_FREE_ALL(built->path, built->folder);
	*built = (struct wk_cargo_built){ 0 };
}

int wk_cargo_metadata(const struct wk_cargo_build *build, struct wk_cargo_project *project,
		      struct wk_err *err)
{
	struct wk_text_list options = { 0 };
	int exit_code;

	add_everywhere(&options, build);
	exit_code = wk_cargo_project_read(project, build->manifest_path, &options,
					  build->verbose ? WK_CARGO_VERBOSE : WK_CARGO_PLAIN, err);
	wk_text_list_fini(&options);
	return exit_code;
}

int wk_cargo_build_run(const struct wk_cargo_build *build, struct wk_cargo_built *built,
		       struct wk_err *err)
{
	const char *profile = wk_cargo_build_profile(build);
	struct wk_os_program_io io = WK_OS_PROGRAM_PLAIN;
	struct wk_buf messages = { 0 };
	struct wk_text_list argv = { 0 };
	int exit_code;

	*built = (struct wk_cargo_built){ 0 };
	if (build->with_debug) {
		set_variable(profile, "debug", "true", build->verbose);
		set_variable(profile, "strip", "none", build->verbose);
	}
	add_all(&argv, build);
	if (build->verbose)
		wk_say_command(&argv);
	io.collect = &messages;
	exit_code = wk_os_program_run(argv.at, io, err);
	if (exit_code == 0 && !wk_cargo_built_find(wk_bytes_of(messages.at, messages.len),
						   &build->choice, built, err))
		exit_code = -1;
	wk_text_list_fini(&argv);
	wk_buf_fini(&messages);
	return exit_code;
}
