#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "names/plumbing.h"

static void assert_plumbing(bool expected, const char *const *names)
{
	for (int i = 0; names[i]; i++)
		if (wk_name_is_plumbing(wk_str_c(names[i])) != expected)
			fail_msg("%s %s plumbing", names[i], expected ? "is not" : "is");
}

static void what_does_next_to_nothing_is_plumbing(void **state)
{
	static const char *const names[] = {
		"core::intrinsics::copy_nonoverlapping",
		"core::intrinsics::likely",
		"<u64>::wrapping_mul",
		"core::num::<impl u64>::wrapping_mul",
		"<*const T>::add",
		"<[T]>::get_unchecked",
		"<alloc::vec::Vec<T,A> as core::ops::index::Index<I>>::index",
		"<core::slice::iter::Iter<T> as core::iter::traits::iterator::Iterator>::next",
		"core::iter::traits::iterator::Iterator::fold",
		"<core::iter::adapters::map::Map<I,F> as "
		"core::iter::traits::iterator::Iterator>::fold::{{closure}}",
		"core::option::Option<T>::map",
		"<usize as core::cmp::PartialOrd>::lt",
		"alloc::vec::Vec<T,A>::as_mut_ptr",
		"std::vector<int, std::allocator<int> >::operator[](unsigned long)",
		"std::vector<int>::size() const",
		"std::unique_ptr<Node, std::default_delete<Node> >::get() const",
		"__gnu_cxx::__normal_iterator<int*, std::vector<int> >::operator++()",
		"std::__niter_base<int*>(int*)",
		"std::move<int&>(int&)",
		"_mm_cmpeq_epi8",
		"core::core_arch::x86::avx2::_mm256_loadu_si256",
		"int const& std::max<int>(int const&, int const&)",
		"std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >::"
		"_M_data() const",
		NULL,
	};

	(void)state;
	assert_plumbing(true, names);
}

static void what_does_work_is_not(void **state)
{
	static const char *const names[] = {
		"alloc::vec::Vec<T,A>::push",
		"alloc::collections::btree::map::BTreeMap<K,V,A>::entry",
		"std::collections::hash::map::HashMap<K,V,S>::insert",
		"core::slice::sort::merge",
		"core::slice::<impl [T]>::sort_unstable",
		"<[T]>::binary_search_by",
		"core::str::<impl str>::trim",
		"<str>::to_lowercase",
		"core::fmt::write",
		"<core::hash::sip::Hasher<S> as core::hash::Hasher>::write",
		"std::vector<int, std::allocator<int> >::push_back(int const&)",
		"std::map<int, int>::find(int const&)",
		"std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >::"
		"append(char const*)",
		"void std::sort<int*>(int*, int*)",
		NULL,
	};

	(void)state;
	assert_plumbing(false, names);
}

static void assert_allocates(bool expected, const char *const *names)
{
	for (int i = 0; names[i]; i++)
		if (wk_name_allocates(wk_str_c(names[i])) != expected)
			fail_msg("%s %s", names[i], expected ? "does not allocate" : "allocates");
}

static void containers_allocate_for_their_callers(void **state)
{
	static const char *const names[] = {
		"alloc::raw_vec::RawVec<T,A>::grow_one",
		"alloc::raw_vec::finish_grow",
		"alloc::vec::Vec<T,A>::push",
		"<alloc::string::String as core::clone::Clone>::clone",
		"<alloc::vec::Vec<T> as alloc::vec::spec_from_iter::SpecFromIter<T,I>>::from_iter",
		"<hashbrown::raw::RawTable<T,A>>::reserve_rehash",
		"core::iter::traits::iterator::Iterator::collect",
		"std::collections::hash::map::HashMap<K,V,S>::insert",
		"<[T]>::to_vec",
		"std::vector<int, std::allocator<int> >::_M_realloc_insert<int>(int&&)",
		"void std::vector<int>::_M_realloc_insert<int>(int*, int&&)",
		"std::__cxx11::basic_string<char>::_M_create(unsigned long&, unsigned long)",
		"std::__1::vector<int>::push_back(int const&)",
		"std::_Rb_tree<int, int>::_M_insert_unique(int const&)",
		"__gnu_cxx::new_allocator<int>::allocate(unsigned long, void const*)",
		"std::__new_allocator<int>::allocate(unsigned long, void const*)",
		"std::make_shared<Node>()",
		NULL,
	};
	static const char *const others[] = {
		"app::run", "main", "std::thread::Builder::spawn", "std::io::BufReader<R>::new",
		"std::thread::thread<void (*)()>(void (*)())", "std::filesystem::read_symlink",
		"std::fs::read", "mylib::alloc::take", NULL,
	};

	(void)state;
	assert_allocates(true, names);
	assert_allocates(false, others);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_does_next_to_nothing_is_plumbing),
		cmocka_unit_test(what_does_work_is_not),
		cmocka_unit_test(containers_allocate_for_their_callers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
