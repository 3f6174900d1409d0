#include "session/fold/fold_model.h"

#include <inttypes.h>
#include <strings.h>

#include "base/num.h"
#include "formats/lines.h"
#include "model/builder.h"
#include "model/resolve.h"
#include "session/fold/restack.h"
#include "session/fold/source.h"

/* The scripts copy names and declare their encoding in the picture; pictures of wick are UTF-8. */
static void decode(const struct wk_fold_input *in, struct wk_fold_source *source)
{
	const char *encoding = in->encoding;
	struct wk_buf text = { 0 };

	if (!encoding || strcasecmp(encoding, "utf-8") == 0 || strcasecmp(encoding, "utf8") == 0)
		return;
	if (strcasecmp(encoding, "iso-8859-1") == 0 || strcasecmp(encoding, "latin1") == 0) {
		wk_fold_source_from_latin1(source);
		return;
	}
	wk_buf_add_fmt(&text, "encoding %s is not supported; names are read as UTF-8", encoding);
	in->warn(in->context, wk_buf_str(&text));
	wk_buf_fini(&text);
}

/* In a chart, the last line of the input is the earliest. */
static void reverse_lines(struct wk_fold_source *source, struct wk_buf *reversed)
{
	const char *begin = (const char *)source->input.bytes.at;
	const char *end = (const char *)source->input.bytes.end;

	while (end > begin) {
		const char *line = end;

		while (line > begin && (line == end || line[-1] != '\n'))
			line--;
		wk_buf_add(reversed, line, (size_t)(end - line));
		if (end[-1] != '\n')
			wk_buf_add_char(reversed, '\n');
		end = line;
	}
	source->input.bytes = wk_bytes_of(wk_buf_text(reversed), reversed->len);
	source->input.file = NULL;
	source->input.rest = NULL;
}

/* The stack of a line: without the counts behind it. */
static struct wk_str stack_of_line(struct wk_str line)
{
	line = wk_trim(line);
	for (int column = 0; column < 2; column++) {
		size_t end = line.len;

		while (end && line.at[end - 1] >= '0' && line.at[end - 1] <= '9')
			end--;
		if (end == line.len || end == 0 || line.at[end - 1] != ' ')
			break;
		line = wk_trim(wk_str_of(line.at, end));
	}
	return line;
}

static bool check_sorted(struct wk_bytes bytes, struct wk_err *err)
{
	struct wk_lines lines = wk_lines_of(bytes);
	struct wk_str line, last = { "", 0 };

	while (wk_lines_next(&lines, &line)) {
		struct wk_str stack = stack_of_line(line);

		if (stack.len == 0)
			continue;
		if (wk_str_compare(stack, last) < 0)
			return wk_fail(err, WK_ECORRUPT, WK_NOWHERE,
				       "unsorted input lines detected: line %" PRIu64,
				       lines.number);
		last = stack;
	}
	return true;
}

static void warn_of_lost(const struct wk_fold_input *in, uint64_t lost)
{
	struct wk_buf text = { 0 };

	if (lost == 0)
		return;
	wk_num_add_counted(&text, lost, " line ends", " lines end");
	wk_buf_add_text(&text, " in a function of --base without callees; like inferno, wick does "
			       "not count such stacks");
	in->warn(in->context, wk_buf_str(&text));
	wk_buf_fini(&text);
}

static struct wk_model *build(const struct wk_fold_input *in, const struct wk_fold_source *source,
			      struct wk_err *err)
{
	struct wk_model *model = wk_model_new();
	struct wk_builder *builder = wk_builder_new(model);
	struct wk_sink next = wk_builder_sink(builder), sink;
	struct wk_restack restack = {
		.base = in->base,
		.reverses = in->reverses_stacks,
		.note = in->warn,
		.context = in->context,
	};
	bool ok;

	wk_restack_begin(&restack, &next);
	sink = wk_restack_sink(&restack);
	ok = source->reader->read(&source->input, &sink, err);
	ok = wk_restack_end(&restack, err) && ok;
	warn_of_lost(in, restack.lost);
	wk_builder_finish(builder);
	wk_builder_free(builder);
	if (!ok) {
		wk_model_free(model);
		return NULL;
	}
	/* The names are there already. */
	wk_model_resolve(model, NULL, (struct wk_resolve_options){ 0 });
	return model;
}

/* Unlike text without stacks, of which the tools draw a picture with a message. */
static bool check_text(const struct wk_fold_source *source, struct wk_err *err)
{
	if (wk_reader_check_text(source->input.bytes, source->input.name, err))
		return true;
	err->code = WK_ECORRUPT;
	return wk_opened_fail(&source->files[0], err);
}

struct wk_model *wk_fold_model_open(const struct wk_fold_input *in, struct wk_err *err)
{
	struct wk_collapse collapse = { .dialect = in->dialect };
	struct wk_fold_source source = { 0 };
	struct wk_buf reversed = { 0 };
	struct wk_model *model = NULL;

	if (wk_fold_source_open(&source, in->paths, "folded", false, err) &&
	    check_text(&source, err) &&
	    (!in->must_be_sorted || check_sorted(source.input.bytes, err))) {
		decode(in, &source);
		if (in->reverses_lines)
			reverse_lines(&source, &reversed);
		source.input.options.collapse = &collapse;
		model = build(in, &source, err);
	}
	wk_fold_source_close(&source);
	wk_buf_fini(&reversed);
	return model;
}
