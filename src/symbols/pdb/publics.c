/* Public names: the names that linkers see. */
#include <stdlib.h>

#include "base/mem.h"
#include "symbols/object/object_symbols.h"
#include "symbols/pdb/internal.h"

#define HEAD_BYTES    28
#define FLAG_CODE     1
#define FLAG_FUNCTION 2

/* The criteria for choosing among several names at one address. */
#define MOST_NAMESAKES 16
#define LONGEST_WORD   64
#define LONGEST_LOOK   1024

struct public
{
	uint32_t flags, offset;
	uint16_t section;
	struct wk_bytes text; /* begins with its name */
};

static uint64_t key_of(uint16_t section, uint32_t offset)
{
	return (uint64_t)section << 32 | offset;
}

static bool read_public(struct wk_bytes body, struct public *public)
{
	public->flags = wk_u32le(&body);
	public->offset = wk_u32le(&body);
	public->section = wk_u16le(&body);
	public->text = body;
	return !body.bad;
}

/* 32-bit Windows decorates C names in this way. */
static struct wk_str plain_name(const struct wk_pdb *pdb, struct wk_bytes text)
{
	struct wk_str name = wk_bytes_text(&text);

	if (!pdb->is_x86)
		return name;
	return wk_pe_plain_name(name.len > 1 && name.at[0] == '_' ? wk_str_skip(name, 1) : name);
}

static bool public_at(const struct wk_pdb_publics *publics, uint32_t offset, struct public *public)
{
	struct wk_bytes in = publics->records.bytes, body;
	uint16_t kind;

	in = wk_bytes_at(&in, 0, wk_bytes_left(&in));
	wk_bytes_skip(&in, offset);
	return wk_pdb_next_record(&in, &kind, &body) && kind == S_PUB32 &&
	       read_public(body, public);
}

static void open_publics(struct wk_pdb *pdb)
{
	struct wk_pdb_publics *publics = &pdb->publics;
	struct wk_bytes head;
	uint32_t hash_bytes, map_bytes;

	if (publics->is_open)
		return;
	publics->is_open = true;
	if (!wk_msf_read(&pdb->msf, pdb->symbol_stream, &publics->records, NULL) ||
	    !wk_msf_read(&pdb->msf, pdb->publics_stream, &publics->hash, NULL))
		return;
	head = publics->hash.bytes;
	hash_bytes = wk_u32le(&head);
	map_bytes = wk_u32le(&head);
	wk_bytes_skip(&head, HEAD_BYTES - 8);
	wk_bytes_skip(&head, hash_bytes);
	publics->by_address = wk_bytes_slice(&head, map_bytes);
	publics->count = wk_bytes_left(&publics->by_address) / 4;
}

void wk_pdb_publics_fini(struct wk_pdb_publics *publics)
{
	wk_msf_stream_fini(&publics->records);
	wk_msf_stream_fini(&publics->hash);
	wk_free(publics->sorted);
}

/* From all records, if the table by address is missing or wrong. */
static void sort_publics(struct wk_pdb_publics *publics)
{
	struct wk_bytes in = publics->records.bytes, body;
	struct public public;
	uint16_t kind;

	publics->is_sorted = true;
	publics->count = 0;
	for (uint64_t at = 0; wk_pdb_next_record(&in, &kind, &body); at = wk_bytes_offset(&in)) {
		if (kind != S_PUB32 || !read_public(body, &public))
			continue;
		*WK_APPEND(publics->sorted, publics->count, publics->cap) = (struct wk_sort_key){
			key_of(public.section, public.offset), (uint32_t)at };
	}
	wk_sort_keys(publics->sorted, publics->count);
}

/* The n-th by address. */
static bool nth_public(const struct wk_pdb_publics *publics, size_t n, struct public *public)
{
	struct wk_bytes at;

	if (publics->is_sorted)
		return public_at(publics, publics->sorted[n].row, public);
	at = wk_bytes_of(publics->by_address.at + n * 4, 4);
	return public_at(publics, wk_u32le(&at), public);
}

