/* Reads and writes an image's entry in the symbol cache.
 *
 * An entry belongs to one build, so its names stay correct. But a debug file with more names may
 * have been installed since, or a stripped copy was seen first: names made without a debug file or
 * all symbols are used only while there are none. And a file may have been read while it was being
 * written: names made from a file that has changed are used only if nothing else is left to read,
 * for example because the program was stripped since.
 *
 * A file without a build id, such as the library of rustc or a program of Go, has an entry of its
 * own: its id is made of the file's identity, size and time.
 *
 * The source section is lines of text: the image's path, and after it
 *
 *	build NUMBER            see wk_image_build
 *	image SIZE TIME         of the image's file, when it was read
 *	names SIZE TIME PATH    of the file that the names are from
 *	lines SIZE TIME PATH
 *	units KIND              of debug information that the lines are from, which numbers the
 *				units; "publics": it has none
 *	complete                no other file would have more names
 *	load OFFSET BYTES VADDR FLAGS   of a loaded segment, to translate addresses without the file
 */
#include "symbols/image/image.h"

#include <inttypes.h>

#include "base/hash.h"
#include "base/num.h"

#define MOST_SECTIONS 4

static uint64_t read_number(struct wk_str *rest)
{
	struct wk_str word;
	uint64_t number;

	wk_str_split(*rest, ' ', &word, rest);
	return wk_num_u64(word, &number) ? number : 0;
}

static void read_load(struct wk_image_cached *cached, struct wk_str rest)
{
	struct wk_obj_segment load = { .type = WK_PT_LOAD };

	if (cached->load_count == WK_MOST_CACHED_LOADS)
		return;
	load.offset = read_number(&rest);
	load.file_size = read_number(&rest);
	load.vaddr = read_number(&rest);
	load.flags = (uint32_t)read_number(&rest);
	cached->loads[cached->load_count++] = load;
}

static bool is_changed(const struct wk_image_source *source, const struct wk_os_identity *now)
{
	return source->size_bytes != now->size_bytes || source->changed_ns != now->changed_ns;
}

/* A deleted file is not stale: nothing newer can be read from it. */
static struct wk_image_source source_of(struct wk_str rest)
{
	struct wk_image_source source = { 0 };
	struct wk_buf path = { 0 };
	struct wk_os_identity now;

	source.size_bytes = read_number(&rest);
	source.changed_ns = read_number(&rest);
	source.path = rest;
	wk_buf_add_str(&path, rest);
	source.is_stale = rest.len && wk_os_identify(wk_buf_text(&path), &now, NULL) &&
			  is_changed(&source, &now);
	wk_buf_fini(&path);
	return source;
}

static void read_fact(struct wk_image_cached *cached, struct wk_str line)
{
	struct wk_str word, value;

	wk_str_split(line, ' ', &word, &value);
	if (wk_str_is(word, "complete")) {
		cached->has_all_names = true;
	} else if (wk_str_is(word, "build")) {
		cached->build = read_number(&value);
	} else if (wk_str_is(word, "image")) {
		cached->image.size_bytes = read_number(&value);
		cached->image.changed_ns = read_number(&value);
	} else if (wk_str_is(word, "names")) {
		cached->names = source_of(value);
	} else if (wk_str_is(word, "lines")) {
		cached->lines = source_of(value);
	} else if (wk_str_is(word, "units")) {
		cached->units = value;
	} else if (wk_str_is(word, "load")) {
		read_load(cached, value);
	}
}

static void read_sources(struct wk_image_cached *cached)
{
	struct wk_bytes bytes =
		wk_cache_section(cached->entry, WK_CACHE_SOURCE, WK_CACHE_SOURCE_VERSION);
	struct wk_str text = wk_str_of((const char *)bytes.at, wk_bytes_left(&bytes)), line;

	wk_str_split(text, '\n', &cached->image.path, &text);
	while (text.len > 0) {
		wk_str_split(text, '\n', &line, &text);
		read_fact(cached, line);
	}
}

/* A missing Windows image has only the recorded path. */
static struct wk_str path_of(const struct wk_image_symbols *image)
{
	return image->file.obj ? wk_str_c(image->file.path) : image->key.path;
}

/* The same path, whether a recorder found it through the process or not. */
static bool is_of_this_file(const struct wk_image_symbols *image)
{
	return wk_str_eq(wk_store_without_root(image->cached.image.path),
			 wk_store_without_root(path_of(image)));
}

/* Does the entry belong to the image's build? If it was made from this very file, nothing is read.
 * A PDB's id always identifies one build, as does one that was made here. */
static bool is_of_this_build(struct wk_image_symbols *image)
{
	struct wk_image_cached *cached = &image->cached;

	if (image->made_id.size)
		return true;
	if (!image->file.obj || cached->build == 0)
		return !image->file.obj || image->file.obj->pe;
	cached->image.is_stale =
		is_of_this_file(image) && is_changed(&cached->image, &image->file.identity);
	if (is_of_this_file(image) && !cached->image.is_stale)
		return true;
	return cached->build == wk_image_build(image->file.obj);
}

