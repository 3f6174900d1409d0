#include "cli/options.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/suggest.h"

void wk_options_fini(const struct wk_opt_target *target)
{
	for (; target->group; target++) {
		for (const struct wk_opt *opt = target->group->options; opt->name; opt++) {
			struct wk_opt_list *list = (void *)((char *)target->values + opt->at);

			if (opt->kind != WK_OPT_LIST)
				continue;
			free(list->at);
			*list = (struct wk_opt_list){ 0 };
		}
	}
}

void wk_words_fini(struct wk_words *words)
{
	free(words->at);
	*words = (struct wk_words){ 0 };
}

/* An option and the struct of values of its table. */
struct found {
	const struct wk_opt *opt;
	char *values;
};

static struct found find_name(const struct wk_opt_target *target, struct wk_str name)
{
	for (; target->group; target++)
		for (const struct wk_opt *opt = target->group->options; opt->name; opt++)
			if (wk_str_is(name, opt->name))
				return (struct found){ opt, target->values };
	return (struct found){ 0 };
}

static struct found find_letter(const struct wk_opt_target *target, char letter)
{
	for (; target->group; target++)
		for (const struct wk_opt *opt = target->group->options; opt->name; opt++)
			if (opt->letter == letter)
				return (struct found){ opt, target->values };
	return (struct found){ 0 };
}

static bool unknown_name(const struct wk_opt_target *target, struct wk_str name,
			 struct wk_err *err)
{
	struct wk_suggestion near = wk_suggestion_for(name);

	wk_suggestion_try(&near, "help");
	for (; target->group; target++)
		for (const struct wk_opt *opt = target->group->options; opt->name; opt++)
			wk_suggestion_try(&near, opt->name);
	if (near.best)
		return wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			       "unknown option --%.*s; did you mean --%s?", WK_STR_ARG(name),
			       near.best);
	return wk_fail(err, WK_EUSAGE, WK_NOWHERE, "unknown option --%.*s", WK_STR_ARG(name));
}

static bool is_choice(const struct wk_opt *opt, const char *value)
{
	for (size_t i = 0; opt->choices[i]; i++)
		if (strcmp(opt->choices[i], value) == 0)
			return true;
	return false;
}

static bool wrong_choice(const struct wk_opt *opt, const char *value, struct wk_err *err)
{
	struct wk_buf choices = { 0 };

	for (size_t i = 0; opt->choices[i]; i++) {
		if (i > 0)
			wk_buf_add_text(&choices, opt->choices[i + 1] ? ", " : " or ");
		wk_buf_add_text(&choices, opt->choices[i]);
	}
	wk_fail(err, WK_EUSAGE, WK_NOWHERE, "--%s is \"%s\", expected %s", opt->name, value,
		wk_buf_text(&choices));
	wk_buf_fini(&choices);
	return false;
}

static bool wrong_number(const struct wk_opt *opt, const char *value, struct wk_err *err)
{
	const char *expected = "a whole number";

	if (opt->kind == WK_OPT_DURATION)
		expected = "a time such as 10, 1.5s or 500ms";
	else if (opt->kind == WK_OPT_SIZE)
		expected = "a size such as 16384, 64K or 8M";
	return wk_fail(err, WK_EUSAGE, WK_NOWHERE, "--%s is \"%s\", expected %s", opt->name, value,
		       expected);
}

static void list_add(struct wk_opt_list *list, const char *value)
{
	list->at = wk_grow(list->at, &list->cap, list->count + 1, sizeof(*list->at));
	list->at[list->count++] = value;
}

static bool set(struct found found, const char *value, struct wk_err *err)
{
	const struct wk_opt *opt = found.opt;
	void *field = found.values + opt->at;

	switch (opt->kind) {
	case WK_OPT_FLAG:
		*(bool *)field = true;
		return true;
	case WK_OPT_CHOICE:
		if (!is_choice(opt, value))
			return wrong_choice(opt, value, err);
		*(const char **)field = value;
		return true;
	case WK_OPT_TEXT:
		*(const char **)field = value;
		return true;
	case WK_OPT_LIST:
		list_add(field, value);
		return true;
	case WK_OPT_NUMBER:
		return wk_num_u64(wk_str_c(value), field) || wrong_number(opt, value, err);
	case WK_OPT_DURATION:
		return wk_num_duration(wk_str_c(value), field) || wrong_number(opt, value, err);
	case WK_OPT_SIZE:
		return wk_num_size(wk_str_c(value), field) || wrong_number(opt, value, err);
	}
	return false;
}

