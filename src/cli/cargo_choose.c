#include <string.h>
#include <unistd.h>

#include "base/out.h"
#include "base/suggest.h"
#include "cli/cargo_project.h"

/* Could this target be what was asked for? `far` looks beyond the packages that we are in. */
static bool may_be(const struct wk_cargo_target *target, const struct wk_cargo_choice *choice,
		   bool far)
{
	bool right_kind = target->kind == WK_CARGO_BIN ||
			  (choice->is_unit && target->kind == WK_CARGO_LIB);

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

/* Of several, the one that a package names itself as its program, or its library. */
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
	switch (kind) {
	case WK_CARGO_BIN:
		return "--bin";
	case WK_CARGO_EXAMPLE:
		return "--example";
	case WK_CARGO_TEST:
		return "--test";
	case WK_CARGO_BENCH:
		return "--bench";
	default:
		return "--unit-test";
	}
}

/* Has the package a library and a program of this name? */
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

/* All that could be asked for, as it is typed. */
static void list(const struct wk_cargo_project *project, const struct wk_cargo_choice *choice,
		 bool only_fitting, bool far)
{
	struct wk_out out = wk_out_to_fd(STDERR_FILENO);
	bool several = false;

	for (size_t i = 1; i < project->count; i++)
		several |= strcmp(project->targets[i].package, project->targets[0].package) != 0;
	for (size_t i = 0; i < project->count; i++) {
		const struct wk_cargo_target *target = &project->targets[i];

		if (target->kind == WK_CARGO_OTHER ||
		    (only_fitting && !may_be(target, choice, far)))
			continue;
		list_one(project, choice, target, several, &out);
	}
	wk_out_end(&out);
}

static bool fail_none(const struct wk_cargo_project *project, const struct wk_cargo_choice *choice,
		      struct wk_err *err)
{
	struct wk_suggestion near = wk_suggestion_for(wk_str_c(choice->name));

	for (size_t i = 0; choice->name && i < project->count; i++)
		wk_suggestion_try(&near, project->targets[i].name);
	if (near.best)
		return wk_fail(err, WK_EUSAGE, WK_NOWHERE, "no library or program \"%s\"; did you "
			       "mean \"%s\"?", choice->name, near.best);
	if (!project->count)
		return wk_fail(err, WK_EUSAGE, WK_NOWHERE, "there is nothing to run here");
	list(project, &(struct wk_cargo_choice){ .is_unit = choice->is_unit,
						 .is_bench = choice->is_bench },
	     choice->is_unit, true);
	if (choice->name)
		return wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			       "no library or program \"%s\"; those there are stand above",
			       choice->name);
	return wk_fail(err, WK_EUSAGE, WK_NOWHERE,
		       "no program to run%s%s; say what to take, as above",
		       choice->package ? " in package " : "",
		       choice->package ? choice->package : "");
}

bool wk_cargo_choose(const struct wk_cargo_project *project, struct wk_cargo_choice *choice,
		     struct wk_err *err)
{
	const struct wk_cargo_target *one = NULL;
	bool far = false;
	size_t found;

	/* Whether such a target exists cargo says best itself. */
	if (choice->name && !choice->is_unit)
		return true;
	found = count(project, choice, far, &one);
	if (found == 0) {
		far = true;
		found = count(project, choice, far, &one);
	}
	if (found == 0)
		return fail_none(project, choice, err);
	if (found > 1)
		one = preferred(project, choice, far);
	if (!one) {
		list(project, choice, true, far);
		return wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			       "%zu %s could be meant; say which, as above", found,
			       choice->is_unit ? "libraries and programs" : "programs");
	}
	choice->kind = one->kind;
	choice->name = one->name;
	choice->package = one->package;
	return true;
}
