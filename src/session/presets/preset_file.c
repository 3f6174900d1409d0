#include "session/presets/preset_file.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/text/suggest.h"
#include "formats/reader.h"

#define MOST_BYTES (64u << 20)
#define MOST_NAMED 8 /* columns and the like that are not shown */

static const char ending[] = ".wpaprofile";

/* Where the path ends: behind the last such ending that nothing or a colon follows; 0: nowhere. */
static size_t path_length(struct wk_str text)
{
	size_t len = sizeof(ending) - 1;

	for (size_t end = text.len; end >= len; end--)
		if ((end == text.len || text.at[end] == ':') &&
		    wk_str_is_any_case(wk_str_of(text.at + end - len, len), ending))
			return end;
	return 0;
}

bool wk_preset_file_is_meant(const char *text)
{
	return path_length(wk_str_c(text)) != 0;
}

bool wk_preset_file_is_whole(const char *text)
{
	return path_length(wk_str_c(text)) == strlen(text);
}

static bool read_profile(struct wk_wpa_profile *profile, const struct wk_opened *opened,
			 struct wk_err *err)
{
	if (wk_bytes_left(&opened->input.bytes) > MOST_BYTES)
		wk_fail(err, WK_EUNSUPPORTED, WK_NOWHERE,
			"%zu bytes are too many for a file of presets (limit: %u)",
			wk_bytes_left(&opened->input.bytes), MOST_BYTES);
	else if (wk_wpa_profile_read(profile, opened->input.bytes, err))
		return true;
	return wk_opened_fail(opened, err);
}

static bool open_profile(struct wk_wpa_profile *profile, const char *path, struct wk_err *err)
{
	struct wk_opened opened;
	bool ok;

	if (!wk_reader_open(path, NULL, &opened, err))
		return false;
	if (opened.reader == &wk_reader_wpa_profile) {
		ok = read_profile(profile, &opened, err);
	} else {
		wk_fail(err, WK_EFORMAT, WK_NOWHERE, "not a file of presets; it looks like %s",
			opened.reader->name);
		ok = wk_opened_fail(&opened, err);
	}
	wk_reader_close(&opened);
	return ok;
}

/* Presets are listed and counted once each. The next one from `preset` on, or NULL. */
static const struct wk_wpa_preset *from_on(const struct wk_wpa_profile *profile,
					   const struct wk_wpa_preset *preset)
{
	for (; preset < profile->presets + profile->preset_count; preset++)
		if (!preset->is_copy)
			return preset;
	return NULL;
}

/* ---- which one */

static const struct wk_wpa_preset *find(const struct wk_wpa_profile *profile, struct wk_str name,
					uint32_t *count)
{
	const struct wk_wpa_preset *found = NULL, *p = from_on(profile, profile->presets);
	uint64_t number = 0;

	wk_num_u64(name, &number);
	for (*count = 0; p; p = from_on(profile, p + 1)) {
		++*count;
		if (!found && (wk_str_eq_any_case(p->name, name) || *count == number))
			found = p;
	}
	return name.len == 0 && *count == 1 ? from_on(profile, profile->presets) : found;
}

static bool fail_to_find(const struct wk_wpa_profile *profile, const char *path, struct wk_str name,
			 uint32_t count, struct wk_err *err)
{
	struct wk_suggestion near = wk_suggestion_for(name);
	struct wk_buf names = { 0 }, quoted = { 0 };
	const struct wk_wpa_preset *p = from_on(profile, profile->presets);

	wk_buf_add_shell(&quoted, wk_str_c(path));
	for (; p; p = from_on(profile, p + 1)) {
		wk_suggestion_try(&near, p->name.at ? p->name.at : "");
		wk_buf_add_fmt(&names, "%s\"%.*s\"", names.len ? ", " : "", WK_STR_ARG(p->name));
	}
	if (count == 0)
		wk_fail(err, WK_EEMPTY, WK_NOWHERE, "%s contains no presets", path);
	else if (name.len == 0)
		wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			"%s has %" PRIu32 " presets; choose one with --preset %s:NAME or "
			"%s:NUMBER (`wick show %s` lists them): %s",
			path, count, wk_buf_text(&quoted), wk_buf_text(&quoted),
			wk_buf_text(&quoted), wk_buf_text(&names));
	else if (near.best)
		wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			"%s has no preset \"%.*s\"; did you mean \"%s\"?", path, WK_STR_ARG(name),
			near.best);
	else
		wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			"%s has no preset \"%.*s\"; `wick show %s` lists them: %s", path,
			WK_STR_ARG(name), wk_buf_text(&quoted), wk_buf_text(&names));
	WK_BUF_FINI_ALL(&names, &quoted);
	return false;
}

bool wk_preset_file_read(struct wk_wpa_profile *profile, const char *text, struct wk_err *err)
{
	struct wk_buf path = { 0 };
	bool ok;

	wk_buf_add_str(&path, wk_str_of(text, path_length(wk_str_c(text))));
	ok = open_profile(profile, wk_buf_text(&path), err);
	wk_buf_fini(&path);
	return ok;
}