/* The value behind the option at **argv, which moves on to that word. */
static const char *next_value(char ***argv, const struct wk_opt *opt, struct wk_err *err)
{
	if ((*argv)[1])
		return *++*argv;
	wk_fail(err, WK_EUSAGE, WK_NOWHERE, "--%s needs a value: %s", opt->name, opt->argument);
	return NULL;
}

static enum wk_parsed parse_long(char ***argv, const struct wk_opt_target *targets,
				 struct wk_err *err)
{
	const char *word = **argv + 2;
	const char *equals = strchr(word, '=');
	struct wk_str name = wk_str_of(word, equals ? (size_t)(equals - word) : strlen(word));
	struct found found = find_name(targets, name);
	const char *value = equals ? equals + 1 : NULL;

	if (!found.opt && wk_str_is(name, "help"))
		return WK_PARSED_HELP;
	if (!found.opt) {
		unknown_name(targets, name, err);
		return WK_PARSED_WRONG;
	}
	if (found.opt->kind == WK_OPT_FLAG && value) {
		wk_fail(err, WK_EUSAGE, WK_NOWHERE, "--%s takes no value, found \"%s\"",
			found.opt->name, value);
		return WK_PARSED_WRONG;
	}
	if (found.opt->kind != WK_OPT_FLAG && !value)
		value = next_value(argv, found.opt, err);
	if (found.opt->kind != WK_OPT_FLAG && !value)
		return WK_PARSED_WRONG;
	return set(found, value, err) ? WK_PARSED : WK_PARSED_WRONG;
}

/* One word of short options: flags, and at most one with a value, which ends the word. */
static enum wk_parsed parse_short(char ***argv, const struct wk_opt_target *targets,
				  struct wk_err *err)
{
	for (const char *at = **argv + 1; *at; at++) {
		struct found found = find_letter(targets, *at);
		const char *value;

		if (!found.opt && *at == 'h')
			return WK_PARSED_HELP;
		if (!found.opt) {
			wk_fail(err, WK_EUSAGE, WK_NOWHERE, "unknown option -%c", *at);
			return WK_PARSED_WRONG;
		}
		if (found.opt->kind == WK_OPT_FLAG) {
			set(found, NULL, err);
			continue;
		}
		value = at[1] ? at + 1 : next_value(argv, found.opt, err);
		return value && set(found, value, err) ? WK_PARSED : WK_PARSED_WRONG;
	}
	return WK_PARSED;
}

static void take_rest(char **argv, struct wk_words *words)
{
	words->rest = argv;
	while (argv[words->rest_count])
		words->rest_count++;
}

enum wk_parsed wk_options_parse(char **argv, const struct wk_opt_target *targets,
				bool word_ends_options, struct wk_words *words, struct wk_err *err)
{
	for (; *argv; argv++) {
		enum wk_parsed parsed = WK_PARSED;

		if (strcmp(*argv, "--") == 0) {
			take_rest(argv + 1, words);
			return WK_PARSED;
		}
		if (strncmp(*argv, "--", 2) == 0) {
			parsed = parse_long(&argv, targets, err);
		} else if ((*argv)[0] == '-' && (*argv)[1]) {
			parsed = parse_short(&argv, targets, err);
		} else if (word_ends_options) {
			take_rest(argv, words);
			return WK_PARSED;
		} else {
			words->at = wk_grow(words->at, &words->cap, words->count + 1,
					    sizeof(*words->at));
			words->at[words->count++] = *argv;
		}
		if (parsed != WK_PARSED)
			return parsed;
	}
	return WK_PARSED;
}
