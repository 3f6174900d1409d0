#include <stdlib.h>

#include "base/mem.h"
#include "cli/command.h"
#include "cli/options/open_options.h"
#include "event/dump.h"
#include "formats/archive/content.h"
#include "formats/archive/session.h"

struct args {
	const char *format;
	bool header;
};

static const struct wk_opt options[] = {
	{ 0, "format", "FORMAT", "read FILE as this format; `wick formats` lists them [default: by "
	  "content]", WK_OPT_TEXT, offsetof(struct args, format), NULL },
	{ 0, "header", NULL, "print the header of a perf.data file: machine, sections, event "
	  "attributes, build ids; one fact per line", WK_OPT_FLAG,
	  offsetof(struct args, header), NULL },
	{ 0 },
};

struct facts {
	struct wk_out *out;
	size_t count;
};

/* "host name: box". Texts come from the file: no control character reaches a terminal. */
static bool print_fact(void *context, const struct wk_event *event, struct wk_err *err)
{
	struct facts *facts = context;
	struct wk_out *out = facts->out;

	if (event->kind != WK_EVENT_SYSTEM && event->kind != WK_EVENT_NOTE)
		return true;
	facts->count++;
	wk_out_term(out, event->kind == WK_EVENT_NOTE ? wk_str_c("note") : event->system.key);
	wk_out_text(out, ": ");
	wk_out_term(out, event->kind == WK_EVENT_NOTE ? event->note.text : event->system.value);
	wk_out_char(out, '\n');
	return !out->failed || wk_fail_os(err, out->error_number, "writing facts");
}

static bool print_header(struct wk_opened *opened, struct wk_out *out, struct wk_err *err)
{
	struct facts facts = { .out = out };
	struct wk_sink sink = { .take = print_fact, .context = &facts };

	opened->input.options.is_header_only = true;
	if (!opened->reader->read(&opened->input, &sink, err))
		return wk_opened_fail(opened, err);
	if (facts.count == 0)
		return wk_fail(err, WK_EFORMAT, WK_NOWHERE,
			       "%s has no header to print; only perf.data files have one",
			       opened->input.name);
	return true;
}

static bool print_events(struct wk_opened *opened, struct wk_out *out, struct wk_err *err)
{
	struct wk_sink sink = wk_dump_sink(out);

	return opened->reader->read(&opened->input, &sink, err) || wk_opened_fail(opened, err);
}

/* Events of several recordings are of several clocks: there is no order in which to print them. */
static bool are_one(const char *const *paths, size_t count, struct wk_err *err)
{
	struct wk_session_part first = { 0 }, other;

	if (!wk_content_differs(paths, count, err))
		return false;
	if (count > 1)
		first = wk_session_part(paths[0]);
	for (size_t i = 1; i < count; i++) {
		other = wk_session_part(paths[i]);
		if (!wk_session_is_one(&first, &other))
			return wk_fail(err, WK_EUSAGE, WK_NOWHERE,
				       "%s and %s belong to different Windows sessions; dump them "
				       "one by one",
				       paths[0], paths[i]);
	}
	return true;
}

static bool dump(const struct args *args, const char *const *paths, struct wk_out *out,
		 struct wk_err *err)
{
	struct wk_opened opened;
	size_t count = 0;
	bool ok;

	while (paths[count])
		count++;
	if (!are_one(paths, count, err) ||
	    !wk_session_open(paths, count, args->format, &opened, err))
		return false;
	ok = args->header ? print_header(&opened, out, err) : print_events(&opened, out, err);
	wk_reader_close(&opened);
	return ok;
}

static int run(const struct wk_call *call, struct wk_err *err)
{
	const struct args *args = call->args;
	const char **paths = wk_input_paths(call->words, err);
	bool ok = paths && dump(args, paths, call->out, err);

	wk_free(paths);
	return ok ? WK_EXIT_DONE : wk_exit_code(err);
}

const struct wk_command wk_cmd_dump = {
	.name = "dump",
	.summary = "print a recording event by event",
	.usage = (const char *const[]){ "[OPTION...] [FILE...]", NULL },
	.description = (const char *const[]){
		"Prints the events of FILE [default: wick.data] in order of time, one per line: "
		"the kind (`process`, `thread`, `image`, `sample` ...), then fields as name=value. "
		"These are the events before unwinding, naming and adding up. Several FILEs must "
		"belong to one Windows session (kernel.etl, user.etl ...).",
		NULL },
	.options = (const struct wk_opt_use[]){
		{ &(const struct wk_opt_group){ "Options", options }, 0 }, { 0 } },
	.examples = (const struct wk_example[]){
		{ "wick dump --header perf.data", "print the machine and event attributes in the "
		  "header" },
		{ "wick dump | grep ^image", "list the mapped files" },
		{ "wick dump perf.data | cut -d' ' -f1 | sort | uniq -c",
		  "count the events of each kind" },
		{ 0 } },
	.words = WK_WORD_FILE,
	.args_size = sizeof(struct args),
	.run = run,
};
