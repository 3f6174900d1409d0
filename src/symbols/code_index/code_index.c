#include "symbols/code_index/code_index.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "symbols/cache/cache.h"
#include "symbols/code_index/block.h"
#include "symbols/code_index/ranges.h"
#include "symbols/code_index/texts.h"

/* Deeper chains are not followed to their end: only damaged files have them. */
#define MOST_STEPS 65536

struct unit {
	void *bytes; /* NULL: not added */
	size_t size_bytes;
};

/* A saved index as stored in a file: this header and what it refers to. Numbers are in the byte
 * order of the machine that wrote it, which is how another order is detected; every part starts at
 * a multiple of 8 bytes from here, so that a mapped file is used in place. */
struct file_head {
	uint32_t magic, version;
	uint64_t size_bytes;
	uint64_t texts, texts_len;
	uint64_t ranges, ranges_len;
	uint64_t units, unit_count; /* the start of each, 64 bits, or 0 */
};

#define MAGIC   0x69636b77 /* "wkci" */
#define VERSION 5

/* A loaded index: borrowed bytes, none of which are trusted. */
struct loaded {
	const uint8_t *at;
	size_t size_bytes;
	const uint64_t *units;
	uint64_t unit_count;
};

/* A unit that was opened for an address, and the addresses around it that are its own. */
struct opened {
	uint64_t start, end;
	struct wk_code_packed packed;
};

struct wk_code_index {
	struct wk_code_texts texts;
	struct loaded loaded;
	struct wk_buf own_ranges;
	const uint8_t *range_at; /* the index's own, or loaded */
	size_t range_len;
	struct wk_code_ranges ranges;
	struct unit *units;
	size_t unit_count, unit_cap;
	bool is_changed;
	struct opened last; /* for the last question */
	struct opened next; /* and for the last that is to come */
};

struct wk_code_index *wk_code_index_new(void)
{
	return wk_alloc_zeroed(1, sizeof(struct wk_code_index));
}

void wk_code_index_free(struct wk_code_index *index)
{
	if (!index)
		return;
	for (size_t i = 0; i < index->unit_count; i++)
		wk_free(index->units[i].bytes);
	wk_free(index->units);
	wk_buf_fini(&index->own_ranges);
	wk_code_texts_fini(&index->texts);
	wk_free(index);
}

uint32_t wk_code_index_text(struct wk_code_index *index, struct wk_str text)
{
	return wk_code_texts_add(&index->texts, text);
}

uint32_t wk_code_index_copied(struct wk_code_index *index, struct wk_str text, uint64_t vaddr)
{
	return wk_code_texts_add_marked(&index->texts, text, vaddr);
}

uint32_t wk_code_index_lend(struct wk_code_index *index, struct wk_str bytes)
{
	return wk_code_texts_lend(&index->texts, bytes);
}

struct wk_str wk_code_index_str(const struct wk_code_index *index, uint32_t id)
{
	return wk_code_texts_get(&index->texts, id);
}

void wk_code_index_set_ranges(struct wk_code_index *index, const struct wk_code_range *ranges,
			      size_t count)
{
	wk_buf_reset(&index->own_ranges);
	wk_code_ranges_make(ranges, count, &index->own_ranges);
	index->range_at = (const uint8_t *)index->own_ranges.at;
	index->range_len = index->own_ranges.len;
	wk_code_ranges_open(&index->ranges, index->range_at, index->range_len);
	index->is_changed = true;
	index->last = index->next = (struct opened){ 0 };
}

uint32_t wk_code_index_unit_at(const struct wk_code_index *index, uint64_t vaddr)
{
	return wk_code_ranges_find(&index->ranges, vaddr).unit;
}

static bool was_added(const struct wk_code_index *index, uint32_t unit)
{
	return unit < index->unit_count && index->units[unit].bytes;
}

static bool open_loaded(const struct loaded *loaded, uint32_t unit, struct wk_code_packed *packed)
{
	uint64_t at = unit < loaded->unit_count ? loaded->units[unit] : 0;

	return at > 0 && at % 8 == 0 && at < loaded->size_bytes &&
	       wk_code_block_open(packed, loaded->at + at, loaded->size_bytes - at);
}

static bool open_unit(const struct wk_code_index *index, uint32_t unit,
		      struct wk_code_packed *packed)
{
	if (was_added(index, unit))
		return wk_code_block_open(packed, index->units[unit].bytes,
					  index->units[unit].size_bytes);
	return open_loaded(&index->loaded, unit, packed);
}

bool wk_code_index_has(const struct wk_code_index *index, uint32_t unit)
{
	struct wk_code_packed packed;

	return was_added(index, unit) || open_loaded(&index->loaded, unit, &packed);
}

