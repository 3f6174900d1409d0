#include "views/kind.h"

#include "names/owner.h"
#include "views/path_kind.h"

static const char *const names[WK_CODE_KINDS] = {
	[WK_CODE_PROGRAM] = "your program",     [WK_CODE_COMPILER] = "rustc",
	[WK_CODE_STANDARD] = "standard library",
	[WK_CODE_KERNEL] = "kernel",            [WK_CODE_ALLOCATOR] = "allocator",
	[WK_CODE_RUNTIME] = "language runtime", [WK_CODE_UNKNOWN] = "unknown",
};

const char *wk_code_kind_name(const struct wk_model *model, enum wk_code_kind kind)
{
	if (kind == WK_CODE_NATIVE)
		return model->traits->system_code;
	return kind < WK_CODE_KINDS ? names[kind] : "unknown";
}

static bool is_allocator(struct wk_str name)
{
	static const char *const exact[] = {
		"malloc", "calloc", "realloc", "free", "cfree", "memalign", "aligned_alloc",
		"posix_memalign", "valloc", "_int_malloc", "_int_free", "_int_realloc",
		"_int_memalign", "_int_free_merge_chunk", "_int_free_create_chunk",
		"malloc_consolidate", "unlink_chunk", "sysmalloc", "systrim",
		"tcache_alloc_small", "malloc_default", NULL,
	};
	static const char *const prefixes[] = {
		"__libc_malloc", "__libc_calloc", "__libc_realloc", "__libc_free", "__malloc_",
		"__rdl_", "__rg_", "__rust_alloc", "__rust_dealloc", "__rust_realloc",
		"__rust_no_alloc_shim", "operator new", "operator delete", "je_", "_rjem_", "mi_",
		"_mi_", "tcmalloc::", "tc_malloc", "tc_free", "tcache_", "malloc_consolidate", NULL,
	};

	wk_str_accept(&name, "__rustc::");
	return wk_str_is_one_of(name, exact) || wk_str_starts_one_of(name, prefixes);
}

static bool is_standard(const struct wk_owner *owner)
{
	static const char *const prefixes[] = {
		"std::", "core::", "alloc::", "proc_macro::", "std_detect::", "compiler_builtins::",
		"panic_unwind::", "panic_abort::", "unwind::", "__gnu_cxx::",
		/* instructions, in headers of compilers */
		"_mm_", "_mm256_", "_mm512_",
		/* crates that std brings along */
		"hashbrown::", "rustc_demangle::", "addr2line::", "gimli::", "object::",
		"miniz_oxide::", "backtrace::",
		/* what the compiler adds to every Rust program */
		"__rustc::", NULL,
	};
	static const char *const exact[] = {
		"rust_begin_unwind", "__rust_start_panic", "__rust_panic_cleanup", "rust_panic",
		"lang_start", NULL,
	};

	return owner->is_language || wk_str_starts_one_of(owner->subject, prefixes) ||
	       wk_str_is_one_of(owner->plain, exact);
}

static bool is_compiler(struct wk_str subject)
{
	if (wk_str_starts(subject, "rustc_demangle::"))
		return false;
	return wk_str_starts(subject, "rustc_") || wk_str_starts(subject, "rustdoc::");
}

bool wk_is_start_up(struct wk_str name)
{
	static const char *const exact[] = {
		"_start", "_init", "_fini", "_dl_start", "_dl_start_user", "start_thread", "clone",
		"clone3", "__clone", "__clone3", "__GI___clone", "__GI___clone3",
		"__clone_internal", "call_init", "__libc_start_main", "__libc_start_main_impl",
		"__libc_start_main_stage2", "__libc_start_call_main", "generic_start_main",
		"libc_start_main_stage2", "_start_c", "BaseThreadInitThunk", "RtlUserThreadStart",
		"__scrt_common_main_seh", "__scrt_common_main", "invoke_main", "mainCRTStartup",
		"wmainCRTStartup", "WinMainCRTStartup", "thread_start<unsigned int (void *), 1>",
		NULL };
	struct wk_str plain, version;

	wk_str_split(name, '@', &plain, &version);
	return wk_str_is_one_of(plain, exact);
}

/* Start-up code is linked into every program, and a static program holds its libc. */
static bool is_native_name(struct wk_str name)
{
	static const char *const prefixes[] = {
		"__libc_", "__GI_", "_IO_", "_dl_", "llvm::", "(anonymous namespace)::llvm",
		"__pthread_", "__cxxabiv1::", "__cxa_", "__mem", "__str", "_Unwind_", "LLVM", NULL,
	};

	return wk_is_start_up(name) || wk_str_starts_one_of(name, prefixes);
}

/* "python3.11", "libruby-3.1.so" and "node", but not "node_exporter" or "bunny". */
static bool is_runtime_image(struct wk_str file)
{
	static const char *const runtimes[] = {
		"python", "libpython", "node", "libnode", "libv8", "libjvm", "java", "ruby",
		"libruby", "perl", "libperl", "php", "libphp", "lua", "liblua", "luajit", "dotnet",
		"libcoreclr", "beam.smp", "deno", "bun", NULL,
	};

	for (int i = 0; runtimes[i]; i++) {
		struct wk_str version = wk_str_skip(file, strlen(runtimes[i]));

		if (!wk_str_starts(file, runtimes[i]))
			continue;
		if (version.len > 1 && version.at[0] == '-')
			version = wk_str_skip(version, 1);
		if (version.len == 0 || version.at[0] == '.' ||
		    (version.at[0] >= '0' && version.at[0] <= '9'))
			return true;
	}
	return false;
}

