/* A recording written anew: unwound, and with the names of everything that was sampled in it. */
#ifndef WK_SESSION_PACK_H
#define WK_SESSION_PACK_H

#include "session/symbolizer.h"
#include "stages/unwind_stage.h"

struct wk_packed {
	uint64_t bytes;
	struct wk_unwind_counts stacks;
	struct wk_buf missing; /* why stacks were kept as they are */
	struct wk_embed_counts names;
	struct wk_buf nameless; /* why most of the addresses without a name have none */
};

/* Whether the output may be written; called once the input is known to be a recording. */
struct wk_pack_check {
	bool (*allow)(void *context, struct wk_err *err);
	void *context;
};

/* Reads `path` and writes `output` ("-" is standard input and output). `packed` is filled and needs
 * wk_packed_fini in either case. */
bool wk_pack(const char *path, const char *output, const char *format,
	     const struct wk_naming_options *naming, const struct wk_pack_check *check,
	     const struct wk_messages *messages, struct wk_packed *packed, struct wk_err *err);
void wk_packed_fini(struct wk_packed *packed);

#endif
