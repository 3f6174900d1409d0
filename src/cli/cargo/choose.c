#include <string.h>
#include <unistd.h>

#include "base/out.h"
#include "base/text/suggest.h"
#include "cli/cargo/project.h"

/* Whether the target fits the choice; `far`: also in other packages than those that we are in. */
static bool may_be(const struct wk_cargo_target *target, const struct wk_cargo_choice *choice,
		   bool far)
{
	bool right_kind =
		target->kind == WK_CARGO_BIN || (choice->is_unit && target->kind == WK_CARGO_LIB);

	if (choice->has_unit_kind)
		right_kind = target->kind == choice->kind;
	if (!right_kind || (choice->name && strcmp(target->name, choice->name) != 0))
		return false;
	if (choice->package)
		return strcmp(target->package, choice->package) == 0;
	return far || target->is_near;
}

static size_t count(const struct wk_cargo_project *project, const struct wk_cargo_choice *choice,
		    bool far, const struct wk_cargo_target **one)
{
	size_t found = 0;

	for (size_t i = 0; i < project->count; i++) {
		if (!may_be(&project->targets[i], choice, far))
			continue;
		*one = &project->targets[i];
		found++;
	}
	return found;
}

/* The default program of a package, or its library, if there are several. */
static const struct wk_cargo_target *preferred(const struct wk_cargo_project *project,
					       const struct wk_cargo_choice *choice, bool far)
{
	const struct wk_cargo_target *found = NULL;

	for (size_t i = 0; i < project->count; i++) {
		const struct wk_cargo_target *target = &project->targets[i];
		bool wanted = choice->is_unit ? choice->name && target->kind == WK_CARGO_LIB
					      : target->is_default;

		if (!wanted || !may_be(target, choice, far))
			continue;
		if (found)
			return NULL;
		found = target;
	}
	return found;
}

static const char *option_of(enum wk_cargo_kind kind, const struct wk_cargo_choice *choice)
{
	if (choice->is_unit)
		return choice->is_bench ? "--unit-bench" : "--unit-test";
	return wk_cargo_option(kind) ? wk_cargo_option(kind) : "--unit-test";
}

/* Whether the package has a library and a program of this name. */
static bool is_double(const struct wk_cargo_project *project, const struct wk_cargo_target *target)
{
	size_t found = 0;

	for (size_t i = 0; i < project->count; i++) {
		const struct wk_cargo_target *other = &project->targets[i];

		found += (other->kind == WK_CARGO_BIN || other->kind == WK_CARGO_LIB) &&
			 strcmp(other->name, target->name) == 0 &&
			 strcmp(other->package, target->package) == 0;
	}
	return found > 1;
}

static void list_one(const struct wk_cargo_project *project, const struct wk_cargo_choice *choice,
		     const struct wk_cargo_target *target, bool with_package, struct wk_out *out)
{
	const char *option = option_of(target->kind, choice);

	wk_out_fmt(out, "    cargo wick %s ", option);
	wk_out_term(out, wk_str_c(target->name));
	if (strncmp(option, "--unit", 6) == 0 && is_double(project, target))
		wk_out_fmt(out, " --unit-test-kind %s",
			   target->kind == WK_CARGO_LIB ? "lib" : "bin");
	if (with_package) {
		wk_out_text(out, " -p ");
		wk_out_term(out, wk_str_c(target->package));
	}
	wk_out_char(out, '\n');
}

static bool is_of_several_packages(const struct wk_cargo_project *project)
{
	for (size_t i = 1; i < project->count; i++)
		if (strcmp(project->targets[i].package, project->targets[0].package) != 0)
			return true;
	return false;
}

/* The targets that fit, as they are typed. */
static void list_fitting(const struct wk_cargo_project *project,
			 const struct wk_cargo_choice *choice, bool far)
{
	struct wk_out out = wk_out_to_fd(STDERR_FILENO);
	bool several = is_of_several_packages(project);

	for (size_t i = 0; i < project->count; i++)
		if (may_be(&project->targets[i], choice, far))
			list_one(project, choice, &project->targets[i], several, &out);
	wk_out_end(&out);
}

/* Whether the target is in the package of -p, or in those that we are in. */
static bool is_here(const struct wk_cargo_target *target, const struct wk_cargo_choice *choice)
{
	if (target->kind == WK_CARGO_OTHER)
		return false;
	return choice->package ? strcmp(target->package, choice->package) == 0 : target->is_near;
}

size_t wk_cargo_list(const struct wk_cargo_project *project, const struct wk_cargo_choice *choice,
		     struct wk_out *out)
{
	bool several = is_of_several_packages(project);
	size_t listed = 0;

	for (size_t i = 0; i < project->count; i++) {
		const struct wk_cargo_target *target = &project->targets[i];

		if (!is_here(target, choice) || (choice->is_unit && target->kind != WK_CARGO_BIN &&
						 target->kind != WK_CARGO_LIB))
			continue;
		list_one(project, choice, target, several, out);
		listed++;
	}
	return listed;
}

