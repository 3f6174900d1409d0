#include "render/colours/colouring.h"

#include <inttypes.h>
#include <math.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/strtab.h"
#include "formats/lines.h"
#include "formats/scan.h"
#include "render/colours/named_palettes.h"

#define MAP_LINE "a name, \"->\" and a colour such as \"rgb(250,120,30)\""

struct wk_colouring {
	struct wk_colouring_options options;
	const struct wk_tree *tree; /* of which `colours` are */
	uint32_t *colours;          /* [tree->count] */
	uint64_t chance;            /* how far the sequence is */
	uint64_t change_max;        /* the largest change of a comparison */
	bool has_map;
	struct wk_strtab *map_names;
	uint32_t *map_colours; /* by id in map_names; 0 is the whole, which has no name */
	size_t map_cap;
	uint32_t map_count;
	bool has_whole; /* map_colours[0] is set */
};

struct wk_colouring *wk_colouring_new(const struct wk_colouring_options *options)
{
	struct wk_colouring *c = wk_alloc_zeroed(1, sizeof(*c));

	c->options = *options;
	return c;
}

void wk_colouring_free(struct wk_colouring *c)
{
	if (!c)
		return;
	if (c->map_names)
		wk_strtab_free(c->map_names);
	WK_FREE_ALL(c->map_colours, c->colours, c);
}

static uint32_t grey(uint32_t level)
{
	return level << 16 | level << 8 | level;
}

/* wick's own pictures are also read in dark mode: dark text needs light frames. */
static uint32_t lightened(uint32_t colour)
{
	uint32_t result = 0;

	for (int shift = 16; shift >= 0; shift -= 8) {
		uint32_t channel = colour >> shift & 0xff;

		result |= (channel + (255 - channel) * 3 / 10) << shift;
	}
	return result;
}

static uint32_t chosen(struct wk_colouring *c, struct wk_str name)
{
	enum wk_colour_dialect dialect = c->options.dialect;
	enum wk_palette hue = wk_palette_hue(c->options.palette, dialect, name);
	struct wk_colour_place place;
	uint32_t colour;

	switch (c->options.choice) {
	case WK_COLOUR_BY_HASH:
		place = wk_colour_hashed(dialect, name);
		break;
	case WK_COLOUR_BY_NAME:
		place = wk_colour_named(dialect, name);
		break;
	default:
		place = wk_colour_next(dialect, &c->chance);
		break;
	}
	colour = wk_palette_colour(hue, place);
	return dialect == WK_COLOUR_WICK ? lightened(colour) : colour;
}

static uint32_t *map_place(struct wk_colouring *c, struct wk_str name, bool *is_new)
{
	uint32_t id;

	if (!c->map_names)
		c->map_names = wk_strtab_new();
	id = wk_strtab_add_str(c->map_names, name);
	*is_new = id ? id >= c->map_count : !c->has_whole;
	c->has_whole |= id == 0;
	WK_RESERVE(c->map_colours, c->map_cap, (size_t)id + 1);
	if (id >= c->map_count)
		c->map_count = id + 1;
	return &c->map_colours[id];
}

static bool is_control(char c)
{
	return (unsigned char)c < 0x20 || c == 0x7f;
}

/* A map has a line for each name: in a name, "\x0a" represents a line feed. */
static void add_map_name(struct wk_buf *buf, struct wk_str name)
{
	for (size_t i = 0; i < name.len; i++)
		if (is_control(name.at[i]))
			wk_buf_add_fmt(buf, "\\x%02x", (unsigned char)name.at[i]);
		else
			wk_buf_add(buf, name.at + i, 1);
}

static uint32_t mapped(struct wk_colouring *c, struct wk_str name)
{
	struct wk_buf map_name = { 0 };
	bool is_new;
	uint32_t *place;

	if (!c->has_map)
		return chosen(c, name);
	add_map_name(&map_name, name);
	place = map_place(c, wk_buf_str(&map_name), &is_new);
	wk_buf_fini(&map_name);
	if (is_new)
		*place = chosen(c, name);
	return *place;
}

