#include "symbols/symbols.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/mem.h"
#include "os/os.h"
#include "symbols/kallsyms.h"
#include "symbols/remote.h"
#include "symbols/store.h"
#include "symbols/symtab.h"

/* A file that only its own process could show is looked for again when another process has
 * it too, but not for each of a thousand. */
#define MAX_RETRIES 8

struct wk_image_symbols {
	struct wk_symbols *owner;
	struct wk_image_key key;
	struct wk_store_file file, debug;
	struct wk_symtab *tab;
	struct wk_buf reason, debug_reason;
	enum wk_image_state state;
	unsigned retries;
	bool debug_done;
	bool was_asked, debug_asked; /* of other machines: the image, its debug file */
	bool is_ready; /* state and reason are final, the table is built */
};

struct wk_symbols {
	const char *const *debug_dirs;
	const char *kallsyms_path;
	struct wk_remote *remote;
	bool is_live;

	struct wk_arena arena;            /* the images, and the text of their keys */
	struct wk_image_symbols **images; /* from 1 on */
	size_t image_count, image_cap;
	struct wk_index index;

	struct wk_kallsyms *kernel;
	struct wk_err kernel_err;
	bool kernel_done;
};

static const char *const usual_debug_dirs[] = { "/usr/lib/debug", NULL };

struct wk_symbols *wk_symbols_new(const struct wk_symbols_options *options)
{
	static const struct wk_symbols_options usual;
	struct wk_symbols *s = wk_alloc_zeroed(1, sizeof(*s));

	if (!options)
		options = &usual;
	s->debug_dirs = options->debug_dirs ? options->debug_dirs : usual_debug_dirs;
	s->kallsyms_path = options->kallsyms_path ? options->kallsyms_path : "/proc/kallsyms";
	s->remote = options->remote;
	s->image_count = 1;
	return s;
}

static void close_image(struct wk_image_symbols *image)
{
	wk_symtab_free(image->tab);
	wk_store_close(&image->file);
	wk_store_close(&image->debug);
	wk_buf_fini(&image->reason);
	wk_buf_fini(&image->debug_reason);
}

void wk_symbols_free(struct wk_symbols *s)
{
	if (!s)
		return;
	for (size_t i = 1; i < s->image_count; i++)
		close_image(s->images[i]);
	wk_kallsyms_free(s->kernel);
	wk_index_fini(&s->index);
	wk_arena_fini(&s->arena);
	free(s->images);
	free(s);
}