/* Space for a unit that was not loaded yet; NULL if it was. */
static struct unit *new_unit(struct wk_code_index *index, uint32_t unit)
{
	if (unit == WK_NO_UNIT || wk_code_index_has(index, unit))
		return NULL;
	WK_RESERVE(index->units, index->unit_cap, (size_t)unit + 1);
	for (; index->unit_count <= unit; index->unit_count++)
		index->units[index->unit_count] = (struct unit){ 0 };
	index->is_changed = true;
	return &index->units[unit];
}

void wk_code_index_add(struct wk_code_index *index, uint32_t unit, struct wk_code_maker *maker,
		       const struct wk_code_block *block)
{
	struct unit *added = new_unit(index, unit);

	if (added)
		added->bytes = wk_code_maker_end(maker, block, &added->size_bytes);
}

void wk_code_index_add_empty(struct wk_code_index *index, uint32_t unit)
{
	struct wk_code_maker maker = { 0 };

	wk_code_maker_begin(&maker, 0);
	wk_code_index_add(index, unit, &maker, &(struct wk_code_block){ 0 });
	wk_code_maker_fini(&maker);
}

static uint32_t parent_of(const struct wk_code_packed *packed, uint32_t node)
{
	uint32_t parent = packed->nodes[node].parent;

	return parent < node ? parent : 0;
}

static uint32_t depth_of(const struct wk_code_packed *packed, uint32_t node)
{
	uint32_t depth = 0;

	for (; node && depth < MOST_STEPS; node = parent_of(packed, node))
		depth++;
	return depth;
}

struct source {
	uint32_t file, line, column; /* file: the unit's number */
};

static struct wk_place_ids place_of(const struct wk_code_packed *packed, uint32_t function,
				    const struct source *source)
{
	uint32_t file = source->file < packed->file_count ? packed->files[source->file] : 0;

	return (struct wk_place_ids){ function, file, source->line, source->column };
}

/* From `node` outwards, all but the first `skip`. `rest` is the node that did not fit. */
static size_t chain(const struct wk_code_packed *packed, uint32_t node, uint32_t skip,
		    struct source source, struct wk_place_ids *places, size_t cap, uint32_t *rest)
{
	size_t count = 0;

	for (; node && count < cap; node = parent_of(packed, node)) {
		const struct wk_code_packed_node *here = &packed->nodes[node];

		if (skip > 0)
			skip--;
		else
			places[count++] = place_of(packed, here->function, &source);
		source = (struct source){ here->call_file, here->call_line, here->call_column };
	}
	*rest = node;
	return count;
}

static size_t places_in(const struct wk_code_packed *packed, uint64_t vaddr,
			struct wk_place_ids *places, size_t cap)
{
	const struct wk_code_packed_row *row = cap ? wk_code_block_find(packed, vaddr) : NULL;
	struct source source;
	uint32_t rest;
	size_t count;

	if (!row)
		return 0;
	source = (struct source){ row->file, row->line, row->column };
	if (row->node == 0 || row->node >= packed->node_count) {
		places[0] = place_of(packed, 0, &source);
		return row->line ? 1 : 0;
	}
	count = chain(packed, row->node, 0, source, places, cap, &rest);
	if (rest)
		count = chain(packed, row->node, depth_of(packed, rest), source, places, cap,
			      &rest);
	return count;
}

/* The unit at `vaddr`; leaves the open one if there is none. */
static bool open_at(const struct wk_code_index *index, uint64_t vaddr, struct opened *opened,
		    uint32_t *missing)
{
	struct wk_code_range range = wk_code_ranges_find(&index->ranges, vaddr);

	*missing = range.unit;
	if (!open_unit(index, range.unit, &opened->packed))
		return false;
	*missing = WK_NO_UNIT;
	opened->start = range.start;
	opened->end = range.end;
	return true;
}

/* Unless it is open already. */
static bool need_at(const struct wk_code_index *index, uint64_t vaddr, struct opened *opened,
		    uint32_t *missing)
{
	*missing = WK_NO_UNIT;
	return (vaddr >= opened->start && vaddr < opened->end) ||
	       open_at(index, vaddr, opened, missing);
}

size_t wk_code_index_place_ids(struct wk_code_index *index, uint64_t vaddr,
			       struct wk_place_ids *places, size_t cap, uint32_t *missing)
{
	if (!need_at(index, vaddr, &index->last, missing))
		return 0;
	return places_in(&index->last.packed, vaddr, places, cap);
}

