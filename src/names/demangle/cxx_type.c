#include "names/demangle/cxx.h"

/* <builtin-type> of one letter. */
static const char *const builtins[256] = {
	['a'] = "signed char", ['b'] = "bool", ['c'] = "char", ['d'] = "double",
	['e'] = "long double", ['f'] = "float", ['g'] = "__float128", ['h'] = "unsigned char",
	['i'] = "int", ['j'] = "unsigned int", ['l'] = "long", ['m'] = "unsigned long",
	['n'] = "__int128", ['o'] = "unsigned __int128", ['s'] = "short", ['t'] = "unsigned short",
	['v'] = "void", ['w'] = "wchar_t", ['x'] = "long long", ['y'] = "unsigned long long",
	['z'] = "...",
};

/* Those of two letters, by the one after D. */
static const char *const builtins_after_d[256] = {
	['a'] = "auto", ['c'] = "decltype(auto)", ['d'] = "decimal64", ['e'] = "decimal128",
	['f'] = "decimal32", ['h'] = "half", ['i'] = "char32_t", ['n'] = "std::nullptr_t",
	['s'] = "char16_t", ['u'] = "char8_t",
};

/* <CV-qualifiers> ::= [r] [V] [K] */
uint8_t wk_cxx_qualifiers(struct wk_cxx *p)
{
	uint8_t quals = 0;

	if (wk_cxx_accept(p, 'r'))
		quals |= WK_CXX_RESTRICT;
	if (wk_cxx_accept(p, 'V'))
		quals |= WK_CXX_VOLATILE;
	if (wk_cxx_accept(p, 'K'))
		quals |= WK_CXX_CONST;
	return quals;
}

/* <decltype> ::= Dt <expression> E | DT <expression> E */
struct wk_cxx_node *wk_cxx_decltype(struct wk_cxx *p)
{
	if (!wk_cxx_accept_text(p, "Dt") && !wk_cxx_accept_text(p, "DT"))
		return wk_cxx_fail(p);
	return wk_cxx_wrap(p, WK_CXX_ENCLOSED, "decltype",
			   wk_cxx_before_e(p, wk_cxx_expression(p)));
}

/* <exception-spec> ::= Do | DO <expression> E | Dw <type>+ E; NULL if there is none */
static struct wk_cxx_node *exception_spec(struct wk_cxx *p)
{
	if (wk_cxx_accept_text(p, "Do"))
		return wk_cxx_word(p, "noexcept");
	if (wk_cxx_accept_text(p, "DO"))
		return wk_cxx_wrap(p, WK_CXX_ENCLOSED, "noexcept",
				   wk_cxx_before_e(p, wk_cxx_expression(p)));
	if (!wk_cxx_accept_text(p, "Dw"))
		return NULL;
	return wk_cxx_wrap(p, WK_CXX_ENCLOSED, "throw",
			   wk_cxx_items(p, wk_cxx_node(p, WK_CXX_LIST), 'E', wk_cxx_type));
}

/* <function-type> ::= [<CV-qualifiers>] [<exception-spec>] [Dx] F [Y] <type>+ [R | O] E */
static struct wk_cxx_node *function_type(struct wk_cxx *p)
{
	struct wk_cxx_node *node = wk_cxx_node(p, WK_CXX_FUNCTION);
	size_t begin = p->pile.count;

	node->quals = wk_cxx_qualifiers(p);
	node->b = exception_spec(p);
	wk_cxx_accept_text(p, "Dx"); /* transaction safe */
	wk_cxx_need(p, 'F');
	wk_cxx_accept(p, 'Y'); /* extern "C" */
	node->a = wk_cxx_type(p);
	while (wk_cxx_until(p, 'E')) {
		if (wk_cxx_accept(p, 'v'))
			continue;
		if (wk_cxx_accept_text(p, "RE")) {
			node->quals |= WK_CXX_LVALUE;
			break;
		}
		if (wk_cxx_accept_text(p, "OE")) {
			node->quals |= WK_CXX_RVALUE;
			break;
		}
		wk_cxx_push(p, &p->pile, wk_cxx_type(p));
	}
	wk_cxx_collect(p, begin, node);
	return node;
}

