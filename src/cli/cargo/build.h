/* Builds one program of a Cargo project and finds it in cargo's JSON messages. Cargo's messages for
 * people go to standard error as always. */
#ifndef WK_CLI_CARGO_BUILD_H
#define WK_CLI_CARGO_BUILD_H

#include "cli/cargo/project.h"
#include "cli/options/options.h"

struct wk_cargo_build {
	bool dev, release;   /* at most one of these ... */
	const char *profile; /* ... three; none: the default for the kind of target */
	const char *manifest_path;
	struct wk_text_list features;
	bool all_features, no_default_features;
	const char *target, *target_dir, *jobs, *color; /* as for cargo; NULL: not given */
	struct wk_text_list config;
	bool offline, locked, frozen;
	bool with_debug; /* debug information and names, whatever the profile sets */
	bool verbose, quiet;
	struct wk_cargo_choice choice;
};

/* A program that was built; freed by wk_cargo_built_fini. */
struct wk_cargo_built {
	char *path;
	char *folder;   /* of its package's Cargo.toml */
	bool has_debug; /* as cargo reports */
	bool is_fresh;  /* it was up to date, so nothing was built */
};

/* The profile that is used: "release", "bench", "dev" or a custom one. */
const char *wk_cargo_build_profile(const struct wk_cargo_build *build);

/* The targets: wk_cargo_project_read with the options that every cargo command accepts. */
int wk_cargo_metadata(const struct wk_cargo_build *build, struct wk_cargo_project *project,
		      struct wk_err *err);

/* 0, or cargo's exit code if the build failed, which cargo has reported; -1 and `err` for any other
 * failure. */
int wk_cargo_build_run(const struct wk_cargo_build *build, struct wk_cargo_built *built,
		       struct wk_err *err);

/* Finds the program of `choice` in cargo's messages, one JSON object per line. False if there is
 * none, or several. */
bool wk_cargo_built_find(struct wk_bytes messages, const struct wk_cargo_choice *choice,
			 struct wk_cargo_built *built, struct wk_err *err);

void wk_cargo_built_fini(struct wk_cargo_built *built);

#endif
