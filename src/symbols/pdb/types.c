/* Names of inlined functions: records of the id stream (IPI), which refer to each other and, for
 * members of classes, to the type stream (TPI). Both are read on demand. */
#include <stdlib.h>

#include "base/bisect.h"
#include "base/mem.h"
#include "symbols/pdb/internal.h"

#define TYPES_STREAM 2
#define IDS_STREAM   4

#define MARK_EVERY  16
#define MOST_STEPS  8192 /* from a pair; the writers' are a few hundred records apart */
#define STEP_BYTES  64   /* records are passed one by one until they are as many as these in all */
#define MOST_SCOPES 32

enum {
	LF_MODIFIER = 0x1001,
	LF_CLASS = 0x1504,
	LF_STRUCTURE = 0x1505,
	LF_UNION = 0x1506,
	LF_ENUM = 0x1507,
	LF_INTERFACE = 0x1519,
	LF_FUNC_ID = 0x1601,
	LF_MFUNC_ID = 0x1602,
	LF_STRING_ID = 0x1605,
};

/* The offsets of every few records, in a separate stream. */
static void open_pairs(struct wk_pdb *pdb, struct wk_pdb_types *types, struct wk_bytes head)
{
	uint16_t stream = wk_u16le(&head);
	uint32_t offset, size;

	wk_bytes_skip(&head, 2 + 4 + 4 + 8);
	offset = wk_u32le(&head);
	size = wk_u32le(&head);
	if (head.bad || stream == WK_PDB_NO_STREAM ||
	    !wk_msf_read(&pdb->msf, stream, &types->hash, NULL))
		return;
	types->pairs = wk_bytes_at(&types->hash.bytes, offset, size);
}

static void open_types(struct wk_pdb *pdb, uint32_t stream, struct wk_pdb_types *types)
{
	struct wk_bytes head;
	uint32_t head_bytes, record_bytes;

	if (types->is_open)
		return;
	types->is_open = true;
	types->records = types->pairs = wk_bytes_of("", 0);
	if (!wk_msf_read(&pdb->msf, stream, &types->stream, NULL))
		return;
	head = types->stream.bytes;
	wk_bytes_skip(&head, 4);
	head_bytes = wk_u32le(&head);
	types->first = wk_u32le(&head);
	wk_bytes_skip(&head, 4);
	record_bytes = wk_u32le(&head);
	open_pairs(pdb, types, head);
	types->records = wk_bytes_at(&types->stream.bytes, head_bytes, record_bytes);
}

void wk_pdb_types_fini(struct wk_pdb_types *types)
{
	wk_msf_stream_fini(&types->stream);
	wk_msf_stream_fini(&types->hash);
	wk_free(types->marks);
}

/* The record at `in`, without its length. */
static struct wk_bytes read_record(struct wk_bytes *in)
{
	return wk_bytes_slice(in, wk_u16le(in));
}

static void add_marks(struct wk_pdb_types *types)
{
	struct wk_bytes in = types->records;

	types->has_marks = true;
	for (size_t i = 0; wk_bytes_left(&in) > 0; i++) {
		if (i % MARK_EVERY == 0) {
			*WK_APPEND(types->marks, types->mark_count, types->mark_cap) =
				(uint32_t)(in.at - types->records.at);
		}
		read_record(&in);
	}
}

/* `steps` records after `offset`; bad if there are fewer. */
static struct wk_bytes record_behind(const struct wk_pdb_types *types, uint32_t offset,
				     uint32_t steps)
{
	struct wk_bytes in = types->records;

	wk_bytes_skip(&in, offset);
	for (uint32_t i = 0; i < steps && !in.bad; i++)
		read_record(&in);
	return read_record(&in);
}

struct pair {
	uint32_t number, offset;
};

static struct pair pair_at(const struct wk_pdb_types *types, size_t n)
{
	struct wk_bytes at = wk_bytes_of(types->pairs.at + n * 8, 8);
	uint32_t number = wk_u32le(&at);

	return (struct pair){ number, wk_u32le(&at) };
}

/* The last at or below `number`. */
static bool find_pair(const struct wk_pdb_types *types, uint32_t number, struct pair *pair)
{
	size_t low = 0, high = wk_bytes_left(&types->pairs) / 8;

	WK_BISECT(low, high, pair_at(types, middle).number <= number);
	if (low == 0)
		return false;
	*pair = pair_at(types, low - 1);
	return number - pair->number <= MOST_STEPS;
}

/* The leaf and the rest of a record. Uses the writer's offset pairs while few records are needed;
 * after many requests all records are passed over once and marked. */
static bool find_record(struct wk_pdb_types *types, uint32_t number, uint16_t *leaf,
			struct wk_bytes *body)
{
	struct pair pair;
	uint32_t n;

