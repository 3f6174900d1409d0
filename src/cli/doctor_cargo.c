#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cargo_profile.h"
#include "cli/child.h"
#include "cli/debug_words.h"
#include "cli/doctor.h"

static bool is_in_path(const char *program)
{
	char *found = wk_program_find(program);

	free(found);
	return found != NULL;
}

static void tools(struct wk_findings *findings)
{
	struct wk_buf mend = { 0 };
	char self[4096];
	ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);

	self[len > 0 ? len : 0] = '\0';
	wk_buf_add_fmt(&mend, "ln -s %s ~/.cargo/bin/cargo-wick", self);
	if (!is_in_path("cargo"))
		wk_findings_bad(findings, "sudo apt-get install cargo", "cargo is not in PATH");
	else if (is_in_path("cargo-wick"))
		wk_findings_good(findings, "`cargo wick` builds, records and draws");
	else
		wk_findings_better(findings, wk_buf_text(&mend),
				   "`wick cargo` works here, `cargo wick` does not: there is no "
				   "cargo-wick in PATH");
	wk_buf_fini(&mend);
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
	wk_buf_fini(&profile->debug);
	wk_buf_fini(&profile->debug_from);
	wk_buf_fini(&profile->strip);
	wk_buf_fini(&profile->strip_from);
}

static bool has_debug(const struct profile *profile)
{
	return wk_cargo_is_debug(wk_buf_str(&profile->debug));
}

static bool is_stripped(const struct profile *profile)
{
	return wk_cargo_is_stripped(wk_buf_str(&profile->strip));
}

static void debug(struct wk_findings *findings, const char *folder,
		  const struct profile *profile)
{
	struct wk_buf root = { 0 }, mend = { 0 };

	wk_cargo_root(folder, &root);
	wk_buf_add_fmt(&mend, "in %s/Cargo.toml:\n[profile.%s]\ndebug = true\n"
			      "or for one build: cargo wick --with-debug",
		       wk_buf_text(&root), profile->name);
	if (has_debug(profile))
		wk_findings_good(findings, "profile %s has debug information (debug = %s in %s)",
				 profile->name, wk_buf_text(&profile->debug),
				 wk_buf_text(&profile->debug_from));
	else
		wk_findings_better(findings, wk_buf_text(&mend),
				   "profile %s has no debug information: " WK_DEBUG_WORDS,
				   profile->name);
	wk_buf_fini(&root);
	wk_buf_fini(&mend);
}

static void strip(struct wk_findings *findings, const struct profile *profile)
{
	struct wk_buf mend = { 0 };

	wk_buf_add_fmt(&mend, "in %s:\n[profile.%s]\nstrip = \"none\"\n"
			      "or for one build: cargo wick --with-debug",
		       wk_buf_text(&profile->strip_from), profile->name);
	if (is_stripped(profile))
		wk_findings_bad(findings, wk_buf_text(&mend),
				"profile %s takes the names of all functions away (strip = %s in "
				"%s)", profile->name, wk_buf_text(&profile->strip),
				wk_buf_text(&profile->strip_from));
	else
		wk_findings_good(findings, "profile %s keeps the names of functions",
				 profile->name);
	wk_buf_fini(&mend);
}

void wk_doctor_cargo(struct wk_findings *findings, const char *folder)
{
	struct profile release = read_profile(folder, "release");
	struct profile bench = read_profile(folder, "bench");

	wk_findings_about(findings, "Cargo project %s", folder);
	tools(findings);
	debug(findings, folder, &release);
	strip(findings, &release);
	/* It inherits from release, and is worth words where it differs. */
	if (has_debug(&bench) != has_debug(&release))
		debug(findings, folder, &bench);
	if (is_stripped(&bench) != is_stripped(&release))
		strip(findings, &bench);
	forget_profile(&release);
	forget_profile(&bench);
}
