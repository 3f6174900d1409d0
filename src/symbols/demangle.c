#include "symbols/demangle.h"

bool wk_demangle(struct wk_str mangled, struct wk_buf *out)
{
	/* Legacy Rust names are well-formed C++ names too, so Rust is asked first. */
	return wk_demangle_rust(mangled, false, out) || wk_demangle_cxx(mangled, out);
}
