#include "names/demangle/cxx.h"

#include <inttypes.h>

/* One step more and one level deeper; every true is followed by a leave. */
static bool enter(struct wk_cxx_out *o)
{
	if (o->depth >= WK_CXX_PRINT_DEPTH || ++o->steps > WK_CXX_PRINT_STEPS || o->text.full)
		o->bad = true;
	if (o->bad)
		return false;
	o->depth++;
	return true;
}

static void leave(struct wk_cxx_out *o)
{
	o->depth--;
}

static void add(struct wk_cxx_out *o, const char *text)
{
	wk_buf_add_text(&o->text, text);
}

static void add_str(struct wk_cxx_out *o, struct wk_str text)
{
	wk_buf_add_str(&o->text, text);
}

static void add_between(struct wk_cxx_out *o, const char *before, struct wk_str text,
			const char *behind)
{
	add(o, before);
	add_str(o, text);
	add(o, behind);
}

/* Back to a length of `len`. Removed text counts as work as well: otherwise empty packs would
 * repeat it for ever within the limit. */
static void rewind_to(struct wk_cxx_out *o, size_t len)
{
	o->steps += (unsigned)((o->text.len - len) / 32);
	o->text.len = o->vain_at = len;
	if (o->text.at)
		o->text.at[len] = '\0';
}

void wk_cxx_open(struct wk_cxx_out *o, char paren)
{
	o->parens++;
	wk_buf_add_char(&o->text, paren);
}

void wk_cxx_close(struct wk_cxx_out *o, char paren)
{
	o->parens--;
	wk_buf_add_char(&o->text, paren);
}

/* The pack element that is being printed; NULL if the pack has none at this index. The first pack
 * within an expansion determines the number of repetitions. */
static struct wk_cxx_node *pack_element(struct wk_cxx_out *o, const struct wk_cxx_node *pack)
{
	if (o->pack_size == SIZE_MAX) {
		o->pack_size = pack->count;
		o->pack_at = 0;
	}
	return o->pack_at < pack->count ? pack->list[o->pack_at] : NULL;
}

enum aspect {
	HAS_RIGHT, /* something follows the declared thing */
	IS_ARRAY,  /* so that a pointer to it wants parentheses */
	IS_FUNCTION,
};

static bool aspect_of_kind(enum wk_cxx_kind kind, enum aspect aspect)
{
	switch (kind) {
	case WK_CXX_FUNCTION:
	case WK_CXX_ENCODING:
		return aspect != IS_ARRAY;
	case WK_CXX_ARRAY:
		return aspect != IS_FUNCTION;
	case WK_CXX_DECL_TYPE:
	case WK_CXX_DECL_CONCEPT:
	case WK_CXX_DECL_VALUE:
	case WK_CXX_DECL_TEMPLATE:
	case WK_CXX_DECL_PACK:
		return aspect == HAS_RIGHT;
	default:
		return false;
	}
}

/* The node that a node's aspect is decided by; NULL if that is the node itself. */
static struct wk_cxx_node *decided_by(struct wk_cxx_out *o, const struct wk_cxx_node *n,
				      enum aspect aspect)
{
	switch (n->kind) {
	case WK_CXX_POINTER:
	case WK_CXX_REFERENCE:
		return aspect == HAS_RIGHT ? n->a : NULL;
	case WK_CXX_MEMBER_POINTER:
		return aspect == HAS_RIGHT ? n->b : NULL;
	case WK_CXX_QUALIFIED:
		return n->a;
	case WK_CXX_FORWARD:
		return n->busy ? NULL : n->a;
	case WK_CXX_PACK:
		return pack_element(o, n);
	default:
		return NULL;
	}
}

static bool has_aspect(struct wk_cxx_out *o, const struct wk_cxx_node *n, enum aspect aspect)
{
	/* A cycle of forward references is left when the steps are spent. */
	for (;;) {
		const struct wk_cxx_node *next = decided_by(o, n, aspect);

		if (!next)
			return aspect_of_kind(n->kind, aspect);
		if (++o->steps > WK_CXX_PRINT_STEPS)
			return false;
		n = next;
	}
}

