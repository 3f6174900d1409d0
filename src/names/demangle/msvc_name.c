#include "names/demangle/msvc.h"

#include <inttypes.h>

struct wk_str wk_msvc_words(struct wk_cxx *p)
{
	struct wk_str words = wk_arena_copy(&p->arena, wk_buf_str(&p->words));

	wk_buf_reset(&p->words);
	return words;
}

/* <number> ::= [?] <digit> | [?] <digit from A to P>* @
 * A digit means its value plus one. */
uint64_t wk_msvc_number(struct wk_cxx *p, bool *is_negative)
{
	uint64_t value = 0;

	*is_negative = wk_cxx_accept(p, '?');
	if (wk_cxx_is_digit(wk_cxx_peek(p, 0)))
		return (uint64_t)(*p->at++ - '0') + 1;
	while (wk_cxx_until(p, '@')) {
		char c = *p->at++;

		if (c < 'A' || c > 'P')
			wk_cxx_fail(p);
		value = value << 4 | (uint64_t)((c - 'A') & 15);
	}
	return value;
}

uint64_t wk_msvc_unsigned(struct wk_cxx *p)
{
	bool is_negative;
	uint64_t value = wk_msvc_number(p, &is_negative);

	if (is_negative)
		wk_cxx_fail(p);
	return value;
}

int64_t wk_msvc_signed(struct wk_cxx *p)
{
	bool is_negative;
	uint64_t value = wk_msvc_number(p, &is_negative);

	if (value > INT64_MAX) {
		wk_cxx_fail(p);
		return 0;
	}
	return is_negative ? -(int64_t)value : (int64_t)value;
}

/* --- What digits refer back to ------------------------------------------------------------- */

/* A text has one number; what comes after the tenth has none. */
static void remember_text(struct wk_cxx *p, struct wk_str text)
{
	struct wk_msvc_seen *seen = &p->seen;

	if (seen->name_count == sizeof(seen->names) / sizeof(seen->names[0]))
		return;
	for (size_t i = 0; i < seen->name_count; i++)
		if (wk_str_eq(seen->names[i]->text, text))
			return;
	seen->names[seen->name_count++] = wk_cxx_text(p, WK_MSVC_NAME, text, NULL);
}

void wk_msvc_remember(struct wk_cxx *p, struct wk_cxx_node *part)
{
	if (p->bad)
		return;
	if (!wk_msvc_print(p->out, part, WK_MSVC_FULL)) {
		wk_cxx_fail(p);
		return;
	}
	part->whole = wk_arena_copy(&p->arena, wk_buf_str(&p->out->text));
	remember_text(p, part->whole);
}

static struct wk_cxx_node *name_seen(struct wk_cxx *p)
{
	size_t number = (size_t)(*p->at - '0');

	if (number >= p->seen.name_count)
		return wk_cxx_fail(p);
	p->at++;
	return p->seen.names[number];
}

/* --- Parts --------------------------------------------------------------------------------- */

static struct wk_str read_identifier(struct wk_cxx *p)
{
	const char *begin = p->at;
	const char *stop = memchr(begin, '@', (size_t)(p->end - begin));

	if (!stop || stop == begin) {
		wk_cxx_fail(p);
		return wk_str_of(begin, 0);
	}
	p->at = stop + 1;
	return wk_str_of(begin, (size_t)(stop - begin));
}

static struct wk_cxx_node *simple_part(struct wk_cxx *p)
{
	struct wk_str text = read_identifier(p);

	if (p->bad)
		return &p->nothing;
	remember_text(p, text);
	return wk_cxx_text(p, WK_MSVC_NAME, text, NULL);
}

