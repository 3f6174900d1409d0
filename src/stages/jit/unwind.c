#include "stages/jit/unwind.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/mem.h"
#include "stages/jit/tail.h"
#include "stages/space.h"

/* What one piece of code needs. It is compiled when a stack meets it. */
struct piece {
	struct wk_bytes eh_frame;
	uint64_t offset;     /* of eh_frame, from the code's start */
	uint64_t size_bytes; /* of the code */
	uint64_t base;       /* in the table's addresses; 0: not compiled */
};

struct wk_jit_unwind {
	struct wk_spaces *spaces; /* numbers of mappings are pieces; "file offsets" those in them */
	struct wk_unwind_table *table;
	uint64_t next_base;
	struct piece *pieces; /* number 0 has no rules */
	size_t pieces_cap;
	uint32_t piece_count;
	struct wk_arena arena;
};

struct wk_jit_unwind *wk_jit_unwind_new(void)
{
	struct wk_jit_unwind *unwind = wk_alloc_zeroed(1, sizeof(*unwind));

	unwind->spaces = wk_spaces_new();
	unwind->table = wk_unwind_table_new_jit();
	unwind->next_base = 4096;
	unwind->pieces = wk_grow(NULL, &unwind->pieces_cap, 1, sizeof(*unwind->pieces));
	unwind->piece_count = 1;
	return unwind;
}

void wk_jit_unwind_free(struct wk_jit_unwind *unwind)
{
	if (!unwind)
		return;
	wk_spaces_free(unwind->spaces);
	wk_unwind_table_free(unwind->table);
	wk_arena_fini(&unwind->arena);
	WK_FREE_ALL(unwind->pieces, unwind);
}

void wk_jit_unwind_add(struct wk_jit_unwind *unwind, const struct wk_event *event)
{
	if (event->kind == WK_EVENT_PROCESS || event->kind == WK_EVENT_THREAD)
		wk_spaces_update(unwind->spaces, event, 0);
}

/* The number of the code's table, with a copy of its bytes: those of a tail are soon gone. */
static uint32_t number_of(struct wk_jit_unwind *unwind, struct wk_jit_dump *dump,
			  const struct wk_jit_code *code)
{
	uint64_t len = wk_bytes_left(&code->unwind) - code->unwind_head_bytes;
	struct piece piece = { .offset = code->unwind_offset, .size_bytes = code->size_bytes };
	uint32_t number = wk_map_find(&dump->tables, code->number);
	uint8_t *bytes;

	if (number || len == 0 || code->size_bytes > UINT32_MAX ||
	    unwind->piece_count == UINT32_MAX)
		return number;
	bytes = wk_arena_alloc(&unwind->arena, len);
	memcpy(bytes, code->unwind.at, len);
	piece.eh_frame = wk_bytes_of(bytes, len);
	piece.eh_frame.big_endian = code->unwind.big_endian;
	number = unwind->piece_count++;
	WK_RESERVE(unwind->pieces, unwind->pieces_cap, unwind->piece_count);
	unwind->pieces[number] = piece;
	wk_map_set(&dump->tables, code->number, number);
	return number;
}

/* Code without a table replaces code that had one. */
static bool put(struct wk_jit_unwind *unwind, uint32_t pid, const struct wk_jit_place *place)
{
	struct wk_event event = {
		.kind = WK_EVENT_IMAGE,
		.pid = pid,
		.image = { .start = place->start, .size_bytes = place->size_bytes },
	};

	if (unwind->piece_count == 1)
		return false;
	wk_spaces_update(unwind->spaces, &event, place->table);
	return true;
}

static struct wk_jit_place place_of(struct wk_jit_unwind *unwind, struct wk_jit_dump *dump,
				    const struct wk_jit_code *code)
{
	return (struct wk_jit_place){ code->time_ns, code->start, code->size_bytes,
					  number_of(unwind, dump, code) };
}

bool wk_jit_unwind_advance(struct wk_jit_unwind *unwind, struct wk_jit_dump *dump, uint32_t pid,
			   uint64_t time_ns)
{
	bool is_changed = false;

	for (; dump->is_open && dump->unwound < dump->names.count; dump->unwound++) {
		const struct wk_jit_code *code = &dump->names.pieces[dump->unwound];
		struct wk_jit_place place;

		if (code->time_ns + (uint64_t)dump->shift_ns > time_ns)
			break;
		place = place_of(unwind, dump, code);
		is_changed |= put(unwind, pid, &place);
	}
	return is_changed;
}

static void read_tail(struct wk_jit_unwind *unwind, struct wk_jit_dump *dump)
{
	struct wk_jit_code code;

	if (dump->next_place == dump->place_count)
		dump->next_place = dump->place_count = 0;
	while (wk_jit_tail_next(dump->tail, &code)) {
		*WK_APPEND(dump->places, dump->place_count, dump->places_cap) =
			place_of(unwind, dump, &code);
	}
}

bool wk_jit_unwind_follow(struct wk_jit_unwind *unwind, struct wk_jit_dump *dump,
			  const struct wk_jit_owner *owner, uint64_t time_ns)
{
	bool is_changed = false;

	if (dump->fd < 0 || dump->is_refused)
		return false;
	if (!dump->tail) {
		dump->is_refused = !wk_jit_may_use(owner, dump->fd);
		if (dump->is_refused)
			return false;
		dump->tail = wk_jit_tail_open(dump->fd);
	}
	read_tail(unwind, dump);
	for (; dump->next_place < dump->place_count; dump->next_place++) {
		const struct wk_jit_place *place = &dump->places[dump->next_place];

		if (place->time_ns > time_ns)
			break;
		is_changed |= put(unwind, owner->pid, place);
	}
	return is_changed;
}

static void compile(struct wk_jit_unwind *unwind, struct piece *piece)
{
	piece->base = unwind->next_base;
	unwind->next_base += (piece->size_bytes + 4095) & ~UINT64_C(4095);
	wk_unwind_table_add_jit(unwind->table, piece->eh_frame, piece->base + piece->offset,
				piece->base, piece->size_bytes);
}

bool wk_jit_unwind_find(struct wk_jit_unwind *unwind, uint32_t pid, uint64_t address,
			struct wk_unwind_image *image)
{
	const struct wk_mapping *place = wk_spaces_find(unwind->spaces, pid, address);
	struct piece *piece;

	if (!place || place->image == 0)
		return false;
	piece = &unwind->pieces[place->image];
	if (!piece->base)
		compile(unwind, piece);
	image->table = unwind->table;
	image->start = place->start;
	image->end = place->end;
	image->bias = place->start - place->file_offset - piece->base;
	return true;
}
