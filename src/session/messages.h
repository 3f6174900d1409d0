/* What a use case reports while it runs: warnings, and how far a download is. The caller decides
 * where that is shown. NULL instead of a struct wk_messages, or of one of its functions: nothing is
 * reported. They are called by the thread that called the use case. */
#ifndef WK_SESSION_MESSAGES_H
#define WK_SESSION_MESSAGES_H

#include "base/buf.h"
#include "base/text/printf.h"
#include "fetch/fetch_options.h"

struct wk_messages {
	void (*warn)(void *context, const char *sentence); /* may contain hostile names */
	/* What is going on ("reading trace.etl"); NULL: it is over. */
	void (*busy)(void *context, const char *what);
	void (*progress)(void *context, const struct wk_fetch_status *status);
	bool (*is_stopped)(void *context); /* called often; true: nothing more is fetched */
	void *context;
};

static inline void wk_warn(const struct wk_messages *messages, const char *sentence)
{
	if (messages && messages->warn)
		messages->warn(messages->context, sentence);
}

/* Warns with the sentence unless it is empty, and frees its buffer. */
void wk_warn_buf(const struct wk_messages *messages, struct wk_buf *sentence);

/* What goes on from now: a verb and, unless NULL, the base name of a path. wk_busy_end: nothing. */
void wk_busy(const struct wk_messages *messages, const char *verb, const char *path);
void wk_busy_end(const struct wk_messages *messages);

/* A warning for each line. */
void wk_warn_lines(const struct wk_messages *messages, struct wk_str lines);

/* Of any length. */
void wk_warn_fmt(const struct wk_messages *messages, const char *format, ...)
	__attribute__((format(WK_PRINTF, 2, 3)));

#endif
