#include "names/demangle/cxx.h"

static void add(struct wk_cxx_out *o, const char *text)
{
	wk_buf_add_text(&o->text, text);
}

/* A number as mangled: n is the minus sign. */
static void add_number(struct wk_cxx_out *o, struct wk_str number)
{
	if (wk_str_starts(number, "n")) {
		add(o, "-");
		number = wk_str_skip(number, 1);
	}
	wk_buf_add_str(&o->text, number);
}

static void add_in_parens(struct wk_cxx_out *o, struct wk_cxx_node *n)
{
	wk_cxx_open(o, '(');
	wk_cxx_print(o, n);
	wk_cxx_close(o, ')');
}

/* text(a); parentheses may contain any expression */
static void print_enclosed(struct wk_cxx_out *o, struct wk_cxx_node *n)
{
	wk_buf_add_str(&o->text, n->text);
	add_in_parens(o, n->a);
}

static void print_binary(struct wk_cxx_out *o, struct wk_cxx_node *n)
{
	bool assigns = n->binding == WK_CXX_ASSIGN;
	bool parens = o->parens == 0 && (wk_str_is(n->text, ">") || wk_str_is(n->text, ">>"));

	if (parens)
		wk_cxx_open(o, '(');
	/* Assignment groups from the right, and its left side is not a conditional. */
	wk_cxx_print_operand(o, n->a, assigns ? WK_CXX_OR : n->binding, !assigns);
	if (!wk_str_is(n->text, ","))
		add(o, " ");
	wk_buf_add_str(&o->text, n->text);
	add(o, " ");
	wk_cxx_print_operand(o, n->b, n->binding, assigns);
	if (parens)
		wk_cxx_close(o, ')');
}

/* A function whose address is used: c++filt omits the parameters of a plain member. */
static void print_function_as_gnu(struct wk_cxx_out *o, struct wk_cxx_node *n)
{
	if (n->quals == 0 && n->b->kind == WK_CXX_SCOPED)
		wk_cxx_print(o, n->b);
	else
		add_in_parens(o, n);
}

static void print_unary(struct wk_cxx_out *o, struct wk_cxx_node *n)
{
	wk_buf_add_str(&o->text, n->text);
	if (o->as_gnu && wk_str_is(n->text, "&") && n->a->kind == WK_CXX_ENCODING)
		print_function_as_gnu(o, n->a);
	else
		wk_cxx_print_operand(o, n->a, n->binding, false);
}

static void print_postfix(struct wk_cxx_out *o, struct wk_cxx_node *n)
{
	wk_cxx_print_operand(o, n->a, n->binding, true);
	wk_buf_add_str(&o->text, n->text);
}

static void print_index(struct wk_cxx_out *o, struct wk_cxx_node *n)
{
	wk_cxx_print_operand(o, n->a, n->binding, false);
	wk_cxx_open(o, '[');
	wk_cxx_print_operand(o, n->b, WK_CXX_LOOSEST, false);
	wk_cxx_close(o, ']');
}

static void print_conditional(struct wk_cxx_out *o, struct wk_cxx_node *n)
{
	wk_cxx_print_operand(o, n->a, n->binding, false);
	add(o, " ? ");
	wk_cxx_print_operand(o, n->b, WK_CXX_LOOSEST, false);
	add(o, " : ");
	wk_cxx_print_operand(o, n->c, WK_CXX_ASSIGN, true);
}

static void print_member(struct wk_cxx_out *o, struct wk_cxx_node *n)
{
	wk_cxx_print_operand(o, n->a, n->binding, true);
	wk_buf_add_str(&o->text, n->text);
	wk_cxx_print_operand(o, n->b, n->binding, false);
}

static void print_subobject(struct wk_cxx_out *o, struct wk_cxx_node *n)
{
	wk_cxx_print(o, n->b);
	wk_cxx_print_after(o, ".<", n->a);
	add(o, " at offset ");
	add_number(o, n->text.len ? n->text : wk_str_c("0"));
	add(o, ">");
}

static void print_cast(struct wk_cxx_out *o, struct wk_cxx_node *n)
{
	unsigned parens = o->parens;

	wk_buf_add_str(&o->text, n->text);
	o->parens = 0;
	wk_cxx_print_after(o, "<", n->a);
	add(o, ">");
	o->parens = parens;
	add_in_parens(o, n->b);
}

static void print_call(struct wk_cxx_out *o, struct wk_cxx_node *n)
{
	if (n->flag)
		add_in_parens(o, n->a);
	else
		wk_cxx_print(o, n->a);
	wk_cxx_print_list_in(o, "()", n);
}

