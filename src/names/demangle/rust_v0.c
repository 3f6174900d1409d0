/* The v0 scheme: RFC 2603 and its additions (constants of every type, pattern types, splatted
 * arguments). One function per production of the grammar, named after it; each writes while it
 * reads, and the tag that selected it has been read already.
 *
 * Three bounds keep hostile names cheap. MAX_DEPTH bounds the C stack. MAX_READS bounds the time:
 * every production reads at least one byte, and a back reference makes bytes be read again, which
 * is how 30 bytes can expand to 2^30. The limit of `out` bounds the rest. After a fault `failed` is
 * set and nothing more can be read, so every loop ends. */
#include "names/demangle/rust.h"

#include "base/text/utf8.h"

#define MAX_DEPTH 500
#define MAX_READS (256 * 1024)

struct v0 {
	struct wk_str name; /* behind the prefix; back references count from here */
	size_t at;
	struct wk_rust_out *out;
	uint64_t lifetimes; /* bound by the binders around this place */
	uint32_t reads;
	uint16_t depth;
	bool with_hash;
};

static void type(struct v0 *p);
static void path(struct v0 *p, bool in_value);
static void constant(struct v0 *p, bool in_value);

static void refuse(struct v0 *p)
{
	p->out->failed = true;
}

static void put(struct v0 *p, const char *text)
{
	wk_rust_put_text(p->out, text);
}

/* The next byte, or NUL at the end and after a fault. */
static char peek(const struct v0 *p)
{
	return !p->out->failed && p->at < p->name.len ? p->name.at[p->at] : '\0';
}

static char take(struct v0 *p)
{
	char c = peek(p);

	if (c == '\0' || ++p->reads > MAX_READS) {
		refuse(p);
		return '\0';
	}
	p->at++;
	return c;
}

static bool read_if(struct v0 *p, char c)
{
	return peek(p) == c && take(p) == c;
}

static bool go_deeper(struct v0 *p)
{
	if (p->depth == MAX_DEPTH)
		refuse(p);
	p->depth++;
	return !p->out->failed;
}

static int base_62_digit(char c)
{
	if (wk_rust_is_digit(c))
		return c - '0';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'Z' ? c - 'A' + 36 : -1;
}

/* <base-62-number>: "_" is 0, "0_" is 1. */
static uint64_t base_62(struct v0 *p)
{
	uint64_t value = 0;

	if (read_if(p, '_'))
		return 0;
	while (!read_if(p, '_')) {
		int digit = base_62_digit(take(p));

		if (digit < 0 || __builtin_mul_overflow(value, 62u, &value) ||
		    __builtin_add_overflow(value, (uint64_t)digit, &value)) {
			refuse(p);
			return 0;
		}
	}
	if (++value == 0)
		refuse(p);
	return value;
}

/* A number behind a tag that may be missing; then it is 0, and all others are one higher. */
static uint64_t optional_62(struct v0 *p, char tag)
{
	uint64_t value;

	if (!read_if(p, tag))
		return 0;
	value = base_62(p) + 1;
	if (value == 0)
		refuse(p);
	return value;
}

static uint64_t disambiguator(struct v0 *p)
{
	return optional_62(p, 's');
}

struct ident {
	struct wk_str text;
	bool is_punycode;
};

/* <undisambiguated-identifier> */
static struct ident identifier(struct v0 *p)
{
	struct ident ident = { .is_punycode = read_if(p, 'u') };
	char c = take(p);
	size_t len = 0;

	if (!wk_rust_is_digit(c))
		refuse(p);
	else
		len = (size_t)(c - '0');
	while (len > 0 && wk_rust_is_digit(peek(p))) {
		len = len * 10 + (size_t)(take(p) - '0');
		if (len > p->name.len)
			refuse(p);
	}
	/* Stands between the length and a name that begins with a digit or underscore. */
	read_if(p, '_');
	if (p->out->failed || len > p->name.len - p->at) {
		refuse(p);
		return ident;
	}
	ident.text = wk_str_of(p->name.at + p->at, len);
	p->at += len;
	/* Punycode without a digit would be plain text. */
	if (ident.is_punycode && (len == 0 || wk_str_ends(ident.text, "_")))
		refuse(p);
	return ident;
}

