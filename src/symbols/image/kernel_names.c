/* The names of the running kernel, and their entry in the cache.
 *
 * A cached table is used only if the system shows addresses to this process. /proc/kallsyms is
 * read, once, if that table has no answer, or an answer that may change (BPF programs). */
#include "symbols/image/image.h"

#include "os/os.h"

/* Done before the table is read, so that later changes make the table outdated. */
static bool look_at_the_clock(struct wk_kernel_names *kernel)
{
	if (wk_kallsyms_now(&kernel->moment))
		kernel->id.size = (uint8_t)wk_os_kernel_build_id(kernel->id.bytes);
	return kernel->id.size > 0;
}

static struct wk_kallsyms *read_cached(const struct wk_symbols *s)
{
	const struct wk_kernel_names *kernel = &s->kernel;
	struct wk_bytes bytes = wk_cache_section(wk_cache_find(s->cache, &kernel->id),
						 WK_CACHE_KERNEL, WK_KALLSYMS_VERSION);
	struct wk_kallsyms *cached = wk_kallsyms_load(bytes, &kernel->moment, NULL);

	if (cached && wk_kallsyms_agrees(cached, s->kallsyms_path))
		return cached;
	wk_kallsyms_free(cached);
	return NULL;
}

static const struct wk_kallsyms *read_now(struct wk_symbols *s)
{
	struct wk_kernel_names *kernel = &s->kernel;

	if (!kernel->was_read)
		kernel->read = wk_kallsyms_open(s->kallsyms_path, &kernel->err);
	kernel->was_read = true;
	return kernel->read;
}

bool wk_kernel_open(struct wk_symbols *s)
{
	struct wk_kernel_names *kernel = &s->kernel;

	if (!kernel->is_open && kernel->may_be_cached && look_at_the_clock(kernel))
		kernel->cached = read_cached(s);
	kernel->is_open = true;
	return kernel->cached || read_now(s);
}

bool wk_kernel_find(struct wk_symbols *s, uint64_t address, struct wk_kallsym *found)
{
	const struct wk_kallsyms *cached, *read;

	if (!wk_kernel_open(s))
		return false;
	cached = s->kernel.cached;
	if (cached && wk_kallsyms_find(cached, address, found) && !wk_kallsyms_is_fleeting(found))
		return true;
	read = read_now(s);
	return read && wk_kallsyms_find(read, address, found);
}

/* Addresses that only the program may see (by a capability of its file) must not get into a file of
 * the user. */
static bool should_be_cached(const struct wk_kernel_names *kernel)
{
	return kernel->id.size > 0 && kernel->read && !kernel->cached &&
	       !wk_os_has_borrowed_rights();
}

static void save(struct wk_symbols *s)
{
	const struct wk_kernel_names *kernel = &s->kernel;
	struct wk_buf table = { 0 };
	struct wk_cache_section sections[2];
	struct wk_bytes source = wk_cache_section(wk_cache_peek(s->cache, &kernel->id),
						  WK_CACHE_SOURCE, WK_CACHE_SOURCE_VERSION);
	size_t count = 0;

	wk_kallsyms_save(kernel->read, &kernel->moment, &table);
	sections[count++] = (struct wk_cache_section){
		WK_CACHE_KERNEL, WK_KALLSYMS_VERSION, wk_buf_str(&table),
	};
	if (wk_bytes_left(&source) == 0)
		sections[count++] = (struct wk_cache_section){
			WK_CACHE_SOURCE, WK_CACHE_SOURCE_VERSION, WK_STR("[kernel.kallsyms]\n"),
		};
	wk_cache_add(s->cache, &kernel->id, sections, count, NULL);
	wk_buf_fini(&table);
}

void wk_kernel_close(struct wk_symbols *s)
{
	if (should_be_cached(&s->kernel))
		save(s);
	wk_kallsyms_free(s->kernel.cached);
	wk_kallsyms_free(s->kernel.read);
}
