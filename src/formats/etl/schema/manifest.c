/* Manifests that .NET programs write into a trace: XML in pieces, from each process with the
 * provider, at the start of a session and again at its end. */
#include <stdlib.h>

#include "base/buf.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/mem.h"
#include "formats/etl/file/guid.h"
#include "formats/etl/schema/sources.h"

#define MAGIC     0x5b
#define OLDEST    1   /* the only form there is */
#define MOST_OPEN 256 /* manifests that are not complete yet */

/* The pieces of one manifest come from one thread in order. */
struct unfinished {
	struct wk_guid provider;
	uint32_t pid, tid;
	uint16_t next, total;
	struct wk_buf xml;
};

struct wk_etl_manifests {
	struct unfinished *at;
	size_t count, cap;
	struct wk_map known; /* hashes of those that were read */
};

struct wk_etl_manifests *wk_etl_manifests_new(void)
{
	return wk_alloc_zeroed(1, sizeof(struct wk_etl_manifests));
}

void wk_etl_manifests_free(struct wk_etl_manifests *manifests)
{
	for (size_t i = 0; i < manifests->count; i++)
		wk_buf_fini(&manifests->at[i].xml);
	wk_map_fini(&manifests->known);
	WK_FREE_ALL(manifests->at, manifests);
}

static bool is_of(const struct unfinished *row, const struct wk_etl_record *record)
{
	return row->pid == record->pid && row->tid == record->tid &&
	       wk_guid_eq(&row->provider, &record->provider);
}

/* Few are open at a time, and the latest are at the end. */
static struct unfinished *find(struct wk_etl_manifests *manifests,
			       const struct wk_etl_record *record)
{
	for (size_t i = manifests->count; i > 0; i--)
		if (is_of(&manifests->at[i - 1], record))
			return &manifests->at[i - 1];
	return NULL;
}

static void close(struct wk_etl_manifests *manifests, struct unfinished *row)
{
	wk_buf_fini(&row->xml);
	*row = manifests->at[--manifests->count];
}

static struct unfinished *begin(struct wk_etl_manifests *manifests,
				const struct wk_etl_record *record, uint16_t total)
{
	struct unfinished *row = find(manifests, record);

	if (row)
		close(manifests, row);
	if (manifests->count == MOST_OPEN)
		close(manifests, &manifests->at[0]);
	WK_RESERVE(manifests->at, manifests->cap, manifests->count + 1);
	row = &manifests->at[manifests->count++];
	*row = (struct unfinished){ .provider = record->provider, .pid = record->pid,
				    .tid = record->tid, .total = total };
	return row;
}

/* Each process and each rundown writes the same manifest. */
static void read_whole(struct wk_etl_manifests *manifests, struct wk_etl_schemas *schemas,
		       const struct unfinished *row)
{
	uint32_t *is_known = wk_map_at(&manifests->known, wk_hash_bytes(row->xml.at, row->xml.len));

	if (*is_known)
		return;
	*is_known = 1;
	wk_etl_schemas_read_xml(schemas, wk_bytes_of(row->xml.at, row->xml.len));
}

void wk_etl_manifests_add(struct wk_etl_manifests *manifests, struct wk_etl_schemas *schemas,
			  const struct wk_etl_record *record)
{
	struct wk_bytes in = record->payload;
	uint8_t form = wk_u8(&in), magic;
	uint16_t total, index;
	struct unfinished *row;

	if (!wk_etl_is_manifest_chunk(record))
		return;
	wk_bytes_skip(&in, 2);
	magic = wk_u8(&in);
	total = wk_u16le(&in);
	index = wk_u16le(&in);
	if (in.bad || form != OLDEST || magic != MAGIC || index >= total)
		return;
	row = index == 0 ? begin(manifests, record, total) : find(manifests, record);
	if (!row || row->next != index || row->total != total)
		return;
	wk_buf_add(&row->xml, in.at, wk_bytes_left(&in));
	if (++row->next < row->total)
		return;
	read_whole(manifests, schemas, row);
	close(manifests, row);
}
