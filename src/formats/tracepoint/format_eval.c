/* What a node of a `print fmt` is worth for one sample: 64-bit numbers, as libtraceevent reckons
 * them. A field is read without its sign; whoever prints it cuts it to what the format says. */
#include "formats/tracepoint/format_internal.h"

uint64_t wk_trace_read(const struct wk_trace_sample *sample, uint64_t offset, uint64_t size)
{
	struct wk_bytes piece = wk_bytes_at(&sample->raw, offset, size);

	switch (piece.bad ? 0 : size) {
	case 1:
		return wk_u8(&piece);
	case 2:
		return wk_u16(&piece);
	case 4:
		return wk_u32(&piece);
	case 8:
		return wk_u64(&piece);
	default:
		return 0;
	}
}

struct wk_bytes wk_trace_field_bytes(const struct wk_trace_sample *sample,
				     const struct wk_trace_field *field)
{
	uint64_t word, offset;

	if (!field->is_dynamic)
		return wk_bytes_at(&sample->raw, field->offset, field->size);
	word = wk_trace_read(sample, field->offset, field->size);
	offset = word & 0xffff;
	if (field->is_relative)
		offset += (uint64_t)field->offset + field->size;
	return wk_bytes_at(&sample->raw, offset, word >> 16 & 0xffff);
}

const struct wk_trace_node *wk_trace_uncast(const struct wk_trace_program *program, uint32_t node)
{
	while (program->nodes[node].kind == WK_TRACE_CAST)
		node = program->nodes[node].a;
	return &program->nodes[node];
}

static struct wk_str without_word(struct wk_str type, const char *word)
{
	size_t len = strlen(word);

	if (!wk_str_starts(type, word) || (type.len > len && type.at[len] != ' '))
		return type;
	type = wk_str_skip(type, len);
	while (type.len > 0 && type.at[0] == ' ')
		type = wk_str_skip(type, 1);
	return type;
}

/* Without const, signed and blanks around; `is_unsigned` tells of that word. */
static struct wk_str bare_type(struct wk_str type, bool *is_unsigned)
{
	size_t before;

	while (type.len > 0 && (type.at[0] == ' ' || type.at[0] == '\t'))
		type = wk_str_skip(type, 1);
	while (type.len > 0 && (type.at[type.len - 1] == ' ' || type.at[type.len - 1] == '\t'))
		type.len--;
	type = without_word(without_word(type, "const"), "signed");
	before = type.len;
	type = without_word(type, "unsigned");
	*is_unsigned = type.len < before;
	return type;
}

struct number_type {
	const char *name;
	uint8_t bytes; /* 0: as a long */
	bool is_unsigned;
};

static const struct number_type number_types[] = {
	{ "u8", 1, true },          { "u16", 2, true },        { "u32", 4, true },
	{ "u64", 8, true },         { "s8", 1, false },        { "s16", 2, false },
	{ "s32", 4, false },        { "s64", 8, false },       { "__u8", 1, true },
	{ "__u16", 2, true },       { "__u32", 4, true },      { "__u64", 8, true },
	{ "__s8", 1, false },       { "__s16", 2, false },     { "__s32", 4, false },
	{ "__s64", 8, false },      { "char", 1, false },      { "short", 2, false },
	{ "short int", 2, false },  { "int", 4, false },       { "", 4, false },
	{ "long", 0, false },       { "long int", 0, false },  { "long long", 8, false },
	{ "long long int", 8, false }, { "size_t", 0, true },  { "bool", 1, true },
	{ "pid_t", 4, false },      { "gfp_t", 4, true },      { "sector_t", 8, true },
};

static const struct number_type *number_type(struct wk_str type)
{
	for (size_t i = 0; i < sizeof(number_types) / sizeof(*number_types); i++)
		if (wk_str_is(type, number_types[i].name))
			return &number_types[i];
	return NULL;
}

unsigned wk_trace_type_bytes(struct wk_str type, unsigned long_bytes)
{
	bool is_unsigned;
	const struct number_type *known = number_type(bare_type(type, &is_unsigned));

	if (type.len > 0 && type.at[type.len - 1] == '*')
		return long_bytes;
	return !known ? 0 : known->bytes ? known->bytes : long_bytes;
}

