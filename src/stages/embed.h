/* Names that must travel with a recording, because a later reader may not find them again.
 *
 * It collects the sampled addresses. wk_embedder_emit, called at the end, handles what only this
 * machine can name now: the kernel, the vDSO, files that were deleted or replaced meanwhile, files
 * that other mount namespaces show under the same path. It looks each of their addresses up once
 * and emits the names as SYMBOL events. If all are requested, it does so for every image, and emits
 * the debug information of each address as CALLS events: such a recording has full names where none
 * of its files are. For every sampled function it emits the bounds (BOUNDS): a file that is gone
 * later leaves whole functions, though no names. */
#ifndef WK_STAGES_EMBED_H
#define WK_STAGES_EMBED_H

#include "event/sink.h"
#include "symbols/image/symbols.h"

struct wk_embedder;

/* `is_live`: the recording is being made now, and the running kernel is the recorded one. Otherwise
 * its build id decides. */
struct wk_embedder *wk_embedder_new(bool takes_all, bool is_live);
void wk_embedder_free(struct wk_embedder *embedder);

/* Adds image number `image` (small and dense), mapped by `event`; `symbols` may be NULL. */
void wk_embedder_image(struct wk_embedder *embedder, uint32_t image, const struct wk_event *event,
		       struct wk_image_symbols *symbols);
bool wk_embedder_wants(const struct wk_embedder *embedder, uint32_t image);

/* `address` in the form that wk_image_find accepts, inside its call. */
void wk_embedder_address(struct wk_embedder *embedder, uint32_t image, uint64_t address);

/* An event that came with the recording and stays in it. Names, bounds and calls are not emitted
 * again, and addresses with a name need no other. */
void wk_embedder_supplied(struct wk_embedder *embedder, const struct wk_event *event);

bool wk_embedder_emit(struct wk_embedder *embedder, const struct wk_sink *sink, struct wk_err *err);

/* The results for all addresses, after wk_embedder_emit of a wk_embedder that embeds all. */
struct wk_embed_counts {
	uint64_t addresses, unnamed;
	uint64_t emitted;   /* events that the recording did not have */
	const char *reason; /* why the image with most of the unnamed ones has no names; or NULL */
	uint64_t of_reason; /* how many it has */
};
struct wk_embed_counts wk_embed_counts(const struct wk_embedder *embedder);

#endif
