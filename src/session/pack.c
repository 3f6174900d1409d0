#include "session/pack.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "formats/perf/write.h"
#include "formats/reader.h"
#include "os/os.h"
#include "session/incomplete.h"
#include "stages/jit/jit_stage.h"

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
	return wk_fail(err, WK_EFORMAT, WK_NOWHERE,
		       "%s contains its names already (format: %s); pack accepts perf.data "
		       "recordings only",
		       opened->input.name, opened->reader->name);
}

static void fill_packed(struct wk_packed *packed, const struct wk_unwind_stage *stage)
{
	packed->stacks = wk_unwind_stage_counts(stage);
	packed->names = wk_unwind_stage_names(stage);
	if (packed->stacks.missing_reason)
		wk_buf_add_text(&packed->missing, packed->stacks.missing_reason);
	if (packed->names.reason)
		wk_buf_add_text(&packed->nameless, packed->names.reason);
}

/* Names the file that could not be read or written. */
static void name_failed(const struct wk_opened *opened, const struct wk_perf_data_writer *writer,
			const char *output, struct wk_err *err)
{
	if (!wk_perf_data_writer_has_failed(writer))
		wk_opened_fail(opened, err);
	else
		wk_err_in(err, strcmp(output, "-") == 0 ? "standard output" : output);
}

static bool pack(const struct wk_opened *opened, struct wk_symbols *symbols, int fd,
		 const char *output, const struct wk_messages *messages, struct wk_packed *packed,
		 struct wk_err *err)
{
	const struct wk_perf_data_write_options how = { .size = sizeof(how), .keeps_stacks = true };
	struct wk_perf_data_writer *writer = wk_perf_data_writer_new(fd, &how);
	struct wk_jit_stage *names = wk_jit_stage_new(wk_perf_data_writer_sink(writer));
	struct wk_unwind_stage *stage = wk_unwind_stage_new(
		symbols, wk_jit_stage_sink(names),
		(struct wk_unwind_options){
			.jit = names, .embeds_names = true, .keeps_stacks = true });
	struct wk_incomplete incomplete = { .next = wk_unwind_stage_sink(stage),
						.messages = messages };
	struct wk_sink sink = wk_incomplete_sink(&incomplete);
	struct wk_input input = opened->input;
	bool ok;

	input.options.keeps_heap_streams = true;
	ok = opened->reader->read(&input, &sink, err) && wk_unwind_stage_finish(stage, err) &&
	     wk_jit_stage_finish(names, err) && wk_perf_data_writer_finish(writer, err);
	if (!ok)
		name_failed(opened, writer, output, err);
	packed->bytes = wk_perf_data_writer_bytes(writer);
	fill_packed(packed, stage);
	wk_unwind_stage_free(stage);
	wk_jit_stage_free(names);
	wk_perf_data_writer_free(writer);
	return ok;
}

static bool write_packed(const struct wk_opened *opened, const char *output,
			 struct wk_symbols *symbols, const struct wk_messages *messages,
			 struct wk_packed *packed, struct wk_err *err)
{
	struct wk_os_draft draft;
	bool ok;

	if (strcmp(output, "-") == 0)
		return pack(opened, symbols, STDOUT_FILENO, output, messages, packed, err);
	if (!wk_os_draft_open(&draft, output, err))
		return false;
	/* What a program did is private to its user, as with `wick record`. */
	if (draft.temporary)
		wk_os_make_private(draft.fd);
	ok = pack(opened, symbols, draft.fd, output, messages, packed, err);
	if (!wk_os_draft_end(&draft, ok) && ok)
		return wk_fail_os(err, errno, "writing %s", output);
	return ok;
}

bool wk_pack(const char *path, const char *output, const char *format,
	     const struct wk_naming_options *naming, const struct wk_pack_check *check,
	     const struct wk_messages *messages, struct wk_packed *packed, struct wk_err *err)
{
	struct wk_opened opened = { 0 };
	struct wk_symbolizer symbolizer = { 0 };
	bool ok;

	*packed = (struct wk_packed){ 0 };
	ok = wk_reader_open(path, format, &opened, err) && is_recording(&opened, err) &&
	     check->allow(check->context, err) &&
	     wk_symbolizer_open(&symbolizer, naming, messages, err) &&
	     write_packed(&opened, output, symbolizer.symbols, messages, packed, err);
	wk_symbolizer_close(&symbolizer);
	wk_reader_close(&opened);
	return ok;
}

void wk_packed_fini(struct wk_packed *packed)
{
	WK_BUF_FINI_ALL(&packed->missing, &packed->nameless);
}
