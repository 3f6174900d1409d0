#include "library/library.h"

#include <locale.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"

const char *wick_version(void)
{
	return WICK_VERSION;
}

static enum wick_code code_of(const struct wk_err *err)
{
	static const enum wick_code codes[] = {
		[WK_OK] = WICK_OK,
		[WK_ECORRUPT] = WICK_CORRUPT,
		[WK_EFORMAT] = WICK_UNKNOWN_FORMAT,
		[WK_EUNSUPPORTED] = WICK_UNSUPPORTED,
		[WK_ENOTFOUND] = WICK_NOT_FOUND,
		[WK_EPERM] = WICK_NOT_PERMITTED,
		[WK_EUSAGE] = WICK_MISUSE,
		[WK_EIO] = WICK_IO,
		[WK_ENOCOMMAND] = WICK_COMMAND_NOT_FOUND,
		[WK_ENOTRUNNABLE] = WICK_COMMAND_NOT_RUN,
		[WK_EEMPTY] = WICK_NOTHING_TO_SHOW,
		[WK_ESTOPPED] = WICK_STOPPED,
	};

	return codes[err->code];
}

static bool set_error(struct wick_error *error, enum wick_code code, uint64_t offset,
		      const char *text)
{
	if (!error)
		return false;
	*error = (struct wick_error){ .code = code, .offset = offset };
	snprintf(error->text, sizeof(error->text), "%s", text);
	return false;
}

bool wk_library_stop(struct wk_err *err)
{
	return wk_fail(err, WK_ESTOPPED, WK_NOWHERE, "stopped by the callback");
}

struct wk_heap *wk_library_heap(const struct wick_context *context)
{
	return wk_heap_new(context->has_allocator ? &context->allocator : NULL);
}

/* Numbers in SVG and JSON have a decimal point in every locale of the program. */
bool wk_library_run(struct wk_heap *heap, void (*work)(void *call), void *call, struct wk_err *err,
		    struct wick_error *error)
{
	locale_t c = newlocale(LC_ALL_MASK, "C", NULL), before = uselocale(c);
	bool has_memory;

	set_error(error, WICK_OK, WICK_NOWHERE, "");
	has_memory = heap && wk_heap_run(heap, work, call);
	uselocale(before);
	if (c)
		freelocale(c);
	if (!has_memory)
		return set_error(error, WICK_NO_MEMORY, WICK_NOWHERE, "out of memory");
	return err->code == WK_OK || set_error(error, code_of(err), err->offset, err->text);
}

bool wk_library_run_once(const struct wick_context *context, void (*work)(void *call), void *call,
			 struct wk_err *err, struct wick_error *error)
{
	struct wk_heap *heap = wk_library_heap(context);
	bool ok = wk_library_run(heap, work, call, err, error);

	wk_heap_free(heap);
	return ok;
}

bool wk_library_options(void *to, size_t to_size, const void *from, struct wick_error *error)
{
	size_t size;

	memset(to, 0, to_size);
	if (!from)
		return true;
	memcpy(&size, from, sizeof(size));
	if (size < sizeof(size))
		return set_error(error, WICK_MISUSE, WICK_NOWHERE,
				 "the options do not begin with their size");
	memcpy(to, from, size < to_size ? size : to_size);
	return true;
}

void wk_library_fill(void *to, const void *from, size_t from_size)
{
	size_t size;

	memcpy(&size, to, sizeof(size));
	if (size > from_size)
		memset((char *)to + from_size, 0, size - from_size);
	memcpy(to, from, size < from_size ? size : from_size);
	memcpy(to, &size, sizeof(size));
}

/* ---- */

struct new_context {
	struct wk_heap *heap;
	struct wick_context_options options;
	struct wk_allocator allocator;
	struct wick_context *context;
};

static struct wk_text_list copy_list(const char *const *list)
{
	struct wk_text_list copy = { 0 };

	for (size_t i = 0; list && list[i]; i++)
		wk_text_list_add(&copy, wk_strdup(list[i]));
	return copy;
}

static void make_context(void *call)
{
	struct new_context *new = call;
	const struct wick_context_options *options = &new->options;
	struct wick_context *context = wk_alloc(sizeof(*context));

	*context = (struct wick_context){
		.heap = new->heap,
		.allocator = new->allocator,
		.has_allocator = options->alloc != NULL,
		.naming = { .debug_dirs = copy_list(options->debug_dirs),
			    .remote = { .debuginfod = options->debuginfod,
					.offline = options->offline,
					.servers = copy_list(options->symbol_servers),
					.symbol_paths = copy_list(options->symbol_paths) } },
	};
	new->context = context;
}

struct wick_context *wick_context_new(const struct wick_context_options *options,
				      struct wick_error *error)
{
	struct new_context new = { 0 };
	struct wk_allocator *allocator = &new.allocator;
	struct wk_err err = { 0 };

	if (!wk_library_options(&new.options, sizeof(new.options), options, error))
		return NULL;
	*allocator = (struct wk_allocator){ .alloc = new.options.alloc,
					   .realloc = new.options.realloc,
					   .free = new.options.free,
					   .context = new.options.allocator_context };
	if (!allocator->alloc != !allocator->realloc || !allocator->alloc != !allocator->free) {
		set_error(error, WICK_MISUSE, WICK_NOWHERE,
			  "an allocator needs all of alloc, realloc and free");
		return NULL;
	}
	new.heap = wk_heap_new(allocator->alloc ? allocator : NULL);
	if (wk_library_run(new.heap, make_context, &new, &err, error))
		return new.context;
	wk_heap_free(new.heap);
	return NULL;
}

void wick_context_free(struct wick_context *context)
{
	if (context)
		wk_heap_free(context->heap);
}
