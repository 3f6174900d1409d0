#include "names/demangle/cxx.h"

#include "base/bisect.h"

#define UNARY(code, name)                                                                          \
	{                                                                                          \
		code, WK_CXX_FORM_UNARY, WK_CXX_UNARIES, WK_STR(name)                              \
	}
#define BINARY(code, binding, name)                                                                \
	{                                                                                          \
		code, WK_CXX_FORM_BINARY, binding, WK_STR(name)                                    \
	}
#define CAST(code, name)                                                                           \
	{                                                                                          \
		code, WK_CXX_FORM_CAST, WK_CXX_POSTFIXED, WK_STR(name)                             \
	}

/* <operator-name>, and the codes of expressions that have the same shape; in order of code. */
static const struct wk_cxx_operator operators[] = {
	BINARY("aN", WK_CXX_ASSIGN, "&="),
	BINARY("aS", WK_CXX_ASSIGN, "="),
	BINARY("aa", WK_CXX_AND, "&&"),
	UNARY("ad", "&"),
	BINARY("an", WK_CXX_BIT_AND, "&"),
	{ "at", WK_CXX_FORM_OF_TYPE, WK_CXX_UNARIES, WK_STR("alignof ") },
	{ "aw", WK_CXX_FORM_NONE, WK_CXX_PRIMARY, WK_STR("co_await") },
	{ "az", WK_CXX_FORM_OF_VALUE, WK_CXX_UNARIES, WK_STR("alignof ") },
	CAST("cc", "const_cast"),
	{ "cl", WK_CXX_FORM_CALL, WK_CXX_POSTFIXED, WK_STR("()") },
	BINARY("cm", WK_CXX_COMMA, ","),
	UNARY("co", "~"),
	{ "cv", WK_CXX_FORM_CONVERSION, WK_CXX_CASTS, WK_STR("") },
	BINARY("dV", WK_CXX_ASSIGN, "/="),
	{ "da", WK_CXX_FORM_DELETE, WK_CXX_UNARIES, WK_STR("delete[]") },
	CAST("dc", "dynamic_cast"),
	UNARY("de", "*"),
	{ "dl", WK_CXX_FORM_DELETE, WK_CXX_UNARIES, WK_STR("delete") },
	{ "ds", WK_CXX_FORM_DOT, WK_CXX_MEMBERS, WK_STR(".*") },
	{ "dt", WK_CXX_FORM_DOT, WK_CXX_POSTFIXED, WK_STR(".") },
	BINARY("dv", WK_CXX_PRODUCTS, "/"),
	BINARY("eO", WK_CXX_ASSIGN, "^="),
	BINARY("eo", WK_CXX_BIT_XOR, "^"),
	BINARY("eq", WK_CXX_EQUALITIES, "=="),
	BINARY("ge", WK_CXX_RELATIONS, ">="),
	BINARY("gt", WK_CXX_RELATIONS, ">"),
	{ "ix", WK_CXX_FORM_INDEX, WK_CXX_POSTFIXED, WK_STR("[]") },
	BINARY("lS", WK_CXX_ASSIGN, "<<="),
	BINARY("le", WK_CXX_RELATIONS, "<="),
	BINARY("ls", WK_CXX_SHIFTS, "<<"),
	BINARY("lt", WK_CXX_RELATIONS, "<"),
	BINARY("mI", WK_CXX_ASSIGN, "-="),
	BINARY("mL", WK_CXX_ASSIGN, "*="),
	BINARY("mi", WK_CXX_SUMS, "-"),
	BINARY("ml", WK_CXX_PRODUCTS, "*"),
	{ "mm", WK_CXX_FORM_POSTFIX, WK_CXX_POSTFIXED, WK_STR("--") },
	{ "na", WK_CXX_FORM_NEW, WK_CXX_UNARIES, WK_STR("new[]") },
	BINARY("ne", WK_CXX_EQUALITIES, "!="),
	UNARY("ng", "-"),
	UNARY("nt", "!"),
	{ "nw", WK_CXX_FORM_NEW, WK_CXX_UNARIES, WK_STR("new") },
	{ "nx", WK_CXX_FORM_OF_VALUE, WK_CXX_UNARIES, WK_STR("noexcept ") },
	BINARY("oR", WK_CXX_ASSIGN, "|="),
	BINARY("oo", WK_CXX_OR, "||"),
	BINARY("or", WK_CXX_BIT_OR, "|"),
	BINARY("pL", WK_CXX_ASSIGN, "+="),
	BINARY("pl", WK_CXX_SUMS, "+"),
	{ "pm", WK_CXX_FORM_MEMBER, WK_CXX_MEMBERS, WK_STR("->*") },
	{ "pp", WK_CXX_FORM_POSTFIX, WK_CXX_POSTFIXED, WK_STR("++") },
	UNARY("ps", "+"),
	{ "pt", WK_CXX_FORM_MEMBER, WK_CXX_POSTFIXED, WK_STR("->") },
	{ "qu", WK_CXX_FORM_CONDITIONAL, WK_CXX_CHOICE, WK_STR("?") },
	BINARY("rM", WK_CXX_ASSIGN, "%="),
	BINARY("rS", WK_CXX_ASSIGN, ">>="),
	CAST("rc", "reinterpret_cast"),
	BINARY("rm", WK_CXX_PRODUCTS, "%"),
	BINARY("rs", WK_CXX_SHIFTS, ">>"),
	CAST("sc", "static_cast"),
	BINARY("ss", WK_CXX_SPACESHIP, "<=>"),
	{ "st", WK_CXX_FORM_OF_TYPE, WK_CXX_UNARIES, WK_STR("sizeof ") },
	{ "sz", WK_CXX_FORM_OF_VALUE, WK_CXX_UNARIES, WK_STR("sizeof ") },
	{ "te", WK_CXX_FORM_OF_VALUE, WK_CXX_POSTFIXED, WK_STR("typeid ") },
	{ "ti", WK_CXX_FORM_OF_TYPE, WK_CXX_POSTFIXED, WK_STR("typeid ") },
};

