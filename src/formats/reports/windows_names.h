/* Names in the output of Windows performance tools: the frame "ntdll.dll!LdrInit", the process
 * "svchost.exe (1100)". */
#ifndef WK_FORMATS_REPORTS_WINDOWS_NAMES_H
#define WK_FORMATS_REPORTS_WINDOWS_NAMES_H

#include "base/map.h"
#include "formats/stack_writer.h"

/* Splits "image!function". If the tool had no symbol ("ntdll.dll!0x7f", "?", "<PDB not found>"
 * ...), the frame is unnamed. Points into `text`. */
struct wk_event_frame wk_windows_frame(struct wk_str text);

/* The pid in "svchost.exe (1100)", which is emitted once with its name; WK_NO_PID if there is
 * none. `seen` has the emitted ones, + 1. */
uint32_t wk_windows_process(struct wk_map *seen, struct wk_stack_writer *writer,
			    struct wk_str text);

#endif
