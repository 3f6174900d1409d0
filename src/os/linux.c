#include "os/os.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/sysmacros.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/hash.h"
#include "base/mem.h"
#include "os/input.h"

/* Before any table is filled. The kernel gives each program 16 random bytes. */
__attribute__((constructor)) static void draw_secret(void)
{
	const void *random = (const void *)(uintptr_t)getauxval(AT_RANDOM);
	uint64_t words[2];

	if (!random)
		return;
	memcpy(words, random, sizeof(words));
	wk_hash_seed(words);
}

/* A closed descriptor 0, 1 or 2 would be reused by the next opened file, which would then receive
 * output meant for a person. The stand-ins cannot be written to, so lost output is still noticed,
 * and they are closed when a recorded command starts. */
char **wk_os_start(char **argv)
{
	int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);

	if (fd > STDIN_FILENO) /* if 0 was closed, reading it fails as it should */
		close(fd);
	do
		fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
	return argv;
}

const char *wk_os_env(const char *name)
{
	return getenv(name);
}

bool wk_os_is_there(const char *path)
{
	struct stat info;

	return stat(path, &info) == 0;
}

bool wk_os_is_folder(const char *path)
{
	struct stat info;

	return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

bool wk_os_may_write(const char *path)
{
	return access(path, wk_os_is_folder(path) ? W_OK | X_OK : W_OK) == 0;
}

char *wk_os_real_path(const char *path)
{
	char real[PATH_MAX];

	return realpath(path, real) ? wk_strdup(real) : NULL;
}

char *wk_os_own_path(void)
{
	char *path = wk_os_real_path("/proc/self/exe");

	return path ? path : wk_strdup("");
}

bool wk_os_is_absolute(struct wk_str path)
{
	return wk_str_starts(path, "/");
}

bool wk_os_is_path(const char *word)
{
	return strchr(word, '/') != NULL;
}

static struct wk_os_identity identity_of(const struct stat *info)
{
	return (struct wk_os_identity){
		.inode = info->st_ino,
		.device_major = major(info->st_dev),
		.device_minor = minor(info->st_dev),
		.is_regular = S_ISREG(info->st_mode),
		.size_bytes = (uint64_t)info->st_size,
		.changed_ns = (uint64_t)info->st_mtim.tv_sec * 1000000000u +
			      (uint64_t)info->st_mtim.tv_nsec,
		.status_ns = (uint64_t)info->st_ctim.tv_sec * 1000000000u +
			      (uint64_t)info->st_ctim.tv_nsec,
	};
}

int wk_os_input_open(const char *path, bool waits)
{
	return open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | (waits ? 0 : O_NONBLOCK));
}

enum wk_os_input_kind wk_os_input_look(int fd, struct wk_os_identity *identity)
{
	struct stat info;

	if (fstat(fd, &info) != 0)
		return WK_OS_INPUT_UNKNOWN;
	*identity = identity_of(&info);
	if (S_ISDIR(info.st_mode))
		return WK_OS_INPUT_FOLDER;
	return S_ISREG(info.st_mode) ? WK_OS_INPUT_FILE : WK_OS_INPUT_STREAM;
}

const uint8_t *wk_os_input_map(int fd, size_t size_bytes)
{
	void *at = mmap(NULL, size_bytes, PROT_READ, MAP_PRIVATE, fd, 0);

	return at == MAP_FAILED ? NULL : at;
}

