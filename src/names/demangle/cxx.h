/* Inside the Itanium C++ demangler: the parser, the tree (cxx_tree.h), the printer.
 *
 *	cxx.c             the entry, encodings and special names, small parser functions
 *	cxx_name.c        names, template arguments and parameters, substitutions
 *	cxx_type.c        types
 *	cxx_expr.c        expressions, literals, constraints
 *	cxx_print.c       the tree as text
 *	cxx_print_expr.c  its expressions
 *
 * Productions are those of the Itanium C++ ABI, section 5.1; the text is LLVM's style. The tree may
 * share nodes (substitutions), so the printer counts its own steps. */
#ifndef WK_NAMES_DEMANGLE_CXX_H
#define WK_NAMES_DEMANGLE_CXX_H

#include "names/demangle/cxx_tree.h"

/* Productions within each other, nodes within each other while printing, and how many nodes are
 * printed in all: names that compilers make print fewer than their text has bytes. */
#define WK_CXX_PARSE_DEPTH 1024
#define WK_CXX_PRINT_DEPTH 2048
#define WK_CXX_PRINT_STEPS 80000
/* The number of places in one name at which the grammar is ambiguous and a second reading may be
 * tried. */
#define WK_CXX_SECOND_READINGS 8

enum wk_cxx_kind {
	WK_CXX_NAME,             /* text; index: of a lambda's generic parameter, from 1 */
	WK_CXX_STD,              /* `index` into wk_cxx_std; flag: written in full */
	WK_CXX_SCOPED,           /* a::b */
	WK_CXX_FRIEND,           /* a::friend b */
	WK_CXX_TAGGED,           /* a[abi:text] */
	WK_CXX_TEMPLATE,         /* a, then b: its arguments */
	WK_CXX_ARGS,             /* <list> */
	WK_CXX_LIST,             /* list, with commas */
	WK_CXX_PACK,             /* list, of which an expansion picks one at a time */
	WK_CXX_FORWARD,          /* a: the argument, once it is known; index: which */
	WK_CXX_CTOR,             /* the last name of a */
	WK_CXX_DTOR,             /* ~, the last name of a */
	WK_CXX_PREFIXED,         /* text a */
	WK_CXX_SUFFIXED,         /* a text */
	WK_CXX_CLONE,            /* a (text) */
	WK_CXX_IN_VTABLE,        /* construction vtable for a-in-b */
	WK_CXX_MODULE,           /* a, then . or (flag) :, then text */
	WK_CXX_IN_MODULE,        /* a@b */
	WK_CXX_BINDING,          /* [list] */
	WK_CXX_UNNAMED,          /* the text-th unnamed type */
	WK_CXX_CLOSURE,          /* a: template parameters, list, b and c: requires; text */
	WK_CXX_ENCODING,         /* a: return type, b: name, list, c: enable_if, d: requires */
	WK_CXX_ENABLE_IF,        /* list */
	WK_CXX_POINTER,          /* to a */
	WK_CXX_REFERENCE,        /* to a; flag: && */
	WK_CXX_MEMBER_POINTER,   /* class a, member b */
	WK_CXX_QUALIFIED,        /* a quals */
	WK_CXX_VENDOR_QUALIFIED, /* a text b */
	WK_CXX_OBJC_PROTOCOL,    /* a<text> */
	WK_CXX_ARRAY,            /* of a, b: how many */
	WK_CXX_FUNCTION,         /* a: return type, list, quals, b: exceptions */
	WK_CXX_VECTOR,           /* of a, b: how many */
	WK_CXX_EXPANSION,        /* a... */
	WK_CXX_DECL_TYPE,        /* template parameters: typename a */
	WK_CXX_DECL_CONCEPT,     /* b a */
	WK_CXX_DECL_VALUE,       /* of type b, named a */
	WK_CXX_DECL_TEMPLATE,    /* template<list> typename a, b: requires */
	WK_CXX_DECL_PACK,        /* a... */
	WK_CXX_ENCLOSED,         /* text(a) */
	WK_CXX_BINARY,           /* a text b */
	WK_CXX_UNARY,            /* text a */
	WK_CXX_POSTFIX,          /* a text */
	WK_CXX_INDEX,            /* a[b] */
	WK_CXX_CONDITIONAL,      /* a ? b : c */
	WK_CXX_MEMBER,           /* a text b */
	WK_CXX_SUBOBJECT,        /* of type a in b at text */
	WK_CXX_CAST,             /* text<a>(b) */
	WK_CXX_CALL,             /* a(list); flag: (a)(list) */
	WK_CXX_NEW,              /* of type a, b: placement, c: initialiser; text: new or new[] */
	WK_CXX_CONVERSION,       /* (a)(list) */
	WK_CXX_INIT_LIST,        /* a{list} */
	WK_CXX_INIT_FIELD,       /* .text a */
	WK_CXX_INIT_INDEX,       /* [a] b, or [a ... c] b */
	WK_CXX_FOLD,             /* of pack a with text, b: the other operand; flag: left */
	WK_CXX_INTEGER,          /* text of type a */
	WK_CXX_ENUMERATOR,       /* (a)text */
	WK_CXX_STRING,           /* a literal of type a */
	WK_CXX_LAMBDA,           /* a literal of type a */
	WK_CXX_REQUIRES,         /* list of requirements, a: parameters */
	WK_CXX_REQUIRES_EXPR,    /* a, b: its constraint; flag: noexcept */
	WK_CXX_REQUIRES_THAT,    /* text a */
	WK_CXX_KINDS
};

