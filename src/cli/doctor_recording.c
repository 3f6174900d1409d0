/* Who hands `wick doctor` a recording asks for its names as a rule. */
#include "cli/doctor.h"

#include "cli/program_mend.h"
#include "formats/reader.h"
#include "os/os.h"

/* A program is none, and neither is a script, whatever text it has. */
static bool may_be_one(const char *path)
{
	struct wk_os_identity identity;
	struct wk_os_file file;
	struct wk_str bytes;
	bool is_script;

	if (!wk_os_identify(path, &identity, NULL) || !identity.is_regular ||
	    !wk_os_open_named(path, &file, NULL, NULL))
		return false;
	bytes = wk_str_of((const char *)file.at, (size_t)file.size_bytes);
	is_script = wk_str_starts(bytes, "#!");
	wk_os_close(&file);
	return !is_script;
}

bool wk_doctor_recording(struct wk_findings *findings, const char *path)
{
	struct wk_opened opened;
	struct wk_err not_one = { 0 };
	struct wk_buf mend = { 0 };

	if (!may_be_one(path) || !wk_reader_open(path, NULL, &opened, &not_one))
		return false;
	wk_buf_add_text(&mend, "wick symbols ");
	wk_shell_word(&mend, wk_str_c(path));
	wk_findings_about(findings, "%s", path);
	wk_findings_bad(findings, wk_buf_text(&mend),
			"a recording and no program (%s: %s); the command below says which names "
			"it lacks, and what mends that", opened.reader->name,
			opened.reader->summary);
	wk_buf_fini(&mend);
	wk_reader_close(&opened);
	return true;
}
