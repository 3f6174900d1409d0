#include "names/demangle/msvc.h"

#include <inttypes.h>

#include "base/text/utf8.h"
#include "names/demangle/demangle.h"

/* --- Functions and variables --------------------------------------------------------------- */

static const uint16_t access_traits[] = { WK_MSVC_PRIVATE, WK_MSVC_PROTECTED, WK_MSVC_PUBLIC };

/* For a member: A to X, eight letters for each access. Two letters each, for near and far pointers,
 * are plain, static, virtual, and an adjusting thunk. */
static uint16_t member_traits(char c)
{
	static const uint16_t kinds[] = { 0, WK_MSVC_STATIC, WK_MSVC_VIRTUAL,
					  WK_MSVC_VIRTUAL | WK_MSVC_THUNK | WK_MSVC_ADJUSTS };
	uint16_t traits = access_traits[(c - 'A') / 8] | kinds[(c - 'A') % 8 / 2];

	/* llvm-undname, whose text this follows, treats private thunks as not virtual. */
	return c == 'G' || c == 'H' ? (uint16_t)(traits & ~WK_MSVC_VIRTUAL) : traits;
}

/* $ [R] 0 to 5: a thunk that reads the offset of `this` from the object. */
static uint16_t displacing_traits(struct wk_cxx *p)
{
	uint16_t traits = WK_MSVC_VIRTUAL | WK_MSVC_THUNK | WK_MSVC_DISPLACES;
	char c;

	if (wk_cxx_accept(p, 'R'))
		traits |= WK_MSVC_DISPLACES_EX;
	c = wk_cxx_peek(p, 0);
	if (c < '0' || c > '5') {
		wk_cxx_fail(p);
		return 0;
	}
	p->at++;
	return traits | access_traits[(c - '0') / 2];
}

static uint16_t function_traits(struct wk_cxx *p)
{
	char c = wk_cxx_peek(p, 0);

	if (wk_cxx_accept(p, '$'))
		return displacing_traits(p);
	if (wk_cxx_accept(p, '9'))
		return WK_MSVC_EXTERN_C | WK_MSVC_NO_PARAMETERS;
	if (wk_cxx_accept(p, 'Y') || wk_cxx_accept(p, 'Z'))
		return WK_MSVC_GLOBAL;
	if (c < 'A' || c > 'X') {
		wk_cxx_fail(p);
		return 0;
	}
	p->at++;
	return member_traits(c);
}

/* The adjustment of `this` by a thunk, as printed after the name. */
static struct wk_str adjustment(struct wk_cxx *p, uint16_t traits)
{
	int32_t numbers[4] = { 0 };
	size_t count = traits & WK_MSVC_ADJUSTS ? 1 : traits & WK_MSVC_DISPLACES_EX ? 4 : 2;

	for (size_t i = 0; i < count; i++)
		numbers[i] = (int32_t)wk_msvc_signed(p);
	wk_buf_add_text(&p->words, count == 1   ? "`adjustor{"
				   : count == 4 ? "`vtordispex{"
						: "`vtordisp{");
	for (size_t i = 0; i + 1 < count; i++)
		wk_buf_add_fmt(&p->words, "%" PRId32 ", ", numbers[i]);
	wk_buf_add_fmt(&p->words, "%" PRIu32 "}'", (uint32_t)numbers[count - 1]);
	return wk_msvc_words(p);
}

/* [$$h] [$$J0] <traits> [<offsets of a thunk>] <function type>; $$J0 is extern "C", $$h is code for
 * ARM64EC. */
static struct wk_cxx_node *function(struct wk_cxx *p)
{
	struct wk_cxx_node *symbol = wk_cxx_node(p, WK_MSVC_FUNCTION_SYMBOL), *type;
	struct wk_str thunk = { 0 };
	uint16_t traits = 0;

