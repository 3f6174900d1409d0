#include "session/heap/heap_symbols.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/text/text_list.h"
#include "os/os.h"
#include "session/heap/heap_patches.h"
#include "symbols/object/object.h"

/* Of allocators that programs contain. */
static const char *const known_prefixes[] = { "_rjem_", "je_", "mi_", "tc_", "rp" };

struct pair {
	struct wk_str name;
	enum wk_allocator_call call;
	bool is_found;
};

struct search {
	struct wk_heap_symbols *symbols;
	struct wk_text_list prefixes, files;
	struct pair *pairs;
	size_t pair_count, pair_cap;
	bool is_explicit; /* there is a list */
	const char *path; /* being searched */
	const struct wk_obj *obj;
};

static bool fail_item(struct wk_str item, struct wk_err *err)
{
	return wk_fail(err, WK_EUSAGE, WK_NOWHERE,
		       "--heap-symbols: \"%.*s\" must be a prefix (mi_), a file (./lib.so), or "
		       "NAME=malloc (calloc, realloc, reallocarray, aligned_alloc, "
		       "posix_memalign, free)",
		       WK_STR_ARG(item));
}

static bool read_item(struct search *search, struct wk_str item, struct wk_err *err)
{
	struct wk_arena *texts = &search->symbols->texts;
	struct wk_str left, right;
	struct pair pair;

	if (!item.len)
		return fail_item(item, err);
	if (memchr(item.at, '/', item.len)) {
		wk_text_list_add(&search->files, wk_arena_copy(texts, item).at);
		return true;
	}
	if (!wk_str_split(item, '=', &left, &right)) {
		wk_text_list_add(&search->prefixes, wk_arena_copy(texts, item).at);
		return true;
	}
	pair = (struct pair){ left, wk_heap_symbol_call(right, false), false };
	if (!left.len || !pair.call)
		return fail_item(item, err);
	*WK_APPEND(search->pairs, search->pair_count, search->pair_cap) = pair;
	return true;
}

static bool read_list(struct search *search, const char *list, struct wk_err *err)
{
	struct wk_str left = wk_str_c(list);
	bool ok = true;

	while (left.len && ok)
		ok = read_item(search, wk_str_cut(&left, ','), err);
	return ok;
}

/* Does the name begin with one of the prefixes, and what does the function do? */
static enum wk_allocator_call call_behind(const char *const *prefixes, size_t count,
					  struct wk_str name)
{
	for (size_t i = 0; i < count; i++) {
		struct wk_str rest = name;
		enum wk_allocator_call call = WK_ALLOCATOR_NONE;

		if (wk_str_accept(&rest, prefixes[i]))
			call = wk_heap_symbol_call(rest, true);
		if (call)
			return call;
	}
	return WK_ALLOCATOR_NONE;
}

static enum wk_allocator_call call_of(struct search *search, struct wk_str name)
{
	enum wk_allocator_call call;

	for (size_t i = 0; i < search->pair_count; i++)
		if (wk_str_eq(search->pairs[i].name, name)) {
			search->pairs[i].is_found = true;
			return search->pairs[i].call;
		}
	if (search->pair_count || search->prefixes.count)
		return call_behind(search->prefixes.at, search->prefixes.count, name);
	call = wk_heap_symbol_call(name, false);
	return call ? call
		    : call_behind(known_prefixes,
				  sizeof(known_prefixes) / sizeof(known_prefixes[0]), name);
}

/* The same function by another name. */
static struct wk_heap_probe *find_probe(const struct search *search, uint64_t offset)
{
	struct wk_heap_symbols *symbols = search->symbols;

	for (size_t i = 0; i < symbols->count; i++)
		if (symbols->probes[i].offset == offset &&
		    strcmp(symbols->probes[i].path, search->path) == 0)
			return &symbols->probes[i];
	return NULL;
}

static bool take_symbol(void *context, const struct wk_obj_symbol *symbol)
{
	struct search *search = context;
	enum wk_allocator_call call = symbol->is_plt || symbol->type == WK_STT_GNU_IFUNC
					      ? WK_ALLOCATOR_NONE
					      : call_of(search, symbol->name);
	struct wk_heap_symbols *symbols = search->symbols;
	struct wk_heap_probe probe = { .path = search->path,
				       .vaddr = symbol->vaddr,
				       .size_bytes = symbol->size_bytes,
				       .call = call },
			     *known;

	if (!call || !wk_obj_offset_of(search->obj, symbol->vaddr, &probe.offset))
		return true;
	known = find_probe(search, probe.offset);
	if (known && strlen(known->function) <= symbol->name.len)
		return true;
	probe.function = wk_arena_copy(&symbols->texts, symbol->name).at;
	if (known)
		*known = probe;
	else
		*WK_APPEND(symbols->probes, symbols->count, symbols->cap) = probe;
	return true;
}

