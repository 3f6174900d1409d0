#include <inttypes.h>
#include <string.h>

#include "base/num.h"
#include "event/pdb_id.h"
#include "formats/scan.h"
#include "os/os.h"
#include "session/doctor/debug_package.h"
#include "session/doctor/doctor.h"
#include "session/doctor/program_fix.h"
#include "symbols/object/object_symbols.h"
#include "symbols/unwind/table.h"

struct patient {
	struct wk_findings *findings;
	const struct wk_store_file *program;
	struct wk_store_file debug; /* its separate debug file; obj is NULL without one */
	struct wk_obj_tables tables;
	uint64_t named;     /* functions with a name in .symtab */
	uint64_t exported;  /* ... only in .dynsym */
	uint64_t looked_at; /* functions that were examined ... */
	uint64_t covered;   /* ... those with unwind tables ... */
	uint64_t framed;    /* ... and those with only a frame pointer */
	struct wk_unwind_table *unwind;
	bool is_rust;
};

/* x86-64: perhaps endbr64, then push %rbp and mov %rsp,%rbp in either encoding. aarch64: the
 * frame record (x29, x30) goes to the stack. */
static bool keeps_frame_pointer(const struct wk_obj *obj, struct wk_bytes code)
{
	uint32_t word;

	if (obj->machine == WK_MACHINE_AARCH64)
		return (wk_u32le(&code) & 0xffc07fff) == 0xa9807bfd && !code.bad;
	if (wk_bytes_left(&code) >= 4 && memcmp(code.at, "\xf3\x0f\x1e\xfa", 4) == 0)
		wk_bytes_skip(&code, 4);
	word = wk_u32le(&code);
	return !code.bad && (word == 0xe5894855 || word == 0xec8b4855);
}

static bool count_function(void *context, const struct wk_obj_raw *raw)
{
	struct patient *p = context;
	const struct wk_obj *obj = p->program->obj;
	struct wk_bytes file = wk_bytes_of(obj->at, obj->size_bytes);
	uint64_t offset, start, size_bytes;

	if (raw->is_plt)
		return true;
	if (raw->table == WK_OBJ_SYMTAB)
		p->named++;
	else
		p->exported++;
	/* Shorter ones are stubs. */
	if (raw->size_bytes >= 8 && wk_obj_offset_of(obj, raw->vaddr, &offset)) {
		p->looked_at++;
		if (wk_unwind_function(p->unwind, raw->vaddr, &start, &size_bytes))
			p->covered++;
		else
			p->framed += keeps_frame_pointer(obj, wk_bytes_at(&file, offset, 16));
	}
	return true;
}

static const struct wk_obj_section *section(const struct wk_obj *obj, const char *name)
{
	return obj ? wk_obj_section(obj, name) : NULL;
}

/* A section's bytes in the program or else in its debug file; compressed ones are left out. */
static struct wk_bytes debug_bytes(const struct patient *p, const char *name)
{
	const struct wk_obj *obj = p->program->obj;
	const struct wk_obj_section *found = section(obj, name);

	if (!found || found->type == WK_SHT_NOBITS) {
		obj = p->debug.obj;
		found = section(obj, name);
	}
	if (!found || found->flags & WK_SHF_COMPRESSED)
		return (struct wk_bytes){ 0 };
	return wk_obj_bytes(obj, found);
}

static bool has_section(const struct patient *p, const char *name)
{
	const struct wk_obj_section *in_program = section(p->program->obj, name);

	return (in_program && in_program->type != WK_SHT_NOBITS && in_program->size_bytes > 4) ||
	       section(p->debug.obj, name);
}

static void debug_file(struct patient *p, const char *const *debug_dirs)
{
	struct wk_buf why = { 0 };

	if (wk_store_debug(p->program, debug_dirs, &p->debug, &why))
		wk_findings_good(p->findings, "debug file: %s", p->debug.path);
	else if (why.len)
		wk_findings_bad(p->findings, NULL, "the debug file cannot be used: %s",
				wk_buf_text(&why));
	wk_buf_fini(&why);
}

