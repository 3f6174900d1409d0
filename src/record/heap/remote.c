#include "record/heap/remote.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "event/event.h"
#include "os/os.h"
#include "record/proc_scan.h"

#define MOST_SEGMENTS 64
#define MOST_ENTRIES  256     /* of the dynamic section */
#define MOST_SYMBOLS  1000000 /* of a file */
#define LONGEST_NAME  64

static bool fail_to_open(const struct wk_remote *remote, int cause, struct wk_err *err)
{
	struct wk_buf scope = { 0 };
	bool is_limited;

	if (cause == ENOENT || (kill(remote->pid, 0) != 0 && errno == ESRCH))
		return wk_fail(err, WK_ENOTFOUND, WK_NOWHERE, "there is no process %d",
			       (int)remote->pid);
	if (cause != EACCES && cause != EPERM)
		return wk_fail_os(err, cause, "cannot open the memory of %s",
				  wk_buf_text(&remote->who));
	is_limited = wk_os_read_small("/proc/sys/kernel/yama/ptrace_scope", &scope) && scope.len &&
		     scope.at[0] != '0';
	wk_buf_fini(&scope);
	return wk_fail(err, WK_EPERM, WK_NOWHERE,
		       is_limited
			       ? "%s may not be changed by this user (kernel.yama.ptrace_scope "
				 "is not 0): start it with WICK_HEAP_ATTACH=1 in its "
				 "environment, or record as root"
			       : "%s may not be changed by this user: it belongs to another user, "
				 "or has more rights than its user; only root can do that",
		       wk_buf_text(&remote->who));
}

/* Through any thread: the first one may have ended. */
static int open_memory(pid_t pid)
{
	pid_t *tids;
	size_t count = wk_proc_threads(pid, &tids);
	int fd = -1, cause = ENOENT;

	for (size_t i = 0; i < count && fd < 0; i++) {
		char path[64];

		snprintf(path, sizeof(path), "/proc/%d/task/%d/mem", (int)pid, (int)tids[i]);
		fd = open(path, O_RDWR | O_CLOEXEC);
		cause = errno;
	}
	wk_free(tids);
	errno = cause;
	return fd;
}

bool wk_remote_open(struct wk_remote *remote, pid_t pid, struct wk_err *err)
{
	struct wk_buf name = { 0 };

	*remote = (struct wk_remote){ .pid = pid };
	wk_buf_add_fmt(&remote->who, "process %d", (int)pid);
	if (wk_proc_name(pid, &name))
		wk_buf_add_fmt(&remote->who, " (%s)", wk_buf_text(&name));
	wk_buf_fini(&name);
	remote->memory_fd = open_memory(pid);
	return remote->memory_fd >= 0 || fail_to_open(remote, errno, err);
}

void wk_remote_fini(struct wk_remote *remote)
{
	if (remote->memory_fd >= 0)
		close(remote->memory_fd);
	wk_buf_fini(&remote->who);
	*remote = (struct wk_remote){ .memory_fd = -1 };
}

bool wk_remote_read(const struct wk_remote *remote, uint64_t at, void *bytes, size_t size)
{
	return at <= INT64_MAX && pread(remote->memory_fd, bytes, size, (off_t)at) == (ssize_t)size;
}

bool wk_remote_write(const struct wk_remote *remote, uint64_t at, const void *bytes, size_t size)
{
	return at <= INT64_MAX &&
	       pwrite(remote->memory_fd, bytes, size, (off_t)at) == (ssize_t)size;
}

static bool is_file(const struct wk_event_image *image, const char *name)
{
	struct wk_str path = image->path;

	if (wk_str_ends(path, " (deleted)"))
		path.len -= strlen(" (deleted)");
	return image->file_offset == 0 && wk_str_is(wk_str_basename(path), name);
}

uint64_t wk_remote_find_file(const struct wk_remote *remote, const char *name)
{
	struct wk_buf maps = { 0 };
	struct wk_event_image image;
	struct wk_str rest;
	uint64_t found = 0;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)remote->pid);
	if (wk_os_read_small(path, &maps))
		for (rest = wk_buf_str(&maps); rest.len && !found;)
			if (wk_proc_map_line(wk_str_cut(&rest, '\n'), &image) &&
			    is_file(&image, name))
				found = image.start;
	wk_buf_fini(&maps);
	return found;
}

/* ---- symbols */

struct file {
	const struct wk_remote *remote;
	uint64_t base, bias;
	uint64_t symbols, names, hash, gnu_hash; /* addresses; 0: none */
};

