#include "cli/messages.h"

#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "base/num.h"
#include "base/out.h"
#include "cli/progress.h"
#include "cli/terminal.h"
#include "os/os.h"

#define QUIET_NS 500000000 /* a download within this time is not reported */
#define STEP_NS  100000000

/* Of the file at hand. */
struct fetch_progress {
	bool is_begun, is_on_screen;
	void (*interrupt)(int signal_number); /* what Ctrl-C did before */
	uint64_t begun_ns;                    /* of the first of several in a row */
	uint64_t shown_ns, ended_ns;
};

static struct fetch_progress current;
static volatile sig_atomic_t was_stopped;

static void stop(int signal_number)
{
	was_stopped = 1;
	signal(signal_number, SIG_DFL);
}

static bool is_stopped(void *context)
{
	(void)context;
	return was_stopped;
}

/* Ctrl-C stops fetching only on a terminal, and not if it was ignored before. */
static void begin(struct fetch_progress *p, uint64_t now_ns)
{
	bool goes_on = p->ended_ns && now_ns - p->ended_ns < QUIET_NS;

	*p = (struct fetch_progress){ .is_begun = true,
					 .begun_ns = goes_on ? p->begun_ns : now_ns,
					 .interrupt = SIG_IGN };
	if (wk_os_is_terminal(STDERR_FILENO))
		p->interrupt = signal(SIGINT, stop);
	if (p->interrupt == SIG_IGN && wk_os_is_terminal(STDERR_FILENO))
		signal(SIGINT, SIG_IGN);
}

static void end(struct fetch_progress *p, uint64_t now_ns)
{
	p->is_begun = false;
	p->ended_ns = now_ns;
	if (p->interrupt != SIG_IGN && p->interrupt != SIG_ERR)
		signal(SIGINT, p->interrupt);
}

static bool is_wanted(void)
{
	const char *asked = wk_os_env("DEBUGINFOD_PROGRESS");

	return wk_os_is_terminal(STDERR_FILENO) || (asked && asked[0]);
}

static void add_amount(struct wk_buf *line, const struct wk_fetch_status *now)
{
	wk_num_add_bytes(line, now->done_bytes);
	if (now->whole_bytes && !now->is_done) {
		wk_buf_add_text(line, " of ");
		wk_num_add_bytes(line, now->whole_bytes);
	}
}

static void say_line(const struct wk_fetch_status *now)
{
	struct wk_buf line = { 0 };

	wk_buf_add_fmt(&line, "asked %s: ", now->url);
	add_amount(&line, now);
	wk_warn_buf(&wk_cli_messages, &line);
}

static void add_file(struct wk_out *out, const struct wk_fetch_status *now)
{
	struct wk_buf amount = { 0 };

	add_amount(&amount, now);
	wk_out_text(out, "fetching");
	if (now->name)
		wk_out_char(out, ' ');
	wk_out_term(out, wk_str_c(now->name));
	wk_out_fmt(out, ", %s: ", wk_buf_text(&amount));
	wk_out_term(out, wk_str_c(now->url));
	wk_buf_fini(&amount);
}

/* Several at once: the most important one is named. */
static void add_several(struct wk_out *out, const struct wk_fetch_status *now)
{
	struct wk_buf amount = { 0 };

	wk_out_fmt(out, "symbols: %zu of %zu modules", now->done_jobs, now->job_count);
	if (now->name) {
		wk_out_text(out, ", ");
		wk_out_term(out, wk_str_c(now->name));
		if (now->done_bytes)
			add_amount(&amount, now);
		wk_out_fmt(out, "%s%s", amount.len ? " " : "", wk_buf_text(&amount));
	}
	wk_out_text(out, " ...");
	wk_buf_fini(&amount);
}

/* May be cut anywhere: names are of plain bytes, since URLs are escaped. */
static void draw_line(const struct wk_fetch_status *now)
{
	struct wk_buf line = { 0 };
	struct wk_out out = wk_out_to_buf(&line);

	if (now->job_count)
		add_several(&out, now);
	else
		add_file(&out, now);
	wk_out_end(&out);
	wk_progress_show(wk_buf_text(&line));
	wk_buf_fini(&line);
}

static void print_progress(void *context, const struct wk_fetch_status *now)
{
	struct fetch_progress *p = context;
	uint64_t now_ns = wk_os_clock_ns();
	bool is_end = now->job_count ? now->is_end : now->is_done;

	if (!is_wanted())
		return;
	if (!p->is_begun)
		begin(p, now_ns);
	if (!wk_os_is_terminal(STDERR_FILENO)) {
		if (now->is_done && now->url)
			say_line(now);
	} else if (is_end && p->is_on_screen) {
		wk_progress_show(NULL);
	} else if (!now->is_done && now_ns - p->begun_ns > QUIET_NS &&
		   now_ns - p->shown_ns > STEP_NS) {
		p->shown_ns = now_ns;
		p->is_on_screen = true;
		draw_line(now);
	}
	if (is_end)
		end(p, now_ns);
}

static void print_warning(void *context, const char *sentence)
{
	(void)context;
	wk_say(sentence);
}

static void show_busy(void *context, const char *what)
{
	(void)context;
	wk_progress_busy(what);
}

const struct wk_messages wk_cli_messages = {
	.warn = print_warning,
	.busy = show_busy,
	.progress = print_progress,
	.is_stopped = is_stopped,
	.context = &current,
};
