#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "os/os.h"
#include "os/program.h"
#include "session/doctor/doctor.h"
#include "session/images/jit_makers.h"
#include "session/doctor/program_fix.h"

#define MOST_FIRST_LINE 256 /* of a script: the kernel reads no more */

bool wk_doctor_is_in_path(const char *program)
{
	char *found = wk_os_program_find(program);

	wk_free(found);
	return found != NULL;
}

/* Removes the next word of a script's first line. */
static struct wk_str read_word(struct wk_str *line)
{
	struct wk_str word;
	size_t len = 0;

	while (line->len && (*line->at == ' ' || *line->at == '\t'))
		*line = wk_str_skip(*line, 1);
	while (len < line->len && !strchr(" \t\r\n", line->at[len]))
		len++;
	word = wk_str_of(line->at, len);
	*line = wk_str_skip(*line, len);
	return word;
}

/* The program that env(1) runs: behind its options (-S may be joined to the word) and variables.
 * Empty if there is none. */
static struct wk_str program_of_env(struct wk_str line)
{
	struct wk_str word = read_word(&line);

	while (word.len && (*word.at == '-' || memchr(word.at, '=', word.len))) {
		if (wk_str_starts(word, "-S") && word.len > 2)
			return wk_str_skip(word, 2);
		word = read_word(&line);
	}
	return word;
}

/* The program behind "#!", without its arguments; the caller frees it. */
static char *interpreter_of(struct wk_str first)
{
	struct wk_str line = wk_str_skip(first, 2), word, inner;
	char *name, *found;

	word = read_word(&line);
	inner = wk_str_is(wk_str_basename(word), "env") ? program_of_env(line) : wk_str_c("");
	if (inner.len == 0)
		return wk_strndup(word.at, word.len);
	name = wk_strndup(inner.at, inner.len);
	found = wk_os_program_find(name);
	if (!found)
		return name;
	wk_free(name);
	return found;
}

static void script(struct wk_findings *findings, struct wk_str first)
{
	char *interpreter = interpreter_of(first);
	struct wk_buf fix = { 0 };

	wk_buf_add_text(&fix, "wick doctor ");
	wk_buf_add_shell(&fix, wk_str_c(interpreter));
	wk_findings_warn(findings, wk_buf_text(&fix),
			 "a script: wick records its interpreter, %s, and shows the "
			 "interpreter's functions, not the script's",
			 interpreter);
	wk_buf_fini(&fix);
	wk_free(interpreter);
}

/* True if `path` is not an ELF file; reports what it is. */
static bool is_something_else(struct wk_findings *findings, const char *path)
{
	struct wk_os_file file;
	struct wk_str first;
	bool is_elf;

	if (!wk_os_open_named(path, &file, NULL, NULL))
		return false;
	first = wk_str_of((const char *)file.at,
			  file.size_bytes < MOST_FIRST_LINE ? file.size_bytes : MOST_FIRST_LINE);
	is_elf = wk_str_starts(first, "\177ELF");
	if (wk_str_starts(first, "#!"))
		script(findings, first);
	else if (!is_elf)
		wk_findings_bad(findings, NULL,
				"not a program: neither ELF (Linux) nor PE or PDB (Windows)");
	wk_os_close(&file);
	return !is_elf;
}

static void jit_code(struct wk_findings *findings, const char *path)
{
	const struct wk_jit_maker *maker = wk_jit_maker(wk_str_c(path));
	struct wk_buf fix = { 0 };

	if (!maker)
		return;
	wk_buf_add_fmt(&fix, "%s%s%s", maker->words, maker->remark ? "   # " : "",
		       maker->remark ? maker->remark : "");
	wk_findings_warn(findings, wk_buf_text(&fix),
			 "has a JIT compiler; JIT functions have names only with this option:");
	wk_buf_fini(&fix);
}

static void examine(struct wk_findings *findings, const struct wk_store_file *program,
		    const char *const *debug_dirs)
{
	if (wk_doctor_fits(findings, program->obj))
		wk_doctor_debug(findings, program, debug_dirs);
	if (program->obj && wk_program_has_short_rust_names(program->obj))
		wk_findings_good(findings,
				 "instances of a generic function share one name; compiled with "
				 "RUSTFLAGS='-C symbol-mangling-version=v0' each has its own");
	jit_code(findings, program->path);
	wk_doctor_rights(findings, program->path, program->obj);
}

void wk_doctor_program(struct wk_findings *findings, const char *path,
		       const char *const *debug_dirs)
{
	char *absolute = wk_os_real_path(path);
	struct wk_image_key key = { .path = wk_str_c(absolute) };
	struct wk_store_file program;
	struct wk_buf why = { 0 };

	wk_findings_on(findings, "%s", path);
	if (!absolute || !is_something_else(findings, absolute)) {
		if (wk_store_image(&key, &program, &why) == WK_IMAGE_NAMED)
			examine(findings, &program, debug_dirs);
		else
			wk_findings_bad(findings, NULL, "cannot be examined: %s",
					wk_buf_text(&why));
		wk_store_close(&program);
	}
	wk_buf_fini(&why);
	wk_free(absolute);
}
