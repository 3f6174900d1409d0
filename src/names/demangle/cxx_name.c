#include "names/demangle/cxx.h"

const struct wk_cxx_std wk_cxx_std[6] = {
	{ 'a', WK_STR("std::allocator"), WK_STR("std::allocator"), WK_STR("allocator") },
	{ 'b', WK_STR("std::basic_string"), WK_STR("std::basic_string"), WK_STR("basic_string") },
	{ 's', WK_STR("std::string"),
	  WK_STR("std::basic_string<char, std::char_traits<char>, std::allocator<char>>"),
	  WK_STR("basic_string") },
	{ 'i', WK_STR("std::istream"), WK_STR("std::basic_istream<char, std::char_traits<char>>"),
	  WK_STR("basic_istream") },
	{ 'o', WK_STR("std::ostream"), WK_STR("std::basic_ostream<char, std::char_traits<char>>"),
	  WK_STR("basic_ostream") },
	{ 'd', WK_STR("std::iostream"), WK_STR("std::basic_iostream<char, std::char_traits<char>>"),
	  WK_STR("basic_iostream") },
};

/* <source-name> ::= <length> <identifier> */
struct wk_str wk_cxx_identifier(struct wk_cxx *p)
{
	size_t len = wk_cxx_index(p);
	struct wk_str name = wk_str_of(p->at, len);

	if (len == 0 || len > (size_t)(p->end - p->at)) {
		wk_cxx_fail(p);
		return wk_str_c("");
	}
	p->at += len;
	return name;
}

struct wk_cxx_node *wk_cxx_source_name(struct wk_cxx *p)
{
	struct wk_str name = wk_cxx_identifier(p);

	if (wk_str_starts(name, "_GLOBAL__N"))
		return wk_cxx_word(p, "(anonymous namespace)");
	return wk_cxx_text(p, WK_CXX_NAME, name, NULL);
}

/* <abi-tags> ::= (B <source-name>)* */
static struct wk_cxx_node *abi_tags(struct wk_cxx *p, struct wk_cxx_node *name)
{
	while (wk_cxx_accept(p, 'B'))
		name = wk_cxx_text(p, WK_CXX_TAGGED, wk_cxx_identifier(p), name);
	return name;
}

/* <substitution> ::= S_ | S <seq-id> _ | Sa | Sb | Ss | Si | So | Sd */
struct wk_cxx_node *wk_cxx_substitution(struct wk_cxx *p)
{
	size_t index = 0;

	wk_cxx_need(p, 'S');
	for (uint32_t i = 0; i < 6; i++) {
		struct wk_cxx_node *node, *tagged;

		if (!wk_cxx_accept(p, wk_cxx_std[i].letter))
			continue;
		node = wk_cxx_node(p, WK_CXX_STD);
		node->index = i;
		tagged = abi_tags(p, node);
		if (tagged != node)
			wk_cxx_push(p, &p->subs, tagged);
		return tagged;
	}
	if (!wk_cxx_accept(p, '_')) {
		const char *start = p->at;

		index = wk_cxx_seq_id(p) + 1;
		if (p->at == start)
			wk_cxx_fail(p);
		wk_cxx_need(p, '_');
	}
	return index < p->subs.count && !p->bad ? p->subs.at[index] : wk_cxx_fail(p);
}

/* <module-name> ::= W [P] <source-name>, any number of times */
struct wk_cxx_node *wk_cxx_module_name(struct wk_cxx *p, struct wk_cxx_node *module)
{
	while (wk_cxx_accept(p, 'W')) {
		bool is_partition = wk_cxx_accept(p, 'P');

		module = wk_cxx_text(p, WK_CXX_MODULE, wk_cxx_identifier(p), module);
		module->flag = is_partition;
		wk_cxx_push(p, &p->subs, module);
	}
	return module;
}

/* <ctor-dtor-name> ::= C [I] <digit> [<type>] | D <digit> */
static struct wk_cxx_node *ctor_or_dtor(struct wk_cxx *p, struct wk_cxx_node **scope,
					struct wk_cxx_named *named)
{
	bool is_dtor = wk_cxx_accept(p, 'D'), inherited;
	char variant;

