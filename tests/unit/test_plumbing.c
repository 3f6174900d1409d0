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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_does_next_to_nothing_is_plumbing),
		cmocka_unit_test(what_does_work_is_not),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
