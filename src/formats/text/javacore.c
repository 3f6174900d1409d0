/* Javacore dumps of IBM Java and OpenJ9, one or more in a file. docs/formats/javacore.md */
#include "formats/text/java_frame.h"

#define RUNNING 0
#define WAITING 1

#define ANONYMOUS "Anonymous native thread"

struct core {
	struct wk_stack_text text;
	struct wk_buf thread; /* its name; empty outside of a thread */
	struct wk_buf method;
	bool is_running;
};

/* The rest of a line behind its tag and the blanks after it. */
static bool accept_tag(struct wk_str *line, const char *tag)
{
	return wk_str_accept(line, tag) && wk_scan_blanks(line) > 0;
}

static bool is_thread(struct wk_str line)
{
	return accept_tag(&line, "3XMTHREADINFO") &&
	       (wk_str_starts(line, "\"") || wk_str_starts(line, ANONYMOUS));
}

static bool is_frame(struct wk_str line)
{
	return accept_tag(&line, "4XESTACKTRACE") && wk_str_starts(line, "at ");
}

/* Threads without Java frames are omitted; the older tool shows them as their name. */
static void end_thread(struct core *core)
{
	const struct wk_collapse *collapse = core->text.collapse;

	if (core->thread.len && (collapse || core->text.count)) {
		if (!collapse || collapse->with_thread_name)
			wk_stack_text_name(&core->text, wk_buf_str(&core->thread));
		wk_stack_text_sample(&core->text, WK_NO_PID, WK_NO_PID,
				     core->is_running || collapse ? RUNNING : WAITING, 1);
	}
	core->text.count = 0;
	wk_buf_reset(&core->thread);
}

/* "NAME" J9VMThread:0x..., ..., state:R, prio=5 */
static void begin_thread(struct core *core, struct wk_str line)
{
	struct wk_str name = wk_str_c(ANONYMOUS);

	end_thread(core);
	if (wk_str_accept(&line, "\""))
		name = wk_scan_to(&line, '"');
	wk_buf_add_str(&core->thread, name);
	core->is_running = wk_str_has(line, " state:R,");
}

/* (native thread ID:0x3158, native priority:0x5, ...) */
static void read_thread_id(struct core *core, struct wk_str line)
{
	const struct wk_collapse *collapse = core->text.collapse;

	if (!collapse || !collapse->with_thread_id || !core->thread.len ||
	    !wk_str_accept(&line, "(native thread ID:"))
		return;
	wk_buf_add_char(&core->thread, '-');
	wk_buf_add_str(&core->thread, wk_scan_to(&line, ','));
}

/* "File.java:127(Compiled Code))", "File.java(Inlined Compiled Code))", "Native Method)" ... */
static void read_place(struct wk_str place, struct wk_event_frame *frame)
{
	struct wk_str file = wk_scan_to(&place, '(');

	if (wk_str_ends(file, ")"))
		file.len--;
	if (wk_str_is(file, "Native Method") || wk_str_is(file, "Unknown Source") ||
	    wk_str_is(file, "Bytecode PC"))
		return;
	wk_cut_line(&file, &frame->line);
	frame->file = file;
}

/* Packages are separated by '/', those of other Java virtual machines by '.'. */
static void add_frame(struct core *core, struct wk_str line, struct wk_str method)
{
	struct wk_event_frame frame = { 0 };

	if (core->text.collapse) {
		wk_java_frame(&core->text, line, method);
		return;
	}
	wk_buf_reset(&core->method);
	method = wk_trim(method);
	for (size_t i = 0; i < method.len; i++)
		wk_buf_add_char(&core->method, method.at[i] == '/' ? '.' : method.at[i]);
	frame.name = wk_buf_str(&core->method);
	wk_scan_to(&line, '(');
	read_place(wk_str_skip(line, 1), &frame);
	wk_stack_text_frame(&core->text, &frame);
}

static void read_line(struct core *core, struct wk_str line)
{
	struct wk_str rest = line, method;

	if (is_thread(line)) {
		accept_tag(&rest, "3XMTHREADINFO");
		begin_thread(core, rest);
	} else if (accept_tag(&rest, "3XMTHREADINFO1")) {
		read_thread_id(core, rest);
	} else if (accept_tag(&rest, "4XESTACKTRACE")) {
		if (wk_java_method(rest, &method) && core->thread.len)
			add_frame(core, rest, method);
		else
			wk_stack_text_bad(&core->text, "\"at\" and a method, below a thread");
	}
}

static bool read_dumps(const struct wk_input *input, const struct wk_sink *sink, struct wk_err *err)
{
	struct core core = { 0 };
	struct wk_str line;

	wk_stack_text_begin(&core.text, input, sink, "runnable threads");
	if (!input->options.collapse)
		wk_stack_writer_source(core.text.writer, WAITING, "waiting threads", "samples",
				       false);
	while (wk_stack_text_next(&core.text, &line))
		read_line(&core, line);
	end_thread(&core);
	WK_BUF_FINI_ALL(&core.thread, &core.method);
	return wk_stack_text_end(&core.text, "threads (3XMTHREADINFO) of a javacore dump", err);
}

static bool is_title(struct wk_str line)
{
	return wk_str_starts(line, "0SECTION       TITLE subcomponent dump routine");
}

const struct wk_reader wk_reader_javacore = {
	.name = "javacore",
	.summary = "javacore dumps of IBM Java and OpenJ9",
	.signs = (const struct wk_line_sign[]){
		{ 95, is_title, NULL }, { 95, is_thread, NULL }, { 90, is_frame, NULL }, { 0 } },
	.read = read_dumps,
};
