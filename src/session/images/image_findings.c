#include <ctype.h>
#include <string.h>

#include "base/num.h"
#include "event/advice.h"
#include "event/image_kind.h"
#include "session/images/image_table.h"
#include "views/image_words.h"

/* Its identity; of a Windows program in the form of symbol stores. */
static void add_id(const struct wk_model *model, wk_image_id image, struct wk_buf *id)
{
	struct wk_buf key = { 0 };
	struct wk_str name;

	if (wk_image_store_key(model, image, &name, &key)) {
		wk_buf_add_fmt(id, "; %.*s %s", WK_STR_ARG(name), wk_buf_text(&key));
	} else if (model->images[image].build_id.size) {
		wk_buf_add_text(id, "; build id ");
		wk_build_id_add(id, &model->images[image].build_id, false);
	}
	wk_buf_fini(&key);
}

static void heading(struct wk_findings *findings, const struct wk_model *model,
		    const struct wk_images_facts *all, const struct wk_image_facts *facts)
{
	struct wk_buf share = { 0 }, id = { 0 };

	wk_num_add_share(&share, facts->samples, all->whole_samples);
	add_id(model, facts->id, &id);
	wk_findings_on(findings, "%.*s (%s of samples%s)",
		       WK_STR_ARG(wk_image_path_of(model, facts->id)), wk_buf_text(&share),
		       wk_buf_text(&id));
	WK_BUF_FINI_ALL(&share, &id);
}

/* Why its lines, or some of them, are unknown. */
static void add_lines_reason(const struct wk_image_facts *facts, struct wk_buf *reason)
{
	struct wk_image_used used;

	wk_image_used(facts->symbols, &used);
	if (used.missing.len) {
		wk_buf_add_fmt(reason, "inlined calls are unknown: %.*s", WK_STR_ARG(used.missing));
	} else if (facts->frames.known == 0) {
		wk_buf_add_text(reason, wk_image_places_state(facts->symbols) == WK_PLACES_NONE
						? wk_image_places_reason(facts->symbols)
						: "debug information does not cover the sampled "
						  "code");
	} else {
		wk_buf_add_text(reason, "debug information covers only ");
		wk_num_add_share(reason, facts->frames.known, facts->frames.asked);
		wk_buf_add_text(reason, " of the sampled code");
	}
}

/* Why it lacks the most important thing that it lacks. */
static void add_reason(const struct wk_model *model, const struct wk_image_facts *facts,
		       struct wk_buf *reason)
{
	if (facts->lacks & WK_LACKS_FILE)
		wk_buf_add_text(reason, wk_image_reason(facts->symbols));
	else if (facts->lacks & WK_LACKS_NAMES)
		wk_buf_add_str(reason, wk_model_str(model, model->images[facts->id].reason));
	else if (facts->lacks & WK_LACKS_LINES)
		add_lines_reason(facts, reason);
	else
		wk_buf_add_text(reason, "it has neither .eh_frame nor .debug_frame");
	if (reason->len > 0)
		return;
	wk_buf_add_text(reason, "JIT code without a perf map or jitdump that names it");
	if (wk_image_is_memfd(wk_model_str(model, model->images[facts->id].path)))
		wk_buf_add_text(reason, "; if it is a library, record as root, who may read it");
}

static bool is_at(const struct wk_buf *text, size_t at, struct wk_str word)
{
	return word.len && word.len <= text->len - at &&
	       memcmp(text->at + at, word.at, word.len) == 0;
}

/* Removes each `word` from the text. */
static void remove_word(struct wk_buf *text, struct wk_str word)
{
	size_t kept = 0;

	for (size_t i = 0; i < text->len;) {
		if (is_at(text, i, word))
			i += word.len;
		else
			text->at[kept++] = text->at[i++];
	}
	text->len = kept;
}

/* The reason without what differs between files that lack the same: paths, names and ids. */
static void add_kind_of_reason(const struct wk_model *model, const struct wk_image_facts *facts,
			       struct wk_buf *reason)
{
	struct wk_str name = wk_image_name_of(model, facts->id), stem;
	size_t kept = 0;

	add_reason(model, facts, reason);
	remove_word(reason, wk_image_path_of(model, facts->id));
	wk_str_split(name, '.', &stem, &name);
	remove_word(reason, stem);
	for (size_t i = 0; i < reason->len; i++)
		if (!isxdigit((unsigned char)reason->at[i]))
			reason->at[kept++] = reason->at[i];
	reason->len = kept;
}

static bool is_same_reason(const struct wk_model *model, const struct wk_image_facts *a,
			   const struct wk_image_facts *b)
{
	struct wk_buf one = { 0 }, other = { 0 };
	bool is_same;

	add_kind_of_reason(model, a, &one);
	add_kind_of_reason(model, b, &other);
	is_same = wk_str_eq(wk_buf_str(&one), wk_buf_str(&other));
	WK_BUF_FINI_ALL(&one, &other);
	return is_same;
}

static bool is_fixed_alike(const struct wk_model *model, const struct wk_image_facts *a,
			   const struct wk_image_facts *b)
{
	return a->lacks && b->lacks && a->fix.len &&
	       wk_str_eq(wk_buf_str(&a->fix), wk_buf_str(&b->fix)) && is_same_reason(model, a, b);
}