static bool is_static(const struct wk_obj *obj)
{
	for (uint32_t i = 0; i < obj->segment_count; i++)
		if (obj->segments[i].type == WK_PT_INTERP)
			return false;
	return true;
}

/* False if it is no program of this machine. */
static bool search_file(struct search *search, const char *path)
{
	char *real = realpath(path, NULL);
	struct wk_os_file file;
	struct wk_obj *obj;

	if (!real)
		return false;
	search->path = wk_arena_copy(&search->symbols->texts, wk_str_c(real)).at;
	free(real);
	if (!wk_os_open_named(search->path, &file, NULL, NULL))
		return false;
	obj = wk_obj_parse(file.at, file.size_bytes, NULL);
	search->obj = obj;
	if (obj && obj->kind == WK_OBJ_ELF && obj->is_64 && (search->is_explicit || is_static(obj)))
		wk_obj_each_symbol(obj, take_symbol, search);
	wk_obj_free(obj);
	wk_os_close(&file);
	return obj != NULL;
}

/* As execvp finds it. */
static bool find_program(const struct wk_recorder_options *options, struct wk_buf *path)
{
	const char *program = options->command[0], *folders = getenv("PATH");
	struct wk_str left = wk_str_c(folders ? folders : "/bin:/usr/bin");
	struct stat info;

	if (strchr(program, '/')) {
		if (options->folder && program[0] != '/')
			wk_buf_add_fmt(path, "%s/", options->folder);
		wk_buf_add_text(path, program);
		return true;
	}
	while (left.len) {
		struct wk_str folder = wk_str_cut(&left, ':');

		wk_buf_reset(path);
		wk_buf_add_str(path, folder);
		wk_buf_add_fmt(path, "%s%s", folder.len ? "/" : "", program);
		if (stat(wk_buf_text(path), &info) == 0 && S_ISREG(info.st_mode) &&
		    access(wk_buf_text(path), X_OK) == 0)
			return true;
	}
	return false;
}

static bool search_files(struct search *search, const struct wk_recorder_options *options,
			 struct wk_err *err)
{
	struct wk_buf path = { 0 };

	if (options->command && find_program(options, &path))
		search_file(search, wk_buf_text(&path));
	/* The heap library is then loaded into none of several processes. */
	for (size_t i = 0;
	     i < options->pid_count && (search->is_explicit || options->pid_count == 1); i++) {
		wk_buf_reset(&path);
		wk_buf_add_fmt(&path, "/proc/%d/exe", (int)options->pids[i]);
		search_file(search, wk_buf_text(&path));
	}
	wk_buf_fini(&path);
	for (size_t i = 0; i < search->files.count; i++)
		if (!search_file(search, search->files.at[i]))
			return wk_fail(err, WK_EUSAGE, WK_NOWHERE,
				       "--heap-symbols: %s is not a program or library",
				       search->files.at[i]);
	return true;
}

/* Functions that may be left by an exception, which cannot pass a function whose return is probed:
 * the program would end. */
static bool may_throw(const struct wk_heap_probe *probe)
{
	struct wk_str name = wk_str_c(probe->function);

	return (wk_str_starts(name, "_Znw") || wk_str_starts(name, "_Zna")) &&
	       !wk_str_ends(name, "nothrow_t");
}

/* Does C++'s operator new of the file call malloc, which is probed as well? That of jemalloc,
 * mimalloc and tcmalloc does not. */
static bool has_only_malloc(const struct wk_heap_symbols *symbols, const char *path)
{
	bool has_malloc = false;

	for (size_t i = 0; i < symbols->count; i++) {
		const struct wk_heap_probe *probe = &symbols->probes[i];

		if (strcmp(probe->path, path) != 0)
			continue;
		has_malloc |= strcmp(probe->function, "malloc") == 0;
		for (size_t k = 0; k < sizeof(known_prefixes) / sizeof(*known_prefixes); k++)
			if (wk_str_starts(wk_str_c(probe->function), known_prefixes[k]))
				return false;
	}
	return has_malloc;
}

