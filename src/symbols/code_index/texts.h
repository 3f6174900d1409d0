/* The texts of a code index: NUL behind each, known by their offset. What is added is there once.
 *
 * A section of texts that is there anyway can be lent: then its texts have ids without being read
 * or copied, and are copied only where they are kept.
 *
 * Some come from a file and stay there; what is added goes behind them. A text never moves. The
 * file brings a hash table of its texts along, so that the same text is found again in it
 * without reading them all. Texts may come from a damaged file: then they are other texts. */
#ifndef WK_SYMBOLS_CODE_INDEX_TEXTS_H
#define WK_SYMBOLS_CODE_INDEX_TEXTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/map.h"
#include "base/sort.h"
#include "base/str.h"

/* Bytes of somebody else's. */
struct wk_code_lent {
	struct wk_str bytes;
	uint32_t first; /* id of the text at their begin */
};

/* A text that is saved behind all others. */
struct wk_code_copy {
	struct wk_str text;
	uint32_t id;
};

struct wk_code_texts {
	/* From a file, or empty. `kept_cap` is a power of two or 0. */
	const char *kept;
	uint32_t kept_len, kept_cap;
	const struct wk_index_slot *kept_slots;

	/* What was added: pieces of the same size, a long text in several that lie together. */
	char **pieces;
	bool *is_inside; /* of the allocation of the piece before */
	size_t piece_count, piece_cap, inside_cap;
	size_t used; /* bytes, counted over all pieces */
	struct wk_index index;

	struct wk_code_lent *lent; /* ids from above downwards */
	size_t lent_count, lent_cap;
	uint32_t lent_bytes;

	/* Of those texts, while they are saved. */
	struct wk_code_copy *copies;
	size_t copy_count, copy_cap, copied; /* bytes, with a NUL each */
	uint64_t looked_at;                  /* bytes */
};

void wk_code_texts_fini(struct wk_code_texts *texts);

/* Of a text the first MiB, and up to a NUL. Id 0, the empty text, also where four billion bytes are
 * full. */
uint32_t wk_code_texts_add(struct wk_code_texts *texts, struct wk_str text);
struct wk_str wk_code_texts_get(const struct wk_code_texts *texts, uint32_t id);

/* The same with a number, which is not 0: `text` has another id for each. It lies in front of the
 * text, behind which nothing tells the two apart. */
uint32_t wk_code_texts_add_marked(struct wk_code_texts *texts, struct wk_str text, uint64_t number);
uint64_t wk_code_texts_mark(const struct wk_code_texts *texts, uint32_t id); /* 0: it has none */

/* The id of the text at the begin of `bytes`, which must outlive the texts; those behind it count
 * on from there. 0 where there is no room for so many ids. */
uint32_t wk_code_texts_lend(struct wk_code_texts *texts, struct wk_str bytes);

static inline bool wk_code_texts_is_lent(const struct wk_code_texts *texts, uint32_t id)
{
	return id >= UINT32_MAX - texts->lent_bytes;
}

/* Ids of texts that are lent stand in `words` at places[].row, and are the keys: the texts are to
 * be saved, and the words become the ids that they have then. Puts `places` in order. Nothing may
 * be added from here to _forget_copies. */
void wk_code_texts_keep(struct wk_code_texts *texts, struct wk_sort_key *places, size_t count,
			uint32_t *words);
void wk_code_texts_forget_copies(struct wk_code_texts *texts);

/* All that are not lent, or kept, to bytes: texts (`wk_code_texts_len` of them), then, as a table
 * of its own, the slots. */
size_t wk_code_texts_len(const struct wk_code_texts *texts);
void wk_code_texts_save(const struct wk_code_texts *texts, struct wk_buf *out);
uint32_t wk_code_texts_save_slots(const struct wk_code_texts *texts, struct wk_buf *out);

size_t wk_code_texts_bytes(const struct wk_code_texts *texts);

#endif
