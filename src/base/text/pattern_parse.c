#include <limits.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/text/pattern_internal.h"

#define MOST_DEPTH   200u
#define MOST_REPEATS 255u
#define NOWHERE      UINT32_MAX

/* A part of the machine: its first step, and the step whose `next` is still open. */
struct part {
	uint32_t begin, end;
};

struct parser {
	struct wk_pattern *pattern;
	const char *at;
	const char *why;
	unsigned depth;
	bool ignore_case;
};

static bool fail(struct parser *parser, const char *why)
{
	parser->why = parser->why ? parser->why : why;
	return false;
}

/* --- Steps --- */

static uint32_t add_step(struct parser *parser, struct wk_step step)
{
	struct wk_pattern *pattern = parser->pattern;

	if (pattern->count >= WK_MOST_STEPS) {
		fail(parser, "it is too large");
		return 0; /* steps from here on are discarded */
	}
	WK_RESERVE(pattern->steps, pattern->cap, pattern->count + 1);
	pattern->steps[pattern->count] = step;
	return (uint32_t)pattern->count++;
}

static struct part single(struct parser *parser, struct wk_step step)
{
	uint32_t id;

	step.next = NOWHERE;
	id = add_step(parser, step);
	return (struct part){ id, id };
}

/* An empty step: both branches continue. */
static struct part empty_part(struct parser *parser)
{
	struct part part = single(parser, (struct wk_step){ .kind = WK_STEP_FORK });

	parser->pattern->steps[part.end].other = part.end;
	return part;
}

/* A pattern that is too large lacks some steps. */
static void join(struct parser *parser, uint32_t end, uint32_t next)
{
	if (end < parser->pattern->count)
		parser->pattern->steps[end].next = next;
}

static struct part then(struct parser *parser, struct part first, struct part second)
{
	join(parser, first.end, second.begin);
	return (struct part){ first.begin, second.end };
}

static struct part either(struct parser *parser, struct part one, struct part other)
{
	struct part after = empty_part(parser);
	uint32_t fork = add_step(parser, (struct wk_step){ .kind = WK_STEP_FORK,
							   .next = one.begin,
							   .other = other.begin });

	join(parser, one.end, after.begin);
	join(parser, other.end, after.begin);
	return (struct part){ fork, after.end };
}

static struct part any_number(struct parser *parser, struct part part)
{
	struct part after = empty_part(parser);
	uint32_t fork = add_step(parser, (struct wk_step){ .kind = WK_STEP_FORK,
							   .next = part.begin,
							   .other = after.begin });

	join(parser, part.end, fork);
	return (struct part){ fork, after.end };
}

/* --- Sets of bytes --- */

static void set_add(struct wk_byte_set *set, uint8_t byte)
{
	set->words[byte / 64] |= UINT64_C(1) << byte % 64;
}

static void set_turn(struct wk_byte_set *set)
{
	for (size_t i = 0; i < 4; i++)
		set->words[i] = ~set->words[i];
}

static void set_both_cases(struct wk_byte_set *set)
{
	for (uint8_t c = 'a'; c <= 'z'; c++) {
		uint8_t upper = (uint8_t)(c - 'a' + 'A');

		if (wk_byte_set_has(set, c) || wk_byte_set_has(set, upper)) {
			set_add(set, c);
			set_add(set, upper);
		}
	}
}

static struct part set_part(struct parser *parser, struct wk_byte_set set)
{
	struct wk_pattern *pattern = parser->pattern;

	WK_RESERVE(pattern->sets, pattern->sets_cap, pattern->set_count + 1);
	pattern->sets[pattern->set_count] = set;
	return single(parser, (struct wk_step){ .kind = WK_STEP_BYTE,
						.set = (uint32_t)pattern->set_count++ });
}

static struct part byte_part(struct parser *parser, char c)
{
	struct wk_byte_set set = { 0 };

	set_add(&set, (uint8_t)c);
	if (parser->ignore_case)
		set_both_cases(&set);
	return set_part(parser, set);
}

/* The bytes of each class, as pairs of the first and the last of a range. */
static const struct class
{
	const char *name;
	struct wk_str ranges;
} classes[] = {
	{ "alnum", WK_STR("09AZaz") },   { "alpha", WK_STR("AZaz") },
	{ "blank", WK_STR("  \t\t") },   { "cntrl", WK_STR("\0\37\177\177") },
	{ "digit", WK_STR("09") },       { "graph", WK_STR("!~") },
	{ "lower", WK_STR("az") },       { "print", WK_STR(" ~") },
	{ "punct", WK_STR("!/:@[`{~") }, { "space", WK_STR("  \t\r") },
	{ "upper", WK_STR("AZ") },       { "xdigit", WK_STR("09AFaf") },
};

static void set_add_range(struct wk_byte_set *set, uint8_t first, uint8_t last)
{
	for (unsigned byte = first; byte <= last; byte++)
		set_add(set, (uint8_t)byte);
}