/* The text of a node is two halves around what it declares: `int (*` and `)(char)`. */
static void print_left(struct wk_cxx_out *o, struct wk_cxx_node *n);
static void print_right(struct wk_cxx_out *o, struct wk_cxx_node *n);

void wk_cxx_print(struct wk_cxx_out *o, struct wk_cxx_node *n)
{
	print_left(o, n);
	print_right(o, n);
}

void wk_cxx_print_operand(struct wk_cxx_out *o, struct wk_cxx_node *n, enum wk_cxx_binding binding,
			  bool loosely)
{
	bool parens = n->binding >= (unsigned)binding + loosely;

	if (parens)
		wk_cxx_open(o, '(');
	wk_cxx_print(o, n);
	if (parens)
		wk_cxx_close(o, ')');
}

void wk_cxx_print_after(struct wk_cxx_out *o, const char *text, struct wk_cxx_node *n)
{
	if (!n)
		return;
	add(o, text);
	wk_cxx_print(o, n);
}

/* An expansion of an empty pack leaves nothing, and so no comma either. */
void wk_cxx_print_list(struct wk_cxx_out *o, struct wk_cxx_node *n)
{
	bool is_first = true;

	for (size_t i = 0; i < n->count && !o->bad; i++) {
		size_t before = o->text.len, after;

		if (!is_first)
			add(o, ", ");
		after = o->text.len;
		wk_cxx_print_operand(o, n->list[i], WK_CXX_COMMA, false);
		if (o->text.len == after)
			rewind_to(o, before);
		else
			is_first = false;
	}
}

void wk_cxx_print_list_in(struct wk_cxx_out *o, const char *brackets, struct wk_cxx_node *n)
{
	wk_cxx_open(o, brackets[0]);
	wk_cxx_print_list(o, n);
	wk_cxx_close(o, brackets[1]);
}

/* Names. */

static void print_name(struct wk_cxx_out *o, struct wk_cxx_node *n)
{
	if (o->as_gnu && wk_str_is(n->text, "std::nullptr_t"))
		add(o, "decltype(nullptr)");
	else
		add_str(o, n->text);
	if (o->as_gnu && n->index)
		wk_buf_add_fmt(&o->text, ":%" PRIu32, n->index);
}

static void print_std(struct wk_cxx_out *o, struct wk_cxx_node *n)
{
	struct wk_str text = n->flag ? wk_cxx_std[n->index].full : wk_cxx_std[n->index].plain;
	bool ends_twice = o->as_gnu && wk_str_ends(text, ">>");

	text.len -= ends_twice;
	add_str(o, text);
	if (ends_twice)
		add(o, " >");
}

static void encoding_right(struct wk_cxx_out *o, struct wk_cxx_node *n);

static void print_scoped(struct wk_cxx_out *o, struct wk_cxx_node *n)
{
	if (o->as_gnu && n->a->kind == WK_CXX_ENCODING) {
		wk_cxx_print(o, n->a->b);
		encoding_right(o, n->a);
	} else {
		wk_cxx_print(o, n->a);
	}
	wk_cxx_print_after(o, n->kind == WK_CXX_FRIEND ? "::friend " : "::", n->b);
}

static void print_tagged(struct wk_cxx_out *o, struct wk_cxx_node *n)
{
	print_left(o, n->a);
	add_between(o, "[abi:", n->text, "]");
}

static void print_template(struct wk_cxx_out *o, struct wk_cxx_node *n)
{
	wk_cxx_print(o, n->a);
	wk_cxx_print(o, n->b);
}

static bool needs_gap(const struct wk_cxx_out *o, const char *bracket)
{
	return o->as_gnu && wk_str_ends(wk_buf_str(&o->text), bracket);
}

/* Behind an empty pack c++filt no longer sees that a bracket was the last thing it wrote. */
static void close_angle(struct wk_cxx_out *o)
{
	if (needs_gap(o, ">") && o->vain_at != o->text.len)
		add(o, " ");
	add(o, ">");
}

static void print_args(struct wk_cxx_out *o, struct wk_cxx_node *n)
{
	unsigned parens = o->parens;

	o->parens = 0;
	add(o, needs_gap(o, "<") ? " <" : "<");
	wk_cxx_print_list(o, n);
	close_angle(o);
	o->parens = parens;
}