	if ((*scope)->kind == WK_CXX_STD) {
		struct wk_cxx_node *full = wk_cxx_node(p, WK_CXX_STD);

		full->index = (*scope)->index;
		full->flag = true;
		*scope = full;
	}
	if (!is_dtor)
		wk_cxx_need(p, 'C');
	inherited = !is_dtor && wk_cxx_accept(p, 'I');
	variant = wk_cxx_peek(p, 0);
	if (variant < (is_dtor ? '0' : '1') || variant > '5' || (is_dtor && variant == '3'))
		return wk_cxx_fail(p);
	p->at++;
	if (named)
		named->returnless = true;
	if (inherited)
		wk_cxx_name(p, named);
	return wk_cxx_pair(p, is_dtor ? WK_CXX_DTOR : WK_CXX_CTOR, *scope, NULL);
}

/* <template-param-decl>: the kinds by the letter after T. */
static bool at_param_decl(const struct wk_cxx *p)
{
	char c = wk_cxx_peek(p, 1);

	return wk_cxx_peek(p, 0) == 'T' && c && strchr("yptnk", c);
}

enum { A_TYPE, A_VALUE, A_TEMPLATE };

/* $T, $T0, $T1 ...: mangled names do not contain the names of parameters. */
static struct wk_cxx_node *made_up_name(struct wk_cxx *p, int what, struct wk_cxx_list *params)
{
	static const char *const words[] = { "$T", "$N", "$TT" };
	unsigned number = p->made_up[what]++;
	struct wk_str name = wk_str_c(words[what]);
	struct wk_cxx_node *node;

	if (number > 0) {
		struct wk_buf digits = { 0 };

		wk_buf_add_fmt(&digits, "%u", number - 1);
		name = wk_cxx_join(p, name, wk_buf_str(&digits));
		wk_buf_fini(&digits);
	}
	node = wk_cxx_text(p, WK_CXX_NAME, name, NULL);
	if (params)
		wk_cxx_push(p, params, node);
	return node;
}

static struct wk_cxx_node *param_decl(struct wk_cxx *p, struct wk_cxx_list *params);

/* Tt <template-param-decl>* [Q <constraint>] E */
static struct wk_cxx_node *template_decl(struct wk_cxx *p, struct wk_cxx_list *params)
{
	struct wk_cxx_node *node = wk_cxx_node(p, WK_CXX_DECL_TEMPLATE);
	struct wk_cxx_list inner = { 0 };
	size_t level = p->levels.count, begin = p->pile.count;

	node->a = made_up_name(p, A_TEMPLATE, params);
	wk_cxx_push_level(p, &inner);
	while (wk_cxx_until(p, 'E')) {
		if (wk_cxx_accept(p, 'Q')) {
			node->b = wk_cxx_constraint(p);
			wk_cxx_need(p, 'E');
			break;
		}
		wk_cxx_push(p, &p->pile, param_decl(p, &inner));
	}
	wk_cxx_collect(p, begin, node);
	p->levels.count = level;
	return node;
}

static struct wk_cxx_node *param_decl_inside(struct wk_cxx *p, struct wk_cxx_list *params)
{
	struct wk_cxx_node *node;

	if (wk_cxx_accept_text(p, "Ty"))
		return wk_cxx_pair(p, WK_CXX_DECL_TYPE, made_up_name(p, A_TYPE, params), NULL);
	if (wk_cxx_accept_text(p, "Tk")) {
		node = wk_cxx_node(p, WK_CXX_DECL_CONCEPT);
		node->b = wk_cxx_name(p, NULL);
		node->a = made_up_name(p, A_TYPE, params);
		return node;
	}
	if (wk_cxx_accept_text(p, "Tn")) {
		node = wk_cxx_node(p, WK_CXX_DECL_VALUE);
		node->a = made_up_name(p, A_VALUE, params);
		node->b = wk_cxx_type(p);
		return node;
	}
	if (wk_cxx_accept_text(p, "Tt"))
		return template_decl(p, params);
	if (wk_cxx_accept_text(p, "Tp"))
		return wk_cxx_pair(p, WK_CXX_DECL_PACK, param_decl(p, params), NULL);
	return wk_cxx_fail(p);
}

