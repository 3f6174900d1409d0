#include <string.h>

#include "render/renderers.h"

const struct wk_renderer *const wk_renderers[] = {
	&wk_renderer_svg,  &wk_renderer_folded,  &wk_renderer_text,  &wk_renderer_csv,
	&wk_renderer_json, &wk_renderer_firefox, &wk_renderer_pprof, &wk_renderer_speedscope,
	NULL,
};

const struct wk_renderer *wk_renderer_find(const char *name)
{
	for (int i = 0; wk_renderers[i]; i++)
		if (strcmp(wk_renderers[i]->name, name) == 0)
			return wk_renderers[i];
	return NULL;
}
