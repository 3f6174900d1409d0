/* A file of presets of another analyser (.wpaProfile), and one preset of it. */
#ifndef WK_SESSION_PRESETS_PRESET_FILE_H
#define WK_SESSION_PRESETS_PRESET_FILE_H

#include "views/filter/wpa_preset.h"
#include "views/tables/table.h"

struct wk_preset_file {
	struct wk_wpa_profile profile;
	const struct wk_wpa_preset *preset; /* the one that was asked for */
	struct wk_wpa_view view;
};

/* Is it a path of such a file, with or without ":NAME" behind it? */
bool wk_preset_file_is_meant(const char *text);

/* All presets of the file, whichever is named behind its path. */
bool wk_preset_file_read(struct wk_wpa_profile *profile, const char *text, struct wk_err *err);

/* Nothing follows the path. */
bool wk_preset_file_is_whole(const char *text);

/* "FILE:NAME" or "FILE:NUMBER"; FILE alone where it has one preset. */
bool wk_preset_file_open(struct wk_preset_file *file, const char *text, struct wk_err *err);
void wk_preset_file_close(struct wk_preset_file *file);

/* The preset as options of wick, "--by commit --group pid,stack"; and, one line each, what of it is
 * not shown. */
void wk_preset_file_say(const struct wk_preset_file *file, struct wk_buf *lines);

/* The presets of the file at `path`. */
bool wk_preset_file_table(struct wk_table *table, const char *path, struct wk_err *err);

#endif
