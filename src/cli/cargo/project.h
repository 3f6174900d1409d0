/* The targets of a Cargo project, as `cargo metadata` lists them, and the chosen one.
 *
 * Order of calls: wk_cargo_project_read, wk_cargo_choose, wk_cargo_project_free. The texts of the
 * choice belong to the project or to the caller. */
#ifndef WK_CLI_CARGO_PROJECT_H
#define WK_CLI_CARGO_PROJECT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/bytes.h"
#include "base/err.h"
#include "base/out.h"
#include "base/text/json.h"
#include "base/text/text_list.h"

enum wk_cargo_kind {
	WK_CARGO_BIN,
	WK_CARGO_EXAMPLE,
	WK_CARGO_TEST,
	WK_CARGO_BENCH,
	WK_CARGO_LIB, /* of any kind: has unit tests, and is not run itself */
	WK_CARGO_OTHER,
};

/* `kind` as Cargo's JSON has it: "bin", "example", "proc-macro" ... */
enum wk_cargo_kind wk_cargo_kind_of(struct wk_str kind);

/* Replaces a text of the heap. */
void wk_cargo_replace(char **at, struct wk_str text);

/* Reads the name and kind of a target, as both `cargo metadata` and `cargo build` write them;
 * others are left alone. */
void wk_cargo_read_target(struct wk_json *json, char **name, enum wk_cargo_kind *kind);

/* The option that chooses a target of a kind: "--bin", "--example", "--test", "--bench"; NULL for a
 * library. */
const char *wk_cargo_option(enum wk_cargo_kind kind);

struct wk_cargo_target {
	char *name, *package;
	enum wk_cargo_kind kind;
	bool is_near;    /* of a package that cargo uses here without -p */
	bool is_default; /* its package's default-run */
};

struct wk_cargo_project {
	char *root; /* the workspace's folder */
	struct wk_cargo_target *targets;
	size_t count, cap;
};

enum wk_cargo_talk {
	WK_CARGO_PLAIN,   /* cargo reports errors */
	WK_CARGO_VERBOSE, /* its command line is printed as well */
	WK_CARGO_MUTE,    /* neither */
};

/* Runs cargo, with more options or NULL; they must contain --manifest-path if `manifest_path` is
 * not NULL. 0, or the exit code if cargo failed, which has reported why; -1 and `err` if it could
 * not be run or its output is invalid. */
int wk_cargo_project_read(struct wk_cargo_project *project, const char *manifest_path,
			  const struct wk_text_list *options, enum wk_cargo_talk talk,
			  struct wk_err *err);

/* The same from the output of `cargo metadata`. `folder` determines the package if cargo is too old
 * to print it. */
bool wk_cargo_project_parse(struct wk_cargo_project *project, struct wk_bytes metadata,
			    const char *folder, struct wk_err *err);

void wk_cargo_project_free(struct wk_cargo_project *project);

/* The target to build and run. */
struct wk_cargo_choice {
	enum wk_cargo_kind kind;
	bool is_unit;        /* the unit tests or benches within a library or program */
	bool is_bench;       /* of those, the benches */
	bool has_unit_kind;  /* `kind` is that of the library or program */
	const char *name;    /* NULL: not given */
	const char *package; /* NULL: cargo's own choice */
};

/* Completes `choice` with the only program (or library, for unit tests). If there are several or
 * none, the targets are listed on standard error (cargo/choose.c). */
bool wk_cargo_choose(const struct wk_cargo_project *project, struct wk_cargo_choice *choice,
		     struct wk_err *err);

/* Lists the targets in the packages of `choice`, one command per line. Returns their number. */
size_t wk_cargo_list(const struct wk_cargo_project *project, const struct wk_cargo_choice *choice,
		     struct wk_out *out);

/* "cargo", or the one of several that runs wick. */
const char *wk_cargo_program(void);

#endif