static void print_new(struct wk_cxx_out *o, struct wk_cxx_node *n)
{
	wk_buf_add_str(&o->text, n->text);
	if (n->b->count)
		wk_cxx_print_list_in(o, "()", n->b);
	wk_cxx_print_after(o, " ", n->a);
	if (n->c && n->c->kind == WK_CXX_INIT_LIST)
		wk_cxx_print(o, n->c);
	else if (n->c && n->c->count)
		wk_cxx_print_list_in(o, "()", n->c);
}

static void print_conversion(struct wk_cxx_out *o, struct wk_cxx_node *n)
{
	add_in_parens(o, n->a);
	wk_cxx_print_list_in(o, "()", n);
}

/* A character of a string literal in C++ syntax. `after_number`: a digit would continue the
 * preceding escape. */
static void add_character(struct wk_cxx_out *o, unsigned value, bool *after_number)
{
	static const char plain[] = "\a\b\f\n\r\t\v\"\\", escaped[] = "abfnrtv\"\\";
	const char *found = value && value < 128 ? strchr(plain, (int)value) : NULL;
	bool is_hex_digit = value && value < 128 && strchr("0123456789abcdefABCDEF", (int)value);

	if (*after_number && is_hex_digit)
		add(o, "\"\"");
	*after_number = false;
	if (found)
		wk_buf_add_fmt(&o->text, "\\%c", escaped[found - plain]);
	else if (value >= 32 && value < 127)
		wk_buf_add_char(&o->text, (char)value);
	else {
		wk_buf_add_fmt(&o->text, value > 7 ? "\\x%X" : "\\%X", value);
		*after_number = true;
	}
}

/* An integer literal that is a char's value, 0 to 255. */
static bool char_value(const struct wk_cxx_node *n, unsigned *value)
{
	*value = 0;
	if (n->kind != WK_CXX_INTEGER)
		return false;
	for (size_t i = 0; i < n->text.len; i++) {
		if (!wk_cxx_is_digit(n->text.at[i]))
			return false;
		*value = *value * 10 + (unsigned)(n->text.at[i] - '0');
		if (*value > 255)
			return false;
	}
	return true;
}

/* An initialised array of char is shown as the string it is. */
static bool print_as_string(struct wk_cxx_out *o, const struct wk_cxx_node *n)
{
	bool after_number = false;
	unsigned value;

	if (!n->a || n->a->kind != WK_CXX_ARRAY || n->a->a->kind != WK_CXX_NAME ||
	    !wk_str_is(n->a->a->text, "char"))
		return false;
	for (size_t i = 0; i < n->count; i++)
		if (!char_value(n->list[i], &value))
			return false;
	add(o, "\"");
	for (size_t i = 0; i < n->count; i++) {
		char_value(n->list[i], &value);
		add_character(o, value, &after_number);
	}
	add(o, "\"");
	return true;
}

static void print_init_list(struct wk_cxx_out *o, struct wk_cxx_node *n)
{
	if (print_as_string(o, n))
		return;
	wk_cxx_print_after(o, "", n->a);
	wk_cxx_print_list_in(o, "{}", n);
}

/* Designators follow each other without an equals sign. */
static void print_initialized(struct wk_cxx_out *o, struct wk_cxx_node *n)
{
	if (n->kind != WK_CXX_INIT_FIELD && n->kind != WK_CXX_INIT_INDEX)
		add(o, " = ");
	wk_cxx_print(o, n);
}

static void print_init_field(struct wk_cxx_out *o, struct wk_cxx_node *n)
{
	add(o, ".");
	wk_buf_add_str(&o->text, n->text);
	print_initialized(o, n->a);
}

static void print_init_index(struct wk_cxx_out *o, struct wk_cxx_node *n)
{
	wk_cxx_open(o, '[');
	wk_cxx_print(o, n->a);
	wk_cxx_print_after(o, " ... ", n->c);
	wk_cxx_close(o, ']');
	print_initialized(o, n->b);
}

static void print_fold_operand(struct wk_cxx_out *o, struct wk_cxx_node *n, bool is_pack)
{
	struct wk_cxx_node expansion = { .kind = WK_CXX_EXPANSION, .a = n->a };

	if (is_pack)
		add_in_parens(o, &expansion);
	else
		wk_cxx_print_operand(o, n->b, WK_CXX_CASTS, true);
}

