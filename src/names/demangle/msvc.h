/* Inside the Visual C++ demangler: the parser, the tree, the printer.
 *
 *	msvc.c         the entry, symbols: functions, variables, tables, guards
 *	msvc_name.c    names, their scopes, back references, numbers
 *	msvc_args.c    template arguments
 *	msvc_type.c    types
 *	msvc_string.c  string literals (??_C)
 *	msvc_print.c   the tree as text
 *
 * The grammar is not published; docs/formats/msvc-names.md has what is known of it. The text is
 * that of llvm-undname. The parser is sticky: after wk_msvc_fail nothing is left to read, every
 * production returns `nothing`, loops end, and the entry checks `bad` once. Each production reads
 * at least one byte or fails, so the tree has no more nodes than a small multiple of the bytes; it
 * may share nodes (back references), so printing has a budget of steps and of bytes. It is one
 * budget for the name, because names of templates and enclosing functions are printed while they
 * are read: later ones refer back to their text. All memory is the parser's arena. */
#ifndef WK_NAMES_DEMANGLE_MSVC_H
#define WK_NAMES_DEMANGLE_MSVC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/str.h"

/* Productions within each other, nodes within each other while printing, and how many nodes and
 * bytes are printed in all: names that compilers make need a small part of it. */
#define WK_MSVC_PARSE_DEPTH 256
#define WK_MSVC_PRINT_DEPTH 1024
#define WK_MSVC_PRINT_STEPS 80000
#define WK_MSVC_PRINT_BYTES (1024 * 1024)

enum wk_msvc_kind {
	/* Parts of a name. With template arguments `list` is not NULL. */
	WK_MSVC_NAME,       /* text, list */
	WK_MSVC_STRUCTOR,   /* flag: ~, then the name of class a, list */
	WK_MSVC_CONVERSION, /* operator, list, to type a */
	WK_MSVC_DYNAMIC,    /* text: what it does, for variable a, or for the entity named b */

	WK_MSVC_QUALIFIED, /* list of parts, outermost first */

	/* Types. */
	WK_MSVC_PRIMITIVE, /* text */
	WK_MSVC_TAG,       /* text a: class, struct, union, enum */
	WK_MSVC_CUSTOM,    /* a */
	WK_MSVC_POINTER,   /* to a, text: * & &&; b: the class of a member; list[0]: ptrauth */
	WK_MSVC_ARRAY,     /* of a, text: "2][3" */
	WK_MSVC_FUNCTION,  /* a: return type, list: parameters, `fn`; text: of a thunk */

	/* Template arguments that are not types. */
	WK_MSVC_VALUE,     /* text */
	WK_MSVC_REFERENCE, /* to symbol a; text: offsets; flag: & in front */

	/* Symbols. All but strings have a name, b. */
	WK_MSVC_FUNCTION_SYMBOL, /* of type a */
	WK_MSVC_VARIABLE,        /* of type a; text: access, if it is a member */
	WK_MSVC_TABLE,           /* quals b, list: the bases it is for */
	WK_MSVC_STRING,          /* text */
};

enum {
	WK_MSVC_CONST = 1,
	WK_MSVC_VOLATILE = 2,
	WK_MSVC_RESTRICT = 4,
	WK_MSVC_UNALIGNED = 8,
};

/* The properties of a function besides its type. */
enum {
	WK_MSVC_PRIVATE = 1,
	WK_MSVC_PROTECTED = 2,
	WK_MSVC_PUBLIC = 4,
	WK_MSVC_GLOBAL = 8,
	WK_MSVC_STATIC = 16,
	WK_MSVC_VIRTUAL = 32,
	WK_MSVC_EXTERN_C = 64,
	WK_MSVC_NO_PARAMETERS = 128, /* they are not encoded */
	WK_MSVC_THUNK = 256,
	WK_MSVC_ADJUSTS = 512,    /* `this`, by a constant */
	WK_MSVC_DISPLACES = 1024, /* `this`, by an offset in the object */
	WK_MSVC_DISPLACES_EX = 2048,
};

struct wk_msvc_function {
	uint16_t traits;
	char convention; /* its letter, or 0 */
	char reference;  /* G: &, H: && */
	bool is_variadic, is_noexcept;
};

struct wk_msvc_node {
	uint8_t kind;
	uint8_t quals;
	bool flag;
	struct wk_msvc_function fn;
	struct wk_str text;
	struct wk_str whole; /* all of it in full form, if it was printed already */
	struct wk_msvc_node *a, *b;
	struct wk_msvc_node **list;
	size_t count;
};

/* A growing array in the arena. */
struct wk_msvc_list {
	struct wk_msvc_node **at;
	size_t count, cap;
};

/* What the digits 0 to 9 refer to. Template arguments have separate numbers. */
struct wk_msvc_seen {
	struct wk_msvc_node *names[10], *params[10];
	size_t name_count, param_count;
};

/* How much of a symbol is printed. SHORT omits access, static and virtual, calling conventions,
 * return types and types of variables. */
