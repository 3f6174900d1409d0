#include <errno.h>

#include "base/mem.h"
#include "library/library.h"
#include "names/demangle/demangle.h"
#include "names/function_name.h"
#include "os/os.h"
#include "record/proc_scan.h"

struct wick_symbols {
	struct wk_heap *heap;
	struct wk_symbolizer symbolizer;
	struct wk_place places[WK_MOST_PLACES];
	struct wk_buf function, linked, file, module; /* of the frame being emitted */
};

struct new_symbols {
	const struct wick_context *context;
	struct wick_symbols *symbols;
	struct wk_err err;
};

static void make_symbols(void *call)
{
	struct new_symbols *new = call;
	struct wick_symbols *symbols = wk_alloc_zeroed(1, sizeof(*symbols));

	symbols->heap = wk_heap_current();
	wk_symbolizer_open(&symbols->symbolizer, &new->context->naming, NULL, &new->err);
	new->symbols = symbols;
}

/* Closing saves what was read for the next time. */
static void close_symbols(void *call)
{
	struct wick_symbols *symbols = call;

	wk_symbolizer_close(&symbols->symbolizer);
}

struct wick_symbols *wick_symbols_new(const struct wick_context *context, struct wick_error *error)
{
	struct new_symbols new = { .context = context };
	struct wk_heap *heap = wk_library_heap(context);

	if (wk_library_run(heap, make_symbols, &new, &new.err, error))
		return new.symbols;
	if (new.symbols)
		wk_heap_run(heap, close_symbols, new.symbols);
	wk_heap_free(heap);
	return NULL;
}

void wick_symbols_free(struct wick_symbols *symbols)
{
	struct wk_heap *heap = symbols ? symbols->heap : NULL;

	if (symbols)
		wk_heap_run(heap, close_symbols, symbols);
	wk_heap_free(heap);
}

/* ---- Lookups */

struct lookup {
	struct wick_symbols *symbols;
	const char *path;
	int32_t pid;
	uint64_t address;
	wick_take_frame take;
	void *user;
	struct wk_err err;
};

/* An address of an image: `is_vaddr` as its own tables count, otherwise an offset in its file. */
struct query {
	struct wk_image_symbols *image;
	struct wk_str module;
	uint64_t address;
	bool is_vaddr, is_kernel;
};

static size_t places_at(const struct query *query, struct wk_place *places)
{
	return query->is_vaddr
		       ? wk_image_places_of(query->image, query->address, places, WK_MOST_PLACES)
		       : wk_image_places(query->image, query->address, places, WK_MOST_PLACES);
}

static bool symbol_at(const struct query *query, struct wk_symbol *symbol)
{
	return query->is_vaddr ? wk_image_find_of(query->image, query->address, symbol)
			       : wk_image_find(query->image, query->address, symbol);
}

static const char *text_in(struct wk_buf *buf, struct wk_str text)
{
	wk_buf_reset(buf);
	wk_buf_add_str(buf, text);
	return wk_buf_text(buf);
}

static bool emit(struct lookup *lookup, const struct query *query, const struct wk_place *place,
		 bool is_inlined)
{
	struct wick_symbols *symbols = lookup->symbols;
	struct wick_frame frame = {
		.size = sizeof(frame),
		.linked = text_in(&symbols->linked, wk_is_mangled(place->function)
							    ? place->function
							    : wk_str_c("")),
		.file = text_in(&symbols->file, place->file),
		.module = text_in(&symbols->module, query->module),
		.address = query->address,
		.line = place->line,
		.column = place->column,
		.is_inlined = is_inlined,
		.is_kernel = query->is_kernel,
	};

	wk_buf_reset(&symbols->function);
	wk_function_name(place->function, &symbols->function);
	frame.function = wk_buf_text(&symbols->function);
	return lookup->take(lookup->user, &frame);
}

/* If debug information has no linked name of the function that the machine ran, the table of
 * symbols may have a better one. */
static void improve_name(const struct query *query, struct wk_place *place)
{
	struct wk_symbol symbol;

	if (wk_is_mangled(place->function) || !symbol_at(query, &symbol))
		return;
	if (place->function.len == 0 || wk_is_mangled(symbol.name))
		place->function = symbol.name;
}

static void answer(struct lookup *lookup, const struct query *query)
{
	struct wk_place *places = lookup->symbols->places;
	size_t count = places_at(query, places);

	if (count == 0)
		places[0] = (struct wk_place){ .function = wk_str_c(""), .file = wk_str_c("") };
	improve_name(query, &places[count ? count - 1 : 0]);
	if (count == 0 && places[0].function.len)
		count = 1;
	for (size_t i = 0; i < count; i++)
		if (!emit(lookup, query, &places[i], i + 1 < count)) {
			wk_library_stop(&lookup->err);
			return;
		}
}

static void look_up_in_file(void *call)
{
	struct lookup *lookup = call;
	char *whole = wk_os_real_path(lookup->path);
	struct query query = { .address = lookup->address, .is_vaddr = true };

	if (!whole) {
		wk_fail_os(&lookup->err, errno, "cannot open %s", lookup->path);
		lookup->err.code = WK_ENOTFOUND;
		return;
	}
	query.module = wk_str_c(whole);
	query.image = wk_symbolizer_file(lookup->symbols->symbolizer.symbols, lookup->path, whole,
					 &lookup->err);
	if (query.image)
		answer(lookup, &query);
	wk_free(whole);
}

bool wick_symbols_of_file(struct wick_symbols *symbols, const char *path, uint64_t address,
			  wick_take_frame take, void *user, struct wick_error *error)
{
	struct lookup lookup = { .symbols = symbols,
				 .path = path,
				 .address = address,
				 .take = take,
				 .user = user };

	return wk_library_run(symbols->heap, look_up_in_file, &lookup, &lookup.err, error);
}

/* The mapping that covers the address. */
static bool find_mapping(void *context, const struct wk_event *event, struct wk_err *err)
{
	struct lookup *lookup = context;
	const struct wk_event_image *image = &event->image;
	struct wk_image_key key;
	struct query query;

	if (event->kind != WK_EVENT_IMAGE || lookup->address < image->start ||
	    lookup->address - image->start >= image->size_bytes)
		return true;
	key = wk_image_key_of(event);
	query = (struct query){
		.image = wk_symbols_image(lookup->symbols->symbolizer.symbols, &key),
		.module = image->path,
		.address = lookup->address - image->start + image->file_offset,
	};
	answer(lookup, &query);
	return wk_fail(err, WK_ESTOPPED, WK_NOWHERE, "found");
}

static void look_up_in_process(void *call)
{
	struct lookup *lookup = call;
	struct wk_sink sink = { .take = find_mapping, .context = lookup };
	struct wk_err found = { 0 };
	struct wk_buf name = { 0 };

	if (!wk_proc_name(lookup->pid, &name))
		wk_fail(&lookup->err, WK_ENOTFOUND, WK_NOWHERE, "there is no process %d",
			(int)lookup->pid);
	else if (!wk_proc_scan(lookup->pid, &sink, &found) && found.code != WK_ESTOPPED)
		lookup->err = found;
	wk_buf_fini(&name);
}

bool wick_symbols_of_process(struct wick_symbols *symbols, int32_t pid, uint64_t address,
			     wick_take_frame take, void *user, struct wick_error *error)
{
	struct lookup lookup = { .symbols = symbols,
				 .pid = pid,
				 .address = address,
				 .take = take,
				 .user = user };

	return wk_library_run(symbols->heap, look_up_in_process, &lookup, &lookup.err, error);
}