const struct wk_cxx_operator *wk_cxx_operator(struct wk_cxx *p)
{
	char first = wk_cxx_peek(p, 0), second = wk_cxx_peek(p, 1);
	size_t low = 0, high = sizeof(operators) / sizeof(operators[0]), end = high;

	WK_BISECT(low, high,
		  operators[middle].code[0] < first || (operators[middle].code[0] == first &&
							operators[middle].code[1] < second));
	if (low == end || operators[low].code[0] != first || operators[low].code[1] != second)
		return NULL;
	p->at += 2;
	return &operators[low];
}

/* Literals. */

/* L <type> <number> E, after the type: `words` is printed if C++ has no suffix for the type. */
static struct wk_cxx_node *integer(struct wk_cxx *p, const char *words)
{
	struct wk_cxx_node *node = wk_cxx_wrap(p, WK_CXX_INTEGER, "", wk_cxx_word(p, words));

	node->text = wk_cxx_number(p, true);
	if (!node->text.len)
		wk_cxx_fail(p);
	wk_cxx_need(p, 'E');
	return node;
}

static struct wk_cxx_node *boolean(struct wk_cxx *p)
{
	if (wk_cxx_accept_text(p, "0E"))
		return wk_cxx_word(p, "false");
	if (wk_cxx_accept_text(p, "1E"))
		return wk_cxx_word(p, "true");
	return wk_cxx_fail(p);
}

/* The bytes of a value, which are not decoded: floating-point, complex */
static struct wk_str raw_value(struct wk_cxx *p)
{
	const char *start = p->at;
	struct wk_str value;

	for (char c = wk_cxx_peek(p, 0); c && strchr("0123456789abcdef_", c); c = wk_cxx_peek(p, 0))
		p->at++;
	value = wk_str_of(start, (size_t)(p->at - start));
	if (value.len)
		value = wk_cxx_join(p, wk_str_c("["), wk_cxx_join(p, value, wk_str_c("]")));
	return value;
}

