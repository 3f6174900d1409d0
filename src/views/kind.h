/* What kind of code a function is: whose fault it is, at a glance.
 *
 * Views colour and sum by it. The answer comes from the function's name and from where its
 * image lies (from its path alone if it has no name); it is a guess by convention, never
 * more. */
#ifndef WK_VIEWS_KIND_H
#define WK_VIEWS_KIND_H

#include "model/model.h"

enum wk_code_kind {
	WK_CODE_PROGRAM,  /* the program itself and the libraries it brings along */
	WK_CODE_COMPILER, /* crates of rustc */
	WK_CODE_STANDARD, /* std, core, alloc; C++'s std */
	WK_CODE_NATIVE,   /* the system's C and C++ libraries, LLVM, start-up code; all of
			   * Windows outside of its kernel */
	WK_CODE_KERNEL,
	WK_CODE_ALLOCATOR, /* and what records it: wick's own heap library */
	WK_CODE_RUNTIME,   /* interpreters, virtual machines and their libraries; what they compile
			    * of no file */
	WK_CODE_UNKNOWN,   /* nothing names it */
	WK_CODE_KINDS
};

enum wk_code_kind wk_code_kind_of(const struct wk_model *model, wk_function_id function);

/* Of the file that it lies in alone. */
enum wk_code_kind wk_code_kind_of_image(const struct wk_model *model, wk_function_id function);

/* Is it of wick's own heap library, which runs in the program while its heap is recorded? */
bool wk_is_heap_library(const struct wk_model *model, wk_function_id function);
bool wk_has_heap_library(const struct wk_model *model);

/* Does it only start a program or a thread: "_start", "start_thread"? */
bool wk_is_start_up(struct wk_str name);

/* "your program", "kernel" ... */
const char *wk_code_kind_name(const struct wk_model *model, enum wk_code_kind kind);

#endif