/* An earlier one has the same fix, such as another program of its package. */
static bool is_fixed_before(const struct wk_model *model, const struct wk_images_facts *all,
			    const struct wk_image_facts *facts)
{
	for (const struct wk_image_facts *one = all->at; one < facts; one++)
		if (is_fixed_alike(model, one, facts))
			return true;
	return false;
}

#define MOST_ALIKE 8 /* names in a row */

/* "; the fix is also for user32.dll, gdi32.dll and 3 more" */
static void add_alike(const struct wk_model *model, const struct wk_images_facts *all,
		      const struct wk_image_facts *facts, struct wk_buf *reason)
{
	size_t count = 0;

	for (const struct wk_image_facts *one = facts + 1; one < all->at + all->count; one++) {
		if (!is_fixed_alike(model, facts, one) || count++ >= MOST_ALIKE)
			continue;
		wk_buf_add_text(reason, count == 1 ? "; the fix is also for " : ", ");
		wk_buf_add_str(reason, wk_image_name_of(model, one->id));
	}
	if (count > MOST_ALIKE)
		wk_buf_add_fmt(reason, " and %zu more", count - MOST_ALIKE);
}

/* One row, with the fix for all that it lacks. */
static void find(struct wk_findings *findings, const struct wk_model *model,
		 const struct wk_images_facts *all, const struct wk_image_facts *facts)
{
	bool is_nameless = facts->names == WK_EXTENT_NONE;
	struct wk_buf lacks = { 0 }, reason = { 0 };

	heading(findings, model, all, facts);
	wk_image_lacks_words(facts->lacks, &lacks);
	add_reason(model, facts, &reason);
	add_alike(model, all, facts, &reason);
	wk_findings_add(findings, is_nameless ? WK_GRADE_BAD : WK_GRADE_WARN,
			facts->fix.len ? wk_buf_text(&facts->fix) : NULL, "missing %s: %s",
			wk_buf_text(&lacks), wk_buf_text(&reason));
	WK_BUF_FINI_ALL(&lacks, &reason);
}

/* Names do not help if stacks are cut off. */
static void find_stacks(struct wk_findings *findings, const struct wk_quality *quality)
{
	struct wk_quality facts = *quality;
	struct wk_buf line = { 0 };

	facts.facts_only = true; /* the advice is the finding's */
	wk_quality_stacks_line(&facts, &line);
	wk_findings_on(findings, "Stacks");
	if (line.len)
		wk_findings_warn(findings, wk_advice(WK_ADVICE_LINUX, WK_ADVICE_RECORD_STACKS),
				 "%s", wk_buf_text(&line));
	wk_buf_fini(&line);
}

/* 11 for "python3.11" and "libpython3.11.so.1.0"; 0: not Python. */
static uint64_t python_minor(struct wk_str name)
{
	uint64_t minor = 0;
	size_t len = 0;

	if (wk_str_starts(name, "lib"))
		name = wk_str_skip(name, strlen("lib"));
	if (!wk_str_starts(name, "python3."))
		return 0;
	name = wk_str_skip(name, strlen("python3."));
	while (len < name.len && name.at[len] >= '0' && name.at[len] <= '9')
		len++;
	return wk_num_u64(wk_str_of(name.at, len), &minor) ? minor : 0;
}

/* As JIT code with names, which -X perf makes for each function. */
static bool reports_its_functions(const struct wk_model *model, const struct wk_images_facts *facts)
{
	for (size_t i = 0; i < facts->count; i++) {
		const struct wk_image *image = &model->images[facts->at[i].id];

		if (image->kind == WK_IMAGE_ANONYMOUS && image->has_names)
			return true;
	}
	return model->came_named;
}

/* An interpreter that does not report what it runs has all names, but they do not help. */
static void find_python(struct wk_findings *findings, const struct wk_model *model,
			const struct wk_images_facts *facts)
{
	for (size_t i = 0; i < facts->count; i++) {
		struct wk_str name = wk_image_name_of(model, facts->at[i].id);
		uint64_t minor = python_minor(name);

		if (minor == 0 || (minor >= 12 && reports_its_functions(model, facts)))
			continue;
		wk_findings_on(findings, "%.*s", WK_STR_ARG(name));
		wk_findings_warn(findings,
				 minor < 12 ? "python3.12 -X perf ...   # or a later one; "
					      "see docs/jit.md"
					    : "python3 -X perf ...   # see docs/jit.md",
				 "Python functions have no names: %s, only the interpreter itself "
				 "is visible",
				 minor < 12 ? "before 3.12" : "without -X perf");
		return;
	}
}

size_t wk_images_find(struct wk_findings *findings, const struct wk_model *model,
		      const struct wk_images_facts *facts, const struct wk_quality *quality,
		      size_t most)
{
	size_t found = 0;

	for (size_t i = 0; i < facts->count; i++)
		if (facts->at[i].lacks && !is_fixed_before(model, facts, &facts->at[i]) &&
		    found++ < most)
			find(findings, model, facts, &facts->at[i]);
	find_python(findings, model, facts);
	find_stacks(findings, quality);
	return found > most ? found - most : 0;
}
