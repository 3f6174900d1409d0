#include "cli/cargo/project.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "cli/terminal.h"
#include "os/os.h"
#include "os/program.h"

const char *wk_cargo_program(void)
{
	const char *cargo = wk_os_env("CARGO");

	return cargo && *cargo ? cargo : "cargo";
}

enum wk_cargo_kind wk_cargo_kind_of(struct wk_str kind)
{
	static const struct {
		const char *name;
		enum wk_cargo_kind kind;
	} kinds[] = {
		{ "bin", WK_CARGO_BIN },       { "example", WK_CARGO_EXAMPLE },
		{ "test", WK_CARGO_TEST },     { "bench", WK_CARGO_BENCH },
		{ "lib", WK_CARGO_LIB },       { "rlib", WK_CARGO_LIB },
		{ "dylib", WK_CARGO_LIB },     { "cdylib", WK_CARGO_LIB },
		{ "staticlib", WK_CARGO_LIB }, { "proc-macro", WK_CARGO_LIB },
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (wk_str_is(kind, kinds[i].name))
			return kinds[i].kind;
	return WK_CARGO_OTHER;
}

void wk_cargo_replace(char **at, struct wk_str text)
{
	wk_free(*at);
	*at = wk_strndup(text.at, text.len);
}

void wk_cargo_read_target(struct wk_json *json, char **name, enum wk_cargo_kind *kind)
{
	struct wk_str key;

	if (!wk_json_enter_object(json))
		return;
	while (wk_json_next_key(json, &key)) {
		if (wk_str_is(key, "name"))
			wk_cargo_replace(name, wk_json_text(json));
		else if (wk_str_is(key, "kind") && wk_json_enter_array(json))
			while (wk_json_next_element(json))
				*kind = wk_cargo_kind_of(wk_json_text(json));
	}
}

const char *wk_cargo_option(enum wk_cargo_kind kind)
{
	static const char *const options[WK_CARGO_OTHER + 1] = {
		[WK_CARGO_BIN] = "--bin",
		[WK_CARGO_EXAMPLE] = "--example",
		[WK_CARGO_TEST] = "--test",
		[WK_CARGO_BENCH] = "--bench",
	};

	return options[kind];
}

/* A package while it is read: its targets may come before its name. */
struct package {
	char *name, *id, *manifest, *default_run;
	size_t first_target;
};

struct reading {
	struct wk_cargo_project *project;
	struct package *packages;
	size_t count, cap;
};

static void read_target(struct wk_cargo_project *project, struct wk_json *json)
{
	struct wk_cargo_target target = { .kind = WK_CARGO_OTHER };

	wk_cargo_read_target(json, &target.name, &target.kind);
	if (target.name)
		*WK_APPEND(project->targets, project->count, project->cap) = target;
}

static void read_package(struct reading *reading, struct wk_json *json)
{
	struct wk_cargo_project *project = reading->project;
	struct package package = { .first_target = project->count };
	struct wk_str key;

	if (!wk_json_enter_object(json))
		return;
	while (wk_json_next_key(json, &key)) {
		if (wk_str_is(key, "name"))
			wk_cargo_replace(&package.name, wk_json_text(json));
		else if (wk_str_is(key, "id"))
			wk_cargo_replace(&package.id, wk_json_text(json));
		else if (wk_str_is(key, "manifest_path"))
			wk_cargo_replace(&package.manifest, wk_json_text(json));
		else if (wk_str_is(key, "default_run"))
			wk_cargo_replace(&package.default_run, wk_json_text(json));
		else if (wk_str_is(key, "targets") && wk_json_enter_array(json))
			while (wk_json_next_element(json))
				read_target(project, json);
	}
	for (size_t i = package.first_target; i < project->count; i++) {
		struct wk_cargo_target *target = &project->targets[i];

		target->package = wk_strdup(package.name ? package.name : "");
		target->is_default = package.default_run && target->kind == WK_CARGO_BIN &&
				     strcmp(target->name, package.default_run) == 0;
	}
	*WK_APPEND(reading->packages, reading->count, reading->cap) = package;
}

static void set_near(struct reading *reading, size_t number)
{
	struct wk_cargo_project *project = reading->project;
	size_t end = number + 1 < reading->count ? reading->packages[number + 1].first_target
						 : project->count;

	for (size_t i = reading->packages[number].first_target; i < end; i++)
		project->targets[i].is_near = true;
}

/* The packages of an array of ids. */
static bool read_near(struct reading *reading, struct wk_json *json)
{
	bool found = false;

	if (!wk_json_enter_array(json))
		return false;
	while (wk_json_next_element(json)) {
		struct wk_str id = wk_json_text(json);

		for (size_t i = 0; i < reading->count; i++) {
			if (!reading->packages[i].id || !wk_str_is(id, reading->packages[i].id))
				continue;
			set_near(reading, i);
			found = true;
		}
	}
	return found;
}

/* Cargo writes Windows paths with backslashes, and a folder can be typed in any case. */
static char as_compared(char c, bool is_windows)
{
	if (!is_windows)
		return c;
	return c == '\\' ? '/' : wk_lower(c);
}

/* Whether `path` is that folder, or in it. `folder` ends without a slash. */
static bool is_within(const char *path, struct wk_str folder)
{
	bool is_windows = wk_str_is_windows_path(folder);

	for (size_t i = 0; i < folder.len; i++)
		if (as_compared(path[i], is_windows) != as_compared(folder.at[i], is_windows))
			return false;
	return !path[folder.len] || as_compared(path[folder.len], is_windows) == '/';
}

/* For cargo before 1.71: the package that we are in, or all of them. */
static void guess_near(struct reading *reading, const char *folder)
{
	size_t best_len = 0, best = 0;

	for (size_t i = 0; i < reading->count; i++) {
		struct wk_str manifest = wk_str_c(reading->packages[i].manifest);
		size_t len = manifest.len - wk_str_basename(manifest).len;

		/* `len` counts the slash in front of Cargo.toml. */
		if (len > best_len && is_within(folder, wk_str_of(manifest.at, len - 1))) {
			best_len = len;
			best = i;
		}
	}
	for (size_t i = 0; i < reading->count; i++)
		if (!best_len || i == best)
			set_near(reading, i);
}

static void forget_packages(struct reading *reading)
{
	for (size_t i = 0; i < reading->count; i++) {
		WK_FREE_ALL(reading->packages[i].name, reading->packages[i].id,
			    reading->packages[i].manifest, reading->packages[i].default_run);
	}
	wk_free(reading->packages);
}

bool wk_cargo_project_parse(struct wk_cargo_project *project, struct wk_bytes metadata,
			    const char *folder, struct wk_err *err)
{
	struct reading reading = { .project = project };
	struct wk_json json = wk_json_of(metadata), near = { 0 };
	struct wk_str key;
	bool knows_near, ok;

	wk_json_enter_object(&json);
	while (wk_json_next_key(&json, &key)) {
		if (wk_str_is(key, "packages")) {
			if (wk_json_enter_array(&json))
				while (wk_json_next_element(&json))
					read_package(&reading, &json);
		} else if (wk_str_is(key, "workspace_root")) {
			wk_cargo_replace(&project->root, wk_json_text(&json));
		} else if (wk_str_is(key, "workspace_default_members")) {
			wk_json_end(&near, NULL);
			near = wk_json_value(&json);
		}
	}
	ok = wk_json_end(&json, err) || wk_err_in(err, "cargo metadata");
	if (ok && !project->root)
		ok = wk_fail(err, WK_ECORRUPT, WK_NOWHERE, "cargo metadata has no workspace_root");
	knows_near = near.at && read_near(&reading, &near);
	wk_json_end(&near, NULL);
	if (!knows_near)
		guess_near(&reading, folder);
	forget_packages(&reading);
	return ok;
}

int wk_cargo_project_read(struct wk_cargo_project *project, const char *manifest_path,
			  const struct wk_text_list *options, enum wk_cargo_talk talk,
			  struct wk_err *err)
{
	char *folder = wk_os_real_path(manifest_path ? manifest_path : ".");
	struct wk_buf text = { 0 };
	struct wk_os_program_io io = WK_OS_PROGRAM_PLAIN;
	struct wk_text_list argv = { 0 };
	int exit_code;

	io.collect = &text;
	io.is_mute = talk == WK_CARGO_MUTE;
	wk_text_list_add(&argv, wk_cargo_program());
	wk_text_list_add(&argv, "metadata");
	wk_text_list_add(&argv, "--quiet");
	wk_text_list_add(&argv, "--no-deps");
	wk_text_list_add_pair(&argv, "--format-version", "1");
	for (size_t i = 0; options && i < options->count; i++)
		wk_text_list_add(&argv, options->at[i]);
	if (talk == WK_CARGO_VERBOSE)
		wk_say_command(&argv);
	exit_code = wk_os_program_run(argv.at, io, err);
	if (exit_code == 0 && !wk_cargo_project_parse(project, wk_bytes_of(text.at, text.len),
						      folder ? folder : "", err))
		exit_code = -1;
	wk_text_list_fini(&argv);
	wk_buf_fini(&text);
	wk_free(folder);
	return exit_code;
}

void wk_cargo_project_free(struct wk_cargo_project *project)
{
	for (size_t i = 0; i < project->count; i++) {
		WK_FREE_ALL(project->targets[i].name, project->targets[i].package);
	}
	WK_FREE_ALL(project->targets, project->root);
	*project = (struct wk_cargo_project){ 0 };
}
