#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "small_model.h"
#include "views/kind.h"

/* `word` is a frame as small_model.h reads it. */
static void assert_kind(const char *word, enum wk_code_kind expected)
{
	struct wk_model *model = small_empty_model();
	uint32_t frame = small_frame(model, wk_str_c(word));
	enum wk_code_kind kind = wk_code_kind_of(model, model->named_frames.function[frame]);

	if (kind != expected)
		fail_msg("%s is %s, expected %s", word, wk_code_kind_name(model, kind),
			 wk_code_kind_name(model, expected));
	wk_model_free(model);
}

static void what_a_program_brings_along_is_the_program(void **state)
{
	(void)state;
	assert_kind("demo::work", WK_CODE_PROGRAM);
	assert_kind("<demo::Widget as core::fmt::Display>::fmt", WK_CODE_PROGRAM);
	assert_kind("/home/me/libplugin.so!run", WK_CODE_PROGRAM);
	assert_kind("/usr/bin/node_exporter!main", WK_CODE_PROGRAM);
	assert_kind("/usr/bin/bunny!hop", WK_CODE_PROGRAM);
	assert_kind("stdlib::x", WK_CODE_PROGRAM);
	assert_kind("<u64 as demo::Parse>::parse", WK_CODE_PROGRAM);
	assert_kind("<[demo::Widget] as demo::Draw>::draw", WK_CODE_PROGRAM);
	assert_kind("<str", WK_CODE_PROGRAM);
	assert_kind("<str>", WK_CODE_PROGRAM);
}

static void the_standard_library_is_known_by_its_paths(void **state)
{
	(void)state;
	assert_kind("std::rt::lang_start", WK_CODE_STANDARD);
	assert_kind("_mm_cmpeq_epi8", WK_CODE_STANDARD);
	assert_kind("core::slice::sort::quicksort::<u32>", WK_CODE_STANDARD);
	assert_kind("<alloc::vec::Vec<demo::Widget> as core::ops::Drop>::drop", WK_CODE_STANDARD);
	assert_kind("<&mut core::str::Chars as Iterator>::next", WK_CODE_STANDARD);
	assert_kind("<T as core::convert::Into<U>>::into", WK_CODE_STANDARD);
	assert_kind("<[T] as alloc::slice::ToOwned>::to_owned", WK_CODE_STANDARD);
	assert_kind("<[u8; 4] as core::fmt::Debug>::fmt", WK_CODE_STANDARD);
	assert_kind("<u64 as core::fmt::Display>::fmt", WK_CODE_STANDARD);
	assert_kind("<fn() -> u8 as core::fmt::Pointer>::fmt", WK_CODE_STANDARD);
	assert_kind("<str>::trim", WK_CODE_STANDARD);
	assert_kind("<[demo::Widget]>::sort", WK_CODE_STANDARD);
	assert_kind("<*const u8>::add", WK_CODE_STANDARD);
	assert_kind("std::vector<int, std::allocator<int> >::push_back", WK_CODE_STANDARD);
}

static void crates_that_std_brings_along_are_the_standard_library(void **state)
{
	(void)state;
	assert_kind("hashbrown::raw::RawTable<T>::reserve_rehash", WK_CODE_STANDARD);
	assert_kind("<hashbrown::map::HashMap<demo::Key, u8>>::insert", WK_CODE_STANDARD);
	assert_kind("rustc_demangle::v0::Printer::print_type", WK_CODE_STANDARD);
	assert_kind("gimli::read::unit::parse_attribute", WK_CODE_STANDARD);
	assert_kind("<object::read::Error as core::fmt::Debug>::fmt", WK_CODE_STANDARD);
	assert_kind("objects::make", WK_CODE_PROGRAM);
}

