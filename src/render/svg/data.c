/* The tree in compact form, as the picture's script reads it: columns of text.
 *
 * A column contains a number for each node, in the order of nodes. A number is digits of five bits,
 * lowest first, each a letter of `digits`; the sixth bit is set if more follow. Weights are divided
 * by their greatest common divisor. Names are sorted; each is written as the number of letters that
 * it shares with the one before, and the rest. */
#include <inttypes.h>

#include "base/map.h"
#include "base/mem.h"
#include "render/colours/kind_colours.h"
#include "render/svg/name_attributes.h"
#include "render/svg/picture.h"
#include "render/svg/write.h"
#include "views/source_line.h"

/* These need no escape in JSON, XML or HTML. */
static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

#define MOST_ELEMENT (4u << 20) /* bytes of names in one element: parsers have limits */

/* A column that is being written. */
struct column {
	struct wk_out *out;
	size_t len;
	char text[4096];
};

static void start_column(struct column *column, struct wk_out *out, const char *name)
{
	column->out = out;
	column->len = 0;
	wk_out_fmt(out, ",\n\"%s\":\"", name);
}

static void add_number(struct column *column, uint64_t value)
{
	if (column->len > sizeof(column->text) - 16) {
		wk_out_bytes(column->out, column->text, column->len);
		column->len = 0;
	}
	for (; value >= 32; value >>= 5)
		column->text[column->len++] = digits[32 | (value & 31)];
	column->text[column->len++] = digits[value];
}

static void end_column(struct column *column)
{
	wk_out_bytes(column->out, column->text, column->len);
	wk_out_char(column->out, '"');
}

