#include "session/presets/own_preset.h"

#include "base/text/suggest.h"
#include "os/os.h"

static const char ending[] = ".json";

static bool has_ending(struct wk_str text)
{
	size_t len = sizeof(ending) - 1;

	return text.len >= len && wk_str_is_any_case(wk_str_skip(text, text.len - len), ending);
}

static bool is_path(const char *text)
{
	return strchr(text, '/') || (wk_os_has_drives() && strchr(text, '\\')) ||
	       has_ending(wk_str_c(text));
}

static bool fail_to_find(const char *name, struct wk_err *err)
{
	struct wk_suggestion near = wk_suggestion_for(wk_str_c(name));
	struct wk_buf names = { 0 };

	wk_buf_add_text(&names, "choose one of ");
	for (size_t i = 0; wk_preset_names[i]; i++) {
		wk_suggestion_try(&near, wk_preset_names[i]);
		wk_buf_add_fmt(&names, "%s, ", wk_preset_names[i]);
	}
	wk_buf_add_text(&names, "or FILE.json or FILE.wpaProfile");
	wk_fail(err, WK_EUSAGE, WK_NOWHERE, "no preset \"%s\"", name);
	wk_suggestion_add(&near, wk_buf_text(&names), err);
	wk_buf_fini(&names);
	return false;
}

static bool find(struct wk_own_preset *own, const char *name, struct wk_err *err)
{
	const struct wk_preset *found = wk_preset_find(name);

	if (!found)
		return fail_to_find(name, err);
	own->preset = *found;
	return true;
}

static bool read_bytes(struct wk_own_preset *own, const struct wk_os_file *file, struct wk_err *err)
{
	if (file->size_bytes > WK_PRESET_MOST_BYTES)
		return wk_fail(err, WK_EUNSUPPORTED, WK_NOWHERE,
			       "%zu bytes are too many for a preset (limit: %u)", file->size_bytes,
			       WK_PRESET_MOST_BYTES);
	return wk_preset_json_read(&own->file, wk_str_of((const char *)file->at, file->size_bytes),
				   err);
}

/* A preset without a name is named after its file. */
static const char *name_of_file(struct wk_own_preset *own, const char *path)
{
	struct wk_str name = wk_str_basename(wk_str_c(path));

	if (has_ending(name))
		name.len -= sizeof(ending) - 1;
	return wk_arena_copy(&own->file.arena, name).at;
}

static bool read_file(struct wk_own_preset *own, const char *path, struct wk_err *err)
{
	struct wk_os_file file;
	bool ok;

	if (!wk_os_open_aside(path, &file, err))
		return false;
	ok = read_bytes(own, &file, err) || wk_err_in(err, path);
	wk_os_close(&file);
	if (!ok)
		return false;
	own->preset = own->file.preset;
	if (!own->preset.name)
		own->preset.name = name_of_file(own, path);
	return true;
}

bool wk_own_preset_open(struct wk_own_preset *own, const char *text, struct wk_err *err)
{
	bool ok;

	*own = (struct wk_own_preset){ 0 };
	ok = is_path(text) ? read_file(own, text, err) : find(own, text, err);
	if (ok && own->preset.filter) {
		ok = wk_preset_query_read(&own->query, wk_str_c(own->preset.filter), err);
		own->has_query = ok;
	}
	own->annotations = (struct wk_annotations){ own->preset.rules, own->preset.rule_count };
	return ok;
}

void wk_own_preset_close(struct wk_own_preset *own)
{
	wk_preset_query_fini(&own->query);
	wk_preset_json_fini(&own->file);
}

bool wk_own_preset_write(const char *text, struct wk_out *out, struct wk_err *err)
{
	struct wk_own_preset own;
	bool ok = wk_own_preset_open(&own, text, err);

	if (ok)
		wk_preset_json_write(&own.preset, out);
	wk_own_preset_close(&own);
	return ok;
}

/* ---- as a table */

static void row(struct wk_table *table, const struct wk_preset *preset)
{
	const struct wk_preset_view *view = &preset->view;

	wk_column_text(table, "name", "name", 0, wk_str_c(preset->name));
	wk_column_text(table, "event", "event", 0,
		       wk_str_c(view->source ? view->source : "CPU time"));
	wk_column_text(table, "group", "levels", 0, wk_str_c(view->group));
	wk_column_text(table, "summary", "summary", 0, wk_str_c(preset->summary));
}

void wk_own_presets_table(struct wk_table *table)
{
	wk_table_init(table, "presets");
	row(table, &(struct wk_preset){ 0 });
	for (const struct wk_preset *preset = wk_presets; preset->name; preset++) {
		wk_table_row(table);
		row(table, preset);
	}
	wk_table_note(table, "`wick preset NAME` prints one as JSON, to start from");
}
