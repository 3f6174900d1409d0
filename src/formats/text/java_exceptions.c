/* Java stack traces in a log: what was thrown where. docs/formats/java-exceptions.md */
#include "formats/text/java_frame.h"

/* "at" may be an ordinary word in a log: a method contains a dot and is followed by a place. */
static bool is_frame(struct wk_str line)
{
	struct wk_str method;

	return wk_java_method(line, &method) && line.len && line.at[line.len - 1] == ')' &&
	       wk_str_has(method, ".") && !wk_str_has(method, " ");
}

static bool is_thrown(struct wk_str line)
{
	return wk_str_has(line, "Exception") || wk_str_has(line, "Error");
}

static int probe(struct wk_bytes first)
{
	size_t frames = wk_probe_lines(first, is_frame);

	return frames > 1 && wk_probe_lines(first, is_thrown) ? 60 : frames > 1 ? 30 : 0;
}

static bool read_exceptions(const struct wk_input *input, const struct wk_sink *sink,
			    struct wk_err *err)
{
	struct wk_stack_text text;
	struct wk_str line, method;

	wk_stack_text_begin(&text, input, sink, "exceptions");
	while (wk_stack_text_next(&text, &line)) {
		if (wk_java_method(line, &method) && (text.collapse || is_frame(line)))
			wk_java_frame(&text, line, method);
		else
			wk_stack_text_count(&text, 1);
	}
	wk_stack_text_count(&text, 1);
	return wk_stack_text_end(&text, "Java stack traces: lines of \"at Class.method(...)\"",
				 err);
}

const struct wk_reader wk_reader_java_exceptions = {
	.name = "java-exceptions",
	.summary = "Java stack traces in a log",
	.probe = probe,
	.read = read_exceptions,
};
