/* The text of one sample: the `print fmt` walked, its arguments put in. */
#include <stdio.h>

#include "formats/tracepoint/format_internal.h"

#define MOST_WIDTH 512

#define NUMBER_STEPS 16 /* that the library takes for a number */
#define CUT_SHORT    "[TOO LONG]"

struct conversion {
	bool is_left, is_zero_padded, is_alternate, has_sign, has_blank;
	unsigned width;
	int precision; /* -1: none */
	int size;      /* -2 hh, -1 h, 0 int, 1 long and its like, 2 long long */
	char letter;
};

struct printing {
	struct wk_trace_sample sample;
	uint32_t argument; /* the next one; 0 when all were used */
	struct wk_buf out;
	bool failed;
};

static uint32_t read_argument(struct printing *printing)
{
	uint32_t node = printing->argument;

	if (node)
		printing->argument = printing->sample.event->program.nodes[node].next;
	else
		printing->failed = true;
	return node;
}

static unsigned read_width(struct printing *printing, struct wk_str text, size_t *at)
{
	unsigned value = 0;

	if (*at < text.len && text.at[*at] == '*') {
		uint32_t node = read_argument(printing);
		int given = node ? (int)wk_trace_number(&printing->sample, node) : 0;

		++*at;
		value = given > 0 ? (unsigned)given : 0;
	}
	for (; *at < text.len && text.at[*at] >= '0' && text.at[*at] <= '9'; ++*at)
		if (value < MOST_WIDTH)
			value = value * 10 + (unsigned)(text.at[*at] - '0');
	return value;
}

static bool read_flag(struct conversion *conversion, char c)
{
	switch (c) {
	case '-':
		return conversion->is_left = true;
	case '0':
		return conversion->is_zero_padded = true;
	case '#':
		return conversion->is_alternate = true;
	case '+':
		return conversion->has_sign = true;
	case ' ':
		return conversion->has_blank = true;
	default:
		return false;
	}
}

static bool read_size(struct conversion *conversion, char c)
{
	switch (c) {
	case 'h':
		conversion->size--;
		return true;
	case 'l':
		conversion->size++;
		return true;
	case 'L':
	case 'j':
		conversion->size = 2;
		return true;
	case 'z':
	case 'Z':
	case 't':
		conversion->size = 1;
		return true;
	default:
		return false;
	}
}

/* From behind '%' to the letter, on which `at` then stands. */
static struct conversion read_conversion(struct printing *printing, struct wk_str text, size_t *at)
{
	struct conversion conversion = { .precision = -1 };

	while (*at < text.len && read_flag(&conversion, text.at[*at]))
		++*at;
	conversion.width = read_width(printing, text, at);
	if (*at < text.len && text.at[*at] == '.') {
		unsigned precision;

		++*at;
		precision = read_width(printing, text, at);
		conversion.precision = precision < WK_TRACE_MOST_TEXT ? (int)precision : -1;
	}
	if (conversion.width > MOST_WIDTH)
		conversion.width = MOST_WIDTH;
	while (*at < text.len && read_size(&conversion, text.at[*at]))
		++*at;
	conversion.letter = *at < text.len ? text.at[*at] : '\0';
	return conversion;
}

static void add_padded(struct wk_buf *out, struct wk_str text, const struct conversion *conversion)
{
	size_t pad = conversion->width > text.len ? conversion->width - text.len : 0;

	for (size_t i = 0; i < pad && !conversion->is_left; i++)
		wk_buf_add_char(out, ' ');
	wk_buf_add_str(out, text);
	for (size_t i = 0; i < pad && conversion->is_left; i++)
		wk_buf_add_char(out, ' ');
}

