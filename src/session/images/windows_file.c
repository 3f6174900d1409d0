#include "session/images/windows_file.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "fetch/want.h"
#include "formats/scan.h"
#include "os/os.h"
#include "session/doctor/program_fix.h"
#include "symbols/cache/cache.h"
#include "symbols/object/object_symbols.h"
#include "symbols/object/pe.h"
#include "symbols/pdb/pdb.h"

enum kind { KIND_OTHER, KIND_PROGRAM, KIND_PDB };

static enum kind kind_of(const char *path)
{
	enum kind kind = KIND_OTHER;
	struct wk_os_file file;

	if (!wk_os_open_named(path, &file, NULL, NULL))
		return KIND_OTHER;
	if (wk_pdb_is(wk_bytes_of(file.at, file.size_bytes)))
		kind = KIND_PDB;
	else if (wk_str_starts(wk_str_of((const char *)file.at, file.size_bytes), "MZ"))
		kind = KIND_PROGRAM;
	wk_os_close(&file);
	return kind;
}

bool wk_windows_file_is(const char *path)
{
	return kind_of(path) != KIND_OTHER;
}

/* The program that is examined. */
struct program {
	struct wk_findings *findings;
	const char *path; /* as typed */
	const char *whole;
	const char *const *debug_dirs;
	bool passes_servers; /* of the symbol path */
	struct wk_image_symbols *image;
	const struct wk_obj *obj;
	struct wk_image_pdb pdb;
	struct wk_image_used used;
};

static const char *machine_name(const struct wk_obj *obj)
{
	static const char *const names[] = {
		[WK_MACHINE_UNKNOWN] = "an unknown processor",
		[WK_MACHINE_X86_64] = "x86-64",
		[WK_MACHINE_AARCH64] = "ARM64",
		[WK_MACHINE_X86] = "32-bit x86",
		[WK_MACHINE_ARM] = "32-bit ARM",
	};

	return names[obj->machine];
}

static void report_kind(const struct program *p)
{
	struct wk_fetch_want want = {
		.kind = WK_FETCH_PE,
		.time_stamp = p->obj->pe->time_stamp,
		.image_bytes = p->obj->pe->image_bytes,
	};
	struct wk_buf key = { 0 };

	wk_fetch_want_key(&want, &key);
	wk_findings_good(p->findings, "a %s for Windows on %s%s%s",
			 p->obj->type == WK_ET_DYN ? "library" : "program", machine_name(p->obj),
			 key.len ? "; its key in symbol stores is " : "", wk_buf_text(&key));
	wk_buf_fini(&key);
}

static struct wk_str pdb_name(const struct program *p)
{
	return wk_image_pdb_name(p->pdb.linked_as);
}

static void report_reference(const struct program *p)
{
	struct wk_str name = pdb_name(p);
	struct wk_buf key = { 0 };

	if (wk_pdb_id_is_none(&p->pdb.id))
		return;
	wk_pdb_id_add(&key, &p->pdb.id);
	wk_findings_good(p->findings, "it was linked with the PDB %.*s, GUID and age %s%s%.*s",
			 WK_STR_ARG(name), wk_buf_text(&key),
			 name.len < p->pdb.linked_as.len ? ", as " : "",
			 name.len < p->pdb.linked_as.len ? (int)p->pdb.linked_as.len : 0,
			 p->pdb.linked_as.at);
	wk_buf_fini(&key);
}

static bool lacks_pdb(const struct program *p)
{
	return !wk_pdb_id_is_none(&p->pdb.id) && !p->pdb.path;
}

static void fix_names(const struct program *p, struct wk_buf *fix)
{
	if (!lacks_pdb(p)) {
		wk_program_fix_windows(p->obj, fix);
		return;
	}
	wk_buf_add_fmt(fix,
		       "# put the %.*s of that build next to it, or name its "
		       "folder:\nwick doctor ",
		       WK_STR_ARG(pdb_name(p)));
	wk_buf_add_shell(fix, wk_str_c(p->path));
	wk_buf_add_text(fix, " --symbol-path FOLDER\n"
			     "# or rebuild it: the linker writes both");
}

/* Does the symbol cache have all names, from a time when the PDB was here? It is used only if it
 * has an entry, so that an examination adds none. */
static bool is_in_cache(const struct program *p)
{
	struct wk_cache *cache = wk_cache_open(NULL);
	struct wk_image_key key = { .path = wk_str_c(p->whole) };
	struct wk_image_used used = { 0 };
	struct wk_symbols *symbols;

	if (wk_cache_peek(cache, &p->obj->build_id)) {
		symbols = wk_symbols_new(&(struct wk_symbols_options){
			.debug_dirs = p->debug_dirs, .cache = cache });
		wk_image_used(wk_symbols_image(symbols, &key), &used);
		wk_symbols_free(symbols);
	}
	wk_cache_close(cache);
	return used.names_are_cached && used.has_all_names;
}

static void report_names(const struct program *p)
{
	struct wk_buf text = { 0 }, fix = { 0 };

	if (lacks_pdb(p) && is_in_cache(p)) {
		wk_findings_good(p->findings,
				 "names from the symbol cache, saved from its PDB, which "
				 "is missing now");
		return;
	}
	wk_buf_add_text(&text, wk_image_reason(p->image));
	if (lacks_pdb(p)) {
		wk_buf_add_text(&text, "; it was searched for next to the program");
		for (size_t i = 0; p->debug_dirs[i]; i++)
			wk_buf_add_fmt(&text, "%s%s", p->debug_dirs[i + 1] ? ", in " : " and in ",
				       p->debug_dirs[i]);
	}
	if (!p->used.has_all_names)
		fix_names(p, &fix);
	wk_findings_add(p->findings,
			p->used.has_all_names                           ? WK_GRADE_GOOD
			: wk_image_state(p->image) == WK_IMAGE_STRIPPED ? WK_GRADE_BAD
									: WK_GRADE_WARN,
			wk_buf_text(&fix), "%s", wk_buf_text(&text));
	WK_BUF_FINI_ALL(&text, &fix);
}

