#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/text/pattern.h"
#include "views/filter/expression.h"
#include "views/filter/preset_json.h"
#include "views/tree/grouping.h"

/* ---- those of wick */

static void assert_group(const char *group)
{
	struct wk_grouping grouping;

	assert_true(wk_grouping_read(&grouping, wk_str_c(group), NULL));
}

static void assert_pattern(const char *text)
{
	const char *why;
	struct wk_pattern *pattern = text ? wk_pattern_new(text, false, &why) : NULL;

	assert_true(!text || pattern);
	wk_pattern_free(pattern);
}

static void assert_preset(const struct wk_preset *preset)
{
	struct wk_expr expr;

	assert_group(preset->view.group);
	assert_true(!preset->filter || wk_expr_read(&expr, wk_str_c(preset->filter), NULL));
	if (preset->filter)
		wk_expr_fini(&expr);
	for (size_t i = 0; i < preset->rule_count; i++) {
		assert_non_null(preset->rules[i].label);
		assert_true(preset->rules[i].function || preset->rules[i].module);
		assert_pattern(preset->rules[i].function);
		assert_pattern(preset->rules[i].module);
	}
	for (size_t i = 0; i < preset->tab_count; i++)
		for (size_t j = 0; j < preset->tabs[i].view_count; j++)
			assert_group(preset->tabs[i].views[j].group);
}

static void each_preset_can_be_used(void **state)
{
	(void)state;
	for (const struct wk_preset *preset = wk_presets; preset->name; preset++)
		assert_preset(preset);
}

static void the_names_are_those_of_the_presets(void **state)
{
	size_t count = 0;

	(void)state;
	for (; wk_preset_names[count]; count++)
		assert_string_equal(wk_presets[count].name, wk_preset_names[count]);
	assert_null(wk_presets[count].name);
	assert_ptr_equal(wk_preset_find("cpu"), &wk_presets[1]);
	assert_null(wk_preset_find("cp"));
}

/* ---- stages of the Rust compiler */

static const char *stage_of(const char *function, const char *module)
{
	const struct wk_preset *preset = wk_preset_find("rustc");

	for (size_t i = 0; i < preset->rule_count; i++) {
		const struct wk_annotation_rule *rule = &preset->rules[i];
		const char *text = rule->function ? function : module;
		const char *why;
		struct wk_pattern *pattern =
			wk_pattern_new(rule->function ? rule->function : rule->module, false, &why);
		bool matches = wk_pattern_matches(pattern, wk_str_c(text));

		wk_pattern_free(pattern);
		if (matches)
			return rule->label;
	}
	return "";
}

#define BACKEND "<rustc_codegen_llvm::LlvmCodegenBackend as rustc_codegen_ssa::traits::"

