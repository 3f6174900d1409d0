#include "cli/command.h"
#include "cli/options/table_form.h"
#include "session/presets/own_preset.h"
#include "session/shown_table.h"

static bool print_all(const struct wk_call *call, struct wk_err *err)
{
	struct wk_table_look look = wk_table_look(WK_TABLE_TEXT, call->out, call, 0);
	struct wk_table table;
	bool ok;

	wk_own_presets_table(&table);
	ok = wk_table_print(&table, NULL, &look, call->out, err);
	wk_table_fini(&table);
	return ok;
}

static struct wk_choice choice(size_t index)
{
	return (struct wk_choice){ wk_presets[index].name, wk_presets[index].summary };
}

static int run(const struct wk_call *call, struct wk_err *err)
{
	const struct wk_words *words = call->words;
	bool ok;

	if (words->count > 1 || words->rest_count > 0)
		ok = wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			     "preset accepts one NAME or FILE.json at most");
	else if (words->count)
		ok = wk_own_preset_write(words->at[0], call->out, err);
	else
		ok = print_all(call, err);
	return ok ? WK_EXIT_DONE : wk_exit_code(err);
}

const struct wk_command wk_cmd_preset = {
	.name = "preset",
	.summary = "list the presets, or print one as JSON",
	.usage = (const char *const[]){ "[NAME|FILE.json]", NULL },
	.description = (const char *const[]){
		"Lists the presets for `--preset`, or prints one as JSON. Save it to a file, change "
		"it, and use it with `--preset FILE.json`; docs/presets.md describes the keys. A "
		"FILE.json is checked and printed in the same form.", NULL },
	.examples = (const struct wk_example[]){
		{ "wick preset rustc > stages.json", "write a preset to start from" },
		{ "wick flame --preset stages.json", "use the changed one" },
		{ 0 } },
	.words = WK_WORD_FILE_THEN_CHOICE,
	.choices_title = "Presets",
	.choice = choice,
	.run = run,
};
