#define _CRT_RAND_S /* declares rand_s */
#include "os/windows_calls.h"

#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <process.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/hash.h"
#include "base/mem.h"
#include "os/input.h"

/* The C library's own main words and variables, wide; declared nowhere. */
int __cdecl __wgetmainargs(int *argc, wchar_t ***argv, wchar_t ***environment, int expands,
			   int *how);

/* "NAME=value", created at the start and valid until the end. */
static char **variables;

/* Before any table is filled. */
__attribute__((constructor)) static void draw_secret(void)
{
	uint64_t words[2] = { 0 };
	LARGE_INTEGER counter;
	int local;

	QueryPerformanceCounter(&counter);
	words[0] = (uint64_t)counter.QuadPart * UINT64_C(0x9e3779b97f4a7c15);
	words[1] = (uint64_t)(uintptr_t)&local ^ (uint64_t)GetCurrentProcessId() << 32 ^
		   (uint64_t)(uintptr_t)&draw_secret ^ wk_os_wall_ns();
	wk_hash_seed(words);
}

static char **utf8_of(wchar_t **words)
{
	size_t count = 0;
	char **texts;

	while (words[count])
		count++;
	texts = wk_alloc_zeroed(count + 1, sizeof(*texts));
	for (size_t i = 0; i < count; i++)
		texts[i] = wk_windows_utf8(words[i]);
	return texts;
}

/* Later files must not get the descriptor of a closed stream. The stand-ins fail where the streams
 * would have worked, so that it is noticed. */
static void hold_standard_streams(void)
{
	int fd = _open("NUL", _O_WRONLY | _O_NOINHERIT);

	if (fd > 0)
		_close(fd);
	do
		fd = _open("NUL", _O_RDONLY | _O_NOINHERIT);
	while (fd >= 0 && fd <= 2);
	if (fd >= 0)
		_close(fd);
	for (fd = 0; fd <= 2; fd++)
		_setmode(fd, _O_BINARY);
}

static UINT code_page_before;

static void restore_code_page(void)
{
	SetConsoleOutputCP(code_page_before);
}

/* A console shows bytes as UTF-8 from now on, and again as before in the end. */
static void set_utf8(void)
{
	code_page_before = GetConsoleOutputCP();
	if (code_page_before && code_page_before != CP_UTF8 && SetConsoleOutputCP(CP_UTF8))
		atexit(restore_code_page);
}

char **wk_os_start(char **argv)
{
	wchar_t **words = NULL, **environment = NULL;
	int count = 0, how = 0;

	hold_standard_streams();
	if (wk_os_is_terminal(1) || wk_os_is_terminal(2))
		set_utf8();
	if (__wgetmainargs(&count, &words, &environment, 0, &how) != 0 || !words)
		return argv;
	if (environment)
		variables = utf8_of(environment);
	return utf8_of(words);
}

/* Names of variables have no case here. */
const char *wk_os_env(const char *name)
{
	size_t len = strlen(name);

	for (size_t i = 0; variables && variables[i]; i++)
		if (_strnicmp(variables[i], name, len) == 0 && variables[i][len] == '=')
			return variables[i] + len + 1;
	return variables ? NULL : getenv(name);
}

uint64_t wk_os_memory_bytes(void)
{
	MEMORYSTATUSEX status = { .dwLength = sizeof(status) };

	return GlobalMemoryStatusEx(&status) ? status.ullTotalPhys : UINT64_C(1) << 30;
}

bool wk_os_vdso(const uint8_t **at, size_t *size_bytes)
{
	(void)at, (void)size_bytes;
	return false;
}

size_t wk_os_read_process(uint32_t pid, uint64_t address, void *bytes, size_t size)
{
	(void)pid, (void)address, (void)bytes, (void)size;
	return 0;
}

void wk_os_copy_mapped(const struct wk_os_file *file, size_t offset, void *bytes, size_t size)
{
	memcpy(bytes, file->at + offset, size);
}

