/* Whether a `print fmt` may be passed to libtraceevent.
 *
 * The library trusts the kernel. Other input makes it follow null pointers (a field that does not
 * exist), divide by zero, read outside the sample (the index or length of an array) and recurse
 * without limit. So only the forms below pass; they cover nearly all that kernels write. */
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "formats/scan.h"
#include "formats/tracepoint/format_internal.h"

#define MOST_PRINT_FMT 30000 /* the longest of a real kernel has 20,000 characters */
#define MOST_ARGUMENTS 64
#define MOST_DEPTH     128
#define MOST_OPERATORS 64 /* of one expression */
#define MOST_INDEX     64

struct check {
	struct wk_print_fmt *print_fmt;
	const struct wk_trace_format *format;
	struct wk_str rest;
	unsigned depth;
	bool is_constant;                 /* the expression may not refer to the sample */
	char conversions[MOST_ARGUMENTS]; /* 's' text, 'd' number, 'l' its length, 'a' a field's
					   * address */
	unsigned conversion_count;
};

static bool check_number(struct check *check);
static bool check_text(struct check *check);

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || wk_is_digit(c) || c == '_';
}

/* How many letters of the text are of these. */
static size_t count_of(struct wk_str text, const char *letters)
{
	size_t count = 0;

	while (count < text.len && wk_is_any_of(text.at[count], letters))
		count++;
	return count;
}

/* The next character behind blanks. */
static char next(struct check *check)
{
	check->rest = wk_str_skip(check->rest, count_of(check->rest, " \t"));
	return check->rest.len ? check->rest.at[0] : '\0';
}

static bool take(struct check *check, const char *mark)
{
	next(check);
	if (!wk_str_starts(check->rest, mark))
		return false;
	check->rest = wk_str_skip(check->rest, strlen(mark));
	return true;
}

/* A name or a number; empty if there is neither. */
static struct wk_str take_word(struct check *check)
{
	struct wk_str word;

	next(check);
	word = wk_str_of(check->rest.at, 0);
	while (word.len < check->rest.len && is_word(word.at[word.len]))
		word.len++;
	check->rest = wk_str_skip(check->rest, word.len);
	return word;
}

/* Decimal or hexadecimal. Others, such as 010 and 0x, have another value in C. */
static bool read_number(struct wk_str word, uint64_t *value)
{
	while (word.len > 1 && wk_is_any_of(word.at[word.len - 1], "uUlL"))
		word.len--;
	if (wk_str_starts(word, "0x"))
		return wk_num_hex(wk_str_skip(word, 2), value);
	return (word.len == 1 || (word.len && word.at[0] != '0')) && wk_num_u64(word, value);
}

/* A number, or sizeof(u64) and the like. */
static bool take_number(struct check *check, uint64_t *value)
{
	static const char *const types[] = { "u8", "u16", "u32", "u64" };
	struct wk_str type;

	if (!take(check, "sizeof("))
		return read_number(take_word(check), value);
	type = take_word(check);
	*value = 0;
	for (unsigned i = 0; i < 4; i++)
		if (wk_str_is(type, types[i]))
			*value = 1u << i;
	return *value && take(check, ")");
}

static const struct wk_trace_field *take_field(struct check *check)
{
	struct wk_str name = take_word(check);

	for (size_t i = 0; i < check->format->field_count; i++)
		if (wk_str_eq(check->format->fields[i].name, name))
			return &check->format->fields[i];
	return NULL;
}

static const struct wk_trace_field *take_rec(struct check *check)
{
	return take(check, "REC->") ? take_field(check) : NULL;
}

static bool take_quoted(struct check *check, struct wk_str *inside)
{
	size_t len = 0;

	if (!take(check, "\""))
		return false;
	for (; len < check->rest.len && check->rest.at[len] != '"'; len++) {
		len += check->rest.at[len] == '\\';
		if (len >= check->rest.len || check->rest.at[len] > '~' ||
		    (check->rest.at[len] < ' ' && check->rest.at[len] != '\t'))
			return false;
	}
	*inside = wk_str_of(check->rest.at, len);
	check->rest = wk_str_skip(check->rest, len);
	return take(check, "\"");
}

/* One or more texts in quotes, which are one text. */
static bool check_quoted(struct check *check)
{
	struct wk_str inside;
	bool ok;

	do
		ok = take_quoted(check, &inside);
	while (ok && next(check) == '"');
	return ok;
}

