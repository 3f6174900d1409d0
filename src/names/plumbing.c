#include "names/plumbing.h"

#include "base/buf.h"
#include "names/owner.h"
#include "names/short_name.h"

/* Whole modules of Rust and C++ libraries, but for the parts that do real work. */
static bool is_plumbing_module(struct wk_str path)
{
	static const char *const modules[] = {
		"core::", "alloc::alloc::", "alloc::raw_vec::", "alloc::boxed::", "alloc::borrow::",
		"alloc::ffi::", "std::thread::local::", "std::sys::", "std::sys_common::",
		"hashbrown::raw::", "hashbrown::control::", "hashbrown::util::",
		"compiler_builtins::", "__gnu_cxx::", "std::__", NULL,
	};
	static const char *const working[] = {
		"core::str::", "core::slice::sort::", "core::fmt::", "core::unicode::",
		"core::hash::", "core::num::dec2flt::", "core::num::flt2dec::", "core::num::bignum::",
		"core::char::", "compiler_builtins::mem::", "std::__cxx11::", "std::__1::", NULL,
	};

	return wk_str_starts_one_of(path, modules) && !wk_str_starts_one_of(path, working);
}

/* Slices and numbers have methods in core that are as heavy as those of other crates. */
static bool does_work(struct wk_str last)
{
	static const char *const names[] = { "sort", "binary_search", "select_nth", "reverse",
					     "rotate", "contains", "concat", "join", "fill",
					     "from_str", NULL };

	return wk_str_starts_one_of(last, names);
}

/* One line in every library. */
static bool is_accessor(struct wk_str last)
{
	static const char *const names[] = {
		/* Rust */
		"as_ptr", "as_mut_ptr", "as_ref", "as_mut", "as_slice", "as_mut_slice", "as_str",
		"as_bytes", "len", "is_empty", "capacity", "set_len", "deref", "deref_mut", "index",
		"index_mut", "iter", "iter_mut", "into_iter", "next", "next_back", "size_hint",
		"borrow", "borrow_mut", "into", "from", "try_into", "try_from", "eq", "ne", "lt",
		"le", "gt", "ge", "cmp", "partial_cmp", "clone", "default", "drop", "with",
		"try_with", "into_boxed_slice", "into_inner", "current_memory", "needs_to_grow",
		/* C++ */
		"begin", "end", "cbegin", "cend", "rbegin", "rend", "size", "length", "empty",
		"data", "c_str", "front", "back", "get", "first", "second", "key", "move",
		"forward", "swap", "min", "max", "addressof", "allocate", "deallocate", "construct",
		"destroy", "max_size", "base", "eof", "assign_one", "to_address", "distance",
		"advance", "prev", NULL,
	};
	static const char *const prefixes[] = { "_M_",  "_S_",     "__",      "operator", "{closure",
						"{lambda", "~", "_mm_", "_mm256_", "_mm512_",
						NULL };

	return wk_str_is_one_of(last, names) || wk_str_starts_one_of(last, prefixes);
}

/* "u64::wrapping_mul" is an instruction, "*const T::add" none; text does more. */
static bool is_of_small_type(struct wk_str path)
{
	static const char *const types[] = {
		"u8::", "u16::", "u32::", "u64::", "u128::", "usize::", "i8::", "i16::", "i32::",
		"i64::", "i128::", "isize::", "f32::", "f64::", "bool::", "char::", "*const ",
		"*mut ", "[", "&", "(", NULL,
	};

	return wk_str_starts_one_of(path, types);
}

static struct wk_str last_part(struct wk_str path)
{
	size_t begin = path.len;

	while (begin > 0 && path.at[begin - 1] != ':')
		begin--;
	return wk_str_skip(path, begin);
}

bool wk_name_is_plumbing(struct wk_str name)
{
	struct wk_buf path = { 0 };
	struct wk_str last;
	bool is_plumbing;

	wk_short_name_plain(name, &path);
	last = last_part(wk_buf_str(&path));
	is_plumbing =
		is_accessor(last) ||
		((is_plumbing_module(wk_buf_str(&path)) || is_of_small_type(wk_buf_str(&path))) &&
		 !does_work(last));
	wk_buf_fini(&path);
	return is_plumbing;
}

bool wk_name_wraps_allocator(struct wk_str name)
{
	/* The C library's, those of GNU's programs, and GLib's. */
	static const char *const wrappers[] = {
		"strdup", "__strdup", "strndup", "__strndup", "xmalloc", "xcalloc", "xzalloc",
		"xrealloc", "xnmalloc", "xnrealloc", "xreallocarray", "x2realloc", "x2nrealloc",
		"xmemdup", "xstrdup", "xstrndup", "g_malloc", "g_malloc0", "g_malloc_n",
		"g_malloc0_n", "g_try_malloc", "g_realloc", "g_realloc_n", "g_memdup", "g_memdup2",
		"g_strdup", "g_strndup", NULL,
	};

	return wk_str_is_one_of(name, wrappers);
}

bool wk_name_allocates(struct wk_str name)
{
	static const char *const rust[] = {
		"alloc::", "core::", "hashbrown::", "std::alloc::", "std::collections::",
		"std::sys::alloc::", "std::sys::pal::unix::alloc::", "std::ffi::os_str::",
		"std::path::", NULL,
	};
	static const char *const cxx[] = {
		"allocat", "__new_allocat", "__allocat", "vector", "_Vector", "basic_string",
		"string", "map", "multimap", "set", "multiset", "unordered_", "deque", "_Deque",
		"list", "_List", "forward_list", "_Fwd_list", "stack", "queue", "priority_queue",
		"_Rb_tree", "_Hashtable", "__detail::", "make_", "shared_ptr", "_Sp_", "__shared",
		"unique_ptr", "function", "_Function", "any", "_Any", "optional", "_Optional",
		"pair", "tuple", "copy", "move", "fill", "uninitialized_", "__uninit", "__do_",
		"__copy", "__fill", "__relocate", "back_insert", "to_string", "construct_at",
		"_Construct", "operator+", "__split_buffer", "__tree", "__hash", "__function",
		"__libcpp_allocate", NULL,
	};
	struct wk_str subject = wk_owner_of(name).subject;

	if (wk_str_starts_one_of(subject, rust) || wk_str_starts(subject, "__gnu_cxx::"))
		return true;
	if (!wk_str_accept(&subject, "std::"))
		return wk_owner_of(name).is_language;
	if (!wk_str_accept(&subject, "__cxx11::"))
		wk_str_accept(&subject, "__1::");
	return wk_str_starts_one_of(subject, cxx);
}

bool wk_name_maps(struct wk_str name)
{
	static const char *const names[] = {
		"mmap", "munmap", "mremap", "mprotect", "madvise", "brk", "sbrk",
		"setup_stack_prot", "allocate_stack", NULL,
	};

	if (wk_str_accept(&name, "__GI_"))
		wk_str_accept(&name, "__");
	wk_str_accept(&name, "__");
	if (wk_str_ends(name, "64"))
		name.len -= 2;
	return wk_str_is_one_of(name, names);
}
