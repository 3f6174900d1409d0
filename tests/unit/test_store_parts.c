/* The parts of debug information outside the debug file, as real tools make them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "fetch/store.h"
#include "own_folder.h"
#include "symbols/dwarf/sections.h"
#include "symbols/object/object_symbols.h"

/* Every test works in a directory of its own; `debug` in it is the debug directory. */
struct place {
	char debug[80];
	const char *dirs[2];
	struct wk_store_file image, debug_file, part;
	struct wk_buf why;
};

static int enter(void **state)
{
	struct place *p = test_calloc(1, sizeof(*p));

	assert_int_equal(make_own_folder(state), 0);
	snprintf(p->debug, sizeof(p->debug), "%s/debug", own_folder);
	p->dirs[0] = p->debug;
	setenv("HOME", own_folder, 1);
	*state = p;
	return 0;
}

static int leave(void **state)
{
	struct place *p = *state;

	wk_store_close(&p->image);
	wk_store_close(&p->debug_file);
	wk_store_close(&p->part);
	wk_buf_fini(&p->why);
	assert_int_equal(remove_own_folder(state), 0);
	test_free(p);
	return 0;
}

/* Runs in the place's directory; where a tool is missing the test is skipped and says so. */
static void run(const char *tool, const char *command)
{
	char line[2000];

	snprintf(line, sizeof(line), "command -v %s >/dev/null", tool);
	if (system(line) != 0) {
		print_message("# skipped: %s is not installed\n", tool);
		skip();
	}
	snprintf(line, sizeof(line), "cd %s && { %s ; } >log 2>&1", own_folder, command);
	if (system(line) != 0)
		fail_msg("%s", line);
}

static void build(const char *options)
{
	char command[600];

	snprintf(command, sizeof(command),
		 "echo 'static __attribute__((noinline)) int hidden(int n) { return n + 2; }\n"
		 "int main(int c, char **v) { (void)v; return hidden(c); }' >a.c && "
		 "gcc -O1 -g -Wl,--build-id %s a.c -o a",
		 options);
	run("gcc", command);
}

static void open_file(const char *name, struct wk_store_file *file)
{
	struct wk_err err = { 0 };

	if (!wk_store_open(in_own_folder(name), file, &err))
		fail_msg("%s", err.text);
}

static bool has_symbol(const struct wk_obj *obj, const char *name)
{
	struct wk_obj_tables tables = wk_obj_tables(obj);
	struct wk_obj_raw raw;

	for (uint64_t i = 0; wk_obj_raw_at(obj, &tables, WK_OBJ_SYMTAB, i, &raw); i++)
		if (wk_str_is(wk_obj_raw_name(&tables, WK_OBJ_SYMTAB, raw.name), name))
			return true;
	return false;
}

static void skip_without_lzma(const struct place *p)
{
	if (!strstr(wk_buf_text(&p->why), "was built without"))
		return;
	print_message("# skipped: %s\n", wk_buf_text(&p->why));
	skip();
}

static void packed_names_are_unpacked(void **state)
{
	struct place *p = *state;

	build("");
	run("xz", "objcopy --only-keep-debug --remove-section '.debug*' a mini && xz -k mini && "
		  "strip a && objcopy --add-section .gnu_debugdata=mini.xz a");
	open_file("a", &p->image);
	if (!wk_store_minidebug(&p->image, &p->part, &p->why)) {
		skip_without_lzma(p);
		fail_msg("%s", wk_buf_text(&p->why));
	}
	assert_false(has_symbol(p->image.obj, "hidden"));
	assert_true(has_symbol(p->part.obj, "hidden"));
	assert_true(wk_str_ends(wk_str_c(p->part.path), "/a (.gnu_debugdata)"));
}

static void a_file_without_packed_names_says_nothing(void **state)
{
	struct place *p = *state;

	build("");
	open_file("a", &p->image);
	assert_false(wk_store_minidebug(&p->image, &p->part, &p->why));
	assert_int_equal(p->why.len, 0);
}

static void broken_packed_names_are_said(void **state)
{
	struct place *p = *state;

	build("");
	run("xz", "echo no file | xz >b.xz && objcopy --add-section .gnu_debugdata=b.xz a");
	open_file("a", &p->image);
	assert_false(wk_store_minidebug(&p->image, &p->part, &p->why));
	skip_without_lzma(p);
	assert_non_null(strstr(wk_buf_text(&p->why), "/a: .gnu_debugdata: not an ELF file"));
	assert_null(p->part.obj);
}

