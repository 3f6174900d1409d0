#include "views/filter/presets.h"

#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define ALL(array)   (array), COUNT(array)

const char *const wk_preset_tab_names[] = {
	"system", "processes", "process-tree", "cpu",     "memory", "heap",
	"waits",  "events",    "compare",      "quality", NULL,
};

/* ---- tabs */

static const struct wk_preset_view cpu_views[] = {
	{ "CPU time by Process, Stack", NULL, "process,stack", false, false },
	{ "CPU time by Process, Thread, Stack", NULL, "process,thread,stack", false, false },
	{ "CPU time by Module, Function", NULL, "module,function", false, false },
};

static const struct wk_preset_view memory_views[] = {
	{ "Outstanding commit by Process, Stack", "commit", "process,stack", true, false },
	{ "Cumulative commit by Process, Stack", "commit", "process,stack", false, false },
};

static const struct wk_preset_view heap_views[] = {
	{ "Outstanding blocks by Process, Stack", "heap", "process,stack", true, false },
	{ "All allocations by Process, Stack", "heap", "process,stack", false, false },
};

static const struct wk_preset_view wait_views[] = {
	{ "Waits by Process, Thread, Reason, Stack", "wait", "process,thread,wait-reason,stack",
	  false, false },
	{ "Ready by Process, Thread, Stack", "ready", "process,thread,stack", false, false },
};

static const struct wk_preset_view rustc_cpu_views[] = {
	{ "Utilization by Process, Stack", NULL, "pid,stack", false, false },
	{ "Utilization by Process, Annotation, Stack", NULL, "pid,annotation,stack", false, false },
};

static const struct wk_preset_view rustc_memory_views[] = {
	{ "Outstanding commit by Process, Stack", "commit", "pid,stack", true, false },
	{ "Outstanding commit by Process, Annotation, Stack", "commit", "pid,annotation,stack",
	  true, false },
	{ "Cumulative commit by Process, Stack", "commit", "pid,stack", false, false },
};

static const struct wk_preset_tab cpu_tabs[] = {
	{ "cpu", NULL, ALL(cpu_views) },
	{ "processes", NULL, NULL, 0 },
	{ "process-tree", NULL, NULL, 0 },
	{ "system", NULL, NULL, 0 },
	{ "quality", NULL, NULL, 0 },
};

static const struct wk_preset_tab memory_tabs[] = {
	{ "memory", NULL, ALL(memory_views) },
	{ "processes", NULL, NULL, 0 },
	{ "process-tree", NULL, NULL, 0 },
	{ "system", NULL, NULL, 0 },
	{ "quality", NULL, NULL, 0 },
};

static const struct wk_preset_tab heap_tabs[] = {
	{ "heap", NULL, ALL(heap_views) },
	{ "processes", NULL, NULL, 0 },
	{ "system", NULL, NULL, 0 },
	{ "quality", NULL, NULL, 0 },
};

static const struct wk_preset_tab wait_tabs[] = {
	{ "waits", NULL, ALL(wait_views) },
	{ "cpu", NULL, ALL(cpu_views) },
	{ "processes", NULL, NULL, 0 },
	{ "system", NULL, NULL, 0 },
	{ "quality", NULL, NULL, 0 },
};

static const struct wk_preset_tab rustc_tabs[] = {
	{ "system", NULL, NULL, 0 },
	{ "processes", "Build Processes", NULL, 0 },
	{ "process-tree", "Build Process Tree", NULL, 0 },
	{ "cpu", "CPU Analysis", ALL(rustc_cpu_views) },
	{ "memory", "Memory Analysis", ALL(rustc_memory_views) },
};

/* ---- the Rust compiler */

/* Linux cuts names of processes after 15 bytes: "build-script-bu". A compiler of C is there as the
 * linker. */
#define RUSTC_PROCESSES                                                                          \
	"process =~ \"^(rustc|cargo|rustdoc|clippy-driver|build-script-[a-z]+|vctip|mspdbsrv|"   \
	"link|rust-lld|lld|lld-link|ld64[.]lld|ld|ld[.](lld|bfd|gold|mold)|mold|wild|collect2|"  \
	"([a-z0-9_]+-)*(cc|gcc|clang)(-[0-9.]+)?)([.]exe)?$\""

/* The crates of the compiler say in which stage it is: "rustc_borrowck::mir_borrowck" or
 * "<rustc_borrowck::root_cx::...>::...". Patterns begin at the name's start, since arguments of
 * types contain other crates. Crates that several stages use, such as rustc_middle, have no rule,
 * and neither have functions that run several stages: the backend's codegen_crate collects what is
 * to be monomorphised, before it calls LLVM. */
#define CRATE(names) "^[^a-z]*(" names ")(::|$)"

/* Functions of a backend: "<rustc_codegen_llvm::LlvmCodegenBackend as ...>::optimize", or of a PDB
 * "rustc_codegen_llvm::impl$3::optimize". */
#define BACKEND(names) "(CodegenBackend as .*|^rustc_codegen_llvm::impl[$][0-9]+)::(" names ")$"