/* Declares the next template parameter and adds its name to `params`, which may be NULL. */
static struct wk_cxx_node *param_decl(struct wk_cxx *p, struct wk_cxx_list *params)
{
	struct wk_cxx_node *node = &p->nothing;

	if (wk_cxx_enter(p))
		node = param_decl_inside(p, params);
	wk_cxx_leave(p);
	return node;
}

static void closure_template_params(struct wk_cxx *p, struct wk_cxx_node *closure,
				    struct wk_cxx_list *params)
{
	size_t begin = p->pile.count;

	while (at_param_decl(p))
		wk_cxx_push(p, &p->pile, param_decl(p, params));
	closure->a = wk_cxx_node(p, WK_CXX_LIST);
	wk_cxx_collect(p, begin, closure->a);
}

static void closure_params(struct wk_cxx *p, struct wk_cxx_node *closure)
{
	size_t begin = p->pile.count;

	if (!wk_cxx_accept(p, 'v')) {
		do
			wk_cxx_push(p, &p->pile, wk_cxx_type(p));
		while (!p->bad && wk_cxx_peek(p, 0) != 'E' && wk_cxx_peek(p, 0) != 'Q');
	}
	wk_cxx_collect(p, begin, closure);
}

/* <closure-type-name> ::= Ul <template-param-decl>* [Q <constraint>] <type>+ [Q <constraint>]
 *                         E [<number>] _ */
static struct wk_cxx_node *closure_type(struct wk_cxx *p)
{
	struct wk_cxx_node *closure = wk_cxx_node(p, WK_CXX_CLOSURE);
	struct wk_cxx_list params = { 0 };
	size_t level = p->levels.count, base = p->levels.base, lambda_level = p->lambda_level;

	/* A local closure's parameters are not those of an encoding that only mentions it. */
	if (p->local_closure)
		p->levels.base = level;
	p->lambda_level = p->levels.count - p->levels.base;
	wk_cxx_push_level(p, &params);
	closure_template_params(p, closure, &params);
	/* Without declared parameters the level is for those that `auto` introduces. */
	if (closure->a->count == 0)
		p->levels.count = level;
	if (wk_cxx_accept(p, 'Q'))
		closure->b = wk_cxx_constraint(p);
	closure_params(p, closure);
	if (wk_cxx_accept(p, 'Q'))
		closure->c = wk_cxx_constraint(p);
	p->levels.count = level;
	p->levels.base = base;
	p->lambda_level = lambda_level;
	wk_cxx_need(p, 'E');
	closure->text = wk_cxx_number(p, false);
	wk_cxx_need(p, '_');
	return closure;
}

/* <unnamed-type-name> ::= Ut [<number>] _ | <closure-type-name>; Ub is clang's for blocks */
struct wk_cxx_node *wk_cxx_unnamed_type(struct wk_cxx *p, const struct wk_cxx_named *named)
{
	struct wk_cxx_node *node;

	/* In an encoding's name T_ is of the innermost arguments, not of those before. */
	if (named)
		p->levels.count = p->levels.base;
	if (wk_cxx_accept_text(p, "Ul"))
		return closure_type(p);
	if (wk_cxx_accept_text(p, "Ub"))
		node = wk_cxx_word(p, "'block-literal'");
	else if (wk_cxx_accept_text(p, "Ut"))
		node = wk_cxx_node(p, WK_CXX_UNNAMED);
	else
		return wk_cxx_fail(p);
	if (node->kind == WK_CXX_UNNAMED)
		node->text = wk_cxx_number(p, false);
	else
		wk_cxx_number(p, false);
	wk_cxx_need(p, '_');
	return node;
}

/* A conversion operator's type is a bare template or a whole type: cv S_ I...E may be the
 * operator's own arguments or the type's. They are the type's if others follow. */
static struct wk_cxx_node *args_of_conversion(struct wk_cxx *p, struct wk_cxx_node *type)
{
	struct wk_cxx before = *p;
	struct wk_cxx_node *args;

	if (wk_cxx_peek(p, 0) != 'I' || ++p->second_readings > WK_CXX_SECOND_READINGS)
		return type;
	args = wk_cxx_template_args(p, false);
	if (!p->bad && wk_cxx_peek(p, 0) == 'I') {
		type = wk_cxx_pair(p, WK_CXX_TEMPLATE, type, args);
		wk_cxx_push(p, &p->subs, type);
		return type;
	}
	before.second_readings = p->second_readings;
	before.arena = p->arena;
	*p = before;
	return type;
}

