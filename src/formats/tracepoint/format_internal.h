/* What the parts of the tracepoint formats share.
 *
 * trace_format.c finds descriptions and their fields; trace_format_parse.c makes a program of
 * nodes from a `print fmt`; trace_format_eval.c says what a node is worth for one sample's bytes;
 * trace_format_print.c writes the text. Nodes name each other by their numbers, 0 is none. An
 * operand was made before its operator and is less deep than WK_TRACE_DEPTH allows, so walking a
 * tree recurses so far and no farther. */
#ifndef WK_FORMATS_TRACEPOINT_FORMAT_INTERNAL_H
#define WK_FORMATS_TRACEPOINT_FORMAT_INTERNAL_H

#include "base/arena.h"
#include "base/map.h"
#include "formats/tracepoint/format.h"

#define WK_TRACE_DEPTH     100
#define WK_TRACE_MOST_TEXT (1u << 16) /* of one sample */

/* What the text of one sample may cost: of a small sample, and more for each byte of it. A step is
 * a node reckoned with, an entry of a list compared, a byte written. Real ones take some hundreds
 * of steps and have some hundreds of bytes. */
#define WK_TRACE_STEPS      4096
#define WK_TRACE_BYTE_STEPS 16
#define WK_TRACE_LEAST_TEXT (1u << 14)
#define WK_TRACE_BYTE_TEXT  8

enum wk_trace_node_kind {
	WK_TRACE_NUMBER, /* with a `text`: a name of the kernel's that nobody explained */
	WK_TRACE_TEXT,
	WK_TRACE_FIELD,
	WK_TRACE_CAST,     /* `text` is the type, `a` what is cast */
	WK_TRACE_UNARY,    /* `op`, `a` */
	WK_TRACE_BINARY,   /* `op`, `a`, `b` */
	WK_TRACE_CHOICE,   /* a ? b : c */
	WK_TRACE_INDEX,    /* a[b] */
	WK_TRACE_FLAGS,    /* `a`, `text` between them, `b` the first entry */
	WK_TRACE_SYMBOLIC, /* `a`, its `number` of symbols from `c` on */
	WK_TRACE_ENTRY,    /* `number`, `text`, `next` */
	WK_TRACE_HEX,      /* `a` where, `b` how many */
	WK_TRACE_HEX_PLAIN,
	WK_TRACE_NUMBERS, /* `a` where, `b` how many, `c` of how many bytes each */
	WK_TRACE_STRING,  /* these stand for what a __data_loc field points at */
	WK_TRACE_DYNAMIC,
	WK_TRACE_DYNAMIC_LENGTH,
	WK_TRACE_BITMASK,
	WK_TRACE_SOCKADDR,
};

/* Operators of two characters. */
enum {
	WK_TRACE_SHIFT_LEFT = 128,
	WK_TRACE_SHIFT_RIGHT,
	WK_TRACE_EQUAL,
	WK_TRACE_UNEQUAL,
	WK_TRACE_AT_MOST,
	WK_TRACE_AT_LEAST,
	WK_TRACE_AND,
	WK_TRACE_OR,
};

struct wk_trace_node {
	uint8_t kind, op, depth;
	uint32_t a, b, c, next;
	uint64_t number;
	struct wk_str text;
	const struct wk_trace_field *field;
};

struct wk_trace_symbol {
	uint64_t value;
	struct wk_str text;
};

struct wk_trace_program {
	bool is_made, is_good;
	struct wk_str text; /* inside the quotes, escapes and all */
	struct wk_trace_node *nodes;
	size_t count, cap;
	uint32_t arguments;              /* the first, the others by `next` */
	struct wk_trace_symbol *symbols; /* of every list by value, those of one value in order */
	size_t symbol_count, symbol_cap;
};

struct wk_trace_event {
	struct wk_trace_format format;
	struct wk_str description;
	bool is_parsed;
	struct wk_trace_program program;
};

struct wk_trace_function {
	uint64_t start;
	struct wk_str name;
};

struct wk_trace_formats {
	uint8_t *content;
	struct wk_arena arena;
	bool big_endian;
	unsigned long_bytes;
	struct wk_trace_event *events;
	size_t count, cap;
	struct wk_map event_of_id; /* to index + 1 */
	uint64_t steps;            /* that the text of this sample may still take */
	struct wk_str kallsyms, printk;
	struct wk_map printk_at; /* of an address to where its line is in `printk`, + 1 */
	bool has_printk;
	struct wk_trace_function *functions; /* by start; made at the first question */
	size_t function_count;
	bool has_functions;
	struct wk_trace_namer namer;
};

/* trace_format.c */

const struct wk_trace_field *wk_trace_find_field(const struct wk_trace_format *format,
						 struct wk_str name);
/* A pointer of the kernel's table of trace_printk texts; false where it is none. */
bool wk_trace_find_printk(struct wk_trace_formats *formats, uint64_t address, struct wk_str *text);
bool wk_trace_find_function(struct wk_trace_formats *formats, uint64_t address, struct wk_str *name,
			    uint64_t *start);

/* trace_format_parse.c: makes the program of `event`, whose fields are known. */
void wk_trace_compile(struct wk_trace_formats *formats, struct wk_trace_event *event);

/* trace_format_eval.c */

/* One sample being printed. */
struct wk_trace_sample {
	struct wk_trace_formats *formats;
	const struct wk_trace_event *event;
	struct wk_bytes raw; /* at its start, with the byte order */
};

/* False, for good, when the sample's steps are used up. */
static inline bool wk_trace_step(const struct wk_trace_sample *sample, uint64_t steps)
{
	uint64_t *left = &sample->formats->steps;

	*left = *left > steps ? *left - steps : 0;
	return *left > 0;
}

/* A number of 1, 2, 4 or 8 bytes anywhere in the sample; 0 outside. */
uint64_t wk_trace_read(const struct wk_trace_sample *sample, uint64_t offset, uint64_t size);
/* The bytes of a field or, where it is dynamic, those it points at. */
struct wk_bytes wk_trace_field_bytes(const struct wk_trace_sample *sample,
				     const struct wk_trace_field *field);
uint64_t wk_trace_number(const struct wk_trace_sample *sample, uint32_t node);
/* How many bytes a number of this C type has; 0 where it is not known. */
unsigned wk_trace_type_bytes(struct wk_str type, unsigned long_bytes);
/* The node behind casts. */
const struct wk_trace_node *wk_trace_uncast(const struct wk_trace_program *program, uint32_t node);

/* trace_format_text.c: what %s and the like write. */
void wk_trace_text(const struct wk_trace_sample *sample, uint32_t node, struct wk_buf *out);
void wk_trace_fields_text(const struct wk_trace_sample *sample, struct wk_buf *out);

/* trace_format_address.c: network addresses and the like behind %pM, %pI4, %pIS, %pU, %ph, from the
 * letter on; how many letters that took, 0 where it is none of these. */
size_t wk_trace_address_text(const struct wk_trace_sample *sample, struct wk_str letters,
			     uint32_t node, struct wk_buf *out);

/* AF_INET or AF_INET6 with port, as the kernel lays them out. */
void wk_trace_sockaddr_text(struct wk_bytes address, bool has_port, struct wk_buf *out);

#endif
