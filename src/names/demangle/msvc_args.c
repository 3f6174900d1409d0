#include "names/demangle/msvc.h"

#include <inttypes.h>

static struct wk_cxx_node *integer(struct wk_cxx *p)
{
	bool is_negative;
	uint64_t value = wk_msvc_number(p, &is_negative);

	wk_buf_add_fmt(&p->words, "%s%" PRIu64, is_negative ? "-" : "", value);
	return wk_cxx_text(p, WK_MSVC_VALUE, wk_msvc_words(p), NULL);
}

/* The position of a member in an object, and the path to its class: "8, 0". */
static struct wk_str offsets(struct wk_cxx *p, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		int64_t offset = wk_msvc_signed(p);

		wk_buf_add_fmt(&p->words, "%s%" PRId64, i ? ", " : "", offset);
	}
	return wk_msvc_words(p);
}

/* A symbol's address, or a pointer to a member function, which has as many offsets as the class
 * has kinds of inheritance. Null pointers have no symbol. */
static struct wk_cxx_node *pointer(struct wk_cxx *p, size_t offset_count)
{
	struct wk_cxx_node *node = wk_cxx_node(p, WK_MSVC_REFERENCE);

	node->flag = true;
	if (wk_cxx_peek(p, 0) == '?') {
		node->a = wk_msvc_symbol(p);
		if (p->bad || !node->a->b)
			return wk_cxx_fail(p);
		wk_msvc_remember(p, wk_msvc_last_part(node->a->b));
	}
	node->text = offsets(p, offset_count);
	return node;
}

static struct wk_cxx_node *data_member(struct wk_cxx *p, size_t offset_count)
{
	struct wk_cxx_node *node = wk_cxx_node(p, WK_MSVC_REFERENCE);

	node->text = offsets(p, offset_count);
	return node;
}

static struct wk_cxx_node *reference(struct wk_cxx *p)
{
	struct wk_cxx_node *node = wk_cxx_node(p, WK_MSVC_REFERENCE);

	node->a = wk_msvc_symbol(p);
	return node;
}

/* $ and a letter; the $ is omitted after the type of an `auto` parameter. NULL if there is no value
 * here. */
static struct wk_cxx_node *value(struct wk_cxx *p, bool is_auto)
{
	const char *begin = p->at;
	char letter;

	if (!is_auto && !wk_cxx_accept(p, '$'))
		return NULL;
	letter = wk_cxx_peek(p, 0);
	if (p->at < p->end)
		p->at++;
	switch (letter) {
	case '0':
		return integer(p);
	case '1':
		return pointer(p, 0);
	case 'H':
	case 'I':
	case 'J':
		return pointer(p, (size_t)(letter - 'H') + 1);
	case 'F':
	case 'G':
		return data_member(p, (size_t)(letter - 'F') + 2);
	case 'E':
		if (wk_cxx_peek(p, 0) == '?')
			return reference(p);
		break;
	}
	p->at = begin;
	return NULL;
}

static struct wk_cxx_node *template_arg(struct wk_cxx *p)
{
	bool is_auto = wk_cxx_accept_text(p, "$M");
	struct wk_cxx_node *node;

	if (is_auto)
		wk_msvc_type(p);          /* it is not shown */
	if (wk_cxx_accept_text(p, "$$Y")) /* an alias template */
		return wk_msvc_type_name(p);
	if (wk_cxx_accept_text(p, "$$B")) /* an array */
		return wk_msvc_type(p);
	if (wk_cxx_accept_text(p, "$$C"))
		return wk_msvc_qualified_type(p);
	node = value(p, is_auto);
	return node ? node : wk_msvc_type(p);
}

void wk_msvc_template_args(struct wk_cxx *p, struct wk_cxx_node *part)
{
	size_t begin = p->pile.count;

	while (wk_cxx_until(p, '@'))
		/* Empty packs, and the marks between packs. */
		if (!wk_cxx_accept_text(p, "$S") && !wk_cxx_accept_text(p, "$$V") &&
		    !wk_cxx_accept_text(p, "$$$V") && !wk_cxx_accept_text(p, "$$Z"))
			wk_cxx_push(p, &p->pile, template_arg(p));
	wk_cxx_collect(p, begin, part);
}
