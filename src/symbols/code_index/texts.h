/* The texts of a code index: NUL-terminated, identified by their offset. Equal texts that are added
 * are stored once.
 *
 * An existing section of texts can be borrowed: its texts then have ids without being read or
 * copied, and are copied only if they are saved.
 *
 * Some texts come from a file and stay there; added ones follow them. A text never moves. Those of
 * the file are read only if others are added. A damaged file gives wrong texts, nothing worse. */
#ifndef WK_SYMBOLS_CODE_INDEX_TEXTS_H
#define WK_SYMBOLS_CODE_INDEX_TEXTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/map.h"
#include "base/sort.h"
#include "base/str.h"

/* Borrowed bytes. */
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
	/* From a file, or empty. */
	const char *loaded;
	uint32_t loaded_len;
	bool knows_loaded; /* they are in `index` */

	/* Added texts: blocks of equal size; a long text uses several contiguous ones. */
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

/* The first MiB of a text, up to a NUL. Id 0, the empty text, is also returned once four billion
 * bytes are full. */
uint32_t wk_code_texts_add(struct wk_code_texts *texts, struct wk_str text);
struct wk_str wk_code_texts_get(const struct wk_code_texts *texts, uint32_t id);

/* The same with a number other than 0: `text` has a different id for each number. The number is
 * stored before the text; nothing after it distinguishes the two. */
uint32_t wk_code_texts_add_marked(struct wk_code_texts *texts, struct wk_str text, uint64_t number);
uint64_t wk_code_texts_mark(const struct wk_code_texts *texts, uint32_t id); /* 0: it has none */

/* The id of the text at the start of `bytes`, which must outlive the texts; those after it are
 * numbered from there. 0 if there are not enough ids left. */
uint32_t wk_code_texts_lend(struct wk_code_texts *texts, struct wk_str bytes);

static inline bool wk_code_texts_is_lent(const struct wk_code_texts *texts, uint32_t id)
{
	return id >= UINT32_MAX - texts->lent_bytes;
}

/* `words` at places[].row contains the keys: ids of borrowed texts. Adds these texts to what is
 * saved and replaces the words by their ids after saving. Sorts `places`. Nothing may be added from
 * here to _forget_copies. */
void wk_code_texts_keep(struct wk_code_texts *texts, struct wk_sort_key *places, size_t count,
			uint32_t *words);
void wk_code_texts_forget_copies(struct wk_code_texts *texts);

/* Writes all texts that are not borrowed, or that are to be saved: `wk_code_texts_len` bytes. */
size_t wk_code_texts_len(const struct wk_code_texts *texts);
void wk_code_texts_save(const struct wk_code_texts *texts, struct wk_buf *out);

#endif