/* How tightly an expression binds, tightest first. An expression without an operator is primary. */
enum wk_cxx_binding {
	WK_CXX_PRIMARY,
	WK_CXX_POSTFIXED,
	WK_CXX_UNARIES,
	WK_CXX_CASTS,
	WK_CXX_MEMBERS,
	WK_CXX_PRODUCTS,
	WK_CXX_SUMS,
	WK_CXX_SHIFTS,
	WK_CXX_SPACESHIP,
	WK_CXX_RELATIONS,
	WK_CXX_EQUALITIES,
	WK_CXX_BIT_AND,
	WK_CXX_BIT_XOR,
	WK_CXX_BIT_OR,
	WK_CXX_AND,
	WK_CXX_OR,
	WK_CXX_CHOICE,
	WK_CXX_ASSIGN,
	WK_CXX_COMMA,
	WK_CXX_LOOSEST,
};

enum {
	WK_CXX_CONST = 1,
	WK_CXX_VOLATILE = 2,
	WK_CXX_RESTRICT = 4,
	WK_CXX_LVALUE = 8,  /* member functions: & */
	WK_CXX_RVALUE = 16, /* && */
};

/* What a name determines for the encoding that it begins. */
struct wk_cxx_named {
	bool returnless; /* constructor, destructor, conversion: no return type is encoded */
	bool ends_with_args;
	bool explicit_object; /* the first parameter is `this` */
	uint8_t quals;
};

/* An operator's code, its name after "operator", and the form of its expression. */
enum wk_cxx_form {
	WK_CXX_FORM_UNARY,
	WK_CXX_FORM_POSTFIX,
	WK_CXX_FORM_BINARY,
	WK_CXX_FORM_INDEX,
	WK_CXX_FORM_MEMBER,
	WK_CXX_FORM_NEW,
	WK_CXX_FORM_DELETE,
	WK_CXX_FORM_CALL,
	WK_CXX_FORM_CONVERSION,
	WK_CXX_FORM_CONDITIONAL,
	WK_CXX_FORM_NONE, /* can be declared, has no expression code */
	WK_CXX_FORM_CAST, /* from here on: cannot be declared */
	WK_CXX_FORM_DOT,
	WK_CXX_FORM_OF_TYPE,
	WK_CXX_FORM_OF_VALUE,
};

struct wk_cxx_operator {
	char code[3];
	uint8_t form;
	uint8_t binding;
	struct wk_str name;
};

/* The six abbreviations of <substitution>. */
struct wk_cxx_std {
	char letter;
	struct wk_str plain, full, last;
};
extern const struct wk_cxx_std wk_cxx_std[6];

/* cxx.c: the parser's tools. */
/* `node`, behind which an E is needed. */
struct wk_cxx_node *wk_cxx_before_e(struct wk_cxx *p, struct wk_cxx_node *node);
/* Digits, possibly none, after an `n` if a sign is allowed. */
struct wk_str wk_cxx_number(struct wk_cxx *p, bool may_be_negative);
/* Digits as an index; fails if there are none. */
size_t wk_cxx_index(struct wk_cxx *p);
/* <seq-id> without its `_`: base 36. */
size_t wk_cxx_seq_id(struct wk_cxx *p);
struct wk_cxx_node *wk_cxx_word(struct wk_cxx *p, const char *text);
struct wk_str wk_cxx_join(struct wk_cxx *p, struct wk_str head, struct wk_str tail);
void wk_cxx_push_level(struct wk_cxx *p, struct wk_cxx_list *params);
struct wk_cxx_node *wk_cxx_encoding(struct wk_cxx *p);

