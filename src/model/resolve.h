/* Addresses to functions: fills the named part of a model.
 *
 * Each recorded frame is looked up once: first in the names that came with the recording, then
 * in what `symbols` finds on this machine. Inlined calls become named frames of their own. Each
 * distinct linked name is demangled once. All code of an image without names becomes one
 * function, "image!unknown". Recorded frames and stacks stay unchanged. */
#ifndef WK_MODEL_RESOLVE_H
#define WK_MODEL_RESOLVE_H

#include "model/model.h"
#include "symbols/image/symbols.h"

struct wk_resolve_options {
	bool no_inlined; /* only the functions that the machine ran, with their lines */
	/* An unnamed function becomes "image+0x1a2b": the start of its unwind entry or, without an
	 * entry, the address. */
	bool separates_unnamed;
};

/* Call once, after the last event. `symbols` may be NULL: then only recorded names are used. */
void wk_model_resolve(struct wk_model *model, struct wk_symbols *symbols,
		      struct wk_resolve_options options);

#endif
