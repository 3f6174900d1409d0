/* The renderers by name, for callers that need a specific one. */
#ifndef WK_RENDER_RENDERERS_H
#define WK_RENDER_RENDERERS_H

#include "render/renderer.h"

extern const struct wk_renderer wk_renderer_csv;        /* a table, comma separated */
extern const struct wk_renderer wk_renderer_firefox;    /* samples, for the Firefox Profiler */
extern const struct wk_renderer wk_renderer_folded;     /* a tree, one line a stack */
extern const struct wk_renderer wk_renderer_json;       /* a table, one object */
extern const struct wk_renderer wk_renderer_pprof;      /* samples, for pprof */
extern const struct wk_renderer wk_renderer_speedscope; /* samples, for speedscope */
extern const struct wk_renderer wk_renderer_svg;        /* a tree, a picture to explore */
extern const struct wk_renderer wk_renderer_text;       /* a table, for a terminal */

/* The number in a cell, for programs: whole and without groups; shares are percents. */
void wk_number_cell(struct wk_out *out, const struct wk_column *column, const struct wk_cell *cell);

/* A cell as a value of JSON. */
void wk_json_cell(struct wk_out *out, const struct wk_column *column, const struct wk_cell *cell);

#endif