/* `wick doctor` never queries them. The path is not printed: it may contain secrets. */
static void report_servers(const struct program *p)
{
	struct wk_buf fix = { 0 };

	if (!p->passes_servers || !lacks_pdb(p))
		return;
	wk_buf_add_text(&fix, "wick symbols ");
	wk_buf_add_shell(&fix, wk_str_c(p->path));
	wk_buf_add_text(&fix, " --symbol-path PATH   # the same path: this queries them");
	wk_findings_warn(p->findings, wk_buf_text(&fix),
			 "the servers of the symbol path were not queried");
	wk_buf_fini(&fix);
}

static void report_lines(const struct program *p)
{
	enum wk_places_state state = wk_image_places_state(p->image);
	const char *reason = wk_image_places_reason(p->image);
	struct wk_buf fix = { 0 };

	if (state != WK_PLACES_NONE) {
		wk_findings_good(p->findings, "%s", reason);
	} else if (p->pdb.stripped) {
		wk_findings_warn(p->findings, wk_windows_pdb_fix(p->pdb.stripped), "%s", reason);
	} else if (p->used.has_all_names) { /* otherwise the fix for names is enough */
		wk_program_fix_windows(p->obj, &fix);
		wk_findings_warn(p->findings, wk_buf_text(&fix),
				   "no debug information: " WK_DEBUG_WORDS);
	}
	wk_buf_fini(&fix);
}

static void report_stacks(const struct program *p)
{
	struct wk_obj_bound *bounds = NULL;
	size_t count = wk_obj_bounds(p->obj, &bounds);
	struct wk_buf text = { 0 };

	wk_num_add_grouped(&text, count);
	if (count)
		wk_findings_good(p->findings,
				 "Windows walks its stacks by unwind tables (.pdata, %s "
				 "function%s); it needs no frame pointers",
				 wk_buf_text(&text), count == 1 ? "" : "s");
	else if (p->obj->machine == WK_MACHINE_X86)
		wk_findings_warn(p->findings, "cl /Oy- ...   # gcc, clang: -fno-omit-frame-pointer",
				 "32-bit code has no unwind tables on Windows: its stacks are "
				 "walked by frame pointers and end in functions without them");
	else
		wk_findings_warn(p->findings, NULL,
				 "no unwind tables (.pdata): without them Windows walks stacks "
				 "only through functions that call no others");
	wk_free(bounds);
	wk_buf_fini(&text);
}

/* True if a section is incomplete: then nothing is the fault of the build. */
static bool report_cut(const struct program *p)
{
	const struct wk_obj *obj = p->obj;

	for (uint32_t i = 1; i < obj->section_count; i++) {
		const struct wk_obj_section *s = &obj->sections[i];
		uint64_t end = s->offset + s->size_bytes;

		if (s->type == WK_SHT_NOBITS || s->offset == 0 || end <= obj->size_bytes)
			continue;
		wk_findings_bad(p->findings, NULL,
				"the file is truncated: section %.*s ends at byte %" PRIu64
				", but the file has %zu bytes",
				WK_STR_ARG(s->name), end, obj->size_bytes);
		return true;
	}
	return false;
}

static void report_program(struct program *p)
{
	wk_image_pdb(p->image, &p->pdb);
	wk_image_used(p->image, &p->used);
	report_kind(p);
	if (report_cut(p))
		return;
	report_reference(p);
	report_names(p);
	report_servers(p);
	report_lines(p);
	report_stacks(p);
}

/* `path` is absolute. */
static void report_file(struct program *p, struct wk_symbols *symbols, const char *path)
{
	struct wk_image_key key = { .path = wk_str_c(path) };

	p->image = wk_symbols_image(symbols, &key);
	p->obj = wk_image_obj(p->image);
	if (p->obj && p->obj->pe)
		report_program(p);
	else
		wk_findings_bad(p->findings, NULL, "it cannot be read: %s",
				wk_image_reason(p->image));
}

bool wk_windows_file_print(struct wk_findings *findings, const char *path,
			   const struct wk_naming_options *options,
			   const struct wk_messages *messages, struct wk_err *err)
{
	struct wk_naming_options uncached = *options;
	char *whole = wk_os_real_path(path);
	struct wk_symbolizer symbolizer;
	struct wk_symbols *symbols;
	bool ok;

	uncached.no_cache = true;
	symbols = wk_symbolizer_open(&symbolizer, &uncached, messages, err);
	ok = symbols != NULL;

	wk_findings_on(findings, "%s", path);
	if (ok && kind_of(path) == KIND_PDB) {
		wk_windows_pdb_print(findings, path);
	} else if (ok && whole) {
		report_file(&(struct program){ .findings = findings, .path = path, .whole = whole,
					     .debug_dirs = symbolizer.debug_dirs,
					     .passes_servers =
						     wk_fetcher_skips_servers(symbolizer.remote.fetcher,
									      WK_FETCH_FOR_WINDOWS) },
			  symbols, whole);
	}
	wk_symbolizer_close(&symbolizer);
	wk_free(whole);
	return ok;
}
