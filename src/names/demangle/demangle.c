#include "names/demangle/demangle.h"

#include <ctype.h>

#include "names/spelling.h"

typedef bool demangler(struct wk_str mangled, struct wk_buf *out);

/* Does the name end like a legacy Rust name: "17h", 16 hexadecimal digits, "E"? Suffixes of a
 * linker or LLVM (".llvm.123") do not count. */
static bool has_legacy_hash(struct wk_str name)
{
	for (size_t i = 20; i <= name.len; i++) {
		const char *hash = name.at + i - 20;
		size_t digits = 0;

		while (digits < 16 && isxdigit((unsigned char)hash[3 + digits]))
			digits++;
		if (digits == 16 && hash[0] == '1' && hash[1] == '7' && hash[2] == 'h' &&
		    hash[19] == 'E' && (i == name.len || name.at[i] == '.' || name.at[i] == '@'))
			return true;
	}
	return false;
}

static bool demangle(struct wk_str mangled, demangler *cxx, struct wk_buf *out)
{
	bool is_cxx_form = wk_str_starts(mangled, "_ZN") || wk_str_starts(mangled, "__ZN");

	/* Legacy Rust names are well-formed C++ names as well, distinguished only by their hash. */
	if (is_cxx_form && !has_legacy_hash(mangled) && cxx(mangled, out))
		return true;
	return wk_demangle_rust(mangled, false, out) || cxx(mangled, out);
}

/* No other names begin like Visual C++'s. Their lambdas have the compiler's own names. */
static bool is_msvc(struct wk_str mangled)
{
	return wk_str_starts(mangled, "?") || wk_str_starts(mangled, ".?A");
}

/* A type descriptor consists of its type, which shorter forms would leave out. */
static bool is_msvc_type(struct wk_str mangled)
{
	return mangled.at[0] == '.' || wk_str_starts(mangled, "??_R0");
}

static bool demangle_and_spell(struct wk_str mangled, demangler *cxx, struct wk_buf *out)
{
	size_t begin = out->len;

	if (!demangle(mangled, cxx, out))
		return false;
	wk_spell_lambdas(out, begin);
	return true;
}

bool wk_demangle(struct wk_str mangled, struct wk_buf *out)
{
	if (is_msvc(mangled))
		return wk_demangle_msvc(mangled, !is_msvc_type(mangled), out);
	return demangle_and_spell(mangled, wk_demangle_cxx, out);
}

bool wk_demangle_bare(struct wk_str mangled, struct wk_buf *out)
{
	if (is_msvc(mangled) && !is_msvc_type(mangled))
		return wk_demangle_msvc_bare(mangled, out);
	if (is_msvc(mangled))
		return wk_demangle_msvc(mangled, false, out);
	return demangle_and_spell(mangled, wk_demangle_cxx_bare, out);
}

bool wk_is_mangled(struct wk_str name)
{
	return wk_str_starts(name, "_Z") || wk_str_starts(name, "_R") || is_msvc(name);
}
