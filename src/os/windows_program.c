#include "os/program.h"

#include <errno.h>
#include <io.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "os/windows_calls.h"

const char *const wk_os_shell[2] = { "cmd.exe", "/c" };
const char *const wk_os_opener = "explorer.exe";

bool wk_os_has_display(void)
{
	return true;
}

/* Quotes words as the C library of the started program parses them: backslashes count only before a
 * quote. */
static void add_word(struct wk_buf *line, const char *word)
{
	size_t slashes = 0;

	if (*word && !strpbrk(word, " \t\n\v\"")) {
		wk_buf_add_text(line, word);
		return;
	}
	wk_buf_add_char(line, '"');
	for (; *word; word++) {
		slashes = *word == '\\' ? slashes + 1 : slashes;
		for (; *word == '"' && slashes > 0; slashes--)
			wk_buf_add_char(line, '\\');
		if (*word == '"')
			wk_buf_add_char(line, '\\');
		else if (*word != '\\')
			slashes = 0;
		wk_buf_add_char(line, *word);
	}
	for (; slashes > 0; slashes--)
		wk_buf_add_char(line, '\\');
	wk_buf_add_char(line, '"');
}

/* The shell uses its line unchanged, between the first quote and the last. */
static wchar_t *line_of(const char *const *words)
{
	struct wk_buf line = { 0 };
	wchar_t *wide;

	if (words[0] == wk_os_shell[0] && words[1] && words[2]) {
		wk_buf_add_fmt(&line, "%s /s %s \"%s\"", words[0], words[1], words[2]);
	} else {
		for (size_t i = 0; words[i]; i++) {
			wk_buf_add_text(&line, i ? " " : "");
			add_word(&line, words[i]);
		}
	}
	wide = wk_windows_wide(wk_buf_text(&line));
	wk_buf_fini(&line);
	return wide;
}

/* A copy that a child may have. */
static HANDLE inherited(HANDLE handle)
{
	HANDLE copy = INVALID_HANDLE_VALUE;

	if (handle != INVALID_HANDLE_VALUE && handle)
		DuplicateHandle(GetCurrentProcess(), handle, GetCurrentProcess(), &copy, 0, TRUE,
				DUPLICATE_SAME_ACCESS);
	return copy;
}

static HANDLE stream(int fd, DWORD standard)
{
	return inherited(fd >= 0 ? wk_windows_handle(fd) : GetStdHandle(standard));
}

static void close_handle(HANDLE handle)
{
	if (handle && handle != INVALID_HANDLE_VALUE)
		CloseHandle(handle);
}

static void read_all(HANDLE from, struct wk_buf *text)
{
	char part[65536];
	DWORD got;

	while (ReadFile(from, part, sizeof(part), &got, NULL) && got > 0)
		wk_buf_add(text, part, got);
}

static bool start(const char *const *words, bool is_detached, STARTUPINFOW *startup,
		  PROCESS_INFORMATION *process, struct wk_err *err)
{
	DWORD flags = is_detached ? DETACHED_PROCESS | CREATE_NEW_PROCESS_GROUP : 0;
	wchar_t *line = line_of(words);
	bool ok = CreateProcessW(NULL, line, NULL, NULL, TRUE, flags, NULL, NULL, startup, process);

	wk_free(line);
	if (!ok) {
		wk_windows_fail();
		wk_fail_os(err, errno, "cannot run %s", words[0]);
	}
	return ok;
}

int wk_os_program_run(const char *const *words, struct wk_os_program_io io, struct wk_err *err)
{
	STARTUPINFOW startup = { .cb = sizeof(startup), .dwFlags = STARTF_USESTDHANDLES };
	PROCESS_INFORMATION process = { 0 };
	HANDLE from = NULL, to = NULL, mute = NULL;
	DWORD exit_code = 0;
	bool ok;

	if (io.collect && !CreatePipe(&from, &to, NULL, 0)) {
		wk_windows_fail();
		wk_fail_os(err, errno, "cannot make a pipe");
		return -1;
	}
	if (io.is_mute)
		mute = wk_windows_open("NUL", GENERIC_WRITE, OPEN_EXISTING, 0);
	startup.hStdInput = stream(io.input, STD_INPUT_HANDLE);
	startup.hStdOutput = io.collect ? inherited(to) : stream(io.output, STD_OUTPUT_HANDLE);
	startup.hStdError = mute ? inherited(mute) : stream(-1, STD_ERROR_HANDLE);
	if (io.outlives_interrupt)
		SetConsoleCtrlHandler(NULL, TRUE);
	ok = start(words, io.is_detached, &startup, &process, err);
	close_handle(startup.hStdInput);
	close_handle(startup.hStdOutput);
	close_handle(startup.hStdError);
	close_handle(to);
	close_handle(mute);
	if (ok && io.collect)
		read_all(from, io.collect);
	if (ok && !io.is_detached) {
		WaitForSingleObject(process.hProcess, INFINITE);
		GetExitCodeProcess(process.hProcess, &exit_code);
	}
	if (io.outlives_interrupt)
		SetConsoleCtrlHandler(NULL, FALSE);
	close_handle(from);
	close_handle(process.hThread);
	close_handle(process.hProcess);
	return ok ? (int)exit_code : -1;
}

/* The path at which the system finds `name`, or with `ending` appended if it has none; NULL if
 * nowhere. */
static char *search(const wchar_t *name, const char *ending)
{
	wchar_t *wide = wk_windows_wide(ending);
	DWORD room = SearchPathW(NULL, name, wide, 0, NULL, NULL);
	wchar_t *found = wk_alloc_zeroed((size_t)room + 1, sizeof(*found));
	char *path = NULL;

	if (room && SearchPathW(NULL, name, wide, room, found, NULL))
		path = wk_windows_slashes(found);
	if (path && wk_os_is_folder(path)) {
		wk_free(path);
		path = NULL;
	}
	WK_FREE_ALL(found, wide);
	return path;
}

char *wk_os_program_find(const char *name)
{
	const char *endings = wk_os_env("PATHEXT");
	wchar_t *wide = wk_windows_wide(name);
	char *path = NULL;

	for (const char *at = endings ? endings : ".COM;.EXE;.BAT;.CMD"; *at && !path;) {
		size_t len = strcspn(at, ";");
		char *ending = wk_strndup(at, len);

		path = search(wide, ending);
		wk_free(ending);
		at += len + (at[len] == ';');
	}
	wk_free(wide);
	return path;
}
