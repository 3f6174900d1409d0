#include "cli/options/option_errors.h"

#include <string.h>
#include <strings.h>

#include "base/buf.h"
#include "base/text/suggest.h"
#include "session/shown_table.h"

/* Names in other tools, and other spellings: without dashes, or a letter. */
static const struct {
	const char *name, *hint;
} foreign[] = {
	{ "color", "use --palette for colours" },
	{ "colors", "use --palette for colours" },
	{ "colour", "use --palette for colours" },
	{ "colours", "use --palette for colours" },
	{ "g", "stacks are always recorded" },
	{ "call-graph", "stacks are always recorded" },
	{ "bgcolor", "use --background" },
	{ "bgcolors", "use --background" },
	{ "height", "use --frame-height" },
	{ "minwidth", "use --min-width" },
	{ "fontsize", "use --font-size" },
	{ "fonttype", "use --font" },
	{ "countname", "use --count-name" },
	{ "nametype", "use --name-type" },
	{ "invert", "use --icicle" },
	{ "sort-by", "use --sort" },
	{ "stdio", "text is the default" },
	{ "event", "use --by" },
	{ "time", "use --duration" },
	{ "duration", "use --time" },
	{ "process", "use --pid" },
	{ "pid", "use --process" },
	{ "by-process", "this is the default; --no-process turns it off" },
	{ "tid", "use --thread" },
	{ "comm", "use --thread" },
	{ "comms", "use --thread" },
	{ "cpu", "use --filter 'cpu == 0'" },
	{ "symbols", "use --function" },
	{ "dso", "use --image" },
	{ "dsos", "use --image" },
};

/* A hint helps only if this command has the option that it names. */
static bool is_hint_here(const struct wk_opt_target *target, const char *hint)
{
	const char *dashes = strstr(hint, "--");
	size_t len = dashes ? strcspn(dashes + 2, " ") : 0;

	if (!dashes)
		return true;
	for (; target->group; target++)
		for (const struct wk_opt *opt = target->group->options; opt->name; opt++)
			if (strlen(opt->name) == len && memcmp(opt->name, dashes + 2, len) == 0)
				return true;
	return false;
}

static const char *hint_for(const struct wk_opt_target *target, struct wk_str name)
{
	for (size_t i = 0; i < sizeof(foreign) / sizeof(foreign[0]); i++)
		if (wk_str_is(name, foreign[i].name) && is_hint_here(target, foreign[i].hint))
			return foreign[i].hint;
	return NULL;
}

/* A table, which is not an option, whose name is nearer than any option; or NULL. Only
 * `wick show` has tables and --by-process. */
static const char *nearer_view(const struct wk_opt_target *target,
			       const struct wk_suggestion *option)
{
	struct wk_suggestion near = *option;

	if (!is_hint_here(target, "--by-process"))
		return NULL;
	for (const struct wk_table_view *view = wk_table_views; view->name; view++)
		wk_suggestion_try(&near, view->name);
	return near.best != option->best ? near.best : NULL;
}

bool wk_option_unknown(enum wk_opt_style style, const struct wk_opt_target *target,
		       struct wk_str name, struct wk_err *err)
{
	struct wk_suggestion near = wk_suggestion_for(name);
	const struct wk_opt_target *own = target;
	const char *hint = hint_for(target, name), *view;

	if (style == WK_STYLE_GETOPT)
		return wk_fail(err, WK_EUSAGE, WK_NOWHERE, "Unknown option: %.*s",
			       WK_STR_ARG(name));
	if (style == WK_STYLE_CLAP)
		return wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			       "error: unexpected argument '--%.*s' found", WK_STR_ARG(name));
	if (hint)
		return wk_fail(err, WK_EUSAGE, WK_NOWHERE, "unknown option --%.*s: %s",
			       WK_STR_ARG(name), hint);
	wk_suggestion_try(&near, "help");
	for (; target->group; target++)
		for (const struct wk_opt *opt = target->group->options; opt->name; opt++)
			wk_suggestion_try(&near, opt->name);
	view = nearer_view(own, &near);
	if (view)
		return wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			       "unknown option --%.*s; to see the table: wick show FILE %s",
			       WK_STR_ARG(name), view);
	if (near.best)
		return wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			       "unknown option --%.*s; did you mean --%s?", WK_STR_ARG(name),
			       near.best);
	return wk_fail(err, WK_EUSAGE, WK_NOWHERE, "unknown option --%.*s", WK_STR_ARG(name));
}

bool wk_option_unknown_letter(enum wk_opt_style style, const struct wk_opt_target *target,
			      char letter, struct wk_err *err)
{
	const char *hint = hint_for(target, wk_str_of(&letter, 1));

	if (style == WK_STYLE_WICK && hint)
		return wk_fail(err, WK_EUSAGE, WK_NOWHERE, "unknown option -%c: %s", letter, hint);
	return wk_fail(err, WK_EUSAGE, WK_NOWHERE,
		       style == WK_STYLE_CLAP ? "error: unexpected argument '-%c' found"
					      : "unknown option -%c",
		       letter);
}

