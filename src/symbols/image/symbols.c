#include "symbols/image/symbols.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/mem.h"
#include "os/os.h"
#include "symbols/image/image.h"
#include "symbols/unwind/code.h"

/* If only the recorded process could show a file, it is searched for again through a few other
 * processes that map it. */
#define MAX_RETRIES 8

static const char *const usual_debug_dirs[] = { "/usr/lib/debug", NULL };

/* The user's table of the recorded kernel, in place of the running one's. Empty: no table. */
static const char *kallsyms_of_user(void)
{
	return wk_os_env("WICK_KALLSYMS");
}

struct wk_symbols *wk_symbols_new(const struct wk_symbols_options *options)
{
	static const struct wk_symbols_options usual;
	struct wk_symbols *s = wk_alloc_zeroed(1, sizeof(*s));
	const char *kallsyms;

	if (!options)
		options = &usual;
	kallsyms = options->kallsyms_path ? options->kallsyms_path : kallsyms_of_user();
	s->cache = options->cache;
	s->fetcher = options->fetcher;
	s->as_perf = options->as_perf;
	s->any_build = options->any_build;
	s->debug_dirs = options->debug_dirs ? options->debug_dirs : usual_debug_dirs;
	s->kallsyms_path = kallsyms ? kallsyms : "/proc/kallsyms";
	s->kernel.may_be_cached = s->cache && !kallsyms;
	s->image_count = 1;
	return s;
}

static void close_image(struct wk_image_symbols *image)
{
	wk_image_save(image);
	wk_image_debug_fini(&image->places);
	wk_unwind_table_free(image->unwind);
	wk_symtab_free(image->tab);
	wk_store_close(&image->file);
	wk_store_close(&image->debug);
	wk_store_close(&image->packed);
	WK_BUF_FINI_ALL(&image->reason, &image->debug_reason);
}

void wk_symbols_free(struct wk_symbols *s)
{
	if (!s)
		return;
	for (size_t i = 1; i < s->image_count; i++)
		close_image(s->images[i]);
	wk_kernel_close(s);
	wk_index_fini(&s->index);
	wk_arena_fini(&s->arena);
	WK_FREE_ALL(s->images, s);
}

void wk_symbols_look_beside(struct wk_symbols *symbols, const char *recording)
{
	struct wk_str folder = wk_str_c(recording);
	struct wk_buf native = { 0 };

	if (!symbols->fetcher || strcmp(recording, "-") == 0)
		return;
	folder.len -= wk_str_basename(folder).len;
	while (folder.len > 1 && folder.at[folder.len - 1] == '/')
		folder.len--;
	wk_buf_add_fmt(&native, "%s.NGENPDB", recording);
	if (wk_os_is_folder(wk_buf_text(&native)))
		wk_fetcher_add_first(symbols->fetcher, wk_buf_str(&native));
	wk_fetcher_add_first(symbols->fetcher, folder.len ? folder : wk_str_c("."));
	wk_buf_fini(&native);
}

/* What was read while no server was queried, if servers may have more. */
static void forget_incomplete(struct wk_image_symbols *image)
{
	if (!image->is_ready || image->key.is_kernel ||
	    (image->has_all_names && image->places.index))
		return;
	wk_image_debug_fini(&image->places);
	image->places = (struct wk_image_debug){ 0 };
	wk_unwind_table_free(image->unwind); /* which borrows the symbols */
	wk_symtab_free(image->tab);
	image->unwind = NULL;
	image->tab = NULL;
	image->names_are_cached = image->is_ready = false;
	wk_buf_reset(&image->reason);
	image->source_at = 0;
}

void wk_symbols_be_live(struct wk_symbols *symbols, bool is_live)
{
	symbols->is_live = is_live;
	if (is_live || !wk_symbols_asks_machines(symbols))
		return;
	for (size_t i = 1; i < symbols->image_count; i++)
		forget_incomplete(symbols->images[i]);
}

void wk_symbols_release_pages(struct wk_symbols *symbols)
{
	for (size_t i = 1; i < symbols->image_count; i++) {
		wk_os_release(&symbols->images[i]->file.bytes);
		wk_os_release(&symbols->images[i]->debug.bytes);
	}
}

static uint64_t hash_of(const struct wk_image_key *key)
{
	uint64_t hash = wk_hash_bytes(key->path.at, key->path.len);

	hash = wk_hash_pair(hash, wk_hash_bytes(key->build_id.bytes, key->build_id.size));
	return wk_hash_pair(hash, key->inode);
}

