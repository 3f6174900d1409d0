/* Texts of one image as they are shown, by the image's own number of each: made once, however
 * often they come again.
 *
 * `find` gives a text's place, empty (`words.at` is NULL) the first time; whoever asked fills it
 * with words of `wk_shown_words` and calls `added`. A place holds until then. */
#ifndef WK_CLI_SHOWN_TEXTS_H
#define WK_CLI_SHOWN_TEXTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/str.h"

struct wk_shown {
	struct wk_str words;
	uint32_t id;
	bool is_final; /* a function's name that no symbol says better */
};

struct wk_shown_texts {
	struct wk_shown *slots; /* at most half of them taken */
	size_t cap, count;
};

void wk_shown_texts_init(struct wk_shown_texts *texts);
void wk_shown_texts_fini(struct wk_shown_texts *texts);

static inline struct wk_shown *wk_shown_texts_find(const struct wk_shown_texts *texts, uint32_t id)
{
	size_t at = (id * 0x9e3779b1u >> 7) & (texts->cap - 1);

	while (texts->slots[at].words.at && texts->slots[at].id != id)
		at = (at + 1) & (texts->cap - 1);
	return &texts->slots[at];
}

/* The place that `find` gave holds the text `id` now, and may be another from here on. */
struct wk_shown *wk_shown_texts_added(struct wk_shown_texts *texts, struct wk_shown *shown,
				      uint32_t id);

/* Words are copied in pieces of so many bytes, each a move of the processor or two: there is room
 * for all of the last piece behind them, where they come from and where they go to. */
#define WK_WORDS_PIECE 32

struct wk_str wk_shown_words(struct wk_arena *arena, struct wk_str text);

static inline char *wk_put_words(char *at, struct wk_str words)
{
	for (size_t done = 0; done < words.len; done += WK_WORDS_PIECE)
		memcpy(at + done, words.at + done, WK_WORDS_PIECE);
	return at + words.len;
}

#endif