	if (number < types->first)
		return false;
	n = number - types->first;
	if (!types->has_marks && types->steps < wk_bytes_left(&types->records) / STEP_BYTES &&
	    find_pair(types, number, &pair)) {
		types->steps += number - pair.number;
		*body = record_behind(types, pair.offset, number - pair.number);
	} else {
		if (!types->has_marks)
			add_marks(types);
		if (n / MARK_EVERY >= types->mark_count)
			return false;
		*body = record_behind(types, types->marks[n / MARK_EVERY], n % MARK_EVERY);
	}
	*leaf = wk_u16le(body);
	return !body->bad;
}

/* A number before a name: the value itself, or a type and that many bytes. */
static void skip_numeric(struct wk_bytes *in)
{
	static const uint8_t bytes[] = { 1, 2, 2, 4, 4, 0, 0, 0, 0, 8, 8 };
	uint16_t kind = wk_u16le(in);

	if (kind < 0x8000)
		return;
	kind -= 0x8000;
	if (kind < sizeof(bytes) && bytes[kind])
		wk_bytes_skip(in, bytes[kind]);
	else
		in->bad = true;
}

static struct wk_str text_of(struct wk_pdb *pdb, struct wk_bytes *body)
{
	struct wk_str none = { "", 0 }, text;

	if (body->bad || !wk_pdb_charge(pdb, 1))
		return none;
	text = wk_bytes_text(body);
	return !body->bad && wk_pdb_charge(pdb, text.len) ? text : none;
}

/* Of classes and the like; their names have all scopes in them. */
static struct wk_str class_name(struct wk_pdb *pdb, uint32_t number)
{
	struct wk_str none = { "", 0 };
	struct wk_bytes body;
	uint16_t leaf;

	open_types(pdb, TYPES_STREAM, &pdb->types);
	if (!find_record(&pdb->types, number, &leaf, &body))
		return none;
	if (leaf == LF_MODIFIER && !find_record(&pdb->types, wk_u32le(&body), &leaf, &body))
		return none;
	switch (leaf) {
	case LF_CLASS:
	case LF_STRUCTURE:
	case LF_INTERFACE:
		wk_bytes_skip(&body, 16);
		skip_numeric(&body);
		return text_of(pdb, &body);
	case LF_UNION:
		wk_bytes_skip(&body, 8);
		skip_numeric(&body);
		return text_of(pdb, &body);
	case LF_ENUM:
		wk_bytes_skip(&body, 12);
		return text_of(pdb, &body);
	default:
		return none;
	}
}

/* One id: its own name, and the id around it, which has a smaller number (0: none). */
static bool read_id(struct wk_pdb *pdb, uint32_t number, struct wk_str *name, struct wk_str *scope,
		    uint32_t *around)
{
	struct wk_bytes body;
	uint32_t first;
	uint16_t leaf;

	*around = 0;
	*scope = (struct wk_str){ "", 0 };
	if (!find_record(&pdb->ids, number, &leaf, &body))
		return false;
	first = wk_u32le(&body);
	switch (leaf) {
	case LF_FUNC_ID:
		wk_bytes_skip(&body, 4);
		*around = first;
		break;
	case LF_MFUNC_ID:
		wk_bytes_skip(&body, 4);
		*scope = class_name(pdb, first);
		break;
	case LF_STRING_ID:
		break;
	default:
		return false;
	}
	*name = text_of(pdb, &body);
	return !body.bad && name->len > 0;
}

static uint32_t join(struct wk_pdb *pdb, const struct wk_str *parts, size_t count)
{
	struct wk_buf whole = { 0 };
	uint32_t text;

	if (count == 1)
		return wk_pdb_text(pdb, parts[0]);
	while (count-- > 0) {
		wk_buf_add_str(&whole, parts[count]);
		if (count > 0)
			wk_buf_add_text(&whole, "::");
	}
	text = wk_pdb_text(pdb, wk_buf_str(&whole));
	wk_buf_fini(&whole);
	return text;
}

static uint32_t make_name(struct wk_pdb *pdb, uint32_t id)
{
	struct wk_str parts[MOST_SCOPES + 2], scope;
	uint32_t around = id;
	size_t count = 0;

	while (around && count < MOST_SCOPES) {
		uint32_t number = around;

		if (!read_id(pdb, number, &parts[count], &scope, &around))
			break;
		count++;
		if (scope.len > 0)
			parts[count++] = scope;
		if (around >= number)
			break;
	}
	return count ? join(pdb, parts, count) : 0;
}

uint32_t wk_pdb_inlinee_name(struct wk_pdb *pdb, uint32_t id)
{
	uint32_t *text = wk_map_at(&pdb->inlinee_names, id);

	if (*text == 0) {
		open_types(pdb, IDS_STREAM, &pdb->ids);
		*text = make_name(pdb, id);
		*text = *text ? *text : UINT32_MAX;
	}
	return *text == UINT32_MAX ? 0 : *text;
}
