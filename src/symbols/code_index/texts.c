#include "symbols/code_index/texts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/num.h"

#define PIECE_BITS  18
#define PIECE_BYTES ((size_t)1 << PIECE_BITS)

/* Of a file, which may be damaged. */
#define LONGEST_LOADED ((size_t)1 << 20)

/* Longer names are real (templates), but not much longer. */
#define LONGEST_LENT ((size_t)256 * 1024)
#define MOST_LENT    (UINT32_MAX / 2)

/* Linkers let texts share their tails, and that is all the sharing there is. */
#define MOST_ROUNDS  4
#define SMALL_BUDGET (1024 * 1024)

void wk_code_texts_fini(struct wk_code_texts *texts)
{
	for (size_t i = 0; i < texts->piece_count; i++)
		if (!texts->is_inside[i])
			wk_free(texts->pieces[i]);
	WK_FREE_ALL(texts->pieces, texts->is_inside);
	wk_index_fini(&texts->index);
	wk_free(texts->lent);
	wk_code_texts_forget_copies(texts);
	*texts = (struct wk_code_texts){ 0 };
}

/* Space for `len` contiguous bytes after the used ones; false if ids are exhausted. */
static bool make_room(struct wk_code_texts *texts, size_t len)
{
	size_t count = (len + PIECE_BYTES - 1) >> PIECE_BITS;
	char *room;

	if (len <= (texts->piece_count << PIECE_BITS) - texts->used)
		return true;
	if ((texts->piece_count + count) << PIECE_BITS >
	    UINT32_MAX - texts->loaded_len - texts->lent_bytes)
		return false;
	room = wk_alloc_zeroed(count, PIECE_BYTES);
	texts->used = texts->piece_count << PIECE_BITS;
	WK_RESERVE(texts->pieces, texts->piece_cap, texts->piece_count + count);
	WK_RESERVE(texts->is_inside, texts->inside_cap, texts->piece_count + count);
	for (size_t i = 0; i < count; i++) {
		texts->is_inside[texts->piece_count] = i > 0;
		texts->pieces[texts->piece_count++] = room + (i << PIECE_BITS);
	}
	return true;
}

static char *place_of(const struct wk_code_texts *texts, size_t offset)
{
	return texts->pieces[offset >> PIECE_BITS] + (offset & (PIECE_BYTES - 1));
}

/* Ids from here on belong to borrowed texts. */
static uint32_t first_lent(const struct wk_code_texts *texts)
{
	return UINT32_MAX - texts->lent_bytes;
}

static struct wk_str lent_text(const struct wk_code_texts *texts, uint32_t id)
{
	struct wk_str text = { "", 0 };
	size_t low = 0, high = texts->lent_count, left;
	const char *at, *nul;

	WK_BISECT(low, high, texts->lent[middle].first > id);
	if (low == texts->lent_count || id - texts->lent[low].first >= texts->lent[low].bytes.len)
		return text;
	at = texts->lent[low].bytes.at + (id - texts->lent[low].first);
	left = texts->lent[low].bytes.len - (id - texts->lent[low].first);
	nul = memchr(at, 0, left < LONGEST_LENT ? left : LONGEST_LENT);
	return nul ? wk_str_of(at, (size_t)(nul - at)) : text;
}

struct wk_str wk_code_texts_get(const struct wk_code_texts *texts, uint32_t id)
{
	struct wk_str text = { "", 0 };

	if (id == 0)
		return text;
	if (wk_code_texts_is_lent(texts, id))
		return lent_text(texts, id);
	if (id < texts->loaded_len) {
		size_t left = texts->loaded_len - id;

		text.at = texts->loaded + id;
		text.len = strnlen(text.at, left < LONGEST_LOADED ? left : LONGEST_LOADED);
	} else if (id - texts->loaded_len < texts->used) {
		text = wk_str_c(place_of(texts, id - texts->loaded_len));
	}
	return text;
}

static bool is_text(const void *table, uint32_t id, const void *key)
{
	return wk_str_eq(wk_code_texts_get(table, id), *(const struct wk_str *)key);
}

/* A damaged file may have the same text again and again. */
static void index_loaded(struct wk_code_texts *texts)
{
	texts->knows_loaded = true;
	for (uint64_t at = 0; at < texts->loaded_len;) {
		struct wk_str text = wk_code_texts_get(texts, (uint32_t)at);
		uint64_t hash = wk_hash_bytes(text.at, text.len);

		if (text.len && !wk_index_find(&texts->index, hash, is_text, texts, &text))
			wk_index_add(&texts->index, hash, (uint32_t)at);
		at += text.len + 1;
	}
}

static uint32_t find(struct wk_code_texts *texts, uint64_t hash, struct wk_str text)
{
	if (!texts->knows_loaded)
		index_loaded(texts);
	return wk_index_find(&texts->index, hash, is_text, texts, &text);
}

uint32_t wk_code_texts_add(struct wk_code_texts *texts, struct wk_str text)
{
	uint64_t hash;
	uint32_t id;

	if (text.len == 0)
		return 0;
	/* No more of it than wk_code_texts_get returns once it is loaded. */
	if (text.len > LONGEST_LOADED)
		text.len = LONGEST_LOADED;
	hash = wk_hash_bytes(text.at, text.len);
	id = find(texts, hash, text);
	if (id)
		return id;
	if (texts->loaded_len + texts->used == 0 && make_room(texts, 1))
		texts->used = 1; /* nothing has id 0 */
	if (!make_room(texts, text.len + 1))
		return 0;
	memcpy(place_of(texts, texts->used), text.at, text.len);
	id = texts->loaded_len + (uint32_t)texts->used;
	texts->used += text.len + 1;
	wk_index_add(&texts->index, hash, id);
	return id;
}