/* Operators and functions that compilers make, by the character behind ?, ?_ or ?__. */
static const char *operator_of(size_t underscores, char c)
{
	static const char *const names[3][36] = {
		{ [2] = "operator new", "operator delete", "operator=", "operator>>",
		  "operator<<", "operator!", "operator==", "operator!=", "operator[]",
		  [12] = "operator->", "operator*", "operator++", "operator--", "operator-",
		  "operator+", "operator&", "operator->*", "operator/", "operator%", "operator<",
		  "operator<=", "operator>", "operator>=", "operator,", "operator()", "operator~",
		  "operator^", "operator|", "operator&&", "operator||", "operator*=", "operator+=",
		  "operator-=" },
		{ "operator/=", "operator%=", "operator>>=", "operator<<=", "operator&=",
		  "operator|=", "operator^=",
		  [13] = "`vbase dtor'", "`vector deleting dtor'", "`default ctor closure'",
		  "`scalar deleting dtor'", "`vector ctor iterator'", "`vector dtor iterator'",
		  "`vector vbase ctor iterator'", "`virtual displacement map'",
		  "`eh vector ctor iterator'", "`eh vector dtor iterator'",
		  "`eh vector vbase ctor iterator'", "`copy ctor closure'",
		  [29] = "`local vftable ctor closure'", "operator new[]", "operator delete[]" },
		{ [10] = "`managed vector ctor iterator'", "`managed vector dtor iterator'",
		  "`EH vector copy ctor iterator'", "`EH vector vbase copy ctor iterator'",
		  [16] = "`vector copy ctor iterator'", "`vector vbase copy constructor iterator'",
		  "`managed vector vbase copy constructor iterator'",
		  [21] = "operator co_await", "operator<=>" },
	};

	if (wk_cxx_is_digit(c))
		return names[underscores][c - '0'];
	return c >= 'A' && c <= 'Z' ? names[underscores][c - 'A' + 10] : NULL;
}

static struct wk_cxx_node *literal_operator(struct wk_cxx *p)
{
	wk_buf_add_text(&p->words, "operator \"\"");
	wk_buf_add_str(&p->words, read_identifier(p));
	return wk_cxx_text(p, WK_MSVC_NAME, wk_msvc_words(p), NULL);
}

/* ? and a code: a name that is not an identifier. */
static struct wk_cxx_node *operator_part(struct wk_cxx *p)
{
	size_t underscores = 0;
	struct wk_cxx_node *part;
	const char *name;
	char c;

	p->at++;
	while (underscores < 2 && wk_cxx_accept(p, '_'))
		underscores++;
	if (p->at == p->end)
		return wk_cxx_fail(p);
	c = *p->at++;
	if (underscores == 0 && (c == '0' || c == '1')) {
		part = wk_cxx_node(p, WK_MSVC_STRUCTOR);
		part->flag = c == '1';
		return part;
	}
	if (underscores == 0 && c == 'B')
		return wk_cxx_node(p, WK_MSVC_CONVERSION);
	if (underscores == 2 && c == 'K')
		return literal_operator(p);
	name = operator_of(underscores, c);
	return name ? wk_cxx_wrap(p, WK_MSVC_NAME, name, NULL) : wk_cxx_fail(p);
}

static struct wk_cxx_node *template_part(struct wk_cxx *p);

static struct wk_cxx_node *symbol_part(struct wk_cxx *p)
{
	if (wk_cxx_is_digit(wk_cxx_peek(p, 0)))
		return name_seen(p);
	if (wk_cxx_accept_text(p, "?$"))
		return template_part(p);
	return wk_cxx_peek(p, 0) == '?' ? operator_part(p) : simple_part(p);
}

/* After ?$: a name and its arguments. Neither can refer to digits defined outside. */
static struct wk_cxx_node *template_part(struct wk_cxx *p)
{
	struct wk_msvc_seen outside = p->seen;
	struct wk_cxx_node *part = &p->nothing;

	p->seen.name_count = p->seen.param_count = 0;
	if (wk_cxx_enter(p)) {
		part = symbol_part(p);
		wk_msvc_template_args(p, part);
	}
	wk_cxx_leave(p);
	p->seen = outside;
	return part;
}

/* The same for a type or a scope: digits may refer to it, and it is not a function. */
static struct wk_cxx_node *template_scope(struct wk_cxx *p)
{
	struct wk_cxx_node *part = template_part(p);

	if (part->kind == WK_MSVC_STRUCTOR || part->kind == WK_MSVC_CONVERSION)
		return wk_cxx_fail(p);
	wk_msvc_remember(p, part);
	return part;
}

struct wk_cxx_node *wk_msvc_type_part(struct wk_cxx *p)
{
	if (wk_cxx_is_digit(wk_cxx_peek(p, 0)))
		return name_seen(p);
	return wk_cxx_accept_text(p, "?$") ? template_scope(p) : simple_part(p);
}

/* --- Scopes -------------------------------------------------------------------------------- */

/* Is this ? the start of ?<number>?<symbol>: an entity local to a function? */
static bool is_local_scope(const struct wk_cxx *p)
{
	char c = wk_cxx_peek(p, 1);
	size_t ahead = 2;

	if (c == '@' || wk_cxx_is_digit(c))
		return wk_cxx_peek(p, 2) == '?';
	/* A number does not begin with zero, and ?A is a namespace without a name. */
	if (c < 'B' || c > 'P')
		return false;
	while (wk_cxx_peek(p, ahead) >= 'A' && wk_cxx_peek(p, ahead) <= 'P')
		ahead++;
	return wk_cxx_peek(p, ahead) == '@' && wk_cxx_peek(p, ahead + 1) == '?';
}

