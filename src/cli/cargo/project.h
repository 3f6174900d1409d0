/* What there is to run in a Cargo project, as `cargo metadata` tells it, and which of that is
 * meant.
 *
 * Order of calls: wk_cargo_project_read, wk_cargo_choose, wk_cargo_project_free. What the choice
 * points to belongs to the project, or to whoever asked. */
#ifndef WK_CLI_CARGO_PROJECT_H
#define WK_CLI_CARGO_PROJECT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/bytes.h"
#include "base/err.h"
#include "base/out.h"
#include "cli/run/child.h"

enum wk_cargo_kind {
	WK_CARGO_BIN,
	WK_CARGO_EXAMPLE,
	WK_CARGO_TEST,
	WK_CARGO_BENCH,
	WK_CARGO_LIB, /* of any kind: has unit tests, and is not run by itself */
	WK_CARGO_OTHER,
};

/* `kind` as Cargo's JSON has it: "bin", "example", "proc-macro" ... */
enum wk_cargo_kind wk_cargo_kind_of(struct wk_str kind);

struct wk_cargo_target {
	char *name, *package;
	enum wk_cargo_kind kind;
	bool is_near;    /* of a package that cargo takes without -p here */
	bool is_default; /* its package's default-run */
};

struct wk_cargo_project {
	char *root; /* the workspace's folder */
	struct wk_cargo_target *targets;
	size_t count, cap;
};

enum wk_cargo_talk {
	WK_CARGO_PLAIN,   /* cargo says what goes wrong */
	WK_CARGO_VERBOSE, /* its command line is told too */
	WK_CARGO_MUTE,    /* neither */
};

/* Asks cargo, with more options for it or NULL; a --manifest-path must be among them, and
 * `manifest_path` say the same. 0, or the exit code where cargo failed, which has said why
 * itself; -1 and `err` where it could not be run or makes no sense. */
int wk_cargo_project_read(struct wk_cargo_project *project, const char *manifest_path,
			  const struct wk_text_list *options, enum wk_cargo_talk talk,
			  struct wk_err *err);

/* The same from what `cargo metadata` printed. `manifest_path`, or where it is NULL the working
 * folder `folder`, tells which package is meant where cargo is too old to tell it. */
bool wk_cargo_project_parse(struct wk_cargo_project *project, struct wk_bytes metadata,
			    const char *folder, struct wk_err *err);

void wk_cargo_project_free(struct wk_cargo_project *project);

/* What is to be built and run. */
struct wk_cargo_choice {
	enum wk_cargo_kind kind;
	bool is_unit;        /* the unit tests or benches that lie within a library or program */
	bool is_bench;       /* of those, the benches */
	bool has_unit_kind;  /* `kind` says whether of a library or a program */
	const char *name;    /* NULL: not said */
	const char *package; /* NULL: cargo's own choice */
};

/* Fills in what `choice` leaves open: a program (or library, for unit tests) that is the only
 * one. Where there are several, or none, they are listed on standard error (cargo_choose.c). */
bool wk_cargo_choose(const struct wk_cargo_project *project, struct wk_cargo_choice *choice,
		     struct wk_err *err);

/* Lists what could be asked for in the packages that `choice` means, a command a line. Returns
 * how many there are. */
size_t wk_cargo_list(const struct wk_cargo_project *project, const struct wk_cargo_choice *choice,
		     struct wk_out *out);

/* "cargo" as cargo itself tells its children, which may be one of several. */
const char *wk_cargo_program(void);

#endif
