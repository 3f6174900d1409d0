/* `print fmt` to a program: "text with %s", then C expressions apart by commas. */
#include "formats/tracepoint/format_internal.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/sort.h"

/* The longest of a real kernel has 20,000 characters. */
#define MOST_PRINT_FMT (1u << 18)

enum token_kind { END, WORD, NUMBER, QUOTED, MARK };

struct token {
	enum token_kind kind;
	struct wk_str text; /* a word, or what stands between quotes */
	uint64_t number;
	uint8_t mark;       /* a character, or one of WK_TRACE_SHIFT_LEFT ... */
	const char *behind; /* where the text goes on */
};

struct parser {
	struct wk_trace_formats *formats;
	struct wk_trace_event *event;
	struct wk_trace_program *program;
	const char *at, *end;
	struct token now;
	unsigned nesting;
	bool failed;
};

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_';
}

static unsigned digit(char c)
{
	if (c >= '0' && c <= '9')
		return (unsigned)(c - '0');
	if (c >= 'a' && c <= 'f')
		return (unsigned)(c - 'a') + 10;
	if (c >= 'A' && c <= 'F')
		return (unsigned)(c - 'A') + 10;
	return 99;
}

/* As C writes it: 0x1f, 017, 31, with U and L behind. */
static uint64_t c_number(struct wk_str text)
{
	unsigned base = 10;
	uint64_t value = 0;

	if (text.len > 1 && text.at[0] == '0') {
		base = text.at[1] == 'x' || text.at[1] == 'X' ? 16 : 8;
		text = wk_str_skip(text, base == 16 ? 2 : 1);
	}
	for (size_t i = 0; i < text.len && digit(text.at[i]) < base; i++)
		value = value * base + digit(text.at[i]);
	return value;
}

/* One character between quotes; of escapes those that occur. */
static uint64_t c_character(struct wk_str text)
{
	if (text.len < 2 || text.at[0] != '\\')
		return text.len ? (unsigned char)text.at[0] : 0;
	switch (text.at[1]) {
	case 'n':
		return '\n';
	case 't':
		return '\t';
	case '0':
		return 0;
	default:
		return (unsigned char)text.at[1];
	}
}

static struct token quoted(const char *at, const char *end)
{
	struct token token = { .kind = QUOTED, .behind = end };
	const char *close = at + 1;

	while (close < end && *close != *at)
		close += *close == '\\' && close + 1 < end ? 2 : 1;
	if (close >= end)
		return (struct token){ .kind = END, .behind = end };
	token.text = wk_str_of(at + 1, (size_t)(close - at - 1));
	token.behind = close + 1;
	if (*at == '\'') {
		token.kind = NUMBER;
		token.number = c_character(token.text);
	}
	return token;
}

static uint8_t double_mark(char first, char second)
{
	static const struct {
		char text[2];
		uint8_t mark;
	} marks[] = {
		{ "<<", WK_TRACE_SHIFT_LEFT }, { ">>", WK_TRACE_SHIFT_RIGHT },
		{ "==", WK_TRACE_EQUAL },      { "!=", WK_TRACE_UNEQUAL },
		{ "<=", WK_TRACE_AT_MOST },    { ">=", WK_TRACE_AT_LEAST },
		{ "&&", WK_TRACE_AND },        { "||", WK_TRACE_OR },
	};

	for (size_t i = 0; i < sizeof(marks) / sizeof(*marks); i++)
		if (marks[i].text[0] == first && marks[i].text[1] == second)
			return marks[i].mark;
	return 0;
}

static struct token token_at(const char *at, const char *end)
{
	const char *start;
	struct token token = { .kind = MARK };

