/* A frame printed by gdb: "#1  0x1234 in name (argument=2) at file.c:3". */
#ifndef WK_FORMATS_TEXT_GDB_FRAME_H
#define WK_FORMATS_TEXT_GDB_FRAME_H

#include "formats/stack_text.h"

/* Address, name, and file and line or image, if the line contains them; borrowed from `line`. */
bool wk_gdb_frame(struct wk_str line, struct wk_event_frame *frame);

#endif
