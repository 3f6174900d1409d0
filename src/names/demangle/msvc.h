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
 * that of llvm-undname. The tree (cxx_tree.h) may share nodes (back references), so printing has a
 * budget of steps and of bytes. It is one budget for the name, because names of templates and
 * enclosing functions are printed while they are read: later ones refer back to their text. */
#ifndef WK_NAMES_DEMANGLE_MSVC_H
#define WK_NAMES_DEMANGLE_MSVC_H

#include "names/demangle/cxx_tree.h"

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

/* msvc_name.c: names. */
/* A lasting copy of the text in `words`, which is emptied. */
struct wk_str wk_msvc_words(struct wk_cxx *p);

/* A number; fails if there is none. */
uint64_t wk_msvc_number(struct wk_cxx *p, bool *is_negative);
uint64_t wk_msvc_unsigned(struct wk_cxx *p);
int64_t wk_msvc_signed(struct wk_cxx *p);

/* From here on digits may refer to the part's text. */
void wk_msvc_remember(struct wk_cxx *p, struct wk_cxx_node *part);
/* The first part of a type's name, and the whole: A@B@@ is B::A. */
struct wk_cxx_node *wk_msvc_type_part(struct wk_cxx *p);
struct wk_cxx_node *wk_msvc_type_name(struct wk_cxx *p);
struct wk_cxx_node *wk_msvc_symbol_name(struct wk_cxx *p);
/* The scopes around `part`, up to the '@' that ends them. */
struct wk_cxx_node *wk_msvc_scopes(struct wk_cxx *p, struct wk_cxx_node *part);
/* A name that is one part. */
struct wk_cxx_node *wk_msvc_name_of(struct wk_cxx *p, struct wk_cxx_node *part);
struct wk_cxx_node *wk_msvc_last_part(struct wk_cxx_node *name);

/* msvc_args.c: into the part's list, up to the '@' that ends them. */
void wk_msvc_template_args(struct wk_cxx *p, struct wk_cxx_node *part);

/* msvc_type.c */
struct wk_cxx_node *wk_msvc_type(struct wk_cxx *p);
/* With qualifiers in front: always, or behind a '?'. */
struct wk_cxx_node *wk_msvc_qualified_type(struct wk_cxx *p);
struct wk_cxx_node *wk_msvc_result_type(struct wk_cxx *p);
struct wk_cxx_node *wk_msvc_function_type(struct wk_cxx *p, bool has_this);
uint8_t wk_msvc_qualifiers(struct wk_cxx *p, bool *of_member);
uint8_t wk_msvc_extended_qualifiers(struct wk_cxx *p);
char wk_msvc_convention(struct wk_cxx *p);

/* msvc.c */
struct wk_cxx_node *wk_msvc_symbol(struct wk_cxx *p);

/* msvc_string.c: behind ??_C */
struct wk_cxx_node *wk_msvc_string(struct wk_cxx *p);

/* msvc_print.c: the node as text, valid until the next call; false if it is over
 * the budget. */
bool wk_msvc_print(struct wk_msvc_out *o, const struct wk_cxx_node *node, enum wk_msvc_form form);

#endif
