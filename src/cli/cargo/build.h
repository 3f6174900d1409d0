/* Builds one program of a Cargo project and finds it, through cargo's JSON messages. What cargo
 * says to people goes to standard error as always. */
#ifndef WK_CLI_CARGO_BUILD_H
#define WK_CLI_CARGO_BUILD_H

#include "cli/cargo/project.h"
#include "cli/options/options.h"

struct wk_cargo_build {
	bool dev, release;   /* at most one of these ... */
	const char *profile; /* ... three; none: what is usual for the kind of target */
	const char *manifest_path;
	struct wk_text_list features;
	bool all_features, no_default_features;
	const char *target, *target_dir, *jobs, *color; /* cargo's own words; NULL: not said */
	struct wk_text_list config;
	bool offline, locked, frozen;
	bool with_debug; /* debug information and names, whatever the profile says */
	bool verbose, quiet;
	struct wk_cargo_choice choice;
};

/* A program that was built; the owner ends it with wk_cargo_built_fini. */
struct wk_cargo_built {
	char *path;
	char *folder;   /* of its package's Cargo.toml */
	bool has_debug; /* by what cargo says of it */
	bool is_fresh;  /* it was there already, so nothing was built */
};

/* The profile that is used: "release", "bench", "dev" or a custom one. */
const char *wk_cargo_build_profile(const struct wk_cargo_build *build);

/* What there is to build: wk_cargo_project_read with the words that go to every command of
 * cargo's. */
int wk_cargo_metadata(const struct wk_cargo_build *build, struct wk_cargo_project *project,
		      struct wk_err *err);

/* 0, or cargo's exit code where the build failed, which cargo has told already; -1 and `err` for
 * any other failure. */
int wk_cargo_build_run(const struct wk_cargo_build *build, struct wk_cargo_built *built,
		       struct wk_err *err);

/* The program meant by `choice` in cargo's messages, a JSON object a line. False where there is
 * none, or where it cannot be told which. */
bool wk_cargo_built_find(struct wk_bytes messages, const struct wk_cargo_choice *choice,
			 struct wk_cargo_built *built, struct wk_err *err);

void wk_cargo_built_fini(struct wk_cargo_built *built);

#endif