/* Never that of another file, nor of the same one after it was written to: inodes are used again,
 * and builds set one time for all files, but not that of the last change of the inode. Made without
 * a look at the contents: reading them costs more than the entry is to save. */
static void make_id(const struct wk_os_identity *identity, struct wk_build_id *id)
{
	uint64_t facts[] = { identity->device_major, identity->device_minor, identity->inode,
			     identity->size_bytes, identity->changed_ns,
			     identity->status_ns };
	uint64_t first = wk_checksum(facts, sizeof(facts)), second;

	facts[0] ^= first;
	second = wk_checksum(facts, sizeof(facts));
	id->size = sizeof(first) + sizeof(second);
	memcpy(id->bytes, &first, sizeof(first));
	memcpy(id->bytes + sizeof(first), &second, sizeof(second));
}

/* Which entry of the cache is the image's; size 0: none. */
static const struct wk_build_id *entry_id(struct wk_image_symbols *image)
{
	static const struct wk_build_id none;
	const struct wk_build_id *id = wk_image_build_id(image);

	if (!image->owner->cache || image->key.is_kernel || wk_image_is_vdso(image))
		return &none;
	if (id->size || !image->file.obj || !image->file.identity.inode)
		return id;
	if (!image->made_id.size)
		make_id(&image->file.identity, &image->made_id);
	return &image->made_id;
}

const struct wk_image_cached *wk_image_cached(struct wk_image_symbols *image)
{
	struct wk_image_cached *cached = &image->cached;
	const struct wk_build_id *id;

	if (cached->was_looked_for)
		return cached;
	cached->was_looked_for = true;
	id = entry_id(image);
	if (id->size)
		cached->entry = wk_cache_find(image->owner->cache, id);
	if (cached->entry)
		read_sources(cached);
	if (cached->entry && !is_of_this_build(image))
		*cached = (struct wk_image_cached){ .was_looked_for = true };
	return cached;
}

static struct wk_bytes section_of(struct wk_image_symbols *image, uint32_t kind, uint32_t version)
{
	return wk_cache_section(wk_image_cached(image)->entry, kind, version);
}

static bool are_names_stale(const struct wk_image_cached *cached)
{
	return cached->names.is_stale || cached->image.is_stale;
}

static bool can_make_names(struct wk_image_symbols *image)
{
	if (image->file.obj && (wk_image_has_all_names(image->file.obj) ||
				wk_obj_section(image->file.obj, ".gnu_debugdata")))
		return true;
	return wk_image_debug_obj(image) || wk_image_open_pdb(image);
}

static bool can_make_places(struct wk_image_symbols *image)
{
	return wk_image_has_places(image->file.obj) ||
	       wk_image_has_places(wk_image_debug_obj(image)) || wk_image_open_pdb(image);
}

/* Is the entry complete? Then its files need not be searched for. */
bool wk_image_is_all_cached(struct wk_image_symbols *image)
{
	const struct wk_image_cached *cached = wk_image_cached(image);
	struct wk_bytes names = section_of(image, WK_CACHE_SYMBOLS, WK_SYMTAB_VERSION);
	struct wk_bytes lines = section_of(image, WK_CACHE_CODE, WK_CODE_INDEX_VERSION);

	return cached->has_all_names && wk_bytes_left(&names) && !are_names_stale(cached) &&
	       !cached->lines.is_stale &&
	       (wk_bytes_left(&lines) || wk_str_is(cached->units, "publics"));
}

/* The entry may be that of a stripped copy of this build. */
static bool may_have_more_names(struct wk_image_symbols *image)
{
	return (image->file.obj && wk_image_has_all_names(image->file.obj)) ||
	       wk_image_debug_obj(image) || wk_image_open_pdb(image);
}

struct wk_symtab *wk_image_cached_names(struct wk_image_symbols *image)
{
	struct wk_bytes bytes = section_of(image, WK_CACHE_SYMBOLS, WK_SYMTAB_VERSION);

	if (wk_bytes_left(&bytes) == 0)
		return NULL;
	if (!image->cached.has_all_names && may_have_more_names(image))
		return NULL;
	if (are_names_stale(&image->cached) && can_make_names(image))
		return NULL;
	return wk_symtab_load(bytes, NULL);
}

struct wk_code_index *wk_image_cached_places(struct wk_image_symbols *image)
{
	struct wk_bytes bytes = section_of(image, WK_CACHE_CODE, WK_CODE_INDEX_VERSION);

	if (wk_bytes_left(&bytes) == 0 || (image->cached.lines.is_stale && can_make_places(image)))
		return NULL;
	return wk_code_index_load(bytes, NULL);
}

/* A new entry. */
struct saving {
	struct wk_image_symbols *image;
	struct wk_buf source, names, code;
	struct wk_cache_section sections[MOST_SECTIONS];
	size_t count;
	bool has_news;
};

/* If nothing was made, the old entry keeps its section, unless that is outdated or of another
 * build: an empty one replaces it. The kernel's table belongs to the id, not to this file. */
