#include "names/function_name.h"

#include <stdint.h>
#include <string.h>

#include "names/demangle/demangle.h"
#include "names/spelling.h"

#define NOT_THERE SIZE_MAX

static size_t last_of(struct wk_str name, char c)
{
	size_t at = name.len;

	while (at > 0 && name.at[at - 1] != c)
		at--;
	return at ? at - 1 : NOT_THERE;
}

static bool is_number(struct wk_str text)
{
	for (size_t i = 0; i < text.len; i++)
		if (text.at[i] < '0' || text.at[i] > '9')
			return false;
	return text.len > 0;
}

/* ".constprop.0", ".part.0.cold": words of the compilers, with numbers behind them. Others, such
 * as ".avx2" and ".resolver", are functions of their own. */
static struct wk_str without_linked_clones(struct wk_str name)
{
	static const char *const clones[] = { "isra", "constprop", "part", "cold", "lto_priv",
					      "localalias", "llvm", "__uniq", NULL };
	struct wk_str rest = name;

	for (;;) {
		size_t dot = last_of(rest, '.');

		if (dot == NOT_THERE || dot == 0)
			return name;
		if (wk_str_is_one_of(wk_str_skip(rest, dot + 1), clones))
			name = wk_str_of(rest.at, dot);
		else if (rest.len != name.len || !is_number(wk_str_skip(rest, dot + 1)))
			return name;
		rest = wk_str_of(rest.at, dot);
	}
}

/* " (.isra.0)" and " [clone .isra.0]"; the last bracket is the open one. */
static bool read_trailer(struct wk_str *name, char close, char open, const char *begin)
{
	size_t at, len = strlen(begin);

	if (name->len == 0 || name->at[name->len - 1] != close)
		return false;
	at = last_of(*name, open);
	if (at == NOT_THERE || at < 2 || name->at[at - 1] != ' ' ||
	    !wk_str_starts(wk_str_skip(*name, at), begin) || at + len >= name->len)
		return false;
	*name = wk_str_of(name->at, at - 1);
	return true;
}

struct wk_str wk_name_without_clones(struct wk_str name)
{
	while (read_trailer(&name, ')', '(', "(.") || read_trailer(&name, ']', '[', "[clone ."))
		;
	return without_linked_clones(name);
}

bool wk_function_demangle(struct wk_str linked, struct wk_buf *out)
{
	return wk_demangle(wk_name_without_clones(linked), out);
}

void wk_function_name(struct wk_str name, struct wk_buf *out)
{
	name = wk_name_without_clones(name);
	if (!wk_demangle(name, out))
		wk_spell_written(name, out);
}