static void set_add_ranges(struct wk_byte_set *set, struct wk_str ranges)
{
	for (size_t i = 0; i < ranges.len; i += 2)
		set_add_range(set, (uint8_t)ranges.at[i], (uint8_t)ranges.at[i + 1]);
}

/* "[:alpha:]" within brackets, `at` behind the colon. */
static bool read_class(struct parser *parser, struct wk_byte_set *set)
{
	for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++) {
		size_t len = strlen(classes[i].name);

		if (strncmp(parser->at, classes[i].name, len) != 0 ||
		    strncmp(parser->at + len, ":]", 2) != 0)
			continue;
		set_add_ranges(set, classes[i].ranges);
		parser->at += len + 2;
		return true;
	}
	return fail(parser, "[: must be followed by the name of a class of characters and :]");
}

/* One byte within brackets: as it is, or "[.x.]" and "[=x=]", which mean the same here. */
static bool read_member(struct parser *parser, uint8_t *byte)
{
	const char *at = parser->at;

	if (!*at)
		return fail(parser, "a [ is not closed");
	if (at[0] == '[' && (at[1] == '.' || at[1] == '=')) {
		if (!at[2] || at[3] != at[1] || at[4] != ']')
			return fail(parser, "[. and [= are for one character here");
		*byte = (uint8_t)at[2];
		parser->at += 5;
		return true;
	}
	*byte = (uint8_t)*parser->at++;
	return true;
}

static bool read_range(struct parser *parser, struct wk_byte_set *set)
{
	uint8_t first, last;

	if (!read_member(parser, &first))
		return false;
	last = first;
	if (parser->at[0] == '-' && parser->at[1] && parser->at[1] != ']') {
		parser->at++;
		if (!read_member(parser, &last))
			return false;
	}
	if (last < first)
		return fail(parser, "a range of characters ends before it begins");
	set_add_range(set, first, last);
	return true;
}

/* Behind the "[". A "]" that comes first is one of the set. */
static bool read_brackets(struct parser *parser, struct part *part)
{
	struct wk_byte_set set = { 0 };
	bool is_turned = *parser->at == '^';
	const char *begin = parser->at += is_turned;

	while (*parser->at && (*parser->at != ']' || parser->at == begin)) {
		bool is_class = parser->at[0] == '[' && parser->at[1] == ':';

		parser->at += is_class ? 2 : 0;
		if (is_class ? !read_class(parser, &set) : !read_range(parser, &set))
			return false;
	}
	if (!*parser->at)
		return fail(parser, "a [ is not closed");
	parser->at++;
	if (parser->ignore_case)
		set_both_cases(&set);
	if (is_turned)
		set_turn(&set);
	*part = set_part(parser, set);
	return true;
}

/* --- The grammar --- */

static struct part place_part(struct parser *parser, enum wk_step_place place)
{
	return single(parser, (struct wk_step){ .kind = WK_STEP_PLACE, .place = place });
}

static struct part class_part(struct parser *parser, struct wk_str ranges, bool is_turned)
{
	struct wk_byte_set set = { 0 };

	set_add_ranges(&set, ranges);
	if (is_turned)
		set_turn(&set);
	return set_part(parser, set);
}

/* Behind a backslash. */
static bool read_escape(struct parser *parser, struct part *part)
{
	static const struct wk_str word = WK_STR("09AZ__az"), space = WK_STR("  \t\r");
	static const char places[] = "bB<>"; /* as in enum wk_step_place, from WK_PLACE_WORD_EDGE */
	const char *place;
	char c = *parser->at;

	if (!c)
		return fail(parser, "nothing follows the \\ at its end");
	if (c >= '1' && c <= '9')
		return fail(parser, "back references such as \\1 are not supported");
	parser->at++;
	place = strchr(places, c);
	if (place)
		*part = place_part(parser, WK_PLACE_WORD_EDGE + (unsigned)(place - places));
	else if (c == 'w' || c == 'W')
		*part = class_part(parser, word, c == 'W');
	else if (c == 's' || c == 'S')
		*part = class_part(parser, space, c == 'S');
	else
		*part = byte_part(parser, c);
	return true;
}

static bool read_branches(struct parser *parser, struct part *part);

static bool read_group(struct parser *parser, struct part *part)
{
	if (parser->depth == MOST_DEPTH)
		return fail(parser, "its ( are nested too deeply");
	parser->depth++;
	if (!read_branches(parser, part))
		return false;
	parser->depth--;
	if (*parser->at != ')')
		return fail(parser, "a ( is not closed");
	parser->at++;
	return true;
}

static bool read_atom(struct parser *parser, struct part *part)
{
	char c = *parser->at++;

	switch (c) {
	case '(':
		return read_group(parser, part);
	case '[':
		return read_brackets(parser, part);
	case '\\':
		return read_escape(parser, part);
	case '*':
	case '+':
	case '?':
	case '{':
		return fail(parser, "nothing precedes * + ? or { that could be repeated");
	case '^':
		*part = place_part(parser, WK_PLACE_BEGIN);
		return true;
	case '$':
		*part = place_part(parser, WK_PLACE_END);
		return true;
	case '.':
		*part = set_part(parser, (struct wk_byte_set){
			{ UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX } });
		return true;
	default:
		*part = byte_part(parser, c);
		return true;
	}
}

