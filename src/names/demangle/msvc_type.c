#include "names/demangle/msvc.h"

#include <inttypes.h>

/* Types of one letter. */
static const char *const primitives[256] = {
	['C'] = "signed char", ['D'] = "char", ['E'] = "unsigned char", ['F'] = "short",
	['G'] = "unsigned short", ['H'] = "int", ['I'] = "unsigned int", ['J'] = "long",
	['K'] = "unsigned long", ['M'] = "float", ['N'] = "double", ['O'] = "long double",
	['X'] = "void",
};

/* Those of two, by the one after the underscore. _L and _M are clang's. */
static const char *const primitives_of_two[256] = {
	['J'] = "__int64", ['K'] = "unsigned __int64", ['L'] = "__int128",
	['M'] = "unsigned __int128", ['N'] = "bool", ['P'] = "auto", ['Q'] = "char8_t",
	['S'] = "char16_t", ['T'] = "decltype(auto)", ['U'] = "char32_t", ['W'] = "wchar_t",
};

static struct wk_cxx_node *primitive_type(struct wk_cxx *p)
{
	const char *const *table, *words;

	if (wk_cxx_accept_text(p, "$$T"))
		return wk_cxx_wrap(p, WK_MSVC_PRIMITIVE, "std::nullptr_t", NULL);
	table = wk_cxx_accept(p, '_') ? primitives_of_two : primitives;
	words = table[(uint8_t)wk_cxx_peek(p, 0)];
	if (!words)
		return wk_cxx_fail(p);
	p->at++;
	return wk_cxx_wrap(p, WK_MSVC_PRIMITIVE, words, NULL);
}

/* A to D for what is pointed to or declared, Q to T if that is a member. */
uint8_t wk_msvc_qualifiers(struct wk_cxx *p, bool *of_member)
{
	char c = wk_cxx_peek(p, 0);

	*of_member = c >= 'Q' && c <= 'T';
	if (!*of_member && (c < 'A' || c > 'D')) {
		wk_cxx_fail(p);
		return 0;
	}
	p->at++;
	/* WK_MSVC_CONST and WK_MSVC_VOLATILE are the bits of the letter. */
	return (uint8_t)(c - (*of_member ? 'Q' : 'A'));
}

/* [E] [I] [F]: E is __ptr64, and not shown. */
uint8_t wk_msvc_extended_qualifiers(struct wk_cxx *p)
{
	uint8_t quals = 0;

	wk_cxx_accept(p, 'E');
	if (wk_cxx_accept(p, 'I'))
		quals |= WK_MSVC_RESTRICT;
	if (wk_cxx_accept(p, 'F'))
		quals |= WK_MSVC_UNALIGNED;
	return quals;
}

/* class, struct, union, enum; the 4 of an enum means that it is as wide as int. */
static struct wk_cxx_node *tag_type(struct wk_cxx *p)
{
	static const char *const words[] = { "union", "struct", "class", "enum" };
	char c = *p->at++;
	struct wk_cxx_node *node = wk_cxx_wrap(p, WK_MSVC_TAG, words[c - 'T'], NULL);

	if (c == 'W')
		wk_cxx_need(p, '4');
	node->a = wk_msvc_type_name(p);
	return node;
}

/* ?<name>@: something without a name of its own, such as <auto>. */
static struct wk_cxx_node *custom_type(struct wk_cxx *p)
{
	struct wk_cxx_node *node = wk_cxx_node(p, WK_MSVC_CUSTOM);

	p->at++;
	node->a = wk_msvc_type_part(p);
	wk_cxx_need(p, '@');
	return node;
}

/* Y <number of dimensions> <dimension>* [$$C <qualifiers>] <type> */
static struct wk_cxx_node *array_type(struct wk_cxx *p)
{
	struct wk_cxx_node *node = wk_cxx_node(p, WK_MSVC_ARRAY);
	bool of_member = false;
	uint64_t rank;

