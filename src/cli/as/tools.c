#include "cli/as/tool.h"

const struct wk_as_tool *const wk_as_tools[] = {
	wk_as_flamegraph_tools,
	wk_as_difffolded_tools,
	wk_as_collapse_tools,
	NULL,
};

const struct wk_as_tool *wk_as_tool_at(size_t index)
{
	for (size_t i = 0; wk_as_tools[i]; i++)
		for (const struct wk_as_tool *tool = wk_as_tools[i]; tool->name; tool++)
			if (index-- == 0)
				return tool;
	return NULL;
}

const struct wk_as_tool *wk_as_tool_find(struct wk_str name)
{
	const struct wk_as_tool *tool;

	for (size_t i = 0; (tool = wk_as_tool_at(i)); i++)
		if (wk_str_is(name, tool->name))
			return tool;
	return NULL;
}