/* cxx_name.c. `named` may be NULL: then the name belongs to no encoding. */
struct wk_cxx_node *wk_cxx_name(struct wk_cxx *p, struct wk_cxx_named *named);
struct wk_cxx_node *wk_cxx_unscoped(struct wk_cxx *p, struct wk_cxx_named *named, bool *is_sub);
struct wk_str wk_cxx_identifier(struct wk_cxx *p);
struct wk_cxx_node *wk_cxx_source_name(struct wk_cxx *p);
struct wk_cxx_node *wk_cxx_module_name(struct wk_cxx *p, struct wk_cxx_node *module);
struct wk_cxx_node *wk_cxx_operator_name(struct wk_cxx *p, struct wk_cxx_named *named);
struct wk_cxx_node *wk_cxx_unnamed_type(struct wk_cxx *p, const struct wk_cxx_named *named);
struct wk_cxx_node *wk_cxx_template_args(struct wk_cxx *p, bool of_encoding);
struct wk_cxx_node *wk_cxx_template_arg(struct wk_cxx *p);
struct wk_cxx_node *wk_cxx_template_param(struct wk_cxx *p);
struct wk_cxx_node *wk_cxx_substitution(struct wk_cxx *p);
/* `name` with the template arguments that follow, if any do. */
struct wk_cxx_node *wk_cxx_maybe_template(struct wk_cxx *p, struct wk_cxx_node *name);

/* cxx_type.c */
struct wk_cxx_node *wk_cxx_type(struct wk_cxx *p);
struct wk_cxx_node *wk_cxx_decltype(struct wk_cxx *p);
uint8_t wk_cxx_qualifiers(struct wk_cxx *p);

/* cxx_expr.c */
struct wk_cxx_node *wk_cxx_expression(struct wk_cxx *p);
struct wk_cxx_node *wk_cxx_primary(struct wk_cxx *p);
struct wk_cxx_node *wk_cxx_constraint(struct wk_cxx *p);
struct wk_cxx_node *wk_cxx_pack_element(struct wk_cxx *p, struct wk_cxx_node *pattern);
/* The operator whose code comes next, passed over; NULL if there is none. */
const struct wk_cxx_operator *wk_cxx_operator(struct wk_cxx *p);

/* The printer: cxx_print.c and cxx_print_expr.c. */
struct wk_cxx_out {
	struct wk_buf text;
	bool bad;       /* too deep, or too many steps */
	bool as_gnu;    /* in the form of c++filt: "> >", no return types of enclosing functions */
	size_t vain_at; /* the last text written here was removed: see close_angle */
	unsigned steps, depth;
	unsigned parens;           /* 0 where a bare > would end the template arguments */
	size_t pack_at, pack_size; /* which element of each pack is printed; SIZE_MAX: not known */
};

void wk_cxx_print(struct wk_cxx_out *o, struct wk_cxx_node *n);
/* The same behind some text; NULL prints nothing. */
void wk_cxx_print_after(struct wk_cxx_out *o, const char *text, struct wk_cxx_node *n);
void wk_cxx_print_list(struct wk_cxx_out *o, struct wk_cxx_node *n);
/* The same between a pair of brackets. */
void wk_cxx_print_list_in(struct wk_cxx_out *o, const char *brackets, struct wk_cxx_node *n);
/* A closure's template parameters, parameters and constraints. */
void wk_cxx_print_closure_sig(struct wk_cxx_out *o, struct wk_cxx_node *n);
/* In parentheses if it does not bind tighter than `binding` (`loosely`: or as tightly). */
void wk_cxx_print_operand(struct wk_cxx_out *o, struct wk_cxx_node *n, enum wk_cxx_binding binding,
			  bool loosely);
void wk_cxx_open(struct wk_cxx_out *o, char paren);
void wk_cxx_close(struct wk_cxx_out *o, char paren);

typedef void wk_cxx_printer(struct wk_cxx_out *o, struct wk_cxx_node *n);
/* How to print each kind of expression; NULL for kinds that are none. */
wk_cxx_printer *wk_cxx_expression_printer(enum wk_cxx_kind kind);

#endif
