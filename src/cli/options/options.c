#include "cli/options/options.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "base/num.h"
#include "cli/options/option_errors.h"

void wk_options_fini(const struct wk_opt_target *target)
{
	for (; target->group; target++)
		for (const struct wk_opt *opt = target->group->options; opt->name; opt++)
			if (opt->kind == WK_OPT_LIST)
				wk_text_list_fini((void *)((char *)target->values + opt->at));
}

bool wk_option_is_set(const struct wk_opt *opt, const void *values)
{
	const void *field = (const char *)values + opt->at;

	switch (opt->kind) {
	case WK_OPT_FLAG:
	case WK_OPT_SWITCH:
		return *(const bool *)field;
	case WK_OPT_LIST:
		return ((const struct wk_text_list *)field)->count;
	case WK_OPT_REAL:
		return *(const double *)field != 0;
	case WK_OPT_TEXT:
	case WK_OPT_MAYBE:
	case WK_OPT_PAIR:
	case WK_OPT_CHOICE:
		return *(const char *const *)field;
	default:
		return *(const uint64_t *)field;
	}
}

const char *wk_options_first_set(const struct wk_opt_group *group, const void *values)
{
	const struct wk_opt *opt = group->options;

	while (opt->name && !wk_option_is_set(opt, values))
		opt++;
	return opt->name;
}

bool wk_option_check_range(const char *name, uint64_t value, uint64_t least, uint64_t most,
			   const char *expected, struct wk_err *err)
{
	if (value == 0 || (value >= least && value <= most))
		return true;
	return wk_fail(err, WK_EUSAGE, WK_NOWHERE, "--%s is %" PRIu64 ", but must be %s", name,
		       value, expected);
}

void wk_words_fini(struct wk_words *words)
{
	wk_free(words->at);
	*words = (struct wk_words){ 0 };
}

const char **wk_words_paths(const struct wk_words *words)
{
	const char **paths = wk_alloc_zeroed(words->count + words->rest_count + 2, sizeof(*paths));

	for (size_t i = 0; i < words->count; i++)
		paths[i] = words->at[i];
	for (size_t i = 0; i < words->rest_count; i++)
		paths[words->count + i] = words->rest[i];
	return paths;
}

/* An option and the struct of values of its table. */
struct found {
	const struct wk_opt *opt;
	char *values;
	bool is_off; /* a switch with "no" in front */
};

static bool is_flag(const struct wk_opt *opt)
{
	return opt->kind == WK_OPT_FLAG || opt->kind == WK_OPT_SWITCH;
}

/* Whether `name` is how `word` begins. */
static bool begins(enum wk_opt_style style, struct wk_str name, const char *word)
{
	return style == WK_STYLE_GETOPT ? strncasecmp(name.at, word, name.len) == 0
					: strncmp(name.at, word, name.len) == 0;
}

static struct wk_str without_no(struct wk_str name)
{
	if (!wk_str_starts(name, "no"))
		return name;
	return wk_str_skip(name, wk_str_starts(name, "no-") ? 3 : 2);
}

/* The option of that name, as such or, with `is_off`, as a switch to turn off. */
static struct found find_whole(enum wk_opt_style style, const struct wk_opt_target *target,
			       struct wk_str name, bool is_off)
{
	for (; target->group; target++)
		for (const struct wk_opt *opt = target->group->options; opt->name; opt++)
			if ((!is_off || opt->kind == WK_OPT_SWITCH) &&
			    strlen(opt->name) == name.len && begins(style, name, opt->name))
				return (struct found){ opt, target->values, is_off };
	return (struct found){ 0 };
}

/* The one option whose name begins so. */
static struct found find_begun(const struct wk_opt_target *target, struct wk_str name,
			       bool *is_unclear)
{
	struct found found = { 0 };

	for (; target->group; target++)
		for (const struct wk_opt *opt = target->group->options; opt->name; opt++) {
			if (!begins(WK_STYLE_GETOPT, name, opt->name))
				continue;
			*is_unclear |= found.opt != NULL;
			found = (struct found){ opt, target->values, false };
		}
	return found;
}

static struct found find_name(enum wk_opt_style style, const struct wk_opt_target *targets,
			      struct wk_str name, struct wk_err *err)
{
	bool is_unclear = false;
	struct found found = find_whole(style, targets, name, false);

	if (!found.opt && without_no(name).len < name.len)
		found = find_whole(style, targets, without_no(name), true);
	if (!found.opt && style == WK_STYLE_GETOPT && name.len)
		found = find_begun(targets, name, &is_unclear);
	if (!is_unclear)
		return found;
	wk_option_unclear(targets, name, err);
	return (struct found){ 0 };
}

static struct found find_letter(const struct wk_opt_target *target, char letter)
{
	for (; target->group; target++)
		for (const struct wk_opt *opt = target->group->options; opt->name; opt++)
			if (opt->letter == letter)
				return (struct found){ opt, target->values, false };
	return (struct found){ 0 };
}

static bool is_choice(const struct wk_opt *opt, const char *value)
{
	for (size_t i = 0; opt->choices[i]; i++)
		if (strcmp(opt->choices[i], value) == 0)
			return true;
	return false;
}

static bool set_number(const struct wk_opt *opt, void *field, const char *value)
{
	switch (opt->kind) {
	case WK_OPT_NUMBER:
		return wk_num_u64(wk_str_c(value), field);
	case WK_OPT_REAL:
		return wk_num_real(wk_str_c(value), field);
	/* 0 means "not given" in the structs of values. */
	case WK_OPT_COUNT:
		return wk_num_u64(wk_str_c(value), field) && *(uint64_t *)field != 0;
	case WK_OPT_DURATION:
		return wk_num_duration(wk_str_c(value), field) && *(uint64_t *)field != 0;
	default:
		return wk_num_size(wk_str_c(value), field) && *(uint64_t *)field != 0;
	}
}

