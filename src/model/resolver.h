/* Names of places in images: those that came with the recording first, then those that this
 * machine finds.
 *
 * Asked by the model (model/resolve.h) and by render/perf_script. The images, and the names that
 * came with the recording, are rows of the model; rows may be added between two lookups. The
 * kernel of this machine is asked only if the recording was made under it. */
#ifndef WK_MODEL_RESOLVER_H
#define WK_MODEL_RESOLVER_H

#include "model/model.h"
#include "symbols/image/symbols.h"

struct wk_resolver;

/* `symbols` may be NULL: then only recorded names are used. Both outlive the resolver. */
struct wk_resolver *wk_resolver_new(const struct wk_model *model, struct wk_symbols *symbols);
void wk_resolver_free(struct wk_resolver *resolver);

/* The function that the machine ran. Addresses are those of frames. False if it has no name. */
bool wk_resolver_symbol(struct wk_resolver *resolver, wk_image_id image, uint64_t address,
			struct wk_symbol *symbol);

/* The calls at an address, innermost first; the last is the function that the machine ran. The
 * places are valid until the next call. */
size_t wk_resolver_places(struct wk_resolver *resolver, wk_image_id image, uint64_t address,
			  const struct wk_place **places);

/* The name of an inlined call, of places that were just found: the same as that of the function
 * where it is not inlined. */
struct wk_str wk_resolver_place_name(const struct wk_resolver *resolver, wk_image_id image,
				     const struct wk_place *place);

/* The function that the recorder saw around an address; NULL if it recorded none. */
const struct wk_embedded_bounds *wk_resolver_bounds(struct wk_resolver *resolver, wk_image_id image,
						    uint64_t address);

/* The image on this machine; NULL if it may not be asked for names. Reads the kernel's table. */
struct wk_image_symbols *wk_resolver_image(struct wk_resolver *resolver, wk_image_id image);

struct wk_resolver_state {
	struct wk_image_symbols *symbols; /* NULL: not looked for, or not to be used */
	bool has_recorded_names;
	bool is_of_another_kernel; /* so `symbols` is NULL */
};

/* What is known by now, without reading more. */
struct wk_resolver_state wk_resolver_state(const struct wk_resolver *resolver, wk_image_id image);

#endif
