/* A recording made fit to travel: unwound, and with the names of all that was sampled in it. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/num.h"
#include "cli/command.h"
#include "cli/messages.h"
#include "cli/options/open_options.h"
#include "cli/output.h"
#include "cli/terminal.h"
#include "formats/perf/write.h"
#include "formats/reader.h"
#include "os/os.h"
#include "session/incomplete.h"
#include "session/symbolizer.h"
#include "stages/jit/jit_stage.h"
#include "stages/unwind_stage.h"

struct args {
	const char *output;
	bool quiet;
	struct wk_open_options load;
};

static const struct wk_opt options[] = {
	{ 'o', "output", "FILE", "write to FILE; \"-\" is standard output [default: the input's "
	  "name with \"-packed\" added]", WK_OPT_TEXT, offsetof(struct args, output), NULL },
	{ 'q', "quiet", NULL, "print errors only", WK_OPT_FLAG, offsetof(struct args, quiet),
	  NULL },
	{ 0 },
};

static const char *const forms[] = { "data", NULL };

/* "wick.data" becomes "wick-packed.data". */
static void packed_name(const char *path, struct wk_buf *name)
{
	struct wk_str whole = wk_str_c(strcmp(path, "-") == 0 ? WK_DEFAULT_RECORDING : path);
	struct wk_str base = wk_str_basename(whole);
	size_t dot = base.len;

	while (dot > 1 && base.at[dot - 1] != '.')
		dot--;
	dot = dot > 1 ? dot - 1 : base.len;
	wk_buf_add(name, whole.at, whole.len - base.len + dot);
	wk_buf_add_text(name, "-packed");
	wk_buf_add_str(name, wk_str_skip(base, dot));
}

/* Only recordings of machine code have addresses that want names; those of Windows have them in
 * PDBs, which are not copied into a trace. */
static bool is_recording(const struct wk_opened *opened, struct wk_err *err)
{
	if (opened->reader == &wk_reader_perf_data)
		return true;
	if (strcmp(opened->reader->name, "etl") == 0)
		return wk_fail(err, WK_EFORMAT, WK_NOWHERE,
			       "%s is a Windows trace, but pack accepts perf.data recordings only; "
			       "send the PDBs together with the trace",
			       opened->input.name);
	wk_fail(err, WK_EFORMAT, WK_NOWHERE,
		"%s contains its names already (format: %s); pack accepts perf.data recordings "
		"only",
		opened->input.name, opened->reader->name);
	return false;
}

/* What came of it. */
struct packed {
	uint64_t bytes;
	struct wk_unwind_counts stacks;
	struct wk_buf missing; /* why stacks were kept as they are */
	struct wk_embed_counts names;
	struct wk_buf nameless; /* why most of what has no name has none */
};

static void fill_packed(struct packed *packed, const struct wk_unwind_stage *stage)
{
	packed->stacks = wk_unwind_stage_counts(stage);
	packed->names = wk_unwind_stage_names(stage);
	if (packed->stacks.missing_reason)
		wk_buf_add_text(&packed->missing, packed->stacks.missing_reason);
	if (packed->names.reason)
		wk_buf_add_text(&packed->nameless, packed->names.reason);
}

static bool pack(const struct wk_opened *opened, struct wk_symbols *symbols, int fd,
		 struct packed *packed, struct wk_err *err)
{
	const struct wk_perf_data_write_options how = { .size = sizeof(how), .keeps_stacks = true };
	struct wk_perf_data_writer *writer = wk_perf_data_writer_new(fd, &how);
	struct wk_jit_stage *names = wk_jit_stage_new(wk_perf_data_writer_sink(writer));
	struct wk_unwind_stage *stage = wk_unwind_stage_new(symbols, wk_jit_stage_sink(names));
	struct wk_incomplete incomplete = { .next = wk_unwind_stage_sink(stage),
						.messages = &wk_cli_messages };
	struct wk_sink sink = wk_incomplete_sink(&incomplete);
	bool ok;

	wk_unwind_stage_embed_names(stage);
	wk_unwind_stage_keep_stacks(stage);
	wk_unwind_stage_use_jit(stage, names);
	ok = (opened->reader->read(&opened->input, &sink, err) || wk_opened_fail(opened, err)) &&
	     wk_unwind_stage_finish(stage, err) && wk_jit_stage_finish(names, err) &&
	     wk_perf_data_writer_finish(writer, err);
	packed->bytes = wk_perf_data_writer_bytes(writer);
	fill_packed(packed, stage);
	wk_unwind_stage_free(stage);
	wk_jit_stage_free(names);
	wk_perf_data_writer_free(writer);
	return ok;
}

static bool write_packed(const struct wk_opened *opened, const char *output,
			 struct wk_symbols *symbols, struct packed *packed, struct wk_err *err)
{
	bool to_stdout = strcmp(output, "-") == 0;
	struct wk_os_draft draft = { .fd = STDOUT_FILENO };
	bool ok;

	if (to_stdout && wk_os_is_terminal(STDOUT_FILENO))
		return wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			       "a recording is binary and is not written to a terminal; use -o "
			       "FILE or a pipe");
	if (!to_stdout && !wk_os_draft_open(&draft, output, err))
		return false;
	/* What a program did is its user's own affair, as with `wick record`. */
	if (!to_stdout && draft.temporary)
		wk_os_make_private(draft.fd);
	ok = pack(opened, symbols, draft.fd, packed, err);
	if (!to_stdout && !wk_os_draft_end(&draft, ok) && ok)
		return wk_fail_os(err, errno, "writing %s", output);
	return ok;
}