/* The name that constructors repeat. */
static struct wk_str last_name(struct wk_cxx_out *o, const struct wk_cxx_node *n)
{
	for (; n && enter(o); leave(o)) {
		const struct wk_cxx_node *next = n->a;

		switch (n->kind) {
		case WK_CXX_NAME:
			leave(o);
			return n->text;
		case WK_CXX_STD:
			leave(o);
			return wk_cxx_std[n->index].last;
		case WK_CXX_SCOPED:
		case WK_CXX_FRIEND:
			next = n->b;
			break;
		case WK_CXX_TAGGED:
		case WK_CXX_TEMPLATE:
		case WK_CXX_IN_MODULE:
		case WK_CXX_FORWARD:
			break;
		default:
			next = NULL;
		}
		n = next;
	}
	return wk_str_c("");
}

static void print_ctor(struct wk_cxx_out *o, struct wk_cxx_node *n)
{
	if (n->kind == WK_CXX_DTOR)
		add(o, "~");
	add_str(o, last_name(o, n->a));
}

static void print_prefixed(struct wk_cxx_out *o, struct wk_cxx_node *n)
{
	add_str(o, n->text);
	wk_cxx_print(o, n->a);
}

static void print_suffixed(struct wk_cxx_out *o, struct wk_cxx_node *n)
{
	print_left(o, n->a);
	add_str(o, n->text);
}

static void print_clone(struct wk_cxx_out *o, struct wk_cxx_node *n)
{
	wk_cxx_print(o, n->a);
	add_between(o, " (", n->text, ")");
}

static void print_in_vtable(struct wk_cxx_out *o, struct wk_cxx_node *n)
{
	wk_cxx_print_after(o, "construction vtable for ", n->a);
	wk_cxx_print_after(o, "-in-", n->b);
}

static void print_module(struct wk_cxx_out *o, struct wk_cxx_node *n)
{
	wk_cxx_print_after(o, "", n->a);
	if (n->a || n->flag)
		add(o, n->flag ? ":" : ".");
	add_str(o, n->text);
}

static void print_in_module(struct wk_cxx_out *o, struct wk_cxx_node *n)
{
	wk_cxx_print(o, n->a);
	wk_cxx_print_after(o, "@", n->b);
}

static void print_binding(struct wk_cxx_out *o, struct wk_cxx_node *n)
{
	wk_cxx_print_list_in(o, "[]", n);
}

static void print_unnamed(struct wk_cxx_out *o, struct wk_cxx_node *n)
{
	add_between(o, "'unnamed", n->text, "'");
}

void wk_cxx_print_closure_sig(struct wk_cxx_out *o, struct wk_cxx_node *n)
{
	if (n->a->count)
		print_args(o, n->a);
	if (n->b) {
		wk_cxx_print_after(o, " requires ", n->b);
		add(o, " ");
	}
	wk_cxx_print_list_in(o, "()", n);
	wk_cxx_print_after(o, " requires ", n->c);
}

static void print_closure(struct wk_cxx_out *o, struct wk_cxx_node *n)
{
	add_between(o, "'lambda", n->text, "'");
	wk_cxx_print_closure_sig(o, n);
}

/* Functions and the types around what they declare. */

static void print_quals(struct wk_cxx_out *o, uint8_t quals)
{
	static const char *const words[] = { " const", " volatile", " restrict", " &", " &&" };

	for (int i = 0; i < 5; i++)
		if (quals & 1 << i)
			add(o, words[i]);
}

static void print_params(struct wk_cxx_out *o, struct wk_cxx_node *n)
{
	wk_cxx_print_list_in(o, "()", n);
	if (n->a)
		print_right(o, n->a);
	print_quals(o, n->quals);
}

static void encoding_left(struct wk_cxx_out *o, struct wk_cxx_node *n)
{
	if (n->a) {
		print_left(o, n->a);
		if (!has_aspect(o, n->a, HAS_RIGHT))
			add(o, " ");
	}
	wk_cxx_print(o, n->b);
}