/* <number> | <expression> */
static struct wk_cxx_node *size(struct wk_cxx *p)
{
	if (wk_cxx_is_digit(wk_cxx_peek(p, 0)))
		return wk_cxx_text(p, WK_CXX_NAME, wk_cxx_number(p, false), NULL);
	return wk_cxx_expression(p);
}

/* <array-type> ::= A [<number>] _ <type> | A <expression> _ <type> */
static struct wk_cxx_node *array_type(struct wk_cxx *p)
{
	struct wk_cxx_node *node = wk_cxx_node(p, WK_CXX_ARRAY);

	wk_cxx_need(p, 'A');
	if (wk_cxx_peek(p, 0) != '_')
		node->b = size(p);
	wk_cxx_need(p, '_');
	node->a = wk_cxx_type(p);
	return node;
}

/* <vector-type> ::= Dv <number> _ <type> | Dv [<expression>] _ <type>; p is AltiVec's pixel */
static struct wk_cxx_node *vector_type(struct wk_cxx *p)
{
	struct wk_cxx_node *node = wk_cxx_node(p, WK_CXX_VECTOR);
	bool has_number;

	p->at += 2;
	has_number = wk_cxx_is_digit(wk_cxx_peek(p, 0));
	if (wk_cxx_peek(p, 0) != '_')
		node->b = size(p);
	wk_cxx_need(p, '_');
	node->a = has_number && wk_cxx_accept(p, 'p') ? wk_cxx_word(p, "pixel") : wk_cxx_type(p);
	return node;
}

/* DF <number> _ | DF <number> x | DF16b */
static struct wk_cxx_node *extended_float(struct wk_cxx *p)
{
	struct wk_str bits;

	p->at += 2;
	if (wk_cxx_accept_text(p, "16b"))
		return wk_cxx_word(p, "std::bfloat16_t");
	bits = wk_cxx_number(p, false);
	if (bits.len && wk_cxx_peek(p, 0) == 'x') {
		bits.len++;
		p->at++;
	} else {
		wk_cxx_need(p, '_');
	}
	return wk_cxx_text(p, WK_CXX_NAME, wk_cxx_join(p, wk_str_c("_Float"), bits), NULL);
}

/* DB <number> _ | DB <expression> _, and DU for the unsigned */
static struct wk_cxx_node *bit_int(struct wk_cxx *p)
{
	const char *words = wk_cxx_peek(p, 1) == 'U' ? "unsigned _BitInt" : "_BitInt";
	struct wk_cxx_node *bits;

	p->at += 2;
	bits = size(p);
	wk_cxx_need(p, '_');
	return wk_cxx_wrap(p, WK_CXX_ENCLOSED, words, bits);
}

/* Dk <type-constraint> | DK <type-constraint> */
static struct wk_cxx_node *constrained_auto(struct wk_cxx *p)
{
	const char *words = wk_cxx_peek(p, 1) == 'k' ? " auto" : " decltype(auto)";

	p->at += 2;
	return wk_cxx_wrap(p, WK_CXX_SUFFIXED, words, wk_cxx_name(p, NULL));
}

/* The types that begin with D. `is_builtin`: it is not a substitution candidate. */
static struct wk_cxx_node *d_type(struct wk_cxx *p, bool *is_builtin)
{
	char c = wk_cxx_peek(p, 1);

	*is_builtin = true;
	if (builtins_after_d[(uint8_t)c]) {
		p->at += 2;
		return wk_cxx_word(p, builtins_after_d[(uint8_t)c]);
	}
	if (c == 'F')
		return extended_float(p);
	if (c == 'B' || c == 'U')
		return bit_int(p);
	if (c == 'k' || c == 'K')
		return constrained_auto(p);
	*is_builtin = false;
	if (c == 't' || c == 'T')
		return wk_cxx_decltype(p);
	if (c == 'v')
		return vector_type(p);
	if (c == 'o' || c == 'O' || c == 'w' || c == 'x')
		return function_type(p);
	if (c != 'p' && c != 'y')
		return wk_cxx_fail(p);
	p->at += 2;
	if (c == 'y')
		return wk_cxx_pack_element(p, wk_cxx_type(p));
	return wk_cxx_pair(p, WK_CXX_EXPANSION, wk_cxx_type(p), NULL);
}

