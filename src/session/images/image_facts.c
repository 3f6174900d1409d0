#include "session/images/image_facts.h"

#include <stdlib.h>

#include "base/mem.h"
#include "os/os.h"
#include "symbols/object/object.h"
#include "views/image_words.h"
#include "views/tree/flat.h"

static bool has_section(const struct wk_obj *obj, const char *name)
{
	const struct wk_obj_section *section = obj ? wk_obj_section(obj, name) : NULL;

	return section && section->type != WK_SHT_NOBITS && section->size_bytes > 4;
}

static bool in_either(struct wk_image_symbols *image, const char *section)
{
	return has_section(wk_image_obj(image), section) ||
	       has_section(wk_image_debug_obj(image), section);
}

static bool is_not_here(enum wk_image_state state)
{
	return state == WK_IMAGE_MISSING || state == WK_IMAGE_DIFFERS ||
	       state == WK_IMAGE_UNREADABLE;
}

struct wk_str wk_image_lines_source(const struct wk_image_facts *facts)
{
	return wk_str_c(facts->lines ? wk_image_places_source(facts->symbols) : "");
}

/* Does a file still have the names that are in the cache? For a Windows program it is the PDB,
 * which is not opened while the cache has its names. */
static bool has_names_now(const struct wk_image_facts *facts, const struct wk_model *model)
{
	struct wk_str source = wk_image_names_from(model, &model->images[facts->id]);

	return in_either(facts->symbols, ".symtab") ||
	       in_either(facts->symbols, ".gnu_debugdata") ||
	       (model->traits->has_symbol_files && wk_store_has("%.*s", WK_STR_ARG(source)));
}

/* A missing file is no loss if its names came with the recording. */
static void find_names(struct wk_image_facts *facts, const struct wk_model *model)
{
	const struct wk_image *image = &model->images[facts->id];
	enum wk_image_state state = wk_image_state(facts->symbols);
	struct wk_image_used used;

	if (image->has_names && state != WK_IMAGE_NAMED) {
		facts->names = WK_EXTENT_RECORDED;
		return;
	}
	if (is_not_here(state))
		facts->lacks |= WK_LACKS_FILE;
	wk_image_used(facts->symbols, &used);
	if (state != WK_IMAGE_NAMED)
		facts->names = WK_EXTENT_NONE;
	else if (used.has_all_names || image->kind == WK_IMAGE_VDSO ||
		 in_either(facts->symbols, ".gnu_debugdata"))
		facts->names = WK_EXTENT_ALL;
	else
		facts->names = WK_EXTENT_EXPORTED;
	facts->names_are_cached =
		used.names_are_cached && used.has_all_names && !has_names_now(facts, model);
	if (facts->names == WK_EXTENT_EXPORTED || facts->names == WK_EXTENT_NONE)
		facts->lacks |= WK_LACKS_NAMES;
}

static bool came_with_lines(const struct wk_model *model, wk_text_id path)
{
	for (uint32_t i = 0; i < model->embedded_place_count; i++)
		if (model->embedded_places[i].at.path == path)
			return true;
	return false;
}

static bool has_debug_info(struct wk_image_symbols *image)
{
	return in_either(image, ".debug_info") || in_either(image, ".zdebug_info");
}

static bool has_lines_now(const struct wk_image_facts *facts, const struct wk_model *model)
{
	struct wk_str source = wk_image_lines_source(facts);

	return has_debug_info(facts->symbols) ||
	       (model->traits->has_symbol_files && wk_store_has("%.*s", WK_STR_ARG(source)));
}

/* A few samples are always between functions, or in assembly code. A program that was built without
 * lines has some from static libraries. */
static enum wk_extent how_many(const struct wk_image_lines *lines)
{
	if (lines->known >= lines->asked - lines->asked / 10)
		return WK_EXTENT_ALL;
	return lines->known > lines->asked / 1000 ? WK_EXTENT_SOME : WK_EXTENT_NONE;
}

static void find_lines(struct wk_image_facts *facts, const struct wk_model *model)
{
	const struct wk_image_lines *lines = &facts->frames;
	struct wk_image_used used;

	wk_image_used(facts->symbols, &used);
	if (lines->asked == 0)
		facts->lines = has_debug_info(facts->symbols) ? WK_EXTENT_ALL : WK_EXTENT_NONE;
	else
		facts->lines = how_many(lines);
	if (used.missing.len && lines->known)
		facts->lines = WK_EXTENT_SOME;
	if (facts->lines == WK_EXTENT_ALL) {
		if (came_with_lines(model, model->images[facts->id].path))
			facts->lines = WK_EXTENT_RECORDED;
		else
			facts->lines_are_cached =
				used.places_are_cached && !has_lines_now(facts, model);
	}
	if (facts->lines == WK_EXTENT_NONE || facts->lines == WK_EXTENT_SOME)
		facts->lacks |= WK_LACKS_LINES;
}