/* --- Numbers ------------------------------------------------------------------------------- */

/* "(name)" behind a function whose argument is a dynamic field. */
static bool check_dynamic(struct check *check, bool may_be_relative)
{
	const struct wk_trace_field *field = take(check, "(") ? take_field(check) : NULL;

	return field && field->is_dynamic && (may_be_relative || !field->is_relative) &&
	       take(check, ")");
}

/* The library follows a null pointer for the length of a relative field. */
static bool check_dynamic_length(struct check *check)
{
	return take(check, "__get_dynamic_array_len") && check_dynamic(check, false);
}

/* A field's name, perhaps with an index: name[3]. */
static bool check_field(struct check *check)
{
	const struct wk_trace_field *field = take_field(check);
	uint64_t index;

	if (!field || check->is_constant)
		return false;
	if (!take(check, "["))
		return true;
	return !field->is_dynamic && read_number(take_word(check), &index) && index < MOST_INDEX &&
	       index * field->size < WK_TRACE_MOST_RAW && take(check, "]");
}

/* Behind "(": a type and ")", such as "unsigned long *)". `is_cast` if it cannot be a constant. */
static bool take_type(struct check *check, bool *is_cast)
{
	struct wk_str before = check->rest;
	size_t words = 0, stars = 0;

	while (words < 4 && is_word(next(check)) && !wk_is_digit(next(check))) {
		take_word(check);
		words++;
	}
	while (words && stars < 2 && take(check, "*"))
		stars++;
	*is_cast = words > 1 || stars;
	if (words && take(check, ")"))
		return true;
	check->rest = before;
	return false;
}

/* Behind a quote: one character and another quote. */
static bool take_character(struct check *check)
{
	struct wk_str rest = check->rest;
	bool ok = rest.len > 1 && rest.at[0] >= ' ' && rest.at[0] <= '~' &&
		  !wk_is_any_of(rest.at[0], "'\\") && rest.at[1] == '\'';

	check->rest = wk_str_skip(rest, ok ? 2 : 0);
	return ok;
}

static bool check_plain_operand(struct check *check)
{
	struct wk_str word;
	uint64_t value;
	bool is_cast;

	if (take(check, "(")) {
		if (!take_type(check, &is_cast))
			return check_number(check) && take(check, ")");
		/* Without an operand it was the name of a constant. */
		if (is_cast || is_word(next(check)) || next(check) == '(')
			return check->depth < MOST_DEPTH && check_plain_operand(check);
		return true;
	}
	if (take(check, "REC->"))
		return check_field(check);
	if (take(check, "'"))
		return take_character(check);
	if (wk_str_starts(check->rest, "__get_dynamic_array_len("))
		return !check->is_constant && check_dynamic_length(check);
	word = take_word(check);
	/* A word that is alone is the name of a constant. */
	return word.len && (!wk_is_digit(word.at[0]) || read_number(word, &value)) &&
	       next(check) != '(';
}

static bool check_operand(struct check *check)
{
	bool ok = false;

	/* At most two, as in !!x. */
	if (take(check, "!") || take(check, "~"))
		take(check, "!");
	else if (take(check, "-") && wk_is_any_of(next(check), "->"))
		return false;
	if (++check->depth < MOST_DEPTH)
		ok = check_plain_operand(check);
	check->depth--;
	return ok;
}

/* The library binds a / b * c to the right, so nothing may follow that changes the divisor. */
static bool check_divisor(struct check *check)
{
	uint64_t value;

	return !check->is_constant && take_number(check, &value) && value > 0 &&
	       !wk_is_any_of(next(check), "*/%[(");
}

static bool take_operator(struct check *check)
{
	static const char *const operators[] = { "||", "&&", "==", "!=", "<<", ">>", "<=", ">=",
						 "<",  ">",  "|",  "&",  "+",  "-",  "*" };

	for (size_t i = 0; i < sizeof(operators) / sizeof(*operators); i++)
		if (take(check, operators[i]))
			return !wk_is_any_of(check->rest.len ? check->rest.at[0] : '\0',
					     "-+>=*&|<");
	return false;
}

static bool check_operators(struct check *check)
{
	bool ok = check_operand(check);

	for (unsigned i = 0; ok && wk_is_any_of(next(check), "|&=!<>+-*/%"); i++) {
		if (take(check, "/") || take(check, "%"))
			ok = check_divisor(check);
		else
			ok = i < MOST_OPERATORS && take_operator(check) && check_operand(check);
	}
	return ok;
}

