#include "names/owner.h"

#include <string.h>

#include "names/function_name.h"
#include "names/spelling.h"

#define MOST_NESTED 8 /* "<<<A as B>::C as D>::E as F>::g" */

static bool contains(struct wk_str text, const char *part)
{
	for (size_t i = 0; i < text.len; i++)
		if (wk_str_starts(wk_str_skip(text, i), part))
			return true;
	return false;
}

/* --- Prefixes ---------------------------------------------------------------------------- */

/* "operator<", "operator new", "operator bool": none of them holds a bracket or a result. */
static bool is_operator(struct wk_str name, size_t i)
{
	return (i == 0 || name.at[i - 1] == ' ' || name.at[i - 1] == ':') &&
	       wk_str_starts(wk_str_skip(name, i), "operator");
}

static bool is_trailer(struct wk_str rest)
{
	return wk_str_starts(rest, " [clone ") || wk_str_starts(rest, " (.") ||
	       wk_str_is(rest, " const");
}

/* "void (*choose<int>(int))(char)" is a function that returns a pointer to one. */
static bool opens_declarator(struct wk_str name, size_t i)
{
	struct wk_str inside = wk_str_skip(name, i + 1);

	return i && name.at[i - 1] == ' ' &&
	       (wk_str_starts(inside, "*") || wk_str_starts(inside, "&"));
}

/* "(anonymous namespace)" and "decltype(x)" are followed by the rest of the name. */
static bool opens_parameters(struct wk_str name, size_t i)
{
	char before = i ? name.at[i - 1] : ' ';

	return before != ' ' && before != ':' && before != '.' &&
	       !wk_str_ends(wk_str_of(name.at, i), "decltype");
}

/* Behind "void ", "std::vector<int> const& " ...: outside of brackets a name has no blanks. */
static struct wk_str without_result(struct wk_str name)
{
	size_t begin = 0;
	int depth = 0;

	for (size_t i = 0; i < name.len; i++) {
		char c = name.at[i];

		if (depth == 0 && (is_operator(name, i) || is_trailer(wk_str_skip(name, i)) ||
				   (c == '(' && opens_parameters(name, i))))
			break;
		if (depth == 0 && (c == ' ' || (c == '(' && opens_declarator(name, i))))
			begin = i + 1;
		else if (depth == 0 && i == begin && (c == '*' || c == '&'))
			begin = i + 1;
		else if (depth > 0 || wk_bracket_at(name, i) > 0)
			depth += wk_bracket_at(name, i);
	}
	return wk_str_skip(name, begin);
}

/* Skips to the start of the path in "&mut [core::fmt::Argument]" and "<*const alloc::...". */
static struct wk_str without_sigils(struct wk_str name)
{
	static const char *const sigils[] = {
		"<", "&", "(", "[", "*const ", "*mut ", "mut ", "dyn ", "impl ", NULL,
	};

	for (int i = 0; sigils[i];)
		i = wk_str_accept(&name, sigils[i]) ? 0 : i + 1;
	return name;
}

/* --- Rust's "<SELF as TRAIT>::f" ----------------------------------------------------------- */

/* `trait` runs on to the name's end and is empty in "<SELF>::f". */
struct qualified {
	struct wk_str self, trait;
	bool is_closed; /* and something follows */
};

static struct qualified read_apart(struct wk_str name)
{
	struct qualified parts = { .self = wk_str_skip(name, 1) };
	int depth = 1;

	for (size_t i = 1; i < name.len; i++) {
		depth += wk_bracket_at(name, i);
		if (depth == 1 && wk_str_starts(wk_str_skip(name, i), " as "))
			parts.trait = wk_str_skip(name, i + 4);
		if (depth == 0 || parts.trait.at) {
			parts.self.len = i - 1;
			break;
		}
	}
	parts.is_closed = parts.self.len + 2 < name.len;
	return parts;
}

/* Only core may give methods of their own to types of the language: "<str>::trim". */
static bool is_of_the_language(const struct qualified *parts)
{
	static const char *const types[] = {
		"str", "bool", "char", "u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16",
		"i32", "i64", "i128", "isize", "f16", "f32", "f64", "f128", NULL,
	};
	static const char *const beginnings[] = { "[", "*const ", "*mut ", NULL };

	return parts->trait.len == 0 && parts->is_closed &&
	       (wk_str_is_one_of(parts->self, types) ||
		wk_str_starts_one_of(parts->self, beginnings));
}

struct wk_owner wk_owner_of(struct wk_str name)
{
	struct wk_owner owner = { 0 };
	struct qualified parts;

	owner.is_stub = wk_str_ends(name, "@plt");
	if (owner.is_stub)
		name.len -= strlen("@plt");
	owner.plain = wk_name_without_clones(name);
	if (name.len && name.at[0] != '<')
		owner.plain = without_result(owner.plain);
	owner.subject = owner.plain;
	for (int i = 0; i < MOST_NESTED && wk_str_starts(owner.subject, "<"); i++) {
		parts = read_apart(owner.subject);
		owner.is_language = is_of_the_language(&parts);
		if (owner.is_language)
			break;
		/* In "<T as core::fmt::Display>::fmt", whose type has no crate, the trait
		 * decides. */
		owner.subject =
			parts.trait.len && !contains(parts.self, "::") ? parts.trait : parts.self;
	}
	owner.subject = without_sigils(owner.subject);
	return owner;
}

/* --- Scripts ------------------------------------------------------------------------------- */

/* "py::FUNCTION:FILE": what Python's trampolines are called. */
static enum wk_script python_script(struct wk_str rest)
{
	size_t colon = rest.len;
	struct wk_str file;

	while (colon > 0 && rest.at[colon - 1] != ':')
		colon--;
	file = wk_str_skip(rest, colon);
	if (colon == 0 || file.len == 0)
		return WK_SCRIPT_NONE;
	if (wk_str_starts(file, "<frozen ") ||
	    (contains(file, "/lib/python3") && !contains(file, "/site-packages/") &&
	     !contains(file, "/dist-packages/")))
		return WK_SCRIPT_STANDARD;
	return WK_SCRIPT_PROGRAM;
}

/* "*FUNCTION FILE:LINE:COLUMN": what V8 calls functions. */
static enum wk_script v8_script(struct wk_str rest)
{
	static const char *const own[] = { "node:", "native ", "internal/", "extensions::",
					   "ext:", "v8/", NULL };
	struct wk_str function, file;

	wk_str_split(rest, ' ', &function, &file);
	if (file.len == 0)
		return WK_SCRIPT_NONE;
	if (wk_str_starts_one_of(file, own) || contains(file, " node:"))
		return WK_SCRIPT_RUNTIME;
	return WK_SCRIPT_PROGRAM;
}

enum wk_script wk_script_of(struct wk_str name)
{
	static const char *const v8[] = { "JS:", "LazyCompile:", "Function:", "Script:", "Eval:",
					  NULL };

	if (wk_str_accept(&name, "py::"))
		return python_script(name);
	for (int i = 0; v8[i]; i++)
		if (wk_str_accept(&name, v8[i]))
			return v8_script(name);
	return WK_SCRIPT_NONE;
}
