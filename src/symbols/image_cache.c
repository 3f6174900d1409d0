/* What the symbol cache keeps of an image, and takes back the next time.
 *
 * An entry is of one build, so its names stay right; but another debug file may have come since,
 * which has more. What was made without one is taken only where there is still none. */
#include "symbols/image.h"

#define MOST_SECTIONS 5

/* "word PATH" of the source section; empty where the line does not begin with the word. */
static struct wk_str value_of(struct wk_str line, const char *word)
{
	size_t len = strlen(word);

	if (!wk_str_starts(line, word) || line.len <= len || line.at[len] != ' ')
		return wk_str_c("");
	return wk_str_skip(line, len + 1);
}

static void read_sources(struct wk_image_kept *kept)
{
	struct wk_bytes bytes = wk_cache_section(kept->entry, WK_CACHE_SOURCE,
						 WK_CACHE_SOURCE_VERSION);
	struct wk_str text = wk_str_of((const char *)bytes.at, wk_bytes_left(&bytes));

	while (text.len > 0) {
		const char *end = memchr(text.at, '\n', text.len);
		struct wk_str line = wk_str_of(text.at, end ? (size_t)(end - text.at) : text.len);

		if (value_of(line, "names").len)
			kept->names = value_of(line, "names");
		if (value_of(line, "lines").len)
			kept->lines = value_of(line, "lines");
		kept->has_all_names |= wk_str_is(line, "complete");
		text = wk_str_skip(text, line.len + 1);
	}
}

static const struct wk_build_id *id_of(const struct wk_image_symbols *image)
{
	return &image->file.elf->build_id;
}

static bool may_be_kept(const struct wk_image_symbols *image)
{
	return image->owner->cache && image->file.elf && id_of(image)->size > 0 &&
	       !wk_image_is_vdso(image);
}

const struct wk_image_kept *wk_image_kept(struct wk_image_symbols *image)
{
	struct wk_image_kept *kept = &image->kept;

	if (kept->was_looked_for)
		return kept;
	kept->was_looked_for = true;
	if (may_be_kept(image))
		kept->entry = wk_cache_find(image->owner->cache, id_of(image));
	if (kept->entry)
		read_sources(kept);
	return kept;
}

static struct wk_bytes section_of(struct wk_image_symbols *image, uint32_t kind, uint32_t version)
{
	return wk_cache_section(wk_image_kept(image)->entry, kind, version);
}

struct wk_symtab *wk_image_kept_names(struct wk_image_symbols *image)
{
	struct wk_bytes bytes = section_of(image, WK_CACHE_SYMBOLS, WK_SYMTAB_VERSION);

	if (wk_bytes_left(&bytes) == 0)
		return NULL;
	if (!image->kept.has_all_names && wk_image_debug_elf(image))
		return NULL; /* it may have more */
	return wk_symtab_load(bytes, NULL);
}

struct wk_code_index *wk_image_kept_places(struct wk_image_symbols *image)
{
	struct wk_bytes bytes = section_of(image, WK_CACHE_CODE, WK_CODE_INDEX_VERSION);

	return wk_bytes_left(&bytes) ? wk_code_index_load(bytes, NULL) : NULL;
}

void wk_image_take_unwind(struct wk_image_symbols *image)
{
	struct wk_bytes bytes = section_of(image, WK_CACHE_UNWIND, WK_UNWIND_VERSION);

	if (wk_bytes_left(&bytes))
		wk_unwind_table_load(image->unwind, bytes, NULL);
}

/* An entry in the making. */
struct keeping {
	struct wk_image_symbols *image;
	struct wk_buf source, names, unwind, code;
	struct wk_cache_section sections[MOST_SECTIONS];
	size_t count;
	bool has_news;
};

static void add_section(struct keeping *k, uint32_t kind, uint32_t version, struct wk_str bytes)
{
	if (bytes.len)
		k->sections[k->count++] = (struct wk_cache_section){ kind, version, bytes };
}