static bool check_number(struct check *check)
{
	bool ok = ++check->depth < MOST_DEPTH && check_operators(check);

	if (ok && !check->is_constant && take(check, "?"))
		ok = check_number(check) && take(check, ":") && check_number(check);
	check->depth--;
	return ok;
}

/* --- Text ---------------------------------------------------------------------------------- */

static bool take_null(struct check *check)
{
	return take(check, "((void *)0)");
}

/* , { 1, "a" }, { 2, "b" }, { -1, 0 }) */
static bool check_names(struct check *check)
{
	bool ok = true;

	check->is_constant = true;
	while (ok && take(check, ","))
		ok = take(check, "{") && check_number(check) && take(check, ",") &&
		     (take(check, "0") || take_null(check) || check_quoted(check)) &&
		     take(check, "}");
	check->is_constant = false;
	return ok && take(check, ")");
}

/* A field whose value is compared with the size of each sample. */
static bool check_length(struct check *check)
{
	const struct wk_trace_field *length = take_rec(check);
	struct wk_print_fmt *print_fmt = check->print_fmt;

	if (!length || length->is_array || print_fmt->length_count == WK_TRACE_MOST_LISTS)
		return false;
	print_fmt->lengths[print_fmt->length_count++] = length;
	return true;
}

/* How many elements: a number, a field, or the length of a dynamic array divided by a number. */
static bool check_count(struct check *check, const struct wk_trace_field *array)
{
	uint64_t count;

	if (wk_is_digit(next(check)))
		return !array->is_dynamic && read_number(take_word(check), &count) &&
		       count <= array->size;
	if (wk_str_starts(check->rest, "REC->"))
		return check_length(check);
	return check_dynamic_length(check) && (!take(check, "/") || check_divisor(check));
}

/* (array, count) or (array, count, size of an element). */
static bool check_list(struct check *check, bool has_size)
{
	const struct wk_trace_field *array;
	bool is_dynamic;
	uint64_t size;

	if (check->print_fmt->list_count++ >= WK_TRACE_MOST_LISTS || !take(check, "("))
		return false;
	is_dynamic = take(check, "__get_dynamic_array(") || take(check, "__get_rel_dynamic_array(");
	array = is_dynamic ? take_field(check) : take_rec(check);
	if (!array || array->is_dynamic != is_dynamic || (is_dynamic && !take(check, ")")) ||
	    !take(check, ",") || !check_count(check, array))
		return false;
	if (has_size && !(take(check, ",") && take_number(check, &size) &&
			  (size == 1 || size == 2 || size == 4 || size == 8)))
		return false;
	return take(check, ")");
}

static bool check_function(struct check *check)
{
	struct wk_str name = take_word(check);

	if (wk_str_is(name, "__print_flags"))
		return take(check, "(") && check_number(check) && take(check, ",") &&
		       check_quoted(check) && check_names(check);
	if (wk_str_is(name, "__print_symbolic"))
		return take(check, "(") && check_number(check) && check_names(check);
	if (wk_str_is(name, "__print_hex") || wk_str_is(name, "__print_hex_str"))
		return check_list(check, false);
	if (wk_str_is(name, "__print_array"))
		return check_list(check, true);
	if (wk_str_is(name, "__get_bitmask") || wk_str_is(name, "__get_rel_bitmask"))
		return check->print_fmt->list_count++ < WK_TRACE_MOST_LISTS &&
		       check_dynamic(check, true);
	return (wk_str_is(name, "__get_str") || wk_str_is(name, "__get_rel_str")) &&
	       check_dynamic(check, true);
}

static bool check_simple_text(struct check *check)
{
	if (next(check) == '"')
		return check_quoted(check);
	if (wk_str_starts(check->rest, "REC->"))
		return take_rec(check) != NULL;
	return take_null(check) || check_function(check);
}

static bool ends_here(struct check *check)
{
	char c = next(check);

	return !c || wk_is_any_of(c, ",:)");
}

/* A text, a choice between texts, or either of them in parentheses. */
static bool check_any_text(struct check *check)
{
	struct wk_str before = check->rest;
	struct wk_print_fmt lists = *check->print_fmt;

	if (check_simple_text(check) && ends_here(check))
		return true;
	check->rest = before;
	check->is_constant = false;
	*check->print_fmt = lists;
	if (check_operators(check) && take(check, "?"))
		return check_text(check) && take(check, ":") && check_text(check);
	check->rest = before;
	return take(check, "(") && check_text(check) && take(check, ")") && ends_here(check);
}