static void leave_out_throwing(struct wk_heap_symbols *symbols)
{
	size_t kept = 0;

	for (size_t i = 0; i < symbols->count; i++)
		if (!may_throw(&symbols->probes[i]) ||
		    !has_only_malloc(symbols, symbols->probes[i].path))
			symbols->probes[kept++] = symbols->probes[i];
	symbols->count = kept;
}

/* A function that releases and is missed would leave all blocks there. */
static bool expect_pairs(const struct search *search, const struct wk_recorder_options *options,
			 struct wk_err *err)
{
	for (size_t i = 0; i < search->pair_count; i++)
		if (!search->pairs[i].is_found)
			return wk_fail(err, WK_EUSAGE, WK_NOWHERE,
				       "--heap-symbols: %s has no function %.*s among its symbols",
				       options->command ? options->command[0] : "the program",
				       WK_STR_ARG(search->pairs[i].name));
	return true;
}

static bool fail_nothing(const struct wk_recorder_options *options, struct wk_err *err)
{
	return wk_fail(
		err, WK_EUSAGE, WK_NOWHERE,
		"--heap-symbols: %s has no functions of an allocator with these names, or "
		"was stripped of them; give the names (my_alloc=malloc,my_free=free), or the "
		"file that has them, with its symbols",
		options->command ? options->command[0] : "the program");
}

/* What is not patched is left to uprobes. `why` says why that is so, if anything was to be. */
static bool check_probes(const struct wk_heap_symbols *symbols,
			 const struct wk_recorder_options *options, const struct wk_err *why,
			 struct wk_err *err)
{
	struct wk_err why_none = { 0 };

	if (!symbols->count)
		return true;
	if (!wk_heap_probes_are_allowed(&why_none))
		return wk_fail(err, WK_EPERM, WK_NOWHERE, "--heap-symbols: %s; %s",
			       why->text[0] ? why->text : "running processes need uprobes",
			       why_none.text);
	if (options->heap_sample_bytes)
		return wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			       "--heap-sample is not possible with uprobes, which are needed: %s",
			       why->text[0] ? why->text : "the process runs already");
	return true;
}

static void set_options(const struct wk_heap_symbols *symbols, struct wk_recorder_options *options,
			bool is_explicit)
{
	options->heap_probes = symbols->probes;
	options->heap_probe_count = symbols->count;
	options->needs_heap_probes = is_explicit;
	options->heap_patches = symbols->patches;
	options->heap_patched = symbols->patched;
	options->heap_patch_count = symbols->patch_count;
}

bool wk_heap_symbols_find(struct wk_heap_symbols *symbols, const char *list,
			  struct wk_recorder_options *options, struct wk_err *err)
{
	struct search search = { .symbols = symbols, .is_explicit = list != NULL };
	struct wk_err why = { 0 };
	bool ok;

	*symbols = (struct wk_heap_symbols){ 0 };
	if (!list && !wk_heap_probes_are_allowed(NULL))
		return true;
	ok = (!list || read_list(&search, list, err)) && search_files(&search, options, err);
	ok = ok && expect_pairs(&search, options, err);
	leave_out_throwing(symbols);
	if (ok && list && !symbols->count)
		ok = fail_nothing(options, err);
	if (ok && list && options->command)
		wk_heap_patches_make(symbols, &why);
	ok = ok && (!list || check_probes(symbols, options, &why, err));
	set_options(symbols, options, list != NULL);
	if (why.text[0])
		options->why_heap_probes = wk_arena_copy(&symbols->texts, wk_str_c(why.text)).at;
	wk_text_list_fini(&search.prefixes);
	wk_text_list_fini(&search.files);
	wk_free(search.pairs);
	return ok;
}

void wk_heap_symbols_fini(struct wk_heap_symbols *symbols)
{
	WK_FREE_ALL(symbols->probes, symbols->patches, symbols->patched);
	wk_arena_fini(&symbols->texts);
	*symbols = (struct wk_heap_symbols){ 0 };
}

bool wk_heap_symbols_has_file(const struct wk_heap_symbols *symbols, const char *path)
{
	for (size_t i = 0; i < symbols->count; i++)
		if (strcmp(symbols->probes[i].path, path) == 0)
			return true;
	return false;
}

bool wk_heap_symbols_patch(const struct wk_heap_symbols *symbols, const char *path)
{
	for (size_t i = 0; i < symbols->patch_count; i++)
		if (!path || strcmp(symbols->patched[i], path) == 0)
			return true;
	return false;
}