/* The number of rows searched around an address for the start and end of its function. */
#define MOST_ROWS 1024

static uint32_t function_node(const struct wk_code_packed *packed, uint32_t row)
{
	uint32_t node = packed->rows[row].node;

	if (node >= packed->node_count)
		return 0;
	for (uint32_t i = 0; i < MOST_STEPS && parent_of(packed, node); i++)
		node = parent_of(packed, node);
	return node;
}

bool wk_code_index_function(const struct wk_code_index *index, uint64_t vaddr,
			    struct wk_code_function *found)
{
	const struct wk_code_packed_row *here;
	struct opened unit;
	uint32_t missing, first, last, node;

	if (!open_at(index, vaddr, &unit, &missing) ||
	    !(here = wk_code_block_find(&unit.packed, vaddr)))
		return false;
	first = last = (uint32_t)(here - unit.packed.rows);
	node = function_node(&unit.packed, first);
	if (node == 0 || unit.packed.nodes[node].function == 0)
		return false;
	for (unsigned i = 0; i < MOST_ROWS && first > 0; i++, first--)
		if (function_node(&unit.packed, first - 1) != node)
			break;
	for (unsigned i = 0; i < MOST_ROWS && last < unit.packed.row_count; i++, last++)
		if (function_node(&unit.packed, last) != node)
			break;
	*found = (struct wk_code_function){
		.start = unit.packed.base + unit.packed.rows[first].start,
		.end = last < unit.packed.row_count
			       ? unit.packed.base + unit.packed.rows[last].start : unit.end,
		.function = unit.packed.nodes[node].function,
	};
	return true;
}

void wk_code_index_expect(struct wk_code_index *index, uint64_t vaddr)
{
	uint32_t missing;

	if (need_at(index, vaddr, &index->next, &missing))
		wk_code_block_expect(&index->next.packed, vaddr);
}

static struct wk_place with_texts(const struct wk_code_index *index,
				  const struct wk_place_ids *place)
{
	return (struct wk_place){
		.function = wk_code_texts_get(&index->texts, place->function),
		.file = wk_code_texts_get(&index->texts, place->file),
		.line = place->line,
		.column = place->column,
		.copy_at = wk_code_texts_mark(&index->texts, place->function),
	};
}

size_t wk_code_index_places(const struct wk_code_index *index, uint64_t vaddr,
			    struct wk_place *places, size_t cap)
{
	struct wk_place_ids ids[WK_MOST_PLACES];
	struct opened opened;
	uint32_t missing;
	size_t count;

	if (!open_at(index, vaddr, &opened, &missing))
		return 0;
	count = places_in(&opened.packed, vaddr, ids, cap < WK_MOST_PLACES ? cap : WK_MOST_PLACES);
	for (size_t i = 0; i < count; i++)
		places[i] = with_texts(index, &ids[i]);
	return count;
}

bool wk_code_index_is_changed(const struct wk_code_index *index)
{
	return index->is_changed;
}

static void pad(struct wk_buf *out, size_t begin)
{
	static const char zeros[8];

	wk_buf_add(out, zeros, (begin - out->len) % 8);
}

/* A damaged file may name one unit's bytes many times: not more is copied than there is. */
static void save_loaded_unit(const struct wk_code_index *index, uint32_t unit, size_t *left,
			     struct wk_buf *out)
{
	struct wk_code_packed packed;

	if (!open_loaded(&index->loaded, unit, &packed) || packed.size_bytes > *left)
		return;
	*left -= packed.size_bytes;
	wk_buf_add(out, index->loaded.at + index->loaded.units[unit], packed.size_bytes);
}

/* Positions, from `begin` on, of saved words that are ids of texts. */
struct words {
	const struct wk_code_texts *texts;
	const uint32_t *begin;
	struct wk_sort_key *places;
	size_t count, cap;
};

static void add_word(struct words *words, const uint32_t *at)
{
	size_t row = (size_t)(at - words->begin);

	if (!wk_code_texts_is_lent(words->texts, *at) || row > UINT32_MAX)
		return;
	*WK_APPEND(words->places, words->count, words->cap) =
		(struct wk_sort_key){ *at, (uint32_t)row };
}

static void add_words(struct words *words, const uint8_t *bytes, size_t len)
{
	struct wk_code_packed packed;

	if (!wk_code_block_open(&packed, bytes, len))
		return;
	for (uint32_t i = 0; i < packed.node_count; i++)
		add_word(words, &packed.nodes[i].function);
	for (uint32_t i = 0; i < packed.file_count; i++)
		add_word(words, &packed.files[i]);
}

