/* The command lines of other tools: `wick as TOOL ...`, or a link to wick with the tool's name.
 *
 * A tool is one row of a table: its name, its options in the way it reads them, and which of
 * wick's own engines does the work. The tables are in collapse.c, flamegraph.c and
 * difffolded.c; tools.c lists them. Help, man page and completion are printed from the rows. */
#ifndef WK_CLI_AS_TOOL_H
#define WK_CLI_AS_TOOL_H

#include "cli/command.h"
#include "session/fold/collapse.h"

enum wk_as_family {
	WK_AS_PERL,    /* brendangregg/FlameGraph, whatever language its scripts are in */
	WK_AS_INFERNO, /* inferno's programs */
};

struct wk_as_call;
struct wk_as_tool;

/* What tools of one kind have in common. */
struct wk_as_kind {
	enum wk_as_family family;
	bool bundles_letters; /* a script that reads options with Getopt::Std: "-ns" */
	int usage_exit;       /* what it ends with where the words make no sense; 0: as
			       * the family does */
	const char *usage;    /* what follows the name */
	size_t args_size;     /* of the struct that options are read into */
	void (*prepare)(void *args, const struct wk_as_tool *tool); /* what holds when nothing is
								     * typed; NULL: zero */
	int (*run)(const struct wk_as_call *call, struct wk_err *err);
};

struct wk_as_tool {
	const struct wk_as_kind *kind;
	const char *name, *summary;
	const struct wk_opt *options;      /* or NULL */
	const struct wk_opt_group *common; /* options that it shares with others; or NULL */

	/* Of tools that collapse stacks: */
	const char *reader;          /* format, by name; NULL: detected from the content */
	struct wk_collapse collapse; /* what holds when nothing is typed, but for the dialect */
	bool collapses_recursion;
	uint64_t per_count; /* what the reader weighs in one of what the tool prints; 0: 1 */
};

struct wk_as_call {
	const struct wk_as_tool *tool;
	void *args;
	const struct wk_words *words; /* files */
	struct wk_out *out;
};

/* The tables of tools, each ending with a row without a name; the list ends with NULL. */
extern const struct wk_as_tool *const wk_as_tools[];

const struct wk_as_tool *wk_as_tool_find(struct wk_str name);

/* By number, for lists; NULL behind the last. */
const struct wk_as_tool *wk_as_tool_at(size_t index);

/* Runs a tool with the arguments after its name. Errors on standard error have the tool's own form,
 * and the exit code is the tool's. */
int wk_as_run(const struct wk_as_tool *tool, char **argv, struct wk_out *out);

/* A warning as the tool would write it: a bare line, or one with its level. */
void wk_as_warn(const struct wk_as_tool *tool, struct wk_str text);

/* Options that all of inferno's tools have stand first in their structs of values. */
struct wk_as_inferno_args {
	bool quiet, verbose;
};

extern const struct wk_as_tool wk_as_flamegraph_tools[];
extern const struct wk_as_tool wk_as_difffolded_tools[];
extern const struct wk_as_tool wk_as_collapse_tools[];

#endif
