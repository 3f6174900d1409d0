#include "names/demangle/msvc.h"

#include <ctype.h>

/* One step more and one level deeper; every true is followed by a leave. */
static bool enter(struct wk_msvc_out *o)
{
	if (o->depth >= WK_MSVC_PRINT_DEPTH || ++o->steps > WK_MSVC_PRINT_STEPS || o->text.full)
		o->bad = true;
	if (o->bad)
		return false;
	o->depth++;
	return true;
}

static void leave(struct wk_msvc_out *o)
{
	o->depth--;
}

static void add(struct wk_msvc_out *o, const char *text)
{
	wk_buf_add_text(&o->text, text);
}

static void add_str(struct wk_msvc_out *o, struct wk_str text)
{
	wk_buf_add_str(&o->text, text);
}

/* A space, if two words would run together. */
static void add_space(struct wk_msvc_out *o)
{
	char last = o->text.len ? o->text.at[o->text.len - 1] : '\0';

	if (last == '>' || isalnum((unsigned char)last))
		add(o, " ");
}

static void print(struct wk_msvc_out *o, const struct wk_cxx_node *n);

static void print_list(struct wk_msvc_out *o, const struct wk_cxx_node *n, const char *between)
{
	for (size_t i = 0; i < n->count && !o->bad; i++) {
		if (i > 0)
			add(o, between);
		print(o, n->list[i]);
	}
}

/* --- Names --------------------------------------------------------------------------------- */

static void print_args(struct wk_msvc_out *o, const struct wk_cxx_node *part)
{
	if (!part->list)
		return;
	add(o, "<");
	print_list(o, part, ", ");
	add(o, ">");
}

static void print_dynamic(struct wk_msvc_out *o, const struct wk_cxx_node *part)
{
	add_str(o, part->text);
	add(o, part->a ? "`" : "'");
	print(o, part->a ? part->a : part->b);
	add(o, "''");
}

static void print_part(struct wk_msvc_out *o, const struct wk_cxx_node *part)
{
	switch (part->kind) {
	case WK_MSVC_STRUCTOR:
		add(o, part->flag ? "~" : "");
		print(o, part->a);
		print_args(o, part);
		break;
	case WK_MSVC_CONVERSION:
		add(o, "operator");
		print_args(o, part);
		add(o, " ");
		print(o, part->a);
		break;
	case WK_MSVC_DYNAMIC:
		print_dynamic(o, part);
		break;
	default:
		add_str(o, part->text);
		print_args(o, part);
	}
}

/* --- Types --------------------------------------------------------------------------------- */

/* The text of a type is two halves around what it declares: `int (*` and `)(char)`. */
static void print_left(struct wk_msvc_out *o, const struct wk_cxx_node *n);
static void print_right(struct wk_msvc_out *o, const struct wk_cxx_node *n);

static void print_quals(struct wk_msvc_out *o, uint8_t quals, bool with_space)
{
	static const char *const words[] = { "const", "volatile", "__restrict" };

	for (size_t i = 0; i < 3; i++) {
		if (!(quals & (1u << i)))
			continue;
		add(o, with_space ? " " : "");
		add(o, words[i]);
		with_space = true;
	}
}

/* By pairs of letters, one for each function that is exported and one that is not. */
static void print_convention(struct wk_msvc_out *o, char letter)
{
	static const char *const words[256] = {
		['A'] = "__cdecl", ['B'] = "__cdecl", ['C'] = "__pascal", ['D'] = "__pascal",
		['E'] = "__thiscall", ['F'] = "__thiscall", ['G'] = "__stdcall",
		['H'] = "__stdcall", ['I'] = "__fastcall", ['J'] = "__fastcall",
		['M'] = "__clrcall", ['N'] = "__clrcall", ['O'] = "__eabi", ['P'] = "__eabi",
		['Q'] = "__vectorcall", ['S'] = "__attribute__((__swiftcall__)) ",
		['W'] = "__attribute__((__swiftasynccall__)) ",
	};

	add_space(o);
	if (words[(uint8_t)letter])
		add(o, words[(uint8_t)letter]);
}

