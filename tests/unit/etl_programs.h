/* Events of programs as they write them, and the descriptions that a trace has of them. */
#ifndef WK_TEST_ETL_PROGRAMS_H
#define WK_TEST_ETL_PROGRAMS_H

#include "etl_events.h"

static const struct wk_guid etl_demo = { 0x11111111, 0x2222, 0x3333, { 4, 4, 5, 5, 5, 5, 5, 5 } };
static const struct wk_guid etl_clr = {
	0xe13c0d23, 0xccbc, 0x4e12, { 0x93, 0x1b, 0xd9, 0xcc, 0x2e, 0xee, 0x27, 0xe4 } };
static const struct wk_guid etl_script = {
	0x57277741, 0x3638, 0x4a4b, { 0xbd, 0xba, 0x0a, 0xc6, 0xe4, 0x5d, 0xa5, 0x6c } };

/* Who logs it: EventHeaders of 64 bits, or of 32. */
struct etl_program {
	const struct wk_guid *provider;
	uint16_t id;
	uint8_t version, opcode;
	uint32_t pid, tid; /* 0: 66 and 77 */
	bool is_32_bit;
	const struct wk_buf *items; /* beside the payload, or NULL */
};

static inline void etl_program(struct etl_maker *m, const struct etl_program *p, uint64_t time,
			       const struct wk_buf *payload)
{
	size_t at = etl_event(m, p->is_32_bit ? 18 : 19, p->items ? 1 : 0, ETL_T0 + time);

	etl_set_provider(m, at, p->provider);
	lz_put_at(&m->records, at + 8, p->tid ? p->tid : 77, 4);
	lz_put_at(&m->records, at + 12, p->pid ? p->pid : 66, 4);
	put(&m->records, p->id, 2);
	put(&m->records, p->version, 1);
	put(&m->records, 0, 2);
	put(&m->records, p->opcode, 1);
	put(&m->records, 0, 34);
	if (p->items)
		wk_buf_add(&m->records, p->items->at, p->items->len);
	if (payload)
		wk_buf_add(&m->records, payload->at, payload->len);
	etl_end(m, at, 0);
}

static inline void etl_item(struct wk_buf *items, uint16_t type, bool is_last,
			    const struct wk_buf *data)
{
	size_t bytes = 8 + data->len, padding = (8 - bytes % 8) % 8;

	put(items, bytes + padding, 2);
	put(items, type, 2);
	put(items, !is_last, 2);
	put(items, data->len, 2);
	wk_buf_add(items, data->at, data->len);
	put(items, 0, padding);
}

/* A stack beside the payload; `number` joins two halves. */
static inline void etl_item_stack(struct wk_buf *items, uint64_t number, const uint64_t *addresses,
				  size_t count)
{
	struct wk_buf data = { 0 };

	put(&data, number, 8);
	for (size_t i = 0; i < count; i++)
		put(&data, addresses[i], 8);
	etl_item(items, WK_ETL_ITEM_STACK_64, true, &data);
	wk_buf_fini(&data);
}

/* ---- TraceLogging: name of provider and event, then `fields` as they lie in the item */

static inline void etl_sized(struct wk_buf *items, uint16_t type, bool is_last, const char *name,
			     bool has_tag, const struct wk_buf *rest)
{
	struct wk_buf data = { 0 };

	put(&data, 2 + has_tag + strlen(name) + 1 + (rest ? rest->len : 0), 2);
	put(&data, 0, has_tag);
	put_text8(&data, name);
	if (rest)
		wk_buf_add(&data, rest->at, rest->len);
	etl_item(items, type, is_last, &data);
	wk_buf_fini(&data);
}

static inline void etl_tracelogging(struct wk_buf *items, const char *provider, const char *event,
				    const struct wk_buf *fields)
{
	etl_sized(items, WK_ETL_ITEM_TRAITS, false, provider, false, NULL);
	etl_sized(items, WK_ETL_ITEM_SCHEMA, true, event, true, fields);
}

/* ---- descriptions as Windows' own library gives them */

struct etl_property {
	const char *name;
	uint32_t flags;
	uint16_t in, out;
	const char *words;
	uint16_t count, length;
};

struct etl_description {
	const struct wk_guid *provider, *event; /* event: the class of a classic one, or NULL */
	uint16_t id;
	uint8_t version, opcode;
	const char *provider_name, *task_name, *opcode_name;
	const struct etl_property *properties;
	uint32_t count, top_count;
};

static inline void put_guid(struct wk_buf *to, const struct wk_guid *guid)
{
	put(to, guid->a, 4);
	put(to, guid->b, 2);
	put(to, guid->c, 2);
	wk_buf_add(to, guid->d, 8);
}

/* That .NET compiled. */
struct etl_method {
	uint16_t id;
	uint32_t pid;
	uint64_t time, start, module;
	const char *space, *name;
};