	while (at < end && (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r'))
		at++;
	if (at >= end || *at == '\0')
		return (struct token){ .kind = END, .behind = end };
	if (*at == '"' || *at == '\'')
		return quoted(at, end);
	start = at;
	if (is_word(*at)) {
		while (at < end && is_word(*at))
			at++;
		token.text = wk_str_of(start, (size_t)(at - start));
		token.kind = digit(*start) < 10 ? NUMBER : WORD;
		token.number = token.kind == NUMBER ? c_number(token.text) : 0;
		token.behind = at;
		return token;
	}
	token.mark = at + 1 < end ? double_mark(at[0], at[1]) : 0;
	token.behind = at + (token.mark ? 2 : 1);
	if (!token.mark)
		token.mark = (uint8_t)*at & 127;
	return token;
}

static void next(struct parser *parser)
{
	parser->at = parser->now.behind;
	parser->now = token_at(parser->at, parser->end);
}

static bool is_mark(const struct parser *parser, uint8_t mark)
{
	return parser->now.kind == MARK && parser->now.mark == mark;
}

static uint32_t fail(struct parser *parser)
{
	parser->failed = true;
	return 0;
}

static void expect(struct parser *parser, uint8_t mark)
{
	if (is_mark(parser, mark))
		next(parser);
	else
		parser->failed = true;
}

static uint8_t depth_of(const struct parser *parser, uint32_t node)
{
	return node ? parser->program->nodes[node].depth : 0;
}

static uint32_t add(struct parser *parser, struct wk_trace_node node)
{
	struct wk_trace_program *program = parser->program;
	uint8_t depth = depth_of(parser, node.a);

	if (depth_of(parser, node.b) > depth)
		depth = depth_of(parser, node.b);
	if (depth_of(parser, node.c) > depth)
		depth = depth_of(parser, node.c);
	if (depth >= WK_TRACE_DEPTH || program->count >= UINT32_MAX - 1)
		return fail(parser);
	node.depth = depth + 1;
	program->nodes = wk_grow(program->nodes, &program->cap, program->count + 1, sizeof(node));
	program->nodes[program->count] = node;
	return (uint32_t)program->count++;
}

static uint32_t expression(struct parser *parser);

/* Texts that follow one another are one. */
static struct wk_str joined_text(struct parser *parser)
{
	struct wk_str text = parser->now.text;
	struct wk_buf both = { .limit = WK_TRACE_MOST_TEXT };

	next(parser);
	if (parser->now.kind != QUOTED)
		return text;
	wk_buf_add_str(&both, text);
	for (; parser->now.kind == QUOTED; next(parser))
		wk_buf_add_str(&both, parser->now.text);
	text = wk_arena_copy(&parser->formats->arena, wk_buf_str(&both));
	wk_buf_fini(&both);
	return text;
}

/* REC->name, behind REC. */
static uint32_t record_field(struct parser *parser)
{
	const struct wk_trace_field *field;

	expect(parser, '-');
	expect(parser, '>');
	if (parser->failed || parser->now.kind != WORD)
		return fail(parser);
	field = wk_trace_find_field(&parser->event->format, parser->now.text);
	next(parser);
	if (!field)
		return fail(parser);
	return add(parser, (struct wk_trace_node){ .kind = WK_TRACE_FIELD, .field = field });
}

/* Of the kernel's names that its descriptions leave in place those that stand for numbers which
 * never changed; others match nothing. */
static uint64_t named_value(struct wk_str name)
{
	static const char *const softirqs[] = { "HI_SOFTIRQ", "TIMER_SOFTIRQ", "NET_TX_SOFTIRQ",
						"NET_RX_SOFTIRQ", "BLOCK_SOFTIRQ",
						"IRQ_POLL_SOFTIRQ", "TASKLET_SOFTIRQ",
						"SCHED_SOFTIRQ", "HRTIMER_SOFTIRQ", "RCU_SOFTIRQ" };

	for (size_t i = 0; i < sizeof(softirqs) / sizeof(softirqs[0]); i++)
		if (wk_str_is(name, softirqs[i]))
			return i;
	if (wk_str_is(name, "HRTIMER_NORESTART"))
		return 0;
	return wk_str_is(name, "HRTIMER_RESTART") ? 1 : UINT64_MAX;
}

/* { value, "text" } */
static uint32_t entry(struct parser *parser)
{
	struct wk_trace_node node = { .kind = WK_TRACE_ENTRY };

	expect(parser, '{');
	node.a = expression(parser);
	expect(parser, ',');
	if (parser->now.kind == QUOTED)
		node.text = joined_text(parser);
	else
		expression(parser); /* the NULL that ends a list */
	expect(parser, '}');
	return parser->failed ? 0 : add(parser, node);
}

static uint64_t entry_value(const struct parser *parser, uint32_t value)
{
	const struct wk_trace_sample nothing = { .formats = parser->formats,
						 .event = parser->event };
	const struct wk_trace_node *node = &parser->program->nodes[value];

	if (node->kind == WK_TRACE_NUMBER && node->text.len > 0)
		return named_value(node->text);
	return wk_trace_number(&nothing, value);
}

/* , {..}, {..} up to the parenthesis; the first one. Their values are constants. */
static uint32_t entries(struct parser *parser)
{
	uint32_t first = 0, last = 0;

	while (is_mark(parser, ',') && !parser->failed) {
		uint32_t node;

		next(parser);
		if (is_mark(parser, ')'))
			break;
		node = entry(parser);
		if (parser->failed)
			return 0;
		parser->program->nodes[node].number =
			entry_value(parser, parser->program->nodes[node].a);
		parser->program->nodes[node].a = 0;
		parser->program->nodes[node].depth = 1;
		if (last)
			parser->program->nodes[last].next = node;
		else
			first = node;
		last = node;
	}
	return first;
}

static uint32_t flags_call(struct parser *parser)
{
	struct wk_trace_node node = { .kind = WK_TRACE_FLAGS };

	node.a = expression(parser);
	expect(parser, ',');
	if (parser->now.kind == QUOTED)
		node.text = joined_text(parser);
	else if (!is_mark(parser, ','))
		expression(parser);
	node.b = entries(parser);
	return parser->failed ? 0 : add(parser, node);
}

/* The entries from `first` on by their values. */
static void add_symbols(struct wk_trace_program *program, uint32_t first, size_t count)
{
	struct wk_sort_key *keys = wk_alloc((count + 1) * sizeof(*keys));
	uint32_t entry = first;

	for (size_t i = 0; i < count; i++, entry = program->nodes[entry].next)
		keys[i] = (struct wk_sort_key){ program->nodes[entry].number, entry };
	wk_sort_keys(keys, count);
	program->symbols = wk_grow(program->symbols, &program->symbol_cap,
				   program->symbol_count + count, sizeof(*program->symbols));
	for (size_t i = 0; i < count; i++)
		program->symbols[program->symbol_count++] = (struct wk_trace_symbol){
			keys[i].key, program->nodes[keys[i].row].text };
	wk_free(keys);
}

static uint32_t symbolic_call(struct parser *parser)
{
	struct wk_trace_program *program = parser->program;
	struct wk_trace_node node = { .kind = WK_TRACE_SYMBOLIC };
	uint32_t first, number;

	node.a = expression(parser);
	first = entries(parser);
	for (uint32_t i = first; i; i = program->nodes[i].next)
		node.number++;
	number = parser->failed ? 0 : add(parser, node);
	if (parser->failed)
		return 0;
	program->nodes[number].c = (uint32_t)program->symbol_count;
	add_symbols(program, first, node.number);
	return number;
}

static uint32_t bytes_call(struct parser *parser, enum wk_trace_node_kind kind)
{
	struct wk_trace_node node = { .kind = (uint8_t)kind };

	node.a = expression(parser);
	expect(parser, ',');
	node.b = expression(parser);
	if (kind == WK_TRACE_NUMBERS) {
		expect(parser, ',');
		node.c = expression(parser);
	}
	return parser->failed ? 0 : add(parser, node);
}

/* __get_str(name) and its like: the name of a dynamic field. */
static uint32_t dynamic_call(struct parser *parser, enum wk_trace_node_kind kind)
{
	struct wk_trace_node node = { .kind = (uint8_t)kind };

	if (parser->now.kind != WORD)
		return fail(parser);
	node.field = wk_trace_find_field(&parser->event->format, parser->now.text);
	next(parser);
	return node.field ? add(parser, node) : fail(parser);
}

/* __builtin_expect(value, likely): the value. */
static uint32_t expect_call(struct parser *parser)
{
	uint32_t value = expression(parser);

	expect(parser, ',');
	expression(parser);
	return value;
}

static uint32_t size_of(struct parser *parser)
{
	const struct wk_trace_field *field = NULL;
	unsigned depth = 1;
	struct wk_str type = { 0 };

	while (depth > 0 && parser->now.kind != END) {
		if (is_mark(parser, ')') && --depth == 0)
			break;
		if (is_mark(parser, '('))
			depth++;
		if (parser->now.kind == WORD) {
			field = wk_trace_find_field(&parser->event->format, parser->now.text);
			type = parser->now.text;
		} else if (is_mark(parser, '*')) {
			type = wk_str_c("long");
		}
		next(parser);
	}
	return add(parser, (struct wk_trace_node){
				   .kind = WK_TRACE_NUMBER,
				   .number = field ? field->size :
						     wk_trace_type_bytes(
							     type, parser->formats->long_bytes) });
}

static uint32_t call_inside(struct parser *parser, struct wk_str name)
{
	static const struct {
		const char *name;
		enum wk_trace_node_kind kind;
	} dynamics[] = {
		{ "__get_str", WK_TRACE_STRING },
		{ "__get_rel_str", WK_TRACE_STRING },
		{ "__get_dynamic_array", WK_TRACE_DYNAMIC },
		{ "__get_rel_dynamic_array", WK_TRACE_DYNAMIC },
		{ "__get_dynamic_array_len", WK_TRACE_DYNAMIC_LENGTH },
		{ "__get_rel_dynamic_array_len", WK_TRACE_DYNAMIC_LENGTH },
		{ "__get_bitmask", WK_TRACE_BITMASK },
		{ "__get_rel_bitmask", WK_TRACE_BITMASK },
		{ "__get_cpumask", WK_TRACE_BITMASK },
		{ "__get_rel_cpumask", WK_TRACE_BITMASK },
		{ "__get_sockaddr", WK_TRACE_SOCKADDR },
		{ "__get_rel_sockaddr", WK_TRACE_SOCKADDR },
	};

	for (size_t i = 0; i < sizeof(dynamics) / sizeof(*dynamics); i++)
		if (wk_str_is(name, dynamics[i].name))
			return dynamic_call(parser, dynamics[i].kind);
	if (wk_str_is(name, "__print_flags") || wk_str_is(name, "__print_flags_u64"))
		return flags_call(parser);
	if (wk_str_is(name, "__print_symbolic") || wk_str_is(name, "__print_symbolic_u64"))
		return symbolic_call(parser);
	if (wk_str_is(name, "__print_hex"))
		return bytes_call(parser, WK_TRACE_HEX);
	if (wk_str_is(name, "__print_hex_str"))
		return bytes_call(parser, WK_TRACE_HEX_PLAIN);
	if (wk_str_is(name, "__print_array"))
		return bytes_call(parser, WK_TRACE_NUMBERS);
	if (wk_str_is(name, "__builtin_expect"))
		return expect_call(parser);
	if (wk_str_is(name, "sizeof"))
		return size_of(parser);
	return fail(parser);
}

static uint32_t word(struct parser *parser)
{
	struct wk_str name = parser->now.text;
	uint32_t node;

	next(parser);
	if (wk_str_is(name, "REC"))
		return record_field(parser);
	if (!is_mark(parser, '('))
		return add(parser, (struct wk_trace_node){ .kind = WK_TRACE_NUMBER, .text = name });
	next(parser);
	node = call_inside(parser, name);
	expect(parser, ')');
	return node;
}

/* Behind '(': is it a type up to ')', with something to cast behind it? */
static bool is_cast(const struct parser *parser, struct wk_str *type, struct token *close)
{
	struct token token = parser->now;
	unsigned words = 0, stars = 0;
	const char *start = token.text.at;

	for (; token.kind == WORD || (token.kind == MARK && token.mark == '*');
	     token = token_at(token.behind, parser->end)) {
		if (token.kind == WORD && wk_str_is(token.text, "REC"))
			return false;
		words += token.kind == WORD && stars == 0;
		stars += token.kind == MARK;
	}
	if (words == 0 || token.kind != MARK || token.mark != ')')
		return false;
	*close = token;
	*type = wk_str_of(start, (size_t)(token.behind - 1 - start));
	token = token_at(token.behind, parser->end);
	if (token.kind == MARK &&
	    (token.mark == '-' || token.mark == '+' || token.mark == '*' || token.mark == '&'))
		return words > 1 || stars > 0 ||
		       wk_trace_type_bytes(*type, parser->formats->long_bytes) > 0;
	return token.kind == WORD || token.kind == NUMBER || token.kind == QUOTED ||
	       (token.kind == MARK &&
		(token.mark == '(' || token.mark == '~' || token.mark == '!'));
}

static uint32_t unary(struct parser *parser);

static uint32_t parenthesis(struct parser *parser)
{
	struct wk_str type;
	struct token close;
	uint32_t node;

	next(parser);
	if (parser->now.kind == WORD && is_cast(parser, &type, &close)) {
		parser->now = close;
		next(parser);
		node = unary(parser);
		if (parser->failed)
			return 0;
		return add(parser, (struct wk_trace_node){
					   .kind = WK_TRACE_CAST, .text = type, .a = node });
	}
	node = expression(parser);
	expect(parser, ')');
	return node;
}

static uint32_t primary(struct parser *parser)
{
	struct wk_trace_node node = { .kind = WK_TRACE_NUMBER, .number = parser->now.number };

	switch (parser->now.kind) {
	case WORD:
		return word(parser);
	case NUMBER:
		next(parser);
		return add(parser, node);
	case QUOTED:
		return add(parser, (struct wk_trace_node){ .kind = WK_TRACE_TEXT,
							   .text = joined_text(parser) });
	case MARK:
		if (parser->now.mark == '(')
			return parenthesis(parser);
		break;
	case END:
		break;
	}
	return fail(parser);
}

static uint32_t indexed(struct parser *parser)
{
	uint32_t node = primary(parser);

	while (!parser->failed && is_mark(parser, '[')) {
		struct wk_trace_node index = { .kind = WK_TRACE_INDEX, .a = node };

		next(parser);
		index.b = expression(parser);
		expect(parser, ']');
		node = parser->failed ? 0 : add(parser, index);
	}
	return node;
}

static uint32_t unary(struct parser *parser)
{
	struct wk_trace_node node = { .kind = WK_TRACE_UNARY, .op = parser->now.mark };

	if (++parser->nesting > WK_TRACE_DEPTH)
		return fail(parser);
	if (parser->now.kind == MARK && (node.op == '-' || node.op == '+' || node.op == '~' ||
					 node.op == '!' || node.op == '&')) {
		next(parser);
		node.a = unary(parser);
		parser->nesting--;
		return parser->failed ? 0 : add(parser, node);
	}
	node.a = indexed(parser);
	parser->nesting--;
	return node.a;
}

static unsigned binds(uint8_t mark)
{
	switch (mark) {
	case '*':
	case '/':
	case '%':
		return 10;
	case '+':
	case '-':
		return 9;
	case WK_TRACE_SHIFT_LEFT:
	case WK_TRACE_SHIFT_RIGHT:
		return 8;
	case '<':
	case '>':
	case WK_TRACE_AT_MOST:
	case WK_TRACE_AT_LEAST:
		return 7;
	case WK_TRACE_EQUAL:
	case WK_TRACE_UNEQUAL:
		return 6;
	case '&':
		return 5;
	case '^':
		return 4;
	case '|':
		return 3;
	case WK_TRACE_AND:
		return 2;
	case WK_TRACE_OR:
		return 1;
	default:
		return 0;
	}
}

/* Operators that bind at least as strongly as `least`. */
static uint32_t binary(struct parser *parser, unsigned least)
{
	uint32_t left = unary(parser);

	while (!parser->failed && parser->now.kind == MARK && binds(parser->now.mark) >= least) {
		struct wk_trace_node node = { .kind = WK_TRACE_BINARY, .op = parser->now.mark,
					      .a = left };

		next(parser);
		node.b = binary(parser, binds(node.op) + 1);
		left = parser->failed ? 0 : add(parser, node);
	}
	return left;
}

static uint32_t expression(struct parser *parser)
{
	struct wk_trace_node node = { .kind = WK_TRACE_CHOICE };

	if (parser->failed || ++parser->nesting > WK_TRACE_DEPTH)
		return fail(parser);
	node.a = binary(parser, 1);
	if (!parser->failed && is_mark(parser, '?')) {
		next(parser);
		node.b = expression(parser);
		expect(parser, ':');
		node.c = expression(parser);
		node.a = parser->failed ? 0 : add(parser, node);
	}
	parser->nesting--;
	return node.a;
}

static void arguments(struct parser *parser)
{
	uint32_t last = 0;

	while (!parser->failed && is_mark(parser, ',')) {
		uint32_t node;

		next(parser);
		node = expression(parser);
		if (parser->failed)
			return;
		if (last)
			parser->program->nodes[last].next = node;
		else
			parser->program->arguments = node;
		last = node;
	}
	if (parser->now.kind != END)
		parser->failed = true;
}

void wk_trace_compile(struct wk_trace_formats *formats, struct wk_trace_event *event)
{
	struct wk_str text = event->format.print_fmt;
	struct parser parser = { .formats = formats, .event = event, .program = &event->program,
				 .at = text.at };

	event->program.is_made = true;
	formats->steps = UINT64_MAX;               /* what is constant is reckoned once */
	add(&parser, (struct wk_trace_node){ 0 }); /* number 0 is none */
	if (text.len == 0 || text.len > MOST_PRINT_FMT)
		return;
	parser.end = text.at + text.len;
	parser.now = token_at(parser.at, parser.end);
	if (parser.now.kind != QUOTED)
		return;
	event->program.text = joined_text(&parser);
	arguments(&parser);
	event->program.is_good = !parser.failed;
}
