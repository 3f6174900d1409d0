#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/buf.h"
#include "views/filter/wpa_preset.h"

#define SAMPLED "b855361e-7be0-4bc8-a754-3e8507715ca5"
#define PRECISE "c58f5fea-0319-4046-932d-e695ebe20b47"
#define COMMIT  "E6A4A964-3a87-46ef-9762-f9d9b9208051"

static void read_text(struct wk_wpa_profile *profile, const char *text)
{
	struct wk_err err = { 0 };

	if (!wk_wpa_profile_read(profile, wk_bytes_of(text, strlen(text)), &err))
		fail_msg("%s", err.text);
}

/* A profile of one graph with one preset. */
static void read_preset(struct wk_wpa_profile *profile, const char *graph, const char *attributes,
			const char *columns)
{
	struct wk_buf text = { 0 };

	wk_buf_add_fmt(&text,
		       "<WpaProfileContainer Version=\"2\"><Content><Views><View Title=\"Tab\">"
		       "<Graphs><Graph Guid=\"%s\"><Preset Name=\"P\" %s><Columns>%s</Columns>"
		       "</Preset></Graph></Graphs></View></Views></Content>"
		       "</WpaProfileContainer>",
		       graph, attributes, columns);
	read_text(profile, wk_buf_text(&text));
	wk_buf_fini(&text);
	assert_int_equal(profile->preset_count, 1);
}

#define COLUMN(name, more)                                                                         \
	"<Column Guid=\"0\" Name=\"" name "\" IsVisible=\"true\">" more "</Column>"
#define HIDDEN(name) "<Column Guid=\"0\" Name=\"" name "\" IsVisible=\"false\"/>"

static void assert_view(const struct wk_wpa_profile *profile, const char *grouping,
			const char *source, const char *missing)
{
	struct wk_buf text = { 0 };
	struct wk_wpa_view view;

	wk_wpa_view_init(&view, profile, &profile->presets[0]);
	wk_grouping_write(&view.grouping, &text);
	assert_string_equal(wk_buf_text(&text), grouping);
	assert_string_equal(view.source ? view.source : "", source);
	assert_string_equal(wk_buf_text(&view.missing), missing);
	wk_buf_fini(&text);
	wk_wpa_view_fini(&view);
}

static void visible_columns_left_of_the_bar_are_grouped_by(void **state)
{
	struct wk_wpa_profile profile;

	(void)state;
	read_preset(&profile, SAMPLED, "KeyColumnCount=\"4\"",
		    HIDDEN("Process Name") COLUMN("Process", "") COLUMN("Thread ID", "")
			    COLUMN("Stack", "<StackOptionsParameter/>") COLUMN("Count", "")
				    COLUMN("Weight (in view)", "") HIDDEN("Rank"));
	assert_string_equal(profile.presets[0].view.at, "Tab");
	assert_view(&profile, "pid,thread,stack", "", "");
	wk_wpa_profile_fini(&profile);
}

static void what_has_no_counterpart_is_listed_by_name(void **state)
{
	struct wk_wpa_profile profile;

	(void)state;
	read_preset(&profile, SAMPLED,
		    "KeyColumnCount=\"4\" InitialFilterQuery=\"[DPC/ISR]:=&quot;DPC&quot; OR "
		    "[Process]:=&quot;Idle (0)&quot;\"",
		    COLUMN("Process", "") COLUMN("Thread Start Module", "")
			    COLUMN("Stack", "<StackOptionsParameter Mode=\"StackTag\"/>")
				    COLUMN("Stack", "") COLUMN("TimeStamp", "")
					    COLUMN("Count", ""));
	assert_view(&profile, "pid,stack", "",
		    "the grouping by column \"Thread Start Module\"\n"
		    "the grouping by tags of column \"Stack\"\n"
		    "column \"TimeStamp\"\n"
		    "the filter's [DPC/ISR]:=\"DPC\"\n");
	wk_wpa_profile_fini(&profile);
}

static void the_module_that_a_sample_was_in_may_be_the_last(void **state)
{
	struct wk_wpa_profile profile;
	struct wk_wpa_view view;

	(void)state;
	read_preset(&profile, SAMPLED, "KeyColumnCount=\"2\"",
		    COLUMN("Process", "") COLUMN("Module", "") COLUMN("Count", ""));
	wk_wpa_view_init(&view, &profile, &profile.presets[0]);
	assert_int_equal(wk_grouping_last(&view.grouping), WK_GROUP_MODULE);
	wk_wpa_view_fini(&view);
	wk_wpa_profile_fini(&profile);
}

