/* Bytes as text of 64 characters, as RFC 4648 section 4 has it, with its padding. */
#ifndef WK_BASE_TEXT_BASE64_H
#define WK_BASE_TEXT_BASE64_H

#include "base/out.h"

void wk_base64_write(struct wk_out *out, struct wk_str bytes);

#endif