uint64_t wk_os_memory_bytes(void)
{
	return (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
}

bool wk_os_identify(const char *path, struct wk_os_identity *identity, struct wk_err *err)
{
	struct stat info;

	if (stat(path, &info) != 0)
		return wk_fail_os(err, errno, "cannot look at %s", path);
	*identity = identity_of(&info);
	return true;
}

/* The auxiliary vector has the start of the vDSO, only the list of mappings its end. */
bool wk_os_vdso(const uint8_t **at, size_t *size_bytes)
{
	uintptr_t begin = (uintptr_t)getauxval(AT_SYSINFO_EHDR);
	struct wk_buf maps = { 0 };
	const char *found = NULL;
	char line[32];

	snprintf(line, sizeof(line), "%" PRIxPTR "-", begin);
	if (begin != 0 && wk_os_read_small("/proc/self/maps", &maps))
		found = strstr(wk_buf_text(&maps), line);
	if (found) {
		*size_bytes = (uintptr_t)strtoull(found + strlen(line), NULL, 16) - begin;
		*at = (const uint8_t *)begin;
	}
	wk_buf_fini(&maps);
	return found != NULL;
}

/* Signals stay with the threads that are there. 0, or why it cannot be. */
static int start_thread(pthread_t *thread, void *(*run)(void *context), void *context)
{
	sigset_t all, before;
	int cause;

	sigfillset(&all);
	sigdelset(&all, SIGBUS); /* see wk_os_guard_maps */
	pthread_sigmask(SIG_SETMASK, &all, &before);
	cause = pthread_create(thread, NULL, run, context);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return cause;
}

#define LARGE_FILE  ((size_t)64 << 20)
#define UNMAP_BYTES ((size_t)2 << 20)

void wk_os_input_unmap(const uint8_t *at, size_t size_bytes)
{
	munmap((void *)at, size_bytes);
}

/* Piece by piece: while pages are released no thread can map memory, so that working threads would
 * have to wait for all of it. */
static void *unmap_aside(void *context)
{
	struct wk_os_file *file = context;

	for (size_t at = 0; at < file->size_bytes; at += UNMAP_BYTES)
		madvise((uint8_t *)file->at + at,
			file->size_bytes - at < UNMAP_BYTES ? file->size_bytes - at : UNMAP_BYTES,
			MADV_DONTNEED);
	munmap((void *)file->at, file->size_bytes);
	free(file);
	return NULL;
}

/* Releasing hundreds of megabytes takes as long as drawing a picture, and nothing needs to wait for
 * it: not even the end of the program. A library leaves no thread behind, though. */
static void unmap(const struct wk_os_file *file)
{
	struct wk_os_file *copy = NULL;
	pthread_t thread;

	if (file->size_bytes >= LARGE_FILE && wk_os_cpu_count() > 1 &&
	    wk_heap_is_of_process(wk_heap_current()))
		copy = malloc(sizeof(*copy)); /* the heap may end first */
	if (!copy) {
		munmap((void *)file->at, file->size_bytes);
		return;
	}
	*copy = *file;
	if (start_thread(&thread, unmap_aside, copy) == 0)
		pthread_detach(thread);
	else
		unmap_aside(copy);
}

void wk_os_close(struct wk_os_file *file)
{
	if (file->is_heap)
		wk_free((void *)file->at);
	else if (file->at)
		unmap(file);
	wk_undo_free(file->undo);
	*file = (struct wk_os_file){ 0 };
}

void wk_os_release(const struct wk_os_file *file)
{
	if (file->at && !file->is_heap)
		madvise((void *)file->at, file->size_bytes, MADV_DONTNEED);
}

void wk_os_release_to(const struct wk_os_file *file, uint64_t offset)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);

	if (file && file->at && !file->is_heap && offset <= file->size_bytes)
		madvise((void *)file->at, (size_t)(offset & ~(page - 1)), MADV_DONTNEED);
}

/* The kernel copies from its own mapping of the file. */
void wk_os_copy_mapped(const struct wk_os_file *file, size_t offset, void *bytes, size_t size)
{
	const uint8_t *at = file->at + offset;

	if (wk_os_read_process((uint32_t)getpid(), (uintptr_t)at, bytes, size) != size)
		memcpy(bytes, at, size);
}

/* Maps a page of zeros where the file's page is gone. A fault that this does not fix (SIGBUS for
 * another reason) is raised again and then has its default effect; that of another thread at the
 * same page is not one. */