/* Two debug files whose common part dwz put into a third. */
static void build_shared(const char *link)
{
	char command[600];

	build("");
	snprintf(command, sizeof(command),
		 "cp a b && mkdir -p debug/.dwz && objcopy --only-keep-debug a debug/a.debug && "
		 "objcopy --only-keep-debug b debug/b.debug && "
		 "dwz -m debug/.dwz/common.debug -M '%s' debug/a.debug debug/b.debug && "
		 "test -f debug/.dwz/common.debug",
		 link);
	run("dwz", command);
}

static void check_alternate(struct place *p, const char *where)
{
	open_file("debug/a.debug", &p->debug_file);
	if (!wk_store_alternate(&p->debug_file, p->dirs, &p->part, &p->why))
		fail_msg("%s", wk_buf_text(&p->why));
	assert_true(wk_str_ends(wk_str_c(p->part.path), where));
	assert_non_null(wk_obj_section(p->part.obj, ".debug_str"));
}

static void a_shared_file_is_found_from_the_debug_file(void **state)
{
	struct place *p = *state;

	build_shared(".dwz/common.debug");
	p->dirs[0] = "/nowhere";
	check_alternate(p, "/debug/.dwz/common.debug");
}

static void a_shared_file_is_found_below_a_debug_directory(void **state)
{
	struct place *p = *state;

	build_shared("/gone/.dwz/common.debug");
	check_alternate(p, "/debug/.dwz/common.debug");
}

static void a_shared_file_is_found_by_its_build_id(void **state)
{
	struct place *p = *state;

	build_shared("/gone/other.debug");
	run("readelf",
	    "id=$(readelf -n debug/.dwz/common.debug | sed -n 's/.*Build ID: //p') && "
	    "first=$(echo $id | cut -c1-2) && mkdir -p debug/.build-id/$first && "
	    "mv debug/.dwz/common.debug debug/.build-id/$first/$(echo $id | cut -c3-).debug");
	open_file("debug/a.debug", &p->debug_file);
	assert_true(wk_store_alternate(&p->debug_file, p->dirs, &p->part, &p->why));
	assert_non_null(strstr(p->part.path, "/debug/.build-id/"));
}

static void a_shared_file_of_another_build_is_not_used(void **state)
{
	struct place *p = *state;

	build_shared(".dwz/common.debug");
	run("gcc", "gcc -g -Wl,--build-id=0x1234567890 a.c -o debug/.dwz/common.debug");
	open_file("debug/a.debug", &p->debug_file);
	assert_false(wk_store_alternate(&p->debug_file, p->dirs, &p->part, &p->why));
	assert_non_null(strstr(wk_buf_text(&p->why), "/.dwz/common.debug is of another build"));
}

static void a_shared_file_that_is_gone_is_named(void **state)
{
	struct place *p = *state;

	build_shared(".dwz/common.debug");
	run("rm", "rm debug/.dwz/common.debug");
	open_file("debug/a.debug", &p->debug_file);
	assert_false(wk_store_alternate(&p->debug_file, p->dirs, &p->part, &p->why));
	assert_non_null(strstr(wk_buf_text(&p->why),
			       "/debug/a.debug shares debug information with .dwz/common.debug, "
			       "which is missing"));
}

static void a_package_is_found_beside_the_image(void **state)
{
	struct place *p = *state;

	build("-gdwarf-4 -gsplit-dwarf");
	run("dwp", "dwp -e a -o a.dwp");
	open_file("a", &p->image);
	assert_true(wk_store_package(&p->image, NULL, p->dirs, &p->part, &p->why));
	assert_true(wk_str_ends(wk_str_c(p->part.path), "/a.dwp"));
	assert_non_null(wk_obj_section(p->part.obj, ".debug_cu_index"));
}

static void a_package_is_found_beside_the_debug_file(void **state)
{
	struct place *p = *state;

	build("-gdwarf-4 -gsplit-dwarf");
	run("dwp",
	    "mkdir debug && dwp -e a -o debug/a.dwp && objcopy --only-keep-debug a debug/a.debug");
	open_file("a", &p->image);
	open_file("debug/a.debug", &p->debug_file);
	assert_true(wk_store_package(&p->image, &p->debug_file, p->dirs, &p->part, &p->why));
	assert_true(wk_str_ends(wk_str_c(p->part.path), "/debug/a.dwp"));
}

