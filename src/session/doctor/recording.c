/* Users who pass a recording to `wick doctor` usually want its names. */
#include "session/doctor/doctor.h"

#include "formats/reader.h"
#include "os/os.h"

/* Programs and scripts are not recordings. */
static bool may_be_one(const char *path)
{
	struct wk_os_file file;
	struct wk_str bytes;
	bool is_script;

	if (!wk_os_open_named(path, &file, NULL, NULL))
		return false;
	bytes = wk_str_of((const char *)file.at, (size_t)file.size_bytes);
	is_script = wk_str_starts(bytes, "#!");
	wk_os_close(&file);
	return !is_script;
}

bool wk_doctor_recording(const char *path, struct wk_err *err)
{
	struct wk_opened opened;
	struct wk_err not_one = { 0 };
	struct wk_buf quoted = { 0 };

	if (!may_be_one(path) || !wk_reader_open(path, NULL, &opened, &not_one))
		return false;
	wk_buf_add_shell(&quoted, wk_str_c(path));
	wk_fail(err, WK_EUSAGE, WK_NOWHERE,
		"%.200s is a recording (%s: %s), but doctor checks programs and projects; `wick "
		"symbols %s` shows which names are missing and how to get them",
		path, opened.reader->name, opened.reader->summary, wk_buf_text(&quoted));
	wk_buf_fini(&quoted);
	wk_reader_close(&opened);
	return true;
}