/* cv <type>: the only name that may refer to template arguments before they are read. */
static struct wk_cxx_node *conversion_operator(struct wk_cxx *p, struct wk_cxx_named *named)
{
	bool forward_ok = p->forward_ok, args_elsewhere = p->args_elsewhere;
	struct wk_cxx_node *type;

	p->forward_ok = forward_ok || named;
	p->args_elsewhere = true;
	type = wk_cxx_type(p);
	if (named)
		type = args_of_conversion(p, type);
	p->forward_ok = forward_ok;
	p->args_elsewhere = args_elsewhere;
	if (named)
		named->returnless = true;
	return wk_cxx_wrap(p, WK_CXX_PREFIXED, "operator ", type);
}

static struct wk_cxx_node *plain_operator(struct wk_cxx *p, struct wk_str name)
{
	bool is_word = name.at[0] >= 'a' && name.at[0] <= 'z';

	name = wk_cxx_join(p, wk_str_c(is_word ? "operator " : "operator"), name);
	return wk_cxx_text(p, WK_CXX_NAME, name, NULL);
}

/* <operator-name> */
struct wk_cxx_node *wk_cxx_operator_name(struct wk_cxx *p, struct wk_cxx_named *named)
{
	const struct wk_cxx_operator *op = wk_cxx_operator(p);

	if (op && op->form == WK_CXX_FORM_CONVERSION)
		return conversion_operator(p, named);
	if (op && op->form < WK_CXX_FORM_CAST)
		return plain_operator(p, op->name);
	if (op)
		return wk_cxx_fail(p);
	if (wk_cxx_accept_text(p, "li"))
		return wk_cxx_wrap(p, WK_CXX_PREFIXED, "operator\"\" ", wk_cxx_source_name(p));
	if (wk_cxx_accept(p, 'v') && wk_cxx_is_digit(wk_cxx_peek(p, 0))) {
		p->at++;
		return wk_cxx_wrap(p, WK_CXX_PREFIXED, "operator ", wk_cxx_source_name(p));
	}
	return wk_cxx_fail(p);
}

/* DC <source-name>+ E */
static struct wk_cxx_node *structured_binding(struct wk_cxx *p)
{
	struct wk_cxx_node *node = wk_cxx_node(p, WK_CXX_BINDING);

	wk_cxx_items(p, node, 'E', wk_cxx_source_name);
	return node->count ? node : wk_cxx_fail(p);
}

/* <unqualified-name> within `scope`, which may be NULL and may be written in full for it. */
static struct wk_cxx_node *unqualified(struct wk_cxx *p, struct wk_cxx_named *named,
				       struct wk_cxx_node *scope, struct wk_cxx_node *module)
{
	struct wk_cxx_node *name;
	bool is_friend;
	char c;

	module = wk_cxx_module_name(p, module);
	is_friend = scope && wk_cxx_accept(p, 'F');
	wk_cxx_accept(p, 'L');
	c = wk_cxx_peek(p, 0);
	if (wk_cxx_is_digit(c))
		name = wk_cxx_source_name(p);
	else if (c == 'U')
		name = wk_cxx_unnamed_type(p, named);
	else if (wk_cxx_accept_text(p, "DC"))
		name = structured_binding(p);
	else if (c == 'C' || c == 'D')
		name = scope && !module ? ctor_or_dtor(p, &scope, named) : wk_cxx_fail(p);
	else
		name = wk_cxx_operator_name(p, named);
	if (module)
		name = wk_cxx_pair(p, WK_CXX_IN_MODULE, name, module);
	name = abi_tags(p, name);
	if (!scope)
		return name;
	return wk_cxx_pair(p, is_friend ? WK_CXX_FRIEND : WK_CXX_SCOPED, scope, name);
}

/* <unscoped-name>, or a substitution, in which case `is_sub` is set. */
struct wk_cxx_node *wk_cxx_unscoped(struct wk_cxx *p, struct wk_cxx_named *named, bool *is_sub)
{
	struct wk_cxx_node *std = NULL, *module = NULL;

