/* Address conversion: section and offset to addresses, and code that was moved after linking. */
#include <stdlib.h>

#include "base/bisect.h"
#include "base/mem.h"
#include "symbols/pdb/internal.h"

/* Places in the DBI's list of streams. */
enum {
	MOVED_TO_SOURCE = 3,
	MOVED_FROM_SOURCE = 4,
	SECTION_HEADERS = 5,
	SOURCE_SECTION_HEADERS = 10,
};

#define SECTION_BYTES 40
#define MOST_SECTIONS 0xffff
#define MOVED_BYTES   8

/* How many times ranges may be split at a moved block. Twice would do for disjoint symbols. */
#define MOST_ROUNDS  16
#define SMALL_BUDGET 65536

static bool has(const struct wk_pdb *pdb, int which)
{
	uint16_t stream = pdb->debug_streams[which];

	return stream != WK_PDB_NO_STREAM && wk_msf_stream_bytes(&pdb->msf, stream) > 0;
}

static struct wk_pdb_section read_section(struct wk_bytes *in)
{
	struct wk_bytes header = wk_bytes_slice(in, SECTION_BYTES);
	struct wk_pdb_section section;
	uint32_t in_file;

	wk_bytes_skip(&header, 8);
	section.size_bytes = wk_u32le(&header);
	section.rva = wk_u32le(&header);
	in_file = wk_u32le(&header);
	if (section.size_bytes == 0)
		section.size_bytes = in_file;
	wk_bytes_skip(&header, 16);
	section.is_code = wk_u32le(&header) & (WK_PDB_CODE | WK_PDB_EXECUTABLE);
	return section;
}

static bool read_headers(struct wk_pdb *pdb, int which, struct wk_pdb_sections *sections,
			 struct wk_err *err)
{
	struct wk_msf_stream stream;

	if (!wk_msf_read(&pdb->msf, pdb->debug_streams[which], &stream, err))
		return false;
	sections->count = wk_bytes_left(&stream.bytes) / SECTION_BYTES;
	if (sections->count > MOST_SECTIONS)
		sections->count = MOST_SECTIONS;
	sections->rows = wk_alloc_zeroed(sections->count + 1, sizeof(*sections->rows));
	for (size_t i = 0; i < sections->count; i++)
		sections->rows[i] = read_section(&stream.bytes);
	wk_msf_stream_fini(&stream);
	return true;
}

/* By start; of several at one place the last counts. */
static void order_moved(struct wk_pdb *pdb)
{
	struct wk_sort_key *order = WK_SORT_ORDER(pdb->moved, pdb->moved_count, from);

	pdb->moved = wk_sort_gather(pdb->moved, order, pdb->moved_count, sizeof(*pdb->moved));
	wk_free(order);
}

static bool read_moved(struct wk_pdb *pdb, int which, struct wk_err *err)
{
	struct wk_msf_stream stream;

	if (!wk_msf_read(&pdb->msf, pdb->debug_streams[which], &stream, err))
		return false;
	pdb->moved_count = wk_bytes_left(&stream.bytes) / MOVED_BYTES;
	pdb->moved = wk_alloc((pdb->moved_count + 1) * sizeof(*pdb->moved));
	for (size_t i = 0; i < pdb->moved_count; i++) {
		pdb->moved[i].from = wk_u32le(&stream.bytes);
		pdb->moved[i].to = wk_u32le(&stream.bytes);
	}
	wk_msf_stream_fini(&stream);
	order_moved(pdb);
	return true;
}

/* The table from the image back to the source is the inverse: where an interval ends something was
 * removed, unless another one begins there. */
static void turn_moved(struct wk_pdb *pdb)
{
	const struct wk_pdb_moved *back = pdb->moved;
	size_t count = pdb->moved_count, made = 0;
	struct wk_pdb_moved *moved = wk_alloc((2 * count + 1) * sizeof(*moved));

	for (size_t i = 0; i + 1 < count; i++)
		if (back[i].to && back[i + 1].from - back[i].from <= UINT32_MAX - back[i].to)
			moved[made++] = (struct wk_pdb_moved){
				back[i].to + (back[i + 1].from - back[i].from), 0 };
	for (size_t i = 0; i < count; i++)
		if (back[i].to)
			moved[made++] = (struct wk_pdb_moved){ back[i].to, back[i].from };
	wk_free(pdb->moved);
	pdb->moved = moved;
	pdb->moved_count = made;
	order_moved(pdb);
}