static void encoding_right(struct wk_cxx_out *o, struct wk_cxx_node *n)
{
	print_params(o, n);
	wk_cxx_print_after(o, "", n->c);
	wk_cxx_print_after(o, " requires ", n->d);
}

static void print_enable_if(struct wk_cxx_out *o, struct wk_cxx_node *n)
{
	add(o, " [enable_if:");
	wk_cxx_print_list(o, n);
	add(o, "]");
}

static void function_left(struct wk_cxx_out *o, struct wk_cxx_node *n)
{
	print_left(o, n->a);
	add(o, " ");
}

static void function_right(struct wk_cxx_out *o, struct wk_cxx_node *n)
{
	print_params(o, n);
	wk_cxx_print_after(o, " ", n->b);
}

/* objc_object<P>* is written id<P>. */
static bool is_objc_id(const struct wk_cxx_node *pointee)
{
	return pointee->kind == WK_CXX_OBJC_PROTOCOL && pointee->a->kind == WK_CXX_NAME &&
	       wk_str_is(pointee->a->text, "objc_object");
}

/* The text between a pointee and the sign of a pointer or reference to it. */
static void print_before_sign(struct wk_cxx_out *o, struct wk_cxx_node *pointee)
{
	bool is_array = has_aspect(o, pointee, IS_ARRAY);

	print_left(o, pointee);
	if (is_array)
		add(o, " ");
	if (is_array || has_aspect(o, pointee, IS_FUNCTION))
		add(o, "(");
}

static void print_after_sign(struct wk_cxx_out *o, struct wk_cxx_node *pointee)
{
	if (has_aspect(o, pointee, IS_ARRAY) || has_aspect(o, pointee, IS_FUNCTION))
		add(o, ")");
	print_right(o, pointee);
}

static void pointer_left(struct wk_cxx_out *o, struct wk_cxx_node *n)
{
	if (is_objc_id(n->a)) {
		add_between(o, "id<", n->a->text, ">");
		return;
	}
	print_before_sign(o, n->a);
	add(o, "*");
}

static void pointer_right(struct wk_cxx_out *o, struct wk_cxx_node *n)
{
	if (!is_objc_id(n->a))
		print_after_sign(o, n->a);
}

/* The argument of a template parameter; NULL if none is known. */
static struct wk_cxx_node *stood_for(struct wk_cxx_out *o, struct wk_cxx_node *n)
{
	while (n && (n->kind == WK_CXX_FORWARD || n->kind == WK_CXX_PACK)) {
		if (++o->steps > WK_CXX_PRINT_STEPS)
			return NULL;
		n = n->kind == WK_CXX_FORWARD ? n->a : pack_element(o, n);
	}
	return n;
}

/* References to references collapse into one: & unless all are &&. NULL if the chain never ends,
 * which forward references can cause. */
static struct wk_cxx_node *collapse(struct wk_cxx_out *o, const struct wk_cxx_node *n,
				    bool *is_rvalue)
{
	struct wk_cxx_node *pointee = n->a;

	*is_rvalue = n->flag;
	for (;;) {
		struct wk_cxx_node *meant = stood_for(o, pointee);

		if (++o->steps > WK_CXX_PRINT_STEPS)
			return NULL;
		if (!meant || meant->kind != WK_CXX_REFERENCE)
			return pointee;
		*is_rvalue = *is_rvalue && meant->flag;
		pointee = meant->a;
	}
}

static void print_reference(struct wk_cxx_out *o, struct wk_cxx_node *n, bool is_left)
{
	struct wk_cxx_node *pointee;
	bool is_rvalue;

	if (n->busy)
		return;
	n->busy = true;
	pointee = collapse(o, n, &is_rvalue);
	if (pointee && is_left) {
		print_before_sign(o, pointee);
		add(o, is_rvalue ? "&&" : "&");
	} else if (pointee) {
		print_after_sign(o, pointee);
	}
	n->busy = false;
}

static void reference_left(struct wk_cxx_out *o, struct wk_cxx_node *n)
{
	print_reference(o, n, true);
}

static void reference_right(struct wk_cxx_out *o, struct wk_cxx_node *n)
{
	print_reference(o, n, false);
}