	wk_cxx_accept_text(p, "$$h");
	if (wk_cxx_accept_text(p, "$$J0"))
		traits = WK_MSVC_EXTERN_C;
	traits |= function_traits(p);
	if (traits & WK_MSVC_THUNK)
		thunk = adjustment(p, traits);
	if (traits & WK_MSVC_NO_PARAMETERS)
		type = wk_cxx_node(p, WK_MSVC_FUNCTION);
	else
		type = wk_msvc_function_type(p, !(traits & (WK_MSVC_GLOBAL | WK_MSVC_STATIC)));
	type->fn.traits = traits;
	type->text = thunk;
	symbol->a = type;
	return symbol;
}

/* The type of a variable is followed by the qualifiers of what it points to, or otherwise its
 * own. */
static void variable_qualifiers(struct wk_cxx *p, struct wk_cxx_node *type)
{
	bool of_member;

	if (type->kind != WK_MSVC_POINTER) {
		type->quals = wk_msvc_qualifiers(p, &of_member);
		return;
	}
	type->quals |= wk_msvc_extended_qualifiers(p);
	type->a->quals |= wk_msvc_qualifiers(p, &of_member);
	if (type->b)
		wk_msvc_type_name(p);
}

/* 0 to 2: a static member; 3: global; 4: local. */
static struct wk_cxx_node *variable(struct wk_cxx *p)
{
	static const char *const access[] = { "private: ", "protected: ", "public: " };
	struct wk_cxx_node *symbol = wk_cxx_node(p, WK_MSVC_VARIABLE);
	char storage = *p->at++;

	if (storage <= '2')
		symbol->text = wk_str_c(access[storage - '0']);
	symbol->a = wk_msvc_type(p);
	if (!p->bad)
		variable_qualifiers(p, symbol->a);
	return symbol;
}

static struct wk_cxx_node *function_or_variable(struct wk_cxx *p)
{
	struct wk_cxx_node *name = wk_msvc_symbol_name(p), *symbol, *last;
	char c = wk_cxx_peek(p, 0);

	if (p->bad)
		return &p->nothing;
	symbol = c >= '0' && c <= '4' ? variable(p) : function(p);
	symbol->b = name;
	last = wk_msvc_last_part(name);
	if (last->kind != WK_MSVC_CONVERSION)
		return symbol;
	last->a = symbol->kind == WK_MSVC_FUNCTION_SYMBOL ? symbol->a->a : NULL;
	return last->a ? symbol : wk_cxx_fail(p);
}

/* --- Special names ------------------------------------------------------------------------- */

static struct wk_cxx_node *named_symbol(struct wk_cxx *p, struct wk_cxx_node *name)
{
	struct wk_cxx_node *symbol = wk_cxx_node(p, WK_MSVC_VARIABLE);

	symbol->b = name;
	return symbol;
}

/* <scopes> <6 or 7> <qualifiers> <base class>* @ */
static struct wk_cxx_node *table(struct wk_cxx *p, const char *words)
{
	struct wk_cxx_node *symbol = wk_cxx_node(p, WK_MSVC_TABLE);
	bool of_member;

	symbol->b = wk_msvc_scopes(p, wk_cxx_wrap(p, WK_MSVC_NAME, words, NULL));
	if (!wk_cxx_accept(p, '6') && !wk_cxx_accept(p, '7'))
		return wk_cxx_fail(p);
	symbol->quals = wk_msvc_qualifiers(p, &of_member);
	return wk_cxx_items(p, symbol, '@', wk_msvc_type_name);
}

static struct wk_cxx_node *untyped(struct wk_cxx *p, const char *words)
{
	struct wk_cxx_node *part = wk_cxx_wrap(p, WK_MSVC_NAME, words, NULL);
	struct wk_cxx_node *symbol = named_symbol(p, wk_msvc_scopes(p, part));

	wk_cxx_need(p, '8');
	return symbol;
}

/* The position of the base in the class: four numbers. */
static struct wk_cxx_node *base_class(struct wk_cxx *p, const char *words)
{
	struct wk_cxx_node *symbol, *part;
	uint32_t offset = (uint32_t)wk_msvc_unsigned(p);
	int32_t table_pointer = (int32_t)wk_msvc_signed(p);
	uint32_t in_table = (uint32_t)wk_msvc_unsigned(p);
	uint32_t flags = (uint32_t)wk_msvc_unsigned(p);