static void on_bus_error(int signal_number, siginfo_t *info, void *context)
{
	static _Thread_local const void *volatile last;
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	void *at = (void *)((uintptr_t)info->si_addr & ~(page - 1));
	int saved = errno;

	(void)context;
	if (at == last || info->si_code != BUS_ADRERR ||
	    mmap(at, page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
		signal(signal_number, SIG_DFL);
	last = at;
	errno = saved;
}

void wk_os_guard_maps(void)
{
	struct sigaction action = { .sa_sigaction = on_bus_error, .sa_flags = SA_SIGINFO };

	sigemptyset(&action.sa_mask);
	sigaction(SIGBUS, &action, NULL);
}

/* A process that could read from a named pipe itself would never notice that all readers are
 * gone. */
int wk_os_create(const char *path, bool is_private, struct wk_err *err)
{
	struct stat info;
	bool is_pipe = stat(path, &info) == 0 && S_ISFIFO(info.st_mode);
	int fd =
		open(path, (is_pipe ? O_WRONLY : O_RDWR) | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY,
		     is_private ? 0600 : 0666);

	if (fd < 0)
		wk_fail_os(err, errno, "cannot write %s", path);
	return fd;
}

void wk_os_make_private(int fd)
{
	(void)!fchmod(fd, S_IRUSR | S_IWUSR);
}

int wk_os_temporary(char **path)
{
	const char *set = getenv("TMPDIR"), *folder = set && *set ? set : "/tmp";
	char name[PATH_MAX], *there = wk_alloc(64);
	int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	if (fd < 0) { /* not every file system can */
		snprintf(name, sizeof(name), "%s/wick-XXXXXX", folder);
		fd = mkostemp(name, O_CLOEXEC);
		if (fd >= 0)
			unlink(name);
	}
	snprintf(there, 64, "/proc/self/fd/%d", fd);
	if (fd < 0) {
		int cause = errno;

		wk_free(there);
		there = NULL;
		errno = cause;
	}
	*path = there;
	return fd;
}

bool wk_os_rewind(int fd)
{
	return lseek(fd, 0, SEEK_SET) == 0;
}

bool wk_os_is_seekable(int fd)
{
	struct stat info;

	return fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && lseek(fd, 0, SEEK_CUR) == 0 &&
	       !(fcntl(fd, F_GETFL) & O_APPEND);
}

bool wk_os_write_at(int fd, uint64_t offset, const void *bytes, size_t len)
{
	const char *at = bytes;

	while (len) {
		ssize_t done = pwrite(fd, at, len, (off_t)offset);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return false;
		at += done;
		offset += (uint64_t)done;
		len -= (size_t)done;
	}
	return true;
}

size_t wk_os_read_at(int fd, uint64_t offset, void *bytes, size_t size)
{
	size_t done = 0;

	while (done < size) {
		ssize_t got = pread(fd, (char *)bytes + done, size - done, (off_t)(offset + done));

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		done += (size_t)got;
	}
	return done;
}

bool wk_os_size(int fd, uint64_t *size_bytes)
{
	struct stat info;

	if (fstat(fd, &info) != 0)
		return false;
	*size_bytes = (uint64_t)info.st_size;
	return true;
}

bool wk_os_truncate(int fd, uint64_t size_bytes)
{
	return ftruncate(fd, (off_t)size_bytes) == 0;
}

size_t wk_os_read_process(uint32_t pid, uint64_t address, void *bytes, size_t size)
{
	/* Two pieces, since a piece is copied whole or not at all and the memory may end. */
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t first = page - (size_t)(address & (page - 1));
	struct iovec local = { bytes, size };
	struct iovec remote[2];
	ssize_t got;

	if (first > size)
		first = size;
	remote[0] = (struct iovec){ (void *)(uintptr_t)address, first };
	remote[1] = (struct iovec){ (void *)(uintptr_t)(address + first), size - first };
	got = process_vm_readv((pid_t)pid, &local, 1, remote, size > first ? 2 : 1, 0);
	return got > 0 ? (size_t)got : 0;
}

/* An ELF note section: sizes of name and contents, type 3 for a build id, "GNU\0", the id. */
size_t wk_os_kernel_build_id(uint8_t id[20])
{
	struct wk_buf notes = { 0 };
	size_t found = 0;

	if (wk_os_read_small("/sys/kernel/notes", &notes)) {
		struct wk_bytes in = wk_bytes_of(wk_buf_text(&notes), notes.len);

		while (!found && !in.bad && wk_bytes_left(&in)) {
			uint32_t name_len = wk_u32le(&in), len = wk_u32le(&in);
			uint32_t type = wk_u32le(&in);
			struct wk_bytes name = wk_bytes_slice(&in, ((uint64_t)name_len + 3) & ~3u);
			struct wk_bytes content = wk_bytes_slice(&in, ((uint64_t)len + 3) & ~3u);

			if (in.bad || type != 3 || name_len != 4 || len == 0 || len > 20 ||
			    memcmp(name.at, "GNU", 4) != 0)
				continue;
			memcpy(id, content.at, len);
			found = len;
		}
	}
	wk_buf_fini(&notes);
	return found;
}

void wk_os_host(struct wk_os_host *host)
{
	struct utsname names;

	*host = (struct wk_os_host){ 0 };
	if (uname(&names) != 0)
		return;
	snprintf(host->name, sizeof(host->name), "%s", names.nodename);
	snprintf(host->release, sizeof(host->release), "%s", names.release);
}

bool wk_os_has_borrowed_rights(void)
{
	return getauxval(AT_SECURE) != 0;
}

static void *thread_main(void *context)
{
	wk_os_thread_main(context);
	return NULL;
}

bool wk_os_thread_begin(void *context, uintptr_t *system)
{
	pthread_t thread;
	bool ok = start_thread(&thread, thread_main, context) == 0;

	if (ok)
		*system = (uintptr_t)thread;
	return ok;
}

void wk_os_thread_end(uintptr_t system)
{
	pthread_join((pthread_t)system, NULL);
}

bool wk_os_random(void *bytes, size_t size)
{
	return getrandom(bytes, size, 0) == (ssize_t)size;
}

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t wk_os_clock_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

uint64_t wk_os_wall_ns(void)
{
	return clock_ns(CLOCK_REALTIME);
}

bool wk_os_utc_time(uint64_t seconds, struct tm *tm)
{
	time_t time = (time_t)seconds;

	return gmtime_r(&time, tm) != NULL;
}

bool wk_os_is_terminal(int fd)
{
	return isatty(fd) == 1;
}

bool wk_os_has_input(int fd)
{
	struct pollfd state = { .fd = fd, .events = POLLIN };
	struct stat info;

	if (fstat(fd, &info) != 0)
		return false;
	if (S_ISREG(info.st_mode))
		return info.st_size > 0;
	return S_ISFIFO(info.st_mode) && poll(&state, 1, 0) >= 0 &&
	       (state.revents & POLLIN || !(state.revents & POLLHUP));
}

bool wk_os_shows_colors(int fd)
{
	const char *terminal = getenv("TERM");

	return wk_os_is_terminal(fd) && terminal && strcmp(terminal, "dumb") != 0;
}

unsigned wk_os_terminal_columns(int fd)
{
	struct winsize size;

	if (ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
		return size.ws_col;
	return 80;
}

unsigned wk_os_files_left(unsigned most, unsigned *limit)
{
	struct rlimit files;
	unsigned left = 0, all;

	if (getrlimit(RLIMIT_NOFILE, &files) != 0)
		files.rlim_cur = 1024;
	all = files.rlim_cur < INT_MAX ? (unsigned)files.rlim_cur : INT_MAX;
	if (limit)
		*limit = all;
	for (unsigned fd = 0; fd < all && left < most; fd++)
		left += fcntl((int)fd, F_GETFD) < 0 && errno == EBADF;
	return left;
}

unsigned wk_os_cpu_count(void)
{
	long count = sysconf(_SC_NPROCESSORS_ONLN);

	return count > 0 ? (unsigned)count : 1;
}