static void print_text(struct printing *printing, const struct conversion *conversion)
{
	uint32_t node = read_argument(printing);
	struct wk_buf piece = { .limit = WK_TRACE_MOST_TEXT };
	struct wk_str text;

	if (!node)
		return;
	if (conversion->width == 0 && conversion->precision < 0) {
		wk_trace_text(&printing->sample, node, &printing->out);
		return;
	}
	wk_trace_text(&printing->sample, node, &piece);
	text = wk_buf_str(&piece);
	if (conversion->precision >= 0 && text.len > (size_t)conversion->precision)
		text.len = (size_t)conversion->precision;
	add_padded(&printing->out, text, conversion);
	wk_buf_fini(&piece);
}

/* Cut to the size that the conversion names. */
static uint64_t cut_number(const struct printing *printing, const struct conversion *conversion,
			   uint64_t value)
{
	bool is_signed = conversion->letter == 'd' || conversion->letter == 'i';
	int size = conversion->size;

	if (size == 1 && printing->sample.formats->long_bytes == 4)
		size = 0;
	if (size <= -2)
		return is_signed ? (uint64_t)(int8_t)value : (uint8_t)value;
	if (size == -1)
		return is_signed ? (uint64_t)(int16_t)value : (uint16_t)value;
	if (size == 0)
		return is_signed ? (uint64_t)(int32_t)value : (uint32_t)value;
	return value;
}

static void print_number(struct printing *printing, const struct conversion *conversion)
{
	uint32_t node = read_argument(printing);
	char format[24], text[2 * MOST_WIDTH + 80];
	int precision = conversion->precision < MOST_WIDTH ? conversion->precision : MOST_WIDTH;
	uint64_t value;

	if (!node || !wk_trace_step(&printing->sample, NUMBER_STEPS))
		return;
	value = cut_number(printing, conversion, wk_trace_number(&printing->sample, node));
	snprintf(format, sizeof(format), "%%%s%s%s%s%s*.*ll%c", conversion->is_left ? "-" : "",
		 conversion->is_zero_padded ? "0" : "", conversion->is_alternate ? "#" : "",
		 conversion->has_sign ? "+" : "", conversion->has_blank ? " " : "",
		 conversion->letter);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	snprintf(text, sizeof(text), format, (int)conversion->width, precision,
		 (unsigned long long)value);
#pragma GCC diagnostic pop
	wk_buf_add_text(&printing->out, text);
}

static void print_character(struct printing *printing, const struct conversion *conversion)
{
	uint32_t node = read_argument(printing);
	char c = node ? (char)wk_trace_number(&printing->sample, node) : '\0';

	if (node)
		add_padded(&printing->out, wk_str_of(&c, c ? 1 : 0), conversion);
}

/* %ps and %pS: a function of the kernel by its name. */
static void print_function(struct printing *printing, char letter)
{
	uint32_t node = read_argument(printing);
	uint64_t address, start;
	struct wk_str name;

	if (!node)
		return;
	address = wk_trace_number(&printing->sample, node);
	if (!wk_trace_find_function(printing->sample.formats, address, &name, &start)) {
		wk_buf_add_fmt(&printing->out, "0x%llx", (unsigned long long)address);
		return;
	}
	wk_buf_add_str(&printing->out, name);
	if (letter == 'F' || letter == 'S')
		wk_buf_add_fmt(&printing->out, "+0x%llx", (unsigned long long)(address - start));
}

static void print_plain_pointer(struct printing *printing)
{
	uint32_t node = read_argument(printing);
	uint64_t address = node ? wk_trace_number(&printing->sample, node) : 0;

	if (!node)
		return;
	if (address == 0)
		wk_buf_add_text(&printing->out, "(nil)");
	else
		wk_buf_add_fmt(&printing->out, "0x%llx", (unsigned long long)address);
}