size_t wk_os_kernel_build_id(uint8_t id[20])
{
	(void)id;
	return 0;
}

void wk_os_host(struct wk_os_host *host)
{
	wchar_t wide[256];
	DWORD room = 256;
	char *name;

	*host = (struct wk_os_host){ 0 };
	if (!GetComputerNameExW(ComputerNameDnsHostname, wide, &room))
		return;
	name = wk_windows_utf8(wide);
	strncpy(host->name, name, sizeof(host->name) - 1);
	wk_free(name);
}

bool wk_os_has_borrowed_rights(void)
{
	return false;
}

static unsigned __stdcall thread_main(void *context)
{
	wk_os_thread_main(context);
	return 0;
}

bool wk_os_thread_begin(void *context, uintptr_t *system)
{
	*system = _beginthreadex(NULL, 0, thread_main, context, 0, NULL);
	return *system != 0;
}

void wk_os_thread_end(uintptr_t system)
{
	WaitForSingleObject((HANDLE)system, INFINITE);
	CloseHandle((HANDLE)system);
}

bool wk_os_random(void *bytes, size_t size)
{
	unsigned random = 0;

	for (size_t i = 0; i < size; i++) {
		if (i % sizeof(random) == 0 && rand_s(&random))
			return false;
		((unsigned char *)bytes)[i] = (unsigned char)random;
		random >>= 8;
	}
	return true;
}

uint64_t wk_os_clock_ns(void)
{
	LARGE_INTEGER now, hz;
	uint64_t ticks, rate;

	QueryPerformanceCounter(&now);
	QueryPerformanceFrequency(&hz);
	ticks = (uint64_t)now.QuadPart;
	rate = (uint64_t)hz.QuadPart;
	return ticks / rate * 1000000000u + ticks % rate * 1000000000u / rate;
}

uint64_t wk_os_wall_ns(void)
{
	FILETIME now;

	GetSystemTimeAsFileTime(&now);
	return wk_windows_ns(now);
}

bool wk_os_utc_time(uint64_t seconds, struct tm *tm)
{
	__time64_t time = (__time64_t)seconds;

	return _gmtime64_s(tm, &time) == 0;
}

bool wk_os_is_terminal(int fd)
{
	DWORD mode;

	return GetConsoleMode(wk_windows_handle(fd), &mode);
}

bool wk_os_has_input(int fd)
{
	DWORD type = GetFileType(wk_windows_handle(fd)), bytes = 0;

	if (type == FILE_TYPE_DISK)
		return GetFileSize(wk_windows_handle(fd), NULL) != 0;
	return type == FILE_TYPE_PIPE &&
	       (PeekNamedPipe(wk_windows_handle(fd), NULL, 0, NULL, &bytes, NULL) ||
		GetLastError() != ERROR_BROKEN_PIPE);
}

/* Consoles since Windows 10 do. */
bool wk_os_shows_colors(int fd)
{
	HANDLE handle = wk_windows_handle(fd);
	DWORD mode;

	return GetConsoleMode(handle, &mode) &&
	       SetConsoleMode(handle, mode | ENABLE_VIRTUAL_TERMINAL_PROCESSING);
}

unsigned wk_os_terminal_columns(int fd)
{
	CONSOLE_SCREEN_BUFFER_INFO info;

	if (!GetConsoleScreenBufferInfo(wk_windows_handle(fd), &info) ||
	    info.srWindow.Right < info.srWindow.Left)
		return 80;
	return (unsigned)(info.srWindow.Right - info.srWindow.Left) + 1;
}

unsigned wk_os_files_left(unsigned most, unsigned *limit)
{
	if (limit)
		*limit = 0;
	return most;
}

unsigned wk_os_cpu_count(void)
{
	DWORD count = GetActiveProcessorCount(ALL_PROCESSOR_GROUPS);

	return count > 0 ? count : 1;
}