/* What the entry has already and nobody made anew. */
static void add_old(struct keeping *k, uint32_t kind, uint32_t version)
{
	struct wk_bytes bytes = section_of(k->image, kind, version);

	add_section(k, kind, version, wk_str_of((const char *)bytes.at, wk_bytes_left(&bytes)));
}

static void keep_names(struct keeping *k)
{
	struct wk_image_symbols *image = k->image;

	if (!image->tab || image->names_are_kept || !wk_symtab_save(image->tab, &k->names)) {
		add_old(k, WK_CACHE_SYMBOLS, WK_SYMTAB_VERSION);
		return;
	}
	k->has_news = true;
	add_section(k, WK_CACHE_SYMBOLS, WK_SYMTAB_VERSION, wk_buf_str(&k->names));
}

/* Rules are compiled as stacks need them, so a few more come each time: written again only where
 * an eighth is new. */
static void keep_unwind(struct keeping *k)
{
	struct wk_image_symbols *image = k->image;
	struct wk_bytes old = section_of(image, WK_CACHE_UNWIND, WK_UNWIND_VERSION);

	if (!image->unwind || !wk_unwind_table_is_changed(image->unwind)) {
		add_old(k, WK_CACHE_UNWIND, WK_UNWIND_VERSION);
		return;
	}
	wk_unwind_table_save(image->unwind, &k->unwind);
	k->has_news |= k->unwind.len > wk_bytes_left(&old) / 8 * 9;
	add_section(k, WK_CACHE_UNWIND, WK_UNWIND_VERSION, wk_buf_str(&k->unwind));
}

static void keep_places(struct keeping *k)
{
	const struct wk_code_index *index = k->image->places.index;
	const struct wk_dwarf *dwarf = k->image->places.dwarf;
	bool is_whole = dwarf && wk_dwarf_missing(dwarf).len == 0;

	/* What is missing now may be there the next time. */
	if (!index || !is_whole || !wk_code_index_is_changed(index)) {
		add_old(k, WK_CACHE_CODE, WK_CODE_INDEX_VERSION);
		return;
	}
	k->has_news = true;
	wk_code_index_save(index, &k->code);
	add_section(k, WK_CACHE_CODE, WK_CODE_INDEX_VERSION, wk_buf_str(&k->code));
}

static void add_source(struct wk_buf *source, const char *word, struct wk_str path)
{
	if (path.len == 0 || memchr(path.at, '\n', path.len))
		return;
	wk_buf_add_fmt(source, "%s ", word);
	wk_buf_add_str(source, path);
	wk_buf_add_char(source, '\n');
}

static void keep_source(struct keeping *k)
{
	struct wk_image_symbols *image = k->image;
	bool made_names = image->tab && !image->names_are_kept;

	wk_buf_add_str(&k->source, wk_str_c(image->file.path));
	wk_buf_add_char(&k->source, '\n');
	add_source(&k->source, "names",
		   made_names ? wk_str_c(image->names_from) : image->kept.names);
	add_source(&k->source, "lines",
		   image->places.path.len ? wk_buf_str(&image->places.path) : image->kept.lines);
	if (made_names ? image->has_all_names : image->kept.has_all_names)
		wk_buf_add_text(&k->source, "complete\n");
	add_section(k, WK_CACHE_SOURCE, WK_CACHE_SOURCE_VERSION, wk_buf_str(&k->source));
}

void wk_image_keep(struct wk_image_symbols *image)
{
	struct keeping k = { .image = image };

	if (!may_be_kept(image))
		return;
	keep_source(&k);
	keep_names(&k);
	keep_unwind(&k);
	keep_places(&k);
	add_old(&k, WK_CACHE_KERNEL, WK_KALLSYMS_VERSION);
	if (k.has_news)
		wk_cache_write(image->owner->cache, id_of(image), k.sections, k.count, NULL);
	wk_buf_fini(&k.source);
	wk_buf_fini(&k.names);
	wk_buf_fini(&k.unwind);
	wk_buf_fini(&k.code);
}