static void put_identifier(struct v0 *p, struct ident ident)
{
	if (ident.is_punycode)
		wk_rust_put_punycode(p->out, ident.text);
	else
		wk_rust_put(p->out, ident.text);
}

/* After a B: jumps to an earlier position, which must be before the B itself. The caller reads from
 * there and then continues at `resume`. Not done if nothing is written. */
static bool go_back(struct v0 *p, size_t *resume)
{
	size_t tag_at = p->at - 1;
	uint64_t target = base_62(p);

	if (target >= tag_at)
		refuse(p);
	if (p->out->silent || p->out->failed)
		return false;
	*resume = p->at;
	p->at = (size_t)target;
	return true;
}

/* Items up to an E, with a separator between them. */
static size_t list(struct v0 *p, void (*item)(struct v0 *), const char *separator)
{
	size_t count = 0;

	while (!p->out->failed && !read_if(p, 'E')) {
		if (count++ > 0)
			put(p, separator);
		item(p);
	}
	return count;
}

static void list_in(struct v0 *p, const char *open, void (*item)(struct v0 *), const char *close)
{
	put(p, open);
	list(p, item, ", ");
	put(p, close);
}

/* De Bruijn index: 1 is the innermost lifetime bound here, 0 is one without a name. */
static void put_lifetime(struct v0 *p, uint64_t index)
{
	uint64_t rank = p->lifetimes - index;

	if (p->out->silent)
		return;
	if (index > p->lifetimes)
		refuse(p);
	if (index == 0) {
		put(p, "'_");
	} else if (rank < 26) {
		char letter[] = { '\'', (char)('a' + rank), '\0' };

		put(p, letter);
	} else {
		put(p, "'_");
		wk_rust_put_decimal(p->out, rank);
	}
}

/* Opens the scope of the lifetimes of an optional binder; returns their number, which the caller
 * subtracts from `lifetimes` afterwards. */
static uint64_t binder(struct v0 *p)
{
	uint64_t count = optional_62(p, 'G');

	if (p->out->silent || count == 0)
		return 0;
	put(p, "for<");
	for (uint64_t i = 0; i < count && !p->out->failed; i++) {
		if (i > 0)
			put(p, ", ");
		p->lifetimes++;
		put_lifetime(p, 1);
	}
	put(p, "> ");
	return count;
}

static void value(struct v0 *p)
{
	constant(p, true);
}

static void generic_arg(struct v0 *p)
{
	if (read_if(p, 'L'))
		put_lifetime(p, base_62(p));
	else if (read_if(p, 'K'))
		constant(p, false);
	else
		type(p);
}

static void crate_root(struct v0 *p)
{
	uint64_t hash = disambiguator(p);

	put_identifier(p, identifier(p));
	if (p->out->silent || !p->with_hash || hash == 0)
		return;
	put(p, "[");
	wk_rust_put_hex(p->out, hash);
	put(p, "]");
}

/* "::{closure:name#3}" */
static void put_special(struct v0 *p, char space, struct ident ident, uint64_t number)
{
	char other[] = { space, '\0' };

	put(p, "::{");
	put(p, space == 'C' ? "closure" : space == 'S' ? "shim" : other);
	if (ident.text.len > 0) {
		put(p, ":");
		put_identifier(p, ident);
	}
	put(p, "#");
	wk_rust_put_decimal(p->out, number);
	put(p, "}");
}

static void nested_path(struct v0 *p, bool in_value)
{
	char space = take(p);
	bool is_special = space >= 'A' && space <= 'Z';
	struct ident ident;
	uint64_t number;

	if (!is_special && !(space >= 'a' && space <= 'z'))
		refuse(p);
	path(p, in_value);
	number = disambiguator(p);
	ident = identifier(p);
	if (is_special) {
		put_special(p, space, ident, number);
	} else if (ident.text.len > 0) {
		put(p, "::");
		put_identifier(p, ident);
	}
}