static inline void etl_method(struct etl_maker *m, const struct etl_method *made)
{
	struct etl_program p = { .provider = &etl_clr, .id = made->id, .version = 1,
				 .pid = made->pid };
	struct wk_buf payload = { 0 };

	put(&payload, 0, 8);
	put(&payload, made->module, 8);
	put(&payload, made->start, 8);
	put(&payload, 0x100, 4);
	put(&payload, 0, 8);
	put_text16(&payload, made->space);
	put_text16(&payload, made->name);
	put_text16(&payload, "void ()");
	put(&payload, 9, 2);
	etl_program(m, &p, made->time, &payload);
	wk_buf_fini(&payload);
}

/* That .NET loaded, in process 100. */
static inline void etl_module(struct etl_maker *m, uint64_t number, const char *il_path,
			      const char *native_path)
{
	struct etl_program p = { .provider = &etl_clr, .id = 152, .version = 2, .pid = 100 };
	struct wk_buf payload = { 0 };

	put(&payload, number, 8);
	put(&payload, 0, 16);
	put_text16(&payload, il_path);
	put_text16(&payload, native_path);
	put(&payload, 9, 2);
	put(&payload, 1, 20); /* the managed PDB */
	put_text16(&payload, "a.pdb");
	put_guid(&payload, &etl_demo);
	put(&payload, 2, 4);
	put_text16(&payload, "a.ni.pdb");
	etl_program(m, &p, ETL_MS, &payload);
	wk_buf_fini(&payload);
}

/* Offsets of texts that are put behind everything else. */
static inline uint32_t put_later(struct wk_buf *texts, size_t begin, const char *text)
{
	size_t at = begin + texts->len;

	if (!text)
		return 0;
	put_text16(texts, text);
	return (uint32_t)at;
}

static const struct wk_guid etl_metadata = {
	0xbbccf6c1, 0x6cd1, 0x48c4, { 0x80, 0xff, 0x83, 0x94, 0x82, 0xe3, 0x76, 0x71 } };

static inline void put_description(struct wk_buf *p, const struct etl_description *d)
{
	static const struct wk_guid none = { 0 };
	size_t begin = 112 + 24 * (size_t)d->count;
	struct wk_buf texts = { 0 };

	put_guid(p, d->provider);
	put_guid(p, d->event ? d->event : &none);
	put(p, d->id, 2);
	put(p, d->version, 1);
	put(p, 0, 2);
	put(p, d->opcode, 1);
	put(p, 0, 10);
	put(p, d->event ? 1 : 0, 4);
	put(p, put_later(&texts, begin, d->provider_name), 4);
	put(p, 0, 12);
	put(p, put_later(&texts, begin, d->task_name), 4);
	put(p, put_later(&texts, begin, d->opcode_name), 4);
	put(p, 0, 24);
	put(p, d->count, 4);
	put(p, d->top_count, 4);
	put(p, 0, 4);
	for (uint32_t i = 0; i < d->count; i++) {
		const struct etl_property *property = &d->properties[i];

		put(p, property->flags, 4);
		put(p, put_later(&texts, begin, property->name), 4);
		put(p, property->in, 2);
		put(p, property->out, 2);
		put(p, put_later(&texts, begin, property->words), 4);
		put(p, property->count, 2);
		put(p, property->length, 2);
		put(p, 0, 4);
	}
	wk_buf_add(p, texts.at, texts.len);
	wk_buf_fini(&texts);
}

static inline void etl_describe(struct etl_maker *m, const struct etl_description *d)
{
	struct wk_buf p = { 0 };

	put_description(&p, d);
	etl_classic(m, &etl_metadata, 32, 0, &p);
	wk_buf_fini(&p);
}

/* Words for 1, 2, 4 ... or, where they are no bits, 0, 1, 2 ... */
static inline void etl_words(struct etl_maker *m, const struct wk_guid *provider, const char *name,
			     bool are_bits, const char *const *words, uint32_t count)
{
	struct wk_buf p = { 0 }, texts = { 0 };
	size_t begin = 16 + 8 * (size_t)count;

	put_guid(&p, provider);
	put(&p, put_later(&texts, begin, name), 4);
	put(&p, are_bits ? 2 : 1, 4);
	put(&p, count, 4);
	put(&p, 0, 4);
	for (uint32_t i = 0; i < count; i++) {
		put(&p, put_later(&texts, begin, words[i]), 4);
		put(&p, are_bits ? 1u << i : i, 4);
	}
	wk_buf_add(&p, texts.at, texts.len);
	etl_classic(m, &etl_metadata, 33, 0, &p);
	wk_buf_fini(&texts);
	wk_buf_fini(&p);
}

/* ---- manifests, in pieces of at most so many bytes */

static inline void etl_manifest_piece(struct etl_maker *m, const struct wk_guid *provider,
				      uint32_t pid, const char *xml, size_t piece, size_t index)
{
	struct etl_program p = { provider, .id = 0xfffe, .opcode = 254, .pid = pid, .tid = pid };
	size_t len = strlen(xml), total = (len + piece - 1) / piece;
	size_t from = index * piece, left = len - from;
	struct wk_buf payload = { 0 };

	put(&payload, 0x5b000101, 4);
	put(&payload, total, 2);
	put(&payload, index, 2);
	wk_buf_add(&payload, xml + from, left < piece ? left : piece);
	etl_program(m, &p, 0, &payload);
	wk_buf_fini(&payload);
}

#endif
