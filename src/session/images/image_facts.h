/* The images of a recording with samples: where their names, source lines and unwind tables come
 * from, what they lack, and how to fix that. For `wick symbols`.
 *
 * Order of calls: gather, use, fini; model and symbols must outlive it. */
#ifndef WK_SESSION_IMAGES_IMAGE_FACTS_H
#define WK_SESSION_IMAGES_IMAGE_FACTS_H

#include "fetch/fetcher.h"
#include "model/model.h"
#include "views/filter/filter.h"

enum wk_lack {
	WK_LACKS_FILE = 1,  /* missing, or another build */
	WK_LACKS_NAMES = 2, /* all, or those that are not exported */
	WK_LACKS_LINES = 4, /* source lines and inlined calls */
	WK_LACKS_UNWIND = 8,
};

/* How many of an image's names or lines are known. */
enum wk_extent {
	WK_EXTENT_NEVER, /* there can be none */
	WK_EXTENT_NONE,
	WK_EXTENT_SOME,
	WK_EXTENT_EXPORTED, /* names that the image exports */
	WK_EXTENT_ALL,
	WK_EXTENT_RECORDED, /* they came with the recording */
};

/* "all"; empty for NEVER. */
struct wk_str wk_extent_word(enum wk_extent extent);

/* Of an image's frames in the samples' stacks. */
struct wk_image_lines {
	uint64_t asked, known;
};

/* A row for each image of the model, freed by the caller. */
struct wk_image_lines *wk_image_lines_count(const struct wk_model *model,
					    const struct wk_filter *filter);

struct wk_image_facts {
	wk_image_id id;
	uint64_t samples;                 /* with it in their stack */
	struct wk_image_symbols *symbols; /* NULL: it has no file */
	enum wk_extent names, lines;
	const char *unwind;                      /* the kind of table; NULL if there can be none */
	bool names_are_cached, lines_are_cached; /* only the symbol cache has them, no file */
	struct wk_image_lines frames;
	unsigned lacks;    /* enum wk_lack */
	struct wk_buf fix; /* commands and comments to paste; empty: none is known */
};

struct wk_images_facts {
	struct wk_image_facts *at; /* most samples first */
	size_t count;
	uint64_t whole_samples;
};

/* The commands of the fixes use these. */
struct wk_image_context {
	const struct wk_model *model;
	struct wk_symbols *symbols;
	const struct wk_fetcher *fetcher;
	const char *recording; /* its path, as typed */
	bool omits_fixes;      /* looking for packages takes seconds */
};

void wk_images_facts_gather(struct wk_images_facts *facts, const struct wk_image_context *about,
			    const struct wk_filter *filter);
void wk_images_facts_fini(struct wk_images_facts *facts);

/* Fills `fix`; called by gather. */
void wk_images_facts_fix(struct wk_images_facts *facts, const struct wk_image_context *about);

/* The name and key in symbol stores of a Windows image's PDB or else of its file: "app.pdb". False
 * if the recording has neither. */
bool wk_image_store_key(const struct wk_model *model, wk_image_id id, struct wk_str *name,
			struct wk_buf *key);

/* The file that lines and inlined calls came from, or why there are none. */
struct wk_str wk_image_lines_source(const struct wk_image_facts *facts);

/* "names, lines"; empty if it lacks nothing. */
void wk_image_lacks_words(unsigned lacks, struct wk_buf *words);

#endif