/* The process is not part of an image's identity. */
static bool same_key(const void *table, uint32_t id, const void *wanted)
{
	const struct wk_symbols *s = table;
	const struct wk_image_key *a = &s->images[id]->key, *b = wanted;

	return wk_str_eq(a->path, b->path) && wk_build_id_eq(&a->build_id, &b->build_id) &&
	       a->inode == b->inode && a->device_major == b->device_major &&
	       a->device_minor == b->device_minor && a->is_kernel == b->is_kernel &&
	       !a->vdso32_start == !b->vdso32_start && wk_str_eq(a->pdb_path, b->pdb_path) &&
	       a->time_stamp == b->time_stamp;
}

static void retry_image(struct wk_image_symbols *image, const struct wk_image_key *key)
{
	uint32_t pid = key->pid;

	if (image->key.is_kernel || image->file.obj || image->state == WK_IMAGE_NO_FILE ||
	    wk_image_has_rvas(image) || pid == 0 || pid == image->key.pid ||
	    image->retries >= MAX_RETRIES)
		return;
	image->retries++;
	image->key.pid = pid;
	image->key.vdso32_start = key->vdso32_start;
	image->key.vdso32_bytes = key->vdso32_bytes;
	image->is_ready = false;
	wk_buf_reset(&image->reason);
	image->source_at = 0;
	wk_image_open(image);
}

struct wk_image_symbols *wk_symbols_image(struct wk_symbols *s, const struct wk_image_key *key)
{
	uint64_t hash = hash_of(key);
	uint32_t id = wk_index_find(&s->index, hash, same_key, s, key);
	struct wk_image_symbols *image;

	if (id != 0) {
		retry_image(s->images[id], key);
		return s->images[id];
	}
	image = wk_arena_alloc_zeroed(&s->arena, sizeof(*image));
	image->owner = s;
	image->key = *key;
	image->key.any_build = s->any_build;
	image->key.path = wk_arena_copy(&s->arena, key->path);
	image->key.pdb_path = wk_arena_copy(&s->arena, key->pdb_path);
	wk_image_open(image);
	WK_RESERVE(s->images, s->image_cap, s->image_count + 1);
	s->images[s->image_count] = image;
	wk_index_add(&s->index, hash, (uint32_t)s->image_count++);
	return image;
}

const struct wk_obj *wk_image_obj(struct wk_image_symbols *image)
{
	return image->file.obj;
}

static void ready_kernel(struct wk_image_symbols *image)
{
	struct wk_symbols *s = image->owner;

	if (wk_kernel_open(s)) {
		image->state = WK_IMAGE_NAMED;
		wk_buf_add_text(&image->reason, "names from ");
		image->source_at = image->reason.len;
		wk_buf_add_text(&image->reason, s->kallsyms_path);
		return;
	}
	image->state = WK_IMAGE_UNREADABLE;
	wk_buf_add_text(&image->reason, s->kernel.err.text);
}

/* All work that is done on demand. */
static void make_ready(struct wk_image_symbols *image)
{

	if (image->is_ready)
		return;
	image->is_ready = true;
	wk_image_fetch(image);
	if (image->key.is_kernel)
		ready_kernel(image);
	else if (image->file.obj || wk_image_has_rvas(image) || wk_image_cached(image)->load_count)
		wk_image_build_table(image);
}

/* The table is not built while recording if servers might have more names. */
static const struct wk_symtab *lend_symbols(void *context)
{
	struct wk_image_symbols *image = context;

	if (image->owner->is_live && image->owner->fetcher && !image->is_ready)
		return NULL;
	make_ready(image);
	return image->tab;
}

struct wk_unwind_table *wk_image_unwind(struct wk_image_symbols *image)
{
	wk_image_fetch(image);
	if (image->unwind || !image->file.obj)
		return image->unwind;
	image->unwind = wk_unwind_table_new(image->file.obj, wk_image_debug_obj(image));
	wk_unwind_table_borrow_symbols(image->unwind, lend_symbols, image);
	return image->unwind;
}

enum wk_image_state wk_image_state(struct wk_image_symbols *image)
{
	make_ready(image);
	return image->state;
}

const char *wk_image_reason(struct wk_image_symbols *image)
{
	make_ready(image);
	return wk_buf_text(&image->reason);
}