	wk_buf_add_fmt(&p->words, "%s (%" PRIu32 ", %" PRId32 ", %" PRIu32 ", %" PRIu32 ")'", words,
		       offset, table_pointer, in_table, flags);
	part = wk_cxx_text(p, WK_MSVC_NAME, wk_msvc_words(p), NULL);
	symbol = named_symbol(p, wk_msvc_scopes(p, part));
	wk_cxx_accept(p, '8');
	return symbol;
}

static struct wk_cxx_node *typed(struct wk_cxx *p, const char *words)
{
	struct wk_cxx_node *part = wk_cxx_wrap(p, WK_MSVC_NAME, words, NULL);
	struct wk_cxx_node *symbol = named_symbol(p, wk_msvc_name_of(p, part));

	symbol->a = wk_msvc_result_type(p);
	return symbol;
}

static struct wk_cxx_node *type_descriptor(struct wk_cxx *p, const char *words)
{
	struct wk_cxx_node *symbol = typed(p, words);

	if (!wk_cxx_accept_text(p, "@8") || p->at != p->end)
		return wk_cxx_fail(p);
	return symbol;
}

/* <scopes> $B <offset in the table> A <calling convention> */
static struct wk_cxx_node *virtual_call(struct wk_cxx *p, const char *words)
{
	struct wk_cxx_node *part = wk_cxx_node(p, WK_MSVC_NAME);
	struct wk_cxx_node *symbol = wk_cxx_node(p, WK_MSVC_FUNCTION_SYMBOL);

	symbol->b = wk_msvc_scopes(p, part);
	symbol->a = wk_cxx_node(p, WK_MSVC_FUNCTION);
	symbol->a->fn.traits = WK_MSVC_NO_PARAMETERS | WK_MSVC_THUNK;
	if (!wk_cxx_accept_text(p, "$B"))
		return wk_cxx_fail(p);
	wk_buf_add_fmt(&p->words, "%s{%" PRIu64 ", {flat}}", words, wk_msvc_unsigned(p));
	part->text = wk_msvc_words(p);
	wk_cxx_need(p, 'A');
	symbol->a->fn.convention = wk_msvc_convention(p);
	return symbol;
}

/* <scopes> 4IA or 5, then which of the function's variables it guards. */
static struct wk_cxx_node *guard(struct wk_cxx *p, const char *words)
{
	struct wk_cxx_node *part = wk_cxx_wrap(p, WK_MSVC_NAME, words, NULL);
	struct wk_cxx_node *symbol = named_symbol(p, wk_msvc_scopes(p, part));
	uint32_t number = 0;

	if (!wk_cxx_accept_text(p, "4IA") && !wk_cxx_accept(p, '5'))
		return wk_cxx_fail(p);
	if (p->at < p->end)
		number = (uint32_t)wk_msvc_unsigned(p);
	if (number) {
		wk_buf_add_fmt(&p->words, "%s{%" PRIu32 "}", words, number);
		part->text = wk_msvc_words(p);
	}
	return symbol;
}

/* What initialises a variable, or destroys it at the end: a function named after it. Members come
 * as whole symbols between ? and @@, except that old versions of clang left a bit of that off. */
static struct wk_cxx_node *dynamic(struct wk_cxx *p, const char *words)
{
	struct wk_cxx_node *part = wk_cxx_wrap(p, WK_MSVC_DYNAMIC, words, NULL), *symbol;
	bool is_member = wk_cxx_accept(p, '?');

	symbol = function_or_variable(p);
	if (symbol->kind == WK_MSVC_VARIABLE) {
		part->a = symbol;
		wk_cxx_need(p, '@');
		if (is_member)
			wk_cxx_need(p, '@');
		symbol = function(p);
	} else if (is_member) {
		return wk_cxx_fail(p);
	} else {
		part->b = symbol->b;
	}
	symbol->b = wk_msvc_name_of(p, part);
	return symbol;
}

static struct wk_cxx_node *string(struct wk_cxx *p, const char *words)
{
	(void)words;
	return wk_msvc_string(p);
}

