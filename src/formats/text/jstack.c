/* Thread dumps of a Java virtual machine (jstack, jcmd Thread.print, kill -QUIT), one or more in a
 * file. docs/formats/jstack.md */
#include "formats/text/java_frame.h"

#define RUNNING 0
#define WAITING 1

struct dump {
	struct wk_stack_text text;
	struct wk_str thread; /* its name; `at` is NULL outside of a thread */
	struct wk_str state;  /* empty while unknown */
};

static bool is_head(struct wk_str line)
{
	return wk_str_starts(line, "Full thread dump ");
}

static bool is_state(struct wk_str line)
{
	return wk_str_has(line, "java.lang.Thread.State: ");
}

/* Threads of the virtual machine that are RUNNABLE but idle. */
static bool is_background(struct wk_str thread)
{
	size_t compiler = wk_str_find(thread, " CompilerThread");

	return (compiler != SIZE_MAX && compiler >= 2 && thread.at[compiler - 2] == 'C') ||
	       wk_str_has(thread, "Signal Dispatcher") || wk_str_has(thread, "Service Thread") ||
	       wk_str_has(thread, "Attach Listener");
}

/* Methods of newer versions and the garbage collector's helper, which the older tool does not
 * know. */
static bool is_waiting_in_newer(struct wk_str method)
{
	static const char *const methods[] = {
		"sun.nio.ch.EPoll.wait", "sun.nio.ch.KQueue.poll", "sun.nio.ch.Net.poll",
		"sun.nio.ch.Net.accept", "sun.nio.ch.UnixDomainSockets.accept0",
		"sun.nio.ch.SocketDispatcher.read0", "sun.nio.ch.WEPoll.wait",
		"java.lang.ref.Reference.waitForReferencePendingList",
		"java.lang.ProcessHandleImpl.waitForProcessExit0", NULL };

	for (size_t i = 0; methods[i]; i++)
		if (wk_str_ends(method, methods[i]))
			return true;
	return false;
}

/* The virtual machine counts waiting in the kernel as running. */
static bool is_waiting_inside(const struct wk_collapse *collapse, struct wk_str method)
{
	size_t socket = wk_str_find(method, "Socket");

	return wk_str_has(method, "epollWait") || wk_str_ends(method, "socketAccept") ||
	       wk_str_ends(method, "socketRead0") ||
	       (socket != SIZE_MAX && wk_str_ends(wk_str_skip(method, socket + 6), "accept0")) ||
	       (!collapse && is_waiting_in_newer(method));
}

/* "pool-1-thread-7" becomes "pool-1-thread", so that the threads of a pool are merged. */
static struct wk_str without_number(struct wk_str name)
{
	size_t len = name.len;

	while (len > 0 && wk_is_digit(name.at[len - 1]))
		len--;
	if (len < name.len && len > 0 && name.at[len - 1] == '-')
		name.len = len - 1;
	return name;
}

static void add_thread_name(struct dump *dump)
{
	const struct wk_collapse *collapse = dump->text.collapse;

	if (!dump->thread.at || (collapse && !collapse->with_thread_name))
		return;
	wk_stack_text_name(&dump->text, collapse && collapse->with_thread_id
						? dump->thread
						: without_number(dump->thread));
}

/* As the older tool: threads that do not run are omitted, and a running thread without frames is
 * shown as its name. */
static void end_collapsed(struct dump *dump, bool is_running)
{
	if (!is_running && !dump->text.collapse->keeps_idle)
		return;
	add_thread_name(dump);
	wk_stack_text_count(&dump->text, 1);
}

static void end_thread(struct dump *dump)
{
	bool is_running = wk_str_is(dump->state, "RUNNABLE");

	if (dump->text.collapse) {
		end_collapsed(dump, is_running);
	} else if (dump->text.count) {
		add_thread_name(dump);
		wk_stack_text_sample(&dump->text, WK_NO_PID, WK_NO_PID,
				     is_running ? RUNNING : WAITING, 1);
	}
	dump->text.count = 0;
	dump->thread = dump->state = (struct wk_str){ 0 };
}

static void begin_thread(struct dump *dump, struct wk_str line)
{
	line = wk_str_skip(line, 1);
	dump->thread = wk_scan_to(&line, '"');
	if (is_background(dump->thread))
		dump->state = wk_str_c("BACKGROUND");
}

static void read_state(struct dump *dump, struct wk_str line)
{
	struct wk_str before = wk_str_of(line.at, wk_str_find(line, "java.lang.Thread.State: "));

	line = wk_str_skip(line, before.len + strlen("java.lang.Thread.State: "));
	if (dump->state.len == 0)
		dump->state = wk_scan_word(&line);
}

/* Lines of a dump other than stacks: locks, compilers, headings of tables. */
static bool is_remark(const struct dump *dump, struct wk_str line)
{
	static const char *const starts[] = {
		"-", "No compile task", "Compiling:", "Locked ownable", "JNI global ref",
		"Carrying virtual thread", "Full thread dump ", NULL };

	wk_scan_blanks(&line);
	return !dump->thread.at || wk_str_starts_one_of(line, starts);
}

static void read_line(struct dump *dump, struct wk_str line)
{
	struct wk_str method;

	if (wk_str_starts(line, "#"))
		return;
	if (line.len == 0) {
		end_thread(dump);
	} else if (line.at[0] == '"') {
		/* JDK 19 and later have no blank line before some threads. */
		if (!dump->text.collapse)
			end_thread(dump);
		begin_thread(dump, line);
	} else if (is_state(line)) {
		read_state(dump, line);
	} else if (wk_java_method(line, &method)) {
		wk_java_frame(&dump->text, line, method);
		if (is_waiting_inside(dump->text.collapse, method))
			dump->state = wk_str_c("WAITING");
	} else if (!is_remark(dump, line)) {
		wk_stack_text_bad(&dump->text, "a thread's name in quotes, its state, \"at\" and a "
					       "method, or \"-\" and a lock");
	}
}

static bool read_dumps(const struct wk_input *input, const struct wk_sink *sink, struct wk_err *err)
{
	struct dump dump = { 0 };
	struct wk_str line;

	wk_stack_text_begin(&dump.text, input, sink, "runnable threads");
	if (!input->options.collapse)
		wk_stack_writer_source(dump.text.writer, WAITING, "waiting threads", "samples",
				       false);
	while (wk_stack_text_next(&dump.text, &line))
		read_line(&dump, line);
	end_thread(&dump);
	return wk_stack_text_end(&dump.text, "the thread dumps of jstack", err);
}

const struct wk_reader wk_reader_jstack = {
	.name = "jstack",
	.summary = "Java thread dumps, one or many",
	.signs = (const struct wk_line_sign[]){
		{ 95, is_head, NULL }, { 85, is_state, NULL }, { 0 } },
	.read = read_dumps,
};
