/* What texts of Windows' performance tools have in common: "ntdll.dll!LdrInit" is a frame,
 * "svchost.exe (1100)" a process. */
#ifndef WK_FORMATS_REPORTS_WINDOWS_NAMES_H
#define WK_FORMATS_REPORTS_WINDOWS_NAMES_H

#include "base/map.h"
#include "formats/stack_writer.h"

/* Takes "image!function" apart; what the tools write where they have no symbol ("ntdll.dll!0x7f",
 * "?", "<PDB not found>" ...) makes an unnamed frame. Points into `text`. */
struct wk_event_frame wk_windows_frame(struct wk_str text);

/* Processes that were told. */
struct wk_windows_processes {
	struct wk_map seen; /* pid + 1 */
};

/* The pid in "svchost.exe (1100)", told once with its name; WK_NO_PID if there is none. */
uint32_t wk_windows_process(struct wk_windows_processes *processes, struct wk_stack_writer *writer,
			    struct wk_str text);

void wk_windows_processes_fini(struct wk_windows_processes *processes);

#endif
