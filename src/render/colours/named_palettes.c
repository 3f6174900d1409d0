#include "render/colours/named_palettes.h"

#include "formats/scan.h"

const char *const wk_palette_names[] = {
	[WK_PALETTE_KIND] = "kind",
	[WK_PALETTE_HOT] = "hot",
	[WK_PALETTE_MEM] = "mem",
	[WK_PALETTE_IO] = "io",
	[WK_PALETTE_WAKEUP] = "wakeup",
	[WK_PALETTE_CHAIN] = "chain",
	[WK_PALETTE_JAVA] = "java",
	[WK_PALETTE_JS] = "js",
	[WK_PALETTE_PERL] = "perl",
	[WK_PALETTE_PYTHON] = "python",
	[WK_PALETTE_RUST] = "rust",
	[WK_PALETTE_RED] = "red",
	[WK_PALETTE_GREEN] = "green",
	[WK_PALETTE_BLUE] = "blue",
	[WK_PALETTE_AQUA] = "aqua",
	[WK_PALETTE_YELLOW] = "yellow",
	[WK_PALETTE_PURPLE] = "purple",
	[WK_PALETTE_ORANGE] = "orange",
	NULL,
};

bool wk_palette_find(struct wk_str name, enum wk_palette *palette)
{
	for (size_t i = 0; wk_palette_names[i]; i++)
		if (wk_str_is(name, wk_palette_names[i])) {
			*palette = (enum wk_palette)i;
			return true;
		}
	return false;
}

/* A channel: from `low`, `range` further at 1. */
struct channel {
	uint8_t low, range, by; /* by v1, v2 or v3 */
};

static const struct channel channels[][3] = {
	[WK_PALETTE_HOT] = { { 205, 50, 3 }, { 0, 230, 1 }, { 0, 55, 2 } },
	[WK_PALETTE_MEM] = { { 0, 0, 3 }, { 190, 50, 2 }, { 0, 210, 1 } },
	[WK_PALETTE_IO] = { { 80, 60, 1 }, { 80, 60, 1 }, { 190, 55, 2 } },
	[WK_PALETTE_RED] = { { 200, 55, 1 }, { 50, 80, 1 }, { 50, 80, 1 } },
	[WK_PALETTE_GREEN] = { { 50, 60, 1 }, { 200, 55, 1 }, { 50, 60, 1 } },
	[WK_PALETTE_BLUE] = { { 80, 60, 1 }, { 80, 60, 1 }, { 205, 50, 1 } },
	[WK_PALETTE_YELLOW] = { { 175, 55, 1 }, { 175, 55, 1 }, { 50, 20, 1 } },
	[WK_PALETTE_PURPLE] = { { 190, 65, 1 }, { 80, 60, 1 }, { 190, 65, 1 } },
	[WK_PALETTE_AQUA] = { { 50, 60, 1 }, { 165, 55, 1 }, { 165, 55, 1 } },
	[WK_PALETTE_ORANGE] = { { 190, 65, 1 }, { 90, 65, 1 }, { 0, 0, 1 } },
};

uint32_t wk_palette_colour(enum wk_palette hue, struct wk_colour_place place)
{
	const double v[] = { 0, place.v1, place.v2, place.v3 };
	uint32_t colour = 0;

	for (int i = 0; i < 3; i++) {
		const struct channel *channel = &channels[hue][i];

		/* In single precision as inferno has it; double would round elsewhere. */
		colour = colour << 8 |
			 (channel->low + (uint32_t)((float)channel->range * (float)v[channel->by]));
	}
	return colour;
}

static bool contains(struct wk_str text, const char *part)
{
	return wk_str_find(text, part) != SIZE_MAX;
}

/* The letter of a mark "_[k]" at the end of a name, or 0. */
static char mark_of(struct wk_str name)
{
	if (name.len < 4 || memcmp(name.at + name.len - 4, "_[", 2) != 0 ||
	    name.at[name.len - 1] != ']')
		return 0;
	return name.at[name.len - 2];
}

static bool has_java_package(struct wk_str name)
{
	static const char *const packages[] = { "java/", "javax/", "jdk/", "net/",
						"org/",  "com/",   "io/",  "sun/", NULL };

	if (name.len && name.at[0] == 'L')
		name = wk_str_skip(name, 1);
	return wk_str_starts_one_of(name, packages);
}

/* The Perl tool requires a known package; inferno accepts whatever looks like a path or a class. */
static bool is_java(enum wk_colour_dialect dialect, struct wk_str name)
{
	if (dialect == WK_COLOUR_PERL)
		return has_java_package(name) || contains(name, ":::");
	if (name.len && name.at[0] == 'L')
		name = wk_str_skip(name, 1);
	return contains(name, "/") || (name.len && ((name.at[0] != '[' && contains(name, ".")) ||
						    (name.at[0] >= 'A' && name.at[0] <= 'Z')));
}

static enum wk_palette java_hue(enum wk_colour_dialect dialect, struct wk_str name)
{
	bool is_native = contains(name, "::");