static bool check_text(struct check *check)
{
	bool ok = ++check->depth < MOST_DEPTH && check_any_text(check);

	check->depth--;
	return ok;
}

/* --- Conversions --------------------------------------------------------------------------- */

/* What follows %p, and the argument it wants; 0 if it is not known. */
static char pointer_kind(struct wk_str letters)
{
	char first = letters.len ? letters.at[0] : '\0';

	if (!is_word(first) || wk_is_any_of(first, "sSfFxK"))
		return 'd';
	return wk_is_any_of(first, "mMiIU") ? 'a' : '\0';
}

/* Takes up to `most` of these letters. */
static bool skip_letters(struct wk_str *text, const char *letters, size_t most)
{
	size_t count = count_of(*text, letters);

	*text = wk_str_skip(*text, count);
	return count <= most;
}

static bool expect_argument(struct check *check, char kind)
{
	if (check->conversion_count == MOST_ARGUMENTS)
		return false;
	check->conversions[check->conversion_count++] = kind;
	return true;
}

/* Behind '%'. */
static bool check_conversion(struct check *check, struct wk_str *text)
{
	bool has_length = false;
	char kind;

	if (!skip_letters(text, "-+ #0", 3) || !skip_letters(text, "0123456789", 3))
		return false;
	if (wk_str_starts(*text, ".")) {
		*text = wk_str_skip(*text, 1);
		has_length = wk_str_starts(*text, "*");
		*text = wk_str_skip(*text, has_length);
		if (!skip_letters(text, "0123456789", has_length ? 0 : 3))
			return false;
	}
	if (!skip_letters(text, "hlLz", 2) || !text->len)
		return false;
	kind = wk_is_any_of(text->at[0], "diuxXoc") ? 'd' : text->at[0];
	*text = wk_str_skip(*text, 1);
	if (has_length)
		return kind == 's' && expect_argument(check, 'l') && expect_argument(check, 's');
	if (kind == '%')
		return true;
	if (kind == 'p')
		kind = pointer_kind(*text);
	return wk_is_any_of(kind, "dsa") && expect_argument(check, kind);
}

/* "text %d " "more". */
static bool check_template(struct check *check)
{
	struct wk_str text = { 0 };
	bool ok;

	do {
		ok = take_quoted(check, &text);
		while (ok && text.len) {
			bool is_conversion = text.at[0] == '%';

			text = wk_str_skip(text, 1);
			ok = !is_conversion || check_conversion(check, &text);
		}
	} while (ok && next(check) == '"');
	return ok;
}

static bool check_argument(struct check *check, char kind)
{
	const struct wk_trace_field *field;

	if (kind == 's')
		return check_text(check);
	if (kind == 'l')
		return check_length(check);
	if (kind == 'd')
		return check_number(check);
	field = take_rec(check);
	return field && !field->is_dynamic;
}

/* --- Fields -------------------------------------------------------------------------------- */

static bool has_only(struct wk_str text, const char *others)
{
	for (size_t i = 0; i < text.len; i++)
		if (!is_word(text.at[i]) && !wk_is_any_of(text.at[i], others))
			return false;
	return text.len > 0;
}

static bool field_is_safe(const struct wk_trace_field *field)
{
	return has_only(field->name, "") &&
	       has_only(field->type, field->is_dynamic ? " *[]" : " *") && field->size > 0 &&
	       field->size <= WK_TRACE_MOST_RAW && field->offset <= WK_TRACE_MOST_RAW &&
	       (!field->is_dynamic || field->size == 4);
}

bool wk_print_fmt_check(struct wk_print_fmt *print_fmt, const struct wk_trace_format *format)
{
	struct check check = { .print_fmt = print_fmt, .format = format,
			       .rest = format->print_fmt };
	bool ok = format->print_fmt.len <= MOST_PRINT_FMT && check_template(&check);

	for (size_t i = 0; i < format->field_count && ok; i++)
		ok = field_is_safe(&format->fields[i]);
	for (unsigned i = 0; i < check.conversion_count && ok; i++)
		ok = take(&check, ",") && check_argument(&check, check.conversions[i]);
	return ok && next(&check) == '\0' && check.rest.len == 0;
}