/* A function of C is its name, up to the '@' that ends the scopes. */
static struct wk_cxx_node *enclosing_function(struct wk_cxx *p)
{
	char c = wk_cxx_peek(p, 0);
	struct wk_str name;

	if (c == '?' || c == '.')
		return wk_msvc_symbol(p);
	name = read_identifier(p);
	if (!p->bad)
		p->at--;
	return wk_cxx_text(p, WK_MSVC_NAME, name, NULL);
}

static struct wk_cxx_node *local_scope(struct wk_cxx *p)
{
	struct wk_cxx_node *function;
	uint64_t number;

	p->at++;
	number = wk_msvc_unsigned(p);
	wk_cxx_need(p, '?');
	function = enclosing_function(p);
	if (p->bad || !wk_msvc_print(p->out, function, WK_MSVC_FULL))
		return wk_cxx_fail(p);
	wk_buf_add_char(&p->words, '`');
	wk_buf_add_str(&p->words, wk_buf_str(&p->out->text));
	wk_buf_add_fmt(&p->words, "'::`%" PRIu64 "'", number);
	return wk_cxx_text(p, WK_MSVC_NAME, wk_msvc_words(p), NULL);
}

/* After ?A: the distinguishing part is remembered, not printed. */
static struct wk_cxx_node *anonymous_namespace(struct wk_cxx *p)
{
	const char *stop = memchr(p->at, '@', (size_t)(p->end - p->at));

	if (!stop)
		return wk_cxx_fail(p);
	remember_text(p, wk_str_of(p->at, (size_t)(stop - p->at)));
	p->at = stop + 1;
	return wk_cxx_wrap(p, WK_MSVC_NAME, "`anonymous namespace'", NULL);
}

static struct wk_cxx_node *scope(struct wk_cxx *p)
{
	if (wk_cxx_is_digit(wk_cxx_peek(p, 0)))
		return name_seen(p);
	if (wk_cxx_accept_text(p, "?$"))
		return template_scope(p);
	if (wk_cxx_accept_text(p, "?A"))
		return anonymous_namespace(p);
	if (wk_cxx_peek(p, 0) == '?' && is_local_scope(p))
		return local_scope(p);
	return simple_part(p);
}

static void turn(struct wk_cxx_node **list, size_t count)
{
	for (size_t i = 0; i < count / 2; i++) {
		struct wk_cxx_node *node = list[i];

		list[i] = list[count - 1 - i];
		list[count - 1 - i] = node;
	}
}

struct wk_cxx_node *wk_msvc_scopes(struct wk_cxx *p, struct wk_cxx_node *part)
{
	struct wk_cxx_node *name = wk_cxx_node(p, WK_MSVC_QUALIFIED);
	size_t begin = p->pile.count;

	wk_cxx_push(p, &p->pile, part);
	while (wk_cxx_until(p, '@'))
		wk_cxx_push(p, &p->pile, scope(p));
	wk_cxx_collect(p, begin, name);
	turn(name->list, name->count);
	return name;
}

struct wk_cxx_node *wk_msvc_name_of(struct wk_cxx *p, struct wk_cxx_node *part)
{
	struct wk_cxx_node *name = wk_cxx_node(p, WK_MSVC_QUALIFIED);
	size_t begin = p->pile.count;

	wk_cxx_push(p, &p->pile, part);
	wk_cxx_collect(p, begin, name);
	return name;
}

struct wk_cxx_node *wk_msvc_last_part(struct wk_cxx_node *name)
{
	return name->list[name->count - 1];
}

struct wk_cxx_node *wk_msvc_type_name(struct wk_cxx *p)
{
	return wk_msvc_scopes(p, wk_msvc_type_part(p));
}

struct wk_cxx_node *wk_msvc_symbol_name(struct wk_cxx *p)
{
	struct wk_cxx_node *part = symbol_part(p);
	struct wk_cxx_node *name = wk_msvc_scopes(p, part);

	if (part->kind != WK_MSVC_STRUCTOR)
		return name;
	if (name->count < 2)
		return wk_cxx_fail(p);
	part->a = name->list[name->count - 2];
	return name;
}