	p->at++;
	rank = wk_msvc_unsigned(p);
	if (rank == 0)
		return wk_cxx_fail(p);
	for (uint64_t i = 0; i < rank && !p->bad; i++) {
		uint64_t dimension = wk_msvc_unsigned(p);

		wk_buf_add_text(&p->words, i ? "][" : "");
		if (dimension)
			wk_buf_add_fmt(&p->words, "%" PRIu64, dimension);
	}
	node->text = wk_msvc_words(p);
	if (wk_cxx_accept_text(p, "$$C"))
		node->quals = wk_msvc_qualifiers(p, &of_member);
	if (of_member)
		return wk_cxx_fail(p);
	node->a = wk_msvc_type(p);
	return node;
}

/* --- Functions ----------------------------------------------------------------------------- */

char wk_msvc_convention(struct wk_cxx *p)
{
	if (p->at == p->end) {
		wk_cxx_fail(p);
		return '\0';
	}
	return *p->at++;
}

static struct wk_cxx_node *parameter_seen(struct wk_cxx *p)
{
	size_t number = (size_t)(*p->at++ - '0');

	return number < p->seen.param_count ? p->seen.params[number] : wk_cxx_fail(p);
}

/* Nothing qualifies a parameter that is one letter, so one node will do for all of them. A digit
 * for it would save nothing. */
static struct wk_cxx_node *parameter_letter(struct wk_cxx *p)
{
	struct wk_cxx_node **node = &p->builtins[wk_cxx_peek(p, 0) - 'A'];

	if (*node)
		p->at++;
	else
		*node = primitive_type(p);
	return *node;
}

static struct wk_cxx_node *parameter(struct wk_cxx *p)
{
	struct wk_msvc_seen *seen = &p->seen;
	char c = wk_cxx_peek(p, 0);
	struct wk_cxx_node *node;

	if (wk_cxx_is_digit(c))
		return parameter_seen(p);
	if (primitives[(uint8_t)c])
		return parameter_letter(p);
	node = wk_msvc_type(p);
	if (seen->param_count < sizeof(seen->params) / sizeof(seen->params[0]))
		seen->params[seen->param_count++] = node;
	return node;
}

/* X: none; or types up to an '@', or up to a Z, which means .... */
static void parameters(struct wk_cxx *p, struct wk_cxx_node *node)
{
	size_t begin = p->pile.count;

	if (wk_cxx_accept(p, 'X'))
		return;
	while (!node->fn.is_variadic && wk_cxx_until(p, '@')) {
		node->fn.is_variadic = wk_cxx_accept(p, 'Z');
		if (!node->fn.is_variadic)
			wk_cxx_push(p, &p->pile, parameter(p));
	}
	wk_cxx_collect(p, begin, node);
}

struct wk_cxx_node *wk_msvc_function_type(struct wk_cxx *p, bool has_this)
{
	struct wk_cxx_node *node = wk_cxx_node(p, WK_MSVC_FUNCTION);
	bool of_member;

	node->fn.traits = WK_MSVC_GLOBAL;
	if (has_this) {
		char c;

		node->quals = wk_msvc_extended_qualifiers(p);
		c = wk_cxx_peek(p, 0);
		if (wk_cxx_accept(p, 'G') || wk_cxx_accept(p, 'H'))
			node->fn.reference = c;
		node->quals |= wk_msvc_qualifiers(p, &of_member);
	}
	node->fn.convention = wk_msvc_convention(p);
	if (!wk_cxx_accept(p, '@')) /* constructors return nothing, not even void */
		node->a = wk_msvc_result_type(p);
	parameters(p, node);
	node->fn.is_noexcept = wk_cxx_accept_text(p, "_E");
	if (!node->fn.is_noexcept)
		wk_cxx_need(p, 'Z');
	return node;
}

/* --- Pointers ------------------------------------------------------------------------------ */

/* clang's signed pointers: "__ptrauth" and three numbers. NULL if there is none. */
static struct wk_cxx_node *pointer_auth(struct wk_cxx *p)
{
	if (!wk_cxx_accept_text(p, "__ptrauth"))
		return NULL;
	wk_buf_add_text(&p->words, "__ptrauth(");
	for (size_t i = 0; i < 3; i++)
		wk_buf_add_fmt(&p->words, "%s%" PRIu64, i ? ", " : "", wk_msvc_unsigned(p));
	wk_buf_add_char(&p->words, ')');
	return wk_cxx_text(p, WK_MSVC_VALUE, wk_msvc_words(p), NULL);
}

