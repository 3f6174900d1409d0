/* The one line of a terminal that changes while a command works: what it does, once that takes more
 * than a second, or how far a download is. Only on standard error, and only if that is a terminal.
 */
#ifndef WK_CLI_PROGRESS_H
#define WK_CLI_PROGRESS_H

/* What the command does from now on ("reading trace.etl"); NULL: nothing that takes long, and the
 * line is cleared. Each command ends with NULL. */
void wk_progress_busy(const char *what);

/* A line in place of that, drawn at once and cut to the terminal's width; NULL: no more. */
void wk_progress_show(const char *line);

/* Before other text is written to the terminal. */
void wk_progress_clear(void);

#endif
