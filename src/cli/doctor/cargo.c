#include <stdlib.h>
#include <string.h>

#include "cli/cargo/project.h"
#include "session/doctor/cargo_profile.h"
#include "session/doctor/program_fix.h"
#include "session/doctor/doctor.h"

/* The lines of a file, and where wick records the words that do the same for one build. */
static void add_setting(struct wk_buf *fix, const char *file, const char *profile,
			const char *setting)
{
	wk_buf_add_fmt(fix, "in %s:\n[profile.%s]\n%s", file, profile, setting);
	if (wk_doctor_records())
		wk_buf_add_text(fix, "\nor for one build: cargo wick --with-debug");
}

/* What decides whether a profile's programs can be looked at well. */
struct profile {
	const char *name;
	struct wk_buf debug, debug_from, strip, strip_from;
};

static struct profile read_profile(const char *folder, const char *name)
{
	struct profile profile = { .name = name };

	wk_cargo_profile_find(folder, name, "debug", &profile.debug, &profile.debug_from);
	wk_cargo_profile_find(folder, name, "strip", &profile.strip, &profile.strip_from);
	return profile;
}

static void forget_profile(struct profile *profile)
{
	WK_BUF_FINI_ALL(&profile->debug, &profile->debug_from, &profile->strip,
			&profile->strip_from);
}

static bool has_debug(const struct profile *profile)
{
	return wk_cargo_is_debug(wk_buf_str(&profile->debug));
}

static bool is_stripped(const struct profile *profile)
{
	return wk_cargo_is_stripped(wk_buf_str(&profile->strip));
}

static void debug(struct wk_findings *findings, const char *folder, const struct profile *profile)
{
	struct wk_buf file = { 0 }, fix = { 0 };

	wk_cargo_root(folder, &file);
	wk_buf_add_text(&file, "/Cargo.toml");
	add_setting(&fix, wk_buf_text(&file), profile->name, "debug = true");
	if (has_debug(profile))
		wk_findings_good(findings, "profile %s has debug information (debug = %s in %s)",
				 profile->name, wk_buf_text(&profile->debug),
				 wk_buf_text(&profile->debug_from));
	else
		wk_findings_warn(findings, wk_buf_text(&fix),
				 "profile %s has no debug information: " WK_DEBUG_WORDS,
				 profile->name);
	WK_BUF_FINI_ALL(&file, &fix);
}

static void strip(struct wk_findings *findings, const struct profile *profile)
{
	struct wk_buf fix = { 0 };

	add_setting(&fix, wk_buf_text(&profile->strip_from), profile->name, "strip = \"none\"");
	if (is_stripped(profile))
		wk_findings_bad(findings, wk_buf_text(&fix),
				"profile %s strips the names of all functions (strip = %s in %s)",
				profile->name, wk_buf_text(&profile->strip),
				wk_buf_text(&profile->strip_from));
	else
		wk_findings_good(findings, "profile %s keeps function names", profile->name);
	wk_buf_fini(&fix);
}

/* Of the packages that are meant in `folder`: can a program be run, or what else? */
static void report_targets(struct wk_findings *findings, const struct wk_cargo_project *project)
{
	struct wk_buf lines = { 0 };
	struct wk_out out = wk_out_to_buf(&lines);
	size_t programs = 0, listed;

	for (size_t i = 0; i < project->count; i++)
		programs += project->targets[i].is_near && project->targets[i].kind == WK_CARGO_BIN;
	listed = wk_cargo_list(project, &(struct wk_cargo_choice){ 0 }, &out);
	wk_out_end(&out);
	if (programs)
		wk_findings_good(findings, "%zu %s to record", programs,
				 programs == 1 ? "program" : "programs");
	else if (listed)
		wk_findings_warn(findings, wk_doctor_records() ? wk_buf_text(&lines) : NULL,
				 "no binary; tests, benchmarks and examples can be profiled%s",
				 wk_doctor_records() ? ":" : "");
	else
		wk_findings_bad(findings, NULL,
				"nothing to profile: no binary, library, test, benchmark or "
				"example");
	wk_buf_fini(&lines);
}

/* Without cargo, or if it cannot read the project, the profiles are checked nevertheless. */
static void targets(struct wk_findings *findings, const char *folder)
{
	struct wk_cargo_project project = { 0 };
	struct wk_text_list options = { 0 };
	struct wk_buf manifest = { 0 };

	wk_buf_add_fmt(&manifest, "%s/Cargo.toml", folder);
	wk_text_list_add_pair(&options, "--manifest-path", wk_buf_text(&manifest));
	wk_text_list_add(&options, "--offline");
	if (wk_doctor_is_in_path("cargo")) {
		if (wk_cargo_project_read(&project, wk_buf_text(&manifest), &options, WK_CARGO_MUTE,
					  NULL) == 0)
			report_targets(findings, &project);
		else
			wk_findings_bad(findings, "cargo metadata --no-deps",
					"cargo cannot read this project; to see why:");
	}
	wk_cargo_project_free(&project);
	wk_text_list_fini(&options);
	wk_buf_fini(&manifest);
}

void wk_doctor_cargo(struct wk_findings *findings, const char *folder)
{
	struct profile release = read_profile(folder, "release");
	struct profile bench = read_profile(folder, "bench");

	wk_findings_on(findings, "Cargo project %s", folder);
	wk_doctor_cargo_tools(findings);
	targets(findings, folder);
	debug(findings, folder, &release);
	strip(findings, &release);
	/* It inherits from release, and is reported if it differs. */
	if (has_debug(&bench) != has_debug(&release))
		debug(findings, folder, &bench);
	if (is_stripped(&bench) != is_stripped(&release))
		strip(findings, &bench);
	forget_profile(&release);
	forget_profile(&bench);
}
