/* Addresses to functions: fills the named part of a model.
 *
 * Each recorded frame is looked up once: first in the names that came with the recording, then
 * in what `symbols` finds on this machine. Calls that were inlined become named frames of their
 * own. Each distinct linked name is demangled once. What
 * nothing names becomes "image+0x1a2b": one function for all that an unwind entry covers, named
 * by its begin, or for the address alone where there is no entry. Recorded frames and stacks stay
 * as they were read. */
#ifndef WK_MODEL_RESOLVE_H
#define WK_MODEL_RESOLVE_H

#include "model/model.h"
#include "symbols/image/symbols.h"

struct wk_resolve_options {
	bool no_inlined; /* only the functions that the machine ran; lines are told all the same */
};

/* Call once, after the last event. `symbols` may be NULL: then only carried names are used.
 * `options` may be NULL. */
void wk_model_resolve(struct wk_model *model, struct wk_symbols *symbols,
		      const struct wk_resolve_options *options);

#endif