bool wk_preset_file_open(struct wk_preset_file *file, const char *text, struct wk_err *err)
{
	struct wk_str all = wk_str_c(text);
	size_t len = path_length(all);
	struct wk_str name = wk_str_skip(all, len + 1);
	struct wk_buf path = { 0 };
	uint32_t count = 0;
	bool ok;

	*file = (struct wk_preset_file){ 0 };
	wk_buf_add_str(&path, wk_str_of(text, len));
	ok = open_profile(&file->profile, wk_buf_text(&path), err);
	if (ok) {
		file->preset = find(&file->profile, name, &count);
		ok = file->preset ||
		     fail_to_find(&file->profile, wk_buf_text(&path), name, count, err);
	}
	if (ok)
		wk_wpa_view_init(&file->view, &file->profile, file->preset);
	if (ok && !file->view.is_shown)
		ok = wk_fail(err, WK_EUNSUPPORTED, WK_NOWHERE,
			     "%s: preset \"%.*s\" is for the graph \"%.*s\", which wick does not "
			     "have",
			     wk_buf_text(&path), WK_STR_ARG(file->preset->name),
			     WK_STR_ARG(file->view.title));
	wk_buf_fini(&path);
	if (!ok)
		wk_preset_file_close(file);
	return ok;
}

void wk_preset_file_close(struct wk_preset_file *file)
{
	wk_wpa_view_fini(&file->view);
	wk_wpa_profile_fini(&file->profile);
	*file = (struct wk_preset_file){ 0 };
}

/* ---- in words */

/* "--by commit --outstanding --group pid,stack". */
static void add_words(const struct wk_wpa_view *view, struct wk_buf *words)
{
	size_t before = words->len;

	if (view->table)
		wk_buf_add_fmt(words, " %s", view->table);
	if (view->source)
		wk_buf_add_fmt(words, strchr(view->source, ' ') ? " --by '%s'" : " --by %s",
			       view->source);
	if (view->outstanding)
		wk_buf_add_text(words, " --outstanding");
	if (view->grouping.count) {
		wk_buf_add_text(words, " --group ");
		wk_grouping_write(&view->grouping, words);
	}
	if (view->inverted)
		wk_buf_add_text(words, " inverted");
	if (view->has_query)
		wk_buf_add_text(words, " and its filter");
	if (words->len == before)
		wk_buf_add_text(words, " default view");
}

void wk_preset_file_say(const struct wk_preset_file *file, struct wk_buf *lines)
{
	const struct wk_wpa_view *view = &file->view;
	struct wk_str rest = wk_buf_str(&view->missing), line;

	wk_buf_add_fmt(lines, "preset \"%.*s\" of %.*s:", WK_STR_ARG(file->preset->name),
		       WK_STR_ARG(view->title));
	add_words(view, lines);
	for (uint32_t i = 0; i < view->missing_count; i++) {
		wk_str_split(rest, '\n', &line, &rest);
		if (i == MOST_NAMED)
			break;
		wk_buf_add_fmt(lines, "\nnot shown: %.*s", WK_STR_ARG(line));
	}
	if (view->missing_count > MOST_NAMED)
		wk_buf_add_fmt(lines,
			       "\nand %" PRIu32 " more that are not shown; `wick show --details` "
			       "with that file lists them",
			       view->missing_count - MOST_NAMED);
}

/* ---- as a table */

/* All in one line. */
static void add_missing(const struct wk_wpa_view *view, struct wk_buf *words)
{
	struct wk_str rest = wk_buf_str(&view->missing), line;

	while (wk_str_split(rest, '\n', &line, &rest)) {
		wk_buf_add_text(words, words->len ? "; " : "");
		wk_buf_add_str(words, line);
	}
}

static void row(struct wk_table *table, const struct wk_wpa_profile *profile,
		const struct wk_wpa_preset *preset, uint32_t number)
{
	struct wk_buf words = { 0 }, missing = { 0 };
	struct wk_wpa_view view;

	wk_wpa_view_init(&view, profile, preset);
	add_words(&view, &words);
	add_missing(&view, &missing);
	wk_column_number(table, WK_CELL_NUMBER, "number", "number", 0, number);
	wk_column_text(table, "view", "view", WK_DETAIL, wk_table_keep(table, preset->view));
	wk_column_text(table, "graph", "graph", 0, wk_table_keep(table, view.title));
	wk_column_text(table, "preset", "preset", 0, wk_table_keep(table, preset->name));
	wk_column_text_if(table, "shown_as", "in wick", 0, view.is_shown,
			  wk_table_keep(table, wk_str_skip(wk_buf_str(&words), 1)));
	wk_column_number(table, WK_CELL_COUNT, "not_shown_count", "not shown", 0,
			 view.missing_count);
	wk_column_text(table, "not_shown", "list of what is not shown", WK_DETAIL,
		       wk_table_keep(table, wk_buf_str(&missing)));
	WK_BUF_FINI_ALL(&words, &missing);
	wk_wpa_view_fini(&view);
}

static void fill(struct wk_table *table, const struct wk_wpa_profile *profile, const char *path)
{
	const struct wk_wpa_preset *preset = from_on(profile, profile->presets);
	struct wk_buf quoted = { 0 };

	wk_table_init(table, "presets");
	row(table, profile, &(struct wk_wpa_preset){ 0 }, 0);
	for (uint32_t number = 1; preset; preset = from_on(profile, preset + 1)) {
		wk_table_row(table);
		row(table, profile, preset, number++);
	}
	wk_buf_add_shell(&quoted, wk_str_c(path));
	wk_table_note(table, "use one with `--preset %s:NAME` or `--preset %s:NUMBER`",
		      wk_buf_text(&quoted), wk_buf_text(&quoted));
	wk_buf_fini(&quoted);
}

bool wk_preset_file_table(struct wk_table *table, const char *path, struct wk_err *err)
{
	struct wk_wpa_profile profile;

	if (!open_profile(&profile, path, err))
		return false;
	fill(table, &profile, path);
	wk_wpa_profile_fini(&profile);
	return true;
}