static void print_traits(struct wk_msvc_out *o, uint16_t traits)
{
	static const struct {
		uint16_t trait;
		const char *words;
	} rows[] = {
		{ WK_MSVC_PUBLIC, "public: " },   { WK_MSVC_PROTECTED, "protected: " },
		{ WK_MSVC_PRIVATE, "private: " }, { WK_MSVC_STATIC, "static " },
		{ WK_MSVC_VIRTUAL, "virtual " },  { WK_MSVC_EXTERN_C, "extern \"C\" " },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (traits & rows[i].trait)
			add(o, rows[i].words);
}

static void function_left(struct wk_msvc_out *o, const struct wk_cxx_node *n)
{
	if (n->fn.traits & WK_MSVC_THUNK)
		add(o, "[thunk]: ");
	if (o->form == WK_MSVC_SHORT)
		return;
	print_traits(o, n->fn.traits);
	if (n->a) {
		print_left(o, n->a);
		add(o, " ");
	}
	if (o->form == WK_MSVC_FULL)
		print_convention(o, n->fn.convention);
}

static void print_parameters(struct wk_msvc_out *o, const struct wk_cxx_node *n)
{
	add(o, "(");
	print_list(o, n, ", ");
	if (!n->list)
		add(o, "void");
	if (n->fn.is_variadic)
		add(o, n->count ? ", ..." : "...");
	add(o, ")");
}

static void function_right(struct wk_msvc_out *o, const struct wk_cxx_node *n, bool with_result)
{
	add_str(o, n->text);
	if (!(n->fn.traits & WK_MSVC_NO_PARAMETERS))
		print_parameters(o, n);
	print_quals(o, n->quals, true);
	if (n->quals & WK_MSVC_UNALIGNED)
		add(o, " __unaligned");
	if (n->fn.is_noexcept)
		add(o, " noexcept");
	if (n->fn.reference)
		add(o, n->fn.reference == 'G' ? " &" : " &&");
	if (with_result && n->a)
		print_right(o, n->a);
}

/* The return type of a pointer to function is printed in every form, but without calling
 * conventions. */
static void pointee_left(struct wk_msvc_out *o, const struct wk_cxx_node *pointee)
{
	enum wk_msvc_form form = o->form;

	if (pointee->kind == WK_MSVC_FUNCTION)
		o->form = WK_MSVC_NO_CONVENTION;
	print_left(o, pointee);
	o->form = form;
}

static void pointer_left(struct wk_msvc_out *o, const struct wk_cxx_node *n)
{
	pointee_left(o, n->a);
	add_space(o);
	if (n->quals & WK_MSVC_UNALIGNED)
		add(o, "__unaligned ");
	if (n->a->kind == WK_MSVC_ARRAY) {
		add(o, "(");
	} else if (n->a->kind == WK_MSVC_FUNCTION) {
		add(o, "(");
		print_convention(o, n->a->fn.convention);
		add(o, " ");
	}
	if (n->b) {
		print(o, n->b);
		add(o, "::");
	}
	add_str(o, n->text);
	print_quals(o, n->quals, false);
	print_list(o, n, "");
}

static void pointer_right(struct wk_msvc_out *o, const struct wk_cxx_node *n)
{
	if (n->a->kind == WK_MSVC_ARRAY || n->a->kind == WK_MSVC_FUNCTION)
		add(o, ")");
	/* In the short form llvm-undname 22 leaves off the second half of what the function
	 * returns, whose first half it has shown. */
	if (n->a->kind == WK_MSVC_FUNCTION)
		function_right(o, n->a, true);
	else
		print_right(o, n->a);
}

static void print_left(struct wk_msvc_out *o, const struct wk_cxx_node *n)
{
	if (!enter(o))
		return;
	switch (n->kind) {
	case WK_MSVC_POINTER:
		pointer_left(o, n);
		break;
	case WK_MSVC_FUNCTION:
		function_left(o, n);
		break;
	case WK_MSVC_ARRAY:
		print_left(o, n->a);
		print_quals(o, n->quals, true);
		break;
	case WK_MSVC_CUSTOM:
		print(o, n->a);
		break;
	case WK_MSVC_TAG:
		add_str(o, n->text);
		add(o, " ");
		print(o, n->a);
		print_quals(o, n->quals, true);
		break;
	default:
		add_str(o, n->text);
		print_quals(o, n->quals, true);
	}
	leave(o);
}

static void print_right(struct wk_msvc_out *o, const struct wk_cxx_node *n)
{
	if (!enter(o))
		return;
	if (n->kind == WK_MSVC_POINTER) {
		pointer_right(o, n);
	} else if (n->kind == WK_MSVC_FUNCTION) {
		function_right(o, n, o->form != WK_MSVC_SHORT);
	} else if (n->kind == WK_MSVC_ARRAY) {
		add(o, "[");
		add_str(o, n->text);
		add(o, "]");
		print_right(o, n->a);
	}
	leave(o);
}

/* --- Template arguments and symbols -------------------------------------------------------- */

static void print_reference(struct wk_msvc_out *o, const struct wk_cxx_node *n)
{
	if (n->text.len)
		add(o, "{");
	else if (n->flag)
		add(o, "&");
	if (n->a)
		print(o, n->a);
	if (n->a && n->text.len)
		add(o, ", ");
	add_str(o, n->text);
	if (n->text.len)
		add(o, "}");
}

static void print_function(struct wk_msvc_out *o, const struct wk_cxx_node *n)
{
	print_left(o, n->a);
	add_space(o);
	print(o, n->b);
	print_right(o, n->a);
}

static void print_variable(struct wk_msvc_out *o, const struct wk_cxx_node *n)
{
	bool with_type = n->a && o->form != WK_MSVC_SHORT;

	if (n->text.len && o->form != WK_MSVC_SHORT) {
		add_str(o, n->text);
		add(o, "static ");
	}
	if (with_type)
		print_left(o, n->a);
	add_space(o);
	print(o, n->b);
	if (with_type)
		print_right(o, n->a);
}

static void print_table(struct wk_msvc_out *o, const struct wk_cxx_node *n)
{
	print_quals(o, n->quals, false);
	add(o, n->quals ? " " : "");
	print(o, n->b);
	if (n->count == 0)
		return;
	add(o, "{for `");
	print_list(o, n, "'s `");
	add(o, "'}");
}

static void print_any(struct wk_msvc_out *o, const struct wk_cxx_node *n)
{
	switch (n->kind) {
	case WK_MSVC_NAME:
	case WK_MSVC_STRUCTOR:
	case WK_MSVC_CONVERSION:
	case WK_MSVC_DYNAMIC:
		print_part(o, n);
		break;
	case WK_MSVC_QUALIFIED:
		print_list(o, n, "::");
		break;
	case WK_MSVC_VALUE:
	case WK_MSVC_STRING:
		add_str(o, n->text);
		break;
	case WK_MSVC_REFERENCE:
		print_reference(o, n);
		break;
	case WK_MSVC_FUNCTION_SYMBOL:
		print_function(o, n);
		break;
	case WK_MSVC_VARIABLE:
		print_variable(o, n);
		break;
	case WK_MSVC_TABLE:
		print_table(o, n);
		break;
	default:
		print_left(o, n);
		print_right(o, n);
	}
}

static void print(struct wk_msvc_out *o, const struct wk_cxx_node *n)
{
	if (!enter(o))
		return;
	if (n->whole.len && o->form == WK_MSVC_FULL)
		add_str(o, n->whole);
	else
		print_any(o, n);
	leave(o);
}

bool wk_msvc_print(struct wk_msvc_out *o, const struct wk_cxx_node *node, enum wk_msvc_form form)
{
	wk_buf_reset(&o->text);
	o->form = form;
	print(o, node);
	o->bytes += o->text.len;
	if (o->text.full || o->bytes > WK_MSVC_PRINT_BYTES)
		o->bad = true;
	return !o->bad;
}
