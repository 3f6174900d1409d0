#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "event/advice.h"
#include "os/os.h"
#include "session/doctor/debug_package.h"
#include "session/doctor/program_fix.h"
#include "session/images/image_facts.h"
#include "session/images/jit_makers.h"
#include "session/images/windows_file.h"
#include "symbols/object/object.h"

static void fix_anonymous(struct wk_image_facts *facts, const struct wk_model *model)
{
	const struct wk_jit_maker *maker = wk_jit_maker_of(model, facts->id);

	if (maker)
		wk_buf_add_fmt(&facts->fix, "%s%s%s", maker->words, maker->remark ? "   # " : "",
			       maker->remark ? maker->remark : "");
}

static void fix_kernel(struct wk_image_facts *facts, const struct wk_model *model)
{
	struct wk_buf text = { 0 };
	uint64_t restricted = 0;

	if (!model->images[facts->id].is_hidden)
		return;
	wk_os_read_small("/proc/sys/kernel/kptr_restrict", &text);
	while (text.len && text.at[text.len - 1] == '\n')
		text.len--;
	wk_num_u64(wk_buf_str(&text), &restricted);
	wk_buf_add_text(&facts->fix,
			wk_advice(WK_ADVICE_LINUX,
				  restricted ? WK_ADVICE_SHOW_KERNEL : WK_ADVICE_SAMPLE_KERNEL));
	wk_buf_fini(&text);
}

/* Its file is here, but lacks something, or a file that it refers to is missing. */
static void fix_own(struct wk_image_facts *facts, const char *path)
{
	struct wk_program_fix program = {
		.path = path,
		.obj = wk_image_obj(facts->symbols),
		.lacks_names = facts->lacks & WK_LACKS_NAMES,
		.is_recorded = true,
	};
	struct wk_image_used used;

	wk_image_used(facts->symbols, &used);
	if (used.missing.len == 0)
		wk_program_fix(&program, &facts->fix);
	else if (used.misses_shared)
		wk_program_fix_shared(used.missing_file, &facts->fix);
	else if (used.missing_file.len > 0) /* otherwise there is no fix */
		wk_program_fix_split(path, used.missing_file, &facts->fix);
}

static void add_asking(struct wk_buf *fix, const struct wk_image_context *about)
{
	wk_buf_add_text(fix, "wick symbols ");
	if (about->recording && strcmp(about->recording, "-") != 0) {
		wk_buf_add_shell(fix, wk_str_c(about->recording));
		wk_buf_add_char(fix, ' ');
	}
}

static bool has_debuginfod(void)
{
	const char *urls = wk_os_env("DEBUGINFOD_URLS");

	return urls && urls[0];
}

bool wk_image_store_key(const struct wk_model *model, wk_image_id id, struct wk_str *name,
			struct wk_buf *key)
{
	const struct wk_image *image = &model->images[id];
	struct wk_fetch_want want = {
		.kind = image->pdb_path ? WK_FETCH_PDB : WK_FETCH_PE,
		.time_stamp = image->time_stamp, .image_bytes = image->image_bytes };

	*name = wk_model_str(model, image->pdb_path ? image->pdb_path : image->name);
	if (image->pdb_path)
		want.pdb = wk_pdb_id_of_build_id(&image->build_id);
	*name = wk_image_pdb_name(*name);
	for (size_t i = 0; i < name->len; i++)
		if ((unsigned char)name->at[i] < ' ')
			return false; /* stores have no such names */
	if (name->len)
		wk_fetch_want_key(&want, key);
	return key->len > 0;
}

#define GO_ON "# fetching was interrupted: run the same command to continue"

/* Files of Windows itself are on a public server. */
static bool is_of_windows(const struct wk_model *model, wk_image_id id)
{
	struct wk_str path = wk_model_str(model, model->images[id].path);

	for (; path.len; path = wk_str_skip(path, 1))
		if (wk_str_starts(path, "\\Windows\\") || wk_str_starts(path, "\\WINDOWS\\") ||
		    wk_str_starts(path, "\\SystemRoot\\"))
			return true;
	return false;
}

/* How to provide a file of Windows. */
static void fix_windows_file(struct wk_image_facts *facts, const struct wk_image_context *about)
{
	struct wk_buf *fix = &facts->fix;

	if (wk_fetcher_was_stopped(about->fetcher)) {
		wk_buf_add_text(fix, GO_ON);
	} else if (wk_fetcher_has_sources(about->fetcher, WK_FETCH_FOR_WINDOWS)) {
		wk_buf_add_text(fix, "# put the missing files of that build next to the trace, or "
				     "into a folder of the symbol path");
	} else if (is_of_windows(about->model, facts->id)) {
		add_asking(fix, about);
		wk_buf_add_text(fix, "--symbol-path 'srv*'   # queries Microsoft's public server");
	} else {
		add_asking(fix, about);
		wk_buf_add_text(fix, "--symbol-path ./FOLDER   # which has the missing files, or "
				     "'srv*URL' of a symbol server;\n# or put them next to the "
				     "trace");
	}
}

static bool fix_windows(struct wk_image_facts *facts, const struct wk_image_context *about)
{
	struct wk_buf key = { 0 };
	struct wk_str name;

	if (!wk_image_store_key(about->model, facts->id, &name, &key))
		return false;
	fix_windows_file(facts, about);
	wk_buf_fini(&key);
	return true;
}