#define ENDLESS UINT_MAX

struct repeat {
	unsigned least, most;
};

static bool read_count(struct parser *parser, unsigned *count)
{
	size_t len = strspn(parser->at, "0123456789");
	uint64_t number = 0;

	if (len == 0)
		return false;
	if (!wk_num_u64(wk_str_of(parser->at, len), &number) || number > MOST_REPEATS)
		return fail(parser, "a number in { } is larger than 255");
	parser->at += len;
	*count = (unsigned)number;
	return true;
}

/* "{2}", "{2,}", "{2,3}", "{,3}", behind the brace. */
static bool read_bounds(struct parser *parser, struct repeat *repeat)
{
	bool has_least = read_count(parser, &repeat->least);

	repeat->most = has_least ? repeat->least : 0;
	if (!has_least)
		repeat->least = 0;
	if (*parser->at == ',') {
		parser->at++;
		repeat->most = ENDLESS;
		read_count(parser, &repeat->most);
	} else if (!has_least) {
		return fail(parser, "{ is followed by no number");
	}
	if (*parser->at != '}')
		return fail(parser, "a { is not closed");
	parser->at++;
	if (repeat->least > repeat->most)
		return fail(parser, "the first number in { } is larger than the second");
	return !parser->why;
}

static bool read_repeat(struct parser *parser, struct repeat *repeat)
{
	switch (*parser->at++) {
	case '*':
		*repeat = (struct repeat){ 0, ENDLESS };
		return true;
	case '+':
		*repeat = (struct repeat){ 1, ENDLESS };
		return true;
	case '?':
		*repeat = (struct repeat){ 0, 1 };
		return true;
	default:
		return read_bounds(parser, repeat);
	}
}

/* A piece once more: the steps between two numbers are its own and lead nowhere else. */
static struct part copied(struct parser *parser, struct part part, uint32_t from, uint32_t to)
{
	uint32_t begin = (uint32_t)parser->pattern->count;

	for (uint32_t id = from; id < to && !parser->why; id++) {
		struct wk_step step = parser->pattern->steps[id];

		step.next = step.next == NOWHERE ? NOWHERE : step.next - from + begin;
		step.other = step.other - from + begin;
		add_step(parser, step);
	}
	return (struct part){ part.begin - from + begin, part.end - from + begin };
}

/* Repeats the part between the steps `from` and `to`: the first ones are mandatory, the others
 * optional. */
static struct part repeated(struct parser *parser, struct part part, uint32_t from,
			    struct repeat repeat)
{
	uint32_t to = (uint32_t)parser->pattern->count;
	unsigned times = repeat.most == ENDLESS ? repeat.least + 1 : repeat.most;
	struct part whole = empty_part(parser);

	for (unsigned i = 0; i < times && !parser->why; i++) {
		struct part one = copied(parser, part, from, to);

		join(parser, one.end, NOWHERE);
		if (i >= repeat.least && repeat.most == ENDLESS)
			one = any_number(parser, one);
		else if (i >= repeat.least)
			one = either(parser, one, empty_part(parser));
		whole = then(parser, whole, one);
	}
	return whole;
}

/* An atom and what repeats it. */
static bool read_piece(struct parser *parser, struct part *part)
{
	uint32_t from = (uint32_t)parser->pattern->count;
	struct repeat repeat;

	if (!read_atom(parser, part))
		return false;
	while (*parser->at && strchr("*+?{", *parser->at)) {
		if (!read_repeat(parser, &repeat))
			return false;
		*part = repeated(parser, *part, from, repeat);
	}
	return !parser->why;
}

/* A ")" that closes nothing is a character like others. */
static bool is_end(const struct parser *parser)
{
	char c = *parser->at;

	return !c || c == '|' || (c == ')' && parser->depth > 0);
}

static bool read_branch(struct parser *parser, struct part *part)
{
	struct part piece;

	*part = empty_part(parser);
	while (!is_end(parser)) {
		if (!read_piece(parser, &piece))
			return false;
		*part = then(parser, *part, piece);
	}
	return !parser->why;
}

static bool read_branches(struct parser *parser, struct part *part)
{
	struct part branch;

	if (!read_branch(parser, part))
		return false;
	while (*parser->at == '|') {
		parser->at++;
		if (!read_branch(parser, &branch))
			return false;
		*part = either(parser, *part, branch);
	}
	return !parser->why;
}

bool wk_pattern_parse(struct wk_pattern *pattern, const char *text, bool ignore_case,
		      const char **why)
{
	struct parser parser = { .pattern = pattern, .at = text, .ignore_case = ignore_case };
	struct part whole;

	if (read_branches(&parser, &whole)) {
		join(&parser, whole.end, add_step(&parser, (struct wk_step){
						     .kind = WK_STEP_FOUND }));
		pattern->first = whole.begin;
	}
	*why = parser.why;
	return !parser.why;
}