/* By its package, as in `wick symbols`, or else by a new build. Nothing if neither is known. */
static void fix_program(const struct patient *p, bool lacks_names, struct wk_buf *fix)
{
	const char *path = p->program->path;
	struct wk_packages packages;

	wk_packages_find(&packages, &path, 1);
	if (!wk_packages_command(&packages, 0, fix))
		wk_program_fix(&(struct wk_program_fix){ path, p->program->obj, lacks_names,
							   false }, fix);
	wk_packages_fini(&packages);
}

/* "/usr/lib/debug", "../mine or /usr/lib/debug". */
static void add_dirs(const char *const *dirs, struct wk_buf *text)
{
	for (size_t i = 0; dirs[i]; i++)
		wk_buf_add_fmt(text, "%s%s", i == 0 ? "" : dirs[i + 1] ? ", " : " or ", dirs[i]);
}

static void fix_stripped(const struct patient *p, struct wk_str link, struct wk_buf *fix)
{
	const char *path = p->program->path;
	size_t folder_len = strlen(path) - wk_str_basename(wk_str_c(path)).len;

	if (link.len && !wk_str_starts(wk_str_c(path), "/usr/")) {
		wk_buf_add_fmt(fix, "cp FOLDER/%.*s %.*s", WK_STR_ARG(link), (int)folder_len, path);
		return;
	}
	fix_program(p, true, fix);
}

static void stripped(const struct patient *p, const char *const *debug_dirs)
{
	struct wk_buf what = { 0 }, fix = { 0 };
	struct wk_str link;
	uint32_t crc;

	if (!wk_obj_debuglink(p->program->obj, &link, &crc))
		link = wk_str_c("");
	wk_buf_add_text(&what, "stripped: ");
	if (p->exported)
		wk_buf_add_fmt(&what, "only %" PRIu64 " exported functions have names",
			       p->exported);
	else
		wk_buf_add_text(&what, "its functions have no names");
	if (link.len) {
		wk_buf_add_fmt(&what,
			       "; the others are in its debug file %.*s, which was not found next "
			       "to it, in .debug there, or in or below ",
			       WK_STR_ARG(link));
		add_dirs(debug_dirs, &what);
	}
	fix_stripped(p, link, &fix);
	wk_findings_add(p->findings, p->exported ? WK_GRADE_WARN : WK_GRADE_BAD, wk_buf_text(&fix),
			"%s", wk_buf_text(&what));
	WK_BUF_FINI_ALL(&what, &fix);
}

static bool has_names(const struct patient *p)
{
	return p->named || section(p->debug.obj, ".symtab");
}

static void names(const struct patient *p, const char *const *debug_dirs)
{
	struct wk_buf count = { 0 };

	wk_num_add_grouped(&count, p->named);
	if (p->named)
		wk_findings_good(p->findings, "not stripped: %s functions have names",
				 wk_buf_text(&count));
	else if (has_names(p))
		wk_findings_good(p->findings, "stripped, but its debug file has the names");
	else
		stripped(p, debug_dirs);
	wk_buf_fini(&count);
}

/* From the headers of the units in .debug_info. */
struct units {
	unsigned version;
	uint64_t count, skeletons;
};

static struct units read_units(struct wk_bytes in)
{
	struct units units = { 0 };

	while (wk_bytes_left(&in) > 0 && !in.bad) {
		uint64_t length = wk_u32(&in);
		struct wk_bytes unit;
		unsigned version;

		if (length == 0xffffffff)
			length = wk_u64(&in);
		unit = wk_bytes_slice(&in, length);
		version = wk_u16(&unit);
		if (unit.bad || in.bad)
			break;
		units.count++;
		if (version > units.version)
			units.version = version;
		if (version >= 5 && wk_u8(&unit) == 4) /* DW_UT_skeleton */
			units.skeletons++;
	}
	return units;
}