static void member_pointer_left(struct wk_cxx_out *o, struct wk_cxx_node *n)
{
	bool wants_paren = has_aspect(o, n->b, IS_ARRAY) || has_aspect(o, n->b, IS_FUNCTION);

	print_left(o, n->b);
	add(o, wants_paren ? "(" : " ");
	wk_cxx_print(o, n->a);
	add(o, "::*");
}

static void member_pointer_right(struct wk_cxx_out *o, struct wk_cxx_node *n)
{
	print_after_sign(o, n->b);
}

static void qualified_left(struct wk_cxx_out *o, struct wk_cxx_node *n)
{
	print_left(o, n->a);
	print_quals(o, n->quals);
}

static void right_of_a(struct wk_cxx_out *o, struct wk_cxx_node *n)
{
	print_right(o, n->a);
}

static void left_of_a(struct wk_cxx_out *o, struct wk_cxx_node *n)
{
	print_left(o, n->a);
}

static void print_vendor_qualified(struct wk_cxx_out *o, struct wk_cxx_node *n)
{
	wk_cxx_print(o, n->a);
	add_between(o, " ", n->text, "");
	wk_cxx_print_after(o, "", n->b);
}

static void print_objc_protocol(struct wk_cxx_out *o, struct wk_cxx_node *n)
{
	wk_cxx_print(o, n->a);
	add_between(o, "<", n->text, ">");
}

static void array_right(struct wk_cxx_out *o, struct wk_cxx_node *n)
{
	if (!wk_str_ends(wk_buf_str(&o->text), "]"))
		add(o, " ");
	wk_cxx_open(o, '[');
	wk_cxx_print_after(o, "", n->b);
	wk_cxx_close(o, ']');
	print_right(o, n->a);
}

static void print_vector(struct wk_cxx_out *o, struct wk_cxx_node *n)
{
	wk_cxx_print(o, n->a);
	add(o, " vector[");
	wk_cxx_print_after(o, "", n->b);
	add(o, "]");
}

/* Template parameters: follows forward references and packs to their target. */

static void print_meant(struct wk_cxx_out *o, struct wk_cxx_node *n, wk_cxx_printer *half)
{
	struct wk_cxx_node *meant = n->kind == WK_CXX_PACK ? pack_element(o, n) : n->a;

	if (n->busy || !meant)
		return;
	n->busy = true;
	half(o, meant);
	n->busy = false;
}

static void meant_left(struct wk_cxx_out *o, struct wk_cxx_node *n)
{
	print_meant(o, n, print_left);
}

static void meant_right(struct wk_cxx_out *o, struct wk_cxx_node *n)
{
	print_meant(o, n, print_right);
}

/* The pattern once for each element of the pack within it; "..." if there is no pack, as for
 * function parameters. */
static void print_expansion(struct wk_cxx_out *o, struct wk_cxx_node *n)
{
	size_t pack_at = o->pack_at, pack_size = o->pack_size, start = o->text.len;

	o->pack_at = o->pack_size = SIZE_MAX;
	wk_cxx_print(o, n->a);
	if (o->pack_size == SIZE_MAX)
		add(o, "...");
	else if (o->pack_size == 0)
		rewind_to(o, start);
	else
		for (size_t i = 1; i < o->pack_size && !o->bad; i++) {
			add(o, ", ");
			o->pack_at = i;
			wk_cxx_print(o, n->a);
		}
	o->pack_at = pack_at;
	o->pack_size = pack_size;
}

static void decl_type_left(struct wk_cxx_out *o, struct wk_cxx_node *n)
{
	(void)n;
	add(o, "typename ");
}

static void decl_concept_left(struct wk_cxx_out *o, struct wk_cxx_node *n)
{
	wk_cxx_print(o, n->b);
	add(o, " ");
}

static void decl_name_right(struct wk_cxx_out *o, struct wk_cxx_node *n)
{
	wk_cxx_print(o, n->a);
}

static void decl_value_left(struct wk_cxx_out *o, struct wk_cxx_node *n)
{
	print_left(o, n->b);
	if (!has_aspect(o, n->b, HAS_RIGHT))
		add(o, " ");
}

static void decl_value_right(struct wk_cxx_out *o, struct wk_cxx_node *n)
{
	wk_cxx_print(o, n->a);
	print_right(o, n->b);
}