/* Borrowed texts are written with what refers to them. */
static void keep_texts(struct wk_code_index *index, uint8_t *begin, const uint64_t *units)
{
	struct words words = { .texts = &index->texts, .begin = (uint32_t *)(void *)begin };

	for (uint32_t i = 0; i < index->unit_count; i++)
		if (was_added(index, i))
			add_words(&words, begin + units[i], index->units[i].size_bytes);
	wk_code_texts_keep(&index->texts, words.places, words.count, (uint32_t *)(void *)begin);
	wk_free(words.places);
}

static void save_units(struct wk_code_index *index, size_t begin, struct file_head *head,
		       struct wk_buf *out)
{
	size_t left = index->loaded.size_bytes;

	head->unit_count = index->loaded.unit_count;
	if (head->unit_count < index->unit_count)
		head->unit_count = index->unit_count;
	head->units = out->len - begin;
	wk_buf_extend(out, head->unit_count * sizeof(uint64_t));
	for (uint32_t i = 0; i < head->unit_count; i++) {
		uint64_t at = out->len - begin;

		if (was_added(index, i))
			wk_buf_add(out, index->units[i].bytes, index->units[i].size_bytes);
		else
			save_loaded_unit(index, i, &left, out);
		if (out->len - begin == at)
			at = 0;
		memcpy(out->at + begin + head->units + i * sizeof(at), &at, sizeof(at));
	}
	keep_texts(index, (uint8_t *)out->at + begin,
		   (const uint64_t *)(void *)(out->at + begin + head->units));
}

static void save_ranges(const struct wk_code_index *index, size_t begin, struct file_head *head,
			struct wk_buf *out)
{
	head->ranges = out->len - begin;
	head->ranges_len = index->range_len;
	wk_buf_add(out, index->range_at, index->range_len);
	pad(out, begin);
}

void wk_code_index_save(struct wk_code_index *index, struct wk_buf *out)
{
	struct file_head head = { .magic = MAGIC, .version = VERSION };
	size_t begin = out->len;

	wk_buf_extend(out, sizeof(head));
	save_ranges(index, begin, &head, out);
	save_units(index, begin, &head, out);
	head.texts = out->len - begin;
	head.texts_len = wk_code_texts_len(&index->texts);
	wk_code_texts_save(&index->texts, out);
	wk_code_texts_forget_copies(&index->texts);
	pad(out, begin);
	head.size_bytes = out->len - begin;
	memcpy(out->at + begin, &head, sizeof(head));
}

static bool is_inside(const struct file_head *head, uint64_t at, uint64_t count, size_t size_bytes)
{
	return at % 8 == 0 && at >= sizeof(*head) && at <= head->size_bytes &&
	       count <= (head->size_bytes - at) / size_bytes;
}

static bool check(struct wk_bytes bytes, struct wk_err *err)
{
	const struct file_head *head = (const struct file_head *)(const void *)bytes.at;

	if (!wk_cache_check_head(bytes, sizeof(*head), MAGIC, VERSION, "code index", err))
		return false;
	if (head->size_bytes > wk_bytes_left(&bytes) || head->size_bytes < sizeof(*head))
		return wk_fail(err, WK_ECORRUPT, 8,
			       "a saved code index of %zu bytes claims %" PRIu64,
			       wk_bytes_left(&bytes), head->size_bytes);
	if (!is_inside(head, head->texts, head->texts_len, 1) || head->texts_len > UINT32_MAX ||
	    !is_inside(head, head->ranges, head->ranges_len, 1) ||
	    !is_inside(head, head->units, head->unit_count, sizeof(uint64_t)) ||
	    head->unit_count > UINT32_MAX)
		return wk_fail(err, WK_ECORRUPT, 16, "a saved code index has parts outside of it");
	return true;
}

struct wk_code_index *wk_code_index_load(struct wk_bytes bytes, struct wk_err *err)
{
	const struct file_head *head = (const struct file_head *)(const void *)bytes.at;
	struct wk_code_index *index;

	if (!check(bytes, err))
		return NULL;
	index = wk_code_index_new();
	index->loaded = (struct loaded){
		.at = bytes.at,
		.size_bytes = (size_t)head->size_bytes,
		.units = (const uint64_t *)(const void *)(bytes.at + head->units),
		.unit_count = head->unit_count,
	};
	index->texts.loaded = (const char *)bytes.at + head->texts;
	index->texts.loaded_len = (uint32_t)head->texts_len;
	index->range_at = bytes.at + head->ranges;
	index->range_len = (size_t)head->ranges_len;
	if (index->range_len)
		wk_code_ranges_open(&index->ranges, index->range_at, index->range_len);
	return index;
}
