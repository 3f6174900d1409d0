#include "cli/shown_texts.h"

#include "base/mem.h"

#define FIRST_CAP 64

void wk_shown_texts_init(struct wk_shown_texts *texts)
{
	*texts = (struct wk_shown_texts){ .cap = FIRST_CAP };
	texts->slots = wk_alloc_zeroed(texts->cap, sizeof(*texts->slots));
}

void wk_shown_texts_fini(struct wk_shown_texts *texts)
{
	free(texts->slots);
}

static void grow(struct wk_shown_texts *texts)
{
	struct wk_shown_texts old = *texts;

	texts->cap *= 2;
	texts->slots = wk_alloc_zeroed(texts->cap, sizeof(*texts->slots));
	for (size_t i = 0; i < old.cap; i++)
		if (old.slots[i].words.at)
			*wk_shown_texts_find(texts, old.slots[i].id) = old.slots[i];
	free(old.slots);
}

struct wk_shown *wk_shown_texts_added(struct wk_shown_texts *texts, struct wk_shown *shown,
				      uint32_t id)
{
	shown->id = id;
	if (++texts->count * 2 < texts->cap)
		return shown;
	grow(texts);
	return wk_shown_texts_find(texts, id);
}

struct wk_str wk_shown_words(struct wk_arena *arena, struct wk_str text)
{
	size_t room = (text.len + WK_WORDS_PIECE) / WK_WORDS_PIECE * WK_WORDS_PIECE;
	char *at = wk_arena_alloc_zeroed(arena, room);

	memcpy(at, text.at, text.len);
	return wk_str_of(at, text.len);
}