/* The location of an impl is part of its symbol, but not of its readable name. */
static void skip_impl_path(struct v0 *p)
{
	disambiguator(p);
	p->out->silent++;
	path(p, false);
	p->out->silent--;
}

static void self_type(struct v0 *p, bool of_trait)
{
	put(p, "<");
	type(p);
	if (of_trait) {
		put(p, " as ");
		path(p, false);
	}
	put(p, ">");
}

static void generic_path(struct v0 *p, bool in_value)
{
	path(p, in_value);
	list_in(p, in_value ? "::<" : "<", generic_arg, ">");
}

static void path(struct v0 *p, bool in_value)
{
	size_t resume;
	char tag;

	if (!go_deeper(p))
		return;
	tag = take(p);
	switch (tag) {
	case 'C':
		crate_root(p);
		break;
	case 'N':
		nested_path(p, in_value);
		break;
	case 'M':
	case 'X':
		skip_impl_path(p);
		self_type(p, tag == 'X');
		break;
	case 'Y':
		self_type(p, true);
		break;
	case 'I':
		generic_path(p, in_value);
		break;
	case 'B':
		if (go_back(p, &resume)) {
			path(p, in_value);
			p->at = resume;
		}
		break;
	default:
		refuse(p);
	}
	p->depth--;
}

/* A trait's path whose generic arguments, if it has any, are left open for the associated
 * types to join them: true if a '<' awaits its '>'. */
static bool open_path(struct v0 *p)
{
	bool is_open = false;
	size_t resume;

	if (!go_deeper(p))
		return false;
	if (read_if(p, 'B')) {
		if (go_back(p, &resume)) {
			is_open = open_path(p);
			p->at = resume;
		}
	} else if (read_if(p, 'I')) {
		path(p, false);
		put(p, "<");
		list(p, generic_arg, ", ");
		is_open = true;
	} else {
		path(p, false);
	}
	p->depth--;
	return is_open;
}

static void dyn_trait(struct v0 *p)
{
	bool is_open = open_path(p);

	while (read_if(p, 'p')) {
		put(p, is_open ? ", " : "<");
		is_open = true;
		put_identifier(p, identifier(p));
		put(p, " = ");
		if (read_if(p, 'K'))
			constant(p, false);
		else
			type(p);
	}
	if (is_open)
		put(p, ">");
}

static void dyn_type(struct v0 *p)
{
	uint64_t count, lifetime;

	put(p, "dyn ");
	count = binder(p);
	list(p, dyn_trait, " + ");
	p->lifetimes -= count;
	if (!read_if(p, 'L'))
		refuse(p);
	lifetime = base_62(p);
	if (lifetime != 0) {
		put(p, " + ");
		put_lifetime(p, lifetime);
	}
}

static void abi(struct v0 *p)
{
	struct ident ident = { .text = WK_STR("C") };

	if (!read_if(p, 'C'))
		ident = identifier(p);
	if (ident.is_punycode || ident.text.len == 0)
		refuse(p);
	put(p, "extern \"");
	for (size_t i = 0; i < ident.text.len; i++) {
		char c = ident.text.at[i];

		wk_rust_put_char(p->out, (unsigned char)(c == '_' ? '-' : c));
	}
	put(p, "\" ");
}

static void argument(struct v0 *p)
{
	if (read_if(p, 'w'))
		put(p, "#[splat] ");
	type(p);
}

static void function_type(struct v0 *p)
{
	uint64_t count = binder(p);

	if (read_if(p, 'U'))
		put(p, "unsafe ");
	if (read_if(p, 'K'))
		abi(p);
	list_in(p, "fn(", argument, ")");
	if (!read_if(p, 'u')) {
		put(p, " -> ");
		type(p);
	}
	p->lifetimes -= count;
}

/* The restriction of a type, after a W and the type. */
static void pattern(struct v0 *p)
{
	if (!go_deeper(p))
		return;
	switch (take(p)) {
	case 'R':
		constant(p, false);
		put(p, "..=");
		constant(p, false);
		break;
	case 'O':
		list(p, pattern, " | ");
		break;
	case 'N':
		put(p, "!null");
		break;
	default:
		refuse(p);
	}
	p->depth--;
}

