#include "stages/space.h"

#include "base/map.h"
#include "base/mem.h"

struct space {
	struct wk_mappings *mappings;
	const struct wk_mapping *last; /* found last: the next is often the same; or NULL */
	uint64_t version;
	uint32_t threads; /* live ones besides the main thread */
	bool main_ended;
};

struct wk_spaces {
	struct space *spaces; /* [0] is unused, so that a wk_map can name them */
	size_t cap;
	uint32_t count;
	struct wk_map by_pid;
	struct wk_mappings_pool pool;
	uint64_t versions;
};

struct wk_spaces *wk_spaces_new(void)
{
	struct wk_spaces *spaces = wk_alloc_zeroed(1, sizeof(*spaces));

	spaces->spaces = wk_grow(NULL, &spaces->cap, 1, sizeof(*spaces->spaces));
	spaces->spaces[0] = (struct space){ 0 };
	spaces->count = 1;
	return spaces;
}

void wk_spaces_free(struct wk_spaces *spaces)
{
	if (!spaces)
		return;
	wk_mappings_pool_fini(&spaces->pool);
	wk_free(spaces->spaces);
	wk_map_fini(&spaces->by_pid);
	wk_free(spaces);
}

static struct space *space_of(struct wk_spaces *spaces, uint32_t pid)
{
	uint32_t *id = wk_map_at(&spaces->by_pid, pid);

	if (!*id) {
		WK_RESERVE(spaces->spaces, spaces->cap, (size_t)spaces->count + 1);
		spaces->spaces[spaces->count] = (struct space){ .version = ++spaces->versions };
		*id = spaces->count++;
	}
	return &spaces->spaces[*id];
}

static void clear(struct wk_spaces *spaces, struct space *space)
{
	wk_mappings_drop(&spaces->pool, space->mappings);
	*space = (struct space){ .version = ++spaces->versions };
}

static void fork_space(struct wk_spaces *spaces, uint32_t pid, uint32_t parent_pid)
{
	struct space *child = space_of(spaces, pid);
	struct space *parent;

	clear(spaces, child);
	if (parent_pid == pid)
		return;
	parent = space_of(spaces, parent_pid);
	child = space_of(spaces, pid);
	child->mappings = wk_mappings_share(parent->mappings);
	child->version = parent->version;
}

static void handle_image(struct wk_spaces *spaces, const struct wk_event *event, uint32_t image)
{
	const struct wk_event_image *mapped = &event->image;
	struct space *space = space_of(spaces, event->pid);
	struct wk_mapping new = {
		.start = mapped->start,
		.end = mapped->start + mapped->size_bytes,
		.file_offset = mapped->file_offset,
		.image = mapped->is_gone ? 0 : image,
	};

	if (mapped->size_bytes == 0)
		return;
	if (new.end < new.start)
		new.end = UINT64_MAX;
	space->mappings = wk_mappings_put(&spaces->pool, space->mappings, &new);
	space->last = NULL;
	space->version = ++spaces->versions;
}

static void end_if_last(struct wk_spaces *spaces, struct space *space)
{
	if (space->main_ended && space->threads == 0)
		clear(spaces, space);
}

static void handle_thread(struct wk_spaces *spaces, const struct wk_event *event)
{
	struct space *space = space_of(spaces, event->pid);

	if (event->tid == event->pid)
		return;
	if (event->thread.change == WK_THREAD_START || event->thread.change == WK_THREAD_SEEN)
		space->threads++;
	if (event->thread.change == WK_THREAD_EXIT && space->threads) {
		space->threads--;
		end_if_last(spaces, space);
	}
}

void wk_spaces_update(struct wk_spaces *spaces, const struct wk_event *event, uint32_t image)
{
	if (event->kind == WK_EVENT_IMAGE) {
		handle_image(spaces, event, image);
	} else if (event->kind == WK_EVENT_THREAD) {
		handle_thread(spaces, event);
	} else if (event->kind == WK_EVENT_PROCESS) {
		struct space *space = space_of(spaces, event->pid);

		switch (event->process.change) {
		case WK_PROCESS_FORK:
			fork_space(spaces, event->pid, event->process.parent_pid);
			break;
		case WK_PROCESS_EXEC:
		case WK_PROCESS_START:
			clear(spaces, space);
			break;
		case WK_PROCESS_EXIT:
			space->main_ended = true;
			end_if_last(spaces, space);
			break;
		case WK_PROCESS_SEEN:
			break;
		}
	}
}

const struct wk_mapping *wk_spaces_find(struct wk_spaces *spaces, uint32_t pid, uint64_t address)
{
	uint32_t id = wk_map_find(&spaces->by_pid, pid);
	struct space *space = &spaces->spaces[id];

	if (id == 0)
		return NULL;
	if (!space->last || address < space->last->start || address >= space->last->end)
		space->last = wk_mappings_find(space->mappings, address);
	return space->last && space->last->image ? space->last : NULL;
}

uint64_t wk_spaces_version(struct wk_spaces *spaces, uint32_t pid)
{
	return space_of(spaces, pid)->version;
}

void wk_spaces_touch(struct wk_spaces *spaces, uint32_t pid)
{
	space_of(spaces, pid)->version = ++spaces->versions;
}
