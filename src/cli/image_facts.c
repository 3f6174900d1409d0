#include "cli/image_facts.h"

#include <stdlib.h>

#include "base/mem.h"
#include "symbols/elf.h"
#include "views/flat.h"

static bool has_section(const struct wk_elf *elf, const char *name)
{
	const struct wk_elf_section *section = elf ? wk_elf_section(elf, name) : NULL;

	return section && section->type != WK_SHT_NOBITS && section->size_bytes > 4;
}

static bool in_either(const struct wk_image_symbols *image, const char *section)
{
	return has_section(wk_image_elf(image), section) ||
	       has_section(wk_image_debug_elf(image), section);
}

static bool is_not_here(enum wk_image_state state)
{
	return state == WK_IMAGE_MISSING || state == WK_IMAGE_DIFFERS ||
	       state == WK_IMAGE_UNREADABLE;
}

static void find_names(struct wk_image_facts *facts, const struct wk_image *image)
{
	enum wk_image_state state = wk_image_state(facts->symbols);

	if (is_not_here(state))
		facts->lacks |= WK_LACKS_FILE;
	if (image->has_names && state != WK_IMAGE_NAMED) {
		facts->names = "recorded";
		return;
	}
	if (state != WK_IMAGE_NAMED)
		facts->names = "none";
	else if (image->kind == WK_IMAGE_VDSO || in_either(facts->symbols, ".symtab") ||
		 in_either(facts->symbols, ".gnu_debugdata"))
		facts->names = "all";
	else
		facts->names = "exported";
	if (strcmp(facts->names, "all") != 0)
		facts->lacks |= WK_LACKS_NAMES;
}

static bool came_with_lines(const struct wk_model *model, wk_text_id path)
{
	for (uint32_t i = 0; i < model->carried_place_count; i++)
		if (model->carried_places[i].path == path)
			return true;
	return false;
}

static void find_lines(struct wk_image_facts *facts, const struct wk_model *model)
{
	if ((in_either(facts->symbols, ".debug_info") &&
	     in_either(facts->symbols, ".debug_line")) ||
	    (in_either(facts->symbols, ".zdebug_info") &&
	     in_either(facts->symbols, ".zdebug_line")))
		facts->lines = "yes";
	else if (came_with_lines(model, model->images[facts->id].path))
		facts->lines = "recorded";
	else
		facts->lines = "none";
	if (strcmp(facts->lines, "none") == 0)
		facts->lacks |= WK_LACKS_LINES;
}

static void find_unwind(struct wk_image_facts *facts)
{
	if (!wk_image_elf(facts->symbols)) {
		facts->unwind = "none";
	} else if (has_section(wk_image_elf(facts->symbols), ".eh_frame")) {
		facts->unwind = "eh_frame";
	} else if (in_either(facts->symbols, ".debug_frame")) {
		facts->unwind = "debug_frame";
	} else {
		facts->unwind = "none";
		facts->lacks |= WK_LACKS_UNWIND;
	}
}

/* What never was a file has names or none. */
static void find_memory(struct wk_image_facts *facts, const struct wk_image *image)
{
	facts->names = image->has_names ? "all" : "none";
	facts->lacks = image->has_names ? 0 : WK_LACKS_NAMES;
}

/* The kernel's lines and tables are nobody's business here, and memory has none. */
static void find_out(struct wk_image_facts *facts, const struct wk_facts_about *about)
{
	const struct wk_image *image = &about->model->images[facts->id];
	struct wk_image_key key = wk_model_image_key(about->model, facts->id);

	if (about->model->came_named) {
		facts->names = "recorded";
	} else if (image->state == WK_IMAGE_NO_FILE) {
		find_memory(facts, image);
	} else if (image->kind == WK_IMAGE_FILE || image->kind == WK_IMAGE_VDSO) {
		facts->symbols = wk_symbols_image(about->symbols, &key);
		find_names(facts, image);
		find_unwind(facts);
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

void wk_images_facts_gather(struct wk_images_facts *facts, const struct wk_facts_about *about,
			    const struct wk_filter *filter)
{
	struct wk_flat flat;

	*facts = (struct wk_images_facts){ 0 };
	wk_flat_init(&flat, about->model, filter, WK_FLAT_IMAGES);
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
	for (size_t i = 0; i < facts->count; i++)
		find_out(&facts->at[i], about);
	wk_images_facts_mend(facts, about);
}

void wk_images_facts_fini(struct wk_images_facts *facts)
{
	for (size_t i = 0; i < facts->count; i++)
		wk_buf_fini(&facts->at[i].mend);
	free(facts->at);
	*facts = (struct wk_images_facts){ 0 };
}

void wk_image_lacks_words(unsigned lacks, struct wk_buf *words)
{
	static const struct {
		enum wk_lack lack;
		const char *word;
	} all[] = {
		{ WK_LACKS_FILE, "file" }, { WK_LACKS_NAMES, "names" },
		{ WK_LACKS_LINES, "lines" }, { WK_LACKS_UNWIND, "unwind tables" },
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (lacks & all[i].lack)
			wk_buf_add_fmt(words, "%s%s", words->len ? ", " : "", all[i].word);
}