static const struct wk_annotation_rule rustc_rules[] = {
	{ "link", CRATE("rustc_codegen_ssa::back::(link|linker|archive|apple)"), NULL },
	{ "link", NULL, "^(link|rust-lld|lld|lld-link|ld64[.]lld|mold|wild|collect2|"
			"([a-z0-9_]+-)*ld([.](lld|bfd|gold|mold))?)([.]exe)?$" },
	{ "build script", NULL, "^build[-_]script[-_]" },
	{ "LTO", CRATE("rustc_codegen_(llvm|ssa)::back::lto|llvm::lto|"
		       "rustc_codegen_ssa::back::write::[a-z_]*_lto[a-z_]*") "|^LLVM[A-Za-z]*LTO|"
		 BACKEND("optimize_(thin|fat|and_codegen_[a-z]+)|run_[a-z_]*lto|prepare_thin"),
	  NULL },
	{ "LLVM codegen", CRATE("rustc_codegen_llvm::[a-z_]+|llvm|"
				"rustc_codegen_ssa::(mir|mono_item|meth|common|debuginfo)")
			  "|^LLVM|" BACKEND("compile_codegen_unit|optimize|codegen"), NULL },
	{ "other codegen", CRATE("rustc_codegen_(cranelift|gcc)::[a-z_]+|cranelift_[a-z_]+"), NULL },
	{ "monomorphise", CRATE("rustc_monomorphize"), NULL },
	{ "borrow check", CRATE("rustc_borrowck"), NULL },
	{ "type check", CRATE("rustc_(hir_typeck|hir_analysis|trait_selection|infer|traits|"
			      "next_trait_solver|ty_utils)"), NULL },
	{ "MIR passes", CRATE("rustc_(mir_transform|mir_build|mir_dataflow|pattern_analysis)"),
	  NULL },
	{ "const evaluation", CRATE("rustc_const_eval"), NULL },
	{ "resolve", CRATE("rustc_resolve"), NULL },
	{ "parse and expand", CRATE("rustc_(parse|parse_format|lexer|expand|builtin_macros|ast|"
				    "ast_passes|ast_pretty)|rustc_interface::passes::"
				    "(parse|configure_and_expand)|proc_macro"), NULL },
	{ "lower to HIR", CRATE("rustc_ast_lowering"), NULL },
	{ "lints", CRATE("rustc_(lint|lint_defs|passes|privacy)|clippy_(lints|utils)"), NULL },
	{ "metadata", CRATE("rustc_metadata"), NULL },
	{ "incremental", CRATE("rustc_incremental|rustc_middle::query::on_disk_cache|"
			       "rustc_middle::dep_graph::serialized|"
			       "rustc_query_system::dep_graph::serialized"), NULL },
	{ "rustdoc", CRATE("rustdoc"), NULL },
};

/* ---- all of them */

const char *const wk_preset_names[] = {
	"rustc",           "cpu",             "memory",          "heap",
	"waits",           "cpu-by-process",  "cpu-by-thread",   "cpu-by-module",
	"cpu-by-function", "wait-by-process", "ready-by-process", "commit-by-process",
	"commits-by-process", "heap-by-process", "hard-faults",  NULL,
};

/* One of a measure and a grouping only. */
#define PLAIN(preset, words, event, columns, is_outstanding) { .name = (preset), \
	.summary = (words), .view = { NULL, (event), (columns), (is_outstanding), false } }

const struct wk_preset wk_presets[] = {
	{ .name = "rustc", .title = "Rust build",
	  .summary = "CPU time of a Rust build by stage of the compiler",
	  .filter = RUSTC_PROCESSES,
	  .view = { NULL, NULL, "process,annotation,stack", false, false },
	  .tabs = rustc_tabs, .tab_count = COUNT(rustc_tabs),
	  .rules = rustc_rules, .rule_count = COUNT(rustc_rules) },
	{ .name = "cpu", .title = "CPU", .summary = "CPU time by process and stack",
	  .view = { NULL, NULL, "process,stack", false, false },
	  .tabs = cpu_tabs, .tab_count = COUNT(cpu_tabs) },
	{ .name = "memory", .title = "Memory",
	  .summary = "all memory that was committed, by process and stack",
	  .view = { NULL, "commit", "process,stack", false, false },
	  .tabs = memory_tabs, .tab_count = COUNT(memory_tabs) },
	{ .name = "heap", .title = "Heap",
	  .summary = "blocks of heaps that are still there at the end, by process and stack",
	  .view = { NULL, "heap", "process,stack", true, false },
	  .tabs = heap_tabs, .tab_count = COUNT(heap_tabs) },
	{ .name = "waits", .title = "Waits",
	  .summary = "time that threads waited, by thread, reason and stack",
	  .view = { NULL, "wait", "process,thread,wait-reason,stack", false, false },
	  .tabs = wait_tabs, .tab_count = COUNT(wait_tabs) },
	PLAIN("cpu-by-process", "CPU time by process and stack", NULL, "pid,stack", false),
	PLAIN("cpu-by-thread", "CPU time by process, thread and stack", NULL, "pid,thread,stack",
	      false),
	PLAIN("cpu-by-module", "CPU time by process and the stack of files", NULL, "pid,module",
	      false),
	PLAIN("cpu-by-function", "CPU time by the file and function it was spent in", NULL,
	      "module,function", false),
	PLAIN("wait-by-process", "time that threads waited, by where", "wait", "pid,thread,stack",
	      false),
	PLAIN("ready-by-process", "time that threads could have run and did not", "ready",
	      "pid,thread,stack", false),
	PLAIN("commit-by-process", "committed memory that is still there at the end", "commit",
	      "pid,stack", true),
	PLAIN("commits-by-process", "all memory that was committed", "commit", "pid,stack", false),
	PLAIN("heap-by-process", "blocks of heaps that are still there at the end", "heap",
	      "pid,stack", true),
	PLAIN("hard-faults", "pages that had to be read from disk", "hard fault", "pid,stack",
	      false),
	{ 0 },
};

const struct wk_preset *wk_preset_find(const char *name)
{
	const struct wk_preset *preset = wk_presets;

	while (preset->name && strcmp(preset->name, name) != 0)
		preset++;
	return preset->name ? preset : NULL;
}