static bool set(enum wk_opt_style style, struct found found, const char *value, struct wk_err *err)
{
	const struct wk_opt *opt = found.opt;
	void *field = found.values + opt->at;

	switch (opt->kind) {
	case WK_OPT_FLAG:
	case WK_OPT_SWITCH:
		*(bool *)field = !found.is_off;
		return true;
	case WK_OPT_CHOICE:
		if (!is_choice(opt, value))
			return wk_option_wrong_choice(style, opt, value, err);
		*(const char **)field = value;
		return true;
	case WK_OPT_TEXT:
	case WK_OPT_MAYBE:
	case WK_OPT_PAIR:
		*(const char **)field = value;
		return true;
	case WK_OPT_LIST:
		wk_text_list_add(field, value);
		return true;
	default:
		return set_number(opt, field, value) ||
		       wk_option_wrong_number(style, opt, value, err);
	}
}

/* The value after the option at **argv, which moves on to that word. */
static const char *next_value(enum wk_opt_style style, char ***argv, const struct wk_opt *opt,
			      struct wk_err *err)
{
	if (opt->kind == WK_OPT_MAYBE && (!(*argv)[1] || (*argv)[1][0] == '-'))
		return "";
	if ((*argv)[1])
		return *++*argv;
	wk_option_needs_value(style, opt, err);
	return NULL;
}

/* The second word of a pair. */
static bool set_second(enum wk_opt_style style, struct found found, char ***argv,
		       struct wk_err *err)
{
	const char *value;

	if (found.opt->kind != WK_OPT_PAIR)
		return true;
	value = next_value(style, argv, found.opt, err);
	((const char **)(void *)(found.values + found.opt->at))[1] = value;
	return value != NULL;
}

static enum wk_parsed help_wanted(const char *next)
{
	return next && strcmp(next, "all") == 0 ? WK_PARSED_HELP_ALL : WK_PARSED_HELP;
}

static enum wk_parsed parse_long(enum wk_opt_style style, char ***argv,
				 const struct wk_opt_target *targets, struct wk_err *err)
{
	const char *word = **argv + ((**argv)[1] == '-' ? 2 : 1);
	const char *equals = strchr(word, '=');
	struct wk_str name = wk_str_of(word, equals ? (size_t)(equals - word) : strlen(word));
	struct found found = find_name(style, targets, name, err);
	const char *value = equals ? equals + 1 : NULL;

	if (!found.opt && (wk_str_is(name, "help") || wk_str_is(name, "h")) && err->code == WK_OK)
		return help_wanted(value ? value : (*argv)[1]);
	if (!found.opt) {
		wk_option_unknown(style, targets, name, err);
		return WK_PARSED_WRONG;
	}
	if (is_flag(found.opt) && value) {
		wk_option_accepts_none(style, found.opt, value, err);
		return WK_PARSED_WRONG;
	}
	if (!is_flag(found.opt) && !value)
		value = next_value(style, argv, found.opt, err);
	if (!is_flag(found.opt) && !value)
		return WK_PARSED_WRONG;
	return set(style, found, value, err) && set_second(style, found, argv, err)
		       ? WK_PARSED
		       : WK_PARSED_WRONG;
}

/* One word of short options: flags, and at most one with a value, which ends the word. */
static enum wk_parsed parse_short(enum wk_opt_style style, char ***argv,
				  const struct wk_opt_target *targets, struct wk_err *err)
{
	for (const char *at = **argv + 1; *at; at++) {
		struct found found = find_letter(targets, *at);
		const char *value;

		if (!found.opt && *at == 'h')
			return help_wanted((*argv)[1]);
		if (!found.opt) {
			wk_option_unknown_letter(style, targets, *at, err);
			return WK_PARSED_WRONG;
		}
		if (is_flag(found.opt)) {
			set(style, found, NULL, err);
			continue;
		}
		if (style == WK_STYLE_CLAP && at[1] == '=')
			at++;
		value = at[1] ? at + 1 : next_value(style, argv, found.opt, err);
		return value && set(style, found, value, err) ? WK_PARSED : WK_PARSED_WRONG;
	}
	return WK_PARSED;
}

static void read_rest(char **argv, struct wk_words *words)
{
	words->rest = argv;
	while (argv[words->rest_count])
		words->rest_count++;
}

enum wk_parsed wk_options_parse(enum wk_opt_style style, char **argv,
				const struct wk_opt_target *targets, bool word_ends_options,
				struct wk_words *words, struct wk_err *err)
{
	for (; *argv; argv++) {
		bool has_dash = (*argv)[0] == '-' && (*argv)[1];
		enum wk_parsed parsed = WK_PARSED;

		if (strcmp(*argv, "--") == 0) {
			read_rest(argv + 1, words);
			return WK_PARSED;
		}
		if (has_dash && (style == WK_STYLE_GETOPT || (*argv)[1] == '-')) {
			parsed = parse_long(style, &argv, targets, err);
		} else if (has_dash) {
			parsed = parse_short(style, &argv, targets, err);
		} else if (word_ends_options) {
			read_rest(argv, words);
			return WK_PARSED;
		} else {
			*WK_APPEND(words->at, words->count, words->cap) = *argv;
		}
		if (parsed != WK_PARSED)
			return parsed;
	}
	return WK_PARSED;
}