/* The number of records at or below `key`; false if the table contradicts itself. */
static bool search(const struct wk_pdb_publics *publics, uint64_t key, size_t *found)
{
	uint64_t lowest = 0, highest = UINT64_MAX;
	size_t low = 0, high = publics->count;
	struct public public;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		uint64_t here;

		if (!nth_public(publics, middle, &public))
			return false;
		here = key_of(public.section, public.offset);
		if (here < lowest || here > highest)
			return false;
		if (here <= key) {
			low = middle + 1;
			lowest = here;
		} else {
			high = middle;
			highest = here;
		}
	}
	*found = low;
	return true;
}

/* The last part of a scoped name: "push" of "geo::Vec<int>::push", which its linked name contains
 * as well. */
static struct wk_str last_word(struct wk_str name)
{
	size_t begin = name.len;

	while (begin > 0 && name.len - begin < LONGEST_WORD && name.at[begin - 1] != ':' &&
	       name.at[begin - 1] != '>')
		begin--;
	return wk_str_skip(name, begin);
}

static bool contains(struct wk_str text, struct wk_str part)
{
	for (size_t i = 0; i + part.len <= text.len && i < LONGEST_LOOK; i++)
		if (memcmp(text.at + i, part.at, part.len) == 0)
			return true;
	return false;
}

/* Of several at one address (a linker folds functions whose code is the same) the one that `name`
 * may be the plain form of; else the last. */
static struct wk_str choose(struct wk_pdb *pdb, size_t end, uint64_t key, struct wk_str name)
{
	struct wk_str word = last_word(name), last = { "", 0 };
	struct public public;

	for (size_t i = 0; i < MOST_NAMESAKES && i < end; i++) {
		struct wk_str linked;

		if (!nth_public(&pdb->publics, end - 1 - i, &public) ||
		    key_of(public.section, public.offset) != key)
			break;
		linked = plain_name(pdb, public.text);
		if (!wk_pdb_charge(pdb, linked.len))
			break;
		if (contains(linked, word))
			return linked;
		last = i == 0 ? linked : last;
	}
	return last;
}

struct wk_str wk_pdb_public_at(struct wk_pdb *pdb, uint16_t section, uint32_t offset,
			       struct wk_str name)
{
	struct wk_pdb_publics *publics = &pdb->publics;
	uint64_t key = key_of(section, offset);
	size_t end = 0;

	open_publics(pdb);
	if ((publics->count == 0 && !publics->is_sorted) || !search(publics, key, &end)) {
		sort_publics(publics);
		search(publics, key, &end);
	}
	return choose(pdb, end, key, name);
}

struct wk_bytes wk_pdb_public_names(struct wk_pdb *pdb)
{
	open_publics(pdb);
	return pdb->publics.records.bytes;
}

void wk_pdb_each_public(struct wk_pdb *pdb,
			bool (*take)(void *context, const struct wk_pdb_public *symbol),
			void *context)
{
	struct wk_bytes in, body;
	struct public public;
	uint16_t kind;

	open_publics(pdb);
	in = pdb->publics.records.bytes;
	while (wk_pdb_next_record(&in, &kind, &body)) {
		struct wk_pdb_part part;
		uint32_t rva;

		if (kind != S_PUB32 || !read_public(body, &public) ||
		    !wk_pdb_source_rva(pdb, public.section, public.offset, &rva) ||
		    rva == UINT32_MAX)
			continue;
		part = wk_pdb_parts(pdb, rva, rva + 1);
		if (wk_pdb_next_part(pdb, &part) &&
		    !take(context,
			  &(struct wk_pdb_public){
				  .rva = part.start,
				  .name = plain_name(pdb, public.text),
				  .is_function = public.flags & (FLAG_CODE | FLAG_FUNCTION),
			  }))
			return;
	}
}