static const struct special {
	const char *code, *words;
	struct wk_cxx_node *(*rest)(struct wk_cxx *p, const char *words);
} specials[] = {
	{ "?_7", "`vftable'", table },
	{ "?_8", "`vbtable'", table },
	{ "?_9", "`vcall'", virtual_call },
	{ "?_B", "`local static guard'", guard },
	{ "?_C", NULL, string },
	{ "?_R0", "`RTTI Type Descriptor'", type_descriptor },
	{ "?_R1", "`RTTI Base Class Descriptor at", base_class },
	{ "?_R2", "`RTTI Base Class Array'", untyped },
	{ "?_R3", "`RTTI Class Hierarchy Descriptor'", untyped },
	{ "?_R4", "`RTTI Complete Object Locator'", table },
	{ "?_S", "`local vftable'", table },
	{ "?__E", "`dynamic initializer for ", dynamic },
	{ "?__F", "`dynamic atexit destructor for ", dynamic },
	{ "?__J", "`local static thread guard'", guard },
};

/* ??@ <checksum of a name that was too long> @: only the checksum is known. */
static struct wk_cxx_node *checksum(struct wk_cxx *p)
{
	const char *begin = p->at;
	struct wk_cxx_node *part;

	p->at += strlen("??@");
	while (wk_cxx_until(p, '@'))
		p->at++;
	wk_cxx_accept_text(p, "??_R4@");
	part = wk_cxx_text(p, WK_MSVC_NAME, wk_str_of(begin, (size_t)(p->at - begin)), NULL);
	return named_symbol(p, wk_msvc_name_of(p, part));
}

static struct wk_cxx_node *any_symbol(struct wk_cxx *p)
{
	if (wk_cxx_accept(p, '.')) {
		struct wk_cxx_node *symbol = typed(p, "`RTTI Type Descriptor Name'");

		return p->at == p->end ? symbol : wk_cxx_fail(p);
	}
	if (wk_str_starts(wk_str_of(p->at, (size_t)(p->end - p->at)), "??@"))
		return checksum(p);
	wk_cxx_need(p, '?');
	for (size_t i = 0; i < sizeof(specials) / sizeof(specials[0]); i++)
		if (wk_cxx_accept_text(p, specials[i].code))
			return specials[i].rest(p, specials[i].words);
	return function_or_variable(p);
}

struct wk_cxx_node *wk_msvc_symbol(struct wk_cxx *p)
{
	return wk_cxx_nested(p, any_symbol);
}

/* --- The entry ----------------------------------------------------------------------------- */

static bool demangle(struct wk_str mangled, enum wk_msvc_form form, bool is_bare,
		     struct wk_buf *out)
{
	struct wk_msvc_out o = { .text.limit = WK_DEMANGLE_LIMIT };
	struct wk_cxx p = {
		.at = mangled.at,
		.end = mangled.at + mangled.len,
		.most_depth = WK_MSVC_PARSE_DEPTH,
		.out = &o,
	};
	const struct wk_cxx_node *node;
	bool ok;

	if (mangled.len < 2 || mangled.len > WK_DEMANGLE_LIMIT ||
	    (mangled.at[0] != '?' && mangled.at[0] != '.') || !wk_utf8_is_text(mangled))
		return false;
	node = wk_msvc_symbol(&p);
	if (is_bare && !p.bad && node->b)
		node = node->b;
	ok = !p.bad && wk_msvc_print(&o, node, form) && wk_cxx_deliver(&o.text, out);
	WK_BUF_FINI_ALL(&o.text, &p.words);
	wk_arena_fini(&p.arena);
	return ok;
}

bool wk_demangle_msvc(struct wk_str mangled, bool is_short, struct wk_buf *out)
{
	return demangle(mangled, is_short ? WK_MSVC_SHORT : WK_MSVC_FULL, false, out);
}

bool wk_demangle_msvc_bare(struct wk_str mangled, struct wk_buf *out)
{
	return demangle(mangled, WK_MSVC_SHORT, true, out);
}
