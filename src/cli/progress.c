#include "cli/progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/out.h"
#include "os/os.h"

#define QUIET_NS 1000000000 /* work within this time is not shown */
#define STEP_MS  500

/* A terminal has one such line. */
static struct {
	struct wk_os_lock *lock;     /* of all of this; NULL: no work is going on */
	struct wk_os_thread *ticker; /* redraws the line */
	struct wk_buf what;
	uint64_t begun_ns;
	bool is_ending;
	bool is_replaced; /* by wk_progress_show */
	bool is_on_screen;
} progress;

static void draw(struct wk_str line)
{
	unsigned columns = wk_os_terminal_columns(STDERR_FILENO);

	fprintf(stderr, "\r\033[K%.*s", (int)(line.len < columns ? line.len : columns - 1),
		line.at);
	fflush(stderr);
	progress.is_on_screen = true;
}

static void clear(void)
{
	if (!progress.is_on_screen)
		return;
	fprintf(stderr, "\r\033[K");
	fflush(stderr);
	progress.is_on_screen = false;
}

static void draw_busy(uint64_t elapsed_ns)
{
	struct wk_buf line = { 0 };
	struct wk_out out = wk_out_to_buf(&line);

	wk_out_term(&out, wk_buf_str(&progress.what));
	wk_out_fmt(&out, " ... %" PRIu64 " s", elapsed_ns / 1000000000);
	wk_out_end(&out);
	draw(wk_buf_str(&line));
	wk_buf_fini(&line);
}

static void tick(void *context)
{
	(void)context;
	wk_os_lock_acquire(progress.lock);
	while (!progress.is_ending) {
		uint64_t elapsed_ns = wk_os_clock_ns() - progress.begun_ns;

		if (elapsed_ns >= QUIET_NS && !progress.is_replaced)
			draw_busy(elapsed_ns);
		wk_os_lock_wait(progress.lock, STEP_MS);
	}
	wk_os_lock_leave(progress.lock);
}

static void begin(void)
{
	progress.begun_ns = wk_os_clock_ns();
	progress.is_ending = false;
	progress.lock = wk_os_lock_new();
	progress.ticker = wk_os_thread_start(tick, NULL);
}

static void end(void)
{
	wk_os_lock_acquire(progress.lock);
	progress.is_ending = true;
	wk_os_lock_wake(progress.lock);
	wk_os_lock_leave(progress.lock);
	if (progress.ticker)
		wk_os_thread_join(progress.ticker);
	clear();
	wk_os_lock_free(progress.lock);
	progress.lock = NULL;
	wk_buf_fini(&progress.what);
}

static void acquire(void)
{
	if (progress.lock)
		wk_os_lock_acquire(progress.lock);
}

static void leave(void)
{
	if (progress.lock)
		wk_os_lock_leave(progress.lock);
}

void wk_progress_busy(const char *what)
{
	if (!wk_os_is_terminal(STDERR_FILENO))
		return;
	if (!what && progress.lock)
		end();
	if (!what)
		return;
	if (!progress.lock)
		begin();
	acquire();
	wk_buf_reset(&progress.what);
	wk_buf_add_text(&progress.what, what);
	leave();
}

void wk_progress_show(const char *line)
{
	acquire();
	progress.is_replaced = line;
	if (line)
		draw(wk_str_c(line));
	else
		clear();
	leave();
}

void wk_progress_clear(void)
{
	acquire();
	clear();
	leave();
}
