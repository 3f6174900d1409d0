#include "names/demangle/cxx.h"

#include "base/text/utf8.h"
#include "names/demangle/demangle.h"

struct wk_cxx_node *wk_cxx_before_e(struct wk_cxx *p, struct wk_cxx_node *node)
{
	wk_cxx_need(p, 'E');
	return node;
}

struct wk_str wk_cxx_number(struct wk_cxx *p, bool may_be_negative)
{
	const char *start = p->at;

	if (may_be_negative)
		wk_cxx_accept(p, 'n');
	if (!wk_cxx_is_digit(wk_cxx_peek(p, 0))) {
		p->at = start;
		return wk_str_of(start, 0);
	}
	while (wk_cxx_is_digit(wk_cxx_peek(p, 0)))
		p->at++;
	return wk_str_of(start, (size_t)(p->at - start));
}

/* One digit more; an index beyond anything that could be meant stays there. */
static size_t append_digit(size_t value, size_t base, size_t digit)
{
	return value > WK_DEMANGLE_LIMIT ? value : value * base + digit;
}

size_t wk_cxx_index(struct wk_cxx *p)
{
	size_t value = 0;

	if (!wk_cxx_is_digit(wk_cxx_peek(p, 0)))
		wk_cxx_fail(p);
	while (wk_cxx_is_digit(wk_cxx_peek(p, 0)))
		value = append_digit(value, 10, (size_t)(*p->at++ - '0'));
	return value;
}

size_t wk_cxx_seq_id(struct wk_cxx *p)
{
	size_t value = 0;

	for (;; p->at++) {
		char c = wk_cxx_peek(p, 0);

		if (wk_cxx_is_digit(c))
			value = append_digit(value, 36, (size_t)(c - '0'));
		else if (c >= 'A' && c <= 'Z')
			value = append_digit(value, 36, (size_t)(c - 'A') + 10);
		else
			return value;
	}
}

struct wk_cxx_node *wk_cxx_word(struct wk_cxx *p, const char *text)
{
	return wk_cxx_text(p, WK_CXX_NAME, wk_str_c(text), NULL);
}

struct wk_str wk_cxx_join(struct wk_cxx *p, struct wk_str head, struct wk_str tail)
{
	char *at = wk_arena_alloc(&p->arena, head.len + tail.len + 1);

	memcpy(at, head.at, head.len);
	memcpy(at + head.len, tail.at, tail.len);
	return wk_str_of(at, head.len + tail.len);
}

void wk_cxx_push_level(struct wk_cxx *p, struct wk_cxx_list *params)
{
	struct wk_cxx_levels *levels = &p->levels;

	levels->at =
		wk_arena_grow(&p->arena, levels->at, levels->count, &levels->cap, sizeof(params));
	levels->at[levels->count++] = params;
}

/* <call-offset> ::= h <number> _ | v <number> _ <number> _ */
static bool call_offset(struct wk_cxx *p)
{
	bool is_virtual = wk_cxx_accept(p, 'v');

	if (!is_virtual)
		wk_cxx_need(p, 'h');
	for (int i = 0; i < (is_virtual ? 2 : 1); i++) {
		if (!wk_cxx_number(p, true).len)
			wk_cxx_fail(p);
		wk_cxx_need(p, '_');
	}
	return is_virtual;
}

/* TC <type> <offset> _ <base type> */
static struct wk_cxx_node *construction_vtable(struct wk_cxx *p)
{
	struct wk_cxx_node *derived = wk_cxx_type(p);

	if (!wk_cxx_number(p, true).len)
		return wk_cxx_fail(p);
	wk_cxx_need(p, '_');
	return wk_cxx_pair(p, WK_CXX_IN_VTABLE, wk_cxx_type(p), derived);
}

/* GR <name> [<seq-id>] _, whose end old compilers omit. */
static struct wk_cxx_node *temporary_name(struct wk_cxx *p)
{
	struct wk_cxx_node *name = wk_cxx_name(p, NULL);
	const char *start = p->at;

	wk_cxx_seq_id(p);
	if (!wk_cxx_accept(p, '_') && p->at != start)
		return wk_cxx_fail(p);
	return name;
}

/* GI <module-name> */
static struct wk_cxx_node *initialized_module(struct wk_cxx *p)
{
	struct wk_cxx_node *module = NULL;

	if (wk_cxx_peek(p, 0) == 'S')
		module = wk_cxx_substitution(p);
	module = wk_cxx_module_name(p, module);
	if (!module || module->kind != WK_CXX_MODULE)
		return wk_cxx_fail(p);
	return module;
}

static struct wk_cxx_node *object_name(struct wk_cxx *p)
{
	return wk_cxx_name(p, NULL);
}

