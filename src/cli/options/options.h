/* Options as tables, and the one parser that reads them.
 *
 * A wk_opt describes an option and where its value is stored: `at` is the offset of a field in a
 * struct of values that belongs to the table, and `kind` determines the field's type. Tables that
 * several commands share are groups of their own. Help, man pages and shell completion are printed
 * from the same tables, so they cannot disagree.
 *
 * Accepted forms: --name=value, --name value, -F99, -F 99, flags bundled as in -ab, and "--", after
 * which nothing is an option. An option may be repeated: the last value is used, but a WK_OPT_LIST
 * keeps all. Values are borrowed from argv.
 *
 * Order of calls: fill the structs of values with the defaults, then wk_options_parse, and at the
 * end wk_words_fini and wk_options_fini, which frees the lists. */
#ifndef WK_CLI_OPTIONS_OPTIONS_H
#define WK_CLI_OPTIONS_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/text/text_list.h"

/* How options are typed and how errors are worded. */
enum wk_opt_style {
	WK_STYLE_WICK,
	WK_STYLE_GETOPT, /* perl's Getopt::Long: one dash or two, in any case, and as much of a
			  * name as is clear */
	WK_STYLE_CLAP,   /* typed as wick's, errors worded as by Rust's clap */
};

enum wk_opt_kind {
	WK_OPT_FLAG,     /* bool */
	WK_OPT_SWITCH,   /* bool; "no" or "no-" in front of the name sets it to false */
	WK_OPT_TEXT,     /* const char * */
	WK_OPT_MAYBE,    /* const char *, "" where no value follows: the next word is one unless it
			  * begins with a dash */
	WK_OPT_PAIR,     /* const char *[2]: two words follow, the first maybe behind "=" */
	WK_OPT_LIST,     /* struct wk_text_list */
	WK_OPT_NUMBER,   /* uint64_t */
	WK_OPT_COUNT,    /* the same, above 0 */
	WK_OPT_REAL,     /* double */
	WK_OPT_DURATION, /* uint64_t, nanoseconds */
	WK_OPT_SIZE,     /* uint64_t, bytes */
	WK_OPT_CHOICE,   /* const char *, one of `choices` */
};

/* The fields in the order in which most tables need them; a table ends with { 0 }. */
struct wk_opt {
	char letter; /* 0: long form only */
	const char *name;
	const char *argument; /* the name of the value in help; NULL for a flag */
	const char *help;     /* one sentence, no full stop */
	enum wk_opt_kind kind;
	size_t at;
	const char *const *choices; /* NULL-terminated; completed, and enforced for WK_OPT_CHOICE */
};

/* Rows of a table: a flag, a text, and any other value without choices. */
#define WK_VALUE(letter, name, argument, help, kind, at) \
	{ letter, name, argument, help, kind, at, NULL }
#define WK_TEXT(letter, name, argument, help, at) \
	WK_VALUE(letter, name, argument, help, WK_OPT_TEXT, at)
#define WK_FLAG(letter, name, help, at) WK_VALUE(letter, name, NULL, help, WK_OPT_FLAG, at)

/* Options under one title. */
struct wk_opt_group {
	const char *title;
	const struct wk_opt *options;
};

/* A group and the struct for its values. */
struct wk_opt_target {
	const struct wk_opt_group *group;
	void *values;
};

/* The arguments that are not options. `rest` follows "--"; NULL if there is none. */
struct wk_words {
	const char **at;
	size_t count, cap;
	char **rest;
	size_t rest_count;
};

void wk_words_fini(struct wk_words *words);

/* The first, or NULL. */
static inline const char *wk_words_first(const struct wk_words *words)
{
	return words->count ? words->at[0] : NULL;
}

/* All of them, NULL-terminated, for the caller to free. */
const char **wk_words_paths(const struct wk_words *words);

enum wk_parsed {
	WK_PARSED,
	WK_PARSED_HELP,     /* -h or --help was among the options */
	WK_PARSED_HELP_ALL, /* the same, followed by "all" */
	WK_PARSED_WRONG,
};

/* Reads `argv`, which ends with NULL and begins after the command. `targets` ends with a NULL
 * group. With `word_ends_options`, everything from the first word on is stored in `rest`, as a
 * command with options of its own. */
enum wk_parsed wk_options_parse(enum wk_opt_style style, char **argv,
				const struct wk_opt_target *targets, bool word_ends_options,
				struct wk_words *words, struct wk_err *err);

/* Whether an option was given: its value is not zero. */
bool wk_option_is_set(const struct wk_opt *opt, const void *values);

/* The name of the first option of a group that was given; NULL if none was. */
const char *wk_options_first_set(const struct wk_opt_group *group, const void *values);

/* Fails unless a number is 0, which is "not given", or from `least` to `most`. */
bool wk_option_check_range(const char *name, uint64_t value, uint64_t least, uint64_t most,
			   const char *expected, struct wk_err *err);

/* Frees the lists among the values. */
void wk_options_fini(const struct wk_opt_target *targets);

#endif