/* L <type> <number> E of an enumeration, a pointer ...; L <type> E has no value to show */
static struct wk_cxx_node *typed_literal(struct wk_cxx *p)
{
	bool is_floating = strchr("fde", wk_cxx_peek(p, 0));
	struct wk_cxx_node *type = wk_cxx_type(p);
	const char *start = p->at;
	struct wk_str value = wk_cxx_number(p, true);

	if (is_floating || wk_cxx_peek(p, 0) != 'E') {
		p->at = start;
		value = raw_value(p);
	}
	wk_cxx_need(p, 'E');
	if (!value.len)
		return type;
	return wk_cxx_text(p, WK_CXX_ENUMERATOR, value, type);
}

static struct wk_cxx_node *string_literal(struct wk_cxx *p)
{
	return wk_cxx_before_e(p, wk_cxx_wrap(p, WK_CXX_STRING, "", wk_cxx_type(p)));
}

static struct wk_cxx_node *lambda_literal(struct wk_cxx *p)
{
	struct wk_cxx_node *node;

	if (wk_cxx_peek(p, 1) != 'l')
		return wk_cxx_fail(p);
	node = wk_cxx_wrap(p, WK_CXX_LAMBDA, "", wk_cxx_unnamed_type(p, NULL));
	return wk_cxx_before_e(p, node);
}

/* L _Z <encoding> E */
static struct wk_cxx_node *external_name(struct wk_cxx *p)
{
	return wk_cxx_accept_text(p, "_Z") ? wk_cxx_before_e(p, wk_cxx_encoding(p))
					   : wk_cxx_fail(p);
}

/* The words for an integer type in a literal: a C++ suffix, or more than three letters. */
static const char *integer_words(char type)
{
	static const char *const words[256] = {
		['a'] = "signed char", ['c'] = "char", ['h'] = "unsigned char", ['i'] = "",
		['j'] = "u", ['l'] = "l", ['m'] = "ul", ['n'] = "__int128",
		['o'] = "unsigned __int128", ['s'] = "short", ['t'] = "unsigned short",
		['w'] = "wchar_t", ['x'] = "ll", ['y'] = "ull",
	};

	return words[(uint8_t)type];
}

/* <expr-primary> */
struct wk_cxx_node *wk_cxx_primary(struct wk_cxx *p)
{
	char type;

	wk_cxx_need(p, 'L');
	type = wk_cxx_peek(p, 0);
	if (integer_words(type)) {
		p->at++;
		return integer(p, integer_words(type));
	}
	switch (type) {
	case 'b':
		p->at++;
		return boolean(p);
	case '_':
		return external_name(p);
	case 'A':
		return string_literal(p);
	case 'D':
		if (wk_cxx_accept_text(p, "Dn0E") || wk_cxx_accept_text(p, "DnE"))
			return wk_cxx_word(p, "nullptr");
		return typed_literal(p);
	case 'T': /* a dependent value is mangled as an expression */
		return wk_cxx_fail(p);
	case 'U':
		return lambda_literal(p);
	default:
		return typed_literal(p);
	}
}

/* Names that are not yet resolved. */

/* <simple-id> ::= <source-name> [<template-args>] */
static struct wk_cxx_node *simple_id(struct wk_cxx *p)
{
	return wk_cxx_maybe_template(p, wk_cxx_source_name(p));
}

/* <unresolved-type> ::= <template-param> | <decltype> | <substitution> */
static struct wk_cxx_node *unresolved_type(struct wk_cxx *p)
{
	struct wk_cxx_node *node;

	if (wk_cxx_peek(p, 0) == 'S')
		return wk_cxx_substitution(p);
	node = wk_cxx_peek(p, 0) == 'T' ? wk_cxx_template_param(p) : wk_cxx_decltype(p);
	wk_cxx_push(p, &p->subs, node);
	return node;
}