static void a_package_of_another_build_is_not_used(void **state)
{
	struct place *p = *state;

	build("");
	run("gcc", "gcc -g -Wl,--build-id=0x1234567890 a.c -o a.dwp");
	open_file("a", &p->image);
	assert_false(wk_store_package(&p->image, NULL, p->dirs, &p->part, &p->why));
	assert_non_null(strstr(wk_buf_text(&p->why), "/a.dwp is of another build"));
}

static void check_split(struct place *p, const char *directory, const char *name, const char *where)
{
	assert_true(wk_store_split(&p->image, p->dirs, wk_str_c(directory), wk_str_c(name),
				   &p->part, &p->why));
	assert_true(wk_str_ends(wk_str_c(p->part.path), where));
	wk_store_close(&p->part);
}

static void split_files_are_found_where_they_were_made_and_where_they_were_put(void **state)
{
	struct place *p = *state;
	char made[200];

	run("gcc",
	    "mkdir -p made debug/gone && cd made && echo 'int main(void) { return 0; }' >m.c && "
	    "gcc -g -gsplit-dwarf -c m.c && gcc m.o -o ../m && "
	    "cp m.dwo ../n.dwo && cp m.dwo ../debug/o.dwo && cp m.dwo ../debug/gone/p.dwo");
	open_file("m", &p->image);
	snprintf(made, sizeof(made), "%s", in_own_folder("made"));
	check_split(p, made, "m.dwo", "/made/m.dwo");
	check_split(p, "/gone", in_own_folder("made/m.dwo"), "/made/m.dwo");
	check_split(p, "made", "m.dwo", "/made/m.dwo");
	check_split(p, "/gone", "sub/n.dwo", "/n.dwo");
	check_split(p, "/gone", "n.dwo", "/n.dwo");
	check_split(p, "/elsewhere", "o.dwo", "/debug/o.dwo");
	check_split(p, "/gone/", "p.dwo", "/debug/gone/p.dwo");
	assert_false(wk_store_split(&p->image, p->dirs, wk_str_c("/gone"), wk_str_c("q.dwo"),
				    &p->part, &p->why));
	assert_false(wk_store_split(&p->image, p->dirs, wk_str_c("/gone"), wk_str_c(""), &p->part,
				    &p->why));
}

static void sections_that_objcopy_packed_are_read(void **state)
{
	static const char *const ways[] = { "zlib", "zlib-gnu", "zstd" };
	struct place *p = *state;

	build("");
	run("objcopy", "objcopy --decompress-debug-sections a plain");
	open_file("plain", &p->image);
	for (size_t i = 0; i < 3; i++) {
		struct wk_dwarf_sections plain, packed;
		char command[100];

		snprintf(command, sizeof(command),
			 "objcopy --compress-debug-sections=%s plain packed || "
			 "test %s = zstd && cp plain packed",
			 ways[i], ways[i]);
		run("objcopy", command);
		open_file("packed", &p->part);
		wk_dwarf_sections_init(&plain, p->image.obj, false);
		wk_dwarf_sections_init(&packed, p->part.obj, false);
		for (int which = 0; which < WK_DWARF_SECTIONS; which++) {
			struct wk_bytes a = wk_dwarf_section(&plain, which);
			struct wk_bytes b = wk_dwarf_section(&packed, which);

			assert_string_equal(packed.err.text, "");
			assert_int_equal(wk_bytes_left(&a), wk_bytes_left(&b));
			assert_memory_equal(a.at, b.at, wk_bytes_left(&a));
		}
		wk_dwarf_sections_fini(&plain);
		wk_dwarf_sections_fini(&packed);
		wk_store_close(&p->part);
	}
}

#define IN_PLACE(test) cmocka_unit_test_setup_teardown(test, enter, leave)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_PLACE(packed_names_are_unpacked),
		IN_PLACE(a_file_without_packed_names_says_nothing),
		IN_PLACE(broken_packed_names_are_said),
		IN_PLACE(a_shared_file_is_found_from_the_debug_file),
		IN_PLACE(a_shared_file_is_found_below_a_debug_directory),
		IN_PLACE(a_shared_file_is_found_by_its_build_id),
		IN_PLACE(a_shared_file_of_another_build_is_not_used),
		IN_PLACE(a_shared_file_that_is_gone_is_named),
		IN_PLACE(a_package_is_found_beside_the_image),
		IN_PLACE(a_package_is_found_beside_the_debug_file),
		IN_PLACE(a_package_of_another_build_is_not_used),
		IN_PLACE(split_files_are_found_where_they_were_made_and_where_they_were_put),
		IN_PLACE(sections_that_objcopy_packed_are_read),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