static void reference(struct v0 *p, bool is_mutable)
{
	put(p, "&");
	if (read_if(p, 'L')) {
		uint64_t lifetime = base_62(p);

		if (lifetime != 0) {
			put_lifetime(p, lifetime);
			put(p, " ");
		}
	}
	if (is_mutable)
		put(p, "mut ");
	type(p);
}

static void array_type(struct v0 *p, bool has_length)
{
	put(p, "[");
	type(p);
	if (has_length) {
		put(p, "; ");
		value(p);
	}
	put(p, "]");
}

/* A tuple of one has a comma. */
static void tuple(struct v0 *p, void (*item)(struct v0 *))
{
	put(p, "(");
	if (list(p, item, ", ") == 1)
		put(p, ",");
	put(p, ")");
}

static void pattern_type(struct v0 *p)
{
	type(p);
	put(p, " is ");
	pattern(p);
}

static const char *const basic_types[256] = {
	['a'] = "i8", ['b'] = "bool", ['c'] = "char", ['d'] = "f64", ['e'] = "str", ['f'] = "f32",
	['h'] = "u8", ['i'] = "isize", ['j'] = "usize", ['l'] = "i32", ['m'] = "u32",
	['n'] = "i128", ['o'] = "u128", ['p'] = "_", ['s'] = "i16", ['t'] = "u16", ['u'] = "()",
	['v'] = "...", ['x'] = "i64", ['y'] = "u64", ['z'] = "!",
};

static void compound_type(struct v0 *p)
{
	char tag = take(p);
	size_t resume;

	switch (tag) {
	case 'R':
	case 'Q':
		reference(p, tag == 'Q');
		break;
	case 'P':
	case 'O':
		put(p, tag == 'P' ? "*const " : "*mut ");
		type(p);
		break;
	case 'A':
	case 'S':
		array_type(p, tag == 'A');
		break;
	case 'T':
		tuple(p, type);
		break;
	case 'F':
		function_type(p);
		break;
	case 'D':
		dyn_type(p);
		break;
	case 'W':
		pattern_type(p);
		break;
	case 'B':
		if (go_back(p, &resume)) {
			type(p);
			p->at = resume;
		}
		break;
	default:
		if (!p->out->failed)
			p->at--;
		path(p, false);
	}
}

static void type(struct v0 *p)
{
	const char *basic = basic_types[(uint8_t)peek(p)];

	if (basic) {
		take(p);
		put(p, basic);
	} else if (go_deeper(p)) {
		compound_type(p);
		p->depth--;
	}
}

/* {<hex-digit>} "_" */
static struct wk_str nibbles(struct v0 *p)
{
	size_t from = p->at;

	while (!read_if(p, '_')) {
		if (wk_rust_nibble(take(p)) < 0) {
			refuse(p);
			return wk_str_c("");
		}
	}
	return wk_str_of(p->name.at + from, p->at - 1 - from);
}

/* False if it needs more than 64 bits. */
static bool nibbles_value(struct wk_str digits, uint64_t *value)
{
	*value = 0;
	for (size_t i = 0; i < digits.len; i++) {
		if (*value >> 60)
			return false;
		*value = *value << 4 | (uint64_t)wk_rust_nibble(digits.at[i]);
	}
	return true;
}

static bool is_integer(char tag)
{
	return tag && strchr("htmyojaslxni", tag);
}

static void integer(struct v0 *p, char tag)
{
	struct wk_str digits;
	uint64_t value;

	if (strchr("aslxni", tag) && read_if(p, 'n')) /* the signed ones */
		put(p, "-");
	digits = nibbles(p);
	if (nibbles_value(digits, &value)) {
		wk_rust_put_decimal(p->out, value);
	} else {
		put(p, "0x");
		put_identifier(p, (struct ident){ .text = digits });
	}
	if (p->with_hash)
		put(p, basic_types[(uint8_t)tag]);
}

static void boolean(struct v0 *p)
{
	uint64_t value;

	if (!nibbles_value(nibbles(p), &value) || value > 1)
		refuse(p);
	put(p, value ? "true" : "false");
}