/* `letters` is what follows the p; returns how many of them belong to it. */
static size_t print_pointer(struct printing *printing, struct wk_str letters)
{
	char letter = letters.len ? letters.at[0] : '\0';
	size_t used;

	wk_trace_step(&printing->sample, NUMBER_STEPS);
	if (letter == 'F' || letter == 'f' || letter == 'S' || letter == 's') {
		print_function(printing, letter);
		return 1;
	}
	used = printing->argument ? wk_trace_address_text(&printing->sample, letters,
							  printing->argument, &printing->out)
				  : 0;
	if (used > 0) {
		read_argument(printing);
		return used;
	}
	print_plain_pointer(printing);
	return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
	       (letter >= '0' && letter <= '9');
}

/* `at` stands behind '%'; returns where the text goes on. */
static size_t print_conversion(struct printing *printing, struct wk_str text, size_t at)
{
	struct conversion conversion = read_conversion(printing, text, &at);

	switch (conversion.letter) {
	case '%':
		wk_buf_add_char(&printing->out, '%');
		break;
	case 's':
		print_text(printing, &conversion);
		break;
	case 'c':
		print_character(printing, &conversion);
		break;
	case 'd':
	case 'i':
	case 'u':
	case 'x':
	case 'X':
	case 'o':
		print_number(printing, &conversion);
		break;
	case 'p':
		at += print_pointer(printing, wk_str_skip(text, at + 1));
		break;
	case '\0':
		break;
	default:
		wk_buf_add_fmt(&printing->out, ">%c<", conversion.letter);
	}
	return at + 1;
}

static char unescaped(char c)
{
	switch (c) {
	case 'n':
		return '\n';
	case 't':
		return '\t';
	case 'r':
		return '\r';
	default:
		return c;
	}
}

static bool is_cut(const struct printing *printing)
{
	return printing->out.full || printing->sample.formats->steps == 0;
}

static void print_program(struct printing *printing)
{
	struct wk_str text = printing->sample.event->program.text;
	size_t i = 0;

	while (i < text.len && !printing->failed && !is_cut(printing)) {
		if (text.at[i] == '%') {
			i = print_conversion(printing, text, i + 1);
		} else if (text.at[i] == '\\' && i + 1 < text.len) {
			wk_buf_add_char(&printing->out, unescaped(text.at[i + 1]));
			i += 2;
		} else {
			wk_buf_add_char(&printing->out, text.at[i++]);
		}
	}
}

static size_t text_limit(size_t raw_bytes)
{
	size_t limit = WK_TRACE_LEAST_TEXT + WK_TRACE_BYTE_TEXT * raw_bytes;

	return limit < WK_TRACE_MOST_TEXT ? limit : WK_TRACE_MOST_TEXT;
}

void wk_trace_formats_print(struct wk_trace_formats *formats, struct wk_bytes raw,
			    struct wk_buf *out)
{
	struct printing printing = { .sample.formats = formats };
	struct wk_trace_event *event;
	uint32_t index;

	printing.out.limit = text_limit(wk_bytes_left(&raw));
	raw.start = raw.at;
	raw.big_endian = formats->big_endian;
	printing.sample.raw = raw;
	index = wk_map_find(&formats->event_of_id, wk_trace_read(&printing.sample, 0, 2));
	if (!index)
		return;
	wk_trace_formats_at(formats, index - 1);
	event = &formats->events[index - 1];
	if (!event->program.is_made)
		wk_trace_compile(formats, event);
	formats->steps = WK_TRACE_STEPS + WK_TRACE_BYTE_STEPS * (uint64_t)wk_bytes_left(&raw);
	printing.sample.event = event;
	printing.argument = event->program.arguments;
	printing.failed = !event->program.is_good;
	if (!printing.failed)
		print_program(&printing);
	if (printing.failed) {
		wk_buf_add_text(&printing.out, "[FAILED TO PARSE]");
		wk_trace_fields_text(&printing.sample, &printing.out);
	}
	wk_buf_add_str(out, wk_buf_str(&printing.out));
	if (is_cut(&printing))
		wk_buf_add_text(out, CUT_SHORT);
	wk_buf_fini(&printing.out);
}