/* The packages that have programs, or all, once each: a package's targets are consecutive. */
static void add_packages(const struct wk_cargo_project *project, bool with_programs,
			 struct wk_buf *names)
{
	const char *last = "";

	for (size_t i = 0; i < project->count; i++) {
		const struct wk_cargo_target *target = &project->targets[i];

		if ((with_programs && target->kind != WK_CARGO_BIN) ||
		    strcmp(target->package, last) == 0)
			continue;
		wk_buf_add_fmt(names, "%s%s", names->len ? ", " : "", target->package);
		last = target->package;
	}
}

/* -p can be more than a name (app@1.0, a path), which only cargo can check. */
static bool has_package(const struct wk_cargo_project *project, const char *package)
{
	if (!package || strpbrk(package, "@:/#*?["))
		return true;
	for (size_t i = 0; i < project->count; i++)
		if (strcmp(project->targets[i].package, package) == 0)
			return true;
	return false;
}

static bool fail_package(const struct wk_cargo_project *project, const char *package,
			 struct wk_err *err)
{
	struct wk_buf names = { 0 };

	add_packages(project, false, &names);
	wk_fail(err, WK_EUSAGE, WK_NOWHERE, "no package \"%s\" here; the packages are %s", package,
		wk_buf_text(&names));
	wk_buf_fini(&names);
	return false;
}

static bool fail_name(const struct wk_cargo_project *project, const struct wk_cargo_choice *choice,
		      struct wk_err *err)
{
	struct wk_suggestion near = wk_suggestion_for(wk_str_c(choice->name));

	for (size_t i = 0; i < project->count; i++)
		wk_suggestion_try(&near, project->targets[i].name);
	if (near.best)
		return wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			       "no library or program \"%s\"; did you "
			       "mean \"%s\"?",
			       choice->name, near.best);
	list_fitting(project, &(struct wk_cargo_choice){ .is_unit = choice->is_unit,
							 .is_bench = choice->is_bench }, true);
	return wk_fail(err, WK_EUSAGE, WK_NOWHERE,
		       "no library or program \"%s\"; choose one of those listed above",
		       choice->name);
}

/* The package, for messages; NULL if there are several. */
static const char *package_here(const struct wk_cargo_project *project,
				const struct wk_cargo_choice *choice)
{
	const char *found = NULL;

	for (size_t i = 0; i < project->count; i++) {
		const struct wk_cargo_target *target = &project->targets[i];

		if (!is_here(target, choice))
			continue;
		if (found && strcmp(found, target->package) != 0)
			return NULL;
		found = target->package;
	}
	return found;
}

/* No program here. The tests, examples and benchmarks of this package are listed, and the other
 * packages that have programs. */
static bool fail_none(const struct wk_cargo_project *project, const struct wk_cargo_choice *choice,
		      struct wk_err *err)
{
	const char *package = choice->package ? choice->package : package_here(project, choice);
	struct wk_out out = wk_out_to_fd(STDERR_FILENO);
	struct wk_buf words = { 0 }, others = { 0 };
	size_t listed = wk_cargo_list(project, choice, &out);

	wk_out_end(&out);
	wk_buf_add_text(&words, choice->is_unit ? "no library or program" : "no program to run");
	wk_buf_add_fmt(&words, "%s%s", package ? " in package " : " here", package ? package : "");
	wk_buf_add_text(&words, listed ? "; what can be profiled is listed above"
				       : " and nothing else to profile");
	add_packages(project, true, &others);
	if (others.len && !choice->is_unit)
		wk_buf_add_fmt(&words, "; packages with programs: %s (choose one with -p)",
			       wk_buf_text(&others));
	wk_fail(err, WK_EUSAGE, WK_NOWHERE, "%s", wk_buf_text(&words));
	WK_BUF_FINI_ALL(&words, &others);
	return false;
}

bool wk_cargo_choose(const struct wk_cargo_project *project, struct wk_cargo_choice *choice,
		     struct wk_err *err)
{
	const struct wk_cargo_target *one = NULL;
	bool far = false;
	size_t found;

	/* Cargo reports best whether such a target exists. */
	if (choice->name && !choice->is_unit)
		return true;
	found = count(project, choice, far, &one);
	if (found == 0 && !has_package(project, choice->package))
		return fail_package(project, choice->package, err);
	if (found == 0) {
		far = true;
		found = count(project, choice, far, &one);
	}
	if (found > 1)
		one = preferred(project, choice, far);
	if (found == 0 && choice->name)
		return fail_name(project, choice, err);
	/* No program elsewhere is preferred to another. */
	if (found == 0 || (far && !one))
		return fail_none(project, choice, err);
	if (!one) {
		list_fitting(project, choice, far);
		return wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			       "%zu %s found; choose one of those listed above", found,
			       choice->is_unit ? "libraries and programs" : "programs");
	}
	choice->kind = one->kind;
	choice->name = one->name;
	choice->package = one->package;
	return true;
}
