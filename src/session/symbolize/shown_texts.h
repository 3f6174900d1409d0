/* Texts of one image as they are printed, by their numbers in the image: each is formatted once. */
#ifndef WK_SESSION_SYMBOLIZE_SHOWN_TEXTS_H
#define WK_SESSION_SYMBOLIZE_SHOWN_TEXTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/str.h"

/* Texts are copied in pieces of this size, with one or two instructions each: there is room for all
 * of the last piece. */
#define WK_SHOWN_PIECE 32

struct wk_shown {
	uint32_t len;
	bool is_final; /* a function's name, and no symbol has a better one */
	char words[];
};

struct wk_shown *wk_shown_new(struct wk_arena *arena, struct wk_str words);

static inline struct wk_str wk_shown_words(const struct wk_shown *shown)
{
	return wk_str_of(shown->words, shown->len);
}

/* Copies the text of a wk_shown, and up to one piece behind it; returns its end. */
static inline char *wk_shown_put(char *at, struct wk_str words)
{
	for (size_t done = 0; done < words.len; done += WK_SHOWN_PIECE)
		memcpy(at + done, words.at + done, WK_SHOWN_PIECE);
	return at + words.len;
}

struct wk_shown_slot {
	struct wk_shown *shown; /* NULL: free */
	uint32_t id;
};

struct wk_shown_texts {
	struct wk_shown_slot *slots; /* at most half of them are used */
	size_t cap, count;
	unsigned shift; /* of a hash of 32 bits, to a slot */
	struct wk_arena arena;
};

void wk_shown_texts_init(struct wk_shown_texts *texts);
void wk_shown_texts_fini(struct wk_shown_texts *texts);

/* The slot of `id`, or a free one for it. */
static inline struct wk_shown_slot *wk_shown_texts_slot(const struct wk_shown_texts *texts,
							uint32_t id)
{
	size_t at = id * 0x9e3779b1u >> texts->shift;

	while (texts->slots[at].shown && texts->slots[at].id != id)
		at = (at + 1) & (texts->cap - 1);
	return &texts->slots[at];
}

/* NULL if it was not added. */
static inline struct wk_shown *wk_shown_texts_find(const struct wk_shown_texts *texts, uint32_t id)
{
	return wk_shown_texts_slot(texts, id)->shown;
}

/* Adds one that is missing. Its address does not change. */
struct wk_shown *wk_shown_texts_add(struct wk_shown_texts *texts, uint32_t id, struct wk_str words);

#endif
