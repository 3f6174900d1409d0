/* Where the messages of session/ go: to standard error. On a terminal, the progress of a download
 * is one line that changes and is cleared at the end; elsewhere, and only if DEBUGINFOD_PROGRESS is
 * set, it is one line per file. While a file is fetched on a terminal, Ctrl-C stops fetching and
 * the command continues without it; a second Ctrl-C ends the command. */
#ifndef WK_CLI_MESSAGES_H
#define WK_CLI_MESSAGES_H

#include "session/messages.h"

extern const struct wk_messages wk_cli_messages;

#endif