static void switches_are_waits_or_what_comes_behind_them(void **state)
{
	struct wk_wpa_profile profile;

	(void)state;
	read_preset(&profile, PRECISE, "KeyColumnCount=\"3\"",
		    COLUMN("New Process", "") COLUMN("New Thread Id", "")
			    COLUMN("New Thread Stack", "") COLUMN("Waits (us)", ""));
	assert_view(&profile, "pid,thread,stack", "wait", "");
	wk_wpa_profile_fini(&profile);
	read_preset(&profile, PRECISE, "KeyColumnCount=\"1\"",
		    COLUMN("New Process", "") COLUMN("Ready", ""));
	assert_view(&profile, "pid,stack", "ready", "");
	wk_wpa_profile_fini(&profile);
	read_preset(&profile, PRECISE, "KeyColumnCount=\"0\"", COLUMN("Ready (us)", ""));
	assert_view(&profile, "", "ready", "");
	wk_wpa_profile_fini(&profile);
}

static void the_columns_of_the_next_preset_do_not_count(void **state)
{
	struct wk_wpa_profile profile;

	(void)state;
	read_text(&profile,
		  "<WpaProfileContainer><Graph Guid='" PRECISE "'>"
		  "<Preset Name='A' KeyColumnCount='1'><Columns>" COLUMN("New Process", "") COLUMN(
			  "Ready",
			  "") "</Columns></Preset>"
			      "<Preset Name='B' KeyColumnCount='0'><Columns>" COLUMN("Waits", "")
				      COLUMN("Odd", "") "</Columns></Preset>"
							"</Graph></WpaProfileContainer>");
	assert_int_equal(profile.preset_count, 2);
	assert_view(&profile, "pid,stack", "ready", "");
	wk_wpa_profile_fini(&profile);
}

static void what_is_outstanding_is_that_at_the_end(void **state)
{
	struct wk_wpa_profile profile;
	struct wk_wpa_view view;

	(void)state;
	read_preset(&profile, COMMIT,
		    "KeyColumnCount=\"2\" AggregationOverTime=\"OutstandingPeak\"",
		    COLUMN("Process", "") COLUMN("Commit Stack", "") COLUMN("Impacting Size", ""));
	wk_wpa_view_init(&view, &profile, &profile.presets[0]);
	assert_true(view.outstanding);
	assert_string_equal(view.source, "commit");
	assert_int_equal(view.missing_count, 1);
	wk_wpa_view_fini(&view);
	wk_wpa_profile_fini(&profile);
}

static void a_graph_that_nobody_knows_is_told_by_its_number(void **state)
{
	struct wk_wpa_profile profile;
	struct wk_wpa_view view;

	(void)state;
	read_preset(&profile, "1234", "KeyColumnCount=\"1\"", COLUMN("Process", ""));
	wk_wpa_view_init(&view, &profile, &profile.presets[0]);
	assert_false(view.is_shown);
	assert_string_equal(wk_buf_text(&view.missing), "the graph \"1234\"\n");
	wk_wpa_view_fini(&view);
	wk_wpa_profile_fini(&profile);
}

static void the_older_form_says_the_same_in_other_words(void **state)
{
	struct wk_wpa_profile profile;

	(void)state;
	read_text(&profile,
		  "<WpaProfile xmlns='a'><WpaProfile.Views><AnalysisView><AnalysisView.Title>"
		  "<ViewTitle Title='Analysis'/></AnalysisView.Title>"
		  "<CpuSchedulingWithReadyThreadGraphTreeItem>"
		  "<CpuSchedulingWithReadyThreadGraphTreeItem.HdvViewModelPreset>"
		  "<HdvViewModelPreset Name='Old' KeyColumnCount='3'>"
		  "<HdvColumnViewModelPreset Name='NewProcess' IsVisible='True'/>"
		  "<HdvColumnViewModelPreset Name='NewThreadStack' IsVisible='True'>"
		  "<PresetStackOptions Mode='StackTag'/></HdvColumnViewModelPreset>"
		  "<HdvColumnViewModelPreset Name='NewThreadStack' IsVisible='True'/>"
		  "<HdvColumnViewModelPreset Name='TimeSinceLast (us)' IsVisible='True'/>"
		  "</HdvViewModelPreset>"
		  "</CpuSchedulingWithReadyThreadGraphTreeItem.HdvViewModelPreset>"
		  "</CpuSchedulingWithReadyThreadGraphTreeItem></AnalysisView></WpaProfile.Views>"
		  "</WpaProfile>");
	assert_int_equal(profile.preset_count, 1);
	assert_string_equal(profile.presets[0].view.at, "Analysis");
	assert_view(&profile, "pid,stack", "wait",
		    "the grouping by tags of column \"NewThreadStack\"\n");
	wk_wpa_profile_fini(&profile);
}

