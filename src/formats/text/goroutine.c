/* Dumps of Go's goroutines: after a panic or SIGQUIT, and of /debug/pprof/goroutine?debug=2.
 * docs/formats/goroutine.md */
#include "formats/stack_text.h"

struct dump {
	struct wk_stack_text text;
	bool is_inside;         /* of a goroutine: other lines are output of the program */
	bool is_created_by;     /* the line above was, and its place follows */
	struct wk_str function; /* of the line above, until its place is read; or empty */
};

/* `goroutine 18 [chan receive, 5 minutes]:`, with more words under GOTRACEBACK=crash */
static bool is_head(struct wk_str line)
{
	uint64_t number;

	return wk_str_accept(&line, "goroutine ") && wk_scan_number(&line, &number) &&
	       wk_str_starts(line, " ") && wk_str_has(line, "[") && wk_str_ends(line, "]:");
}

/* `	/srv/shop/main.go:12 +0x1d` as file and line. */
static bool read_place(struct wk_str line, struct wk_str *file, uint32_t *number)
{
	size_t end;

	if (!wk_str_accept(&line, "\t"))
		return false;
	end = wk_str_find(line, " +0x");
	if (end == SIZE_MAX)
		end = wk_str_find(line, " fp=0x");
	line.len = end == SIZE_MAX ? line.len : end;
	*file = line;
	return wk_cut_line(file, number);
}

static bool is_place(struct wk_str line)
{
	struct wk_str file;
	uint32_t number;

	return read_place(line, &file, &number);
}

/* `net/http.(*Server).Serve(0xc000, {0x1, 0x2})` without its arguments. */
static bool read_function(struct wk_str line, struct wk_str *function)
{
	size_t open = wk_str_find_last(line, '(');

	*function = wk_str_of(line.at, open == SIZE_MAX ? 0 : open);
	return function->len && line.at[0] != '\t' && wk_str_ends(line, ")");
}

static void end_function(struct dump *dump, struct wk_str file, uint32_t line)
{
	struct wk_event_frame frame = { .name = dump->function, .file = file, .line = line };

	if (frame.name.len)
		wk_stack_text_frame(&dump->text, &frame);
	dump->function = (struct wk_str){ 0 };
}

static void end_goroutine(struct dump *dump)
{
	end_function(dump, (struct wk_str){ 0 }, 0);
	wk_stack_text_count(&dump->text, 1);
	dump->is_inside = dump->is_created_by = false;
}

/* The creator of a goroutine is not its caller. */
static void read_inside(struct dump *dump, struct wk_str line)
{
	struct wk_str file, function;
	uint32_t number;

	if (line.len == 0) {
		end_goroutine(dump);
	} else if (read_place(line, &file, &number)) {
		if (!dump->is_created_by)
			end_function(dump, file, number);
		dump->is_created_by = false;
	} else if (wk_str_starts(line, "created by ")) {
		end_function(dump, (struct wk_str){ 0 }, 0);
		dump->is_created_by = true;
	} else if (read_function(line, &function)) {
		end_function(dump, (struct wk_str){ 0 }, 0);
		dump->function = function;
	} else if (!wk_str_starts(line, "...") && !wk_str_starts(line, "[originating from ") &&
		   !wk_str_starts(line, "exit status ") &&
		   !wk_str_starts(line, "\tgoroutine running on other thread")) {
		wk_stack_text_bad(&dump->text, "a function with its arguments, or a tab and its "
					       "file:line");
	}
}

static bool read_dump(const struct wk_input *input, const struct wk_sink *sink, struct wk_err *err)
{
	struct dump dump = { 0 };
	struct wk_str line;

	wk_stack_text_begin(&dump.text, input, sink, "goroutines");
	while (wk_stack_text_next(&dump.text, &line)) {
		if (is_head(line)) {
			end_goroutine(&dump);
			dump.is_inside = true;
		} else if (dump.is_inside) {
			read_inside(&dump, line);
		}
	}
	end_goroutine(&dump);
	return wk_stack_text_end(&dump.text, "Go's `goroutine 1 [running]:` and functions below",
				 err);
}

const struct wk_reader wk_reader_goroutine = {
	.name = "goroutine",
	.summary = "dumps of Go's goroutines: panics, SIGQUIT, pprof's debug=2",
	.signs = (const struct wk_line_sign[]){ { 95, is_head, is_place }, { 0 } },
	.read = read_dump,
};