	if (wk_cxx_accept_text(p, "St"))
		std = wk_cxx_word(p, "std");
	if (wk_cxx_peek(p, 0) == 'S') {
		struct wk_cxx_node *sub = wk_cxx_substitution(p);

		if (sub->kind != WK_CXX_MODULE) {
			*is_sub = true;
			return std ? wk_cxx_fail(p) : sub;
		}
		module = sub;
	}
	return unqualified(p, named, std, module);
}

/* One step of a <prefix>: its next name, or its arguments, added to the earlier ones. */
static struct wk_cxx_node *prefix_step(struct wk_cxx *p, struct wk_cxx_named *named,
				       struct wk_cxx_node *before)
{
	struct wk_cxx_node *module = NULL;
	char c = wk_cxx_peek(p, 0), d = wk_cxx_peek(p, 1);

	if (c == 'T')
		return before ? wk_cxx_fail(p) : wk_cxx_template_param(p);
	if (c == 'D' && (d == 't' || d == 'T'))
		return before ? wk_cxx_fail(p) : wk_cxx_decltype(p);
	if (c == 'I') {
		struct wk_cxx_node *args;

		if (!before || before->kind == WK_CXX_TEMPLATE)
			return wk_cxx_fail(p);
		args = wk_cxx_template_args(p, named != NULL);
		if (named)
			named->ends_with_args = true;
		return wk_cxx_pair(p, WK_CXX_TEMPLATE, before, args);
	}
	if (c == 'S') {
		module = wk_cxx_substitution(p);
		if (module->kind != WK_CXX_MODULE)
			return wk_cxx_fail(p);
	}
	return unqualified(p, named, before, module);
}

/* A substitution or `std` at the start of a <prefix>, which adds no substitution itself. */
static struct wk_cxx_node *prefix_start(struct wk_cxx *p)
{
	const char *start = p->at;
	struct wk_cxx_node *sub;

	if (wk_cxx_accept_text(p, "St"))
		return wk_cxx_word(p, "std");
	if (wk_cxx_peek(p, 0) != 'S')
		return NULL;
	sub = wk_cxx_substitution(p);
	if (sub->kind != WK_CXX_MODULE) {
		wk_cxx_accept(p, 'M');
		return sub;
	}
	p->at = start;
	return NULL;
}

static void nested_qualifiers(struct wk_cxx *p, struct wk_cxx_named *named)
{
	struct wk_cxx_named unused = { 0 };

	if (!named)
		named = &unused;
	if (wk_cxx_accept(p, 'H')) {
		named->explicit_object = true;
		return;
	}
	named->quals = wk_cxx_qualifiers(p);
	if (wk_cxx_accept(p, 'O'))
		named->quals |= WK_CXX_RVALUE;
	else if (wk_cxx_accept(p, 'R'))
		named->quals |= WK_CXX_LVALUE;
}

/* <nested-name> ::= N [H | <CV-qualifiers> [<ref-qualifier>]] <prefix> <unqualified-name> E */
static struct wk_cxx_node *nested_name(struct wk_cxx *p, struct wk_cxx_named *named)
{
	struct wk_cxx_node *name;
	size_t steps = 0;

	wk_cxx_need(p, 'N');
	nested_qualifiers(p, named);
	name = prefix_start(p);
	while (wk_cxx_until(p, 'E')) {
		if (named)
			named->ends_with_args = false;
		name = prefix_step(p, named, name);
		wk_cxx_push(p, &p->subs, name);
		wk_cxx_accept(p, 'M'); /* once a <data-member-prefix> */
		steps++;
	}
	if (p->bad || !name)
		return wk_cxx_fail(p);
	if (steps)
		p->subs.count--; /* the complete name is not a prefix */
	return name;
}

/* <discriminator> ::= _ <digit> | __ <number> _; at the end of all, plain digits too */
static void discriminator(struct wk_cxx *p)
{
	const char *start = p->at;

	if (wk_cxx_accept_text(p, "__")) {
		if (!wk_cxx_number(p, false).len || !wk_cxx_accept(p, '_'))
			p->at = start;
	} else if (wk_cxx_accept(p, '_')) {
		if (wk_cxx_is_digit(wk_cxx_peek(p, 0)))
			p->at++;
		else
			p->at = start;
	} else {
		wk_cxx_number(p, false);
		if (p->at != p->end)
			p->at = start;
	}
}