/* <destructor-name> ::= <unresolved-type> | <simple-id> */
static struct wk_cxx_node *destructor_name(struct wk_cxx *p)
{
	bool is_id = wk_cxx_is_digit(wk_cxx_peek(p, 0));

	return wk_cxx_wrap(p, WK_CXX_PREFIXED, "~", is_id ? simple_id(p) : unresolved_type(p));
}

/* <base-unresolved-name> ::= <simple-id> | on <operator-name> [<template-args>]
 *                        ::= dn <destructor-name> */
static struct wk_cxx_node *base_unresolved_name(struct wk_cxx *p)
{
	if (wk_cxx_is_digit(wk_cxx_peek(p, 0)))
		return simple_id(p);
	if (wk_cxx_accept_text(p, "dn"))
		return destructor_name(p);
	wk_cxx_accept_text(p, "on");
	return wk_cxx_maybe_template(p, wk_cxx_operator_name(p, NULL));
}

static struct wk_cxx_node *global(struct wk_cxx *p, bool is_global, struct wk_cxx_node *name)
{
	return is_global ? wk_cxx_wrap(p, WK_CXX_PREFIXED, "::", name) : name;
}

static struct wk_cxx_node *levels_until_e(struct wk_cxx *p, struct wk_cxx_node *scope)
{
	while (wk_cxx_until(p, 'E'))
		scope = wk_cxx_pair(p, WK_CXX_SCOPED, scope, simple_id(p));
	return scope;
}

/* <unresolved-name> ::= [gs] <base-unresolved-name>
 *                   ::= sr <unresolved-type> <base-unresolved-name>
 *                   ::= srN <unresolved-type> <simple-id>+ E <base-unresolved-name>
 *                   ::= [gs] sr <simple-id>+ E <base-unresolved-name> */
static struct wk_cxx_node *unresolved_name(struct wk_cxx *p, bool is_global)
{
	struct wk_cxx_node *scope;

	if (wk_cxx_peek(p, 0) == 's' && wk_cxx_peek(p, 1) == 'r')
		p->scopes_seen = true;
	if (p->gcc_scopes && wk_cxx_accept_text(p, "sr")) {
		scope = wk_cxx_type(p);
	} else if (wk_cxx_accept_text(p, "srN")) {
		scope = wk_cxx_maybe_template(p, unresolved_type(p));
		scope = levels_until_e(p, scope);
	} else if (!wk_cxx_accept_text(p, "sr")) {
		return global(p, is_global, base_unresolved_name(p));
	} else if (wk_cxx_is_digit(wk_cxx_peek(p, 0))) {
		scope = global(p, is_global, simple_id(p));
		scope = levels_until_e(p, scope);
	} else {
		scope = wk_cxx_maybe_template(p, unresolved_type(p));
	}
	return wk_cxx_pair(p, WK_CXX_SCOPED, scope, base_unresolved_name(p));
}

/* Expressions by their shape. */

/* <braced-expression> ::= <expression> | di <field> <braced-expression>
 *                     ::= dx <index> <braced-expression> | dX <from> <to> <braced-expression> */
static struct wk_cxx_node *braced_inside(struct wk_cxx *p);

static struct wk_cxx_node *braced(struct wk_cxx *p)
{
	return wk_cxx_nested(p, braced_inside);
}

static struct wk_cxx_node *braced_inside(struct wk_cxx *p)
{
	struct wk_cxx_node *node;
	bool is_range = wk_cxx_accept_text(p, "dX");

	if (wk_cxx_accept_text(p, "di")) {
		node = wk_cxx_text(p, WK_CXX_INIT_FIELD, wk_cxx_identifier(p), NULL);
		node->a = braced(p);
		return node;
	}
	if (!is_range && !wk_cxx_accept_text(p, "dx"))
		return wk_cxx_expression(p);
	node = wk_cxx_node(p, WK_CXX_INIT_INDEX);
	node->a = wk_cxx_expression(p);
	if (is_range)
		node->c = wk_cxx_expression(p);
	node->b = braced(p);
	return node;
}

