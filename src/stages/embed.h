/* Names that must travel with a recording, since a later reader may not find them again.
 *
 * It remembers which addresses were sampled. wk_embedder_emit, called at the end, looks at what
 * only this machine can name now: the kernel, the vDSO, files that were deleted or replaced
 * by then, files that other mount namespaces show under the same path. It looks each of their
 * addresses up once and sends the names on as SYMBOL events. Asked for all, it does so for every
 * image, and sends what debug information says of each address as CALLS events: such a recording
 * opens with full names where none of its files are. Of every function that was sampled it sends
 * where it lies (BOUNDS): a file that is gone later leaves whole functions, though no names. */
#ifndef WK_STAGES_EMBED_H
#define WK_STAGES_EMBED_H

#include "event/sink.h"
#include "symbols/image/symbols.h"

struct wk_embedder;

struct wk_embedder *wk_embedder_new(void);
void wk_embedder_free(struct wk_embedder *embedder);
void wk_embedder_all(struct wk_embedder *embedder);

/* The recording is made now: the kernel that runs is the one that is recorded. Otherwise its build
 * id has to tell. */
void wk_embedder_live(struct wk_embedder *embedder);

/* Tells of image number `image` (small and dense), mapped by `event`; `symbols` may be NULL. */
void wk_embedder_image(struct wk_embedder *embedder, uint32_t image, const struct wk_event *event,
		       struct wk_image_symbols *symbols);
bool wk_embedder_wants(const struct wk_embedder *embedder, uint32_t image);

/* `address` in the form that wk_image_find takes, inside its call. */
void wk_embedder_address(struct wk_embedder *embedder, uint32_t image, uint64_t address);

/* A name that came with the recording, and goes on with it: what it names lacks nothing. */
void wk_embedder_supplied(struct wk_embedder *embedder, const struct wk_event_symbol *symbol);

bool wk_embedder_emit(struct wk_embedder *embedder, const struct wk_sink *sink, struct wk_err *err);

/* What became of all addresses, after wk_embedder_emit of a wk_embedder that takes all. */
struct wk_embed_counts {
	uint64_t addresses, unnamed;
	const char *reason; /* why the image with most of the unnamed ones has no names; or NULL */
	uint64_t of_reason; /* how many it has */
};
struct wk_embed_counts wk_embed_counts(const struct wk_embedder *embedder);

#endif