/* Before DWARF 5, split units have the attribute DW_AT_GNU_dwo_name, in LEB128. */
static bool has_dwo_name(const struct patient *p)
{
	struct wk_bytes bytes = debug_bytes(p, ".debug_abbrev");
	struct wk_str text = wk_str_of((const char *)bytes.at, wk_bytes_left(&bytes));

	return wk_str_find(text, "\xb0\x42") != SIZE_MAX;
}

static bool is_there(const struct patient *p, struct wk_str name)
{
	struct wk_str path = wk_str_c(p->program->path);

	path.len -= wk_str_basename(path).len;
	return wk_store_has("%.*s", WK_STR_ARG(name)) ||
	       (name.at[0] != '/' && wk_store_has("%.*s%.*s", WK_STR_ARG(path), WK_STR_ARG(name)));
}

struct dwo_files {
	uint64_t named, found;
	struct wk_str missing; /* the first */
};

/* Counts the .dwo files in a table of strings, and those that exist. */
static void count_dwo(const struct patient *p, const char *table, struct dwo_files *files)
{
	struct wk_bytes in = debug_bytes(p, table);

	while (wk_bytes_left(&in) > 0 && !in.bad) {
		struct wk_str text = wk_bytes_text(&in);

		if (!wk_str_ends(text, ".dwo"))
			continue;
		files->named++;
		if (is_there(p, text))
			files->found++;
		else if (files->missing.len == 0)
			files->missing = text;
	}
}

static void lost_split(const struct patient *p, const struct dwo_files *files)
{
	struct wk_buf fix = { 0 };

	if (files->missing.len)
		wk_program_fix_split(p->program->path, files->missing, &fix);
	wk_findings_warn(p->findings, wk_buf_text(&fix),
			 "split debug information: %" PRIu64 " of %" PRIu64 " .dwo files found; "
			 "inlined calls in the others are unknown",
			 files->found, files->named);
	wk_buf_fini(&fix);
}

/* dwz moves what several programs share into one file. */
static void shared(const struct patient *p, const char *const *debug_dirs)
{
	const struct wk_store_file *holder =
		section(p->debug.obj, ".debug_info") ? &p->debug : p->program;
	struct wk_buf why = { 0 }, fix = { 0 };
	struct wk_store_file file = { 0 };
	struct wk_build_id id;
	struct wk_str path;

	if (wk_obj_debugaltlink(holder->obj, &path, &id) &&
	    !wk_store_alternate(holder, debug_dirs, &file, &why)) {
		wk_program_fix_shared(path, &fix);
		wk_findings_warn(p->findings, wk_buf_text(&fix), "%s", wk_buf_text(&why));
	}
	wk_store_close(&file);
	WK_BUF_FINI_ALL(&fix, &why);
}

static void split(const struct patient *p)
{
	struct wk_buf package = { 0 }, fix = { 0 };
	struct dwo_files files = { 0 };

	wk_buf_add_fmt(&package, "%s.dwp", p->program->path);
	wk_buf_add_text(&fix, "dwp -e ");
	wk_buf_add_shell(&fix, wk_str_c(p->program->path));
	wk_buf_add_text(&fix, " -o ");
	wk_buf_add_shell(&fix, wk_buf_str(&package));
	count_dwo(p, ".debug_str", &files);
	count_dwo(p, ".debug_line_str", &files);
	if (wk_os_is_there(wk_buf_text(&package)))
		wk_findings_good(p->findings, "split debug information, packed in %s",
				 wk_buf_text(&package));
	else if (files.found < files.named || files.named == 0)
		lost_split(p, &files);
	else
		wk_findings_warn(p->findings, wk_buf_text(&fix),
				 "split debug information in %" PRIu64 " .dwo files, which "
				 "must not be moved",
				 files.named);
	WK_BUF_FINI_ALL(&package, &fix);
}