void wk_symbols_be_live(struct wk_symbols *symbols, bool is_live)
{
	symbols->is_live = is_live;
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

/* The process is not part of what an image is. */
static bool same_key(const void *table, uint32_t id, const void *wanted)
{
	const struct wk_symbols *s = table;
	const struct wk_image_key *a = &s->images[id]->key, *b = wanted;

	return wk_str_eq(a->path, b->path) && wk_build_id_eq(&a->build_id, &b->build_id) &&
	       a->inode == b->inode && a->device_major == b->device_major &&
	       a->device_minor == b->device_minor && a->is_kernel == b->is_kernel;
}

static bool is_vdso(const struct wk_image_symbols *image)
{
	return !image->key.is_kernel && wk_str_is(image->key.path, "[vdso]");
}

/* The vDSO is no file: it is part of the kernel, and every process of this boot has the same. */
static enum wk_image_state open_vdso(struct wk_image_symbols *image)
{
	struct wk_buf *why = &image->reason;
	struct wk_err err = { 0 };
	struct wk_elf *elf;
	const uint8_t *at;
	size_t size_bytes;

	if (!wk_os_vdso(&at, &size_bytes)) {
		wk_buf_add_text(why, "the kernel gave this process no vDSO to read the names from");
		return WK_IMAGE_MISSING;
	}
	elf = wk_elf_parse(at, size_bytes, &err);
	if (!elf) {
		wk_buf_add_text(why, err.text);
		return WK_IMAGE_UNREADABLE;
	}
	if (image->key.build_id.size > 0 &&
	    !wk_store_same_id(&image->key.build_id, &elf->build_id)) {
		wk_elf_free(elf);
		wk_buf_add_text(why, "the vDSO recorded is of another kernel than the one running");
		return WK_IMAGE_DIFFERS;
	}
	image->file.elf = elf;
	image->file.path = wk_strndup("[vdso]", strlen("[vdso]"));
	image->debug_done = true;
	return WK_IMAGE_NAMED;
}

static void open_image(struct wk_image_symbols *image)
{
	if (image->key.is_kernel)
		return;
	if (is_vdso(image))
		image->state = open_vdso(image);
	else
		image->state = wk_store_image(&image->key, &image->file, &image->reason);
}

static void retry_image(struct wk_image_symbols *image, uint32_t pid)
{
	if (image->key.is_kernel || image->file.elf || image->state == WK_IMAGE_NO_FILE ||
	    pid == 0 || pid == image->key.pid || image->retries >= MAX_RETRIES)
		return;
	image->retries++;
	image->key.pid = pid;
	image->is_ready = false;
	wk_buf_reset(&image->reason);
	open_image(image);
}

struct wk_image_symbols *wk_symbols_image(struct wk_symbols *s, const struct wk_image_key *key)
{
	uint64_t hash = hash_of(key);
	uint32_t id = wk_index_find(&s->index, hash, same_key, s, key);
	struct wk_image_symbols *image;

	if (id != 0) {
		retry_image(s->images[id], key->pid);
		return s->images[id];
	}
	image = wk_arena_alloc_zeroed(&s->arena, sizeof(*image));
	image->owner = s;
	image->key = *key;
	image->key.path = wk_arena_copy(&s->arena, key->path);
	open_image(image);
	s->images = wk_grow(s->images, &s->image_cap, s->image_count + 1,
			    sizeof(struct wk_image_symbols *));
	s->images[s->image_count] = image;
	wk_index_add(&s->index, hash, (uint32_t)s->image_count++);
	return image;
}

/* What is found out late does not change what an image is, so callers hold it as const. */
static struct wk_image_symbols *lazily(const struct wk_image_symbols *image)
{
	return (struct wk_image_symbols *)(uintptr_t)image;
}

/* A copy of the wanted file that another machine has; in `why` what was said where none has. */
static bool fetch(const struct wk_image_symbols *image, enum wk_remote_file which,
		  const struct wk_build_id *id, struct wk_store_file *file, struct wk_buf *why)
{
	const struct wk_symbols *s = image->owner;
	struct wk_image_key key = { .build_id = *id };
	struct wk_buf path = { 0 };
	struct wk_err err = { 0 };
	bool found = false;

	if (!s->remote || id->size == 0 || image->key.is_kernel || is_vdso(image))
		return false;
	if (wk_remote_get(s->remote, which, id, image->key.path, &path, &err)) {
		key.path = wk_buf_str(&path);
		found = wk_store_image(&key, file, why) == WK_IMAGE_NAMED;
	} else {
		wk_buf_add_fmt(why, "%s%s", why->len ? "; " : "", err.text);
	}
	wk_buf_fini(&path);
	return found;
}

void wk_image_fetch(const struct wk_image_symbols *image)
{
	struct wk_image_symbols *late = lazily(image);

	if (image->file.elf || image->state == WK_IMAGE_NO_FILE || image->was_asked ||
	    image->owner->is_live)
		return;
	late->was_asked = true;
	if (fetch(image, WK_REMOTE_IMAGE, &image->key.build_id, &late->file, &late->reason))
		late->state = WK_IMAGE_NAMED;
}

const struct wk_elf *wk_image_elf(const struct wk_image_symbols *image)
{
	return image->file.elf;
}

static bool has_full_table(const struct wk_elf *elf)
{
	for (uint32_t i = 0; i < elf->section_count; i++)
		if (elf->sections[i].type == WK_SHT_SYMTAB && elf->sections[i].size_bytes > 0)
			return true;
	return false;
}

const struct wk_elf *wk_image_debug_elf(const struct wk_image_symbols *image)
{
	struct wk_image_symbols *late = lazily(image);
	const struct wk_symbols *s = image->owner;

	if (image->file.elf && !image->debug_done) {
		late->debug_done = true;
		wk_store_debug(&image->file, image->owner->debug_dirs, &late->debug,
			       &late->debug_reason);
	}
	if (image->file.elf && !image->debug.elf && !image->debug_asked && !s->is_live) {
		late->debug_asked = true;
		if (!has_full_table(image->file.elf) ||
		    !wk_elf_section(image->file.elf, ".debug_info"))
			fetch(image, WK_REMOTE_DEBUG, &image->file.elf->build_id, &late->debug,
			      &late->debug_reason);
	}
	return image->debug.elf;
}

static void add_what_would_help(struct wk_image_symbols *image)
{
	struct wk_buf *reason = &image->reason;

	if (image->debug_reason.len > 0) {
		wk_buf_add_text(reason, "; ");
		wk_buf_add_str(reason, wk_buf_str(&image->debug_reason));
	}
	if (is_vdso(image))
		return;
	wk_buf_add_text(reason, "; a debug package");
	if (image->file.elf->build_id.size > 0) {
		wk_buf_add_text(reason, " (build id ");
		wk_store_add_id(reason, &image->file.elf->build_id);
		wk_buf_add_text(reason, ")");
	}
	wk_buf_add_text(reason, " or an unstripped build would name ");
	wk_buf_add_text(reason, image->state == WK_IMAGE_STRIPPED ? "it" : "the rest");
}

/* A file with a full table of its own needs no other: its debug file says the same. */
static void build_table(struct wk_image_symbols *image)
{
	const struct wk_elf *elf = image->file.elf, *debug = NULL;
	bool is_full = has_full_table(elf);

	if (!is_full) {
		debug = wk_image_debug_elf(image);
		is_full = debug && has_full_table(debug);
	}
	image->tab = wk_symtab_new(elf, debug);
	if (wk_symtab_count(image->tab) == 0) {
		image->state = WK_IMAGE_STRIPPED;
		wk_buf_add_fmt(&image->reason, "%s is stripped of its names", image->file.path);
	} else {
		image->state = WK_IMAGE_NAMED;
		wk_buf_add_fmt(&image->reason, "%s from %s",
			       is_full || is_vdso(image) ? "names" : "only exported names",
			       debug ? image->debug.path : image->file.path);
	}
	if (!is_full)
		add_what_would_help(image);
}

static void load_kernel(struct wk_symbols *s)
{
	if (s->kernel_done)
		return;
	s->kernel_done = true;
	s->kernel = wk_kallsyms_open(s->kallsyms_path, &s->kernel_err);
}

static void ready_kernel(struct wk_image_symbols *image)
{
	struct wk_symbols *s = image->owner;

	load_kernel(s);
	if (s->kernel) {
		image->state = WK_IMAGE_NAMED;
		wk_buf_add_fmt(&image->reason, "names from %s", s->kallsyms_path);
		return;
	}
	image->state = WK_IMAGE_UNREADABLE;
	wk_buf_add_text(&image->reason, s->kernel_err.text);
}

/* Everything that is put off until somebody asks. */
static void make_ready(const struct wk_image_symbols *image)
{
	struct wk_image_symbols *late = lazily(image);

	if (image->is_ready)
		return;
	late->is_ready = true;
	wk_image_fetch(image);
	if (image->key.is_kernel)
		ready_kernel(late);
	else if (image->file.elf)
		build_table(late);
}

enum wk_image_state wk_image_state(const struct wk_image_symbols *image)
{
	make_ready(image);
	return image->state;
}

const char *wk_image_reason(const struct wk_image_symbols *image)
{
	make_ready(image);
	return wk_buf_text(&image->reason);
}

static bool find_in_kernel(const struct wk_kallsyms *kernel, uint64_t address,
			   struct wk_symbol *symbol)
{
	struct wk_kallsym found;

	if (!kernel || !wk_kallsyms_find(kernel, address, &found))
		return false;
	*symbol = (struct wk_symbol){
		.name = found.name,
		.start = found.start,
		.size_bytes = found.size_bytes,
	};
	return true;
}

bool wk_image_find(const struct wk_image_symbols *image, uint64_t address, struct wk_symbol *symbol)
{
	struct wk_elf_symbol found;
	uint64_t vaddr;

	make_ready(image);
	if (image->key.is_kernel)
		return find_in_kernel(image->owner->kernel, address, symbol);
	if (!image->tab || !wk_elf_vaddr_of(image->file.elf, address, &vaddr) ||
	    !wk_symtab_find(image->tab, vaddr, &found))
		return false;
	*symbol = (struct wk_symbol){
		.name = found.name,
		.start = address - (vaddr - found.vaddr),
		.size_bytes = found.size_bytes,
		.is_plt = found.is_plt,
	};
	return true;
}

size_t wk_image_places(const struct wk_image_symbols *image, uint64_t address,
		       struct wk_place *places, size_t cap)
{
	(void)image;
	(void)address;
	(void)places;
	(void)cap;
	return 0;
}

const char *wk_image_places_reason(const struct wk_image_symbols *image)
{
	return wk_image_reason(image);
}

struct wk_str wk_kernel_module_of(const struct wk_image_symbols *kernel, uint64_t address)
{
	struct wk_kallsym found;

	make_ready(kernel);
	if (!kernel->owner->kernel || !wk_kallsyms_find(kernel->owner->kernel, address, &found))
		return wk_str_c("");
	return found.module;
}