/* Cut to the type's size; types that are not known change nothing. */
static uint64_t cast(struct wk_str type, uint64_t value, unsigned long_bytes)
{
	bool is_unsigned;
	const struct number_type *known = number_type(bare_type(type, &is_unsigned));

	if (!known)
		return value;
	is_unsigned |= known->is_unsigned;
	switch (known->bytes ? known->bytes : long_bytes) {
	case 1:
		return is_unsigned ? (uint8_t)value : (uint64_t)(int8_t)value;
	case 2:
		return is_unsigned ? (uint16_t)value : (uint64_t)(int16_t)value;
	case 4:
		return is_unsigned ? (uint32_t)value : (uint64_t)(int32_t)value;
	default:
		return value;
	}
}

static uint64_t unary(uint8_t op, uint64_t value)
{
	switch (op) {
	case '-':
		return 0 - value;
	case '~':
		return ~value;
	case '!':
		return !value;
	default:
		return value;
	}
}

static uint64_t binary(uint8_t op, uint64_t left, uint64_t right)
{
	switch (op) {
	case '*':
		return left * right;
	case '/':
		return right ? left / right : 0;
	case '%':
		return right ? left % right : 0;
	case '+':
		return left + right;
	case '-':
		return left - right;
	case WK_TRACE_SHIFT_LEFT:
		return right < 64 ? left << right : 0;
	case WK_TRACE_SHIFT_RIGHT:
		return right < 64 ? left >> right : 0;
	case '<':
		return left < right;
	case '>':
		return left > right;
	case WK_TRACE_AT_MOST:
		return left <= right;
	case WK_TRACE_AT_LEAST:
		return left >= right;
	case WK_TRACE_EQUAL:
		return left == right;
	case WK_TRACE_UNEQUAL:
		return left != right;
	case '&':
		return left & right;
	case '^':
		return left ^ right;
	case '|':
		return left | right;
	case WK_TRACE_AND:
		return left && right;
	case WK_TRACE_OR:
		return left || right;
	default:
		return 0;
	}
}

/* An entry of an array: of the size that a cast says, else of the array's own entries. */
static uint64_t element(const struct wk_trace_sample *sample, const struct wk_trace_node *node)
{
	const struct wk_trace_program *program = &sample->event->program;
	const struct wk_trace_node *array = wk_trace_uncast(program, node->a);
	uint64_t index = wk_trace_number(sample, node->b), size, offset;
	struct wk_bytes bytes;

	if (array->kind != WK_TRACE_FIELD && array->kind != WK_TRACE_DYNAMIC)
		return 0;
	size = array->field->element_bytes;
	if (program->nodes[node->a].kind == WK_TRACE_CAST) {
		struct wk_str type = program->nodes[node->a].text;

		while (type.len > 0 && strchr("* ", type.at[type.len - 1]))
			type.len--;
		if (wk_trace_type_bytes(type, sample->formats->long_bytes) > 0)
			size = wk_trace_type_bytes(type, sample->formats->long_bytes);
	}
	bytes = wk_trace_field_bytes(sample, array->field);
	offset = (uint64_t)(bytes.at - bytes.start);
	return bytes.bad || index > UINT32_MAX ? 0
					       : wk_trace_read(sample, offset + index * size, size);
}

static uint64_t field_number(const struct wk_trace_sample *sample, const struct wk_trace_node *node)
{
	return wk_trace_read(sample, node->field->offset, node->field->size);
}

uint64_t wk_trace_number(const struct wk_trace_sample *sample, uint32_t number)
{
	const struct wk_trace_node *node = &sample->event->program.nodes[number];

	if (!wk_trace_step(sample, 1))
		return 0;
	switch (node->kind) {
	case WK_TRACE_NUMBER:
		return node->number;
	case WK_TRACE_FIELD:
		return field_number(sample, node);
	case WK_TRACE_CAST:
		return cast(node->text, wk_trace_number(sample, node->a),
			    sample->formats->long_bytes);
	case WK_TRACE_UNARY:
		return unary(node->op, wk_trace_number(sample, node->a));
	case WK_TRACE_BINARY:
		return binary(node->op, wk_trace_number(sample, node->a),
			      wk_trace_number(sample, node->b));
	case WK_TRACE_CHOICE:
		return wk_trace_number(sample,
				       wk_trace_number(sample, node->a) ? node->b : node->c);
	case WK_TRACE_INDEX:
		return element(sample, node);
	case WK_TRACE_DYNAMIC:
		return field_number(sample, node) & 0xffff;
	case WK_TRACE_DYNAMIC_LENGTH:
		return field_number(sample, node) >> 16;
	default:
		return 0;
	}
}