static void without_debug_information(const struct patient *p)
{
	struct wk_buf fix = { 0 };

	fix_program(p, false, &fix);
	wk_findings_warn(p->findings, wk_buf_text(&fix), "no debug information: " WK_DEBUG_WORDS);
	wk_buf_fini(&fix);
}

static void debug_information(const struct patient *p, const char *const *debug_dirs)
{
	struct units units = read_units(debug_bytes(p, ".debug_info"));

	if (!has_section(p, ".debug_info") || !has_section(p, ".debug_line")) {
		if (!has_names(p))
			return; /* the fix for names is enough */
		without_debug_information(p);
		return;
	}
	if (units.version)
		wk_findings_good(p->findings, "has debug information (DWARF %u)", units.version);
	else
		wk_findings_good(p->findings, "has debug information");
	if (units.skeletons || (units.version && units.version < 5 && has_dwo_name(p)))
		split(p);
	shared(p, debug_dirs);
}

/* Without tables, stacks are unwound by frame pointers or, on x86-64, by instructions. */
static void without_tables(const struct patient *p)
{
	static const char fix[] = "rebuild with -fasynchronous-unwind-tables";
	uint64_t uncovered = p->looked_at - p->covered;
	struct wk_buf share = { 0 };

	wk_num_add_share(&share, uncovered, p->looked_at);
	if (p->framed * 2 > uncovered)
		wk_findings_warn(p->findings, fix,
				 "%s of the functions have no unwind tables; stacks are unwound "
				 "by frame pointers, which can miss callers",
				 wk_buf_text(&share));
	else if (p->program->obj->machine == WK_MACHINE_X86_64)
		wk_findings_warn(p->findings, fix,
				 "%s of the functions have neither unwind tables nor frame "
				 "pointers; stacks are unwound by analysing instructions, which "
				 "can fail",
				 wk_buf_text(&share));
	else
		wk_findings_bad(p->findings, fix,
				"%s of the functions have neither unwind tables nor frame "
				"pointers; stacks end in them",
				wk_buf_text(&share));
	wk_buf_fini(&share);
}

static void stacks(const struct patient *p)
{
	bool covered = p->looked_at ? p->covered * 10 >= p->looked_at * 9
				    : !wk_unwind_has_no_tables(p->unwind);

	if (covered)
		wk_findings_good(p->findings, "has unwind tables and needs no frame pointers");
	else if (p->looked_at)
		without_tables(p);
	else
		wk_findings_warn(p->findings, NULL,
				 "no unwind tables (.eh_frame); some stacks may end in it");
}

static void build_id(const struct patient *p)
{
	struct wk_buf id = { 0 };

	wk_build_id_add(&id, &p->program->obj->build_id, false);
	if (id.len)
		wk_findings_good(p->findings, "build id %s", wk_buf_text(&id));
	else
		wk_findings_warn(p->findings,
				 p->is_rust ? "RUSTFLAGS='-C link-arg=-Wl,--build-id'"
					    : "relink with -Wl,--build-id",
				 "no build id, so a recording cannot tell it from a later build");
	wk_buf_fini(&id);
}

void wk_doctor_debug(struct wk_findings *findings, const struct wk_store_file *program,
		     const char *const *debug_dirs)
{
	struct patient p = { .findings = findings, .program = program };
	const struct wk_obj *obj = program->obj;

	p.tables = wk_obj_tables(obj);
	p.is_rust = wk_program_is_rust(obj);
	debug_file(&p, debug_dirs);
	p.unwind = wk_unwind_table_new(obj, p.debug.obj);
	wk_obj_each_raw(obj, &p.tables, count_function, &p);
	names(&p, debug_dirs);
	stacks(&p);
	debug_information(&p, debug_dirs);
	build_id(&p);
	wk_unwind_table_free(p.unwind);
	wk_store_close(&p.debug);
}