const char *wk_image_names_source(struct wk_image_symbols *image)
{
	return wk_image_reason(image) + image->source_at;
}

bool wk_image_is_hidden(struct wk_image_symbols *image)
{
	return image->key.is_kernel && wk_image_state(image) == WK_IMAGE_UNREADABLE &&
	       image->owner->kernel.err.code == WK_EPERM;
}

static bool find_in_kernel(struct wk_symbols *s, uint64_t address, struct wk_symbol *symbol)
{
	struct wk_kallsym found;

	if (!wk_kernel_find(s, address, &found))
		return false;
	*symbol = (struct wk_symbol){
		.name = found.name,
		.start = found.start,
		.size_bytes = found.size_bytes,
	};
	return true;
}

/* What handlers and coroutines return to: C libraries do not export it. */
static bool find_trampoline(const struct wk_image_symbols *image, uint64_t vaddr,
			    struct wk_symbol *symbol)
{
	const struct wk_obj *obj = image->file.obj;

	if (!obj || obj->machine != WK_MACHINE_X86_64)
		return false;
	*symbol = (struct wk_symbol){ .start = vaddr, .size_bytes = 1 };
	if (wk_code_is_sigreturn(wk_obj_bytes_from(obj, vaddr), obj->machine) ||
	    wk_code_is_sigreturn(wk_obj_bytes_from(obj, vaddr - WK_CODE_SIGRETURN_BYTES),
				 obj->machine))
		symbol->name = wk_str_c("__restore_rt");
	else if (wk_code_ends_context(wk_obj_bytes_from(obj, vaddr)))
		symbol->name = wk_str_c("__start_context");
	return symbol->name.len > 0;
}

bool wk_image_find_of(struct wk_image_symbols *image, uint64_t vaddr, struct wk_symbol *symbol)
{
	struct wk_obj_symbol found;

	/* With the image's file, the table of a PDB's public names is built only if needed. */
	if (!image->file.obj)
		make_ready(image);
	if (wk_image_find_in_pdb(image, vaddr, symbol))
		return true;
	make_ready(image);
	if (!image->tab || !wk_symtab_find(image->tab, vaddr, &found))
		return find_trampoline(image, vaddr, symbol);
	*symbol = (struct wk_symbol){
		.name = found.name,
		.start = found.vaddr,
		.size_bytes = found.size_bytes,
		.is_plt = found.is_plt,
	};
	return true;
}

bool wk_image_find(struct wk_image_symbols *image, uint64_t address, struct wk_symbol *symbol)
{
	uint64_t vaddr;

	make_ready(image);
	if (image->key.is_kernel)
		return find_in_kernel(image->owner, address, symbol);
	if (!wk_image_vaddr_of(image, address, &vaddr) || !wk_image_find_of(image, vaddr, symbol))
		return false;
	symbol->start += address - vaddr;
	return true;
}

bool wk_is_running_kernel(const struct wk_build_id *id)
{
	const char *chosen = kallsyms_of_user();
	struct wk_build_id running = { 0 };

	if (chosen)
		return *chosen;
	running.size = (uint8_t)wk_os_kernel_build_id(running.bytes);
	return id->size > 0 && wk_build_id_eq(id, &running);
}

bool wk_kernel_has_moved(struct wk_image_symbols *kernel, uint64_t first_start)
{
	struct wk_symbol first;

	/* perf records 0 if it may not read addresses. */
	if (first_start == 0 || wk_image_state(kernel) != WK_IMAGE_NAMED)
		return false;
	return !wk_image_find(kernel, first_start, &first) || first.start != first_start;
}

bool wk_is_running_release(struct wk_str host, struct wk_str release)
{
	const char *chosen = kallsyms_of_user();
	struct wk_os_host here;

	if (chosen)
		return *chosen;
	wk_os_host(&here);
	return here.name[0] && wk_str_is(host, here.name) && wk_str_is(release, here.release);
}

bool wk_kernel_is_at(struct wk_image_symbols *kernel, uint64_t start, uint64_t size_bytes)
{
	struct wk_symbol first, behind;

	if (wk_image_state(kernel) != WK_IMAGE_NAMED)
		return true;
	if (!wk_image_find(kernel, start, &first) || first.start != start)
		return false;
	/* Recorders that include its data end at an address without a function. */
	return !wk_image_find(kernel, start + size_bytes, &behind) ||
	       behind.start == start + size_bytes;
}
