/* Asks the recorder of a running process for a snapshot of its heap. */
#include <limits.h>

#include "base/num.h"
#include "cli/command.h"
#include "session/record.h"

struct args {
	bool quiet;
};

static const struct wk_opt options[] = {
	WK_FLAG('q', "quiet", "print errors only", offsetof(struct args, quiet)),
	{ 0 },
};

static bool read_words(const struct wk_words *words, pid_t *pid, struct wk_str *label,
		       struct wk_err *err)
{
	uint64_t number;

	if (!words->count)
		return wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			       "no process number; usage: wick snapshot PID [LABEL]");
	if (words->count > 2)
		return wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			       "snapshot accepts a process number and one label, found %zu words; "
			       "quote a label that contains blanks",
			       words->count);
	if (!wk_num_u64(wk_str_c(words->at[0]), &number) || number == 0 || number > INT_MAX)
		return wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			       "\"%s\" is not a process number such as 1234", words->at[0]);
	*pid = (pid_t)number;
	*label = wk_str_c(words->count > 1 ? words->at[1] : "");
	return label->len <= WK_SNAPSHOT_LABEL_BYTES ||
	       wk_fail(err, WK_EUSAGE, WK_NOWHERE, "the label has %zu bytes; the limit is %d",
		       label->len, WK_SNAPSHOT_LABEL_BYTES);
}

/* "snapshot 3 of process 1234 (app): after load" */
static void print_taken(const struct wk_taken_snapshot *taken, struct wk_str label,
			struct wk_out *out)
{
	wk_out_text(out, "snapshot ");
	if (taken->number)
		wk_out_fmt(out, "%u ", (unsigned)taken->number);
	wk_out_fmt(out, "of process %d", (int)taken->pid);
	if (taken->name.len) {
		wk_out_text(out, " (");
		wk_out_term(out, wk_buf_str(&taken->name));
		wk_out_char(out, ')');
	}
	if (label.len) {
		wk_out_text(out, ": ");
		wk_out_term(out, label);
	}
	wk_out_char(out, '\n');
}

static int run(const struct wk_call *call, struct wk_err *err)
{
	const struct args *args = call->args;
	struct wk_taken_snapshot taken = { 0 };
	struct wk_str label;
	pid_t pid = 0;
	bool ok = read_words(call->words, &pid, &label, err) &&
		  wk_heap_snapshot_request(pid, label, &taken, err);

	if (ok && !args->quiet)
		print_taken(&taken, label, call->out);
	wk_taken_snapshot_fini(&taken);
	return ok ? WK_EXIT_DONE : wk_exit_code(err);
}

const struct wk_command wk_cmd_snapshot = {
	.name = "snapshot",
	.summary = "take a heap snapshot of a process that is being recorded",
	.usage = (const char *const[]){ "[OPTION...] PID [LABEL]", NULL },
	.description = (const char *const[]){
		"Takes a snapshot of the heap of process PID, which `wick record --heap` records: "
		"the blocks that are allocated at that moment, with their stacks. It becomes a "
		"part of that recording, with LABEL as its name. The process is not stopped.",
		"Prints the number of the snapshot. Snapshots are counted from 1, in order of "
		"time, over all processes of the recording and all causes: this command, "
		"--snapshot-every, and wick/mark.h in a program. With --snapshot-at-exit, "
		"--snapshot-at-peak or --snapshot-over, they are numbered when the recording is "
		"read; `wick show snapshots` lists the numbers.",
		"The process must belong to the same user; root may take snapshots of any.",
		NULL },
	.options = (const struct wk_opt_use[]){
		{ &(const struct wk_opt_group){ "Options", options }, 0 },
		{ 0 } },
	.examples = (const struct wk_example[]){
		{ "wick snapshot 1234", "take a snapshot of process 1234" },
		{ "wick snapshot 1234 \"after load\"", "the same, with a label" },
		{ "wick snapshot $(pidof app) idle", "take a snapshot of the process called app" },
		{ 0 } },
	.exit_note = "1 if there is no such process, if it is not recorded, or if it belongs to "
		"another user.",
	.words = WK_WORD_NONE,
	.args_size = sizeof(struct args),
	.run = run,
};
