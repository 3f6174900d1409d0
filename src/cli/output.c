#include "cli/output.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

#include "base/buf.h"
#include "os/os.h"
#include "session/formats.h"

static bool is_in(const char *const *list, const char *word)
{
	for (size_t i = 0; list[i]; i++)
		if (strcasecmp(list[i], word) == 0)
			return true;
	return false;
}

/* Text can have any name; the name of a picture, page or archive promises its form. A command that
 * writes only pictures does not write text. */
static bool is_promised_form(const char *ending, const char *const *forms)
{
	static const char *const texts[] = { "txt", "text", "log", "md", "csv", "tsv", "json",
					     "xml", "folded", NULL };
	static const char *const promised[] = {
		"svg", "svgz", "png", "jpg", "jpeg", "gif", "webp", "bmp", "tif", "tiff", "pdf",
		"ps", "eps", "html", "htm", "xlsx", "ods", "docx", "gz", "zst", "zip", NULL };

	return is_in(promised, ending) ||
	       (is_in(forms, "svg") && !forms[1] && is_in(texts, ending));
}

/* A source file by its name, or a program by its first bytes: overwriting it would be a mistake. */
static bool is_program(const char *path, const char *ending)
{
	static const char *const sources[] = {
		"c", "h", "cc", "cpp", "cxx", "hh", "hpp", "rs", "go", "py", "js", "ts", "java",
		"kt", "cs", "rb", "pl", "sh", "s", "asm", "zig", "swift", "toml", NULL };
	struct wk_os_identity identity;

	return wk_os_identify(path, &identity, NULL) && identity.is_regular &&
	       identity.size_bytes && (is_in(sources, ending) || wk_is_elf(path));
}

static bool fail_form(const char *ending, const char *const *forms, const struct wk_call *call,
		      struct wk_err *err)
{
	struct wk_buf words = { 0 };
	bool draws = is_in(forms, "svg");

	for (size_t i = 0; forms[i]; i++)
		wk_buf_add_fmt(&words, "%s.%s",
			       i == 0         ? ""
			       : forms[i + 1] ? ", "
					      : " or ",
			       forms[i]);
	wk_fail(err, WK_EUSAGE, WK_NOWHERE,
		"output format .%s is not supported here; %s writes "
		"%s%s",
		ending, call->command->name, forms[0] ? wk_buf_text(&words) : "text",
		draws ? "" : ", and `wick flame` draws .svg");
	wk_buf_fini(&words);
	return false;
}

static bool is_same_file(const char *a, const char *b)
{
	struct wk_os_identity first, second;

	return wk_os_identify(a, &first, NULL) && wk_os_identify(b, &second, NULL) &&
	       first.is_regular && first.inode == second.inode &&
	       first.device_major == second.device_major &&
	       first.device_minor == second.device_minor;
}

bool wk_output_allow(const char *path, const char *const *inputs, const char *const *forms,
		     const struct wk_call *call, struct wk_err *err)
{
	const char *dot;

	if (!path || strcmp(path, "-") == 0)
		return true;
	dot = strrchr(wk_str_basename(wk_str_c(path)).at, '.');
	if (dot && is_promised_form(dot + 1, forms) && !is_in(forms, dot + 1))
		return fail_form(dot + 1, forms, call, err);
	if (is_program(path, dot ? dot + 1 : ""))
		return wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			       "%s is a program or source file and is not overwritten; choose "
			       "another name with -o",
			       path);
	for (size_t i = 0; inputs && inputs[i]; i++)
		if (strcmp(inputs[i], "-") != 0 && is_same_file(path, inputs[i]))
			return wk_fail(err, WK_EUSAGE, WK_NOWHERE,
				       "%s is the input and is not overwritten; choose another "
				       "name with -o",
				       path);
	return true;
}

/* A slip such as `-o wick.data` would cost a recording. */
static bool refuse_recording(const char *path, struct wk_err *err)
{
	return !wk_is_recording(path) ||
	       wk_fail(err, WK_EUSAGE, WK_NOWHERE,
		       "%s is a recording and is not overwritten; choose another name with -o",
		       path);
}

/* Why a file could not be written there, as an errno; 0 if it could. */
static int obstacle_at(const char *path)
{
	struct wk_str all = wk_str_c(path), name = wk_str_basename(all);
	struct wk_buf folder = { 0 };
	int cause;

	if (wk_os_is_folder(path))
		return EISDIR;
	if (wk_os_is_there(path))
		return wk_os_may_write(path) ? 0 : errno;
	wk_buf_add_str(&folder, wk_str_of(path, all.len - name.len));
	wk_buf_add_text(&folder, ".");
	cause = wk_os_may_write(wk_buf_text(&folder)) ? 0 : errno;
	wk_buf_fini(&folder);
	return name.len ? cause : EISDIR;
}

bool wk_output_check(const char *path, struct wk_err *err)
{
	int cause;

	if (strcmp(path, "-") == 0)
		return true;
	cause = obstacle_at(path);
	return cause ? wk_fail_os(err, cause, "cannot write %s", path) : true;
}

bool wk_output_check_picture(const char *path, struct wk_err *err)
{
	return strcmp(path, "-") == 0 ||
	       (wk_output_check(path, err) && refuse_recording(path, err));
}

struct wk_out *wk_output_open(struct wk_output *output, const char *path,
			      const struct wk_call *call, struct wk_err *err)
{
	*output = (struct wk_output){ 0 };
	if (!path || strcmp(path, "-") == 0)
		return call->out;
	if (!refuse_recording(path, err))
		return NULL;
	if (!wk_os_draft_open(&output->draft, path, err))
		return NULL;
	output->path = path;
	output->file = wk_out_to_fd(output->draft.fd);
	return &output->file;
}

bool wk_output_close(struct wk_output *output, bool ok, struct wk_err *err)
{
	if (!output->path)
		return ok;
	if (!wk_out_end(&output->file))
		ok = wk_fail_os(err, output->file.error_number, "cannot write %s", output->path);
	if (!wk_os_draft_end(&output->draft, ok) && ok)
		ok = wk_fail_os(err, errno, "cannot write %s", output->path);
	return ok;
}