static void what_a_function_returns_does_not_tell_whose_it_is(void **state)
{
	(void)state;
	assert_kind("void std::__introsort_loop<int*, long>(int*, int*, long)", WK_CODE_STANDARD);
	assert_kind("void std::__introsort_loop<int*, long>", WK_CODE_STANDARD);
	assert_kind("bool std::operator< <char, std::allocator<char> >(A const&, A const&)",
		    WK_CODE_STANDARD);
	assert_kind("unsigned long const& std::max<unsigned long>(unsigned long const&)",
		    WK_CODE_STANDARD);
	assert_kind("std::shared_ptr<app::Both> app::make<int>()", WK_CODE_PROGRAM);
	assert_kind("void (*app::choose<std::string>(int))(char)", WK_CODE_PROGRAM);
	assert_kind("void (*std::choose<app::A>(int))(char)", WK_CODE_STANDARD);
	assert_kind("std::string app::(anonymous namespace)::name<int>(int)", WK_CODE_PROGRAM);
	assert_kind("decltype(auto) std::__invoke<app::F>(app::F&&)", WK_CODE_STANDARD);
	assert_kind("app::A::operator std::string() const", WK_CODE_PROGRAM);
	assert_kind("std::function<int (int)>::operator()(int) const", WK_CODE_STANDARD);
	assert_kind("bool llvm::isa<llvm::Value>(llvm::Value*)", WK_CODE_NATIVE);
	assert_kind("void* operator new<app::A>(unsigned long)", WK_CODE_ALLOCATOR);
	assert_kind("std::vector<int> app::f<(1 > 0)>(int)", WK_CODE_PROGRAM);
	assert_kind("app::run(int) [clone .cold]", WK_CODE_PROGRAM);
	assert_kind("main::{lambda(std::string const&)#1}::operator()(std::string const&) const",
		    WK_CODE_PROGRAM);
}

static void traits_of_the_languages_own_types_are_the_standard_library(void **state)
{
	(void)state;
	assert_kind("<u8 as <[_]>::to_vec_in::ConvertVec>::to_vec::<alloc::alloc::Global>",
		    WK_CODE_STANDARD);
	assert_kind("<<[T]>::sort::Guard as core::ops::Drop>::drop", WK_CODE_STANDARD);
	assert_kind("<<demo::A>::f::B as core::fmt::Display>::fmt", WK_CODE_PROGRAM);
}

static void clones_of_an_allocators_functions_are_the_allocators(void **state)
{
	(void)state;
	assert_kind("/usr/lib/libc.so.6!unlink_chunk.constprop.0", WK_CODE_ALLOCATOR);
	assert_kind("/usr/lib/libc.so.6!unlink_chunk.isra.12", WK_CODE_ALLOCATOR);
	assert_kind("sysmalloc.part.0.cold", WK_CODE_ALLOCATOR);
	assert_kind("_int_free.lto_priv.0", WK_CODE_ALLOCATOR);
	assert_kind("free.all.0", WK_CODE_PROGRAM);
	assert_kind("free.0", WK_CODE_PROGRAM);
}

static void wicks_heap_library_is_not_the_programs(void **state)
{
	(void)state;
	assert_kind("/home/me/lib/libwick-heap.so!put_block", WK_CODE_ALLOCATOR);
	assert_kind("/home/me/lib/libwick-heap.so!memcpy", WK_CODE_ALLOCATOR);
	assert_kind("/home/me/lib/libwick-heap.so!malloc", WK_CODE_ALLOCATOR);
}

static void stubs_are_not_the_programs(void **state)
{
	(void)state;
	assert_kind("memcmp@plt", WK_CODE_NATIVE);
	assert_kind("malloc@plt", WK_CODE_ALLOCATOR);
	assert_kind("operator new(unsigned long)@plt", WK_CODE_ALLOCATOR);
	assert_kind("std::ostream::put(char)@plt", WK_CODE_STANDARD);
}

static enum wk_code_kind kind_of_frame(const char *name, enum wk_frame_kind said)
{
	struct wk_model *model = small_empty_model();
	wk_function_id function = wk_model_add_function(model, &(struct wk_function){
		.name = wk_model_text(model, wk_str_c(name)), .kind = (uint8_t)said });
	enum wk_code_kind kind = wk_code_kind_of(model, function);

	wk_model_free(model);
	return kind;
}