/* range * part / max in whole numbers, even if the product would overflow. */
static uint64_t scaled(uint64_t range, uint64_t part, uint64_t max)
{
	while (max > UINT64_MAX / 256) {
		max >>= 1;
		part >>= 1;
	}
	return range * part / max;
}

/* How a change of `value` of at most `max` looks: nothing is white or nearly so, red is more,
 * blue is less. */
static uint32_t change_colour(enum wk_colour_dialect dialect, int64_t value, uint64_t max)
{
	uint64_t size = value < 0 ? (uint64_t)-value : (uint64_t)value;
	uint64_t low = dialect == WK_COLOUR_PERL ? 0 : 100;
	uint64_t range = dialect == WK_COLOUR_PERL ? 210 : 150;
	uint32_t rest;

	if (value == 0)
		return grey(dialect == WK_COLOUR_PERL ? 255 : 250);
	if (size > max)
		size = max;
	rest = (uint32_t)(low + scaled(range, max - size, max));
	return value > 0 ? 0xff0000 | rest << 8 | rest : rest << 16 | rest << 8 | 0xff;
}

/* The older tools colour a frame by the change of the line that ends in it; wick by that of the
 * frame with everything it calls, relative to its weight on the heavier side. */
static uint32_t compared(const struct wk_colouring *c, const struct wk_tree *tree, uint32_t node)
{
	bool is_wick = c->options.dialect == WK_COLOUR_WICK;
	uint64_t before = is_wick ? tree->total_before[node] : tree->self_before[node];
	uint64_t after = is_wick ? tree->total_after[node] : tree->self_after[node];
	uint64_t max = is_wick ? (before > after ? before : after) : c->change_max;
	uint64_t size = before > after ? before - after : after - before;
	int64_t value = size > INT64_MAX ? INT64_MAX : (int64_t)size;

	if ((before > after) != c->options.negates)
		value = -value;
	return change_colour(c->options.dialect, value, max);
}

static uint32_t by_width(const struct wk_tree *tree, uint32_t node)
{
	double share = (double)tree->total[node] / (double)tree->total[0];

	return change_colour(WK_COLOUR_INFERNO, (int64_t)(sqrt(share) * 2000), 2000);
}

static struct wk_str name_of(const struct wk_tree *tree, uint32_t node)
{
	return tree->kind[node] == WK_NODE_WHOLE ? (struct wk_str){ "", 0 } : tree->name[node];
}

/* In chains of wake-ups, frames after a separator belong to the waker. */
static uint32_t chain_colour(struct wk_colouring *c, struct wk_str name)
{
	struct wk_buf marked = { 0 };
	uint32_t colour;

	wk_buf_add_str(&marked, name);
	wk_buf_add_text(&marked, wk_str_ends(name, "_[w]") ? "" : "_[w]");
	colour = mapped(c, wk_buf_str(&marked));
	wk_buf_fini(&marked);
	return colour;
}

static uint32_t colour_of(struct wk_colouring *c, const struct wk_tree *tree, uint32_t node,
			  bool is_waker)
{
	struct wk_str name = name_of(tree, node);

	/* Separators between parts of a stack. */
	if (wk_str_is(name, "--"))
		return grey(160);
	if (wk_str_is(name, "-"))
		return grey(200);
	if (c->options.choice == WK_COLOUR_BY_WIDTH)
		return by_width(tree, node);
	if (c->options.is_comparison && tree->self_before)
		return compared(c, tree, node);
	if (is_waker && c->options.palette == WK_PALETTE_CHAIN)
		return chain_colour(c, name);
	return mapped(c, name);
}

static bool is_drawn(const struct wk_colouring *c, const struct wk_tree *tree, uint32_t node)
{
	return (double)tree->total[node] >= c->options.min_share * (double)tree->total[0];
}

/* In the order in which inferno draws, so that its sequence of numbers gives each frame the
 * colour that it has there: a frame is drawn when it ends, and of those that end together the
 * outermost first. */