/* The letter of the kind of pointer: & is A, * is P to S, && is $$Q. */
static struct wk_cxx_node *pointer_kind(struct wk_cxx *p)
{
	struct wk_cxx_node *node = wk_cxx_wrap(p, WK_MSVC_POINTER, "*", NULL);
	char c;

	if (wk_cxx_accept_text(p, "$$Q")) {
		node->text = wk_str_c("&&");
		return node;
	}
	c = *p->at++;
	if (c == 'A')
		node->text = wk_str_c("&");
	else
		node->quals = (uint8_t)(c - 'P');
	return node;
}

static struct wk_cxx_node *member_of(struct wk_cxx *p, struct wk_cxx_node *node, uint8_t quals)
{
	node->b = wk_msvc_type_name(p);
	node->a = wk_msvc_type(p);
	node->a->quals = quals;
	return node;
}

/* <kind> 6 <function> | <kind> 8 <class> <function with this>
 * | <kind> [E] [I] [F] <qualifiers> <type> | <kind> [E] [I] [F] <qualifiers> <class> <type> */
static struct wk_cxx_node *pointer_type(struct wk_cxx *p)
{
	struct wk_cxx_node *node = pointer_kind(p), *auth;
	bool is_pointer = wk_str_is(node->text, "*"), of_member;
	uint8_t quals;

	if (wk_cxx_accept(p, '6')) {
		node->a = wk_msvc_function_type(p, false);
		return node;
	}
	if (is_pointer && wk_cxx_accept(p, '8')) {
		node->b = wk_msvc_type_name(p);
		node->a = wk_msvc_function_type(p, true);
		return node;
	}
	node->quals |= wk_msvc_extended_qualifiers(p);
	auth = pointer_auth(p);
	quals = wk_msvc_qualifiers(p, &of_member);
	if (of_member && is_pointer)
		return member_of(p, node, quals);
	if (auth) {
		size_t begin = p->pile.count;

		wk_cxx_push(p, &p->pile, auth);
		wk_cxx_collect(p, begin, node);
	}
	node->a = wk_msvc_type(p);
	node->a->quals |= quals;
	return node;
}

/* --- All of them --------------------------------------------------------------------------- */

static struct wk_cxx_node *dollar_type(struct wk_cxx *p)
{
	if (wk_cxx_accept_text(p, "$$A6"))
		return wk_msvc_function_type(p, false);
	if (wk_cxx_accept_text(p, "$$A8@@"))
		return wk_msvc_function_type(p, true);
	return wk_cxx_peek(p, 2) == 'Q' ? pointer_type(p) : primitive_type(p);
}

static struct wk_cxx_node *any_type(struct wk_cxx *p)
{
	switch (wk_cxx_peek(p, 0)) {
	case 'T':
	case 'U':
	case 'V':
	case 'W':
		return tag_type(p);
	case 'A':
	case 'P':
	case 'Q':
	case 'R':
	case 'S':
		return pointer_type(p);
	case 'Y':
		return array_type(p);
	case '?':
		return custom_type(p);
	case '$':
		return dollar_type(p);
	default:
		return primitive_type(p);
	}
}

struct wk_cxx_node *wk_msvc_type(struct wk_cxx *p)
{
	return wk_cxx_nested(p, any_type);
}

struct wk_cxx_node *wk_msvc_qualified_type(struct wk_cxx *p)
{
	bool of_member;
	uint8_t quals = wk_msvc_qualifiers(p, &of_member);
	struct wk_cxx_node *node = wk_msvc_type(p);

	node->quals |= quals;
	return node;
}

struct wk_cxx_node *wk_msvc_result_type(struct wk_cxx *p)
{
	return wk_cxx_accept(p, '?') ? wk_msvc_qualified_type(p) : wk_msvc_type(p);
}
