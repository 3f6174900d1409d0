#include "cli/options/perf_arguments.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "cli/options/option_errors.h"

/* Options of perf record that change nothing here, or that wick does not have. They are known so
 * that their values are not read as a command, and listed if they are used. */
struct ignored {
	bool flags[32];
	const char *values[32];
};

struct typed {
	struct wk_record_args record;
	struct ignored ignored;
	const char *frequency, *output, *call_graph;
	bool quiet, verbose, graph, all_user;
};

#define AT(field)    offsetof(struct typed, field)
#define FLAG(number) WK_OPT_FLAG, AT(ignored.flags[number]), NULL
#define TEXT(number) WK_OPT_TEXT, AT(ignored.values[number]), NULL

static const struct wk_opt taken[] = {
	{ 'e', "event", "NAME", "", WK_OPT_LIST, AT(record.events), NULL },
	{ 'c', "count", "N", "", WK_OPT_COUNT, AT(record.period), NULL },
	{ 'F', "freq", "HZ", "", WK_OPT_TEXT, AT(frequency), NULL },
	{ 'p', "pid", "PID", "", WK_OPT_LIST, AT(record.pids), NULL },
	{ 'a', "all-cpus", NULL, "", WK_OPT_FLAG, AT(record.all_cpus), NULL },
	{ 'g', "g", NULL, "", WK_OPT_FLAG, AT(graph), NULL },
	{ 0, "call-graph", "MODE", "", WK_OPT_TEXT, AT(call_graph), NULL },
	{ 'o', "output", "FILE", "", WK_OPT_TEXT, AT(output), NULL },
	{ 'q', "quiet", NULL, "", WK_OPT_FLAG, AT(quiet), NULL },
	{ 'v', "verbose", NULL, "", WK_OPT_FLAG, AT(verbose), NULL },
	{ 0, "all-user", NULL, "", WK_OPT_FLAG, AT(all_user), NULL },
	{ 0 },
};

static const struct wk_opt not_taken[] = {
	{ 'i', "no-inherit", NULL, "", FLAG(0) },
	{ 's', "stat", NULL, "", FLAG(1) },
	{ 'd', "data", NULL, "", FLAG(2) },
	{ 'T', "timestamp", NULL, "", FLAG(3) },
	{ 'P', "period", NULL, "", FLAG(4) },
	{ 'R', "raw-samples", NULL, "", FLAG(5) },
	{ 'N', "no-buildid-cache", NULL, "", FLAG(6) },
	{ 'B', "no-buildid", NULL, "", FLAG(7) },
	{ 'b', "branch-any", NULL, "", FLAG(8) },
	{ 'W', "weight", NULL, "", FLAG(9) },
	{ 'S', "snapshot", NULL, "", FLAG(10) },
	{ 'n', "no-samples", NULL, "", FLAG(11) },
	{ 0, "all-kernel", NULL, "", FLAG(12) },
	{ 0, "kernel-callchains", NULL, "", FLAG(13) },
	{ 0, "user-callchains", NULL, "", FLAG(14) },
	{ 0, "phys-data", NULL, "", FLAG(15) },
	{ 0, "sample-cpu", NULL, "", FLAG(16) },
	{ 0, "running-time", NULL, "", FLAG(17) },
	{ 0, "overwrite", NULL, "", FLAG(18) },
	{ 0, "strict-freq", NULL, "", FLAG(19) },
	{ 0, "tail-synthesize", NULL, "", FLAG(20) },
	{ 0, "timestamp-boundary", NULL, "", FLAG(21) },
	{ 0, "timestamp-filename", NULL, "", FLAG(22) },
	{ 0, "no-buffering", NULL, "", FLAG(23) },
	{ 0, "buildid-all", NULL, "", FLAG(24) },
	{ 0, "transaction", NULL, "", FLAG(25) },
	{ 'z', "z", NULL, "", FLAG(26) },
	{ 'k', "clockid", "CLOCK", "", TEXT(0) },
	{ 'm', "mmap-pages", "PAGES", "", TEXT(1) },
	{ 't', "tid", "TID", "", TEXT(2) },
	{ 'u', "uid", "UID", "", TEXT(3) },
	{ 'C', "cpu", "CPUS", "", TEXT(4) },
	{ 'G', "cgroup", "NAME", "", TEXT(5) },
	{ 'D', "delay", "MS", "", TEXT(6) },
	{ 'j', "branch-filter", "MASK", "", TEXT(7) },
	{ 'r', "realtime", "PRIORITY", "", TEXT(8) },
	{ 0, "filter", "FILTER", "", TEXT(9) },
	{ 0, "proc-map-timeout", "MS", "", TEXT(10) },
	{ 0, "switch-output", "WHEN", "", TEXT(11) },
	{ 0, "aio", "N", "", TEXT(12) },
	{ 0, "affinity", "MODE", "", TEXT(13) },
	{ 0, "max-size", "SIZE", "", TEXT(14) },
	{ 0, "compression-level", "LEVEL", "", TEXT(15) },
	{ 0, "user-regs", "REGISTERS", "", TEXT(16) },
	{ 0, "intr-regs", "REGISTERS", "", TEXT(17) },
	{ 0, "vmlinux", "FILE", "", TEXT(18) },
	{ 0, "num-thread-synthesize", "N", "", TEXT(19) },
	{ 0, "control", "FIFO", "", TEXT(20) },
	{ 0 },
};

static void add_word(struct wk_perf_words *perf, const struct wk_buf *word)
{
	WK_RESERVE(perf->words, perf->cap, perf->count + 2);
	perf->words[perf->count++] = wk_strndup(wk_buf_text(word), word->len);
	perf->words[perf->count] = NULL;
}