	switch (mark_of(name)) {
	case 'j':
		return WK_PALETTE_GREEN;
	case 'i':
		return WK_PALETTE_AQUA;
	case 'k':
		if (dialect != WK_COLOUR_PERL || (!is_java(dialect, name) && !is_native))
			return WK_PALETTE_ORANGE;
	}
	if (dialect != WK_COLOUR_PERL)
		is_native |= wk_str_starts(name, "-[") || wk_str_starts(name, "+[");
	if (dialect == WK_COLOUR_PERL && is_java(dialect, name))
		return WK_PALETTE_GREEN;
	if (is_native)
		return WK_PALETTE_YELLOW;
	return is_java(dialect, name) ? WK_PALETTE_GREEN : WK_PALETTE_RED;
}

static enum wk_palette perl_hue(enum wk_colour_dialect dialect, struct wk_str name)
{
	if (dialect != WK_COLOUR_PERL && mark_of(name) == 'k')
		return WK_PALETTE_ORANGE;
	if (dialect == WK_COLOUR_PERL && contains(name, "::"))
		return WK_PALETTE_YELLOW;
	if (contains(name, "Perl") || contains(name, ".pl"))
		return WK_PALETTE_GREEN;
	if (contains(name, "::"))
		return WK_PALETTE_YELLOW;
	return mark_of(name) == 'k' ? WK_PALETTE_ORANGE : WK_PALETTE_RED;
}

static bool is_blank(struct wk_str name)
{
	for (size_t i = 0; i < name.len; i++)
		if (name.at[i] != ' ' && (name.at[i] < '\t' || name.at[i] > '\r'))
			return false;
	return name.len > 0;
}

static enum wk_palette js_hue(enum wk_colour_dialect dialect, struct wk_str name)
{
	struct wk_str first, path;

	wk_str_split(name, '/', &first, &path);
	if (is_blank(name))
		return WK_PALETTE_GREEN;
	if (dialect != WK_COLOUR_PERL && mark_of(name) == 'k')
		return WK_PALETTE_ORANGE;
	if (mark_of(name) == 'j')
		return contains(name, "/") ? WK_PALETTE_GREEN : WK_PALETTE_AQUA;
	if (contains(name, "::"))
		return WK_PALETTE_YELLOW;
	if (dialect == WK_COLOUR_PERL && contains(path, ".js"))
		return WK_PALETTE_GREEN;
	if (contains(name, ":"))
		return WK_PALETTE_AQUA;
	if (dialect == WK_COLOUR_PERL)
		return contains(name, "_[k]") ? WK_PALETTE_ORANGE : WK_PALETTE_RED;
	if (contains(path, "node_modules/"))
		return WK_PALETTE_PURPLE;
	return contains(path, ".js") ? WK_PALETTE_GREEN : WK_PALETTE_RED;
}

/* Names as perf demangles them, and as they are with their trait: "<core::...". */
static enum wk_palette rust_hue(struct wk_str name)
{
	static const char *const standard[] = { "core::", "std::", "alloc::", NULL };
	struct wk_str path = wk_str_starts(name, "<") ? wk_str_skip(name, 1) : name;

	/* What async functions are turned into is their authors' code. */
	if (wk_str_starts(name, "<core::future::from_generator::GenFuture<T>"))
		return WK_PALETTE_AQUA;
	if (wk_str_starts_one_of(path, standard))
		return WK_PALETTE_ORANGE;
	return contains(name, "::") ? WK_PALETTE_AQUA : WK_PALETTE_YELLOW;
}

/* "python3.9", "Python39": a folder of the standard library. */
static bool is_python_folder(struct wk_str part)
{
	if (!wk_str_starts(part, "python") && !wk_str_starts(part, "Python"))
		return false;
	for (size_t i = strlen("python"); i < part.len; i++)
		if (part.at[i] != '.' && (part.at[i] < '0' || part.at[i] > '9'))
			return false;
	return true;
}

static enum wk_palette python_hue(struct wk_str name)
{
	bool is_standard = wk_str_starts(name, "<built-in") || wk_str_starts(name, "<method") ||
			   wk_str_starts(name, "<frozen");
	size_t start = 0;

	for (size_t i = 0; i <= name.len; i++) {
		struct wk_str part;

		if (i < name.len && name.at[i] != '/' && name.at[i] != '\\')
			continue;
		part = wk_str_of(name.at + start, i - start);
		if (wk_str_is(part, "site-packages"))
			return WK_PALETTE_AQUA;
		is_standard |= is_python_folder(part);
		start = i + 1;
	}
	return is_standard ? WK_PALETTE_YELLOW : WK_PALETTE_RED;
}

enum wk_palette wk_palette_hue(enum wk_palette palette, enum wk_colour_dialect dialect,
			       struct wk_str name)
{
	switch (palette) {
	case WK_PALETTE_KIND:
		return WK_PALETTE_HOT;
	case WK_PALETTE_JAVA:
		return java_hue(dialect, name);
	case WK_PALETTE_JS:
		return js_hue(dialect, name);
	case WK_PALETTE_PERL:
		return perl_hue(dialect, name);
	case WK_PALETTE_RUST:
		return rust_hue(name);
	case WK_PALETTE_PYTHON:
		return python_hue(name);
	case WK_PALETTE_WAKEUP:
		return WK_PALETTE_AQUA;
	case WK_PALETTE_CHAIN:
		return contains(name, "_[w]") ? WK_PALETTE_AQUA : WK_PALETTE_BLUE;
	default:
		return palette;
	}
}
