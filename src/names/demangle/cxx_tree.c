#include "names/demangle/cxx_tree.h"

struct wk_cxx_node *wk_cxx_fail(struct wk_cxx *p)
{
	p->bad = true;
	p->at = p->end;
	return &p->nothing;
}

bool wk_cxx_accept_whole(struct wk_cxx *p, const char *text)
{
	size_t len = 0, left = (size_t)(p->end - p->at);

	for (; text[len]; len++)
		if (len == left || p->at[len] != text[len])
			return false;
	p->at += len;
	return true;
}

void wk_cxx_need(struct wk_cxx *p, char c)
{
	if (!wk_cxx_accept(p, c))
		wk_cxx_fail(p);
}

bool wk_cxx_until(struct wk_cxx *p, char stop)
{
	if (wk_cxx_accept(p, stop))
		return false;
	if (p->at == p->end)
		wk_cxx_fail(p);
	return !p->bad;
}

struct wk_cxx_node *wk_cxx_node(struct wk_cxx *p, uint8_t kind)
{
	struct wk_cxx_node *node = wk_arena_alloc_zeroed(&p->arena, sizeof(*node));

	node->kind = kind;
	return node;
}

struct wk_cxx_node *wk_cxx_text(struct wk_cxx *p, uint8_t kind, struct wk_str text,
				struct wk_cxx_node *a)
{
	struct wk_cxx_node *node = wk_cxx_node(p, kind);

	node->text = text;
	node->a = a;
	return node;
}

struct wk_cxx_node *wk_cxx_wrap(struct wk_cxx *p, uint8_t kind, const char *text,
				struct wk_cxx_node *a)
{
	return wk_cxx_text(p, kind, wk_str_c(text), a);
}

struct wk_cxx_node *wk_cxx_pair(struct wk_cxx *p, uint8_t kind, struct wk_cxx_node *a,
				struct wk_cxx_node *b)
{
	struct wk_cxx_node *node = wk_cxx_node(p, kind);

	node->a = a;
	node->b = b;
	return node;
}

void wk_cxx_push(struct wk_cxx *p, struct wk_cxx_list *list, struct wk_cxx_node *node)
{
	list->at = wk_arena_grow(&p->arena, list->at, list->count, &list->cap, sizeof(node));
	list->at[list->count++] = node;
}

void wk_cxx_collect(struct wk_cxx *p, size_t begin, struct wk_cxx_node *node)
{
	node->count = p->pile.count - begin;
	node->list = wk_arena_alloc(&p->arena, (node->count + 1) * sizeof(*node->list));
	if (node->count)
		memcpy(node->list, p->pile.at + begin, node->count * sizeof(*node->list));
	p->pile.count = begin;
}

struct wk_cxx_node *wk_cxx_items(struct wk_cxx *p, struct wk_cxx_node *node, char stop,
				 wk_cxx_production *item)
{
	size_t begin = p->pile.count;

	while (wk_cxx_until(p, stop))
		wk_cxx_push(p, &p->pile, item(p));
	wk_cxx_collect(p, begin, node);
	return node;
}

bool wk_cxx_deliver(const struct wk_buf *text, struct wk_buf *out)
{
	size_t len = out->len;
	bool full = out->full;

	if (text->len == 0)
		return false;
	wk_buf_add_str(out, wk_buf_str(text));
	if (out->len - len == text->len)
		return true;
	out->full = full;
	return false;
}