/* The number before a text: hexadecimal digits between two of these. */
#define MARK        '\x01'
#define MARK_DIGITS 16
#define MARK_BYTES  (MARK_DIGITS + 2)

uint32_t wk_code_texts_add_marked(struct wk_code_texts *texts, struct wk_str text, uint64_t number)
{
	struct wk_buf whole = { 0 };
	uint32_t id;

	wk_buf_add_fmt(&whole, "%c%0*" PRIx64 "%c", MARK, MARK_DIGITS, number, MARK);
	wk_buf_add_str(&whole, text);
	id = wk_code_texts_add(texts, wk_buf_str(&whole));
	wk_buf_fini(&whole);
	return id ? id + MARK_BYTES : 0;
}

static char byte_of(const struct wk_code_texts *texts, uint32_t id)
{
	return id < texts->loaded_len ? texts->loaded[id]
				      : *place_of(texts, id - texts->loaded_len);
}

uint64_t wk_code_texts_mark(const struct wk_code_texts *texts, uint32_t id)
{
	char digits[MARK_DIGITS];
	uint64_t number;

	if (id <= MARK_BYTES || id >= texts->loaded_len + texts->used ||
	    byte_of(texts, id - 1) != MARK || byte_of(texts, id - MARK_BYTES) != MARK)
		return 0;
	for (uint32_t i = 0; i < MARK_DIGITS; i++)
		digits[i] = byte_of(texts, id - 1 - MARK_DIGITS + i);
	return wk_num_hex(wk_str_of(digits, MARK_DIGITS), &number) ? number : 0;
}

uint32_t wk_code_texts_lend(struct wk_code_texts *texts, struct wk_str bytes)
{
	uint64_t taken = texts->loaded_len + ((uint64_t)texts->piece_count << PIECE_BITS);

	if (bytes.len > MOST_LENT - texts->lent_bytes ||
	    taken + bytes.len + texts->lent_bytes >= UINT32_MAX)
		return 0;
	texts->lent_bytes += (uint32_t)bytes.len;
	*WK_APPEND(texts->lent, texts->lent_count, texts->lent_cap) =
		(struct wk_code_lent){ bytes, first_lent(texts) };
	return first_lent(texts);
}

void wk_code_texts_forget_copies(struct wk_code_texts *texts)
{
	wk_free(texts->copies);
	texts->copies = NULL;
	texts->copy_count = texts->copy_cap = texts->copied = 0;
	texts->looked_at = 0;
}

static uint32_t add_copy(struct wk_code_texts *texts, struct wk_str text)
{
	uint64_t id;

	if (texts->loaded_len + texts->used == 0 && make_room(texts, 1))
		texts->used = 1; /* nothing has id 0 */
	id = wk_code_texts_len(texts);
	if (id + text.len >= UINT32_MAX)
		return 0;
	*WK_APPEND(texts->copies, texts->copy_count, texts->copy_cap) =
		(struct wk_code_copy){ text, (uint32_t)id };
	texts->copied += text.len + 1;
	return (uint32_t)id;
}

/* Thousands of ids may be of tails of one long text: all looking has a limit. */
static struct wk_str look_at(struct wk_code_texts *texts, uint32_t id)
{
	uint64_t budget = SMALL_BUDGET + MOST_ROUNDS * (uint64_t)texts->lent_bytes;
	struct wk_str text = { "", 0 };

	if (texts->looked_at > budget)
		return text;
	text = lent_text(texts, id);
	texts->looked_at += text.len ? text.len : LONGEST_LENT / 64;
	return text;
}

static uint32_t copy_of(struct wk_code_texts *texts, uint32_t id)
{
	struct wk_str text = look_at(texts, id);
	uint32_t copy;

	if (text.len == 0)
		return 0;
	copy = find(texts, wk_hash_bytes(text.at, text.len), text);
	return copy ? copy : add_copy(texts, text);
}

/* In the order of the texts, so that they are read one after the other. */
void wk_code_texts_keep(struct wk_code_texts *texts, struct wk_sort_key *places, size_t count,
			uint32_t *words)
{
	uint32_t copy = 0;

	wk_sort_keys(places, count);
	for (size_t i = 0; i < count; i++) {
		if (i == 0 || places[i].key != places[i - 1].key)
			copy = copy_of(texts, (uint32_t)places[i].key);
		words[places[i].row] = copy;
	}
}

size_t wk_code_texts_len(const struct wk_code_texts *texts)
{
	return texts->loaded_len + texts->used + texts->copied;
}

void wk_code_texts_save(const struct wk_code_texts *texts, struct wk_buf *out)
{
	wk_buf_add(out, texts->loaded, texts->loaded_len);
	for (size_t at = 0; at < texts->used; at += PIECE_BYTES) {
		size_t left = texts->used - at;

		wk_buf_add(out, place_of(texts, at), left < PIECE_BYTES ? left : PIECE_BYTES);
	}
	for (size_t i = 0; i < texts->copy_count; i++) {
		wk_buf_add_str(out, texts->copies[i].text);
		wk_buf_add_char(out, '\0');
	}
}