/* The next name after `last`, in alphabetical order, that begins so; NULL at the end. */
static const char *next_begun(const struct wk_opt_target *target, struct wk_str name,
			      const char *last)
{
	const char *next = NULL;

	for (; target->group; target++)
		for (const struct wk_opt *opt = target->group->options; opt->name; opt++)
			if (strncasecmp(opt->name, name.at, name.len) == 0 &&
			    strcmp(opt->name, last) > 0 && (!next || strcmp(opt->name, next) < 0))
				next = opt->name;
	return next;
}

bool wk_option_unclear(const struct wk_opt_target *targets, struct wk_str name, struct wk_err *err)
{
	struct wk_buf text = { 0 };
	const char *last = "";

	wk_buf_add_fmt(&text, "Option %.*s is ambiguous (", WK_STR_ARG(name));
	for (const char *next; (next = next_begun(targets, name, last)); last = next)
		wk_buf_add_fmt(&text, "%s%s", *last ? ", " : "", next);
	wk_buf_add_text(&text, ")");
	wk_fail(err, WK_EUSAGE, WK_NOWHERE, "%s", wk_buf_text(&text));
	wk_buf_fini(&text);
	return false;
}

bool wk_option_needs_value(enum wk_opt_style style, const struct wk_opt *opt, struct wk_err *err)
{
	if (style == WK_STYLE_GETOPT)
		return wk_fail(err, WK_EUSAGE, WK_NOWHERE, "Option %s requires an argument",
			       opt->name);
	if (style == WK_STYLE_CLAP)
		return wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			       "error: a value is required for '--%s <%s>' but none was supplied",
			       opt->name, opt->argument);
	return wk_fail(err, WK_EUSAGE, WK_NOWHERE, "--%s requires a value: %s", opt->name,
		       opt->argument);
}

bool wk_option_accepts_none(enum wk_opt_style style, const struct wk_opt *opt, const char *value,
			    struct wk_err *err)
{
	if (style == WK_STYLE_GETOPT)
		return wk_fail(err, WK_EUSAGE, WK_NOWHERE, "Option %s does not take an argument",
			       opt->name);
	if (style == WK_STYLE_CLAP)
		return wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			       "error: unexpected value '%s' for '--%s' found; no more were "
			       "expected",
			       value, opt->name);
	return wk_fail(err, WK_EUSAGE, WK_NOWHERE, "--%s accepts no value, found \"%s\"", opt->name,
		       value);
}

bool wk_option_wrong_choice(enum wk_opt_style style, const struct wk_opt *opt, const char *value,
			    struct wk_err *err)
{
	bool is_clap = style == WK_STYLE_CLAP;
	struct wk_suggestion near = wk_suggestion_for(wk_str_c(value));
	struct wk_buf text = { 0 };

	if (is_clap)
		wk_buf_add_fmt(&text,
			       "error: invalid value '%s' for '--%s <%s>' [possible values: ",
			       value, opt->name, opt->argument);
	else
		wk_buf_add_fmt(&text, "--%s is \"%s\", but must be ", opt->name, value);
	for (size_t i = 0; opt->choices[i]; i++) {
		if (i > 0)
			wk_buf_add_text(&text, is_clap || opt->choices[i + 1] ? ", " : " or ");
		wk_buf_add_text(&text, opt->choices[i]);
		wk_suggestion_try(&near, opt->choices[i]);
	}
	wk_buf_add_text(&text, is_clap ? "]" : "");
	if (style == WK_STYLE_WICK && near.best)
		wk_buf_add_fmt(&text, "; did you mean %s?", near.best);
	wk_fail(err, WK_EUSAGE, WK_NOWHERE, "%s", wk_buf_text(&text));
	wk_buf_fini(&text);
	return false;
}

bool wk_option_must_be(const char *name, const char *value, const char *expected,
		       struct wk_err *err)
{
	return wk_fail(err, WK_EUSAGE, WK_NOWHERE, "--%s is \"%.100s\", but must be %s", name,
		       value, expected);
}

static const char *number_expected(const struct wk_opt *opt)
{
	switch (opt->kind) {
	case WK_OPT_DURATION:
		return "a time above 0 such as 10, 1.5s or 500ms";
	case WK_OPT_SIZE:
		return "a size above 0 such as 16384, 64K or 8M";
	case WK_OPT_REAL:
		return "a number such as 0.5";
	case WK_OPT_COUNT:
		return "a whole number above 0";
	default:
		return "a whole number";
	}
}

bool wk_option_wrong_number(enum wk_opt_style style, const struct wk_opt *opt, const char *value,
			    struct wk_err *err)
{
	bool is_real = opt->kind == WK_OPT_REAL;

	if (style == WK_STYLE_GETOPT)
		return wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			       "Value \"%s\" invalid for option %s (%s expected)", value, opt->name,
			       is_real ? "real number" : "number");
	if (style == WK_STYLE_CLAP)
		return wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			       "error: invalid value '%s' for '--%s <%s>': invalid %s", value,
			       opt->name, opt->argument,
			       is_real ? "float literal" : "digit found in string");
	return wk_option_must_be(opt->name, value, number_expected(opt), err);
}