/* A special name is a code, words for it, and what follows. */
static const struct special {
	const char *code, *words;
	wk_cxx_production *rest;
} specials[] = {
	{ "TV", "vtable for ", wk_cxx_type },
	{ "TT", "VTT for ", wk_cxx_type },
	{ "TI", "typeinfo for ", wk_cxx_type },
	{ "TS", "typeinfo name for ", wk_cxx_type },
	{ "TA", "template parameter object for ", wk_cxx_template_arg },
	{ "TW", "thread-local wrapper routine for ", object_name },
	{ "TH", "thread-local initialization routine for ", object_name },
	{ "GV", "guard variable for ", object_name },
	{ "GR", "reference temporary for ", temporary_name },
	{ "GI", "initializer for module ", initialized_module },
	{ "GTt", "transaction clone for ", wk_cxx_encoding },
	{ "GTn", "non-transaction clone for ", wk_cxx_encoding },
	{ "GA", "hidden alias for ", wk_cxx_encoding },
};

static struct wk_cxx_node *thunk(struct wk_cxx *p)
{
	const char *words = "covariant return thunk to ";

	p->at++;
	if (wk_cxx_accept(p, 'c')) {
		call_offset(p);
		call_offset(p);
	} else {
		words = call_offset(p) ? "virtual thunk to " : "non-virtual thunk to ";
	}
	return wk_cxx_wrap(p, WK_CXX_PREFIXED, words, wk_cxx_encoding(p));
}

static struct wk_cxx_node *special_name(struct wk_cxx *p)
{
	for (size_t i = 0; i < sizeof(specials) / sizeof(specials[0]); i++)
		if (wk_cxx_accept_text(p, specials[i].code))
			return wk_cxx_wrap(p, WK_CXX_PREFIXED, specials[i].words,
					   specials[i].rest(p));
	if (wk_cxx_accept_text(p, "TC"))
		return construction_vtable(p);
	return wk_cxx_peek(p, 0) == 'T' ? thunk(p) : wk_cxx_fail(p);
}

static bool encoding_ends(const struct wk_cxx *p)
{
	char c = wk_cxx_peek(p, 0);

	return c == '\0' || c == 'E' || c == '.' || c == '_';
}

/* Sets the arguments to which a conversion operator's type referred before they were read. */
static void resolve_forwards(struct wk_cxx *p, size_t begin)
{
	const struct wk_cxx_levels *levels = &p->levels;
	const struct wk_cxx_list *params = NULL;

	if (levels->count > levels->base)
		params = levels->at[levels->base];
	for (size_t i = begin; i < p->forwards.count; i++) {
		struct wk_cxx_node *forward = p->forwards.at[i];

		if (!params || forward->index >= params->count)
			wk_cxx_fail(p);
		else
			forward->a = params->at[forward->index];
	}
	p->forwards.count = begin;
}

/* Ua9enable_if I <template-arg>* E, clang's attribute of functions. */
static struct wk_cxx_node *enable_if(struct wk_cxx *p)
{
	if (!wk_cxx_accept_text(p, "Ua9enable_ifI"))
		return NULL;
	return wk_cxx_items(p, wk_cxx_node(p, WK_CXX_ENABLE_IF), 'E', wk_cxx_template_arg);
}

static void parameters(struct wk_cxx *p, struct wk_cxx_node *node, bool explicit_object)
{
	size_t begin = p->pile.count;

	if (wk_cxx_accept(p, 'v')) {
		wk_cxx_collect(p, begin, node);
		return;
	}
	do {
		struct wk_cxx_node *type = wk_cxx_type(p);

		if (explicit_object && p->pile.count == begin)
			type = wk_cxx_wrap(p, WK_CXX_PREFIXED, "this ", type);
		wk_cxx_push(p, &p->pile, type);
	} while (!encoding_ends(p) && wk_cxx_peek(p, 0) != 'Q');
	wk_cxx_collect(p, begin, node);
}

/* <encoding> ::= <function name> <bare-function-type> [Q <constraint>] | <data name> */
static struct wk_cxx_node *function_or_data(struct wk_cxx *p)
{
	struct wk_cxx_named named = { 0 };
	size_t forwards = p->forwards.count;
	struct wk_cxx_node *name = wk_cxx_name(p, &named), *node;

	resolve_forwards(p, forwards);
	if (encoding_ends(p))
		return name;
	node = wk_cxx_node(p, WK_CXX_ENCODING);
	node->b = name;
	node->quals = named.quals;
	node->c = enable_if(p);
	if (named.ends_with_args && !named.returnless)
		node->a = wk_cxx_type(p);
	parameters(p, node, named.explicit_object);
	if (wk_cxx_accept(p, 'Q'))
		node->d = wk_cxx_constraint(p);
	return node;
}