static bool is_native_image(struct wk_str file)
{
	static const char *const prefixes[] = {
		"libLLVM", "libclang", "libstdc++", "libc++", "libgcc_s", "libc.so", "libm.so",
		"ld-linux", "ld-musl", "libc.musl", NULL,
	};

	return wk_str_starts_one_of(file, prefixes);
}

static bool is_system_path(struct wk_str path)
{
	static const char *const prefixes[] = {
		"/lib/", "/lib64/", "/lib32/", "/usr/lib/", "/usr/lib64/", "/usr/lib32/",
		"/usr/libexec/", "/nix/store/", NULL,
	};

	return wk_str_starts_one_of(path, prefixes);
}

/* Code that was made at run time is the program's where it came from a file of the program's. */
static enum wk_code_kind kind_of_script(struct wk_str name)
{
	switch (wk_script_of(name)) {
	case WK_SCRIPT_PROGRAM:
		return WK_CODE_PROGRAM;
	case WK_SCRIPT_STANDARD:
		return WK_CODE_STANDARD;
	default:
		return WK_CODE_RUNTIME;
	}
}

static bool is_made_at_run_time(const struct wk_image *image, const struct wk_function *function)
{
	return image->kind == WK_IMAGE_ANONYMOUS || wk_frame_kind_is_jit(function->kind);
}

static bool is_kernel(const struct wk_image *image, const struct wk_function *function)
{
	return image->kind == WK_IMAGE_KERNEL || image->in_kernel ||
	       function->kind == WK_FRAME_KERNEL;
}

/* A runtime that comes with a program is known by its name. */
static enum wk_code_kind kind_of_path(const struct wk_model *model, const struct wk_image *image)
{
	enum wk_code_kind kind = wk_path_kind_of(model, image);

	if (kind == WK_CODE_PROGRAM && is_runtime_image(wk_model_str(model, image->name)))
		return WK_CODE_RUNTIME;
	return kind;
}

static bool is_heap_library(const struct wk_model *model, const struct wk_image *image)
{
	return wk_str_starts(wk_model_str(model, image->name), "libwick-heap");
}

bool wk_is_heap_library(const struct wk_model *model, wk_function_id id)
{
	return is_heap_library(model, &model->images[model->functions[id].image]);
}

bool wk_has_heap_library(const struct wk_model *model)
{
	for (wk_image_id id = 1; id < model->image_count; id++)
		if (is_heap_library(model, &model->images[id]))
			return true;
	return false;
}

enum wk_code_kind wk_code_kind_of_image(const struct wk_model *model, wk_function_id id)
{
	const struct wk_function *function = &model->functions[id];
	const struct wk_image *image = &model->images[function->image];
	struct wk_str file = wk_model_str(model, image->name);

	if (is_kernel(image, function))
		return WK_CODE_KERNEL;
	if (is_heap_library(model, image))
		return WK_CODE_ALLOCATOR;
	if (wk_path_kind_is_known(model, image))
		return kind_of_path(model, image);
	if (image->kind == WK_IMAGE_UNKNOWN || (!function->image && !function->file))
		return WK_CODE_UNKNOWN;
	if (is_made_at_run_time(image, function) || is_runtime_image(file))
		return WK_CODE_RUNTIME;
	if (image->kind == WK_IMAGE_VDSO || is_native_image(file) ||
	    is_system_path(wk_model_str(model, image->path)))
		return WK_CODE_NATIVE;
	return WK_CODE_PROGRAM;
}

enum wk_code_kind wk_code_kind_of(const struct wk_model *model, wk_function_id id)
{
	const struct wk_function *function = &model->functions[id];
	const struct wk_image *image = &model->images[function->image];
	struct wk_str name = wk_model_str(model, function->name);
	struct wk_str path = wk_model_str(model, image->path);
	struct wk_str file = wk_model_str(model, image->name);
	struct wk_owner owner = wk_owner_of(name);

	if (is_heap_library(model, image))
		return WK_CODE_ALLOCATOR;
	if (function->is_unnamed && wk_path_kind_is_known(model, image))
		return kind_of_path(model, image);
	if (id == 0 || function->is_unnamed || name.len == 0)
		return WK_CODE_UNKNOWN;
	if (is_kernel(image, function))
		return WK_CODE_KERNEL;
	if (is_allocator(owner.plain))
		return WK_CODE_ALLOCATOR;
	if (is_compiler(owner.subject))
		return WK_CODE_COMPILER;
	if (is_standard(&owner))
		return WK_CODE_STANDARD;
	if (function->kind == WK_FRAME_JIT_PROGRAM)
		return WK_CODE_PROGRAM;
	if (is_made_at_run_time(image, function))
		return kind_of_script(name);
	if (wk_path_kind_is_known(model, image) && !owner.is_stub && !is_native_name(owner.plain))
		return kind_of_path(model, image);
	if (is_runtime_image(file))
		return WK_CODE_RUNTIME;
	if (image->kind == WK_IMAGE_VDSO || is_system_path(path) || is_native_image(file) ||
	    owner.is_stub || is_native_name(owner.plain))
		return WK_CODE_NATIVE;
	return WK_CODE_PROGRAM;
}