/* Windows walks stacks while it records, so no table is missing here. */
static void find_unwind(struct wk_image_facts *facts, const struct wk_model *model)
{
	const struct wk_obj *obj = wk_image_obj(facts->symbols);

	if (!obj) {
		facts->unwind = "none";
	} else if (model->traits->walks_stacks && obj->pe) {
		facts->unwind = has_section(obj, ".pdata") ? "pdata" : "none";
	} else if (has_section(wk_image_obj(facts->symbols), ".eh_frame")) {
		facts->unwind = "eh_frame";
	} else if (in_either(facts->symbols, ".debug_frame")) {
		facts->unwind = "debug_frame";
	} else {
		facts->unwind = "none";
		facts->lacks |= WK_LACKS_UNWIND;
	}
}

/* Memory that never was a file. */
static void find_memory(struct wk_image_facts *facts, const struct wk_image *image)
{
	facts->names = image->has_names ? WK_EXTENT_ALL : WK_EXTENT_NONE;
	facts->lacks = image->has_names ? 0 : WK_LACKS_NAMES;
}

/* Lines and unwind tables of the kernel do not matter, and memory has none. */
static void examine(struct wk_image_facts *facts, const struct wk_image_context *about)
{
	const struct wk_image *image = &about->model->images[facts->id];
	struct wk_image_key key = wk_model_image_key(about->model, facts->id);

	if (about->model->came_named) {
		facts->names = WK_EXTENT_RECORDED;
	} else if (image->state == WK_IMAGE_NO_FILE) {
		find_memory(facts, image);
	} else if (image->kind == WK_IMAGE_FILE || image->kind == WK_IMAGE_VDSO) {
		facts->symbols = wk_symbols_image(about->symbols, &key);
		find_names(facts, about->model);
		find_unwind(facts, about->model);
		if (image->kind == WK_IMAGE_FILE)
			find_lines(facts, about->model);
	} else if (image->kind != WK_IMAGE_UNKNOWN) {
		find_memory(facts, image);
	}
}

static int more_samples_first(const void *left, const void *right)
{
	const struct wk_image_facts *a = left, *b = right;

	if (a->samples != b->samples)
		return a->samples < b->samples ? 1 : -1;
	return (a->id > b->id) - (a->id < b->id);
}

void wk_images_facts_gather(struct wk_images_facts *facts, const struct wk_image_context *about,
			    const struct wk_filter *filter)
{
	struct wk_image_lines *lines;
	struct wk_flat flat;

	*facts = (struct wk_images_facts){ 0 };
	wk_flat_init(&flat, about->model, filter, WK_FLAT_IMAGES, NULL);
	facts->whole_samples = flat.whole_samples;
	facts->at = wk_alloc_zeroed((size_t)flat.count + 1, sizeof(*facts->at));
	for (uint32_t i = 0; i < flat.count; i++) {
		if (flat.rows[i].id == 0 || flat.rows[i].total_samples == 0)
			continue;
		facts->at[facts->count].id = flat.rows[i].id;
		facts->at[facts->count++].samples = flat.rows[i].total_samples;
	}
	wk_flat_fini(&flat);
	qsort(facts->at, facts->count, sizeof(*facts->at), more_samples_first);
	lines = wk_image_lines_count(about->model, filter);
	for (size_t i = 0; i < facts->count; i++) {
		facts->at[i].frames = lines[facts->at[i].id];
		examine(&facts->at[i], about);
	}
	wk_free(lines);
	if (!about->omits_fixes)
		wk_images_facts_fix(facts, about);
}

void wk_images_facts_fini(struct wk_images_facts *facts)
{
	for (size_t i = 0; i < facts->count; i++)
		wk_buf_fini(&facts->at[i].fix);
	wk_free(facts->at);
	*facts = (struct wk_images_facts){ 0 };
}

struct wk_str wk_extent_word(enum wk_extent extent)
{
	static const char *const words[] = {
		[WK_EXTENT_NEVER] = "",		[WK_EXTENT_NONE] = "none",
		[WK_EXTENT_SOME] = "some",	[WK_EXTENT_EXPORTED] = "exported",
		[WK_EXTENT_ALL] = "all",	[WK_EXTENT_RECORDED] = "recorded",
	};

	return wk_str_c(words[extent]);
}

void wk_image_lacks_words(unsigned lacks, struct wk_buf *words)
{
	static const struct {
		enum wk_lack lack;
		const char *word;
	} all[] = {
		{ WK_LACKS_FILE, "file" },
		{ WK_LACKS_NAMES, "names" },
		{ WK_LACKS_LINES, "lines" },
		{ WK_LACKS_UNWIND, "unwind tables" },
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (lacks & all[i].lack)
			wk_buf_add_fmt(words, "%s%s", words->len ? ", " : "", all[i].word);
}