struct wk_cxx_node *wk_cxx_encoding(struct wk_cxx *p)
{
	struct wk_cxx_node *node = &p->nothing;
	size_t base = p->levels.base;
	char first = wk_cxx_peek(p, 0);

	p->levels.base = p->levels.count;
	if (wk_cxx_enter(p))
		node = first == 'T' || first == 'G' ? special_name(p) : function_or_data(p);
	wk_cxx_leave(p);
	p->levels.count = p->levels.base;
	p->levels.base = base;
	return node;
}

/* ___Z <encoding> _block_invoke [_]<number>: the body of a clang block. */
static struct wk_cxx_node *block_invoke(struct wk_cxx *p)
{
	struct wk_cxx_node *function = wk_cxx_encoding(p);

	if (!wk_cxx_accept_text(p, "_block_invoke"))
		return wk_cxx_fail(p);
	if (wk_cxx_accept(p, '_') && !wk_cxx_is_digit(wk_cxx_peek(p, 0)))
		return wk_cxx_fail(p);
	wk_cxx_number(p, false);
	if (wk_cxx_peek(p, 0) == '.')
		p->at = p->end;
	return wk_cxx_wrap(p, WK_CXX_PREFIXED, "invocation function for block in ", function);
}

/* _Z <encoding> [. <clone suffix>] */
static struct wk_cxx_node *mangled_name(struct wk_cxx *p)
{
	struct wk_cxx_node *node;

	if (wk_cxx_accept_text(p, "____Z") || wk_cxx_accept_text(p, "___Z"))
		return block_invoke(p);
	if (!wk_cxx_accept_text(p, "__Z") && !wk_cxx_accept_text(p, "_Z"))
		return wk_cxx_fail(p);
	node = wk_cxx_encoding(p);
	if (wk_cxx_peek(p, 0) == '.') {
		struct wk_str suffix = wk_str_of(p->at, (size_t)(p->end - p->at));

		node = wk_cxx_text(p, WK_CXX_CLONE, suffix, node);
		p->at = p->end;
	}
	return node;
}

static bool print(struct wk_cxx_node *tree, bool is_bare, struct wk_buf *out)
{
	struct wk_cxx_out o = {
		.text = { .limit = WK_DEMANGLE_LIMIT },
		.as_gnu = is_bare,
		.parens = 1,
		.pack_at = SIZE_MAX,
		.pack_size = SIZE_MAX,
		.vain_at = SIZE_MAX,
	};
	bool ok;

	wk_cxx_print(&o, tree);
	ok = !o.bad && !o.text.full && wk_cxx_deliver(&o.text, out);
	wk_buf_fini(&o.text);
	return ok;
}

/* The name of the function that the whole is. */
static struct wk_cxx_node *bare_name(struct wk_cxx_node *tree)
{
	if (tree->kind == WK_CXX_CLONE)
		tree = tree->a;
	return tree->kind == WK_CXX_ENCODING ? tree->b : tree;
}

static bool demangle(struct wk_str mangled, bool is_bare, bool *gcc_scopes, struct wk_buf *out)
{
	struct wk_cxx p = {
		.at = mangled.at,
		.end = mangled.at + mangled.len,
		.most_depth = WK_CXX_PARSE_DEPTH,
		.lambda_level = SIZE_MAX,
		.gcc_scopes = *gcc_scopes,
	};
	struct wk_cxx_node *tree = mangled_name(&p);
	bool is_read = !p.bad && p.at == p.end;
	bool ok = is_read && print(is_bare ? bare_name(tree) : tree, is_bare, out);

	*gcc_scopes = p.scopes_seen && !is_read;
	wk_arena_fini(&p.arena);
	return ok;
}

static bool demangle_any(struct wk_str mangled, bool is_bare, struct wk_buf *out)
{
	bool gcc_scopes = false;

	if (mangled.len < 4 || mangled.len > WK_DEMANGLE_LIMIT || mangled.at[0] != '_')
		return false;
	if (!wk_utf8_is_text(mangled))
		return false;
	return demangle(mangled, is_bare, &gcc_scopes, out) ||
	       (gcc_scopes && demangle(mangled, is_bare, &gcc_scopes, out));
}

bool wk_demangle_cxx(struct wk_str mangled, struct wk_buf *out)
{
	return demangle_any(mangled, false, out);
}

bool wk_demangle_cxx_bare(struct wk_str mangled, struct wk_buf *out)
{
	return demangle_any(mangled, true, out);
}