static enum wk_code_kind kind_of_made(const char *name)
{
	return kind_of_frame(name, WK_FRAME_JIT);
}

static void code_made_at_run_time_is_the_programs_where_the_input_says_so(void **state)
{
	(void)state;
	assert_int_equal(kind_of_frame("Test.Program.Main", WK_FRAME_JIT_PROGRAM), WK_CODE_PROGRAM);
	assert_int_equal(kind_of_frame("Test.Program.Main", WK_FRAME_JIT), WK_CODE_RUNTIME);
}

static void code_made_at_run_time_is_whose_its_file_is(void **state)
{
	(void)state;
	assert_int_equal(kind_of_made("JS:~hot app.js:3:1"), WK_CODE_PROGRAM);
	assert_int_equal(kind_of_made("JS:*name /srv/file.js:1:2"), WK_CODE_PROGRAM);
	assert_int_equal(kind_of_made("LazyCompile:*get size /srv/a.js:1:2"), WK_CODE_PROGRAM);
	assert_int_equal(kind_of_made("JS:*f /srv/node_modules/x/i.js:1:2"), WK_CODE_PROGRAM);
	assert_int_equal(kind_of_made("JS:~emit node:events:465:44"), WK_CODE_RUNTIME);
	assert_int_equal(kind_of_made("JS:^get x node:internal/util:4:4"), WK_CODE_RUNTIME);
	assert_int_equal(kind_of_made("JS:~f"), WK_CODE_RUNTIME);
	assert_int_equal(kind_of_made("Builtin:ArrayMap"), WK_CODE_RUNTIME);
	assert_int_equal(kind_of_made("py::work:/home/me/app.py"), WK_CODE_PROGRAM);
	assert_int_equal(kind_of_made("py::x:/usr/lib/python3/dist-packages/a.py"),
			 WK_CODE_PROGRAM);
	assert_int_equal(kind_of_made("py::dumps:/usr/lib/python3.11/json/__init__.py"),
			 WK_CODE_STANDARD);
	assert_int_equal(kind_of_made("py::_load:<frozen importlib._bootstrap>"), WK_CODE_STANDARD);
	assert_int_equal(kind_of_made("py::"), WK_CODE_RUNTIME);
}

static void the_system_is_known_by_where_it_lies(void **state)
{
	(void)state;
	assert_kind("/usr/lib/x86_64-linux-gnu/libc.so.6!qsort", WK_CODE_NATIVE);
	assert_kind("/opt/rust/lib/libLLVM.so.22.1!computeKnownBits", WK_CODE_NATIVE);
	assert_kind("_start", WK_CODE_NATIVE);
	assert_kind("__libc_start_main", WK_CODE_NATIVE);
	assert_kind("do_syscall_64_[k]", WK_CODE_KERNEL);
}

static void allocators_compilers_and_runtimes_have_kinds_of_their_own(void **state)
{
	(void)state;
	assert_kind("/usr/lib/libc.so.6!malloc", WK_CODE_ALLOCATOR);
	assert_kind("__rust_dealloc", WK_CODE_ALLOCATOR);
	assert_kind("__rustc::__rust_dealloc", WK_CODE_ALLOCATOR);
	assert_kind("__rustc::__rust_no_alloc_shim_is_unstable_v2", WK_CODE_ALLOCATOR);
	assert_kind("__rustc::rust_begin_unwind", WK_CODE_STANDARD);
	assert_kind("operator new(unsigned long)", WK_CODE_ALLOCATOR);
	assert_kind("rustc_middle::ty::print", WK_CODE_COMPILER);
	assert_kind("<rustc_ast::ast::Expr as core::clone::Clone>::clone", WK_CODE_COMPILER);
	assert_kind("/usr/bin/python3.11!_PyEval_EvalFrameDefault", WK_CODE_RUNTIME);
	assert_kind("/usr/lib/libruby-3.1.so!rb_vm_exec", WK_CODE_RUNTIME);
	assert_kind("/usr/bin/node!v8::internal::Execution", WK_CODE_RUNTIME);
}

