#include "cli/command.h"
#include "session/export.h"
#include "session/formats.h"

static void print_format(struct wk_out *out, struct wk_format format)
{
	wk_out_fmt(out, "  %-15s %s", format.name, format.summary);
	for (size_t i = 0; format.suffixes && format.suffixes[i]; i++)
		wk_out_fmt(out, "%s%s", i ? ", " : " (", format.suffixes[i]);
	wk_out_text(out, format.suffixes && format.suffixes[0] ? ")\n" : "\n");
}

static int run(const struct wk_call *call, struct wk_err *err)
{
	const struct wk_command *export = wk_command_find("export");

	if (call->words->count + call->words->rest_count > 0) {
		wk_fail(err, WK_EUSAGE, WK_NOWHERE, "formats accepts no arguments");
		return WK_EXIT_USAGE;
	}
	wk_out_text(call->out, "reads\n");
	for (size_t i = 0; wk_format_read(i).name; i++)
		print_format(call->out, wk_format_read(i));
	wk_out_text(call->out, "writes\n");
	for (size_t i = 0; wk_format_written(i).name; i++)
		print_format(call->out, wk_format_written(i));
	for (size_t i = 0; export->choice(i).word; i++)
		if (!wk_export_has_levels(export->choice(i).word)) /* listed above */
			wk_out_fmt(call->out, "  %-15s %s (wick export)\n", export->choice(i).word,
				   export->choice(i).summary);
	return WK_EXIT_DONE;
}

const struct wk_command wk_cmd_formats = {
	.name = "formats",
	.summary = "list the formats that wick reads and writes",
	.usage = (const char *const[]){ "", NULL },
	.description = (const char *const[]){
		"Lists the formats that wick reads, with their names for `--format`, and the "
		"formats that it writes.", NULL },
	.words = WK_WORD_NONE,
	.run = run,
};
