#include "session/fold/inliner.h"

#include <stdlib.h>

#include "base/buf.h"
#include "base/mem.h"
#include "names/demangle/demangle.h"
#include "session/symbolizer.h"

struct wk_as_inliner {
	struct wk_collapse_inliner reader;
	struct wk_symbolizer symbolizer;
	struct wk_place places[WK_MOST_PLACES];
	struct wk_collapse_call calls[WK_MOST_PLACES];
	struct wk_buf names; /* of all calls, one behind the other */
};

static void add_name(struct wk_as_inliner *inliner, struct wk_str linked)
{
	struct wk_buf name = { 0 };

	if (!wk_demangle(linked, &name))
		wk_buf_add_str(&name, linked.len ? linked : wk_str_c("??"));
	wk_buf_add_str(&inliner->names, wk_buf_str(&name));
	wk_buf_fini(&name);
}

/* `perf script` prints addresses as the file's own tables count them. */
static size_t find(void *context, struct wk_str path, uint64_t address,
		   const struct wk_collapse_call **calls)
{
	struct wk_as_inliner *inliner = context;
	struct wk_image_key key = { .path = path };
	struct wk_image_symbols *image = wk_symbols_image(inliner->symbolizer.symbols, &key);
	size_t count = wk_image_places_of(image, address, inliner->places, WK_MOST_PLACES);
	size_t begin = 0;

	wk_buf_reset(&inliner->names);
	for (size_t i = 0; i < count; i++) {
		const struct wk_place *place = &inliner->places[count - 1 - i];

		add_name(inliner, place->function);
		inliner->calls[i] = (struct wk_collapse_call){
			.function.len = inliner->names.len - begin,
			.file = wk_str_basename(place->file),
			.line = place->line,
		};
		begin = inliner->names.len;
	}
	begin = 0;
	for (size_t i = 0; i < count; i++) {
		inliner->calls[i].function.at = wk_buf_text(&inliner->names) + begin;
		begin += inliner->calls[i].function.len;
	}
	*calls = inliner->calls;
	return count;
}

struct wk_as_inliner *wk_as_inliner_new(const struct wk_messages *messages)
{
	struct wk_as_inliner *inliner = wk_alloc_zeroed(1, sizeof(*inliner));
	static const struct wk_naming_options options;

	wk_symbolizer_open(&inliner->symbolizer, &options, messages, NULL);
	inliner->reader = (struct wk_collapse_inliner){ .find = find, .context = inliner };
	return inliner;
}

void wk_as_inliner_free(struct wk_as_inliner *inliner)
{
	if (!inliner)
		return;
	wk_symbolizer_close(&inliner->symbolizer);
	wk_buf_fini(&inliner->names);
	wk_free(inliner);
}

const struct wk_collapse_inliner *wk_as_inliner_for(struct wk_as_inliner *inliner)
{
	return &inliner->reader;
}
