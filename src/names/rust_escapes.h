/* Rust names as tools of other systems half undo them: "_$LT$a..B$GT$::run::h0123456789abcdef"
 * is "<a::B>::run". DTrace, macOS `sample` and Instruments all print such names. */
#ifndef WK_NAMES_RUST_ESCAPES_H
#define WK_NAMES_RUST_ESCAPES_H

#include "base/buf.h"

/* The readable name, in `buf`, of a name that ends in a Rust hash ("::h" and 16 hexadecimal
 * digits); any other name is returned unchanged. */
struct wk_str wk_rust_name(struct wk_str name, struct wk_buf *buf);

#endif