static bool find_moved(struct wk_pdb *pdb, struct wk_err *err)
{
	if (has(pdb, MOVED_FROM_SOURCE))
		return read_moved(pdb, MOVED_FROM_SOURCE, err);
	if (!has(pdb, MOVED_TO_SOURCE))
		return true;
	if (!read_moved(pdb, MOVED_TO_SOURCE, err))
		return false;
	turn_moved(pdb);
	return true;
}

bool wk_pdb_read_sections(struct wk_pdb *pdb, struct wk_err *err)
{
	bool is_moved;

	if (!has(pdb, SECTION_HEADERS))
		return wk_fail(err, WK_ENOTFOUND, WK_NOWHERE,
			       "this PDB does not say where the "
			       "image's sections are");
	if (!read_headers(pdb, SECTION_HEADERS, &pdb->sections, err) || !find_moved(pdb, err))
		return false;
	/* Without separate headers the sections stayed and only their contents moved. */
	is_moved = pdb->moved_count > 0 && has(pdb, SOURCE_SECTION_HEADERS);
	pdb->move_budget = SMALL_BUDGET + MOST_ROUNDS * (uint64_t)pdb->moved_count;
	return read_headers(pdb, is_moved ? SOURCE_SECTION_HEADERS : SECTION_HEADERS,
			    &pdb->source_sections, err);
}

void wk_pdb_sections_fini(struct wk_pdb *pdb)
{
	WK_FREE_ALL(pdb->sections.rows, pdb->source_sections.rows, pdb->moved);
}

bool wk_pdb_source_rva(const struct wk_pdb *pdb, uint16_t section, uint32_t offset, uint32_t *rva)
{
	const struct wk_pdb_section *row;

	if (section == 0 || section > pdb->source_sections.count)
		return false;
	row = &pdb->source_sections.rows[section - 1];
	*rva = row->rva + offset;
	return offset <= UINT32_MAX - row->rva;
}

size_t wk_pdb_section_count(const struct wk_pdb *pdb)
{
	return pdb->sections.count;
}

struct wk_pdb_section wk_pdb_section_at(const struct wk_pdb *pdb, size_t i)
{
	return pdb->sections.rows[i];
}

uint64_t wk_pdb_section_end(const struct wk_pdb *pdb, uint64_t rva)
{
	for (size_t i = 0; i < pdb->sections.count; i++) {
		const struct wk_pdb_section *row = &pdb->sections.rows[i];

		if (rva >= row->rva && rva - row->rva < row->size_bytes)
			return (uint64_t)row->rva + row->size_bytes;
	}
	return 0;
}

/* How many begin at or below `source`. */
static size_t count_up_to(const struct wk_pdb *pdb, uint32_t source)
{
	size_t low = 0, high = pdb->moved_count;

	WK_BISECT(low, high, pdb->moved[middle].from <= source);
	return low;
}

struct wk_pdb_part wk_pdb_parts(const struct wk_pdb *pdb, uint32_t start, uint32_t end)
{
	return (struct wk_pdb_part){ .at = start, .rest_end = end,
				     .next = pdb->moved_count ? count_up_to(pdb, start) : 0 };
}

static bool whole_part(struct wk_pdb_part *part)
{
	part->start = (uint32_t)part->at;
	part->end = (uint32_t)part->rest_end;
	part->at = part->rest_end;
	return true;
}

/* `at` is in the block before `next`, or before all. */
bool wk_pdb_next_part(struct wk_pdb *pdb, struct wk_pdb_part *part)
{
	if (part->at >= part->rest_end)
		return false;
	if (pdb->moved_count == 0)
		return whole_part(part);
	while (part->at < part->rest_end) {
		const struct wk_pdb_moved *row = part->next ? &pdb->moved[part->next - 1] : NULL;
		uint64_t from = part->at, end = part->rest_end;

		if (part->next < pdb->moved_count && pdb->moved[part->next].from < end) {
			if (pdb->move_budget == 0)
				return false;
			pdb->move_budget--;
			end = pdb->moved[part->next].from;
		}
		part->next++;
		part->at = end;
		if (!row || row->to == 0 || from >= end ||
		    end - row->from > UINT32_MAX - (uint64_t)row->to)
			continue;
		part->start = (uint32_t)(row->to + (from - row->from));
		part->end = (uint32_t)(row->to + (end - row->from));
		return true;
	}
	return false;
}
