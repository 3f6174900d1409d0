/* Names in the output of Windows performance tools: the frame "ntdll.dll!LdrInit", the process
 * "svchost.exe (1100)". */
#ifndef WK_FORMATS_REPORTS_WINDOWS_NAMES_H
#define WK_FORMATS_REPORTS_WINDOWS_NAMES_H

#include "base/map.h"
#include "formats/stack_writer.h"

/* Splits "image!function". If the tool had no symbol ("ntdll.dll!0x7f", "?", "<PDB not found>"
 * ...), the frame is unnamed. Points into `text`. */
struct wk_event_frame wk_windows_frame(struct wk_str text);

/* Processes that were emitted. */
struct wk_windows_processes {
	struct wk_map seen; /* pid + 1 */
};

/* The pid in "svchost.exe (1100)", which is emitted once with its name; WK_NO_PID if there is
 * none. */
uint32_t wk_windows_process(struct wk_windows_processes *processes, struct wk_stack_writer *writer,
			    struct wk_str text);

void wk_windows_processes_fini(struct wk_windows_processes *processes);

#endif