static void functions_of_the_compiler_have_their_stages(void **state)
{
	static const char *const stages[][2] = {
		{ "rustc_borrowck::mir_borrowck", "borrow check" },
		{ "<rustc_borrowck::root_cx::BorrowCheckRootCtxt>::do_mir_borrowck",
		  "borrow check" },
		{ "rustc_borrowck::impl$3::visit_body", "borrow check" },
		{ "rustc_hir_typeck::check::check_fn", "type check" },
		{ "rustc_resolve::late::resolve", "resolve" },
		{ "<rustc_parse::parser::Parser>::parse_item", "parse and expand" },
		{ "rustc_mir_build::builder::build_mir", "MIR passes" },
		{ "rustc_monomorphize::collector::collect_items_rec", "monomorphise" },
		{ BACKEND "backend::CodegenBackend>::codegen_crate", "" },
		{ "rustc_codegen_llvm::impl$5::codegen_crate", "" },
		{ "rustc_codegen_ssa::base::codegen_crate::<rustc_codegen_llvm::Llvm>", "" },
		{ BACKEND "backend::ExtraBackendMethods>::compile_codegen_unit", "LLVM codegen" },
		{ BACKEND "write::WriteBackendMethods>::optimize", "LLVM codegen" },
		{ "rustc_codegen_llvm::impl$3::optimize", "LLVM codegen" },
		{ "rustc_codegen_llvm::back::write::llvm_optimize", "LLVM codegen" },
		{ "llvm::FPPassManager::runOnModule(llvm::Module&)", "LLVM codegen" },
		{ BACKEND "write::WriteBackendMethods>::optimize_thin", "LTO" },
		{ "rustc_codegen_llvm::back::lto::run_pass_manager", "LTO" },
		{ "rustc_codegen_ssa::back::link::link_binary", "link" },
		{ "rustc_metadata::fs::encode_and_write_metadata", "metadata" },
		{ "rustc_incremental::persist::save::save_dep_graph", "incremental" },
		{ "std::sys::backtrace::__rust_begin_short_backtrace::<rustc_borrowck::f>", "" },
		{ "rustc_interface::passes::analysis", "" },
		{ "main", "" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(stages) / sizeof(stages[0]); i++)
		assert_string_equal(stage_of(stages[i][0], "librustc_driver.so"), stages[i][1]);
}

static void linkers_and_build_scripts_are_known_by_their_files(void **state)
{
	(void)state;
	assert_string_equal(stage_of("main", "link.exe"), "link");
	assert_string_equal(stage_of("main", "rust-lld"), "link");
	assert_string_equal(stage_of("main", "x86_64-linux-gnu-ld.bfd"), "link");
	assert_string_equal(stage_of("main", "build-script-build"), "build script");
	assert_string_equal(stage_of("main", "ld-linux-x86-64.so.2"), "");
}

/* ---- as JSON */

static void assert_written(const struct wk_preset *preset, struct wk_buf *text)
{
	struct wk_out out = wk_out_to_buf(text);

	wk_preset_json_write(preset, &out);
	assert_true(wk_out_end(&out));
}

static void what_is_written_is_read_the_same(void **state)
{
	(void)state;
	for (const struct wk_preset *preset = wk_presets; preset->name; preset++) {
		struct wk_buf text = { 0 }, again = { 0 };
		struct wk_preset_json json;

		assert_written(preset, &text);
		assert_true(wk_preset_json_read(&json, wk_buf_str(&text), NULL));
		assert_written(&json.preset, &again);
		assert_string_equal(wk_buf_text(&text), wk_buf_text(&again));
		assert_int_equal(json.preset.rule_count, preset->rule_count);
		wk_preset_json_fini(&json);
		WK_BUF_FINI_ALL(&text, &again);
	}
}

static void all_keys_are_read(void **state)
{
	static const char text[] =
		"\xef\xbb\xbf{\"name\": \"n\", \"title\": \"T\", \"summary\": \"S\",\n"
		"\"filter\": \"pid == 3\", \"event\": \"commit\", \"group\": \"pid,module\",\n"
		"\"outstanding\": true, \"inverted\": false, \"min\": 2.5,\n"
		"\"tabs\": [{\"tab\": \"cpu\", \"title\": \"C\", \"views\": [\n"
		"  {\"title\": \"V\", \"event\": \"wait\", \"group\": \"cpu\", \"inverted\": "
		"true}]},\n"
		"  {\"tab\": \"quality\"}],\n"
		"\"annotations\": [{\"label\": \"\\u00e9\", \"function\": \"^f\", \"module\": "
		"\"m\"}]}";
	struct wk_preset_json json;
	const struct wk_preset *p = &json.preset;

	(void)state;
	assert_true(wk_preset_json_read(&json, wk_str_c(text), NULL));
	assert_string_equal(p->name, "n");
	assert_string_equal(p->title, "T");
	assert_string_equal(p->summary, "S");
	assert_string_equal(p->filter, "pid == 3");
	assert_string_equal(p->view.source, "commit");
	assert_string_equal(p->view.group, "pid,module");
	assert_true(p->view.outstanding);
	assert_false(p->view.inverted);
	assert_true(p->min_percent == 2.5);
	assert_int_equal(p->tab_count, 2);
	assert_string_equal(p->tabs[0].tab, "cpu");
	assert_string_equal(p->tabs[0].title, "C");
	assert_int_equal(p->tabs[0].view_count, 1);
	assert_string_equal(p->tabs[0].views[0].title, "V");
	assert_string_equal(p->tabs[0].views[0].source, "wait");
	assert_string_equal(p->tabs[0].views[0].group, "cpu");
	assert_true(p->tabs[0].views[0].inverted);
	assert_string_equal(p->tabs[1].tab, "quality");
	assert_int_equal(p->tabs[1].view_count, 0);
	assert_int_equal(p->rule_count, 1);
	assert_string_equal(p->rules[0].label, "\xc3\xa9");
	assert_string_equal(p->rules[0].function, "^f");
	assert_string_equal(p->rules[0].module, "m");
	wk_preset_json_fini(&json);
	assert_true(wk_preset_json_read(&json, wk_str_c("{}\n"), NULL));
	assert_null(p->name);
	wk_preset_json_fini(&json);
}

static void assert_wrong(const char *text, const char *sentence)
{
	struct wk_preset_json json;
	struct wk_err err = { 0 };

	assert_false(wk_preset_json_read(&json, wk_str_c(text), &err));
	assert_string_equal(err.text, sentence);
}

static void an_error_has_the_line_and_what_was_expected(void **state)
{
	(void)state;
	assert_wrong("", "line 1: expected { and the keys of a preset");
	assert_wrong("[]", "line 1: expected { and the keys of a preset");
	assert_wrong("{\n\"nam\": \"a\"}", "line 2: unknown key \"nam\"; did you mean \"name\"?");
	assert_wrong("{\"tabs\": [\n{ \"x\": 1 }]}",
		     "line 2: unknown key \"x\"; expected one of: tab, title, views");
	assert_wrong("{\"title\":\n 3}", "line 2: \"title\": expected a text");
	assert_wrong("{\"title\": \"\"}", "line 1: \"title\": expected a text");
	assert_wrong("{\"title\": \"a\\u0000b\"}",
		     "line 1: \"title\": the text is too long, or not UTF-8 without NULs");
	assert_wrong("{\"inverted\": 1}", "line 1: \"inverted\": expected true or false");
	assert_wrong("{\"inverted\": tru}", "line 1: \"inverted\": expected true or false");
	assert_wrong("{\"min\": 101}",
		     "line 1: \"min\": expected a number of percent from 0 to 100");
	assert_wrong("{\"min\": \"1\"}",
		     "line 1: \"min\": expected a number of percent from 0 to 100");
	assert_wrong("{\"group\": \"proces\"}", "line 1: \"group\": unknown level \"proces\" of a "
						"grouping; did you mean \"process\"?");
	assert_wrong("{\"filter\": \"pid\"}",
		     "line 1: \"filter\": column 4: expected ==, !=, <, <=, >, >= or in after a "
		     "field of numbers, but the expression ends here");
	assert_wrong("{\"tabs\": {}}", "line 1: \"tabs\": expected a list");
	assert_wrong("{\"tabs\": [\n\"cpu\"]}", "line 2: \"tabs\": expected an object in the list");
	assert_wrong("{\"tabs\": [{}]}", "line 1: expected the key \"tab\" in the object");
	assert_wrong("{\"tabs\": [{ \"tab\": \"memry\" }]}",
		     "line 1: \"tab\": unknown tab \"memry\"; did you mean \"memory\"?");
	assert_wrong("{\"tabs\": [{ \"tab\": \"x\" }]}",
		     "line 1: \"tab\": unknown tab \"x\"; expected one of: system, processes, "
		     "process-tree, cpu, memory, heap, waits, events, compare, quality");
	assert_wrong("{\"annotations\": [{\"function\": \"a\"}]}",
		     "line 1: expected the key \"label\" in the object");
	assert_wrong("{\"annotations\": [\n\n{\"label\": \"a\"}]}",
		     "line 3: expected the key \"function\" or \"module\" in the object");
	assert_wrong("{\"annotations\": [{\"label\": \"a\", \"module\": \"(\"}]}",
		     "line 1: \"module\": pattern \"(\": a ( is not closed");
	assert_wrong("{\n\n\"name\" \"a\"}", "line 3: expected a colon behind the key");
	assert_wrong("{\"name\": \"a\"", "line 1: expected }, but the file ends here");
	assert_wrong("{\"annotations\": [{", "line 1: expected }, but the file ends here");
	assert_wrong("{} {}", "line 1: expected nothing after the object");
}

static void lists_and_texts_have_a_limit(void **state)
{
	struct wk_buf text = { 0 };

	(void)state;
	wk_buf_add_text(&text, "{\"annotations\": [");
	for (int i = 0; i < 201; i++)
		wk_buf_add_text(&text, "{\"label\": \"a\", \"module\": \"b\"},");
	assert_wrong(wk_buf_text(&text), "line 1: \"annotations\": the list is too long");
	wk_buf_reset(&text);
	wk_buf_add_text(&text, "{\"title\": \"");
	for (int i = 0; i < 9000; i++)
		wk_buf_add_char(&text, 'a');
	wk_buf_add_text(&text, "\"}");
	assert_wrong(wk_buf_text(&text),
		     "line 1: \"title\": the text is too long, or not UTF-8 without NULs");
	wk_buf_fini(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_preset_can_be_used),
		cmocka_unit_test(the_names_are_those_of_the_presets),
		cmocka_unit_test(functions_of_the_compiler_have_their_stages),
		cmocka_unit_test(linkers_and_build_scripts_are_known_by_their_files),
		cmocka_unit_test(what_is_written_is_read_the_same),
		cmocka_unit_test(all_keys_are_read),
		cmocka_unit_test(an_error_has_the_line_and_what_was_expected),
		cmocka_unit_test(lists_and_texts_have_a_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