static void decl_template_left(struct wk_cxx_out *o, struct wk_cxx_node *n)
{
	add(o, "template");
	print_args(o, n);
	add(o, " typename ");
}

static void decl_template_right(struct wk_cxx_out *o, struct wk_cxx_node *n)
{
	wk_cxx_print(o, n->a);
	wk_cxx_print_after(o, " requires ", n->b);
}

static void decl_pack_left(struct wk_cxx_out *o, struct wk_cxx_node *n)
{
	print_left(o, n->a);
	add(o, "...");
}

/* Kinds that are not here are expressions, or have no right half. */
static const struct {
	wk_cxx_printer *left, *right;
} printers[WK_CXX_KINDS] = {
	[WK_CXX_NAME] = { print_name, NULL },
	[WK_CXX_STD] = { print_std, NULL },
	[WK_CXX_SCOPED] = { print_scoped, NULL },
	[WK_CXX_FRIEND] = { print_scoped, NULL },
	[WK_CXX_TAGGED] = { print_tagged, NULL },
	[WK_CXX_TEMPLATE] = { print_template, NULL },
	[WK_CXX_ARGS] = { print_args, NULL },
	[WK_CXX_LIST] = { wk_cxx_print_list, NULL },
	[WK_CXX_PACK] = { meant_left, meant_right },
	[WK_CXX_FORWARD] = { meant_left, meant_right },
	[WK_CXX_CTOR] = { print_ctor, NULL },
	[WK_CXX_DTOR] = { print_ctor, NULL },
	[WK_CXX_PREFIXED] = { print_prefixed, NULL },
	[WK_CXX_SUFFIXED] = { print_suffixed, NULL },
	[WK_CXX_CLONE] = { print_clone, NULL },
	[WK_CXX_IN_VTABLE] = { print_in_vtable, NULL },
	[WK_CXX_MODULE] = { print_module, NULL },
	[WK_CXX_IN_MODULE] = { print_in_module, NULL },
	[WK_CXX_BINDING] = { print_binding, NULL },
	[WK_CXX_UNNAMED] = { print_unnamed, NULL },
	[WK_CXX_CLOSURE] = { print_closure, NULL },
	[WK_CXX_ENCODING] = { encoding_left, encoding_right },
	[WK_CXX_ENABLE_IF] = { print_enable_if, NULL },
	[WK_CXX_POINTER] = { pointer_left, pointer_right },
	[WK_CXX_REFERENCE] = { reference_left, reference_right },
	[WK_CXX_MEMBER_POINTER] = { member_pointer_left, member_pointer_right },
	[WK_CXX_QUALIFIED] = { qualified_left, right_of_a },
	[WK_CXX_VENDOR_QUALIFIED] = { print_vendor_qualified, NULL },
	[WK_CXX_OBJC_PROTOCOL] = { print_objc_protocol, NULL },
	[WK_CXX_ARRAY] = { left_of_a, array_right },
	[WK_CXX_FUNCTION] = { function_left, function_right },
	[WK_CXX_VECTOR] = { print_vector, NULL },
	[WK_CXX_EXPANSION] = { print_expansion, NULL },
	[WK_CXX_DECL_TYPE] = { decl_type_left, decl_name_right },
	[WK_CXX_DECL_CONCEPT] = { decl_concept_left, decl_name_right },
	[WK_CXX_DECL_VALUE] = { decl_value_left, decl_value_right },
	[WK_CXX_DECL_TEMPLATE] = { decl_template_left, decl_template_right },
	[WK_CXX_DECL_PACK] = { decl_pack_left, right_of_a },
};

static void print_left(struct wk_cxx_out *o, struct wk_cxx_node *n)
{
	wk_cxx_printer *printer = printers[n->kind].left;

	if (!enter(o))
		return;
	if (!printer)
		printer = wk_cxx_expression_printer(n->kind);
	if (printer)
		printer(o, n);
	leave(o);
}

static void print_right(struct wk_cxx_out *o, struct wk_cxx_node *n)
{
	if (!printers[n->kind].right || !enter(o))
		return;
	printers[n->kind].right(o, n);
	leave(o);
}