/* Its file is here but not its PDB, or only a stripped one. False if it has none. */
static bool fix_pdb(struct wk_image_facts *facts, const struct wk_image_context *about)
{
	bool tells_pdb = about->model->images[facts->id].pdb_path != 0;
	struct wk_image_used used;
	struct wk_image_pdb pdb;

	wk_image_used(facts->symbols, &used);
	if (tells_pdb && used.names_are_cached && used.has_all_names) {
		/* The PDB is not searched for again only to see why it lacks lines. */
		if (!is_of_windows(about->model, facts->id))
			wk_buf_add_text(&facts->fix, "# use the full PDB of the build: cl /Zi ... "
						     "/link /DEBUG");
		return true;
	}
	wk_image_pdb(facts->symbols, &pdb);
	if (pdb.linked_as.len == 0)
		return false;
	if (!pdb.path && wk_image_obj(facts->symbols))
		fix_windows_file(facts, about);
	else if (pdb.stripped && !is_of_windows(about->model, facts->id))
		wk_buf_add_text(&facts->fix, wk_windows_pdb_fix(pdb.stripped));
	return true;
}

/* It may be in another folder or on another machine. Otherwise only a new recording helps. */
static void fix_missing(struct wk_image_facts *facts, const struct wk_image_context *about)
{
	const struct wk_image *image = &about->model->images[facts->id];
	struct wk_buf *fix = &facts->fix;

	if (wk_image_state(facts->symbols) == WK_IMAGE_UNREADABLE || fix_windows(facts, about))
		return;
	if (about->model->traits->has_symbol_files) {
		wk_buf_add_text(fix,
				"xperf -merge TRACE MERGED   # on the machine that recorded it: "
				"adds the identities of its files");
		return;
	}
	if (wk_fetcher_was_stopped(about->fetcher)) {
		wk_buf_add_text(fix, GO_ON);
		return;
	}
	if (wk_fetcher_has_sources(about->fetcher, WK_FETCH_FOR_ELF)) {
		wk_buf_add_text(fix, "# put that build back where it was, or into a folder that "
				     "--symbol-server names");
		return;
	}
	if (image->build_id.size && has_debuginfod()) {
		add_asking(fix, about);
		wk_buf_add_text(fix, "--debuginfod   # or, if the recorded build was moved:\n");
	} else {
		wk_buf_add_text(fix, "# if the recorded build was moved:\n");
	}
	add_asking(fix, about);
	wk_buf_add_text(fix, "--symbol-server ./FOLDER   # which has it, or URL of a server\n"
			     "# otherwise record again: `wick record` stores the names in the "
			     "recording");
}

static void fix_file(struct wk_image_facts *facts, const struct wk_image_context *about,
		     const struct wk_packages *packages, size_t index)
{
	struct wk_buf *fix = &facts->fix;
	bool is_packed;

	if (facts->lacks & WK_LACKS_FILE) {
		fix_missing(facts, about);
		return;
	}
	if (facts->lacks & (WK_LACKS_NAMES | WK_LACKS_LINES) && fix_pdb(facts, about))
		return;
	if (!wk_image_obj(facts->symbols))
		return; /* missing, but its names came with the recording */
	is_packed = wk_packages_command(packages, index, fix);
	if (!is_packed && facts->lacks & (WK_LACKS_NAMES | WK_LACKS_LINES))
		fix_own(facts, packages->paths[index]);
	if (is_packed && !wk_fetcher_has_sources(about->fetcher, WK_FETCH_FOR_ELF) &&
	    has_debuginfod()) {
		wk_buf_add_text(fix, "\n# or, without installing anything:\n");
		add_asking(fix, about);
		wk_buf_add_text(fix, "--debuginfod");
	}
	if (!is_packed && facts->lacks & WK_LACKS_UNWIND)
		wk_buf_add_fmt(fix, "%s# build it with -fasynchronous-unwind-tables",
			       fix->len ? "\n" : "");
}

/* The paths whose packages are needed, which are looked up together. */
static const char **paths_of(const struct wk_images_facts *facts, const struct wk_model *model,
			     size_t *count)
{
	const char **paths = wk_alloc_zeroed(facts->count + 1, sizeof(*paths));

	*count = 0;
	for (size_t i = 0; i < facts->count; i++)
		if (facts->at[i].symbols && facts->at[i].lacks &&
		    !(facts->at[i].lacks & WK_LACKS_FILE))
			paths[(*count)++] =
				wk_model_str(model, model->images[facts->at[i].id].path).at;
	return paths;
}

void wk_images_facts_fix(struct wk_images_facts *facts, const struct wk_image_context *about)
{
	const struct wk_model *model = about->model;
	struct wk_packages packages;
	size_t count, next = 0;
	const char **paths = paths_of(facts, model, &count);

	wk_packages_find(&packages, paths, count);
	for (size_t i = 0; i < facts->count; i++) {
		struct wk_image_facts *one = &facts->at[i];
		enum wk_image_kind kind = model->images[one->id].kind;

		if (!one->lacks)
			continue;
		if (kind == WK_IMAGE_KERNEL)
			fix_kernel(one, model);
		else if (kind == WK_IMAGE_ANONYMOUS)
			fix_anonymous(one, model);
		else if (one->symbols)
			fix_file(one, about, &packages, next);
		next += one->symbols && !(one->lacks & WK_LACKS_FILE);
	}
	wk_packages_fini(&packages);
	wk_free(paths);
}