static void a_preset_that_is_kept_once_more_is_a_copy(void **state)
{
	struct wk_wpa_profile profile;

	(void)state;
	read_text(&profile, "<WpaProfileContainer><Graph Guid='1'><Preset Name='A'/></Graph>"
			    "<GraphSchema Guid='1'><Preset Name='A'/><Preset Name='B'/>"
			    "</GraphSchema><GraphSchema Guid='2'><Preset Name='A'/></GraphSchema>"
			    "</WpaProfileContainer>");
	assert_int_equal(profile.preset_count, 4);
	assert_false(profile.presets[0].is_copy);
	assert_true(profile.presets[1].is_copy);
	assert_false(profile.presets[2].is_copy);
	assert_false(profile.presets[3].is_copy);
	wk_wpa_profile_fini(&profile);
}

static void what_presets_share_is_short(void **state)
{
	struct wk_wpa_profile profile;
	struct wk_buf text = { 0 };

	(void)state;
	wk_buf_add_text(&text, "<WpaProfileContainer><View Title='");
	for (int i = 0; i < 1000; i++)
		wk_buf_add_char(&text, 't');
	wk_buf_add_text(&text, "'><Graph Guid='");
	for (int i = 0; i < 1000; i++)
		wk_buf_add_char(&text, '1');
	wk_buf_add_text(&text, "'><Preset/></Graph></View></WpaProfileContainer>");
	read_text(&profile, wk_buf_text(&text));
	assert_int_equal(profile.presets[0].graph.len, 200);
	assert_int_equal(profile.presets[0].view.len, 200);
	wk_wpa_profile_fini(&profile);
	wk_buf_fini(&text);
}

static void assert_refused(const char *text, const char *sentence)
{
	struct wk_wpa_profile profile;
	struct wk_err err = { 0 };

	assert_false(wk_wpa_profile_read(&profile, wk_bytes_of(text, strlen(text)), &err));
	assert_non_null(strstr(err.text, sentence));
}

static void other_xml_and_entities_are_refused(void **state)
{
	(void)state;
	assert_refused("<html/>", "not a profile of Windows Performance Analyzer");
	assert_refused("<WpaProfileContainer>", "the XML is broken");
	assert_refused("<!DOCTYPE a [<!ENTITY a \"x\"><!ENTITY b \"&a;&a;\">]>"
		       "<WpaProfileContainer>&b;</WpaProfileContainer>",
		       "defines entities");
}

static void a_profile_is_known_by_its_first_tag(void **state)
{
	static const char plain[] = "<?xml version=\"1.0\"?>\n<WpaProfileContainer ";
	static const char wide[] = "\xff\xfe<\0W\0p\0a\0P\0r\0o\0f\0i\0l\0e\0 \0";
	static const char other[] = "<Wpa<WpaProfil <x>";

	(void)state;
	assert_true(wk_wpa_profile_probe(wk_bytes_of(plain, sizeof(plain))));
	assert_true(wk_wpa_profile_probe(wk_bytes_of(wide, sizeof(wide))));
	assert_false(wk_wpa_profile_probe(wk_bytes_of(other, sizeof(other))));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(visible_columns_left_of_the_bar_are_grouped_by),
		cmocka_unit_test(what_has_no_counterpart_is_listed_by_name),
		cmocka_unit_test(the_module_that_a_sample_was_in_may_be_the_last),
		cmocka_unit_test(switches_are_waits_or_what_comes_behind_them),
		cmocka_unit_test(the_columns_of_the_next_preset_do_not_count),
		cmocka_unit_test(what_is_outstanding_is_that_at_the_end),
		cmocka_unit_test(a_graph_that_nobody_knows_is_told_by_its_number),
		cmocka_unit_test(the_older_form_says_the_same_in_other_words),
		cmocka_unit_test(a_preset_that_is_kept_once_more_is_a_copy),
		cmocka_unit_test(what_presets_share_is_short),
		cmocka_unit_test(other_xml_and_entities_are_refused),
		cmocka_unit_test(a_profile_is_known_by_its_first_tag),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