/* [d [<number>] _] <name> [<discriminator>], the part of a <local-name> after its function */
static struct wk_cxx_node *local_entity(struct wk_cxx *p, struct wk_cxx_named *named)
{
	struct wk_cxx_node *entity;
	bool local_closure = p->local_closure, is_default_argument = wk_cxx_accept(p, 'd');

	if (is_default_argument) {
		wk_cxx_number(p, true);
		wk_cxx_need(p, '_');
	}
	p->local_closure = true;
	entity = wk_cxx_name(p, named);
	p->local_closure = local_closure;
	if (!is_default_argument)
		discriminator(p);
	return entity;
}

/* <local-name> ::= Z <encoding> E <name> [<discriminator>] | Z <encoding> E s [...]
 *              ::= Z <encoding> E d [<number>] _ <name> */
static struct wk_cxx_node *local_name(struct wk_cxx *p, struct wk_cxx_named *named)
{
	struct wk_cxx_node *function;

	wk_cxx_need(p, 'Z');
	function = wk_cxx_encoding(p);
	wk_cxx_need(p, 'E');
	if (wk_cxx_accept(p, 's')) {
		discriminator(p);
		return wk_cxx_pair(p, WK_CXX_SCOPED, function, wk_cxx_word(p, "string literal"));
	}
	return wk_cxx_pair(p, WK_CXX_SCOPED, function, local_entity(p, named));
}

static struct wk_cxx_node *name_inside(struct wk_cxx *p, struct wk_cxx_named *named)
{
	struct wk_cxx_node *name, *args;
	bool is_sub = false;

	if (wk_cxx_peek(p, 0) == 'N')
		return nested_name(p, named);
	if (wk_cxx_peek(p, 0) == 'Z')
		return local_name(p, named);
	name = wk_cxx_unscoped(p, named, &is_sub);
	if (wk_cxx_peek(p, 0) != 'I')
		return is_sub ? wk_cxx_fail(p) : name;
	if (!is_sub)
		wk_cxx_push(p, &p->subs, name);
	args = wk_cxx_template_args(p, named != NULL);
	if (named)
		named->ends_with_args = true;
	return wk_cxx_pair(p, WK_CXX_TEMPLATE, name, args);
}

/* <name> ::= <nested-name> | <local-name> | <unscoped-name> [<template-args>] */
struct wk_cxx_node *wk_cxx_name(struct wk_cxx *p, struct wk_cxx_named *named)
{
	struct wk_cxx_node *name = &p->nothing;

	if (wk_cxx_enter(p))
		name = name_inside(p, named);
	wk_cxx_leave(p);
	return name;
}

struct wk_cxx_node *wk_cxx_maybe_template(struct wk_cxx *p, struct wk_cxx_node *name)
{
	if (wk_cxx_peek(p, 0) != 'I')
		return name;
	return wk_cxx_pair(p, WK_CXX_TEMPLATE, name, wk_cxx_template_args(p, false));
}

/* What T_ refers to: an argument, or a pack if the argument is J ... E. */
static struct wk_cxx_node *param_of(struct wk_cxx *p, struct wk_cxx_node *arg)
{
	struct wk_cxx_node *pack;

	if (arg->kind != WK_CXX_LIST)
		return arg;
	pack = wk_cxx_node(p, WK_CXX_PACK);
	pack->list = arg->list;
	pack->count = arg->count;
	return pack;
}

/* A declaration may refer to the parameters before it; the argument itself is from outside. */
static struct wk_cxx_node *argument_of_encoding(struct wk_cxx *p)
{
	struct wk_cxx_node *arg;
	size_t base = p->levels.base, count = p->levels.count;

	while (at_param_decl(p) && !p->bad)
		param_decl(p, NULL);
	p->levels.base = count;
	arg = wk_cxx_template_arg(p);
	p->levels.base = base;
	p->levels.count = count;
	return arg;
}

/* <template-args> ::= I <template-arg>* [Q <constraint>] E. Those of an encoding's own name
 * become the parameters that T_ refers to. */