static void say_stacks(const struct packed *packed)
{
	const struct wk_unwind_counts *stacks = &packed->stacks;
	uint64_t all = stacks->whole + stacks->cut + stacks->broken + stacks->kept;
	struct wk_buf words = { 0 };

	if (stacks->kept == 0)
		return;
	wk_num_add_grouped(&words, stacks->kept);
	wk_buf_add_text(&words, " of ");
	wk_num_add_grouped(&words, all);
	wk_buf_add_fmt(&words,
		       " stacks could not be unwound: %s; the file contains their copies, to be "
		       "unwound where the missing file is (--symbol-server FOLDER)",
		       wk_buf_text(&packed->missing));
	wk_say(wk_buf_text(&words));
	wk_buf_fini(&words);
}

static void say_names(const struct packed *packed)
{
	const struct wk_embed_counts *names = &packed->names;
	struct wk_buf words = { 0 };

	if (names->unnamed == 0)
		return;
	wk_num_add_grouped(&words, names->unnamed);
	wk_buf_add_text(&words, " of ");
	wk_num_add_grouped(&words, names->addresses);
	wk_buf_add_text(&words, " addresses have no name");
	if (packed->nameless.len) { /* the reason itself went with the symbols */
		wk_buf_add_text(&words, names->of_reason == names->unnamed ? ": " : "; ");
		if (names->of_reason != names->unnamed) {
			wk_num_add_grouped(&words, names->of_reason);
			wk_buf_add_text(&words, " of them: ");
		}
		wk_buf_add_text(&words, wk_buf_text(&packed->nameless));
	}
	wk_say(wk_buf_text(&words));
	wk_buf_fini(&words);
}

static void say_done(const char *input, const char *output, const struct packed *packed)
{
	struct wk_buf words = { 0 };

	wk_buf_add_fmt(&words, "packed %s into %s, ",
		       strcmp(input, "-") == 0 ? "standard input" : input,
		       strcmp(output, "-") == 0 ? "standard output" : output);
	wk_num_add_bytes(&words, packed->bytes);
	wk_say(wk_buf_text(&words));
	wk_buf_fini(&words);
	say_stacks(packed);
	say_names(packed);
}

/* Nobody asked for the name by name. */
static bool is_free(const char *output, struct wk_err *err)
{
	return !wk_os_is_there(output) ||
	       wk_fail(err, WK_EUSAGE, WK_NOWHERE,
		       "%s exists already; overwrite it with -o %s, or choose another name", output,
		       output);
}

static int run(const struct wk_call *call, struct wk_err *err)
{
	const struct args *args = call->args;
	const char *path = wk_input_path(call->words, err), *output = args->output;
	struct wk_buf name = { 0 };
	struct wk_opened opened = { 0 };
	struct wk_symbolizer symbolizer = { 0 };
	struct packed packed = { 0 };
	bool ok = true;

	if (!path)
		return wk_exit_code(err);
	if (!output) {
		packed_name(path, &name);
		output = wk_buf_text(&name);
		ok = is_free(output, err);
	}
	ok = ok && wk_reader_open(path, args->load.format, &opened, err) &&
	     is_recording(&opened, err) &&
	     wk_output_allow(output, (const char *const[]){ path, NULL }, forms, call, err) &&
	     wk_symbolizer_open(&symbolizer, &args->load.naming, &wk_cli_messages, err) &&
	     write_packed(&opened, output, symbolizer.symbols, &packed, err);
	wk_symbolizer_close(&symbolizer);
	wk_reader_close(&opened);
	if (ok && !args->quiet)
		say_done(path, output, &packed);
	wk_buf_fini(&packed.missing);
	wk_buf_fini(&packed.nameless);
	wk_buf_fini(&name);
	return ok ? WK_EXIT_DONE : wk_exit_code(err);
}

const struct wk_command wk_cmd_pack = {
	.name = "pack",
	.summary = "make a recording that opens with all its names on another machine",
	.usage = (const char *const[]){ "[OPTION...] [FILE]", NULL },
	.description = (const char *const[]){
		"Reads a perf.data recording (by wick or perf) [default: wick.data], unwinds its "
		"stacks and writes a new file that contains the names, inlined calls and source "
		"lines of all samples. The new file needs no program, library or debug file of "
		"this machine. It is an ordinary perf.data file as well.",
		"If a binary is missing, stacks through it are copied unchanged, so that they can "
		"be unwound on a machine that has it. wick reports how many, and what has no name.",
		"`wick record --embed-symbols` writes such a file while recording.",
		NULL },
	.options = (const struct wk_opt_use[]){
		{ &(const struct wk_opt_group){ "Output", options }, 0 },
		{ &wk_open_group, offsetof(struct args, load) },
		{ 0 } },
	.examples = (const struct wk_example[]){
		{ "wick pack", "write wick-packed.data" },
		{ "wick pack perf.data -o for-a-friend.data", "pack a recording made by perf" },
		{ 0 } },
	.words = WK_WORD_FILE,
	.args_size = sizeof(struct args),
	.run = run,
};
