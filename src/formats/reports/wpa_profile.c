#include "formats/reports/wpa_profile.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/strtab.h"
#include "formats/reader.h"
#include "formats/reports/xml.h"

/* The current view, graph and preset. */
struct reading {
	struct wk_wpa_profile *profile;
	struct wk_str view, graph;
	bool is_profile, in_preset, in_column;
};

#define LONGEST_SHARED 200

/* Texts shared by all presets of a view or graph are cut, so that their copies stay in proportion
 * to the file. */
static struct wk_str copy_short(struct reading *reading, const char *text)
{
	struct wk_str all = wk_str_c(text ? text : "");

	if (all.len > LONGEST_SHARED)
		all.len = LONGEST_SHARED;
	return wk_arena_copy(&reading->profile->texts, all);
}

static struct wk_str attribute(struct reading *reading, const char *const *attributes,
			       const char *name)
{
	const char *text = wk_xml_attribute(attributes, name);

	return text ? wk_arena_copy(&reading->profile->texts, wk_str_c(text))
		    : (struct wk_str){ 0 };
}

static bool is_true(const char *const *attributes, const char *name)
{
	const char *value = wk_xml_attribute(attributes, name);

	return value && (strcmp(value, "true") == 0 || strcmp(value, "True") == 0);
}

static uint32_t number(const char *const *attributes, const char *name)
{
	const char *text = wk_xml_attribute(attributes, name);
	uint64_t value;

	return text && wk_num_u64(wk_str_c(text), &value) && value < UINT32_MAX ? (uint32_t)value
										: 0;
}

static void start_preset(struct reading *reading, const char *const *attributes)
{
	struct wk_wpa_profile *profile = reading->profile;

	*WK_APPEND(profile->presets, profile->preset_count, profile->preset_cap) =
		(struct wk_wpa_preset){
			.view = reading->view,
			.graph = reading->graph,
			.name = attribute(reading, attributes, "Name"),
			.filter = attribute(reading, attributes, "InitialFilterQuery"),
			.filter_keeps = is_true(attributes, "InitialFilterShouldKeep"),
			.over_time = attribute(reading, attributes, "AggregationOverTime"),
			.key_count = number(attributes, "KeyColumnCount"),
			.first = (uint32_t)profile->column_count,
		};
	reading->in_preset = true;
}

static void start_column(struct reading *reading, const char *const *attributes)
{
	struct wk_wpa_profile *profile = reading->profile;

	if (!reading->in_preset)
		return;
	*WK_APPEND(profile->columns, profile->column_count, profile->column_cap) =
		(struct wk_wpa_column){
			.name = attribute(reading, attributes, "Name"),
			.is_visible = is_true(attributes, "IsVisible"),
		};
	profile->presets[profile->preset_count - 1].column_count++;
	reading->in_column = true;
}

static void stack_options(struct reading *reading, const char *const *attributes)
{
	struct wk_wpa_column *column;

	if (!reading->in_column)
		return;
	column = &reading->profile->columns[reading->profile->column_count - 1];
	column->stack_mode = attribute(reading, attributes, "Mode");
	column->stack_is_inverted = is_true(attributes, "StackFrameInvert");
}

/* Graphs of the older form without a GUID are identified by the name of their element. */
static void start_graph(struct reading *reading, const char *name, const char *const *attributes)
{
	const char *guid = wk_xml_attribute(attributes, "Guid");

	if (!guid)
		guid = wk_xml_attribute(attributes, "ClsID");
	reading->graph = copy_short(reading, guid ? guid : name);
}

/* "XGraphTreeItem", and not its property "XGraphTreeItem.Preset". */
static bool is_old_graph(const char *name)
{
	return wk_str_ends(wk_str_c(name), "GraphTreeItem");
}

static void on_start(void *context, const char *name, const char *const *attributes)
{
	struct reading *reading = context;

	if (strcmp(name, "WpaProfileContainer") == 0 || strcmp(name, "WpaProfile") == 0)
		reading->is_profile = true;
	else if (strcmp(name, "View") == 0 || strcmp(name, "ViewTitle") == 0)
		reading->view = copy_short(reading, wk_xml_attribute(attributes, "Title"));
	else if (strcmp(name, "Graph") == 0 || strcmp(name, "GraphSchema") == 0 ||
		 is_old_graph(name))
		start_graph(reading, name, attributes);
	else if (strcmp(name, "HdvViewModelPresetCollection") == 0)
		reading->graph = copy_short(reading, wk_xml_attribute(attributes, "Name"));
	else if (strcmp(name, "Preset") == 0 || strcmp(name, "HdvViewModelPreset") == 0)
		start_preset(reading, attributes);
	else if (strcmp(name, "Column") == 0 || strcmp(name, "HdvColumnViewModelPreset") == 0)
		start_column(reading, attributes);
	else if (strcmp(name, "StackOptionsParameter") == 0 ||
		 strcmp(name, "PresetStackOptions") == 0)
		stack_options(reading, attributes);
}