static void add_section(struct saving *k, uint32_t kind, uint32_t version,
			const struct wk_buf *made, bool is_outdated)
{
	if (made->len || is_outdated || !wk_image_cached(k->image)->entry)
		k->sections[k->count++] =
			(struct wk_cache_section){ kind, version, wk_buf_str(made) };
}

static void save_names(struct saving *k)
{
	const struct wk_image_symbols *image = k->image;
	bool is_new = image->tab && !image->names_are_cached && !image->owner->as_perf;

	if (is_new && !wk_symtab_save(image->tab, &k->names))
		wk_buf_reset(&k->names);
	k->has_news |= k->names.len > 0;
	add_section(k, WK_CACHE_SYMBOLS, WK_SYMTAB_VERSION, &k->names, is_new);
}

/* Missing or damaged files may have been replaced at the next run. */
static bool are_whole(const struct wk_image_debug *places)
{
	if (places->dwarf)
		return wk_dwarf_missing(places->dwarf).len == 0 && wk_dwarf_is_sound(places->dwarf);
	return (places->pdb || places->breakpad) && !places->lacks_units;
}

static void save_places(struct saving *k)
{
	const struct wk_image_debug *places = &k->image->places;

	if (places->index && are_whole(places) && wk_code_index_is_changed(places->index))
		wk_code_index_save(places->index, &k->code);
	k->has_news |= k->code.len > 0;
	add_section(k, WK_CACHE_CODE, WK_CODE_INDEX_VERSION, &k->code,
		    wk_image_debug_has_source(places) && k->image->cached.lines.is_stale);
}

static void add_source(struct wk_buf *text, const char *word, struct wk_image_source source)
{
	if (source.path.len == 0 || memchr(source.path.at, '\n', source.path.len))
		return;
	wk_buf_add_fmt(text, "%s %" PRIu64 " %" PRIu64 " ", word, source.size_bytes,
		       source.changed_ns);
	wk_buf_add_str(text, source.path);
	wk_buf_add_char(text, '\n');
}

/* On one line: it may be from a recording. */
static void add_path(struct wk_buf *text, struct wk_str path)
{
	for (size_t i = 0; i < path.len; i++)
		wk_buf_add_char(text, path.at[i] == '\n' ? '?' : path.at[i]);
}

/* The image's file or its debug file, with its size and time before it was read. */
static struct wk_image_source file_at(const struct wk_image_symbols *image, struct wk_str path)
{
	const struct wk_store_file *file = &image->file;

	if (image->debug.obj && wk_str_is(path, image->debug.path))
		file = &image->debug;
	if (image->places.pdb_file.path && wk_str_is(path, image->places.pdb_file.path))
		file = &image->places.pdb_file;
	return (struct wk_image_source){ .path = path, .size_bytes = file->identity.size_bytes,
					 .changed_ns = file->identity.changed_ns };
}

static void add_loads(struct wk_buf *text, const struct wk_obj *obj)
{
	size_t count = 0;

	for (uint32_t i = 0; obj && i < obj->segment_count && count < WK_MOST_CACHED_LOADS; i++) {
		const struct wk_obj_segment *load = &obj->segments[i];

		if (obj->kind != WK_OBJ_ELF || load->type != WK_PT_LOAD || !load->file_size)
			continue;
		wk_buf_add_fmt(text, "load %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu32 "\n",
			       load->offset, load->file_size, load->vaddr, load->flags);
		count++;
	}
}

static void save_source(struct saving *k)
{
	struct wk_image_symbols *image = k->image;
	bool made_names = image->tab && !image->names_are_cached && !image->owner->as_perf;
	bool made_places = wk_image_debug_has_source(&image->places);
	const char *kind = wk_image_debug_kind(&image->places);

	add_path(&k->source, path_of(image));
	wk_buf_add_fmt(&k->source, "\nbuild %" PRIu64 "\nimage %" PRIu64 " %" PRIu64 "\n",
		       image->file.obj ? wk_image_build(image->file.obj) : 0,
		       image->file.identity.size_bytes, image->file.identity.changed_ns);
	add_source(&k->source, "names",
		   made_names ? file_at(image, wk_str_c(image->names_from)) : image->cached.names);
	add_source(&k->source, "lines",
		   made_places ? file_at(image, wk_buf_str(&image->places.path))
			       : image->cached.lines);
	if (made_places || image->cached.units.len)
		wk_buf_add_fmt(&k->source, "units %.*s\n",
			       WK_STR_ARG(made_places ? wk_str_c(kind) : image->cached.units));
	if (made_names ? image->has_all_names : image->cached.has_all_names)
		wk_buf_add_text(&k->source, "complete\n");
	add_loads(&k->source, image->file.obj);
	add_section(k, WK_CACHE_SOURCE, WK_CACHE_SOURCE_VERSION, &k->source, false);
}

void wk_image_save(struct wk_image_symbols *image)
{
	struct saving k = { .image = image };
	const struct wk_build_id *id = entry_id(image);

	if (!id->size)
		return;
	save_names(&k);
	save_places(&k);
	if (k.has_news) {
		save_source(&k);
		wk_cache_add(image->owner->cache, id, k.sections, k.count, NULL);
	}
	WK_BUF_FINI_ALL(&k.source, &k.names, &k.code);
}