/* Of Windows most functions have no names, but all files are told where they lay. */
static void files_of_windows_are_known_by_where_they_lie(void **state)
{
	(void)state;
	assert_kind("C:\\Windows\\System32\\ntdll.dll!ntdll.dll+0x1c3f0", WK_CODE_NATIVE);
	assert_kind("C:\\Windows\\SysWOW64\\user32.dll!DispatchMessageW", WK_CODE_NATIVE);
	assert_kind("\\Device\\HarddiskVolume2\\Windows\\explorer.exe!main", WK_CODE_NATIVE);
	assert_kind("\\SystemRoot\\System32\\smss.exe!smss.exe+0x10", WK_CODE_NATIVE);
	assert_kind("ntdll.dll!LdrInitializeThunk", WK_CODE_NATIVE);
	assert_kind("C:\\Windows\\system32\\ntoskrnl.exe!KiSystemCall64", WK_CODE_KERNEL);
	assert_kind("C:\\Windows\\System32\\drivers\\Ntfs.SYS!Ntfs.SYS+0x8", WK_CODE_KERNEL);
	assert_kind("win32kfull.sys!win32kfull.sys+0x8", WK_CODE_KERNEL);
	assert_kind("C:\\Windows\\Microsoft.NET\\Framework64\\v4.0.30319\\clr.dll!clr.dll+0x1",
		    WK_CODE_RUNTIME);
	assert_kind("C:\\Windows\\assembly\\NativeImages_v4.0.30319_64\\System\\a\\System.ni.dll!f",
		    WK_CODE_RUNTIME);
	assert_kind("C:\\Program Files\\dotnet\\shared\\a\\8.0.1\\System.Linq.dll!f",
		    WK_CODE_RUNTIME);
	assert_kind("D:\\tools\\python311.dll!_PyEval_EvalFrameDefault", WK_CODE_RUNTIME);
	assert_kind("C:\\app\\server.exe!server.exe+0x200", WK_CODE_PROGRAM);
	assert_kind("C:\\app\\windows\\plugin.dll!run", WK_CODE_PROGRAM);
	assert_kind("C:\\app\\server.exe!core::fmt::write", WK_CODE_STANDARD);
	assert_kind("/opt/app/helper.dll!helper.dll+0x20", WK_CODE_UNKNOWN);
}

static void what_has_no_name_is_unknown(void **state)
{
	(void)state;
	assert_kind("demo+0x1234", WK_CODE_UNKNOWN);
}

static void names_of_one_character_and_of_sigils_alone_do_no_harm(void **state)
{
	(void)state;
	assert_kind("<", WK_CODE_PROGRAM);
	assert_kind("<<<<&", WK_CODE_PROGRAM);
	assert_kind("< as ", WK_CODE_PROGRAM);
	assert_kind("x", WK_CODE_PROGRAM);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_a_program_brings_along_is_the_program),
		cmocka_unit_test(the_standard_library_is_known_by_its_paths),
		cmocka_unit_test(crates_that_std_brings_along_are_the_standard_library),
		cmocka_unit_test(what_a_function_returns_does_not_tell_whose_it_is),
		cmocka_unit_test(traits_of_the_languages_own_types_are_the_standard_library),
		cmocka_unit_test(clones_of_an_allocators_functions_are_the_allocators),
		cmocka_unit_test(wicks_heap_library_is_not_the_programs),
		cmocka_unit_test(stubs_are_not_the_programs),
		cmocka_unit_test(code_made_at_run_time_is_whose_its_file_is),
		cmocka_unit_test(code_made_at_run_time_is_the_programs_where_the_input_says_so),
		cmocka_unit_test(the_system_is_known_by_where_it_lies),
		cmocka_unit_test(allocators_compilers_and_runtimes_have_kinds_of_their_own),
		cmocka_unit_test(files_of_windows_are_known_by_where_they_lie),
		cmocka_unit_test(what_has_no_name_is_unknown),
		cmocka_unit_test(names_of_one_character_and_of_sigils_alone_do_no_harm),
	};

	return cmocka_run_group_tests_name("kind", tests, NULL, NULL);
}