static uint64_t divisor(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/* "NAME":"...","NAMEStep":n */
static void weights(struct wk_out *out, const char *name, const uint64_t *values, uint32_t count)
{
	struct column column;
	uint64_t step = 0;

	for (uint32_t i = 0; i < count && step != 1; i++)
		step = divisor(values[i], step);
	if (step == 0)
		step = 1;
	start_column(&column, out, name);
	for (uint32_t i = 0; i < count; i++)
		add_number(&column, step == 1 ? values[i] : values[i] / step);
	end_column(&column);
	wk_out_fmt(out, ",\"%sStep\":%" PRIu64, name, step);
}

/* How many levels the tree goes back before each node: the depth as small numbers. */
static void depths(struct wk_out *out, const struct wk_tree *tree)
{
	struct column column;

	start_column(&column, out, "up");
	for (uint32_t i = 1; i < tree->count; i++)
		add_number(&column, tree->depth[i - 1] + 1 - tree->depth[i]);
	end_column(&column);
}

static void names_of_nodes(const struct wk_svg_picture *p)
{
	struct column column;

	start_column(&column, p->out, "name");
	for (uint32_t i = 0; i < p->tree->count; i++)
		add_number(&column, p->names.of_node[i]);
	end_column(&column);
}

static void samples(struct wk_out *out, const struct wk_tree *tree)
{
	struct column column;

	if (wk_str_is(tree->unit, "samples"))
		return;
	start_column(&column, out, "samples");
	for (uint32_t i = 0; i < tree->count; i++)
		add_number(&column, tree->self_samples[i]);
	end_column(&column);
}

/* The few nodes that are special, each as its distance from the one before. */
static void marked(struct wk_out *out, const char *name, const uint8_t *marks, uint32_t count)
{
	struct column column;
	uint32_t last = 0;

	start_column(&column, out, name);
	for (uint32_t i = 0; i < count; i++) {
		if (!marks[i])
			continue;
		add_number(&column, i - last);
		last = i;
	}
	end_column(&column);
}

/* Distance and count, in turn. */
static void counted_boxes(const struct wk_svg_picture *p)
{
	const struct wk_tree *tree = p->tree;
	struct column column;
	uint32_t last = 0;

	if (!tree->small_count)
		return;
	wk_out_fmt(p->out, ",\n\"few\":%" PRIu32, p->names.small);
	start_column(&column, p->out, "fewCount");
	for (uint32_t i = 0; i < tree->count; i++) {
		if (tree->kind[i] != WK_NODE_SMALL)
			continue;
		add_number(&column, i - last);
		add_number(&column, tree->small_count[i]);
		last = i;
	}
	end_column(&column);
}

/* Distinct values, numbered from 1 in the order in which they are met. */
struct numbering {
	struct wk_map numbers;
	uint32_t *values;
	size_t count, cap;
};

static uint32_t number_of(struct numbering *numbering, uint32_t value)
{
	uint32_t *number = wk_map_at(&numbering->numbers, (uint64_t)value + 1);

	if (*number == 0) {
		*WK_APPEND(numbering->values, numbering->count, numbering->cap) = value;
		*number = (uint32_t)numbering->count;
	}
	return *number;
}

static void numbering_fini(struct numbering *numbering)
{
	wk_map_fini(&numbering->numbers);
	wk_free(numbering->values);
}

/* Each colour once, and its number for each node. */
static void colours(const struct wk_svg_picture *p)
{
	struct numbering distinct = { 0 };
	struct column column;

	if (!p->colours)
		return;
	start_column(&column, p->out, "colour");
	for (uint32_t i = 0; i < p->tree->count; i++)
		add_number(&column, number_of(&distinct, p->colours[i]) - 1);
	end_column(&column);
	wk_out_text(p->out, ",\n\"colours\":\"");
	for (size_t i = 0; i < distinct.count; i++)
		wk_svg_colour(p->out, distinct.values[i]);
	wk_out_char(p->out, '"');
	numbering_fini(&distinct);
}

static void looks_of_names(const struct wk_svg_picture *p)
{
	struct column column;

	_Static_assert(WK_LOOK_KINDS * WK_SHADES <= 64, "a look is one letter");
	start_column(&column, p->out, "look");
	for (uint32_t i = 0; i < p->names.count; i++)
		wk_out_char(p->out, digits[p->names.entries[i].look]);
	end_column(&column);
}

/* Numbered in order of their first name; 0 is none. */
static void origins_of_names(const struct wk_svg_picture *p)
{
	struct numbering origins = { 0 };
	struct column column;

	start_column(&column, p->out, "image");
	for (uint32_t i = 0; i < p->names.count; i++) {
		wk_text_id origin = p->names.entries[i].origin;

		add_number(&column, origin ? number_of(&origins, origin) : 0);
	}
	end_column(&column);
	wk_out_text(p->out, ",\n\"images\":[\"\"");
	for (size_t i = 0; i < origins.count; i++) {
		wk_out_char(p->out, ',');
		wk_svg_quoted(p->out, wk_model_str(p->view->model, origins.values[i]));
	}
	wk_out_char(p->out, ']');
	numbering_fini(&origins);
}

/* By node the number of its hottest line, 0 if unknown; of each line the number of its file and the
 * line itself. */
static void lines(const struct wk_svg_picture *p)
{
	const struct wk_model *model = p->view->model;
	struct numbering places = { 0 }, files = { 0 };
	struct column column;

	if (!p->tree->place)
		return;
	start_column(&column, p->out, "place");
	for (uint32_t i = 0; i < p->tree->count; i++) {
		uint32_t place = p->tree->place[i];

		add_number(&column, place ? number_of(&places, place) : 0);
	}
	end_column(&column);
	start_column(&column, p->out, "lines");
	for (size_t i = 0; i < places.count; i++) {
		uint32_t place = places.values[i];
		wk_function_id function = model->named_frames.function[place];

		add_number(&column, number_of(&files, model->functions[function].file) - 1);
		add_number(&column, model->named_frames.line[place]);
	}
	end_column(&column);
	wk_out_text(p->out, ",\n\"files\":[");
	for (size_t i = 0; i < files.count; i++) {
		wk_out_text(p->out, i ? "," : "");
		wk_svg_quoted(p->out, wk_source_brief_path(wk_model_str(model, files.values[i])));
	}
	wk_out_char(p->out, ']');
	numbering_fini(&places);
	numbering_fini(&files);
}

/* {"12":["title","href","target"], ...} by name. */
static void links(const struct wk_svg_picture *p)
{
	static const char *const keys[] = { "title", "href", "target" };
	const char *between = "";

	if (!p->drawing->attributes)
		return;
	wk_out_text(p->out, ",\n\"links\":{");
	for (uint32_t i = 0; i < p->names.count; i++) {
		const struct wk_name_entry *entry =
			wk_name_attributes_find(p->drawing->attributes, p->names.entries[i].name);

		if (!entry)
			continue;
		wk_out_fmt(p->out, "%s\n\"%" PRIu32 "\":[", between, i);
		between = ",";
		for (int key = 0; key < 3; key++) {
			wk_out_text(p->out, key ? "," : "");
			wk_svg_quoted(p->out, wk_name_entry_get(entry, keys[key]));
		}
		wk_out_char(p->out, ']');
	}
	wk_out_char(p->out, '}');
}

static void kinds(struct wk_out *out, const struct wk_model *model)
{
	wk_out_fmt(out, ",\n\"shades\":%d,\"kinds\":[", WK_SHADES);
	for (unsigned i = 0; i < WK_LOOK_KINDS; i++) {
		wk_out_text(out, i ? "," : "");
		wk_svg_quoted(out, wk_str_c(wk_kind_colours_name(model, i)));
	}
	wk_out_fmt(out, "],\"unknown\":[%d],\"structure\":%d", WK_CODE_UNKNOWN, WK_LOOK_STRUCTURE);
}

/* The script sums up the nodes' own weights; a node that is left out, because it weighs nothing on
 * the selected side, then counts for its caller. */
static void side(struct wk_out *out, const char *name, const struct wk_tree *tree,
		 const uint64_t *total)
{
	uint64_t *rest = wk_alloc((size_t)tree->count * sizeof(*rest));

	memcpy(rest, total, tree->count * sizeof(*rest));
	for (uint32_t i = 1; i < tree->count; i++) {
		uint64_t *parent = &rest[tree->parent[i]];

		*parent -= total[i] < *parent ? total[i] : *parent;
	}
	weights(out, name, rest, tree->count);
	wk_free(rest);
}

void wk_svg_data(const struct wk_svg_picture *p)
{
	const struct wk_tree *tree = p->tree;

	wk_out_text(p->out, "\"unit\":");
	wk_svg_quoted(p->out, wk_svg_unit(p));
	if (strcmp(tree->row_word, "sample") != 0)
		wk_out_fmt(p->out, ",\"rowWord\":\"%s\"", tree->row_word);
	wk_out_fmt(p->out, ",\"count\":%" PRIu32 ",\"names\":%" PRIu32 ",\"whole\":%" PRIu64,
		   tree->count, p->names.count, p->whole);
	kinds(p->out, p->view->model);
	looks_of_names(p);
	origins_of_names(p);
	links(p);
	lines(p);
	names_of_nodes(p);
	depths(p->out, tree);
	weights(p->out, "self", tree->self, tree->count);
	if (tree->is_lane) {
		weights(p->out, "from", tree->from_ns, tree->count);
		weights(p->out, "took", tree->took_ns, tree->count);
		marked(p->out, "lanes", tree->is_lane, tree->count);
	} else if (tree->lead) {
		weights(p->out, "lead", tree->lead, tree->count);
	}
	samples(p->out, tree);
	marked(p->out, "inlined", tree->is_inlined, tree->count);
	counted_boxes(p);
	if (p->is_comparison) {
		side(p->out, "before", tree, tree->total_before);
		side(p->out, "after", tree, tree->total_after);
	}
	colours(p);
}

/* How many letters both begin with; only ASCII, of which each is one letter to the script. */
static size_t common(struct wk_str a, struct wk_str b)
{
	size_t shorter = a.len < b.len ? a.len : b.len, len = 0;

	while (len < shorter && a.at[len] == b.at[len] && (unsigned char)a.at[len] < 0x80)
		len++;
	return len;
}

static void open_names(struct wk_out *out, const char *classes)
{
	wk_out_fmt(out, "<script type=\"application/json\" class=\"%s\">\"", classes);
}

static size_t add_name(struct wk_out *out, struct wk_str name, struct wk_str last)
{
	size_t same = common(name, last), rest = name.len - same;

	for (; same >= 32; same >>= 5)
		wk_out_char(out, digits[32 | (same & 31)]);
	wk_out_char(out, digits[same]);
	wk_out_json(out, wk_str_skip(name, name.len - rest));
	wk_out_text(out, "\\n");
	return rest + 3;
}

/* One text for each name; an empty label is the name itself. */
static void add_texts(const struct wk_svg_picture *p, const char *classes, bool is_label)
{
	struct wk_buf clean[2] = { { 0 } };
	unsigned turn = 0;
	size_t bytes = 0;

	open_names(p->out, classes);
	for (uint32_t i = 0; i < p->names.count; i++) {
		const struct wk_svg_name *entry = &p->names.entries[i];
		struct wk_buf *text = &clean[turn];

		if (is_label && wk_str_eq(entry->label, entry->name)) {
			wk_out_text(p->out, "\\n");
			continue;
		}
		wk_buf_reset(text);
		wk_svg_clean(text, is_label ? entry->label : entry->name);
		if (bytes > MOST_ELEMENT) {
			wk_out_text(p->out, "\"</script>\n");
			open_names(p->out, classes);
			bytes = 0;
		}
		turn = 1 - turn;
		bytes += add_name(p->out, wk_buf_str(text), wk_buf_str(&clean[turn]));
	}
	wk_out_text(p->out, "\"</script>\n");
	WK_BUF_FINI_ALL(&clean[0], &clean[1]);
}

static bool has_labels(const struct wk_svg_picture *p)
{
	for (uint32_t i = 0; i < p->names.count; i++)
		if (!wk_str_eq(p->names.entries[i].label, p->names.entries[i].name))
			return true;
	return false;
}

void wk_svg_name_data(const struct wk_svg_picture *p, bool is_full)
{
	add_texts(p, is_full ? "full-names" : "names", false);
	if (!has_labels(p))
		return;
	add_texts(p, is_full ? "full-labels" : "labels", true);
}
