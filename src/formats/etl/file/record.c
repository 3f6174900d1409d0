/* Record headers: a dozen kinds, distinguished by two bytes. */
#include "formats/etl/internal.h"

#define EVENT_TRACE   0xc0 /* flags; the type of the header is next to them */
#define MESSAGE_TRACE 0x90
#define PEBS_INDEX    0x8000
#define COUNTERS      8 /* shift of a three-bit number */
#define HAS_ITEMS     1
#define ITEM_HEAD     8
#define MESSAGE_HEAD  8

enum shape { NOTHING, SYSTEM, PERF_INFO, FULL, INSTANCE, EVENT, MESSAGE, OTHER };

static const struct kind {
	uint8_t shape, head_bytes, size_at, time_at, pointer_bytes;
} kinds[] = {
	[1] = { SYSTEM, 32, 4, 16, 4 },
	[2] = { SYSTEM, 32, 4, 16, 8 },
	[3] = { SYSTEM, 24, 4, 16, 4 }, /* Compact: like System, without processor times */
	[4] = { SYSTEM, 24, 4, 16, 8 },
	[10] = { FULL, 48, 0, 16, 4 },
	[11] = { INSTANCE, 72, 0, 16, 4 },
	[12] = { OTHER, 8, 0, 0, 0 },
	[13] = { OTHER, 8, 0, 0, 0 }, /* Error */
	[14] = { OTHER, 8, 0, 0, 0 }, /* WNODE */
	[15] = { MESSAGE, MESSAGE_HEAD, 0, 0, 0 },
	[16] = { PERF_INFO, 16, 4, 8, 4 },
	[17] = { PERF_INFO, 16, 4, 8, 8 },
	[18] = { EVENT, 80, 0, 16, 4 },
	[19] = { EVENT, 80, 0, 16, 8 },
	[20] = { FULL, 48, 0, 16, 8 },
	[21] = { INSTANCE, 72, 0, 16, 8 },
};

enum { /* of a message: the parts between its header and its text, in this order */
       MESSAGE_SEQUENCE = 1,
       MESSAGE_GUID = 2,
       MESSAGE_COMPONENT = 4,
       MESSAGE_TIME = 8,
       MESSAGE_COUNTER_TIME = 16,
       MESSAGE_SYSTEM = 32,
       MESSAGE_POINTER_32 = 0x40,
};

/* All reads in this file are inside a header whose size was checked. */
static uint16_t u16_at(const uint8_t *at)
{
	uint16_t v;

	memcpy(&v, at, 2);
	return WK_FROM_LE(16, v);
}

static uint32_t u32_at(const uint8_t *at)
{
	uint32_t v;

	memcpy(&v, at, 4);
	return WK_FROM_LE(32, v);
}

static uint64_t u64_at(const uint8_t *at)
{
	uint64_t v;

	memcpy(&v, at, 8);
	return WK_FROM_LE(64, v);
}

/* In the layout of the file and written at once, because it is soon read at once. */
static void read_guid(struct wk_guid *guid, const uint8_t *at)
{
	memcpy(guid, at, sizeof(*guid));
	guid->a = WK_FROM_LE(32, guid->a);
	guid->b = WK_FROM_LE(16, guid->b);
	guid->c = WK_FROM_LE(16, guid->c);
}

/* NULL if the two bytes are unknown. */
static const struct kind *kind_of(const uint8_t *at)
{
	unsigned type = at[2], flags = at[3];

	if ((flags & EVENT_TRACE) == EVENT_TRACE)
		return type < sizeof(kinds) / sizeof(kinds[0]) && kinds[type].head_bytes
			       ? &kinds[type]
			       : NULL;
	return (flags & MESSAGE_TRACE) == MESSAGE_TRACE ? &kinds[15] : NULL;
}

/* The offset of a message's time, or 0. */
static size_t message_time_at(unsigned flags)
{
	size_t at = MESSAGE_HEAD;

	if (!(flags & (MESSAGE_TIME | MESSAGE_COUNTER_TIME)))
		return 0;
	if (flags & MESSAGE_SEQUENCE)
		at += 4;
	if (flags & MESSAGE_COMPONENT)
		at += 4;
	else if (flags & MESSAGE_GUID)
		at += 16;
	return at;
}

static void peek_time(const struct kind *kind, const uint8_t *at, size_t size, uint64_t *time)
{
	size_t time_at = kind->time_at;

	if (kind->shape == MESSAGE)
		time_at = message_time_at(u16_at(at + 6));
	if (time_at && time_at + 8 <= size)
		*time = u64_at(at + time_at);
}

uint32_t wk_etl_record_peek(const struct wk_bytes *left, uint64_t *time, bool *is_broken)
{
	size_t bytes = wk_bytes_left(left);
	const struct kind *kind;
	uint32_t size, mark;

	if (bytes < 8)
		return 0;
	mark = u32_at(left->at);
	if (mark == 0 || mark == UINT32_MAX)
		return 0;
	kind = kind_of(left->at);
	size = kind ? u16_at(left->at + kind->size_at) : 0;
	if (!kind || size < kind->head_bytes || size > bytes) {
		*is_broken = true;
		return 0;
	}
	peek_time(kind, left->at, size, time);
	return size;
}

uint64_t wk_etl_record_time(const struct wk_bytes *left)
{
	size_t bytes = wk_bytes_left(left);
	const struct kind *kind = bytes < 8 ? NULL : kind_of(left->at);
	uint64_t time = 0;

	if (kind)
		peek_time(kind, left->at, bytes, &time);
	return time;
}