static void print_fold_operator(struct wk_cxx_out *o, const struct wk_cxx_node *n)
{
	add(o, " ");
	wk_buf_add_str(&o->text, n->text);
	add(o, " ");
}

/* (... op pack), (pack op ...), (first op ... op pack), (pack op ... op last) */
static void print_fold(struct wk_cxx_out *o, struct wk_cxx_node *n)
{
	wk_cxx_open(o, '(');
	if (!n->flag || n->b) {
		print_fold_operand(o, n, !n->flag);
		print_fold_operator(o, n);
	}
	add(o, "...");
	if (n->flag || n->b) {
		print_fold_operator(o, n);
		print_fold_operand(o, n, n->flag);
	}
	wk_cxx_close(o, ')');
}

/* 3, 3u, 3ull as C++ has it, else (short)3 */
static void print_integer(struct wk_cxx_out *o, struct wk_cxx_node *n)
{
	bool is_suffix = n->a->text.len <= 3;

	if (!is_suffix)
		add_in_parens(o, n->a);
	add_number(o, n->text);
	if (is_suffix)
		wk_cxx_print(o, n->a);
}

static void print_enumerator(struct wk_cxx_out *o, struct wk_cxx_node *n)
{
	add_in_parens(o, n->a);
	add_number(o, n->text);
}

/* Only the type of a string is mangled. */
static void print_string(struct wk_cxx_out *o, struct wk_cxx_node *n)
{
	wk_cxx_print_after(o, "\"<", n->a);
	add(o, ">\"");
}

static void print_lambda(struct wk_cxx_out *o, struct wk_cxx_node *n)
{
	add(o, "[]");
	if (n->a->kind == WK_CXX_CLOSURE)
		wk_cxx_print_closure_sig(o, n->a);
	add(o, "{...}");
}

static void print_requires(struct wk_cxx_out *o, struct wk_cxx_node *n)
{
	add(o, "requires");
	add(o, " ");
	if (n->a->count) {
		wk_cxx_print_list_in(o, "()", n->a);
		add(o, " ");
	}
	wk_cxx_open(o, '{');
	for (size_t i = 0; i < n->count; i++)
		wk_cxx_print(o, n->list[i]);
	add(o, " ");
	wk_cxx_close(o, '}');
}

static void print_requires_expr(struct wk_cxx_out *o, struct wk_cxx_node *n)
{
	bool braces = n->flag || n->b;

	add(o, " ");
	if (braces)
		wk_cxx_open(o, '{');
	wk_cxx_print(o, n->a);
	if (braces)
		wk_cxx_close(o, '}');
	if (n->flag)
		add(o, " noexcept");
	wk_cxx_print_after(o, " -> ", n->b);
	add(o, ";");
}

static void print_requires_that(struct wk_cxx_out *o, struct wk_cxx_node *n)
{
	add(o, " ");
	wk_buf_add_str(&o->text, n->text);
	wk_cxx_print(o, n->a);
	add(o, ";");
}

wk_cxx_printer *wk_cxx_expression_printer(enum wk_cxx_kind kind)
{
	static wk_cxx_printer *const printers[WK_CXX_KINDS] = {
		[WK_CXX_ENCLOSED] = print_enclosed,
		[WK_CXX_BINARY] = print_binary,
		[WK_CXX_UNARY] = print_unary,
		[WK_CXX_POSTFIX] = print_postfix,
		[WK_CXX_INDEX] = print_index,
		[WK_CXX_CONDITIONAL] = print_conditional,
		[WK_CXX_MEMBER] = print_member,
		[WK_CXX_SUBOBJECT] = print_subobject,
		[WK_CXX_CAST] = print_cast,
		[WK_CXX_CALL] = print_call,
		[WK_CXX_NEW] = print_new,
		[WK_CXX_CONVERSION] = print_conversion,
		[WK_CXX_INIT_LIST] = print_init_list,
		[WK_CXX_INIT_FIELD] = print_init_field,
		[WK_CXX_INIT_INDEX] = print_init_index,
		[WK_CXX_FOLD] = print_fold,
		[WK_CXX_INTEGER] = print_integer,
		[WK_CXX_ENUMERATOR] = print_enumerator,
		[WK_CXX_STRING] = print_string,
		[WK_CXX_LAMBDA] = print_lambda,
		[WK_CXX_REQUIRES] = print_requires,
		[WK_CXX_REQUIRES_EXPR] = print_requires_expr,
		[WK_CXX_REQUIRES_THAT] = print_requires_that,
	};

	return printers[kind];
}