/* tl <type> <braced-expression>* E, il <braced-expression>* E */
static struct wk_cxx_node *init_list(struct wk_cxx *p, struct wk_cxx_node *type)
{
	return wk_cxx_items(p, wk_cxx_pair(p, WK_CXX_INIT_LIST, type, NULL), 'E', braced);
}

/* <expression>* _ <type> and an initialiser: E, pi <expression>* E or a braced list and E */
static struct wk_cxx_node *new_expression(struct wk_cxx *p, const struct wk_cxx_operator *op,
					  bool is_global)
{
	struct wk_cxx_node *node = wk_cxx_text(p, WK_CXX_NEW, op->name, NULL);

	node->b = wk_cxx_items(p, wk_cxx_node(p, WK_CXX_LIST), '_', wk_cxx_expression);
	node->a = wk_cxx_type(p);
	if (wk_cxx_accept_text(p, "pi")) {
		node->c = wk_cxx_items(p, wk_cxx_node(p, WK_CXX_LIST), 'E', wk_cxx_expression);
	} else {
		if (wk_cxx_accept_text(p, "il"))
			node->c = init_list(p, NULL);
		wk_cxx_need(p, 'E');
	}
	return global(p, is_global, node);
}

/* cv <type> <expression> | cv <type> _ <expression>* E */
static struct wk_cxx_node *conversion(struct wk_cxx *p)
{
	struct wk_cxx_node *node = wk_cxx_node(p, WK_CXX_CONVERSION);
	bool args_elsewhere = p->args_elsewhere;
	size_t begin = p->pile.count;

	p->args_elsewhere = true;
	node->a = wk_cxx_type(p);
	p->args_elsewhere = args_elsewhere;
	if (wk_cxx_accept(p, '_'))
		return wk_cxx_items(p, node, 'E', wk_cxx_expression);
	wk_cxx_push(p, &p->pile, wk_cxx_expression(p));
	wk_cxx_collect(p, begin, node);
	return node;
}

/* fl, fr <operator> <pack>; fL, fR <operator> <expression> <expression> */
static struct wk_cxx_node *fold(struct wk_cxx *p)
{
	struct wk_cxx_node *node = wk_cxx_node(p, WK_CXX_FOLD), *first;
	const struct wk_cxx_operator *op;
	char kind = wk_cxx_peek(p, 1);

	if (!kind || !strchr("lrLR", kind))
		return wk_cxx_fail(p);
	p->at += 2;
	op = wk_cxx_operator(p);
	if (!op || !(op->form == WK_CXX_FORM_BINARY || op->binding == WK_CXX_MEMBERS))
		return wk_cxx_fail(p);
	node->text = op->name;
	node->flag = kind == 'l' || kind == 'L';
	first = wk_cxx_expression(p);
	if (kind == 'l' || kind == 'r') {
		node->a = first;
		return node;
	}
	node->a = node->flag ? wk_cxx_expression(p) : first;
	node->b = node->flag ? first : wk_cxx_expression(p);
	return node;
}

/* <function-param> ::= fpT | fp <CV-qualifiers> [<number>] _
 *                  ::= fL <number> p <CV-qualifiers> [<number>] _ */
static struct wk_cxx_node *function_param(struct wk_cxx *p)
{
	struct wk_str number;

	if (wk_cxx_accept_text(p, "fpT"))
		return wk_cxx_word(p, "this");
	wk_cxx_need(p, 'f');
	if (wk_cxx_accept(p, 'L'))
		wk_cxx_number(p, false);
	wk_cxx_need(p, 'p');
	wk_cxx_qualifiers(p);
	number = wk_cxx_number(p, false);
	wk_cxx_need(p, '_');
	return wk_cxx_text(p, WK_CXX_NAME, wk_cxx_join(p, wk_str_c("fp"), number), NULL);
}