static void add_item(struct wk_etl_record *r, uint16_t type, struct wk_bytes data)
{
	if (r->item_count < WK_ETL_MOST_ITEMS)
		r->items[r->item_count++] = (struct wk_etl_item){ type, data };
}

static void read_thread(struct wk_etl_record *r, const uint8_t *at)
{
	r->tid = u32_at(at + 8);
	r->pid = u32_at(at + 12);
}

static void read_hook(struct wk_etl_record *r, const uint8_t *at)
{
	r->kind = WK_ETL_KERNEL;
	r->version = u16_at(at) & 0xff;
	r->hook = u16_at(at + 6);
	r->opcode = (uint8_t)r->hook;
}

/* Processor counters are between the header and the payload. */
static void read_counters(struct wk_etl_record *r, unsigned version)
{
	size_t counters = version >> COUNTERS & 7;

	if (version & PEBS_INDEX)
		add_item(r, WK_ETL_ITEM_PEBS, wk_bytes_slice(&r->payload, 8));
	if (counters)
		add_item(r, WK_ETL_ITEM_COUNTERS, wk_bytes_slice(&r->payload, 8 * counters));
}

static void read_classic(struct wk_etl_record *r, const uint8_t *at)
{
	r->kind = WK_ETL_CLASSIC;
	r->opcode = at[4];
	r->level = at[5];
	r->version = u16_at(at + 6);
	read_guid(&r->provider, at + 24);
	read_thread(r, at);
}

/* Extended items, each of which says whether another one follows. */
static void read_items(struct wk_etl_record *r)
{
	bool has_more = true;

	while (has_more && !r->payload.bad) {
		struct wk_bytes item = r->payload;
		uint16_t size = wk_u16le(&item), type = wk_u16le(&item), link = wk_u16le(&item);
		uint16_t data_bytes = wk_u16le(&item);

		item = wk_bytes_slice(&r->payload, size < ITEM_HEAD ? SIZE_MAX : size);
		wk_bytes_skip(&item, ITEM_HEAD);
		item = wk_bytes_slice(&item, data_bytes);
		if (item.bad)
			r->payload.bad = true;
		else
			add_item(r, type, item);
		has_more = link & 1;
	}
}

static void read_event(struct wk_etl_record *r, const uint8_t *at)
{
	r->kind = WK_ETL_MANIFEST;
	read_thread(r, at);
	read_guid(&r->provider, at + 24);
	r->id = u16_at(at + 40);
	r->version = at[42];
	r->channel = at[43];
	r->level = at[44];
	r->opcode = at[45];
	r->task = u16_at(at + 46);
	r->keyword = u64_at(at + 48);
	read_guid(&r->activity, at + 64);
	if (u16_at(at + 4) & HAS_ITEMS)
		read_items(r);
}

static void read_message_provider(struct wk_etl_record *r, unsigned flags)
{
	struct wk_bytes guid;

	if (flags & MESSAGE_COMPONENT) {
		r->provider.a = wk_u32le(&r->payload);
	} else if (flags & MESSAGE_GUID) {
		guid = wk_bytes_slice(&r->payload, 16);
		if (!guid.bad)
			read_guid(&r->provider, guid.at);
	}
}

static void read_message(struct wk_etl_record *r, const uint8_t *at)
{
	unsigned flags = u16_at(at + 6);

	r->kind = WK_ETL_MESSAGE;
	r->id = u16_at(at + 4);
	r->pointer_bytes = flags & MESSAGE_POINTER_32 ? 4 : 8;
	if (flags & MESSAGE_SEQUENCE)
		wk_bytes_skip(&r->payload, 4);
	read_message_provider(r, flags);
	if (flags & (MESSAGE_TIME | MESSAGE_COUNTER_TIME))
		wk_bytes_skip(&r->payload, 8);
	if (flags & MESSAGE_SYSTEM) {
		r->tid = wk_u32le(&r->payload);
		r->pid = wk_u32le(&r->payload);
	}
}

static void read_shape(struct wk_etl_record *r, const struct kind *kind, const uint8_t *at)
{
	switch ((enum shape)kind->shape) {
	case SYSTEM:
		read_hook(r, at);
		read_thread(r, at);
		break;
	case PERF_INFO:
		read_hook(r, at);
		read_counters(r, u16_at(at));
		break;
	case INSTANCE:
		add_item(r, WK_ETL_ITEM_INSTANCE, wk_bytes_of(at + 48, 24));
		read_classic(r, at);
		break;
	case FULL:
		read_classic(r, at);
		break;
	case EVENT:
		read_event(r, at);
		break;
	case MESSAGE:
		read_message(r, at);
		break;
	case OTHER:
	case NOTHING:
		r->kind = WK_ETL_OTHER;
		r->opcode = at[2];
		break;
	}
}

bool wk_etl_record_read(const uint8_t *at, size_t size_bytes, struct wk_etl_record *record)
{
	const struct kind *kind = kind_of(at);
	struct wk_etl_record *r = record;

	r->keyword = 0;
	r->provider = r->activity = (struct wk_guid){ 0 };
	r->hook = r->id = r->task = r->version = 0;
	r->opcode = r->level = r->channel = 0;
	r->pid = r->tid = WK_ETL_NO_THREAD;
	r->pointer_bytes = kind->pointer_bytes;
	r->item_count = 0;
	/* Copied one by one: a copy of the whole would wait for the writes. */
	r->payload.at = at + kind->head_bytes;
	r->payload.end = at + size_bytes;
	r->payload.start = r->payload.at;
	r->payload.bad = false;
	read_shape(r, kind, at);
	r->payload.start = r->payload.at;
	return !r->payload.bad;
}
