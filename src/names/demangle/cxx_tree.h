/* What both demanglers of C++ names share, Itanium's (cxx.h) and Visual C++'s (msvc.h): the tree
 * that a name is read into, and the tools of their parsers.
 *
 * A parser is sticky: after wk_cxx_fail nothing is left to read, every production returns
 * `nothing`, loops end, and the entry checks `bad` once. Each production reads at least one byte or
 * fails, so the tree has no more nodes than a small multiple of the bytes. All memory is the
 * parser's arena. */
#ifndef WK_NAMES_DEMANGLE_CXX_TREE_H
#define WK_NAMES_DEMANGLE_CXX_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/str.h"

/* What Visual C++ encodes of a function besides its parameters. */
struct wk_msvc_function {
	uint16_t traits; /* WK_MSVC_PRIVATE and the like */
	char convention; /* its letter, or 0 */
	char reference;  /* G: &, H: && */
	bool is_variadic, is_noexcept;
};

struct wk_cxx_node {
	uint8_t kind; /* enum wk_cxx_kind or wk_msvc_kind, which say what the rest is */
	uint8_t binding;
	uint8_t quals;
	bool flag;
	bool busy; /* the printer is inside it: a cycle of forward references ends here */
	struct wk_msvc_function fn;
	uint32_t index;
	struct wk_str text;
	struct wk_cxx_node *a, *b;
	union {
		struct {
			struct wk_cxx_node *c, *d;
		};
		struct wk_str whole; /* Visual C++: all of it in full form, if that was printed */
	};
	struct wk_cxx_node **list;
	size_t count;
};

/* A growing array in the arena. */
struct wk_cxx_list {
	struct wk_cxx_node **at;
	size_t count, cap;
};

/* The template parameters of the encodings, lambdas and template template parameters around the
 * current position, outermost first, from `base` on: an encoding begins with none. NULL is a level
 * whose parameters have no names of their own (`auto`). */
struct wk_cxx_levels {
	struct wk_cxx_list **at;
	size_t base, count, cap;
};

/* Visual C++: what the digits 0 to 9 refer to. Template arguments have separate numbers. */
struct wk_msvc_seen {
	struct wk_cxx_node *names[10], *params[10];
	size_t name_count, param_count;
};

struct wk_msvc_out;

struct wk_cxx {
	const char *at, *end;
	bool bad;
	unsigned depth, most_depth; /* productions within each other */
	struct wk_arena arena;
	struct wk_cxx_list pile; /* the lists being read, one on top of another */
	struct wk_cxx_node nothing;
	struct wk_cxx_node *builtins[26]; /* types of one letter, as far as they were seen */

	/* Itanium. */
	bool forward_ok;     /* T_ may mean an argument that comes later: conversion operators */
	bool local_closure;  /* a closure that follows belongs to the function just named */
	bool args_elsewhere; /* template arguments after T_ or S_ belong to an outer name */
	bool constraint;     /* parameters are shown by number: their levels are not all known */
	bool gcc_scopes;     /* sr <type> <name>, as the ABI first had it and gcc still does */
	bool scopes_seen;    /* the name would read otherwise with `gcc_scopes` */
	unsigned second_readings;
	size_t lambda_level;     /* T_ beyond the named parameters at this level is auto */
	unsigned made_up[3];     /* names invented for template parameters: $T, $N, $TT */
	struct wk_cxx_list subs; /* the substitutions S_, S0_ ... */
	struct wk_cxx_list forwards;
	struct wk_cxx_levels levels;

	/* Visual C++. */
	struct wk_msvc_seen seen;
	struct wk_msvc_out *out;
	struct wk_buf words;
};

typedef struct wk_cxx_node *wk_cxx_production(struct wk_cxx *p);

struct wk_cxx_node *wk_cxx_fail(struct wk_cxx *p);
bool wk_cxx_accept_whole(struct wk_cxx *p, const char *text);
/* Passes over `c` or fails. */
void wk_cxx_need(struct wk_cxx *p, char c);
/* False once `stop` was passed over, or nothing is left (then it fails). */
bool wk_cxx_until(struct wk_cxx *p, char stop);
struct wk_cxx_node *wk_cxx_node(struct wk_cxx *p, uint8_t kind);
struct wk_cxx_node *wk_cxx_text(struct wk_cxx *p, uint8_t kind, struct wk_str text,
				struct wk_cxx_node *a);
struct wk_cxx_node *wk_cxx_wrap(struct wk_cxx *p, uint8_t kind, const char *text,
				struct wk_cxx_node *a);
struct wk_cxx_node *wk_cxx_pair(struct wk_cxx *p, uint8_t kind, struct wk_cxx_node *a,
				struct wk_cxx_node *b);
void wk_cxx_push(struct wk_cxx *p, struct wk_cxx_list *list, struct wk_cxx_node *node);
/* Moves the stack entries from `begin` on into the node's list. */
void wk_cxx_collect(struct wk_cxx *p, size_t begin, struct wk_cxx_node *node);

/* Reads items up to `stop` into the node's list. */
struct wk_cxx_node *wk_cxx_items(struct wk_cxx *p, struct wk_cxx_node *node, char stop,
				 wk_cxx_production *item);
/* Appends the printed name; false if it is empty or there is no space for it. */
bool wk_cxx_deliver(const struct wk_buf *text, struct wk_buf *out);

static inline char wk_cxx_peek(const struct wk_cxx *p, size_t ahead)
{
	return ahead < (size_t)(p->end - p->at) ? p->at[ahead] : '\0';
}

static inline bool wk_cxx_enter(struct wk_cxx *p)
{
	if (++p->depth > p->most_depth)
		wk_cxx_fail(p);
	return !p->bad;
}

static inline void wk_cxx_leave(struct wk_cxx *p)
{
	p->depth--;
}

static inline bool wk_cxx_accept(struct wk_cxx *p, char c)
{
	if (p->at == p->end || *p->at != c)
		return false;
	p->at++;
	return true;
}

/* Usually something else is here. */
static inline bool wk_cxx_accept_text(struct wk_cxx *p, const char *text)
{
	return wk_cxx_peek(p, 0) == *text && wk_cxx_accept_whole(p, text);
}

/* One production within another. */
static inline struct wk_cxx_node *wk_cxx_nested(struct wk_cxx *p, wk_cxx_production *production)
{
	struct wk_cxx_node *node = &p->nothing;

	if (wk_cxx_enter(p))
		node = production(p);
	wk_cxx_leave(p);
	return node;
}

static inline bool wk_cxx_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

#endif