/* so <type> <expression> [<offset>] (_ [<number>])* [p] E */
static struct wk_cxx_node *subobject(struct wk_cxx *p)
{
	struct wk_cxx_node *type = wk_cxx_type(p), *whole = wk_cxx_expression(p), *node;

	node = wk_cxx_text(p, WK_CXX_SUBOBJECT, wk_cxx_number(p, true), type);
	node->b = whole;
	while (wk_cxx_accept(p, '_'))
		wk_cxx_number(p, false);
	wk_cxx_accept(p, 'p');
	wk_cxx_need(p, 'E');
	return node;
}

/* mc <type> <expression> [<offset>] E: a pointer to member of a base, converted to the derived
 * class */
static struct wk_cxx_node *member_conversion(struct wk_cxx *p)
{
	struct wk_cxx_node *node = wk_cxx_node(p, WK_CXX_CONVERSION);
	size_t begin = p->pile.count;

	node->binding = WK_CXX_UNARIES;
	node->a = wk_cxx_type(p);
	wk_cxx_push(p, &p->pile, wk_cxx_expression(p));
	wk_cxx_collect(p, begin, node);
	wk_cxx_number(p, true);
	wk_cxx_need(p, 'E');
	return node;
}

/* sZ <template-param> | sZ <function-param> */
static struct wk_cxx_node *sizeof_pack(struct wk_cxx *p)
{
	struct wk_cxx_node *pack;

	if (wk_cxx_peek(p, 0) != 'T')
		return wk_cxx_wrap(p, WK_CXX_ENCLOSED, "sizeof... ", function_param(p));
	pack = wk_cxx_pair(p, WK_CXX_EXPANSION, wk_cxx_template_param(p), NULL);
	return wk_cxx_wrap(p, WK_CXX_ENCLOSED, "sizeof...", pack);
}

/* The pattern already read, now which of its elements: C++26's pattern...[index] */
struct wk_cxx_node *wk_cxx_pack_element(struct wk_cxx *p, struct wk_cxx_node *pattern)
{
	struct wk_cxx_node *pack = wk_cxx_wrap(p, WK_CXX_SUFFIXED, "...", pattern), *node;

	node = wk_cxx_pair(p, WK_CXX_INDEX, pack, wk_cxx_expression(p));
	node->binding = WK_CXX_POSTFIXED;
	return node;
}

/* u <source-name> <template-arg>* E; __uuidof once had a form of its own */
static struct wk_cxx_node *vendor_expression(struct wk_cxx *p)
{
	struct wk_cxx_node *name = wk_cxx_source_name(p), *node;
	size_t begin = p->pile.count;

	node = wk_cxx_pair(p, WK_CXX_CALL, name, NULL);
	node->binding = WK_CXX_POSTFIXED;
	if (!wk_str_is(name->text, "__uuidof"))
		return wk_cxx_items(p, node, 'E', wk_cxx_template_arg);
	if (wk_cxx_accept(p, 't'))
		wk_cxx_push(p, &p->pile, wk_cxx_type(p));
	else if (wk_cxx_accept(p, 'z'))
		wk_cxx_push(p, &p->pile, wk_cxx_expression(p));
	else
		return wk_cxx_items(p, node, 'E', wk_cxx_template_arg);
	wk_cxx_collect(p, begin, node);
	return node;
}

/* cp <name> <expression>* E: a call whose parentheses prevent argument-dependent lookup */
static struct wk_cxx_node *parenthesized_call(struct wk_cxx *p)
{
	struct wk_cxx_node *node = wk_cxx_pair(p, WK_CXX_CALL, base_unresolved_name(p), NULL);

	node->binding = WK_CXX_POSTFIXED;
	node->flag = true;
	return wk_cxx_items(p, node, 'E', wk_cxx_expression);
}

/* Within a constraint every enclosing list of template parameters is in scope, and not all
 * of them are known here. */
