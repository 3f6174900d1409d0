/* Processes that already run, emitted as events of time 0 from /proc.
 *
 * Processes come and go while /proc is read: those that are gone meanwhile are left out. */
#ifndef WK_RECORD_PROC_SCAN_H
#define WK_RECORD_PROC_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"
#include "event/sink.h"

/* Name, parent, command line, threads and executable mappings of a process. */
bool wk_proc_scan(pid_t pid, const struct wk_sink *sink, struct wk_err *err);

/* The same for every process there is, and the idle tasks of the CPUs as process 0. */
bool wk_proc_scan_all(const struct wk_sink *sink, struct wk_err *err);

/* The numbers of the threads of a process, in a new array (NULL if it is gone). */
size_t wk_proc_threads(pid_t pid, pid_t **tids);

/* The process that has thread `tid`; `tid` itself if there is none. */
pid_t wk_proc_of_thread(pid_t tid);

/* The arguments of a process joined by blanks, emptied first; false if it is gone. */
bool wk_proc_command_line(pid_t pid, struct wk_buf *out);

/* The name of a process or thread (/proc/PID/comm without the newline). */
bool wk_proc_name(pid_t pid, struct wk_buf *out);

/* One line of /proc/PID/maps as an IMAGE event (without pid); false if it is not such a line. */
bool wk_proc_map_line(struct wk_str line, struct wk_event_image *image);

#endif