enum wk_msvc_form {
	WK_MSVC_FULL,
	WK_MSVC_NO_CONVENTION,
	WK_MSVC_SHORT,
};

struct wk_msvc_out {
	struct wk_buf text;
	enum wk_msvc_form form;
	unsigned steps, depth;
	size_t bytes; /* of the text printed before */
	bool bad;     /* too deep, too many steps, too much text */
};

struct wk_msvc {
	const char *at, *end;
	bool bad;
	unsigned depth;
	struct wk_arena arena;
	struct wk_msvc_seen seen;
	struct wk_msvc_node *letters[26]; /* types of one letter, as parameters */
	struct wk_msvc_list pile;         /* the lists being read, one on top of another */
	struct wk_msvc_out out;
	struct wk_buf words;
	struct wk_msvc_node nothing;
};

/* msvc_name.c: the parser's tools, and names. */
struct wk_msvc_node *wk_msvc_fail(struct wk_msvc *p);
bool wk_msvc_enter(struct wk_msvc *p);
void wk_msvc_leave(struct wk_msvc *p);
bool wk_msvc_accept(struct wk_msvc *p, char c);
bool wk_msvc_accept_whole(struct wk_msvc *p, const char *text);
/* Passes over `c` or fails. */
void wk_msvc_need(struct wk_msvc *p, char c);
/* False once `stop` was passed over, or nothing is left (then it fails). */
bool wk_msvc_until(struct wk_msvc *p, char stop);
struct wk_msvc_node *wk_msvc_node(struct wk_msvc *p, enum wk_msvc_kind kind);
struct wk_msvc_node *wk_msvc_text(struct wk_msvc *p, enum wk_msvc_kind kind, struct wk_str text);
struct wk_msvc_node *wk_msvc_word(struct wk_msvc *p, enum wk_msvc_kind kind, const char *text);
/* A lasting copy of the text in `words`, which is emptied. */
struct wk_str wk_msvc_words(struct wk_msvc *p);
void wk_msvc_push(struct wk_msvc *p, struct wk_msvc_node *node);
/* Moves the stack entries from `begin` on into the node's list. */
void wk_msvc_collect(struct wk_msvc *p, size_t begin, struct wk_msvc_node *node);

/* A number; fails if there is none. */
uint64_t wk_msvc_number(struct wk_msvc *p, bool *is_negative);
uint64_t wk_msvc_unsigned(struct wk_msvc *p);
int64_t wk_msvc_signed(struct wk_msvc *p);

/* From here on digits may refer to the part's text. */
void wk_msvc_remember(struct wk_msvc *p, struct wk_msvc_node *part);
/* The first part of a type's name, and the whole: A@B@@ is B::A. */
struct wk_msvc_node *wk_msvc_type_part(struct wk_msvc *p);
struct wk_msvc_node *wk_msvc_type_name(struct wk_msvc *p);
struct wk_msvc_node *wk_msvc_symbol_name(struct wk_msvc *p);
/* The scopes around `part`, up to the '@' that ends them. */
struct wk_msvc_node *wk_msvc_scopes(struct wk_msvc *p, struct wk_msvc_node *part);
/* A name that is one part. */
struct wk_msvc_node *wk_msvc_name_of(struct wk_msvc *p, struct wk_msvc_node *part);
struct wk_msvc_node *wk_msvc_last_part(struct wk_msvc_node *name);

/* msvc_args.c: into the part's list, up to the '@' that ends them. */
void wk_msvc_template_args(struct wk_msvc *p, struct wk_msvc_node *part);

/* msvc_type.c */
struct wk_msvc_node *wk_msvc_type(struct wk_msvc *p);
/* With qualifiers in front: always, or behind a '?'. */
struct wk_msvc_node *wk_msvc_qualified_type(struct wk_msvc *p);
struct wk_msvc_node *wk_msvc_result_type(struct wk_msvc *p);
struct wk_msvc_node *wk_msvc_function_type(struct wk_msvc *p, bool has_this);
uint8_t wk_msvc_qualifiers(struct wk_msvc *p, bool *of_member);
uint8_t wk_msvc_extended_qualifiers(struct wk_msvc *p);
char wk_msvc_convention(struct wk_msvc *p);

/* msvc.c */
struct wk_msvc_node *wk_msvc_symbol(struct wk_msvc *p);

/* msvc_string.c: behind ??_C */
struct wk_msvc_node *wk_msvc_string(struct wk_msvc *p);

/* msvc_print.c: the node as text, valid until the next call; false if it is over
 * the budget. */
bool wk_msvc_print(struct wk_msvc_out *o, const struct wk_msvc_node *node, enum wk_msvc_form form);

static inline char wk_msvc_peek(const struct wk_msvc *p, size_t ahead)
{
	return ahead < (size_t)(p->end - p->at) ? p->at[ahead] : '\0';
}

/* Usually something else is here. */
static inline bool wk_msvc_accept_text(struct wk_msvc *p, const char *text)
{
	return wk_msvc_peek(p, 0) == *text && wk_msvc_accept_whole(p, text);
}

static inline bool wk_msvc_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

#endif