static struct wk_cxx_node *qualified_type(struct wk_cxx *p);

/* objcproto <source-name>, all of it one identifier */
static struct wk_str objc_protocol(struct wk_cxx *p, struct wk_str name)
{
	struct wk_cxx inner = { .at = name.at + strlen("objcproto"), .end = name.at + name.len };
	struct wk_str protocol = wk_cxx_identifier(&inner);

	if (inner.bad)
		wk_cxx_fail(p);
	return protocol;
}

/* U <source-name> [<template-args>] <type> */
static struct wk_cxx_node *vendor_qualified(struct wk_cxx *p)
{
	struct wk_cxx_node *node;
	struct wk_str name;

	p->at++;
	name = wk_cxx_identifier(p);
	if (wk_str_starts(name, "objcproto")) {
		node = wk_cxx_text(p, WK_CXX_OBJC_PROTOCOL, objc_protocol(p, name), NULL);
		node->a = qualified_type(p);
		return node;
	}
	node = wk_cxx_text(p, WK_CXX_VENDOR_QUALIFIED, name, NULL);
	if (wk_cxx_peek(p, 0) == 'I')
		node->b = wk_cxx_template_args(p, false);
	node->a = qualified_type(p);
	return node;
}

static struct wk_cxx_node *qualified_inside(struct wk_cxx *p)
{
	struct wk_cxx_node *node;
	uint8_t quals;

	if (wk_cxx_peek(p, 0) == 'U' && wk_cxx_is_digit(wk_cxx_peek(p, 1)))
		return vendor_qualified(p);
	quals = wk_cxx_qualifiers(p);
	node = wk_cxx_type(p);
	if (quals) {
		node = wk_cxx_pair(p, WK_CXX_QUALIFIED, node, NULL);
		node->quals = quals;
	}
	return node;
}

/* <qualified-type> ::= <extended-qualifier>* <CV-qualifiers> <type> */
static struct wk_cxx_node *qualified_type(struct wk_cxx *p)
{
	return wk_cxx_nested(p, qualified_inside);
}

/* A function type may begin with the qualifiers of its `this`. */
static struct wk_cxx_node *qualified_or_function(struct wk_cxx *p)
{
	size_t ahead = 0;
	char c;

	for (const char *order = "rVK"; *order; order++)
		if (wk_cxx_peek(p, ahead) == *order)
			ahead++;
	c = wk_cxx_peek(p, ahead + 1);
	if (wk_cxx_peek(p, ahead) == 'F')
		return function_type(p);
	if (wk_cxx_peek(p, ahead) == 'D' && (c == 'o' || c == 'O' || c == 'w' || c == 'x'))
		return function_type(p);
	return qualified_type(p);
}

/* <class-enum-type> ::= <name> | Ts <name> | Tu <name> | Te <name> */
static struct wk_cxx_node *class_or_enum(struct wk_cxx *p)
{
	const char *words = NULL;

	if (wk_cxx_accept_text(p, "Ts"))
		words = "struct ";
	else if (wk_cxx_accept_text(p, "Tu"))
		words = "union ";
	else if (wk_cxx_accept_text(p, "Te"))
		words = "enum ";
	if (words)
		return wk_cxx_wrap(p, WK_CXX_PREFIXED, words, wk_cxx_name(p, NULL));
	return wk_cxx_name(p, NULL);
}

/* T...: an elaborated class, or a template parameter, perhaps a template itself */
static struct wk_cxx_node *t_type(struct wk_cxx *p)
{
	struct wk_cxx_node *param;
	char c = wk_cxx_peek(p, 1);

	if (c == 's' || c == 'u' || c == 'e')
		return class_or_enum(p);
	param = wk_cxx_template_param(p);
	if (p->args_elsewhere || wk_cxx_peek(p, 0) != 'I')
		return param;
	wk_cxx_push(p, &p->subs, param);
	return wk_cxx_maybe_template(p, param);
}