/* As a shell splits words: at blanks that are not quoted. */
static bool split(struct wk_perf_words *perf, const char *line, struct wk_err *err)
{
	struct wk_buf word = { 0 };
	bool in_word = false;
	char quote = '\0';

	for (; *line; line++) {
		if (quote ? *line == quote : *line == '"' || *line == '\'') {
			quote = quote ? '\0' : *line;
			in_word = true;
		} else if (!quote && strchr(" \t\n", *line)) {
			if (in_word)
				add_word(perf, &word);
			in_word = false;
			wk_buf_reset(&word);
		} else {
			if (*line == '\\' && line[1] && quote != '\'')
				line++;
			wk_buf_add_char(&word, *line);
			in_word = true;
		}
	}
	if (in_word)
		add_word(perf, &word);
	wk_buf_fini(&word);
	if (quote)
		return wk_fail(err, WK_EUSAGE, WK_NOWHERE, "--cmd: missing closing %c", quote);
	return true;
}

static void name_ignored(struct wk_perf_words *perf, const struct typed *typed)
{
	for (const struct wk_opt *opt = not_taken; opt->name; opt++) {
		if (!wk_option_is_set(opt, typed))
			continue;
		wk_buf_add_text(&perf->ignored, perf->ignored.len ? ", " : "");
		if (opt->letter)
			wk_buf_add_fmt(&perf->ignored, "-%c", opt->letter);
		else
			wk_buf_add_fmt(&perf->ignored, "--%s", opt->name);
	}
}

/* "dwarf", "dwarf,16384", "fp", "lbr". */
static bool read_call_graph(struct wk_perf_words *perf, const char *mode, struct wk_err *err)
{
	struct wk_str text = wk_str_c(mode), size;
	const char *comma = strchr(mode, ',');

	size = wk_str_c(comma ? comma + 1 : NULL);
	text.len -= size.len + (comma != NULL);
	if (wk_str_is(text, "dwarf")) {
		perf->record.call_graph = "dwarf";
		if (size.len && !wk_num_u64(size, &perf->record.stack_bytes))
			return wk_fail(err, WK_EUSAGE, WK_NOWHERE,
				       "--cmd: --call-graph is \"%s\", but a size must follow the "
				       "comma",
				       mode);
	} else if (wk_str_is(text, "fp")) {
		perf->record.call_graph = "fp";
	} else if (wk_str_is(text, "lbr")) {
		wk_buf_add_text(&perf->notes, "--cmd: branch records (lbr) are not supported; "
					      "stacks are unwound using tables, which reach "
					      "deeper\n");
	} else {
		return wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			       "--cmd: --call-graph is \"%s\", but must be dwarf, fp or lbr", mode);
	}
	return true;
}

static bool read_typed(struct wk_perf_words *perf, struct typed *typed, struct wk_err *err)
{
	perf->record = typed->record;
	typed->record = (struct wk_record_args){ 0 }; /* perf owns its lists now */
	perf->record.user_only = typed->all_user;
	perf->output = typed->output;
	perf->quiet = typed->quiet;
	if (typed->frequency && strcmp(typed->frequency, "max") == 0) {
		wk_buf_add_text(&perf->notes, "--cmd: -F max is replaced by -F 9999\n");
		perf->record.frequency = 9999;
	} else if (typed->frequency &&
		   (!wk_num_u64(wk_str_c(typed->frequency), &perf->record.frequency) ||
		    !perf->record.frequency)) {
		return wk_option_must_be("freq", typed->frequency, "a whole number above 0 or max",
					 err) ||
		       wk_err_in(err, "--cmd");
	}
	/* perf records no stacks by default; a flame graph needs them. */
	return !typed->call_graph || read_call_graph(perf, typed->call_graph, err);
}

bool wk_perf_words_read(struct wk_perf_words *perf, const char *line, struct wk_err *err)
{
	static const struct wk_opt_group groups[] = { { "", taken }, { "", not_taken } };
	struct typed typed = { 0 };
	const struct wk_opt_target targets[] = {
		{ &groups[0], &typed }, { &groups[1], &typed }, { 0 } };
	struct wk_words words = { 0 };
	char **argv;
	bool ok;

	*perf = (struct wk_perf_words){ 0 };
	if (!split(perf, line, err))
		return false;
	argv = perf->words;
	/* A line copied from a shell may begin with "perf". */
	if (argv && strcmp(argv[0], "perf") == 0)
		argv++;
	if (!argv || !argv[0] || strcmp(argv[0], "record") != 0)
		return wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			       "--cmd is a command line of perf without \"perf\", starting with "
			       "record");
	switch (wk_options_parse(WK_STYLE_WICK, argv + 1, targets, false, &words, err)) {
	case WK_PARSED:
		ok = read_typed(perf, &typed, err);
		break;
	case WK_PARSED_HELP:
	case WK_PARSED_HELP_ALL:
		ok = wk_fail(err, WK_EUSAGE, WK_NOWHERE, "--cmd: see `man perf-record` for help");
		break;
	default:
		ok = wk_err_in(err, "--cmd");
		break;
	}
	if (ok && (words.count || words.rest))
		ok = wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			     "--cmd cannot contain a command; cargo builds what is recorded");
	name_ignored(perf, &typed);
	wk_words_fini(&words);
	if (!ok)
		wk_options_fini(targets);
	return ok;
}

void wk_perf_words_fini(struct wk_perf_words *perf)
{
	for (size_t i = 0; i < perf->count; i++)
		wk_free(perf->words[i]);
	WK_FREE_ALL(perf->words, perf->record.events.at, perf->record.pids.at);
	WK_BUF_FINI_ALL(&perf->ignored, &perf->notes);
	*perf = (struct wk_perf_words){ 0 };
}
