#include "cli/command.h"
#include "cli/export/export.h"
#include "formats/reader.h"
#include "render/renderer.h"

static void suffixes(struct wk_out *out, const struct wk_reader *reader)
{
	for (size_t i = 0; reader->suffixes && reader->suffixes[i]; i++)
		wk_out_fmt(out, "%s%s", i ? ", " : " (", reader->suffixes[i]);
	if (reader->suffixes && reader->suffixes[0])
		wk_out_char(out, ')');
}

static int run(const struct wk_call *call, struct wk_err *err)
{
	if (call->words->count + call->words->rest_count > 0) {
		wk_fail(err, WK_EUSAGE, WK_NOWHERE, "formats accepts no arguments");
		return WK_EXIT_USAGE;
	}
	wk_out_text(call->out, "reads\n");
	for (const struct wk_reader *const *reader = wk_readers(); *reader; reader++) {
		wk_out_fmt(call->out, "  %-15s %s", (*reader)->name, (*reader)->summary);
		suffixes(call->out, *reader);
		wk_out_char(call->out, '\n');
	}
	wk_out_text(call->out, "writes\n");
	for (size_t i = 0; wk_renderers[i]; i++)
		wk_out_fmt(call->out, "  %-15s %s\n", wk_renderers[i]->name,
			   wk_renderers[i]->summary);
	for (const struct wk_export_target *target = wk_export_targets; target->name; target++)
		if (!wk_renderer_find(target->name))
			wk_out_fmt(call->out, "  %-15s %s (wick export)\n", target->name,
				   target->summary);
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