/* S...: a substitution, possibly of a template or of a module. `is_old`: it was one before. */
static struct wk_cxx_node *s_type(struct wk_cxx *p, bool *is_old)
{
	struct wk_cxx_node *name;
	bool is_sub = false;

	if (wk_cxx_peek(p, 1) == 't')
		return class_or_enum(p);
	name = wk_cxx_unscoped(p, NULL, &is_sub);
	if (wk_cxx_peek(p, 0) == 'I' && !(is_sub && p->args_elsewhere)) {
		if (!is_sub)
			wk_cxx_push(p, &p->subs, name);
		return wk_cxx_maybe_template(p, name);
	}
	*is_old = is_sub;
	return name;
}

/* u <source-name> [I <type> E]: a vendor's own type, or a vendor's transformation of one */
static struct wk_cxx_node *vendor_type(struct wk_cxx *p)
{
	struct wk_cxx_node *node;

	p->at++;
	node = wk_cxx_text(p, WK_CXX_NAME, wk_cxx_identifier(p), NULL);
	if (wk_cxx_accept(p, 'I')) {
		node->kind = WK_CXX_ENCLOSED;
		node->a = wk_cxx_type(p);
		wk_cxx_need(p, 'E');
	}
	return node;
}

static struct wk_cxx_node *member_pointer(struct wk_cxx *p)
{
	struct wk_cxx_node *class;

	p->at++;
	class = wk_cxx_type(p);
	return wk_cxx_pair(p, WK_CXX_MEMBER_POINTER, class, wk_cxx_type(p));
}

/* P, R, O, C, G: one letter before another type */
static struct wk_cxx_node *type_of_type(struct wk_cxx *p)
{
	char c = *p->at++;
	struct wk_cxx_node *inner = wk_cxx_type(p), *node;

	switch (c) {
	case 'P':
		return wk_cxx_pair(p, WK_CXX_POINTER, inner, NULL);
	case 'C':
		return wk_cxx_wrap(p, WK_CXX_SUFFIXED, " complex", inner);
	case 'G':
		return wk_cxx_wrap(p, WK_CXX_SUFFIXED, " imaginary", inner);
	default:
		node = wk_cxx_pair(p, WK_CXX_REFERENCE, inner, NULL);
		node->flag = c == 'O';
		return node;
	}
}

static struct wk_cxx_node *compound_type(struct wk_cxx *p, bool *is_old)
{
	switch (wk_cxx_peek(p, 0)) {
	case 'r':
	case 'V':
	case 'K':
		return qualified_or_function(p);
	case 'U':
		return wk_cxx_is_digit(wk_cxx_peek(p, 1)) ? qualified_type(p) : class_or_enum(p);
	case 'P':
	case 'R':
	case 'O':
	case 'C':
	case 'G':
		return type_of_type(p);
	case 'A':
		return array_type(p);
	case 'D':
		return d_type(p, is_old);
	case 'F':
		return function_type(p);
	case 'M':
		return member_pointer(p);
	case 'S':
		return s_type(p, is_old);
	case 'T':
		return t_type(p);
	case 'u':
		return vendor_type(p);
	default:
		return class_or_enum(p);
	}
}

/* One node for all types of a kind: they are most of a signature. */
static struct wk_cxx_node *builtin_type(struct wk_cxx *p, int letter, const char *word)
{
	if (!p->builtins[letter])
		p->builtins[letter] = wk_cxx_word(p, word);
	return p->builtins[letter];
}

/* <type>. All but builtin types and substitutions become candidates for substitution. */
struct wk_cxx_node *wk_cxx_type(struct wk_cxx *p)
{
	struct wk_cxx_node *node = &p->nothing;
	const char *word = builtins[(uint8_t)wk_cxx_peek(p, 0)];
	bool is_old = false;

	if (word)
		return builtin_type(p, *p->at++ - 'a', word);
	if (wk_cxx_enter(p)) {
		node = compound_type(p, &is_old);
		if (!is_old)
			wk_cxx_push(p, &p->subs, node);
	}
	wk_cxx_leave(p);
	return node;
}