static void character(struct v0 *p)
{
	uint64_t value;

	if (!nibbles_value(nibbles(p), &value) || !wk_rust_is_scalar(value)) {
		refuse(p);
		return;
	}
	put(p, "'");
	wk_rust_put_quoted(p->out, '\'', (uint32_t)value);
	put(p, "'");
}

/* Reads the first character of UTF-8 that is written as two hexadecimal digits a byte. */
static uint32_t next_of_hex(struct wk_str *digits)
{
	char bytes[4];
	struct wk_str window = { bytes, 0 };
	size_t bytes_seen;
	uint32_t decoded;

	while (window.len < sizeof(bytes) && 2 * window.len + 1 < digits->len) {
		const char *pair = digits->at + 2 * window.len;

		bytes[window.len++] =
			(char)(wk_rust_nibble(pair[0]) << 4 | wk_rust_nibble(pair[1]));
	}
	bytes_seen = window.len;
	decoded = wk_utf8_next(&window);
	*digits = wk_str_skip(*digits, 2 * (bytes_seen - window.len));
	return decoded;
}

static void string(struct v0 *p)
{
	struct wk_str digits = nibbles(p);

	if (digits.len % 2 != 0)
		refuse(p);
	put(p, "\"");
	while (digits.len > 0 && !p->out->failed) {
		uint32_t decoded = next_of_hex(&digits);

		if (decoded == WK_UTF8_BROKEN)
			refuse(p);
		else
			wk_rust_put_quoted(p->out, '"', decoded);
	}
	put(p, "\"");
}

static void field(struct v0 *p)
{
	disambiguator(p);
	put_identifier(p, identifier(p));
	put(p, ": ");
	value(p);
}

/* A struct or an enum's variant, with its fields. */
static void adt(struct v0 *p)
{
	path(p, true);
	switch (take(p)) {
	case 'U':
		break;
	case 'T':
		list_in(p, "(", value, ")");
		break;
	case 'S':
		list_in(p, " { ", field, " }");
		break;
	default:
		refuse(p);
	}
}

/* What would need braces as a generic argument in source. */
static void expression(struct v0 *p, char tag)
{
	switch (tag) {
	case 'e':
		put(p, "*");
		string(p);
		break;
	case 'R':
	case 'Q':
		put(p, tag == 'R' ? "&" : "&mut ");
		value(p);
		break;
	case 'A':
		list_in(p, "[", value, "]");
		break;
	case 'T':
		tuple(p, value);
		break;
	case 'V':
		adt(p);
		break;
	default:
		refuse(p);
	}
}

static void braced(struct v0 *p, char tag, bool in_value)
{
	put(p, in_value ? "" : "{");
	expression(p, tag);
	put(p, in_value ? "" : "}");
}

static void constant(struct v0 *p, bool in_value)
{
	size_t resume;
	char tag;

	if (!go_deeper(p))
		return;
	tag = take(p);
	switch (tag) {
	case 'p':
		put(p, "_");
		break;
	case 'b':
		boolean(p);
		break;
	case 'c':
		character(p);
		break;
	case 'B':
		if (go_back(p, &resume)) {
			constant(p, in_value);
			p->at = resume;
		}
		break;
	default:
		/* A literal "text" is a &str by itself, so &*"text" is not written out. */
		if (is_integer(tag))
			integer(p, tag);
		else if (tag == 'R' && read_if(p, 'e'))
			string(p);
		else
			braced(p, tag, in_value);
	}
	p->depth--;
}

bool wk_rust_v0(struct wk_str *rest, bool with_hash, struct wk_rust_out *out)
{
	struct v0 p = { .name = *rest, .out = out, .with_hash = with_hash };

	path(&p, true);
	/* The crate that instantiated a generic function: another path, and not shown. */
	if (peek(&p) >= 'A' && peek(&p) <= 'Z') {
		out->silent++;
		path(&p, false);
		out->silent--;
	}
	*rest = wk_str_skip(*rest, p.at);
	return !out->failed;
}