struct wk_cxx_node *wk_cxx_constraint(struct wk_cxx *p)
{
	struct wk_cxx_node *node;
	bool constraint = p->constraint;

	p->constraint = true;
	node = wk_cxx_expression(p);
	p->constraint = constraint;
	return node;
}

/* <requirement> ::= X <expression> [N] [R <type-constraint>] | T <type> | Q <constraint> */
static struct wk_cxx_node *requirement(struct wk_cxx *p)
{
	struct wk_cxx_node *node;

	if (wk_cxx_accept(p, 'X')) {
		node = wk_cxx_pair(p, WK_CXX_REQUIRES_EXPR, wk_cxx_expression(p), NULL);
		node->flag = wk_cxx_accept(p, 'N');
		if (wk_cxx_accept(p, 'R'))
			node->b = wk_cxx_name(p, NULL);
		return node;
	}
	if (wk_cxx_accept(p, 'T'))
		return wk_cxx_wrap(p, WK_CXX_REQUIRES_THAT, "typename ", wk_cxx_type(p));
	if (wk_cxx_accept(p, 'Q'))
		return wk_cxx_wrap(p, WK_CXX_REQUIRES_THAT, "requires ", wk_cxx_constraint(p));
	return wk_cxx_fail(p);
}

/* rq <requirement>+ E | rQ <type>* _ <requirement>+ E */
static struct wk_cxx_node *requires_expression(struct wk_cxx *p, bool has_params)
{
	struct wk_cxx_node *node = wk_cxx_node(p, WK_CXX_REQUIRES);

	node->a = wk_cxx_node(p, WK_CXX_LIST);
	if (has_params)
		wk_cxx_items(p, node->a, '_', wk_cxx_type);
	wk_cxx_items(p, node, 'E', requirement);
	return node->count ? node : wk_cxx_fail(p);
}

static struct wk_cxx_node *binary(struct wk_cxx *p, enum wk_cxx_kind kind)
{
	struct wk_cxx_node *left = wk_cxx_expression(p);

	return wk_cxx_pair(p, kind, left, wk_cxx_expression(p));
}

static struct wk_cxx_node *conditional(struct wk_cxx *p)
{
	struct wk_cxx_node *node = binary(p, WK_CXX_CONDITIONAL);

	node->c = wk_cxx_expression(p);
	return node;
}

static struct wk_cxx_node *named_cast(struct wk_cxx *p)
{
	struct wk_cxx_node *type = wk_cxx_type(p);

	return wk_cxx_pair(p, WK_CXX_CAST, type, wk_cxx_expression(p));
}

/* What follows an operator's code. */
static struct wk_cxx_node *operands(struct wk_cxx *p, const struct wk_cxx_operator *op)
{
	struct wk_cxx_node *node;

	switch ((enum wk_cxx_form)op->form) {
	case WK_CXX_FORM_UNARY:
		return wk_cxx_wrap(p, WK_CXX_UNARY, "", wk_cxx_expression(p));
	case WK_CXX_FORM_POSTFIX:
		if (wk_cxx_accept(p, '_'))
			return wk_cxx_wrap(p, WK_CXX_UNARY, "", wk_cxx_expression(p));
		return wk_cxx_wrap(p, WK_CXX_POSTFIX, "", wk_cxx_expression(p));
	case WK_CXX_FORM_BINARY:
		return binary(p, WK_CXX_BINARY);
	case WK_CXX_FORM_INDEX:
		return binary(p, WK_CXX_INDEX);
	case WK_CXX_FORM_MEMBER:
	case WK_CXX_FORM_DOT:
		return binary(p, WK_CXX_MEMBER);
	case WK_CXX_FORM_CALL:
		node = wk_cxx_pair(p, WK_CXX_CALL, wk_cxx_expression(p), NULL);
		return wk_cxx_items(p, node, 'E', wk_cxx_expression);
	case WK_CXX_FORM_CONVERSION:
		return conversion(p);
	case WK_CXX_FORM_CONDITIONAL:
		return conditional(p);
	case WK_CXX_FORM_CAST:
		return named_cast(p);
	case WK_CXX_FORM_OF_TYPE:
		return wk_cxx_wrap(p, WK_CXX_ENCLOSED, "", wk_cxx_type(p));
	case WK_CXX_FORM_OF_VALUE:
		return wk_cxx_wrap(p, WK_CXX_ENCLOSED, "", wk_cxx_expression(p));
	default:
		return wk_cxx_fail(p);
	}
}

