#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "record/family/family.h"

#define COMMON                                                                                     \
	"name: sched_process_fork\nID: 366\nformat:\n"                                             \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"                      \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

/* Linux 6.18 and 6.1. */
static const char with_places[] =
	COMMON "\tfield:__data_loc char[] parent_comm;\toffset:8;\tsize:4;\tsigned:0;\n"
	       "\tfield:pid_t parent_pid;\toffset:12;\tsize:4;\tsigned:1;\n"
	       "\tfield:__data_loc char[] child_comm;\toffset:16;\tsize:4;\tsigned:0;\n"
	       "\tfield:pid_t child_pid;\toffset:20;\tsize:4;\tsigned:1;\n\n"
	       "print fmt: \"child_pid=%d\", REC->child_pid\n";
static const char with_names[] =
	COMMON "\tfield:char parent_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
	       "\tfield:pid_t parent_pid;\toffset:24;\tsize:4;\tsigned:1;\n"
	       "\tfield:char child_comm[16];\toffset:28;\tsize:16;\tsigned:0;\n"
	       "\tfield:pid_t child_pid;\toffset:44;\tsize:4;\tsigned:1;\n";

static void the_place_of_a_field_is_found(void **state)
{
	unsigned offset = 0;

	(void)state;
	assert_true(wk_family_field(wk_str_c(with_places), "child_pid", &offset));
	assert_int_equal(offset, 20);
	assert_true(wk_family_field(wk_str_c(with_names), "child_pid", &offset));
	assert_int_equal(offset, 44);
	assert_true(wk_family_field(wk_str_c(with_names), "parent_pid", &offset));
	assert_int_equal(offset, 24);
}

static void fields_of_another_size_are_refused(void **state)
{
	unsigned offset = 0;

	(void)state;
	assert_false(wk_family_field(wk_str_c(with_places), "pid", &offset));
	assert_false(wk_family_field(wk_str_c("\tfield:long child_pid;\toffset:8;\tsize:8;\n"),
				     "child_pid", &offset));
	assert_false(wk_family_field(wk_str_c("\tfield:pid_t child_pid;\toffset:900;\tsize:4;\n"),
				     "child_pid", &offset));
	assert_false(wk_family_field(wk_str_c("\tfield:pid_t child_pid;"), "child_pid", &offset));
	assert_false(wk_family_field(wk_str_c(""), "child_pid", &offset));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_place_of_a_field_is_found),
		cmocka_unit_test(fields_of_another_size_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
