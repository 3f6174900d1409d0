/* A frame printed by bpftrace or bcc: "tcp_recvmsg+808", "0x7f12 main+0x1f (/bin/sh)". */
#ifndef WK_FORMATS_TEXT_BPF_FRAME_H
#define WK_FORMATS_TEXT_BPF_FRAME_H

#include "formats/stack_text.h"

/* The name without offset; address, image and kind if the text contains them. All borrowed. */
struct wk_event_frame wk_bpf_frame(struct wk_str text);

#endif