static struct wk_cxx_node *operation(struct wk_cxx *p, const struct wk_cxx_operator *op,
				     bool is_global)
{
	struct wk_cxx_node *node;

	if (op->form == WK_CXX_FORM_NEW) {
		node = new_expression(p, op, is_global);
	} else if (op->form == WK_CXX_FORM_DELETE) {
		node = wk_cxx_wrap(p, WK_CXX_PREFIXED, op->code[1] == 'a' ? "delete[] " : "delete ",
				   wk_cxx_expression(p));
		node = global(p, is_global, node);
	} else {
		node = operands(p, op);
		node->text = op->name;
	}
	node->binding = op->binding;
	return node;
}

/* Expressions whose code is not that of an operator. */
static struct wk_cxx_node *other_expression(struct wk_cxx *p, bool is_global)
{
	if (wk_cxx_accept_text(p, "il"))
		return init_list(p, NULL);
	if (wk_cxx_accept_text(p, "tl"))
		return init_list(p, wk_cxx_type(p));
	if (wk_cxx_accept_text(p, "mc"))
		return member_conversion(p);
	if (wk_cxx_accept_text(p, "so"))
		return subobject(p);
	if (wk_cxx_accept_text(p, "sp"))
		return wk_cxx_pair(p, WK_CXX_EXPANSION, wk_cxx_expression(p), NULL);
	if (wk_cxx_accept_text(p, "sZ"))
		return sizeof_pack(p);
	if (wk_cxx_accept_text(p, "sy"))
		return wk_cxx_pack_element(p, wk_cxx_expression(p));
	if (wk_cxx_accept_text(p, "sP"))
		return wk_cxx_wrap(
			p, WK_CXX_ENCLOSED, "sizeof... ",
			wk_cxx_items(p, wk_cxx_node(p, WK_CXX_LIST), 'E', wk_cxx_template_arg));
	if (wk_cxx_accept_text(p, "tr"))
		return wk_cxx_word(p, "throw");
	if (wk_cxx_accept_text(p, "tw"))
		return wk_cxx_wrap(p, WK_CXX_PREFIXED, "throw ", wk_cxx_expression(p));
	if (wk_cxx_accept_text(p, "cp"))
		return parenthesized_call(p);
	if (wk_cxx_accept_text(p, "rq"))
		return requires_expression(p, false);
	if (wk_cxx_accept_text(p, "rQ"))
		return requires_expression(p, true);
	if (wk_cxx_accept(p, 'u'))
		return vendor_expression(p);
	return unresolved_name(p, is_global);
}

static struct wk_cxx_node *expression_inside(struct wk_cxx *p)
{
	bool is_global = wk_cxx_accept_text(p, "gs");
	const struct wk_cxx_operator *op;

	switch (wk_cxx_peek(p, 0)) {
	case 'L':
		return wk_cxx_primary(p);
	case 'T':
		return wk_cxx_template_param(p);
	case 'f':
		if (wk_cxx_peek(p, 1) == 'p' ||
		    (wk_cxx_peek(p, 1) == 'L' && wk_cxx_is_digit(wk_cxx_peek(p, 2))))
			return function_param(p);
		return fold(p);
	default:
		op = wk_cxx_operator(p);
		return op ? operation(p, op, is_global) : other_expression(p, is_global);
	}
}

struct wk_cxx_node *wk_cxx_expression(struct wk_cxx *p)
{
	return wk_cxx_nested(p, expression_inside);
}