static void on_end(void *context, const char *name)
{
	struct reading *reading = context;

	if (strcmp(name, "View") == 0 || strcmp(name, "AnalysisView") == 0)
		reading->view = (struct wk_str){ 0 };
	else if (strcmp(name, "Preset") == 0 || strcmp(name, "HdvViewModelPreset") == 0)
		reading->in_preset = reading->in_column = false;
	else if (strcmp(name, "Column") == 0 || strcmp(name, "HdvColumnViewModelPreset") == 0)
		reading->in_column = false;
}

/* In UTF-16 every other byte is 0. */
bool wk_wpa_profile_probe(struct wk_bytes head)
{
	static const char tag[] = "<WpaProfile";
	size_t met = 0;

	for (size_t i = 0, left = wk_bytes_left(&head); i < left && tag[met]; i++)
		if (head.at[i])
			met = head.at[i] == (uint8_t)tag[met] ? met + 1 : head.at[i] == '<';
	return !tag[met];
}

/* A graph often repeats the preset of a view. */
static void mark_copies(struct wk_wpa_profile *profile)
{
	struct wk_strtab *names = wk_strtab_new();
	struct wk_buf name = { 0 };
	uint32_t known = 0;

	for (size_t i = 0; i < profile->preset_count; i++) {
		struct wk_wpa_preset *preset = &profile->presets[i];
		uint32_t id;

		wk_buf_reset(&name);
		wk_buf_add_fmt(&name, "%.*s\n%.*s", WK_STR_ARG(preset->graph),
			       WK_STR_ARG(preset->name));
		id = wk_strtab_add_str(names, wk_buf_str(&name));
		preset->is_copy = id <= known;
		known = preset->is_copy ? known : id;
	}
	wk_buf_fini(&name);
	wk_strtab_free(names);
}

bool wk_wpa_profile_read(struct wk_wpa_profile *profile, struct wk_bytes bytes, struct wk_err *err)
{
	static const struct wk_xml_handler handler = { on_start, on_end, NULL };
	struct reading reading = { .profile = profile };

	*profile = (struct wk_wpa_profile){ 0 };
	if (!wk_xml_read(bytes, &handler, &reading, err)) {
		wk_wpa_profile_fini(profile);
		return false;
	}
	if (!reading.is_profile) {
		wk_wpa_profile_fini(profile);
		return wk_fail(err, WK_ECORRUPT, WK_NOWHERE,
			       "this is XML, but not a profile of Windows Performance Analyzer");
	}
	mark_copies(profile);
	return true;
}

void wk_wpa_profile_fini(struct wk_wpa_profile *profile)
{
	WK_FREE_ALL(profile->presets, profile->columns);
	wk_arena_fini(&profile->texts);
	*profile = (struct wk_wpa_profile){ 0 };
}

/* ---- a reader that refuses such files, so that they are recognized */

static int probe(struct wk_bytes first)
{
	return wk_wpa_profile_probe(first) ? 95 : 0;
}

static bool read_none(const struct wk_input *input, const struct wk_sink *sink, struct wk_err *err)
{
	struct wk_buf name = { 0 };

	(void)sink;
	if (!wk_wpa_profile_probe(input->bytes))
		return wk_fail(err, WK_EFORMAT, WK_NOWHERE,
			       "no presets of WPA in it: expected XML with an element WpaProfile");
	wk_buf_add_shell(&name, wk_str_c(input->name));
	wk_fail(err, WK_EFORMAT, WK_NOWHERE,
		"these are presets, not a trace: `wick show %s` lists them, and --preset applies "
		"one",
		wk_buf_text(&name));
	wk_buf_fini(&name);
	return false;
}

const struct wk_reader wk_reader_wpa_profile = {
	.name = "wpa-profile",
	.summary = "presets of Windows Performance Analyzer, for --preset",
	.suffixes = (const char *const[]){ ".wpaProfile", NULL },
	.probe = probe,
	.read = read_none,
};
