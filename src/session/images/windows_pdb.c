#include <string.h>

#include "base/num.h"
#include "fetch/store.h"
#include "os/os.h"
#include "session/images/windows_file.h"
#include "symbols/object/pe.h"
#include "symbols/pdb/pdb.h"

const char *wk_windows_pdb_fix(const char *stripped)
{
	if (strstr(stripped, "FASTLINK"))
		return "link /DEBUG:FULL ...";
	if (strstr(stripped, "no debug information"))
		return "cl /Zi ... /link /DEBUG   # both: /DEBUG alone writes public names only";
	return "# use the full PDB: /PDBSTRIPPED writes a second, stripped one";
}

/* True if there is a program at `path`; reports whether it is of the same build. */
static bool report_program_beside(struct wk_findings *findings, const struct wk_pdb_id *id,
				  const char *path)
{
	struct wk_store_file file = { 0 };
	struct wk_buf key = { 0 };
	bool is_there = wk_store_open(path, &file, NULL) && file.obj->pe;

	if (is_there && wk_pdb_id_same_build(&file.obj->pe->pdb, id)) {
		wk_findings_good(findings, "it belongs to %s in the same folder", path);
	} else if (is_there) {
		wk_pdb_id_add(&key, &file.obj->pe->pdb);
		wk_findings_bad(findings, "# keep the program and the PDB of one build together",
				"%s in the same folder is of another build: it %s%s", path,
				wk_pdb_id_is_none(&file.obj->pe->pdb) ? "names no PDB" : "names ",
				wk_pdb_id_is_none(&file.obj->pe->pdb) ? "" : wk_buf_text(&key));
	}
	wk_buf_fini(&key);
	wk_store_close(&file);
	return is_there;
}

static void report_program_of(struct wk_findings *findings, const struct wk_pdb_id *id,
			      const char *path)
{
	static const char *const endings[] = { ".exe", ".dll", ".sys", ".ocx", ".cpl", NULL };
	struct wk_str stem = wk_str_c(path);
	struct wk_buf beside = { 0 };
	bool found = false;

	stem.len -= wk_str_ends(stem, ".pdb") || wk_str_ends(stem, ".PDB") ? strlen(".pdb") : 0;
	for (size_t i = 0; endings[i]; i++) {
		wk_buf_reset(&beside);
		wk_buf_add_str(&beside, stem);
		wk_buf_add_text(&beside, endings[i]);
		found = report_program_beside(findings, id, wk_buf_text(&beside)) || found;
	}
	if (!found)
		wk_findings_good(findings, "its program, which names this GUID and age, is not in "
					   "the same folder");
	wk_buf_fini(&beside);
}

static bool count_public(void *context, const struct wk_pdb_public *symbol)
{
	uint64_t *count = context;

	*count += symbol->is_function;
	return true;
}

static void report_content(struct wk_findings *findings, struct wk_pdb *pdb)
{
	struct wk_buf publics = { 0 }, modules = { 0 };
	uint64_t count = 0;

	wk_pdb_each_public(pdb, count_public, &count);
	wk_num_add_grouped(&publics, count);
	wk_num_add_grouped(&modules, wk_pdb_module_count(pdb));
	if (wk_pdb_is_stripped(pdb))
		wk_findings_warn(findings, wk_windows_pdb_fix(wk_pdb_why_stripped(pdb)),
				 "public names only, of %s function%s: %s", wk_buf_text(&publics),
				 count == 1 ? "" : "s", wk_pdb_why_stripped(pdb));
	else
		wk_findings_good(findings,
				 "complete: functions, inlined calls and source lines of %s "
				 "module%s, and public names of %s function%s",
				 wk_buf_text(&modules), wk_pdb_module_count(pdb) == 1 ? "" : "s",
				 wk_buf_text(&publics), count == 1 ? "" : "s");
	WK_BUF_FINI_ALL(&publics, &modules);
}

static void report_pdb(struct wk_findings *findings, struct wk_pdb *pdb, const char *path)
{
	struct wk_buf key = { 0 };

	wk_pdb_id_add(&key, wk_pdb_id(pdb));
	wk_findings_good(findings, "the PDB of a program for Windows, GUID and age %s",
			 wk_buf_text(&key));
	report_program_of(findings, wk_pdb_id(pdb), path);
	report_content(findings, pdb);
	wk_buf_fini(&key);
}

void wk_windows_pdb_print(struct wk_findings *findings, const char *path)
{
	struct wk_err err = { 0 };
	struct wk_os_file file;
	struct wk_pdb *pdb = NULL;

	if (wk_os_open_named(path, &file, NULL, &err))
		pdb = wk_pdb_open(file.at, file.size_bytes, &err);
	if (pdb && !wk_pdb_is_whole(wk_bytes_of(file.at, file.size_bytes)))
		wk_findings_bad(findings, NULL,
				"it is truncated: it has fewer pages than its header "
				"declares, so it is not used");
	else if (pdb)
		report_pdb(findings, pdb, path);
	else
		wk_findings_bad(findings, NULL, "it cannot be read: %s", err.text);
	wk_pdb_free(pdb);
	wk_os_close(&file);
}