static bool find_dynamic(struct file *file, uint64_t *dynamic)
{
	Elf64_Ehdr head;
	Elf64_Phdr parts[MOST_SEGMENTS];
	bool has_base = false;

	*dynamic = 0;
	if (!wk_remote_read(file->remote, file->base, &head, sizeof(head)) ||
	    memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_ident[EI_CLASS] != ELFCLASS64 ||
	    head.e_phentsize != sizeof(*parts) || head.e_phnum > MOST_SEGMENTS ||
	    !wk_remote_read(file->remote, file->base + head.e_phoff, parts,
			    head.e_phnum * sizeof(*parts)))
		return false;
	for (size_t i = 0; i < head.e_phnum; i++) {
		if (parts[i].p_type == PT_LOAD && !has_base) {
			file->bias = file->base - (parts[i].p_vaddr - parts[i].p_offset);
			has_base = true;
		}
		if (parts[i].p_type == PT_DYNAMIC)
			*dynamic = parts[i].p_vaddr;
	}
	*dynamic += file->bias;
	return has_base && *dynamic != file->bias;
}

/* glibc adds the bias to addresses in memory, others do not. */
static uint64_t address_of(const struct file *file, uint64_t value)
{
	return value < file->base ? value + file->bias : value;
}

static bool open_file(struct file *file)
{
	uint64_t dynamic;
	Elf64_Dyn entry;

	if (!find_dynamic(file, &dynamic))
		return false;
	for (size_t i = 0; i < MOST_ENTRIES; i++) {
		if (!wk_remote_read(file->remote, dynamic + i * sizeof(entry), &entry,
				    sizeof(entry)) ||
		    entry.d_tag == DT_NULL)
			break;
		if (entry.d_tag == DT_SYMTAB)
			file->symbols = address_of(file, entry.d_un.d_ptr);
		else if (entry.d_tag == DT_STRTAB)
			file->names = address_of(file, entry.d_un.d_ptr);
		else if (entry.d_tag == DT_HASH)
			file->hash = address_of(file, entry.d_un.d_ptr);
		else if (entry.d_tag == DT_GNU_HASH)
			file->gnu_hash = address_of(file, entry.d_un.d_ptr);
	}
	return file->symbols && file->names && (file->hash || file->gnu_hash);
}

/* The address of the symbol `i` if it has this name. */
static uint64_t match(const struct file *file, uint64_t i, const char *name)
{
	size_t bytes = strlen(name) + 1;
	char found[LONGEST_NAME];
	Elf64_Sym symbol;

	if (bytes > sizeof(found) ||
	    !wk_remote_read(file->remote, file->symbols + i * sizeof(symbol), &symbol,
			    sizeof(symbol)) ||
	    symbol.st_shndx == SHN_UNDEF ||
	    !wk_remote_read(file->remote, file->names + symbol.st_name, found, bytes) ||
	    memcmp(found, name, bytes) != 0)
		return 0;
	return symbol.st_value + file->bias;
}

static uint32_t gnu_hash_of(const char *name)
{
	uint32_t hash = 5381;

	for (; *name; name++)
		hash = hash * 33 + (unsigned char)*name;
	return hash;
}

/* System V ABI, "Hash Table"; the GNU one: buckets, whose chains of hashes are in order of symbols,
 * each ended by an odd one. */
static uint64_t look_up_gnu(const struct file *file, const char *name)
{
	uint32_t head[4], wanted = gnu_hash_of(name), i, hash;
	uint64_t buckets, chains, found = 0;

	if (!wk_remote_read(file->remote, file->gnu_hash, head, sizeof(head)) || !head[0])
		return 0;
	buckets = file->gnu_hash + sizeof(head) + (uint64_t)head[2] * sizeof(uint64_t);
	chains = buckets + (uint64_t)head[0] * sizeof(uint32_t);
	if (!wk_remote_read(file->remote, buckets + wanted % head[0] * sizeof(i), &i, sizeof(i)) ||
	    i < head[1])
		return 0;
	for (uint32_t steps = 0; steps < MOST_SYMBOLS && !found; steps++, i++) {
		if (!wk_remote_read(file->remote, chains + (uint64_t)(i - head[1]) * sizeof(hash),
				    &hash, sizeof(hash)))
			return 0;
		if ((hash | 1) == (wanted | 1))
			found = match(file, i, name);
		if (hash & 1)
			break;
	}
	return found;
}

static uint64_t look_up_all(const struct file *file, const char *name)
{
	uint32_t head[2];
	uint64_t found = 0;

	if (!wk_remote_read(file->remote, file->hash, head, sizeof(head)))
		return 0;
	for (uint32_t i = 0; i < head[1] && i < MOST_SYMBOLS && !found; i++)
		found = match(file, i, name);
	return found;
}

uint64_t wk_remote_find_symbol(const struct wk_remote *remote, uint64_t base, const char *name)
{
	struct file file = { .remote = remote, .base = base };

	if (!open_file(&file))
		return 0;
	return file.gnu_hash ? look_up_gnu(&file, name) : look_up_all(&file, name);
}