static void colour_all(struct wk_colouring *c, const struct wk_tree *tree)
{
	uint32_t *open = wk_alloc_zeroed((size_t)tree->depth_max + 1, sizeof(*open));
	uint32_t waker_from = UINT32_MAX; /* the depth at which the outermost separator is open */

	for (uint32_t node = 0; node < tree->count; node++) {
		uint32_t next = node + 1 < tree->count ? tree->depth[node + 1] : 0;

		open[tree->depth[node]] = node;
		if (waker_from == UINT32_MAX && wk_str_is(tree->name[node], "--"))
			waker_from = tree->depth[node];
		for (uint32_t depth = next; depth <= tree->depth[node]; depth++)
			if (is_drawn(c, tree, open[depth]))
				c->colours[open[depth]] =
					colour_of(c, tree, open[depth], depth > waker_from);
		if (next <= waker_from)
			waker_from = UINT32_MAX;
	}
	wk_free(open);
}

static void find_change_max(struct wk_colouring *c, const struct wk_tree *tree)
{
	c->change_max = 1;
	for (uint32_t node = 0; tree->self_before && node < tree->count; node++) {
		uint64_t before = tree->self_before[node], after = tree->self_after[node];
		uint64_t size = before > after ? before - after : after - before;

		if (size > c->change_max)
			c->change_max = size;
	}
}

uint32_t wk_colouring_of(struct wk_colouring *c, const struct wk_tree *tree, uint32_t node)
{
	if (c->tree != tree) {
		wk_free(c->colours);
		c->colours = wk_alloc_zeroed(tree->count, sizeof(*c->colours));
		c->tree = tree;
		c->chance = 0;
		find_change_max(c, tree);
		colour_all(c, tree);
	}
	return c->colours[node];
}

/* "rgb(1,2,3)", with blanks or without. */
static bool read_rgb(struct wk_str text, uint32_t *colour)
{
	uint32_t result = 0;

	text = wk_trim(text);
	if (!wk_str_starts(text, "rgb(") || !wk_str_ends(text, ")"))
		return false;
	text = wk_str_of(text.at + 4, text.len - 5);
	for (int i = 0; i < 3; i++) {
		struct wk_str channel;
		uint64_t value;

		if (wk_str_split(text, ',', &channel, &text) != (i < 2) ||
		    !wk_num_u64(wk_trim(channel), &value) || value > 255)
			return false;
		result = result << 8 | (uint32_t)value;
	}
	*colour = result;
	return true;
}

bool wk_colouring_read_map(struct wk_colouring *c, struct wk_str text, struct wk_bad_lines *bad,
			   struct wk_err *err)
{
	struct wk_lines lines = wk_lines_of(wk_bytes_of(text.at, text.len));
	bool has_arrow = false;
	struct wk_str line;

	c->has_map = true;
	while (wk_lines_next(&lines, &line)) {
		size_t len = wk_str_find_last_text(line, "->"); /* a name may contain others */
		uint32_t colour;
		bool is_new;

		has_arrow |= len != SIZE_MAX;
		if (wk_trim(line).len == 0)
			continue;
		if (len != SIZE_MAX && read_rgb(wk_str_skip(line, len + 2), &colour))
			*map_place(c, wk_str_of(line.at, len), &is_new) = colour;
		else
			wk_bad_line(bad, &lines, line, MAP_LINE);
	}
	return has_arrow || bad->count == 0 ||
	       wk_fail(err, WK_ECORRUPT, WK_NOWHERE, "no line of it is " MAP_LINE);
}

static int by_name(const void *left, const void *right)
{
	const struct wk_str *a = left, *b = right;

	return wk_str_compare(*a, *b);
}

void wk_colouring_write_map(const struct wk_colouring *c, struct wk_out *out)
{
	struct wk_str *names = wk_alloc(((size_t)c->map_count + 1) * sizeof(*names));
	uint32_t count = 0;

	for (uint32_t id = !c->has_whole; id < c->map_count; id++)
		names[count++] = wk_strtab_str(c->map_names, id);
	qsort(names, count, sizeof(*names), by_name);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t colour = c->map_colours[wk_strtab_find(c->map_names, names[i])];

		wk_out_str(out, names[i]);
		wk_out_fmt(out, "->rgb(%u,%u,%u)\n", colour >> 16, colour >> 8 & 0xff,
			   colour & 0xff);
	}
	wk_free(names);
}
