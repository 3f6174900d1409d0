#include "session/symbolize/shown_texts.h"

#include "base/mem.h"

#define FIRST_BITS 6

static void make_slots(struct wk_shown_texts *texts, unsigned bits)
{
	texts->cap = (size_t)1 << bits;
	texts->shift = 32 - bits;
	texts->slots = wk_alloc_zeroed(texts->cap, sizeof(*texts->slots));
}

void wk_shown_texts_init(struct wk_shown_texts *texts)
{
	*texts = (struct wk_shown_texts){ 0 };
	make_slots(texts, FIRST_BITS);
}

void wk_shown_texts_fini(struct wk_shown_texts *texts)
{
	wk_free(texts->slots);
	wk_arena_fini(&texts->arena);
}

/* There are four billion ids, and so never more than 32 bits. */
static void grow(struct wk_shown_texts *texts)
{
	struct wk_shown_texts old = *texts;

	make_slots(texts, 32 - old.shift + 1);
	for (size_t i = 0; i < old.cap; i++)
		if (old.slots[i].shown)
			*wk_shown_texts_slot(texts, old.slots[i].id) = old.slots[i];
	wk_free(old.slots);
}

struct wk_shown *wk_shown_new(struct wk_arena *arena, struct wk_str words)
{
	size_t room = (words.len + WK_SHOWN_PIECE - 1) / WK_SHOWN_PIECE * WK_SHOWN_PIECE;
	struct wk_shown *shown = wk_arena_alloc_zeroed(arena, sizeof(*shown) + room);

	shown->len = (uint32_t)words.len;
	if (words.len)
		memcpy(shown->words, words.at, words.len);
	return shown;
}

struct wk_shown *wk_shown_texts_add(struct wk_shown_texts *texts, uint32_t id, struct wk_str words)
{
	struct wk_shown *shown = wk_shown_new(&texts->arena, words);

	if (++texts->count * 2 > texts->cap && texts->shift > 1)
		grow(texts);
	*wk_shown_texts_slot(texts, id) = (struct wk_shown_slot){ shown, id };
	return shown;
}
