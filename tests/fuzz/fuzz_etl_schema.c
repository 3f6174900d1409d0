/* Any bytes as what describes the events of a program (a description, words for numbers, a piece of
 * a manifest, TraceLogging's fields) and as the payloads of such events. However those are made, a
 * text is in proportion to its payload.
 *
 * The bytes are cut into pieces, each behind its length (u16); the first byte of the input says how
 * wide pointers are. */
#include <stdlib.h>

#include "formats/etl/schema/descriptions.h"

static const struct wk_guid metadata = {
	0xbbccf6c1, 0x6cd1, 0x48c4, { 0x80, 0xff, 0x83, 0x94, 0x82, 0xe3, 0x76, 0x71 } };

struct emitted {
	size_t payload_bytes, count;
};

static bool take(void *context, const struct wk_event *event, struct wk_err *err)
{
	struct emitted *emitted = context;

	(void)err;
	if (event->kind == WK_EVENT_OTHER &&
	    (event->other.text.len > 4096 + 16 * emitted->payload_bytes ||
	     event->other.what.len > 4 * WK_ETL_MOST_NAME))
		abort();
	emitted->count++;
	return true;
}

static struct wk_bytes next(struct wk_bytes *in)
{
	uint16_t bytes = wk_u16le(in);
	size_t left = wk_bytes_left(in);

	return wk_bytes_slice(in, bytes < left ? bytes : left);
}

static struct wk_etl_record classic(uint8_t opcode, struct wk_bytes payload)
{
	return (struct wk_etl_record){ .kind = WK_ETL_CLASSIC, .provider = metadata,
				       .opcode = opcode, .pointer_bytes = 8, .payload = payload };
}

/* Of the provider and number that the description has. */
static struct wk_etl_record described(struct wk_bytes description, struct wk_bytes payload)
{
	struct wk_etl_record record = { .kind = WK_ETL_MANIFEST, .payload = payload };

	record.provider.a = wk_u32le(&description);
	record.provider.b = wk_u16le(&description);
	record.provider.c = wk_u16le(&description);
	for (size_t i = 0; i < sizeof(record.provider.d); i++)
		record.provider.d[i] = wk_u8(&description);
	wk_bytes_skip(&description, 16);
	record.id = wk_u16le(&description);
	record.version = wk_u8(&description);
	return record;
}

static void show(struct wk_etl_kinds *kinds, struct wk_etl_schemas *descriptions,
		 const struct wk_etl_record *record)
{
	struct emitted emitted = { wk_bytes_left(&record->payload), 0 };
	struct wk_sink sink = { .take = take, .context = &emitted };
	struct wk_event event = { 0 };
	uint32_t kind = wk_etl_kinds_add(kinds, record);

	if (!wk_etl_schemas_emit(descriptions, record, kind, &event, &sink, NULL) ||
	    emitted.count > 1)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct wk_bytes in = wk_bytes_of(data, size);
	uint8_t width = wk_u8(&in) & 1 ? 4 : 8;
	struct wk_bytes description = next(&in), words = next(&in), piece = next(&in);
	struct wk_bytes fields = next(&in), payload = next(&in);
	struct wk_etl_kinds *kinds = wk_etl_kinds_new();
	struct wk_etl_schemas *descriptions = wk_etl_schemas_new(kinds);
	struct wk_etl_record records[] = {
		classic(32, description), classic(33, words), described(description, piece),
		described(description, payload), described(description, payload) };
	size_t count = sizeof(records) / sizeof(records[0]);

	records[2].id = 0xfffe;
	records[2].opcode = 254;
	records[4].items[0] = (struct wk_etl_item){ WK_ETL_ITEM_SCHEMA, fields };
	records[4].item_count = 1;
	for (size_t i = 0; i < count; i++) {
		records[i].pointer_bytes = width;
		wk_etl_schemas_learn(descriptions, &records[i]);
	}
	wk_etl_schemas_settle(descriptions);
	for (size_t i = 0; i < count; i++)
		show(kinds, descriptions, &records[i]);
	records[3].id = 1; /* as manifests number their first event */
	show(kinds, descriptions, &records[3]);
	wk_etl_schemas_free(descriptions);
	wk_etl_kinds_free(kinds);
	return 0;
}