struct wk_cxx_node *wk_cxx_template_args(struct wk_cxx *p, bool of_encoding)
{
	struct wk_cxx_node *node;
	struct wk_cxx_list *params = NULL;
	bool args_elsewhere = p->args_elsewhere, local_closure = p->local_closure;
	size_t begin = p->pile.count;

	wk_cxx_need(p, 'I');
	if (of_encoding) {
		params = wk_arena_alloc_zeroed(&p->arena, sizeof(*params));
		p->levels.count = p->levels.base;
		wk_cxx_push_level(p, params);
	}
	p->args_elsewhere = p->local_closure = false;
	while (wk_cxx_until(p, 'E')) {
		struct wk_cxx_node *arg;

		if (wk_cxx_accept(p, 'Q')) {
			wk_cxx_constraint(p); /* checked, not shown: it would drown the name */
			wk_cxx_need(p, 'E');
			break;
		}
		arg = params ? argument_of_encoding(p) : wk_cxx_template_arg(p);
		wk_cxx_push(p, &p->pile, arg);
		if (params)
			wk_cxx_push(p, params, param_of(p, arg));
	}
	p->args_elsewhere = args_elsewhere;
	p->local_closure = local_closure;
	node = wk_cxx_node(p, WK_CXX_ARGS);
	wk_cxx_collect(p, begin, node);
	return node;
}

static struct wk_cxx_node *template_arg_inside(struct wk_cxx *p)
{
	switch (wk_cxx_peek(p, 0)) {
	case 'X':
		p->at++;
		return wk_cxx_before_e(p, wk_cxx_expression(p));
	case 'I': /* gcc before version 4.7 */
	case 'J':
		p->at++;
		return wk_cxx_items(p, wk_cxx_node(p, WK_CXX_LIST), 'E', wk_cxx_template_arg);
	case 'L':
		if (!wk_cxx_accept_text(p, "LZ"))
			return wk_cxx_primary(p);
		return wk_cxx_before_e(p, wk_cxx_encoding(p));
	case 'T':
		if (!at_param_decl(p))
			return wk_cxx_type(p);
		param_decl(p, NULL); /* checked, not shown, as a constraint is */
		return wk_cxx_template_arg(p);
	default:
		return wk_cxx_type(p);
	}
}

/* <template-arg> ::= <type> | X <expression> E | <expr-primary> | J <template-arg>* E
 *                ::= <template-param-decl> <template-arg> */
struct wk_cxx_node *wk_cxx_template_arg(struct wk_cxx *p)
{
	return wk_cxx_nested(p, template_arg_inside);
}

static struct wk_cxx_node *find_param(struct wk_cxx *p, size_t level, size_t index)
{
	const struct wk_cxx_levels *levels = &p->levels;
	size_t known = levels->count - levels->base;
	const struct wk_cxx_list *params = level < known ? levels->at[levels->base + level] : NULL;
	struct wk_cxx_node *generic;

	if (params && index < params->count)
		return params->at[index];
	if (level != p->lambda_level || level > known)
		return wk_cxx_fail(p);
	if (level == known)
		wk_cxx_push_level(p, NULL);
	generic = wk_cxx_word(p, "auto");
	generic->index = index + 1;
	return generic;
}

/* <template-param> ::= T [<number>] _ | TL <number> _ [<number>] _ */
struct wk_cxx_node *wk_cxx_template_param(struct wk_cxx *p)
{
	struct wk_cxx_node *node;
	const char *start = p->at;
	size_t level = 0, index = 0;

	wk_cxx_need(p, 'T');
	if (wk_cxx_accept(p, 'L')) {
		level = wk_cxx_index(p) + 1;
		wk_cxx_need(p, '_');
	}
	if (!wk_cxx_accept(p, '_')) {
		index = wk_cxx_index(p) + 1;
		wk_cxx_need(p, '_');
	}
	if (p->bad)
		return &p->nothing;
	if (p->constraint)
		return wk_cxx_text(p, WK_CXX_NAME, wk_str_of(start, (size_t)(p->at - 1 - start)),
				   NULL);
	if (!p->forward_ok || level > 0)
		return find_param(p, level, index);
	node = wk_cxx_node(p, WK_CXX_FORWARD);
	node->index = (uint32_t)index;
	wk_cxx_push(p, &p->forwards, node);
	return node;
}
