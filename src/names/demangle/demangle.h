/* Mangled names as text: Rust v0 and legacy, Itanium C++, Visual C++.
 *
 * Names come from files and are hostile until proven otherwise. Each demangler has a budget of
 * steps and a limit on its output, and bounds every recursion, so it answers within milliseconds
 * for any input. A name that is of another kind, damaged or over budget is rejected: false, and
 * `out` is unchanged. On success the readable name is appended to `out` (UTF-8, no NUL). */
#ifndef WK_NAMES_DEMANGLE_DEMANGLE_H
#define WK_NAMES_DEMANGLE_DEMANGLE_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/str.h"

/* The most bytes one readable name may have. */
#define WK_DEMANGLE_LIMIT (64 * 1024)

/* Rust v0 (_R...) and legacy (_ZN...17h<16 hex digits>E), with the prefixes of other systems (R,
 * __R, ZN, __ZN). `with_hash` keeps the legacy hash, the v0 crate disambiguators and the types of
 * constants: the {} form of rustc-demangle, otherwise {:#}. */
bool wk_demangle_rust(struct wk_str mangled, bool with_hash, struct wk_buf *out);

/* The Itanium C++ ABI's names (_Z..., __Z..., ___Z..., and block and clone suffixes). */
bool wk_demangle_cxx(struct wk_str mangled, struct wk_buf *out);

/* Only the name of a function: no parameters, no type, no clone suffix, and closing brackets apart
 * ("> >"), as c++filt -p prints it. */
bool wk_demangle_cxx_bare(struct wk_str mangled, struct wk_buf *out);

/* Visual C++ names (?...), checksums of long ones (??@...), and type names in RTTI data (.?A...),
 * as llvm-undname prints them. Text after a complete name is ignored. `is_short` omits access,
 * static and virtual, the calling convention, and the return type or type of a variable. */
bool wk_demangle_msvc(struct wk_str mangled, bool is_short, struct wk_buf *out);

/* Only the name of a symbol. */
bool wk_demangle_msvc_bare(struct wk_str mangled, struct wk_buf *out);

/* Whatever it is: Visual C++ in the short form (types whole), Rust (without hash), then C++,
 * with lambdas as names/spelling.h has them; false if it is none of them. */
bool wk_demangle(struct wk_str mangled, struct wk_buf *out);
bool wk_demangle_bare(struct wk_str mangled, struct wk_buf *out);

/* Does it begin as linked names of C++ and Rust do? */
bool wk_is_mangled(struct wk_str name);

#endif
